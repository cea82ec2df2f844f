/* The static executables as they are put into containers: over pipes, under an emulator, their size, their system calls. */
#include "place.h"

#include <signal.h>
#include <sys/wait.h>

#define AMD64 "build/mountbench-probe-amd64"
#define ARM64 "build/mountbench-probe-arm64"
#define SIZE_MAX_BYTES (200 << 10)

/* How to run each executable here. */
static const struct {
    const char *arch, *path;
    const char *native[2], *emulated[3];
} programs[] = {
    {"amd64", AMD64, {AMD64}, {"qemu-x86_64", AMD64}},
    {"arm64", ARM64, {ARM64}, {"qemu-aarch64", ARM64}},
};

static bool
have(const char *program)
{
    return shell("command -v %s >/dev/null", program) == 0;
}

/* The arguments that run program ${i}; NULL, with a word to the reader, where it cannot be run. */
static const char *const *
arguments(const char *test, int i)
{
    if (shell("cd - >/dev/null; %s --version >/dev/null 2>&1", programs[i].path) == 0)
        return programs[i].native;
    if (have(programs[i].emulated[0]))
        return programs[i].emulated;
    printf("SKIP %s: %s is not installed\n", test, programs[i].emulated[0]);
    return NULL;
}

START_TEST(they_are_small_and_static)
{
    struct stat st;

    ck_assert_int_eq(stat(programs[_i].path, &st), 0);
    ck_assert_int_le(st.st_size, SIZE_MAX_BYTES);
    ck_assert_int_eq(shell("cd - >/dev/null; ! readelf -l %s | grep -q INTERP", programs[_i].path), 0);
}
END_TEST

START_TEST(they_do_every_workload)
{
    static const char *const kinds[] = {
        "seq-write total=1MiB", "seq-read total=1MiB",         "rand-read span=1MiB count=50",    "rand-write span=1MiB count=50",
        "commit count=3",       "small-files files=20 dirs=3", "app-request files=20 requests=2",
    };
    const char *const *argv = arguments("they_do_every_workload", _i);
    char arch[32];

    if (argv == NULL)
        return;
    probe_peer_exec(&peer, argv);
    snprintf(arch, sizeof arch, "\"arch\":\"%s\"", programs[_i].arch);
    ck_has(probe_peer_ask(&peer, "hello"), arch);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ck_ok(probe_peer_ask(&peer, "prepare workload=%s dir=%s", kinds[i], cell));
        const char *answer = probe_peer_ask(&peer, "run workload=%s dir=%s", kinds[i], cell);
        ck_ok(answer);
        ck_assert_double_gt(probe_number(answer, "wall_ns"), 0);
    }
    const char *answer = probe_peer_ask(&peer, "mount dir=%s", top);
    ck_has(answer, "\"mount_point\":\"/");
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s", cell));
    probe_peer_send(&peer, "quit\n", 5);
    ck_assert_ptr_null(probe_peer_answer(&peer));
    ck_assert_int_eq(probe_peer_end(&peer), 0);
}
END_TEST

/*
 * From the message that asks for it to the answer, a process and a directory being made and removed in between.  On a
 * busy machine most take longer; one that does not shows what it costs.
 */
START_TEST(a_tiny_trial_costs_little)
{
    const char *const *argv = arguments("a_tiny_trial_costs_little", 0);
    double least = 1e9;

    if (argv != programs[0].native) {
        puts("SKIP a_tiny_trial_costs_little: an emulator is no measure");
        return;
    }
    probe_peer_exec(&peer, argv);

    for (int i = 0; i < 300 && least >= 1; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        ck_ok(probe_peer_ask(&peer, "run workload=seq-write total=4096 block=4096 dir=%s", cell));
        clock_gettime(CLOCK_MONOTONIC, &to);
        double ms = (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
        least = ms < least ? ms : least;
    }
    /* 0.2 ms on an idle machine, and a fraction of what is written here on any. */
    ck_assert_double_lt(least, 10);
    ck_assert_int_eq(probe_peer_end(&peer), 0);
}
END_TEST

START_TEST(they_stop_when_told)
{
    const char *const *argv = arguments("they_stop_when_told", _i);

    if (argv == NULL)
        return;
    probe_peer_exec(&peer, argv);
    ck_has(probe_peer_ask(&peer, "hello"), "\"hello\"");
    ck_assert_int_eq(kill(peer.pid, SIGTERM), 0);
    ck_assert_ptr_null(probe_peer_answer(&peer));
    ck_assert_int_eq(probe_peer_end(&peer), 128 + SIGTERM);
}
END_TEST

START_TEST(arguments_are_refused)
{
    const char *const *argv = arguments("arguments_are_refused", _i);

    if (argv == NULL)
        return;
    const char *emulator = argv[1] ? argv[0] : "";
    ck_assert_int_eq(shell("cd - >/dev/null; %s %s --version | grep -q '^mountbench-probe [0-9]'", emulator, programs[_i].path), 0);
    ck_assert_int_eq(
        shell("cd - >/dev/null; ! %s %s --serve 2>&1 >/dev/null | grep -qv -e usage -e Takes", emulator, programs[_i].path), 0);
    ck_assert_int_eq(shell("cd - >/dev/null; %s %s x 2>/dev/null", emulator, programs[_i].path), 2);
}
END_TEST

/* PID 1 has no default action for SIGTERM, and inherits whatever its container orphans. */
START_TEST(as_pid_1_it_stops_when_told)
{
    const char *const argv[] = {"unshare", "--pid", "--fork", "--kill-child", AMD64, NULL};

    if (getuid() != 0 || arguments("as_pid_1_it_stops_when_told", 0) != programs[0].native ||
        shell("unshare --pid --fork true") != 0) {
        puts("SKIP as_pid_1_it_stops_when_told: needs root, unshare(1) and amd64");
        return;
    }
    probe_peer_exec(&peer, argv);
    ck_has(probe_peer_ask(&peer, "hello"), "\"hello\"");
    ck_assert_int_eq(shell("kill -TERM $(pgrep -P %d)", (int)peer.pid), 0);
    ck_assert_ptr_null(probe_peer_answer(&peer));
    ck_assert_int_eq(probe_peer_end(&peer), 128 + SIGTERM);
}
END_TEST

static const struct {
    const char *dd, *probe;
} like_dd[] = {
    {"", ""},
    {"conv=fdatasync", "sync=fdatasync"},
    {"conv=fsync", "sync=fsync"},
    {"oflag=dsync", "sync=dsync"},
};

/*
 * From the first read to the last close, which is what both of them time, there is no difference at all.  Before that, dd moves
 * what it opens to descriptors 0 and 1.
 */
START_TEST(seq_write_makes_the_system_calls_of_dd)
{
    static const char filter[] = "awk '{ sub(/^[0-9]+ +/, \"\"); gsub(/ +/, \" \") } /^read\\(0, .\\\\0/ { on = 1 } on { print } "
                                 "on && /^close\\(1\\)/ { exit }'";

    if (!have("strace") || !have("dd") || arguments("seq_write_makes_the_system_calls_of_dd", 0) != programs[0].native) {
        puts("SKIP seq_write_makes_the_system_calls_of_dd: needs strace, dd and amd64");
        return;
    }
    ck_assert_int_eq(shell("strace -o dd.raw -s 4 dd if=/dev/zero of=F bs=1024 count=5 %s 2>/dev/null", like_dd[_i].dd), 0);
    ck_assert_int_eq(
        shell("cd - >/dev/null; echo run workload=seq-write block=1024 total=5120 %s dir=%s | strace -f -s 4 -o %s/probe.raw " AMD64
              " | grep -q '\"status\":\"ok\"'",
              like_dd[_i].probe, cell, top),
        0);
    ck_assert_int_eq(shell("for i in dd probe; do %s < $i.raw > $i.calls; done", filter), 0);
    ck_assert_int_eq(shell("test $(grep -c '^read(0' dd.calls) = 5 && test $(grep -c '^write(1' dd.calls) = 5"), 0);
    ck_assert_msg(shell("diff dd.calls probe.calls") == 0, "the system calls differ from dd's");
}
END_TEST

/* The clocks must be read without a system call, or they would be what is measured. */
START_TEST(the_clock_is_no_system_call)
{
    if (!have("strace") || arguments("the_clock_is_no_system_call", 0) != programs[0].native ||
        shell("strace -o clock.raw -e trace=clock_gettime date >/dev/null && grep -q clock_gettime clock.raw") == 0) {
        puts("SKIP the_clock_is_no_system_call: needs strace, amd64 and a kernel whose clock can be read without one");
        return;
    }
    ck_assert_int_eq(shell("cd - >/dev/null; echo run workload=commit count=10 dir=%s | strace -f -o %s/probe.raw " AMD64
                           " | grep -q '\"status\":\"ok\"'",
                           cell, top),
                     0);
    ck_assert_int_eq(shell("test $(grep -c fdatasync probe.raw) = 10 && ! grep -q clock_gettime probe.raw"), 0);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("probe/binary");
    TCase *c = tcase_create("executables");
    int count = sizeof programs / sizeof *programs;

    tcase_add_checked_fixture(c, make_place, remove_place);
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, they_are_small_and_static, 0, count);
    tcase_add_loop_test(c, they_do_every_workload, 0, count);
    tcase_add_test(c, a_tiny_trial_costs_little);
    tcase_add_loop_test(c, they_stop_when_told, 0, count);
    tcase_add_loop_test(c, arguments_are_refused, 0, count);
    tcase_add_test(c, as_pid_1_it_stops_when_told);
    tcase_add_loop_test(c, seq_write_makes_the_system_calls_of_dd, 0, sizeof like_dd / sizeof *like_dd);
    tcase_add_test(c, the_clock_is_no_system_call);
    suite_add_tcase(s, c);
    return run_suite(s);
}
