/* test_json_edit.c: one member changes, every other byte stays. */
#include <check.h>
#include <string.h>

#include "provider/json_edit.h"

static const struct {
    const char *text, *key, *value, *result;
} edits[] = {
    {"{\"A\": true, \"B\": 1}", "A", "false", "{\"A\": false, \"B\": 1}"},
    {"{\n  \"A\" :  true\n}\n", "A", "false", "{\n  \"A\" :  false\n}\n"},
    {"{\"B\": {\"A\": 1}, \"A\": 2}", "A", "3", "{\"B\": {\"A\": 1}, \"A\": 3}"},
    {"{\"B\": \"\\\"A\\\": 1, }\", \"A\": [1, {\"A\": 2}], \"C\": 0}", "A", "null",
     "{\"B\": \"\\\"A\\\": 1, }\", \"A\": null, \"C\": 0}"},
    {"{\"AB\": 1, \"A\": 2}", "A", "3", "{\"AB\": 1, \"A\": 3}"},
    {"\xEF\xBB\xBF{\"A\":1}", "A", "2", "\xEF\xBB\xBF{\"A\":2}"},
    {"{\"B\": 1}", "A", "true", "{\"A\":true,\"B\": 1}"},
    {"{ }", "A", "true", "{\"A\":true }"},
    {"{\"A\":true,\"B\": 1}", "A", NULL, "{\"B\": 1}"},
    {"{\"A\":true }", "A", NULL, "{ }"},
    {"{\"B\": 1, \"A\": true}", "A", NULL, "{\"B\": 1}"},
    {"{\"B\": 1}", "A", NULL, "{\"B\": 1}"},
};

START_TEST(one_member_changes)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(1000);

    ck_assert_int_eq(mb_json_edit(edits[_i].text, edits[_i].key, edits[_i].value, &out), 0);
    ck_assert_str_eq(mb_buffer_text(&out), edits[_i].result);
}
END_TEST

START_TEST(what_is_no_object_or_too_large_is_refused)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(10);

    ck_assert_int_eq(mb_json_edit("[]", "A", "1", &out), -1);
    ck_assert_int_eq(mb_json_edit("{\"A\" 1}", "A", "1", &out), -1);
    ck_assert_int_eq(mb_json_edit("{\"B\": \"much too long\"}", "A", "1", &out), -1);
}
END_TEST

/* Texts that end anywhere are not read beyond. */
START_TEST(cut_texts_end)
{
    static const char text[] = "{\"B\": \"\\\"x\", \"C\": [1, {\"D\": 2}], \"A\": 5}";
    char cut[sizeof text];

    for (size_t n = 0; n < sizeof text; n++) {
        MB_AUTO_BUFFER out = MB_BUFFER_INIT(1000);
        memcpy(cut, text, n);
        cut[n] = '\0';
        mb_json_edit(cut, "A", "1", &out);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("edits of JSON texts");
    TCase *tc = tcase_create("json_edit");

    tcase_add_loop_test(tc, one_member_changes, 0, sizeof edits / sizeof edits[0]);
    tcase_add_test(tc, what_is_no_object_or_too_large_is_refused);
    tcase_add_test(tc, cut_texts_end);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
