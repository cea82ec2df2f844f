/* details.c: one function a table. */
#include "report/details.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/words.h"

/* So many metrics get a column; the others are in the json format. */
#define METRICS_MOST 12

typedef struct mb_grid *(*table)(const struct mb_model *model, const struct mb_model_group *group, bool unicode);

/* The cell's row in the main table: its mount, or its engine where those are the rows. */
static const char *
row_name(const struct mb_model *model, const struct mb_model_cell *c)
{
    return model->groups[c->group].mounts[c->mount];
}

/* Fill the first two columns of a new row with the workload's and the mount's names. */
static void
begin_row(struct mb_grid *grid, const struct mb_model *model, const struct mb_model_cell *c, bool unicode)
{
    mb_grid_add_row(grid);
    mb_grid_put_clean(grid, 0, c->cell->workload, unicode);
    mb_grid_put_clean(grid, 1, row_name(model, c), unicode);
}

static struct mb_grid *
new_table(const char *title, const char *const *heads, size_t n)
{
    struct mb_grid *grid = mb_grid_new(n, title);

    if (grid == NULL || grid->failed)
        return grid;
    mb_grid_add_row(grid);
    for (size_t i = 0; i < n; i++) {
        mb_grid_put(grid, i, "%s", heads[i]);
        grid->align[i] = i < 2 ? MB_ALIGN_LEFT : MB_ALIGN_RIGHT;
    }
    return grid;
}

static struct mb_grid *
trials(const struct mb_model *model, const struct mb_model_group *group, bool unicode)
{
    static const char *const heads[] = {
        "workload", "mount", "n", "min", "median", "mean", "std. dev.", "max", "interval of the median"};
    struct mb_grid *grid = new_table("Trials", heads, sizeof heads / sizeof heads[0]);
    char a[MB_FORMAT_MAX], b[MB_FORMAT_MAX];

    for (size_t i = group->first_cell; grid != NULL && i < group->first_cell + group->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        const struct mb_digest *s = &c->summary;
        if (s->n == 0)
            continue;
        const double figures[] = {s->min, s->median, s->mean, s->stddev, s->max};
        begin_row(grid, model, c, unicode);
        mb_grid_put(grid, 2, "%zu", s->n);
        for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++)
            mb_grid_put(grid, 3 + k, "%s", mb_model_format(c->cell, figures[k], a));
        if (isfinite(s->low) && isfinite(s->high))
            mb_grid_put(grid, 8, "%s to %s", mb_model_format(c->cell, s->low, a), mb_model_format(c->cell, s->high, b));
    }
    return grid;
}

/* The median over the timed trials of a cell of what ${pick} takes from a sample; NaN without any. */
static double
median_of(const struct mb_model *model, const struct mb_model_cell *c, double (*pick)(const struct mb_sample *, const void *),
          const void *what)
{
    double *x = calloc(c->sample_count + 1, sizeof *x);
    size_t n = 0;

    if (x == NULL)
        return NAN;
    for (size_t i = 0; i < c->sample_count; i++) {
        const struct mb_sample *s = &model->results->samples[c->samples[i]];
        double figure = !s->warmup && s->status == MB_SAMPLE_OK ? pick(s, what) : NAN;
        if (isfinite(figure))
            x[n++] = figure;
    }
    mb_sort(x, n);
    double median = mb_quantile(x, n, 0.5);
    free(x);
    return median;
}

static double
pick_latency(const struct mb_sample *s, const void *which)
{
    const uint64_t all[] = {s->latency.p50_ns, s->latency.p95_ns, s->latency.p99_ns, s->latency.max_ns};
    return s->latency.max_ns > 0 ? (double)all[*(const size_t *)which] : NAN;
}

static struct mb_grid *
latencies(const struct mb_model *model, const struct mb_model_group *group, bool unicode)
{
    static const char *const heads[] = {"workload", "mount", "p50", "p95", "p99", "max"};
    struct mb_grid *grid = new_table("Latency of one operation (medians over the trials)", heads, 6);
    char text[MB_FORMAT_MAX];

    for (size_t i = group->first_cell; grid != NULL && i < group->first_cell + group->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        for (size_t k = 0; k < 4; k++) {
            double ns = median_of(model, c, pick_latency, &k);
            if (!isfinite(ns))
                break;
            if (k == 0)
                begin_row(grid, model, c, unicode);
            mb_grid_put(grid, 2 + k, "%s", mb_format_duration(ns, text));
        }
    }
    return grid;
}

static double
pick_metric(const struct mb_sample *s, const void *name)
{
    for (size_t i = 0; i < s->metric_count; i++) {
        if (strcmp(s->metrics[i].name, name) == 0)
            return s->metrics[i].value;
    }
    return NAN;
}

/* The names of the metrics that a group's samples have, in the order of appearance. */
static size_t
metric_names(const struct mb_model *model, const struct mb_model_group *group, const char *names[METRICS_MOST])
{
    size_t n = 0;

    for (size_t i = group->first_cell; i < group->first_cell + group->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        for (size_t k = 0; k < c->sample_count; k++) {
            const struct mb_sample *s = &model->results->samples[c->samples[k]];
            for (size_t m = 0; m < s->metric_count; m++) {
                size_t at = 0;
                while (at < n && strcmp(names[at], s->metrics[m].name) != 0)
                    at++;
                if (at == n && n < METRICS_MOST)
                    names[n++] = s->metrics[m].name;
            }
        }
    }
    return n;
}

/* Whether a metric is a duration: its name ends in _ns. */
static bool
is_duration(const char *name)
{
    size_t n = strlen(name);
    return n > 3 && strcmp(name + n - 3, "_ns") == 0;
}

static void
head_metrics(struct mb_grid *grid, const char *const *names, size_t n, bool unicode)
{
    mb_grid_add_row(grid);
    mb_grid_put(grid, 0, "workload");
    mb_grid_put(grid, 1, "mount");
    for (size_t i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(strlen(names[i]) - (is_duration(names[i]) ? 3 : 0)), names[i]);
        mb_grid_put_clean(grid, 2 + i, name, unicode);
        grid->align[2 + i] = MB_ALIGN_RIGHT;
    }
}

static struct mb_grid *
phases(const struct mb_model *model, const struct mb_model_group *group, bool unicode)
{
    const char *names[METRICS_MOST];
    size_t n = metric_names(model, group, names);
    struct mb_grid *grid = mb_grid_new(2 + n, "Phases and other figures of a trial (medians)");
    char text[MB_FORMAT_MAX];

    if (grid == NULL || grid->failed)
        return grid;
    head_metrics(grid, names, n, unicode);
    for (size_t i = group->first_cell; n > 0 && i < group->first_cell + group->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        bool begun = false;
        for (size_t k = 0; k < n; k++) {
            double value = median_of(model, c, pick_metric, names[k]);
            if (!isfinite(value))
                continue;
            if (!begun)
                begin_row(grid, model, c, unicode);
            begun = true;
            if (is_duration(names[k]))
                mb_grid_put(grid, 2 + k, "%s", mb_format_duration(value, text));
            else
                mb_grid_put(grid, 2 + k, "%.4g", value);
        }
    }
    return grid;
}

static struct mb_grid *
mounted(const struct mb_model *model, const struct mb_model_group *group, bool unicode)
{
    static const char *const heads[] = {"mount", "filesystem", "source", "device", "options", "filesystem's options"};
    struct mb_grid *grid = new_table("What was really mounted", heads, 6);
    bool *done = calloc(group->mount_count + 1, sizeof *done);

    for (size_t i = 0; grid != NULL && i < 6; i++)
        grid->align[i] = MB_ALIGN_LEFT;
    for (size_t i = group->first_cell; grid != NULL && done != NULL && i < group->first_cell + group->cell_count; i++) {
        const struct mb_cell *cell = model->cells[i].cell;
        const char *const facts[] = {
            row_name(model, &model->cells[i]), cell->fstype, cell->source, cell->device, cell->options, cell->super_options};
        if (cell->fstype == NULL || done[model->cells[i].mount])
            continue;
        done[model->cells[i].mount] = true;
        mb_grid_add_row(grid);
        for (size_t k = 0; k < sizeof facts / sizeof facts[0]; k++)
            mb_grid_put_clean(grid, k, facts[k] != NULL ? facts[k] : "", unicode);
    }
    free(done);
    return grid;
}

#define TABLES (sizeof tables / sizeof tables[0])

static const table tables[] = {latencies, phases, trials, mounted};

void
mb_details_table(const struct mb_model *model, const struct mb_model_group *group, enum mb_details_table which, bool unicode,
                 struct mb_grid **out)
{
    *out = tables[which](model, group, unicode);
    if (*out != NULL && ((*out)->failed || (*out)->rows < 2)) {
        mb_grid_free(*out);
        *out = NULL;
    }
}

bool
mb_details(const struct mb_model *model, const struct mb_model_group *group, size_t i, bool unicode, struct mb_grid **out)
{
    *out = NULL;
    /* The first two are worth their room without being asked for. */
    if (i >= (model->options->details ? TABLES : 2))
        return false;
    mb_details_table(model, group, (enum mb_details_table)i, unicode, out);
    return true;
}
