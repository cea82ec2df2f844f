/* pattern.c: fill and check, a word at a time.  Words are the processor's own: a file is read where it was laid out. */
#include "probe/pattern.h"

#include <string.h>

void
mb_pattern_fill(uint64_t seed, uint64_t offset, void *bytes, size_t n)
{
    unsigned char *to = bytes;
    uint64_t i = offset / 8;

    for (; n >= 8; n -= 8, to += 8) {
        uint64_t word = mb_pattern_word(seed, i++);
        memcpy(to, &word, 8);
    }
    uint64_t word = mb_pattern_word(seed, i);
    memcpy(to, &word, n);
}

void
mb_pattern_alnum(uint64_t seed, void *bytes, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char *to = bytes;

    for (size_t i = 0; i < n; i++)
        to[i] = letters[mb_pattern_below(seed, i, sizeof letters - 1)];
}

size_t
mb_pattern_differs(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    size_t i = 0;

    /* By words, since a small libc's memcmp goes by bytes and would show in the figures. */
    for (; n - i >= 8; i += 8) {
        uint64_t v, w;
        memcpy(&v, x + i, 8);
        memcpy(&w, y + i, 8);
        if (v != w)
            break;
    }
    while (i < n && x[i] == y[i])
        i++;
    return i;
}

size_t
mb_pattern_check(uint64_t seed, uint64_t offset, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;
    uint64_t expected, got;
    size_t i = 0;

    for (; n - i >= 8; i += 8) {
        memcpy(&got, from + i, 8);
        if (got != mb_pattern_word(seed, (offset + i) / 8))
            break;
    }
    if (i == n)
        return n;
    size_t length = n - i < 8 ? n - i : 8;
    expected = mb_pattern_word(seed, (offset + i) / 8);
    return i + mb_pattern_differs(&expected, from + i, length);
}
