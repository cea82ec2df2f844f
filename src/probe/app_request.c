/*
 * app_request.c: what a web framework does for each request while one develops: look at and read all of its source files, and
 * write a cache entry by way of a temporary file.
 *
 * Files are named by absolute path, as a framework does it, so that every request also pays for the directories above.  What
 * was read is checked after each request, while the clock stands.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "probe/file.h"
#include "probe/pattern.h"
#include "probe/workloads.h"

enum { FILES, SIZE, REQUESTS, ENTRY };

/* All source files are held in memory at once, as the framework would. */
#define SOURCES_MAX (UINT64_C(64) << 20)
#define FILES_A_DIR 20

static const struct mb_param params[] = {
    {.name = "files", .type = MB_PARAM_COUNT, .fallback = "300", .min = 1, .max = 20000, .help = "source files"},
    {.name = "size", .type = MB_PARAM_SIZE, .fallback = "4KiB", .min = 1, .max = SOURCES_MAX, .help = "bytes of each"},
    {.name = "requests", .type = MB_PARAM_COUNT, .fallback = "20", .min = 1, .max = 1000000, .help = "requests a trial"},
    {.name = "entry", .type = MB_PARAM_SIZE, .fallback = "16KiB", .min = 1, .max = SOURCES_MAX, .help = "bytes of the cache entry"},
    {0},
};

struct app {
    struct mb_job *job;
    char *names; /* of the source files, NAME_MAX bytes each */
    size_t name_size;
    char *sources; /* what they hold; file i's at i * stride */
    size_t stride; /* size, up to a multiple of 8 */
    char *entry;   /* the cache entry's content */
    char temporary[PATH_MAX], final[PATH_MAX];
};

static char *
name_of(const struct app *app, uint64_t i)
{
    return app->names + i * app->name_size;
}

/* Messages put the cell's directory before a name, so they want the name without it. */
static const char *
relative(const struct app *app, const char *name)
{
    return name + strlen(app->job->dir) + 1;
}

static void
clear(struct app *app)
{
    free(app->names);
    free(app->sources);
    free(app->entry);
}

static int
set_up(struct app *app, struct mb_error *err)
{
    const struct mb_job *job = app->job;
    const uint64_t *v = job->values;

    app->stride = (size_t)(v[SIZE] + 7) / 8 * 8;
    app->name_size = strlen(job->dir) + sizeof "/" MB_JOB_DATA "/d0000/f00000";
    app->names = malloc(v[FILES] * app->name_size);
    app->sources = mb_job_buffer(v[FILES] * app->stride);
    app->entry = mb_job_buffer((size_t)v[ENTRY]);
    if (app->names == NULL || app->sources == NULL || app->entry == NULL)
        return mb_error_set(err, MB_EIO, "no memory for %llu files of %llu bytes", (unsigned long long)v[FILES],
                            (unsigned long long)v[SIZE]);
    for (uint64_t i = 0; i < v[FILES]; i++)
        snprintf(name_of(app, i), app->name_size, "%s/" MB_JOB_DATA "/d%04u/f%05u", job->dir, (unsigned)(i / FILES_A_DIR),
                 (unsigned)i);
    snprintf(app->temporary, sizeof app->temporary, "%s/%s/entry.tmp", job->dir, job->work);
    snprintf(app->final, sizeof app->final, "%s/%s/entry", job->dir, job->work);
    return 0;
}

/* Make the file ${name} of the ${n} bytes at ${bytes}. */
static int
write_file(struct app *app, const char *name, char *bytes, size_t n, struct mb_error *err)
{
    struct mb_piece piece = {.name = relative(app, name), .bytes = bytes, .n = n};
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0)
        return mb_job_fail(app->job, err, errno, piece.name, "cannot create");
    if (mb_file_write(app->job, fd, &piece, err) != 0) {
        close(fd);
        return -1;
    }
    return mb_file_close(app->job, fd, piece.name, err);
}

static int
lay_out(struct app *app, struct mb_error *err)
{
    const uint64_t *v = app->job->values;

    mb_pattern_fill(app->job->data_seed, 0, app->sources, v[FILES] * app->stride);
    for (uint64_t i = 0; i < v[FILES]; i++) {
        char *name = name_of(app, i);
        if (i % FILES_A_DIR == 0) {
            char *slash = strrchr(name, '/');
            *slash = '\0';
            if (mkdir(name, 0777) != 0)
                return mb_job_fail(app->job, err, errno, relative(app, name), "cannot make the directory");
            *slash = '/';
        }
        if (write_file(app, name, app->sources + i * app->stride, (size_t)v[SIZE], err) != 0)
            return -1;
    }
    return 0;
}

static int
prepare(struct mb_job *job, struct mb_error *err)
{
    struct app app = {.job = job};

    int result = set_up(&app, err) != 0 ? -1 : lay_out(&app, err);
    clear(&app);
    return result;
}

static int
read_source(struct app *app, uint64_t i, struct mb_error *err)
{
    const char *name = name_of(app, i);
    struct mb_piece piece = {.name = relative(app, name), .n = (size_t)app->job->values[SIZE]};
    struct stat st;

    if (stat(name, &st) != 0)
        return mb_job_fail(app->job, err, errno, piece.name, "cannot stat");
    int fd = open(name, O_RDONLY);
    if (fd < 0)
        return mb_job_fail(app->job, err, errno, piece.name, "cannot open");
    ssize_t done = read(fd, app->sources + i * app->stride, piece.n);
    int result = done == (ssize_t)piece.n ? 0 : mb_file_short_read(app->job, &piece, done, err);
    close(fd);
    return result;
}

static int
request(struct app *app, struct mb_error *err)
{
    for (uint64_t i = 0; i < app->job->values[FILES]; i++) {
        if (read_source(app, i, err) != 0)
            return -1;
    }
    if (write_file(app, app->temporary, app->entry, (size_t)app->job->values[ENTRY], err) != 0)
        return -1;
    if (rename(app->temporary, app->final) != 0)
        return mb_job_fail(app->job, err, errno, relative(app, app->temporary), "cannot rename");
    return 0;
}

/* Compare all that a request read with what was laid out, and wipe it, so that the next cannot pass on what this one read. */
static int
check(struct app *app, struct mb_error *err)
{
    const uint64_t *v = app->job->values;

    for (uint64_t i = 0; i < v[FILES]; i++) {
        unsigned char *bytes = (unsigned char *)app->sources + i * app->stride;
        size_t at = mb_pattern_check(app->job->data_seed, i * app->stride, bytes, (size_t)v[SIZE]);
        if (at < v[SIZE]) {
            unsigned char word[8];
            mb_pattern_fill(app->job->data_seed, i * app->stride + at / 8 * 8, word, sizeof word);
            return mb_job_wrong_byte(app->job, err, relative(app, name_of(app, i)), at,
                                     (unsigned char[2]){bytes[at], word[at % 8]});
        }
        memset(bytes, 0, (size_t)v[SIZE]);
    }
    return 0;
}

static int
run_requests(struct app *app, struct mb_error *err)
{
    struct mb_job *job = app->job;
    const uint64_t *v = job->values;
    uint64_t busy = 0;

    mb_pattern_fill(job->seed, 0, app->entry, (size_t)v[ENTRY]);
    mb_job_start(job);
    for (uint64_t i = 0; i < v[REQUESTS]; i++) {
        uint64_t start = mb_now_ns();
        if (request(app, err) != 0)
            return -1;
        uint64_t took = mb_now_ns() - start;
        mb_histogram_add(&job->latency, took);
        busy += took;
        if (check(app, err) != 0)
            return -1;
    }
    mb_job_stop_busy(job, busy);
    job->ops = v[REQUESTS];
    job->bytes = v[REQUESTS] * (v[FILES] * v[SIZE] + v[ENTRY]);
    return 0;
}

static int
run(struct mb_job *job, struct mb_error *err)
{
    struct app app = {.job = job};

    int result = set_up(&app, err) != 0 ? -1 : run_requests(&app, err);
    clear(&app);
    return result;
}

static int
validate(const uint64_t v[MB_PARAMS_MAX], struct mb_error *err)
{
    if (v[SIZE] > SOURCES_MAX / v[FILES])
        return mb_error_set(err, MB_ECONFIG, "files times size is more than 64 MiB");
    return 0;
}

static void
footprint(const uint64_t v[MB_PARAMS_MAX], struct mb_footprint *out)
{
    uint64_t dirs = (v[FILES] + FILES_A_DIR - 1) / FILES_A_DIR;

    *out = (struct mb_footprint){
        .disk_bytes = v[FILES] * ((v[SIZE] + 4095) / 4096 * 4096) + dirs * 4096 + 2 * v[ENTRY],
        .files = v[FILES] + dirs + 2,
        .io_bytes = v[REQUESTS] * (v[FILES] * v[SIZE] + v[ENTRY]),
        .ops = v[REQUESTS] * (4 * v[FILES] + 4),
    };
}

const struct mb_workload mb_workload_app_request = {
    .name = "app-request",
    .does = "Serves requests as a web framework in development mode does: for each it stats, opens and reads all source files by "
            "absolute path, then writes a cache entry to a temporary file and renames it into place. Requests a second, and the "
            "latency "
            "of each. What was read is checked between requests, while the clock stands.",
    .hides =
        "No code runs and no database is asked: a real request takes longer, and the mount is a smaller part of it. Opcode caches "
        "that look at files only now and then skip much of this. After the first request all sources are as warm as the mount's "
        "caching lets them be.",
    .measure = MB_MEASURE_OPS_PER_SECOND,
    .unit = "request",
    .params = params,
    .needs_prepare = true,
    .validate = validate,
    .footprint = footprint,
    .prepare = prepare,
    .run = run,
};
