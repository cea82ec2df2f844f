/* json.c: the summary with intervals as one JSON document, for programs; what is not known is null or absent, never NaN. */
#include <string.h>

#include "report/details_parts.h"
#include "report/escape.h"
#include "report/formats.h"
#include "report/words.h"

/* Of a cell's metrics, so many are named. */
#define METRICS_MOST 64

static void
put_text(struct mb_buffer *out, const char *key, const char *text)
{
    mb_buffer_printf(out, "\"%s\": ", key);
    if (text != NULL)
        mb_escape_json(out, text);
    else
        mb_buffer_puts(out, "null");
    mb_buffer_puts(out, ", ");
}

static void
put_number(struct mb_buffer *out, const char *key, double figure)
{
    mb_buffer_printf(out, "\"%s\": ", key);
    mb_json_number(out, figure);
    mb_buffer_puts(out, ", ");
}

/* Replace the comma and blank after the last member. */
static void
end_object(struct mb_buffer *out)
{
    if (out->len >= 2 && out->data[out->len - 2] == ',')
        out->data[out->len -= 2] = '\0';
    mb_buffer_putc(out, '}');
}

static void
put_range(struct mb_buffer *out, const char *key, double low, double high)
{
    mb_buffer_printf(out, "\"%s\": [", key);
    mb_json_number(out, low);
    mb_buffer_puts(out, ", ");
    mb_json_number(out, high);
    mb_buffer_puts(out, "], ");
}

static void
put_summary(struct mb_buffer *out, const struct mb_model *model, const struct mb_model_cell *c)
{
    const struct mb_digest *s = &c->summary;
    const struct mb_model_group *g = &model->groups[c->group];

    put_text(out, "measure", mb_measure_name(c->cell->measure));
    mb_buffer_printf(out, "\"n\": %zu, \"failed\": %zu, \"timeouts\": %zu, \"warmups\": %zu, ", s->n, c->failed, c->timeouts,
                     c->warmups);
    put_number(out, "median", s->median);
    put_range(out, "median_interval", s->low, s->high);
    put_number(out, "mean", s->mean);
    put_number(out, "stddev", s->stddev);
    put_number(out, "min", s->min);
    put_number(out, "max", s->max);
    put_text(out, "baseline", g->mounts[g->baseline]);
    put_number(out, "speed_ratio", c->ratio.value);
    put_range(out, "speed_ratio_interval", c->ratio.low, c->ratio.high);
}

static void
put_metric(struct mb_buffer *out, const struct mb_model *model, const struct mb_model_cell *c, const char *name)
{
    struct mb_details_numbers all;

    mb_details_metric(model, c, name, &all);
    mb_escape_json(out, name);
    mb_buffer_printf(out, ": {\"n\": %zu, ", all.n);
    put_number(out, "median", all.median);
    put_number(out, "max", all.most);
    end_object(out);
    mb_buffer_puts(out, ", ");
}

/* What the workload measures besides its figure. */
static void
put_metrics(struct mb_buffer *out, const struct mb_model *model, const struct mb_model_cell *c)
{
    const char *names[METRICS_MOST];
    size_t n = 0;

    for (size_t i = 0; i < c->sample_count; i++) {
        const struct mb_sample *s = &model->results->samples[c->samples[i]];
        for (size_t m = 0; m < s->metric_count; m++) {
            size_t at = 0;
            while (at < n && strcmp(names[at], s->metrics[m].name) != 0)
                at++;
            if (at < n || n == METRICS_MOST)
                continue;
            mb_buffer_puts(out, n == 0 ? "\"metrics\": {" : "");
            names[n++] = s->metrics[m].name;
            put_metric(out, model, c, s->metrics[m].name);
        }
    }
    if (n == 0)
        return;
    end_object(out);
    mb_buffer_puts(out, ", ");
}

static void
put_filesystem(struct mb_buffer *out, const struct mb_cell *cell)
{
    if (cell->fstype == NULL)
        return;
    mb_buffer_puts(out, "\"filesystem\": {");
    if (cell->technology != NULL)
        put_text(out, "technology", cell->technology);
    put_text(out, "fstype", cell->fstype);
    put_text(out, "source", cell->source);
    put_text(out, "options", cell->options);
    put_text(out, "super_options", cell->super_options);
    put_text(out, "device", cell->device);
    put_text(out, "root", cell->root);
    end_object(out);
    mb_buffer_puts(out, ", ");
}

static void
put_cell(struct mb_buffer *out, const struct mb_model *model, const struct mb_model_cell *c)
{
    const struct mb_model_group *g = &model->groups[c->group];

    mb_buffer_puts(out, "\n      {");
    put_text(out, "cell", c->cell->name);
    put_text(out, "engine", c->engine);
    put_text(out, "mount", c->cell->mount);
    put_text(out, "workload", c->cell->workload);
    put_text(out, "kind", c->cell->kind);
    put_text(out, "unit", c->cell->unit);
    put_text(out, "status", c->summary.n > 0 ? "measured" : mb_words_no_figure(c));
    put_text(out, "reason", c->cell->reason != NULL ? c->cell->reason : c->trouble);
    if (g->same[c->mount] > 0)
        mb_buffer_printf(out, "\"same_filesystem\": %zu, ", g->same[c->mount]);
    put_summary(out, model, c);
    put_metrics(out, model, c);
    put_filesystem(out, c->cell);
    if (c->cell->params != NULL) {
        mb_buffer_puts(out, "\"params\": ");
        mb_escape_json_tree(out, c->cell->params);
        mb_buffer_puts(out, ", ");
    }
    end_object(out);
}

static void
put_group(struct mb_buffer *out, const struct mb_model *model, const struct mb_model_group *g)
{
    const struct mb_run *run = g->run < model->results->run_count ? &model->results->runs[g->run] : NULL;

    mb_buffer_puts(out, "\n    {");
    put_text(out, "engine", model->merged == NULL ? g->engine : NULL);
    put_text(out, "run", run != NULL && model->merged == NULL ? run->id : NULL);
    put_text(out, "file", run != NULL && model->merged == NULL ? run->file : NULL);
    put_text(out, "baseline", g->mount_count > 0 ? g->mounts[g->baseline] : NULL);
    mb_buffer_puts(out, "\"cells\": [");
    for (size_t i = g->first_cell; i < g->first_cell + g->cell_count; i++) {
        mb_buffer_puts(out, i > g->first_cell ? "," : "");
        put_cell(out, model, &model->cells[i]);
    }
    mb_buffer_puts(out, "\n    ]}");
}

static int
render(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    const struct mb_results *r = model->results;
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(SIZE_MAX);

    (void)err;
    mb_buffer_puts(out,
                   "{\n  \"schema\": 1,\n  \"tool\": {\"name\": \"mountbench\", \"version\": \"" MB_VERSION "\"},\n  \"runs\": [");
    for (size_t i = 0; i < r->run_count; i++) {
        mb_buffer_puts(out, i > 0 ? ",\n    " : "\n    ");
        mb_escape_json_tree(out, r->runs[i].json);
    }
    mb_buffer_puts(out, "\n  ],\n  \"engines\": [");
    for (size_t i = 0; i < r->engine_count; i++) {
        mb_buffer_puts(out, i > 0 ? ",\n    " : "\n    ");
        mb_escape_json_tree(out, r->engines[i].json);
    }
    mb_buffer_puts(out, "\n  ],\n  \"groups\": [");
    for (size_t i = 0; i < model->group_count; i++) {
        mb_buffer_puts(out, i > 0 ? "," : "");
        put_group(out, model, &model->groups[i]);
    }
    mb_buffer_puts(out, "\n  ],\n  \"remarks\": [");
    for (size_t i = 0; mb_buffer_reset(&line), mb_words_remark(model, i, true, &line); i++) {
        mb_buffer_puts(out, i > 0 ? ",\n    " : "\n    ");
        mb_escape_json(out, mb_buffer_text(&line));
    }
    mb_buffer_puts(out, "\n  ]\n}\n");
    return 0;
}

const struct mb_report_format mb_format_json = {"json", "the summary with intervals, for programs", false, render};
