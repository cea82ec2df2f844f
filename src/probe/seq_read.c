/*
 * seq_read.c: read a file from beginning to end.
 *
 * Content is checked twice, so that the figure is that of reading: within the timed span one word a block, which costs a few
 * nanoseconds and tells the right block of the right file from any other; after it, in a second pass, every byte.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/file.h"
#include "probe/pattern.h"
#include "probe/workloads.h"

enum { BLOCK, TOTAL, CACHE, DIRECT };

#define NAME MB_JOB_DATA "/file"

static const char *const caches[] = MB_CACHE_CHOICES;

static const struct mb_param params[] = {
    {.name = "block", .type = MB_PARAM_SIZE, .fallback = "1MiB", .min = 16, .max = MB_BLOCK_MAX, .help = "bytes a read"},
    {.name = "total",
     .type = MB_PARAM_SIZE,
     .fallback = "100MiB",
     .min = 16,
     .max = MB_TOTAL_MAX,
     .help = "bytes of the file",
     .scales = true},
    {.name = "cache",
     .type = MB_PARAM_CHOICE,
     .fallback = "warm",
     .choices = caches,
     .help = "before a trial: read the file into the page cache, or drop it from there; with direct it is always dropped"},
    {.name = "direct", .type = MB_PARAM_BOOL, .fallback = "false", .help = "open with O_DIRECT, past the page cache"},
    {0},
};

static int
prepare(struct mb_job *job, struct mb_error *err)
{
    return mb_file_lay_out(job, NAME, job->values[TOTAL], err);
}

/* See whether the first whole word of the ${n} bytes read at ${offset} is the one that was written there. */
static inline bool
first_word_is_right(uint64_t seed, uint64_t offset, const char *bytes, size_t n)
{
    uint64_t skip = (8 - offset % 8) % 8;
    uint64_t word;

    if (skip + 8 > n)
        return true;
    memcpy(&word, bytes + skip, 8);
    return word == mb_pattern_word(seed, (offset + skip) / 8);
}

/* Name the wrong byte in that word. */
static int
wrong_word(struct mb_job *job, uint64_t offset, char *bytes, struct mb_error *err)
{
    size_t skip = (size_t)((8 - offset % 8) % 8);
    struct mb_piece word = {.name = NAME, .offset = offset + skip, .bytes = bytes + skip, .n = 8};

    return mb_file_wrong(job, &word, err);
}

static int
read_blocks(struct mb_job *job, int fd, char *bytes, struct mb_error *err)
{
    uint64_t total = job->values[TOTAL], seed = job->data_seed;
    size_t block = (size_t)job->values[BLOCK];

    mb_job_start(job);
    for (uint64_t offset = 0; offset < total;) {
        size_t n = total - offset < block ? (size_t)(total - offset) : block;
        ssize_t done = read(fd, bytes, n);
        if (done <= 0) {
            struct mb_piece piece = {.name = NAME, .offset = offset, .n = n};
            return mb_file_short_read(job, &piece, done, err);
        }
        if (!first_word_is_right(seed, offset, bytes, (size_t)done))
            return wrong_word(job, offset, bytes, err);
        offset += (size_t)done;
        job->ops++;
    }
    mb_job_stop(job);
    job->bytes = total;
    return 0;
}

static int
run(struct mb_job *job, struct mb_error *err)
{
    const uint64_t *v = job->values;
    struct mb_piece whole = {.name = NAME, .n = (size_t)v[TOTAL]};
    int fd = mb_file_open(job, NAME, O_RDONLY, v[DIRECT], err);
    char *bytes = mb_job_buffer((size_t)v[BLOCK]);
    int result = -1;

    if (bytes == NULL)
        mb_error_set(err, MB_EIO, "no memory for a block of %llu bytes", (unsigned long long)v[BLOCK]);
    else if (fd >= 0 && mb_file_set_cache(job, fd, &whole, v[DIRECT] || v[CACHE] == MB_CACHE_COLD, err) == 0)
        result = read_blocks(job, fd, bytes, err);
    if (fd >= 0)
        close(fd);
    free(bytes);
    return result == 0 ? mb_file_check(job, NAME, v[TOTAL], err) : -1;
}

static int
validate(const uint64_t v[MB_PARAMS_MAX], struct mb_error *err)
{
    if (v[BLOCK] > v[TOTAL])
        return mb_error_set(err, MB_ECONFIG, "block (%llu bytes) is larger than total (%llu bytes)", (unsigned long long)v[BLOCK],
                            (unsigned long long)v[TOTAL]);
    return v[DIRECT] ? mb_check_direct(v[BLOCK], v[TOTAL], err) : 0;
}

static void
footprint(const uint64_t v[MB_PARAMS_MAX], struct mb_footprint *out)
{
    *out = (struct mb_footprint){
        .disk_bytes = v[TOTAL],
        .files = 2,
        .io_bytes = v[TOTAL] * (v[CACHE] == MB_CACHE_WARM && !v[DIRECT] ? 3 : 2),
        .ops = (v[TOTAL] + v[BLOCK] - 1) / v[BLOCK],
    };
}

const struct mb_workload mb_workload_seq_read = {
    .name = "seq-read",
    .does =
        "Reads one file from beginning to end, a block at a time; the file is laid out once with pseudo-random bytes. One word a "
        "block is checked while the clock runs, and every byte in a second pass after it. With cache cold the file is written "
        "out and dropped (posix_fadvise) first, with cache warm read once; the metric resident_percent says how much of it "
        "the page cache then held.",
    .hides =
        "A container can drop only its own kernel's page cache: the host's behind a shared mount, a file server's and the "
        "disk's stay as they are, so that cold may still be warm one floor below. Warm reads of an ordinary filesystem show the "
        "copying of memory, not the disk.",
    .measure = MB_MEASURE_BYTES_PER_SECOND,
    .unit = "read",
    .params = params,
    .needs_prepare = true,
    .validate = validate,
    .footprint = footprint,
    .prepare = prepare,
    .run = run,
};
