/*
 * chart.c: the SVG of all groups: panels of one workload each, rows of one mount each, as many panels beside each other as keep
 * the picture from growing into a ribbon.
 */
#include "report/chart.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/axis.h"
#include "report/escape.h"
#include "report/words.h"

#define MARGIN 24
#define PANEL 860 /* a panel's width */
#define LABEL 170
#define FIGURE 200 /* at the right: median, spread, ratio */
#define PLOT (PANEL - LABEL - FIGURE)
#define ROW 24
#define PANEL_HEAD 40
#define PANEL_FOOT 34
#define GROUP_HEAD 56
/* Rows of dots within a row of the chart, so that dots on one place show side by side. */
#define LANES 7
/* Places along a row that dots are told apart at, a pixel. */
#define PLACES 2

struct chart {
    const struct mb_model *model;
    struct mb_buffer *out;
    unsigned char *taken;  /* which places of a row have a dot: LANES * (PLOT * PLACES + 1) */
    struct mb_notes notes; /* of the group at hand */
    unsigned columns;
    unsigned heights[16]; /* how far down each column is filled */
};

static const char light_style[] =
    "text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Noto Sans CJK JP',sans-serif;fill:#1f2328}"
    ".h{font-size:17px;font-weight:600}.w{font-size:14px;font-weight:600}.s{fill:#59636e}.n{font-variant-numeric:tabular-nums}"
    ".bg{fill:#fff}.grid{stroke:#d1d9e0;stroke-width:1}.base{stroke:#59636e;stroke-width:1;stroke-dasharray:3 3}"
    ".dot{stroke-width:5;stroke-linecap:round;fill:none;stroke-opacity:.45;stroke:#6e7781}"
    ".bar{stroke-width:3;stroke-opacity:.9;stroke:#424a53}.mid{stroke-width:3;stroke:#1f2328}"
    ".dot.f{stroke:#0969da}.bar.f{stroke:#0550ae}.dot.l{stroke:#bc4c00}.bar.l{stroke:#953800}.f "
    "text,text.f{fill:#0550ae}text.l{fill:#953800}";
static const char dark_style[] =
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.bg{fill:#0d1117}.grid{stroke:#30363d}.base{stroke:#"
    "9198a1}"
    ".dot{stroke:#8b949e}.bar{stroke:#b1bac4}.mid{stroke:#f0f6fc}.dot.f{stroke:#4493f8}.bar.f{stroke:#79c0ff}.dot.l{stroke:#f0883e}"
    ".bar.l{stroke:#ffa657}text.f{fill:#79c0ff}text.l{fill:#ffa657}}";

static void
put_text(struct chart *c, double x, double y, const char *style, const char *text)
{
    mb_buffer_printf(c->out, "<text x=\"%g\" y=\"%g\" class=\"%s\">", x, y, style);
    mb_escape_xml(c->out, text);
    mb_buffer_puts(c->out, "</text>\n");
}

/* The trials of a cell as one path of points; a place that has a dot in every lane takes no more. */
static void
put_dots(struct chart *c, const struct mb_model_cell *cell, const struct mb_axis *axis, double x, double y)
{
    size_t width = PLOT * PLACES + 1;
    bool any = false;

    memset(c->taken, 0, width * LANES);
    for (size_t i = 0; i < cell->sample_count; i++) {
        const struct mb_sample *s = &c->model->results->samples[cell->samples[i]];
        double figure = s->warmup ? NAN : mb_sample_figure(cell->cell, s);
        if (!isfinite(figure))
            continue;
        size_t place = (size_t)(mb_axis_place(axis, figure) * PLOT * PLACES + 0.5);
        size_t lane = (s->round * 5) % LANES;
        if (c->taken[lane * width + place]++ > 0) {
            c->taken[lane * width + place] = 1;
            continue;
        }
        if (!any)
            mb_buffer_printf(c->out, "<path class=\"dot %s\" d=\"", mb_words_verdict_class(cell->verdict));
        any = true;
        mb_buffer_printf(c->out, "M%g %gh0", x + (double)place / PLACES, y + ((double)lane - (LANES - 1) / 2.0) * 2);
    }
    mb_buffer_puts(c->out, any ? "\"/>\n" : "");
}

static void
put_line(struct chart *c, const char *style, double x1, double y1, double x2, double y2)
{
    mb_buffer_printf(c->out, "<line class=\"%s\" x1=\"%.5g\" y1=\"%.6g\" x2=\"%.5g\" y2=\"%.6g\"/>\n", style, x1, y1, x2, y2);
}

static void
put_figure(struct chart *c, const struct mb_model_cell *cell, double x, double y)
{
    char value[MB_FORMAT_MAX], spread[16], ratio[16], text[96], style[16], mark[32] = "";
    bool base = cell->mount == c->model->groups[cell->group].baseline;
    size_t note = mb_words_cell_note(c->model, cell, &c->notes);

    if (note > 0)
        snprintf(mark, sizeof mark, "(%zu)", note);
    if (cell->summary.n == 0) {
        snprintf(text, sizeof text, "%s %s", mb_words_no_figure(cell), mark);
        put_text(c, x, y, "s", text);
        return;
    }
    mb_model_format(cell->cell, cell->summary.median, value);
    mb_words_spread(cell, spread);
    mb_words_ratio(cell, base, true, ratio);
    snprintf(text, sizeof text, "%s%s%s", value, *spread != '\0' ? " \xC2\xB1" : "", spread);
    put_text(c, x, y, "n", text);
    snprintf(style, sizeof style, "n %s%s", base ? "s" : "", mb_words_verdict_class(cell->verdict));
    put_text(c, x + 122, y, style, ratio);
    if (note > 0)
        put_text(c, x + 168, y, "s", mark);
}

static void
put_row(struct chart *c, const struct mb_model_cell *cell, const struct mb_axis *axis, double x, double y)
{
    const struct mb_model_group *g = &c->model->groups[cell->group];
    double middle = y + ROW / 2.0;
    char style[16];
    MB_AUTO_BUFFER name = MB_BUFFER_INIT(SIZE_MAX);

    mb_words_mount(g, cell->mount, 24, true, &name);
    put_text(c, x, middle + 4.5, "", mb_buffer_text(&name));
    put_figure(c, cell, x + LABEL + PLOT + 14, middle + 4.5);
    if (cell->summary.n == 0)
        return;
    put_dots(c, cell, axis, x + LABEL, middle);
    snprintf(style, sizeof style, "bar %s", mb_words_verdict_class(cell->verdict));
    if (isfinite(cell->summary.low) && isfinite(cell->summary.high))
        put_line(c, style, x + LABEL + mb_axis_place(axis, cell->summary.low) * PLOT, middle,
                 x + LABEL + mb_axis_place(axis, cell->summary.high) * PLOT, middle);
    double median = x + LABEL + mb_axis_place(axis, cell->summary.median) * PLOT;
    put_line(c, "mid", median, middle - 8, median, middle + 8);
}

static void
put_axis(struct chart *c, const struct mb_cell *cell, const struct mb_axis *axis, double x, double top, double bottom)
{
    char text[MB_FORMAT_MAX];
    double last = -1000;

    for (size_t i = 0; i < axis->tick_count; i++) {
        double at = x + mb_axis_place(axis, axis->ticks[i]) * PLOT;
        put_line(c, "grid", at, top, at, bottom);
        if (at - last < 62)
            continue;
        last = at;
        mb_buffer_printf(c->out, "<text x=\"%.5g\" y=\"%.6g\" text-anchor=\"middle\" class=\"s n\">%s</text>\n", at, bottom + 16,
                         axis->ticks[i] > 0 ? mb_model_format(cell, axis->ticks[i], text) : "0");
    }
}

static void
axis_of(const struct mb_model *model, const struct mb_model_column *column, struct mb_axis *axis)
{
    double least = INFINITY, most = 0;

    for (size_t i = column->at; i < column->end; i++) {
        const struct mb_digest *s = &model->cells[i].summary;
        if (s->n > 0) {
            least = fmin(least, s->min);
            most = fmax(most, s->max);
        }
    }
    mb_axis_make(least, most, axis);
}

/* The column that is filled least; its place in *x and *y, and the panel's height added to it. */
static void
take_place(struct chart *c, unsigned height, double *x, double *y)
{
    unsigned best = 0;

    for (unsigned i = 1; i < c->columns; i++)
        best = c->heights[i] < c->heights[best] ? i : best;
    *x = MARGIN + best * (PANEL + MARGIN);
    *y = c->heights[best];
    c->heights[best] += height;
}

static void
put_panel(struct chart *c, const struct mb_model_group *group, size_t workload)
{
    struct mb_model_column column = mb_model_column(c->model, group, workload);
    const struct mb_cell *cell = c->model->cells[column.at].cell;
    size_t rows = column.end - column.at;
    struct mb_axis axis;
    double x, y;
    char measure[64], words[160];
    MB_AUTO_BUFFER name = MB_BUFFER_INIT(SIZE_MAX);

    take_place(c, (unsigned)(PANEL_HEAD + rows * ROW + PANEL_FOOT), &x, &y);
    axis_of(c->model, &column, &axis);
    mb_words_name(cell->workload, true, &name);
    put_text(c, x, y + 20, "w", mb_buffer_text(&name));
    snprintf(words, sizeof words, "%s%s%s", mb_model_measure(cell, measure),
             cell->measure == MB_MEASURE_SECONDS ? ", less is better" : ", more is better", axis.log ? ", log scale" : "");
    put_text(c, x + LABEL, y + 20, "s", words);
    double top = y + PANEL_HEAD - 8, bottom = y + PANEL_HEAD + (double)rows * ROW + 2;
    put_axis(c, cell, &axis, x + LABEL, top, bottom);
    const struct mb_model_cell *base = mb_model_find(c->model, group, group->baseline, workload);
    if (base != NULL && base->summary.n > 0) {
        double at = x + LABEL + mb_axis_place(&axis, base->summary.median) * PLOT;
        put_line(c, "base", at, top, at, bottom);
    }
    for (size_t i = 0; i < rows; i++)
        put_row(c, &c->model->cells[column.at + i], &axis, x, y + PANEL_HEAD + (double)(i * ROW));
}

static void
level(struct chart *c)
{
    unsigned most = 0;

    for (unsigned i = 0; i < c->columns; i++)
        most = c->heights[i] > most ? c->heights[i] : most;
    for (unsigned i = 0; i < c->columns; i++)
        c->heights[i] = most;
}

/* A sentence under a heading, over as many lines as it needs. */
static void
put_sentence(struct chart *c, const char *text)
{
    MB_AUTO_BUFFER wrapped = MB_BUFFER_INIT(SIZE_MAX);

    mb_text_wrap(&wrapped, text, (size_t)c->columns * 130, 0);
    char *rest = wrapped.data;
    for (char *line = strtok_r(wrapped.data, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        put_text(c, MARGIN, c->heights[0] + 16, "s", line);
        c->heights[0] += 19;
    }
    level(c);
}

static void
put_notes(struct chart *c, const struct mb_model_group *group)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(SIZE_MAX);

    for (size_t i = 0; i < c->notes.count; i++) {
        mb_buffer_reset(&text);
        mb_buffer_printf(&text, "(%zu) %s", i + 1, c->notes.texts[i]);
        put_sentence(c, mb_buffer_text(&text));
    }
    for (size_t set = 1; set <= group->same_count; set++) {
        mb_buffer_reset(&text);
        mb_buffer_printf(&text, "(%c) ", (char)('a' + (set - 1) % 26));
        mb_words_same(c->model, group, set, true, &text);
        put_sentence(c, mb_buffer_text(&text));
    }
    mb_notes_free(&c->notes);
}

static void
put_group(struct chart *c, const struct mb_model_group *group)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(SIZE_MAX);

    mb_words_name(group->label, true, &text);
    put_text(c, MARGIN, c->heights[0] + 24, "h", mb_buffer_text(&text));
    c->heights[0] += 32;
    mb_buffer_reset(&text);
    mb_words_engine(group, true, &text);
    if (text.len > 0)
        put_sentence(c, mb_buffer_text(&text));
    mb_buffer_reset(&text);
    mb_words_method(c->model, group, true, &text);
    mb_buffer_puts(&text, " A dot is a trial, the bar the interval, the tick the median, the dashed line the baseline's median.");
    put_sentence(c, mb_buffer_text(&text));
    c->heights[0] += 10;
    level(c);
    for (size_t w = 0; w < group->workload_count; w++)
        put_panel(c, group, w);
    level(c);
    put_notes(c, group);
}

/* So many panels beside each other that the picture is at most some four times as high as wide. */
static unsigned
choose_columns(const struct mb_model *model)
{
    double height = 0;

    for (size_t i = 0; i < model->group_count; i++)
        height += (double)model->groups[i].workload_count * (PANEL_HEAD + PANEL_FOOT) + (double)model->groups[i].cell_count * ROW;
    double columns = ceil(sqrt(height / (4.0 * PANEL)));
    return columns < 1 ? 1 : columns > 16 ? 16 : (unsigned)columns;
}

int
mb_chart_svg(const struct mb_model *model, bool dark, struct mb_chart_size *size, struct mb_buffer *out, struct mb_error *err)
{
    MB_AUTO_BUFFER body = MB_BUFFER_INIT(MB_REPORT_MAX_BYTES);
    struct chart c = {.model = model, .out = &body, .columns = choose_columns(model)};

    c.taken = calloc(LANES, PLOT * PLACES + 1);
    if (c.taken == NULL)
        return mb_error_set(err, MB_EIO, "out of memory while drawing");
    for (size_t i = 0; i < model->group_count; i++) {
        c.heights[0] += 8;
        put_group(&c, &model->groups[i]);
    }
    if (model->group_count == 0)
        put_sentence(&c, "Nothing was measured: there are no cells.");
    free(c.taken);
    size->width = MARGIN + c.columns * (PANEL + MARGIN);
    size->height = c.heights[0] + MARGIN;
    mb_buffer_printf(out,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" "
                     "aria-label=\"Every trial of every cell, by workload and mount\">\n<style>%s%s</style>\n"
                     "<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n",
                     size->width, size->height, size->width, size->height, light_style, dark ? dark_style : "");
    mb_buffer_append(out, mb_buffer_text(&body), body.len);
    mb_buffer_puts(out, "</svg>\n");
    out->overflowed = out->overflowed || body.overflowed;
    return 0;
}
