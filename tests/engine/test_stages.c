/*
 * test_stages.c: runs that start and stop their engines: who is up when, what is kept when one does not come up, and that
 * everything is down in the end, whatever happened.  The engine is a real dockerd; what opens and shuts the door to it is a
 * stand-in.
 */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/matrix.h"
#include "mountbench/runner.h"
#include "mountbench/signals.h"
#include "support/engines.h"

static struct mb_test_engine server;
static char root[128], door[512];

static void
start_server(void)
{
    mb_test_engine_start("dockerd", NULL, &server);
}

static void
stop_server(void)
{
    mb_test_engine_stop(&server);
}

static void
make_root(void)
{
    char here[256];

    mb_test_dir(root, sizeof root);
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    snprintf(door, sizeof door, "%s/tests/fixtures/provider/door", here);
}

static void
remove_root(void)
{
    mb_test_remove(root);
}

static const char *
in_root(const char *name)
{
    static char path[4][256];
    static unsigned next;
    char *out = path[next++ % 4];

    snprintf(out, sizeof path[0], "%s/%s", root, name);
    return out;
}

static void
touch(const char *name)
{
    FILE *f = fopen(in_root(name), "w");
    ck_assert_ptr_nonnull(f);
    fclose(f);
}

/* The engines' part of a matrix with a door for each of ${names} (ended by NULL), then ${rest}. */
static struct mb_matrix *
load(const char *const *names, const char *rest)
{
    FILE *f = fopen(in_root("matrix.yaml"), "w");
    struct mb_matrix *m;
    struct mb_error err = {0};

    ck_assert_ptr_nonnull(f);
    fprintf(f, "name: stages\nengines:\n");
    for (size_t i = 0; names[i] != NULL; i++)
        fprintf(f,
                "  - {name: %s, runtime: command, ready_timeout: 8s, up: ['%s', up, '%s', %s, '%s'], "
                "down: ['%s', down, '%s', %s]}\n",
                names[i], door, root, names[i], server.socket, door, root, names[i]);
    fprintf(f,
            "mounts: [volume, host]\n"
            "workloads: [{name: write, type: seq-write, block: 4KiB, total: 64KiB}]\n%s",
            rest);
    fclose(f);
    ck_assert_msg(mb_matrix_load(in_root("matrix.yaml"), NULL, &m, &err) == 0, "%s", err.message);
    return m;
}

static int
run(const struct mb_matrix *m, struct mb_run_observer observer, struct mb_run_outcome *outcome, struct mb_error *err)
{
    const struct mb_run_options options = {
        .matrix = m, .seed = 7, .dir = root, .output = in_root("out.jsonl"), .observer = observer};
    return mb_run(&options, outcome, err);
}

static const char *
log_text(void)
{
    static char text[4096];
    FILE *f = fopen(in_root("log"), "r");

    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static struct mb_results *
results(void)
{
    const char *file = in_root("out.jsonl");
    struct mb_error err = {0};
    struct mb_results *r;

    ck_assert_msg(mb_results_read(&file, 1, &r, &err) == 0, "%s", err.message);
    return r;
}

static const struct mb_cell *
find_cell(const struct mb_results *r, const char *name)
{
    for (size_t i = 0; i < r->cell_count; i++) {
        if (strcmp(r->cells[i].name, name) == 0)
            return &r->cells[i];
    }
    ck_abort_msg("no cell %s", name);
    return NULL;
}

/* The engines in the order in which their timed samples came, each once a run of them: "A B A B". */
static const char *
order_of(const struct mb_results *r)
{
    static char text[256];
    const char *last = "";

    text[0] = '\0';
    for (size_t i = 0; i < r->sample_count; i++) {
        const char *engine = r->cells[r->samples[i].cell].engine;
        if (r->samples[i].warmup || strcmp(engine, last) == 0)
            continue;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *last != '\0' ? " " : "", engine);
        last = engine;
    }
    return text;
}

static size_t
samples_of(const struct mb_results *r, const char *cell, bool warmup)
{
    size_t n = 0;

    for (size_t i = 0; i < r->sample_count; i++)
        n += strcmp(r->cells[r->samples[i].cell].name, cell) == 0 && r->samples[i].warmup == warmup &&
             r->samples[i].status == MB_SAMPLE_OK;
    return n;
}

static void
assert_nothing_left(void)
{
    struct mb_endpoint endpoint;
    struct mb_engine *engine;
    struct mb_object *objects;
    struct mb_error err = {0};
    size_t n;

    ck_assert_int_eq(mb_endpoint_resolve(server.url, &endpoint, &err), 0);
    ck_assert_msg(mb_engine_open(&endpoint, 20000, &engine, &err) == 0, "%s", err.message);
    ck_assert_int_eq(mb_engine_list_owned(engine, NULL, &objects, &n, &err), 0);
    ck_assert_msg(n == 0, "%zu objects are left, the first is %s", n, n > 0 ? objects[0].name : "");
    mb_objects_free(objects, n);
    mb_engine_close(engine);
    mb_endpoint_clear(&endpoint);
}

static const char *const two[] = {"one", "two", NULL};

START_TEST(engines_are_up_one_at_a_time_in_passes)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};

    if (server.pid == 0)
        return;
    struct mb_matrix *m = load(two, "rounds: 5\nwarmup: 1\npasses: 2\n");
    int rc = run(m, (struct mb_run_observer){0}, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_str_eq(log_text(), "up one\ndown one\nup two\ndown two\nup one\ndown one\nup two\ndown two\n");
    struct mb_results *r = results();
    ck_assert_str_eq(order_of(r), "one two one two");
    ck_assert_uint_eq(r->cell_count, 4);
    for (size_t i = 0; i < r->cell_count; i++) {
        ck_assert_uint_eq(samples_of(r, r->cells[i].name, false), 5);
        ck_assert_uint_eq(samples_of(r, r->cells[i].name, true), 2);
    }
    ck_assert_uint_eq(outcome.cells_ready, 4);
    ck_assert(outcome.complete);
    mb_results_free(r);
    mb_matrix_free(m);
    assert_nothing_left();
    ck_assert_int_ne(access(in_root("one.sock"), F_OK), 0);
}
END_TEST

START_TEST(one_that_does_not_come_up_is_unavailable_and_the_rest_runs)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};

    if (server.pid == 0)
        return;
    struct mb_matrix *m = load(two, "rounds: 2\nwarmup: 0\npasses: 2\n");
    touch("one.refuse-up");
    int rc = run(m, (struct mb_run_observer){0}, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_str_eq(log_text(), "up one\ndown one\nup two\ndown two\nup two\ndown two\n");
    struct mb_results *r = results();
    const struct mb_cell *cell = find_cell(r, "one/volume/write");
    ck_assert_int_eq(cell->status, MB_CELL_UNAVAILABLE);
    ck_assert_msg(strstr(cell->reason, "no room for one") != NULL, "%s", cell->reason);
    ck_assert_uint_eq(samples_of(r, "two/volume/write", false), 2);
    ck_assert_uint_eq(outcome.cells_unavailable, 2);
    ck_assert_uint_eq(outcome.cells_failed, 0);
    mb_results_free(r);
    mb_matrix_free(m);
    assert_nothing_left();
}
END_TEST

START_TEST(one_that_never_answers_is_taken_down_again)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    static const char *const one[] = {"one", NULL};

    if (server.pid == 0)
        return;
    struct mb_matrix *m = load(one, "rounds: 1\nwarmup: 0\n");
    m->engines[0].ready_timeout_ns = UINT64_C(1500000000);
    touch("one.no-door");
    ck_assert_int_eq(run(m, (struct mb_run_observer){0}, &outcome, &err), -1);
    ck_assert_int_eq(mb_error_exit_status(&err), 3);
    ck_assert_msg(strstr(err.message, "ready_timeout") != NULL && strstr(err.message, "one.sock") != NULL, "%s", err.message);
    ck_assert_str_eq(log_text(), "up one\ndown one\n");
    ck_assert_int_ne(access(in_root("out.jsonl"), F_OK), 0);
    mb_matrix_free(m);
}
END_TEST

START_TEST(one_that_hangs_in_its_second_pass_keeps_its_samples)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    static const char *const one[] = {"one", NULL};

    if (server.pid == 0)
        return;
    struct mb_matrix *m = load(one, "rounds: 2\nwarmup: 0\npasses: 2\n");
    m->engines[0].ready_timeout_ns = UINT64_C(4000000000);
    touch("one.hang-second");
    int rc = run(m, (struct mb_run_observer){0}, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    struct mb_results *r = results();
    ck_assert_uint_eq(samples_of(r, "one/volume/write", false), 1);
    ck_assert_int_eq(find_cell(r, "one/volume/write")->status, MB_CELL_READY);
    ck_assert_uint_eq(outcome.cells_failed, 2);
    mb_results_free(r);
    mb_matrix_free(m);
    assert_nothing_left();
}
END_TEST

START_TEST(a_down_that_fails_says_what_to_run_and_the_table_is_still_there)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    static const char *const one[] = {"one", NULL};

    if (server.pid == 0)
        return;
    struct mb_matrix *m = load(one, "rounds: 1\nwarmup: 0\n");
    touch("one.refuse-down");
    ck_assert_int_eq(run(m, (struct mb_run_observer){0}, &outcome, &err), -1);
    ck_assert_int_eq(mb_error_exit_status(&err), 1);
    ck_assert(outcome.complete);
    ck_assert_msg(strstr(err.message, "one is stuck") != NULL, "%s", err.message);
    char command[700];
    snprintf(command, sizeof command, "run: %s down %s one", door, root);
    ck_assert_msg(strstr(err.message, command) != NULL, "%s", err.message);
    struct mb_results *r = results();
    ck_assert_str_eq(r->runs[0].end_status, "complete");
    mb_results_free(r);
    mb_matrix_free(m);
    assert_nothing_left();
}
END_TEST

START_TEST(an_engine_found_up_is_left_up)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    static const char *const one[] = {"one", NULL};
    char url[300];

    if (server.pid == 0)
        return;
    struct mb_matrix *m = load(one, "rounds: 1\nwarmup: 0\n");
    ck_assert_int_eq(symlink(server.socket, in_root("one.sock")), 0);
    snprintf(url, sizeof url, "unix://%s", in_root("one.sock"));
    m->engines[0].endpoint = strdup(url);
    int rc = run(m, (struct mb_run_observer){0}, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_str_eq(log_text(), "up one\n");
    mb_matrix_free(m);
    assert_nothing_left();
}
END_TEST

START_TEST(a_mount_that_is_not_what_its_label_says_fails)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    struct mb_matrix *m;

    if (server.pid == 0)
        return;
    FILE *f = fopen(in_root("matrix.yaml"), "w");
    fprintf(
        f,
        "name: labels\nengines: [{name: e, endpoint: 'unix://%s', expect: overlay}]\n"
        "mounts: [{name: layer, type: layer, expect: overlay}, {name: labelled, type: tmpfs, expect: {type: 9p, msize: 131072}},"
        " {name: bind, type: bind}]\n"
        "workloads: [{name: write, type: seq-write, block: 4KiB, total: 64KiB}]\nrounds: 1\nwarmup: 0\n",
        server.socket);
    fclose(f);
    ck_assert_msg(mb_matrix_load(in_root("matrix.yaml"), NULL, &m, &err) == 0, "%s", err.message);
    int rc = run(m, (struct mb_run_observer){0}, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    struct mb_results *r = results();
    ck_assert_uint_eq(r->check_count, 3);
    for (size_t i = 0; i < 3; i++) {
        bool layer = strcmp(r->cells[r->checks[i].cell].mount, "layer") == 0;
        ck_assert_str_eq(r->checks[i].outcome, layer ? "pass" : "fail");
    }
    const struct mb_cell *cell = find_cell(r, "e/labelled/write");
    ck_assert_int_eq(cell->status, MB_CELL_SKIPPED);
    ck_assert_str_eq(cell->reason, "labelled 9p msize=131072, is tmpfs without msize");
    /* An engine's label is about the directories that it shares. */
    ck_assert_msg(strncmp(find_cell(r, "e/bind/write")->reason, "labelled overlay, is ", 21) == 0, "%s",
                  find_cell(r, "e/bind/write")->reason);
    ck_assert_uint_eq(outcome.cells_failed, 2);
    ck_assert_uint_eq(samples_of(r, "e/layer/write", false), 1);
    mb_results_free(r);
    mb_matrix_free(m);
    assert_nothing_left();
}
END_TEST

/* Ctrl-C when the ${n}-th thing is waited for. */
struct trap {
    size_t after, seen;
    enum mb_run_event_type at;
};

static void
on_event(void *context, const struct mb_run_event *e)
{
    struct trap *t = context;

    if (e->type == t->at && ++t->seen == t->after)
        raise(SIGINT);
}

static const struct trap moments[] = {
    {.after = 1, .at = MB_RUN_WAITING}, /* looking */
    {.after = 3, .at = MB_RUN_WAITING}, /* starting the first */
    {.after = 4, .at = MB_RUN_WAITING}, /* waiting for it */
    {.after = 1, .at = MB_RUN_ENGINE_READY}, {.after = 1, .at = MB_RUN_MOUNT_READY}, {.after = 1, .at = MB_RUN_PREPARING},
    {.after = 2, .at = MB_RUN_TRIAL_ENDS},   {.after = 1, .at = MB_RUN_CLEANING}, /* between two engines */
    {.after = 2, .at = MB_RUN_ENGINE_READY},
};

START_TEST(an_interrupt_at_any_time_takes_all_down)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    struct trap trap = moments[_i];

    if (server.pid == 0)
        return;
    mb_signals_install();
    struct mb_matrix *m = load(two, "rounds: 2\nwarmup: 0\n");
    if (trap.at == MB_RUN_PREPARING)
        m->cells[0].workload = 0;
    ck_assert_int_eq(run(m, (struct mb_run_observer){on_event, &trap}, &outcome, &err), -1);
    ck_assert_uint_ge(trap.seen, trap.after);
    ck_assert_msg(mb_error_exit_status(&err) == 130, "%s", err.message);
    ck_assert(outcome.interrupted);
    mb_signals_shield(true);
    ck_assert_int_ne(access(in_root("one.sock"), F_OK), 0);
    ck_assert_int_ne(access(in_root("two.sock"), F_OK), 0);
    mb_matrix_free(m);
    assert_nothing_left();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("runs that start their engines");
    TCase *tc = tcase_create("stages");

    tcase_set_timeout(tc, 120);
    tcase_add_unchecked_fixture(tc, start_server, stop_server);
    tcase_add_checked_fixture(tc, make_root, remove_root);
    tcase_add_test(tc, engines_are_up_one_at_a_time_in_passes);
    tcase_add_test(tc, one_that_does_not_come_up_is_unavailable_and_the_rest_runs);
    tcase_add_test(tc, one_that_never_answers_is_taken_down_again);
    tcase_add_test(tc, one_that_hangs_in_its_second_pass_keeps_its_samples);
    tcase_add_test(tc, a_down_that_fails_says_what_to_run_and_the_table_is_still_there);
    tcase_add_test(tc, an_engine_found_up_is_left_up);
    tcase_add_test(tc, a_mount_that_is_not_what_its_label_says_fails);
    tcase_add_loop_test(tc, an_interrupt_at_any_time_takes_all_down, 0, sizeof moments / sizeof moments[0]);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
