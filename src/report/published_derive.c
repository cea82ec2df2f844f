/*
 * published_derive.c: from trials to the figures that an article printed.
 *
 * A trial's figure is its quantity over the column's unit, rounded to the column's digits.  A mean is that of the trials *as
 * they are printed*, in whole numbers of the last digit, so that no binary fraction decides a borderline; an article may round
 * it or cut it, and which of the two it did follows from which reproduces more of its means.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/stats.h"
#include "report/published.h"

/* A sum below this is a whole number of 64 bits even with nine digits after the point. */
#define MEAN_EXACT_BELOW 4e9

/* ---- quantities ---- */

static bool
term_is(const char *term, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(term, name, length) == 0;
}

static double
term_metric(const char *name, size_t length, const struct mb_sample *sample)
{
    for (size_t i = 0; i < sample->metric_count; i++) {
        if (term_is(name, length, sample->metrics[i].name))
            return sample->metrics[i].value;
    }
    return NAN;
}

static double
term_value(const char *term, size_t length, const struct mb_sample *sample)
{
    if (term_is(term, length, "wall"))
        return sample->wall_ns >= 0 ? (double)sample->wall_ns / 1e9 : NAN;
    if (term_is(term, length, "user"))
        return sample->user_ns >= 0 ? (double)sample->user_ns / 1e9 : NAN;
    if (term_is(term, length, "sys"))
        return sample->sys_ns >= 0 ? (double)sample->sys_ns / 1e9 : NAN;
    if (term_is(term, length, "bytes"))
        return sample->bytes > 0 ? (double)sample->bytes : NAN;
    if (term_is(term, length, "ops"))
        return sample->ops > 0 ? (double)sample->ops : NAN;
    if (term_is(term, length, "1"))
        return 1;
    if (length > 7 && strncmp(term, "metric:", 7) == 0)
        return term_metric(term + 7, length - 7, sample);
    return NAN;
}

static bool
term_ok(const char *term, size_t length)
{
    static const char *const names[] = {"wall", "user", "sys", "bytes", "ops", "1"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (term_is(term, length, names[i]))
            return true;
    }
    return length > 7 && strncmp(term, "metric:", 7) == 0;
}

bool
mb_published_quantity_ok(const char *quantity)
{
    size_t over = strcspn(quantity, "/");
    return term_ok(quantity, over) && (quantity[over] == '\0' || term_ok(quantity + over + 1, strlen(quantity + over + 1)));
}

double
mb_published_value(const char *quantity, const struct mb_sample *sample)
{
    size_t over = strcspn(quantity, "/");
    double value = term_value(quantity, over, sample);

    if (quantity[over] == '/')
        value /= term_value(quantity + over + 1, strlen(quantity + over + 1), sample);
    return value;
}

size_t
mb_published_cell(const struct mb_published *p, const char *at, const char *workload)
{
    size_t length = at != NULL ? strlen(at) : 0;

    for (size_t i = 0; at != NULL && i < p->results->cell_count; i++) {
        const char *name = p->results->cells[i].name;
        if (strncmp(name, at, length) == 0 && name[length] == '/' && strcmp(name + length + 1, workload) == 0)
            return i;
    }
    return SIZE_MAX;
}

size_t
mb_published_trials(const struct mb_results *results, size_t cell, const char *quantity, struct mb_series *series)
{
    for (size_t i = 0; i < results->sample_count && series->n < MB_PUBLISHED_TRIALS; i++) {
        const struct mb_sample *sample = &results->samples[i];
        if (sample->cell != cell || sample->warmup || sample->status != MB_SAMPLE_OK)
            continue;
        double value = mb_published_value(quantity, sample);
        if (isfinite(value) && value >= 0)
            series->values[series->n++] = value;
    }
    return series->n;
}

double
mb_series_mean(const struct mb_series *series)
{
    double sum = 0;
    for (size_t i = 0; i < series->n; i++)
        sum += series->values[i];
    return series->n > 0 ? sum / (double)series->n : NAN;
}

/* The trials of the cell that a figure at ${at} in ${column} is of. */
static size_t
trials_at(const struct mb_published *p, const char *at, const struct mb_published_column *column, struct mb_series *series)
{
    series->n = 0;
    return mb_published_trials(p->results, mb_published_cell(p, at, column->workload), column->quantity, series);
}

/* ---- texts ---- */

/* Digits after the point: the column's, fewer where its significant digits run out before. */
static int
places(const struct mb_published_column *column, double value)
{
    if (column->significant == 0 || !(fabs(value) > 0))
        return column->decimals;
    int left = column->significant - 1 - (int)floor(log10(fabs(value)));
    left = left < 0 ? 0 : left;
    return left < column->decimals ? left : column->decimals;
}

/* ${units} of the ${decimals}th digit as the column lays a number out. */
static void
units_text(const struct mb_published_column *column, int64_t units, int decimals, char out[MB_PUBLISHED_TEXT])
{
    int64_t one = 1;
    char number[64];

    for (int i = 0; i < decimals; i++)
        one *= 10;
    bool minutes = column->style != NULL && strcmp(column->style, "minutes") == 0;
    int64_t whole = units / one;
    int64_t shown = minutes ? whole % 60 : whole;
    if (decimals > 0)
        snprintf(number, sizeof number, "%lld.%0*lld", (long long)shown, decimals, (long long)(units % one));
    else
        snprintf(number, sizeof number, "%lld", (long long)shown);
    if (minutes)
        snprintf(out, MB_PUBLISHED_TEXT, "%lldm%ss", (long long)(whole / 60), number);
    else
        snprintf(out, MB_PUBLISHED_TEXT, "%s%s%s", number, column->style != NULL ? " " : "",
                 column->style != NULL ? column->style : "");
}

static int64_t
units_of(double value, int decimals)
{
    return (int64_t)llround(value * pow(10, decimals));
}

void
mb_published_text(const struct mb_published_column *column, double value, char out[MB_PUBLISHED_TEXT])
{
    int decimals = places(column, value);

    if (!isfinite(value) || fabs(value) > 1e9) {
        snprintf(out, MB_PUBLISHED_TEXT, "%g", value);
        return;
    }
    units_text(column, units_of(value, decimals), decimals, out);
}

void
mb_published_mean_text(const struct mb_published_column *column, const struct mb_series *trials, enum mb_rounding rounding,
                       char out[MB_PUBLISHED_TEXT])
{
    int64_t sum = 0;
    int64_t count = (int64_t)trials->n;
    double whole = mb_series_mean(trials) / column->unit;
    int decimals = places(column, trials->values[0] / column->unit);

    if (count == 0 || whole * (double)count > MEAN_EXACT_BELOW) {
        mb_published_text(column, whole, out);
        return;
    }
    for (size_t i = 0; i < trials->n; i++)
        sum += units_of(trials->values[i] / column->unit, decimals);
    units_text(column, rounding == MB_ROUND_CUT ? sum / count : (2 * sum + count) / (2 * count), decimals, out);
}

/* ---- figures ---- */

static void
join_trials(const struct mb_published_column *column, const struct mb_series *trials, char out[MB_PUBLISHED_TEXT])
{
    char one[MB_PUBLISHED_TEXT];

    for (size_t i = 0; i < trials->n; i++) {
        size_t used = strlen(out);
        mb_published_text(column, trials->values[i] / column->unit, one);
        snprintf(out + used, MB_PUBLISHED_TEXT - used, "%s%s", i > 0 ? " / " : "", one);
    }
}

static int
derive_ratio(const struct mb_published *p, const struct mb_published_row *row, const struct mb_published_column *column,
             char out[MB_PUBLISHED_TEXT])
{
    struct mb_series a, b;

    if (trials_at(p, row->at, column, &a) == 0 || trials_at(p, row->to, column, &b) == 0)
        return -1;
    snprintf(out, MB_PUBLISHED_TEXT, "%.2f", mb_series_mean(&a) / mb_series_mean(&b));
    return 0;
}

/* The article says no more than "t test, two-sided"; Welch's asks for the least. */
static int
derive_p(const struct mb_published *p, const struct mb_published_row *row, const struct mb_published_column *column,
         char out[MB_PUBLISHED_TEXT])
{
    struct mb_series a, b;
    struct mb_test test;

    trials_at(p, row->at, column, &a);
    trials_at(p, row->to, column, &b);
    mb_welch(a.values, a.n, b.values, b.n, &test);
    if (isnan(test.p))
        return -1;
    mb_published_text(column, test.p, out);
    return 0;
}

int
mb_published_derive(const struct mb_published *p, const struct mb_published_row *row, const struct mb_published_column *column,
                    char out[MB_PUBLISHED_TEXT])
{
    struct mb_series trials;
    const struct mb_published_take *take = MB_PUBLISHED_TAKE(row, column);

    out[0] = '\0';
    if (take->kind == MB_TAKE_CITED)
        return -1;
    if (take->kind == MB_TAKE_P)
        return derive_p(p, row, column, out);
    if (take->kind == MB_TAKE_RATIO)
        return derive_ratio(p, row, column, out);
    size_t n = trials_at(p, row->at, column, &trials);
    if (n == 0 || (take->kind == MB_TAKE_TRIAL && take->trial > n))
        return -1;
    if (take->kind == MB_TAKE_TRIAL)
        mb_published_text(column, trials.values[take->trial - 1] / column->unit, out);
    else if (take->kind == MB_TAKE_MEAN)
        mb_published_mean_text(column, &trials, p->rounding, out);
    else
        join_trials(column, &trials, out);
    return 0;
}

/* ---- verdicts ---- */

/* Whether the computed ratio lies in "4-5", or rounds to "10" at the column's digits. */
static bool
ratio_fits(const struct mb_published_column *column, const char *printed, const char *derived)
{
    char rounded[MB_PUBLISHED_TEXT];
    char *end;
    double value = strtod(derived, NULL);
    double low = strtod(printed, &end);

    if (*end == '-')
        return value >= low && value <= strtod(end + 1, NULL);
    mb_published_text(column, value, rounded);
    return strcmp(rounded, printed) == 0;
}

/* The smallest and largest ratio that any trial of one cell has to any of the other. */
static void
ratio_range(const struct mb_published *p, const struct mb_published_print *print, double *low, double *high)
{
    struct mb_series a, b;
    size_t n = trials_at(p, print->row->at, print->column, &a);
    size_t m = trials_at(p, print->row->to, print->column, &b);

    *low = INFINITY;
    *high = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            *low = fmin(*low, a.values[i] / b.values[j]);
            *high = fmax(*high, a.values[i] / b.values[j]);
        }
    }
}

/* Say why ${figure} does not follow from the trials. */
static void
explain(const struct mb_published *p, const struct mb_published_figure *figure, const struct mb_published_print *print,
        struct mb_buffer *out)
{
    enum mb_take kind = MB_PUBLISHED_TAKE(print->row, print->column)->kind;

    if (kind == MB_TAKE_CITED) {
        mb_buffer_puts(out, "another publication's figure, whose trials the article does not print");
    } else if (*figure->derived == '\0') {
        if (print->of > 0)
            mb_buffer_printf(out, "a %s over %u trials, none of which the article prints",
                             kind == MB_TAKE_P ? "test" : figure->what, print->of);
        else
            mb_buffer_puts(out, "the article prints no trial of it");
    } else if (kind == MB_TAKE_RATIO) {
        double low, high;
        ratio_range(p, print, &low, &high);
        mb_buffer_printf(out, "the means give %s; single trials give %.2f to %.2f", figure->derived, low, high);
    } else {
        mb_buffer_printf(out, "the printed trials give %s", figure->derived);
    }
}

/* Which way of shortening gives more of the printed means. */
static void
find_rounding(struct mb_published *p)
{
    struct mb_series trials;
    char nearest[MB_PUBLISHED_TEXT], cut[MB_PUBLISHED_TEXT];

    for (size_t i = 0; i < p->figure_count; i++) {
        const struct mb_published_print *print = &p->prints[i];
        if (MB_PUBLISHED_TAKE(print->row, print->column)->kind != MB_TAKE_MEAN)
            continue;
        if (trials_at(p, print->row->at, print->column, &trials) == 0)
            continue;
        mb_published_mean_text(print->column, &trials, MB_ROUND_NEAREST, nearest);
        mb_published_mean_text(print->column, &trials, MB_ROUND_CUT, cut);
        p->means++;
        p->means_nearest += strcmp(nearest, p->figures[i].text) == 0;
        p->means_cut += strcmp(cut, p->figures[i].text) == 0;
    }
    p->rounding = p->means_cut > p->means_nearest ? MB_ROUND_CUT : MB_ROUND_NEAREST;
}

static int
check_cells(const struct mb_published *p, struct mb_error *err)
{
    for (size_t i = 0; i < p->figure_count; i++) {
        const struct mb_published_row *row = p->prints[i].row;
        const char *workload = p->prints[i].column->workload;
        if (row->take.kind == MB_TAKE_CITED)
            continue;
        if (mb_published_cell(p, row->at, workload) == SIZE_MAX)
            return mb_error_set(err, MB_ECONFIG, "%s: table '%s', row '%s': there is no cell '%s/%s'", p->path, p->figures[i].table,
                                row->name, row->at, workload);
        if (row->to != NULL && mb_published_cell(p, row->to, workload) == SIZE_MAX)
            return mb_error_set(err, MB_ECONFIG, "%s: table '%s', row '%s': there is no cell '%s/%s'", p->path, p->figures[i].table,
                                row->name, row->to, workload);
    }
    return 0;
}

int
mb_published_check(struct mb_published *p, struct mb_error *err)
{
    char derived[MB_PUBLISHED_TEXT];

    if (check_cells(p, err) != 0)
        return -1;
    find_rounding(p);
    for (size_t i = 0; i < p->figure_count; i++) {
        struct mb_published_figure *figure = &p->figures[i];
        struct mb_published_print *print = &p->prints[i];
        MB_AUTO_BUFFER reason = MB_BUFFER_INIT(1024);

        bool has = mb_published_derive(p, print->row, print->column, derived) == 0;
        print->derived = strdup(derived);
        if (print->derived == NULL)
            return mb_error_set(err, MB_EIO, "out of memory");
        figure->derived = print->derived;
        figure->reproduced = has && (print->row->take.kind == MB_TAKE_RATIO ? ratio_fits(print->column, figure->text, derived)
                                                                            : strcmp(figure->text, derived) == 0);
        if (!figure->reproduced)
            explain(p, figure, print, &reason);
        print->reason = mb_buffer_steal(&reason);
        if (print->reason == NULL)
            return mb_error_set(err, MB_EIO, "out of memory");
        figure->reason = print->reason;
    }
    return 0;
}
