/*
 * test_published.c: every figure that the four articles print, held against their trials; and files that are wrong.
 *
 * A figure is either reproduced to its last digit or named below, with the reason that the program must give for it.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/published.h"

struct exception {
    const char *text, *reason;
};

/* The articles: how many figures each prints, and which of them its trials do not give. */
static const struct article {
    const char *name;
    size_t figures;
    struct exception exceptions[12];
} articles[] = {
    {"rancher-desktop-settings", 63, {{"10", "the means give 7.03; single trials give 4.37 to 9.31"}}},
    {"docker-desktop-4.6", 32, {{"98", "another publication's figure"}}},
    {"disk-image-format",
     10,
     {{"15.71 sec.", "a mean over 10 trials, none of which"},
      {"14.98 sec.", "a mean over 10 trials, none of which"},
      {"53.43 sec.", "a mean over 10 trials, none of which"},
      {"17.47 sec.", "a mean over 10 trials, none of which"},
      {"73.13 sec.", "a mean over 10 trials, none of which"},
      {"79.96 sec.", "a mean over 10 trials, none of which"},
      {"0.08", "a test over 10 trials, none of which"},
      {"0.00", "a test over 10 trials, none of which"},
      {"0.09", "a test over 10 trials, none of which"},
      {"2", "another publication's figure"}}},
    {"nfs-2018", 15, {{"10", "another publication's figure"}}},
};
#define ARTICLES (sizeof articles / sizeof articles[0])

static struct mb_published *
load(const char *name)
{
    struct mb_error err = {0};
    struct mb_published *published;
    char *path;

    ck_assert_msg(mb_published_find(name, &path, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_published_load(path, &published, &err) == 0, "%s", err.message);
    free(path);
    return published;
}

START_TEST(every_printed_figure)
{
    const struct article *article = &articles[_i];
    struct mb_published *published = load(article->name);
    const struct exception *next = article->exceptions;
    size_t n;
    const struct mb_published_figure *figures = mb_published_figures(published, &n);

    ck_assert_uint_eq(n, article->figures);
    for (size_t i = 0; i < n; i++) {
        const struct mb_published_figure *f = &figures[i];
        if (f->reproduced) {
            ck_assert_str_eq(f->reason, "");
            if (strcmp(f->what, "ratio") != 0)
                ck_assert_str_eq(f->derived, f->text);
            continue;
        }
        ck_assert_msg(next->text != NULL, "%s, %s, %s: printed %s, derived %s", f->table, f->row, f->column, f->text, f->derived);
        ck_assert_str_eq(f->text, next->text);
        ck_assert_msg(strncmp(f->reason, next->reason, strlen(next->reason)) == 0, "%s: %s", f->text, f->reason);
        next++;
    }
    ck_assert_ptr_null(next->text);
    mb_published_free(published);
}
END_TEST

START_TEST(all_files_are_listed)
{
    struct mb_error err = {0};
    char **names;
    size_t n;

    ck_assert_int_eq(mb_published_names(&names, &n, &err), 0);
    ck_assert_uint_eq(n, ARTICLES);
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}
END_TEST

static const struct mb_published_layout plain = {.width = 200};

static void
printed(const char *name, struct mb_buffer *out)
{
    struct mb_published *published = load(name);
    mb_published_print(published, &plain, out);
    mb_published_free(published);
}

static void
has(const struct mb_buffer *out, const char *text)
{
    ck_assert_msg(strstr(mb_buffer_text(out), text) != NULL, "no '%s' in:\n%.3000s", text, mb_buffer_text(out));
}

START_TEST(what_a_reader_should_know)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 20);

    printed("rancher-desktop-settings", &out);
    has(&out, "vz / virtiofs                                     0.48             1096.65\n");
    has(&out, "Means are cut to the printed digits, not rounded: that gives 24 of the 24, rounding 16:");
    has(&out, "vz / virtiofs, Write time (s): printed 0.48, rounded 0.49");
    has(&out, "vz / virtiofs: the first trial stands out: 0.68 against 0.41 and 0.37");
    has(&out, "vz / virtiofs: the mean of speeds is 1096.65, all bytes over all time 1023.03");
    has(&out, "Local: a single trial");
    ck_assert_ptr_null(strstr(mb_buffer_text(&out), "QEMU / 9p 128kb: the first trial"));
}
END_TEST

/* ---- files made here ---- */

#define RUN "{\"type\":\"run\",\"schema\":1,\"id\":\"a\",\"matrix\":{\"name\":\"made\"},\"source\":{\"title\":\"Made\"}}\n"
#define CELL(name)                                                                                                                 \
    "{\"type\":\"cell\",\"cell\":\"" name "/bind/w\",\"engine\":\"" name "\",\"mount\":\"bind\",\"workload\":\"w\","               \
    "\"status\":\"ready\",\"kind\":\"seq-write\",\"measure\":\"bytes/s\",\"params\":{\"total\":100}}\n"
#define SAMPLE(name, round, ns)                                                                                                    \
    "{\"type\":\"sample\",\"cell\":\"" name "/bind/w\",\"round\":" #round ",\"order\":0,\"warmup\":false,\"status\":\"ok\","       \
    "\"wall_ns\":" #ns ",\"bytes\":100}\n"
#define END "{\"type\":\"end\",\"status\":\"complete\"}\n"
#define COLUMNS "\"columns\":[{\"name\":\"Time\",\"workload\":\"w\",\"quantity\":\"wall\",\"decimals\":1}]"
#define TABLE(rows)                                                                                                                \
    "{\"type\":\"published-table\",\"table\":\"t\",\"title\":\"T\",\"corner\":\"Row\"," COLUMNS ",\"rows\":[" rows "],"            \
    "\"compare\":[\"Time\"],\"baseline\":{\"name\":\"A\",\"at\":\"a/bind\",\"take\":\"mean\"}}\n"
#define ROW_A "{\"name\":\"A\",\"at\":\"a/bind\",\"take\":\"mean\"}"
#define ROW_B "{\"name\":\"B\",\"at\":\"b/bind\",\"take\":\"mean\",\"like\":[\"lab-*/bind\"],\"needs\":\"B needs a Mac\"}"
#define FIGURE(row, text)                                                                                                          \
    "{\"type\":\"published\",\"table\":\"t\",\"row\":\"" row "\",\"column\":\"Time\",\"what\":\"mean\",\"text\":\"" text "\"}\n"
#define TWO_ROWS                                                                                                                   \
    RUN CELL("a") CELL("b") SAMPLE("a", 1, 1000000000) SAMPLE("a", 2, 1100000000) SAMPLE("b", 1, 2000000000) TABLE(ROW_A "," ROW_B)

static char made[64];

static const char *
write_file(const char *text)
{
    snprintf(made, sizeof made, "/tmp/mb-published-XXXXXX");
    int fd = mkstemp(made);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return made;
}

static struct mb_published *
load_text(const char *text, struct mb_error *err)
{
    struct mb_published *published = NULL;
    mb_published_load(write_file(text), &published, err);
    unlink(made);
    return published;
}

START_TEST(a_wrong_digit_is_found)
{
    static const struct {
        const char *text, *reason;
        bool reproduced;
    } cases[] = {
        {TWO_ROWS FIGURE("A", "1.1") END, "", true}, /* 1.05: to the nearest, and up where it is half way */
        {TWO_ROWS FIGURE("A", "1.0") END, "", true}, /* cut, as the only mean shows */
        {TWO_ROWS FIGURE("A", "1.2") END, "the printed trials give 1.1", false},
        {TWO_ROWS FIGURE("A", "1.05") END, "the printed trials give 1.1", false},
        {RUN CELL("a") TABLE(ROW_A) FIGURE("A", "1.0") END, "the article prints no trial of it", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mb_error err = {0};
        struct mb_published *published = load_text(cases[i].text, &err);
        size_t n;
        ck_assert_msg(published != NULL, "%zu: %s", i, err.message);
        const struct mb_published_figure *figure = mb_published_figures(published, &n);
        ck_assert_uint_eq(n, 1);
        ck_assert_int_eq(figure->reproduced, cases[i].reproduced);
        ck_assert_str_eq(figure->reason, cases[i].reason);
        mb_published_free(published);
    }
}
END_TEST

START_TEST(p_of_a_test)
{
    /* 1.0 and 1.1 against 2.0 and 2.3: t = -6.957 with 1.2195 degrees of freedom. */
    struct mb_error err = {0};
    struct mb_published *published =
        load_text(RUN CELL("a") CELL("b") SAMPLE("a", 1, 1000000000) SAMPLE("a", 2, 1100000000) SAMPLE("b", 1, 2000000000)
                      SAMPLE("b", 2, 2300000000) TABLE("{\"name\":\"A\",\"at\":\"a/bind\",\"to\":\"b/bind\",\"take\":\"p\"}")
                          FIGURE("A", "0.1") END,
                  &err);
    size_t n;

    ck_assert_msg(published != NULL, "%s", err.message);
    ck_assert_str_eq(mb_published_figures(published, &n)->derived, "0.1");
    mb_published_free(published);
}
END_TEST

START_TEST(wrong_files)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", ": holds no published figures; 'mountbench report' shows measured runs"},
        {RUN CELL("a") END, ": holds no published figures; 'mountbench report' shows measured runs"},
        {"{\n", ":1: not a JSON object"},
        {RUN FIGURE("A", "1"), ":2: table: no such table before this line"},
        {TWO_ROWS FIGURE("C", "1"), ":8: row: the table has none of this name"},
        {RUN TABLE("{\"name\":\"A\",\"take\":1}"), ":2: at: a string is required"},
        {RUN TABLE("{\"name\":\"A\",\"at\":\"a/bind\",\"take\":\"median\"}"),
         ":2: take: want a trial's number, mean, all, ratio, p or cited"},
        {RUN TABLE("{\"name\":\"A\",\"at\":\"a/bind\",\"take\":\"ratio\"}"), ":2: to: a string is required"},
        {RUN TABLE(""), ":2: rows, columns: arrays are required"},
        {RUN CELL("a") TABLE(ROW_A "," ROW_B) FIGURE("B", "1") END, ": table 't', row 'B': there is no cell 'b/bind/w'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mb_error err = {0};
        ck_assert_ptr_null(load_text(cases[i].text, &err));
        ck_assert_int_eq(err.code, MB_ECONFIG);
        ck_assert_msg(strncmp(err.message, made, strlen(made)) == 0, "%s", err.message);
        ck_assert_str_eq(err.message + strlen(made), cases[i].message);
    }
}
END_TEST

START_TEST(unknown_names)
{
    struct mb_error err = {0};
    char *path;

    ck_assert_int_eq(mb_published_find("nfs-2081", &path, &err), -1);
    ck_assert_int_eq(err.code, MB_EUSAGE);
    ck_assert_str_eq(err.message, "no published table is called 'nfs-2081' (did you mean 'nfs-2018'?)");
    ck_assert_int_eq(mb_published_find("something-else-entirely", &path, &err), -1);
    ck_assert_ptr_nonnull(
        strstr(err.message, "there are: disk-image-format, docker-desktop-4.6, nfs-2018, rancher-desktop-settings"));
    ck_assert_int_eq(mb_published_find("no/such.jsonl", &path, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.message, "no/such.jsonl: "));
}
END_TEST

/* ---- beside a measured run ---- */

static void
compare(const char *measured, struct mb_buffer *out)
{
    struct mb_error err = {0};
    struct mb_results *results;
    struct mb_published *published = load_text(TWO_ROWS FIGURE("A", "1.0") END, &err);
    const char *path = write_file(measured);

    ck_assert_msg(published != NULL, "%s", err.message);
    ck_assert_msg(mb_results_read(&path, 1, &results, &err) == 0, "%s", err.message);
    unlink(made);
    mb_published_compare(published, results, &plain, out);
    mb_results_free(results);
    mb_published_free(published);
}

START_TEST(ratios_and_order)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 20);

    compare(RUN CELL("a") CELL("lab-9p") SAMPLE("a", 1, 4000000000) SAMPLE("lab-9p", 1, 1000000000) END, &out);
    has(&out, "T: Time, published and measured, as ratios to A\n");
    has(&out, "A          1.0      1         4      1  a/bind\n");
    has(&out, "B          2.0    1.9         1   0.25  lab-9p/bind\n");
    has(&out, "Order differs:\n    A ahead of B in the article (x1.9); here behind it (x4)\n");
}
END_TEST

START_TEST(same_order)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 20);

    compare(RUN CELL("a") CELL("b") SAMPLE("a", 1, 10) SAMPLE("b", 1, 30) END, &out);
    has(&out, "Order: the same, in 1 pair of rows.\n");
    ck_assert_ptr_null(strstr(mb_buffer_text(&out), "Not measured"));
}
END_TEST

START_TEST(rows_without_measurement)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 20);

    compare(RUN CELL("a") SAMPLE("a", 1, 10) END, &out);
    has(&out,
        "Not measured:\n    B: B needs a Mac\n    On a Mac that has the runtimes: mountbench run matrix/published/made.yaml\n");
    mb_buffer_reset(&out);
    compare(RUN "{\"type\":\"cell\",\"cell\":\"b/bind/w\",\"engine\":\"b\",\"mount\":\"bind\",\"workload\":\"w\","
                "\"status\":\"unavailable\",\"reason\":\"no such device\",\"measure\":\"bytes/s\",\"params\":{}}\n" END,
            &out);
    has(&out, "No row was measured, so there are no ratios.\n");
    has(&out, "  B: no such device\n");
    has(&out, "  A: the file has no such cell\n");
}
END_TEST

START_TEST(scaled_sizes_are_said)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 20);

    compare(RUN
            "{\"type\":\"cell\",\"cell\":\"a/bind/w\",\"engine\":\"a\",\"mount\":\"bind\",\"workload\":\"w\",\"status\":\"ready\","
            "\"kind\":\"app-request\",\"measure\":\"bytes/s\",\"params\":{\"total\":25}}\n" SAMPLE("a", 1, 10) END,
            &out);
    has(&out, "Measured by the workload app-request, the article by seq-write.\n");
    has(&out, "Measured with total 25 B, the article with 100 B (a factor of 4).\n");
}
END_TEST

/* The article ran it twice and kept the runs apart; one trial here holds both runs. */
#define RATE(name, round, metrics)                                                                                                 \
    "{\"type\":\"sample\",\"cell\":\"" name "/bind/w\",\"round\":" #round ",\"order\":0,\"warmup\":false,"                         \
    "\"status\":\"ok\",\"wall_ns\":10,\"ops\":7,\"metrics\":{" metrics "}}\n"
#define RATE_CELL(name)                                                                                                            \
    "{\"type\":\"cell\",\"cell\":\"" name "/bind/w\",\"engine\":\"" name "\",\"mount\":\"bind\",\"workload\":\"w\","               \
    "\"status\":\"ready\",\"kind\":\"exec\",\"measure\":\"ops/s\",\"params\":{}}\n"
#define RATE_TABLE(measured)                                                                                                       \
    RUN RATE_CELL("a") RATE_CELL("b") RATE("a", 1, "\"rate\":10") RATE("a", 2, "\"rate\":20") RATE("b", 1, "\"rate\":30") RATE(    \
        "b", 2,                                                                                                                    \
        "\"rate\":40") "{\"type\":\"published-table\",\"table\":\"t\",\"title\":\"T\",\"corner\":\"Row\",\"columns\":[{\"name\":"  \
                       "\"Rate\","                                                                                                 \
                       "\"workload\":\"w\",\"quantity\":\"metric:rate\",\"decimals\":0,\"take\":\"all\",\"measured\":" measured    \
                       "}],"                                                                                                       \
                       "\"rows\":[" ROW_A "," ROW_B "],\"compare\":[\"Rate\"],"                                                    \
                       "\"baseline\":{\"name\":\"A\",\"at\":\"a/bind\"}}\n"                                                        \
                       "{\"type\":\"published\",\"table\":\"t\",\"row\":\"A\",\"column\":\"Rate\",\"what\":\"trials\",\"text\":"   \
                       "\"10 / 20\"}\n" END

START_TEST(runs_within_a_trial)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 20);
    struct mb_error err = {0};
    struct mb_results *results;
    struct mb_published *published = load_text(RATE_TABLE("[\"metric:run1\",\"metric:run2\"]"), &err);

    ck_assert_msg(published != NULL, "%s", err.message);
    const char *path = write_file(RUN RATE_CELL("a") RATE_CELL("lab-x") RATE("a", 1, "\"run1\":100,\"run2\":300")
                                      RATE("a", 2, "\"run1\":200,\"run2\":500") RATE("lab-x", 1, "\"run1\":75,\"run2\":40") END);
    ck_assert_msg(mb_results_read(&path, 1, &results, &err) == 0, "%s", err.message);
    unlink(made);
    mb_published_compare(published, results, &plain, &out);
    has(&out, "A                 10      1       150      1  a/bind\n  trial 2         20      1       400      1");
    has(&out, "B                 30      3        75    0.5  lab-x/bind\n  trial 2         40      2        40    0.1");
    has(&out, "Order differs:\n    B ahead of A in the article (x2.33); here behind it (x4.78)\n");
    mb_results_free(results);
    mb_published_free(published);
    ck_assert_ptr_null(load_text(RATE_TABLE("[\"metric:run1\",\"nothing\"]"), &err));
    ck_assert_msg(strstr(err.message, "want wall, user, sys") != NULL, "%s", err.message);
    ck_assert_ptr_null(load_text(RATE_TABLE("[\"1\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\"]"), &err));
    ck_assert_msg(strstr(err.message, "too many quantities") != NULL, "%s", err.message);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("published");
    TCase *tcase = tcase_create("published");

    tcase_add_loop_test(tcase, every_printed_figure, 0, (int)ARTICLES);
    tcase_add_test(tcase, all_files_are_listed);
    tcase_add_test(tcase, what_a_reader_should_know);
    tcase_add_test(tcase, a_wrong_digit_is_found);
    tcase_add_test(tcase, p_of_a_test);
    tcase_add_test(tcase, wrong_files);
    tcase_add_test(tcase, unknown_names);
    tcase_add_test(tcase, ratios_and_order);
    tcase_add_test(tcase, same_order);
    tcase_add_test(tcase, rows_without_measurement);
    tcase_add_test(tcase, scaled_sizes_are_said);
    tcase_add_test(tcase, runs_within_a_trial);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
