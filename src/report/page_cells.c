/* page_cells.c: the table of cells of the HTML page, its filters, its plots, and the data behind them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/axis.h"
#include "report/escape.h"
#include "report/names.h"
#include "report/page.h"
#include "report/words.h"

#define PLOT_WIDTH 240
#define PLOT_HEIGHT 26
#define LANES 5

/* A mount or workload has one number over all groups, by which it is filtered and sorted. */
struct axes {
    struct mb_names names;
    size_t *mounts, *workloads; /* a cell's numbers */
    const char **mount_names, **workload_names;
    size_t mount_count, workload_count;
};

static int
axes_make(const struct mb_model *model, struct axes *a)
{
    size_t n = model->cell_count + 1;

    memset(a, 0, sizeof *a);
    a->mounts = calloc(n, sizeof *a->mounts);
    a->workloads = calloc(n, sizeof *a->workloads);
    a->mount_names = calloc(n, sizeof *a->mount_names);
    a->workload_names = calloc(n, sizeof *a->workload_names);
    if (mb_names_init(&a->names, 2 * n) != 0 || a->mounts == NULL || a->workloads == NULL || a->mount_names == NULL ||
        a->workload_names == NULL)
        return -1;
    for (size_t g = 0; g < model->group_count; g++) {
        for (size_t m = 0; m < model->groups[g].mount_count; m++)
            a->mount_names[mb_names_index(&a->names, 0, model->groups[g].mounts[m], &a->mount_count)] = model->groups[g].mounts[m];
        for (size_t w = 0; w < model->groups[g].workload_count; w++) {
            const char *name = model->groups[g].workloads[w];
            a->workload_names[mb_names_index(&a->names, 1, name, &a->workload_count)] = name;
        }
    }
    for (size_t i = 0; i < model->cell_count; i++) {
        a->mounts[i] =
            mb_names_index(&a->names, 0, model->groups[model->cells[i].group].mounts[model->cells[i].mount], &a->mount_count);
        a->workloads[i] = mb_names_index(&a->names, 1, model->cells[i].cell->workload, &a->workload_count);
    }
    return 0;
}

static void
axes_free(struct axes *a)
{
    mb_names_free(&a->names);
    free(a->mounts);
    free(a->workloads);
    free(a->mount_names);
    free(a->workload_names);
}

static void
put_filter(struct mb_buffer *out, const char *axis, const char *title, const char *const *names, size_t n)
{
    mb_buffer_printf(out, "<label>%s<select data-axis=\"%s\"><option value=\"\">all</option>", title, axis);
    for (size_t i = 0; i < n; i++) {
        mb_buffer_printf(out, "<option value=\"%zu\">", i);
        mb_page_text(out, names[i]);
        mb_buffer_puts(out, "</option>");
    }
    mb_buffer_puts(out, "</select></label>\n");
}

static int
put_filters(const struct mb_model *model, const struct axes *a, struct mb_buffer *out)
{
    const char **engines = calloc(model->group_count + 1, sizeof *engines);

    if (engines == NULL)
        return -1;
    for (size_t i = 0; i < model->group_count; i++)
        engines[i] = model->groups[i].label;
    mb_buffer_puts(out, "<form class=\"filters js-only\">\n");
    if (model->merged == NULL)
        put_filter(out, "engine", "Engine", engines, model->group_count);
    put_filter(out, "mount", model->merged == NULL ? "Mount" : "Engine", a->mount_names, a->mount_count);
    put_filter(out, "workload", "Workload", a->workload_names, a->workload_count);
    mb_buffer_puts(out, "<label>Order<select id=\"order\"><option value=\"i 1\">as measured</option>"
                        "<option value=\"speed -1\">fastest first</option><option value=\"speed 1\">slowest first</option>"
                        "<option value=\"spread -1\">least certain first</option><option value=\"\" hidden>by a column</option>"
                        "</select></label>\n<button type=\"button\" id=\"reset\">Show all</button>\n</form>\n"
                        "<p class=\"soft\" id=\"shown\" role=\"status\"></p>\n");
    free(engines);
    return 0;
}

static void
put_table_head(const struct mb_model *model, struct mb_buffer *out)
{
    static const struct {
        const char *key, *title;
        int first; /* the direction of the first press */
        bool number;
    } columns[] = {
        {"workload", "Workload", 1, false}, {"mount", "Mount", 1, false}, {"engine", "Engine", 1, false},
        {"figure", "Median", -1, true},     {"speed", "Speed", -1, true}, {"verdict", "Verdict", 1, false},
        {"n", "Trials", -1, true},
    };

    mb_buffer_puts(
        out,
        "<table id=\"cells\" class=\"cards\" role=\"table\" tabindex=\"-1\">\n<caption>Speed is in times the baseline's: above 1 "
        "is faster, whatever the measure. In a plot a dot is a trial, the bar the 95&nbsp;% interval of the "
        "median, the tick the median, the dashed line the baseline's median; workloads have a scale each. "
        "<span class=\"js-only\">Point at a plot, or focus it and press the arrow keys, for each trial.</span>"
        "</caption>\n<thead role=\"rowgroup\"><tr role=\"row\">");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (strcmp(columns[i].key, "engine") == 0 && model->group_count < 2)
            continue;
        mb_buffer_printf(
            out,
            "<th scope=\"col\" role=\"columnheader\" data-sort=\"%s\" data-first=\"%d\"%s><button type=\"button\">%s</button></th>",
            columns[i].key, columns[i].first, columns[i].number ? " class=\"num\"" : "",
            model->merged != NULL && strcmp(columns[i].key, "mount") == 0 ? "Engine" : columns[i].title);
    }
    mb_buffer_puts(out, "<th scope=\"col\" role=\"columnheader\">Every trial</th></tr></thead>\n<tbody role=\"rowgroup\">\n");
}

static void
axis_of(const struct mb_model *model, const struct mb_model_cell *c, struct mb_axis *axis)
{
    struct mb_model_column column = mb_model_column(model, &model->groups[c->group], c->workload);
    double least = INFINITY, most = 0;

    for (size_t i = column.at; i < column.end; i++) {
        const struct mb_digest *s = &model->cells[i].summary;
        if (s->n > 0) {
            least = fmin(least, s->min);
            most = fmax(most, s->max);
        }
    }
    mb_axis_make(least, most, axis);
}

static void
put_dots(const struct mb_model_cell *c, const struct mb_axis *axis, struct mb_buffer *out)
{
    unsigned char taken[LANES][PLOT_WIDTH + 1] = {{0}};

    mb_buffer_puts(out, "<path class=\"d\" d=\"");
    for (size_t i = 0; i < c->summary.n; i++) {
        size_t place = (size_t)(mb_axis_place(axis, c->figures[i]) * PLOT_WIDTH + 0.5), lane = i * 3 % LANES;
        if (taken[lane][place]++ == 0)
            mb_buffer_printf(out, "M%zu %zuh0", place, 5 + lane * 4);
        taken[lane][place] = 1;
    }
    mb_buffer_puts(out, "\"/>");
}

static void
put_plot_line(struct mb_buffer *out, const char *style, double x1, int y1, double x2, int y2)
{
    mb_buffer_printf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>", style, x1 * PLOT_WIDTH, y1,
                     x2 * PLOT_WIDTH, y2);
}

static void
put_plot(const struct mb_model *model, const struct mb_model_cell *c, const struct mb_axis *axis, struct mb_buffer *out)
{
    const struct mb_model_group *g = &model->groups[c->group];
    const struct mb_model_cell *base = mb_model_find(model, g, g->baseline, c->workload);
    const struct mb_digest *s = &c->summary;
    char low[MB_FORMAT_MAX], high[MB_FORMAT_MAX];

    mb_buffer_printf(out,
                     "<svg class=\"plot\" role=\"img\" tabindex=\"0\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
                     "aria-label=\"%zu trial%s from %s to %s%s\">",
                     PLOT_WIDTH, PLOT_HEIGHT, s->n, s->n == 1 ? "" : "s", mb_model_format(c->cell, s->min, low),
                     mb_model_format(c->cell, s->max, high), axis->log ? ", logarithmic scale" : "");
    put_plot_line(out, "x", 0, PLOT_HEIGHT / 2, 1, PLOT_HEIGHT / 2);
    if (base != NULL && base->summary.n > 0) {
        double at = mb_axis_place(axis, base->summary.median);
        put_plot_line(out, "b", at, 0, at, PLOT_HEIGHT);
    }
    put_dots(c, axis, out);
    if (isfinite(s->low) && isfinite(s->high))
        put_plot_line(out, "i", mb_axis_place(axis, s->low), PLOT_HEIGHT / 2, mb_axis_place(axis, s->high), PLOT_HEIGHT / 2);
    double median = mb_axis_place(axis, s->median);
    put_plot_line(out, "m", median, 5, median, PLOT_HEIGHT - 5);
    mb_buffer_puts(out, "</svg>");
}

/* The attributes that the script filters and sorts by. */
static void
put_row_data(const struct mb_model *model, const struct axes *a, size_t i, const struct mb_axis *axis, struct mb_buffer *out)
{
    const struct mb_model_cell *c = &model->cells[i];
    const struct mb_digest *s = &c->summary;
    double spread = (s->high - s->low) / s->median;

    mb_buffer_printf(
        out, "<tr role=\"row\" data-cell=\"%zu\" data-engine=\"%zu\" data-mount=\"%zu\" data-workload=\"%zu\" data-n=\"%zu\"", i,
        c->group, a->mounts[i], a->workloads[i], s->n);
    if (s->n > 0)
        mb_buffer_printf(out, " data-figure=\"%.6g\"", (double)a->workloads[i] + 0.99 * mb_axis_place(axis, s->median));
    if (isfinite(c->ratio.value))
        mb_buffer_printf(out, " data-speed=\"%.6g\"", c->ratio.value);
    else if (c->mount == model->groups[c->group].baseline && s->n > 0)
        mb_buffer_puts(out, " data-speed=\"1\"");
    if (isfinite(spread))
        mb_buffer_printf(out, " data-spread=\"%.4g\"", spread);
    mb_buffer_printf(out, " data-verdict=\"%d\" class=\"%s\">", (int)c->verdict, mb_words_verdict_class(c->verdict));
}

static void
put_note(const struct mb_model *model, const struct mb_model_cell *c, struct mb_buffer *out)
{
    struct mb_notes notes = {NULL, 0};

    if (mb_words_cell_note(model, c, &notes) > 0) {
        mb_buffer_puts(out, "<span class=\"why\">");
        mb_escape_xml(out, notes.texts[0]);
        mb_buffer_puts(out, "</span>");
    }
    mb_notes_free(&notes);
}

static void
put_figures(const struct mb_model *model, const struct mb_model_cell *c, struct mb_buffer *out)
{
    bool base = c->mount == model->groups[c->group].baseline;
    char value[MB_FORMAT_MAX], spread[16], ratio[16];

    if (c->summary.n == 0) {
        mb_buffer_printf(out,
                         "<td role=\"cell\" class=\"num figure\"></td><td role=\"cell\" class=\"num speed\"></td>"
                         "<td role=\"cell\" class=\"verdict\"><span class=\"chip b\">%s</span></td>",
                         mb_words_no_figure(c));
        return;
    }
    mb_words_spread(c, spread);
    mb_words_ratio(c, base, true, ratio);
    mb_buffer_printf(out, "<td role=\"cell\" class=\"num figure\">%s", mb_model_format(c->cell, c->summary.median, value));
    if (*spread != '\0')
        mb_buffer_printf(out, " <span class=\"soft\">\xC2\xB1%s</span>", spread);
    mb_buffer_printf(
        out,
        "</td><td role=\"cell\" class=\"num speed\">%s</td><td role=\"cell\" class=\"verdict\"><span class=\"chip %s\">%s"
        "</span></td>",
        base ? "" : ratio, mb_words_verdict_class(c->verdict), base ? "baseline" : mb_words_verdict(c->verdict));
}

static void
put_row(const struct mb_model *model, const struct axes *a, size_t i, struct mb_buffer *out)
{
    const struct mb_model_cell *c = &model->cells[i];
    const struct mb_model_group *g = &model->groups[c->group];
    struct mb_axis axis;
    MB_AUTO_BUFFER mount = MB_BUFFER_INIT(SIZE_MAX);

    axis_of(model, c, &axis);
    put_row_data(model, a, i, &axis, out);
    mb_buffer_puts(out, "<td role=\"cell\" class=\"work\">");
    mb_page_name(out, c->cell->workload);
    mb_words_mount(g, c->mount, SIZE_MAX, true, &mount);
    mb_buffer_puts(out, "</td><th scope=\"row\" role=\"rowheader\">");
    mb_page_name(out, mb_buffer_text(&mount));
    mb_buffer_puts(out, "</th>");
    if (model->group_count > 1) {
        mb_buffer_puts(out, "<td role=\"cell\" class=\"engine\">");
        mb_page_name(out, g->label);
        mb_buffer_puts(out, "</td>");
    }
    put_figures(model, c, out);
    mb_buffer_printf(out, "<td role=\"cell\" class=\"num n\" data-label=\"trials\">%zu</td><td role=\"cell\" class=\"plots\">",
                     c->summary.n);
    if (c->summary.n > 0)
        put_plot(model, c, &axis, out);
    put_note(model, c, out);
    mb_buffer_puts(out, "</td></tr>\n");
}

void
mb_page_cells(const struct mb_model *model, struct mb_buffer *out)
{
    struct axes a;
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(SIZE_MAX);

    mb_buffer_puts(out, "<section aria-labelledby=\"h-cells\">\n<h2 id=\"h-cells\">Cells</h2>\n");
    if (axes_make(model, &a) != 0 || put_filters(model, &a, out) != 0)
        out->overflowed = true;
    put_table_head(model, out);
    for (size_t i = 0; i < model->cell_count && !out->overflowed; i++)
        put_row(model, &a, i, out);
    axes_free(&a);
    mb_buffer_puts(out, "</tbody>\n</table>\n");
    for (size_t g = 0; g < model->group_count; g++) {
        for (size_t set = 1; set <= model->groups[g].same_count; set++) {
            mb_buffer_reset(&line);
            mb_words_same(model, &model->groups[g], set, true, &line);
            mb_buffer_printf(out, "<p class=\"soft\">(%c) ", (char)('a' + (set - 1) % 26));
            mb_escape_xml(out, mb_buffer_text(&line));
            mb_buffer_puts(out, "</p>\n");
        }
    }
    mb_buffer_puts(out, "</section>\n");
}

/* {"axes": [[low, high, log, measure]...], "cells": [{"a": axis, "t": [figure or null a trial, in order]}...]} */
void
mb_page_data(const struct mb_model *model, struct mb_buffer *out)
{
    struct mb_axis axis;
    size_t axes = 0;

    mb_buffer_puts(out, "{\"axes\":[");
    for (size_t i = 0; i < model->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        if (i > 0 && c->workload == c[-1].workload && c->group == c[-1].group)
            continue;
        axis_of(model, c, &axis);
        mb_buffer_printf(out, "%s[%.6g,%.6g,%s,\"%s\"]", axes++ > 0 ? "," : "", axis.low, axis.high, axis.log ? "true" : "false",
                         mb_measure_name(c->cell->measure));
    }
    mb_buffer_puts(out, "],\"cells\":[");
    axes = 0;
    for (size_t i = 0; i < model->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        size_t n = 0;
        axes += i > 0 && (c->workload != c[-1].workload || c->group != c[-1].group);
        mb_buffer_printf(out, "%s{\"a\":%zu,\"t\":[", i > 0 ? "," : "", axes);
        for (size_t k = 0; k < c->sample_count; k++) {
            const struct mb_sample *s = &model->results->samples[c->samples[k]];
            double figure = mb_sample_figure(c->cell, s);
            if (s->warmup)
                continue;
            mb_buffer_puts(out, n++ > 0 ? "," : "");
            if (isfinite(figure))
                mb_buffer_printf(out, "%.5g", figure);
            else
                mb_buffer_puts(out, "null");
        }
        mb_buffer_puts(out, "]}");
    }
    mb_buffer_puts(out, "]}");
}
