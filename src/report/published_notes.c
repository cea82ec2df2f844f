/*
 * published_notes.c: what a reader of a printed table should know, computed from its trials.
 *
 * Which first trial stands out is said by the rule of all reports (mb_marks, stats.h).
 * The mean of speeds is never below all work over all time (the arithmetic mean is never below the harmonic), and the two part
 * as the trials scatter.
 */
#include <string.h>

#include "mountbench/stats.h"
#include "report/published.h"

static bool
note_first(const struct mb_published_column *column, const char *row, const struct mb_series *trials,
           struct mb_published_page *page)
{
    char text[MB_PUBLISHED_TEXT];
    MB_AUTO_BUFFER rest = MB_BUFFER_INIT(65536);
    struct mb_marks marks;

    if (mb_marks(trials->values, trials->n, &marks, NULL) != 0 || !marks.first)
        return false;
    for (size_t i = 1; i < trials->n; i++) {
        mb_published_text(column, trials->values[i] / column->unit, text);
        mb_buffer_printf(&rest, "%s%s", i == 1 ? "" : i + 1 == trials->n ? " and " : ", ", text);
    }
    mb_published_text(column, trials->values[0] / column->unit, text);
    mb_page_item(page, 1, "%s: the first trial stands out: %s against %s (%s; %.3g times the others' median)", row, text,
                 mb_buffer_text(&rest), column->name, marks.first_ratio);
    return true;
}

/* Mean of speeds against all work over all time. */
static void
note_means(const struct mb_published *p, const struct mb_published_column *column, const struct mb_published_row *row, size_t cell,
           struct mb_published_page *page)
{
    struct mb_series work = {.n = 0}, speed = {.n = 0};
    double all_work = 0, all_time = 0;
    char mean[MB_PUBLISHED_TEXT], total[MB_PUBLISHED_TEXT];

    if (strcmp(column->quantity, "bytes/wall") != 0)
        return;
    size_t n = mb_published_trials(p->results, cell, "bytes", &work);
    if (n < 2 || mb_published_trials(p->results, cell, column->quantity, &speed) != n)
        return;
    for (size_t i = 0; i < n; i++) {
        all_work += work.values[i];
        all_time += work.values[i] / speed.values[i];
    }
    mb_published_mean_text(column, &speed, p->rounding, mean);
    mb_published_text(column, all_work / all_time / column->unit, total);
    if (strcmp(mean, total) != 0)
        mb_page_item(page, 1, "%s: the mean of speeds is %s, all bytes over all time %s (%s)", row->name, mean, total,
                     column->name);
}

static void
note_row(const struct mb_published *p, const struct mb_published_table *table, const struct mb_published_row *row,
         struct mb_published_page *page)
{
    bool noted = false; /* time and speed of the same trials are one finding */

    for (size_t c = 0; c < table->column_count; c++) {
        const struct mb_published_column *column = &table->columns[c];
        struct mb_series trials = {.n = 0};
        size_t cell = mb_published_cell(p, row->at, column->workload);
        mb_published_trials(p->results, cell, column->quantity, &trials);
        noted = noted || note_first(column, row->name, &trials, page);
        note_means(p, column, row, cell, page);
    }
}

static bool
is_single(const struct mb_published *p, const struct mb_published_row *row, const struct mb_published_column *column)
{
    struct mb_series trials = {.n = 0};

    return MB_PUBLISHED_TAKE(row, column)->kind == MB_TAKE_TRIAL &&
           mb_published_trials(p->results, mb_published_cell(p, row->at, column->workload), column->quantity, &trials) == 1;
}

/* Which rows of a column are a single trial. */
static void
note_single(const struct mb_published *p, const struct mb_published_table *table, const struct mb_published_column *column,
            struct mb_published_page *page)
{
    size_t singles = 0;

    for (size_t r = 0; r < table->row_count; r++)
        singles += is_single(p, &table->rows[r], column);
    if (singles == table->row_count)
        mb_page_item(page, 1, "%s: a single trial in every row: neither mean nor spread", column->name);
    for (size_t r = 0; r < table->row_count && singles < table->row_count; r++) {
        if (is_single(p, &table->rows[r], column))
            mb_page_item(page, 1, "%s, %s: a single trial: neither mean nor spread", table->rows[r].name, column->name);
    }
}

static void
note_table(const struct mb_published *p, const struct mb_published_table *table, struct mb_published_page *page)
{
    for (size_t c = 0; c < table->column_count; c++) {
        /* Columns of one workload show the same trials. */
        if (c == 0 || strcmp(table->columns[c].workload, table->columns[c - 1].workload) != 0)
            note_single(p, table, &table->columns[c], page);
    }
    if (mb_published_apart(table) && is_single(p, &table->baseline, &table->columns[0]))
        mb_page_item(page, 1, "%s: a single trial: neither mean nor spread", table->baseline.name);
    for (size_t r = 0; r < table->row_count; r++)
        note_row(p, table, &table->rows[r], page);
}

static void
note_rounding(const struct mb_published *p, struct mb_published_page *page)
{
    char nearest[MB_PUBLISHED_TEXT];

    if (p->means_cut <= p->means_nearest)
        return;
    mb_page_item(page, 1,
                 "Means are cut to the printed digits, not rounded: that gives %zu of the %zu, rounding %zu:", p->means_cut,
                 p->means, p->means_nearest);
    for (size_t i = 0; i < p->figure_count; i++) {
        const struct mb_published_print *print = &p->prints[i];
        if (!p->figures[i].reproduced || print->row->take.kind != MB_TAKE_MEAN || print->table->compare != NULL)
            continue;
        size_t cell = mb_published_cell(p, print->row->at, print->column->workload);
        struct mb_series trials = {.n = 0};
        mb_published_trials(p->results, cell, print->column->quantity, &trials);
        mb_published_mean_text(print->column, &trials, MB_ROUND_NEAREST, nearest);
        if (strcmp(nearest, p->figures[i].text) != 0)
            mb_page_item(page, 2, "%s, %s: printed %s, rounded %s", print->table->title, print->column->name, p->figures[i].text,
                         nearest);
    }
}

void
mb_published_notes(const struct mb_published *p, struct mb_published_page *page)
{
    struct mb_buffer *out = page->out;
    size_t before = out->len;
    mb_page_heading(page, "Worth knowing");
    size_t heading = out->len;

    note_rounding(p, page);
    for (size_t t = 0; t < p->table_count; t++) {
        if (p->tables[t].compare != NULL)
            note_table(p, &p->tables[t], page);
    }
    if (out->len == heading && heading > before) {
        out->len = before;
        out->data[before] = '\0';
    }
}
