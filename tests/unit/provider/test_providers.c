/*
 * test_providers.c: what goes wrong with any runtime, an interrupt in each state, and settings held against what there is.
 */
#include <check.h>
#include <signal.h>
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
    const char *runtime, *says;
} absent[] = {
    {"rancher-desktop", "there is no 'rdctl' in PATH; get a current one at https://rancherdesktop.io"},
    {"docker-desktop", "there is no 'docker' in PATH; get a current one at https://www.docker.com"},
    {"colima", "there is no 'colima' in PATH; install it: brew install colima"},
    {"lima", "there is no 'limactl' in PATH; install it: brew install lima"},
    {"podman-machine", "there is no 'podman' in PATH; install podman"},
    {"orbstack", "there is no 'orb' in PATH; install it: brew install orbstack"},
};

START_TEST(a_missing_program_is_no_surprise)
{
    struct mb_error err = {0};

    setenv("PATH", "/nonexistent", 1);
    ck_assert_int_eq(mb_stand_in_run_one(absent[_i].runtime, NULL, &err), -1);
    ck_assert_int_eq(mb_error_exit_status(&err), 3);
    ck_assert_msg(strstr(err.message, absent[_i].says) != NULL, "%s", err.message);
    struct mb_engine_spec spec = mb_stand_in_spec(absent[_i].runtime, NULL);
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(4000);
    ck_assert_int_eq(mb_provider_plan(&spec, &out, &err), 0);
    ck_assert_msg(strstr(mb_buffer_text(&out), absent[_i].says) != NULL, "%s", mb_buffer_text(&out));
    mb_stand_in_spec_clear(&spec);
}
END_TEST

static const struct {
    const char *runtime, *version, *says;
} old[] = {
    {"rancher-desktop", "1.7.0", "Rancher Desktop 1.7.0 is too old: 1.8 or later"},
    {"colima", "0.4.6", "colima 0.4.6 is too old: 0.5 or later"},
    {"lima", "0.11.0", "lima 0.11.0 is too old: 0.18 or later"},
    {"podman-machine", "4.1.1", "podman machine 4.1.1 is too old: 4.2 or later"},
    {"rancher-desktop", "nonsense", "does not say its version"},
};

START_TEST(an_old_program_is_told_what_is_needed)
{
    struct mb_error err = {0};

    mb_stand_in_put("version", old[_i].version);
    ck_assert_int_eq(mb_stand_in_run_one(old[_i].runtime, NULL, &err), -1);
    ck_assert_msg(strstr(err.message, old[_i].says) != NULL, "%s", err.message);
}
END_TEST

static const struct {
    const char *runtime, *fault, *text, *says;
} faults[] = {
    {"colima", "fail-start", "FATA[0001] error starting vm: exit status 1", "FATA[0001] error starting vm: exit status 1"},
    {"colima", "ask-start", "", "the terms were not accepted"},
    {"colima", "hang-start", "", "did not end within 4 s"},
    {"lima", "fail-start", "fatal: no qemu", "lima 'docker' did not start: 'limactl start"},
    {"lima", "fail-list", "broken", "'limactl list --json' ended with status 1: broken"},
    {"podman-machine", "ask-init", "", "the terms were not accepted"},
    {"docker-desktop", "fail-start", "licence expired", "licence expired"},
    {"docker-desktop", "ask-start", "", "the terms were not accepted"},
    {"rancher-desktop", "fail-start", "no space", "no space"},
    {"rancher-desktop", "hang-start", "", "did not end within 4 s"},
    {"orbstack", "fail-start", "not signed in", "not signed in"},
};

START_TEST(a_start_that_goes_wrong_is_told_in_its_own_words)
{
    struct mb_error err = {0};

    mb_stand_in_put(faults[_i].fault, faults[_i].text);
    ck_assert_int_eq(mb_stand_in_run_one(faults[_i].runtime, NULL, &err), -1);
    ck_assert_msg(strstr(err.message, faults[_i].says) != NULL, "%s", err.message);
    /* Nothing is left of it. */
    ck_assert(!mb_stand_in_has("profiles/default") && !mb_stand_in_has("instances/docker") &&
              !mb_stand_in_has("machines/podman-machine-default"));
}
END_TEST

static const struct {
    const char *runtime, *fault, *folder, *found, *remedy; /* found: the instance that was there, stopped; NULL: no such thing */
} stuck[] = {
    {"colima", "fail-stop", "profiles", "profiles/default", "run: colima stop --profile default"},
    {"lima", "fail-stop", "instances", "instances/docker", "run: limactl stop docker"},
    {"podman-machine", "fail-stop", "machines", "machines/podman-machine-default",
     "run: podman machine stop podman-machine-default"},
    {"rancher-desktop", "fail-shutdown", NULL, NULL, "run: rdctl shutdown"},
    {"docker-desktop", "fail-stop", NULL, NULL, "run: docker desktop stop"},
    {"orbstack", "fail-stop", NULL, NULL, "run: orb stop"},
};

START_TEST(a_stop_that_fails_says_exactly_what_to_run)
{
    struct mb_error err = {0};

    if (stuck[_i].found != NULL) {
        ck_assert_int_eq(mkdir(mb_stand_in_path(stuck[_i].folder), 0700), 0);
        mb_stand_in_put(stuck[_i].found, "Stopped");
    }
    mb_stand_in_put(stuck[_i].fault, "it is stuck");
    ck_assert_int_eq(mb_stand_in_run_one(stuck[_i].runtime, NULL, &err), -1);
    ck_assert_msg(strstr(err.message, "it is stuck") != NULL && strstr(err.message, stuck[_i].remedy) != NULL, "%s", err.message);
}
END_TEST

static const struct {
    const char *runtime, *remove;
} made[] = {
    {"colima", "colima delete --force --profile default"},
    {"lima", "limactl delete --force docker"},
    {"podman-machine", "podman machine rm --force podman-machine-default"},
};

START_TEST(one_that_was_made_for_the_run_and_does_not_stop_is_deleted)
{
    struct mb_error err = {0};

    mb_stand_in_put("fail-stop", "it is stuck");
    int rc = mb_stand_in_run_one(made[_i].runtime, NULL, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    mb_stand_in_called(made[_i].remove);
    ck_assert(!mb_stand_in_has("profiles/default") && !mb_stand_in_has("instances/docker") &&
              !mb_stand_in_has("machines/podman-machine-default"));
}
END_TEST

static const struct {
    const char *runtime, *start, *stop;
} twice[] = {
    {"colima", "colima start --profile default --activate=false --runtime=docker", "colima stop --profile default"},
    {"docker-desktop", "docker desktop start", "docker desktop stop"},
    {"rancher-desktop", "rdctl start", "rdctl shutdown"},
};

/* Times that ${line} is in the log, whatever follows it on the line. */
static int
times_called(const char *line)
{
    int n = 0;

    for (const char *p = mb_stand_in_get("log"); (p = strstr(p, line)) != NULL; p++)
        n++;
    return n;
}

START_TEST(an_up_that_comes_twice_is_down_in_between_and_in_the_end)
{
    struct mb_error err = {0};
    struct mb_engine_spec spec = mb_stand_in_spec(twice[_i].runtime, NULL);
    struct mb_providers *p = mb_providers_new(NULL, &err);
    const char *word;

    for (int i = 0; i < 2; i++)
        ck_assert_msg(mb_providers_up(p, &spec, &word, &err) == 0, "%s", err.message);
    ck_assert_int_ge(times_called(twice[_i].stop), 1);
    ck_assert_msg(mb_providers_restore(p, &err) == 0, "%s", err.message);
    mb_stand_in_called(twice[_i].start);
    ck_assert_int_ge(times_called(twice[_i].stop), 2);
    ck_assert(!mb_stand_in_has("running") && !mb_stand_in_has("profiles/default"));
    mb_stand_in_spec_clear(&spec);
}
END_TEST

/* An engine of commands: the fixture `door`, which opens a link to the fake engine. */
static struct mb_engine_spec
door_spec(char **up, char **down)
{
    struct mb_engine_spec spec = mb_stand_in_spec("command", NULL);
    char door[600], here[512];

    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    snprintf(door, sizeof door, "%s/tests/fixtures/provider/door", here);
    const char *const words[][6] = {{door, "up", mb_stand_in_path("."), "it", mb_stand_in_socket(), NULL},
                                    {door, "down", mb_stand_in_path("."), "it", NULL}};
    for (int i = 0; i < 6; i++) {
        up[i] = words[0][i] != NULL ? strdup(words[0][i]) : NULL;
        down[i] = i < 5 && words[1][i] != NULL ? strdup(words[1][i]) : NULL;
    }
    spec.up = up;
    spec.down = down;
    return spec;
}

static void
free_words(char **words)
{
    for (; *words != NULL; words++)
        free(*words);
}

START_TEST(an_engine_of_commands_is_where_up_says)
{
    char *up[6], *down[6];
    struct mb_error err = {0};
    struct mb_engine_spec spec = door_spec(up, down);
    struct mb_providers *p = mb_providers_new(NULL, &err);
    const char *word = NULL;

    free(spec.endpoint);
    spec.endpoint = NULL;
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(mb_providers_up(p, &spec, &word, &err) == 0, "%s", err.message);
        ck_assert_msg(strncmp(word, "unix:///", 8) == 0 && strstr(word, "/it.sock") != NULL, "%s", word);
    }
    ck_assert_msg(mb_providers_restore(p, &err) == 0, "%s", err.message);
    ck_assert_str_eq(mb_stand_in_get("log"), "up it\ndown it\nup it\ndown it");
    ck_assert(!mb_stand_in_has("it.sock"));
    mb_stand_in_spec_clear(&spec);
    free_words(up);
    free_words(down);
}
END_TEST

START_TEST(an_engine_of_commands_that_answers_before_is_not_ours_to_stop)
{
    char *up[6], *down[6];
    struct mb_error err = {0};
    struct mb_engine_spec spec = door_spec(up, down);
    const struct mb_engine_spec *specs[] = {&spec, NULL};
    MB_AUTO_BUFFER plan = MB_BUFFER_INIT(4000);

    ck_assert_msg(mb_provider_plan(&spec, &plan, &err) == 0, "%s", err.message);
    ck_assert_ptr_nonnull(strstr(mb_buffer_text(&plan), "it answers already, and will not be stopped"));
    ck_assert_msg(mb_stand_in_run(NULL, specs, &err) == 0, "%s", err.message);
    ck_assert_str_eq(mb_stand_in_get("log"), "up it");
    mb_stand_in_spec_clear(&spec);
    free_words(up);
    free_words(down);
}
END_TEST

START_TEST(a_command_that_is_not_there_is_said)
{
    char nowhere[] = "/nonexistent/up";
    char *up[] = {nowhere, NULL};
    struct mb_error err = {0};
    struct mb_engine_spec spec = mb_stand_in_spec("command", NULL);
    const struct mb_engine_spec *specs[] = {&spec, NULL};

    spec.up = up;
    ck_assert_int_eq(mb_stand_in_run(NULL, specs, &err), -1);
    ck_assert_int_eq(mb_error_exit_status(&err), 2);
    ck_assert_msg(strstr(err.message, "engine 'tested': up: '/nonexistent/up' is no program that can be run") != NULL, "%s",
                  err.message);
    mb_stand_in_spec_clear(&spec);
}
END_TEST

START_TEST(an_engine_that_never_answers_is_stopped_in_time)
{
    struct mb_error err = {0};
    struct mb_engine_spec spec = mb_stand_in_spec("colima", "{\"mount_type\": \"sshfs\"}");
    struct mb_providers *p = mb_providers_new(NULL, &err);
    const char *word;

    free(spec.endpoint);
    spec.endpoint = strdup("unix:///nonexistent/docker.sock");
    spec.ready_timeout_ns = UINT64_C(1200000000);
    ck_assert_int_eq(mb_providers_up(p, &spec, &word, &err), -1);
    ck_assert_msg(strstr(err.message, "no container ran within ready_timeout") != NULL &&
                      strstr(err.message, "/nonexistent/docker.sock") != NULL,
                  "%s", err.message);
    ck_assert_str_eq(mb_stand_in_get("profiles/mb-sshfs"), "Stopped");
    ck_assert_int_eq(mb_providers_restore(p, &err), 0);
    ck_assert(!mb_stand_in_has("profiles/mb-sshfs"));
    mb_stand_in_spec_clear(&spec);
}
END_TEST

static int
never(void *context, struct mb_engine *e, struct mb_error *err)
{
    (void)e;
    ++*(int *)context;
    return mb_error_set(err, MB_EENGINE, "no room for a container");
}

START_TEST(an_engine_that_runs_no_container_is_not_ready)
{
    struct mb_error err = {0};
    int tries = 0;
    const struct mb_provider_watch watch = {.prove = never, .context = &tries};
    struct mb_engine_spec spec = mb_stand_in_spec("orbstack", NULL);
    const struct mb_engine_spec *specs[] = {&spec, NULL};

    spec.ready_timeout_ns = UINT64_C(1500000000);
    ck_assert_int_eq(mb_stand_in_run(&watch, specs, &err), -1);
    ck_assert_msg(strstr(err.message, "no room for a container") != NULL, "%s", err.message);
    ck_assert_int_ge(tries, 2);
    ck_assert(!mb_stand_in_has("running"));
    mb_stand_in_spec_clear(&spec);
}
END_TEST

START_TEST(one_runtime_is_up_at_a_time_and_all_are_as_before)
{
    struct mb_error err = {0};
    struct mb_engine_spec a = mb_stand_in_spec("docker-desktop", NULL), b = mb_stand_in_spec("colima", NULL);
    const struct mb_engine_spec *specs[] = {&a, &b, NULL};

    mb_stand_in_put("running", ""); /* Docker Desktop's */
    int rc = mb_stand_in_run(NULL, specs, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    const char *log = mb_stand_in_get("log");
    const char *stopped = strstr(log, "docker desktop stop"), *started = strstr(log, "colima start");
    ck_assert(stopped != NULL && started != NULL && stopped < started);
    ck_assert_ptr_nonnull(strstr(started, "docker desktop start"));
    ck_assert(mb_stand_in_has("running"));
    mb_stand_in_spec_clear(&a);
    mb_stand_in_spec_clear(&b);
}
END_TEST

/* Ctrl-C at the ${after}-th thing that is told. */
struct trap {
    int after, seen;
};

static void
on_tell(void *context, const char *what)
{
    struct trap *trap = context;

    (void)what;
    if (++trap->seen == trap->after)
        raise(SIGINT);
}

/* What is there before, as a file of the stand-ins' state and its content (NULL: no such file), and must be there after. */
static const struct {
    const char *runtime, *settings, *file, *content;
    int told; /* at least so many things before it puts back */
} interruptible[] = {
    {"rancher-desktop", "{\"vm_type\": \"vz\"}", "running", "", 5},
    {"rancher-desktop", "{\"vm_type\": \"vz\"}", "running", NULL, 5},
    {"docker-desktop", "{\"UseGrpcfuse\": true}", "running", "", 4},
    {"docker-desktop", "{\"UseGrpcfuse\": true}", "running", NULL, 3},
    {"colima", NULL, "profiles/default", "Running", 4},
    {"colima", NULL, "profiles/default", "Stopped", 3},
    {"colima", "{\"vm_type\": \"vz\"}", "profiles/mb-vz", NULL, 3},
    {"lima", NULL, "instances/docker", "Running", 4},
    {"lima", "{\"cpus\": 2}", "instances/mb-cpus2", NULL, 3},
    {"podman-machine", NULL, "machines/podman-machine-default", "running", 4},
    {"podman-machine", "{\"cpus\": 2}", "machines/mb-cpus2", NULL, 3},
    {"orbstack", NULL, "running", "", 4},
    {"orbstack", NULL, "running", NULL, 3},
};

#define STATES 7
#define STORE ".docker/desktop/settings-store.json"
#define STORED "{\"UseGrpcfuse\":  false, \"Cpus\": 4}"

/* Run what ${row} is about after it was made so. */
static void
interrupted_run(size_t row, const struct mb_provider_watch *watch)
{
    const char *file = interruptible[row].file, *content = interruptible[row].content;
    struct mb_engine_spec spec = mb_stand_in_spec(interruptible[row].runtime, interruptible[row].settings);
    const struct mb_engine_spec *specs[] = {&spec, NULL};
    struct mb_error err = {0};

    ck_assert_int_eq(mb_tree_make(mb_stand_in_path(".docker/desktop"), &err), 0);
    mb_stand_in_put(STORE, STORED);
    for (const char *const *folder = (const char *const[]){"profiles", "instances", "machines", NULL}; *folder != NULL; folder++)
        ck_assert_int_eq(mkdir(mb_stand_in_path(*folder), 0700), 0);
    mb_stand_in_put("vm", "STARTED");
    if (content != NULL)
        mb_stand_in_put(file, content);
    mb_signals_install();
    int rc = mb_stand_in_run(watch, specs, &err);
    ck_assert_msg(rc == 0 || err.code == MB_EINTERRUPT, "%s", err.message);
    ck_assert_int_eq(mb_stand_in_has(file), content != NULL);
    if (content != NULL)
        ck_assert_str_eq(mb_stand_in_get(file), content);
    ck_assert(!mb_stand_in_has(STORE ".mountbench-saved"));
    ck_assert_str_eq(mb_stand_in_get(STORE), STORED);
    if (mb_stand_in_has("vm_type"))
        ck_assert_str_eq(mb_stand_in_get("vm_type"), "qemu");
    mb_stand_in_spec_clear(&spec);
}

START_TEST(an_interrupt_in_any_state_puts_back_what_was_found)
{
    struct trap trap = {.after = _i % STATES + 1};
    const struct mb_provider_watch watch = {.tell = on_tell, .context = &trap};
    int told = interruptible[_i / STATES].told;

    interrupted_run((size_t)_i / STATES, &watch);
    ck_assert_int_ge(trap.seen, trap.after < told ? trap.after : told);
}
END_TEST

/* The rows of the table above, and the verb of its program that runs when the interrupt comes. */
static const struct {
    size_t row;
    const char *verb;
} during[] = {
    {0, "api"},   {0, "list-settings"}, {0, "shutdown"}, {0, "start"},  {1, "start"}, {2, "status"}, {2, "stop"},
    {2, "start"}, {4, "list"},          {4, "stop"},     {4, "start"},  {6, "start"}, {7, "stop"},   {8, "start"},
    {9, "stop"},  {9, "start"},         {10, "init"},    {10, "start"}, {11, "stop"}, {11, "start"}, {12, "status"},
};

START_TEST(an_interrupt_while_a_program_runs_puts_back_what_was_found)
{
    char fault[64];

    snprintf(fault, sizeof fault, "interrupt-%s", during[_i].verb);
    mb_stand_in_put(fault, "");
    interrupted_run(during[_i].row, NULL);
    ck_assert_msg(!mb_stand_in_has(fault), "'%s' was not run", during[_i].verb);
}
END_TEST

/* --- Words ----------------------------------------------------------------------------------------------------------------------
 */

static const struct {
    const char *runtime, *settings, *says; /* NULL: right */
} words[] = {
    {"rancher-desktop", "{\"vm_type\": \"vz\", \"9p_msize_kib\": \"512\", \"cpus\": 4}", NULL},
    {"rancher-desktop", "{\"mount_typ\": \"9p\"}", "has no such setting (did you mean 'mount_type'?); it has: vm_type (qemu|vz), "},
    {"rancher-desktop", "{\"mount_type\": \"virtofs\"}",
     "settings.mount_type: 'virtofs' is none of its values (did you mean 'virtiofs'?); it takes: reverse-sshfs, 9p, virtiofs"},
    {"rancher-desktop", "{\"9p_msize_kib\": 0}", "settings.9p_msize_kib"},
    {"rancher-desktop", "{\"9p_msize_kib\": 1.5}", "settings.9p_msize_kib"},
    {"rancher-desktop", "{\"9p_msize_kib\": [1]}", "is no word, number or truth value"},
    {"docker-desktop", "{\"UseGrpcfuse\": \"yes\"}", "it takes: true, false"},
    {"docker-desktop", "{\"useGrpcFuse\": true}", "did you mean 'UseGrpcfuse'?"},
    {"colima", "{\"profile\": \"--help\"}", "is no name"},
    {"colima", "{\"profile\": \"\"}", "is no name"},
    {"lima", "{\"mount_type\": \"sshfs\"}", "it takes: reverse-sshfs, 9p, virtiofs"},
    {"command", "{\"share\": \"9p\"}", "has no settings that can be made here"},
    {"minikube", "{\"driver\": \"kvm\"}", "runtime 'minikube' has no settings"},
    {"minikube", NULL, NULL},
};

START_TEST(settings_are_held_against_what_there_is)
{
    struct mb_error err = {0};
    struct mb_engine_spec spec = mb_stand_in_spec(words[_i].runtime, words[_i].settings);

    int rc = mb_provider_check(&spec, &err);
    if (words[_i].says == NULL) {
        ck_assert_msg(rc == 0, "%s", err.message);
    } else {
        ck_assert_int_eq(rc, -1);
        ck_assert_int_eq(mb_error_exit_status(&err), 2);
        ck_assert_msg(strstr(err.message, words[_i].says) != NULL, "%s", err.message);
    }
    mb_stand_in_spec_clear(&spec);
    ck_assert(!mb_stand_in_has("log"));
}
END_TEST

START_TEST(a_plan_looks_and_touches_nothing)
{
    struct mb_error err = {0};
    struct mb_engine_spec spec = mb_stand_in_spec("rancher-desktop", "{\"vm_type\": \"vz\"}");
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(4000);

    mb_stand_in_put("running", "");
    mb_stand_in_put("vm", "STARTED");
    ck_assert_msg(mb_provider_plan(&spec, &out, &err) == 0, "%s", err.message);
    ck_assert_ptr_nonnull(strstr(mb_buffer_text(&out), "Rancher Desktop 1.20.0 is running"));
    ck_assert_ptr_nonnull(strstr(mb_buffer_text(&out), "vm_type: qemu would become vz"));
    ck_assert_str_eq(mb_stand_in_get("log"), "rdctl version\nrdctl api /v1/backend_state\nrdctl list-settings");
    mb_stand_in_spec_clear(&spec);
}
END_TEST

#define COUNT(array) (int)(sizeof array / sizeof array[0])

int
main(void)
{
    Suite *suite = suite_create("providers");
    TCase *tc = tcase_create("providers");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, mb_stand_in_start, mb_stand_in_stop);
    tcase_add_loop_test(tc, a_missing_program_is_no_surprise, 0, COUNT(absent));
    tcase_add_loop_test(tc, an_old_program_is_told_what_is_needed, 0, COUNT(old));
    tcase_add_loop_test(tc, a_start_that_goes_wrong_is_told_in_its_own_words, 0, COUNT(faults));
    tcase_add_loop_test(tc, a_stop_that_fails_says_exactly_what_to_run, 0, COUNT(stuck));
    tcase_add_loop_test(tc, one_that_was_made_for_the_run_and_does_not_stop_is_deleted, 0, COUNT(made));
    tcase_add_loop_test(tc, an_up_that_comes_twice_is_down_in_between_and_in_the_end, 0, COUNT(twice));
    tcase_add_test(tc, an_engine_of_commands_is_where_up_says);
    tcase_add_test(tc, an_engine_of_commands_that_answers_before_is_not_ours_to_stop);
    tcase_add_test(tc, a_command_that_is_not_there_is_said);
    tcase_add_test(tc, an_engine_that_never_answers_is_stopped_in_time);
    tcase_add_test(tc, an_engine_that_runs_no_container_is_not_ready);
    tcase_add_test(tc, one_runtime_is_up_at_a_time_and_all_are_as_before);
    tcase_add_loop_test(tc, an_interrupt_in_any_state_puts_back_what_was_found, 0, COUNT(interruptible) * STATES);
    tcase_add_loop_test(tc, an_interrupt_while_a_program_runs_puts_back_what_was_found, 0, COUNT(during));
    tcase_add_loop_test(tc, settings_are_held_against_what_there_is, 0, COUNT(words));
    tcase_add_test(tc, a_plan_looks_and_touches_nothing);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
