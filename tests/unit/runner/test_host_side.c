/*
 * The other side of a mount, with two directories of this machine that only pretend to be one: what is the same, late, stale or
 * changed on the way is the test's to decide.  A mount whose two sides differ cannot be had otherwise.
 */
#include "pair.h"

static void
make_write(uint64_t limit_ns)
{
    static const char *const values[] = {"block", "4KiB", "total", "64KiB", "files", "4", NULL};

    make_cell("seq-write", values, limit_ns);
}

/* One trial; the sample's answer. */
static cJSON *
trial(uint64_t id, const char *between)
{
    const struct mb_job_spec job = {
        .id = id, .workload = &workload, .dir = cell_dir, .timeout_ns = UINT64_C(10000000000), .keep = true};
    struct mb_error err = {0};
    cJSON *answer;

    ck_assert(mb_host_visible_wanted(&session, &cell));
    ck_assert_msg(mb_client_job(&station.channel, "run", &job, &answer, &err) == 0, "%s", err.message);
    ck_assert(mb_cell_ok(answer));
    uint64_t end_ns = mb_now_ns();
    if (between != NULL)
        ck_assert_int_eq(shell(between), 0);
    ck_assert_msg(mb_host_visible_measure(&session, &cell, &job, end_ns, answer, &err) == 0, "%s", err.message);
    return answer;
}

START_TEST(one_directory_is_seen_at_once)
{
    make_one();
    make_write(UINT64_C(5000000000));
    cJSON *answer = trial(1, NULL);
    ck_assert_double_eq(metric(answer, "host_lost"), 0);
    ck_assert_double_eq(metric(answer, "host_wrong"), 0);
    ck_assert_double_ge(metric(answer, "host_visible_ns"), 0);
    ck_assert_double_lt(metric(answer, "host_visible_ns"), 1e9);
    ck_assert_double_ge(metric(answer, "host_checked_ns"), metric(answer, "host_visible_ns"));
    cJSON_Delete(answer);
    ck_assert_msg(shell("test ! -e in/cell/run-1 && test -e in/cell/.mountbench-probe") == 0, "the trial's files are still there");
    ck_assert(!recorded("check", "host_visible"));
    end_cell();
}
END_TEST

START_TEST(a_copy_that_comes_later_is_waited_for)
{
    copy_always();
    make_write(UINT64_C(20000000000));
    ck_assert(station.host.open);
    cJSON *answer = trial(1, "touch stop; sleep 0.2; (sleep 0.3; cp -r in/. out) >/dev/null 2>&1 &");
    ck_assert_double_eq(metric(answer, "host_lost"), 0);
    ck_assert_double_lt(metric(answer, "host_visible_ns"), 15e9);
    cJSON_Delete(answer);
    end_cell();
}
END_TEST

START_TEST(what_never_comes_is_lost)
{
    copy_always();
    make_write(UINT64_C(100000000));
    ck_assert(station.host.open);
    cJSON *answer = trial(1, "touch stop; sleep 0.2; rm -rf out/cell");
    ck_assert_double_eq(metric(answer, "host_lost"), 4);
    ck_assert_double_eq(metric(answer, "host_wrong"), 0);
    ck_assert(isnan(metric(answer, "host_visible_ns")));
    ck_assert_int_eq(shell("test ! -e in/cell/run-1"), 0);
    cJSON_Delete(answer);
    ck_assert(recorded("\"outcome\":\"fail\"", "4 files not or not whole and 0 with other content; run-1/0: is not there"));
    end_cell();
}
END_TEST

START_TEST(other_bytes_are_wrong)
{
    copy_always();
    make_write(UINT64_C(100000000));
    cJSON *answer =
        trial(1, "touch stop; sleep 0.2; cp -r in/. out; printf x | dd of=out/cell/run-1/3 bs=1 seek=7 conv=notrunc 2>/dev/null");
    ck_assert_double_eq(metric(answer, "host_lost"), 0);
    ck_assert_double_eq(metric(answer, "host_wrong"), 1);
    cJSON_Delete(answer);
    ck_assert(recorded("host_visible", "run-1/3: wrong content at byte 7: expected 0x00, got 0x78"));
    end_cell();
}
END_TEST

START_TEST(another_directory_is_not_believed)
{
    /* An NFS server may export something else than the matrix says. */
    mount.type = MB_MOUNT_NFS;
    mount.path = strdup(outside);
    ck_assert_int_eq(shell("mkdir out/cell && echo 0123456789abcdef0123456789abcdef >out/cell/.mountbench-nonce"), 0);
    make_write(UINT64_C(5000000000));
    ck_assert(!station.host.open);
    ck_assert(!mb_host_visible_wanted(&session, &cell));
    ck_assert_ptr_nonnull(strstr(station.host.reason, "it is not the same directory"));
    ck_assert(recorded("\"outcome\":\"unsupported\"", "it is not the same directory"));
    end_cell();
}
END_TEST

static const struct {
    enum mb_mount_type type;
    const char *path, *reason;
} without[] = {
    {MB_MOUNT_LAYER, NULL, "a container's own layer is no directory of this machine"},
    {MB_MOUNT_VOLUME, NULL, "a volume is no directory of this machine"},
    {MB_MOUNT_TMPFS, NULL, "a tmpfs is no directory of this machine"},
    {MB_MOUNT_PATH, "/srv", "a path on the engine's machine is not known to be one of this machine"},
    {MB_MOUNT_NFS, NULL, "the mount does not say which directory of this machine the server exports: its key 'path'"},
    {MB_MOUNT_NFS, "/nowhere/at/all", "the mount's 'path' is no directory of this machine"},
};

START_TEST(a_mount_without_a_host_side_says_so)
{
    free(station.host_dir);
    station.host_dir = NULL;
    mount.type = without[_i].type;
    mount.path = without[_i].path != NULL ? strdup(without[_i].path) : NULL;
    make_write(UINT64_C(5000000000));
    ck_assert(!station.host.open);
    ck_assert_str_eq(station.host.reason, without[_i].reason);
    ck_assert(recorded("\"outcome\":\"unsupported\"", without[_i].reason));
    end_cell();
}
END_TEST

START_TEST(a_host_probe_that_dies_costs_the_figure_alone)
{
    make_one();
    make_write(UINT64_C(5000000000));
    char command[64];
    snprintf(command, sizeof command, "kill -9 %d", (int)station.host.channel.pid);
    cJSON *answer = trial(1, command);
    ck_assert(mb_cell_ok(answer));
    ck_assert(isnan(metric(answer, "host_visible_ns")));
    cJSON_Delete(answer);
    ck_assert(!mb_host_visible_wanted(&session, &cell));
    ck_assert_int_eq(shell("test ! -e in/cell/run-1"), 0);
    ck_assert(recorded("\"outcome\":\"error\"", "went away"));
    end_cell();
}
END_TEST

START_TEST(nobody_asked)
{
    make_one();
    make_write(0);
    ck_assert(!station.host.open);
    ck_assert(!mb_host_visible_wanted(&session, &cell));
    ck_assert_int_eq(station.host.channel.pid, 0);
    end_cell();
}
END_TEST

int
main(void)
{
    signal(SIGPIPE, SIG_IGN); /* as the driver does */
    Suite *suite = suite_create("host_side");
    TCase *tcase = tcase_create("host_side");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, one_directory_is_seen_at_once);
    tcase_add_test(tcase, a_copy_that_comes_later_is_waited_for);
    tcase_add_test(tcase, what_never_comes_is_lost);
    tcase_add_test(tcase, other_bytes_are_wrong);
    tcase_add_test(tcase, another_directory_is_not_believed);
    tcase_add_loop_test(tcase, a_mount_without_a_host_side_says_so, 0, sizeof without / sizeof without[0]);
    tcase_add_test(tcase, a_host_probe_that_dies_costs_the_figure_alone);
    tcase_add_test(tcase, nobody_asked);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
