/* published_print.c: an article's tables as it laid them out, and what the computing found. */
#include <string.h>

#include "report/grid.h"
#include "report/published.h"

/* The printed figure of a row and column, or NULL. */
static const struct mb_published_figure *
printed_at(const struct mb_published *p, const struct mb_published_row *row, const struct mb_published_column *column)
{
    for (size_t i = 0; i < p->figure_count; i++) {
        if (p->prints[i].row == row && p->prints[i].column == column)
            return &p->figures[i];
    }
    return NULL;
}

/* Computed where the trials give it; else as printed, marked; empty where the article has nothing. */
static void
cell_text(const struct mb_published *p, const struct mb_published_row *row, const struct mb_published_column *column,
          struct mb_buffer *out)
{
    char derived[MB_PUBLISHED_TEXT];
    const struct mb_published_figure *printed = printed_at(p, row, column);

    if (printed == NULL)
        return;
    if (printed->reproduced && strchr(printed->text, '-') == NULL && mb_published_derive(p, row, column, derived) == 0 &&
        row->take.kind != MB_TAKE_RATIO)
        mb_buffer_puts(out, derived);
    else
        mb_buffer_printf(out, "%s%s", printed->text, printed->reproduced ? "" : " *");
}

static void
print_table(const struct mb_published *p, const struct mb_published_table *table, struct mb_published_page *page)
{
    struct mb_grid *grid = mb_grid_new(table->column_count + 1, NULL);
    bool unicode = page->layout->unicode;

    mb_page_heading(page, "%s", table->title);
    if (grid != NULL) {
        mb_grid_add_row(grid);
        mb_grid_put_clean(grid, 0, table->corner, unicode);
        for (size_t c = 0; c < table->column_count; c++) {
            grid->align[c + 1] = MB_ALIGN_RIGHT;
            mb_grid_put_clean(grid, c + 1, table->columns[c].name, unicode);
        }
        for (size_t r = 0; r < table->row_count; r++) {
            mb_grid_add_row(grid);
            mb_grid_put_clean(grid, 0, table->rows[r].name, unicode);
            for (size_t c = 0; c < table->column_count; c++) {
                MB_AUTO_BUFFER text = MB_BUFFER_INIT(4096);
                cell_text(p, &table->rows[r], &table->columns[c], &text);
                mb_grid_put_clean(grid, c + 1, mb_buffer_text(&text), unicode);
            }
        }
    }
    mb_page_grid(page, grid);
}

static void
print_source(const struct mb_published *p, struct mb_published_page *page)
{
    static const char *const keys[] = {"measured", "machine", "versions", "experiment"};

    mb_page_heading(page, "%s", mb_published_source(p, "title") != NULL ? mb_published_source(p, "title") : p->path);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *text = mb_published_source(p, keys[i]);
        if (text != NULL)
            mb_page_item(page, 1, "%s: %s", keys[i], text);
    }
}

static void
print_verdicts(const struct mb_published *p, struct mb_published_page *page)
{
    size_t reproduced = 0;

    for (size_t i = 0; i < p->figure_count; i++)
        reproduced += p->figures[i].reproduced;
    mb_page_heading(page, "Printed figures: %zu, of which %zu follow from the printed trials to the last digit%s", p->figure_count,
                    reproduced, reproduced < p->figure_count ? "; the others (*):" : "");
    for (size_t i = 0; i < p->figure_count; i++) {
        const struct mb_published_figure *f = &p->figures[i];
        if (!f->reproduced)
            mb_page_item(page, 1, "%s, %s, %s: %s: %s", p->prints[i].table->title, f->row, f->column, f->text, f->reason);
    }
}

void
mb_published_print(const struct mb_published *p, const struct mb_published_layout *layout, struct mb_buffer *out)
{
    struct mb_published_page page = {layout, out};

    print_source(p, &page);
    for (size_t i = 0; i < p->table_count; i++)
        print_table(p, &p->tables[i], &page);
    print_verdicts(p, &page);
    mb_published_notes(p, &page);
}
