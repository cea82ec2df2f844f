/* published_page.c: headings, sentences and grids, for a terminal or as Markdown. */
#include <stdarg.h>
#include <stdio.h>

#include "mountbench/text.h"
#include "report/escape.h"
#include "report/grid.h"
#include "report/published.h"

#define LINE_MAX_BYTES ((size_t)2048)

/* Format, make harmless, and escape where the page is Markdown. */
MB_PRINTF(3, 0)
static void
clean(const struct mb_published_page *page, struct mb_buffer *out, const char *format, va_list args)
{
    char text[LINE_MAX_BYTES];
    MB_AUTO_BUFFER harmless = MB_BUFFER_INIT(4 * sizeof text);

    vsnprintf(text, sizeof text, format, args);
    mb_text_clean(&harmless, text, page->layout->unicode);
    if (page->layout->markdown)
        mb_escape_markdown(out, mb_buffer_text(&harmless));
    else
        mb_buffer_puts(out, mb_buffer_text(&harmless));
}

void
mb_page_heading(struct mb_published_page *page, const char *format, ...)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(16 * LINE_MAX_BYTES);
    va_list args;

    va_start(args, format);
    clean(page, &text, format, args);
    va_end(args);
    if (page->out->len > 0)
        mb_buffer_putc(page->out, '\n');
    if (page->layout->markdown)
        mb_buffer_printf(page->out, "### %s\n\n", mb_buffer_text(&text));
    else
        mb_text_wrap(page->out, mb_buffer_text(&text), page->layout->width, 2);
}

void
mb_page_item(struct mb_published_page *page, size_t level, const char *format, ...)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(16 * LINE_MAX_BYTES);
    size_t indent = 2 * level;
    va_list args;

    va_start(args, format);
    clean(page, &text, format, args);
    va_end(args);
    if (page->layout->markdown) {
        mb_text_repeat(page->out, " ", indent > 2 ? indent - 2 : 0);
        mb_buffer_printf(page->out, "- %s\n", mb_buffer_text(&text));
        return;
    }
    mb_text_repeat(page->out, " ", indent);
    mb_text_wrap(page->out, mb_buffer_text(&text), page->layout->width - indent, indent + 2);
}

void
mb_page_grid(struct mb_published_page *page, struct mb_grid *grid)
{
    if (grid == NULL || grid->failed)
        page->out->overflowed = true;
    else if (page->layout->markdown) {
        mb_grid_markdown(grid, page->out);
        mb_buffer_putc(page->out, '\n');
    } else
        mb_grid_plain(grid, page->layout->width, page->layout->unicode, page->out);
    mb_grid_free(grid);
}
