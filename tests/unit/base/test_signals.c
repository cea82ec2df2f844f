/* signals.h: what a signal does, and what it does not. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "mountbench/signals.h"

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

START_TEST(a_signal_sets_the_flag)
{
    mb_signals_install();
    ck_assert(!mb_interrupted());
    raise(numbers[_i]);
    ck_assert(mb_interrupted());
    ck_assert_int_eq(mb_signals_raised(), numbers[_i]);
    mb_signals_shield(true);
    ck_assert(!mb_interrupted());
    ck_assert_int_eq(mb_signals_raised(), numbers[_i]);
    mb_signals_shield(false);
    ck_assert(mb_interrupted());
}
END_TEST

START_TEST(nohup_keeps_its_promise)
{
    signal(SIGHUP, SIG_IGN);
    mb_signals_install();
    raise(SIGHUP);
    ck_assert(!mb_interrupted());
}
END_TEST

/* In a script without job control, a command behind & starts with SIGINT ignored, and is still to be stopped by one. */
START_TEST(an_ignored_interrupt_is_heard)
{
    signal(SIGINT, SIG_IGN);
    mb_signals_install();
    raise(SIGINT);
    ck_assert(mb_interrupted());
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("signals");
    TCase *tcase = tcase_create("signals");

    tcase_add_loop_test(tcase, a_signal_sets_the_flag, 0, sizeof numbers / sizeof numbers[0]);
    tcase_add_test(tcase, nohup_keeps_its_promise);
    tcase_add_test(tcase, an_ignored_interrupt_is_heard);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
