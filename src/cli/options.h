/*
 * options.h: one table of options and one shape of command, from which parsing and help follow.
 *
 * A command is one file that ends in one `const struct mb_command`; adding one touches that file and the list in commands.c.
 * An option is one row of the table in options.c; a command names the rows it takes.
 */
#ifndef MB_CLI_OPTIONS_H
#define MB_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/buffer.h"
#include "mountbench/error.h"

enum mb_option_type {
    MB_OPTION_FLAG,     /* no value */
    MB_OPTION_TEXT,     /* any string */
    MB_OPTION_COUNT,    /* a whole number from 0 */
    MB_OPTION_SEED,     /* a whole number of 64 bits */
    MB_OPTION_DURATION, /* mb_parse_duration */
    MB_OPTION_PERCENT,  /* mb_parse_percent */
    MB_OPTION_CHOICE,   /* one of the words in ${argument}, "terminal|markdown" */
};

struct mb_option {
    const char *name;     /* "engine": given as --engine VALUE or --engine=VALUE */
    char letter;          /* 'o': also -o VALUE; 0 for none */
    const char *argument; /* what help calls the value: "NAME"; NULL for a flag */
    enum mb_option_type type;
    bool repeatable;
    const char *fallback; /* the default as a person would write it, NULL for none; help shows it and mb_args_text gives it */
    const char *help;
};

/* A parsed command line of one command; pointers are into argv. */
struct mb_args;

struct mb_command {
    const char *name;
    const char *operands; /* for the usage line: "[MATRIX]", "FILE..." */
    size_t operands_min, operands_max;
    const char *summary;        /* one line for the list of commands, lower case, no full stop */
    const char *details;        /* paragraphs for `mountbench help COMMAND`, with examples; may be NULL */
    const char *const *options; /* names, ended by NULL; --help is understood by all */
    /* Do it.  Return the exit status, or -1 with ${err} filled: main prints the message and exits as the error's code says. */
    int (*run)(const struct mb_args *args, struct mb_error *err);
};

/* mb_commands(): every command, ended by NULL, in the order of help. */
const struct mb_command *const *mb_commands(void);

/* mb_options(n): the table of options, *${n} rows. */
const struct mb_option *mb_options(size_t *n);

/*
 * mb_args_parse(command, argc, argv, out, err):
 * Parse ${argv}[0..${argc}) (what follows the command's word), check every value against its option's type, and the number of
 * operands.  "--" ends the options.  Free with mb_args_free.
 */
int mb_args_parse(const struct mb_command *command, int argc, char *const *argv, struct mb_args **out, struct mb_error *err);
void mb_args_free(struct mb_args *args);

/*
 * mb_args_given(args, name): whether the option was on the command line.
 * mb_args_text(args, name): its last value, else its default, else NULL.
 * mb_args_all(args, name): all its values, ended by NULL; NULL when there are none.
 * mb_args_count, mb_args_duration_ns, mb_args_percent: the typed value (already checked), or ${otherwise} when neither given nor
 * defaulted. mb_args_operands(args, n): the operands, ended by NULL, *${n} of them (${n} may be NULL). mb_args_line(args): the
 * whole command line as it could be typed again, for the record.
 */
bool mb_args_given(const struct mb_args *args, const char *name);
const char *mb_args_text(const struct mb_args *args, const char *name);
const char *const *mb_args_all(const struct mb_args *args, const char *name);
uint64_t mb_args_count(const struct mb_args *args, const char *name, uint64_t otherwise);
uint64_t mb_args_duration_ns(const struct mb_args *args, const char *name, uint64_t otherwise);
double mb_args_percent(const struct mb_args *args, const char *name, double otherwise);
const char *const *mb_args_operands(const struct mb_args *args, size_t *n);
const char *mb_args_line(const struct mb_args *args);

/* mb_help_all(out), mb_help_command(command, out): the help texts, from the tables, at most 80 columns. */
void mb_help_all(struct mb_buffer *out);
void mb_help_command(const struct mb_command *command, struct mb_buffer *out);

/* mb_use_colour(fd): whether to colour what goes to ${fd}: a terminal, TERM not "dumb", NO_COLOR unset or empty. */
bool mb_use_colour(int fd);
/* mb_terminal_width(fd): its columns; COLUMNS when set; 80 when neither is known. */
unsigned mb_terminal_width(int fd);

#endif
