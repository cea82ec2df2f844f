/* asciidoc.c: AsciiDoc tables, for Asciidoctor and Antora. */
#include "report/escape.h"
#include "report/formats.h"
#include "report/markup.h"

static int
render(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    static const struct mb_markup asciidoc = {"==", "===", "* ", mb_escape_asciidoc, mb_grid_asciidoc};
    return mb_markup_render(model, &asciidoc, out, err);
}

const struct mb_report_format mb_format_asciidoc = {"asciidoc", "AsciiDoc tables", false, render};
