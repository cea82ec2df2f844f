/* sides.h: the requests by which the driver moves changes from one side of a mount to the other.  Called in a child. */
#ifndef MB_PROBE_SIDES_H
#define MB_PROBE_SIDES_H

#include "mountbench/buffer.h"
#include "mountbench/error.h"
#include "mountbench/propagation.h"
#include "probe/protocol.h"

/* The keys that they know, ended by NULL. */
extern const char *const mb_change_keys[], *const mb_watch_keys[];

/* mb_side_change(request, answer), mb_side_watch(request, answer): do what the protocol says, and append its answer. */
void mb_side_change(const struct mb_request *request, struct mb_buffer *answer);
void mb_side_watch(const struct mb_request *request, struct mb_buffer *answer);

/*
 * mb_side_word(request, key, words, out, err): the index of the value of ${key} in ${words}.
 * mb_side_name(request, key, err): a name without a '/', or NULL.
 */
int mb_side_word(const struct mb_request *request, const char *key, const char *const *words, size_t *out, struct mb_error *err);
const char *mb_side_name(const struct mb_request *request, const char *key, struct mb_error *err);

#endif
