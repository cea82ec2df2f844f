/* protocol.c: parse a request line, write JSON strings. */
#include "probe/protocol.h"

#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static int
decode(char *text, struct mb_error *err)
{
    char *to = text;

    for (const char *from = text; *from != '\0';) {
        if (*from != '%') {
            *to++ = *from++;
            continue;
        }
        int high = hex_digit(from[1]);
        int low = high < 0 ? -1 : hex_digit(from[2]);
        if (low < 0)
            return mb_error_set(err, MB_EPROTOCOL, "'%.20s' is no percent code: two hexadecimal digits follow a '%%'", from);
        if (high == 0 && low == 0)
            return mb_error_set(err, MB_EPROTOCOL, "'%%00' is refused: no value holds a NUL");
        *to++ = (char)(high * 16 + low);
        from += 3;
    }
    *to = '\0';
    return 0;
}

static int
add_pair(char *word, struct mb_request *request, struct mb_error *err)
{
    char *equals = strchr(word, '=');

    if (equals == NULL || equals == word)
        return mb_error_set(err, MB_EPROTOCOL, "%s: '%.100s' is not of the form key=value", request->verb, word);
    *equals = '\0';
    if (mb_request_get(request, word) != NULL)
        return mb_error_set(err, MB_EPROTOCOL, "%s: the key '%.100s' comes twice", request->verb, word);
    if (request->count == MB_REQUEST_KEYS_MAX)
        return mb_error_set(err, MB_EPROTOCOL, "%s: more than %d keys", request->verb, MB_REQUEST_KEYS_MAX);
    if (decode(equals + 1, err) != 0)
        return mb_error_prefix(err, "%s: %.100s", request->verb, word);
    request->pairs[request->count].key = word;
    request->pairs[request->count].value = equals + 1;
    request->count++;
    return 0;
}

int
mb_request_parse(char *line, struct mb_request *request, struct mb_error *err)
{
    char *rest = NULL;

    request->count = 0;
    request->verb = strtok_r(line, " ", &rest);
    if (request->verb == NULL)
        return mb_error_set(err, MB_EPROTOCOL, "an empty request: a line starts with a verb, 'hello' to begin with");
    for (char *word; (word = strtok_r(NULL, " ", &rest)) != NULL;) {
        if (add_pair(word, request, err) != 0)
            return -1;
    }
    return 0;
}

const char *
mb_request_get(const struct mb_request *request, const char *key)
{
    for (size_t i = 0; i < request->count; i++) {
        if (strcmp(request->pairs[i].key, key) == 0)
            return request->pairs[i].value;
    }
    return NULL;
}

int
mb_request_check_keys(const struct mb_request *request, const char *const *known, struct mb_error *err)
{
    for (size_t i = 0; i < request->count; i++) {
        const char *key = request->pairs[i].key;
        size_t k = 0;
        while (known[k] != NULL && strcmp(known[k], key) != 0)
            k++;
        if (known[k] != NULL)
            continue;
        const char *near = mb_nearest(key, known);
        return mb_error_set(err, MB_EPROTOCOL, "%s: unknown key '%.100s'%s%s%s", request->verb, key, near ? " (did you mean '" : "",
                            near ? near : "", near ? "'?)" : "");
    }
    return 0;
}

int
mb_request_u64(const struct mb_request *request, const char *key, uint64_t fallback, const uint64_t range[2], uint64_t *out,
               struct mb_error *err)
{
    const char *text = mb_request_get(request, key);

    *out = fallback;
    if (text == NULL || mb_parse_u64(text, range[0], range[1], out, err) == 0)
        return 0;
    return mb_error_prefix(err, "%s: %s", request->verb, key);
}

int
mb_request_list(const char *text, char ***out, struct mb_error *err)
{
    size_t n = 0, length = strlen(text);

    for (const char *p = text; *p != '\0'; p++)
        n += *p == ' ';
    if (length > 0 && text[length - 1] != ' ')
        return mb_error_set(err, MB_EPROTOCOL, "'%.40s' is no list: a blank follows each of its texts", text);
    char **list = malloc((n + 1) * sizeof *list + length + 1);
    if (list == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    char *at = memcpy((char *)(list + n + 1), text, length + 1);
    for (size_t i = 0; i < n; i++) {
        size_t blank = strcspn(at, " ");
        at[blank] = '\0';
        list[i] = at;
        at += blank + 1;
        if (decode(list[i], err) != 0) {
            free(list);
            return -1;
        }
    }
    list[n] = NULL;
    *out = list;
    return 0;
}

/* How many of the ${n} >= 1 bytes at ${s} are one well-formed character (Unicode 15, table 3-7); 0 when none. */
static size_t
utf8_length(const unsigned char *s, size_t n)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

    if (length == 0 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

void
mb_json_string(struct mb_buffer *b, const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;

    mb_buffer_putc(b, '"');
    for (size_t i = 0; i < n;) {
        size_t length = utf8_length(s + i, n - i);
        if (length == 0)
            mb_buffer_puts(b, "\\ufffd");
        else if (s[i] == '"' || s[i] == '\\')
            mb_buffer_printf(b, "\\%c", s[i]);
        else if (s[i] < 0x20 || s[i] == 0x7f)
            mb_buffer_printf(b, "\\u%04x", s[i]);
        else
            mb_buffer_append(b, text + i, length);
        i += length ? length : 1;
    }
    mb_buffer_putc(b, '"');
}

void
mb_json_field(struct mb_buffer *b, const char *key, const char *text)
{
    mb_buffer_printf(b, ",\"%s\":", key);
    mb_json_string(b, text, strlen(text));
}
