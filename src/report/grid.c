/* grid.c: fill a table of text, measure it, print it. */
#include "report/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/escape.h"

/* No column is cut below this. */
#define COLUMN_LEAST 6
/* No column is wider in a Markdown source. */
#define COLUMN_MOST 60
/* Of what is written below its row. */
#define SENTENCE_INDENT 2

struct mb_grid *
mb_grid_new(size_t columns, const char *title)
{
    struct mb_grid *grid = calloc(1, sizeof *grid);

    if (grid == NULL)
        return NULL;
    grid->columns = columns;
    grid->align = calloc(columns, sizeof *grid->align);
    grid->title = title != NULL ? strdup(title) : NULL;
    grid->failed = grid->align == NULL || (title != NULL && grid->title == NULL);
    return grid;
}

void
mb_grid_free(struct mb_grid *grid)
{
    if (grid == NULL)
        return;
    for (size_t i = 0; i < grid->rows * grid->columns; i++)
        free(grid->texts[i]);
    free(grid->texts);
    free(grid->align);
    free(grid->title);
    free(grid);
}

void
mb_grid_add_row(struct mb_grid *grid)
{
    /* Grow when the number of rows is a power of two: as often as a doubling array would. */
    if ((grid->rows & (grid->rows - 1)) == 0 && !grid->failed) {
        size_t room = grid->rows == 0 ? 1 : grid->rows * 2;
        char **texts = realloc(grid->texts, room * grid->columns * sizeof *texts);
        if (texts == NULL)
            grid->failed = true;
        else
            grid->texts = texts;
    }
    if (grid->failed)
        return;
    memset(grid->texts + grid->rows * grid->columns, 0, grid->columns * sizeof *grid->texts);
    grid->rows++;
}

static void
put(struct mb_grid *grid, size_t column, char *text)
{
    if (text == NULL || grid->failed || grid->rows == 0) {
        grid->failed = true;
        free(text);
        return;
    }
    char **cell = &grid->texts[(grid->rows - 1) * grid->columns + column];
    free(*cell);
    *cell = text;
}

void
mb_grid_put(struct mb_grid *grid, size_t column, const char *format, ...)
{
    va_list args;
    char text[512];

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(grid, column, strdup(text));
}

void
mb_grid_put_clean(struct mb_grid *grid, size_t column, const char *text, bool unicode)
{
    MB_AUTO_BUFFER clean = MB_BUFFER_INIT(SIZE_MAX);

    mb_text_clean(&clean, text, unicode);
    put(grid, column, mb_buffer_steal(&clean));
}

const char *
mb_grid_text(const struct mb_grid *grid, size_t row, size_t column)
{
    const char *text = grid->texts[row * grid->columns + column];
    return text != NULL ? text : "";
}

static size_t *
measure(const struct mb_grid *grid)
{
    size_t *widths = calloc(grid->columns + 1, sizeof *widths);

    for (size_t i = 0; widths != NULL && i < grid->rows * grid->columns; i++) {
        size_t width = grid->texts[i] != NULL ? mb_text_width(grid->texts[i]) : 0;
        if (width > widths[i % grid->columns])
            widths[i % grid->columns] = width;
    }
    return widths;
}

static void
narrow(const struct mb_grid *grid, size_t *widths, size_t width)
{
    for (;;) {
        size_t sum = 2 * (grid->columns - 1), widest = 0;
        for (size_t i = 0; i < grid->columns; i++) {
            sum += widths[i];
            widest = widths[i] > widths[widest] ? i : widest;
        }
        if (sum <= width || widths[widest] <= COLUMN_LEAST)
            return;
        widths[widest]--;
    }
}

/* ${out} without the blanks at its end. */
static void
trim(struct mb_buffer *out)
{
    while (out->len > 0 && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
}

/* The first ${columns} cells of a row, and its end. */
static void
plain_row(const struct mb_grid *grid, size_t row, const size_t *widths, size_t columns, bool unicode, struct mb_buffer *out)
{
    MB_AUTO_BUFFER cut = MB_BUFFER_INIT(SIZE_MAX);

    for (size_t column = 0; column < columns; column++) {
        mb_buffer_reset(&cut);
        mb_text_cut(&cut, mb_grid_text(grid, row, column), widths[column], unicode);
        mb_text_repeat(out, " ", column > 0 ? 2 : 0);
        mb_text_pad(out, mb_buffer_text(&cut), widths[column], grid->align[column]);
    }
    trim(out);
    mb_buffer_putc(out, '\n');
}

void
mb_grid_plain(const struct mb_grid *grid, size_t width, bool unicode, struct mb_buffer *out)
{
    size_t *widths = measure(grid), last = grid->columns - 1;

    if (widths == NULL) {
        out->overflowed = true;
        return;
    }
    narrow(grid, widths, width);
    for (size_t row = 0; row < grid->rows; row++) {
        const char *sentence = grid->sentences ? mb_grid_text(grid, row, last) : "";
        bool below = mb_text_width(sentence) > widths[last];
        plain_row(grid, row, widths, below ? last : grid->columns, unicode, out);
        if (below) {
            mb_text_repeat(out, " ", SENTENCE_INDENT);
            mb_text_wrap(out, sentence, width - SENTENCE_INDENT, SENTENCE_INDENT);
        }
    }
    free(widths);
}

/* The cell escaped for Markdown, not wider than COLUMN_MOST before that. */
static void
markdown_text(const struct mb_grid *grid, size_t row, size_t column, struct mb_buffer *out)
{
    MB_AUTO_BUFFER cut = MB_BUFFER_INIT(SIZE_MAX);

    mb_buffer_reset(out);
    mb_text_cut(&cut, mb_grid_text(grid, row, column), COLUMN_MOST, true);
    mb_escape_markdown(out, mb_buffer_text(&cut));
}

static void
markdown_rule(const struct mb_grid *grid, const size_t *widths, struct mb_buffer *out)
{
    for (size_t column = 0; column < grid->columns; column++) {
        bool right = grid->align[column] == MB_ALIGN_RIGHT;
        mb_buffer_puts(out, "|-");
        mb_text_repeat(out, "-", widths[column]);
        mb_buffer_putc(out, right ? ':' : '-');
    }
    mb_buffer_puts(out, "|\n");
}

void
mb_grid_markdown(const struct mb_grid *grid, struct mb_buffer *out)
{
    size_t *widths = calloc(grid->columns + 1, sizeof *widths);
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(SIZE_MAX);

    if (widths == NULL) {
        out->overflowed = true;
        return;
    }
    for (size_t row = 0; row < grid->rows; row++) {
        for (size_t column = 0; column < grid->columns; column++) {
            markdown_text(grid, row, column, &text);
            size_t width = mb_text_width(mb_buffer_text(&text));
            widths[column] = width > widths[column] ? width : widths[column];
        }
    }
    for (size_t row = 0; row < grid->rows; row++) {
        for (size_t column = 0; column < grid->columns; column++) {
            markdown_text(grid, row, column, &text);
            mb_buffer_puts(out, "| ");
            mb_text_pad(out, mb_buffer_text(&text), widths[column], grid->align[column]);
            mb_buffer_putc(out, ' ');
        }
        mb_buffer_puts(out, "|\n");
        if (row == 0)
            markdown_rule(grid, widths, out);
    }
    free(widths);
}

void
mb_grid_asciidoc(const struct mb_grid *grid, struct mb_buffer *out)
{
    mb_buffer_puts(out, "[%header%autowidth,cols=\"");
    for (size_t column = 0; column < grid->columns; column++)
        mb_buffer_printf(out, "%s%c", column > 0 ? "," : "", grid->align[column] == MB_ALIGN_RIGHT ? '>' : '<');
    mb_buffer_puts(out, "\"]\n|===\n");
    for (size_t row = 0; row < grid->rows; row++) {
        for (size_t column = 0; column < grid->columns; column++) {
            mb_buffer_puts(out, column > 0 ? " | " : "| ");
            mb_escape_asciidoc(out, mb_grid_text(grid, row, column));
        }
        mb_buffer_puts(out, row == 0 ? "\n\n" : "\n");
    }
    mb_buffer_puts(out, "|===\n");
}
