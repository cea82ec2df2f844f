/* lines.c: split what is read into lines; the buffer doubles up to the ceiling. */
#include "result/lines.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/signals.h"

#define FIRST_BYTES 65536

int
mb_lines_init(struct mb_lines *lines, int fd, const char *name, struct mb_error *err)
{
    *lines = (struct mb_lines){.fd = fd, .name = name, .size = FIRST_BYTES};
    lines->data = malloc(lines->size + 1);
    return lines->data != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

void
mb_lines_free(struct mb_lines *lines)
{
    free(lines->data);
    lines->data = NULL;
}

/* Make room behind data[end), by moving what is left to the front or by doubling. */
static int
make_room(struct mb_lines *lines, struct mb_error *err)
{
    if (lines->start > 0) {
        memmove(lines->data, lines->data + lines->start, lines->end - lines->start);
        lines->end -= lines->start;
        lines->start = 0;
    }
    if (lines->end < lines->size)
        return 0;
    if (lines->size >= MB_RESULT_LINE_MAX)
        return mb_error_set(err, MB_ECONFIG, "%s:%zu: the line is longer than %zu bytes; this is no result file", lines->name,
                            lines->number + 1, MB_RESULT_LINE_MAX);
    char *data = realloc(lines->data, lines->size * 2 + 1);
    if (data == NULL)
        return mb_error_set(err, MB_EIO, "%s: out of memory", lines->name);
    lines->data = data;
    lines->size *= 2;
    return 0;
}

static int
fill(struct mb_lines *lines, struct mb_error *err)
{
    if (make_room(lines, err) != 0)
        return -1;
    ssize_t n;
    do {
        n = read(lines->fd, lines->data + lines->end, lines->size - lines->end);
    } while (n < 0 && errno == EINTR && !mb_interrupted());
    if (n < 0 && errno == EINTR)
        return mb_error_set(err, MB_EINTERRUPT, "%s: interrupted while reading", lines->name);
    if (n < 0)
        return mb_error_errno(err, errno == EISDIR ? MB_ECONFIG : MB_EIO, errno, "%s: cannot read", lines->name);
    lines->eof = n == 0;
    lines->end += (size_t)n;
    return 0;
}

static int
hand_out(struct mb_lines *lines, size_t length, bool complete, struct mb_line *line)
{
    line->text = lines->data + lines->start;
    line->length = length;
    line->complete = complete;
    line->text[length] = '\0';
    lines->start += length + complete;
    lines->number++;
    return 1;
}

int
mb_lines_next(struct mb_lines *lines, struct mb_line *line, struct mb_error *err)
{
    size_t looked = 0;

    for (;;) {
        size_t have = lines->end - lines->start;
        char *newline = memchr(lines->data + lines->start + looked, '\n', have - looked);
        if (newline != NULL)
            return hand_out(lines, (size_t)(newline - lines->data) - lines->start, true, line);
        if (lines->eof)
            return have > 0 ? hand_out(lines, have, false, line) : 0;
        looked = have;
        if (fill(lines, err) != 0)
            return -1;
    }
}

/* How many bytes the well-formed character at ${p}, of ${n} >= 1 bytes, takes; 0 when it is not well-formed. */
static size_t
character_length(const unsigned char *p, size_t n)
{
    size_t length = p[0] < 0x80                   ? 1
                    : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                    : (p[0] & 0xf0) == 0xe0       ? 3
                    : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                                  : 0;

    if (length == 0 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Overlong forms, surrogates, and what is above U+10FFFF. */
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return length;
}

size_t
mb_utf8_valid_prefix(const char *text, size_t n)
{
    size_t i = 0;

    while (i < n) {
        size_t length = character_length((const unsigned char *)text + i, n - i);
        if (length == 0)
            break;
        i += length;
    }
    return i;
}

cJSON *
mb_line_object(const struct mb_line *line)
{
    const char *end = NULL;

    /* cJSON takes a NUL for a blank. */
    if (mb_utf8_valid_prefix(line->text, line->length) != line->length || memchr(line->text, '\0', line->length) != NULL)
        return NULL;
    cJSON *tree = cJSON_ParseWithLengthOpts(line->text, line->length + 1, &end, true);
    if (cJSON_IsObject(tree) && end == line->text + line->length)
        return tree;
    cJSON_Delete(tree);
    return NULL;
}
