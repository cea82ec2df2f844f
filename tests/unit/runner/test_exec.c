/* test_exec.c: numbers out of what commands print, what is refused in an exec workload, and directories as archives. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "matrix/load.h"
#include "runner/exec.h"
#include "runner/tar.h"
#include "support/engines.h"

#define HEAD "mounts: [layer]\nworkloads:\n  - {type: exec, "

static int
load(const char *keys, struct mb_matrix **m, struct mb_error *err)
{
    char text[4096];

    snprintf(text, sizeof text, HEAD "%s}\n", keys);
    return mb_matrix_parse("m.yaml", text, strlen(text), NULL, m, err);
}

static const struct {
    const char *pattern, *text;
    double value;
    const char *message; /* NULL: value is what comes */
} picks[] = {
    {"([0-9.]+) requests", "x\n 12.5 requests/s\n", 12.5, NULL},
    {"^([0-9]+) bytes", "1+0 records in\n1048576 bytes (1.0 MB)\n", 1048576, NULL},
    {"= ([-+.0-9eE]+)$", "a = -1.5e3\n", -1500, NULL},
    {"^n: ([0-9]+)$", "n: 1\n", 1, NULL},
    {"([0-9]+)", "", 0, "matches nothing in what the command printed, which ends: (nothing at all)"},
    {"([0-9]+) x", "no such\n", 0, "matches nothing in what the command printed, which ends: no such"},
    {"^n: ([0-9]+)$", "n: 1\nn: 2\n", 0, "matches twice, '1' and '2'"},
    {"([0-9]+)", "1 2", 0, "matches twice, '1' and '2'"},
    {"is (.*)", "is 1,5", 0, "matches '1,5', which is no number"},
    {"is (.*)", "is ", 0, "matches '', which is no number"},
    {"is (.*)", "is 1e999", 0, "which is no number"},
    {"is (.*)", "is nan", 0, "which is no number"},
    {"is(x)?", "is", 0, "matches nothing"},
};

START_TEST(numbers_are_picked)
{
    struct mb_exec_spec spec = {.metric_count = 1};
    struct mb_error err = {0};
    double value = 0;

    spec.metrics[0] = (struct mb_metric_spec){.name = strdup("m"), .pattern = strdup(picks[_i].pattern)};
    int rc = mb_exec_pick(&spec, picks[_i].text, &value, &err);
    ck_assert_msg((rc == 0) == (picks[_i].message == NULL), "%s", err.message);
    if (rc == 0)
        ck_assert_double_eq(value, picks[_i].value);
    else
        ck_assert_msg(strstr(err.message, picks[_i].message) != NULL, "%s", err.message);
    free(spec.metrics[0].name);
    free(spec.metrics[0].pattern);
}
END_TEST

#define OK "image: i, command: [c], "

static const char *const refusals[][2] = {
    {"image: i", "m.yaml:3: workloads[0]: a workload of type 'exec' needs 'command'"},
    {"command: [c]", "needs 'image' or 'build': what to run the command in"},
    {"command: [c], image: i, build: d", "needs 'image' or 'build', and not both"},
    {"command: c, image: i", "workloads[0].command: a list of the program and its arguments is wanted"},
    {"command: [], image: i", "workloads[0].command: "},
    {"command: [c], image: i, shell: true", "workloads[0].command: with 'shell: true' a text is wanted"},
    {"command: [c], build: d, pull: true", "workloads[0].pull: what is built is not pulled"},
    {OK "pull: never", "workloads[0].pull: "},
    {OK "comand: [c]", "unknown key 'comand' (did you mean 'command'?)"},
    {OK "environment: [A=b]", "workloads[0].environment: "},
    {OK "environment: {\"A=B\": c}", "a variable's name is not empty and has no '='"},
    {OK "metrics: [{name: m}]", "workloads[0].metrics[0]: 'pattern' is missing"},
    {OK "metrics: [{name: m, pattern: \"(\"}]", "workloads[0].metrics[0].pattern: '(' is no POSIX extended regular expression: "},
    {OK "metrics: [{name: m, pattern: x}]", "'x' has 0 groups, and one is wanted"},
    {OK "metrics: [{name: m, pattern: \"(a)(b)\"}]", "has 2 groups, and one is wanted"},
    {OK "metrics: [{name: m, pattern: \"(a)\"}, {name: m, pattern: \"(b)\"}]", "there is a metric 'm' already"},
    {OK "ops: m", "workloads[0].ops: 'm' is no metric: 'metrics' says how to find it"},
    {OK "bytes: copid, metrics: [{name: copied, pattern: \"(a)\"}]", "unknown metric 'copid' (did you mean 'copied'?)"},
    {OK "bytes: m, ops: m, metrics: [{name: m, pattern: \"(a)\"}]", "'ops' and 'bytes' together"},
};

START_TEST(wrong_keys_are_refused)
{
    struct mb_error err = {0};
    struct mb_matrix *m = NULL;

    ck_assert_int_eq(load(refusals[_i][0], &m, &err), -1);
    ck_assert_int_eq(mb_error_exit_status(&err), 2);
    ck_assert_msg(strstr(err.message, refusals[_i][1]) != NULL, "%s", err.message);
}
END_TEST

START_TEST(a_word_or_too_long_a_script_is_refused)
{
    static const char word[] = "mounts: [layer]\nworkloads: [exec]\n";
    struct mb_error err = {0};
    struct mb_matrix *m = NULL;
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(16384);

    ck_assert_int_eq(mb_matrix_parse("m.yaml", word, strlen(word), NULL, &m, &err), -1);
    ck_assert_msg(strstr(err.message, "a workload of type 'exec' needs 'command': write it as a map") != NULL, "%s", err.message);
    mb_buffer_puts(&text, HEAD "image: i, shell: true, command: \"");
    for (int i = 0; i < 5000; i++)
        mb_buffer_putc(&text, 'x');
    mb_buffer_puts(&text, "\"}\n");
    ck_assert_int_eq(mb_matrix_parse("m.yaml", text.data, text.len, NULL, &m, &err), -1);
    ck_assert_msg(strstr(err.message, "4096 are the limit") != NULL, "%s", err.message);
}
END_TEST

START_TEST(keys_are_loaded)
{
    struct mb_error err = {0};
    struct mb_matrix *m = NULL;

    ck_assert_msg(load("name: w, image: i, pull: missing, network: true, command: [a, \"b c\"], setup: [s], environment: {A: b}, "
                       "working_dir: /w, metrics: [{name: n, pattern: \"(x)\"}], ops: n, timeout: 5s",
                       &m, &err) == 0,
                  "%s", err.message);
    const struct mb_exec_spec *e = m->workloads[0].exec;
    ck_assert_str_eq(e->command[1], "b c");
    ck_assert_ptr_null(e->command[2]);
    ck_assert_str_eq(e->setup[0], "s");
    ck_assert_ptr_null(e->cleanup);
    ck_assert_str_eq(e->environment[0], "A=b");
    ck_assert_int_eq(e->pull, MB_PULL_MISSING);
    ck_assert(e->network);
    ck_assert_int_eq(mb_workload_measure(&m->workloads[0]), MB_MEASURE_OPS_PER_SECOND);
    ck_assert_str_eq(mb_workload_unit(&m->workloads[0]), "n");
    mb_matrix_free(m);
    ck_assert_msg(load("image: i, shell: true, command: \"a | b\"", &m, &err) == 0, "%s", err.message);
    ck_assert_str_eq(m->workloads[0].exec->command[2], "a | b");
    ck_assert_int_eq(mb_workload_measure(&m->workloads[0]), MB_MEASURE_SECONDS);
    mb_matrix_free(m);
}
END_TEST

START_TEST(images_are_shared)
{
    static const char text[] = "mounts: [layer]\nworkloads:\n"
                               "  - commit\n"
                               "  - {name: a, type: exec, image: i, command: [a]}\n"
                               "  - {name: b, type: exec, build: d, command: [a]}\n"
                               "  - {name: c, type: exec, image: i, command: [c]}\n"
                               "  - {name: d, type: exec, image: i, network: true, command: [c]}\n";
    static const size_t numbers[] = {0, 1, 2, 1, 3};
    struct mb_error err = {0};
    struct mb_matrix *m = NULL;

    ck_assert_msg(mb_matrix_parse("m.yaml", text, strlen(text), NULL, &m, &err) == 0, "%s", err.message);
    ck_assert_uint_eq(mb_exec_count(m), 4);
    for (size_t i = 0; i < 5; i++)
        ck_assert_uint_eq(mb_exec_number(m, i), numbers[i]);
    mb_matrix_free(m);
}
END_TEST

/* The system's tar reads back what was there, long names, links and modes included. */
START_TEST(directories_are_archived)
{
    static const char make[] = "cd '%s' && mkdir -p in/$(printf 'd%%.0s' $(seq 60))/$(printf 'e%%.0s' $(seq 60)) && "
                               "for d in in in/d*/ in/d*/e*/; do seq 999 >$d/f; chmod 755 $d/f; ln -s f $d/l; : >$d/empty; done";
    static const char compare[] = "cd '%s' && mkdir out && tar -C out -xf t.tar && diff -r in out && [ -x out/f ] && [ -L out/l ]";
    char dir[128], command[1024], path[256];
    MB_AUTO_BUFFER tar = MB_BUFFER_INIT(1 << 20);
    MB_AUTO_BUFFER small = MB_BUFFER_INIT(2048);
    struct mb_error err = {0};

    mb_test_dir(dir, sizeof dir);
    snprintf(command, sizeof command, make, dir);
    ck_assert_int_eq(mb_test_run((const char *const[]){"sh", "-c", command, NULL}), 0);
    snprintf(path, sizeof path, "%s/in", dir);
    ck_assert_msg(mb_tar_directory(path, &tar, &err) == 0, "%s", err.message);
    ck_assert_int_eq(mb_tar_directory(path, &small, &err), -1);
    ck_assert_msg(strstr(err.message, "more than 2048 bytes") != NULL || strstr(err.message, "larger than 2048") != NULL, "%s",
                  err.message);
    snprintf(path, sizeof path, "%s/t.tar", dir);
    FILE *f = fopen(path, "w");
    ck_assert_uint_eq(fwrite(tar.data, 1, tar.len, f), tar.len);
    fclose(f);
    snprintf(command, sizeof command, compare, dir);
    ck_assert_int_eq(mb_test_run((const char *const[]){"sh", "-c", command, NULL}), 0);
    mb_test_remove(dir);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("runner exec");
    TCase *tc = tcase_create("exec");

    tcase_add_loop_test(tc, numbers_are_picked, 0, (int)(sizeof picks / sizeof picks[0]));
    tcase_add_loop_test(tc, wrong_keys_are_refused, 0, (int)(sizeof refusals / sizeof refusals[0]));
    tcase_add_test(tc, a_word_or_too_long_a_script_is_refused);
    tcase_add_test(tc, keys_are_loaded);
    tcase_add_test(tc, images_are_shared);
    tcase_add_test(tc, directories_are_archived);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
