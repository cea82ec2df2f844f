/* svg.c: the chart for a page or an article, in light and dark. */
#include "report/chart.h"
#include "report/formats.h"

static int
render(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    struct mb_chart_size size;
    return mb_chart_svg(model, true, &size, out, err);
}

const struct mb_report_format mb_format_svg = {"svg", "plots of every trial, in light and dark", false, render};
