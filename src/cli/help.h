/* help.h: help texts that are made from tables. */
#ifndef MB_CLI_HELP_H
#define MB_CLI_HELP_H

#include "mountbench/buffer.h"

/*
 * mb_help_wrapped(out, text, column, indent):
 * Append ${text} and a newline, wrapped at word ends to 80 columns; we stand at ${column}, further lines begin after ${indent}
 * blanks.
 */
void mb_help_wrapped(struct mb_buffer *out, const char *text, size_t column, size_t indent);

/* mb_help_workloads(out): every workload: what it does, what it does not show, its settings. */
void mb_help_workloads(struct mb_buffer *out);

/*
 * mb_help_manual(out): the whole manual page, in man's macros.
 * mb_help_completion(out): a script that completes commands, options and files in bash, and in zsh by its bashcompinit.
 */
void mb_help_manual(struct mb_buffer *out);
void mb_help_completion(struct mb_buffer *out);

/* What main returns, ended by a row without a meaning. */
struct mb_exit_status {
    int status;
    const char *meaning;
};
extern const struct mb_exit_status mb_exit_statuses[];

#endif
