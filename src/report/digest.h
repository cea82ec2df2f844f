/* digest.h: what the trials of a cell amount to, alone and beside the baseline's. */
#ifndef MB_REPORT_DIGEST_H
#define MB_REPORT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "mountbench/stats.h"

/* All NaN where n is 0. */
struct mb_digest {
    size_t n;
    double median, mean, stddev, min, max; /* stddev is NaN below 2 */
    double low, high;                      /* 95 % interval of the median; NaN below 2 */
    size_t dropped;                        /* outliers that were left out, when that was asked for */
    struct mb_marks marks;                 /* of all trials, whether outliers were left out or not */
};

struct mb_ratio {
    double value, low, high;
};

/*
 * What the ratio to the baseline lets one say.  Faster and slower: the 95 % interval is on one side of 1, and the ratio is beyond
 * what this engine shows between mounts that are one filesystem, where it has such.
 */
enum mb_verdict {
    MB_VERDICT_NONE, /* no ratio: the baseline itself, or a side has no figure */
    MB_VERDICT_FASTER,
    MB_VERDICT_SLOWER,
    MB_VERDICT_SAME,    /* no difference shown */
    MB_VERDICT_FEW,     /* fewer than MB_VERDICT_LEAST trials on a side */
    MB_VERDICT_CONTROL, /* the two mounts are one filesystem: any difference is noise */
};

/* So few trials allow no verdict. */
#define MB_VERDICT_LEAST 3

/*
 * mb_digest_make(x, n, drop_outliers, how, out, err):
 * Of ${n} finite figures in the order of time.  With ${drop_outliers} those are taken out of ${x}, and ${out}->n is what is left.
 */
int mb_digest_make(double *x, size_t n, bool drop_outliers, const struct mb_bootstrap *how, struct mb_digest *out,
                   struct mb_error *err);

/* mb_verdict_of(ratio, na, nb, floor): by the number of trials of the sides; ${floor} is the noise floor, NaN when not known. */
enum mb_verdict mb_verdict_of(const struct mb_ratio *ratio, size_t na, size_t nb, double floor);

#endif
