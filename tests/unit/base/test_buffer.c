/* buffer.h: growth up to the ceiling and not a byte beyond. */
#include "mountbench/buffer.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

START_TEST(empty)
{
    MB_AUTO_BUFFER b = MB_BUFFER_INIT(10);
    ck_assert_str_eq(mb_buffer_text(&b), "");
    mb_buffer_reset(&b);
    mb_buffer_consume(&b, 0);
    char *text = mb_buffer_steal(&b);
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

START_TEST(appends)
{
    MB_AUTO_BUFFER b = MB_BUFFER_INIT(1000);
    ck_assert_int_eq(mb_buffer_puts(&b, "ab"), 0);
    ck_assert_int_eq(mb_buffer_putc(&b, 'c'), 0);
    ck_assert_int_eq(mb_buffer_append(&b, "de\0f", 4), 0);
    ck_assert_int_eq(mb_buffer_append(&b, NULL, 0), 0);
    ck_assert_int_eq(mb_buffer_printf(&b, "%d-%s", 42, "x"), 0);
    ck_assert_uint_eq(b.len, 11);
    ck_assert_mem_eq(b.data, "abcde\0f42-x", 12);
}
END_TEST

START_TEST(ceiling)
{
    MB_AUTO_BUFFER b = MB_BUFFER_INIT(5);
    ck_assert_int_eq(mb_buffer_puts(&b, "12345"), 0);
    ck_assert(!b.overflowed);
    ck_assert_int_eq(mb_buffer_putc(&b, '6'), -1);
    ck_assert(b.overflowed);
    ck_assert_str_eq(mb_buffer_text(&b), "12345");
    /* Sticky, so that many appends can be checked at once. */
    mb_buffer_consume(&b, 5);
    ck_assert_int_eq(mb_buffer_puts(&b, "1"), 0);
    ck_assert(b.overflowed);
    mb_buffer_reset(&b);
    ck_assert(!b.overflowed);
    ck_assert_int_eq(mb_buffer_printf(&b, "%s", "123456"), -1);
    ck_assert(b.overflowed);
    ck_assert_uint_eq(b.len, 0);
    ck_assert_int_eq(mb_buffer_append(&b, "x", SIZE_MAX), -1);
}
END_TEST

START_TEST(grows_far)
{
    MB_AUTO_BUFFER b = MB_BUFFER_INIT(1u << 20);
    size_t n = 0;
    while (mb_buffer_puts(&b, "seven b") == 0)
        n += 7;
    ck_assert_uint_eq(b.len, n);
    ck_assert_uint_le(b.len, 1u << 20);
    ck_assert_uint_gt(b.len + 7, 1u << 20);
}
END_TEST

START_TEST(consume_and_steal)
{
    MB_AUTO_BUFFER b = MB_BUFFER_INIT(100);
    mb_buffer_puts(&b, "line one\nrest");
    mb_buffer_consume(&b, 9);
    ck_assert_str_eq(mb_buffer_text(&b), "rest");
    char *text = mb_buffer_steal(&b);
    ck_assert_str_eq(text, "rest");
    free(text);
    ck_assert_uint_eq(b.len, 0);
    ck_assert_int_eq(mb_buffer_puts(&b, "again"), 0);
    ck_assert_str_eq(mb_buffer_text(&b), "again");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("buffer");
    TCase *tcase = tcase_create("buffer");
    tcase_add_test(tcase, empty);
    tcase_add_test(tcase, appends);
    tcase_add_test(tcase, ceiling);
    tcase_add_test(tcase, grows_far);
    tcase_add_test(tcase, consume_and_steal);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
