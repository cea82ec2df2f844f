/*
 * published_compare.c: an article's rows beside a measured run's.
 *
 * Seconds on one machine say nothing about seconds on another; what can be held against each other is how the rows of a table
 * stand to its baseline, and in which order they come.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/grid.h"
#include "report/published.h"

/* A row in both worlds, for one column. */
struct pair {
    const struct mb_published_row *row;
    struct mb_series published, measured;
    size_t cell; /* the first measured cell that stands for the row, SIZE_MAX when there is none */
};

struct comparison {
    const struct mb_published *published;
    const struct mb_results *results;
    const struct mb_published_table *table;
    const struct mb_published_column *column;
    struct pair *pairs; /* the baseline first, when it is no row of the table */
    size_t pair_count;
    const struct pair *base; /* NULL: no row has both */
};

/* The ${i}th quantity of a measured trial that stands for the column. */
static const char *
measured_quantity(const struct mb_published_column *column, size_t i)
{
    return i < column->measured_count ? column->measured[i] : column->quantity;
}

static size_t
quantity_count(const struct mb_published_column *column)
{
    return column->measured_count > 0 ? column->measured_count : 1;
}

/* Whether the ${i}th printed figure is ${row}'s in this column, in whatever table. */
static bool
is_figure(const struct comparison *c, size_t i, const struct mb_published_row *row)
{
    const struct mb_published_figure *figure = &c->published->figures[i];
    return strcmp(figure->row, row->name) == 0 && strcmp(figure->column, c->column->name) == 0;
}

/* Bring the series into the column's unit. */
static void
scale(struct mb_series *series, double unit)
{
    for (size_t i = 0; i < series->n; i++)
        series->values[i] /= unit;
}

/* The trials; where the article prints none, its figure. */
static void
take_published(const struct comparison *c, struct pair *pair)
{
    const struct mb_published *p = c->published;
    size_t cell = mb_published_cell(p, pair->row->at, c->column->workload);

    mb_published_trials(p->results, cell, c->column->quantity, &pair->published);
    scale(&pair->published, c->column->unit);
    for (size_t i = 0; i < p->figure_count && pair->published.n == 0; i++) {
        if (is_figure(c, i, pair->row))
            pair->published.values[pair->published.n++] = strtod(p->figures[i].text, NULL);
    }
}

static bool
stands_for(const struct mb_published_row *row, const char *place)
{
    const cJSON *glob;

    if (row->at != NULL && strcmp(row->at, place) == 0)
        return true;
    cJSON_ArrayForEach(glob, row->like)
    {
        if (cJSON_IsString(glob) && fnmatch(glob->valuestring, place, 0) == 0)
            return true;
    }
    return false;
}

/* Append one quantity of every measured trial that stands for ${row}; the first such cell, or SIZE_MAX. */
static size_t
collect(const struct comparison *c, const struct mb_published_row *row, const char *quantity, struct mb_series *series)
{
    size_t first = SIZE_MAX;

    for (size_t i = 0; i < c->results->cell_count; i++) {
        const struct mb_cell *cell = &c->results->cells[i];
        MB_AUTO_BUFFER place = MB_BUFFER_INIT(4096);
        mb_buffer_printf(&place, "%s/%s", cell->engine, cell->mount);
        if (strcmp(cell->workload, c->column->workload) != 0 || !stands_for(row, mb_buffer_text(&place)))
            continue;
        first = first == SIZE_MAX ? i : first;
        mb_published_trials(c->results, i, quantity, series);
    }
    return first;
}

static void
take_measured(const struct comparison *c, struct pair *pair)
{
    for (size_t i = 0; i < quantity_count(c->column); i++)
        pair->cell = collect(c, pair->row, measured_quantity(c->column, i), &pair->measured);
    scale(&pair->measured, c->column->unit);
}

/* The table's baseline where both worlds have it, else the first row that they share. */
static const struct pair *
find_base(const struct comparison *c)
{
    const struct pair *first = NULL;

    for (size_t i = 0; i < c->pair_count; i++) {
        const struct pair *pair = &c->pairs[i];
        if (pair->published.n == 0 || pair->measured.n == 0)
            continue;
        if (c->table->baseline.name != NULL && strcmp(pair->row->name, c->table->baseline.name) == 0)
            return pair;
        first = first == NULL ? pair : first;
    }
    return first;
}

static void
fill(struct comparison *c)
{
    if (mb_published_apart(c->table))
        c->pairs[c->pair_count++].row = &c->table->baseline;
    for (size_t i = 0; i < c->table->row_count; i++)
        c->pairs[c->pair_count++].row = &c->table->rows[i];
    for (size_t i = 0; i < c->pair_count; i++) {
        take_published(c, &c->pairs[i]);
        take_measured(c, &c->pairs[i]);
    }
    c->base = find_base(c);
}

/* ---- the table ---- */

static bool
takes_all(const struct comparison *c)
{
    return c->column->take != NULL && c->column->take->kind == MB_TAKE_ALL;
}

/* Row ${line} of a pair, from 0: its mean; the ${line}-th trial where the article keeps trials apart.  NaN where there is none. */
static double
value_of(const struct comparison *c, const struct mb_series *series, size_t line)
{
    if (!takes_all(c))
        return mb_series_mean(series);
    return line < series->n ? series->values[line] : NAN;
}

/* The same of the measured run; where one trial of it holds all of the article's, the mean of what each holds for this one. */
static double
measured_value(const struct comparison *c, const struct pair *pair, size_t line)
{
    struct mb_series part = {.n = 0};

    if (c->column->measured_count < 2 || !takes_all(c))
        return value_of(c, &pair->measured, line);
    if (line >= c->column->measured_count)
        return NAN;
    collect(c, pair->row, c->column->measured[line], &part);
    scale(&part, c->column->unit);
    return mb_series_mean(&part);
}

static void
put_value(struct mb_grid *grid, size_t column, double value)
{
    if (isfinite(value))
        mb_grid_put(grid, column, fabs(value) >= 1000 ? "%.0f" : "%.4g", value);
    else
        mb_grid_put(grid, column, "-");
}

static void
put_ratio(struct mb_grid *grid, size_t column, double ratio)
{
    if (isfinite(ratio))
        mb_grid_put(grid, column, "%.3g", ratio);
    else
        mb_grid_put(grid, column, "-");
}

/* The published figure in the article's own digits. */
static void
put_published(const struct comparison *c, const struct pair *pair, size_t line, struct mb_grid *grid)
{
    const struct mb_published *p = c->published;
    char text[MB_PUBLISHED_TEXT];
    const char *shown = NULL;

    if (takes_all(c) && line < pair->published.n) {
        mb_published_text(c->column, pair->published.values[line], text);
        shown = text;
    } else if (mb_published_derive(p, pair->row, c->column, text) == 0) {
        shown = text;
    }
    for (size_t i = 0; i < p->figure_count && shown == NULL; i++)
        shown = is_figure(c, i, pair->row) ? p->figures[i].text : NULL;
    mb_grid_put_clean(grid, 1, shown != NULL ? shown : "-", false);
}

/* Which engine and mount stand for the row; the workload is the table's. */
static void
put_place(const struct comparison *c, const struct pair *pair, struct mb_grid *grid, bool unicode)
{
    MB_AUTO_BUFFER place = MB_BUFFER_INIT(4096);

    if (pair->measured.n > 0)
        mb_buffer_printf(&place, "%s/%s", c->results->cells[pair->cell].engine, c->results->cells[pair->cell].mount);
    mb_grid_put_clean(grid, 5, mb_buffer_text(&place), unicode);
}

static void
add_line(const struct comparison *c, const struct pair *pair, size_t line, struct mb_grid *grid, bool unicode)
{
    const struct pair *base = c->base != NULL ? c->base : pair;

    mb_grid_add_row(grid);
    if (line == 0)
        mb_grid_put_clean(grid, 0, pair->row->name, unicode);
    else
        mb_grid_put(grid, 0, "  trial %zu", line + 1);
    put_published(c, pair, line, grid);
    put_value(grid, 3, measured_value(c, pair, line));
    if (c->base != NULL) {
        put_ratio(grid, 2, value_of(c, &pair->published, line) / value_of(c, &base->published, line));
        put_ratio(grid, 4, measured_value(c, pair, line) / measured_value(c, base, line));
    }
    if (line == 0)
        put_place(c, pair, grid, unicode);
}

static void
print_pairs(const struct comparison *c, struct mb_published_page *page)
{
    static const char *const headings[] = {"published", "ratio", "measured", "ratio", "measured as"};
    struct mb_grid *grid = mb_grid_new(6, NULL);
    bool unicode = page->layout->unicode;

    if (grid != NULL) {
        mb_grid_add_row(grid);
        mb_grid_put_clean(grid, 0, c->table->corner, unicode);
        for (size_t i = 0; i < 5; i++) {
            mb_grid_put(grid, i + 1, "%s", headings[i]);
            grid->align[i + 1] = i < 4 ? MB_ALIGN_RIGHT : MB_ALIGN_LEFT;
        }
        for (size_t i = 0; i < c->pair_count; i++) {
            size_t lines = takes_all(c) && c->pairs[i].published.n > 0 ? c->pairs[i].published.n : 1;
            for (size_t line = 0; line < lines; line++)
                add_line(c, &c->pairs[i], line, grid, unicode);
        }
    }
    mb_page_grid(page, grid);
}

/* ---- what is to be said of it ---- */

/* Whether a larger figure is the faster one. */
static bool
larger_is_faster(const struct comparison *c)
{
    const char *quantity = measured_quantity(c->column, 0), *over = strchr(quantity, '/');

    if (strncmp(quantity, "metric:", strlen("metric:")) == 0 && c->base != NULL)
        return c->results->cells[c->base->cell].measure != MB_MEASURE_SECONDS;
    return over != NULL && strcmp(over, "/wall") == 0;
}

static void
print_order(const struct comparison *c, struct mb_published_page *page)
{
    size_t compared = 0, differ = 0;

    for (size_t i = 0; i < c->pair_count; i++) {
        for (size_t j = i + 1; j < c->pair_count; j++) {
            const struct pair *a = &c->pairs[i], *b = &c->pairs[j];
            double published = mb_series_mean(&a->published) / mb_series_mean(&b->published);
            double measured = mb_series_mean(&a->measured) / mb_series_mean(&b->measured);
            if (!isfinite(published) || !isfinite(measured))
                continue;
            compared++;
            if ((published > 1) == (measured > 1))
                continue;
            if (differ++ == 0)
                mb_page_item(page, 1, "Order differs:");
            bool ahead = (published > 1) == larger_is_faster(c);
            mb_page_item(page, 2, "%s ahead of %s in the article (x%.3g); here behind it (x%.3g)",
                         ahead ? a->row->name : b->row->name, ahead ? b->row->name : a->row->name, fmax(published, 1 / published),
                         fmax(measured, 1 / measured));
        }
    }
    if (compared > 0 && differ == 0)
        mb_page_item(page, 1, "Order: the same, in %zu pair%s of rows.", compared, compared == 1 ? "" : "s");
}

static const char *
why_unmeasured(const struct comparison *c, const struct pair *pair)
{
    if (pair->cell == SIZE_MAX)
        return pair->row->needs != NULL ? pair->row->needs : "the file has no such cell";
    if (c->results->cells[pair->cell].reason != NULL)
        return c->results->cells[pair->cell].reason;
    for (size_t i = 0; i < c->results->sample_count; i++) {
        const struct mb_sample *sample = &c->results->samples[i];
        if (sample->cell == pair->cell && sample->status != MB_SAMPLE_OK && sample->reason != NULL)
            return sample->reason;
    }
    return "no trial of it was made";
}

static void
print_unmeasured(const struct comparison *c, struct mb_published_page *page)
{
    size_t missing = 0, possible = 0;

    for (size_t i = 0; i < c->pair_count; i++) {
        const struct pair *pair = &c->pairs[i];
        if (pair->measured.n > 0)
            continue;
        possible += !pair->row->gone;
        if (missing++ == 0)
            mb_page_item(page, 1, "Not measured:");
        mb_page_item(page, 2, "%s: %s", pair->row->name, why_unmeasured(c, pair));
    }
    if (possible > 0)
        mb_page_item(page, 2, "On a Mac that has the runtimes: mountbench run matrix/published/%s.yaml",
                     c->published->results->runs[0].matrix_name);
}

/* A parameter in which the measured cell is not what the article did. */
static void
print_param(const cJSON *published, const cJSON *measured, struct mb_published_page *page)
{
    char a[MB_FORMAT_MAX], b[MB_FORMAT_MAX];

    if (cJSON_IsNumber(published) && cJSON_IsNumber(measured) && published->valuedouble > 0 && measured->valuedouble > 0 &&
        published->valuedouble != measured->valuedouble)
        mb_page_item(page, 1, "Measured with %s %s, the article with %s (a factor of %.4g).", published->string,
                     mb_format_size((uint64_t)measured->valuedouble, b), mb_format_size((uint64_t)published->valuedouble, a),
                     published->valuedouble / measured->valuedouble);
    else if (cJSON_IsString(published) && cJSON_IsString(measured) && strcmp(published->valuestring, measured->valuestring) != 0)
        mb_page_item(page, 1, "Measured with %s %s, the article with %s.", published->string, measured->valuestring,
                     published->valuestring);
}

static void
print_params(const struct comparison *c, struct mb_published_page *page)
{
    const cJSON *item;

    if (c->base == NULL)
        return;
    size_t at = mb_published_cell(c->published, c->base->row->at, c->column->workload);
    if (at == SIZE_MAX)
        return;
    const struct mb_cell *published = &c->published->results->cells[at];
    const struct mb_cell *measured = &c->results->cells[c->base->cell];
    if (published->kind != NULL && measured->kind != NULL && strcmp(published->kind, measured->kind) != 0)
        mb_page_item(page, 1, "Measured by the workload %s, the article by %s.", measured->kind, published->kind);
    const cJSON *matrix = cJSON_GetObjectItemCaseSensitive(c->results->runs[measured->run].json, "matrix");
    const char *scale = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(matrix, "scale"));
    /* A command's work is no size that shrinks. */
    if (scale != NULL && (measured->kind == NULL || strcmp(measured->kind, "exec") != 0))
        mb_page_item(page, 1, "Measured with sizes scaled by %s.", scale);
    cJSON_ArrayForEach(item, published->params)
    {
        print_param(item, cJSON_GetObjectItemCaseSensitive(measured->params, item->string), page);
    }
}

static void
compare_column(struct comparison *c, struct mb_published_page *page)
{
    const char *baseline = c->table->baseline.name;

    c->pairs = calloc(c->table->row_count + 1, sizeof *c->pairs);
    if (c->pairs == NULL) {
        page->out->overflowed = true;
        return;
    }
    fill(c);
    mb_page_heading(page, "%s: %s, published and measured%s%s", c->table->title, c->column->name,
                    c->base != NULL ? ", as ratios to " : "", c->base != NULL ? c->base->row->name : "");
    print_pairs(c, page);
    if (c->base == NULL)
        mb_page_item(page, 1, "No row was measured, so there are no ratios.");
    else if (baseline != NULL && strcmp(baseline, c->base->row->name) != 0)
        mb_page_item(page, 1, "The table's own baseline, %s, was not measured.", baseline);
    print_params(c, page);
    print_order(c, page);
    print_unmeasured(c, page);
    free(c->pairs);
}

void
mb_published_compare(const struct mb_published *p, const struct mb_results *measured, const struct mb_published_layout *layout,
                     struct mb_buffer *out)
{
    struct mb_published_page page = {layout, out};

    for (size_t t = 0; t < p->table_count; t++) {
        const struct mb_published_table *table = &p->tables[t];
        for (size_t i = 0; i < table->column_count; i++) {
            const cJSON *name;
            cJSON_ArrayForEach(name, table->compare)
            {
                struct comparison c = {.published = p, .results = measured, .table = table, .column = &table->columns[i]};
                if (cJSON_IsString(name) && strcmp(name->valuestring, table->columns[i].name) == 0)
                    compare_column(&c, &page);
            }
        }
    }
}
