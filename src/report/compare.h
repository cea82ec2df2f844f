/* compare.h: what the files about comparisons share. */
#ifndef MB_REPORT_COMPARE_H
#define MB_REPORT_COMPARE_H

#include "mountbench/compare.h"
#include "report/model.h"

/* Which parts of a cell's name make a row. */
struct mb_row_key {
    bool engine, mount, workload;
};

/* The cells of one side that take part, in the model's order, and the row that each falls into. */
struct mb_compare_cells {
    const struct mb_model_cell **cells;
    size_t *rows;
    size_t count;
};

/* mb_compare_cell(side, i): the ${i}th of its cells. */
const struct mb_cell *mb_compare_cell(const struct mb_compare_cells *side, size_t i);

struct mb_compare_memory {
    struct mb_report_options options;
    struct mb_model *models[2]; /* the second NULL where both sides are of the same results */
    struct mb_compare_cells sides[2];
};

/* mb_compare_model(c, side): the model that side 0 or 1 is of. */
const struct mb_model *mb_compare_model(const struct mb_comparison *c, size_t side);

/*
 * mb_compare_rows(c, key, err): make the rows from the sides' cells.
 * mb_compare_judge(c, options, err): fill in values, ratios, p and verdicts.
 * mb_compare_remark(c, by): say what differs besides.
 */
int mb_compare_rows(struct mb_comparison *c, const struct mb_row_key *key, struct mb_error *err);
int mb_compare_judge(struct mb_comparison *c, const struct mb_compare_options *options, struct mb_error *err);
void mb_compare_remark(struct mb_comparison *c, enum mb_compare_by by);

/*
 * mb_compare_difference(a, b, name_a, name_b): in words, the first parameter in which the work of two cells differs; NULL when
 * none does.  The caller frees it.
 */
char *mb_compare_difference(const struct mb_cell *a, const struct mb_cell *b, const char *name_a, const char *name_b);

/* The formats for programs: compare_data.c. */
void mb_compare_csv(const struct mb_comparison *const *c, size_t n, const struct mb_compare_view *view, struct mb_buffer *out);
void mb_compare_json(const struct mb_comparison *const *c, size_t n, const struct mb_compare_view *view, struct mb_buffer *out);

/* mb_compare_add_remark(c, format, ...): a sentence; memory that is short loses it. */
void mb_compare_add_remark(struct mb_comparison *c, const char *format, ...) MB_PRINTF(2, 3);

#endif
