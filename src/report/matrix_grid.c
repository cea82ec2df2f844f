/* matrix_grid.c: a cell in one string: median, spread, ratio, mark. */
#include "report/matrix_grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"

static void
put_cell(struct mb_grid *grid, size_t column, const struct mb_model *model, const struct mb_model_cell *c, struct mb_notes *notes)
{
    char value[MB_FORMAT_MAX], spread[16], ratio[16], mark[32] = "";
    size_t note = mb_words_cell_note(model, c, notes);

    if (note > 0)
        snprintf(mark, sizeof mark, " (%zu)", note);
    if (c->summary.n == 0) {
        mb_grid_put(grid, column, "%s%s", mb_words_no_figure(c), mark);
        return;
    }
    mb_model_format(c->cell, c->summary.median, value);
    mb_words_spread(c, spread);
    mb_words_ratio(c, c->mount == model->groups[c->group].baseline, true, ratio);
    mb_grid_put(grid, column, "%s%s%s%s%s%s", value, *spread != '\0' ? " \xC2\xB1" : "", spread, *ratio != '\0' ? " " : "", ratio,
                mark);
}

static void
put_head(struct mb_grid *grid, size_t column, const struct mb_cell *cell)
{
    char measure[64];
    MB_AUTO_BUFFER name = MB_BUFFER_INIT(SIZE_MAX);

    mb_words_name(cell->workload, true, &name);
    mb_buffer_printf(&name, ", %s%s", mb_model_measure(cell, measure),
                     cell->measure == MB_MEASURE_SECONDS ? " (less is better)" : "");
    mb_grid_put_clean(grid, column, mb_buffer_text(&name), true);
    grid->align[column] = MB_ALIGN_RIGHT;
}

static void
put_rows(struct mb_grid *grid, const struct mb_model *model, const struct mb_model_group *group, struct mb_model_column *columns,
         struct mb_notes *notes)
{
    const struct mb_model_cell *row[MB_MATRIX_GRID_MOST];
    size_t n = grid->columns - 1, mount;
    MB_AUTO_BUFFER name = MB_BUFFER_INIT(SIZE_MAX);

    while ((mount = mb_model_next_row(model, columns, n, row)) != MB_NONE && !grid->failed) {
        mb_buffer_reset(&name);
        mb_words_mount(group, mount, MB_WORDS_NAME_MOST + 4, true, &name);
        mb_grid_add_row(grid);
        mb_grid_put_clean(grid, 0, mb_buffer_text(&name), true);
        for (size_t i = 0; i < n; i++) {
            if (row[i] != NULL)
                put_cell(grid, 1 + i, model, row[i], notes);
        }
    }
}

struct mb_grid *
mb_matrix_grid(const struct mb_model *model, const struct mb_model_group *group, size_t first, struct mb_notes *notes)
{
    size_t left = group->workload_count - first, n = left < MB_MATRIX_GRID_MOST ? left : MB_MATRIX_GRID_MOST;
    struct mb_grid *grid = mb_grid_new(1 + n, NULL);
    struct mb_model_column columns[MB_MATRIX_GRID_MOST];

    if (grid != NULL && !grid->failed) {
        mb_grid_add_row(grid);
        mb_grid_put(grid, 0, model->merged == NULL ? "mount" : "engine");
        for (size_t i = 0; i < n; i++) {
            columns[i] = mb_model_column(model, group, first + i);
            put_head(grid, 1 + i, model->cells[columns[i].at].cell);
        }
        put_rows(grid, model, group, columns, notes);
    }
    if (grid != NULL && grid->failed) {
        mb_grid_free(grid);
        return NULL;
    }
    return grid;
}
