/* lines.h: a file line by line, with a ceiling on the line and never the whole file in memory. */
#ifndef MB_RESULT_LINES_H
#define MB_RESULT_LINES_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mountbench/error.h"

/* The longest line that is written or read, its newline included. */
#define MB_RESULT_LINE_MAX ((size_t)1 << 20)

struct mb_lines {
    int fd;
    const char *name; /* for messages */
    char *data;       /* data[start..end) is read and not yet handed out */
    size_t start, end, size;
    size_t number; /* of the line handed out last, from 1 */
    bool eof;
};

/* One line, without its newline, NUL-terminated; valid until the next call. */
struct mb_line {
    char *text;
    size_t length;
    bool complete; /* it ended in a newline */
};

/*
 * mb_lines_init(lines, fd, name, err): read from ${fd}, which stays the caller's.  mb_lines_free(lines): release its memory.
 * mb_lines_next(lines, line, err): 1 with the next line in ${line}, 0 at the end, -1 on failure; a line above the ceiling is one.
 */
int mb_lines_init(struct mb_lines *lines, int fd, const char *name, struct mb_error *err);
int mb_lines_next(struct mb_lines *lines, struct mb_line *line, struct mb_error *err);
void mb_lines_free(struct mb_lines *lines);

/* mb_line_object(line): the JSON object that is all of the line, the caller's to cJSON_Delete; NULL when it is not just that. */
cJSON *mb_line_object(const struct mb_line *line);

/* mb_utf8_valid_prefix(text, n): how many of the ${n} bytes at ${text} are well-formed UTF-8 (RFC 3629), from the start. */
size_t mb_utf8_valid_prefix(const char *text, size_t n);

#endif
