/*
 * intern.h: one copy of each distinct string, so that 100,000 samples that say the same few words stay small and names can be
 * compared as pointers.
 */
#ifndef MB_RESULT_INTERN_H
#define MB_RESULT_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct mb_intern_block;

/* Initialise with {0}. */
struct mb_intern {
    const char **slots; /* open addressing; NULL is empty; ${size} is 0 or a power of two */
    size_t size, used;
    struct mb_intern_block *blocks;
};

/* mb_intern_text(pool, text): the pool's copy of ${text}, good until mb_intern_free; NULL without memory. */
const char *mb_intern_text(struct mb_intern *pool, const char *text);
void mb_intern_free(struct mb_intern *pool);

/* mb_hash_bytes(bytes, n): FNV-1a (Fowler, Noll, Vo; RFC 9923), 64 bits. */
uint64_t mb_hash_bytes(const void *bytes, size_t n);

#endif
