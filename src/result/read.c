/* read.c: result files into memory, a line at a time. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/buffer.h"
#include "result/lines.h"
#include "result/reader.h"

static int warn(struct mb_reader *r, struct mb_error *err, const char *format, ...) MB_PRINTF(3, 4);

static int
warn(struct mb_reader *r, struct mb_error *err, const char *format, ...)
{
    struct mb_results *out = r->out;
    void *array = out->warnings;
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *copy = strdup(text);
    if (copy == NULL || mb_reader_room(&array, out->warning_count, &r->memory->warning_cap, sizeof *out->warnings) != 0) {
        free(copy);
        return mb_error_set(err, MB_EIO, "%s: out of memory", r->file);
    }
    out->warnings = array;
    out->warnings[out->warning_count++] = copy;
    return 0;
}

static bool
is_blank(const struct mb_line *line)
{
    return strspn(line->text, " \t\r") == line->length;
}

static int
bad_line(const struct mb_reader *r, const struct mb_line *line, struct mb_error *err)
{
    size_t valid = mb_utf8_valid_prefix(line->text, line->length);

    if (valid != line->length)
        return mb_error_set(err, MB_ECONFIG,
                            "%s:%zu: byte %zu is not UTF-8; this is no result file of mountbench, or it is damaged", r->file,
                            r->line, valid + 1);
    return mb_error_set(err, MB_ECONFIG, "%s:%zu: not a JSON object; a result file holds one complete object a line", r->file,
                        r->line);
}

static int
take_line(struct mb_reader *r, const struct mb_line *line, struct mb_error *err)
{
    if (is_blank(line))
        return 0;
    cJSON *tree = mb_line_object(line);
    if (tree != NULL)
        return mb_reader_record(r, tree, err);
    if (line->complete)
        return bad_line(r, line, err);
    return warn(r, err, "%s:%zu: the last line is torn, and left out: the run was killed while it wrote it", r->file, r->line);
}

/* What a file as a whole must have, once all lines are in. */
static int
finish_file(struct mb_reader *r, struct mb_error *err)
{
    const struct mb_results *out = r->out;

    if (r->run == SIZE_MAX)
        return mb_error_set(err, MB_ECONFIG, "%s: no run record: %s", r->file,
                            r->line == 0 ? "the file is empty" : "this is no result file of mountbench, or its first line is torn");
    for (size_t i = r->first_run; i < out->run_count; i++) {
        if (out->runs[i].end_status == NULL &&
            warn(r, err, "%s: no end record: the run was killed, or is still going", r->file) != 0)
            return -1;
    }
    return 0;
}

static int
read_stream(struct mb_reader *r, int fd, struct mb_error *err)
{
    struct mb_lines lines;
    struct mb_line line;
    int rc;

    if (mb_lines_init(&lines, fd, r->file, err) != 0)
        return -1;
    while ((rc = mb_lines_next(&lines, &line, err)) > 0) {
        r->line = lines.number;
        rc = take_line(r, &line, err);
        if (rc != 0)
            break;
    }
    mb_lines_free(&lines);
    return rc == 0 ? finish_file(r, err) : -1;
}

static int
read_file(struct mb_results *out, const char *file, struct mb_error *err)
{
    struct mb_reader reader = {.out = out, .memory = out->memory, .file = file, .first_run = out->run_count, .run = SIZE_MAX};

    if (strcmp(file, "-") == 0) {
        reader.file = "standard input";
        return read_stream(&reader, STDIN_FILENO, err);
    }
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return mb_error_errno(err, errno == ENOENT || errno == ENOTDIR ? MB_ECONFIG : MB_EIO, errno, "%s: cannot open", file);
    int rc = read_stream(&reader, fd, err);
    close(fd);
    return rc;
}

/* Files that do not say what a cell's figure is: bytes a second where bytes were counted, else operations, else seconds. */
static void
derive_measures(struct mb_results *out)
{
    const bool *said = out->memory->measure_said;

    for (size_t i = 0; i < out->sample_count; i++) {
        const struct mb_sample *s = &out->samples[i];
        struct mb_cell *cell = &out->cells[s->cell];
        if (said[s->cell])
            continue;
        if (s->bytes > 0)
            cell->measure = MB_MEASURE_BYTES_PER_SECOND;
        else if (s->ops > 0 && cell->measure != MB_MEASURE_BYTES_PER_SECOND)
            cell->measure = MB_MEASURE_OPS_PER_SECOND;
    }
}

static int
init_memory(struct mb_results *out, struct mb_error *err)
{
    struct mb_reader reader = {.out = out, .file = "results"};

    out->memory = reader.memory = calloc(1, sizeof *out->memory);
    if (out->memory == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    cJSON *empty = cJSON_CreateObject();
    out->memory->no_params = empty;
    return mb_reader_keep(&reader, empty, err);
}

int
mb_results_read(const char *const *files, size_t n, struct mb_results **out, struct mb_error *err)
{
    struct mb_results *results = calloc(1, sizeof *results);

    *out = NULL;
    if (results == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    int rc = init_memory(results, err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = read_file(results, files[i], err);
    if (rc != 0) {
        mb_results_free(results);
        return -1;
    }
    derive_measures(results);
    *out = results;
    return 0;
}

void
mb_results_free(struct mb_results *results)
{
    if (results == NULL)
        return;
    for (size_t i = 0; i < results->sample_count; i++)
        free(results->samples[i].metrics);
    for (size_t i = 0; i < results->warning_count; i++)
        free(results->warnings[i]);
    struct mb_results_memory *m = results->memory;
    if (m != NULL) {
        for (size_t i = 0; i < m->tree_count; i++)
            cJSON_Delete(m->trees[i]);
        free(m->trees);
        free(m->measure_said);
        free(m->cell_slots);
        mb_intern_free(&m->text);
        free(m);
    }
    free(results->runs);
    free(results->engines);
    free(results->cells);
    free(results->samples);
    free(results->checks);
    free(results->warnings);
    free(results);
}
