/*
 * http.h: HTTP to one endpoint over a unix socket, TCP, TLS or ssh, and raw two-way streams that grew out of it.
 *
 * http.c is the only file that includes curl.  Every wait here ends at its time limit and looks at mb_interrupted().
 */
#ifndef MB_ENGINE_HTTP_H
#define MB_ENGINE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/buffer.h"
#include "mountbench/endpoint.h"
#include "mountbench/error.h"

struct mb_http;

struct mb_http_request {
    const char *method;
    const char *path; /* with its query: "/v1.41/containers/json?all=1" */
    const char *type; /* of the body; NULL for none */
    const void *body; /* may be NULL when ${size} is 0 */
    size_t size;
    unsigned timeout_ms; /* for the whole call */
    unsigned limit_ms;   /* what a message says the limit was, when this call is a part of something longer; 0: timeout_ms */
    bool makes;          /* something that is to be taken down again: an interrupt leaves it time to say what it made */
    /* Where the body of a 2xx answer goes instead of into the reply; return -1 to stop reading. */
    int (*sink)(void *context, const char *bytes, size_t n);
    void *context;
};

struct mb_http_reply {
    int status;
    char api_version[16];    /* header Api-Version, "" without */
    char libpod_version[32]; /* header Libpod-Api-Version, "" without */
    struct mb_buffer body;   /* its ceiling is the longest answer accepted */
};

/* mb_http_open(endpoint, out, err): prepare; nothing is sent.  ${endpoint} must outlive it.  Close with mb_http_close. */
int mb_http_open(const struct mb_endpoint *endpoint, struct mb_http **out, struct mb_error *err);
void mb_http_close(struct mb_http *http);

/*
 * mb_http_call(http, request, reply, err):
 * One request and its answer, of whatever status, on the connection that is kept alive between calls.  Fails with MB_ENOENGINE as
 * long as nothing at this endpoint ever answered in HTTP, with MB_EGONE or MB_ETIMEOUT later.
 */
int mb_http_call(struct mb_http *http, const struct mb_http_request *request, struct mb_http_reply *reply, struct mb_error *err);

/* A raw two-way stream. */
struct mb_wire;

/*
 * mb_http_upgrade(http, path, timeout_ms, out, reply, err):
 * POST ${path} with `Upgrade: tcp` on a connection of its own.  After 101 or 200 *${out} is the stream and ${reply}->body holds the
 * bytes that came right after the header; any other status leaves *${out} NULL and is no failure of this call.
 */
int mb_http_upgrade(struct mb_http *http, const char *path, unsigned timeout_ms, struct mb_wire **out, struct mb_http_reply *reply,
                    struct mb_error *err);

/*
 * mb_wire_send(wire, bytes, n, deadline_ns, err): all of it.
 * mb_wire_recv(wire, bytes, size, deadline_ns, n, err): at least one byte; *${n} = 0 at the end of the stream.
 * Both fail with MB_ETIMEOUT, MB_EINTERRUPT or MB_EGONE.
 */
int mb_wire_send(struct mb_wire *wire, const void *bytes, size_t n, uint64_t deadline_ns, struct mb_error *err);
int mb_wire_recv(struct mb_wire *wire, void *bytes, size_t size, uint64_t deadline_ns, size_t *n, struct mb_error *err);
void mb_wire_close(struct mb_wire *wire);

/*
 * mb_wire_try_send(wire, bytes, n, done, err), mb_wire_try_recv(wire, bytes, size, done, ended, err): as much as goes without
 * waiting; *${done} may be 0.  mb_wire_socket(wire): what to poll before trying again; try to receive before polling, since TLS
 * may hold bytes that poll knows nothing of.
 */
int mb_wire_try_send(struct mb_wire *wire, const void *bytes, size_t n, size_t *done, struct mb_error *err);
int mb_wire_try_recv(struct mb_wire *wire, void *bytes, size_t size, size_t *done, bool *ended, struct mb_error *err);
int mb_wire_socket(const struct mb_wire *wire);

#endif
