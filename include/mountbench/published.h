/*
 * published.h: the figures that articles printed, kept as data beside the trials they came from.
 *
 * A published file is a result file (result.h) that also holds `published-table` and `published` records: the tables as the
 * article lays them out, and every figure as it is printed, digit for digit.  The tables are computed anew from the samples;
 * the printed figures only serve to check them.  The records are described in docs/published.md.
 */
#ifndef MB_PUBLISHED_H
#define MB_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>

#include "mountbench/buffer.h"
#include "mountbench/error.h"
#include "mountbench/result.h"

struct mb_published;

/* One printed figure, and what the trials say to it. */
struct mb_published_figure {
    const char *table, *row, *column; /* where it is printed */
    const char *what;                 /* "trial", "trials", "mean", "ratio", "p", "cited" */
    const char *text;                 /* as printed */
    bool reproduced;                  /* the trials give it to its last digit */
    const char *derived;              /* what the trials give, formatted as the column is; "" when they give nothing */
    const char *reason;               /* why it cannot be derived; "" when reproduced */
};

/*
 * mb_published_names(out, n, err):
 * The names of the published files in ./results/published, or where that does not exist in the installed share directory, in
 * alphabetical order.  Free each and *${out}.
 * mb_published_find(name, path, err):
 * The file of the table set ${name}; ${name} itself when it has a '/' or ends in .jsonl.  An unknown name is an error with the
 * nearest one.  *${path} is the caller's to free.
 */
int mb_published_names(char ***out, size_t *n, struct mb_error *err);
int mb_published_find(const char *name, char **path, struct mb_error *err);

/*
 * mb_published_load(path, out, err):
 * Read ${path}, check that its tables and figures fit its cells, and derive every figure.  Errors name file and line.  Free
 * with mb_published_free (NULL is a no-op).
 */
int mb_published_load(const char *path, struct mb_published **out, struct mb_error *err);
void mb_published_free(struct mb_published *published);

/* mb_published_figures(published, n): every printed figure in file order, *${n} of them; they live as long as ${published}. */
const struct mb_published_figure *mb_published_figures(const struct mb_published *published, size_t *n);

/* mb_published_source(published, key): what the source record says under ${key} ("title", "measured"), or NULL. */
const char *mb_published_source(const struct mb_published *published, const char *key);

/* mb_published_rows(published): how many engines and mounts the tables compare, their baselines included. */
size_t mb_published_rows(const struct mb_published *published);

/* How to lay it out. */
struct mb_published_layout {
    bool markdown;
    bool unicode; /* the terminal shows UTF-8 */
    size_t width; /* columns, for text that is not Markdown */
};

/*
 * mb_published_print(published, layout, out):
 * Append the article's tables in its own columns and rounding, computed from the trials, and then what cannot be computed and
 * what a reader of the table should know.  Cannot fail but for ${out}'s ceiling.
 */
void mb_published_print(const struct mb_published *published, const struct mb_published_layout *layout, struct mb_buffer *out);

/*
 * mb_published_compare(published, measured, layout, out):
 * Append published and measured figures side by side, each as a ratio to the table's baseline, the pairs of rows whose order
 * differs, and the rows that ${measured} does not have, with why.
 */
void mb_published_compare(const struct mb_published *published, const struct mb_results *measured,
                          const struct mb_published_layout *layout, struct mb_buffer *out);

#endif
