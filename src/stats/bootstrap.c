/*
 * bootstrap.c: how far the figure of a few trials can be trusted, from the trials themselves.
 *
 * The idea (Efron): draw n of the n trials with replacement, take the figure, do that some thousand times; the spread of those
 * figures tells how far the real one may be off.  BCa corrects the ends for bias and skew.
 *
 * A resample's median needs no resample.  The k-th smallest of n uniform numbers is Beta(k, n + 1 - k) distributed, and a draw
 * with replacement takes the value at place floor(n * uniform) of the sorted trials, which keeps the order: so the k-th smallest of
 * a resample is the trial at the place that one Beta variate says.  For even n there is a second one below it: the lower of k
 * uniform numbers' maximum, given that the next is v, is v * W^(1/k) for a uniform W.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "mountbench/stats.h"
#include "stats/internal.h"

#define DRAWS_MAX ((size_t)1 << 22)
#define RESAMPLES_MIN 1000

/* One side: its trials in ascending order, its figure, and what the jackknife says of its skew. */
struct side {
    enum mb_location location;
    double *x;
    size_t n;
    double estimate;
    double cubes, squares; /* of the influence values, over n^3 and n^2 */
};

/* The figure without value ${i}. */
static double
without(const struct side *s, size_t i)
{
    if (s->location == MB_LOCATION_MEAN)
        return (s->estimate * (double)s->n - s->x[i]) / (double)(s->n - 1);
    size_t left = s->n - 1, low = (left - 1) / 2, high = left / 2;
    return (s->x[low + (low >= i)] + s->x[high + (high >= i)]) / 2;
}

/* Influence values by the jackknife, of the figure itself or (${inverse}) of something over it, times ${other}. */
static void
jackknife(struct side *s, double other, bool inverse)
{
    double mean = 0, n = (double)s->n;

    s->cubes = s->squares = 0;
    for (size_t i = 0; i < s->n; i++)
        mean += (inverse ? other / without(s, i) : other * without(s, i)) / n;
    for (size_t i = 0; i < s->n; i++) {
        double u = (n - 1) * (mean - (inverse ? other / without(s, i) : other * without(s, i)));
        s->cubes += u * u * u / (n * n * n);
        s->squares += u * u / (n * n);
    }
}

static double
draw_median(const struct side *s, const gsl_rng *rng)
{
    size_t n = s->n, k = n / 2 + 1;
    double u = gsl_ran_beta(rng, (double)k, (double)(n + 1 - k));
    size_t high = (size_t)((double)n * u);

    high = high < n ? high : n - 1;
    if (n % 2 == 1)
        return s->x[high];
    u *= pow(gsl_rng_uniform_pos(rng), 1 / (double)(k - 1));
    size_t low = (size_t)((double)n * u);
    return (s->x[low < n ? low : n - 1] + s->x[high]) / 2;
}

static double
draw_mean(const struct side *s, const gsl_rng *rng)
{
    double sum = 0;

    for (size_t i = 0; i < s->n; i++)
        sum += s->x[(size_t)(gsl_rng_uniform(rng) * (double)s->n)];
    return sum / (double)s->n;
}

static double
draw(const struct side *s, const gsl_rng *rng)
{
    return s->location == MB_LOCATION_MEDIAN ? draw_median(s, rng) : draw_mean(s, rng);
}

/* The quantile at ${p} of the ${n} resampled figures, in any order and left in any order. */
static double
select_quantile(double *figures, size_t n, double p)
{
    double h = (double)(n - 1) * p;
    size_t k = (size_t)h;
    double low = gsl_stats_select(figures, 1, n, k);

    if (k + 1 >= n || h == (double)k)
        return low;
    return low + (h - (double)k) * (gsl_stats_select(figures, 1, n, k + 1) - low);
}

/* The normal quantile at which an end of the interval is looked up before correction, at ${tail} below one half. */
static double
expanded_z(double tail, size_t n, bool unexpanded)
{
    if (unexpanded)
        return gsl_cdf_ugaussian_Pinv(tail);
    return sqrt((double)n / (double)(n - 1)) * gsl_cdf_tdist_Pinv(tail, (double)(n - 1));
}

static double
bias(const double *figures, size_t n, double estimate)
{
    double below = 0;

    for (size_t i = 0; i < n; i++)
        below += figures[i] < estimate ? 1 : figures[i] == estimate ? 0.5 : 0;
    double share = below / (double)n, least = 0.5 / (double)n;
    share = share < least ? least : share > 1 - least ? 1 - least : share;
    return gsl_cdf_ugaussian_Pinv(share);
}

static double
corrected(double z, double z0, double a)
{
    double slope = 1 - a * (z0 + z);
    /* Beyond the pole of the correction the interval ends with the resamples. */
    if (slope <= 0)
        return z > 0 ? 1 : 0;
    return gsl_cdf_ugaussian_P(z0 + (z0 + z) / slope);
}

static void
interval_of(double *figures, size_t n, double estimate, double acceleration, double z, struct mb_interval *out)
{
    double z0 = bias(figures, n, estimate);

    out->low = select_quantile(figures, n, corrected(z, z0, acceleration));
    out->high = select_quantile(figures, n, corrected(-z, z0, acceleration));
}

static double
acceleration_of(double cubes, double squares)
{
    return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

static size_t
resamples_for(const struct mb_bootstrap *how, enum mb_location location, size_t n)
{
    size_t most = DRAWS_MAX / n;

    if (location == MB_LOCATION_MEDIAN || how->resamples <= RESAMPLES_MIN || how->resamples <= most)
        return how->resamples;
    return most > RESAMPLES_MIN ? most : RESAMPLES_MIN;
}

static int
load(struct side *s, enum mb_location location, const double *x, size_t n, struct mb_error *err)
{
    *s = (struct side){.location = location};
    s->x = mb_stats_copy(x, n, &s->n, err);
    if (s->x == NULL)
        return -1;
    mb_sort(s->x, s->n);
    if (s->n > 0)
        s->estimate = location == MB_LOCATION_MEDIAN ? mb_quantile(s->x, s->n, 0.5) : mb_stats_mean(s->x, s->n);
    return 0;
}

/* Resample one side, or ${a} over ${b}. */
static int
resample(struct side *a, struct side *b, const struct mb_bootstrap *how, struct mb_interval *out, struct mb_error *err)
{
    size_t smaller = b != NULL && b->n < a->n ? b->n : a->n;
    size_t resamples = resamples_for(how, a->location, a->n + (b != NULL ? b->n : 0));
    double estimate = b != NULL ? a->estimate / b->estimate : a->estimate;
    double *figures = malloc(resamples * sizeof *figures);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);

    if (figures == NULL || rng == NULL) {
        free(figures);
        if (rng != NULL)
            gsl_rng_free(rng);
        return mb_error_set(err, MB_EIO, "out of memory");
    }
    gsl_rng_set(rng, (unsigned long)(how->seed ^ how->seed >> 32));
    for (size_t i = 0; i < resamples; i++)
        figures[i] = b != NULL ? draw(a, rng) / draw(b, rng) : draw(a, rng);
    jackknife(a, b != NULL ? 1 / b->estimate : 1, false);
    if (b != NULL)
        jackknife(b, a->estimate, true);
    double acceleration = acceleration_of(a->cubes + (b != NULL ? b->cubes : 0), a->squares + (b != NULL ? b->squares : 0));
    interval_of(figures, resamples, estimate, acceleration, expanded_z((1 - how->confidence) / 2, smaller, how->unexpanded), out);
    gsl_rng_free(rng);
    free(figures);
    return 0;
}

static const struct mb_bootstrap by_default = MB_BOOTSTRAP_DEFAULT;

int
mb_interval_location(enum mb_location location, const double *x, size_t n, const struct mb_bootstrap *how, struct mb_interval *out,
                     struct mb_error *err)
{
    struct side s;
    int rc = 0;

    *out = (struct mb_interval){NAN, NAN};
    if (load(&s, location, x, n, err) != 0)
        return -1;
    if (s.n >= 2 && s.x[0] == s.x[s.n - 1])
        *out = (struct mb_interval){s.x[0], s.x[0]};
    else if (s.n >= 2)
        rc = resample(&s, NULL, how != NULL ? how : &by_default, out, err);
    free(s.x);
    return rc;
}

int
mb_interval_ratio(enum mb_location location, const double *a, size_t na, const double *b, size_t nb, const struct mb_bootstrap *how,
                  struct mb_interval *out, struct mb_error *err)
{
    struct side sa, sb;
    int rc = 0;

    *out = (struct mb_interval){NAN, NAN};
    if (load(&sa, location, a, na, err) != 0)
        return -1;
    if (load(&sb, location, b, nb, err) != 0) {
        free(sa.x);
        return -1;
    }
    if (sa.n >= 2 && sb.n >= 2 && sa.x[0] > 0 && sb.x[0] > 0) {
        if (sa.x[0] == sa.x[sa.n - 1] && sb.x[0] == sb.x[sb.n - 1])
            *out = (struct mb_interval){sa.x[0] / sb.x[0], sa.x[0] / sb.x[0]};
        else
            rc = resample(&sa, &sb, how != NULL ? how : &by_default, out, err);
    }
    free(sa.x);
    free(sb.x);
    return rc;
}
