/* markdown.c: GitHub-flavoured Markdown, for a README or an issue. */
#include "report/escape.h"
#include "report/formats.h"
#include "report/markup.h"

static int
render(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    static const struct mb_markup markdown = {"##", "###", "- ", mb_escape_markdown, mb_grid_markdown};
    return mb_markup_render(model, &markdown, out, err);
}

const struct mb_report_format mb_format_markdown = {"markdown", "GitHub-flavoured Markdown tables", false, render};
