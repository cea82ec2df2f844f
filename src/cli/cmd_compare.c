/* cmd_compare.c: `mountbench compare`: results, engines, mounts or cells side by side, with a verdict a row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/run_output.h"
#include "mountbench/compare.h"
#include "mountbench/file.h"
#include "mountbench/matrix.h"
#include "mountbench/text.h"

#define SIDES_MOST 64
#define OUTPUT_MAX_BYTES ((size_t)256 << 20)

/* The matrix that engines are compared with unless another is named. */
#define ENGINES_MATRIX "desktop-vs-rancher"

/* What is compared: the sides, the results behind them, and what came of it. */
struct job {
    enum mb_compare_by by;
    struct mb_compare_side sides[SIDES_MOST]; /* the first is what the others are held against */
    size_t side_count;
    struct mb_results *results[SIDES_MOST];
    size_t results_count;
    struct mb_comparison *comparisons[SIDES_MOST];
    size_t count;
    char *names;        /* what the patterns of --engines and --mounts point into */
    char measured[256]; /* the file that a run for this comparison went into */
    int status;         /* of that run */
};

static void
job_clear(struct job *job)
{
    for (size_t i = 0; i < job->count; i++)
        mb_comparison_free(job->comparisons[i]);
    for (size_t i = 0; i < job->results_count; i++)
        mb_results_free(job->results[i]);
    free(job->names);
}

static int
too_many_sides(struct mb_error *err)
{
    return mb_error_set(err, MB_EUSAGE, "more than %d sides are too many for one comparison", SIDES_MOST);
}

static int
add_side(struct job *job, const struct mb_results *results, const char *pattern, struct mb_error *err)
{
    if (job->side_count == SIDES_MOST)
        return too_many_sides(err);
    job->sides[job->side_count++] = (struct mb_compare_side){.results = results, .pattern = pattern};
    return 0;
}

/* One side a file. */
static int
sides_from_files(struct job *job, const char *const *files, size_t n, struct mb_error *err)
{
    if (n < 2)
        return mb_error_set(err, MB_EUSAGE,
                            "one file alone is no comparison: give a second, or say what to compare in it with "
                            "--engines A,B, --mounts A,B or --cells GLOB --cells GLOB");
    job->by = MB_COMPARE_FILES;
    for (size_t i = 0; i < n; i++) {
        if (i == SIDES_MOST)
            return too_many_sides(err);
        if (mb_results_read(&files[i], 1, &job->results[job->results_count], err) != 0)
            return -1;
        job->results_count++;
        if (add_side(job, job->results[i], NULL, err) != 0)
            return -1;
    }
    return 0;
}

/* "A,B" into sides over all files together. */
static int
sides_from_list(struct job *job, const char *option, const char *list, struct mb_error *err)
{
    job->names = strdup(list);
    if (job->names == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (char *name = job->names; name != NULL;) {
        char *comma = strchr(name, ',');
        if (comma != NULL)
            *comma = '\0';
        if (*name == '\0')
            return mb_error_set(err, MB_EUSAGE, "--%s: '%s' has an empty name", option, list);
        if (add_side(job, job->results[0], name, err) != 0)
            return -1;
        name = comma != NULL ? comma + 1 : NULL;
    }
    return job->side_count >= 2 ? 0 : mb_error_set(err, MB_EUSAGE, "--%s: '%s' names one; two are wanted, as A,B", option, list);
}

/* Whether the operands are no files but words that may name engines. */
static bool
are_engines(const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strpbrk(words[i], "/.") != NULL || strcmp(words[i], "-") == 0 || access(words[i], F_OK) == 0)
            return false;
    }
    return n >= 2;
}

/* Whether there is a preset for comparing engines; else the usual one serves. */
static const char *
engines_matrix(const struct mb_args *args)
{
    char *path = NULL;

    if (mb_args_given(args, "matrix"))
        return mb_args_text(args, "matrix");
    bool found = mb_matrix_find(ENGINES_MATRIX, &path, NULL) == 0;
    free(path);
    return found ? ENGINES_MATRIX : mb_args_text(args, "matrix");
}

/* `mountbench run`, with these words after it, ended by NULL.  Returns its exit status, or -1. */
static int
run_for(const char *const *words, struct mb_error *err)
{
    char *copies[2 * SIDES_MOST + 4] = {NULL};
    struct mb_args *args;
    int n = 0, status = 0;

    for (; status == 0 && words[n] != NULL; n++) {
        copies[n] = strdup(words[n]);
        status = copies[n] != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
    }
    if (status == 0)
        status = mb_args_parse(&mb_cmd_run, n, copies, &args, err);
    if (status == 0) {
        status = mb_cmd_run.run(args, err);
        mb_args_free(args);
    }
    for (int i = 0; i < n; i++)
        free(copies[i]);
    return status;
}

/* Measure the engines, then compare what is in the file. */
static int
sides_from_run(struct job *job, const struct mb_args *args, const char *const *engines, size_t n, struct mb_error *err)
{
    const char *words[2 * SIDES_MOST + 4] = {engines_matrix(args), "--output", job->measured}, *file = job->measured;
    size_t count = 3;

    if (n > SIDES_MOST)
        return too_many_sides(err);
    if (mb_run_output("compare", job->measured, sizeof job->measured, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        words[count++] = "--engine";
        words[count++] = engines[i];
    }
    job->status = run_for(words, err);
    if (job->status < 0)
        return mb_error_prefix(err, "'%s' is no file, and measured as an engine", engines[0]);
    if (mb_results_read(&file, 1, &job->results[0], err) != 0)
        return -1;
    job->results_count = 1;
    job->by = MB_COMPARE_ENGINES;
    putchar('\n');
    for (size_t i = 0; i < n; i++) {
        if (add_side(job, job->results[0], engines[i], err) != 0)
            return -1;
    }
    return 0;
}

static int
choose_sides(struct job *job, const struct mb_args *args, struct mb_error *err)
{
    size_t n, ways = 0;
    const char *const *files = mb_args_operands(args, &n);
    const char *const *globs = mb_args_all(args, "cells");
    const char *engines = mb_args_text(args, "engines"), *mounts = mb_args_text(args, "mounts");

    if (mb_output_apart(mb_args_text(args, "output"), files, n, err) != 0)
        return -1;
    ways = (size_t)(engines != NULL) + (size_t)(mounts != NULL) + (size_t)(globs != NULL);
    if (ways > 1)
        return mb_error_set(err, MB_EUSAGE, "--engines, --mounts and --cells exclude each other");
    if (ways == 0 && are_engines(files, n))
        return sides_from_run(job, args, files, n, err);
    if (ways == 0)
        return sides_from_files(job, files, n, err);
    if (mb_results_read(files, n, &job->results[0], err) != 0)
        return -1;
    job->results_count = 1;
    job->by = engines != NULL ? MB_COMPARE_ENGINES : mounts != NULL ? MB_COMPARE_MOUNTS : MB_COMPARE_CELLS;
    if (globs == NULL)
        return sides_from_list(job, engines != NULL ? "engines" : "mounts", engines != NULL ? engines : mounts, err);
    for (size_t i = 0; globs[i] != NULL; i++) {
        if (add_side(job, job->results[0], globs[i], err) != 0)
            return -1;
    }
    return job->side_count >= 2 ? 0 : mb_error_set(err, MB_EUSAGE, "--cells is given once; give it twice, once a side");
}

static int
print(const struct job *job, const struct mb_args *args, struct mb_error *err)
{
    const char *output = mb_args_text(args, "output"), *format = mb_args_text(args, "format");
    bool to_stdout = output == NULL || strcmp(output, "-") == 0;
    const struct mb_compare_view view = {.width = (unsigned)mb_args_count(args, "width", mb_terminal_width(STDOUT_FILENO)),
                                         .colour = to_stdout && mb_use_colour(STDOUT_FILENO),
                                         .ascii = !mb_text_utf8_locale()};
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(OUTPUT_MAX_BYTES);

    if (mb_comparison_render(format != NULL ? format : "terminal", (const struct mb_comparison *const *)job->comparisons,
                             job->count, &view, &out, err) != 0)
        return -1;
    if (!to_stdout)
        return mb_file_replace(output, mb_buffer_text(&out), out.len, err);
    if (fwrite(mb_buffer_text(&out), 1, out.len, stdout) != out.len || fflush(stdout) != 0)
        return mb_error_set(err, MB_EIO, "cannot write to standard output");
    return 0;
}

static int
compare(struct job *job, const struct mb_args *args, struct mb_error *err)
{
    const struct mb_compare_options options = {.drop_outliers = mb_args_given(args, "drop-outliers")};

    if (choose_sides(job, args, err) != 0)
        return -1;
    for (size_t i = 1; i < job->side_count; i++) {
        if (mb_compare(&job->sides[0], &job->sides[i], job->by, &options, &job->comparisons[job->count], err) != 0)
            return -1;
        job->count++;
    }
    if (print(job, args, err) != 0)
        return -1;
    for (size_t i = 0; mb_args_given(args, "fail-above") && i < job->count; i++) {
        if (mb_comparison_gate(job->comparisons[i], mb_args_percent(args, "fail-above", 0), err) != 0)
            return -1;
    }
    return 0;
}

static int
run(const struct mb_args *args, struct mb_error *err)
{
    struct job job = {0};
    int rc = compare(&job, args, err);

    job_clear(&job);
    return rc != 0 ? rc : job.status;
}

const struct mb_command mb_cmd_compare = {
    .name = "compare",
    .operands = "FILE... | ENGINE ENGINE...",
    .operands_min = 1,
    .operands_max = 10000,
    .summary = "results, engines or mounts side by side: ratio, interval, verdict; a gate for CI",
    .details = "Two files or more: every other one is held against the first. With --engines, --mounts\n"
               "or --cells the sides are taken from all files together. Rows are cells that both sides\n"
               "have; B/A is a ratio of speeds, above 1 B is faster. Cells whose workload differs in a\n"
               "parameter (block size, sync, seed of the data) are refused; engines, kernels and probes\n"
               "that differ are said. 'Slower' and 'faster' are said only when chance would hardly do it;\n"
               "docs/methods.md has the rules.\n\n"
               "Names of engines in place of files are measured first: the matrix " ENGINES_MATRIX "\n"
               "where there is one, else quick, or the one that --matrix names.\n\n"
               "--fail-above 5% exits 4 when a row is shown to be slower, and by more than that, or has\n"
               "no figure any more.\n\n"
               "Formats: terminal, markdown, csv, json.\n\n"
               "Examples:\n"
               "  mountbench compare before.jsonl after.jsonl --fail-above 5%\n"
               "  mountbench compare docker-desktop rancher-desktop\n"
               "  mountbench compare --engines docker-desktop,rancher-desktop FILE\n"
               "  mountbench compare --mounts volume,bind -f markdown FILE\n"
               "  mountbench compare --cells '*/bind/*' --cells '*/nfs*/*' FILE\n",
    .options = (const char *const[]){"engines", "mounts", "cells", "fail-above", "format", "output", "width", "drop-outliers",
                                     "matrix", NULL},
    .run = run,
};
