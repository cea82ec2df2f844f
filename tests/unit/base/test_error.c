/* error.h: filling, prefixing, truncating, classifying. */
#include "mountbench/error.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

START_TEST(set_and_clear)
{
    struct mb_error err = {.http_status = 404};
    ck_assert_int_eq(mb_error_set(&err, MB_ECONFIG, "%s:%d: no", "a.yaml", 3), -1);
    ck_assert_int_eq(err.code, MB_ECONFIG);
    ck_assert_int_eq(err.http_status, 0);
    ck_assert_str_eq(err.message, "a.yaml:3: no");
    mb_error_clear(&err);
    ck_assert_int_eq(err.code, MB_OK);
    ck_assert_str_eq(err.message, "");
}
END_TEST

START_TEST(null_is_allowed)
{
    ck_assert_int_eq(mb_error_set(NULL, MB_EIO, "x"), -1);
    ck_assert_int_eq(mb_error_errno(NULL, MB_EIO, ENOENT, "x"), -1);
    ck_assert_int_eq(mb_error_prefix(NULL, "x"), -1);
}
END_TEST

START_TEST(system_text)
{
    struct mb_error err = {0};
    mb_error_errno(&err, MB_EIO, ENOENT, "open '%s'", "f");
    ck_assert_str_eq(err.message, "open 'f': No such file or directory");
}
END_TEST

START_TEST(prefix_keeps_code_and_status)
{
    struct mb_error err = {0};
    mb_error_set(&err, MB_EENGINE, "no such volume");
    err.http_status = 404;
    ck_assert_int_eq(mb_error_prefix(&err, "cell %d", 7), -1);
    ck_assert_str_eq(err.message, "cell 7: no such volume");
    ck_assert_int_eq(err.code, MB_EENGINE);
    ck_assert_int_eq(err.http_status, 404);
}
END_TEST

START_TEST(too_long_is_marked)
{
    struct mb_error err = {0};
    char text[4000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    mb_error_set(&err, MB_EIO, "%s", text);
    ck_assert_uint_eq(strlen(err.message), sizeof err.message - 1);
    ck_assert_str_eq(err.message + strlen(err.message) - 4, "x...");
    mb_error_prefix(&err, "%s", "place");
    ck_assert_int_eq(strncmp(err.message, "place: xxx", 10), 0);
    ck_assert_str_eq(err.message + strlen(err.message) - 4, "x...");
    mb_error_errno(&err, MB_EIO, ENOENT, "%s", text);
    ck_assert_uint_eq(strlen(err.message), sizeof err.message - 1);
}
END_TEST

START_TEST(exit_statuses)
{
    static const struct {
        enum mb_error_code code;
        int status;
    } cases[] = {
        {MB_OK, 0},       {MB_EUSAGE, 2},    {MB_ECONFIG, 2},      {MB_ENOENGINE, 3}, {MB_EENGINE, 1}, {MB_EGONE, 1},
        {MB_ETIMEOUT, 1}, {MB_EPROTOCOL, 1}, {MB_EINTERRUPT, 130}, {MB_EIO, 1},       {MB_EABOVE, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mb_error err = {.code = cases[i].code};
        ck_assert_int_eq(mb_error_exit_status(&err), cases[i].status);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("error");
    TCase *tcase = tcase_create("error");
    tcase_add_test(tcase, set_and_clear);
    tcase_add_test(tcase, null_is_allowed);
    tcase_add_test(tcase, system_text);
    tcase_add_test(tcase, prefix_keeps_code_and_status);
    tcase_add_test(tcase, too_long_is_marked);
    tcase_add_test(tcase, exit_statuses);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
