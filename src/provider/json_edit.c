/* json_edit.c: a scanner that knows where members of the outermost object begin and end, and nothing more. */
#include "provider/json_edit.h"

#include <string.h>

static const char *
skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* Behind the string that begins at ${p}. */
static const char *
skip_string(const char *p)
{
    for (p++; *p != '\0' && *p != '"'; p++) {
        if (*p == '\\' && p[1] != '\0')
            p++;
    }
    return *p == '"' ? p + 1 : p;
}

/* Behind the value that begins at ${p}. */
static const char *
skip_value(const char *p)
{
    size_t depth = 0;

    while (*p != '\0') {
        if (*p == '"') {
            p = skip_string(p);
        } else if (*p == '{' || *p == '[') {
            depth++;
            p++;
        } else if (*p == '}' || *p == ']') {
            if (depth == 0)
                return p;
            depth--;
            p++;
        } else if (depth == 0 && strchr(", \t\r\n", *p) != NULL) {
            return p;
        } else {
            p++;
            continue;
        }
        if (depth == 0)
            return p;
    }
    return p;
}

/* A member's key, value and ends. */
struct member {
    const char *key, *value, *end, *next; /* next: behind its comma, or NULL for the last one */
    const char *comma_before;             /* NULL for the first one */
};

static int
put_first(const char *text, const char *brace, const char *key, const char *value, struct mb_buffer *out)
{
    bool empty = *skip_blanks(brace + 1) == '}';

    mb_buffer_append(out, text, (size_t)(brace + 1 - text));
    mb_buffer_printf(out, "\"%s\":%s%s", key, value, empty ? "" : ",");
    mb_buffer_puts(out, brace + 1);
    return out->overflowed ? -1 : 0;
}

static int
change(const char *text, const struct member *m, const char *value, struct mb_buffer *out)
{
    const char *from = m->value, *to = m->end;

    if (value == NULL && m->next != NULL)
        from = m->key, to = m->next;
    else if (value == NULL)
        from = m->comma_before != NULL ? m->comma_before : m->key;
    mb_buffer_append(out, text, (size_t)(from - text));
    mb_buffer_puts(out, value != NULL ? value : "");
    mb_buffer_puts(out, to);
    return out->overflowed ? -1 : 0;
}

int
mb_json_edit(const char *text, const char *key, const char *value, struct mb_buffer *out)
{
    const char *brace = strchr(text, '{'), *comma = NULL;
    size_t n = strlen(key);

    if (brace == NULL)
        return -1;
    for (const char *p = skip_blanks(brace + 1); *p == '"'; p = skip_blanks(comma + 1)) {
        struct member m = {.key = p, .comma_before = comma};
        const char *colon = skip_blanks(skip_string(p));
        if (*colon != ':')
            return -1;
        m.value = skip_blanks(colon + 1);
        m.end = skip_value(m.value);
        comma = skip_blanks(m.end);
        m.next = *comma == ',' ? comma + 1 : NULL;
        if (strncmp(p + 1, key, n) == 0 && p[n + 1] == '"')
            return change(text, &m, value, out);
        if (m.next == NULL)
            break;
    }
    if (value != NULL)
        return put_first(text, brace, key, value, out);
    mb_buffer_puts(out, text);
    return out->overflowed ? -1 : 0;
}
