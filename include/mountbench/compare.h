/*
 * compare.h: two sets of cells side by side, and what the difference between them amounts to.
 *
 * Rows are cells that both sides have.  Ratios are speeds, b's over a's, whatever the measure: above 1, b is faster.  What differs
 * between the two cells of a row in a parameter of the workload is never compared.  docs/methods.md says how verdicts come about.
 */
#ifndef MB_COMPARE_H
#define MB_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/buffer.h"
#include "mountbench/error.h"
#include "mountbench/result.h"
#include "mountbench/stats.h"

/* What tells the two sides apart, and so what a row's cells have in common. */
enum mb_compare_by {
    MB_COMPARE_FILES,   /* all cells of the one's results and of the other's; rows: the mount and workload, and the engine when a
                           side has several */
    MB_COMPARE_ENGINES, /* the engines called .pattern; rows: mount and workload */
    MB_COMPARE_MOUNTS,  /* the mounts called .pattern; rows: the workload, and the engine when there are several */
    MB_COMPARE_CELLS,   /* the cells whose name matches the glob .pattern (fnmatch); rows: as few parts of the name as tell a side's
                           cells apart; one cell against one other is always a row */
};

struct mb_compare_side {
    const char *label; /* what to call it; NULL: .pattern, or the file's name */
    const struct mb_results *results;
    const char *pattern; /* NULL with MB_COMPARE_FILES */
};

enum mb_compare_verdict {
    MB_COMPARE_FASTER,  /* b is */
    MB_COMPARE_SLOWER,  /* b is */
    MB_COMPARE_SAME,    /* no difference shown */
    MB_COMPARE_UNSURE,  /* too few trials to tell */
    MB_COMPARE_MISSING, /* one has no figure: .why */
    MB_COMPARE_REFUSED, /* the two are not the same work: .why */
};
#define MB_COMPARE_VERDICTS 6

struct mb_compare_value {
    size_t n; /* trials */
    double median;
    struct mb_interval interval;
};

struct mb_compare_row {
    char *name;                  /* "bind/dd-1k" */
    const struct mb_cell *a, *b; /* the first of its cells on either side */
    struct mb_compare_value value_a, value_b;
    double ratio;                /* of the medians as speeds, b's over a's; NaN for none */
    struct mb_interval interval; /* of the ratio, 95 % */
    double p, p_corrected;       /* NaN for none; corrected over all rows (Holm) */
    bool welch;                  /* p is from Welch's t test on logarithms, not from Mann and Whitney's U */
    enum mb_compare_verdict verdict;
    char *why; /* NULL unless missing or refused */
};

struct mb_comparison {
    char *label_a, *label_b;
    struct mb_compare_row *rows; /* in the order of a's cells */
    size_t row_count;
    size_t counts[MB_COMPARE_VERDICTS];
    double mean_ratio; /* geometric mean of the ratios over the rows that have one; NaN for none */
    size_t mean_of;    /* how many those are */
    double noise;      /* factor that mounts which are one filesystem stay within, on either side; NaN for none */
    char **remarks;    /* what differs besides, what only one side has; sentences, from files: not yet harmless */
    size_t remark_count;
    struct mb_compare_memory *memory;
};

struct mb_compare_options {
    bool drop_outliers;
    uint64_t seed; /* of the resampling; 0: the default */
};

/*
 * mb_compare(a, b, by, options, out, err):
 * Compare.  The results must outlive *${out}, which mb_comparison_free frees.  A pattern that matches nothing, sides that have no
 * row in common, and sides of which every row is refused are errors (MB_ECONFIG, MB_EUSAGE) that say what there is.
 */
int mb_compare(const struct mb_compare_side *a, const struct mb_compare_side *b, enum mb_compare_by by,
               const struct mb_compare_options *options, struct mb_comparison **out, struct mb_error *err);
void mb_comparison_free(struct mb_comparison *comparison);

/*
 * mb_comparison_gate(comparison, percent, err):
 * For CI: 0 when no row is shown to be slower by more than ${percent}: a verdict "slower" with (1 - ratio) above it.  Else
 * MB_EABOVE, naming the worst.  A row that cannot be compared, or whose b has no figure while a has one, does not pass: MB_ECONFIG
 * for refused ones, MB_EABOVE for missing ones.
 */
int mb_comparison_gate(const struct mb_comparison *comparison, double percent, struct mb_error *err);

struct mb_compare_view {
    unsigned width; /* columns of tables for a screen; 0: 80 */
    bool colour;    /* by verdict */
    bool ascii;     /* the screen shows no UTF-8 */
};

/*
 * mb_comparison_render(format, comparisons, n, view, out, err):
 * Append ${n} comparisons to ${out} as "terminal", "markdown", "csv" or "json"; another word is an error that lists these.
 */
int mb_comparison_render(const char *format, const struct mb_comparison *const *comparisons, size_t n,
                         const struct mb_compare_view *view, struct mb_buffer *out, struct mb_error *err);

#endif
