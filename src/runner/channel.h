/*
 * channel.h: a two-way stream of lines to a probe, be it in a container or in a child of the driver.
 */
#ifndef MB_RUNNER_CHANNEL_H
#define MB_RUNNER_CHANNEL_H

#include <stdbool.h>
#include <sys/types.h>

#include "mountbench/buffer.h"
#include "mountbench/engine.h"
#include "mountbench/error.h"

struct mb_channel {
    struct mb_attach *attach; /* the container's, owned; NULL for a child */
    int fd;                   /* the child's socket, -1 for a container */
    pid_t pid;                /* the child */
    struct mb_buffer in;      /* the child's bytes not yet taken */
    bool owed;                /* a request was sent whose answer nobody has read */
};

/* mb_channel_attach(c, attach): speak over ${attach}, which the channel then owns. */
void mb_channel_attach(struct mb_channel *c, struct mb_attach *attach);

/* mb_channel_fork(c, err): start a child of this process that serves the probe's protocol. */
int mb_channel_fork(struct mb_channel *c, struct mb_error *err);

/*
 * mb_channel_ask(c, request, timeout_ms, answer, err):
 * Send the line ${request} (with its newline) and wait for one line in ${answer}.  A probe that is gone is MB_EGONE, with what it
 * said on standard error; a line above ${answer}'s ceiling is MB_EPROTOCOL; nothing within ${timeout_ms} is MB_ETIMEOUT.
 */
int mb_channel_ask(struct mb_channel *c, const char *request, unsigned timeout_ms, struct mb_buffer *answer, struct mb_error *err);

/*
 * mb_channel_settle(c, timeout_ms, err): after an interrupt, wait for the answer that is still to come, so that the next one
 * answers the next request.  0 at once where none is owed.
 */
int mb_channel_settle(struct mb_channel *c, unsigned timeout_ms, struct mb_error *err);

/* mb_channel_close(c): end of input for the probe; a child is waited for, and killed if it does not go.  May be called twice. */
void mb_channel_close(struct mb_channel *c);

#endif
