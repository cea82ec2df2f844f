/* reach.h: why an endpoint cannot be reached, and the way out. */
#ifndef MB_ENGINE_REACH_H
#define MB_ENGINE_REACH_H

#include <stdbool.h>
#include <stddef.h>

#include "mountbench/endpoint.h"
#include "mountbench/error.h"

/* What became of an attempt to talk to an endpoint. */
enum mb_fault {
    MB_FAULT_SILENT,   /* no answer in time */
    MB_FAULT_CONNECT,  /* nobody accepts */
    MB_FAULT_NAME,     /* no such host */
    MB_FAULT_TLS,      /* no agreement on TLS */
    MB_FAULT_CLOSED,   /* closed without an answer */
    MB_FAULT_LANGUAGE, /* an answer in no language we know */
};

struct mb_failure {
    const struct mb_endpoint *endpoint;
    enum mb_fault fault;
    bool answered; /* it spoke HTTP before */
    unsigned limit_ms;
    const char *detail; /* the transport's own words */
    const char *ssh;    /* ssh's, "" for none */
};

/*
 * mb_reach_explain(failure, err):
 * Put it into words: the place, the reason, the way out.  MB_ENOENGINE as long as nothing at this endpoint ever answered, MB_EGONE
 * or MB_ETIMEOUT later.  Returns -1.
 */
int mb_reach_explain(const struct mb_failure *failure, struct mb_error *err);

/*
 * mb_reach_socket(endpoint, err):
 * Look at the unix socket of ${endpoint} as a client would: 0 when something accepts there, else MB_ENOENGINE with the place, the
 * reason and what to do.  Any other kind of endpoint: 0.
 */
int mb_reach_socket(const struct mb_endpoint *endpoint, struct mb_error *err);

/* mb_reach_start_hint(endpoint): how the runtime at ${endpoint} is started, as "start it with 'colima start'", or that it seems not
 * to be installed. */
const char *mb_reach_start_hint(const struct mb_endpoint *endpoint, char *out, size_t size);

#endif
