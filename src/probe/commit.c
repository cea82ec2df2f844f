/* commit.c: append a record and fdatasync, again and again: what a database's log does at each commit. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "probe/file.h"
#include "probe/pattern.h"
#include "probe/workloads.h"

enum { RECORD, COUNT };

static const struct mb_param params[] = {
    {.name = "record", .type = MB_PARAM_SIZE, .fallback = "4KiB", .min = 8, .max = MB_BLOCK_MAX, .help = "bytes appended a commit"},
    {.name = "count", .type = MB_PARAM_COUNT, .fallback = "500", .min = 1, .max = 10000000, .help = "commits a trial"},
    {0},
};

static int
append_records(struct mb_job *job, int fd, struct mb_piece *record, struct mb_error *err)
{
    uint64_t count = job->values[COUNT];
    uint64_t last, now;

    mb_job_start(job);
    last = mb_now_ns();
    for (uint64_t i = 0; i < count; i++) {
        record->offset = i * record->n;
        memcpy(record->bytes, &i, sizeof i); /* no two records alike */
        if (mb_file_write(job, fd, record, err) != 0 || mb_file_sync(job, fd, record->name, MB_SYNC_FDATASYNC, err) != 0)
            return -1;
        now = mb_now_ns();
        mb_histogram_add(&job->latency, now - last);
        last = now;
    }
    mb_job_stop(job);
    job->ops = count;
    job->bytes = count * record->n;
    return 0;
}

static int
run(struct mb_job *job, struct mb_error *err)
{
    char name[MB_JOB_NAME_MAX + 8];
    struct mb_piece record = {.name = name, .n = (size_t)job->values[RECORD]};

    snprintf(name, sizeof name, "%s/log", job->work);
    record.bytes = mb_job_buffer(record.n);
    if (record.bytes == NULL)
        return mb_error_set(err, MB_EIO, "no memory for a record of %zu bytes", record.n);
    mb_pattern_fill(job->seed, 0, record.bytes, record.n);
    int fd = mb_file_open(job, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, false, err);
    int result = fd < 0 ? -1 : append_records(job, fd, &record, err);
    if (fd >= 0 && mb_file_close(job, fd, name, result == 0 ? err : NULL) != 0)
        result = -1;
    free(record.bytes);
    return result;
}

static int
validate(const uint64_t v[MB_PARAMS_MAX], struct mb_error *err)
{
    if (v[RECORD] > MB_TOTAL_MAX / v[COUNT])
        return mb_error_set(err, MB_ECONFIG, "record times count is more than 1 TiB");
    return 0;
}

static void
footprint(const uint64_t v[MB_PARAMS_MAX], struct mb_footprint *out)
{
    *out = (struct mb_footprint){
        .disk_bytes = v[RECORD] * v[COUNT],
        .files = 1,
        .io_bytes = v[RECORD] * v[COUNT],
        .ops = 2 * v[COUNT],
    };
}

const struct mb_workload mb_workload_commit = {
    .name = "commit",
    .does =
        "Appends a record to a file and calls fdatasync, one commit after the other, as a database's log does: commits a second, "
        "and the latency of each.",
    .hides = "One committer: databases that gather several clients' commits in one fdatasync do better. It shows when the mount "
             "says that data are safe, not whether they are: a virtual disk or a shared folder may answer before its host's disk "
             "does. The file grows, so the filesystem's own journal is part of each commit.",
    .measure = MB_MEASURE_OPS_PER_SECOND,
    .unit = "commit",
    .params = params,
    .validate = validate,
    .footprint = footprint,
    .run = run,
};
