/* details_parts.h: what the files with tables behind the main one share. */
#ifndef MB_REPORT_DETAILS_PARTS_H
#define MB_REPORT_DETAILS_PARTS_H

#include "report/grid.h"
#include "report/model.h"

/* mb_details_new(title, heads, n): a table with the ${n} column ${heads}; the first two to the left.  NULL without memory. */
struct mb_grid *mb_details_new(const char *title, const char *const *heads, size_t n);

/* mb_details_begin_row(grid, model, c, unicode): a new row with the workload and the mount of ${c} in the first two columns. */
void mb_details_begin_row(struct mb_grid *grid, const struct mb_model *model, const struct mb_model_cell *c, bool unicode);

/* mb_metric_of(sample, name): the value of a metric, NaN where the sample has none of that name. */
double mb_metric_of(const struct mb_sample *sample, const char *name);

/* What the timed trials of a cell that are ok have of a number. */
struct mb_details_numbers {
    size_t n;
    double median, most, sum; /* NaN, NaN, 0 where n is 0 */
};

/* mb_details_numbers(model, c, pick, what, out): of what ${pick} takes from each sample; NaN counts as none. */
void mb_details_numbers(const struct mb_model *model, const struct mb_model_cell *c,
                        double (*pick)(const struct mb_sample *, const void *), const void *what, struct mb_details_numbers *out);

/* mb_details_metric(model, c, name, out): of the metric ${name}. */
void mb_details_metric(const struct mb_model *model, const struct mb_model_cell *c, const char *name,
                       struct mb_details_numbers *out);

/*
 * What was measured on both sides of a mount (details_sides.c):
 * mb_details_host_visible, mb_details_propagation: a table each, as mb_details_table has them.
 * mb_details_of_sides(metric): whether these tables show the metric.
 */
struct mb_grid *mb_details_host_visible(const struct mb_model *model, const struct mb_model_group *group, bool unicode);
struct mb_grid *mb_details_propagation(const struct mb_model *model, const struct mb_model_group *group, bool unicode);
bool mb_details_of_sides(const char *metric);

#endif
