/* test_tree.c: trees are removed whole, and what a link points to is left alone. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/tree.h"

static char root[64];

static void
setup(void)
{
    strcpy(root, "/tmp/mountbench-tree-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static void
teardown(void)
{
    mb_tree_remove(root, NULL);
}

static const char *
under(const char *name)
{
    static char path[4][256];
    static unsigned next;
    char *out = path[next++ % 4];

    snprintf(out, 256, "%s/%s", root, name);
    return out;
}

static void
touch(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

START_TEST(removes_what_is_below)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mb_tree_make(under("a/b/c/d"), &err), 0);
    touch(under("a/b/file"));
    touch(under("a/b/c/d/.hidden"));
    ck_assert_int_eq(mb_tree_remove(under("a"), &err), 0);
    ck_assert_int_ne(access(under("a"), F_OK), 0);
}
END_TEST

START_TEST(does_not_follow_links)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mb_tree_make(under("keep"), &err), 0);
    touch(under("keep/precious"));
    ck_assert_int_eq(mb_tree_make(under("gone"), &err), 0);
    ck_assert_int_eq(symlink(under("keep"), under("gone/link")), 0);
    ck_assert_int_eq(mb_tree_remove(under("gone"), &err), 0);
    ck_assert_int_eq(access(under("keep/precious"), F_OK), 0);
    ck_assert_int_ne(access(under("gone"), F_OK), 0);
}
END_TEST

START_TEST(a_link_itself_goes_its_target_stays)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mb_tree_make(under("keep"), &err), 0);
    touch(under("keep/precious"));
    ck_assert_int_eq(symlink(under("keep"), under("link")), 0);
    ck_assert_int_eq(mb_tree_remove(under("link"), &err), 0);
    ck_assert_int_eq(access(under("keep/precious"), F_OK), 0);
}
END_TEST

START_TEST(what_is_gone_is_no_error)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mb_tree_remove(under("never"), &err), 0);
    ck_assert_int_eq(err.code, MB_OK);
}
END_TEST

START_TEST(a_file_in_the_way_is_named)
{
    struct mb_error err = {0};

    touch(under("file"));
    ck_assert_int_eq(mb_tree_make(under("file/below"), &err), -1);
    ck_assert_ptr_nonnull(strstr(err.message, "file"));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("base tree");
    TCase *tc = tcase_create("tree");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, removes_what_is_below);
    tcase_add_test(tc, does_not_follow_links);
    tcase_add_test(tc, a_link_itself_goes_its_target_stays);
    tcase_add_test(tc, what_is_gone_is_no_error);
    tcase_add_test(tc, a_file_in_the_way_is_named);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
