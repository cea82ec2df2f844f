/*
 * terminal.c: the table for a screen: mounts down, workloads across, as many side by side as the width takes and the rest below.
 *
 * A workload is a block of parts: the median, its spread, the ratio to the baseline, a bar, and a mark that points to a footnote.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/details.h"
#include "report/formats.h"
#include "report/words.h"

#define GAP 3
#define BAR_LEAST 6
#define BAR_MOST 20
/* From this width on there is room for the details without asking. */
#define ROOMY 160

/* Widths of a workload's parts; a part that no cell has is 0. */
struct block {
    size_t workload;
    const struct mb_cell *sample; /* any of its cells: they are alike in measure */
    size_t value, spread, ratio, mark, bar;
    size_t word; /* the widest of "unavailable (1)" and the like */
    double most; /* the longest bar */
};

struct layout {
    const struct mb_model *model;
    const struct mb_model_group *group;
    struct mb_buffer *out;
    struct mb_notes notes;
    struct block *blocks;
    size_t label; /* columns of the mount's name */
    size_t width;
    bool unicode, colour;
};

static void
style(struct layout *l, const char *code)
{
    if (l->colour)
        mb_buffer_puts(l->out, code);
}

static size_t
wider(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t
parts_width(const struct block *b)
{
    return b->value + (b->spread > 0 ? 1 + b->spread : 0) + (b->ratio > 0 ? 1 + b->ratio : 0) + (b->mark > 0 ? 1 + b->mark : 0);
}

static size_t
block_width(const struct block *b)
{
    return wider(parts_width(b) + (b->bar > 0 ? 1 + b->bar : 0), b->word);
}

static void
measure_cell(struct layout *l, const struct mb_model_cell *c, struct block *b)
{
    char text[MB_FORMAT_MAX], mark[32] = "";
    size_t note = mb_words_cell_note(l->model, c, &l->notes);

    if (note > 0)
        snprintf(mark, sizeof mark, "(%zu)", note);
    if (c->summary.n == 0) {
        b->word = wider(b->word, strlen(mb_words_no_figure(c)) + (note > 0 ? 1 + strlen(mark) : 0));
        return;
    }
    b->value = wider(b->value, mb_text_width(mb_model_format(c->cell, c->summary.median, text)));
    size_t spread = strlen(mb_words_spread(c, text));
    b->spread = wider(b->spread, spread > 0 ? spread + (l->unicode ? 1 : 2) : 0);
    b->ratio = wider(b->ratio, mb_text_width(mb_words_ratio(c, c->mount == l->group->baseline, l->unicode, text)));
    b->mark = wider(b->mark, strlen(mark));
    b->most = fmax(b->most, c->summary.median);
}

static const char *
label_word(const struct layout *l)
{
    return l->model->merged == NULL ? "mount" : "engine";
}

static void
measure_blocks(struct layout *l)
{
    const struct mb_model_group *g = l->group;
    MB_AUTO_BUFFER name = MB_BUFFER_INIT(SIZE_MAX);

    for (size_t w = 0; w < g->workload_count; w++)
        l->blocks[w] = (struct block){.workload = w};
    for (size_t i = g->first_cell; i < g->first_cell + g->cell_count; i++) {
        struct block *b = &l->blocks[l->model->cells[i].workload];
        b->sample = l->model->cells[i].cell;
        measure_cell(l, &l->model->cells[i], b);
    }
    l->label = wider(l->label, mb_text_width(label_word(l)));
    for (size_t m = 0; m < g->mount_count; m++) {
        mb_buffer_reset(&name);
        mb_words_mount(g, m, SIZE_MAX, l->unicode, &name);
        l->label = wider(l->label, mb_text_width(mb_buffer_text(&name)));
    }
    size_t most = l->width >= 120 ? 40 : l->width * 3 / 10;
    l->label = l->label > most ? most : l->label;
}

static void
put_bar(struct layout *l, double share, size_t columns)
{
    static const char *const eighths[] = {
        "", "\xE2\x96\x8F", "\xE2\x96\x8E", "\xE2\x96\x8D", "\xE2\x96\x8C", "\xE2\x96\x8B", "\xE2\x96\x8A", "\xE2\x96\x89"};
    size_t steps = (size_t)(share * (double)columns * (l->unicode ? 8 : 1) + 0.5);
    size_t whole = l->unicode ? steps / 8 : steps;

    mb_text_repeat(l->out, l->unicode ? "\xE2\x96\x88" : "#", whole);
    if (l->unicode && steps % 8 > 0) {
        mb_buffer_puts(l->out, eighths[steps % 8]);
        whole++;
    }
    mb_text_repeat(l->out, " ", columns - whole);
}

static const char *
verdict_colour(const struct mb_model_cell *c)
{
    if (c->verdict == MB_VERDICT_FASTER)
        return "\033[32m";
    return c->verdict == MB_VERDICT_SLOWER ? "\033[31m" : "";
}

static void
put_ratio(struct layout *l, const struct mb_model_cell *c, const struct block *b)
{
    char text[16];
    const char *colour = verdict_colour(c);

    mb_buffer_putc(l->out, ' ');
    style(l, colour);
    mb_text_pad(l->out, mb_words_ratio(c, c->mount == l->group->baseline, l->unicode, text), b->ratio, MB_ALIGN_RIGHT);
    style(l, *colour != '\0' ? "\033[0m" : "");
}

static void
put_cell(struct layout *l, const struct mb_model_cell *c, const struct block *b)
{
    char text[MB_FORMAT_MAX], spread[24] = "", mark[32] = "";
    size_t note = mb_words_cell_note(l->model, c, &l->notes);
    size_t start = block_width(b), used;

    if (note > 0)
        snprintf(mark, sizeof mark, "(%zu)", note);
    if (c->summary.n == 0) {
        style(l, "\033[2m");
        mb_buffer_printf(l->out, "%s%s%s", mb_words_no_figure(c), note > 0 ? " " : "", mark);
        style(l, "\033[0m");
        used = strlen(mb_words_no_figure(c)) + (note > 0 ? 1 + strlen(mark) : 0);
        mb_text_repeat(l->out, " ", start - used);
        return;
    }
    mb_text_pad(l->out, mb_model_format(c->cell, c->summary.median, text), b->value, MB_ALIGN_RIGHT);
    if (b->spread > 0) {
        mb_words_spread(c, text);
        if (*text != '\0')
            snprintf(spread, sizeof spread, "%s%.15s", l->unicode ? "\xC2\xB1" : "+-", text);
        mb_buffer_putc(l->out, ' ');
        mb_text_pad(l->out, spread, b->spread, MB_ALIGN_RIGHT);
    }
    if (b->ratio > 0)
        put_ratio(l, c, b);
    if (b->mark > 0) {
        mb_buffer_putc(l->out, ' ');
        mb_text_pad(l->out, mark, b->mark, MB_ALIGN_LEFT);
    }
    used = parts_width(b);
    if (b->bar > 0) {
        mb_buffer_putc(l->out, ' ');
        put_bar(l, b->most > 0 ? c->summary.median / b->most : 0, b->bar);
        used += 1 + b->bar;
    }
    mb_text_repeat(l->out, " ", start - used);
}

/* End a line without the blanks at its end. */
static void
end_line(struct mb_buffer *out)
{
    while (out->len > 0 && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
    mb_buffer_putc(out, '\n');
}

static void
put_clean_cut(struct layout *l, const char *name, size_t columns)
{
    MB_AUTO_BUFFER clean = MB_BUFFER_INIT(SIZE_MAX);

    mb_text_clean(&clean, name, l->unicode);
    size_t used = mb_text_cut(l->out, mb_buffer_text(&clean), columns, l->unicode);
    mb_text_repeat(l->out, " ", columns - used);
}

/* What the figures of a workload are, and whether more of it is worse. */
static const char *
measure_words(const struct mb_cell *cell, char out[96])
{
    char measure[64];
    snprintf(out, 96, "%s%s", mb_model_measure(cell, measure), cell->measure == MB_MEASURE_SECONDS ? ", less is better" : "");
    return out;
}

static void
put_head(struct layout *l, const struct block *blocks, size_t n)
{
    char words[96];

    style(l, "\033[1m");
    mb_text_pad(l->out, "", l->label, MB_ALIGN_LEFT);
    for (size_t i = 0; i < n; i++) {
        mb_text_repeat(l->out, " ", GAP);
        put_clean_cut(l, l->group->workloads[blocks[i].workload], block_width(&blocks[i]));
    }
    end_line(l->out);
    style(l, "\033[0m");
    put_clean_cut(l, label_word(l), l->label);
    for (size_t i = 0; i < n; i++) {
        mb_text_repeat(l->out, " ", GAP);
        put_clean_cut(l, measure_words(blocks[i].sample, words), block_width(&blocks[i]));
    }
    end_line(l->out);
    for (size_t i = 0; i <= n; i++) {
        mb_text_repeat(l->out, l->unicode ? "\xE2\x94\x80" : "-", i == 0 ? l->label : block_width(&blocks[i - 1]));
        mb_text_repeat(l->out, " ", i < n ? GAP : 0);
    }
    mb_buffer_putc(l->out, '\n');
}

/* A row for every mount that has a cell in one of these workloads. */
static int
put_rows(struct layout *l, const struct block *blocks, size_t n)
{
    struct mb_model_column *columns = calloc(n, sizeof *columns);
    const struct mb_model_cell **row = calloc(n, sizeof(void *));
    MB_AUTO_BUFFER name = MB_BUFFER_INIT(SIZE_MAX);
    size_t mount = MB_NONE;

    for (size_t i = 0; columns != NULL && i < n; i++)
        columns[i] = mb_model_column(l->model, l->group, blocks[i].workload);
    while (columns != NULL && row != NULL && (mount = mb_model_next_row(l->model, columns, n, row)) != MB_NONE) {
        mb_buffer_reset(&name);
        mb_words_mount(l->group, mount, l->label, l->unicode, &name);
        mb_text_pad(l->out, mb_buffer_text(&name), l->label, MB_ALIGN_LEFT);
        for (size_t i = 0; i < n; i++) {
            mb_text_repeat(l->out, " ", GAP);
            if (row[i] != NULL)
                put_cell(l, row[i], &blocks[i]);
            else
                mb_text_repeat(l->out, " ", block_width(&blocks[i]));
        }
        end_line(l->out);
    }
    int rc = columns != NULL && row != NULL ? 0 : -1;
    free(columns);
    free(row);
    return rc;
}

/* How many workloads from ${first} on fit side by side, each with a bar of the least length; at least one. */
static size_t
fitting(const struct layout *l, const struct block *blocks, size_t n)
{
    size_t used = l->label, count = 0;

    while (count < n) {
        size_t width = wider(parts_width(&blocks[count]) + 1 + BAR_LEAST, blocks[count].word) + GAP;
        if (count > 0 && used + width > l->width)
            break;
        used += width;
        count++;
    }
    return count;
}

/* Divide what is left of the width among the bars. */
static void
stretch(const struct layout *l, struct block *blocks, size_t n)
{
    for (size_t bar = BAR_LEAST; bar <= BAR_MOST; bar++) {
        size_t used = l->label;
        for (size_t i = 0; i < n; i++) {
            struct block wide = blocks[i];
            wide.bar = wide.value > 0 ? bar : 0;
            used += GAP + block_width(&wide);
        }
        for (size_t i = 0; i < n && used <= l->width; i++)
            blocks[i].bar = blocks[i].value > 0 ? bar : 0;
    }
}

static int
put_group(struct layout *l)
{
    int rc = 0;

    l->blocks = calloc(l->group->workload_count + 1, sizeof *l->blocks);
    if (l->blocks == NULL)
        return -1;
    measure_blocks(l);
    for (size_t w = 0; w < l->group->workload_count && rc == 0;) {
        struct block *blocks = &l->blocks[w];
        size_t n = fitting(l, blocks, l->group->workload_count - w);
        mb_buffer_putc(l->out, '\n');
        stretch(l, blocks, n);
        put_head(l, blocks, n);
        rc = put_rows(l, blocks, n);
        w += n;
    }
    free(l->blocks);
    return rc;
}

static void
put_foot(struct layout *l)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(SIZE_MAX);

    if (l->notes.count + l->group->same_count > 0)
        mb_buffer_putc(l->out, '\n');
    for (size_t i = 0; i < l->notes.count; i++) {
        mb_buffer_reset(&line);
        mb_buffer_printf(&line, "(%zu) %s", i + 1, l->notes.texts[i]);
        mb_text_wrap(l->out, mb_buffer_text(&line), l->width, 4);
    }
    for (size_t set = 1; set <= l->group->same_count; set++) {
        mb_buffer_reset(&line);
        mb_buffer_printf(&line, "(%c) ", (char)('a' + (set - 1) % 26));
        mb_words_same(l->model, l->group, set, l->unicode, &line);
        mb_text_wrap(l->out, mb_buffer_text(&line), l->width, 4);
    }
}

static void
put_details(struct layout *l, bool roomy)
{
    struct mb_grid *grid;

    for (size_t i = 0; mb_details(l->model, l->group, i, roomy, l->unicode, &grid); i++) {
        if (grid == NULL)
            continue;
        mb_buffer_putc(l->out, '\n');
        style(l, "\033[1m");
        mb_buffer_puts(l->out, grid->title);
        style(l, "\033[0m");
        mb_buffer_putc(l->out, '\n');
        mb_grid_plain(grid, l->width, l->unicode, l->out);
        mb_grid_free(grid);
    }
}

static void
put_remarks(const struct mb_model *model, struct layout *l)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(SIZE_MAX);

    for (size_t i = 0; mb_buffer_reset(&line), mb_words_remark(model, i, l->unicode, &line); i++) {
        mb_buffer_puts(l->out, i == 0 ? "\n" : "");
        mb_text_wrap(l->out, mb_buffer_text(&line), l->width, 2);
    }
}

static int
render(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    const struct mb_report_options *o = model->options;
    size_t width = o->width > 0 ? o->width : 80;
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(SIZE_MAX);
    int rc = 0;

    for (size_t i = 0; i < model->group_count && rc == 0; i++) {
        struct layout l = {model, &model->groups[i], out, {NULL, 0}, NULL, 0, width, !o->ascii, o->colour};
        mb_buffer_puts(out, i > 0 ? "\n" : "");
        mb_buffer_reset(&line);
        mb_words_heading(l.group, l.unicode, &line);
        mb_text_wrap(out, mb_buffer_text(&line), width, 2);
        mb_buffer_reset(&line);
        mb_words_method(model, l.group, l.unicode, &line);
        mb_words_mounted(model, l.group, l.unicode, &line);
        mb_text_wrap(out, mb_buffer_text(&line), width, 0);
        rc = put_group(&l);
        put_foot(&l);
        mb_notes_free(&l.notes);
        put_details(&l, width >= ROOMY);
    }
    if (model->group_count == 0)
        mb_buffer_puts(out, "Nothing was measured: there are no cells.\n");
    struct layout l = {.out = out, .width = width, .unicode = !o->ascii};
    put_remarks(model, &l);
    return rc == 0 ? 0 : mb_error_set(err, MB_EIO, "out of memory while making the report");
}

const struct mb_report_format mb_format_terminal = {"terminal", "aligned tables with bars, for a screen", false, render};
