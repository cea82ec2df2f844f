/*
 * test_providers.c: runtimes are started, configured and put back, by stand-ins for their programs that keep state and check their
 * arguments; and every way in which that goes wrong.
 */
#include <check.h>
#include <poll.h>
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
#include "support/engines.h"
#include "support/fake_engine.h"

static struct mb_fake_engine engine;
static char root[128];
static char path[1024];

static const char *
in_root(const char *name)
{
    static char text[4][400];
    static unsigned next;
    char *out = text[next++ % 4];

    snprintf(out, sizeof text[0], "%s/%s", root, name);
    return out;
}

static void
put(const char *name, const char *content)
{
    struct mb_error err = {0};
    ck_assert_msg(mb_file_replace(in_root(name), content, strlen(content), &err) == 0, "%s", err.message);
}

static bool
is_there(const char *name)
{
    return access(in_root(name), F_OK) == 0;
}

/* A file's content without its last newline; "" when it is not there. */
static const char *
get(const char *name)
{
    static char text[4][8192];
    static unsigned next;
    char *out = text[next++ % 4];
    FILE *f = fopen(in_root(name), "r");
    size_t n = f != NULL ? fread(out, 1, sizeof text[0] - 1, f) : 0;

    if (f != NULL)
        fclose(f);
    out[n] = '\0';
    if (n > 0 && out[n - 1] == '\n')
        out[n - 1] = '\0';
    return out;
}

static void
set_up(void)
{
    static const struct mb_fake_rule rules[] = {MB_FAKE_20_10};
    char here[512];

    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/tests/fixtures/provider/bin:/usr/bin:/bin", here);
    mb_test_dir(root, sizeof root);
    setenv("PATH", path, 1);
    setenv("MB_STAND_IN", root, 1);
    setenv("HOME", root, 1);
    unsetenv("DOCKER_HOST");
    unsetenv("DOCKER_CONTEXT");
    mb_fake_engine_start(rules, sizeof rules / sizeof rules[0], &engine);
}

static void
tear_down(void)
{
    setenv("PATH", path, 1);
    mb_fake_engine_stop(&engine);
    mb_test_remove(root);
}

/* An engine of a matrix; its settings as JSON, NULL for none. */
static struct mb_engine_spec
spec_of(const char *runtime, const char *settings)
{
    struct mb_engine_spec spec = {.name = strdup("tested"),
                                  .runtime = strdup(runtime),
                                  .endpoint = strdup(engine.url),
                                  .settings = settings != NULL ? cJSON_Parse(settings) : NULL,
                                  .ready_timeout_ns = UINT64_C(4000000000)};

    ck_assert(settings == NULL || spec.settings != NULL);
    return spec;
}

static void
clear(struct mb_engine_spec *spec)
{
    free(spec->name);
    free(spec->runtime);
    free(spec->endpoint);
    cJSON_Delete(spec->settings);
}

/* One stage and the end of the run.  -1 with the error of the first step that failed; all is put back whatever happened. */
static int
whole_run(const struct mb_provider_watch *watch, const struct mb_engine_spec *const *specs, struct mb_error *err)
{
    struct mb_providers *p = mb_providers_new(watch, err);
    struct mb_error step = {0};
    const char *word;
    int rc = 0;

    for (size_t i = 0; rc == 0 && specs[i] != NULL; i++)
        rc = mb_providers_look(p, specs[i], err);
    for (size_t i = 0; rc == 0 && specs[i] != NULL; i++) {
        rc = mb_providers_up(p, specs[i], &word, err);
        if (rc == 0) {
            ck_assert_str_eq(word, engine.url);
            put("measured", get("log"));
            rc = mb_providers_down(p, specs[i], err);
        }
    }
    mb_signals_shield(true);
    if (mb_providers_restore(p, &step) != 0) {
        if (rc == 0)
            *err = step;
        rc = -1;
    }
    mb_signals_shield(false);
    return rc;
}

static int
run_one(const char *runtime, const char *settings, struct mb_error *err)
{
    struct mb_engine_spec spec = spec_of(runtime, settings);
    const struct mb_engine_spec *specs[] = {&spec, NULL};

    int rc = whole_run(NULL, specs, err);
    clear(&spec);
    return rc;
}

static void
assert_log_has(const char *line)
{
    char whole[8300], wanted[512];

    snprintf(whole, sizeof whole, "\n%s\n", get("log"));
    snprintf(wanted, sizeof wanted, "\n%s\n", line);
    ck_assert_msg(strstr(whole, wanted) != NULL, "no '%s' in the calls:%s", line, whole);
}

/* --- Rancher Desktop ------------------------------------------------------------------------------------------------------------
 */

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

    put("version", rdctls[_i].version);
    put("running", "");
    put("vm", "STARTED");
    int rc = run_one("rancher-desktop", "{\"vm_type\": \"vz\", \"mount_type\": \"virtiofs\"}", &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    assert_log_has(rdctls[_i].start);
    assert_log_has(rdctls[_i].back);
    ck_assert(is_there("running"));
    ck_assert_str_eq(get("vm_type"), "qemu");
    ck_assert_str_eq(get("mount_type"), "reverse-sshfs");
}
END_TEST

START_TEST(rancher_desktop_found_stopped_is_stopped_again_with_its_settings)
{
    struct mb_error err = {0};
    struct mb_engine_spec a = spec_of("rancher-desktop", "{\"mount_type\": \"9p\", \"9p_msize_kib\": 512}");
    struct mb_engine_spec b = spec_of("rancher-desktop", "{\"vm_type\": \"vz\", \"mount_type\": \"virtiofs\"}");
    const struct mb_engine_spec *specs[] = {&a, &b, &a, NULL};

    int rc = whole_run(NULL, specs, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    /* The second one starts from what was found, not from what the first one set. */
    assert_log_has("rdctl start --experimental.virtual-machine.mount.9p.msize-in-kib=128 --virtual-machine.type=vz "
                   "--virtual-machine.mount.type=virtiofs");
    ck_assert(!is_there("running"));
    ck_assert_str_eq(get("vm_type"), "qemu");
    ck_assert_str_eq(get("mount_type"), "reverse-sshfs");
    ck_assert_str_eq(get("msize"), "128");
    clear(&a);
    clear(&b);
}
END_TEST

START_TEST(a_setting_that_does_not_take_is_noticed)
{
    struct mb_error err = {0};

    put("deaf", "");
    ck_assert_int_eq(run_one("rancher-desktop", "{\"vm_type\": \"vz\"}", &err), -1);
    ck_assert_msg(strstr(err.message, "vm_type was set to 'vz', and 'rdctl list-settings' says 'qemu'") != NULL, "%s", err.message);
    ck_assert(!is_there("running"));
}
END_TEST

START_TEST(a_machine_that_ends_in_error_or_never_starts_is_said)
{
    struct mb_error err = {0};

    put("ends-up", "ERROR");
    ck_assert_int_eq(run_one("rancher-desktop", NULL, &err), -1);
    ck_assert_msg(strstr(err.message, "says ERROR") != NULL, "%s", err.message);
    ck_assert(!is_there("running"));
    put("never-starts", "");
    ck_assert_int_eq(run_one("rancher-desktop", NULL, &err), -1);
    ck_assert_msg(strstr(err.message, "ready_timeout") != NULL && strstr(err.message, "said STARTING") != NULL, "%s", err.message);
    ck_assert(!is_there("running"));
}
END_TEST

/* --- Docker Desktop -------------------------------------------------------------------------------------------------------------
 */

#define STORE ".docker/desktop/settings-store.json"
#define ODD "{\n  \"Cpus\": 4,  \"UseGrpcfuse\":false ,\n\t\"Words\": [\"{\", 1e3, \"\\u00e9\"],\n\"AutoStart\": true }\n\n"

static void
put_store(const char *content)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mb_tree_make(in_root(".docker/desktop"), &err), 0);
    put(STORE, content);
}

START_TEST(docker_desktops_file_is_changed_where_asked_and_put_back_byte_for_byte)
{
    struct mb_error err = {0};

    put_store(ODD);
    chmod(in_root(STORE), 0600);
    put("running", "");
    int rc = run_one("docker-desktop", "{\"UseGrpcfuse\": true, \"UseVirtualizationFrameworkVirtioFS\": \"false\"}", &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    /* The last start is the one that puts back. */
    ck_assert_str_eq(get("seen-at-start"), get(STORE));
    FILE *f = fopen(in_root(STORE), "r");
    char bytes[400] = "";
    ck_assert_uint_eq(fread(bytes, 1, sizeof bytes - 1, f), strlen(ODD));
    fclose(f);
    ck_assert_str_eq(bytes, ODD);
    struct stat st;
    ck_assert_int_eq(stat(in_root(STORE), &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
    ck_assert(is_there("running"));
    ck_assert(!is_there(STORE ".mountbench-saved"));
    ck_assert_str_eq(get("log"), "docker desktop status --format json\n"
                                 "docker desktop status --format json\ndocker desktop stop\ndocker desktop status --format json\n"
                                 "docker desktop start\n"
                                 "docker desktop status --format json\ndocker desktop stop\ndocker desktop status --format json\n"
                                 "docker desktop start");
}
END_TEST

START_TEST(docker_desktop_starts_with_the_settings)
{
    struct mb_error err = {0};

    put_store(ODD);
    int rc = run_one("docker-desktop", "{\"UseGrpcfuse\": true, \"UseVirtualizationFrameworkVirtioFS\": false}", &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_str_eq(get("seen-at-start"),
                     "{\"UseVirtualizationFrameworkVirtioFS\":false,\n  \"Cpus\": 4,  \"UseGrpcfuse\":true ,\n"
                     "\t\"Words\": [\"{\", 1e3, \"\\u00e9\"],\n\"AutoStart\": true }\n");
    ck_assert(!is_there("running"));
}
END_TEST

START_TEST(what_docker_desktop_itself_writes_stays)
{
    struct mb_error err = {0};

    put_store(ODD);
    put("rewrites", "");
    int rc = run_one("docker-desktop", "{\"UseGrpcfuse\": true, \"UseLibkrun\": true}", &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    char expected[400];
    snprintf(expected, sizeof expected, "{\"LastStart\": 7,%s", &ODD[1]);
    expected[strlen(expected) - 1] = '\0';
    ck_assert_str_eq(get(STORE), expected);
}
END_TEST

START_TEST(what_someone_else_set_is_not_overwritten)
{
    struct mb_error err = {0};

    put_store(ODD);
    put("running", "");
    put("meddles", "");
    ck_assert_int_eq(run_one("docker-desktop", "{\"UseGrpcfuse\": true}", &err), -1);
    ck_assert_msg(strstr(err.message, "was changed by something else: UseGrpcfuse is null, and was set to true") != NULL, "%s",
                  err.message);
    char remedy[900];
    snprintf(remedy, sizeof remedy,
             "run: docker desktop stop && mv %s/" STORE ".mountbench-saved %s/" STORE " && docker desktop start", root, root);
    ck_assert_msg(strstr(err.message, remedy) != NULL, "%s", err.message);
    ck_assert_ptr_nonnull(strstr(get(STORE), "null"));
    char original[400];
    snprintf(original, sizeof original, "%.*s", (int)strlen(ODD) - 1, ODD);
    ck_assert_str_eq(get(STORE ".mountbench-saved"), original);
    ck_assert(is_there("running"));
    /* And the next run does not pass over it. */
    mb_error_clear(&err);
    ck_assert_int_eq(run_one("docker-desktop", "{\"UseGrpcfuse\": true}", &err), -1);
    ck_assert_msg(strstr(err.message, "did not get to its end") != NULL, "%s", err.message);
}
END_TEST

START_TEST(older_files_have_keys_in_lower_camel)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mb_tree_make(in_root(".docker/desktop"), &err), 0);
    put(".docker/desktop/settings.json", "{\"useGrpcfuse\": false}");
    struct mb_engine_spec spec = spec_of("docker-desktop", "{\"UseGrpcfuse\": true}");
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(4000);
    ck_assert_int_eq(mb_provider_plan(&spec, &out, &err), 0);
    ck_assert_msg(strstr(mb_buffer_text(&out), "useGrpcfuse: false would become true") != NULL, "%s", mb_buffer_text(&out));
    clear(&spec);
    ck_assert_str_eq(get(".docker/desktop/settings.json"), "{\"useGrpcfuse\": false}");
}
END_TEST

static const struct {
    const char *content, *says;
} stores[] = {
    {NULL, "settings file is in none of its places"},
    {"", "are no JSON object, and are left alone"},
    {"{\"UseGrpcfuse\": tr", "are no JSON object, and are left alone"},
    {"[1]", "are no JSON object, and are left alone"},
    {"{} trailing", "are no JSON object, and are left alone"},
};

START_TEST(a_settings_file_that_is_not_understood_is_left_alone)
{
    struct mb_error err = {0};

    put("running", "");
    if (stores[_i].content != NULL)
        put_store(stores[_i].content);
    ck_assert_int_eq(run_one("docker-desktop", "{\"UseGrpcfuse\": true}", &err), -1);
    ck_assert_msg(strstr(err.message, stores[_i].says) != NULL, "%s", err.message);
    ck_assert_str_eq(get("log"), "docker desktop status --format json");
    if (stores[_i].content != NULL)
        ck_assert_str_eq(get(STORE), stores[_i].content);
}
END_TEST

START_TEST(a_settings_file_that_cannot_be_read_is_said)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mb_tree_make(in_root(STORE), &err), 0); /* a directory: root may read all files */
    ck_assert_int_eq(run_one("docker-desktop", "{\"UseGrpcfuse\": true}", &err), -1);
    ck_assert_msg(strstr(err.message, "cannot read Docker Desktop's settings") != NULL, "%s", err.message);
}
END_TEST

START_TEST(a_docker_without_desktop_commands_is_too_old)
{
    struct mb_error err = {0};

    put("old", "");
    ck_assert_int_eq(run_one("docker-desktop", NULL, &err), -1);
    ck_assert_msg(strstr(err.message, "older than 4.37") != NULL && strstr(err.message, "https://www.docker.com") != NULL, "%s",
                  err.message);
}
END_TEST

/* --- Instances ------------------------------------------------------------------------------------------------------------------
 */

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

    int rc = run_one(made[_i].runtime, made[_i].settings, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    assert_log_has(made[_i].create);
    assert_log_has(made[_i].remove);
    ck_assert(!is_there(made[_i].instance));
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

    ck_assert_int_eq(mkdir(in_root(kept[_i].directory), 0700), 0);
    put(kept[_i].file, kept[_i].running);
    int rc = run_one(kept[_i].runtime, NULL, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    assert_log_has(kept[_i].start);
    ck_assert_str_eq(get(kept[_i].file), kept[_i].running);
    put(kept[_i].file, kept[_i].running[0] == 'R' ? "Stopped" : "stopped");
    rc = run_one(kept[_i].runtime, NULL, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_msg(strcmp(get(kept[_i].file) + 1, "topped") == 0, "%s", get(kept[_i].file));
}
END_TEST

START_TEST(an_instance_of_ones_own_keeps_its_settings)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mkdir(in_root("profiles"), 0700), 0);
    put("profiles/work", "Running");
    ck_assert_int_eq(run_one("colima", "{\"profile\": \"work\", \"vm_type\": \"vz\"}", &err), -1);
    ck_assert_int_eq(mb_error_exit_status(&err), 2);
    ck_assert_msg(strstr(err.message, "settings are fixed") != NULL, "%s", err.message);
    ck_assert_str_eq(get("profiles/work"), "Running");
    int rc = run_one("colima", "{\"profile\": \"work\"}", &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_str_eq(get("profiles/work"), "Running");
}
END_TEST

START_TEST(a_podman_machine_says_where_its_socket_is)
{
    struct mb_error err = {0};
    struct mb_engine_spec spec = spec_of("podman-machine", NULL);
    const char *word = NULL;

    free(spec.endpoint);
    spec.endpoint = NULL;
    put("socket", engine.socket);
    struct mb_providers *p = mb_providers_new(NULL, &err);
    ck_assert_msg(mb_providers_up(p, &spec, &word, &err) == 0, "%s", err.message);
    ck_assert_str_eq(word, engine.url);
    ck_assert_int_eq(mb_providers_restore(p, &err), 0);
    ck_assert(!is_there("machines/podman-machine-default"));
    clear(&spec);
}
END_TEST

START_TEST(orbstack_is_started_and_stopped)
{
    struct mb_error err = {0};

    int rc = run_one("orbstack", NULL, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert(!is_there("running"));
    put("running", "");
    rc = run_one("orbstack", NULL, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert(is_there("running"));
    ck_assert_int_eq(run_one("orbstack", "{\"mount_type\": \"virtiofs\"}", &err), -1);
    ck_assert_msg(strstr(err.message, "OrbStack has no settings that can be made here") != NULL, "%s", err.message);
}
END_TEST

/* --- What goes wrong with any of them -------------------------------------------------------------------------------------------
 */

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
    ck_assert_int_eq(run_one(absent[_i].runtime, NULL, &err), -1);
    ck_assert_int_eq(mb_error_exit_status(&err), 3);
    ck_assert_msg(strstr(err.message, absent[_i].says) != NULL, "%s", err.message);
    struct mb_engine_spec spec = spec_of(absent[_i].runtime, NULL);
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(4000);
    ck_assert_int_eq(mb_provider_plan(&spec, &out, &err), 0);
    ck_assert_msg(strstr(mb_buffer_text(&out), absent[_i].says) != NULL, "%s", mb_buffer_text(&out));
    clear(&spec);
}
END_TEST

static const struct {
    const char *runtime, *version, *says;
} old[] = {
    {"rancher-desktop", "1.7.0", "Rancher Desktop 1.7.0 is too old: 1.8 or later"},
    {"colima", "0.4.6", "colima 0.4.6 is too old: 0.5 or later"},
    {"lima", "0.11.0", "lima 0.11.0 is too old: 0.18 or later"},
    {"podman-machine", "3.4.4", "podman machine 3.4.4 is too old: 4.0 or later"},
    {"rancher-desktop", "nonsense", "does not say its version"},
};

START_TEST(an_old_program_is_told_what_is_needed)
{
    struct mb_error err = {0};

    put("version", old[_i].version);
    ck_assert_int_eq(run_one(old[_i].runtime, NULL, &err), -1);
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

    put(faults[_i].fault, faults[_i].text);
    ck_assert_int_eq(run_one(faults[_i].runtime, NULL, &err), -1);
    ck_assert_msg(strstr(err.message, faults[_i].says) != NULL, "%s", err.message);
    /* Nothing is left of it. */
    ck_assert(!is_there("profiles/default") && !is_there("instances/docker") && !is_there("machines/podman-machine-default"));
}
END_TEST

static const struct {
    const char *runtime, *fault, *remedy;
} stuck[] = {
    {"colima", "fail-stop", "run: colima delete --force --profile default"},
    {"podman-machine", "fail-stop", "run: podman machine rm --force podman-machine-default"},
    {"rancher-desktop", "fail-shutdown", "run: rdctl shutdown"},
    {"docker-desktop", "fail-stop", "run: docker desktop stop"},
    {"orbstack", "fail-stop", "run: orb stop"},
};

START_TEST(a_stop_that_fails_says_exactly_what_to_run)
{
    struct mb_error err = {0};

    put(stuck[_i].fault, "it is stuck");
    ck_assert_int_eq(run_one(stuck[_i].runtime, NULL, &err), -1);
    ck_assert_msg(strstr(err.message, "it is stuck") != NULL && strstr(err.message, stuck[_i].remedy) != NULL, "%s", err.message);
}
END_TEST

START_TEST(an_engine_that_never_answers_is_stopped_in_time)
{
    struct mb_error err = {0};
    struct mb_engine_spec spec = spec_of("colima", "{\"mount_type\": \"sshfs\"}");
    const struct mb_engine_spec *specs[] = {&spec, NULL};

    free(spec.endpoint);
    spec.endpoint = strdup("unix:///nonexistent/docker.sock");
    spec.ready_timeout_ns = UINT64_C(1200000000);
    ck_assert_int_eq(whole_run(NULL, specs, &err), -1);
    ck_assert_msg(strstr(err.message, "no container ran within ready_timeout") != NULL &&
                      strstr(err.message, "/nonexistent/docker.sock") != NULL,
                  "%s", err.message);
    assert_log_has("colima stop --profile mb-sshfs");
    ck_assert(!is_there("profiles/mb-sshfs"));
    clear(&spec);
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
    struct mb_engine_spec spec = spec_of("orbstack", NULL);
    const struct mb_engine_spec *specs[] = {&spec, NULL};

    spec.ready_timeout_ns = UINT64_C(1500000000);
    ck_assert_int_eq(whole_run(&watch, specs, &err), -1);
    ck_assert_msg(strstr(err.message, "no room for a container") != NULL, "%s", err.message);
    ck_assert_int_ge(tries, 2);
    ck_assert(!is_there("running"));
    clear(&spec);
}
END_TEST

START_TEST(one_runtime_is_up_at_a_time_and_all_are_as_before)
{
    struct mb_error err = {0};
    struct mb_engine_spec a = spec_of("docker-desktop", NULL), b = spec_of("colima", NULL);
    const struct mb_engine_spec *specs[] = {&a, &b, NULL};

    put("running", ""); /* Docker Desktop's */
    int rc = whole_run(NULL, specs, &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    const char *log = get("log");
    const char *stopped = strstr(log, "docker desktop stop"), *started = strstr(log, "colima start");
    ck_assert(stopped != NULL && started != NULL && stopped < started);
    ck_assert_ptr_nonnull(strstr(started, "docker desktop start"));
    ck_assert(is_there("running"));
    clear(&a);
    clear(&b);
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

static const char *const interruptible[] = {"rancher-desktop", "docker-desktop", "colima", "orbstack"};

START_TEST(an_interrupt_in_any_state_puts_back_what_was_found)
{
    struct mb_error err = {0};
    const char *runtime = interruptible[_i / 5];
    struct trap trap = {.after = _i % 5 + 1};
    const struct mb_provider_watch watch = {.tell = on_tell, .context = &trap};
    struct mb_engine_spec spec = spec_of(runtime, strcmp(runtime, "rancher-desktop") == 0  ? "{\"vm_type\": \"vz\"}"
                                                  : strcmp(runtime, "docker-desktop") == 0 ? "{\"UseGrpcfuse\": true}"
                                                                                           : NULL);
    const struct mb_engine_spec *specs[] = {&spec, NULL};

    put_store(ODD);
    put("vm", "STARTED");
    put("running", "");
    mb_signals_install();
    int rc = whole_run(&watch, specs, &err);
    ck_assert_int_ge(trap.seen, trap.after);
    ck_assert_msg(rc == 0 || err.code == MB_EINTERRUPT, "%s", err.message);
    ck_assert(is_there("running"));
    ck_assert(!is_there(STORE ".mountbench-saved"));
    char original[400];
    snprintf(original, sizeof original, "%.*s", (int)strlen(ODD) - 1, ODD);
    ck_assert_str_eq(get(STORE), original);
    if (is_there("vm_type"))
        ck_assert_str_eq(get("vm_type"), "qemu");
    ck_assert(!is_there("profiles/default"));
    clear(&spec);
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
    struct mb_engine_spec spec = spec_of(words[_i].runtime, words[_i].settings);

    int rc = mb_provider_check(&spec, &err);
    if (words[_i].says == NULL) {
        ck_assert_msg(rc == 0, "%s", err.message);
    } else {
        ck_assert_int_eq(rc, -1);
        ck_assert_int_eq(mb_error_exit_status(&err), 2);
        ck_assert_msg(strstr(err.message, words[_i].says) != NULL, "%s", err.message);
    }
    clear(&spec);
    ck_assert(!is_there("log"));
}
END_TEST

START_TEST(a_plan_looks_and_touches_nothing)
{
    struct mb_error err = {0};
    struct mb_engine_spec spec = spec_of("rancher-desktop", "{\"vm_type\": \"vz\"}");
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(4000);

    put("running", "");
    put("vm", "STARTED");
    ck_assert_msg(mb_provider_plan(&spec, &out, &err) == 0, "%s", err.message);
    ck_assert_ptr_nonnull(strstr(mb_buffer_text(&out), "Rancher Desktop 1.20.0 is running"));
    ck_assert_ptr_nonnull(strstr(mb_buffer_text(&out), "vm_type: qemu would become vz"));
    ck_assert_str_eq(get("log"), "rdctl version\nrdctl api /v1/backend_state\nrdctl list-settings");
    clear(&spec);
}
END_TEST

#define COUNT(array) (int)(sizeof array / sizeof array[0])

int
main(void)
{
    Suite *suite = suite_create("providers");
    TCase *tc = tcase_create("providers");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, rancher_desktop_is_set_by_the_flags_of_its_version, 0, COUNT(rdctls));
    tcase_add_test(tc, rancher_desktop_found_stopped_is_stopped_again_with_its_settings);
    tcase_add_test(tc, a_setting_that_does_not_take_is_noticed);
    tcase_add_test(tc, a_machine_that_ends_in_error_or_never_starts_is_said);
    tcase_add_test(tc, docker_desktops_file_is_changed_where_asked_and_put_back_byte_for_byte);
    tcase_add_test(tc, docker_desktop_starts_with_the_settings);
    tcase_add_test(tc, what_docker_desktop_itself_writes_stays);
    tcase_add_test(tc, what_someone_else_set_is_not_overwritten);
    tcase_add_test(tc, older_files_have_keys_in_lower_camel);
    tcase_add_loop_test(tc, a_settings_file_that_is_not_understood_is_left_alone, 0, COUNT(stores));
    tcase_add_test(tc, a_settings_file_that_cannot_be_read_is_said);
    tcase_add_test(tc, a_docker_without_desktop_commands_is_too_old);
    tcase_add_loop_test(tc, an_instance_that_was_not_there_is_made_and_deleted, 0, COUNT(made));
    tcase_add_loop_test(tc, an_instance_that_was_there_is_as_it_was, 0, COUNT(kept));
    tcase_add_test(tc, an_instance_of_ones_own_keeps_its_settings);
    tcase_add_test(tc, a_podman_machine_says_where_its_socket_is);
    tcase_add_test(tc, orbstack_is_started_and_stopped);
    tcase_add_loop_test(tc, a_missing_program_is_no_surprise, 0, COUNT(absent));
    tcase_add_loop_test(tc, an_old_program_is_told_what_is_needed, 0, COUNT(old));
    tcase_add_loop_test(tc, a_start_that_goes_wrong_is_told_in_its_own_words, 0, COUNT(faults));
    tcase_add_loop_test(tc, a_stop_that_fails_says_exactly_what_to_run, 0, COUNT(stuck));
    tcase_add_test(tc, an_engine_that_never_answers_is_stopped_in_time);
    tcase_add_test(tc, an_engine_that_runs_no_container_is_not_ready);
    tcase_add_test(tc, one_runtime_is_up_at_a_time_and_all_are_as_before);
    tcase_add_loop_test(tc, an_interrupt_in_any_state_puts_back_what_was_found, 0, COUNT(interruptible) * 5);
    tcase_add_loop_test(tc, settings_are_held_against_what_there_is, 0, COUNT(words));
    tcase_add_test(tc, a_plan_looks_and_touches_nothing);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
