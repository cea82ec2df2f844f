/* chart.h: results drawn: every trial a dot, the interval a bar, the median a tick, one panel a workload. */
#ifndef MB_REPORT_CHART_H
#define MB_REPORT_CHART_H

#include "report/model.h"

struct mb_chart_size {
    unsigned width, height; /* in CSS pixels */
};

/*
 * mb_chart_svg(model, dark, size, out, err):
 * Append an SVG document; ${dark}: with a second set of colours for who prefers dark.  *${size} is its size.
 */
int mb_chart_svg(const struct mb_model *model, bool dark, struct mb_chart_size *size, struct mb_buffer *out, struct mb_error *err);

#endif
