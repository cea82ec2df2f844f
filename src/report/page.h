/* page.h: the parts of the HTML page; the page's order is in html.c. */
#ifndef MB_REPORT_PAGE_H
#define MB_REPORT_PAGE_H

#include "report/grid.h"
#include "report/model.h"

/* The style sheet and the script, linked in from src/report/assets/ by the Makefile; NUL-terminated. */
extern const char mb_page_css[], mb_page_js[];

/* What is said first: a card a mount, by group. */
int mb_page_verdicts(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err);

/* The filters and the table of all cells with their plots; then what the script needs to know of them, as JSON. */
void mb_page_cells(const struct mb_model *model, struct mb_buffer *out);
void mb_page_data(const struct mb_model *model, struct mb_buffer *out);

/* What was mounted, latencies, phases; environment; method; commands. */
void mb_page_details(const struct mb_model *model, struct mb_buffer *out);
void mb_page_environment(const struct mb_model *model, struct mb_buffer *out);
void mb_page_method(const struct mb_model *model, struct mb_buffer *out);

/* mb_page_text(out, text): any text, clean and escaped.  mb_page_name(out, text): in <bdi>, so that its direction stays its own. */
void mb_page_text(struct mb_buffer *out, const char *text);
void mb_page_name(struct mb_buffer *out, const char *text);

#endif
