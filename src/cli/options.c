/* options.c: the table of options, and the parsing that follows from it. */
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"

static const struct mb_option table[] = {
    {"engine", 'e', "NAME", MB_OPTION_TEXT, true, NULL,
     "an engine: a docker context, a runtime's name, unix://, tcp:// or ssh://; replaces the matrix's engines"},
    {"mount", 'm', "GLOB", MB_OPTION_TEXT, true, NULL, "only the mounts whose name matches"},
    {"workload", 'w', "GLOB", MB_OPTION_TEXT, true, NULL, "only the workloads whose name matches"},
    {"rounds", 'r', "N", MB_OPTION_COUNT, false, NULL, "timed trials of each cell, instead of the matrix's"},
    {"warmup", 0, "N", MB_OPTION_COUNT, false, NULL, "untimed trials before them, instead of the matrix's"},
    {"seed", 0, "N", MB_OPTION_SEED, false, NULL, "seed of the order and of the data, to repeat a run; else one is drawn"},
    {"dir", 'd', "DIR", MB_OPTION_TEXT, false, NULL,
     "host directory for binds, kept afterwards; else a fresh one under the current directory, removed"},
    {"output", 'o', "FILE", MB_OPTION_TEXT, false, NULL, "write to FILE instead ('-' is standard output, but not of run)"},
    {"resume", 0, "FILE", MB_OPTION_TEXT, false, NULL, "go on with an interrupted run: measure what FILE lacks, append to it"},
    {"timeout", 0, "TIME", MB_OPTION_DURATION, false, NULL, "time limit of one trial, as 90s or 5m; else worked out from its size"},
    {"max-time", 0, "TIME", MB_OPTION_DURATION, false, NULL, "start no further round after TIME"},
    {"scale", 0, "N/M", MB_OPTION_TEXT, false, NULL, "shrink every workload's sizes by this factor, as 1/64"},
    {"quiet", 'q', NULL, MB_OPTION_FLAG, false, NULL, "print nothing but the table and errors"},
    {"no-progress", 0, NULL, MB_OPTION_FLAG, false, NULL, "one plain line a cell instead of the progress line"},
    {"format", 'f', "FORMAT", MB_OPTION_TEXT, false, NULL, "how to print it; 'mountbench help COMMAND' lists the formats"},
    {"baseline", 'b', "MOUNT", MB_OPTION_TEXT, false, NULL,
     "the mount that ratios are taken to; else volume, or the first there is"},
    {"details", 0, NULL, MB_OPTION_FLAG, false, NULL, "also phases, latencies and what was really mounted"},
    {"summary", 0, NULL, MB_OPTION_FLAG, false, NULL, "csv: a cell a row instead of a sample a row"},
    {"drop-outliers", 0, NULL, MB_OPTION_FLAG, false, NULL, "leave marked outliers out, and say so"},
    {"width", 0, "COLUMNS", MB_OPTION_COUNT, false, NULL, "fit this many columns instead of the terminal's"},
    {"all", 'a', NULL, MB_OPTION_FLAG, false, NULL, "everything: every cell, every object"},
    {"run", 0, "ID", MB_OPTION_TEXT, false, NULL, "only what this run left"},
    {"dry-run", 'n', NULL, MB_OPTION_FLAG, false, NULL, "say what would be done, and do nothing"},
    {"help-workloads", 0, NULL, MB_OPTION_FLAG, false, NULL, "every workload: what it does, its settings, what it does not show"},
    {"fail-above", 0, "PERCENT", MB_OPTION_PERCENT, false, NULL, "exit 4 when something is slower by more than this, for CI"},
    {"engines", 0, "A,B", MB_OPTION_TEXT, false, NULL, "compare two engines of the same files"},
    {"mounts", 0, "A,B", MB_OPTION_TEXT, false, NULL, "compare two mounts of the same files"},
    {"cells", 0, "GLOB", MB_OPTION_TEXT, true, NULL, "compare cells by name: give it twice, once a side"},
    {"with", 0, "FILE", MB_OPTION_TEXT, true, NULL, "a measured run to set beside the published figures"},
    {"matrix", 0, "MATRIX", MB_OPTION_TEXT, false, "quick", "the matrix to use"},
};

#define ROWS (sizeof table / sizeof table[0])

struct mb_args {
    const struct mb_command *command;
    const char **values[ROWS]; /* each ended by NULL, or NULL */
    size_t counts[ROWS];
    const char **operands;
    size_t operand_count;
    char *line;
};

const struct mb_option *
mb_options(size_t *n)
{
    *n = ROWS;
    return table;
}

static size_t
row_of(const char *name)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(table[i].name, name) == 0)
            return i;
    }
    return ROWS;
}

static bool
takes(const struct mb_command *command, const char *name)
{
    for (const char *const *o = command->options; o != NULL && *o != NULL; o++) {
        if (strcmp(*o, name) == 0)
            return true;
    }
    return false;
}

/* Whether ${value} is one of the words between the bars of ${choices}. */
static bool
is_choice(const char *choices, const char *value)
{
    size_t n = strlen(value);
    for (const char *p = choices; p != NULL; p = strchr(p, '|')) {
        p += *p == '|';
        if (strncmp(p, value, n) == 0 && (p[n] == '|' || p[n] == '\0'))
            return true;
    }
    return false;
}

static int
check_value(const struct mb_option *option, const char *value, struct mb_error *err)
{
    uint64_t number;
    double percent;
    int rc = 0;

    switch (option->type) {
    case MB_OPTION_COUNT:
        rc = mb_parse_u64(value, 0, 1000000, &number, err);
        break;
    case MB_OPTION_SEED:
        rc = mb_parse_u64(value, 0, (UINT64_C(1) << 53) - 1, &number, err);
        break;
    case MB_OPTION_DURATION:
        rc = mb_parse_duration(value, &number, err);
        break;
    case MB_OPTION_PERCENT:
        rc = mb_parse_percent(value, &percent, err);
        break;
    case MB_OPTION_CHOICE:
        rc = is_choice(option->argument, value) ? 0 : mb_error_set(err, MB_EUSAGE, "'%s' is none of %s", value, option->argument);
        break;
    case MB_OPTION_TEXT:
        rc = *value != '\0' ? 0 : mb_error_set(err, MB_EUSAGE, "the value is empty");
        break;
    case MB_OPTION_FLAG:
        break;
    }
    if (rc != 0) {
        err->code = MB_EUSAGE;
        return mb_error_prefix(err, "--%s", option->name);
    }
    return 0;
}

static int
add_value(struct mb_args *args, size_t row, const char *value, struct mb_error *err)
{
    const struct mb_option *option = &table[row];

    if (args->counts[row] > 0 && !option->repeatable && option->type != MB_OPTION_FLAG)
        return mb_error_set(err, MB_EUSAGE, "--%s is given twice", option->name);
    if (check_value(option, value, err) != 0)
        return -1;
    const char **values = realloc(args->values[row], (args->counts[row] + 2) * sizeof *values);
    if (values == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    values[args->counts[row]++] = value;
    values[args->counts[row]] = NULL;
    args->values[row] = values;
    return 0;
}

static int
unknown_option(const struct mb_command *command, const char *name, size_t length, struct mb_error *err)
{
    const char *known[ROWS + 2];
    char word[64];
    size_t n = 0;

    for (const char *const *o = command->options; o != NULL && *o != NULL; o++)
        known[n++] = *o;
    known[n++] = "help";
    known[n] = NULL;
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    const char *near = mb_nearest(word, known);
    if (near != NULL)
        return mb_error_set(err, MB_EUSAGE, "unknown option '--%s' (did you mean '--%s'?)", word, near);
    if (row_of(word) < ROWS)
        return mb_error_set(err, MB_EUSAGE, "'%s' takes no option '--%s'; see 'mountbench help %s'", command->name, word,
                            command->name);
    return mb_error_set(err, MB_EUSAGE, "unknown option '--%s'; see 'mountbench help %s'", word, command->name);
}

/* One long option at argv[i]; returns how many words it took, or -1. */
static int
parse_long(struct mb_args *args, int left, char *const *argv, struct mb_error *err)
{
    const char *name = argv[0] + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    size_t row;

    for (row = 0; row < ROWS; row++) {
        if (strlen(table[row].name) == length && strncmp(table[row].name, name, length) == 0)
            break;
    }
    if (row == ROWS || !takes(args->command, table[row].name))
        return unknown_option(args->command, name, length, err);
    if (table[row].type == MB_OPTION_FLAG) {
        if (equals != NULL)
            return mb_error_set(err, MB_EUSAGE, "--%s takes no value", table[row].name);
        return add_value(args, row, "", err) == 0 ? 1 : -1;
    }
    if (equals != NULL)
        return add_value(args, row, equals + 1, err) == 0 ? 1 : -1;
    if (left < 2)
        return mb_error_set(err, MB_EUSAGE, "--%s wants a value: --%s %s", table[row].name, table[row].name, table[row].argument);
    return add_value(args, row, argv[1], err) == 0 ? 2 : -1;
}

static int
parse_short(struct mb_args *args, int left, char *const *argv, struct mb_error *err)
{
    size_t row;

    for (row = 0; row < ROWS; row++) {
        if (table[row].letter == argv[0][1] && takes(args->command, table[row].name))
            break;
    }
    if (row == ROWS)
        return mb_error_set(err, MB_EUSAGE, "unknown option '-%c'; see 'mountbench help %s'", argv[0][1], args->command->name);
    if (table[row].type == MB_OPTION_FLAG) {
        if (argv[0][2] != '\0')
            return mb_error_set(err, MB_EUSAGE, "-%c takes no value", argv[0][1]);
        return add_value(args, row, "", err) == 0 ? 1 : -1;
    }
    if (argv[0][2] != '\0')
        return add_value(args, row, argv[0] + 2, err) == 0 ? 1 : -1;
    if (left < 2)
        return mb_error_set(err, MB_EUSAGE, "-%c wants a value: --%s %s", argv[0][1], table[row].name, table[row].argument);
    return add_value(args, row, argv[1], err) == 0 ? 2 : -1;
}

/* Quote a word for a shell, where it needs that. */
static void
append_word(struct mb_buffer *out, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=,@%+";

    mb_buffer_putc(out, ' ');
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        mb_buffer_puts(out, word);
        return;
    }
    mb_buffer_putc(out, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            mb_buffer_puts(out, "'\\''");
        else
            mb_buffer_putc(out, *word);
    }
    mb_buffer_putc(out, '\'');
}

static int
check_operands(const struct mb_args *args, struct mb_error *err)
{
    const struct mb_command *c = args->command;

    if (args->operand_count < c->operands_min)
        return mb_error_set(err, MB_EUSAGE, "'%s' wants %s; see 'mountbench help %s'", c->name, c->operands, c->name);
    if (args->operand_count > c->operands_max)
        return mb_error_set(err, MB_EUSAGE, "'%s' takes %s, and '%s' is one too many; see 'mountbench help %s'", c->name,
                            c->operands_max == 0 ? "no operands" : c->operands, args->operands[c->operands_max], c->name);
    return 0;
}

static int
parse_all(struct mb_args *args, int argc, char *const *argv, struct mb_error *err)
{
    bool options = true;

    for (int i = 0; i < argc;) {
        int took = 1;
        if (options && strcmp(argv[i], "--") == 0)
            options = false;
        else if (options && argv[i][0] == '-' && argv[i][1] == '-')
            took = parse_long(args, argc - i, argv + i, err);
        else if (options && argv[i][0] == '-' && argv[i][1] != '\0')
            took = parse_short(args, argc - i, argv + i, err);
        else
            args->operands[args->operand_count++] = argv[i];
        if (took < 0)
            return -1;
        i += took;
    }
    return check_operands(args, err);
}

int
mb_args_parse(const struct mb_command *command, int argc, char *const *argv, struct mb_args **out, struct mb_error *err)
{
    struct mb_args *args = calloc(1, sizeof *args);
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(65536);

    *out = NULL;
    if (args == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    args->command = command;
    args->operands = calloc((size_t)argc + 1, sizeof *args->operands);
    mb_buffer_printf(&line, "mountbench %s", command->name);
    for (int i = 0; i < argc; i++)
        append_word(&line, argv[i]);
    args->line = mb_buffer_steal(&line);
    if (args->operands == NULL || args->line == NULL) {
        mb_args_free(args);
        return mb_error_set(err, MB_EIO, "out of memory");
    }
    if (parse_all(args, argc, argv, err) != 0) {
        mb_args_free(args);
        return -1;
    }
    *out = args;
    return 0;
}

void
mb_args_free(struct mb_args *args)
{
    if (args == NULL)
        return;
    for (size_t i = 0; i < ROWS; i++)
        free(args->values[i]);
    free(args->operands);
    free(args->line);
    free(args);
}

bool
mb_args_given(const struct mb_args *args, const char *name)
{
    size_t row = row_of(name);
    return row < ROWS && args->counts[row] > 0;
}

const char *
mb_args_text(const struct mb_args *args, const char *name)
{
    size_t row = row_of(name);
    if (row == ROWS)
        return NULL;
    return args->counts[row] > 0 ? args->values[row][args->counts[row] - 1] : table[row].fallback;
}

const char *const *
mb_args_all(const struct mb_args *args, const char *name)
{
    size_t row = row_of(name);
    return row < ROWS ? args->values[row] : NULL;
}

uint64_t
mb_args_count(const struct mb_args *args, const char *name, uint64_t otherwise)
{
    const char *text = mb_args_text(args, name);
    uint64_t value;
    return text != NULL && mb_parse_u64(text, 0, UINT64_MAX, &value, NULL) == 0 ? value : otherwise;
}

uint64_t
mb_args_duration_ns(const struct mb_args *args, const char *name, uint64_t otherwise)
{
    const char *text = mb_args_text(args, name);
    uint64_t value;
    return text != NULL && mb_parse_duration(text, &value, NULL) == 0 ? value : otherwise;
}

double
mb_args_percent(const struct mb_args *args, const char *name, double otherwise)
{
    const char *text = mb_args_text(args, name);
    double value;
    return text != NULL && mb_parse_percent(text, &value, NULL) == 0 ? value : otherwise;
}

const char *const *
mb_args_operands(const struct mb_args *args, size_t *n)
{
    if (n != NULL)
        *n = args->operand_count;
    return args->operands;
}

const char *
mb_args_line(const struct mb_args *args)
{
    return args->line;
}
