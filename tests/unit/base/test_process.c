/* test_process.c: programs that end, fail, hang, ask, flood, leave a daemon behind, or are not there. */
#include <check.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/process.h"
#include "mountbench/signals.h"

static int
shell(const char *script, unsigned timeout_ms, struct mb_process_result *out, struct mb_error *err)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    return mb_process_run(argv, timeout_ms, out, err);
}

START_TEST(output_and_status_are_kept_apart)
{
    struct mb_process_result r;
    struct mb_error err = {0};

    ck_assert_int_eq(shell("echo out; echo err >&2; exit 3", 10000, &r, &err), 0);
    ck_assert_int_eq(r.status, 3);
    ck_assert_str_eq(mb_buffer_text(&r.out), "out\n");
    ck_assert_str_eq(mb_buffer_text(&r.errors), "err\n");
    const char *const argv[] = {"do", "it now", NULL};
    mb_process_failed(argv, &r, &err);
    ck_assert_str_eq(err.message, "'do 'it now'' ended with status 3: err");
    mb_process_result_free(&r);
    ck_assert_int_eq(shell("kill -TERM $$", 10000, &r, &err), 0);
    ck_assert_int_eq(r.status, 128 + SIGTERM);
    mb_process_result_free(&r);
}
END_TEST

START_TEST(a_question_gets_no_answer)
{
    struct mb_process_result r;
    struct mb_error err = {0};

    ck_assert_int_eq(shell("read -r answer && exit 0; (exec </dev/tty) 2>/dev/null && exit 9; exit 5", 10000, &r, &err), 0);
    ck_assert_int_eq(r.status, 5);
    mb_process_result_free(&r);
}
END_TEST

START_TEST(what_hangs_is_ended_with_its_children)
{
    struct mb_process_result r;
    struct mb_error err = {0};
    uint64_t start = mb_now_ns();

    ck_assert_int_eq(shell("trap '' TERM; echo waiting for godot; sleep 300 & echo $! >&2; wait; sleep 300", 400, &r, &err), -1);
    ck_assert_int_eq(err.code, MB_ETIMEOUT);
    ck_assert_ptr_nonnull(strstr(err.message, "did not end within 1 s"));
    ck_assert_uint_lt(mb_now_ns() - start, UINT64_C(8000000000));
    /* The child said its number, and is gone. */
    pid_t child = (pid_t)strtol(strstr(err.message, "it said: ") + 9, NULL, 10);
    ck_assert_int_gt(child, 1);
    for (int i = 0; i < 100 && kill(child, 0) == 0; i++)
        poll(NULL, 0, 20);
    ck_assert_msg(kill(child, 0) != 0, "%ld is still there", (long)child);
}
END_TEST

START_TEST(a_daemon_that_keeps_the_pipes_is_not_waited_for)
{
    struct mb_process_result r;
    struct mb_error err = {0};
    uint64_t start = mb_now_ns();

    ck_assert_int_eq(shell("sleep 20 & echo $!", 10000, &r, &err), 0);
    ck_assert_uint_lt(mb_now_ns() - start, UINT64_C(5000000000));
    pid_t child = (pid_t)strtol(mb_buffer_text(&r.out), NULL, 10);
    ck_assert_int_gt(child, 1);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    mb_process_result_free(&r);
}
END_TEST

START_TEST(a_flood_is_cut_and_does_not_stop_the_clock)
{
    struct mb_process_result r;
    struct mb_error err = {0};

    ck_assert_int_eq(shell("head -c 3000000 /dev/zero | tr '\\0' x", 20000, &r, &err), 0);
    ck_assert_uint_eq(r.out.len, 256 * 1024);
    mb_process_result_free(&r);
    ck_assert_int_eq(shell("exec yes", 500, &r, &err), -1);
    ck_assert_int_eq(err.code, MB_ETIMEOUT);
}
END_TEST

START_TEST(what_is_not_there_cannot_be_run)
{
    struct mb_process_result r;
    struct mb_error err = {0};
    const char *const missing[] = {"mountbench-no-such-program", NULL}, *const directory[] = {"/tmp", NULL};

    ck_assert_int_eq(mb_process_run(missing, 1000, &r, &err), -1);
    ck_assert_int_eq(err.code, MB_ECONFIG);
    ck_assert_str_eq(err.message, "cannot run 'mountbench-no-such-program': No such file or directory");
    ck_assert_int_eq(mb_process_run(directory, 1000, &r, &err), -1);
    ck_assert(!mb_process_exists("mountbench-no-such-program"));
    ck_assert(!mb_process_exists("/tmp"));
    ck_assert(mb_process_exists("sh"));
    ck_assert(mb_process_exists("/bin/sh"));
}
END_TEST

START_TEST(an_interrupt_ends_it)
{
    struct mb_process_result r;
    struct mb_error err = {0};
    uint64_t start = mb_now_ns();

    mb_signals_install();
    ck_assert_int_eq(shell("kill -INT $PPID; sleep 300", 60000, &r, &err), -1);
    ck_assert_int_eq(err.code, MB_EINTERRUPT);
    ck_assert_uint_lt(mb_now_ns() - start, UINT64_C(8000000000));
    ck_assert_int_eq(shell("true", 1000, &r, &err), -1);
    mb_signals_shield(true);
    ck_assert_int_eq(shell("true", 1000, &r, &err), 0);
    mb_process_result_free(&r);
    mb_signals_shield(false);
}
END_TEST

START_TEST(a_line_can_be_pasted)
{
    const char *const argv[] = {"rdctl", "start", "--a=b", "it's", "", "$HOME", NULL};
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(200);

    mb_process_line(argv, &line);
    ck_assert_str_eq(mb_buffer_text(&line), "rdctl start --a=b 'it'\\''s' '' '$HOME'");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("processes");
    TCase *tc = tcase_create("process");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, output_and_status_are_kept_apart);
    tcase_add_test(tc, a_question_gets_no_answer);
    tcase_add_test(tc, what_hangs_is_ended_with_its_children);
    tcase_add_test(tc, a_daemon_that_keeps_the_pipes_is_not_waited_for);
    tcase_add_test(tc, a_flood_is_cut_and_does_not_stop_the_clock);
    tcase_add_test(tc, what_is_not_there_cannot_be_run);
    tcase_add_test(tc, an_interrupt_ends_it);
    tcase_add_test(tc, a_line_can_be_pasted);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
