/* child.h: do something in a child process that cannot take longer than it may. */
#ifndef MB_PROBE_CHILD_H
#define MB_PROBE_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "mountbench/buffer.h"
#include "mountbench/error.h"

enum mb_child_end {
    MB_CHILD_ANSWERED, /* it wrote an answer, a whole line */
    MB_CHILD_FAILED,   /* it ended without one: the error says how */
    MB_CHILD_TIMEOUT,  /* it was killed at its limit, and is gone */
    MB_CHILD_STUCK,    /* it was killed at its limit, and hangs in the kernel: left behind */
};

struct mb_child {
    void (*work)(void *context, struct mb_buffer *answer); /* appends its answer, one line with its newline */
    void *context;
    uint64_t timeout_ms;
    int close_fds[2]; /* not the child's business; -1: none */
};

/*
 * mb_child_run(child, answer, err):
 * Fork, do the work there, and append its answer to ${answer}.  ${err} is filled unless it answered.
 */
enum mb_child_end mb_child_run(const struct mb_child *child, struct mb_buffer *answer, struct mb_error *err);

#endif
