/* compare_print.c: comparisons for people: on a screen, in a README. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/compare.h"
#include "report/escape.h"
#include "report/grid.h"
#include "report/words.h"

/* From this width on verdicts are whole sentences. */
#define ROOMY 100
#define VERDICT_COLUMN 6

/* Where there is room, and where there is little. */
static const struct verdict_words {
    const char *words, *brief;
} verdicts[MB_COMPARE_VERDICTS] = {
    [MB_COMPARE_FASTER] = {"faster", "faster"},
    [MB_COMPARE_SLOWER] = {"slower", "slower"},
    [MB_COMPARE_SAME] = {"no difference shown", "no difference"},
    [MB_COMPARE_UNSURE] = {"cannot tell: too few trials", "too few trials"},
    [MB_COMPARE_MISSING] = {"no figure", "no figure"},
    [MB_COMPARE_REFUSED] = {"not compared", "not compared"},
};

/* Where things go for people: one of the two, by ${markdown}. */
struct page {
    const struct mb_comparison *c;
    struct mb_buffer *out;
    size_t width;
    bool markdown, unicode, colour;
    bool welch, whitney; /* which tests there are among the rows */
    struct mb_notes notes;
};

static const char *
times_sign(const struct page *page)
{
    return page->unicode ? "\xC3\x97" : "x";
}

/* Three digits: "0.68", "1.79", "12.4", "318". */
static void
print_factor(double factor, char out[32])
{
    if (!(factor > 0) || !isfinite(factor))
        *out = '\0';
    else if (factor < 0.0995)
        snprintf(out, 32, "%.2g", factor);
    else
        snprintf(out, 32, "%.*f", factor < 9.995 ? 2 : factor < 99.95 ? 1 : 0, factor < 1e9 ? factor : 1e9);
}

static void
print_p(double p, char out[16])
{
    if (isnan(p))
        *out = '\0';
    else if (p < 0.001)
        snprintf(out, 16, "<0.001");
    else
        snprintf(out, 16, "%.3f", p);
}

static void
put_ratio(struct mb_grid *grid, const struct page *page, const struct mb_compare_row *row)
{
    char ratio[32], low[32], high[32];

    print_factor(row->ratio, ratio);
    print_factor(row->interval.low, low);
    print_factor(row->interval.high, high);
    if (*ratio != '\0')
        mb_grid_put(grid, 3, "%s%s", times_sign(page), ratio);
    if (*low != '\0')
        mb_grid_put(grid, 4, "%s%s%s", low, page->unicode ? "\xE2\x80\x93" : "-", high);
}

static void
put_verdict(struct mb_grid *grid, struct page *page, const struct mb_compare_row *row)
{
    const struct verdict_words *words = &verdicts[row->verdict];
    const char *text = page->markdown || page->width >= ROOMY ? words->words : words->brief;
    char ratio[32];

    print_factor(row->ratio, ratio);
    if (row->why != NULL) {
        MB_AUTO_BUFFER why = MB_BUFFER_INIT(SIZE_MAX);
        mb_text_clean(&why, row->why, page->unicode);
        mb_grid_put(grid, VERDICT_COLUMN, "%s (%zu)", text, mb_notes_add(&page->notes, mb_buffer_text(&why)));
    } else if (row->verdict == MB_COMPARE_FASTER || row->verdict == MB_COMPARE_SLOWER) {
        mb_grid_put(grid, VERDICT_COLUMN, "%s %s%s", text, times_sign(page), ratio);
    } else {
        mb_grid_put(grid, VERDICT_COLUMN, "%s", text);
    }
}

static void
put_row(struct mb_grid *grid, struct page *page, const struct mb_compare_row *row)
{
    char text[MB_FORMAT_MAX], p[16];

    mb_grid_add_row(grid);
    mb_grid_put_clean(grid, 0, row->name, page->unicode);
    if (row->value_a.n > 0)
        mb_grid_put(grid, 1, "%s", mb_model_format(row->a, row->value_a.median, text));
    if (row->value_b.n > 0)
        mb_grid_put(grid, 2, "%s", mb_model_format(row->b, row->value_b.median, text));
    put_ratio(grid, page, row);
    print_p(row->p_corrected, p);
    mb_grid_put(grid, 5, "%s%s", p, row->welch && page->whitney && *p != '\0' ? " t" : "");
    put_verdict(grid, page, row);
}

static struct mb_grid *
make_grid(struct page *page)
{
    struct mb_grid *grid = mb_grid_new(7, NULL);

    if (grid == NULL)
        return NULL;
    for (size_t i = 1; i < VERDICT_COLUMN; i++)
        grid->align[i] = MB_ALIGN_RIGHT;
    mb_grid_add_row(grid);
    mb_grid_put(grid, 0, "cell");
    mb_grid_put(grid, 1, "A");
    mb_grid_put(grid, 2, "B");
    mb_grid_put(grid, 3, "B/A");
    mb_grid_put(grid, 4, "95 %%");
    mb_grid_put(grid, 5, "p");
    mb_grid_put(grid, VERDICT_COLUMN, "B is");
    for (size_t i = 0; i < page->c->row_count; i++)
        put_row(grid, page, &page->c->rows[i]);
    return grid;
}

/* A sentence, made harmless. */
static void
put_sentence(const struct page *page, const char *before, const char *text)
{
    MB_AUTO_BUFFER clean = MB_BUFFER_INIT(SIZE_MAX);

    mb_text_clean(&clean, text, page->unicode);
    if (page->markdown) {
        mb_buffer_puts(page->out, before);
        mb_escape_markdown(page->out, mb_buffer_text(&clean));
        mb_buffer_putc(page->out, '\n');
        return;
    }
    mb_text_wrap(page->out, mb_buffer_text(&clean), page->width, 2);
}

/* "12 rows: 3 faster, 2 slower, 7 no difference shown.  On the whole x1.10 (geometric mean of 12)." */
static void
summarise(const struct page *page, struct mb_buffer *text)
{
    const struct mb_comparison *c = page->c;
    char factor[32];
    bool first = true;

    mb_buffer_printf(text, "B against A, %zu row%s: ", c->row_count, c->row_count == 1 ? "" : "s");
    for (size_t i = 0; i < MB_COMPARE_VERDICTS; i++) {
        if (c->counts[i] > 0)
            mb_buffer_printf(text, "%s%zu %s", first ? "" : ", ", c->counts[i], verdicts[i].words);
        first = first && c->counts[i] == 0;
    }
    print_factor(c->mean_ratio, factor);
    if (c->mean_of > 1)
        mb_buffer_printf(text, "; on the whole %s%s (geometric mean of %zu)", times_sign(page), factor, c->mean_of);
    mb_buffer_putc(text, '.');
}

static void
put_head(const struct page *page)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(SIZE_MAX);
    const char *labels[] = {page->c->label_a, page->c->label_b};

    if (page->markdown)
        mb_buffer_puts(page->out, "## Comparison\n\n");
    summarise(page, &text);
    put_sentence(page, "", mb_buffer_text(&text));
    mb_buffer_puts(page->out, page->markdown ? "\n" : "");
    for (size_t i = 0; i < 2; i++) {
        mb_buffer_reset(&text);
        mb_buffer_printf(&text, "%c: %s", (char)('A' + (int)i), labels[i]);
        put_sentence(page, "- ", mb_buffer_text(&text));
    }
    mb_buffer_putc(page->out, '\n');
}

/* How the table is to be read. */
static void
put_method(const struct page *page)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(SIZE_MAX);
    char factor[32];

    mb_buffer_puts(&text, "Medians; B/A is the ratio of speeds (above 1, B is faster) with its 95 % interval");
    if (page->whitney)
        mb_buffer_puts(&text, "; p by Mann and Whitney's test");
    if (page->welch)
        mb_buffer_printf(&text, "; p %sby Welch's t test on logarithms%s", page->whitney ? "marked t " : "",
                         page->whitney ? ", the trials being too few for the other"
                                       : ", the trials being too few for Mann and Whitney's");
    if (page->whitney || page->welch)
        mb_buffer_puts(&text, ", corrected for the number of rows (Holm)");
    mb_buffer_putc(&text, '.');
    put_sentence(page, "", mb_buffer_text(&text));
    print_factor(page->c->noise, factor);
    if (*factor == '\0')
        return;
    mb_buffer_reset(&text);
    mb_buffer_printf(&text, "Mounts that are one filesystem differ here by up to %s%s: no ratio within that counts.",
                     times_sign(page), factor);
    put_sentence(page, "\n", mb_buffer_text(&text));
}

static void
put_foot(const struct page *page)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(SIZE_MAX);

    mb_buffer_putc(page->out, '\n');
    put_method(page);
    mb_buffer_puts(page->out, page->markdown && page->notes.count + page->c->remark_count > 0 ? "\n" : "");
    for (size_t i = 0; i < page->notes.count; i++) {
        mb_buffer_reset(&text);
        mb_buffer_printf(&text, "(%zu) %s", i + 1, page->notes.texts[i]);
        put_sentence(page, "- ", mb_buffer_text(&text));
    }
    for (size_t i = 0; i < page->c->remark_count; i++)
        put_sentence(page, "- ", page->c->remarks[i]);
}

static const char *
colour_of(enum mb_compare_verdict verdict)
{
    switch (verdict) {
    case MB_COMPARE_FASTER:
        return "\033[32m";
    case MB_COMPARE_SLOWER:
        return "\033[31m";
    case MB_COMPARE_MISSING:
    case MB_COMPARE_REFUSED:
        return "\033[33m";
    default:
        return "\033[2m";
    }
}

/* The plain table, each line's verdict (its last column) in its colour. */
static void
put_coloured(const struct page *page, const struct mb_grid *grid, const char *lines)
{
    for (size_t row = 0; *lines != '\0'; row++) {
        const char *end = strchr(lines, '\n');
        size_t length = end != NULL ? (size_t)(end - lines) : strlen(lines);
        const char *verdict = mb_grid_text(grid, row, VERDICT_COLUMN);
        size_t tail = strlen(verdict);
        bool whole = tail <= length && strncmp(lines + length - tail, verdict, tail) == 0;

        tail = row > 0 && whole ? tail : 0;
        mb_buffer_puts(page->out, row == 0 ? "\033[1m" : "");
        mb_buffer_append(page->out, lines, length - tail);
        if (tail > 0)
            mb_buffer_printf(page->out, "%s%s", colour_of(page->c->rows[row - 1].verdict), verdict);
        mb_buffer_puts(page->out, row == 0 || tail > 0 ? "\033[0m\n" : "\n");
        lines += length + (end != NULL);
    }
}

static void
put_table(struct page *page, struct mb_grid *grid)
{
    MB_AUTO_BUFFER plain = MB_BUFFER_INIT(SIZE_MAX);

    if (grid == NULL || grid->failed) {
        page->out->overflowed = true;
    } else if (page->markdown) {
        mb_grid_markdown(grid, page->out);
    } else {
        mb_grid_plain(grid, page->width, page->unicode, &plain);
        if (page->colour)
            put_coloured(page, grid, mb_buffer_text(&plain));
        else
            mb_buffer_puts(page->out, mb_buffer_text(&plain));
    }
    mb_grid_free(grid);
}

static void
render_page(const struct mb_comparison *c, const struct mb_compare_view *view, bool markdown, struct mb_buffer *out)
{
    struct page page = {.c = c,
                        .out = out,
                        .width = view->width > 0 ? view->width : 80,
                        .markdown = markdown,
                        .unicode = markdown || !view->ascii,
                        .colour = view->colour};

    for (size_t i = 0; i < c->row_count; i++) {
        page.welch = page.welch || (c->rows[i].welch && !isnan(c->rows[i].p));
        page.whitney = page.whitney || (!c->rows[i].welch && !isnan(c->rows[i].p));
    }
    put_head(&page);
    put_table(&page, make_grid(&page));
    put_foot(&page);
    mb_notes_free(&page.notes);
}

static void
render_terminal(const struct mb_comparison *const *c, size_t n, const struct mb_compare_view *view, struct mb_buffer *out)
{
    for (size_t i = 0; i < n; i++) {
        mb_buffer_puts(out, i > 0 ? "\n" : "");
        render_page(c[i], view, false, out);
    }
}

static void
render_markdown(const struct mb_comparison *const *c, size_t n, const struct mb_compare_view *view, struct mb_buffer *out)
{
    for (size_t i = 0; i < n; i++) {
        mb_buffer_puts(out, i > 0 ? "\n" : "");
        render_page(c[i], view, true, out);
    }
}

int
mb_comparison_render(const char *format, const struct mb_comparison *const *comparisons, size_t n,
                     const struct mb_compare_view *view, struct mb_buffer *out, struct mb_error *err)
{
    static const struct {
        const char *name;
        void (*render)(const struct mb_comparison *const *c, size_t n, const struct mb_compare_view *view, struct mb_buffer *out);
    } formats[] = {
        {"terminal", render_terminal}, {"markdown", render_markdown}, {"csv", mb_compare_csv}, {"json", mb_compare_json}};
    static const char *const names[] = {"terminal", "markdown", "csv", "json", NULL};

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, format) != 0)
            continue;
        formats[i].render(comparisons, n, view, out);
        return out->overflowed ? mb_error_set(err, MB_EIO, "out of memory while printing the comparison") : 0;
    }
    const char *near = mb_nearest(format, names);
    char shown[MB_PRINTABLE_MAX];
    mb_printable(format, shown);
    return near != NULL
               ? mb_error_set(err, MB_EUSAGE, "unknown format '%s' (did you mean '%s'?)", shown, near)
               : mb_error_set(err, MB_EUSAGE, "unknown format '%s'; comparisons have terminal, markdown, csv, json", shown);
}
