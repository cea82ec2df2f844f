/* buffer.c: bounded growth, doubling. */
#include "mountbench/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
reserve(struct mb_buffer *b, size_t more)
{
    if (b->len > b->max || more > b->max - b->len) {
        b->overflowed = true;
        return -1;
    }
    size_t need = b->len + more + 1;
    if (need <= b->cap)
        return 0;
    size_t cap = b->cap ? b->cap : 64;
    while (cap < need)
        cap = cap > SIZE_MAX / 2 ? need : cap * 2;
    char *data = realloc(b->data, cap);
    if (data == NULL) {
        b->overflowed = true;
        return -1;
    }
    b->data = data;
    b->cap = cap;
    return 0;
}

int
mb_buffer_append(struct mb_buffer *b, const void *bytes, size_t n)
{
    if (reserve(b, n) != 0)
        return -1;
    if (n > 0)
        memcpy(b->data + b->len, bytes, n);
    b->len += n;
    b->data[b->len] = '\0';
    return 0;
}

int
mb_buffer_puts(struct mb_buffer *b, const char *text)
{
    return mb_buffer_append(b, text, strlen(text));
}

int
mb_buffer_putc(struct mb_buffer *b, char c)
{
    return mb_buffer_append(b, &c, 1);
}

int
mb_buffer_printf(struct mb_buffer *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0 || reserve(b, (size_t)n) != 0)
        return -1;
    va_start(args, format);
    vsnprintf(b->data + b->len, (size_t)n + 1, format, args);
    va_end(args);
    b->len += (size_t)n;
    return 0;
}

void
mb_buffer_consume(struct mb_buffer *b, size_t n)
{
    if (b->data == NULL)
        return;
    memmove(b->data, b->data + n, b->len - n + 1);
    b->len -= n;
}

const char *
mb_buffer_text(const struct mb_buffer *b)
{
    return b->data ? b->data : "";
}

char *
mb_buffer_steal(struct mb_buffer *b)
{
    char *data = b->data ? b->data : calloc(1, 1);
    b->data = NULL;
    b->len = b->cap = 0;
    return data;
}

void
mb_buffer_reset(struct mb_buffer *b)
{
    b->len = 0;
    b->overflowed = false;
    if (b->data != NULL)
        b->data[0] = '\0';
}

void
mb_buffer_free(struct mb_buffer *b)
{
    free(b->data);
    b->data = NULL;
    b->len = b->cap = 0;
}
