/* stats.h: bootstrap intervals: against SciPy's, against plain resampling, and against the truth in a simulation. */
#include "mountbench/stats.h"

#include <check.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "unit/stats/fixtures.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct mb_error err;

START_TEST(means_against_scipy)
{
    for (size_t i = 0; i < COUNT(mean_intervals); i++) {
        struct mb_bootstrap how = {.confidence = 0.95, .resamples = 40000, .seed = 7, .unexpanded = true};
        struct mb_interval out;
        int rc = mean_intervals[i].b == NULL
                     ? mb_interval_location(MB_LOCATION_MEAN, mean_intervals[i].a, mean_intervals[i].na, &how, &out, &err)
                     : mb_interval_ratio(MB_LOCATION_MEAN, mean_intervals[i].a, mean_intervals[i].na, mean_intervals[i].b,
                                         mean_intervals[i].nb, &how, &out, &err);
        ck_assert_int_eq(rc, 0);
        /* Five standard errors of the bootstrap itself, theirs and ours. */
        ck_assert_msg(fabs(out.low - mean_intervals[i].low) < 5 * mean_intervals[i].low_error + 1e-9 &&
                          fabs(out.high - mean_intervals[i].high) < 5 * mean_intervals[i].high_error + 1e-9,
                      "%s: %g to %g, not %g to %g", mean_intervals[i].name, out.low, out.high, mean_intervals[i].low,
                      mean_intervals[i].high);
    }
}
END_TEST

/* Drawing the median's order statistics is as good as drawing the resample: the same percentiles. */
START_TEST(medians_against_resampling)
{
    for (size_t i = 0; i < COUNT(median_percentiles); i++) {
        size_t n = median_percentiles[i].n;
        double sorted[64];
        for (size_t j = 0; j < n; j++)
            sorted[j] = median_percentiles[i].x[j];
        mb_sort(sorted, n);
        struct mb_bootstrap how = {.confidence = 0.95, .resamples = 40000, .seed = 3, .unexpanded = true};
        struct mb_interval out;
        ck_assert_int_eq(mb_interval_location(MB_LOCATION_MEDIAN, median_percentiles[i].x, n, &how, &out, &err), 0);
        /* Bias and acceleration of a median are near zero, so that the ends are near the plain percentiles: one gap between
         * neighbours at the most. */
        double gap = 0;
        for (size_t j = 1; j < n; j++)
            gap = fmax(gap, sorted[j] - sorted[j - 1]);
        ck_assert_msg(fabs(out.low - median_percentiles[i].low) <= gap && fabs(out.high - median_percentiles[i].high) <= gap,
                      "%s: %g to %g, not %g to %g", median_percentiles[i].name, out.low, out.high, median_percentiles[i].low,
                      median_percentiles[i].high);
    }
}
END_TEST

/* The quantile at ${p} of the medians of all n^n resamples of 0, 1, ... n - 1. */
static double
exact_quantile(size_t n, double p)
{
    double medians[3125], drawn[5];
    size_t count = 0, total = 1;

    for (size_t i = 0; i < n; i++)
        total *= n;
    for (; count < total; count++) {
        for (size_t i = 0, rest = count; i < n; i++, rest /= n)
            drawn[i] = (double)(rest % n);
        mb_sort(drawn, n);
        medians[count] = mb_quantile(drawn, n, 0.5);
    }
    mb_sort(medians, count);
    return medians[(size_t)(p * (double)count)];
}

/* Of so few values every resample can be looked at.  They are symmetric, so that BCa leaves the percentiles as they are. */
START_TEST(medians_against_all_resamples)
{
    size_t compared = 0;

    for (size_t n = 2; n <= 5; n++) {
        const double x[] = {0, 1, 2, 3, 4};
        for (double confidence = 0.1; confidence < 0.99; confidence += 0.05) {
            struct mb_bootstrap how = {.confidence = confidence, .resamples = 40000, .seed = 5, .unexpanded = true};
            struct mb_interval out;
            double p = (1 - confidence) / 2;
            /* Only where chance cannot decide between two values. */
            if (exact_quantile(n, p - 0.02 > 0 ? p - 0.02 : 0) != exact_quantile(n, p + 0.02))
                continue;
            ck_assert_int_eq(mb_interval_location(MB_LOCATION_MEDIAN, x, n, &how, &out, &err), 0);
            ck_assert_msg(out.low == exact_quantile(n, p) && out.high == exact_quantile(n, 1 - p),
                          "n %zu at %g: %g to %g, not %g to %g", n, confidence, out.low, out.high, exact_quantile(n, p),
                          exact_quantile(n, 1 - p));
            compared++;
        }
    }
    ck_assert_uint_gt(compared, 20);
}
END_TEST

START_TEST(repeatable)
{
    struct mb_bootstrap how = MB_BOOTSTRAP_DEFAULT, other = MB_BOOTSTRAP_DEFAULT;
    struct mb_interval a, b, c, d;

    other.seed = 2;
    mb_interval_location(MB_LOCATION_MEAN, normal50, 50, &how, &a, &err);
    mb_interval_location(MB_LOCATION_MEAN, normal50, 50, NULL, &b, &err);
    mb_interval_location(MB_LOCATION_MEAN, normal50, 50, &other, &c, &err);
    ck_assert_double_eq(a.low, b.low);
    ck_assert_double_eq(a.high, b.high);
    ck_assert_double_ne(a.low, c.low);
    /* The order of the values does not matter. */
    double turned[50];
    for (size_t i = 0; i < 50; i++)
        turned[i] = normal50[49 - i];
    mb_interval_location(MB_LOCATION_MEAN, turned, 50, NULL, &d, &err);
    ck_assert_double_eq(a.low, d.low);
}
END_TEST

/* The unit makes no difference: BCa respects a change of scale. */
START_TEST(scale)
{
    double scaled[12];
    struct mb_interval a, b;

    for (size_t i = 0; i < 12; i++)
        scaled[i] = normal12[i] * 1024;
    for (int location = MB_LOCATION_MEDIAN; location <= MB_LOCATION_MEAN; location++) {
        mb_interval_location((enum mb_location)location, normal12, 12, NULL, &a, &err);
        mb_interval_location((enum mb_location)location, scaled, 12, NULL, &b, &err);
        ck_assert_double_eq_tol(a.low * 1024, b.low, 1e-7);
        ck_assert_double_eq_tol(a.high * 1024, b.high, 1e-7);
    }
}
END_TEST

START_TEST(small_and_odd)
{
    static const double missing[] = {NAN, 5, NAN}, zero_in[] = {0, 1, 2};
    struct mb_interval out;

    ck_assert_int_eq(mb_interval_location(MB_LOCATION_MEDIAN, NULL, 0, NULL, &out, &err), 0);
    ck_assert(isnan(out.low) && isnan(out.high));
    ck_assert_int_eq(mb_interval_location(MB_LOCATION_MEDIAN, missing, 3, NULL, &out, &err), 0);
    ck_assert(isnan(out.low) && isnan(out.high));
    for (int location = MB_LOCATION_MEDIAN; location <= MB_LOCATION_MEAN; location++) {
        enum mb_location l = (enum mb_location)location;
        ck_assert_int_eq(mb_interval_location(l, equal4, 4, NULL, &out, &err), 0);
        ck_assert(out.low == 7.25 && out.high == 7.25);
        ck_assert_int_eq(mb_interval_location(l, zeros5, 5, NULL, &out, &err), 0);
        ck_assert(out.low == 0 && out.high == 0);
        ck_assert_int_eq(mb_interval_location(l, pair, 2, NULL, &out, &err), 0);
        ck_assert(out.low >= 2 && out.low < 2.75 && out.high > 2.75 && out.high <= 3.5);
        ck_assert_int_eq(mb_interval_location(l, triple, 3, NULL, &out, &err), 0);
        ck_assert(out.low >= 0.37 - 1e-12 && out.high <= 0.68 + 1e-12 && out.low < out.high);
        ck_assert_int_eq(mb_interval_ratio(l, equal4, 4, equal4, 4, NULL, &out, &err), 0);
        ck_assert(out.low == 1 && out.high == 1);
        ck_assert_int_eq(mb_interval_ratio(l, equal4, 4, normal12, 12, NULL, &out, &err), 0);
        ck_assert(out.low < 0.07 && out.high > 0.069 && out.low < out.high);
        ck_assert_int_eq(mb_interval_ratio(l, normal12, 12, zero_in, 3, NULL, &out, &err), 0);
        ck_assert(isnan(out.low) && isnan(out.high));
        ck_assert_int_eq(mb_interval_ratio(l, missing, 3, normal12, 12, NULL, &out, &err), 0);
        ck_assert(isnan(out.low) && isnan(out.high));
    }
}
END_TEST

/* a over b and b over a are each other's inverse. */
START_TEST(ratio_inverse)
{
    struct mb_interval ab, ba;

    mb_interval_ratio(MB_LOCATION_MEDIAN, normal50, 50, normal12, 12, NULL, &ab, &err);
    mb_interval_ratio(MB_LOCATION_MEDIAN, normal12, 12, normal50, 50, NULL, &ba, &err);
    ck_assert_double_eq_tol(ab.low, 1 / ba.high, 0.01);
    ck_assert_double_eq_tol(ab.high, 1 / ba.low, 0.01);
}
END_TEST

struct law {
    const char *name;
    double median;
};

static const struct law laws[] = {{"normal", 10}, {"lognormal", 7.38905609893065}, {"exponential", 6.931471805599453}, {"t3", 10}};

static double
draw_law(size_t law, const gsl_rng *rng)
{
    switch (law) {
    case 0:
        return 10 + gsl_ran_gaussian(rng, 1);
    case 1:
        return exp(2 + gsl_ran_gaussian(rng, 0.5));
    case 2:
        return gsl_ran_exponential(rng, 10);
    default:
        return 10 + gsl_ran_tdist(rng, 3);
    }
}

/* The lowest coverage that ${times} tries of a 95 % interval may show: three standard errors of a binomial share. */
static double
least_coverage(double times)
{
    return 0.95 - 3 * sqrt(0.95 * 0.05 / times);
}

/* The median's intervals hold the true median as often as they say, and not by being endless. */
START_TEST(median_coverage)
{
    enum { times = 600 };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 20261201);
    for (size_t law = 0; law < COUNT(laws); law++) {
        for (size_t n = 10; n <= 30; n += 5) {
            size_t held = 0;
            for (unsigned i = 0; i < times; i++) {
                struct mb_bootstrap how = {.confidence = 0.95, .resamples = 1000, .seed = i + 1};
                struct mb_interval out;
                double x[30];
                for (size_t j = 0; j < n; j++)
                    x[j] = draw_law(law, rng);
                ck_assert_int_eq(mb_interval_location(MB_LOCATION_MEDIAN, x, n, &how, &out, &err), 0);
                held += out.low <= laws[law].median && laws[law].median <= out.high;
            }
            double share = (double)held / times;
            ck_assert_msg(share >= least_coverage(times) && share < 0.99, "%s, n %zu: held in %.1f %%", laws[law].name, n,
                          share * 100);
        }
    }
    gsl_rng_free(rng);
}
END_TEST

/* The same for ratios of medians of two samples, 1.5 times apart. */
START_TEST(ratio_coverage)
{
    enum { times = 600 };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 20261202);
    for (size_t law = 0; law < 2; law++) {
        for (size_t n = 10; n <= 30; n += 10) {
            size_t held = 0;
            for (unsigned i = 0; i < times; i++) {
                struct mb_bootstrap how = {.confidence = 0.95, .resamples = 1000, .seed = i + 1};
                struct mb_interval out;
                double a[30], b[30];
                for (size_t j = 0; j < n; j++) {
                    a[j] = 1.5 * draw_law(law, rng);
                    b[j] = draw_law(law, rng);
                }
                ck_assert_int_eq(mb_interval_ratio(MB_LOCATION_MEDIAN, a, n, b, n, &how, &out, &err), 0);
                held += out.low <= 1.5 && 1.5 <= out.high;
            }
            double share = (double)held / times;
            ck_assert_msg(share >= least_coverage(times) && share < 0.995, "%s, n %zu: held in %.1f %%", laws[law].name, n,
                          share * 100);
        }
    }
    gsl_rng_free(rng);
}
END_TEST

/* Stopping when the interval is narrow enough looks many times at chance; what is reported then must still nearly hold. */
START_TEST(stopping)
{
    enum { times = 100 };
    const struct mb_precision_goal goal = {.relative = 0.05, .min = 5, .max = 50};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    size_t held = 0, stopped = 0;

    gsl_rng_set(rng, 20261203);
    for (int i = 0; i < times; i++) {
        enum mb_verdict_trials verdict = MB_TRIALS_MORE;
        double x[50], reached;
        size_t n = 0;
        while (verdict == MB_TRIALS_MORE) {
            x[n++] = 10 + gsl_ran_gaussian(rng, 1);
            ck_assert_int_eq(mb_enough_trials(x, n, &goal, &reached, &verdict, &err), 0);
            ck_assert(n >= goal.min || verdict == MB_TRIALS_MORE);
        }
        ck_assert(verdict == MB_TRIALS_MAX ? n == 50 : reached <= 0.05);
        stopped += verdict == MB_TRIALS_ENOUGH && n < 50;
        mb_sort(x, n);
        held += fabs(mb_quantile(x, n, 0.5) - 10) <= 0.05 * 10;
    }
    ck_assert_uint_gt(stopped, times * 9 / 10);
    ck_assert_msg(held >= times * 85 / 100, "%zu of %d within the precision that was reported", held, times);
    gsl_rng_free(rng);
}
END_TEST

START_TEST(enough)
{
    static const struct {
        const char *label;
        double x[8];
        size_t n;
        enum mb_verdict_trials verdict;
    } rows[] = {
        {"none yet", {0}, 0, MB_TRIALS_MORE},
        {"equal, but fewer than min", {5, 5, 5}, 3, MB_TRIALS_MORE},
        {"equal, and min", {5, 5, 5, 5}, 4, MB_TRIALS_ENOUGH},
        {"wide", {5, 9, 2, 7}, 4, MB_TRIALS_MORE},
        {"wide, and max", {5, 9, 2, 7, 3, 9}, 6, MB_TRIALS_MAX},
        {"all failed", {NAN, NAN, NAN, NAN, NAN}, 5, MB_TRIALS_MORE},
        {"all failed, and max", {NAN, NAN, NAN, NAN, NAN, NAN}, 6, MB_TRIALS_MAX},
        {"failed ones count as trials", {NAN, 5, 5, 5}, 4, MB_TRIALS_ENOUGH},
        {"zeros have no relative width", {0, 0, 0, 0}, 4, MB_TRIALS_MORE},
    };
    const struct mb_precision_goal goal = {.relative = 0.03, .min = 4, .max = 6};
    for (size_t i = 0; i < COUNT(rows); i++) {
        enum mb_verdict_trials verdict;
        double reached;
        ck_assert_int_eq(mb_enough_trials(rows[i].x, rows[i].n, &goal, &reached, &verdict, &err), 0);
        ck_assert_msg(verdict == rows[i].verdict, "%s: %d", rows[i].label, verdict);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("stats intervals");
    TCase *tcase = tcase_create("intervals");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, means_against_scipy);
    tcase_add_test(tcase, medians_against_resampling);
    tcase_add_test(tcase, medians_against_all_resamples);
    tcase_add_test(tcase, repeatable);
    tcase_add_test(tcase, scale);
    tcase_add_test(tcase, small_and_odd);
    tcase_add_test(tcase, ratio_inverse);
    tcase_add_test(tcase, median_coverage);
    tcase_add_test(tcase, ratio_coverage);
    tcase_add_test(tcase, stopping);
    tcase_add_test(tcase, enough);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
