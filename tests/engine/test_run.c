/*
 * test_run.c: whole runs on a real dockerd and a real podman: what is measured, what is kept when something breaks, and that
 * nothing is left behind.
 */
#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/runner.h"
#include "mountbench/signals.h"
#include "mountbench/tree.h"
#include "support/engines.h"

enum { DOCKER, PODMAN };

static struct mb_test_engine servers[2];
static char root[128]; /* the test's directory: binds and results */

static void
start_servers(void)
{
    mb_test_engine_start("dockerd", NULL, &servers[DOCKER]);
    mb_test_engine_start("podman", NULL, &servers[PODMAN]);
}

static void
stop_servers(void)
{
    mb_test_engine_stop(&servers[DOCKER]);
    mb_test_engine_stop(&servers[PODMAN]);
}

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

/* A matrix made by hand: one engine, these mounts, these workloads, every cell. */
static struct mb_engine_spec engine_spec;
static struct mb_mount_spec mounts[8];
static struct mb_workload_spec workloads[4];
static struct mb_cell_spec cells[32];
static struct mb_matrix matrix;
static char mount_names[8][32];

static void
set_param(struct mb_workload_spec *w, const char *name, const char *text)
{
    for (size_t i = 0; w->kind->params[i].name != NULL; i++) {
        struct mb_error err = {0};
        if (strcmp(w->kind->params[i].name, name) == 0)
            ck_assert_msg(mb_param_parse(&w->kind->params[i], text, &w->values[i], &err) == 0, "%s", err.message);
    }
}

static struct mb_workload_spec *
add_workload(const char *name, const char *kind)
{
    struct mb_workload_spec *w = &workloads[matrix.workload_count++];

    *w = (struct mb_workload_spec){.name = strdup(name), .kind = mb_workload_find(kind)};
    ck_assert_ptr_nonnull(w->kind);
    for (size_t i = 0; w->kind->params[i].name != NULL; i++) {
        if (w->kind->params[i].fallback != NULL)
            set_param(w, w->kind->params[i].name, w->kind->params[i].fallback);
    }
    return w;
}

static struct mb_mount_spec *
add_mount(enum mb_mount_type type, const char *consistency)
{
    struct mb_mount_spec *m = &mounts[matrix.mount_count];

    snprintf(mount_names[matrix.mount_count], 32, "%s%s%s", mb_mount_type_name(type), consistency ? "-" : "",
             consistency ? consistency : "");
    *m = (struct mb_mount_spec){
        .name = mount_names[matrix.mount_count], .type = type, .consistency = consistency ? strdup(consistency) : NULL};
    matrix.mount_count++;
    return m;
}

static void
begin_matrix(int server)
{
    engine_spec = (struct mb_engine_spec){.name = strdup("tested"), .endpoint = servers[server].url};
    matrix = (struct mb_matrix){.path = strdup("by hand"),
                                .name = strdup("by-hand"),
                                .engines = &engine_spec,
                                .engine_count = 1,
                                .mounts = mounts,
                                .workloads = workloads,
                                .cells = cells,
                                .rounds = 3,
                                .warmup = 1,
                                .passes = 1};
    memset(matrix.sha256, 'a', 64);
}

static void
end_matrix(void)
{
    matrix.cell_count = 0;
    for (size_t m = 0; m < matrix.mount_count; m++) {
        for (size_t w = 0; w < matrix.workload_count; w++)
            cells[matrix.cell_count++] = (struct mb_cell_spec){.mount = m, .workload = w};
    }
}

static void
tiny_workloads(void)
{
    struct mb_workload_spec *w = add_workload("write", "seq-write");
    set_param(w, "block", "4KiB");
    set_param(w, "total", "64KiB");
    w = add_workload("read", "seq-read");
    set_param(w, "block", "4KiB");
    set_param(w, "total", "64KiB");
}

static const char *
output_path(void)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/out.jsonl", root);
    return path;
}

static struct mb_results *
read_output(void)
{
    const char *file = output_path();
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

/* Samples of cell ${name} that are ok and timed. */
static size_t
kept(const struct mb_results *r, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < r->sample_count; i++) {
        const struct mb_sample *s = &r->samples[i];
        n += strcmp(r->cells[s->cell].name, name) == 0 && !s->warmup && s->status == MB_SAMPLE_OK;
    }
    return n;
}

static struct mb_engine *
open_server(int server)
{
    struct mb_endpoint endpoint;
    struct mb_error err = {0};
    struct mb_engine *engine;

    ck_assert_int_eq(mb_endpoint_resolve(servers[server].url, &endpoint, &err), 0);
    ck_assert_msg(mb_engine_open(&endpoint, 20000, &engine, &err) == 0, "%s", err.message);
    mb_endpoint_clear(&endpoint);
    return engine;
}

/* Nothing of ours on the engine, and in the directory nothing but the results. */
static void
assert_nothing_left(int server)
{
    struct mb_engine *engine = open_server(server);
    struct mb_error err = {0};
    struct mb_object *objects;
    size_t n;
    const struct dirent *entry;

    ck_assert_msg(mb_engine_list_owned(engine, NULL, &objects, &n, &err) == 0, "%s", err.message);
    ck_assert_msg(n == 0, "%zu objects are left, the first is %s", n, n > 0 ? objects[0].name : "");
    mb_objects_free(objects, n);
    mb_engine_close(engine);
    DIR *dir = opendir(root);
    while ((entry = readdir(dir)) != NULL)
        ck_assert_msg(entry->d_name[0] == '.' || strcmp(entry->d_name, "out.jsonl") == 0, "%s is left", entry->d_name);
    closedir(dir);
}

static int
run(struct mb_run_observer observer, bool resume, struct mb_run_outcome *outcome, struct mb_error *err)
{
    const struct mb_run_options options = {
        .matrix = &matrix, .seed = 7, .dir = root, .output = output_path(), .resume = resume, .observer = observer};
    return mb_run(&options, outcome, err);
}

/* Warnings are shown, so that a failure explains itself. */
static void
on_warning(void *context, const struct mb_run_event *e)
{
    (void)context;
    if (e->type == MB_RUN_WARNING)
        fprintf(stderr, "%s: %s\n", e->name, e->text);
}

START_TEST(measures_every_ordinary_mount)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};

    if (servers[_i].pid == 0)
        return;
    begin_matrix(_i);
    tiny_workloads();
    add_mount(MB_MOUNT_LAYER, NULL);
    add_mount(MB_MOUNT_BIND, NULL);
    add_mount(MB_MOUNT_BIND, "cached");
    add_mount(MB_MOUNT_BIND, "delegated");
    add_mount(MB_MOUNT_VOLUME, NULL);
    add_mount(MB_MOUNT_TMPFS, NULL)->size_bytes = 16 << 20;
    add_mount(MB_MOUNT_HOST, NULL);
    end_matrix();
    int rc = run((struct mb_run_observer){0}, false, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    struct mb_results *r = read_output();
    for (size_t i = 0; i < r->cell_count; i++) {
        ck_assert_msg(kept(r, r->cells[i].name) == 3, "%s: %s", r->cells[i].name, r->cells[i].reason ? r->cells[i].reason : "");
        ck_assert_ptr_nonnull(r->cells[i].fstype);
    }
    ck_assert_uint_eq(r->cell_count, 14);
    ck_assert_uint_eq(outcome.cells_ready, 14);
    ck_assert_uint_eq(outcome.samples, 42);
    ck_assert_str_eq(find_cell(r, "tested/layer/write")->fstype, "overlay");
    ck_assert_str_eq(find_cell(r, "tested/tmpfs/write")->fstype, "tmpfs");
    ck_assert_str_eq(find_cell(r, "tested/bind/write")->device, find_cell(r, "tested/bind-cached/write")->device);
    ck_assert_str_eq(r->runs[0].end_status, "complete");
    mb_results_free(r);
    assert_nothing_left(_i);
}
END_TEST

START_TEST(what_the_engine_cannot_have_is_unavailable)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};

    if (servers[_i].pid == 0)
        return;
    begin_matrix(_i);
    tiny_workloads();
    add_mount(MB_MOUNT_VOLUME, NULL);
    struct mb_mount_spec *nfs = add_mount(MB_MOUNT_NFS, NULL);
    nfs->device = strdup(_i == DOCKER ? ":/share" : "127.0.0.1:/share");
    nfs->options = strdup("addr=127.0.0.1,vers=4");
    struct mb_mount_spec *path = add_mount(MB_MOUNT_PATH, NULL);
    char missing[256]; /* in the engine's own directory: podman makes it */
    snprintf(missing, sizeof missing, "%s/missing", servers[_i].dir);
    path->path = strdup(missing);
    end_matrix();
    int rc = run((struct mb_run_observer){0}, false, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    struct mb_results *r = read_output();
    const struct mb_cell *cell = find_cell(r, "tested/nfs/write");
    ck_assert_int_eq(cell->status, MB_CELL_UNAVAILABLE);
    ck_assert_ptr_nonnull(cell->reason);
    ck_assert_uint_eq(kept(r, "tested/volume/write"), 3);
    ck_assert_uint_eq(outcome.cells_failed, 0);
    ck_assert_uint_ge(outcome.cells_unavailable, 2);
    mb_results_free(r);
    assert_nothing_left(_i);
}
END_TEST

/* While trials go on, the directory that the mounts name holds the run's. */
static void
on_event_in(void *context, const struct mb_run_event *e)
{
    const char *place = context;

    if (e->type == MB_RUN_TRIAL_ENDS)
        ck_assert_msg(rmdir(place) != 0, "nothing is in %s", place);
}

START_TEST(a_bind_may_name_its_own_directory)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    char place[256];

    if (servers[_i].pid == 0)
        return;
    mb_test_dir(place, sizeof place);
    begin_matrix(_i);
    tiny_workloads();
    add_mount(MB_MOUNT_BIND, NULL)->path = strdup(place);
    add_mount(MB_MOUNT_HOST, NULL)->path = strdup(place);
    end_matrix();
    int rc = run((struct mb_run_observer){on_event_in, place}, false, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_uint_eq(outcome.samples, 12);
    ck_assert_msg(rmdir(place) == 0, "something is left in %s", place);
    assert_nothing_left(_i);
}
END_TEST

START_TEST(a_container_of_its_own_for_each_trial)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};

    if (servers[_i].pid == 0)
        return;
    begin_matrix(_i);
    tiny_workloads();
    add_mount(MB_MOUNT_LAYER, NULL)->isolation_trial = true;
    add_mount(MB_MOUNT_VOLUME, NULL)->isolation_trial = true;
    end_matrix();
    int rc = run((struct mb_run_observer){on_warning, NULL}, false, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_uint_eq(outcome.samples, 12);
    ck_assert_uint_eq(outcome.cells_failed, 0);
    assert_nothing_left(_i);
}
END_TEST

START_TEST(a_cell_rests_when_its_interval_is_narrow_enough)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    size_t most = 0;

    if (servers[DOCKER].pid == 0)
        return;
    begin_matrix(DOCKER);
    tiny_workloads();
    add_mount(MB_MOUNT_TMPFS, NULL)->size_bytes = 16 << 20;
    end_matrix();
    matrix.precision_percent = 200;
    matrix.rounds_min = 4;
    matrix.rounds = matrix.rounds_max = 40;
    int rc = run((struct mb_run_observer){on_warning, NULL}, false, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    struct mb_results *r = read_output();
    ck_assert_uint_eq(r->check_count, 2);
    for (size_t i = 0; i < r->cell_count; i++) {
        size_t n = kept(r, r->cells[i].name);
        ck_assert_msg(n >= 4 && n <= 40, "%zu trials", n);
        most = n > most ? n : most;
    }
    ck_assert_msg(most < 40, "no cell rested");
    ck_assert_str_eq(r->checks[0].name, "precision");
    ck_assert_str_eq(r->checks[0].expected, "200 %");
    ck_assert_uint_eq(outcome.cells_precise, 2);
    mb_results_free(r);
}
END_TEST

START_TEST(too_little_space_is_said_before_anything_is_written)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};

    if (servers[DOCKER].pid == 0)
        return;
    begin_matrix(DOCKER);
    set_param(add_workload("huge", "seq-write"), "total", "64MiB");
    add_mount(MB_MOUNT_TMPFS, NULL)->size_bytes = 1 << 20;
    end_matrix();
    ck_assert_int_eq(run((struct mb_run_observer){0}, false, &outcome, &err), -1);
    ck_assert_int_eq(mb_error_exit_status(&err), 2);
    ck_assert_msg(strstr(err.message, "'huge' with 64 MiB") != NULL && strstr(err.message, "tested/tmpfs") != NULL, "%s",
                  err.message);
    assert_nothing_left(DOCKER);
}
END_TEST

/* An observer that does something once, when so many trials have ended. */
struct trap {
    size_t after, seen;
    void (*spring)(void);
};

static void
on_event(void *context, const struct mb_run_event *e)
{
    struct trap *t = context;

    if (e->type == MB_RUN_TRIAL_ENDS && ++t->seen == t->after)
        t->spring();
}

static void
interrupt(void)
{
    raise(SIGINT);
}

static void
layer_and_volume(int server)
{
    begin_matrix(server);
    tiny_workloads();
    add_mount(MB_MOUNT_LAYER, NULL);
    add_mount(MB_MOUNT_BIND, NULL);
    add_mount(MB_MOUNT_VOLUME, NULL);
    end_matrix();
}

START_TEST(an_interrupt_keeps_the_samples_and_leaves_nothing)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    struct trap trap = {.after = 10, .spring = interrupt};

    if (servers[_i].pid == 0)
        return;
    mb_signals_install();
    layer_and_volume(_i);
    ck_assert_int_eq(run((struct mb_run_observer){on_event, &trap}, false, &outcome, &err), -1);
    ck_assert_int_eq(mb_error_exit_status(&err), 130);
    ck_assert(outcome.interrupted);
    struct mb_results *r = read_output();
    ck_assert_uint_eq(r->sample_count, 10);
    ck_assert_str_eq(r->runs[0].end_status, "interrupted");
    mb_results_free(r);
    mb_signals_shield(true); /* the flag stays raised in this process */
    assert_nothing_left(_i);
}
END_TEST

/* Interrupts in the middle of a trial of `endless`, and counts warnings. */
struct patience {
    bool sent;
    size_t warnings;
    char warning[256];
};

static void
interrupt_the_endless(void *context, const struct mb_run_event *e)
{
    struct patience *p = context;

    if (e->type == MB_RUN_WARNING) {
        p->warnings++;
        snprintf(p->warning, sizeof p->warning, "%s: %s", e->name, e->text);
    }
    if (p->sent || e->type != MB_RUN_TRIAL_STARTS || strstr(e->name, "/endless") == NULL)
        return;
    p->sent = true;
    pid_t parent = getpid();
    if (fork() == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
        kill(parent, SIGINT);
        _exit(0);
    }
}

/* What is written to a directory of the engine's machine goes neither with a container nor with a volume. */
START_TEST(an_interrupt_in_the_middle_of_a_long_trial)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    struct patience patience = {0};
    char place[160];

    if (servers[_i].pid == 0)
        return;
    mb_signals_install();
    snprintf(place, sizeof place, "%s/place", root);
    ck_assert_int_eq(mkdir(place, 0777), 0);
    begin_matrix(_i);
    set_param(add_workload("first", "commit"), "count", "2");
    struct mb_workload_spec *endless = add_workload("endless", "commit");
    set_param(endless, "count", "2000000");
    set_param(endless, "record", "512");
    set_param(add_workload("last", "commit"), "count", "3");
    add_mount(MB_MOUNT_PATH, NULL)->path = place;
    end_matrix();
    ck_assert_int_eq(run((struct mb_run_observer){interrupt_the_endless, &patience}, false, &outcome, &err), -1);
    ck_assert_msg(outcome.interrupted, "%s", err.message);
    ck_assert_msg(patience.warnings == 0, "%s", patience.warning);
    ck_assert_msg(rmdir(place) == 0, "something is left in %s", place);
    mb_signals_shield(true);
    assert_nothing_left(_i);
}
END_TEST

START_TEST(a_run_is_resumed_to_exactly_the_whole)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    struct trap trap = {.after = 14, .spring = interrupt};

    if (servers[DOCKER].pid == 0)
        return;
    mb_signals_install();
    layer_and_volume(DOCKER);
    ck_assert_int_eq(run((struct mb_run_observer){on_event, &trap}, false, &outcome, &err), -1);
    mb_signals_shield(true);
    mb_error_clear(&err);
    int rc = run((struct mb_run_observer){0}, true, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    struct mb_results *r = read_output();
    ck_assert_uint_eq(r->cell_count, 6);
    for (size_t i = 0; i < r->cell_count; i++)
        ck_assert_uint_eq(kept(r, r->cells[i].name), 3);
    ck_assert_str_eq(r->runs[0].end_status, "complete");
    mb_results_free(r);
    ck_assert_int_eq(run((struct mb_run_observer){0}, true, &outcome, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.message, "nothing is left to resume"));
    matrix.sha256[0] = 'b';
    ck_assert_int_eq(run((struct mb_run_observer){0}, true, &outcome, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.message, "another matrix file"));
}
END_TEST

static struct mb_engine *other; /* a second connection, for what happens behind a run's back */

static void
kill_a_container(void)
{
    struct mb_error err = {0};
    struct mb_object *objects;
    size_t n;

    ck_assert_int_eq(mb_engine_list_owned(other, NULL, &objects, &n, &err), 0);
    ck_assert_int_eq(objects[0].type, MB_OBJECT_CONTAINER);
    ck_assert_msg(mb_container_kill(other, objects[0].id, &err) == 0, "%s", err.message);
    mb_objects_free(objects, n);
}

START_TEST(a_container_that_dies_fails_its_cells_alone)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    struct trap trap = {.after = 8, .spring = kill_a_container};

    if (servers[_i].pid == 0)
        return;
    other = open_server(_i);
    layer_and_volume(_i);
    int rc = run((struct mb_run_observer){on_event, &trap}, false, &outcome, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_uint_eq(outcome.cells_failed, 2);
    ck_assert_uint_eq(outcome.cells_ready, 4);
    struct mb_results *r = read_output();
    size_t named = 0;
    for (size_t i = 0; i < r->sample_count; i++)
        named += r->samples[i].status == MB_SAMPLE_FAILED && strstr(r->samples[i].reason, "137") != NULL;
    ck_assert_msg(named >= 1, "no sample says that the container was killed");
    mb_results_free(r);
    mb_engine_close(other);
    assert_nothing_left(_i);
}
END_TEST

static int dying;

static void
kill_the_engine(void)
{
    mb_test_engine_halt(&servers[dying], SIGKILL);
}

START_TEST(an_engine_that_goes_away_ends_the_run_and_keeps_the_samples)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};
    struct trap trap = {.after = 9, .spring = kill_the_engine};

    if (!mb_test_engine_start("dockerd", NULL, &servers[DOCKER]))
        return;
    dying = DOCKER;
    layer_and_volume(DOCKER);
    ck_assert_int_eq(run((struct mb_run_observer){on_event, &trap}, false, &outcome, &err), -1);
    ck_assert_msg(strstr(err.message, "went away in the middle of the run") != NULL, "%s", err.message);
    ck_assert_int_eq(mb_error_exit_status(&err), 1);
    struct mb_results *r = read_output();
    ck_assert_uint_ge(r->sample_count, 9);
    mb_results_free(r);
    mb_test_engine_stop(&servers[DOCKER]);
    const struct dirent *entry;
    DIR *dir = opendir(root);
    while ((entry = readdir(dir)) != NULL)
        ck_assert_msg(entry->d_name[0] == '.' || strcmp(entry->d_name, "out.jsonl") == 0, "%s is left", entry->d_name);
    closedir(dir);
}
END_TEST

START_TEST(no_engine_is_exit_3_and_no_file)
{
    struct mb_run_outcome outcome;
    struct mb_error err = {0};

    layer_and_volume(DOCKER);
    engine_spec.endpoint = strdup("unix:///nonexistent/docker.sock");
    ck_assert_int_eq(run((struct mb_run_observer){0}, false, &outcome, &err), -1);
    ck_assert_int_eq(mb_error_exit_status(&err), 3);
    ck_assert_ptr_nonnull(strstr(err.message, "/nonexistent/docker.sock"));
    ck_assert_int_ne(access(output_path(), F_OK), 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("runs on real engines");
    TCase *tc = tcase_create("run"), *alone = tcase_create("an engine of its own");

    tcase_set_timeout(tc, 180);
    tcase_set_timeout(alone, 180);
    tcase_add_unchecked_fixture(tc, start_servers, stop_servers);
    tcase_add_checked_fixture(tc, make_root, remove_root);
    tcase_add_checked_fixture(alone, make_root, remove_root);
    tcase_add_loop_test(tc, measures_every_ordinary_mount, 0, 2);
    tcase_add_loop_test(tc, what_the_engine_cannot_have_is_unavailable, 0, 2);
    tcase_add_loop_test(tc, a_bind_may_name_its_own_directory, 0, 2);
    tcase_add_loop_test(tc, a_container_of_its_own_for_each_trial, 0, 2);
    tcase_add_test(tc, a_cell_rests_when_its_interval_is_narrow_enough);
    tcase_add_test(tc, too_little_space_is_said_before_anything_is_written);
    tcase_add_loop_test(tc, an_interrupt_keeps_the_samples_and_leaves_nothing, 0, 2);
    tcase_add_loop_test(tc, an_interrupt_in_the_middle_of_a_long_trial, 0, 2);
    tcase_add_test(tc, a_run_is_resumed_to_exactly_the_whole);
    tcase_add_loop_test(tc, a_container_that_dies_fails_its_cells_alone, 0, 2);
    tcase_add_test(alone, an_engine_that_goes_away_ends_the_run_and_keeps_the_samples);
    tcase_add_test(alone, no_engine_is_exit_3_and_no_file);
    suite_add_tcase(suite, tc);
    suite_add_tcase(suite, alone);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
