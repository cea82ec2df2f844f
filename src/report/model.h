/*
 * model.h: results digested for reports: which cell stands where, which samples it has, what they amount to.
 *
 * A group is one engine of one run: a block of the report.  Its cells stand in a sparse grid of mounts and workloads, both in the
 * order in which the file has them.
 */
#ifndef MB_REPORT_MODEL_H
#define MB_REPORT_MODEL_H

#include "mountbench/parse.h"
#include "mountbench/report.h"
#include "report/digest.h"

#define MB_NONE ((size_t)-1)

struct mb_model_cell {
    const struct mb_cell *cell;
    const char *engine;            /* its name in the report, with the file's where several runs have an engine of that name */
    size_t group, mount, workload; /* mount and workload: indices within the group */
    const size_t *samples;         /* indices into results->samples, in file order, warm-ups too */
    size_t sample_count;
    size_t warmups, failed, timeouts; /* warm-ups are not counted among the failed */
    const char *trouble;              /* the first failed or timed-out sample's reason, "" when it gives none */
    struct mb_digest summary;
    const double *figures; /* summary.n of them, in the order of time */
    struct mb_ratio ratio; /* to the baseline's cell, as speed: above 1 is faster whatever the measure; .value is NaN for none */
    enum mb_verdict verdict;
};

struct mb_model_group {
    size_t run;
    const char *engine;
    char *row;                             /* its name where engines are rows, else NULL */
    char *label;                           /* the engine's name, with the file's where several runs have an engine of that name */
    const struct mb_engine_record *record; /* NULL when the file has none */
    const char **mounts, **workloads;
    size_t mount_count, workload_count;
    size_t first_cell, cell_count; /* in model->cells, ordered by workload, then mount */
    size_t baseline;               /* index of a mount, MB_NONE without cells */
    size_t *same;                  /* a mount: the number (from 1) of the set of mounts that are one filesystem with it, or 0 */
    size_t same_count;
    double noise_floor; /* the factor that mounts which are one filesystem stay within; NaN without such */
};

/*
 * Where each of several engines has one mount alone, a block a engine would compare nothing: then all is one group, whose rows, its
 * "mounts", are the engines.
 */
struct mb_model {
    const struct mb_results *results;
    const struct mb_report_options *options;
    struct mb_model_cell *cells;
    size_t cell_count;
    struct mb_model_group *groups;
    size_t group_count;
    struct mb_model_group *merged; /* the engines that became rows, NULL when they did not */
    size_t merged_count;
    size_t *sample_order; /* what cells' samples point into */
    double *figures;      /* what cells' figures point into */
    struct mb_bootstrap bootstrap;
};

/* mb_model_build(results, options, out, err): digest.  Free with mb_model_free; ${results} and ${options} must outlive it. */
int mb_model_build(const struct mb_results *results, const struct mb_report_options *options, struct mb_model **out,
                   struct mb_error *err);
void mb_model_free(struct mb_model *model);

/* mb_model_find(model, group, mount, workload): the cell, or NULL. */
const struct mb_model_cell *mb_model_find(const struct mb_model *model, const struct mb_model_group *group, size_t mount,
                                          size_t workload);

/* Some cells of one workload, by mount: what is left of them while rows are walked. */
struct mb_model_column {
    size_t at, end; /* indices into model->cells */
};

/* mb_model_column(model, group, workload): all cells of ${workload}. */
struct mb_model_column mb_model_column(const struct mb_model *model, const struct mb_model_group *group, size_t workload);

/*
 * mb_model_next_row(model, columns, n, row):
 * The next mount that has a cell in one of the ${n} columns, which are moved on; MB_NONE at their end.  Its cells are in
 * ${row}[0..${n}), NULL where it has none.
 */
size_t mb_model_next_row(const struct mb_model *model, struct mb_model_column *columns, size_t n, const struct mb_model_cell **row);

/* mb_model_text(json, key): the string member ${key} of ${json}, "" when it is missing or no string. */
const char *mb_model_text(const cJSON *json, const char *key);

/* mb_model_format(cell, figure, out): a figure in the cell's measure with the unit that fits: "512 MB/s", "1.20 ms". */
const char *mb_model_format(const struct mb_cell *cell, double figure, char out[MB_FORMAT_MAX]);

/* mb_model_measure(cell, out): what the figures are, for a heading: "B/s", "commits/s", "time". */
const char *mb_model_measure(const struct mb_cell *cell, char out[64]);

#endif
