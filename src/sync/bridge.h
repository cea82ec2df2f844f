/*
 * bridge.h: a container's standard input and output as a socket of this machine, by a process that carries the bytes.
 *
 * It goes over the Engine API alone, so that it works wherever the engine does: in a virtual machine, by ssh, behind TLS.
 */
#ifndef MB_SYNC_BRIDGE_H
#define MB_SYNC_BRIDGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "mountbench/engine.h"

/* Initialise with {0}. */
struct mb_bridge {
    pid_t pid; /* 0: none */
};

/*
 * mb_bridge_start(b, engine, container, log, fd, err):
 * Attach to ${container}, which is made and not started, and start it.  *${fd} is our end, the caller's to close; when its last
 * copy is closed the container's input ends.  What the container says on standard error is appended to the file ${log}.
 */
int mb_bridge_start(struct mb_bridge *b, struct mb_engine *engine, const char *container, const char *log, int *fd,
                    struct mb_error *err);

/* mb_bridge_stop(b): no further byte.  Twice is harmless. */
void mb_bridge_stop(struct mb_bridge *b);

#endif
