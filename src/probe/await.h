/*
 * await.h: wait, on the other side of a mount, until it holds the bytes that a trial has left.
 */
#ifndef MB_PROBE_AWAIT_H
#define MB_PROBE_AWAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/error.h"
#include "probe/job.h"

#define MB_AWAIT_TROUBLE_MAX 512

/* The files that a trial leaves in its own directory, "0", "1", ..., each of them one block over and over. */
struct mb_leavings {
    uint64_t files, size_bytes; /* each of them */
    void *block;                /* malloc'd */
    size_t block_bytes;
};

/* What came of waiting.  Moments are of mb_now_ns. */
struct mb_awaited {
    bool seen;
    uint64_t seen_at_ns;                /* from when on nothing was missing any more: the start of the look that found all of it */
    uint64_t checked_at_ns;             /* when that look had read all of it */
    uint64_t missing, wrong;            /* files, where the time ran out: not there or too short; of another content or too long */
    char trouble[MB_AWAIT_TROUBLE_MAX]; /* the first of those, in words */
};

/*
 * mb_await(job, limit_ms, out, err):
 * Look below the directory of ${job} until all that its workload leaves there is there, byte for byte, at most ${limit_ms}.
 * Nothing is written.  -1 only where looking itself is not possible (no memory).
 */
int mb_await(struct mb_job *job, uint64_t limit_ms, struct mb_awaited *out, struct mb_error *err);

#endif
