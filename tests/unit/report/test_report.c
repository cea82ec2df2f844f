/* report.h: what reports say, how they are laid out, and that no name gets out of its place. */
#include <check.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/text.h"
#include "support/results_text.h"

static void
has(const char *report, const char *part)
{
    ck_assert_msg(strstr(report, part) != NULL, "'%s' is not in:\n%.4000s", part, report);
}

static void
has_not(const char *report, const char *part)
{
    ck_assert_msg(strstr(report, part) == NULL, "'%s' is in:\n%.4000s", part, report);
}

/* A report of three trials of each cell: a table of mount, workload, measure, time of the first trial in ms. */
struct row {
    const char *mount, *workload, *measure, *fstype, *device;
    int ms;
};

static char *
report_rows(const struct row *rows, size_t n, const struct mb_report_options *options)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(1 << 20);

    mb_buffer_puts(&text, RESULTS_HEAD);
    for (size_t i = 0; i < n; i++)
        results_cell(&text, rows[i].mount, rows[i].workload, rows[i].measure, rows[i].fstype, rows[i].device);
    for (unsigned round = 0; round < 5; round++) {
        for (size_t i = 0; i < n; i++)
            results_sample(&text, rows[i].mount, rows[i].workload, round, rows[i].ms * (998000LL + 1000 * round), 1000000);
    }
    mb_buffer_puts(&text, RESULTS_END);
    return report_of(mb_buffer_text(&text), options);
}

START_TEST(ratios_are_speeds)
{
    static const struct row rows[] = {
        {"volume", "rate", "bytes/s", NULL, NULL, 100},
        {"bind", "rate", "bytes/s", NULL, NULL, 200},
        {"volume", "time", "s", NULL, NULL, 100},
        {"bind", "time", "s", NULL, NULL, 200},
    };
    const struct mb_report_options options = {.format = "csv", .summary = true};
    char *report = report_rows(rows, 4, &options);

    /* Twice the time is half the speed, whether the figure is a rate or a time. */
    has(report, "r,e,bind,rate,k,,measured,,bytes/s,5,0,0,0,5000000,");
    has(report, "volume,0.5,");
    has(report, "r,e,bind,time,k,,measured,,s,5,0,0,0,0.2,");
    const char *time = strstr(report, "bind,time");
    has(time, "volume,0.5,");
    free(report);
}
END_TEST

START_TEST(baselines)
{
    static const struct {
        const char *mounts[3];
        const char *wanted, *says;
    } cases[] = {
        {{"layer", "bind", "volume"}, NULL, "the speed of volume (above 1 is faster)."},
        {{"layer", "bind", "nfs"}, NULL, "the speed of bind (above 1 is faster; here is no volume)."},
        {{"layer", "tmpfs", "nfs"}, NULL, "the speed of layer (above 1"},
        {{"x", "y", "z"}, NULL, "the speed of x (above 1"},
        {{"layer", "bind", "volume"}, "layer", "the speed of layer (above 1 is faster)."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct row rows[3];
        for (size_t k = 0; k < 3; k++)
            rows[k] = (struct row){cases[i].mounts[k], "w", "s", NULL, NULL, 100};
        const struct mb_report_options options = {.width = 200, .baseline = cases[i].wanted};
        char *report = report_rows(rows, 3, &options);
        has(report, cases[i].says);
        free(report);
    }
}
END_TEST

static void
refused(const struct mb_report_options *options, const char *words)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(10000);
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(10000);
    struct mb_error err = {0};

    mb_buffer_puts(&text, RESULTS_HEAD);
    results_cell(&text, "layer", "w", "s", NULL, NULL);
    results_cell(&text, "volume", "w", "s", NULL, NULL);
    struct mb_results *results = results_of(mb_buffer_text(&text));
    ck_assert_int_eq(mb_report_render(results, options, &out, &err), -1);
    ck_assert_int_eq(err.code, MB_EUSAGE);
    ck_assert_msg(strstr(err.message, words) != NULL, "%s", err.message);
    mb_results_free(results);
}

START_TEST(refusals)
{
    refused(&(struct mb_report_options){.baseline = "volum"}, "no mount is called 'volum' (did you mean 'volume'?)");
    refused(&(struct mb_report_options){.baseline = "zebra"}, "no mount is called 'zebra'; there are: layer, volume");
    refused(&(struct mb_report_options){.format = "markdwon"}, "unknown format 'markdwon' (did you mean 'markdown'?)");
    refused(&(struct mb_report_options){.format = "wordperfect"}, "unknown format 'wordperfect'; there are: terminal, markdown");
}
END_TEST

START_TEST(one_filesystem)
{
    static const struct row rows[] = {
        {"bind", "w", "s", "ext4", "8:1", 100},      {"bind-cached", "w", "s", "ext4", "8:1", 102},
        {"volume", "w", "s", "ext4", "8:1", 104},    {"nfs", "w", "s", "nfs4", "8:1", 500},
        {"layer", "w", "s", "overlay", "0:50", 100}, {"layer-2", "w", "s", "overlay", "0:50", 100},
        {"tmpfs", "w", "s", "tmpfs", "0:60", 100},   {"tmpfs-2", "w", "s", "tmpfs", "0:60", 100},
        {"data-1", "w", "s", "xfs", "8:2", 100},     {"data-2", "w", "s", "xfs", "8:2", 100},
        {"host", "w", "s", "ext4", "8:1", 100},
    };
    const struct mb_report_options options = {.width = 300};
    char *report = report_rows(rows, sizeof rows / sizeof rows[0], &options);

    has(report, "\nbind (a) ");
    has(report, "\nbind-cached (a) ");
    has(report, "\nvolume (a) ");
    has(report, "\nnfs  ");
    has(report, "\nlayer  ");
    has(report, "\ntmpfs  ");
    has(report, "\nhost  ");
    has(report, "\ndata-1 (b) ");
    has(report, "(a) bind, bind-cached, volume are one filesystem here (ext4, device 8:1): what they differ by is noise, up to "
                "\xC3\x97"
                "1.04.");
    has(report, "(b) data-1, data-2 are one filesystem here (xfs, device 8:2)");
    free(report);
}
END_TEST

/* What a tool carries takes its time, on whatever filesystem the two sides are. */
START_TEST(a_tool_is_no_control)
{
    static const char *const mounts[] = {"volume", "bind", "sync"};
    static const char *const workloads[] = {"seq-write", "propagation"};
    const struct mb_report_options options = {.width = 300};
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(1 << 20);

    mb_buffer_puts(&text, RESULTS_HEAD);
    for (size_t i = 0; i < 6; i++)
        mb_buffer_printf(&text,
                         "{\"type\":\"cell\",\"cell\":\"e/%s/%s\",\"engine\":\"e\",\"mount\":\"%s\",\"mount_type\":\"%s\","
                         "\"workload\":\"%s\",\"kind\":\"%s\",\"measure\":\"s\",\"unit\":\"op\",\"status\":\"ready\",\"params\":{},"
                         "\"filesystem\":{\"fstype\":\"ext4\",\"source\":\"s\",\"device\":\"8:1\",\"root\":\"/\"}}\n",
                         mounts[i / 2], workloads[i % 2], mounts[i / 2], mounts[i / 2], workloads[i % 2], workloads[i % 2]);
    for (unsigned round = 0; round < 5; round++) {
        for (size_t i = 0; i < 6; i++) {
            bool carried = i == 5;
            results_sample(&text, mounts[i / 2], workloads[i % 2], round,
                           (carried ? 1000000000LL : 1000000LL + 20000 * (long long)(i / 2)) + 1000 * round, 1000);
        }
    }
    mb_buffer_puts(&text, RESULTS_END);
    char *report = report_of(mb_buffer_text(&text), &options);
    has(report, "(a) volume, bind, sync are one filesystem here (ext4, device 8:1): what they differ by is noise, up to "
                "\xC3\x97"
                "1.04.");
    free(report);
    report = report_of(mb_buffer_text(&text), &(struct mb_report_options){.format = "html"});
    has(report, "Slower: <bdi>sync</bdi>");
    free(report);
}
END_TEST

/* A difference that mounts which are one filesystem show too is none. */
START_TEST(verdicts)
{
    static const struct row rows[] = {
        {"volume", "w", "s", "ext4", "8:1", 100}, {"bind", "w", "s", "ext4", "8:1", 110}, {"near", "w", "s", "xfs", "8:2", 106},
        {"far", "w", "s", "xfs", "8:3", 200},     {"fast", "w", "s", "xfs", "8:4", 20},
    };
    const struct mb_report_options options = {.format = "html"};
    char *report = report_rows(rows, sizeof rows / sizeof rows[0], &options);

    has(report, "Faster: <bdi>fast</bdi>");
    has(report, "Slower: <bdi>far</bdi>");
    has(report, "No difference shown: <bdi>near</bdi>");
    has(report, "On the same filesystem, so equal but for noise: <bdi>bind</bdi>");
    free(report);
}
END_TEST

START_TEST(colour_only_when_asked)
{
    static const struct row rows[] = {
        {"volume", "w", "s", NULL, NULL, 100}, {"bind", "w", "s", NULL, NULL, 200}, {"tmpfs", "w", "s", NULL, NULL, 20}};
    char *plain = report_rows(rows, 3, &(struct mb_report_options){.width = 80});
    char *coloured = report_rows(rows, 3, &(struct mb_report_options){.width = 80, .colour = true});

    has_not(plain, "\033");
    has(coloured, "\033[31m\xC3\x97"
                  "0.50\033[0m");
    has(coloured, "\033[32m\xC3\x97"
                  "5.00\033[0m");
    free(plain);
    free(coloured);
}
END_TEST

START_TEST(outliers)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(100000);

    mb_buffer_puts(&text, RESULTS_HEAD);
    results_cell(&text, "volume", "w", "s", NULL, NULL);
    for (unsigned i = 0; i < 9; i++)
        results_sample(&text, "volume", "w", i, i == 4 ? 9000000000 : 1000000000 + 1000000 * (i % 3), 1);
    mb_buffer_puts(&text, RESULTS_END);
    char *kept = report_of(mb_buffer_text(&text), &(struct mb_report_options){.format = "json"});
    char *dropped = report_of(mb_buffer_text(&text), &(struct mb_report_options){.format = "json", .drop_outliers = true});
    has(kept, "\"n\": 9,");
    has(kept, "\"max\": 9,");
    has(dropped, "\"n\": 8,");
    has(dropped, "\"max\": 1.002,");
    free(kept);
    free(dropped);
    char *words = report_of(mb_buffer_text(&text), &(struct mb_report_options){.drop_outliers = true});
    has(words, "an outlier is left out");
    has(words, "1 outlier is left out, as was asked for.");
    free(words);
}
END_TEST

/* ---- Layout ---- */

/* Every line of ${report} is at most ${width} columns wide and holds nothing that acts on a terminal. */
static void
check_lines(const char *report, size_t width)
{
    for (const char *line = report; *line != '\0';) {
        size_t columns = 0;
        uint32_t code = 0;
        const char *p = line;
        while (*p != '\0' && *p != '\n') {
            p += mb_text_decode(p, &code);
            ck_assert_msg(!mb_text_is_control(code) && code != MB_TEXT_INVALID, "U+%04X in '%.*s'", (unsigned)code, (int)(p - line),
                          line);
            columns += mb_text_code_width(code);
        }
        ck_assert_msg(columns <= width, "%zu columns of %zu: '%.*s'", columns, width, (int)(p - line), line);
        ck_assert_msg(p == line || p[-1] != ' ', "blanks at the end of '%.*s'", (int)(p - line), line);
        line = *p == '\n' ? p + 1 : p;
    }
}

static struct mb_results *
golden_input(const char *name)
{
    char path[128];
    const char *file = path;
    struct mb_results *results;
    struct mb_error err = {0};

    snprintf(path, sizeof path, "tests/golden/report/%s.jsonl", name);
    ck_assert_msg(mb_results_read(&file, 1, &results, &err) == 0, "%s", err.message);
    return results;
}

static void
render_golden(const char *name, const struct mb_report_options *options, struct mb_buffer *out)
{
    struct mb_results *results = golden_input(name);
    struct mb_error err = {0};

    ck_assert_msg(mb_report_render(results, options, out, &err) == 0, "%s", err.message);
    mb_results_free(results);
}

START_TEST(widths)
{
    static const char *const inputs[] = {"quick", "two-engines", "engine-rows", "hostile", "one", "nothing"};
    unsigned step = getenv("MB_WRAPPER") != NULL ? 60 : 7;

    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        for (unsigned width = 80; width <= 200; width += step) {
            for (int details = 0; details < 2; details++) {
                const struct mb_report_options options = {.width = width, .details = details == 1};
                MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 20);
                render_golden(inputs[i], &options, &out);
                check_lines(mb_buffer_text(&out), width);
            }
        }
    }
}
END_TEST

/* In a Markdown table all lines are equally wide, whatever the scripts of the names. */
START_TEST(markdown_is_aligned)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 20);
    size_t expected = 0, tables = 0;

    render_golden("hostile", &(struct mb_report_options){.format = "markdown", .details = true}, &out);
    for (char *line = strtok(out.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (*line != '|') {
            expected = 0;
            continue;
        }
        tables += expected == 0;
        ck_assert_msg(expected == 0 || mb_text_width(line) == expected, "%s", line);
        expected = mb_text_width(line);
    }
    ck_assert_uint_ge(tables, 3);
}
END_TEST

START_TEST(hostile_names_stay_text)
{
    static const struct {
        const char *format;
        const char *never[8];
    } cases[] = {
        {"markdown", {"<script", "<img", "<b>", "\n=cmd", " @SUM", "[l]("}},
        {"asciidoc", {"<script", "<img", "a|b", "http://", "<b>"}},
        {"svg", {"<script", "<img", "<b>", "<i>"}},
        {"html", {"<script>alert", "<img", "<b>", "<i>eng"}},
        {"csv", {",=", ",@", "\n=", "\n@"}},
        {"json", {"<script", "<b>", "NaN", "nan", "inf"}},
        {"benchstat", {" mount", "mount=new\n"}},
        {"hyperfine", {"<script", "NaN", "nan,"}},
        {"github-action-smaller", {"<script", "NaN", "nan,"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct mb_report_options options = {.format = cases[i].format, .details = true};
        MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 22);
        render_golden("hostile", &options, &out);
        for (const char *const *never = cases[i].never; *never != NULL; never++)
            ck_assert_msg(strstr(mb_buffer_text(&out), *never) == NULL, "%s: '%s'", cases[i].format, *never);
        for (const char *p = mb_buffer_text(&out); *p != '\0';) {
            uint32_t code;
            p += mb_text_decode(p, &code);
            ck_assert_msg(code == '\n' || code == '\t' || !mb_text_is_control(code), "%s: U+%04X", cases[i].format, (unsigned)code);
        }
    }
}
END_TEST

START_TEST(json_parses)
{
    static const char *const formats[] = {"json", "hyperfine", "github-action-bigger", "github-action-smaller"};
    static const char *const inputs[] = {"quick", "two-engines", "engine-rows", "hostile", "one", "nothing"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        for (size_t k = 0; k < sizeof inputs / sizeof inputs[0]; k++) {
            const struct mb_report_options options = {.format = formats[i]};
            MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 22);
            render_golden(inputs[k], &options, &out);
            cJSON *json = cJSON_Parse(mb_buffer_text(&out));
            ck_assert_msg(json != NULL, "%s of %s", formats[i], inputs[k]);
            cJSON_Delete(json);
        }
    }
}
END_TEST

/* Fields of a line of CSV; moves *${at} to the next line. */
static size_t
count_fields(const char **at)
{
    const char *p = *at;
    size_t fields = 1;
    bool quoted = false;

    for (; *p != '\0' && (quoted || *p != '\n'); p++) {
        quoted ^= *p == '"';
        fields += !quoted && *p == ',';
    }
    *at = *p == '\n' ? p + 1 : p;
    return fields;
}

START_TEST(csv_is_rectangular)
{
    for (int summary = 0; summary < 2; summary++) {
        const struct mb_report_options options = {.format = "csv", .summary = summary == 1};
        MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 22);
        render_golden("hostile", &options, &out);
        const char *p = mb_buffer_text(&out);
        size_t expected = count_fields(&p), rows = 0;
        for (; *p != '\0'; rows++)
            ck_assert_uint_eq(count_fields(&p), expected);
        ck_assert_uint_ge(rows, 30);
    }
}
END_TEST

/* ---- Sizes ---- */

/* All formats, with ${mounts} times ${workloads} cells of two trials. */
static void
render_many(size_t mounts, size_t workloads, bool diagonal)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(1 << 26);
    char mount[32], workload[32];

    mb_buffer_puts(&text, RESULTS_HEAD);
    for (size_t m = 0; m < mounts; m++) {
        for (size_t w = diagonal ? m : 0; w < (diagonal ? m + 1 : workloads); w++) {
            snprintf(mount, sizeof mount, "m%zu", m);
            snprintf(workload, sizeof workload, "w%zu", w);
            results_cell(&text, mount, workload, "s", NULL, NULL);
            results_sample(&text, mount, workload, 0, 1000000, 1);
            results_sample(&text, mount, workload, 1, 1100000, 1);
        }
    }
    mb_buffer_puts(&text, RESULTS_END);
    struct mb_results *results = results_of(mb_buffer_text(&text));
    for (const struct mb_report_format *const *f = mb_report_formats(); *f != NULL; f++) {
        const struct mb_report_options options = {.format = (*f)->name, .details = true};
        struct mb_error err = {0};
        MB_AUTO_BUFFER out = MB_BUFFER_INIT(MB_REPORT_MAX_BYTES);
        if (strcmp((*f)->name, "png") == 0)
            continue; /* test_png.c */
        ck_assert_msg(mb_report_render(results, &options, &out, &err) == 0, "%s: %s", (*f)->name, err.message);
        ck_assert_uint_lt(out.len, 15 << 20);
    }
    mb_results_free(results);
}

START_TEST(ten_thousand_cells)
{
    static const struct {
        size_t mounts, workloads;
        bool diagonal;
    } shapes[] = {{100, 100, false}, {10000, 1, false}, {1, 10000, false}, {10000, 10000, true}};
    /* Under valgrind fewer of them say as much. */
    size_t less = getenv("MB_WRAPPER") != NULL ? 50 : 1;

    render_many((shapes[_i].mounts + less - 1) / less, (shapes[_i].workloads + less - 1) / less, shapes[_i].diagonal);
}
END_TEST

static TCase *
what_is_said(void)
{
    TCase *tcase = tcase_create("said");
    tcase_add_test(tcase, ratios_are_speeds);
    tcase_add_test(tcase, baselines);
    tcase_add_test(tcase, refusals);
    tcase_add_test(tcase, one_filesystem);
    tcase_add_test(tcase, a_tool_is_no_control);
    tcase_add_test(tcase, verdicts);
    tcase_add_test(tcase, colour_only_when_asked);
    tcase_add_test(tcase, outliers);
    return tcase;
}

int
main(void)
{
    Suite *suite = suite_create("report");
    TCase *tcase = tcase_create("layout");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, widths);
    tcase_add_test(tcase, markdown_is_aligned);
    tcase_add_test(tcase, hostile_names_stay_text);
    tcase_add_test(tcase, json_parses);
    tcase_add_test(tcase, csv_is_rectangular);
    tcase_add_loop_test(tcase, ten_thousand_cells, 0, 4);
    suite_add_tcase(suite, what_is_said());
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
