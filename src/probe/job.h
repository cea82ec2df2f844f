/* job.h: what a workload's prepare and run are given, and what they hand back. */
#ifndef MB_PROBE_JOB_H
#define MB_PROBE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "mountbench/buffer.h"
#include "mountbench/error.h"
#include "mountbench/workload.h"
#include "probe/histogram.h"
#include "probe/protocol.h"

#define MB_JOB_METRICS_MAX 8
#define MB_JOB_NAME_MAX 64

/*
 * The current directory is the cell's.  A workload keeps what it lays out below MB_JOB_DATA, and makes what a trial makes below
 * ${work}; both exist, and are removed by others.  It opens without O_CLOEXEC: nothing is ever executed, and musl makes a second
 * system call of that flag, which would show in the figures.
 */
#define MB_JOB_DATA "data"

struct mb_job {
    const struct mb_workload *workload;
    const uint64_t *values;           /* of its parameters */
    const char *dir;                  /* the cell's directory, for messages and absolute paths */
    const struct mb_request *request; /* for workloads with texts */
    uint64_t id;
    uint64_t seed;              /* of this trial: the order of random operations, the content of what it writes */
    uint64_t data_seed;         /* of what lies below MB_JOB_DATA */
    char work[MB_JOB_NAME_MAX]; /* "run-7" */

    /* What the trial found. */
    uint64_t wall_ns, user_ns, sys_ns, bytes, ops;
    struct mb_histogram latency; /* left empty where there is none */
    struct {
        const char *name;
        double value;
    } metrics[MB_JOB_METRICS_MAX];
    size_t metric_count;
    struct mb_buffer output; /* what a command printed, the last of it; its max is 0 where there is none */
    bool unsupported;        /* the failure is that the mount cannot do this at all */

    uint64_t start_ns;
    struct rusage start_usage;
};

/*
 * mb_job_start(job), mb_job_stop(job): the timed span begins, ends.
 * mb_job_stop_busy(job, busy_ns): as mb_job_stop, where only ${busy_ns} of the span were the work, and the rest went to checking
 * content between operations, with the clock stopped: it counts neither as wall nor as user time.
 */
void mb_job_start(struct mb_job *job);
void mb_job_stop(struct mb_job *job);
void mb_job_stop_busy(struct mb_job *job, uint64_t busy_ns);

/* mb_job_metric(job, name, value): add a named number to the sample. */
void mb_job_metric(struct mb_job *job, const char *name, double value);

/*
 * mb_job_fail(job, err, errnum, name, what, ...):
 * Fill ${err} with "DIR/NAME: WHAT: system's text", note whether the system says that it cannot do such a thing at all
 * (EINVAL, EOPNOTSUPP, ENOSYS), and return -1.
 */
int mb_job_fail(struct mb_job *job, struct mb_error *err, int errnum, const char *name, const char *what);

/* mb_job_fail_at(...): as mb_job_fail, for the byte at ${offset}. */
int mb_job_fail_at(struct mb_job *job, struct mb_error *err, int errnum, const char *name, const char *what, uint64_t offset);

/*
 * mb_job_wrong_byte(job, err, name, offset, got_expected):
 * Fill ${err} with the one wrong byte: ${got_expected}[0] was read where [1] was written.  Return -1.
 */
int mb_job_wrong_byte(struct mb_job *job, struct mb_error *err, const char *name, uint64_t offset,
                      const unsigned char got_expected[2]);

/* mb_job_buffer(size): ${size} bytes aligned to a page, touched; NULL without memory.  free() it. */
void *mb_job_buffer(size_t size);

#endif
