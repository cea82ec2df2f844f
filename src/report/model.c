/* model.c: digest results: groups, grids, each cell's samples and summary, baselines, mounts that are one filesystem. */
#include "report/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/control.h"
#include "report/merge.h"
#include "report/names.h"

static int
by_place(const void *a, const void *b)
{
    const struct mb_model_cell *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->workload != y->workload)
        return x->workload < y->workload ? -1 : 1;
    if (x->mount != y->mount)
        return x->mount < y->mount ? -1 : 1;
    return x->cell < y->cell ? -1 : x->cell > y->cell;
}

static void
sort_cells(struct mb_model *model)
{
    if (model->cell_count > 0)
        qsort(model->cells, model->cell_count, sizeof *model->cells, by_place);
}

static int
no_memory(struct mb_error *err)
{
    return mb_error_set(err, MB_EIO, "out of memory while making the report");
}

/* Give every cell its group and its place there. */
static void
place_cells(struct mb_model *model, struct mb_names *names)
{
    const struct mb_results *results = model->results;

    for (size_t i = 0; i < results->cell_count; i++) {
        struct mb_model_cell *c = &model->cells[i];
        c->cell = &results->cells[i];
        c->group = mb_names_index(names, c->cell->run, c->cell->engine, &model->group_count);
        struct mb_model_group *g = &model->groups[c->group];
        g->run = c->cell->run;
        g->engine = c->cell->engine;
        size_t owner = results->run_count + 2 * c->group;
        c->mount = mb_names_index(names, owner, c->cell->mount, &g->mount_count);
        c->workload = mb_names_index(names, owner + 1, c->cell->workload, &g->workload_count);
        g->cell_count++;
    }
}

static int
name_axes(struct mb_model *model)
{
    size_t first = 0;

    for (size_t i = 0; i < model->group_count; i++) {
        struct mb_model_group *g = &model->groups[i];
        g->first_cell = first;
        first += g->cell_count;
        g->mounts = calloc(g->mount_count, sizeof *g->mounts);
        g->workloads = calloc(g->workload_count, sizeof *g->workloads);
        g->same = calloc(g->mount_count, sizeof *g->same);
        if (g->mounts == NULL || g->workloads == NULL || g->same == NULL)
            return -1;
        for (size_t k = g->first_cell; k < first; k++) {
            g->mounts[model->cells[k].mount] = model->cells[k].cell->mount;
            g->workloads[model->cells[k].workload] = model->cells[k].cell->workload;
        }
    }
    return 0;
}

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* The engine's name, with the file's when another run has an engine of that name. */
static int
label_groups(struct mb_model *model)
{
    for (size_t i = 0; i < model->group_count; i++) {
        struct mb_model_group *g = &model->groups[i];
        const char *file = g->run < model->results->run_count ? model->results->runs[g->run].file : NULL;
        bool alone = true;
        for (size_t k = 0; k < model->group_count; k++)
            alone = alone && (k == i || strcmp(model->groups[k].engine, g->engine) != 0);
        size_t size = strlen(g->engine) + (file != NULL ? strlen(file) : 0) + 32;
        g->label = malloc(size);
        if (g->label == NULL)
            return -1;
        if (alone)
            snprintf(g->label, size, "%s", g->engine);
        else
            snprintf(g->label, size, "%s (%s)", g->engine, file != NULL ? base_name(file) : "?");
        for (size_t k = 0; k < model->results->engine_count && g->record == NULL; k++) {
            const struct mb_engine_record *r = &model->results->engines[k];
            if (r->run == g->run && strcmp(mb_model_text(r->json, "engine"), g->engine) == 0)
                g->record = r;
        }
        for (size_t k = g->first_cell; k < g->first_cell + g->cell_count; k++)
            model->cells[k].engine = g->label;
    }
    return 0;
}

/* Counting sort of the samples by cell; ${place} maps a result's cell to the model's. */
static int
share_out_samples(struct mb_model *model, const size_t *place)
{
    const struct mb_results *results = model->results;
    size_t at = 0;

    model->sample_order = calloc(results->sample_count + 1, sizeof *model->sample_order);
    if (model->sample_order == NULL)
        return -1;
    for (size_t i = 0; i < results->sample_count; i++)
        model->cells[place[results->samples[i].cell]].sample_count++;
    for (size_t i = 0; i < model->cell_count; i++) {
        model->cells[i].samples = model->sample_order + at;
        at += model->cells[i].sample_count;
        model->cells[i].sample_count = 0;
    }
    for (size_t i = 0; i < results->sample_count; i++) {
        struct mb_model_cell *c = &model->cells[place[results->samples[i].cell]];
        model->sample_order[(size_t)(c->samples - model->sample_order) + c->sample_count++] = i;
    }
    return 0;
}

/* So many resamples in all: where there are very many cells each gets fewer, so that a report stays a matter of a second. */
#define RESAMPLES_IN_ALL 3e6
#define RESAMPLES_LEAST 200

static int
digest_cell(const struct mb_model *model, struct mb_model_cell *c, double *figures, struct mb_error *err)
{
    size_t n = 0;

    for (size_t i = 0; i < c->sample_count; i++) {
        const struct mb_sample *s = &model->results->samples[c->samples[i]];
        c->warmups += s->warmup;
        if (s->warmup)
            continue;
        c->failed += s->status == MB_SAMPLE_FAILED;
        c->timeouts += s->status == MB_SAMPLE_TIMEOUT;
        if (s->status != MB_SAMPLE_OK && c->trouble == NULL)
            c->trouble = s->reason != NULL ? s->reason : "";
        double figure = mb_sample_figure(c->cell, s);
        if (isfinite(figure))
            figures[n++] = figure;
    }
    c->figures = figures;
    return mb_digest_make(figures, n, model->options->drop_outliers, &model->bootstrap, &c->summary, err);
}

static int
digest_samples(struct mb_model *model, struct mb_error *err)
{
    double each = RESAMPLES_IN_ALL / (3 * (double)model->cell_count + 1);
    size_t at = 0;

    model->bootstrap = (struct mb_bootstrap)MB_BOOTSTRAP_DEFAULT;
    if (each < (double)model->bootstrap.resamples)
        model->bootstrap.resamples = each > RESAMPLES_LEAST ? (size_t)each : RESAMPLES_LEAST;
    if (model->options->seed != 0)
        model->bootstrap.seed = model->options->seed;
    model->figures = calloc(model->results->sample_count + 1, sizeof *model->figures);
    if (model->figures == NULL)
        return no_memory(err);
    for (size_t i = 0; i < model->cell_count; i++) {
        if (digest_cell(model, &model->cells[i], model->figures + at, err) != 0)
            return -1;
        at += model->cells[i].summary.n + model->cells[i].summary.dropped;
    }
    return 0;
}

static size_t
find_mount(const struct mb_model_group *group, const char *name)
{
    for (size_t i = 0; i < group->mount_count; i++) {
        if (strcmp(group->mounts[i], name) == 0)
            return i;
    }
    return MB_NONE;
}

static int
unknown_baseline(const struct mb_model *model, struct mb_error *err)
{
    const char *names[65] = {NULL};
    char list[1024] = "", shown[MB_PRINTABLE_MAX];
    size_t n = 0, length = 0;

    for (size_t g = 0; g < model->group_count; g++) {
        for (size_t m = 0; m < model->groups[g].mount_count && n < 64; m++) {
            bool known = false;
            for (size_t k = 0; k < n; k++)
                known = known || strcmp(names[k], model->groups[g].mounts[m]) == 0;
            if (!known)
                names[n++] = model->groups[g].mounts[m];
        }
    }
    for (size_t k = 0; k < n && length + MB_PRINTABLE_MAX + 3 < sizeof list; k++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", k ? ", " : "", mb_printable(names[k], shown));
    const char *near = mb_nearest(model->options->baseline, names);
    char wanted[MB_PRINTABLE_MAX], nearest[MB_PRINTABLE_MAX];
    mb_printable(model->options->baseline, wanted);
    if (near != NULL)
        return mb_error_set(err, MB_EUSAGE, "--baseline: no mount is called '%s' (did you mean '%s'?)", wanted,
                            mb_printable(near, nearest));
    return mb_error_set(err, MB_EUSAGE, "--baseline: no mount is called '%s'; there are: %s", wanted, list);
}

static int
choose_baselines(struct mb_model *model, struct mb_error *err)
{
    static const char *const preferred[] = {"volume", "bind", "layer"};
    bool found = model->options->baseline == NULL || model->group_count == 0;

    /* Where engines are rows, a mount's name says nothing that all rows do not say. */
    for (size_t i = 0; i < model->merged_count; i++)
        found = found || strcmp(model->merged[i].mounts[0], model->options->baseline) == 0;

    for (size_t i = 0; i < model->group_count; i++) {
        struct mb_model_group *g = &model->groups[i];
        g->baseline = model->options->baseline != NULL ? find_mount(g, model->options->baseline) : MB_NONE;
        found = found || g->baseline != MB_NONE;
        for (size_t k = 0; k < sizeof preferred / sizeof preferred[0] && g->baseline == MB_NONE; k++)
            g->baseline = find_mount(g, preferred[k]);
        if (g->baseline == MB_NONE)
            g->baseline = 0;
    }
    return found ? 0 : unknown_baseline(model, err);
}

/* The speed of ${c} in times that of ${base}, whatever their measure. */
static int
take_ratio(const struct mb_model *model, struct mb_model_cell *c, const struct mb_model_cell *base, struct mb_error *err)
{
    const struct mb_model_cell *over = c, *under = base;
    struct mb_interval interval;

    if (c->cell->measure == MB_MEASURE_SECONDS) {
        over = base;
        under = c;
    }
    if (!(over->summary.median > 0) || !(under->summary.median > 0))
        return 0;
    if (mb_interval_ratio(MB_LOCATION_MEDIAN, over->figures, over->summary.n, under->figures, under->summary.n, &model->bootstrap,
                          &interval, err) != 0)
        return -1;
    c->ratio = (struct mb_ratio){over->summary.median / under->summary.median, interval.low, interval.high};
    return 0;
}

static int
take_ratios(struct mb_model *model, struct mb_error *err)
{
    for (size_t i = 0; i < model->cell_count; i++) {
        struct mb_model_cell *c = &model->cells[i];
        const struct mb_model_group *g = &model->groups[c->group];
        const struct mb_model_cell *base = mb_model_find(model, g, g->baseline, c->workload);
        c->ratio = (struct mb_ratio){NAN, NAN, NAN};
        if (base == NULL || base == c || base->cell->measure != c->cell->measure)
            continue;
        if (take_ratio(model, c, base, err) != 0)
            return -1;
        if (g->same[c->mount] > 0 && g->same[c->mount] == g->same[g->baseline] && isfinite(c->ratio.value) &&
            mb_control_counts(c->cell) && mb_control_counts(base->cell))
            c->verdict = MB_VERDICT_CONTROL;
        else
            c->verdict = mb_verdict_of(&c->ratio, c->summary.n, base->summary.n, g->noise_floor);
    }
    return 0;
}

static int
build(struct mb_model *model, struct mb_names *names, size_t *place, struct mb_error *err)
{
    place_cells(model, names);
    sort_cells(model);
    if (name_axes(model) != 0 || label_groups(model) != 0)
        return no_memory(err);
    if (mb_merge_is_due(model)) {
        if (mb_merge(model, err) != 0)
            return -1;
        sort_cells(model);
    }
    for (size_t i = 0; i < model->cell_count; i++)
        place[model->cells[i].cell - model->results->cells] = i;
    if (share_out_samples(model, place) != 0)
        return no_memory(err);
    if (digest_samples(model, err) != 0 || choose_baselines(model, err) != 0)
        return -1;
    for (size_t i = 0; i < model->group_count; i++) {
        if (mb_control_find(model, &model->groups[i], err) != 0)
            return -1;
    }
    return take_ratios(model, err);
}

int
mb_model_build(const struct mb_results *results, const struct mb_report_options *options, struct mb_model **out,
               struct mb_error *err)
{
    struct mb_model *model = calloc(1, sizeof *model);
    struct mb_names names;
    size_t *place = calloc(results->cell_count + 1, sizeof *place);
    int rc;

    *out = NULL;
    if (model != NULL) {
        model->results = results;
        model->options = options;
        model->cell_count = results->cell_count;
        model->cells = calloc(results->cell_count + 1, sizeof *model->cells);
        model->groups = calloc(results->cell_count + 1, sizeof *model->groups);
    }
    bool named = mb_names_init(&names, 3 * results->cell_count) == 0;
    if (model == NULL || model->cells == NULL || model->groups == NULL || place == NULL || !named)
        rc = no_memory(err);
    else
        rc = build(model, &names, place, err);
    mb_names_free(&names);
    free(place);
    if (rc != 0) {
        mb_model_free(model);
        return -1;
    }
    *out = model;
    return 0;
}

static void
free_groups(struct mb_model_group *groups, size_t n)
{
    for (size_t i = 0; groups != NULL && i < n; i++) {
        free(groups[i].mounts);
        free(groups[i].workloads);
        free(groups[i].same);
        free(groups[i].label);
        free(groups[i].row);
    }
    free(groups);
}

void
mb_model_free(struct mb_model *model)
{
    if (model == NULL)
        return;
    free_groups(model->groups, model->group_count);
    free_groups(model->merged, model->merged_count);
    free(model->cells);
    free(model->sample_order);
    free(model->figures);
    free(model);
}

/* The first cell of ${group} at or after the place (${workload}, ${mount}). */
static size_t
lower_bound(const struct mb_model *model, const struct mb_model_group *group, size_t mount, size_t workload)
{
    size_t low = group->first_cell, high = group->first_cell + group->cell_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct mb_model_cell *c = &model->cells[middle];
        if (c->workload < workload || (c->workload == workload && c->mount < mount))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct mb_model_cell *
mb_model_find(const struct mb_model *model, const struct mb_model_group *group, size_t mount, size_t workload)
{
    size_t at = lower_bound(model, group, mount, workload);
    const struct mb_model_cell *c = &model->cells[at];
    bool inside = at < group->first_cell + group->cell_count;

    return inside && c->workload == workload && c->mount == mount ? c : NULL;
}

struct mb_model_column
mb_model_column(const struct mb_model *model, const struct mb_model_group *group, size_t workload)
{
    struct mb_model_column column = {lower_bound(model, group, 0, workload), lower_bound(model, group, 0, workload + 1)};
    return column;
}

size_t
mb_model_next_row(const struct mb_model *model, struct mb_model_column *columns, size_t n, const struct mb_model_cell **row)
{
    size_t mount = MB_NONE;

    for (size_t i = 0; i < n; i++) {
        if (columns[i].at < columns[i].end && model->cells[columns[i].at].mount < mount)
            mount = model->cells[columns[i].at].mount;
    }
    for (size_t i = 0; i < n; i++) {
        bool here = columns[i].at < columns[i].end && model->cells[columns[i].at].mount == mount;
        row[i] = here ? &model->cells[columns[i].at] : NULL;
        columns[i].at += here;
    }
    return mount;
}

const char *
mb_model_text(const cJSON *json, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));
    return text != NULL ? text : "";
}

const char *
mb_model_format(const struct mb_cell *cell, double figure, char out[MB_FORMAT_MAX])
{
    switch (cell->measure) {
    case MB_MEASURE_BYTES_PER_SECOND:
        return mb_format_rate(figure, "B/s", out);
    case MB_MEASURE_OPS_PER_SECOND:
        return mb_format_rate(figure, "/s", out);
    case MB_MEASURE_SECONDS:
        break;
    }
    return mb_format_duration(figure * 1e9, out);
}

const char *
mb_model_measure(const struct mb_cell *cell, char out[64])
{
    switch (cell->measure) {
    case MB_MEASURE_BYTES_PER_SECOND:
        snprintf(out, 64, "throughput");
        return out;
    case MB_MEASURE_OPS_PER_SECOND:
        snprintf(out, 64, "%.40ss/s", cell->unit != NULL && *cell->unit != '\0' ? cell->unit : "op");
        return out;
    case MB_MEASURE_SECONDS:
        break;
    }
    snprintf(out, 64, "time");
    return out;
}
