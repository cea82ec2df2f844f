/* docs/matrix.md: every example loads, and every key is there. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/load.h"
#include "matrix/read.h"

static void
read_docs(struct mb_buffer *text)
{
    struct mb_error err = {0};

    ck_assert_msg(mb_matrix_read("docs/matrix.md", text, &err) == 0, "%s", err.message);
}

/* An example may show some keys alone; the axes that it lacks are put behind it. */
static void
load_example(const char *example, size_t len)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(100000);
    struct mb_error err = {0};
    struct mb_matrix *m;

    mb_buffer_append(&text, example, len);
    if (strstr(mb_buffer_text(&text), "\nmounts:") == NULL && strncmp(mb_buffer_text(&text), "mounts:", 7) != 0)
        mb_buffer_puts(&text, "mounts: [layer]\n");
    if (strstr(mb_buffer_text(&text), "\nworkloads:") == NULL && strncmp(mb_buffer_text(&text), "workloads:", 10) != 0)
        mb_buffer_puts(&text, "workloads: [commit]\n");
    int status = mb_matrix_parse("example.yaml", mb_buffer_text(&text), text.len, NULL, &m, &err);
    ck_assert_msg(status == 0, "%s in:\n%s", err.message, mb_buffer_text(&text));
    mb_matrix_free(m);
}

START_TEST(examples_load)
{
    static const char open[] = "```yaml\n";
    MB_AUTO_BUFFER docs = MB_BUFFER_INIT(MB_MATRIX_FILE_MAX);
    size_t count = 0;

    read_docs(&docs);
    for (const char *p = strstr(docs.data, open); p != NULL; p = strstr(p, open)) {
        p += strlen(open);
        const char *end = strstr(p, "```");
        ck_assert_ptr_nonnull(end);
        load_example(p, (size_t)(end - p));
        p = end;
        count++;
    }
    ck_assert_uint_ge(count, 10);
}
END_TEST

/* The keys are what the loader offers when it is given one that it does not know. */
static void
keys_are_told(const char *docs, const char *matrix)
{
    struct mb_error err = {0};
    struct mb_matrix *m;

    ck_assert_int_eq(mb_matrix_parse("m.yaml", matrix, strlen(matrix), NULL, &m, &err), -1);
    char *list = strstr(err.message, "(there are ");
    ck_assert_msg(list != NULL, "%s", err.message);
    for (char *key = strtok(list + strlen("(there are "), ", )"); key != NULL; key = strtok(NULL, ", )")) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "`%s`", key);
        ck_assert_msg(strstr(docs, quoted) != NULL, "docs/matrix.md does not speak of %s", quoted);
    }
}

START_TEST(keys)
{
    static const char *const matrices[] = {
        "zzzzzzzzzzzz: 1\n",
        "mounts: [{zzzzzzzzzzzz: 1}]\nworkloads: [commit]\n",
        "mounts: [zzzzzzzzzzzz]\nworkloads: [commit]\n",
        "mounts: [layer]\nworkloads: [commit]\nengines: [{zzzzzzzzzzzz: 1}]\n",
        "mounts: [layer]\nworkloads: [commit]\nexclude: [{zzzzzzzzzzzz: 1}]\n",
        "mounts: [layer]\nworkloads: [commit]\nrounds: {zzzzzzzzzzzz: 1}\n",
        "mounts: [{type: bind, consistency: zzzzzzzzzzzz}]\nworkloads: [commit]\n",
        "mounts: [layer]\nworkloads: [{type: exec, zzzzzzzzzzzz: 1}]\n",
        "mounts: [{type: bind, isolation: zzzzzzzzzzzz}]\nworkloads: [commit]\n",
    };
    MB_AUTO_BUFFER docs = MB_BUFFER_INIT(MB_MATRIX_FILE_MAX);

    read_docs(&docs);
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++)
        keys_are_told(docs.data, matrices[i]);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("matrix docs");
    TCase *tcase = tcase_create("docs");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, examples_load);
    tcase_add_test(tcase, keys);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
