/* markup.c: heading, method, tables, footnotes, details, remarks. */
#include "report/markup.h"

#include "report/details.h"
#include "report/matrix_grid.h"
#include "report/words.h"

/* A paragraph or list item of clean text. */
static void
put_line(const struct mb_markup *markup, const char *before, struct mb_buffer *line, struct mb_buffer *out)
{
    mb_buffer_puts(out, before);
    markup->escape(out, mb_buffer_text(line));
    mb_buffer_putc(out, '\n');
    mb_buffer_reset(line);
}

static void
put_foot(const struct mb_model_group *group, const struct mb_model *model, const struct mb_notes *notes,
         const struct mb_markup *markup, struct mb_buffer *out)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(SIZE_MAX);

    mb_buffer_puts(out, notes->count + group->same_count > 0 ? "\n" : "");
    for (size_t i = 0; i < notes->count; i++) {
        mb_buffer_printf(&line, "(%zu) %s", i + 1, notes->texts[i]);
        put_line(markup, markup->item, &line, out);
    }
    for (size_t set = 1; set <= group->same_count; set++) {
        mb_buffer_printf(&line, "(%c) ", (char)('a' + (set - 1) % 26));
        mb_words_same(model, group, set, true, &line);
        put_line(markup, markup->item, &line, out);
    }
}

static void
put_details(const struct mb_model *model, const struct mb_model_group *group, const struct mb_markup *markup, struct mb_buffer *out)
{
    struct mb_grid *grid;

    for (size_t i = 0; mb_details(model, group, i, false, true, &grid); i++) {
        if (grid == NULL)
            continue;
        mb_buffer_printf(out, "\n%s %s\n\n", markup->subheading, grid->title);
        markup->grid(grid, out);
        mb_grid_free(grid);
    }
}

static int
put_group(const struct mb_model *model, const struct mb_model_group *group, const struct mb_markup *markup, struct mb_buffer *out)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(SIZE_MAX);
    struct mb_notes notes = {NULL, 0};
    int rc = 0;

    mb_buffer_printf(out, "%s ", markup->heading);
    mb_words_heading(group, true, &line);
    put_line(markup, "", &line, out);
    mb_words_method(model, group, true, &line);
    mb_words_mounted(model, group, true, &line);
    put_line(markup, "\n", &line, out);
    for (size_t w = 0; w < group->workload_count && rc == 0; w += MB_MATRIX_GRID_MOST) {
        struct mb_grid *grid = mb_matrix_grid(model, group, w, &notes);
        mb_buffer_putc(out, '\n');
        if (grid != NULL)
            markup->grid(grid, out);
        rc = grid != NULL ? 0 : -1;
        mb_grid_free(grid);
    }
    put_foot(group, model, &notes, markup, out);
    mb_notes_free(&notes);
    put_details(model, group, markup, out);
    return rc;
}

int
mb_markup_render(const struct mb_model *model, const struct mb_markup *markup, struct mb_buffer *out, struct mb_error *err)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(SIZE_MAX);

    for (size_t i = 0; i < model->group_count; i++) {
        mb_buffer_puts(out, i > 0 ? "\n" : "");
        if (put_group(model, &model->groups[i], markup, out) != 0)
            return mb_error_set(err, MB_EIO, "out of memory while making the report");
    }
    if (model->group_count == 0)
        mb_buffer_puts(out, "Nothing was measured: there are no cells.\n");
    for (size_t i = 0; mb_words_remark(model, i, true, &line); i++)
        put_line(markup, i == 0 ? "\n- " : "- ", &line, out);
    return 0;
}
