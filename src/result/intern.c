/* intern.c: a hash set of strings over blocks of memory that are only ever freed together. */
#include "result/intern.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 16384

struct mb_intern_block {
    struct mb_intern_block *next;
    size_t used, size;
    char bytes[];
};

uint64_t
mb_hash_bytes(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(1099511628211);
    return hash;
}

static size_t
find_slot(const char *const *slots, size_t size, const char *text)
{
    size_t i = (size_t)mb_hash_bytes(text, strlen(text)) & (size - 1);

    while (slots[i] != NULL && strcmp(slots[i], text) != 0)
        i = (i + 1) & (size - 1);
    return i;
}

static int
grow(struct mb_intern *pool)
{
    size_t size = pool->size > 0 ? pool->size * 2 : 256;
    const char **slots = calloc(size, sizeof *slots);

    if (slots == NULL)
        return -1;
    for (size_t i = 0; i < pool->size; i++) {
        if (pool->slots[i] != NULL)
            slots[find_slot(slots, size, pool->slots[i])] = pool->slots[i];
    }
    free(pool->slots);
    pool->slots = slots;
    pool->size = size;
    return 0;
}

static const char *
store(struct mb_intern *pool, const char *text)
{
    size_t n = strlen(text) + 1;
    struct mb_intern_block *block = pool->blocks;

    if (block == NULL || block->size - block->used < n) {
        size_t size = n > BLOCK_BYTES ? n : BLOCK_BYTES;
        block = malloc(sizeof *block + size);
        if (block == NULL)
            return NULL;
        block->next = pool->blocks;
        block->used = 0;
        block->size = size;
        pool->blocks = block;
    }
    char *copy = block->bytes + block->used;
    memcpy(copy, text, n);
    block->used += n;
    return copy;
}

const char *
mb_intern_text(struct mb_intern *pool, const char *text)
{
    if (pool->used * 2 >= pool->size && grow(pool) != 0)
        return NULL;
    size_t i = find_slot(pool->slots, pool->size, text);
    if (pool->slots[i] == NULL) {
        pool->slots[i] = store(pool, text);
        pool->used += pool->slots[i] != NULL;
    }
    return pool->slots[i];
}

void
mb_intern_free(struct mb_intern *pool)
{
    while (pool->blocks != NULL) {
        struct mb_intern_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
    free(pool->slots);
    *pool = (struct mb_intern){0};
}
