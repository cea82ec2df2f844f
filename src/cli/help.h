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

#endif
