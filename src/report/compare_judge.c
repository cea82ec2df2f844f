/*
 * compare_judge.c: what the difference between the two sides of a row amounts to.
 *
 * A difference is called one when chance would hardly make it (p after Holm's correction over the table below 0.05), the interval
 * of the ratio does not hold 1, and the ratio is beyond what this machine shows between equals, where it has such.  Otherwise
 * "no difference shown"; and where trials are so few that a quarter either way could hide, "cannot tell".
 *
 * p is Mann and Whitney's, which assumes nothing about the shape.  But from few trials it cannot fall below a bound, which after
 * the correction for a long table may be above the level, however far apart the sides are; those rows take Welch's t test on
 * logarithms, which assumes that they are about normal, and says so.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare.h"

#define LEVEL 0.05
#define TRIALS_LEAST 3   /* on a side, for any verdict */
#define TRIALS_ENOUGH 10 /* on both sides, for "no difference shown" whatever the interval */
#define HIDDEN 1.25      /* what too few trials may hide */

/* One row's figures. */
struct figures {
    double *values[2];
    size_t counts[2];
};

static int
no_memory(struct mb_error *err)
{
    return mb_error_set(err, MB_EIO, "out of memory while comparing");
}

/* Where each row's cells of a side are, in the order of rows: starts[row] to starts[row + 1] of ${order}. */
static int
sort_by_row(const struct mb_compare_cells *side, size_t rows, size_t **order, size_t **starts)
{
    *order = calloc(side->count + 1, sizeof **order);
    *starts = calloc(rows + 2, sizeof **starts);
    if (*order == NULL || *starts == NULL)
        return -1;
    for (size_t i = 0; i < side->count; i++) {
        if (side->rows[i] != MB_NONE)
            (*starts)[side->rows[i] + 2]++;
    }
    for (size_t r = 2; r <= rows + 1; r++)
        (*starts)[r] += (*starts)[r - 1];
    for (size_t i = 0; i < side->count; i++) {
        if (side->rows[i] != MB_NONE)
            (*order)[(*starts)[side->rows[i] + 1]++] = i;
    }
    return 0;
}

static int
gather(const struct mb_compare_cells *side, const size_t *order, size_t from, size_t to, double **values, size_t *count)
{
    size_t n = 0;

    *count = 0;
    for (size_t i = from; i < to; i++)
        n += side->cells[order[i]]->summary.n;
    *values = malloc((n + 1) * sizeof **values);
    if (*values == NULL)
        return -1;
    for (size_t i = from; i < to; i++) {
        const struct mb_model_cell *cell = side->cells[order[i]];
        for (size_t k = 0; k < cell->summary.n; k++)
            (*values)[(*count)++] = cell->figures[k];
    }
    return 0;
}

static int
describe(const double *x, size_t n, const struct mb_bootstrap *how, struct mb_compare_value *out, struct mb_error *err)
{
    struct mb_summary summary;

    if (mb_summary(x, n, &summary, err) != 0)
        return -1;
    out->n = summary.n;
    out->median = summary.median;
    return mb_interval_location(MB_LOCATION_MEDIAN, x, n, how, &out->interval, err);
}

static int
take_values(struct mb_compare_row *row, const struct figures *f, const struct mb_bootstrap *how, struct mb_error *err)
{
    /* As speeds: where less is faster, b's speed over a's is a's time over b's. */
    size_t over = row->a->measure == MB_MEASURE_SECONDS ? 0 : 1, under = 1 - over;

    row->ratio = row->p = row->p_corrected = NAN;
    row->interval = (struct mb_interval){NAN, NAN};
    if (describe(f->values[0], f->counts[0], how, &row->value_a, err) != 0 ||
        describe(f->values[1], f->counts[1], how, &row->value_b, err) != 0)
        return -1;
    if (row->verdict == MB_COMPARE_REFUSED)
        return 0;
    const struct mb_compare_value *top = over == 0 ? &row->value_a : &row->value_b;
    const struct mb_compare_value *bottom = over == 0 ? &row->value_b : &row->value_a;
    if (top->median > 0 && bottom->median > 0)
        row->ratio = top->median / bottom->median;
    return mb_interval_ratio(MB_LOCATION_MEDIAN, f->values[over], f->counts[over], f->values[under], f->counts[under], how,
                             &row->interval, err);
}

static bool
all_positive(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0))
            return false;
    }
    return true;
}

static bool
varies(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (x[i] != x[0])
            return true;
    }
    return false;
}

static int
test_row(struct mb_compare_row *row, struct figures *f, size_t rows, struct mb_error *err)
{
    size_t na = f->counts[0], nb = f->counts[1];
    struct mb_test test;

    if (na < TRIALS_LEAST || nb < TRIALS_LEAST)
        return 0;
    bool could = mb_mann_whitney_least_p(na, nb) * (double)rows < LEVEL;
    bool welch = !could && all_positive(f->values[0], na) && all_positive(f->values[1], nb) &&
                 (varies(f->values[0], na) || varies(f->values[1], nb));
    if (!welch) {
        if (mb_mann_whitney(f->values[0], na, f->values[1], nb, &test, err) != 0)
            return -1;
    } else {
        for (size_t side = 0; side < 2; side++) {
            for (size_t i = 0; i < f->counts[side]; i++)
                f->values[side][i] = log(f->values[side][i]);
        }
        mb_welch(f->values[0], na, f->values[1], nb, &test);
    }
    row->welch = welch;
    row->p = test.p;
    return 0;
}

static enum mb_compare_verdict
judge(const struct mb_compare_row *row, double noise)
{
    size_t least = row->value_a.n < row->value_b.n ? row->value_a.n : row->value_b.n;
    double low = row->interval.low, high = row->interval.high;

    if (least < TRIALS_LEAST || !(row->ratio > 0) || isnan(low))
        return MB_COMPARE_UNSURE;
    bool beyond = isnan(noise) || row->ratio > noise || row->ratio < 1 / noise;
    if (row->p_corrected < LEVEL && beyond && low > 1)
        return MB_COMPARE_FASTER;
    if (row->p_corrected < LEVEL && beyond && high < 1)
        return MB_COMPARE_SLOWER;
    return least < TRIALS_ENOUGH && (high > HIDDEN || low < 1 / HIDDEN) ? MB_COMPARE_UNSURE : MB_COMPARE_SAME;
}

static const char *
no_figure(const struct mb_cell *cell)
{
    switch (cell->status) {
    case MB_CELL_UNAVAILABLE:
        return "is unavailable";
    case MB_CELL_SKIPPED:
        return "failed";
    case MB_CELL_READY:
        break;
    }
    return "has no trial that succeeded";
}

/* The cell of a side that a row's words are about. */
static const struct mb_model_cell *
cell_of(const struct mb_comparison *c, size_t side, size_t row)
{
    const struct mb_compare_cells *cells = &c->memory->sides[side];
    size_t i = 0;

    while (cells->rows[i] != row)
        i++;
    return cells->cells[i];
}

/* "A is unavailable (no such device)", "B has no trial that succeeded (no space left on device)". */
static char *
missing_words(const struct mb_comparison *c, size_t row)
{
    const size_t counts[] = {c->rows[row].value_a.n, c->rows[row].value_b.n};
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(4096);

    for (size_t side = 0; side < 2; side++) {
        if (counts[side] > 0)
            continue;
        const struct mb_model_cell *cell = cell_of(c, side, row);
        const char *reason = cell->cell->reason != NULL ? cell->cell->reason : cell->trouble;
        mb_buffer_printf(&text, "%s%c %s", text.len > 0 ? ", " : "", side == 0 ? 'A' : 'B', no_figure(cell->cell));
        if (reason != NULL && *reason != '\0')
            mb_buffer_printf(&text, " (%.1000s)", reason);
    }
    return mb_buffer_steal(&text);
}

/* Whether a row's cells, on both sides, are all the same work; else mark it refused. */
static void
check_same_work(struct mb_comparison *c)
{
    for (size_t side = 0; side < 2; side++) {
        const struct mb_compare_cells *cells = &c->memory->sides[side];
        for (size_t i = 0; i < cells->count; i++) {
            struct mb_compare_row *row = cells->rows[i] != MB_NONE ? &c->rows[cells->rows[i]] : NULL;
            if (row == NULL || row->why != NULL)
                continue;
            row->why = mb_compare_difference(row->a, cells->cells[i]->cell, "A", side == 0 ? "another run in A" : "B");
            if (row->why != NULL)
                row->verdict = MB_COMPARE_REFUSED;
        }
    }
}

/* The widest noise between equals of the engines that take part. */
static double
noise_of(const struct mb_comparison *c)
{
    double noise = NAN;

    for (size_t side = 0; side < 2; side++) {
        const struct mb_model *model = mb_compare_model(c, side);
        const struct mb_compare_cells *cells = &c->memory->sides[side];
        for (size_t i = 0; i < cells->count; i++)
            noise = fmax(noise, model->groups[cells->cells[i]->group].noise_floor);
    }
    return noise;
}

static int
correct(struct mb_comparison *c, struct mb_error *err)
{
    double *p = calloc(c->row_count + 1, sizeof *p);

    if (p == NULL)
        return no_memory(err);
    for (size_t i = 0; i < c->row_count; i++)
        p[i] = c->rows[i].p;
    int rc = mb_holm(p, c->row_count, p, err);
    for (size_t i = 0; rc == 0 && i < c->row_count; i++)
        c->rows[i].p_corrected = p[i];
    free(p);
    return rc;
}

static int
give_verdicts(struct mb_comparison *c, struct mb_error *err)
{
    double logs = 0;

    c->noise = noise_of(c);
    for (size_t i = 0; i < c->row_count; i++) {
        struct mb_compare_row *row = &c->rows[i];
        if (row->verdict != MB_COMPARE_REFUSED && (row->value_a.n == 0 || row->value_b.n == 0)) {
            row->verdict = MB_COMPARE_MISSING;
            row->why = missing_words(c, i);
            if (row->why == NULL)
                return no_memory(err);
        } else if (row->verdict != MB_COMPARE_REFUSED) {
            row->verdict = judge(row, c->noise);
        }
        c->counts[row->verdict]++;
        if (row->ratio > 0) {
            logs += log(row->ratio);
            c->mean_of++;
        }
    }
    c->mean_ratio = c->mean_of > 0 ? exp(logs / (double)c->mean_of) : NAN;
    if (c->counts[MB_COMPARE_REFUSED] == c->row_count)
        return mb_error_set(err, MB_ECONFIG, "nothing can be compared: %s: %s", c->rows[0].name, c->rows[0].why);
    return 0;
}

/* Rows that can be tested at all: what least p and correction are reckoned by. */
static size_t
count_testable(const struct mb_comparison *c, const struct figures *f)
{
    size_t n = 0;

    for (size_t i = 0; i < c->row_count; i++)
        n += c->rows[i].verdict != MB_COMPARE_REFUSED && f[i].counts[0] >= TRIALS_LEAST && f[i].counts[1] >= TRIALS_LEAST;
    return n;
}

static int
measure_rows(struct mb_comparison *c, struct figures *f, const struct mb_bootstrap *how, struct mb_error *err)
{
    int rc = 0;

    for (size_t side = 0; side < 2 && rc == 0; side++) {
        size_t *order, *starts;
        const struct mb_compare_cells *cells = &c->memory->sides[side];
        rc = sort_by_row(cells, c->row_count, &order, &starts);
        for (size_t i = 0; i < c->row_count && rc == 0; i++)
            rc = gather(cells, order, starts[i], starts[i + 1], &f[i].values[side], &f[i].counts[side]);
        free(order);
        free(starts);
    }
    if (rc != 0)
        return no_memory(err);
    for (size_t i = 0; i < c->row_count && rc == 0; i++)
        rc = take_values(&c->rows[i], &f[i], how, err);
    size_t testable = count_testable(c, f);
    for (size_t i = 0; i < c->row_count && rc == 0; i++) {
        if (c->rows[i].verdict != MB_COMPARE_REFUSED)
            rc = test_row(&c->rows[i], &f[i], testable, err);
    }
    return rc;
}

int
mb_compare_judge(struct mb_comparison *c, const struct mb_compare_options *options, struct mb_error *err)
{
    struct mb_bootstrap how = MB_BOOTSTRAP_DEFAULT;
    struct figures *f = calloc(c->row_count, sizeof *f);

    if (f == NULL)
        return no_memory(err);
    how.seed = options->seed != 0 ? options->seed : how.seed;
    check_same_work(c);
    int rc = measure_rows(c, f, &how, err);
    for (size_t i = 0; i < c->row_count; i++) {
        free(f[i].values[0]);
        free(f[i].values[1]);
    }
    free(f);
    if (rc != 0 || correct(c, err) != 0)
        return -1;
    return give_verdicts(c, err);
}

int
mb_comparison_gate(const struct mb_comparison *c, double percent, struct mb_error *err)
{
    const struct mb_compare_row *worst = NULL, *missing = NULL;
    size_t n = 0;

    for (size_t i = 0; i < c->row_count; i++) {
        const struct mb_compare_row *row = &c->rows[i];
        if (row->verdict == MB_COMPARE_REFUSED)
            return mb_error_set(err, MB_ECONFIG, "--fail-above cannot be decided: %s: %s", row->name, row->why);
        if (row->verdict == MB_COMPARE_MISSING && row->value_a.n > 0)
            missing = row;
        if (row->verdict != MB_COMPARE_SLOWER || (1 - row->ratio) * 100 <= percent)
            continue;
        n++;
        worst = worst == NULL || row->ratio < worst->ratio ? row : worst;
    }
    if (worst != NULL)
        return mb_error_set(err, MB_EABOVE, "%zu of %zu rows are slower by more than %g %%; the worst is %s, by %.1f %%", n,
                            c->row_count, percent, worst->name, (1 - worst->ratio) * 100);
    if (missing != NULL)
        return mb_error_set(err, MB_EABOVE, "%s has a figure in '%s' and none in '%s': %s", missing->name, c->label_a, c->label_b,
                            missing->why);
    return 0;
}
