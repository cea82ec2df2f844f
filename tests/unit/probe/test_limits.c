/* Time limits, full and read-only filesystems, refused rights, missing abilities, and a filesystem that hangs. */
#include "place.h"

#include <signal.h>
#include <sys/resource.h>

static void
nap(void)
{
    struct timespec twenty_ms = {.tv_nsec = 20000000};

    nanosleep(&twenty_ms, NULL);
}

/* Mount something at top/mnt; false, with a word to the reader, where that cannot be done. */
static bool __attribute__((format(printf, 2, 3))) mounted(const char *test, const char *format, ...)
{
    char command[512];
    va_list args;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    if (getuid() == 0 && shell("mkdir mnt && { %s; } >/dev/null 2>&1", command) == 0)
        return true;
    printf("SKIP %s: needs root and mount(2)\n", test);
    return false;
}

static void
unmount(void)
{
    ck_assert_int_eq(shell("umount mnt"), 0);
}

START_TEST(a_trial_is_stopped_at_its_limit)
{
    ck_ok(probe_peer_ask(&peer, "prepare workload=rand-read span=1MiB time=1h dir=%s", cell));
    const char *answer = probe_peer_ask(&peer, "run id=7 workload=rand-read span=1MiB time=1h timeout_ms=200 dir=%s", cell);
    ck_assert_str_eq(answer,
                     "{\"type\":\"sample\",\"id\":7,\"status\":\"timeout\",\"reason\":\"run: passed its time limit of 200 ms and "
                     "was stopped\"}");
    ck_assert_int_eq(shell("test \"$(ls cell)\" = \"$(printf 'data\\nlayout')\""), 0);
    answer = probe_peer_ask(&peer, "prepare id=8 workload=seq-read total=1TiB timeout_ms=100 dir=%s", cell);
    ck_assert_str_eq(answer,
                     "{\"type\":\"prepared\",\"id\":8,\"status\":\"timeout\",\"reason\":\"prepare: passed its time limit of 100 ms "
                     "and was stopped\"}");
    ck_assert(!exists("cell/data"));
    ck_has(probe_peer_ask(&peer, "run workload=rand-read span=1MiB time=1h dir=%s", cell), "nothing is laid out there");
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s", cell));
    ck_has(probe_peer_ask(&peer, "hello"), "\"hello\"");
}
END_TEST

static void
start_endless(void)
{
    char line[256];

    ck_ok(probe_peer_ask(&peer, "prepare workload=rand-read span=1MiB time=1h dir=%s", cell));
    int n = snprintf(line, sizeof line, "run id=7 workload=rand-read span=1MiB time=1h dir=%s\n", cell);
    probe_peer_send(&peer, line, (size_t)n);
}

START_TEST(a_job_that_is_killed_is_a_failed_one)
{
    start_endless();
    pid_t job = probe_peer_job(&peer);
    ck_assert_int_gt(job, 1);
    ck_assert_int_eq(kill(job, SIGKILL), 0);
    const char *answer = probe_peer_answer(&peer);
    ck_assert_ptr_nonnull(answer);
    ck_has(answer, "{\"type\":\"sample\",\"id\":7,\"status\":\"failed\",\"reason\":\"run: was ended by signal 9 (Killed)");
    ck_assert(!exists("cell/run-7"));
    ck_has(probe_peer_ask(&peer, "hello"), "\"hello\"");
}
END_TEST

START_TEST(a_job_ends_with_its_probe)
{
    start_endless();
    pid_t job = probe_peer_job(&peer);
    ck_assert_int_gt(job, 1);
    ck_assert_int_eq(kill(peer.pid, SIGKILL), 0);
    ck_assert_int_eq(probe_peer_end(&peer), 128 + SIGKILL);
    for (int i = 0; i < 250 && kill(job, 0) == 0; i++)
        nap();
    ck_assert_int_ne(kill(job, 0), 0);
    probe_peer_serve(&peer);
}
END_TEST

START_TEST(a_full_filesystem)
{
    static const char *const kinds[] = {"seq-write total=4MiB block=64KiB", "commit record=64KiB count=100",
                                        "small-files files=3000 size=4KiB"};

    if (!mounted("a_full_filesystem", "mount -t tmpfs -o size=1m none mnt"))
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *answer = probe_peer_ask(&peer, "run id=1 workload=%s dir=%s/mnt/c", kinds[i], top);
        ck_has(answer, "\"status\":\"failed\",\"reason\":\"/tmp/mb-probe-");
        ck_has(answer, "/mnt/c/run-1/");
        ck_has(answer, ": No space left on device");
        ck_assert(!exists("mnt/c/run-1"));
    }
    ck_has(probe_peer_ask(&peer, "prepare workload=seq-read total=4MiB dir=%s/mnt/c", top),
           "/mnt/c/data/file: cannot write at byte 10"); /* 1 MiB less the marker's page */
    ck_has(probe_peer_ask(&peer, "prepare workload=app-request files=300 dir=%s/mnt/c", top), "No space left on device");
    /* Room for the work again after all that. */
    ck_ok(probe_peer_ask(&peer, "run workload=seq-write total=64KiB block=64KiB dir=%s/mnt/d", top));
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s/mnt/c", top));
    unmount();
}
END_TEST

START_TEST(no_room_for_the_marker)
{
    if (!mounted("no_room_for_the_marker", "mount -t tmpfs -o size=8k none mnt && head -c 8192 /dev/zero > mnt/fill"))
        return;
    ck_has(probe_peer_ask(&peer, "run workload=commit dir=%s/mnt/c", top), "/mnt/c: cannot write its marker");
    ck_assert(!exists("mnt/c"));
    unmount();
}
END_TEST

START_TEST(no_inodes_left)
{
    if (!mounted("no_inodes_left", "mount -t tmpfs -o size=1m,nr_inodes=20 none mnt"))
        return;
    ck_has(probe_peer_ask(&peer, "run workload=small-files files=100 dirs=1 size=1 dir=%s/mnt/c", top),
           "cannot create: No space left on device");
    ck_assert(!exists("mnt/c/run-0"));
    unmount();
}
END_TEST

START_TEST(a_read_only_filesystem)
{
    if (!mounted("a_read_only_filesystem", "mount -t tmpfs -o ro none mnt"))
        return;
    ck_has(probe_peer_ask(&peer, "run workload=commit dir=%s/mnt/c", top),
           "/mnt/c: cannot make the directory: Read-only file system");
    ck_has(probe_peer_ask(&peer, "write path=%s/mnt/c text=x", top), "Read-only file system");
    unmount();
}
END_TEST

START_TEST(no_o_direct)
{
    if (!mounted("no_o_direct", "mount -t ramfs none mnt"))
        return;
    const char *answer = probe_peer_ask(&peer, "run id=3 workload=seq-write total=4KiB block=4KiB direct=true dir=%s/mnt/c", top);
    if (strstr(answer, "\"status\":\"ok\"") == NULL) {
        ck_has(answer, "{\"type\":\"sample\",\"id\":3,\"status\":\"unsupported\",\"reason\":\"/tmp/mb-probe-");
        ck_has(answer, "cannot open with O_DIRECT: Invalid argument");
    }
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s/mnt/c", top));
    unmount();
}
END_TEST

START_TEST(refused_rights)
{
    struct probe_peer nobody = {0};

    if (getuid() != 0) {
        puts("SKIP refused_rights: needs root, to be someone else");
        return;
    }
    ck_assert_int_eq(shell("chmod 755 ."), 0);
    probe_peer_serve_as(&nobody, 65534);
    ck_has(probe_peer_ask(&nobody, "hello"), "\"uid\":65534");
    ck_has(probe_peer_ask(&nobody, "run workload=commit dir=%s", cell), "cell: cannot make the directory: Permission denied");
    ck_ok(probe_peer_ask(&peer, "run workload=seq-write total=1 block=1 dir=%s", cell));
    ck_has(probe_peer_ask(&nobody, "run workload=commit dir=%s", cell), "cannot make the trial's directory: Permission denied");
    ck_has(probe_peer_ask(&nobody, "cleanup dir=%s", cell), "\"status\":\"failed\"");
    ck_assert(exists("cell/.mountbench-probe"));
    ck_assert_int_eq(probe_peer_end(&nobody), 0);
}
END_TEST

START_TEST(a_file_size_limit)
{
    struct rlimit limit = {.rlim_cur = 100000, .rlim_max = RLIM_INFINITY};
    struct probe_peer small;

    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    probe_peer_serve(&small);
    ck_has(probe_peer_ask(&small, "run workload=seq-write total=1MiB block=4KiB dir=%s", cell), "\"status\":\"failed\"");
    ck_assert(!exists("cell/run-0"));
    ck_assert_int_eq(probe_peer_end(&small), 0);
}
END_TEST

/* A frozen filesystem holds whoever writes in a sleep that no signal ends, as a dead network mount does. */
START_TEST(a_hanging_filesystem_does_not_hang_the_probe)
{
    if (!mounted("a_hanging_filesystem_does_not_hang_the_probe",
                 "truncate -s 16M disk && mke2fs -q -t ext4 disk && mount -o loop disk mnt && fsfreeze -f mnt")) {
        shell("umount mnt 2>/dev/null");
        return;
    }
    const char *answer = probe_peer_ask(&peer, "run id=1 workload=commit timeout_ms=200 dir=%s/mnt/c", top);
    char kept[300];
    snprintf(kept, sizeof kept, "%s", answer);
    answer = probe_peer_ask(&peer, "run id=2 workload=seq-write total=1 block=1 dir=%s", cell);
    char next[300];
    snprintf(next, sizeof next, "%s", answer);
    ck_assert_int_eq(shell("fsfreeze -u mnt"), 0);
    ck_has(kept, "\"id\":1,\"status\":\"timeout\",\"reason\":\"run: passed its time limit of 200 ms, hangs in the kernel where it "
                 "cannot be stopped, and was left behind\"");
    ck_ok(next);
    /* It goes once the filesystem lives again, and is not left a zombie. */
    for (int i = 0; i < 100 && shell("pgrep -P %d >/dev/null", (int)peer.pid) == 0; i++) {
        probe_peer_ask(&peer, "hello");
        nap();
    }
    ck_assert_int_eq(shell("pgrep -P %d >/dev/null", (int)peer.pid), 1);
    unmount();
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("probe/limits");
    TCase *c = tcase_create("limits");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, a_trial_is_stopped_at_its_limit);
    tcase_add_test(c, a_job_that_is_killed_is_a_failed_one);
    tcase_add_test(c, a_job_ends_with_its_probe);
    tcase_add_test(c, a_full_filesystem);
    tcase_add_test(c, no_room_for_the_marker);
    tcase_add_test(c, no_inodes_left);
    tcase_add_test(c, a_read_only_filesystem);
    tcase_add_test(c, no_o_direct);
    tcase_add_test(c, refused_rights);
    tcase_add_test(c, a_file_size_limit);
    tcase_add_test(c, a_hanging_filesystem_does_not_hang_the_probe);
    suite_add_tcase(s, c);
    return run_suite(s);
}
