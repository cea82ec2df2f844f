/*
 * seq_write.c: write files from beginning to end.
 *
 * With source zero, no sync and one file a trial makes the system calls of `dd if=/dev/zero of=FILE bs=BLOCK`: open /dev/zero,
 * open the file, a read and a write a block, close both.  The clock runs as dd's own does: from the first read, both files
 * being open, to the last close.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe/await.h"
#include "probe/file.h"
#include "probe/pattern.h"
#include "probe/workloads.h"

enum { BLOCK, TOTAL, FILES, SOURCE, SYNC, DIRECT };
enum { SOURCE_ZERO, SOURCE_RANDOM, SOURCE_ALNUM };

static const char *const sources[] = {"zero", "random", "alnum", NULL};
static const char *const syncs[] = MB_SYNC_CHOICES;

static const struct mb_param params[] = {
    {.name = "block", .type = MB_PARAM_SIZE, .fallback = "1MiB", .min = 1, .max = MB_BLOCK_MAX, .help = "bytes a write"},
    {.name = "total",
     .type = MB_PARAM_SIZE,
     .fallback = "100MiB",
     .min = 1,
     .max = MB_TOTAL_MAX,
     .help = "bytes a trial, over all files",
     .scales = true},
    {.name = "files",
     .type = MB_PARAM_COUNT,
     .fallback = "1",
     .min = 1,
     .max = 100000,
     .help = "files that share the total evenly"},
    {.name = "source",
     .type = MB_PARAM_CHOICE,
     .fallback = "zero",
     .choices = sources,
     .help = "content: read from /dev/zero a block at a time; or one block of random bytes, or of letters and digits, made before "
             "the clock starts"},
    {.name = "sync",
     .type = MB_PARAM_CHOICE,
     .fallback = "none",
     .choices = syncs,
     .help = "fdatasync or fsync each file before it is closed, or open with O_DSYNC"},
    {.name = "direct", .type = MB_PARAM_BOOL, .fallback = "false", .help = "open with O_DIRECT, past the page cache"},
    {0},
};

/* What one trial goes through. */
struct writer {
    struct mb_job *job;
    char name[MB_JOB_NAME_MAX + 16];
    int fd, zero; /* -1: not open */
    char *block;
    uint64_t per_file;
};

static int
open_next(struct writer *w, uint64_t i, struct mb_error *err)
{
    const uint64_t *v = w->job->values;

    snprintf(w->name, sizeof w->name, "%s/%llu", w->job->work, (unsigned long long)i);
    int flags = O_WRONLY | O_CREAT | O_TRUNC | (v[SYNC] == MB_SYNC_DSYNC ? O_DSYNC : 0);
    w->fd = mb_file_open(w->job, w->name, flags, v[DIRECT], err);
    return w->fd < 0 ? -1 : 0;
}

static int
write_blocks(struct writer *w, struct mb_error *err)
{
    size_t block = (size_t)w->job->values[BLOCK];
    int fd = w->fd, zero = w->zero;
    char *bytes = w->block;

    for (uint64_t offset = 0; offset < w->per_file;) {
        uint64_t left = w->per_file - offset;
        size_t n = left < block ? (size_t)left : block;
        if (zero >= 0 && read(zero, bytes, n) != (ssize_t)n)
            return mb_error_errno(err, MB_EIO, errno, "/dev/zero: cannot read a block");
        ssize_t done = write(fd, bytes, n);
        if (done != (ssize_t)n) {
            struct mb_piece piece = {.name = w->name, .offset = offset, .bytes = bytes, .n = n};
            if (mb_file_finish_write(w->job, fd, &piece, done, err) != 0)
                return -1;
        }
        offset += n;
    }
    return 0;
}

/* Write and close the file that is open; after the last, close /dev/zero first, as dd does. */
static int
write_file(struct writer *w, bool last, struct mb_error *err)
{
    if (write_blocks(w, err) != 0 || mb_file_sync(w->job, w->fd, w->name, w->job->values[SYNC], err) != 0)
        return -1;
    if (last && w->zero >= 0) {
        close(w->zero);
        w->zero = -1;
    }
    int fd = w->fd;
    w->fd = -1;
    return mb_file_close(w->job, fd, w->name, err);
}

static int
write_files(struct writer *w, struct mb_error *err)
{
    uint64_t files = w->job->values[FILES];

    for (uint64_t i = 0; i < files; i++) {
        if (i > 0 && open_next(w, i, err) != 0)
            return -1;
        if (i == 0)
            mb_job_start(w->job);
        if (write_file(w, i == files - 1, err) != 0)
            return -1;
    }
    return 0;
}

/* The block that is written over and over; malloc'd. */
static char *
make_block(const struct mb_job *job, struct mb_error *err)
{
    size_t n = (size_t)job->values[BLOCK];
    char *block = mb_job_buffer(n);

    if (block == NULL)
        mb_error_set(err, MB_EIO, "no memory for a block of %zu bytes", n);
    else if (job->values[SOURCE] == SOURCE_RANDOM)
        mb_pattern_fill(job->seed, 0, block, n);
    else if (job->values[SOURCE] == SOURCE_ALNUM)
        mb_pattern_alnum(job->seed, block, n);
    return block;
}

static int
run(struct mb_job *job, struct mb_error *err)
{
    struct writer w = {.job = job, .fd = -1, .zero = -1, .per_file = job->values[TOTAL] / job->values[FILES]};
    int result = -1;

    w.block = make_block(job, err);
    if (w.block == NULL)
        return -1;
    if (job->values[SOURCE] == SOURCE_ZERO)
        w.zero = open("/dev/zero", O_RDONLY);
    if (job->values[SOURCE] == SOURCE_ZERO && w.zero < 0)
        mb_error_errno(err, MB_EIO, errno, "/dev/zero");
    else if (open_next(&w, 0, err) == 0)
        result = write_files(&w, err);
    if (w.zero >= 0)
        close(w.zero);
    if (w.fd >= 0)
        close(w.fd);
    mb_job_stop(job);
    free(w.block);
    job->bytes = job->values[TOTAL];
    job->ops = (w.per_file + job->values[BLOCK] - 1) / job->values[BLOCK] * job->values[FILES];
    return result;
}

static int
leaves(struct mb_job *job, struct mb_leavings *out, struct mb_error *err)
{
    *out = (struct mb_leavings){.files = job->values[FILES],
                                .size_bytes = job->values[TOTAL] / job->values[FILES],
                                .block = make_block(job, err),
                                .block_bytes = (size_t)job->values[BLOCK]};
    return out->block != NULL ? 0 : -1;
}

static int
validate(const uint64_t v[MB_PARAMS_MAX], struct mb_error *err)
{
    uint64_t per_file = v[TOTAL] / v[FILES];

    if (v[TOTAL] % v[FILES] != 0)
        return mb_error_set(err, MB_ECONFIG, "total (%llu bytes) cannot be split evenly over %llu files",
                            (unsigned long long)v[TOTAL], (unsigned long long)v[FILES]);
    if (v[BLOCK] > per_file)
        return mb_error_set(err, MB_ECONFIG, "block (%llu bytes) is larger than a file (%llu bytes)", (unsigned long long)v[BLOCK],
                            (unsigned long long)per_file);
    if (v[DIRECT])
        return mb_check_direct(v[BLOCK], per_file, err);
    return 0;
}

static void
footprint(const uint64_t v[MB_PARAMS_MAX], struct mb_footprint *out)
{
    uint64_t writes = (v[TOTAL] + v[BLOCK] - 1) / v[BLOCK];

    *out = (struct mb_footprint){
        .disk_bytes = v[TOTAL],
        .files = v[FILES],
        .io_bytes = v[TOTAL],
        .ops = (v[SOURCE] == SOURCE_ZERO ? 2 : 1) * writes + 2 * v[FILES],
    };
}

const struct mb_workload mb_workload_seq_write = {
    .name = "seq-write",
    .does =
        "Writes new files from beginning to end, a block at a time. With source zero, sync none and one file it makes the "
        "system calls of `dd if=/dev/zero of=FILE bs=BLOCK`, a read and a write a block, timed as dd times itself: from the first "
        "read to the last close.",
    .hides = "With sync none most of the data may still be in a page cache when the clock stops, the container's or, behind a "
             "shared mount, the host's: small blocks then show the cost of a call, large ones that of copying memory, and neither "
             "the disk. Even fdatasync ends where a virtual disk or a file server says that it does. Zeros flatter whatever "
             "compresses or leaves holes.",
    .measure = MB_MEASURE_BYTES_PER_SECOND,
    .unit = "write",
    .params = params,
    .validate = validate,
    .footprint = footprint,
    .run = run,
    .leaves = leaves,
};
