/* grid.h: a table of text, to be shown by whichever format. */
#ifndef MB_REPORT_GRID_H
#define MB_REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "mountbench/text.h"

/* The first row is the heading.  Columns are numbered from 0; a cell nobody filled is empty. */
struct mb_grid {
    char *title; /* a line above it, NULL for none */
    size_t columns, rows;
    enum mb_align *align;
    char **texts;   /* rows * columns, NULL for empty; clean text, not escaped for any format */
    bool sentences; /* in the last column: where plain text has no room beside the others, whole below the row */
    bool failed;    /* memory ran out: sticky */
};

/* mb_grid_new(columns, title): empty, all columns left-aligned, no row.  NULL without memory.  mb_grid_free(NULL) is a no-op. */
struct mb_grid *mb_grid_new(size_t columns, const char *title);
void mb_grid_free(struct mb_grid *grid);

/* mb_grid_add_row(grid): a new last row.  mb_grid_put(grid, column, format, ...): fill a cell of the last row. */
void mb_grid_add_row(struct mb_grid *grid);
void mb_grid_put(struct mb_grid *grid, size_t column, const char *format, ...) MB_PRINTF(3, 4);

/* mb_grid_put_clean(grid, column, text, unicode): the same with a name from outside, made harmless first. */
void mb_grid_put_clean(struct mb_grid *grid, size_t column, const char *text, bool unicode);

/* mb_grid_text(grid, row, column): "" for an empty cell. */
const char *mb_grid_text(const struct mb_grid *grid, size_t row, size_t column);

/*
 * mb_grid_plain(grid, width, unicode, out): aligned columns two blanks apart, in ${width} columns where that can be had by cutting
 * the widest ones, lines without trailing blanks.
 * mb_grid_markdown(grid, out): a pipe table, aligned in the source too.  mb_grid_asciidoc(grid, out): an AsciiDoc table.
 */
void mb_grid_plain(const struct mb_grid *grid, size_t width, bool unicode, struct mb_buffer *out);
void mb_grid_markdown(const struct mb_grid *grid, struct mb_buffer *out);
void mb_grid_asciidoc(const struct mb_grid *grid, struct mb_buffer *out);

#endif
