/* summary.c: one sample in a few numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/stats.h"
#include "stats/internal.h"

size_t
mb_finite(const double *x, size_t n, double *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (isfinite(x[i]))
            out[kept++] = x[i];
    }
    return kept;
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void
mb_sort(double *x, size_t n)
{
    if (n > 1)
        qsort(x, n, sizeof *x, compare);
}

double
mb_quantile(const double *sorted, size_t n, double p)
{
    if (n == 0)
        return NAN;
    double h = (double)(n - 1) * p;
    size_t k = (size_t)h;
    if (k + 1 >= n)
        return sorted[n - 1];
    return sorted[k] + (h - (double)k) * (sorted[k + 1] - sorted[k]);
}

double *
mb_stats_copy(const double *x, size_t n, size_t *kept, struct mb_error *err)
{
    double *copy = calloc(n > 0 ? n : 1, sizeof *copy);

    if (copy == NULL) {
        mb_error_set(err, MB_EIO, "out of memory");
        return NULL;
    }
    *kept = mb_finite(x, n, copy);
    return copy;
}

double
mb_stats_mean(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    double mean = sum / (double)n;
    /* A second pass takes out what rounding left. */
    double rest = 0;
    for (size_t i = 0; i < n; i++)
        rest += x[i] - mean;
    return mean + rest / (double)n;
}

double
mb_stats_variance(const double *x, size_t n)
{
    double mean = mb_stats_mean(x, n), squares = 0, sum = 0;

    for (size_t i = 0; i < n; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
        sum += x[i] - mean;
    }
    return (squares - sum * sum / (double)n) / (double)(n - 1);
}

double
mb_stats_mad(const double *x, size_t n, double centre, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(x[i] - centre);
    mb_sort(scratch, n);
    return mb_quantile(scratch, n, 0.5);
}

int
mb_summary(const double *x, size_t n, struct mb_summary *out, struct mb_error *err)
{
    double *sorted = mb_stats_copy(x, n, &n, err);

    if (sorted == NULL)
        return -1;
    *out = (struct mb_summary){.n = n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n > 0) {
        mb_sort(sorted, n);
        out->mean = mb_stats_mean(sorted, n);
        out->median = mb_quantile(sorted, n, 0.5);
        out->q1 = mb_quantile(sorted, n, 0.25);
        out->q3 = mb_quantile(sorted, n, 0.75);
        out->min = sorted[0];
        out->max = sorted[n - 1];
        if (n > 1)
            out->stddev = sqrt(mb_stats_variance(sorted, n));
        for (size_t i = 0; i < n; i++)
            sorted[i] = fabs(sorted[i] - out->median);
        mb_sort(sorted, n);
        out->mad = mb_quantile(sorted, n, 0.5);
    }
    free(sorted);
    return 0;
}
