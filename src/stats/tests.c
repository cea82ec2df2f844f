/* tests.c: could the difference between two samples be chance? */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/stats.h"
#include "stats/internal.h"

#define EXACT_PRODUCT_MAX 400

/* Mean and variance of the finite values, without a copy. */
static size_t
moments(const double *x, size_t n, double *mean, double *variance)
{
    double sum = 0, squares = 0;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (isfinite(x[i])) {
            sum += x[i];
            kept++;
        }
    }
    *mean = sum / (double)kept;
    sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(x[i])) {
            squares += (x[i] - *mean) * (x[i] - *mean);
            sum += x[i] - *mean;
        }
    }
    *variance = (squares - sum * sum / (double)kept) / (double)(kept - 1);
    return kept;
}

void
mb_welch(const double *a, size_t na, const double *b, size_t nb, struct mb_test *out)
{
    double mean_a, mean_b, variance_a, variance_b;
    double n_a = (double)moments(a, na, &mean_a, &variance_a), n_b = (double)moments(b, nb, &mean_b, &variance_b);

    *out = (struct mb_test){NAN, NAN, NAN, false};
    if (n_a < 2 || n_b < 2)
        return;
    double part_a = variance_a / n_a, part_b = variance_b / n_b, both = part_a + part_b;
    if (both <= 0) {
        out->p = mean_a == mean_b ? 1 : 0;
        return;
    }
    out->statistic = (mean_a - mean_b) / sqrt(both);
    out->df = both * both / (part_a * part_a / (n_a - 1) + part_b * part_b / (n_b - 1));
    out->p = 2 * gsl_cdf_tdist_P(-fabs(out->statistic), out->df);
}

/*
 * The exact distribution of U, by the recursion of Mann and Whitney on which side the largest value comes from:
 * P(u; n, m) = n/(n+m) P(u - m; n - 1, m) + m/(n+m) P(u; n, m - 1).  Every term is positive, so nothing cancels.
 * ${table} holds P for one n and all m: row m has (nm + 1) places, rows ${stride} apart.
 */
static void
fill_row(double *row, const double *row_less_m, const double *previous, size_t n, size_t m)
{
    double share_n = (double)n / (double)(n + m), share_m = (double)m / (double)(n + m);

    for (size_t u = 0; u <= n * m; u++) {
        double p = 0;
        if (u >= m && u - m <= (n - 1) * m)
            p += share_n * previous[u - m];
        if (u <= n * (m - 1))
            p += share_m * row_less_m[u];
        row[u] = p;
    }
}

/* P(U <= u) for sizes ${na} and ${nb}; NaN without memory. */
static double
exact_below(size_t na, size_t nb, size_t u)
{
    size_t stride = na * nb + 1, rows = nb + 1;
    double *table = calloc(2 * rows * stride, sizeof *table);
    double sum = 0;

    if (table == NULL)
        return NAN;
    for (size_t n = 0; n <= na; n++) {
        double *now = table + (n % 2) * rows * stride, *before = table + ((n + 1) % 2) * rows * stride;
        now[0] = 1;
        for (size_t m = 1; m <= nb; m++) {
            if (n == 0)
                now[m * stride] = 1;
            else
                fill_row(now + m * stride, now + (m - 1) * stride, before + m * stride, n, m);
        }
    }
    const double *last = table + (na % 2) * rows * stride + nb * stride;
    for (size_t i = 0; i <= u; i++)
        sum += last[i];
    free(table);
    return sum;
}

struct ranked {
    double value;
    bool first;
};

static int
compare_ranked(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

/* The sum of the first sample's ranks, ties sharing theirs, and the sum of t^3 - t over groups of ties. */
static double
rank_sum(struct ranked *all, size_t n, double *ties)
{
    double sum = 0;

    *ties = 0;
    qsort(all, n, sizeof *all, compare_ranked);
    for (size_t i = 0, j; i < n; i = j) {
        size_t firsts = 0;
        for (j = i; j < n && all[j].value == all[i].value; j++)
            firsts += all[j].first;
        double t = (double)(j - i);
        sum += (double)firsts * ((double)(i + j) + 1) / 2;
        *ties += t * t * t - t;
    }
    return sum;
}

static double
normal_p(double u, double n_a, double n_b, double ties)
{
    double n = n_a + n_b, mean = n_a * n_b / 2;
    double variance = n_a * n_b / 12 * (n + 1 - ties / (n * (n - 1)));

    if (variance <= 0)
        return 1;
    double z = (fabs(u - mean) - 0.5) / sqrt(variance);
    double p = 2 * gsl_cdf_ugaussian_Q(z);
    return p < 1 ? p : 1;
}

static struct ranked *
pool(const double *a, size_t *na, const double *b, size_t *nb, struct mb_error *err)
{
    struct ranked *all = malloc((*na + *nb + 1) * sizeof *all);
    size_t kept = 0, of_a;

    if (all == NULL) {
        mb_error_set(err, MB_EIO, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < *na; i++) {
        if (isfinite(a[i]))
            all[kept++] = (struct ranked){a[i], true};
    }
    of_a = kept;
    for (size_t i = 0; i < *nb; i++) {
        if (isfinite(b[i]))
            all[kept++] = (struct ranked){b[i], false};
    }
    *na = of_a;
    *nb = kept - of_a;
    return all;
}

int
mb_mann_whitney(const double *a, size_t na, const double *b, size_t nb, struct mb_test *out, struct mb_error *err)
{
    struct ranked *all = pool(a, &na, b, &nb, err);
    double ties;

    *out = (struct mb_test){NAN, NAN, NAN, false};
    if (all == NULL)
        return -1;
    if (na > 0 && nb > 0) {
        double n_a = (double)na, n_b = (double)nb;
        out->statistic = rank_sum(all, na + nb, &ties) - n_a * (n_a + 1) / 2;
        out->exact = ties == 0 && na * nb <= EXACT_PRODUCT_MAX;
        if (out->exact) {
            double smaller = fmin(out->statistic, n_a * n_b - out->statistic);
            out->p = fmin(1, 2 * exact_below(na, nb, (size_t)smaller));
        } else {
            out->p = normal_p(out->statistic, n_a, n_b, ties);
        }
    }
    free(all);
    return isnan(out->p) && na > 0 && nb > 0 ? mb_error_set(err, MB_EIO, "out of memory") : 0;
}

double
mb_mann_whitney_least_p(size_t na, size_t nb)
{
    if (na == 0 || nb == 0)
        return 1;
    if (na * nb > EXACT_PRODUCT_MAX)
        return normal_p(0, (double)na, (double)nb, 0);
    /* One of all ways to pick which ranks are the first sample's, at either end. */
    double p = 2 * exp(-gsl_sf_lnchoose((unsigned)(na + nb), (unsigned)na));
    return p < 1 ? p : 1;
}

struct ordered {
    double p;
    size_t place;
};

static int
compare_ordered(const void *a, const void *b)
{
    double x = ((const struct ordered *)a)->p, y = ((const struct ordered *)b)->p;
    return (x > y) - (x < y);
}

int
mb_holm(const double *p, size_t n, double *out, struct mb_error *err)
{
    struct ordered *order = malloc((n + 1) * sizeof *order);
    double least = 0;
    size_t kept = 0;

    if (order == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (size_t i = 0; i < n; i++) {
        if (isfinite(p[i]))
            order[kept++] = (struct ordered){p[i], i};
        out[i] = p[i];
    }
    qsort(order, kept, sizeof *order, compare_ordered);
    for (size_t i = 0; i < kept; i++) {
        double corrected = order[i].p * (double)(kept - i);
        least = fmax(least, fmin(1, corrected));
        out[order[i].place] = least;
    }
    free(order);
    return 0;
}
