/*
 * buffer.h: a growing string of bytes with a ceiling.
 *
 * Whatever the outside world fills goes through one of these, so that a hostile peer cannot make us grow without bound.
 */
#ifndef MB_BUFFER_H
#define MB_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "mountbench/error.h"

/* ${data} is NUL-terminated at ${data}[${len}] once anything was appended, NULL before. */
struct mb_buffer {
    char *data;
    size_t len;
    size_t cap;
    size_t max;      /* len never goes above it */
    bool overflowed; /* an append was refused, by the ceiling or for want of memory; sticky until reset */
};

/* MB_BUFFER_INIT(max): initialiser of an empty buffer that holds ${max} bytes at the most. */
#define MB_BUFFER_INIT(maximum)                                                                                                    \
    {                                                                                                                              \
        .max = (maximum)                                                                                                           \
    }

/* A buffer that frees itself when it leaves scope. */
#define MB_AUTO_BUFFER __attribute__((cleanup(mb_buffer_free))) struct mb_buffer

/*
 * mb_buffer_append(b, bytes, n), mb_buffer_puts(b, text), mb_buffer_putc(b, c), mb_buffer_printf(b, format, ...):
 * Append.  Return 0, or -1 (and append nothing, and set ${b}->overflowed) where the ceiling or memory forbids it.  Many
 * appends may be made unchecked and ${b}->overflowed looked at once at the end.
 */
int mb_buffer_append(struct mb_buffer *b, const void *bytes, size_t n);
int mb_buffer_puts(struct mb_buffer *b, const char *text);
int mb_buffer_putc(struct mb_buffer *b, char c);
int mb_buffer_printf(struct mb_buffer *b, const char *format, ...) MB_PRINTF(2, 3);

/* mb_buffer_consume(b, n): drop the first ${n} <= ${b}->len bytes. */
void mb_buffer_consume(struct mb_buffer *b, size_t n);

/* mb_buffer_text(b): the content as a string, "" when empty; valid until the next append. */
const char *mb_buffer_text(const struct mb_buffer *b);

/* mb_buffer_steal(b): the content as a malloc'd string that the caller frees (NULL without memory); ${b} is then empty. */
char *mb_buffer_steal(struct mb_buffer *b);

/* mb_buffer_reset(b): empty it and clear ${b}->overflowed, keeping its memory.  mb_buffer_free(b): release its memory. */
void mb_buffer_reset(struct mb_buffer *b);
void mb_buffer_free(struct mb_buffer *b);

#endif
