/* markup.h: the report's order of things, once for all light markup languages. */
#ifndef MB_REPORT_MARKUP_H
#define MB_REPORT_MARKUP_H

#include "report/grid.h"
#include "report/model.h"

struct mb_markup {
    const char *heading, *subheading; /* what begins such a line */
    const char *item;                 /* what begins a footnote's line, before "(1) " */
    void (*escape)(struct mb_buffer *out, const char *text);
    void (*grid)(const struct mb_grid *grid, struct mb_buffer *out);
};

/* mb_markup_render(model, markup, out, err): the whole report. */
int mb_markup_render(const struct mb_model *model, const struct mb_markup *markup, struct mb_buffer *out, struct mb_error *err);

#endif
