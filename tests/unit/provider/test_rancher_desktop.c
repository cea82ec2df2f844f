/*
 * test_rancher_desktop.c: Rancher Desktop by a stand-in for rdctl that has the flags of the version it says it is.
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
    const char *version, *start, *back;
} rdctls[] = {
    {"1.8.1", "rdctl start --experimental.virtual-machine.type=vz --experimental.virtual-machine.mount.type=virtiofs",
     "rdctl start --experimental.virtual-machine.type=qemu --experimental.virtual-machine.mount.type=reverse-sshfs"},
    {"1.19.3", "rdctl start --virtual-machine.type=vz --experimental.virtual-machine.mount.type=virtiofs",
     "rdctl start --virtual-machine.type=qemu --experimental.virtual-machine.mount.type=reverse-sshfs"},
    {"1.20.0", "rdctl start --virtual-machine.type=vz --virtual-machine.mount.type=virtiofs",
     "rdctl start --virtual-machine.type=qemu --virtual-machine.mount.type=reverse-sshfs"},
};

START_TEST(rancher_desktop_is_set_by_the_flags_of_its_version)
{
    struct mb_error err = {0};

    mb_stand_in_put("version", rdctls[_i].version);
    mb_stand_in_put("running", "");
    mb_stand_in_put("vm", "STARTED");
    int rc = mb_stand_in_run_one("rancher-desktop", "{\"vm_type\": \"vz\", \"mount_type\": \"virtiofs\"}", &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    mb_stand_in_called(rdctls[_i].start);
    mb_stand_in_called(rdctls[_i].back);
    ck_assert(mb_stand_in_has("running"));
    ck_assert_str_eq(mb_stand_in_get("vm_type"), "qemu");
    ck_assert_str_eq(mb_stand_in_get("mount_type"), "reverse-sshfs");
}
END_TEST

START_TEST(rancher_desktop_found_stopped_is_stopped_again_with_its_settings)
{
    struct mb_error err = {0};
    struct mb_engine_spec a = mb_stand_in_spec("rancher-desktop", "{\"mount_type\": \"9p\", \"9p_msize_kib\": 512}");
    struct mb_engine_spec b = mb_stand_in_spec("rancher-desktop", "{\"vm_type\": \"vz\", \"mount_type\": \"virtiofs\"}");
    const struct mb_engine_spec *specs[] = {&a, &b, &a, NULL};

    int rc = mb_stand_in_run(NULL, specs, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    /* The second one starts from what was found, not from what the first one set. */
    mb_stand_in_called("rdctl start --experimental.virtual-machine.mount.9p.msize-in-kib=128 --virtual-machine.type=vz "
                       "--virtual-machine.mount.type=virtiofs");
    ck_assert(!mb_stand_in_has("running"));
    ck_assert_str_eq(mb_stand_in_get("vm_type"), "qemu");
    ck_assert_str_eq(mb_stand_in_get("mount_type"), "reverse-sshfs");
    ck_assert_str_eq(mb_stand_in_get("msize"), "128");
    mb_stand_in_spec_clear(&a);
    mb_stand_in_spec_clear(&b);
}
END_TEST

START_TEST(a_setting_that_does_not_take_is_noticed)
{
    struct mb_error err = {0};

    mb_stand_in_put("deaf", "");
    ck_assert_int_eq(mb_stand_in_run_one("rancher-desktop", "{\"vm_type\": \"vz\"}", &err), -1);
    ck_assert_msg(strstr(err.message, "vm_type was set to 'vz', and 'rdctl list-settings' says 'qemu'") != NULL, "%s", err.message);
    ck_assert(!mb_stand_in_has("running"));
}
END_TEST

START_TEST(a_machine_that_ends_in_error_or_never_starts_is_said)
{
    struct mb_error err = {0};

    mb_stand_in_put("ends-up", "ERROR");
    ck_assert_int_eq(mb_stand_in_run_one("rancher-desktop", NULL, &err), -1);
    ck_assert_msg(strstr(err.message, "says ERROR") != NULL, "%s", err.message);
    ck_assert(!mb_stand_in_has("running"));
    mb_stand_in_put("never-starts", "");
    ck_assert_int_eq(mb_stand_in_run_one("rancher-desktop", NULL, &err), -1);
    ck_assert_msg(strstr(err.message, "ready_timeout") != NULL && strstr(err.message, "said STARTING") != NULL, "%s", err.message);
    ck_assert(!mb_stand_in_has("running"));
}
END_TEST

/* Its versions before 1.9 have another word for the unit, those before 1.11 do not tell the state of their machine. */
static const struct {
    const char *version, *flag;
} msizes[] = {
    {"1.8.1", "--experimental.virtual-machine.mount.9p.msize-in-kb"},
    {"1.9.1", "--experimental.virtual-machine.mount.9p.msize-in-kib"},
    {"1.11.0", "--experimental.virtual-machine.mount.9p.msize-in-kib"},
};

START_TEST(older_versions_are_spoken_to_in_their_words)
{
    struct mb_error err = {0};
    char line[200];

    mb_stand_in_put("version", msizes[_i].version);
    mb_stand_in_put("running", "");
    mb_stand_in_put("vm", "STARTED");
    int rc = mb_stand_in_run_one("rancher-desktop", "{\"9p_msize_kib\": 512}", &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    snprintf(line, sizeof line, "rdctl start %s=512", msizes[_i].flag);
    mb_stand_in_called(line);
    snprintf(line, sizeof line, "rdctl start %s=128", msizes[_i].flag);
    mb_stand_in_called(line);
    ck_assert(mb_stand_in_has("running"));
}
END_TEST

static const struct {
    bool running;
    const char *settings, *start, *back;
} containerds[] = {
    {true, NULL, "rdctl start --container-engine.name=moby", "rdctl start --container-engine.name=containerd"},
    {false, NULL, "rdctl start --container-engine.name=moby", "rdctl start --container-engine.name=containerd"},
    {true, "{\"vm_type\": \"vz\"}", "rdctl start --container-engine.name=moby --virtual-machine.type=vz",
     "rdctl start --container-engine.name=containerd --virtual-machine.type=qemu"},
};

START_TEST(containerd_becomes_moby_and_is_put_back)
{
    struct mb_error err = {0};
    struct mb_engine_spec spec = mb_stand_in_spec("rancher-desktop", containerds[_i].settings);
    const struct mb_engine_spec *specs[] = {&spec, &spec, NULL};
    MB_AUTO_BUFFER plan = MB_BUFFER_INIT(4000);

    mb_stand_in_put("engine", "containerd");
    if (containerds[_i].running) {
        mb_stand_in_put("running", "");
        mb_stand_in_put("vm", "STARTED");
    }
    ck_assert_int_eq(mb_provider_plan(&spec, &plan, &err), 0);
    ck_assert_msg(strstr(mb_buffer_text(&plan), "containerd would become moby") != NULL, "%s", mb_buffer_text(&plan));
    ck_assert_str_eq(mb_stand_in_get("engine"), "containerd");
    int rc = mb_stand_in_run(NULL, specs, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    mb_stand_in_called(containerds[_i].start);
    mb_stand_in_called(containerds[_i].back);
    ck_assert_str_eq(mb_stand_in_get("engine"), "containerd");
    ck_assert_int_eq(mb_stand_in_has("running"), containerds[_i].running);
    mb_stand_in_spec_clear(&spec);
}
END_TEST

START_TEST(moby_is_left_alone)
{
    struct mb_error err = {0};

    mb_stand_in_put("running", "");
    mb_stand_in_put("vm", "STARTED");
    int rc = mb_stand_in_run_one("rancher-desktop", NULL, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_msg(strstr(mb_stand_in_get("log"), "container-engine") == NULL, "%s", mb_stand_in_get("log"));
}
END_TEST

#define COUNT(array) (int)(sizeof array / sizeof array[0])

int
main(void)
{
    Suite *suite = suite_create("rancher desktop");
    TCase *tc = tcase_create("rancher desktop");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, mb_stand_in_start, mb_stand_in_stop);
    tcase_add_loop_test(tc, rancher_desktop_is_set_by_the_flags_of_its_version, 0, COUNT(rdctls));
    tcase_add_test(tc, rancher_desktop_found_stopped_is_stopped_again_with_its_settings);
    tcase_add_test(tc, a_setting_that_does_not_take_is_noticed);
    tcase_add_test(tc, a_machine_that_ends_in_error_or_never_starts_is_said);
    tcase_add_loop_test(tc, older_versions_are_spoken_to_in_their_words, 0, COUNT(msizes));
    tcase_add_loop_test(tc, containerd_becomes_moby_and_is_put_back, 0, COUNT(containerds));
    tcase_add_test(tc, moby_is_left_alone);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
