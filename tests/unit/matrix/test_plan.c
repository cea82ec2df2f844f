/* plan.h: the generator against known output, fair shuffles that repeat, and what a matrix needs. */
#include "mountbench/plan.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/load.h"

START_TEST(generator)
{
    /* SplitMix64 from the state 1234567: the values that its implementations are commonly tested with. */
    static const uint64_t wanted[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),  UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821),
    };
    uint64_t state = 1234567;

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        ck_assert_uint_eq(mb_random_next(&state), wanted[i]);
}
END_TEST

START_TEST(below)
{
    uint64_t state = 1;

    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(mb_random_below(&state, 1), 0);
    /* With n just above half of 2^64 nearly half of all draws are drawn again; without that, low numbers come twice as often. */
    uint64_t n = UINT64_C(3) << 62, low = 0;
    for (int i = 0; i < 3000; i++) {
        uint64_t draw = mb_random_below(&state, n);
        ck_assert(draw < n);
        low += draw < n / 3;
    }
    ck_assert_uint_gt(low, 850);
    ck_assert_uint_lt(low, 1150);
}
END_TEST

/* The orders of old runs must never change: --resume goes on in them. */
START_TEST(known_orders)
{
    static const struct {
        uint64_t seed, round;
        size_t order[8];
    } cases[] = {
        {0, 0, {6, 3, 0, 7, 2, 5, 1, 4}},
        {1, 0, {1, 3, 5, 2, 0, 6, 7, 4}},
        {1, 1, {0, 7, 6, 3, 2, 4, 1, 5}},
        {UINT64_MAX, 7, {1, 7, 5, 4, 3, 2, 0, 6}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t order[8];
        mb_plan_shuffle(cases[i].seed, cases[i].round, 8, order);
        ck_assert_mem_eq(order, cases[i].order, sizeof order);
    }
    ck_assert_uint_eq(mb_plan_round(false, 3), 3);
    ck_assert_uint_eq(mb_plan_round(true, 0), UINT32_MAX);
    ck_assert_uint_eq(mb_plan_round(true, 2), UINT32_MAX - 2);
}
END_TEST

START_TEST(permutations)
{
    static const size_t sizes[] = {0, 1, 2, 3, 10, 1000};
    size_t order[1000], again[1000];
    unsigned char seen[1000];

    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        size_t n = sizes[s];
        memset(seen, 0, sizeof seen);
        mb_plan_shuffle(42, 5, n, order);
        mb_plan_shuffle(42, 5, n, again);
        ck_assert_mem_eq(order, again, n * sizeof order[0]);
        for (size_t i = 0; i < n; i++) {
            ck_assert_uint_lt(order[i], n);
            ck_assert_uint_eq(seen[order[i]]++, 0);
        }
    }
    mb_plan_shuffle(42, 5, 1000, order);
    mb_plan_shuffle(42, 6, 1000, again);
    ck_assert_mem_ne(order, again, sizeof order);
    mb_plan_shuffle(43, 5, 1000, again);
    ck_assert_mem_ne(order, again, sizeof order);
}
END_TEST

/*
 * All 24 orders of four cells equally often: chi-square over 24,000 rounds and as many seeds.  With 23 degrees of freedom it is
 * above 49.7 once in a thousand times; the draws are fixed, so it either is or is not.
 */
static double
chi_square(bool by_seed)
{
    size_t counts[256] = {0};
    double sum = 0;

    for (uint64_t i = 0; i < 24000; i++) {
        size_t order[4];
        mb_plan_shuffle(by_seed ? i : 99, by_seed ? 0 : i, 4, order);
        counts[order[0] << 6 | order[1] << 4 | order[2] << 2 | order[3]]++;
    }
    for (size_t i = 0; i < 256; i++) {
        double difference = (double)counts[i] - 1000.0;
        if (counts[i] > 0)
            sum += difference * difference / 1000.0;
    }
    return sum;
}

START_TEST(fairness)
{
    ck_assert(chi_square(false) < 49.7);
    ck_assert(chi_square(true) < 49.7);
}
END_TEST

static struct mb_plan *
plan_of(const char *text, struct mb_matrix **m)
{
    struct mb_error err = {0};
    struct mb_plan *plan = NULL;

    ck_assert_msg(mb_matrix_parse("m.yaml", text, strlen(text), NULL, m, &err) == 0, "%s", err.message);
    ck_assert_int_eq(mb_plan_make(*m, &plan, &err), 0);
    return plan;
}

START_TEST(room)
{
    struct mb_matrix *m;
    struct mb_plan *plan = plan_of("mounts: [layer, volume, bind, tmpfs, {type: nfs, device: ':/x', options: addr=a},\n"
                                   "  {type: sync, sync: {tool: unison}}, host]\n"
                                   "workloads:\n"
                                   "  - {name: w1, type: seq-write, total: 10MiB}\n"
                                   "  - {name: w2, type: seq-write, total: 30MiB}\n"
                                   "  - {name: r1, type: seq-read, total: 100MiB}\n"
                                   "  - {name: r2, type: rand-read, span: 200MiB}\n"
                                   "exclude: [{mount: layer, workload: [r1, r2]}, {mount: host}]\n",
                                   &m);
    const uint64_t mib = 1 << 20;

    /* What is laid out stays for the whole run; of the others one at a time. */
    ck_assert_uint_eq(plan->mounts[0].disk_bytes, 30 * mib);
    ck_assert_uint_eq(plan->mounts[1].disk_bytes, 330 * mib);
    ck_assert_uint_eq(plan->mounts[0].cells, 2);
    ck_assert_uint_eq(plan->mounts[6].cells, 0);
    ck_assert_uint_eq(plan->mounts[6].disk_bytes, 0);
    /* layer, volume and sync lie with the engine; bind and sync's other half here. */
    ck_assert_uint_eq(plan->engines[0].disk_bytes[MB_PLACE_ENGINE], (30 + 330 + 330) * mib);
    ck_assert_uint_eq(plan->engines[0].disk_bytes[MB_PLACE_DRIVER], (330 + 330) * mib);
    ck_assert_uint_eq(plan->engines[0].disk_bytes[MB_PLACE_MEMORY], 330 * mib);
    ck_assert_uint_eq(plan->engines[0].disk_bytes[MB_PLACE_SERVER], 330 * mib);
    ck_assert_uint_eq(plan->cells[0].disk_bytes, 10 * mib);
    mb_plan_free(plan);
    mb_plan_free(NULL);
    mb_matrix_free(m);
}
END_TEST

START_TEST(trials_and_time)
{
    struct mb_matrix *m;
    struct mb_plan *plan = plan_of("engines: [a, b]\nmounts: [layer]\nrounds: 4\nwarmup: 2\npasses: 3\n"
                                   "workloads: [{type: rand-read, time: 5s, span: 1MiB}, {type: commit, count: 1}]\n",
                                   &m);
    ck_assert_uint_eq(plan->trials, 2 * 2 * (4 + 2 * 3));
    ck_assert_uint_eq(plan->cells[0].trials, 4 + 2 * 3);
    /* A workload that runs for a time takes that time. */
    ck_assert_uint_ge(plan->cells[0].trial_ns, UINT64_C(5000000000));
    ck_assert_uint_lt(plan->cells[0].trial_ns, UINT64_C(5100000000));
    ck_assert_uint_lt(plan->cells[1].trial_ns, UINT64_C(100000000));
    ck_assert_uint_ge(plan->time_ns, 20 * UINT64_C(5000000000));
    ck_assert_uint_lt(plan->time_ns, 22 * UINT64_C(5000000000));
    ck_assert_ptr_nonnull(strstr(mb_plan_assumptions(), "MB/s"));
    mb_plan_free(plan);
    mb_matrix_free(m);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("matrix plan");
    TCase *tcase = tcase_create("plan");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, generator);
    tcase_add_test(tcase, below);
    tcase_add_test(tcase, known_orders);
    tcase_add_test(tcase, permutations);
    tcase_add_test(tcase, fairness);
    tcase_add_test(tcase, room);
    tcase_add_test(tcase, trials_and_time);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
