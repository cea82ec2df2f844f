/* clock.h: time that only goes forward, deadlines made for poll(), moments in RFC 3339. */
#include "mountbench/clock.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

START_TEST(monotonic)
{
    uint64_t last = mb_now_ns();
    for (int i = 0; i < 1000; i++) {
        uint64_t now = mb_now_ns();
        ck_assert_uint_ge(now, last);
        last = now;
    }
    struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
    ck_assert_uint_ge(mb_now_ns() - last, 20000000);
}
END_TEST

START_TEST(deadlines)
{
    ck_assert_int_eq(mb_deadline_left_ms(0), 0);
    ck_assert_int_eq(mb_deadline_left_ms(mb_now_ns()), 0);
    ck_assert_int_eq(mb_deadline_left_ms(UINT64_MAX), INT_MAX);
    int left = mb_deadline_left_ms(mb_deadline_in_ms(60000));
    ck_assert_int_gt(left, 50000);
    ck_assert_int_le(left, 60000);
    /* Rounded up: a poll(0) before the deadline would spin. */
    uint64_t soon = mb_now_ns() + 500000;
    left = mb_deadline_left_ms(soon);
    ck_assert(left == 1 || mb_now_ns() >= soon);
}
END_TEST

START_TEST(timestamps)
{
    char text[MB_TIMESTAMP_MAX];
    time_t before = time(NULL);
    ck_assert_ptr_eq(mb_timestamp(text), text);
    time_t after = time(NULL);

    struct tm t = {0};
    int ms = -1, used = 0;
    ck_assert_int_eq(sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &t.tm_year, &t.tm_mon, &t.tm_mday, &t.tm_hour, &t.tm_min,
                            &t.tm_sec, &ms, &used),
                     7);
    ck_assert_int_eq(used, 24);
    ck_assert_uint_eq(strlen(text), 24);
    ck_assert_int_ge(ms, 0);
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    setenv("TZ", "UTC0", 1);
    tzset();
    time_t moment = mktime(&t);
    ck_assert_int_ge(moment, before);
    ck_assert_int_le(moment, after);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("clock");
    TCase *tcase = tcase_create("clock");
    tcase_add_test(tcase, monotonic);
    tcase_add_test(tcase, deadlines);
    tcase_add_test(tcase, timestamps);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
