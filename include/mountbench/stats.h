/*
 * stats.h: what can be said from a few trials, and how sure it is.  Pure: no I/O, no state; needs nothing but GSL.
 *
 * Samples are plain arrays of doubles in any unit.  Values that are not finite (NaN: missing, failed) are left out everywhere,
 * and every n below counts what is left.  A quantity that cannot be had from so few values is NaN, never a guess.  Functions
 * that return int need memory in proportion to n and fail only for want of it (MB_EIO).
 *
 * docs/methods.md says why these methods; the sources are named at each.
 */
#ifndef MB_STATS_H
#define MB_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/error.h"

/* ---- One sample ---- */

/*
 * mb_finite(x, n, out): copy the finite ones of the ${n} values at ${x} to ${out} (room for ${n}; may be ${x} itself), in order;
 * returns how many.  mb_sort(x, n): into ascending order, in place; no NaN among them.
 */
size_t mb_finite(const double *x, size_t n, double *out);
void mb_sort(double *x, size_t n);

/*
 * mb_quantile(sorted, n, p):
 * The quantile at 0 <= ${p} <= 1 of ${n} finite values in ascending order, by definition 7 of Hyndman & Fan, "Sample Quantiles in
 * Statistical Packages", The American Statistician 50 (1996): linear between the order statistics, the default of R, NumPy and
 * spreadsheets.  NaN when ${n} is 0.
 */
double mb_quantile(const double *sorted, size_t n, double p);

struct mb_summary {
    size_t n;
    double mean, median;
    double stddev; /* of a sample: over n - 1; NaN when n < 2 */
    double mad;    /* median of the absolute deviations from the median, unscaled */
    double min, max, q1, q3;
};

/* mb_summary(x, n, out, err): summarise.  With no finite value, ${out}->n is 0 and the rest NaN. */
int mb_summary(const double *x, size_t n, struct mb_summary *out, struct mb_error *err);

/* ---- Confidence intervals ---- */

/* Both NaN when there is none: fewer than two values. */
struct mb_interval {
    double low, high;
};

enum mb_location { MB_LOCATION_MEDIAN, MB_LOCATION_MEAN };

/* How to resample; MB_BOOTSTRAP_DEFAULT is what all reports use. */
struct mb_bootstrap {
    double confidence; /* 0.95 */
    size_t resamples;  /* at least 100 */
    uint64_t seed;     /* the same seed and values give the same interval */
    bool unexpanded;   /* without the widening for small samples */
};
#define MB_BOOTSTRAP_DEFAULT                                                                                                       \
    {                                                                                                                              \
        .confidence = 0.95, .resamples = 10000, .seed = 1                                                                          \
    }

/*
 * mb_interval_location(location, x, n, how, out, err), mb_interval_ratio(location, a, na, b, nb, how, out, err):
 * Bootstrap interval for the median or mean of a sample, or for the ratio of ${a}'s to ${b}'s.  ${how} may be NULL for the
 * default.  BCa (Efron, "Better Bootstrap Confidence Intervals", JASA 82 (1987)), the acceleration by the jackknife, values
 * equal to the estimate counted half for the bias, and the level expanded for small samples as in Hesterberg, "What Teachers
 * Should Know About the Bootstrap", The American Statistician 69 (2015).
 * Medians are resampled through their order statistics, at a cost that does not grow with n; for means, resamples are fewer
 * where n times resamples is above 2^22, but at least 1,000.
 * All values equal: the interval is that value.  A ratio has an interval only when both sides have two values at least and all are
 * above zero.
 */
int mb_interval_location(enum mb_location location, const double *x, size_t n, const struct mb_bootstrap *how,
                         struct mb_interval *out, struct mb_error *err);
int mb_interval_ratio(enum mb_location location, const double *a, size_t na, const double *b, size_t nb,
                      const struct mb_bootstrap *how, struct mb_interval *out, struct mb_error *err);

/* ---- Tests of two samples, both two-sided ---- */

struct mb_test {
    double statistic; /* Welch: t; Mann-Whitney: U of the first sample */
    double df;        /* Welch: degrees of freedom; else NaN */
    double p;         /* NaN when the samples are too small */
    bool exact;       /* Mann-Whitney: by the exact distribution */
};

/*
 * mb_welch(a, na, b, nb, out):
 * Welch's t test of equal means (Welch, "The generalization of 'Student's' problem...", Biometrika 34 (1947)), degrees of freedom
 * by Welch and Satterthwaite.  p is NaN when a side has fewer than two values; when neither side varies, p is 1 for equal
 * means and 0 for others.  Cannot fail.
 */
void mb_welch(const double *a, size_t na, const double *b, size_t nb, struct mb_test *out);

/*
 * mb_mann_whitney(a, na, b, nb, out, err):
 * Mann and Whitney's U test ("On a Test of Whether one of Two Random Variables is Stochastically Larger than the Other", Annals of
 * Mathematical Statistics 18 (1947)).  Exact when there are no ties and na * nb <= 400; else by the normal distribution with
 * corrections for ties and continuity.  p is NaN when a side is empty, 1 when all values are equal.
 */
int mb_mann_whitney(const double *a, size_t na, const double *b, size_t nb, struct mb_test *out, struct mb_error *err);

/*
 * mb_mann_whitney_least_p(na, nb): the smallest p that samples of these sizes could give at all; 1 when a side is empty.  Where
 * that is above the level, more trials are needed and no difference could have been shown.
 */
double mb_mann_whitney_least_p(size_t na, size_t nb);

/*
 * mb_holm(p, n, out, err):
 * Holm's correction ("A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979)) of the
 * ${n} p values of one table into ${out} (may be ${p}): reject where out < level, and the chance of any false rejection in the
 * whole table is below the level.  NaN stays NaN and does not count.
 */
int mb_holm(const double *p, size_t n, double *out, struct mb_error *err);

/* ---- What should make a reader look twice: marked, never acted upon ---- */

/*
 * mb_outliers(x, n, flags, err):
 * Set ${flags}[i] for values whose modified Z score, 0.6745 (x - median) / MAD, is beyond 3.5 (Iglewicz & Hoaglin, "How to Detect
 * and Handle Outliers", 1993), with 1.2533 times the mean absolute deviation in place of MAD / 0.6745 when the MAD is 0.  None
 * below three values.  ${flags} may be NULL.  *${count} says how many.
 */
int mb_outliers(const double *x, size_t n, bool *flags, size_t *count, struct mb_error *err);

/* Values in the order of time. */
struct mb_marks {
    size_t outliers;

    /*
     * The first value stands out: its modified Z score by the others' median and MAD is beyond 3.5, it is outside their range,
     * and it is off their median by a quarter of that at least.  From three values.  first_ratio: first over the others' median.
     */
    bool first;
    double first_ratio;

    /*
     * Drift: Mann, "Nonparametric Tests Against Trend", Econometrica 13 (1945), on Kendall's tau (exact up to 20 values without
     * ties, else normal with correction for ties), p < 0.01, and a change over the whole series, by the slope of Theil and Sen, of
     * 5 % of the median at least.  From five values; of more than 128, neighbours are averaged first.
     */
    bool drift;
    double drift_p, drift_change; /* change: (last - first on the fitted line) / median, NaN unless p < 0.01 */

    /*
     * Two humps: Hartigan & Hartigan, "The Dip Test of Unimodality", Annals of Statistics 13 (1985), beyond the 1 % point of the
     * uniform distribution, and the two halves of the best split in two (least squares) apart by 10 % of the median at least,
     * median to median.  From eight values.
     */
    bool humps;
    double dip;
    double hump_low, hump_high; /* medians of the two, NaN unless humps */
    double hump_share;          /* of the values that belong to the lower one */
};

/* mb_marks(x, n, out, err): all of them; what cannot be had from so few values is false or NaN. */
int mb_marks(const double *x, size_t n, struct mb_marks *out, struct mb_error *err);

/* mb_mark_is_any(marks): whether anything is marked. */
bool mb_mark_is_any(const struct mb_marks *marks);

/* mb_dip(sorted, n): Hartigans' dip of ${n} >= 1 ascending finite values, 1/(2n) to 1/4.  0 when n is 0 or memory is short. */
double mb_dip(const double *sorted, size_t n);

/* ---- Over a table ---- */

/*
 * mb_geometric_means(values, sides, cells, out, used):
 * ${values}[side * cells + cell]; into ${out}[side] the geometric mean of each side over the cells for which *all* sides have a
 * finite value above zero, into *${used} (may be NULL) how many those are.  NaN when there is none.  Fleming & Wallace, "How not to
 * lie with statistics: the correct way to summarize benchmark results", CACM 29 (1986).  Cannot fail.
 */
void mb_geometric_means(const double *values, size_t sides, size_t cells, double *out, size_t *used);

/*
 * mb_noise_floor(ratios, n, out, err):
 * ${ratios} are the ratios of medians of ${n} pairs of cells that are really the same thing (two mounts that are one filesystem);
 * into *${out} the factor, 1 or above, that 95 % of them stay within, either way: exp of the quantile of |ln ratio|.  A ratio
 * within that factor is what this machine shows between equals.  NaN without pairs.
 */
int mb_noise_floor(const double *ratios, size_t n, double *out, struct mb_error *err);

/* ---- Enough trials? ---- */

struct mb_precision_goal {
    double relative; /* wanted: half the width of the median's 95 % interval over the median; 0.03 */
    size_t min, max; /* trials, at the least and the most */
};

enum mb_verdict_trials {
    MB_TRIALS_MORE,   /* go on */
    MB_TRIALS_ENOUGH, /* the goal is reached */
    MB_TRIALS_MAX,    /* it is not, but there are ${max} trials */
};

/*
 * mb_enough_trials(x, n, goal, reached, verdict, err):
 * Decide from the ${n} trials so far (failed ones as NaN: they count as trials and say nothing).  *${reached} is the relative half
 * width, NaN when there is none.
 */
int mb_enough_trials(const double *x, size_t n, const struct mb_precision_goal *goal, double *reached,
                     enum mb_verdict_trials *verdict, struct mb_error *err);

#endif
