/*
 * Every format against files that a person has looked at: tests/golden/report/NAME.jsonl is the input, NAME.FORMAT... the output.
 * MB_UPDATE_GOLDEN=1 writes them anew; look at the difference before it is committed.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/file.h"
#include "mountbench/report.h"

#define FOLDER "tests/golden/report/"

static const char *const inputs[] = {"quick", "two-engines", "engine-rows", "hostile", "one", "nothing", "sides"};

static const struct {
    const char *suffix;
    struct mb_report_options options;
} outputs[] = {
    {"80.txt", {.format = "terminal", .width = 80}},
    {"200.txt", {.format = "terminal", .width = 200, .details = true}},
    {"ascii.txt", {.format = "terminal", .width = 100, .ascii = true}},
    {"colour.txt", {.format = "terminal", .width = 80, .colour = true}},
    {"md", {.format = "markdown", .details = true}},
    {"adoc", {.format = "asciidoc"}},
    {"csv", {.format = "csv"}},
    {"summary.csv", {.format = "csv", .summary = true}},
    {"json", {.format = "json"}},
    {"svg", {.format = "svg"}},
    {"html", {.format = "html", .command = "mountbench report -f html FILE"}},
    {"bench", {.format = "benchstat"}},
    {"hyperfine.json", {.format = "hyperfine"}},
    {"bigger.json", {.format = "github-action-bigger"}},
    {"smaller.json", {.format = "github-action-smaller"}},
};

#define OUTPUTS (sizeof outputs / sizeof outputs[0])

static void
read_file(const char *path, struct mb_buffer *out)
{
    char bytes[4096];
    size_t n;
    FILE *f = fopen(path, "rb");

    ck_assert_msg(f != NULL, "%s is missing: make it with MB_UPDATE_GOLDEN=1", path);
    while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
        mb_buffer_append(out, bytes, n);
    fclose(f);
}

/* The first line in which the two differ. */
static void
fail_at_difference(const char *path, const char *expected, const char *got)
{
    unsigned line = 1;

    while (*expected != '\0' && *expected == *got) {
        line += *expected == '\n';
        expected++;
        got++;
    }
    ck_abort_msg("%s:%u: expected '%.60s', got '%.60s'", path, line, expected, got);
}

START_TEST(golden)
{
    const char *input = inputs[_i / (int)OUTPUTS];
    size_t which = (size_t)_i % OUTPUTS;
    char from[128], to[128];
    const char *file = from;
    struct mb_results *results;
    struct mb_error err = {0};
    MB_AUTO_BUFFER got = MB_BUFFER_INIT(MB_REPORT_MAX_BYTES);
    MB_AUTO_BUFFER expected = MB_BUFFER_INIT(MB_REPORT_MAX_BYTES);

    snprintf(from, sizeof from, FOLDER "%s.jsonl", input);
    snprintf(to, sizeof to, FOLDER "%s.%s", input, outputs[which].suffix);
    ck_assert_msg(mb_results_read(&file, 1, &results, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_report_render(results, &outputs[which].options, &got, &err) == 0, "%s", err.message);
    mb_results_free(results);
    if (getenv("MB_UPDATE_GOLDEN") != NULL)
        ck_assert_msg(mb_file_replace(to, mb_buffer_text(&got), got.len, &err) == 0, "%s", err.message);
    read_file(to, &expected);
    if (strcmp(mb_buffer_text(&expected), mb_buffer_text(&got)) != 0)
        fail_at_difference(to, mb_buffer_text(&expected), mb_buffer_text(&got));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("golden");
    TCase *tcase = tcase_create("golden");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, golden, 0, (int)(OUTPUTS * (sizeof inputs / sizeof inputs[0])));
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
