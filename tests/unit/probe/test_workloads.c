/* Every workload: what it says it did, that it can be repeated, that it leaves nothing, and that it sees a wrong byte. */
#include "place.h"

#include <signal.h>

#include "mountbench/workload.h"
#include "probe/trial.h"

static const struct {
    const char *request; /* workload and parameters */
    double bytes, ops;
    const char *has; /* also in the answer */
} trials[] = {
    {"seq-write", 100 << 20, 100, "\"metrics\":{}"},
    {"seq-write block=1000 total=10001", 10001, 11, "\"metrics\":{}"},
    {"seq-write block=4KiB total=64KiB source=random", 65536, 16, "\"metrics\":{}"},
    {"seq-write block=4KiB total=64KiB source=alnum sync=fdatasync files=4", 65536, 16, "\"metrics\":{}"},
    {"seq-write block=4KiB total=64KiB sync=fsync files=16", 65536, 16, "\"metrics\":{}"},
    {"seq-write block=4KiB total=16KiB sync=dsync", 16384, 4, "\"metrics\":{}"},
    {"seq-read total=1MiB block=64KiB", 1 << 20, 16, "\"resident_percent\":100}"},
    {"seq-read total=100003 block=1001", 100003, 100, "\"resident_percent\":100}"},
    {"seq-read total=1MiB block=64KiB cache=cold", 1 << 20, 16, "\"resident_percent\":"},
    {"rand-read span=1MiB count=1000", 4096000, 1000, "\"latency_ns\":{\"p50\":"},
    {"rand-read span=1MiB block=512 count=100 cache=cold", 51200, 100, "\"resident_percent\":"},
    {"rand-write span=1MiB count=1000", 4096000, 1000, "\"latency_ns\":{\"p50\":"},
    {"rand-write span=1MiB count=10 sync=dsync", 40960, 10, "\"latency_ns\":{\"p50\":"},
    {"rand-write span=1MiB count=10 sync=fsync", 40960, 10, "\"latency_ns\":{\"p50\":"},
    {"commit count=20 record=100", 2000, 20, "\"latency_ns\":{\"p50\":"},
    {"small-files files=100 dirs=7 depth=3 size=333", 66600, 600, "\"list_ns\":"},
    {"small-files files=1 dirs=1 depth=1 size=1", 2, 6, "\"delete_ns\":"},
    {"app-request files=30 size=1001 requests=5 entry=10", 150200, 5, "\"latency_ns\":{\"p50\":"},
};

/* No sample may be of a time that is out of the question. */
static void
check_times(const char *answer)
{
    double wall = probe_number(answer, "wall_ns");

    ck_assert_double_gt(wall, 0);
    ck_assert_double_lt(wall, 60e9);
    /* CPU time is told in ticks by some kernels, so it may be above the wall's by one. */
    ck_assert_double_le(probe_number(answer, "user_ns") + probe_number(answer, "sys_ns"), wall + 20e6);
    if (strstr(answer, "latency_ns") != NULL) {
        ck_assert_double_gt(probe_number(answer, "p50"), 0);
        ck_assert_double_le(probe_number(answer, "p50"), probe_number(answer, "p95"));
        ck_assert_double_le(probe_number(answer, "p95"), probe_number(answer, "p99"));
        ck_assert_double_le(probe_number(answer, "p99"), probe_number(answer, "max"));
        ck_assert_double_le(probe_number(answer, "max"), wall);
    }
}

START_TEST(each_runs_again_and_again)
{
    ck_has(probe_peer_ask(&peer, "prepare id=9 workload=%s dir=%s seed=1", trials[_i].request, cell),
           "\"prepared\",\"id\":9,\"status\":\"ok\",\"wall_ns\":");
    for (int seed = 2; seed < 5; seed++) {
        const char *answer = probe_peer_ask(&peer, "run workload=%s dir=%s seed=%d", trials[_i].request, cell, seed);
        ck_ok(answer);
        ck_has(answer, trials[_i].has);
        ck_assert_double_eq(probe_number(answer, "bytes"), trials[_i].bytes);
        ck_assert_double_eq(probe_number(answer, "ops"), trials[_i].ops);
        check_times(answer);
        ck_assert_int_eq(shell("test -z \"$(ls cell | grep run)\""), 0);
    }
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s", cell));
    ck_assert(!exists("cell"));
}
END_TEST

START_TEST(direct_reads_and_writes)
{
    static const char *const kinds[] = {"seq-write total=1MiB block=64KiB", "seq-read total=1MiB block=64KiB",
                                        "rand-read span=1MiB count=10", "rand-write span=1MiB count=10"};
    const char *answer;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ck_ok(probe_peer_ask(&peer, "prepare workload=%s direct=true dir=%s", kinds[i], cell));
        answer = probe_peer_ask(&peer, "run workload=%s direct=true dir=%s", kinds[i], cell);
        ck_assert_msg(strstr(answer, "\"status\":\"ok\"") || strstr(answer, "\"status\":\"unsupported\""), "%s", answer);
    }
}
END_TEST

START_TEST(time_bounds_a_trial)
{
    ck_ok(probe_peer_ask(&peer, "prepare workload=rand-read span=1MiB time=50ms dir=%s", cell));
    const char *answer = probe_peer_ask(&peer, "run workload=rand-read span=1MiB time=50ms dir=%s", cell);
    ck_ok(answer);
    ck_assert_double_ge(probe_number(answer, "wall_ns"), 50e6);
    ck_assert_double_gt(probe_number(answer, "ops"), 1);
    ck_ok(probe_peer_ask(&peer, "prepare workload=rand-write span=1MiB time=50ms dir=%s", cell));
    answer = probe_peer_ask(&peer, "run workload=rand-write span=1MiB time=50ms dir=%s", cell);
    ck_ok(answer);
    ck_assert_double_ge(probe_number(answer, "wall_ns"), 50e6);
}
END_TEST

START_TEST(run_wants_what_prepare_laid_out)
{
    ck_has(probe_peer_ask(&peer, "run id=3 workload=seq-read dir=%s", cell), "\"id\":3,\"status\":\"failed\"");
    ck_has(probe_peer_ask(&peer, "run workload=seq-read dir=%s", cell), "nothing is laid out there: send 'prepare'");
    ck_ok(probe_peer_ask(&peer, "prepare workload=seq-read total=1MiB dir=%s", cell));
    ck_has(probe_peer_ask(&peer, "run workload=seq-read total=2MiB dir=%s", cell), "total=1048576");
    ck_has(probe_peer_ask(&peer, "run workload=rand-read dir=%s", cell), "not for 'rand-read block=4096");
    /* The same in other words is the same. */
    ck_ok(probe_peer_ask(&peer, "run workload=seq-read total=1024KiB block=1048576 cache=warm dir=%s", cell));
    ck_assert_int_eq(shell("echo seq-read > cell/layout"), 0);
    ck_has(probe_peer_ask(&peer, "run workload=seq-read total=1MiB dir=%s", cell), "is damaged");
    ck_ok(probe_peer_ask(&peer, "prepare workload=app-request files=3 dir=%s", cell));
    ck_assert(!exists("cell/data/file") && exists("cell/data/d0000/f00002"));
}
END_TEST

static const struct {
    const char *request, *damage, *reason;
} wrongs[] = {
    {"seq-read total=1MiB block=4KiB", "printf '\\001' | dd of=data/file bs=1 seek=777777 conv=notrunc",
     "data/file: wrong content at byte 777777: expected 0x"},
    {"seq-read total=1MiB block=4KiB cache=cold", "printf '\\001' | dd of=data/file bs=1 seek=40960 conv=notrunc",
     "data/file: wrong content at byte 40960: expected 0x"},
    {"seq-read total=1001 block=1000", "printf '\\001' | dd of=data/file bs=1 seek=1000 conv=notrunc",
     "data/file: wrong content at byte 1000: expected 0x"},
    {"seq-read total=1MiB block=4KiB", "truncate -s 1000 data/file", "of 1048576 bytes could be read at byte 0"},
    {"seq-read total=1MiB block=4KiB", "rm data/file", "data/file: cannot open: No such file or directory"},
    /* As a stale page cache does it: right in size, another block's content. */
    {"seq-read total=1MiB block=4KiB", "dd if=data/file of=data/file bs=4k count=1 seek=9 conv=notrunc",
     "data/file: wrong content at byte 3686"},
    {"rand-read span=64KiB count=2000", "printf '\\001' | dd of=data/file bs=1 seek=5003 conv=notrunc",
     "data/file: wrong content at byte 5003: expected 0x"},
    {"rand-read span=64KiB count=2000", "truncate -s 60000 data/file", "bytes could be read at byte "},
    {"app-request files=30", "printf '\\001' | dd of=data/d0001/f00023 bs=1 seek=4095 conv=notrunc",
     "data/d0001/f00023: wrong content at byte 4095: expected 0x"},
    {"app-request files=30", "cp data/d0001/f00023 data/d0001/f00024", "data/d0001/f00024: wrong content at byte 0: expected 0x"},
    {"app-request files=30", "rm data/d0001/f00023", "data/d0001/f00023: cannot stat: No such file or directory"},
    {"app-request files=30", "truncate -s 10 data/d0000/f00003", "data/d0000/f00003: only 10 of 4096 bytes could be read"},
};

START_TEST(a_wrong_byte_fails_the_sample)
{
    ck_ok(probe_peer_ask(&peer, "prepare workload=%s dir=%s seed=8", wrongs[_i].request, cell));
    ck_ok(probe_peer_ask(&peer, "run workload=%s dir=%s seed=1", wrongs[_i].request, cell));
    ck_assert_int_eq(shell("cd cell && { %s; } 2>/dev/null", wrongs[_i].damage), 0);
    const char *answer = probe_peer_ask(&peer, "run id=4 workload=%s dir=%s seed=1", wrongs[_i].request, cell);
    ck_has(answer, "{\"type\":\"sample\",\"id\":4,\"status\":\"failed\",\"reason\":\"/tmp/mb-probe-");
    ck_has(answer, wrongs[_i].reason);
    if (strstr(wrongs[_i].damage, "printf") != NULL)
        ck_has(answer, ", got 0x01");
}
END_TEST

/* What can go wrong with a tree that lives no longer than its trial must go wrong while that runs. */
static const struct {
    const char *damage, *reason;
} upsets[] = {
    {"printf '\\001' | dd of=f0000000 bs=1 seek=77 conv=notrunc", "d0000/f0000000: wrong content at byte 77: expected 0x"},
    {"truncate -s 10 f0000000", "d0000/f0000000: wrong size: expected 100 bytes, got 10"},
    {"touch f", "d0000: the listing has 3001 files, 3000 were created"},
    {"rm f0000000", "d0000/f0000000: cannot stat: No such file or directory"},
    {"touch x", "d0000: cannot remove the directory: Directory not empty"},
};

/* Ask for a trial, do the damage as soon as there is something to damage, and give the answer. */
static const char *
run_upset(const char *damage)
{
    char line[256];
    int n = snprintf(line, sizeof line, "run workload=small-files files=3000 dirs=1 depth=1 size=100 dir=%s\n", cell);

    probe_peer_send(&peer, line, (size_t)n);
    pid_t job = probe_peer_job(&peer);
    ck_assert_int_gt(job, 1);
    while (!exists("cell/run-0/d0000/f0000001") && kill(job, 0) == 0)
        ;
    kill(job, SIGSTOP);
    shell("cd cell/run-0/d0000 2>/dev/null && { %s; } 2>/dev/null", damage);
    kill(job, SIGCONT);
    const char *answer = probe_peer_answer(&peer);
    ck_assert_ptr_nonnull(answer);
    return answer;
}

START_TEST(an_upset_tree_fails_the_sample)
{
    const char *answer = "";

    /* On a busy machine the trial may be past the moment before it is stopped: then once more. */
    for (int i = 0; i < 10 && strstr(answer, upsets[_i].reason) == NULL; i++)
        answer = run_upset(upsets[_i].damage);
    ck_has(answer, "\"status\":\"failed\"");
    ck_has(answer, upsets[_i].reason);
    ck_assert(!exists("cell/run-0"));
}
END_TEST

/* What a child is asked, asked in this process, whose memory the sanitizers look at when it ends. */
static void
ask_here(void (*work)(const struct mb_request *request, struct mb_buffer *answer), const char *has, const char *verb,
         const char *rest)
{
    MB_AUTO_BUFFER answer = MB_BUFFER_INIT(65536);
    struct mb_request request;
    char line[512];

    snprintf(line, sizeof line, "%s %s dir=%s", verb, rest, cell);
    ck_assert_int_eq(mb_request_parse(line, &request, NULL), 0);
    work(&request, &answer);
    ck_has(mb_buffer_text(&answer), has);
}

START_TEST(no_memory_is_lost)
{
    char rest[256];

    snprintf(rest, sizeof rest, "workload=%s", trials[_i].request);
    ask_here(mb_trial_prepare, "\"ok\"", "prepare", rest);
    ask_here(mb_trial_run, "\"ok\"", "run", rest);
    ask_here(mb_trial_run, "\"ok\"", "run", rest);
    /* Whatever it wants to read or make, it cannot. */
    ck_assert_int_eq(shell("rm -rf cell/data; ln -s /proc cell/data; rm -f cell/run-0"), 0);
    ask_here(mb_trial_run, "\"status\":\"", "run", rest);
    ask_here(mb_trial_prepare, "\"error\"", "prepare", "workload=seq-read total=-1");
    ask_here(mb_trial_sweep, "\n", "run", rest);
    ask_here(mb_trial_cleanup, "\"ok\"", "cleanup", "");
    ask_here(mb_trial_cleanup, "\"ok\"", "cleanup", "");
    ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

/* Seeds decide about order and content, nothing else does. */
START_TEST(seeds_make_it_repeatable)
{
    for (int i = 0; i < 2; i++) {
        ck_ok(probe_peer_ask(&peer, "prepare workload=rand-write span=64KiB count=5 dir=%s seed=%d", cell, 5));
        ck_ok(probe_peer_ask(&peer, "run workload=rand-write span=64KiB count=5 dir=%s seed=%d", cell, 6));
        ck_assert_int_eq(shell("cp cell/data/file copy%d", i), 0);
    }
    ck_assert_int_eq(shell("cmp copy0 copy1"), 0);
    ck_ok(probe_peer_ask(&peer, "run workload=rand-write span=64KiB count=5 dir=%s seed=%d", cell, 7));
    ck_assert_int_eq(shell("cmp -s copy0 cell/data/file"), 1);
    ck_ok(probe_peer_ask(&peer, "prepare workload=rand-write span=64KiB count=5 dir=%s seed=%d", cell, 8));
    ck_assert_int_eq(shell("cp cell/data/file copy0"), 0);
    ck_ok(probe_peer_ask(&peer, "prepare workload=rand-write span=64KiB count=5 dir=%s seed=%d", cell, 9));
    ck_assert_int_eq(shell("cmp -s copy0 cell/data/file"), 1);
}
END_TEST

START_TEST(rows_are_complete)
{
    const struct mb_workload *w = mb_workloads()[_i];
    uint64_t values[MB_PARAMS_MAX];
    struct mb_footprint footprint = {0};
    struct mb_error err = {0};
    size_t n = 0;

    ck_assert_ptr_eq(mb_workload_find(w->name), w);
    ck_assert_uint_gt(strlen(w->does), 80);
    ck_assert_uint_gt(strlen(w->hides), 80);
    ck_assert_ptr_nonnull(w->unit);
    ck_assert_ptr_nonnull(w->run);
    ck_assert_int_eq(w->needs_prepare, w->prepare != NULL);
    for (; w->params[n].name != NULL; n++) {
        const struct mb_param *p = &w->params[n];
        char text[64];
        uint64_t again;
        ck_assert_uint_lt(n, MB_PARAMS_MAX);
        ck_assert_ptr_nonnull(p->help);
        ck_assert_int_eq(p->type == MB_PARAM_CHOICE, p->choices != NULL);
        ck_assert_ptr_nonnull(p->fallback);
        ck_assert_msg(mb_param_parse(p, p->fallback, &values[n], &err) == 0, "%s %s: %s", w->name, p->name, err.message);
        mb_param_print(p, values[n], text, sizeof text);
        ck_assert_msg(mb_param_parse(p, text, &again, &err) == 0, "%s %s: %s", w->name, p->name, err.message);
        ck_assert_uint_eq(again, values[n]);
        for (size_t i = 0; i < n; i++)
            ck_assert_str_ne(w->params[i].name, p->name);
    }
    ck_assert(w->validate == NULL || w->validate(values, &err) == 0);
    w->footprint(values, &footprint);
    ck_assert_int_eq(footprint.disk_bytes > 0, strcmp(w->name, "exec") != 0);
    ck_assert_uint_gt(footprint.files, 0);
    ck_assert_uint_gt(footprint.io_bytes, 0);
    ck_assert_uint_gt(footprint.ops, 0);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("probe/workloads");
    TCase *c = tcase_create("trials"), *rows = tcase_create("rows");
    int count = 0;

    while (mb_workloads()[count] != NULL)
        count++;
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, each_runs_again_and_again, 0, sizeof trials / sizeof *trials);
    tcase_add_test(c, direct_reads_and_writes);
    tcase_add_test(c, time_bounds_a_trial);
    tcase_add_test(c, run_wants_what_prepare_laid_out);
    tcase_add_loop_test(c, a_wrong_byte_fails_the_sample, 0, sizeof wrongs / sizeof *wrongs);
    tcase_add_loop_test(c, an_upset_tree_fails_the_sample, 0, sizeof upsets / sizeof *upsets);
    tcase_add_loop_test(c, no_memory_is_lost, 0, sizeof trials / sizeof *trials);
    tcase_add_test(c, seeds_make_it_repeatable);
    tcase_add_loop_test(rows, rows_are_complete, 0, count);
    suite_add_tcase(s, c);
    suite_add_tcase(s, rows);
    return run_suite(s);
}
