/* test_calls_faults.c: an engine that dies, lies, floods or says nothing in the middle of a call, and an interrupt there. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/engine.h"
#include "mountbench/signals.h"
#include "support/engines.h"
#include "support/fake_engine.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct mb_fake_engine fake;
static struct mb_engine *engine;
static struct mb_error err;

static void
start(const struct mb_fake_rule *rules, size_t n)
{
    struct mb_endpoint endpoint;

    memset(&err, 0, sizeof err);
    mb_fake_engine_start(rules, n, &fake);
    ck_assert_int_eq(mb_endpoint_resolve(fake.url, &endpoint, &err), 0);
    ck_assert_msg(mb_engine_open(&endpoint, 5000 * mb_test_slowness(), &engine, &err) == 0, "%s", err.message);
    mb_endpoint_clear(&endpoint);
}

static void
stop(void)
{
    mb_engine_close(engine);
    engine = NULL;
    mb_fake_engine_stop(&fake);
}

static void
setup(void)
{
    unsetenv("DOCKER_API_VERSION");
}

static void
teardown(void)
{
    if (engine != NULL)
        stop();
}

START_TEST(test_engine_that_dies_in_the_middle)
{
    static const struct mb_fake_rule rules[] = {
        {.request = "POST /containers/c/start", .action = MB_FAKE_CLOSE},
        {.request = "GET /containers/c/json", .action = MB_FAKE_RAW, .body = "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{\"Sta"},
        {.request = "POST /containers/c/wait*", .body = "{\"StatusCode\":"},
        {.request = "POST /containers/c/kill", .action = MB_FAKE_HANG},
        MB_FAKE_20_10,
    };
    struct mb_container_state state;

    start(rules, COUNT(rules));
    ck_assert_int_eq(mb_container_start(engine, "c", &err), -1);
    ck_assert_msg(err.code == MB_EGONE, "%s", err.message);
    ck_assert_int_eq(mb_container_inspect(engine, "c", &state, &err), -1);
    ck_assert_msg(err.code == MB_EGONE, "%s", err.message);
    ck_assert_int_eq(mb_container_wait(engine, "c", 1000, NULL, &err), -1);
    ck_assert_msg(err.code == MB_EPROTOCOL, "%s", err.message);
    mb_engine_set_timeout(engine, 200);
    ck_assert_int_eq(mb_container_kill(engine, "c", &err), -1);
    ck_assert_msg(err.code == MB_ETIMEOUT, "%s", err.message);
    ck_assert_ptr_nonnull(strstr(err.message, "no answer within 0.2 s"));
    mb_fake_engine_stop(&fake);
    ck_assert_int_eq(mb_container_start(engine, "c", &err), -1);
    ck_assert_msg(err.code == MB_EGONE, "%s", err.message);
    ck_assert_msg(strstr(err.message, "no such socket") != NULL, "%s", err.message);
    mb_engine_close(engine);
    engine = NULL;
}
END_TEST

/* The life of a container, as a run leads it; the first failure ends it. */
static int
whole_life(const struct mb_endpoint *endpoint)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(100);
    struct mb_container_spec spec = {.image = "i", .open_stdin = true};
    struct mb_engine *e = NULL;
    struct mb_attach *attach = NULL;
    char *image = NULL, *id = NULL;
    int code;
    int rc = mb_engine_open(endpoint, 5000 * mb_test_slowness(), &e, &err);

    rc = rc != 0 ? rc : mb_image_import(e, "x", 1, "i", NULL, NULL, &image, &err);
    rc = rc != 0 ? rc : mb_volume_create(e, "v", NULL, NULL, NULL, &err);
    rc = rc != 0 ? rc : mb_container_create(e, &spec, &id, &err);
    rc = rc != 0 ? rc : mb_container_attach(e, id, &attach, &err);
    rc = rc != 0 ? rc : mb_container_start(e, id, &err);
    rc = rc != 0 ? rc : mb_attach_write(attach, "hello\n", 6, 5000, &err);
    rc = rc != 0 ? rc : mb_attach_read_line(attach, &line, 5000, &err);
    rc = rc != 0 ? rc : mb_container_wait(e, id, 5000, &code, &err);
    rc = rc != 0 ? rc : mb_container_remove(e, id, &err);
    rc = rc != 0 ? rc : mb_volume_remove(e, "v", &err);
    rc = rc != 0 ? rc : mb_image_remove(e, image, &err);
    mb_attach_close(attach);
    mb_engine_close(e);
    free(image);
    free(id);
    return rc;
}

#define LIFE_REQUESTS 12

static const struct mb_fake_rule faults[] = {
    {.request = "*", .action = MB_FAKE_CLOSE},
    {.request = "*", .action = MB_FAKE_RAW, .body = "\1\2\3", .size = 3},
    {.request = "*", .action = MB_FAKE_RAW, .body = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"Id"},
    {.request = "*", .status = 500, .body = "{\"message\":\"the disk is full\"}"},
    {.request = "*", .status = 200, .body = "[7"},
};

START_TEST(test_nth_reply_fails)
{
    struct mb_fake_rule rules[] = {
        faults[_i],
        {.request = "POST /images/create*", .body = "{\"status\":\"sha256:abc\"}"},
        {.request = "POST /volumes/create", .status = 201, .body = "{}"},
        {.request = "POST /containers/create*", .status = 201, .body = "{\"Id\":\"c\"}"},
        {.request = "POST /containers/c/attach*", .action = MB_FAKE_UPGRADE},
        {.request = "POST /containers/c/start", .status = 204},
        {.request = "POST /containers/c/wait*", .body = "{\"StatusCode\":0}"},
        {.request = "DELETE *", .status = 204},
        MB_FAKE_20_10,
    };
    struct mb_endpoint endpoint;

    /* From the nth on, nothing is right any more; beyond the last all is well. */
    for (unsigned n = 0; n <= LIFE_REQUESTS; n++) {
        memset(&err, 0, sizeof err);
        rules[0].after = n;
        mb_fake_engine_start(rules, COUNT(rules), &fake);
        ck_assert_int_eq(mb_endpoint_resolve(fake.url, &endpoint, &err), 0);
        int rc = whole_life(&endpoint);
        mb_endpoint_clear(&endpoint);
        mb_fake_engine_stop(&fake);
        /* Some answers are not looked into: there 200 is enough. */
        if (n < LIFE_REQUESTS && _i != 4)
            ck_assert_msg(rc == -1 && err.code != MB_OK && err.message[0] != '\0', "fault %d at request %u went unseen", _i, n);
        else if (n == LIFE_REQUESTS)
            ck_assert_msg(rc == 0, "%s", err.message);
    }
}
END_TEST

START_TEST(test_answer_without_end_is_cut_off)
{
    static char flood[17 * 1024 * 1024];
    const struct mb_fake_rule rules[] = {{.request = "GET /containers/c/json", .body = flood, .size = sizeof flood}, MB_FAKE_20_10};
    struct mb_container_state state;

    memset(flood, ' ', sizeof flood);
    start(rules, COUNT(rules));
    ck_assert_int_eq(mb_container_inspect(engine, "c", &state, &err), -1);
    ck_assert_msg(err.code == MB_EPROTOCOL && strstr(err.message, "is longer than") != NULL, "%s", err.message);
    stop();
}
END_TEST

START_TEST(test_logs_are_cut_at_the_ceiling_and_must_be_frames)
{
    static const char frames[] = "\1\0\0\0\0\0\0\6line1\n\2\0\0\0\0\0\0\4bad\n\1\0\0\0\0\0\0\6line2\n";
    static const struct mb_fake_rule rules[] = {
        {.request = "GET /containers/c/logs*", .body = frames, .size = sizeof frames - 1},
        {.request = "GET /containers/t/logs*", .body = "plain text of a terminal"},
        MB_FAKE_20_10,
    };
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(8);

    start(rules, COUNT(rules));
    ck_assert_msg(mb_container_logs(engine, "c", &out, NULL, &err) == 0, "%s", err.message);
    ck_assert_str_eq(mb_buffer_text(&out), "line1\nli");
    ck_assert_int_eq(mb_container_logs(engine, "t", &out, NULL, &err), -1);
    ck_assert_msg(err.code == MB_EPROTOCOL, "%s", err.message);
    stop();
}
END_TEST

static const char *const waits[] = {"call", "line"};

START_TEST(test_interruption)
{
    static const struct mb_fake_rule rules[] = {
        {.request = "POST /containers/c/attach*", .action = MB_FAKE_UPGRADE},
        {.request = "POST /containers/c/wait*", .action = MB_FAKE_HANG},
        MB_FAKE_20_10,
    };
    struct mb_attach *attach;
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(100);
    int rc;

    mb_signals_install();
    start(rules, COUNT(rules));
    ck_assert_int_eq(mb_container_attach(engine, "c", &attach, &err), 0);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        kill(parent, SIGINT);
        _exit(0);
    }
    uint64_t begin = mb_now_ns();
    if (strcmp(waits[_i], "call") == 0)
        rc = mb_container_wait(engine, "c", 20000, NULL, &err);
    else
        rc = mb_attach_read_line(attach, &line, 20000, &err);
    ck_assert_int_eq(rc, -1);
    ck_assert_msg(err.code == MB_EINTERRUPT, "%s", err.message);
    ck_assert(mb_now_ns() - begin < 2000000000u * mb_test_slowness());
    /* What is taken down afterwards is not interrupted again. */
    ck_assert_int_eq(mb_container_remove(engine, "c", &err), -1);
    mb_signals_shield(true);
    ck_assert_msg(mb_container_remove(engine, "gone", &err) == 0, "%s", err.message);
    mb_signals_shield(false);
    mb_attach_close(attach);
    stop();
}
END_TEST

/* An engine makes what it was asked for though nobody listens: whoever is interrupted meanwhile has to learn what it was. */
static const char *const makers[] = {"container", "volume", "image"};

START_TEST(test_interruption_while_making)
{
    static const struct mb_fake_rule rules[] = {
        {.request = "POST /containers/create*", .delay_ms = 600, .status = 201, .body = "{\"Id\":\"made\"}"},
        {.request = "POST /volumes/create*", .delay_ms = 600, .status = 201, .body = "{}"},
        {.request = "POST /images/create*", .delay_ms = 600, .body = "{\"status\":\"sha256:made\"}"},
        MB_FAKE_20_10,
    };
    const struct mb_container_spec spec = {.image = "i"};
    char *id = NULL;
    int rc;

    mb_signals_install();
    start(rules, COUNT(rules));
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        kill(parent, SIGINT);
        _exit(0);
    }
    if (strcmp(makers[_i], "container") == 0)
        rc = mb_container_create(engine, &spec, &id, &err);
    else if (strcmp(makers[_i], "volume") == 0)
        rc = mb_volume_create(engine, "v", NULL, NULL, NULL, &err);
    else
        rc = mb_image_import(engine, "tar", 3, "i:t", NULL, NULL, &id, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert(mb_interrupted());
    ck_assert_int_eq(mb_container_remove(engine, "c", &err), -1);
    ck_assert_int_eq(err.code, MB_EINTERRUPT);
    free(id);
    stop();
}
END_TEST
int
main(void)
{
    Suite *suite = suite_create("calls that go wrong");
    TCase *tcase = tcase_create("fake engine");
    SRunner *runner = srunner_create(suite);

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60 * mb_test_slowness());
    tcase_add_test(tcase, test_engine_that_dies_in_the_middle);
    tcase_add_loop_test(tcase, test_nth_reply_fails, 0, COUNT(faults));
    tcase_add_test(tcase, test_answer_without_end_is_cut_off);
    tcase_add_test(tcase, test_logs_are_cut_at_the_ceiling_and_must_be_frames);
    tcase_add_loop_test(tcase, test_interruption, 0, COUNT(waits));
    tcase_add_loop_test(tcase, test_interruption_while_making, 0, COUNT(makers));
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
