/* names.h: strings numbered in the order in which they are first seen, in linear time however many there are. */
#ifndef MB_REPORT_NAMES_H
#define MB_REPORT_NAMES_H

#include <stddef.h>

struct mb_names_slot;

struct mb_names {
    struct mb_names_slot *slots;
    size_t size; /* a power of two */
};

/* mb_names_init(names, most): room for ${most} different names.  Returns -1 without memory; mb_names_free is due all the same. */
int mb_names_init(struct mb_names *names, size_t most);
void mb_names_free(struct mb_names *names);

/*
 * mb_names_index(names, owner, text, next):
 * The number of ${text} among the names of ${owner}; a new name gets *${next}, which is then one more.  Cannot fail while no
 * more than the promised number of names is put in.
 */
size_t mb_names_index(struct mb_names *names, size_t owner, const char *text, size_t *next);

#endif
