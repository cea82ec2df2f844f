/*
 * test_faults.c: engines, containers and probes that misbehave in ways no real one can be made to: each ends in a clear message and
 * an exit status, and what was made is asked to be removed.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/runner.h"
#include "support/engines.h"
#include "support/fake_engine.h"

#define UPGRADED "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
#define HELLO                                                                                                                      \
    "{\"type\":\"hello\",\"protocol\":1,\"version\":\"0.1.0\",\"arch\":\"amd64\",\"kernel\":\"6\",\"page_bytes\":4096,\"uid\":0}"  \
    "\n"

static char root[128];

static void
make_root(void)
{
    mb_test_dir(root, sizeof root);
}

static void
remove_root(void)
{
    mb_test_remove(root);
}

/* Append ${n} bytes as one frame of standard output (stream 1, length big-endian). */
static void
append_frame(struct mb_buffer *out, const char *bytes, size_t n)
{
    const char head[8] = {1, 0, 0, 0, (char)(n >> 24), (char)(n >> 16), (char)(n >> 8), (char)n};

    mb_buffer_append(out, head, sizeof head);
    mb_buffer_append(out, bytes, n);
}

static void
add_text(struct mb_buffer *out, const char *text)
{
    append_frame(out, text, strlen(text));
}

static void
garbage(struct mb_buffer *out)
{
    add_text(out, "\x01\x02 this is no probe \x7f\n");
}

static void
half_a_line(struct mb_buffer *out)
{
    add_text(out, "{\"type\":\"hello\",\"proto");
}

static void
ten_megabytes(struct mb_buffer *out)
{
    static char block[65536];

    memset(block, 'x', sizeof block);
    for (int i = 0; i < 160; i++)
        append_frame(out, block, sizeof block);
}

static void
no_frames(struct mb_buffer *out)
{
    mb_buffer_puts(out, "plain text that is in no frame at all\n");
}

static void
another_protocol(struct mb_buffer *out)
{
    add_text(out, "{\"type\":\"hello\",\"protocol\":99}\n");
}

static void
refuses(struct mb_buffer *out)
{
    add_text(out, "{\"type\":\"error\",\"reason\":\"unknown verb\"}\n");
}

static void
says_nothing_and_ends(struct mb_buffer *out)
{
    (void)out;
}

static void
garbage_after_hello(struct mb_buffer *out)
{
    add_text(out, HELLO);
    add_text(out, "[1, 2, 3]\n");
}

static const struct {
    const char *name;
    void (*stream)(struct mb_buffer *out); /* what the attached stream says */
    const char *inspect;                   /* the container's state */
    const char *message;                   /* in what the person is told */
} cases[] = {
    {"garbage", garbage, "{\"State\":{\"Running\":true}}", "cannot be understood"},
    {"half a line", half_a_line, "{\"State\":{\"Running\":false,\"ExitCode\":0}}", "ended with status 0"},
    {"ten megabytes", ten_megabytes, "{\"State\":{\"Running\":true}}", "longer than"},
    {"no frames", no_frames, "{\"State\":{\"Running\":true}}", "frame"},
    {"another protocol", another_protocol, "{\"State\":{\"Running\":true}}", "speaks protocol 99"},
    {"a refusal", refuses, "{\"State\":{\"Running\":true}}", "unknown verb"},
    {"dies at once", says_nothing_and_ends, "{\"State\":{\"Running\":false,\"ExitCode\":127,\"Error\":\"exec format error\"}}",
     "ended with status 127: exec format error"},
    {"killed for memory", says_nothing_and_ends, "{\"State\":{\"Running\":false,\"ExitCode\":137,\"OOMKilled\":true}}",
     "out of memory"},
    {"garbage later", garbage_after_hello, "{\"State\":{\"Running\":true}}", "cannot be understood"},
};

static struct mb_engine_spec engine_spec;
static struct mb_mount_spec mount_spec;
static struct mb_workload_spec workload_spec;
static struct mb_cell_spec cell_spec;
static struct mb_matrix matrix;

static int
run_against(const struct mb_fake_engine *fake, struct mb_run_outcome *outcome, struct mb_error *err)
{
    char output[200], name[] = "fake", mount[] = "layer", workload[] = "write", url[200];

    snprintf(url, sizeof url, "%s", fake->url);
    engine_spec = (struct mb_engine_spec){.name = name, .endpoint = url};
    mount_spec = (struct mb_mount_spec){.name = mount, .type = MB_MOUNT_LAYER};
    workload_spec = (struct mb_workload_spec){.name = workload, .kind = mb_workload_find("seq-write"), .timeout_ns = 2000000000};
    for (size_t i = 0; workload_spec.kind->params[i].name != NULL; i++) {
        const struct mb_param *p = &workload_spec.kind->params[i];
        ck_assert_int_eq(mb_param_parse(p, p->fallback != NULL ? p->fallback : "4KiB", &workload_spec.values[i], err), 0);
    }
    matrix = (struct mb_matrix){.path = name,
                                .name = name,
                                .engines = &engine_spec,
                                .engine_count = 1,
                                .mounts = &mount_spec,
                                .mount_count = 1,
                                .workloads = &workload_spec,
                                .workload_count = 1,
                                .cells = &cell_spec,
                                .cell_count = 1,
                                .rounds = 1,
                                .passes = 1};
    snprintf(output, sizeof output, "%s/out.jsonl", root);
    const struct mb_run_options options = {.matrix = &matrix, .seed = 1, .dir = root, .output = output};
    return mb_run(&options, outcome, err);
}

START_TEST(a_probe_in_trouble)
{
    MB_AUTO_BUFFER stream = MB_BUFFER_INIT(16 << 20);
    struct mb_fake_engine fake;
    struct mb_run_outcome outcome;
    struct mb_error err = {0};

    mb_buffer_puts(&stream, UPGRADED);
    cases[_i].stream(&stream);
    const struct mb_fake_rule rules[] = {
        {.request = "POST /images/create*", .body = "{\"status\":\"sha256:aaaa\"}\n"},
        {.request = "POST /containers/create*", .status = 201, .body = "{\"Id\":\"cafe\",\"Warnings\":[]}"},
        {.request = "POST /containers/cafe/attach*", .action = MB_FAKE_RAW, .body = stream.data, .size = stream.len},
        {.request = "POST /containers/cafe/start*", .status = 204},
        {.request = "GET /containers/cafe/json*", .body = cases[_i].inspect},
        {.request = "DELETE /containers/cafe*", .status = 204},
        {.request = "DELETE /images/*", .body = "[]"},
        MB_FAKE_20_10,
    };
    mb_fake_engine_start(rules, sizeof rules / sizeof rules[0], &fake);
    int rc = run_against(&fake, &outcome, &err);
    ck_assert_msg(rc == -1, "%s: it went well", cases[_i].name);
    ck_assert_msg(strstr(err.message, cases[_i].message) != NULL, "%s: %s", cases[_i].name, err.message);
    ck_assert_msg(strstr(err.message, "fake/layer") != NULL, "%s: %s", cases[_i].name, err.message);
    ck_assert_int_eq(mb_error_exit_status(&err), 3);
    char *log = mb_fake_engine_log(&fake);
    ck_assert_msg(strstr(log, "DELETE /v1.41/containers/cafe") != NULL, "the container was not removed: %s", log);
    ck_assert_msg(strstr(log, "DELETE /v1.41/images/") != NULL, "the image was not removed: %s", log);
    free(log);
    mb_fake_engine_stop(&fake);
}
END_TEST

START_TEST(an_image_that_cannot_be_imported)
{
    static const struct mb_fake_rule rules[] = {
        {.request = "POST /images/create*",
         .status = 500,
         .body = "{\"message\":\"write /var/lib/docker/tmp: no space left on device\"}"},
        MB_FAKE_20_10,
    };
    struct mb_fake_engine fake;
    struct mb_run_outcome outcome;
    struct mb_error err = {0};

    mb_fake_engine_start(rules, sizeof rules / sizeof rules[0], &fake);
    ck_assert_int_eq(run_against(&fake, &outcome, &err), -1);
    ck_assert_msg(strstr(err.message, "no space left on device") != NULL, "%s", err.message);
    ck_assert_int_eq(mb_error_exit_status(&err), 3);
    mb_fake_engine_stop(&fake);
}
END_TEST

START_TEST(an_architecture_without_a_probe)
{
    static const struct mb_fake_rule rules[] = {
        MB_FAKE_PING("1.41"),
        {.request = "GET /version",
         .body =
             "{\"Version\":\"20.10.24\",\"ApiVersion\":\"1.41\",\"MinAPIVersion\":\"1.12\",\"Os\":\"linux\",\"Arch\":\"s390x\"}"},
        {.request = "GET /info", .body = "{\"ID\":\"fake\",\"Architecture\":\"s390x\",\"OperatingSystem\":\"Debian\"}"},
    };
    struct mb_fake_engine fake;
    struct mb_run_outcome outcome;
    struct mb_error err = {0};

    mb_fake_engine_start(rules, sizeof rules / sizeof rules[0], &fake);
    ck_assert_int_eq(run_against(&fake, &outcome, &err), -1);
    ck_assert_msg(strstr(err.message, "'s390x'") != NULL, "%s", err.message);
    ck_assert_int_eq(mb_error_exit_status(&err), 3);
    mb_fake_engine_stop(&fake);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("runner faults");
    TCase *tc = tcase_create("faults");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, make_root, remove_root);
    tcase_add_loop_test(tc, a_probe_in_trouble, 0, (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(tc, an_image_that_cannot_be_imported);
    tcase_add_test(tc, an_architecture_without_a_probe);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
