/* test_mounts.c: every kind of mount on a real dockerd and a real podman, seen from inside and from the host. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/engine.h"
#include "support/engines.h"

#define REFERENCE "mountbench-test:mounts"
enum { DOCKERD, PODMAN, ROOTLESS, NEWER };

static struct mb_test_engine servers[4];
static const char *const kinds[] = {"dockerd", "podman", "podman-rootless", "dockerd-newer"};
static void *tar;
static size_t tar_size;

struct run {
    struct mb_engine *engine;
    char *id;
    struct mb_buffer out, errors;
    int exit_code;
    struct mb_error err;
};

static struct mb_engine *
open_engine(int i)
{
    static const char *const changes[] = {"ENTRYPOINT [\"/bin/sh\", \"-c\"]", "ENV PATH=/bin", NULL};
    struct mb_endpoint endpoint;
    struct mb_error err = {0};
    struct mb_engine *engine;
    char *id;

    if (servers[i].pid == 0 || tar == NULL)
        return NULL;
    ck_assert_int_eq(mb_endpoint_resolve(servers[i].url, &endpoint, &err), 0);
    ck_assert_msg(mb_engine_open(&endpoint, 20000, &engine, &err) == 0, "%s", err.message);
    mb_endpoint_clear(&endpoint);
    ck_assert_msg(mb_image_id(engine, REFERENCE, &id, &err) == 0, "%s", err.message);
    if (id == NULL)
        ck_assert_msg(mb_image_import(engine, tar, tar_size, REFERENCE, changes, NULL, &id, &err) == 0, "%s", err.message);
    free(id);
    return engine;
}

/* Run ${script} in a container of ${spec} to its end; -1 where the engine refuses to make or start it. */
static int
run_script(struct run *r, struct mb_container_spec spec, const char *script)
{
    const char *command[] = {script, NULL};

    memset(&r->err, 0, sizeof r->err);
    r->out.max = r->errors.max = 65536;
    mb_buffer_reset(&r->out);
    mb_buffer_reset(&r->errors);
    spec.image = REFERENCE;
    spec.command = command;
    spec.network_none = true;
    if (mb_container_create(r->engine, &spec, &r->id, &r->err) != 0)
        return -1;
    int rc = mb_container_start(r->engine, r->id, &r->err);
    if (rc == 0) {
        ck_assert_msg(mb_container_wait(r->engine, r->id, 20000, &r->exit_code, &r->err) == 0, "%s", r->err.message);
        ck_assert_msg(mb_container_logs(r->engine, r->id, &r->out, &r->errors, &r->err) == 0, "%s", r->err.message);
    }
    ck_assert_int_eq(mb_container_remove(r->engine, r->id, NULL), 0);
    free(r->id);
    return rc;
}

static void
finish(struct run *r)
{
    mb_buffer_free(&r->out);
    mb_buffer_free(&r->errors);
    mb_engine_close(r->engine);
}

START_TEST(test_bind_is_the_hosts_directory_with_every_consistency)
{
    static const char *const consistencies[] = {NULL, "consistent", "cached", "delegated"};
    struct run r = {.engine = open_engine(_i)};
    char dir[128], path[192], text[16] = "";

    if (r.engine == NULL)
        return;
    mb_test_dir(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/nonce", dir);
    ck_assert_int_eq(chmod(dir, 0777), 0);
    for (size_t i = 0; i < 4; i++) {
        struct mb_container_spec spec = {
            .mount = MB_ATTACH_BIND, .source = dir, .target = "/mnt/here", .consistency = consistencies[i]};
        ck_assert_msg(run_script(&r, spec, "echo seen > /mnt/here/nonce; echo done") == 0, "%s", r.err.message);
        ck_assert_str_eq(mb_buffer_text(&r.out), "done\n");
        FILE *file = fopen(path, "r");
        ck_assert_ptr_nonnull(file);
        ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
        fclose(file);
        ck_assert_str_eq(text, "seen\n");
        unlink(path);
    }
    mb_test_remove(dir);
    finish(&r);
}
END_TEST

START_TEST(test_bind_of_what_is_not_there)
{
    struct run r = {.engine = open_engine(_i)};
    struct mb_container_spec spec = {.mount = MB_ATTACH_BIND, .target = "/m"};
    char dir[128], path[192];

    if (r.engine == NULL)
        return;
    mb_test_dir(dir, sizeof dir);
    ck_assert_int_eq(chmod(dir, 0777), 0);
    snprintf(path, sizeof path, "%s/none", dir);
    spec.source = path;
    int rc = run_script(&r, spec, "true");
    if (_i == DOCKERD || _i == NEWER) {
        ck_assert_int_eq(rc, -1);
        ck_assert_ptr_nonnull(strstr(r.err.message, "cannot create the container: "));
        ck_assert_ptr_nonnull(strstr(r.err.message, "bind source path does not exist: "));
        ck_assert_int_ne(access(path, F_OK), 0);
    } else {
        /* Podman 4 cannot be told not to make it: the nonce of a run finds that out. */
        ck_assert_msg(rc == 0, "%s", r.err.message);
    }
    mb_test_remove(dir);
    finish(&r);
}
END_TEST

START_TEST(test_volume_keeps_what_was_written)
{
    struct run r = {.engine = open_engine(_i)};
    struct mb_container_spec spec = {.mount = MB_ATTACH_VOLUME, .source = "mb-keeps", .target = "/v"};

    if (r.engine == NULL)
        return;
    ck_assert_int_eq(mb_volume_create(r.engine, "mb-keeps", NULL, NULL, NULL, &r.err), 0);
    ck_assert_msg(run_script(&r, spec, "echo kept > /v/file") == 0, "%s", r.err.message);
    ck_assert_int_eq(r.exit_code, 0);
    ck_assert_msg(run_script(&r, spec, "cat /v/file") == 0, "%s", r.err.message);
    ck_assert_str_eq(mb_buffer_text(&r.out), "kept\n");
    ck_assert_int_eq(mb_volume_remove(r.engine, "mb-keeps", &r.err), 0);
    finish(&r);
}
END_TEST

START_TEST(test_volume_with_driver_options)
{
    static const struct mb_pair options[] = {{"type", "tmpfs"}, {"device", "tmpfs"}, {"o", "mode=0711"}, {NULL, NULL}};
    struct run r = {.engine = open_engine(_i)};
    struct mb_container_spec spec = {.mount = MB_ATTACH_VOLUME, .source = "mb-options", .target = "/v"};

    if (r.engine == NULL)
        return;
    ck_assert_msg(mb_volume_create(r.engine, "mb-options", NULL, options, NULL, &r.err) == 0, "%s", r.err.message);
    ck_assert_msg(
        run_script(&r, spec, "while read -r a b c d e f; do case $e in /v) echo \"$f\"; esac; done < /proc/self/mountinfo") == 0,
        "%s", r.err.message);
    ck_assert_msg(strstr(mb_buffer_text(&r.out), "mode=711") != NULL, "%s", mb_buffer_text(&r.out));
    ck_assert_int_eq(mb_volume_remove(r.engine, "mb-options", &r.err), 0);
    finish(&r);
}
END_TEST

START_TEST(test_volume_driver_that_is_not_there)
{
    struct run r = {.engine = open_engine(_i)};

    if (r.engine == NULL)
        return;
    ck_assert_int_eq(mb_volume_create(r.engine, "mb-x", "no-such-driver", NULL, NULL, &r.err), -1);
    ck_assert_int_eq(r.err.code, MB_EENGINE);
    ck_assert_ptr_nonnull(strstr(r.err.message, "cannot create the volume: "));
    ck_assert_ptr_nonnull(strstr(r.err.message, "no-such-driver"));
    finish(&r);
}
END_TEST

/* Whether this kernel has an NFS client: then the tails below are others. */
static bool
kernel_knows_nfs(void)
{
    return mb_test_run((const char *const[]){"grep", "-qw", "nfs4", "/proc/filesystems", NULL}) == 0;
}

START_TEST(test_nfs_volume_fails_in_the_engines_words)
{
    static const struct mb_pair options[] = {{"type", "nfs"}, {"device", ":/x"}, {"o", "addr=127.0.0.1,vers=4"}, {NULL, NULL}};
    struct run r = {.engine = open_engine(_i)};
    struct mb_container_spec spec = {.mount = MB_ATTACH_VOLUME, .source = "mb-nfs", .target = "/v"};

    if (r.engine == NULL)
        return;
    ck_assert_msg(mb_volume_create(r.engine, "mb-nfs", NULL, options, NULL, &r.err) == 0, "%s", r.err.message);
    ck_assert_int_eq(run_script(&r, spec, "true"), -1);
    ck_assert_int_eq(r.err.code, MB_EENGINE);
    ck_assert_msg(strncmp(r.err.message, "cannot start the container: ", 28) == 0, "%s", r.err.message);
    if ((_i == DOCKERD || _i == NEWER) && !kernel_knows_nfs())
        ck_assert_msg(strstr(r.err.message, "no such device") != NULL, "%s", r.err.message);
    if (_i == PODMAN)
        ck_assert_msg(strstr(r.err.message, "resolve server") == NULL, "podman was not told the server: %s", r.err.message);
    ck_assert_int_eq(mb_volume_remove(r.engine, "mb-nfs", NULL), 0);
    finish(&r);
}
END_TEST

START_TEST(test_tmpfs_is_open_to_all_and_has_its_size)
{
    struct run r = {.engine = open_engine(_i)};
    struct mb_container_spec spec = {.mount = MB_ATTACH_TMPFS, .target = "/t", .tmpfs_bytes = 1024 * 1024};

    if (r.engine == NULL)
        return;
    ck_assert_msg(run_script(&r, spec, "ls -ld /t; echo x > /t/x; head -c 2000000 /dev/zero > /t/big; echo $?") == 0, "%s",
                  r.err.message);
    ck_assert_msg(strncmp(mb_buffer_text(&r.out), "drwxrwxrwt", 10) == 0, "%s", mb_buffer_text(&r.out));
    ck_assert_msg(strstr(mb_buffer_text(&r.out), "\n1\n") != NULL, "%s", mb_buffer_text(&r.out));
    finish(&r);
}
END_TEST

START_TEST(test_program_that_is_not_there)
{
    static const char *const entrypoint[] = {"/no/such/program", NULL};
    struct run r = {.engine = open_engine(_i)};
    struct mb_container_spec spec = {.entrypoint = entrypoint};

    if (r.engine == NULL)
        return;
    ck_assert_int_eq(run_script(&r, spec, "x"), -1);
    ck_assert_int_eq(r.err.code, MB_EENGINE);
    ck_assert_msg(strstr(r.err.message, "/no/such/program: no such file or directory") != NULL, "%s", r.err.message);
    finish(&r);
}
END_TEST

START_TEST(test_exec)
{
    static const char *const fails[] = {"/bin/sh", "-c", "echo out; exit 5", NULL};
    const char *command[] = {"sleep 100", NULL};
    struct mb_container_spec spec = {.image = REFERENCE, .command = command, .network_none = true};
    struct mb_engine *engine = open_engine(_i);
    struct mb_error err = {0};
    int code;
    char *id;

    if (engine == NULL)
        return;
    ck_assert_msg(mb_container_create(engine, &spec, &id, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_exec_run(engine, id, fails, &code, &err) == -1, "a container that does not run");
    ck_assert_int_eq(err.code, MB_EENGINE);
    ck_assert_msg(mb_container_start(engine, id, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_exec_run(engine, id, fails, &code, &err) == 0, "%s", err.message);
    ck_assert_int_eq(code, 5);
    ck_assert_msg(mb_container_remove(engine, id, &err) == 0, "%s", err.message);
    free(id);
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
    Suite *suite = suite_create("mounts");
    TCase *tcase = tcase_create("kinds");
    SRunner *runner = srunner_create(suite);

    tcase_add_unchecked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test_bind_is_the_hosts_directory_with_every_consistency, 0, 4);
    tcase_add_loop_test(tcase, test_bind_of_what_is_not_there, 0, 4);
    tcase_add_loop_test(tcase, test_volume_keeps_what_was_written, 0, 4);
    tcase_add_loop_test(tcase, test_volume_with_driver_options, 0, 4);
    tcase_add_loop_test(tcase, test_volume_driver_that_is_not_there, 0, 4);
    tcase_add_loop_test(tcase, test_nfs_volume_fails_in_the_engines_words, 0, 4);
    tcase_add_loop_test(tcase, test_tmpfs_is_open_to_all_and_has_its_size, 0, 4);
    tcase_add_loop_test(tcase, test_program_that_is_not_there, 0, 4);
    tcase_add_loop_test(tcase, test_exec, 0, 4);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
