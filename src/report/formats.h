/* formats.h: every format's row; each is defined at the end of its own file. */
#ifndef MB_REPORT_FORMATS_H
#define MB_REPORT_FORMATS_H

#include "mountbench/report.h"
#include "report/model.h"

extern const struct mb_report_format mb_format_terminal;
extern const struct mb_report_format mb_format_markdown;
extern const struct mb_report_format mb_format_asciidoc;
extern const struct mb_report_format mb_format_csv;
extern const struct mb_report_format mb_format_json;
extern const struct mb_report_format mb_format_svg;
extern const struct mb_report_format mb_format_png;
extern const struct mb_report_format mb_format_html;
extern const struct mb_report_format mb_format_benchstat;
extern const struct mb_report_format mb_format_hyperfine;
extern const struct mb_report_format mb_format_github_bigger;
extern const struct mb_report_format mb_format_github_smaller;

#endif
