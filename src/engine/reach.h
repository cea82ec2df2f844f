/* reach.h: why an endpoint cannot be reached, and the way out. */
#ifndef MB_ENGINE_REACH_H
#define MB_ENGINE_REACH_H

#include "mountbench/endpoint.h"
#include "mountbench/error.h"

/*
 * mb_reach_socket(endpoint, err):
 * Look at the unix socket of ${endpoint} as a client would: 0 when something accepts there, else MB_ENOENGINE with the place, the
 * reason and what to do.  Any other kind of endpoint: 0.
 */
int mb_reach_socket(const struct mb_endpoint *endpoint, struct mb_error *err);

/* mb_reach_start_hint(endpoint): how the runtime at ${endpoint} is started, as "start it with 'colima start'". */
const char *mb_reach_start_hint(const struct mb_endpoint *endpoint, char *out, size_t size);

#endif
