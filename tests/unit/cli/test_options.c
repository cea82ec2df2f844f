/* test_options.c: the tables of options and commands hold together, and a command line is taken or refused as it says. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "mountbench/parse.h"

START_TEST(every_option_is_once_and_has_help)
{
    size_t n;
    const struct mb_option *o = mb_options(&n);

    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(o[i].help != NULL && strlen(o[i].help) > 10, "--%s has no help", o[i].name);
        ck_assert_msg((o[i].argument == NULL) == (o[i].type == MB_OPTION_FLAG), "--%s: a flag has no argument", o[i].name);
        for (size_t j = i + 1; j < n; j++) {
            ck_assert_str_ne(o[i].name, o[j].name);
            ck_assert_msg(o[i].letter == 0 || o[i].letter != o[j].letter, "-%c is two options", o[i].letter);
        }
    }
}
END_TEST

START_TEST(every_command_names_options_that_exist)
{
    size_t n;
    const struct mb_option *o = mb_options(&n);

    for (const struct mb_command *const *c = mb_commands(); *c != NULL; c++) {
        ck_assert_ptr_nonnull((*c)->run);
        ck_assert_msg((*c)->summary != NULL && strlen((*c)->summary) > 10, "%s has no summary", (*c)->name);
        for (const char *const *name = (*c)->options; *name != NULL; name++) {
            size_t i = 0;
            while (i < n && strcmp(o[i].name, *name) != 0)
                i++;
            ck_assert_msg(i < n, "%s takes --%s, which is no option", (*c)->name, *name);
        }
    }
}
END_TEST

START_TEST(every_option_is_taken_by_a_command)
{
    size_t n;
    const struct mb_option *o = mb_options(&n);

    for (size_t i = 0; i < n; i++) {
        bool taken = false;
        for (const struct mb_command *const *c = mb_commands(); *c != NULL; c++) {
            for (const char *const *name = (*c)->options; *name != NULL; name++)
                taken = taken || strcmp(o[i].name, *name) == 0;
        }
        ck_assert_msg(taken, "no command takes --%s", o[i].name);
    }
}
END_TEST

START_TEST(every_default_parses)
{
    size_t n;
    const struct mb_option *o = mb_options(&n);
    uint64_t number;
    double percent;

    for (size_t i = 0; i < n; i++) {
        if (o[i].fallback == NULL)
            continue;
        if (o[i].type == MB_OPTION_COUNT || o[i].type == MB_OPTION_SEED)
            ck_assert_int_eq(mb_parse_u64(o[i].fallback, 0, UINT64_MAX, &number, NULL), 0);
        else if (o[i].type == MB_OPTION_DURATION)
            ck_assert_int_eq(mb_parse_duration(o[i].fallback, &number, NULL), 0);
        else if (o[i].type == MB_OPTION_PERCENT)
            ck_assert_int_eq(mb_parse_percent(o[i].fallback, &percent, NULL), 0);
    }
}
END_TEST

START_TEST(help_fits_80_columns)
{
    for (const struct mb_command *const *c = mb_commands(); *c != NULL; c++) {
        MB_AUTO_BUFFER text = MB_BUFFER_INIT(65536);
        mb_help_command(*c, &text);
        const char *line = mb_buffer_text(&text);
        while (*line != '\0') {
            size_t n = strcspn(line, "\n");
            /* A details paragraph may run a little over; a terminal wraps it. */
            ck_assert_msg(n <= 100, "%s: %.*s", (*c)->name, (int)n, line);
            line += n + (line[n] == '\n');
        }
    }
}
END_TEST

static const struct {
    const char *name;
    const char *words[6];
    const char *message; /* a part of it; NULL: taken */
} lines[] = {
    {"plain", {"quick"}, NULL},
    {"value apart", {"--rounds", "3"}, NULL},
    {"value joined", {"--rounds=3", "-m", "bind*"}, NULL},
    {"short joined", {"-r3"}, NULL},
    {"repeated", {"-m", "a", "-m", "b"}, NULL},
    {"after the end of options", {"--", "--quick"}, NULL},
    {"unknown", {"--round", "3"}, "did you mean '--rounds'?"},
    {"far from any", {"--zzzzzz"}, "unknown option '--zzzzzz'"},
    {"another command's", {"--fail-above", "3"}, "'run' takes no option '--fail-above'"},
    {"no value", {"--rounds"}, "--rounds wants a value"},
    {"twice", {"--rounds", "1", "--rounds", "2"}, "--rounds is given twice"},
    {"not a number", {"--rounds", "many"}, "--rounds"},
    {"negative", {"--rounds", "-1"}, "--rounds"},
    {"flag with a value", {"--quiet=yes"}, "--quiet takes no value"},
    {"duration without unit", {"--timeout", "5"}, "--timeout"},
    {"empty", {"--output", ""}, "--output: the value is empty"},
    {"two operands", {"quick", "full"}, "'full' is one too many"},
};

START_TEST(command_lines)
{
    struct mb_error err = {0};
    struct mb_args *args;
    int argc = 0;

    while (argc < 6 && lines[_i].words[argc] != NULL)
        argc++;
    char *argv[6];
    for (int i = 0; i < argc; i++)
        argv[i] = strdup(lines[_i].words[i]);
    int rc = mb_args_parse(&mb_cmd_run, argc, argv, &args, &err);
    if (lines[_i].message == NULL) {
        ck_assert_msg(rc == 0, "%s: %s", lines[_i].name, err.message);
        mb_args_free(args);
    } else {
        ck_assert_msg(rc == -1, "%s was taken", lines[_i].name);
        ck_assert_msg(strstr(err.message, lines[_i].message) != NULL, "%s: %s", lines[_i].name, err.message);
        ck_assert_int_eq(mb_error_exit_status(&err), 2);
    }
    for (int i = 0; i < argc; i++)
        free(argv[i]);
}
END_TEST

START_TEST(values_and_the_line_again)
{
    char *argv[] = {strdup("my matrix"), strdup("--rounds"), strdup("3"),   strdup("-m"),
                    strdup("bind*"),     strdup("-m"),       strdup("it's")};
    struct mb_error err = {0};
    struct mb_args *args;
    size_t n;

    ck_assert_int_eq(mb_args_parse(&mb_cmd_run, 7, argv, &args, &err), 0);
    ck_assert_uint_eq(mb_args_count(args, "rounds", 9), 3);
    ck_assert_uint_eq(mb_args_count(args, "warmup", 9), 9);
    ck_assert_str_eq(mb_args_all(args, "mount")[1], "it's");
    ck_assert_ptr_null(mb_args_all(args, "mount")[2]);
    ck_assert_ptr_null(mb_args_all(args, "workload"));
    ck_assert_str_eq(mb_args_operands(args, &n)[0], "my matrix");
    ck_assert_uint_eq(n, 1);
    ck_assert_str_eq(mb_args_line(args), "mountbench run 'my matrix' --rounds 3 -m 'bind*' -m 'it'\\''s'");
    mb_args_free(args);
    for (size_t i = 0; i < 7; i++)
        free(argv[i]);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("cli options");
    TCase *tc = tcase_create("options");

    tcase_add_test(tc, every_option_is_once_and_has_help);
    tcase_add_test(tc, every_command_names_options_that_exist);
    tcase_add_test(tc, every_option_is_taken_by_a_command);
    tcase_add_test(tc, every_default_parses);
    tcase_add_test(tc, help_fits_80_columns);
    tcase_add_loop_test(tc, command_lines, 0, (int)(sizeof lines / sizeof lines[0]));
    tcase_add_test(tc, values_and_the_line_again);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
