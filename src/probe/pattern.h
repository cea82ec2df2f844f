/*
 * pattern.h: pseudo-random numbers, and content that can be checked at any offset without keeping a copy.
 *
 * splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014): word i of a stream is a mix of
 * seed + i * golden ratio, so every word of a file is known from its seed and place alone, and no filesystem can compress it.
 */
#ifndef MB_PROBE_PATTERN_H
#define MB_PROBE_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* mb_pattern_word(seed, i): the 64-bit word ${i} of the stream ${seed}. */
static inline uint64_t
mb_pattern_word(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* mb_pattern_below(seed, i, n): number ${i} of the stream, 0 <= it < ${n} <= 2^32, unbiased enough (multiply and shift). */
static inline uint64_t
mb_pattern_below(uint64_t seed, uint64_t i, uint64_t n)
{
    return ((mb_pattern_word(seed, i) >> 32) * n) >> 32;
}

/* mb_pattern_fill(seed, offset, bytes, n): the ${n} bytes at ${offset}, a multiple of 8, of the stream ${seed}. */
void mb_pattern_fill(uint64_t seed, uint64_t offset, void *bytes, size_t n);

/* mb_pattern_alnum(seed, bytes, n): ${n} pseudo-random letters and digits. */
void mb_pattern_alnum(uint64_t seed, void *bytes, size_t n);

/* mb_pattern_check(seed, offset, bytes, n): index of the first of ${n} bytes that is not as filled; ${n} when none. */
size_t mb_pattern_check(uint64_t seed, uint64_t offset, const void *bytes, size_t n);

/* mb_pattern_differs(a, b, n): index of the first of ${n} bytes in which ${a} and ${b} differ; ${n} when none. */
size_t mb_pattern_differs(const void *a, const void *b, size_t n);

#endif
