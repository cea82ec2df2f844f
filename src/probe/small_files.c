/*
 * small_files.c: create, stat, read, list, rename and delete a tree of many small files, phase by phase.
 *
 * Directory d is WORK/dNNNN/s/s..., `depth` levels; file i of the tree is fNNNNNNN in its directory, gNNNNNNN once renamed.  The
 * files are dealt out in runs, as even as it goes.  Names are written digit by digit into one buffer, since printf would show in
 * the figures; file i's content is a slice of one pseudo-random buffer, so that checking it is one comparison.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "probe/file.h"
#include "probe/pattern.h"
#include "probe/workloads.h"

enum { FILES, SIZE, DIRS, DEPTH };

#define DEPTH_MAX 16
#define SIZE_MAX_BYTES (UINT64_C(16) << 20)
/* How many files differ in content before it comes again. */
#define SLICES ((size_t)1024)
#define FILE_DIGITS 7

static const struct mb_param params[] = {
    {.name = "files", .type = MB_PARAM_COUNT, .fallback = "1000", .min = 1, .max = 1000000, .help = "files in the tree"},
    {.name = "size", .type = MB_PARAM_SIZE, .fallback = "1KiB", .min = 1, .max = SIZE_MAX_BYTES, .help = "bytes of each"},
    {.name = "dirs", .type = MB_PARAM_COUNT, .fallback = "20", .min = 1, .max = 9999, .help = "directories they are dealt out to"},
    {.name = "depth", .type = MB_PARAM_COUNT, .fallback = "2", .min = 1, .max = DEPTH_MAX, .help = "levels down to each directory"},
    {0},
};

struct tree {
    struct mb_job *job;
    char path[MB_JOB_NAME_MAX + 8 + 2 * DEPTH_MAX + FILE_DIGITS + 2];
    size_t dir_len;      /* of path's directory part, without the slash */
    size_t file_at;      /* where the file's letter stands */
    const char *content; /* SIZE + SLICES * 8 bytes */
    char *bytes;         /* SIZE, to read into */
};

typedef int file_fn(struct tree *tree, uint64_t i, struct mb_error *err);

static const char *
content_of(const struct tree *tree, uint64_t i)
{
    return tree->content + i % SLICES * 8;
}

static void
name_dir(struct tree *tree, uint64_t dir, uint64_t depth)
{
    int n = snprintf(tree->path, sizeof tree->path, "%s/d%04llu", tree->job->work, (unsigned long long)dir);

    for (uint64_t level = 1; level < depth; level++)
        n += snprintf(tree->path + n, sizeof tree->path - (size_t)n, "/s");
    tree->dir_len = (size_t)n;
}

static void
name_file(struct tree *tree, char letter, uint64_t i)
{
    char *to = tree->path + tree->dir_len;

    *to++ = '/';
    *to++ = letter;
    to[FILE_DIGITS] = '\0';
    for (int digit = FILE_DIGITS - 1; digit >= 0; digit--, i /= 10)
        to[digit] = (char)('0' + i % 10);
}

static int
fail(struct tree *tree, struct mb_error *err, const char *what)
{
    return mb_job_fail(tree->job, err, errno, tree->path, what);
}

/* Call ${fn} for every file, its path named with ${letter}, directory by directory. */
static int
each_file(struct tree *tree, char letter, file_fn *fn, struct mb_error *err)
{
    const uint64_t *v = tree->job->values;

    for (uint64_t dir = 0; dir < v[DIRS]; dir++) {
        name_dir(tree, dir, v[DEPTH]);
        uint64_t end = (dir + 1) * v[FILES] / v[DIRS];
        for (uint64_t i = dir * v[FILES] / v[DIRS]; i < end; i++) {
            name_file(tree, letter, i);
            if (fn(tree, i, err) != 0)
                return -1;
        }
    }
    return 0;
}

static int
create_file(struct tree *tree, uint64_t i, struct mb_error *err)
{
    size_t size = (size_t)tree->job->values[SIZE];
    int fd = open(tree->path, O_WRONLY | O_CREAT | O_EXCL, 0666);

    if (fd < 0)
        return fail(tree, err, "cannot create");
    ssize_t done = write(fd, content_of(tree, i), size);
    int result = 0;
    if (done != (ssize_t)size) {
        memcpy(tree->bytes, content_of(tree, i), size);
        struct mb_piece piece = {.name = tree->path, .bytes = tree->bytes, .n = size};
        result = mb_file_finish_write(tree->job, fd, &piece, done, err);
    }
    if (close(fd) != 0 && result == 0)
        return fail(tree, err, "close");
    return result;
}

static int
create_all(struct tree *tree, struct mb_error *err)
{
    for (uint64_t dir = 0; dir < tree->job->values[DIRS]; dir++) {
        for (uint64_t depth = 1; depth <= tree->job->values[DEPTH]; depth++) {
            name_dir(tree, dir, depth);
            if (mkdir(tree->path, 0777) != 0)
                return fail(tree, err, "cannot make the directory");
        }
    }
    return each_file(tree, 'f', create_file, err);
}

static int
stat_file(struct tree *tree, uint64_t i, struct mb_error *err)
{
    struct stat st;

    (void)i;
    if (lstat(tree->path, &st) != 0)
        return fail(tree, err, "cannot stat");
    if ((uint64_t)st.st_size != tree->job->values[SIZE])
        return mb_error_set(err, MB_EIO, "%s/%s: wrong size: expected %llu bytes, got %lld", tree->job->dir, tree->path,
                            (unsigned long long)tree->job->values[SIZE], (long long)st.st_size);
    return 0;
}

static int
stat_all(struct tree *tree, struct mb_error *err)
{
    return each_file(tree, 'f', stat_file, err);
}

static int
read_file(struct tree *tree, uint64_t i, struct mb_error *err)
{
    size_t size = (size_t)tree->job->values[SIZE];
    struct mb_piece piece = {.name = tree->path, .n = size};
    int fd = open(tree->path, O_RDONLY);

    if (fd < 0)
        return fail(tree, err, "cannot open");
    ssize_t done = read(fd, tree->bytes, size);
    int result = done == (ssize_t)size ? 0 : mb_file_short_read(tree->job, &piece, done, err);
    close(fd);
    const unsigned char *expected = (const unsigned char *)content_of(tree, i);
    size_t at = result == 0 ? mb_pattern_differs(tree->bytes, expected, size) : size;
    if (at < size)
        return mb_job_wrong_byte(tree->job, err, tree->path, at, (unsigned char[2]){(unsigned char)tree->bytes[at], expected[at]});
    return result;
}

static int
read_all(struct tree *tree, struct mb_error *err)
{
    return each_file(tree, 'f', read_file, err);
}

static int
list_dir(struct tree *tree, uint64_t *entries, struct mb_error *err)
{
    DIR *stream = opendir(tree->path);
    struct dirent *entry;

    if (stream == NULL)
        return fail(tree, err, "cannot list");
    errno = 0;
    while ((entry = readdir(stream)) != NULL)
        *entries += entry->d_name[0] == 'f';
    int result = errno ? fail(tree, err, "cannot list") : 0;
    closedir(stream);
    return result;
}

static int
list_all(struct tree *tree, struct mb_error *err)
{
    const uint64_t *v = tree->job->values;

    for (uint64_t dir = 0; dir < v[DIRS]; dir++) {
        uint64_t entries = 0, expected = (dir + 1) * v[FILES] / v[DIRS] - dir * v[FILES] / v[DIRS];
        for (uint64_t depth = 1; depth <= v[DEPTH]; depth++) {
            name_dir(tree, dir, depth);
            if (list_dir(tree, &entries, err) != 0)
                return -1;
        }
        if (entries != expected)
            return mb_error_set(err, MB_EIO, "%s/%s: the listing has %llu files, %llu were created", tree->job->dir, tree->path,
                                (unsigned long long)entries, (unsigned long long)expected);
    }
    return 0;
}

static int
rename_file(struct tree *tree, uint64_t i, struct mb_error *err)
{
    char to[sizeof tree->path];

    (void)i;
    memcpy(to, tree->path, sizeof to);
    to[tree->dir_len + 1] = 'g';
    return rename(tree->path, to) == 0 ? 0 : fail(tree, err, "cannot rename");
}

static int
rename_all(struct tree *tree, struct mb_error *err)
{
    return each_file(tree, 'f', rename_file, err);
}

static int
delete_file(struct tree *tree, uint64_t i, struct mb_error *err)
{
    (void)i;
    return unlink(tree->path) == 0 ? 0 : fail(tree, err, "cannot delete");
}

static int
delete_all(struct tree *tree, struct mb_error *err)
{
    if (each_file(tree, 'g', delete_file, err) != 0)
        return -1;
    for (uint64_t dir = 0; dir < tree->job->values[DIRS]; dir++) {
        for (uint64_t depth = tree->job->values[DEPTH]; depth > 0; depth--) {
            name_dir(tree, dir, depth);
            if (rmdir(tree->path) != 0)
                return fail(tree, err, "cannot remove the directory");
        }
    }
    return 0;
}

static const struct {
    const char *metric;
    int (*all)(struct tree *tree, struct mb_error *err);
} phases[] = {
    {"create_ns", create_all}, {"stat_ns", stat_all},     {"read_ns", read_all},
    {"list_ns", list_all},     {"rename_ns", rename_all}, {"delete_ns", delete_all},
};
#define PHASES (sizeof phases / sizeof *phases)

static int
run_phases(struct tree *tree, struct mb_error *err)
{
    struct mb_job *job = tree->job;
    uint64_t took[PHASES];

    mb_job_start(job);
    uint64_t last = mb_now_ns();
    for (size_t i = 0; i < PHASES; i++) {
        if (phases[i].all(tree, err) != 0)
            return -1;
        uint64_t now = mb_now_ns();
        took[i] = now - last;
        last = now;
    }
    mb_job_stop(job);
    for (size_t i = 0; i < PHASES; i++)
        mb_job_metric(job, phases[i].metric, (double)took[i]);
    job->ops = PHASES * job->values[FILES];
    job->bytes = 2 * job->values[FILES] * job->values[SIZE];
    return 0;
}

static int
run(struct mb_job *job, struct mb_error *err)
{
    size_t size = (size_t)job->values[SIZE];
    char *content = mb_job_buffer(size + SLICES * 8);
    struct tree tree = {.job = job, .content = content, .bytes = mb_job_buffer(size)};
    int result = -1;

    if (content == NULL || tree.bytes == NULL) {
        mb_error_set(err, MB_EIO, "no memory for files of %zu bytes", size);
    } else {
        mb_pattern_fill(job->seed, 0, content, size + SLICES * 8);
        result = run_phases(&tree, err);
    }
    free(content);
    free(tree.bytes);
    return result;
}

static int
validate(const uint64_t v[MB_PARAMS_MAX], struct mb_error *err)
{
    if (v[DIRS] > v[FILES])
        return mb_error_set(err, MB_ECONFIG, "more dirs (%llu) than files (%llu)", (unsigned long long)v[DIRS],
                            (unsigned long long)v[FILES]);
    if (v[SIZE] > MB_TOTAL_MAX / v[FILES])
        return mb_error_set(err, MB_ECONFIG, "files times size is more than 1 TiB");
    return 0;
}

static void
footprint(const uint64_t v[MB_PARAMS_MAX], struct mb_footprint *out)
{
    *out = (struct mb_footprint){
        /* A filesystem gives out whole blocks. */
        .disk_bytes = v[FILES] * ((v[SIZE] + 4095) / 4096 * 4096) + v[DIRS] * v[DEPTH] * 4096,
        .files = v[FILES] + v[DIRS] * v[DEPTH],
        .io_bytes = 2 * v[FILES] * v[SIZE],
        .ops = 9 * v[FILES] + 5 * v[DIRS] * v[DEPTH],
    };
}

const struct mb_workload mb_workload_small_files = {
    .name = "small-files",
    .does = "Creates a tree of many small files, then stats, reads, lists, renames and deletes them, as installing packages, `git "
            "status` and a build do. The figure is all six phases together, an operation being one file in one phase; each phase's "
            "time is a metric of its own. Sizes, listings and content are checked.",
    .hides = "Each phase finds what the one before left in the caches: a first `git status` after a start is slower. Nothing is "
             "flushed, "
             "so much may be undone in memory before a disk has seen it. One process does it all; tools that use many at once get "
             "more out of a mount that can do things in parallel.",
    .measure = MB_MEASURE_OPS_PER_SECOND,
    .unit = "op",
    .params = params,
    .validate = validate,
    .footprint = footprint,
    .run = run,
};
