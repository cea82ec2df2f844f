/* test_workdir.c: the run's directory, its mark, its nonce; and that `clean` removes what carries the mark and nothing else. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/runner.h"
#include "mountbench/sync.h"
#include "mountbench/tree.h"
#include "runner/workdir.h"

static char root[64];

static void
setup(void)
{
    strcpy(root, "/tmp/mountbench-workdir-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static void
teardown(void)
{
    mb_tree_remove(root, NULL);
}

START_TEST(made_marked_and_removed)
{
    struct mb_error err = {0};
    struct mb_workdir w;
    char path[512], nonce[64] = "", *mount;

    ck_assert_int_eq(mb_workdir_make(root, "run-1", "", &w, &err), 0);
    ck_assert_int_eq(mb_workdir_mount(&w, 7, &mount, &err), 0);
    snprintf(path, sizeof path, "%s/%s", mount, MB_WORKDIR_NONCE);
    int fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(read(fd, nonce, sizeof nonce), 32);
    close(fd);
    ck_assert_str_eq(nonce, w.nonce);
    snprintf(path, sizeof path, "%s/%s", w.path, MB_RUN_MARK);
    ck_assert_int_eq(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s", w.path);
    free(mount);
    ck_assert_int_eq(mb_workdir_remove(&w, &err), 0);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(mb_workdir_remove(&w, &err), 0);
}
END_TEST

START_TEST(nonces_differ)
{
    struct mb_error err = {0};
    struct mb_workdir a, b;

    ck_assert_int_eq(mb_workdir_make(root, "run-1", "", &a, &err), 0);
    ck_assert_int_eq(mb_workdir_make(root, "run-2", "", &b, &err), 0);
    ck_assert_str_ne(a.nonce, b.nonce);
    mb_workdir_remove(&a, NULL);
    mb_workdir_remove(&b, NULL);
}
END_TEST

START_TEST(missing_directory_is_named)
{
    struct mb_error err = {0};
    struct mb_workdir w;

    ck_assert_int_eq(mb_workdir_make("/nonexistent/dir", "run-1", "", &w, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.message, "/nonexistent/dir"));
    ck_assert_int_eq(mb_error_exit_status(&err), 2);
    ck_assert_int_eq(mb_workdir_remove(&w, &err), 0);
}
END_TEST

START_TEST(ids_say_who_is_alive)
{
    char id[MB_RUN_ID_MAX], other[MB_RUN_ID_MAX];

    mb_run_id_new(id);
    mb_run_id_new(other);
    ck_assert_str_ne(id, other);
    ck_assert(mb_run_id_alive(id));
    ck_assert(!mb_run_id_alive("deadbeef"));
    ck_assert(!mb_run_id_alive(""));
    snprintf(other, sizeof other, "%.13s-%d", id, 0x3fffffff);
    ck_assert(!mb_run_id_alive(other));
}
END_TEST

static bool
exists(const char *name)
{
    char path[256];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", root, name);
    return lstat(path, &st) == 0;
}

static void
make_dir(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    ck_assert_int_eq(mkdir(path, 0755), 0);
}

START_TEST(sweep_takes_the_marked_alone)
{
    struct mb_error err = {0};
    struct mb_workdir dead, alive;
    char id[MB_RUN_ID_MAX];
    struct mb_sweep_report report = {0};
    struct mb_sweep_options options = {.dry = true};

    mb_run_id_new(id);
    ck_assert_int_eq(mb_workdir_make(root, "00000000-0000-4", "", &dead, &err), 0);
    ck_assert_int_eq(mb_workdir_make(root, id, "", &alive, &err), 0);
    make_dir("mountbench-work-without-mark");
    make_dir("project");

    ck_assert_int_eq(mb_sweep_directories(root, &options, &report, &err), 0);
    ck_assert(exists("mountbench-work-00000000-0000-4"));

    options.dry = false;
    ck_assert_int_eq(mb_sweep_directories(root, &options, &report, &err), 0);
    ck_assert_uint_eq(report.removed, 1);
    ck_assert(!exists("mountbench-work-00000000-0000-4"));
    ck_assert(exists("mountbench-work-without-mark"));
    ck_assert(exists("project"));
    ck_assert_int_eq(access(alive.path, F_OK), 0);

    options.all = true;
    ck_assert_int_eq(mb_sweep_directories(root, &options, &report, &err), 0);
    ck_assert_int_ne(access(alive.path, F_OK), 0);
    free(dead.path);
    free(alive.path);
}
END_TEST

/* A sync tool's directory whose driver and keeper were both killed. */
START_TEST(sweep_takes_what_sync_tools_left)
{
    struct mb_error err = {0};
    char id[MB_RUN_ID_MAX], path[300];
    const char *const names[] = {MB_SYNC_DIRECTORY "dead", MB_SYNC_DIRECTORY "alive", MB_SYNC_DIRECTORY "bare"};
    struct mb_sweep_report report = {0};
    const struct mb_sweep_options options = {.all = true};

    ck_assert_int_eq(setenv("TMPDIR", root, 1), 0);
    ck_assert_str_eq(mb_sync_tmpdir(), root);
    mb_run_id_new(id);
    for (size_t i = 0; i < 3; i++) {
        make_dir(names[i]);
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        if (i < 2)
            ck_assert_int_eq(mb_tree_mark(path, MB_RUN_MARK, i == 0 ? "00000000-0000-4" : id, &err), 0);
    }
    mb_sweep_tools(&options, &report);
    ck_assert_uint_eq(report.removed, 1);
    ck_assert(!exists(names[0]));
    ck_assert(exists(names[1]));
    ck_assert(exists(names[2]));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("runner workdir");
    TCase *tc = tcase_create("workdir");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, made_marked_and_removed);
    tcase_add_test(tc, nonces_differ);
    tcase_add_test(tc, missing_directory_is_named);
    tcase_add_test(tc, ids_say_who_is_alive);
    tcase_add_test(tc, sweep_takes_the_marked_alone);
    tcase_add_test(tc, sweep_takes_what_sync_tools_left);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
