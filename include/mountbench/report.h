/*
 * report.h: results turned into something to read: tables, plots, and other tools' formats.
 *
 * A format is a row: one file in src/report/ that ends in one `const struct mb_report_format`, and one line of the list in
 * src/report/report.c.  Nothing here prints or reads the environment: the caller says width, colour and characters.
 */
#ifndef MB_REPORT_H
#define MB_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/buffer.h"
#include "mountbench/error.h"
#include "mountbench/result.h"

/* What a report is made from, digested: groups, mounts, workloads, cells, statistics (src/report/model.h). */
struct mb_model;

struct mb_report_format {
    const char *name; /* "markdown" */
    const char *help; /* one line */
    bool binary;      /* not to be sent to a terminal */
    int (*render)(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err);
};

/* mb_report_formats(): every format, ended by NULL, in the order help shows them. */
const struct mb_report_format *const *mb_report_formats(void);

/* mb_report_format_find(name, err): the row; NULL and an error that lists the names, with the nearest, when there is none. */
const struct mb_report_format *mb_report_format_find(const char *name, struct mb_error *err);

/* How to render.  {0} will do: the terminal format in 80 columns, no colour, UTF-8, default baseline. */
struct mb_report_options {
    const char *format;   /* a format's name; NULL: terminal */
    unsigned width;       /* columns of tables for people; 0: 80 */
    bool colour;          /* by verdict, in the terminal format */
    bool ascii;           /* the terminal shows no UTF-8: bars of '#', '?' for what is not ASCII */
    const char *baseline; /* the mount that ratios are taken to; NULL: volume, else bind, else layer, else the first */
    bool drop_outliers;   /* leave outliers out of every figure, and say so */
    bool details;         /* also phases, latencies, what was really mounted */
    bool summary;         /* csv: a cell a row, not a sample a row */
    uint64_t seed;        /* of the resampling behind intervals */
    const char *command;  /* the command line that made this report, for the record; may be NULL */
};

/* No report is longer. */
#define MB_REPORT_MAX_BYTES ((size_t)1 << 30)

/*
 * mb_report_render(results, options, out, err):
 * Append the report to ${out}, whose ceiling should be MB_REPORT_MAX_BYTES.  An unknown format and a --baseline that no mount is
 * called are errors that name what there is.
 */
int mb_report_render(const struct mb_results *results, const struct mb_report_options *options, struct mb_buffer *out,
                     struct mb_error *err);

#endif
