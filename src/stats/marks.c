/* marks.c: what should make a reader look twice at a sample. */
#include <math.h>
#include <stdlib.h>

#include "mountbench/stats.h"
#include "stats/internal.h"

#define Z_LIMIT 3.5
#define FIRST_CHANGE 0.25
#define DRIFT_P 0.01
#define DRIFT_CHANGE 0.05
#define DRIFT_VALUES 128
#define HUMPS_APART 0.10
#define HUMPS_FROM 8
/* The normal distribution's third quartile, and the square root of pi / 2: what MAD and mean deviation are of its sigma. */
#define MAD_TO_SIGMA 0.6745
#define MEAN_DEVIATION_TO_SIGMA 1.2533

/* The scale by which a deviation is a modified Z score; 0 when all values are equal.  ${scratch} has room for ${n}. */
static double
robust_sigma(const double *x, size_t n, double median, double *scratch)
{
    double mad = mb_stats_mad(x, n, median, scratch);

    return mad > 0 ? mad / MAD_TO_SIGMA : MEAN_DEVIATION_TO_SIGMA * mb_stats_mean(scratch, n);
}

static double
median_of(const double *x, size_t n, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = x[i];
    mb_sort(scratch, n);
    return mb_quantile(scratch, n, 0.5);
}

int
mb_outliers(const double *x, size_t n, bool *flags, size_t *count, struct mb_error *err)
{
    size_t kept;
    double *values = mb_stats_copy(x, n, &kept, err);

    *count = 0;
    if (values == NULL)
        return -1;
    double *scratch = malloc((kept + 1) * sizeof *scratch);
    if (scratch == NULL) {
        free(values);
        return mb_error_set(err, MB_EIO, "out of memory");
    }
    double median = median_of(values, kept, scratch), sigma = kept >= 3 ? robust_sigma(values, kept, median, scratch) : 0;
    for (size_t i = 0; i < n; i++) {
        bool out = isfinite(x[i]) && sigma > 0 && fabs(x[i] - median) / sigma > Z_LIMIT;
        *count += out;
        if (flags != NULL)
            flags[i] = out;
    }
    free(values);
    free(scratch);
    return 0;
}

static void
mark_first(const double *x, size_t n, double *scratch, struct mb_marks *out)
{
    if (n < 3)
        return;
    double median = median_of(x + 1, n - 1, scratch), low = scratch[0], high = scratch[n - 2];
    double sigma = robust_sigma(x + 1, n - 1, median, scratch);
    if (median > 0)
        out->first_ratio = x[0] / median;
    double distance = fabs(x[0] - median);
    out->first = (x[0] < low || x[0] > high) && distance > Z_LIMIT * sigma && distance >= FIRST_CHANGE * fabs(median);
}

/*
 * A long series into at most DRIFT_VALUES means of neighbours, since the tests for trend look at every pair; returns how many,
 * written over ${x}.
 */
static size_t
thin_out(double *x, size_t n)
{
    size_t each = (n + DRIFT_VALUES - 1) / DRIFT_VALUES, kept = 0;

    for (size_t i = 0; i + each <= n; i += each)
        x[kept++] = mb_stats_mean(x + i, each);
    return kept;
}

static int
mark_drift(double *x, size_t n, double median, struct mb_marks *out, struct mb_error *err)
{
    double tau, slope;

    n = thin_out(x, n);
    if (n < 5)
        return 0;
    if (mb_stats_mann_kendall(x, n, &tau, &out->drift_p, err) != 0)
        return -1;
    if (out->drift_p >= DRIFT_P || median <= 0)
        return 0;
    if (mb_stats_theil_sen(x, n, &slope, err) != 0)
        return -1;
    out->drift_change = slope * (double)(n - 1) / median;
    out->drift = fabs(out->drift_change) >= DRIFT_CHANGE;
    return 0;
}

/* Where to split ${sorted} in two such that the squares within the halves are least: the first place of the upper half. */
static size_t
best_split(const double *sorted, size_t n)
{
    double total = 0, below = 0, best = -1;
    size_t split = 1;

    for (size_t i = 0; i < n; i++)
        total += sorted[i] - sorted[0];
    for (size_t i = 1; i < n; i++) {
        below += sorted[i - 1] - sorted[0];
        double n1 = (double)i, n2 = (double)(n - i), apart = below / n1 - (total - below) / n2;
        double between = n1 * n2 * apart * apart;
        if (between > best) {
            best = between;
            split = i;
        }
    }
    return split;
}

static void
mark_humps(const double *sorted, size_t n, double median, struct mb_marks *out)
{
    if (n < HUMPS_FROM)
        return;
    out->dip = mb_dip(sorted, n);
    if (out->dip <= mb_stats_dip_limit(n))
        return;
    size_t split = best_split(sorted, n);
    double low = mb_quantile(sorted, split, 0.5), high = mb_quantile(sorted + split, n - split, 0.5);
    if (high - low < HUMPS_APART * fabs(median))
        return;
    out->humps = true;
    out->hump_low = low;
    out->hump_high = high;
    out->hump_share = (double)split / (double)n;
}

int
mb_marks(const double *x, size_t n, struct mb_marks *out, struct mb_error *err)
{
    *out = (struct mb_marks){
        .first_ratio = NAN, .drift_p = NAN, .drift_change = NAN, .dip = NAN, .hump_low = NAN, .hump_high = NAN, .hump_share = NAN};
    if (mb_outliers(x, n, NULL, &out->outliers, err) != 0)
        return -1;
    double *values = mb_stats_copy(x, n, &n, err);
    if (values == NULL)
        return -1;
    double *scratch = malloc((n + 1) * sizeof *scratch);
    if (scratch == NULL) {
        free(values);
        return mb_error_set(err, MB_EIO, "out of memory");
    }
    int rc = 0;
    if (n > 0) {
        mark_first(values, n, scratch, out);
        double median = median_of(values, n, scratch);
        mark_humps(scratch, n, median, out);
        rc = mark_drift(values, n, median, out, err);
    }
    free(values);
    free(scratch);
    return rc;
}

bool
mb_mark_is_any(const struct mb_marks *marks)
{
    return marks->outliers > 0 || marks->first || marks->drift || marks->humps;
}
