/* The probe's exec: what it times, what it keeps of the output, and that nothing of a trial goes on after it. */
#include "place.h"

#include "mountbench/buffer.h"

static void
encode(struct mb_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text <= 0x20 || *text == '%' || (unsigned char)*text >= 0x7f)
            mb_buffer_printf(out, "%%%02x", (unsigned)(unsigned char)*text);
        else
            mb_buffer_putc(out, *text);
    }
}

/* `run workload=exec command=` of a shell script, with ${more} keys. */
static const char *
ask_shell(const char *script, const char *more)
{
    MB_AUTO_BUFFER list = MB_BUFFER_INIT(16384);
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(32768);

    mb_buffer_puts(&list, "sh -c ");
    encode(&list, script);
    mb_buffer_putc(&list, ' ');
    encode(&line, mb_buffer_text(&list));
    return probe_peer_ask(&peer, "run workload=exec id=3 dir=%s command=%s%s", cell, mb_buffer_text(&line), more);
}

START_TEST(a_command_is_timed)
{
    const char *answer = ask_shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 0.05; echo out; echo err >&2", "");

    ck_ok(answer);
    ck_has(answer, "\"id\":3,");
    ck_has(answer, "\"output\":\"out\\u000aerr\\u000a\",\"metrics\":{}");
    ck_assert_double_ge(probe_number(answer, "wall_ns"), 50e6);
    ck_assert_double_gt(probe_number(answer, "user_ns"), 0);
    ck_assert_double_lt(probe_number(answer, "user_ns"), probe_number(answer, "wall_ns"));
    ck_ok(ask_shell("touch made; [ \"$(pwd -P)\" = \"$(cd $OLDPWD && pwd -P)\" ] || :", ""));
    ck_assert_int_eq(shell("[ -z \"$(ls cell)\" ]"), 0);
}
END_TEST

START_TEST(setup_and_cleanup_are_not)
{
    const char *answer =
        ask_shell("cat made; true", " setup=sh%20-c%20sleep%25200.4;echo%25201%2520>made%20 cleanup=sleep%200.4%20");

    ck_ok(answer);
    ck_has(answer, "\"output\":\"1\\u000a\"");
    ck_assert_double_lt(probe_number(answer, "wall_ns"), 390e6);
    ck_has(ask_shell("echo no; exit 7", " cleanup=touch%20/none/x%20"), "'sh' ended with status 7: no");
    ck_has(ask_shell("true", " cleanup=touch%20/none/x%20"), "cleanup: 'touch' ended with status 1");
    ck_has(ask_shell("true", " setup=false%20"), "setup: 'false' ended with status 1 and said nothing");
}
END_TEST

START_TEST(the_last_of_much_output)
{
    const char *answer = ask_shell("i=0; while [ $i -lt 30000 ]; do echo line-$i; i=$((i+1)); done; printf 'a\\000b'", "");

    ck_ok(answer);
    ck_has(answer, "line-29999\\u000aa?b\",\"metrics\"");
    ck_assert_ptr_null(strstr(answer, "line-28000\\u000a"));
    ck_assert_ptr_nonnull(strstr(answer, "line-29500\\u000a"));
    answer = ask_shell("head -c 20000 /dev/zero | tr '\\0' '\\1'", "");
    ck_ok(answer);
    ck_assert_uint_gt(strlen(answer), 6 * 8000);
    /* A reason ends as the output does, however many short lines come before. */
    answer = ask_shell("i=0; while [ $i -lt 900 ]; do echo $((i % 10)); i=$((i+1)); done; echo; echo the reason; exit 1", "");
    ck_has(answer, " 1: ");
    ck_has(answer, "; 7; 8; 9; the reason\"}");
    ck_assert_ptr_null(strstr(answer, "with status 1: ;"));
}
END_TEST

START_TEST(nothing_goes_on_afterwards)
{
    const char *answer = ask_shell("sleep 31730 & sleep 31730 & echo done", " timeout_ms=20000");

    ck_ok(answer);
    ck_has(answer, "\"output\":\"done");
    ck_assert_double_lt(probe_number(answer, "wall_ns"), 900e6);
    ck_assert_int_eq(shell("sleep 0.1; ! grep -lsz '^31730$' /proc/[0-9]*/cmdline /dev/null | grep -q ."), 0);
    ck_has(ask_shell("sleep 31731 & sleep 31731", " timeout_ms=300"), "\"status\":\"timeout\"");
    ck_assert_int_eq(shell("sleep 0.1; ! grep -lsz '^31731$' /proc/[0-9]*/cmdline /dev/null | grep -q ."), 0);
    ck_ok(ask_shell("true", ""));
}
END_TEST

START_TEST(environment_and_directory)
{
    ck_ok(ask_shell("[ \"$A\" = \"b=c d\" ] && [ \"$(pwd)\" = / ] && [ -n \"$PATH\" ] && ! read x",
                    " environment=A=b=c%2520d%20 working_dir=/%20"));
    ck_has(ask_shell("true", " working_dir=/none%20"), "cannot go to the working directory '/none': No such file");
}
END_TEST

static const struct {
    const char *keys, *answer;
} wrong[] = {
    {"", "the key 'command' is missing"},
    {" command=", "the key 'command' is missing"},
    {" command=ls", "exec: command: 'ls' is no list: a blank follows each of its texts"},
    {" command=ls%20%25zz%20", "exec: command: '%zz' is no percent code"},
    {" command=ls%20%2500%20", "holds a NUL"},
    {" comand=ls%20", "unknown key 'comand' (did you mean 'command'?)"},
    {" image=x%20", "unknown key 'image'"},
    {" command=no-such-program%20", "cannot run 'no-such-program': No such file or directory"},
    {" command=%20", "cannot run '': No such file or directory"},
    {" command=ls%20 environment=A", "exec: environment: 'A' is no list"},
};

START_TEST(wrong_requests)
{
    ck_has(probe_peer_ask(&peer, "run workload=exec dir=%s%s", cell, wrong[_i].keys), wrong[_i].answer);
    ck_ok(ask_shell("true", ""));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("probe/exec");
    TCase *c = tcase_create("exec");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, a_command_is_timed);
    tcase_add_test(c, setup_and_cleanup_are_not);
    tcase_add_test(c, the_last_of_much_output);
    tcase_add_test(c, nothing_goes_on_afterwards);
    tcase_add_test(c, environment_and_directory);
    tcase_add_loop_test(c, wrong_requests, 0, sizeof wrong / sizeof *wrong);
    suite_add_tcase(s, c);
    return run_suite(s);
}
