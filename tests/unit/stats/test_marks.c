/* stats.h: marks: what is marked, what is not, and how often chance is. */
#include "mountbench/stats.h"

#include <check.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct mb_error err;

START_TEST(outliers)
{
    static const struct {
        const char *label;
        double x[10];
        size_t n;
        bool flags[10];
    } rows[] = {
        {"none", {10, 11, 12, 11, 10}, 5, {false}},
        {"one high", {10, 11, 12, 11, 10, 30}, 6, {[5] = true}},
        {"one low, one high", {10, 11, -20, 11, 10, 30, 12}, 7, {[2] = true, [5] = true}},
        {"more than half equal", {10, 10, 10, 10, 10, 10, 10, 10, 10, 11}, 10, {[9] = true}},
        {"all equal", {7, 7, 7, 7}, 4, {false}},
        {"too few", {1, 100}, 2, {false}},
        {"of three", {0.68, 0.41, 0.37}, 3, {[0] = true}},
        {"missing ones are none", {10, NAN, 12, 11, INFINITY, 30}, 6, {[5] = true}},
        {"nothing", {0}, 0, {false}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool flags[10];
        size_t count, wanted = 0;
        ck_assert_int_eq(mb_outliers(rows[i].x, rows[i].n, flags, &count, &err), 0);
        for (size_t j = 0; j < rows[i].n; j++) {
            ck_assert_msg(flags[j] == rows[i].flags[j], "%s: value %zu", rows[i].label, j);
            wanted += rows[i].flags[j];
        }
        ck_assert_uint_eq(count, wanted);
        ck_assert_int_eq(mb_outliers(rows[i].x, rows[i].n, NULL, &count, &err), 0);
        ck_assert_uint_eq(count, wanted);
    }
}
END_TEST

/* The bound is 3.5, by 0.6745 of a MAD: here MAD is 1 and the median 10, so it lies at 10 + 3.5 / 0.6745 = 15.189. */
START_TEST(outlier_bound)
{
    double x[] = {9, 9, 9, 10, 11, 11, 15.188};
    size_t count;
    ck_assert_int_eq(mb_outliers(x, 7, NULL, &count, &err), 0);
    ck_assert_uint_eq(count, 0);
    x[6] = 15.190;
    ck_assert_int_eq(mb_outliers(x, 7, NULL, &count, &err), 0);
    ck_assert_uint_eq(count, 1);
}
END_TEST

START_TEST(first_trial)
{
    static const struct {
        const char *label;
        double x[6];
        size_t n;
        bool first;
    } rows[] = {
        {"a slow first of three", {0.68, 0.41, 0.37}, 3, true},
        {"the same later", {0.41, 0.68, 0.37}, 3, false},
        {"a fast first", {5, 10, 10.1, 9.9, 10}, 5, true},
        {"a little slow only", {1.1, 1.0, 1.001, 0.999, 1.0}, 5, false},
        {"slow, but no more than others", {14, 10, 18, 9, 12}, 5, false},
        {"far out for most of the others, but one was further", {15, 10, 10.1, 9.9, 10, 20}, 6, false},
        {"others all equal", {2, 1, 1, 1}, 4, true},
        {"all equal", {1, 1, 1, 1}, 4, false},
        {"two", {2, 1}, 2, false},
        {"the first one is missing", {NAN, 1, 1.01, 1.02}, 4, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mb_marks m;
        ck_assert_int_eq(mb_marks(rows[i].x, rows[i].n, &m, &err), 0);
        ck_assert_msg(m.first == rows[i].first, "%s", rows[i].label);
    }
    struct mb_marks m;
    ck_assert_int_eq(mb_marks(rows[0].x, 3, &m, &err), 0);
    ck_assert_double_eq_tol(m.first_ratio, 0.68 / 0.39, 1e-12);
}
END_TEST

START_TEST(drift)
{
    struct mb_marks m;
    double x[300];

    for (size_t i = 0; i < 20; i++)
        x[i] = 100 + (double)i + (i % 2 == 0 ? 2 : -2);
    ck_assert_int_eq(mb_marks(x, 20, &m, &err), 0);
    ck_assert(m.drift);
    ck_assert_double_lt(m.drift_p, 1e-4);
    ck_assert_double_eq_tol(m.drift_change, 19 / 109.5, 0.03);
    /* Going up, but by a hundredth in all. */
    for (size_t i = 0; i < 20; i++)
        x[i] = 100 + (double)i / 20;
    ck_assert_int_eq(mb_marks(x, 20, &m, &err), 0);
    ck_assert(!m.drift);
    ck_assert_double_lt(m.drift_p, 0.01);
    /* Up and down. */
    for (size_t i = 0; i < 20; i++)
        x[i] = 100 + (i % 2 == 0 ? 20 : -20);
    ck_assert_int_eq(mb_marks(x, 20, &m, &err), 0);
    ck_assert(!m.drift);
    /* A long one goes down. */
    for (size_t i = 0; i < 300; i++)
        x[i] = 300 - (double)i / 3;
    ck_assert_int_eq(mb_marks(x, 300, &m, &err), 0);
    ck_assert(m.drift);
    ck_assert_double_eq_tol(m.drift_change, -0.4, 0.01);
    ck_assert_int_eq(mb_marks(x, 4, &m, &err), 0);
    ck_assert(!m.drift && isnan(m.drift_p));
}
END_TEST

START_TEST(humps)
{
    struct mb_marks m;
    double x[24];

    for (size_t i = 0; i < 24; i++)
        x[i] = (i % 3 == 0 ? 200 : 100) + (double)(i * 7 % 11);
    ck_assert_int_eq(mb_marks(x, 24, &m, &err), 0);
    ck_assert(m.humps);
    ck_assert_double_eq_tol(m.hump_low, 105, 2);
    ck_assert_double_eq_tol(m.hump_high, 205, 2);
    ck_assert_double_eq_tol(m.hump_share, 2.0 / 3, 1e-12);
    /* As far apart for their width, but by 2 % of the whole: a clock's ticks look like that. */
    for (size_t i = 0; i < 24; i++)
        x[i] = 100 + (i % 3 == 0 ? 2 : 0);
    ck_assert_int_eq(mb_marks(x, 24, &m, &err), 0);
    ck_assert_double_gt(m.dip, 0.12);
    ck_assert(!m.humps && isnan(m.hump_low));
    /* Seven are too few. */
    for (size_t i = 0; i < 7; i++)
        x[i] = i % 2 == 0 ? 100 : 200;
    ck_assert_int_eq(mb_marks(x, 7, &m, &err), 0);
    ck_assert(!m.humps && isnan(m.dip));
    for (size_t i = 0; i < 8; i++)
        x[i] = (i % 2 == 0 ? 100 : 200) + (double)i;
    ck_assert_int_eq(mb_marks(x, 8, &m, &err), 0);
    ck_assert(m.humps);
}
END_TEST

START_TEST(nothing_to_mark)
{
    static const double one[] = {NAN, 5}, zeros[8] = {0}, equal[] = {3, 3, 3, 3, 3, 3, 3, 3, 3};
    struct mb_marks m;

    ck_assert_int_eq(mb_marks(NULL, 0, &m, &err), 0);
    ck_assert(!mb_mark_is_any(&m));
    ck_assert_int_eq(mb_marks(one, 2, &m, &err), 0);
    ck_assert(!mb_mark_is_any(&m));
    ck_assert_int_eq(mb_marks(zeros, 8, &m, &err), 0);
    ck_assert(!mb_mark_is_any(&m));
    ck_assert_int_eq(mb_marks(equal, 9, &m, &err), 0);
    ck_assert(!mb_mark_is_any(&m));
    ck_assert(mb_mark_is_any(&(struct mb_marks){.drift = true}));
}
END_TEST

/* Steady machines with ordinary noise are seldom marked: drift and humps by their 1 % each, firsts below 5 %. */
START_TEST(false_alarms)
{
    enum { times = 2000 };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

    gsl_rng_set(rng, 20261204);
    for (size_t n = 10; n <= 50; n += 20) {
        size_t first = 0, drifts = 0, hump_count = 0;
        for (int i = 0; i < times; i++) {
            struct mb_marks m;
            double x[50];
            for (size_t j = 0; j < n; j++)
                x[j] = 100 * exp(gsl_ran_gaussian(rng, 0.2));
            ck_assert_int_eq(mb_marks(x, n, &m, &err), 0);
            first += m.first;
            drifts += m.drift;
            hump_count += m.humps;
        }
        /* 1 % and three binomial standard errors of it; the rule for the first value is no test, and MAD varies much at n = 10. */
        double most = times * (0.01 + 3 * sqrt(0.01 * 0.99 / times));
        ck_assert_msg((double)drifts <= most, "n %zu: %zu drifts", n, drifts);
        ck_assert_msg((double)hump_count <= most, "n %zu: %zu humps", n, hump_count);
        ck_assert_msg((double)first <= 0.05 * times, "n %zu: %zu firsts", n, first);
    }
    gsl_rng_free(rng);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("stats marks");
    TCase *tcase = tcase_create("marks");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, outliers);
    tcase_add_test(tcase, outlier_bound);
    tcase_add_test(tcase, first_trial);
    tcase_add_test(tcase, drift);
    tcase_add_test(tcase, humps);
    tcase_add_test(tcase, nothing_to_mark);
    tcase_add_test(tcase, false_alarms);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
