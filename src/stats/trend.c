/* trend.c: does a series of trials go up or down as time goes on? */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "mountbench/stats.h"
#include "stats/internal.h"

#define EXACT_MAX 20

/*
 * P(a random order of n has at most k inversions), by building orders up one value at a time: the i-th adds 0 to i - 1 inversions,
 * each as likely (Kendall 1938).
 */
static double
inversions_below(size_t n, size_t k)
{
    double now[EXACT_MAX * (EXACT_MAX - 1) / 2 + 1] = {1}, next[EXACT_MAX * (EXACT_MAX - 1) / 2 + 1], sum = 0;

    for (size_t i = 2; i <= n; i++) {
        size_t most = i * (i - 1) / 2, before = (i - 1) * (i - 2) / 2;
        for (size_t j = 0; j <= most; j++) {
            next[j] = 0;
            for (size_t add = 0; add < i && add <= j; add++) {
                if (j - add <= before)
                    next[j] += now[j - add] / (double)i;
            }
        }
        for (size_t j = 0; j <= most; j++)
            now[j] = next[j];
    }
    for (size_t j = 0; j <= k; j++)
        sum += now[j];
    return sum;
}

/* Sums of t(t-1) and t(t-1)(2t+5) over groups of t equal values. */
struct ties {
    double pairs, fives;
};

static struct ties
count_ties(const double *sorted, size_t n)
{
    struct ties ties = {0, 0};

    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && sorted[j] == sorted[i]; j++)
            ;
        double t = (double)(j - i);
        ties.pairs += t * (t - 1);
        ties.fives += t * (t - 1) * (2 * t + 5);
    }
    return ties;
}

int
mb_stats_mann_kendall(const double *x, size_t n, double *tau, double *p, struct mb_error *err)
{
    size_t kept;
    double up = 0, down = 0, count = (double)n, all = count * (count - 1);
    double *sorted = mb_stats_copy(x, n, &kept, err);

    if (sorted == NULL)
        return -1;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            up += x[j] > x[i];
            down += x[j] < x[i];
        }
    }
    mb_sort(sorted, n);
    struct ties ties = count_ties(sorted, n);
    free(sorted);
    *tau = ties.pairs < all ? (up - down) / sqrt((all - ties.pairs) / 2 * all / 2) : NAN;
    if (ties.pairs == 0 && n <= EXACT_MAX) {
        *p = fmin(1, 2 * inversions_below(n, (size_t)fmin(up, down)));
        return 0;
    }
    double variance = (all * (2 * count + 5) - ties.fives) / 18;
    double distance = fmax(0, fabs(up - down) - 1);
    *p = variance > 0 ? fmin(1, 2 * gsl_cdf_ugaussian_Q(distance / sqrt(variance))) : 1;
    return 0;
}

int
mb_stats_theil_sen(const double *x, size_t n, double *slope, struct mb_error *err)
{
    size_t pairs = 0;
    double *slopes = malloc((n * (n - 1) / 2 + 1) * sizeof *slopes);

    if (slopes == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++)
            slopes[pairs++] = (x[j] - x[i]) / (double)(j - i);
    }
    mb_sort(slopes, pairs);
    *slope = mb_quantile(slopes, pairs, 0.5);
    free(slopes);
    return 0;
}
