/* The fuzzer's entry over its corpus and the presets: whole, cut short, and with bytes changed by a fixed generator. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/read.h"
#include "mountbench/plan.h"

#include "fuzz/fuzz_matrix.c"

#define CHANGED_EACH 80

static void
cut_short(const struct mb_buffer *text)
{
    size_t step = text->len / 100 + 1;

    for (size_t n = 0; n < text->len; n += step)
        LLVMFuzzerTestOneInput((const unsigned char *)text->data, n);
}

/* Bytes replaced by what has a meaning in YAML, lines repeated or dropped. */
static void
change(const struct mb_buffer *text, uint64_t seed)
{
    static const char bytes[] = "\n :-[]{},&*#?|>'\"%@`!<~$0a\t\\";
    uint64_t state = seed;
    struct mb_buffer copy = MB_BUFFER_INIT(MB_MATRIX_FILE_MAX);

    mb_buffer_append(&copy, text->data, text->len);
    for (uint64_t i = mb_random_below(&state, 6) + 1; i > 0 && copy.len > 0; i--)
        copy.data[mb_random_below(&state, copy.len)] = bytes[mb_random_below(&state, sizeof bytes - 1)];
    mb_buffer_append(&copy, text->data, (size_t)mb_random_below(&state, text->len));
    LLVMFuzzerTestOneInput((const unsigned char *)copy.data, mb_random_below(&state, 2) ? text->len : copy.len);
    mb_buffer_free(&copy);
}

static size_t
run_directory(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    size_t count = 0;

    ck_assert_msg(dir != NULL, "%s", path);
    while ((entry = readdir(dir)) != NULL) {
        char file[512];
        MB_AUTO_BUFFER text = MB_BUFFER_INIT(MB_MATRIX_FILE_MAX);
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (strstr(entry->d_name, ".yaml") == NULL)
            continue;
        ck_assert_int_eq(mb_matrix_read(file, &text, NULL), 0);
        LLVMFuzzerTestOneInput((const unsigned char *)text.data, text.len);
        cut_short(&text);
        for (uint64_t seed = 0; seed < CHANGED_EACH; seed++)
            change(&text, seed);
        count++;
    }
    closedir(dir);
    return count;
}

START_TEST(corpus)
{
    ck_assert_uint_ge(run_directory("tests/fuzz/corpus/matrix"), 8);
}
END_TEST

START_TEST(presets)
{
    ck_assert_uint_ge(run_directory("matrix"), 2);
}
END_TEST

/* Every preset loads as it is, with nothing set in the environment that it could need. */
START_TEST(presets_load)
{
    DIR *dir = opendir("matrix");
    struct dirent *entry;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)) != NULL) {
        char file[512];
        struct mb_error err = {0};
        struct mb_matrix *m = NULL;
        snprintf(file, sizeof file, "matrix/%s", entry->d_name);
        if (strstr(entry->d_name, ".yaml") == NULL)
            continue;
        ck_assert_msg(mb_matrix_load(file, NULL, &m, &err) == 0, "%s", err.message);
        ck_assert_int_eq(strncmp(entry->d_name, m->name, strlen(m->name)), 0);
        mb_matrix_free(m);
    }
    closedir(dir);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("matrix corpus");
    TCase *tcase = tcase_create("corpus");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, corpus);
    tcase_add_test(tcase, presets);
    tcase_add_test(tcase, presets_load);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
