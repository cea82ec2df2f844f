/* await and discard: the files that a trial left, seen from the other side, in time, late, wrong, and not at all. */
#include "place.h"

#include "mountbench/clock.h"

#define JOB "workload=seq-write block=1000 total=6000 files=3 source=random seed=5"

static const char *
leave(void)
{
    return probe_peer_ask(&peer, "run id=7 dir=%s keep=true " JOB, cell);
}

static const char *
await(const char *dir, unsigned limit_ms)
{
    return probe_peer_ask(&peer, "await id=7 dir=%s/%s limit_ms=%u " JOB, top, dir, limit_ms);
}

START_TEST(what_is_kept_is_seen_and_discarded)
{
    ck_ok(leave());
    ck_assert(exists("cell/run-7/2"));
    uint64_t before = mb_now_ns();
    const char *answer = await("cell", 0);
    ck_has(answer, "{\"type\":\"awaited\",\"id\":7,\"status\":\"ok\",\"seen\":true,");
    ck_has(answer, "\"missing\":0,\"wrong\":0,\"trouble\":\"\"}");
    ck_assert_double_ge(probe_number(answer, "seen_at_ns"), (double)before);
    ck_assert_double_ge(probe_number(answer, "checked_at_ns"), probe_number(answer, "seen_at_ns"));
    ck_assert_str_eq(probe_peer_ask(&peer, "discard id=7 dir=%s", cell), "{\"type\":\"discarded\",\"id\":7,\"status\":\"ok\"}");
    ck_assert(!exists("cell/run-7"));
    ck_ok(probe_peer_ask(&peer, "discard id=7 dir=%s", cell));
}
END_TEST

START_TEST(without_keep_nothing_stays)
{
    ck_ok(probe_peer_ask(&peer, "run id=7 dir=%s " JOB, cell));
    ck_assert(!exists("cell/run-7"));
    ck_ok(probe_peer_ask(&peer, "run id=7 dir=%s keep=false " JOB, cell));
    ck_assert(!exists("cell/run-7"));
}
END_TEST

/* What the other side has: a shell command that makes it from the right files, and what is then said of it. */
static const struct {
    const char *name, *command, *counts, *trouble;
} others[] = {
    {"nothing", "rm -r other", "\"missing\":3,\"wrong\":0", "run-7/0: is not there"},
    {"one file less", "rm other/run-7/1", "\"missing\":1,\"wrong\":0", "run-7/1: is not there"},
    {"an empty one", ": >other/run-7/0", "\"missing\":1,\"wrong\":0", "run-7/0: 0 of 2000 bytes"},
    {"cut", "truncate -s 1500 other/run-7/2", "\"missing\":1,\"wrong\":0", "run-7/2: 1500 of 2000 bytes"},
    {"too long", "printf x >>other/run-7/2", "\"missing\":0,\"wrong\":1", "run-7/2: 2001 of 2000 bytes"},
    {"a byte of it", "printf '\\000' | dd of=other/run-7/1 bs=1 seek=1234 conv=notrunc 2>/dev/null", "\"missing\":0,\"wrong\":1",
     "run-7/1: wrong content at byte 1234: expected 0x"},
    {"zeros at the end", "truncate -s 1000 other/run-7/0 && truncate -s 2000 other/run-7/0", "\"missing\":0,\"wrong\":1",
     "run-7/0: wrong content at byte 1000: expected 0x"},
    {"a link", "mv other/run-7/0 x && ln -s ../../x other/run-7/0", "\"missing\":1,\"wrong\":0", "run-7/0: cannot be opened: "},
    {"a directory", "rm other/run-7/0 && mkdir other/run-7/0 && truncate -s 1 other/run-7/1", "\"missing\":1,\"wrong\":1",
     "run-7/0: "},
};

START_TEST(what_is_not_there_or_not_right_is_counted)
{
    ck_ok(leave());
    ck_assert_int_eq(shell("cp -r cell other && %s", others[_i].command), 0);
    const char *answer = await("other", 30);
    ck_has(answer, "\"seen\":false");
    ck_has(answer, others[_i].counts);
    ck_has(answer, others[_i].trouble);
    ck_has(await("cell", 0), "\"seen\":true");
}
END_TEST

/* The second file comes after 200 ms and is wrong at first, for 200 ms more. */
START_TEST(the_moment_is_when_all_of_it_is_right)
{
    ck_ok(leave());
    ck_assert_int_eq(shell("cp -r cell other && rm other/run-7/1"), 0);
    uint64_t start = mb_now_ns();
    ck_assert_int_eq(shell("(sleep 0.2; head -c 2000 /dev/zero >other/run-7/1; sleep 0.2; cp cell/run-7/1 other/run-7/1) &"), 0);
    const char *answer = await("other", 20000);
    ck_has(answer, "\"seen\":true");
    ck_has(answer, "\"missing\":0,\"wrong\":0,\"trouble\":\"\"");
    ck_assert_double_ge(probe_number(answer, "seen_at_ns"), (double)start + 395e6);
    ck_assert_double_le(probe_number(answer, "seen_at_ns"), (double)mb_now_ns());
}
END_TEST

START_TEST(nothing_is_written_on_the_other_side)
{
    ck_has(await("other", 10), "\"seen\":false");
    ck_assert(!exists("other"));
}
END_TEST

static const struct {
    const char *line, *answer;
} nonsense[] = {
    {"await id=7 dir=/nowhere workload=commit", "\"status\":\"unsupported\""},
    {"await dir=/nowhere workload=seq-write limit=3", "await: unknown key 'limit' (did you mean 'limit_ms'?)"},
    {"await dir=/nowhere workload=seq-write limit_ms=x", "await: limit_ms: "},
    {"await dir=/nowhere workload=seq-write keep=true", "await: unknown key 'keep'"},
    {"prepare dir=/nowhere workload=seq-write keep=true", "prepare: unknown key 'keep'"},
    {"discard dir=/nowhere", "discard: the keys 'dir' and 'id' are needed"},
    {"discard id=x dir=/nowhere", "discard: id: "},
    {"discard id=1 dir=/etc", "it is not empty and has no marker"},
};

START_TEST(nonsense_is_refused)
{
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++)
        ck_has(probe_peer_ask(&peer, "%s", nonsense[i].line), nonsense[i].answer);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("await");
    TCase *tcase = tcase_create("await");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, what_is_kept_is_seen_and_discarded);
    tcase_add_test(tcase, without_keep_nothing_stays);
    tcase_add_loop_test(tcase, what_is_not_there_or_not_right_is_counted, 0, sizeof others / sizeof others[0]);
    tcase_add_test(tcase, the_moment_is_when_all_of_it_is_right);
    tcase_add_test(tcase, nothing_is_written_on_the_other_side);
    tcase_add_test(tcase, nonsense_is_refused);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
