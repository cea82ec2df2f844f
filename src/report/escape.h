/* escape.h: text from outside, made harmless inside other languages. */
#ifndef MB_REPORT_ESCAPE_H
#define MB_REPORT_ESCAPE_H

#include <cjson/cJSON.h>

#include "mountbench/buffer.h"

/*
 * Each appends the clean (text.h) ${text}: mb_escape_markdown such that nothing in it is markup, a mention or a link;
 * mb_escape_asciidoc likewise; mb_escape_xml fit for element content and quoted attributes.
 */
void mb_escape_markdown(struct mb_buffer *out, const char *text);
void mb_escape_asciidoc(struct mb_buffer *out, const char *text);
void mb_escape_xml(struct mb_buffer *out, const char *text);

/*
 * mb_escape_json(out, text): any ${text} as a JSON string in quotes, nothing lost but invalid UTF-8 (U+FFFD); controls and what
 * reorders text are written as \uXXXX, and so are '<', '>' and '&', so that it may stand in a script element.
 */
void mb_escape_json(struct mb_buffer *out, const char *text);

/* mb_escape_json_tree(out, json): the whole of ${json} (NULL: null) in one line, its strings made harmless in the same way. */
void mb_escape_json_tree(struct mb_buffer *out, const cJSON *json);

/* mb_json_number(out, figure): ten significant digits, whole numbers exactly; null when it is not finite. */
void mb_json_number(struct mb_buffer *out, double figure);

/* mb_escape_csv(out, text): any ${text} as one field: clean, quoted where needed, and defused where a spreadsheet would run it. */
void mb_escape_csv(struct mb_buffer *out, const char *text);

#endif
