/* test_docker.c: the typed calls on a real dockerd and a real podman: the same expectations, and where they differ it says so. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/engine.h"
#include "support/engines.h"

#define REFERENCE "mountbench-test:one"

static struct mb_test_engine servers[4];
static const char *const kinds[] = {"dockerd", "podman", "podman-rootless", "dockerd-newer"};
static void *tar;
static size_t tar_size;

/* The engine of a loop test's turn, or NULL where it does not run here. */
static struct mb_engine *
open_engine(int i)
{
    struct mb_endpoint endpoint;
    struct mb_error err = {0};
    struct mb_engine *engine;

    if (servers[i].pid == 0 || tar == NULL)
        return NULL;
    ck_assert_int_eq(mb_endpoint_resolve(servers[i].url, &endpoint, &err), 0);
    ck_assert_msg(mb_engine_open(&endpoint, 20000, &engine, &err) == 0, "%s", err.message);
    mb_endpoint_clear(&endpoint);
    return engine;
}

static char *
import(struct mb_engine *engine, const char *run)
{
    static const char *const changes[] = {"ENTRYPOINT [\"/bin/sh\"]", NULL};
    struct mb_labels labels = {.run = run};
    struct mb_error err = {0};
    char *id;

    ck_assert_msg(mb_image_import(engine, tar, tar_size, REFERENCE, changes, &labels, &id, &err) == 0, "%s", err.message);
    ck_assert_msg(strncmp(id, "sha256:", 7) == 0, "id is %s", id);
    return id;
}

/* Create a container of ${spec} that runs ${script}; -1 with ${err} where the engine refuses. */
static int
create(struct mb_engine *engine, struct mb_container_spec *spec, const char *script, char **id, struct mb_error *err)
{
    const char *command[] = {"-c", script, NULL};

    spec->image = REFERENCE;
    spec->command = command;
    spec->network_none = true;
    spec->labels.run = "test";
    return mb_container_create(engine, spec, id, err);
}

START_TEST(test_facts)
{
    struct mb_engine *engine = open_engine(_i);

    if (engine == NULL)
        return;
    const struct mb_engine_facts *f = mb_engine_facts(engine);
    ck_assert_str_eq(mb_runtime_name(f->runtime), (_i == 0 || _i == 3 ? "docker-engine" : "podman"));
    ck_assert_str_eq(f->arch, "amd64");
    ck_assert_str_eq(f->api_version, (_i == 3 ? "1.51" : f->api_newest));
    ck_assert_uint_eq(f->cpus, (unsigned long)sysconf(_SC_NPROCESSORS_CONF));
    ck_assert_uint_gt(f->memory_bytes, 100000000);
    ck_assert_msg(_i == 2 || strstr(f->storage_driver, "overlay") != NULL, "%s", f->storage_driver);
    ck_assert_msg(strncmp(f->root_dir, servers[_i].dir, strlen(servers[_i].dir)) == 0, "%s", f->root_dir);
    ck_assert_str_ne(f->id, "");
    ck_assert_int_eq(f->rootless, _i == 2);
    mb_engine_close(engine);
}
END_TEST

START_TEST(test_image)
{
    struct mb_engine *engine = open_engine(_i);
    struct mb_error err = {0};
    char *id, *found;

    if (engine == NULL)
        return;
    id = import(engine, "r1");
    ck_assert_int_eq(mb_image_id(engine, REFERENCE, &found, &err), 0);
    ck_assert_str_eq(found, id);
    free(found);
    ck_assert_int_eq(mb_image_remove(engine, id, &err), 0);
    ck_assert_int_eq(mb_image_id(engine, REFERENCE, &found, &err), 0);
    ck_assert_ptr_null(found);
    ck_assert_int_eq(mb_image_remove(engine, id, &err), 0);
    free(id);
    mb_engine_close(engine);
}
END_TEST

START_TEST(test_import_of_no_tar_fails_in_the_engines_words)
{
    struct mb_engine *engine = open_engine(_i);
    struct mb_error err = {0};
    char *id;

    if (engine == NULL)
        return;
    ck_assert_int_eq(mb_image_import(engine, "not a tar", 9, "mountbench-test:bad", NULL, NULL, &id, &err), -1);
    ck_assert_int_eq(err.code, MB_EENGINE);
    ck_assert_ptr_nonnull(strstr(err.message, "cannot import the image: "));
    ck_assert_ptr_nonnull(strstr(err.message, "unexpected EOF"));
    ck_assert_ptr_null(strchr(err.message, '\n'));
    /* A containerd image store would keep it. */
    ck_assert_int_eq(mb_image_id(engine, "mountbench-test:bad", &id, &err), 0);
    ck_assert_ptr_null(id);
    mb_engine_close(engine);
}
END_TEST

START_TEST(test_life_of_a_container)
{
    struct mb_engine *engine = open_engine(_i);
    struct mb_error err = {0};
    struct mb_container_spec spec = {.name = "mb-life"};
    struct mb_container_state state;
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(1000);
    MB_AUTO_BUFFER errors = MB_BUFFER_INIT(3);
    char *image, *id;
    int code = -1;

    if (engine == NULL)
        return;
    image = import(engine, NULL);
    ck_assert_msg(create(engine, &spec, "echo hello; sleep 0.1; echo broken >&2; exit 7", &id, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_start(engine, id, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_wait(engine, id, 20000, &code, &err) == 0, "%s", err.message);
    ck_assert_int_eq(code, 7);
    ck_assert_msg(mb_container_inspect(engine, id, &state, &err) == 0, "%s", err.message);
    ck_assert(!state.running && !state.oom_killed);
    ck_assert_int_eq(state.exit_code, 7);
    ck_assert_msg(mb_container_logs(engine, id, &out, &errors, &err) == 0, "%s", err.message);
    ck_assert_str_eq(mb_buffer_text(&out), "hello\n");
    ck_assert_str_eq(mb_buffer_text(&errors), "bro");
    ck_assert_msg(mb_container_remove(engine, id, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_remove(engine, id, &err) == 0, "%s", err.message);
    ck_assert_int_eq(mb_container_inspect(engine, id, &state, &err), -1);
    ck_assert_int_eq(err.http_status, 404);
    free(id);
    mb_image_remove(engine, image, NULL);
    free(image);
    mb_engine_close(engine);
}
END_TEST

START_TEST(test_wait_has_a_time_limit_and_the_engine_is_still_there_after_it)
{
    struct mb_engine *engine = open_engine(_i);
    struct mb_error err = {0};
    struct mb_container_spec spec = {.name = NULL};
    char *image, *id;

    if (engine == NULL)
        return;
    image = import(engine, NULL);
    ck_assert_msg(create(engine, &spec, "sleep 100", &id, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_start(engine, id, &err) == 0, "%s", err.message);
    ck_assert_int_eq(mb_container_wait(engine, id, 200, NULL, &err), -1);
    ck_assert_int_eq(err.code, MB_ETIMEOUT);
    ck_assert_msg(mb_container_kill(engine, id, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_remove(engine, id, &err) == 0, "%s", err.message);
    free(id);
    mb_image_remove(engine, image, NULL);
    free(image);
    mb_engine_close(engine);
}
END_TEST

/* A container whose shell answers each line. */
static char *
start_echo(struct mb_engine *engine, struct mb_attach **attach)
{
    struct mb_container_spec spec = {.open_stdin = true};
    struct mb_error err = {0};
    char *id;

    ck_assert_msg(
        create(engine, &spec, "echo ready; while read -r l; do echo \"got $l\"; done; echo sorry >&2; exit 4", &id, &err) == 0,
        "%s", err.message);
    ck_assert_msg(mb_container_attach(engine, id, attach, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_start(engine, id, &err) == 0, "%s", err.message);
    return id;
}

static int
by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

START_TEST(test_attached_stream)
{
    struct mb_engine *engine = open_engine(_i);
    struct mb_error err = {0};
    struct mb_attach *attach;
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(4096);
    uint64_t took[200];

    if (engine == NULL)
        return;
    char *image = import(engine, NULL), *id = start_echo(engine, &attach);
    ck_assert_msg(mb_attach_read_line(attach, &line, 10000, &err) == 0, "%s", err.message);
    ck_assert_str_eq(mb_buffer_text(&line), "ready");
    for (int i = 0; i < 200; i++) {
        uint64_t start = mb_now_ns();
        ck_assert_msg(mb_attach_write(attach, "a b\n", 4, 10000, &err) == 0, "%s", err.message);
        ck_assert_msg(mb_attach_read_line(attach, &line, 10000, &err) == 0, "%s", err.message);
        ck_assert_str_eq(mb_buffer_text(&line), "got a b");
        took[i] = mb_now_ns() - start;
    }
    qsort(took, 200, sizeof took[0], by_value);
    printf("%s: a line there and back takes %.3f ms (median of 200)\n", kinds[_i], (double)took[100] / 1e6);
    ck_assert_int_eq(mb_attach_read_line(attach, &line, 100, &err), -1);
    ck_assert_int_eq(err.code, MB_ETIMEOUT);
    mb_attach_close(attach);
    /* StdinOnce: who detaches ends it. */
    int code;
    ck_assert_msg(mb_container_wait(engine, id, 10000, &code, &err) == 0, "%s", err.message);
    ck_assert_int_eq(code, 4);
    ck_assert_msg(mb_container_remove(engine, id, &err) == 0, "%s", err.message);
    free(id);
    mb_image_remove(engine, image, NULL);
    free(image);
    mb_engine_close(engine);
}
END_TEST

START_TEST(test_container_that_dies_at_once)
{
    struct mb_engine *engine = open_engine(_i);
    struct mb_error err = {0};
    struct mb_container_spec spec = {.open_stdin = true};
    struct mb_attach *attach;
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(4096);
    char *id;

    if (engine == NULL)
        return;
    char *image = import(engine, NULL);
    ck_assert_msg(create(engine, &spec, "echo cannot go on >&2; exit 9", &id, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_attach(engine, id, &attach, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_start(engine, id, &err) == 0, "%s", err.message);
    ck_assert_int_eq(mb_attach_read_line(attach, &line, 10000, &err), -1);
    ck_assert_int_eq(err.code, MB_EGONE);
    ck_assert_str_eq(mb_attach_errors(attach), "cannot go on\n");
    mb_attach_close(attach);
    ck_assert_msg(mb_container_remove(engine, id, &err) == 0, "%s", err.message);
    free(id);
    mb_image_remove(engine, image, NULL);
    free(image);
    mb_engine_close(engine);
}
END_TEST

START_TEST(test_owned_objects_are_listed_in_the_order_of_removal)
{
    struct mb_engine *engine = open_engine(_i);
    struct mb_error err = {0};
    struct mb_container_spec spec = {.name = "mb-owned"};
    struct mb_labels labels = {.run = "test"};
    struct mb_object *objects;
    size_t n;
    char *id;

    if (engine == NULL)
        return;
    char *image = import(engine, "test");
    ck_assert_msg(mb_volume_create(engine, "mb-owned-volume", NULL, NULL, &labels, &err) == 0, "%s", err.message);
    ck_assert_msg(create(engine, &spec, "true", &id, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_engine_list_owned(engine, "other", &objects, &n, &err) == 0, "%s", err.message);
    ck_assert_uint_eq(n, 0);
    mb_objects_free(objects, n);
    ck_assert_msg(mb_engine_list_owned(engine, "test", &objects, &n, &err) == 0, "%s", err.message);
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(objects[0].type, MB_OBJECT_CONTAINER);
    ck_assert_str_eq(objects[0].name, "mb-owned");
    ck_assert_str_eq(objects[0].run, "test");
    ck_assert_int_eq(objects[1].type, MB_OBJECT_VOLUME);
    ck_assert_str_eq(objects[1].id, "mb-owned-volume");
    ck_assert_int_eq(objects[2].type, MB_OBJECT_IMAGE);
    ck_assert_int_eq(mb_container_remove(engine, objects[0].id, &err), 0);
    ck_assert_int_eq(mb_volume_remove(engine, objects[1].id, &err), 0);
    ck_assert_int_eq(mb_volume_remove(engine, objects[1].id, &err), 0);
    ck_assert_msg(mb_image_remove(engine, objects[2].id, &err) == 0, "%s", err.message);
    mb_objects_free(objects, n);
    ck_assert_int_eq(mb_engine_list_owned(engine, NULL, &objects, &n, &err), 0);
    ck_assert_msg(n == 0, "still there, of type %d: %s", n > 0 ? (int)objects[0].type : -1, n > 0 ? objects[0].name : "");
    mb_objects_free(objects, n);
    free(id);
    free(image);
    mb_engine_close(engine);
}
END_TEST

static void
setup(void)
{
    tar = mb_test_tar(&tar_size);
    for (int i = 0; i < 4; i++)
        mb_test_engine_start(kinds[i], NULL, &servers[i]);
}

static void
teardown(void)
{
    for (int i = 0; i < 4; i++)
        mb_test_engine_stop(&servers[i]);
    free(tar);
}

int
main(void)
{
    Suite *suite = suite_create("docker");
    TCase *tcase = tcase_create("calls");
    SRunner *runner = srunner_create(suite);

    tcase_add_unchecked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test_facts, 0, 4);
    tcase_add_loop_test(tcase, test_image, 0, 4);
    tcase_add_loop_test(tcase, test_import_of_no_tar_fails_in_the_engines_words, 0, 4);
    tcase_add_loop_test(tcase, test_life_of_a_container, 0, 4);
    tcase_add_loop_test(tcase, test_wait_has_a_time_limit_and_the_engine_is_still_there_after_it, 0, 4);
    tcase_add_loop_test(tcase, test_attached_stream, 0, 4);
    tcase_add_loop_test(tcase, test_container_that_dies_at_once, 0, 4);
    tcase_add_loop_test(tcase, test_owned_objects_are_listed_in_the_order_of_removal, 0, 4);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
