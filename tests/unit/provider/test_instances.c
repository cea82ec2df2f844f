/*
 * test_instances.c: colima, lima and podman machines are made, used, put back and deleted; OrbStack is started and stopped.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/file.h"
#include "mountbench/provider.h"
#include "mountbench/signals.h"
#include "mountbench/tree.h"
#include "support/stand_in.h"

static const struct {
    const char *runtime, *settings, *create, *remove, *instance;
} made[] = {
    {"colima", "{\"vm_type\": \"vz\", \"mount_type\": \"virtiofs\"}",
     "colima start --profile mb-vz-virtiofs --activate=false --runtime=docker --vm-type=vz --mount-type=virtiofs",
     "colima delete --force --profile mb-vz-virtiofs", "profiles/mb-vz-virtiofs"},
    {"lima", "{\"vm_type\": \"qemu\", \"mount_type\": \"reverse-sshfs\"}",
     "limactl start --tty=false --name mb-qemu-reverse-sshfs --mount-writable --vm-type=qemu --mount-type=reverse-sshfs "
     "template://docker",
     "limactl delete --force mb-qemu-reverse-sshfs", "instances/mb-qemu-reverse-sshfs"},
    {"podman-machine", "{\"cpus\": 2, \"rootful\": true}", "podman machine init --cpus=2 --rootful=true mb-cpus2-rootfultrue",
     "podman machine rm --force mb-cpus2-rootfultrue", "machines/mb-cpus2-rootfultrue"},
};

START_TEST(an_instance_that_was_not_there_is_made_and_deleted)
{
    struct mb_error err = {0};

    int rc = mb_stand_in_run_one(made[_i].runtime, made[_i].settings, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    mb_stand_in_called(made[_i].create);
    mb_stand_in_called(made[_i].remove);
    ck_assert(!mb_stand_in_has(made[_i].instance));
}
END_TEST

static const struct {
    const char *runtime, *directory, *file, *running, *start;
} kept[] = {
    {"colima", "profiles", "profiles/default", "Running", "colima start --profile default --activate=false"},
    {"lima", "instances", "instances/docker", "Running", "limactl start --tty=false docker"},
    {"podman-machine", "machines", "machines/podman-machine-default", "running", "podman machine start podman-machine-default"},
};

START_TEST(an_instance_that_was_there_is_as_it_was)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mkdir(mb_stand_in_path(kept[_i].directory), 0700), 0);
    mb_stand_in_put(kept[_i].file, kept[_i].running);
    int rc = mb_stand_in_run_one(kept[_i].runtime, NULL, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    mb_stand_in_called(kept[_i].start);
    ck_assert_str_eq(mb_stand_in_get(kept[_i].file), kept[_i].running);
    mb_stand_in_put(kept[_i].file, kept[_i].running[0] == 'R' ? "Stopped" : "stopped");
    rc = mb_stand_in_run_one(kept[_i].runtime, NULL, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_msg(strcmp(mb_stand_in_get(kept[_i].file) + 1, "topped") == 0, "%s", mb_stand_in_get(kept[_i].file));
}
END_TEST

START_TEST(an_instance_of_ones_own_keeps_its_settings)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mkdir(mb_stand_in_path("profiles"), 0700), 0);
    mb_stand_in_put("profiles/work", "Running");
    ck_assert_int_eq(mb_stand_in_run_one("colima", "{\"profile\": \"work\", \"vm_type\": \"vz\"}", &err), -1);
    ck_assert_int_eq(mb_error_exit_status(&err), 2);
    ck_assert_msg(strstr(err.message, "settings are fixed") != NULL, "%s", err.message);
    ck_assert_str_eq(mb_stand_in_get("profiles/work"), "Running");
    int rc = mb_stand_in_run_one("colima", "{\"profile\": \"work\"}", &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_str_eq(mb_stand_in_get("profiles/work"), "Running");
}
END_TEST

START_TEST(a_podman_machine_says_where_its_socket_is)
{
    struct mb_error err = {0};
    struct mb_engine_spec spec = mb_stand_in_spec("podman-machine", NULL);
    const char *word = NULL;

    free(spec.endpoint);
    spec.endpoint = NULL;
    mb_stand_in_put("socket", mb_stand_in_socket());
    struct mb_providers *p = mb_providers_new(NULL, &err);
    ck_assert_msg(mb_providers_up(p, &spec, &word, &err) == 0, "%s", err.message);
    ck_assert_str_eq(word, mb_stand_in_url());
    ck_assert_int_eq(mb_providers_restore(p, &err), 0);
    ck_assert(!mb_stand_in_has("machines/podman-machine-default"));
    mb_stand_in_spec_clear(&spec);
}
END_TEST

START_TEST(a_podman_machine_without_a_socket_asks_for_an_address)
{
    struct mb_error err = {0};
    struct mb_engine_spec spec = mb_stand_in_spec("podman-machine", NULL);
    const struct mb_engine_spec *specs[] = {&spec, NULL};

    free(spec.endpoint);
    spec.endpoint = NULL;
    mb_stand_in_put("no-socket", "");
    ck_assert_int_eq(mb_stand_in_run(NULL, specs, &err), -1);
    ck_assert_msg(strstr(err.message, "names no socket on this side") != NULL && strstr(err.message, "as 'endpoint'") != NULL, "%s",
                  err.message);
    ck_assert(!mb_stand_in_has("machines/podman-machine-default"));
    mb_stand_in_spec_clear(&spec);
}
END_TEST

START_TEST(orbstack_is_started_and_stopped)
{
    struct mb_error err = {0};

    int rc = mb_stand_in_run_one("orbstack", NULL, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert(!mb_stand_in_has("running"));
    mb_stand_in_put("running", "");
    rc = mb_stand_in_run_one("orbstack", NULL, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert(mb_stand_in_has("running"));
    ck_assert_int_eq(mb_stand_in_run_one("orbstack", "{\"mount_type\": \"virtiofs\"}", &err), -1);
    ck_assert_msg(strstr(err.message, "OrbStack has no settings that can be made here") != NULL, "%s", err.message);
}
END_TEST

#define COUNT(array) (int)(sizeof array / sizeof array[0])

int
main(void)
{
    Suite *suite = suite_create("instances");
    TCase *tc = tcase_create("instances");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, mb_stand_in_start, mb_stand_in_stop);
    tcase_add_loop_test(tc, an_instance_that_was_not_there_is_made_and_deleted, 0, COUNT(made));
    tcase_add_loop_test(tc, an_instance_that_was_there_is_as_it_was, 0, COUNT(kept));
    tcase_add_test(tc, an_instance_of_ones_own_keeps_its_settings);
    tcase_add_test(tc, a_podman_machine_says_where_its_socket_is);
    tcase_add_test(tc, a_podman_machine_without_a_socket_asks_for_an_address);
    tcase_add_test(tc, orbstack_is_started_and_stopped);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
