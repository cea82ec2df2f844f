/* interpolate.c: ${VAR} and its relatives, from the environment. */
#include "matrix/interpolate.h"

#include <stdlib.h>
#include <string.h>

#include "matrix/read.h"
#include "mountbench/buffer.h"
#include "mountbench/parse.h"

/* ${A:-${B:-${C}}} as deep as this. */
#define NESTED_MAX 16

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

static int expand(const char *text, const char *end, struct mb_buffer *out, unsigned depth, struct mb_error *err);

/* ${NAME}, ${NAME:-word}, ...: the parts between the braces. */
struct reference {
    char name[256];
    bool colon;
    char operation; /* '-', '?', '+', or 0 for none */
    const char *word, *word_end;
};

static int
add(struct mb_buffer *out, const char *text, size_t n, struct mb_error *err)
{
    if (mb_buffer_append(out, text, n) != 0)
        return mb_error_set(err, MB_ECONFIG, "the value is longer than %d bytes once its variables are replaced",
                            MB_INTERPOLATED_MAX);
    return 0;
}

static size_t
name_length(const char *at, const char *end)
{
    size_t n = 0;

    while (at + n < end && (strchr(LETTERS, at[n]) != NULL || (n > 0 && at[n] >= '0' && at[n] <= '9')))
        n++;
    return n;
}

/* Copy the name at `at` and find the variable's value, NULL when unset. */
static int
look_up(const char *at, size_t n, char name[256], const char **value, struct mb_error *err)
{
    if (n >= 256)
        return mb_error_set(err, MB_ECONFIG, "the name of a variable is longer than 255 bytes");
    memcpy(name, at, n);
    name[n] = '\0';
    *value = getenv(name);
    if (*value != NULL && mb_utf8_valid(*value, strlen(*value)) != strlen(*value))
        return mb_error_set(err, MB_ECONFIG, "the environment variable %s is not UTF-8", name);
    return 0;
}

static int
unset(const char *name, struct mb_error *err)
{
    return mb_error_set(err, MB_ECONFIG, "the environment variable %s is not set (write '${%s:-value}' for a default)", name, name);
}

/* Put in what a reference stands for, given its variable's value. */
static int
substitute(const struct reference *r, const char *value, struct mb_buffer *out, unsigned depth, struct mb_error *err)
{
    bool usable = value != NULL && !(r->colon && *value == '\0');

    switch (r->operation) {
    case '-':
        if (!usable)
            return expand(r->word, r->word_end, out, depth + 1, err);
        break;
    case '+':
        return usable ? expand(r->word, r->word_end, out, depth + 1, err) : 0;
    case '?':
        if (!usable) {
            MB_AUTO_BUFFER message = MB_BUFFER_INIT(1024);
            char shown[MB_PRINTABLE_MAX];
            if (expand(r->word, r->word_end, &message, depth + 1, err) != 0)
                return -1;
            if (message.len == 0)
                return unset(r->name, err);
            return mb_error_set(err, MB_ECONFIG, "the environment variable %s is %s: %s", r->name, value ? "empty" : "not set",
                                mb_printable(mb_buffer_text(&message), shown));
        }
        break;
    default:
        if (value == NULL)
            return unset(r->name, err);
    }
    return add(out, value, strlen(value), err);
}

/* The brace that closes the one before `at`; NULL when there is none. */
static const char *
closing_brace(const char *at, const char *end)
{
    size_t open = 1;

    for (; at < end; at++) {
        if (at[0] == '$' && at + 1 < end && (at[1] == '{' || at[1] == '$')) {
            open += at[1] == '{';
            at++;
        } else if (*at == '}' && --open == 0) {
            return at;
        }
    }
    return NULL;
}

/* "{...}" after a dollar sign; *at is then behind it. */
static int
expand_braces(const char **at, const char *end, struct mb_buffer *out, unsigned depth, struct mb_error *err)
{
    const char *open = *at;
    const char *close = closing_brace(open + 1, end);
    struct reference r = {0};
    const char *value;

    if (close == NULL)
        return mb_error_set(err, MB_ECONFIG, "'${' without its '}' (write '$$' for a dollar sign)");
    size_t n = name_length(open + 1, close);
    const char *p = open + 1 + n;
    if (n == 0 || look_up(open + 1, n, r.name, &value, err) != 0)
        return n != 0 ? -1 : mb_error_set(err, MB_ECONFIG, "'${' without the name of a variable (write '$$' for a dollar sign)");
    if (p < close) {
        r.colon = *p == ':';
        p += r.colon;
        r.operation = p < close ? *p : '\0';
        if (r.operation != '-' && r.operation != '+' && r.operation != '?')
            return mb_error_set(err, MB_ECONFIG,
                                "'${%s' is followed by neither '}' nor ':-', '-', ':?', '?', ':+' or '+' "
                                "(write '$$' for a dollar sign)",
                                r.name);
        r.word = p + 1;
        r.word_end = close;
    }
    *at = close + 1;
    return substitute(&r, value, out, depth, err);
}

/* What follows the dollar sign before *at, which is then behind it. */
static int
expand_dollar(const char **at, const char *end, struct mb_buffer *out, unsigned depth, struct mb_error *err)
{
    struct reference r = {0};
    const char *value;

    if (*at < end && **at == '$') {
        (*at)++;
        return add(out, "$", 1, err);
    }
    if (*at < end && **at == '{')
        return expand_braces(at, end, out, depth, err);
    size_t n = name_length(*at, end);
    if (n == 0)
        return mb_error_set(err, MB_ECONFIG, "'$' without the name of a variable (write '$$' for a dollar sign)");
    if (look_up(*at, n, r.name, &value, err) != 0)
        return -1;
    *at += n;
    return substitute(&r, value, out, depth, err);
}

static int
expand(const char *text, const char *end, struct mb_buffer *out, unsigned depth, struct mb_error *err)
{
    const char *at = text;

    if (depth > NESTED_MAX)
        return mb_error_set(err, MB_ECONFIG, "variables are nested more than %d deep", NESTED_MAX);
    while (at < end) {
        const char *dollar = memchr(at, '$', (size_t)(end - at));
        const char *stop = dollar != NULL ? dollar : end;
        if (add(out, at, (size_t)(stop - at), err) != 0)
            return -1;
        at = stop;
        if (dollar != NULL) {
            at++;
            if (expand_dollar(&at, end, out, depth, err) != 0)
                return -1;
        }
    }
    return 0;
}

int
mb_interpolate(const char *text, char **out, struct mb_error *err)
{
    MB_AUTO_BUFFER buffer = MB_BUFFER_INIT(MB_INTERPOLATED_MAX);

    if (expand(text, text + strlen(text), &buffer, 0, err) != 0)
        return -1;
    *out = mb_buffer_steal(&buffer);
    return *out != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

static int
interpolate_nodes(const char *file, struct mb_node *node, size_t *total, struct mb_error *err)
{
    for (; node != NULL; node = node->next) {
        if (node->kind == MB_NODE_SCALAR && strchr(node->text, '$') != NULL) {
            char *text;
            if (mb_interpolate(node->text, &text, err) != 0)
                return mb_error_prefix(err, "%s:%u", file, node->line);
            free(node->text);
            node->text = text;
            *total += strlen(text);
            if (*total > MB_YAML_TEXT_MAX)
                return mb_error_set(err, MB_ECONFIG, "%s:%u: the file is longer than %d bytes once its variables are replaced",
                                    file, node->line, MB_YAML_TEXT_MAX);
        }
        if (interpolate_nodes(file, node->child, total, err) != 0)
            return -1;
    }
    return 0;
}

int
mb_interpolate_tree(const char *file, struct mb_node *node, struct mb_error *err)
{
    size_t total = 0;

    return interpolate_nodes(file, node, &total, err);
}
