/* result.h: reading; what is taken in, and what is refused in which words. */
#include "mountbench/result.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUN                                                                                                                        \
    "{\"type\":\"run\",\"schema\":1,\"id\":\"r1\",\"started_at\":\"2026-12-01T00:00:00Z\",\"matrix\":{\"name\":\"quick\"}}\n"
#define CELL(name) "{\"type\":\"cell\",\"cell\":\"" name "\",\"engine\":\"e\",\"mount\":\"m\",\"workload\":\"w\"}\n"
#define END "{\"type\":\"end\",\"status\":\"complete\"}\n"

static char path[64];

static void
make_path(void)
{
    strcpy(path, "/tmp/mb-read-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void
remove_path(void)
{
    unlink(path);
}

static void
write_bytes(const char *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
}

static struct mb_results *
read_text(const char *text)
{
    struct mb_results *r;
    struct mb_error err = {0};
    const char *files[] = {path};

    write_bytes(text, strlen(text));
    ck_assert_msg(mb_results_read(files, 1, &r, &err) == 0, "%s", err.message);
    return r;
}

/* Reading ${text} fails as a configuration error in just these words, after the file's name. */
static void
refuse(const char *text, size_t n, const char *message)
{
    struct mb_results *r;
    struct mb_error err = {0};
    const char *files[] = {path};

    write_bytes(text, n);
    ck_assert_int_eq(mb_results_read(files, 1, &r, &err), -1);
    ck_assert_ptr_null(r);
    ck_assert_int_eq(err.code, MB_ECONFIG);
    ck_assert_mem_eq(err.message, path, strlen(path));
    ck_assert_str_eq(err.message + strlen(path), message);
}

START_TEST(whole_file)
{
    struct mb_results *r = read_text(
        RUN
        "{\"type\":\"engine\",\"engine\":\"e\",\"kernel\":\"6.1\"}\n"
        "{\"type\":\"cell\",\"cell\":\"e/m/w\",\"engine\":\"e\",\"mount\":\"m\",\"workload\":\"w\",\"status\":\"ready\",\"kind\":"
        "\"commit\",\"measure\":\"ops/s\",\"unit\":\"commit\",\"params\":{\"record\":4096},\"filesystem\":{\"fstype\":\"ext4\","
        "\"source\":\"/dev/sda1\",\"options\":\"rw\",\"super_options\":\"rw,x\",\"device\":\"8:1\",\"root\":\"/a\"}}\n"
        "{\"type\":\"sample\",\"cell\":\"e/m/w\",\"round\":3,\"order\":7,\"warmup\":true,\"status\":\"ok\",\"wall_ns\":2000000000,"
        "\"user_ns\":5,\"sys_ns\":null,\"bytes\":4096,\"ops\":10,\"latency_ns\":{\"p50\":1,\"p95\":2,\"p99\":3,\"max\":4},"
        "\"metrics\":{\"create_ns\":12.5,\"none\":null},\"new key\":[1,2]}\n"
        "{\"type\":\"sample\",\"cell\":\"e/m/w\",\"status\":\"timeout\",\"reason\":\"over 5 s\"}\n"
        "{\"type\":\"check\",\"cell\":\"e/m/"
        "w\",\"name\":\"nonce\",\"outcome\":\"pass\",\"expected\":\"a\",\"observed\":{\"b\":1}}\n"
        "{\"type\":\"of the future\",\"x\":1}\n\n" END);

    ck_assert_uint_eq(r->run_count, 1);
    ck_assert_str_eq(r->runs[0].file, path);
    ck_assert_str_eq(r->runs[0].id, "r1");
    ck_assert_str_eq(r->runs[0].matrix_name, "quick");
    ck_assert_str_eq(r->runs[0].started_at, "2026-12-01T00:00:00Z");
    ck_assert_str_eq(r->runs[0].end_status, "complete");
    ck_assert_uint_eq(r->engine_count, 1);
    ck_assert_str_eq(cJSON_GetObjectItem(r->engines[0].json, "kernel")->valuestring, "6.1");
    ck_assert_uint_eq(r->cell_count, 1);
    const struct mb_cell *c = &r->cells[0];
    ck_assert_str_eq(c->name, "e/m/w");
    ck_assert_str_eq(c->kind, "commit");
    ck_assert_str_eq(c->unit, "commit");
    ck_assert_int_eq(c->measure, MB_MEASURE_OPS_PER_SECOND);
    ck_assert_int_eq(c->status, MB_CELL_READY);
    ck_assert_ptr_null(c->reason);
    ck_assert_str_eq(c->fstype, "ext4");
    ck_assert_str_eq(c->super_options, "rw,x");
    ck_assert_str_eq(c->device, "8:1");
    ck_assert_str_eq(c->root, "/a");
    ck_assert_double_eq(cJSON_GetObjectItem(c->params, "record")->valuedouble, 4096);
    ck_assert_uint_eq(r->sample_count, 2);
    const struct mb_sample *s = r->samples;
    ck_assert_uint_eq(s[0].round, 3);
    ck_assert_uint_eq(s[0].order, 7);
    ck_assert(s[0].warmup);
    ck_assert_int_eq(s[0].wall_ns, 2000000000);
    ck_assert_int_eq(s[0].user_ns, 5);
    ck_assert_int_eq(s[0].sys_ns, -1);
    ck_assert_uint_eq(s[0].bytes, 4096);
    ck_assert_uint_eq(s[0].latency.max_ns, 4);
    ck_assert_uint_eq(s[0].metric_count, 1);
    ck_assert_str_eq(s[0].metrics[0].name, "create_ns");
    ck_assert_double_eq(s[0].metrics[0].value, 12.5);
    ck_assert_double_eq(mb_sample_figure(c, &s[0]), 5);
    ck_assert_int_eq(s[1].status, MB_SAMPLE_TIMEOUT);
    ck_assert_str_eq(s[1].reason, "over 5 s");
    ck_assert_int_eq(s[1].wall_ns, -1);
    ck_assert(isnan(mb_sample_figure(c, &s[1])));
    ck_assert_uint_eq(r->check_count, 1);
    ck_assert_str_eq(r->checks[0].expected, "a");
    ck_assert_str_eq(r->checks[0].observed, "{\"b\":1}");
    ck_assert_uint_eq(r->warning_count, 0);
    mb_results_free(r);
}
END_TEST

START_TEST(figures)
{
    static const struct {
        const char *label;
        enum mb_measure measure;
        struct mb_sample sample;
        double figure;
    } rows[] = {
        {"bytes", MB_MEASURE_BYTES_PER_SECOND, {.wall_ns = 500000000, .bytes = 100, .ops = 7}, 200},
        {"ops", MB_MEASURE_OPS_PER_SECOND, {.wall_ns = 500000000, .bytes = 100, .ops = 7}, 14},
        {"seconds", MB_MEASURE_SECONDS, {.wall_ns = 500000000, .bytes = 100, .ops = 7}, 0.5},
        {"no time at all is a duration", MB_MEASURE_SECONDS, {.wall_ns = 0}, 0},
        {"but no speed", MB_MEASURE_BYTES_PER_SECOND, {.wall_ns = 0, .bytes = 1}, NAN},
        {"nothing counted", MB_MEASURE_OPS_PER_SECOND, {.wall_ns = 5, .bytes = 1}, NAN},
        {"time unknown", MB_MEASURE_SECONDS, {.wall_ns = -1}, NAN},
        {"failed", MB_MEASURE_SECONDS, {.wall_ns = 5, .status = MB_SAMPLE_FAILED}, NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mb_cell cell = {.measure = rows[i].measure};
        double figure = mb_sample_figure(&cell, &rows[i].sample);
        ck_assert_msg(isnan(rows[i].figure) ? isnan(figure) : figure == rows[i].figure, "%s: %g", rows[i].label, figure);
    }
}
END_TEST

START_TEST(measure_names)
{
    enum mb_measure m;
    for (int i = MB_MEASURE_BYTES_PER_SECOND; i <= MB_MEASURE_SECONDS; i++) {
        ck_assert_int_eq(mb_measure_parse(mb_measure_name((enum mb_measure)i), &m), 0);
        ck_assert_int_eq(m, i);
    }
    ck_assert_int_eq(mb_measure_parse("furlongs", &m), -1);
}
END_TEST

START_TEST(measure_derived)
{
    struct mb_results *r = read_text(
        RUN CELL("a") CELL("b") CELL("c") "{\"type\":\"cell\",\"cell\":\"d\",\"engine\":\"e\",\"mount\":\"m\",\"workload\":\"w\","
                                          "\"measure\":\"s\"}\n"
                                          "{\"type\":\"sample\",\"cell\":\"a\",\"wall_ns\":1,\"bytes\":1,\"ops\":1}\n"
                                          "{\"type\":\"sample\",\"cell\":\"a\",\"wall_ns\":1,\"ops\":1}\n"
                                          "{\"type\":\"sample\",\"cell\":\"b\",\"wall_ns\":1,\"ops\":1}\n"
                                          "{\"type\":\"sample\",\"cell\":\"c\",\"wall_ns\":1}\n"
                                          "{\"type\":\"sample\",\"cell\":\"d\",\"wall_ns\":1,\"bytes\":1}\n" END);
    ck_assert_int_eq(r->cells[0].measure, MB_MEASURE_BYTES_PER_SECOND);
    ck_assert_int_eq(r->cells[1].measure, MB_MEASURE_OPS_PER_SECOND);
    ck_assert_int_eq(r->cells[2].measure, MB_MEASURE_SECONDS);
    ck_assert_int_eq(r->cells[3].measure, MB_MEASURE_SECONDS);
    ck_assert_ptr_nonnull(r->cells[0].params);
    ck_assert(cJSON_IsObject(r->cells[0].params));
    mb_results_free(r);
}
END_TEST

START_TEST(last_cell_record_wins)
{
    struct mb_results *r =
        read_text(RUN CELL("a") "{\"type\":\"sample\",\"cell\":\"a\",\"wall_ns\":1}\n"
                                "{\"type\":\"cell\",\"cell\":\"a\",\"engine\":\"e\",\"mount\":\"m\",\"workload\":\"w\","
                                "\"status\":\"skipped\",\"reason\":\"no space\",\"params\":{\"a\":1}}\n"
                                "{\"type\":\"engine\",\"engine\":\"e\",\"kernel\":\"1\"}\n"
                                "{\"type\":\"engine\",\"engine\":\"e\",\"kernel\":\"2\"}\n"
                                "{\"type\":\"end\",\"status\":\"interrupted\"}\n"
                                "{\"type\":\"sample\",\"cell\":\"a\",\"wall_ns\":2}\n" END);
    ck_assert_uint_eq(r->cell_count, 1);
    ck_assert_int_eq(r->cells[0].status, MB_CELL_SKIPPED);
    ck_assert_str_eq(r->cells[0].reason, "no space");
    ck_assert_int_eq(cJSON_GetArraySize(r->cells[0].params), 1);
    ck_assert_uint_eq(r->sample_count, 2);
    ck_assert_uint_eq(r->engine_count, 1);
    ck_assert_str_eq(cJSON_GetObjectItem(r->engines[0].json, "kernel")->valuestring, "2");
    ck_assert_str_eq(r->runs[0].end_status, "complete");
    mb_results_free(r);
}
END_TEST

/* One file with two runs (files put one behind the other), and the same name twice stays two cells. */
START_TEST(runs_stay_apart)
{
    struct mb_results *r = read_text(RUN CELL("a") "{\"type\":\"sample\",\"cell\":\"a\",\"wall_ns\":1}\n" END
                                                   "{\"type\":\"run\",\"schema\":1,\"id\":\"r2\"}\n" CELL(
                                                       "a") "{\"type\":\"sample\",\"cell\":\"a\",\"wall_ns\":2}\n");
    ck_assert_uint_eq(r->run_count, 2);
    ck_assert_uint_eq(r->cell_count, 2);
    ck_assert_uint_eq(r->cells[0].run, 0);
    ck_assert_uint_eq(r->cells[1].run, 1);
    ck_assert_uint_eq(r->samples[0].cell, 0);
    ck_assert_uint_eq(r->samples[1].cell, 1);
    ck_assert_uint_eq(r->warning_count, 1);
    ck_assert_ptr_nonnull(strstr(r->warnings[0], "no end record"));
    mb_results_free(r);

    struct mb_error err = {0};
    const char *files[] = {path, path};
    ck_assert_int_eq(mb_results_read(files, 2, &r, &err), 0);
    ck_assert_uint_eq(r->run_count, 4);
    ck_assert_uint_eq(r->cell_count, 4);
    ck_assert_uint_eq(r->samples[3].cell, 3);
    mb_results_free(r);
}
END_TEST

START_TEST(same_run_goes_on)
{
    struct mb_results *r = read_text(RUN CELL("a") END RUN "{\"type\":\"sample\",\"cell\":\"a\",\"wall_ns\":1}\n");
    ck_assert_uint_eq(r->run_count, 1);
    ck_assert_uint_eq(r->sample_count, 1);
    ck_assert_ptr_null(r->runs[0].end_status);
    mb_results_free(r);
}
END_TEST

START_TEST(line_endings)
{
    static const char text[] = "\xEF\xBB\xBF{\"type\":\"run\",\"schema\":1}\r\n\r\n{\"type\":\"end\",\"status\":\"complete\"}\r\n";
    struct mb_results *r = read_text(text);
    ck_assert_str_eq(r->runs[0].end_status, "complete");
    ck_assert_uint_eq(r->warning_count, 0);
    mb_results_free(r);
    /* A complete object counts though its newline is missing. */
    r = read_text(RUN "{\"type\":\"end\",\"status\":\"complete\"}");
    ck_assert_str_eq(r->runs[0].end_status, "complete");
    ck_assert_uint_eq(r->warning_count, 0);
    mb_results_free(r);
}
END_TEST

START_TEST(torn_last_line)
{
    struct mb_results *r = read_text(RUN CELL("a") "{\"type\":\"sample\",\"cell\":\"a\",\"wall_n");
    char wanted[200];
    snprintf(wanted, sizeof wanted, "%s:3: the last line is torn, and left out: the run was killed while it wrote it", path);
    ck_assert_uint_eq(r->warning_count, 2);
    ck_assert_str_eq(r->warnings[0], wanted);
    ck_assert_ptr_nonnull(strstr(r->warnings[1], "no end record"));
    ck_assert_uint_eq(r->sample_count, 0);
    mb_results_free(r);
}
END_TEST

#define SAMPLE(rest) RUN CELL("a/b/c") "{\"type\":\"sample\",\"cell\":\"a/b/c\"," rest "}\n"

START_TEST(refused)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", ": no run record: the file is empty"},
        {"{\"type\":\"ru", ": no run record: this is no result file of mountbench, or its first line is torn"},
        {"\n\n", ": no run record: this is no result file of mountbench, or its first line is torn"},
        {"{}\n", ":1: record.type: wants a string; this is no result file of mountbench"},
        {"{\n", ":1: not a JSON object; a result file holds one complete object a line"},
        {"[1]\n", ":1: not a JSON object; a result file holds one complete object a line"},
        {RUN "{\"type\":\"end\"} x\n", ":2: not a JSON object; a result file holds one complete object a line"},
        {CELL("a"), ":1: cell: no run record comes before it"},
        {"{\"type\":\"engine\",\"engine\":\"e\"}\n", ":1: engine: no run record comes before it"},
        {"{\"type\":\"run\"}\n", ":1: run.schema: is missing or 0; this program reads schema 1"},
        {"{\"type\":\"run\",\"schema\":\"1\"}\n", ":1: run.schema: wants a number, is a string"},
        {"{\"type\":\"run\",\"schema\":2,\"tool\":{\"version\":\"9.1\"}}\n",
         ":1: run.schema: schema 2 was written by a newer program (version 9.1); this one reads schema 1: read it with that one"},
        {"{\"type\":\"run\",\"schema\":1,\"matrix\":[]}\n", ":1: run.matrix: wants an object, is an array"},
        {RUN "{\"type\":\"engine\"}\n", ":2: engine.engine: is missing"},
        {RUN "{\"type\":\"engine\",\"engine\":\"\"}\n", ":2: engine.engine: is empty"},
        {RUN "{\"type\":\"cell\",\"cell\":true}\n", ":2: cell.cell: wants a string, is true"},
        {RUN "{\"type\":\"cell\",\"cell\":\"a\",\"engine\":\"e\"}\n", ":2: cell.mount: is missing"},
        {RUN "{\"type\":\"cell\",\"cell\":\"a\",\"engine\":\"e\",\"mount\":\"m\",\"workload\":\"w\",\"status\":\"redy\"}\n",
         ":2: cell.status: 'redy' is none of ready, unavailable, skipped"},
        {RUN "{\"type\":\"cell\",\"cell\":\"a\",\"engine\":\"e\",\"mount\":\"m\",\"workload\":\"w\",\"params\":7}\n",
         ":2: cell.params: wants an object, is a number"},
        {RUN CELL("alpha/m/w") "{\"type\":\"sample\",\"cell\":\"alhpa/m/w\"}\n",
         ":3: sample.cell: no cell record 'alhpa/m/w' comes before it (did you mean 'alpha/m/w'?)"},
        {RUN "{\"type\":\"check\",\"cell\":\"x\"}\n", ":2: check.cell: no cell record 'x' comes before it"},
        {RUN CELL("a") "{\"type\":\"check\",\"cell\":\"a\",\"name\":\"n\"}\n", ":3: check.outcome: is missing"},
        {SAMPLE("\"wall_ns\":\"5\""), ":3: sample.wall_ns: wants a number, is a string"},
        {SAMPLE("\"wall_ns\":-1"), ":3: sample.wall_ns: wants a whole number from 0 to 9007199254740992, is -1"},
        {SAMPLE("\"bytes\":1e300"),
         ":3: sample.bytes: wants a whole number from 0 to 9007199254740992, is 1.0000000000000001e+300"},
        {SAMPLE("\"bytes\":1e999"), ":3: sample.bytes: wants a whole number from 0 to 9007199254740992, is inf"},
        {SAMPLE("\"ops\":1.5"), ":3: sample.ops: wants a whole number from 0 to 9007199254740992, is 1.5"},
        {SAMPLE("\"round\":4294967296"), ":3: sample.round: wants a whole number from 0 to 4294967295, is 4294967296"},
        {SAMPLE("\"wall_ns\":NaN"), ":3: not a JSON object; a result file holds one complete object a line"},
        {SAMPLE("\"warmup\":1"), ":3: sample.warmup: wants true or false, is a number"},
        {SAMPLE("\"status\":\"fine\""), ":3: sample.status: 'fine' is none of ok, failed, timeout"},
        {SAMPLE("\"latency_ns\":5"), ":3: sample.latency_ns: wants an object, is a number"},
        {SAMPLE("\"latency_ns\":{\"p50\":\"x\"}"), ":3: sample.p50: wants a number, is a string"},
        {SAMPLE("\"metrics\":{\"a\":\"x\"}"), ":3: sample.metrics: 'a' wants a finite number"},
        {SAMPLE("\"metrics\":{\"a\":1e999}"), ":3: sample.metrics: 'a' wants a finite number"},
        {RUN "{\"type\":\"end\",\"status\":5}\n", ":2: end.status: wants a string, is a number"},
        {RUN "{\"type\":\"\xff\"}\n", ":2: byte 10 is not UTF-8; this is no result file of mountbench, or it is damaged"},
        {RUN "{\"type\":\"\xed\xa0\x80\"}\n", ":2: byte 10 is not UTF-8; this is no result file of mountbench, or it is damaged"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refuse(rows[i].text, strlen(rows[i].text), rows[i].message);
}
END_TEST

START_TEST(embedded_nul)
{
    static const char text[] = RUN "{\"type\":\"end\"}\0\n";
    refuse(text, sizeof text - 1, ":2: not a JSON object; a result file holds one complete object a line");
}
END_TEST

START_TEST(line_of_ten_megabytes)
{
    size_t n = sizeof RUN - 1, size = 10u << 20;
    char *text = malloc(n + size);
    ck_assert_ptr_nonnull(text);
    memcpy(text, RUN, n);
    memset(text + n, 'x', size);
    refuse(text, n + size, ":2: the line is longer than 1048576 bytes; this is no result file");
    free(text);
}
END_TEST

START_TEST(deep_nesting)
{
    size_t n = sizeof RUN - 1, size = 100000;
    char *text = malloc(n + size + 1);
    ck_assert_ptr_nonnull(text);
    memcpy(text, RUN, n);
    memset(text + n, '[', size);
    text[n + size] = '\n';
    refuse(text, n + size + 1, ":2: not a JSON object; a result file holds one complete object a line");
    free(text);
}
END_TEST

START_TEST(no_file)
{
    static const struct {
        const char *file, *message;
        enum mb_error_code code;
    } rows[] = {
        {"/nowhere/x.jsonl", "/nowhere/x.jsonl: cannot open: No such file or directory", MB_ECONFIG},
        {"/tmp", "/tmp: cannot read: Is a directory", MB_ECONFIG},
        {"/dev/zero", "/dev/zero:1: the line is longer than 1048576 bytes; this is no result file", MB_ECONFIG},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mb_results *r;
        struct mb_error err = {0};
        ck_assert_int_eq(mb_results_read(&rows[i].file, 1, &r, &err), -1);
        ck_assert_str_eq(err.message, rows[i].message);
        ck_assert_int_eq(err.code, rows[i].code);
    }
    mb_results_free(NULL);
}
END_TEST

/* Many cells, found again by name: a table that had to be searched would take minutes here. */
START_TEST(many_cells)
{
    enum { cells = 20000 };
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(RUN, f);
    for (int i = 0; i < cells; i++)
        fprintf(f, "{\"type\":\"cell\",\"cell\":\"c%d\",\"engine\":\"e\",\"mount\":\"m\",\"workload\":\"w\"}\n", i);
    for (int i = cells - 1; i >= 0; i--)
        fprintf(f, "{\"type\":\"sample\",\"cell\":\"c%d\",\"wall_ns\":%d}\n", i, i);
    fputs(END, f);
    fclose(f);
    struct mb_results *r;
    struct mb_error err = {0};
    const char *files[] = {path};
    ck_assert_int_eq(mb_results_read(files, 1, &r, &err), 0);
    ck_assert_uint_eq(r->cell_count, cells);
    for (size_t i = 0; i < r->sample_count; i++)
        ck_assert_int_eq(r->samples[i].wall_ns, (int64_t)r->samples[i].cell);
    mb_results_free(r);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("result read");
    TCase *tcase = tcase_create("read");
    tcase_add_checked_fixture(tcase, make_path, remove_path);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, whole_file);
    tcase_add_test(tcase, figures);
    tcase_add_test(tcase, measure_names);
    tcase_add_test(tcase, measure_derived);
    tcase_add_test(tcase, last_cell_record_wins);
    tcase_add_test(tcase, runs_stay_apart);
    tcase_add_test(tcase, same_run_goes_on);
    tcase_add_test(tcase, line_endings);
    tcase_add_test(tcase, torn_last_line);
    tcase_add_test(tcase, refused);
    tcase_add_test(tcase, embedded_nul);
    tcase_add_test(tcase, line_of_ten_megabytes);
    tcase_add_test(tcase, deep_nesting);
    tcase_add_test(tcase, no_file);
    tcase_add_test(tcase, many_cells);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
