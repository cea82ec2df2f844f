/*
 * result.h: result files (JSON Lines), written as measurements come and read back for reports, comparisons and --resume.
 *
 * The format is docs/results.md.  A writer appends one complete object a line; a run killed at any byte loses at most the line
 * being written, and a reader passes over such a torn last line with a warning.
 */
#ifndef MB_RESULT_H
#define MB_RESULT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/error.h"
#include "mountbench/workload.h"

#define MB_RESULT_SCHEMA 1

enum mb_cell_status { MB_CELL_READY, MB_CELL_UNAVAILABLE, MB_CELL_SKIPPED };
enum mb_sample_status { MB_SAMPLE_OK, MB_SAMPLE_FAILED, MB_SAMPLE_TIMEOUT };

/* A named number of a sample beside its main figure: a phase's time ("create_ns"), a count. */
struct mb_metric {
    const char *name; /* owned by the results, one pointer per distinct name */
    double value;
};

struct mb_latency {
    uint64_t p50_ns, p95_ns, p99_ns, max_ns; /* all 0 when the workload has none */
};

struct mb_sample {
    size_t cell; /* index into the results' cells */
    unsigned round, order;
    bool warmup;
    enum mb_sample_status status;
    const char *reason;               /* NULL when ok */
    int64_t wall_ns, user_ns, sys_ns; /* -1: not known */
    uint64_t bytes, ops;              /* 0: not counted */
    struct mb_latency latency;
    struct mb_metric *metrics;
    size_t metric_count;
};

struct mb_cell {
    const char *name; /* "engine/mount/workload" */
    const char *engine, *mount, *workload;
    size_t run; /* index of the run it belongs to */
    enum mb_cell_status status;
    const char *reason;     /* NULL when ready */
    const char *mount_type; /* "bind"; NULL in files that do not say */
    const char *kind;       /* the workload's type, "seq-write"; NULL in files that do not say */
    enum mb_measure measure;
    const char *unit;                                      /* of an op */
    const char *technology;                                /* what shares the files, "virtiofs"; NULL where the file does not say */
    const char *fstype, *source, *options, *super_options; /* as observed, NULL when nothing was */
    const char *device; /* of the mounted filesystem, "8:1", with root "/x": what tells that two mounts are one filesystem */
    const char *root;
    const cJSON *params; /* the hidden parameters: block, total, sync...; an object, may be empty */
};

struct mb_engine_record {
    size_t run;
    const cJSON *json; /* the whole record: "engine", "runtime", "kernel"... */
};

struct mb_check {
    size_t cell;
    const char *name, *outcome, *expected, *observed;
};

struct mb_run {
    const char *file;                                       /* where it was read */
    const cJSON *json;                                      /* the whole run record */
    const char *id, *matrix_name, *started_at, *end_status; /* end_status NULL: the file has no end record */
};

/* Everything that one or more result files hold.  All pointers live as long as it does. */
struct mb_results {
    struct mb_run *runs;
    size_t run_count;
    struct mb_engine_record *engines;
    size_t engine_count;
    struct mb_cell *cells;
    size_t cell_count;
    struct mb_sample *samples; /* in file order */
    size_t sample_count;
    struct mb_check *checks;
    size_t check_count;
    char **warnings; /* one sentence each: a torn last line, a file without an end */
    size_t warning_count;
    struct mb_results_memory *memory;
};

/*
 * mb_results_read(files, n, out, err):
 * Read ${n} >= 1 files ("-" is standard input) into one.  A newer schema, a line that is no JSON object (but for a torn last
 * one), a sample of an unknown cell, and a wrong type are errors that name file and line.  Unknown keys and record types are
 * ignored.  The same cell name in two files stays two cells, told apart by .run.  Free *${out} with mb_results_free.
 */
int mb_results_read(const char *const *files, size_t n, struct mb_results **out, struct mb_error *err);
void mb_results_free(struct mb_results *results);

/*
 * mb_sample_figure(cell, sample):
 * The sample's figure in the cell's measure: bytes or ops per second, or seconds.  NaN unless the sample is ok and can have one.
 */
double mb_sample_figure(const struct mb_cell *cell, const struct mb_sample *sample);

/* Writing.  An opaque handle to a file open for appending. */
struct mb_result_writer;

/*
 * mb_result_create(path, out, err): make a new file (an existing one is an error: results are never overwritten), its directories
 * too. mb_result_append(path, out, err): open an existing one to go on with; a torn last line is cut off. mb_result_close(w):
 * close; NULL is a no-op.
 */
int mb_result_create(const char *path, struct mb_result_writer **out, struct mb_error *err);
int mb_result_append(const char *path, struct mb_result_writer **out, struct mb_error *err);
void mb_result_close(struct mb_result_writer *w);

/*
 * mb_result_write(w, record, err):
 * Append the object ${record} as one line, in one write.  Numbers that are integers are written exactly, up to 2^53.
 */
int mb_result_write(struct mb_result_writer *w, const cJSON *record, struct mb_error *err);

/* The measures' names in a cell record's "measure": "bytes/s", "ops/s", "s". */
const char *mb_measure_name(enum mb_measure measure);
int mb_measure_parse(const char *name, enum mb_measure *out);

#endif
