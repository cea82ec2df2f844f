/* job.c: the timed span, and failures in words, for all workloads. */
#include "probe/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/clock.h"

static uint64_t
usage_ns(const struct timeval *from, const struct timeval *to)
{
    int64_t us = ((int64_t)to->tv_sec - from->tv_sec) * 1000000 + ((int64_t)to->tv_usec - from->tv_usec);

    return us > 0 ? (uint64_t)us * 1000 : 0;
}

void
mb_job_start(struct mb_job *job)
{
    getrusage(RUSAGE_SELF, &job->start_usage);
    job->start_ns = mb_now_ns();
}

void
mb_job_stop(struct mb_job *job)
{
    struct rusage usage;

    job->wall_ns = mb_now_ns() - job->start_ns;
    getrusage(RUSAGE_SELF, &usage);
    job->user_ns = usage_ns(&job->start_usage.ru_utime, &usage.ru_utime);
    job->sys_ns = usage_ns(&job->start_usage.ru_stime, &usage.ru_stime);
}

void
mb_job_stop_busy(struct mb_job *job, uint64_t busy_ns)
{
    mb_job_stop(job);
    uint64_t paused_ns = job->wall_ns - busy_ns;
    job->wall_ns = busy_ns;
    job->user_ns -= job->user_ns < paused_ns ? job->user_ns : paused_ns;
}

void
mb_job_metric(struct mb_job *job, const char *name, double value)
{
    if (job->metric_count == MB_JOB_METRICS_MAX)
        return;
    job->metrics[job->metric_count].name = name;
    job->metrics[job->metric_count].value = value;
    job->metric_count++;
}

static void
note_unsupported(struct mb_job *job, int errnum)
{
    job->unsupported = errnum == EINVAL || errnum == EOPNOTSUPP || errnum == ENOTSUP || errnum == ENOSYS;
}

int
mb_job_fail(struct mb_job *job, struct mb_error *err, int errnum, const char *name, const char *what)
{
    note_unsupported(job, errnum);
    return mb_error_errno(err, MB_EIO, errnum, "%s/%s: %s", job->dir, name, what);
}

int
mb_job_fail_at(struct mb_job *job, struct mb_error *err, int errnum, const char *name, const char *what, uint64_t offset)
{
    note_unsupported(job, errnum);
    return mb_error_errno(err, MB_EIO, errnum, "%s/%s: %s at byte %llu", job->dir, name, what, (unsigned long long)offset);
}

int
mb_job_wrong_byte(struct mb_job *job, struct mb_error *err, const char *name, uint64_t offset, const unsigned char got_expected[2])
{
    return mb_error_set(err, MB_EIO, "%s/%s: wrong content at byte %llu: expected 0x%02x, got 0x%02x", job->dir, name,
                        (unsigned long long)offset, got_expected[1], got_expected[0]);
}

void *
mb_job_buffer(size_t size)
{
    void *bytes = NULL;

    if (posix_memalign(&bytes, (size_t)sysconf(_SC_PAGESIZE), size) != 0)
        return NULL;
    memset(bytes, 0, size);
    return bytes;
}
