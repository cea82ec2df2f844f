/*
 * rand.c: rand-read and rand-write, one pread or pwrite at a time at pseudo-random offsets of one file.
 *
 * Offsets are multiples of the block, uniform over the span and drawn with repetition, from the seed alone.  Between two writes
 * the clock is read once; between two reads twice, since what was read is checked, every byte, while the clock stands.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "probe/file.h"
#include "probe/linux.h"
#include "probe/pattern.h"
#include "probe/workloads.h"

/* The last is cache when reading, sync when writing. */
enum { BLOCK, SPAN, COUNT, TIME, DIRECT, CACHE, SYNC = CACHE };

#define NAME MB_JOB_DATA "/file"
#define BLOCK_MIN 512

static const char *const caches[] = MB_CACHE_CHOICES;
static const char *const syncs[] = MB_SYNC_CHOICES;

#define COMMON_PARAMS                                                                                                              \
    {.name = "block",                                                                                                              \
     .type = MB_PARAM_SIZE,                                                                                                        \
     .fallback = "4KiB",                                                                                                           \
     .min = BLOCK_MIN,                                                                                                             \
     .max = MB_BLOCK_MAX,                                                                                                          \
     .help = "bytes an operation"},                                                                                                \
        {.name = "span",                                                                                                           \
         .type = MB_PARAM_SIZE,                                                                                                    \
         .fallback = "64MiB",                                                                                                      \
         .min = BLOCK_MIN,                                                                                                         \
         .max = MB_TOTAL_MAX,                                                                                                      \
         .help = "bytes of the file",                                                                                              \
         .scales = true},                                                                                                          \
        {.name = "count",                                                                                                          \
         .type = MB_PARAM_COUNT,                                                                                                   \
         .fallback = "10000",                                                                                                      \
         .min = 1,                                                                                                                 \
         .max = 1000000000,                                                                                                        \
         .help = "operations a trial; of no account where time is given"},                                                         \
        {.name = "time",                                                                                                           \
         .type = MB_PARAM_DURATION,                                                                                                \
         .fallback = "0s",                                                                                                         \
         .max = UINT64_C(3600000000000),                                                                                           \
         .help = "how long a trial goes on; 0s: until count is reached"},                                                          \
    {                                                                                                                              \
        .name = "direct", .type = MB_PARAM_BOOL, .fallback = "false", .help = "open with O_DIRECT, past the page cache"            \
    }

static const struct mb_param read_params[] = {
    COMMON_PARAMS,
    {.name = "cache",
     .type = MB_PARAM_CHOICE,
     .fallback = "warm",
     .choices = caches,
     .help = "before a trial: read the file into the page cache, or drop it from there; with direct it is always dropped"},
    {0},
};

static const struct mb_param write_params[] = {
    COMMON_PARAMS,
    {.name = "sync",
     .type = MB_PARAM_CHOICE,
     .fallback = "none",
     .choices = syncs,
     .help = "fdatasync or fsync once at the end, within the time; or O_DSYNC, each write on its own"},
    {0},
};

/* What the loops need, out of the parameters. */
struct plan {
    size_t block;
    uint64_t blocks, count, time_ns;
};

static struct plan
make_plan(const struct mb_job *job)
{
    const uint64_t *v = job->values;

    return (struct plan){
        .block = (size_t)v[BLOCK],
        .blocks = v[SPAN] / v[BLOCK],
        .count = v[TIME] ? UINT64_MAX : v[COUNT],
        .time_ns = v[TIME] ? v[TIME] : UINT64_MAX,
    };
}

static int
prepare(struct mb_job *job, struct mb_error *err)
{
    return mb_file_lay_out(job, NAME, job->values[SPAN], err);
}

static int
read_blocks(struct mb_job *job, int fd, char *bytes, struct mb_error *err)
{
    struct plan plan = make_plan(job);
    struct mb_piece piece = {.name = NAME, .bytes = bytes, .n = plan.block};
    uint64_t busy = 0, i;

    mb_job_start(job);
    for (i = 0; i < plan.count && busy < plan.time_ns; i++) {
        piece.offset = mb_pattern_below(job->seed, i, plan.blocks) * plan.block;
        uint64_t start = mb_now_ns();
        ssize_t done = pread(fd, bytes, plan.block, (off_t)piece.offset);
        uint64_t took = mb_now_ns() - start;
        if (done != (ssize_t)plan.block)
            return mb_file_short_read(job, &piece, done, err);
        mb_histogram_add(&job->latency, took);
        busy += took;
        if (mb_file_wrong(job, &piece, err) != 0)
            return -1;
    }
    mb_job_stop_busy(job, busy);
    job->ops = i;
    return 0;
}

static int
write_blocks(struct mb_job *job, int fd, char *bytes, struct mb_error *err)
{
    struct plan plan = make_plan(job);
    uint64_t start, now, last, i;

    mb_pattern_fill(job->seed, 0, bytes, plan.block);
    mb_job_start(job);
    start = last = mb_now_ns();
    for (i = 0; i < plan.count && last - start < plan.time_ns; i++) {
        uint64_t offset = mb_pattern_below(job->seed, i, plan.blocks) * plan.block;
        memcpy(bytes, &i, sizeof i); /* no two writes alike, lest something below keep only one */
        ssize_t done = pwrite(fd, bytes, plan.block, (off_t)offset);
        if (done != (ssize_t)plan.block) {
            struct mb_piece piece = {.name = NAME, .offset = offset, .bytes = bytes, .n = plan.block};
            if (done >= 0 && lseek(fd, (off_t)offset + done, SEEK_SET) < 0)
                return mb_job_fail_at(job, err, 0, NAME, "cannot seek", offset);
            if (mb_file_finish_write(job, fd, &piece, done, err) != 0)
                return -1;
        }
        now = mb_now_ns();
        mb_histogram_add(&job->latency, now - last);
        last = now;
    }
    if (mb_file_sync(job, fd, NAME, job->values[SYNC], err) != 0)
        return -1;
    mb_job_stop(job);
    job->ops = i;
    /* The next trial, perhaps of another cell, shall not pay for writing this one out. */
    return mb_file_sync(job, fd, NAME, MB_SYNC_FDATASYNC, err);
}

static int
run_read(struct mb_job *job, struct mb_error *err)
{
    const uint64_t *v = job->values;
    struct mb_piece whole = {.name = NAME, .n = (size_t)v[SPAN]};
    int fd = mb_file_open(job, NAME, O_RDONLY, v[DIRECT], err);
    char *bytes = mb_job_buffer((size_t)v[BLOCK]);
    int result = -1;

    if (bytes == NULL)
        mb_error_set(err, MB_EIO, "no memory for a block of %llu bytes", (unsigned long long)v[BLOCK]);
    else if (fd >= 0 && mb_file_set_cache(job, fd, &whole, v[DIRECT] || v[CACHE] == MB_CACHE_COLD, err) == 0)
        result = read_blocks(job, fd, bytes, err);
    job->bytes = job->ops * v[BLOCK];
    if (fd >= 0)
        close(fd);
    free(bytes);
    return result;
}

static int
run_write(struct mb_job *job, struct mb_error *err)
{
    const uint64_t *v = job->values;
    int fd = mb_file_open(job, NAME, O_WRONLY | (v[SYNC] == MB_SYNC_DSYNC ? O_DSYNC : 0), v[DIRECT], err);
    char *bytes = mb_job_buffer((size_t)v[BLOCK]);
    int result = -1;

    if (bytes == NULL)
        mb_error_set(err, MB_EIO, "no memory for a block of %llu bytes", (unsigned long long)v[BLOCK]);
    else if (fd >= 0)
        result = write_blocks(job, fd, bytes, err);
    job->bytes = job->ops * v[BLOCK];
    if (fd >= 0 && mb_file_close(job, fd, NAME, result == 0 ? err : NULL) != 0)
        result = -1;
    free(bytes);
    return result;
}

static int
validate(const uint64_t v[MB_PARAMS_MAX], struct mb_error *err)
{
    if (v[SPAN] % v[BLOCK] != 0)
        return mb_error_set(err, MB_ECONFIG, "span (%llu bytes) is not a multiple of block (%llu bytes)",
                            (unsigned long long)v[SPAN], (unsigned long long)v[BLOCK]);
    if (v[BLOCK] % 8 != 0)
        return mb_error_set(err, MB_ECONFIG, "block (%llu bytes) is not a multiple of 8", (unsigned long long)v[BLOCK]);
    return v[DIRECT] ? mb_check_direct(v[BLOCK], v[SPAN], err) : 0;
}

static void
footprint(const uint64_t v[MB_PARAMS_MAX], struct mb_footprint *out)
{
    *out = (struct mb_footprint){
        .disk_bytes = v[SPAN],
        .files = 2,
        .io_bytes = v[TIME] ? v[SPAN] : v[COUNT] * v[BLOCK],
        /* By time: as many as a quick page cache lets through. */
        .ops = v[TIME] ? v[TIME] / 2000 : v[COUNT],
    };
}

const struct mb_workload mb_workload_rand_read = {
    .name = "rand-read",
    .does = "Reads blocks at random, block-aligned offsets of one file, one pread at a time, as fio's psync engine does. The clock "
            "runs during the reads alone; between them every byte is checked. Latencies are those of single reads.",
    .hides = "One read at a time keeps no queue filled: what a device can do in parallel does not show. A span that fits the page "
             "cache, warm, shows memory; and cold empties only the container's own kernel's cache, not the host's.",
    .measure = MB_MEASURE_OPS_PER_SECOND,
    .unit = "read",
    .params = read_params,
    .needs_prepare = true,
    .validate = validate,
    .footprint = footprint,
    .prepare = prepare,
    .run = run_read,
};

const struct mb_workload mb_workload_rand_write = {
    .name = "rand-write",
    .does = "Overwrites blocks at random, block-aligned offsets of one file, one pwrite at a time, as fio's psync engine does. "
            "Latencies are those of single writes; an fdatasync or fsync at the end counts in the time, not in a latency.",
    .hides = "With sync none the writes end in a page cache, and the disk is busy with them after the clock has stopped. The file "
             "exists before, so that neither its growth nor the finding of free blocks shows.",
    .measure = MB_MEASURE_OPS_PER_SECOND,
    .unit = "write",
    .params = write_params,
    .needs_prepare = true,
    .validate = validate,
    .footprint = footprint,
    .prepare = prepare,
    .run = run_write,
};
