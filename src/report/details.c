/* details.c: one function a table. */
#include "report/details.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/details_parts.h"

/* So many metrics get a column; the others are in the json format. */
#define METRICS_MOST 12

typedef struct mb_grid *(*table)(const struct mb_model *model, const struct mb_model_group *group, bool unicode);

/* The cell's row in the main table: its mount, or its engine where those are the rows. */
static const char *
row_name(const struct mb_model *model, const struct mb_model_cell *c)
{
    return model->groups[c->group].mounts[c->mount];
}

void
mb_details_begin_row(struct mb_grid *grid, const struct mb_model *model, const struct mb_model_cell *c, bool unicode)
{
    mb_grid_add_row(grid);
    mb_grid_put_clean(grid, 0, c->cell->workload, unicode);
    mb_grid_put_clean(grid, 1, row_name(model, c), unicode);
}

struct mb_grid *
mb_details_new(const char *title, const char *const *heads, size_t n)
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
    struct mb_grid *grid = mb_details_new("Trials", heads, sizeof heads / sizeof heads[0]);
    char a[MB_FORMAT_MAX], b[MB_FORMAT_MAX];

    for (size_t i = group->first_cell; grid != NULL && i < group->first_cell + group->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        const struct mb_digest *s = &c->summary;
        if (s->n == 0)
            continue;
        const double figures[] = {s->min, s->median, s->mean, s->stddev, s->max};
        mb_details_begin_row(grid, model, c, unicode);
        mb_grid_put(grid, 2, "%zu", s->n);
        for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++)
            mb_grid_put(grid, 3 + k, "%s", mb_model_format(c->cell, figures[k], a));
        if (isfinite(s->low) && isfinite(s->high))
            mb_grid_put(grid, 8, "%s to %s", mb_model_format(c->cell, s->low, a), mb_model_format(c->cell, s->high, b));
    }
    return grid;
}

void
mb_details_numbers(const struct mb_model *model, const struct mb_model_cell *c,
                   double (*pick)(const struct mb_sample *, const void *), const void *what, struct mb_details_numbers *out)
{
    double *x = calloc(c->sample_count + 1, sizeof *x);

    *out = (struct mb_details_numbers){.median = NAN, .most = NAN};
    if (x == NULL)
        return;
    for (size_t i = 0; i < c->sample_count; i++) {
        const struct mb_sample *s = &model->results->samples[c->samples[i]];
        double figure = !s->warmup && s->status == MB_SAMPLE_OK ? pick(s, what) : NAN;
        if (!isfinite(figure))
            continue;
        x[out->n++] = figure;
        out->sum += figure;
    }
    mb_sort(x, out->n);
    if (out->n > 0) {
        out->median = mb_quantile(x, out->n, 0.5);
        out->most = x[out->n - 1];
    }
    free(x);
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
    struct mb_grid *grid = mb_details_new("Latency of one operation (medians over the trials)", heads, 6);
    char text[MB_FORMAT_MAX];

    for (size_t i = group->first_cell; grid != NULL && i < group->first_cell + group->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        for (size_t k = 0; k < 4; k++) {
            struct mb_details_numbers all;
            mb_details_numbers(model, c, pick_latency, &k, &all);
            if (all.n == 0)
                break;
            if (k == 0)
                mb_details_begin_row(grid, model, c, unicode);
            mb_grid_put(grid, 2 + k, "%s", mb_format_duration(all.median, text));
        }
    }
    return grid;
}

double
mb_metric_of(const struct mb_sample *sample, const char *name)
{
    for (size_t i = 0; i < sample->metric_count; i++) {
        if (strcmp(sample->metrics[i].name, name) == 0)
            return sample->metrics[i].value;
    }
    return NAN;
}

static double
pick_metric(const struct mb_sample *sample, const void *name)
{
    return mb_metric_of(sample, name);
}

void
mb_details_metric(const struct mb_model *model, const struct mb_model_cell *c, const char *name, struct mb_details_numbers *out)
{
    mb_details_numbers(model, c, pick_metric, name, out);
}

/* The names of the metrics that a group's samples have and no table of their own shows, in the order of appearance. */
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
                if (at == n && n < METRICS_MOST && !mb_details_of_sides(s->metrics[m].name))
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
            struct mb_details_numbers all;
            mb_details_metric(model, c, names[k], &all);
            if (all.n == 0)
                continue;
            if (!begun)
                mb_details_begin_row(grid, model, c, unicode);
            begun = true;
            if (is_duration(names[k]))
                mb_grid_put(grid, 2 + k, "%s", mb_format_duration(all.median, text));
            else
                mb_grid_put(grid, 2 + k, "%.4g", all.median);
        }
    }
    return grid;
}

static struct mb_grid *
mounted(const struct mb_model *model, const struct mb_model_group *group, bool unicode)
{
    static const char *const heads[] = {"mount", "filesystem", "source", "device", "options", "filesystem's options"};
    struct mb_grid *grid = mb_details_new("What was really mounted", heads, 6);
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

/* In the order of enum mb_details_table. */
static const table tables[] = {mb_details_host_visible, mb_details_propagation, latencies, phases, trials, mounted};

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
mb_details(const struct mb_model *model, const struct mb_model_group *group, size_t i, bool roomy, bool unicode,
           struct mb_grid **out)
{
    size_t most = model->options->details ? TABLES : roomy ? MB_DETAILS_TRIALS : MB_DETAILS_LATENCIES;

    *out = NULL;
    if (i >= most)
        return false;
    mb_details_table(model, group, (enum mb_details_table)i, unicode, out);
    return true;
}
