/* What is never removed: anything that is not the probe's own. */
#include "place.h"

#define TINY "workload=seq-write total=1 block=1"

/* A stranger's directory with something in it, beside the cell. */
static void
set_up_stranger(void)
{
    set_up();
    ck_assert_int_eq(shell("mkdir -p theirs/sub && echo precious > theirs/sub/file"), 0);
}

static void
tear_down_stranger(void)
{
    ck_assert_int_eq(shell("grep -q precious theirs/sub/file"), 0);
    tear_down();
}

START_TEST(a_foreign_directory_is_left_alone)
{
    ck_has(probe_peer_ask(&peer, "cleanup dir=%s/theirs", top), "{\"type\":\"cleaned\",\"status\":\"failed\",\"reason\":\"/tmp/");
    ck_has(probe_peer_ask(&peer, "cleanup dir=%s/theirs", top), "no marker .mountbench-probe of the probe, so it is left alone");
    ck_has(probe_peer_ask(&peer, "prepare " TINY " dir=%s/theirs", top), "it is not empty and has no marker");
    ck_has(probe_peer_ask(&peer, "run " TINY " dir=%s/theirs", top), "it is not empty and has no marker");
    ck_assert_int_eq(shell("test $(ls -A theirs) = sub"), 0);
}
END_TEST

START_TEST(a_parent_is_not_made)
{
    ck_has(probe_peer_ask(&peer, "run " TINY " dir=%s/a/b", top), "a/b: cannot make the directory: No such file or directory");
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s/a/b", top));
}
END_TEST

START_TEST(an_empty_directory_is_adopted_and_left)
{
    ck_assert_int_eq(shell("mkdir empty"), 0);
    ck_ok(probe_peer_ask(&peer, "prepare workload=app-request files=3 dir=%s/empty", top));
    ck_ok(probe_peer_ask(&peer, "run workload=app-request files=3 dir=%s/empty", top));
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s/empty", top));
    ck_assert_int_eq(shell("test -d empty && test -z \"$(ls -A empty)\""), 0);
}
END_TEST

START_TEST(a_linked_directory_is_not_followed)
{
    ck_ok(probe_peer_ask(&peer, "run " TINY " dir=%s", cell));
    ck_assert_int_eq(shell("ln -s theirs link && ln -s cell ours"), 0);
    ck_has(probe_peer_ask(&peer, "run " TINY " dir=%s/link", top), "a symbolic link is not followed");
    ck_has(probe_peer_ask(&peer, "cleanup dir=%s/link", top), "a symbolic link is not followed");
    ck_has(probe_peer_ask(&peer, "cleanup dir=%s/ours", top), "a symbolic link is not followed");
    ck_assert(exists("cell"));
}
END_TEST

static const char *const fakes[] = {
    "ln -s ../cell/.mountbench-probe theirs/.mountbench-probe",
    "mkdir theirs/.mountbench-probe",
    "mkfifo theirs/.mountbench-probe",
    "touch theirs/.mountbench-probe",
    "echo made by someone else > theirs/.mountbench-probe",
};

START_TEST(a_marker_that_is_none)
{
    ck_ok(probe_peer_ask(&peer, "run " TINY " dir=%s", cell));
    ck_assert_int_eq(shell("%s", fakes[_i]), 0);
    ck_has(probe_peer_ask(&peer, "cleanup dir=%s/theirs", top), "\"status\":\"failed\"");
    ck_has(probe_peer_ask(&peer, "run " TINY " dir=%s/theirs", top), "\"status\":\"failed\"");
}
END_TEST

static const char *const links[] = {
    "ln -s ../theirs cell/link",          "rm -r cell/data && ln -s ../theirs cell/data",
    "ln -s ../theirs cell/run-0",         "rm cell/layout && ln -s ../theirs/sub/file cell/layout",
    "ln -s ../../theirs cell/data/d0000", "ln -s /nowhere cell/data/dangling",
};

START_TEST(links_inside_are_removed_not_followed)
{
    ck_ok(probe_peer_ask(&peer, "prepare workload=seq-read total=1MiB dir=%s", cell));
    ck_assert_int_eq(shell("%s", links[_i]), 0);
    probe_peer_ask(&peer, "run workload=seq-read total=1MiB dir=%s", cell);
    ck_assert_int_eq(shell("grep -q precious theirs/sub/file"), 0);
    ck_ok(probe_peer_ask(&peer, "prepare workload=seq-read total=1MiB dir=%s", cell));
    ck_assert_int_eq(shell("grep -q precious theirs/sub/file"), 0);
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s", cell));
    ck_assert(!exists("cell"));
}
END_TEST

START_TEST(a_linked_file_is_not_written_to)
{
    ck_ok(probe_peer_ask(&peer, "prepare workload=rand-write span=1MiB count=10 dir=%s", cell));
    ck_assert_int_eq(shell("rm cell/data/file && ln -s ../../theirs/sub/file cell/data/file"), 0);
    ck_has(probe_peer_ask(&peer, "run workload=rand-write span=1MiB count=10 dir=%s", cell), "data/file: cannot open: ");
}
END_TEST

START_TEST(another_mount_inside_is_not_entered)
{
    if (getuid() != 0 || shell("mkdir other && mount -t tmpfs -o size=1m none other 2>/dev/null") != 0) {
        puts("SKIP another_mount_inside_is_not_entered: needs root and mount(2)");
        return;
    }
    ck_ok(probe_peer_ask(&peer, "run " TINY " dir=%s", cell));
    ck_assert_int_eq(shell("echo precious > other/file && mkdir cell/m && mount --bind other cell/m"), 0);
    const char *answer = probe_peer_ask(&peer, "cleanup dir=%s", cell);
    int kept = shell("grep -q precious other/file");
    ck_assert_int_eq(shell("umount cell/m && umount other"), 0);
    ck_assert_int_eq(kept, 0);
    ck_has(answer, "m: another filesystem is mounted there; unmount it first");
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s", cell));
}
END_TEST

START_TEST(what_a_killed_probe_left_is_taken_up)
{
    ck_ok(probe_peer_ask(&peer, "prepare workload=seq-read total=1MiB dir=%s", cell));
    ck_assert_int_eq(shell("mkdir -p cell/run-5/a/b && echo x > cell/run-5/a/b/c && mkdir cell/run-6"), 0);
    ck_ok(probe_peer_ask(&peer, "run id=5 workload=seq-read total=1MiB dir=%s", cell));
    ck_ok(probe_peer_ask(&peer, "run id=6 " TINY " dir=%s", cell));
    ck_assert(!exists("cell/run-5") && !exists("cell/run-6"));
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s", cell));
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s", cell));
}
END_TEST

START_TEST(wide_and_deep_trees_go)
{
    ck_ok(probe_peer_ask(&peer, "run " TINY " dir=%s", cell));
    ck_assert_int_eq(shell("mkdir cell/wide && cd cell/wide && seq 5000 | xargs touch"), 0);
    ck_assert_int_eq(shell("mkdir -p cell/$(seq -s / 30)"), 0);
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s", cell));
    ck_assert(!exists("cell"));
    ck_ok(probe_peer_ask(&peer, "run " TINY " dir=%s", cell));
    ck_assert_int_eq(shell("mkdir -p cell/$(seq -s / 60)"), 0);
    ck_has(probe_peer_ask(&peer, "cleanup dir=%s", cell), "directories deep: no work of the probe");
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("probe/celldir");
    TCase *c = tcase_create("directories");

    tcase_add_checked_fixture(c, set_up_stranger, tear_down_stranger);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, a_foreign_directory_is_left_alone);
    tcase_add_test(c, a_parent_is_not_made);
    tcase_add_test(c, an_empty_directory_is_adopted_and_left);
    tcase_add_test(c, a_linked_directory_is_not_followed);
    tcase_add_loop_test(c, a_marker_that_is_none, 0, sizeof fakes / sizeof *fakes);
    tcase_add_loop_test(c, links_inside_are_removed_not_followed, 0, sizeof links / sizeof *links);
    tcase_add_test(c, a_linked_file_is_not_written_to);
    tcase_add_test(c, another_mount_inside_is_not_entered);
    tcase_add_test(c, what_a_killed_probe_left_is_taken_up);
    tcase_add_test(c, wide_and_deep_trees_go);
    suite_add_tcase(s, c);
    return run_suite(s);
}
