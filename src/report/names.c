/* names.c: an open-addressed hash of (owner, text). */
#include "report/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct mb_names_slot {
    const char *text; /* NULL: free */
    size_t owner, index;
};

int
mb_names_init(struct mb_names *names, size_t most)
{
    memset(names, 0, sizeof *names);
    names->size = 64;
    while (names->size < 2 * most)
        names->size *= 2;
    names->slots = calloc(names->size, sizeof *names->slots);
    return names->slots != NULL ? 0 : -1;
}

void
mb_names_free(struct mb_names *names)
{
    free(names->slots);
}

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static uint64_t
hash(size_t owner, const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ owner * UINT64_C(0x9E3779B97F4A7C15);

    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

size_t
mb_names_index(struct mb_names *names, size_t owner, const char *text, size_t *next)
{
    size_t at = (size_t)hash(owner, text) & (names->size - 1);

    while (names->slots[at].text != NULL) {
        if (names->slots[at].owner == owner && strcmp(names->slots[at].text, text) == 0)
            return names->slots[at].index;
        at = (at + 1) & (names->size - 1);
    }
    names->slots[at].text = text;
    names->slots[at].owner = owner;
    names->slots[at].index = (*next)++;
    return names->slots[at].index;
}
