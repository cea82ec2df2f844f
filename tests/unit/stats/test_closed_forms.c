/* stats.h: closed forms against SciPy and NumPy (fixtures.h, by make_fixtures.py), to 1e-9, and what too few values give. */
#include "mountbench/stats.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/internal.h"
#include "unit/stats/fixtures.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct mb_error err;

/* Within 1e-9 of it, relative above one. */
static void
same(const char *name, const char *what, double value, double wanted)
{
    double tolerance = 1e-9 * fmax(1, fabs(wanted));
    bool holds = isnan(wanted) ? isnan(value) : fabs(value - wanted) <= tolerance;
    ck_assert_msg(holds, "%s: %s is %.17g, not %.17g", name, what, value, wanted);
}

/* As above, but relative whatever the size: for values far from one. */
static void
same_relative(const char *name, const char *what, double value, double wanted)
{
    ck_assert_msg(fabs(value - wanted) <= 1e-9 * fabs(wanted), "%s: %s is %.17g, not %.17g", name, what, value, wanted);
}

START_TEST(summaries)
{
    for (size_t i = 0; i < COUNT(singles); i++) {
        struct mb_summary s;
        ck_assert_int_eq(mb_summary(singles[i].x, singles[i].n, &s, &err), 0);
        ck_assert_uint_eq(s.n, singles[i].n);
        same_relative(singles[i].name, "mean", s.mean, singles[i].mean);
        same_relative(singles[i].name, "median", s.median, singles[i].median);
        same_relative(singles[i].name, "stddev", s.stddev, singles[i].stddev);
        same_relative(singles[i].name, "mad", s.mad, singles[i].mad);
        same_relative(singles[i].name, "q1", s.q1, singles[i].q1);
        same_relative(singles[i].name, "q3", s.q3, singles[i].q3);
    }
}
END_TEST

START_TEST(quantiles)
{
    for (size_t i = 0; i < COUNT(singles); i++) {
        double sorted[64];
        memcpy(sorted, singles[i].x, singles[i].n * sizeof *sorted);
        mb_sort(sorted, singles[i].n);
        same_relative(singles[i].name, "q10", mb_quantile(sorted, singles[i].n, 0.1), singles[i].q10);
        same_relative(singles[i].name, "q95", mb_quantile(sorted, singles[i].n, 0.95), singles[i].q95);
        ck_assert_double_eq(mb_quantile(sorted, singles[i].n, 0), sorted[0]);
        ck_assert_double_eq(mb_quantile(sorted, singles[i].n, 1), sorted[singles[i].n - 1]);
    }
    ck_assert(isnan(mb_quantile(NULL, 0, 0.5)));
}
END_TEST

START_TEST(dips)
{
    for (size_t i = 0; i < COUNT(singles); i++) {
        double sorted[64];
        memcpy(sorted, singles[i].x, singles[i].n * sizeof *sorted);
        mb_sort(sorted, singles[i].n);
        /* The fixture is a linear programme's, good to its own tolerance. */
        ck_assert_msg(fabs(mb_dip(sorted, singles[i].n) - singles[i].dip) < 1e-7, "%s: %.12g, not %.12g", singles[i].name,
                      mb_dip(sorted, singles[i].n), singles[i].dip);
    }
    ck_assert_double_eq(mb_dip(NULL, 0), 0);
    double one = 5;
    ck_assert_double_eq(mb_dip(&one, 1), 0.5);
}
END_TEST

START_TEST(trends)
{
    for (size_t i = 0; i < COUNT(singles); i++) {
        double tau, p, slope;
        ck_assert_int_eq(mb_stats_mann_kendall(singles[i].x, singles[i].n, &tau, &p, &err), 0);
        same(singles[i].name, "tau", tau, singles[i].tau);
        same(singles[i].name, "p of trend", p, singles[i].trend_p);
        ck_assert_int_eq(mb_stats_theil_sen(singles[i].x, singles[i].n, &slope, &err), 0);
        same(singles[i].name, "slope", slope, singles[i].slope);
    }
}
END_TEST

START_TEST(welch)
{
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct mb_test t, back;
        mb_welch(pairs[i].a, pairs[i].na, pairs[i].b, pairs[i].nb, &t);
        same(pairs[i].name, "t", t.statistic, pairs[i].t);
        same(pairs[i].name, "df", t.df, pairs[i].df);
        same(pairs[i].name, "p", t.p, pairs[i].welch_p);
        mb_welch(pairs[i].b, pairs[i].nb, pairs[i].a, pairs[i].na, &back);
        same(pairs[i].name, "p the other way round", back.p, t.p);
    }
}
END_TEST

START_TEST(mann_whitney)
{
    size_t exact = 0;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct mb_test t, back;
        ck_assert_int_eq(mb_mann_whitney(pairs[i].a, pairs[i].na, pairs[i].b, pairs[i].nb, &t, &err), 0);
        same(pairs[i].name, "U", t.statistic, pairs[i].u);
        same(pairs[i].name, "p", t.p, pairs[i].mann_whitney_p);
        ck_assert_int_eq(mb_mann_whitney(pairs[i].b, pairs[i].nb, pairs[i].a, pairs[i].na, &back, &err), 0);
        same(pairs[i].name, "p the other way round", back.p, t.p);
        exact += t.exact;
    }
    ck_assert_uint_ge(exact, 3);
    ck_assert_uint_lt(exact, COUNT(pairs));
}
END_TEST

/* The smallest p there can be is the one of samples that do not overlap. */
START_TEST(least_p)
{
    static const double low[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21};
    static const double high[] = {101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
                                  112, 113, 114, 115, 116, 117, 118, 119, 120, 121};
    for (size_t na = 1; na <= 21; na++) {
        for (size_t nb = 1; nb <= 21; nb++) {
            struct mb_test t;
            ck_assert_int_eq(mb_mann_whitney(low, na, high, nb, &t, &err), 0);
            same("least", "p", mb_mann_whitney_least_p(na, nb), t.p);
        }
    }
    ck_assert_double_eq(mb_mann_whitney_least_p(0, 5), 1);
    ck_assert_double_eq_tol(mb_mann_whitney_least_p(3, 3), 0.1, 1e-12);
    ck_assert_double_lt(mb_mann_whitney_least_p(4, 4), 0.05);
}
END_TEST

START_TEST(holm)
{
    double out[COUNT(holm_p)];
    ck_assert_int_eq(mb_holm(holm_p, COUNT(holm_p), out, &err), 0);
    for (size_t i = 0; i < COUNT(holm_p); i++)
        same("holm", "p", out[i], holm_corrected[i]);
    ck_assert_int_eq(mb_holm(NULL, 0, NULL, &err), 0);
    double one = 0.04;
    ck_assert_int_eq(mb_holm(&one, 1, &one, &err), 0);
    ck_assert_double_eq(one, 0.04);
}
END_TEST

START_TEST(too_few)
{
    static const double missing[] = {NAN, INFINITY, -INFINITY}, one[] = {NAN, 4, NAN};
    struct mb_summary s;
    struct mb_test t;

    ck_assert_int_eq(mb_summary(missing, 3, &s, &err), 0);
    ck_assert_uint_eq(s.n, 0);
    ck_assert(isnan(s.mean) && isnan(s.median) && isnan(s.stddev) && isnan(s.mad) && isnan(s.min) && isnan(s.max));
    ck_assert_int_eq(mb_summary(NULL, 0, &s, &err), 0);
    ck_assert_uint_eq(s.n, 0);
    ck_assert_int_eq(mb_summary(one, 3, &s, &err), 0);
    ck_assert_uint_eq(s.n, 1);
    ck_assert_double_eq(s.mean, 4);
    ck_assert_double_eq(s.median, 4);
    ck_assert_double_eq(s.mad, 0);
    ck_assert_double_eq(s.q3, 4);
    ck_assert(isnan(s.stddev));
    mb_welch(one, 3, pair, 2, &t);
    ck_assert(isnan(t.p));
    mb_welch(NULL, 0, pair, 2, &t);
    ck_assert(isnan(t.p));
    ck_assert_int_eq(mb_mann_whitney(missing, 3, pair, 2, &t, &err), 0);
    ck_assert(isnan(t.p) && isnan(t.statistic));
    ck_assert_int_eq(mb_mann_whitney(one, 3, pair, 2, &t, &err), 0);
    same("one against two", "p", t.p, 2.0 / 3);
}
END_TEST

/* Values that are missing are as if they were not there. */
START_TEST(missing_values)
{
    static const double holes[] = {NAN, 0.68, NAN, 0.41, 0.37, INFINITY}, other[] = {2.0, NAN, 3.5};
    struct mb_summary s, whole;
    struct mb_test t, u;

    ck_assert_int_eq(mb_summary(holes, 6, &s, &err), 0);
    ck_assert_int_eq(mb_summary(triple, 3, &whole, &err), 0);
    ck_assert_mem_eq(&s, &whole, sizeof s);
    mb_welch(holes, 6, other, 3, &t);
    mb_welch(triple, 3, pair, 2, &u);
    ck_assert_double_eq(t.p, u.p);
    ck_assert_int_eq(mb_mann_whitney(holes, 6, other, 3, &t, &err), 0);
    ck_assert_int_eq(mb_mann_whitney(triple, 3, pair, 2, &u, &err), 0);
    ck_assert_double_eq(t.p, u.p);
}
END_TEST

START_TEST(geometric_means)
{
    static const double values[] = {1, 100, NAN, 4, 0, 5, /* second side */ 2, 400, 7, 9, 3, INFINITY};
    double out[2];
    size_t used;

    mb_geometric_means(values, 2, 6, out, &used);
    ck_assert_uint_eq(used, 3);
    same("first", "geometric mean", out[0], cbrt(1.0 * 100 * 4));
    same("second", "geometric mean", out[1], cbrt(2.0 * 400 * 9));
    mb_geometric_means(values + 2, 1, 1, out, &used);
    ck_assert_uint_eq(used, 0);
    ck_assert(isnan(out[0]));
}
END_TEST

START_TEST(noise_floors)
{
    static const double ratios[] = {1.02, 1 / 1.02, 1.0, NAN, 1 / 1.1, 0};
    double out;

    /* |ln| sorted: 0, a, a, b; the 95 % quantile lies 0.85 of the way from a to b. */
    double a = log(1.02), b = log(1.1);
    ck_assert_int_eq(mb_noise_floor(ratios, 6, &out, &err), 0);
    same("noise", "floor", out, exp(a + 0.85 * (b - a)));
    ck_assert_int_eq(mb_noise_floor(NULL, 0, &out, &err), 0);
    ck_assert(isnan(out));
    ck_assert_int_eq(mb_noise_floor(ratios + 2, 1, &out, &err), 0);
    ck_assert_double_eq(out, 1);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("stats closed forms");
    TCase *tcase = tcase_create("closed forms");
    tcase_add_test(tcase, summaries);
    tcase_add_test(tcase, quantiles);
    tcase_add_test(tcase, dips);
    tcase_add_test(tcase, trends);
    tcase_add_test(tcase, welch);
    tcase_add_test(tcase, mann_whitney);
    tcase_add_test(tcase, least_p);
    tcase_add_test(tcase, holm);
    tcase_add_test(tcase, too_few);
    tcase_add_test(tcase, missing_values);
    tcase_add_test(tcase, geometric_means);
    tcase_add_test(tcase, noise_floors);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
