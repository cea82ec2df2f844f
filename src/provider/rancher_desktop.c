/*
 * rancher_desktop.c: by rdctl, whose flags for one thing have had two names.
 *
 * Its settings can be read only while it runs.  Where it is found stopped it is started once as it is, to see what it has.
 *
 * Of its two container engines only moby has the API that is spoken here: one found with containerd is switched, and switched back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/clock.h"
#include "mountbench/signals.h"
#include "provider/internal.h"

#define SETTINGS_MAX 16
#define FLAG_MAX (MB_SETTING_TEXT_MAX + 80)
#define POLL_MS 500

/* A setting that no matrix makes: it follows from what is found. */
#define CONTAINER_ENGINE "container_engine"

static const char *const vm_types[] = {"qemu", "vz", NULL};
static const char *const mount_types[] = {"reverse-sshfs", "9p", "virtiofs", NULL};
static const char *const cache_modes[] = {"none", "loose", "fscache", "mmap", NULL};
static const char *const protocols[] = {"9p2000", "9p2000.u", "9p2000.L", NULL};
static const char *const models[] = {"passthrough", "mapped-xattr", "mapped-file", "none", NULL};

static const struct mb_setting settings[] = {
    {.name = "vm_type", .choices = vm_types},
    {.name = "mount_type", .choices = mount_types},
    {.name = "9p_msize_kib", .min = 4, .max = 1048576},
    {.name = "9p_cache_mode", .choices = cache_modes},
    {.name = "9p_protocol_version", .choices = protocols},
    {.name = "9p_security_model", .choices = models},
    {.name = "cpus", .min = 1, .max = 256},
    {.name = "memory_gib", .min = 1, .max = 1024},
    {.name = NULL},
};

/* From minor version ${since} of 1 on a setting has this flag and this place in `list-settings`; the latest row that fits counts.
 */
static const struct spelling {
    const char *name;
    unsigned since;
    const char *flag, *place;
} spellings[] = {
    {"vm_type", 8, "--experimental.virtual-machine.type", "experimental.virtualMachine.type"},
    {"vm_type", 19, "--virtual-machine.type", "virtualMachine.type"},
    {"mount_type", 8, "--experimental.virtual-machine.mount.type", "experimental.virtualMachine.mount.type"},
    {"mount_type", 20, "--virtual-machine.mount.type", "virtualMachine.mount.type"},
    {"9p_msize_kib", 8, "--experimental.virtual-machine.mount.9p.msize-in-kb", "experimental.virtualMachine.mount.9p.msizeInKB"},
    {"9p_msize_kib", 9, "--experimental.virtual-machine.mount.9p.msize-in-kib", "experimental.virtualMachine.mount.9p.msizeInKib"},
    {"9p_cache_mode", 8, "--experimental.virtual-machine.mount.9p.cache-mode", "experimental.virtualMachine.mount.9p.cacheMode"},
    {"9p_protocol_version", 8, "--experimental.virtual-machine.mount.9p.protocol-version",
     "experimental.virtualMachine.mount.9p.protocolVersion"},
    {"9p_security_model", 8, "--experimental.virtual-machine.mount.9p.security-model",
     "experimental.virtualMachine.mount.9p.securityModel"},
    {"cpus", 8, "--virtual-machine.number-cpus", "virtualMachine.numberCPUs"},
    {"memory_gib", 8, "--virtual-machine.memory-in-gb", "virtualMachine.memoryInGB"},
    {CONTAINER_ENGINE, 8, "--container-engine.name", "containerEngine.name"},
};

static const char *const version[] = {"rdctl", "version", NULL};
static const char *const state[] = {"rdctl", "api", "/v1/backend_state", NULL};
static const char *const list[] = {"rdctl", "list-settings", NULL};
static const char *const shut_down[] = {"rdctl", "shutdown", NULL};

/* What was found, and what of it we changed: setting names with their values as text. */
struct memory {
    cJSON *found, *changed;
};

/* A command with its flags. */
struct command {
    const char *argv[SETTINGS_MAX + 3];
    char flags[SETTINGS_MAX][FLAG_MAX];
};

static const struct spelling *
spelling_of(const struct mb_machine *m, const char *name)
{
    const struct spelling *best = NULL;

    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        const struct spelling *s = &spellings[i];
        if (strcmp(s->name, name) == 0 && (m->version[0] > 1 || m->version[1] >= s->since))
            best = s;
    }
    return best;
}

/* "rdctl start" with a flag for each of ${values}, an object of names and texts; NULL for none. */
static void
start_command(const struct mb_machine *m, const cJSON *values, struct command *out)
{
    size_t n = 0;

    out->argv[n++] = "rdctl";
    out->argv[n++] = "start";
    for (const cJSON *item = values != NULL ? values->child : NULL; item != NULL; item = item->next) {
        if (n - 2 == SETTINGS_MAX)
            break;
        const struct spelling *s = spelling_of(m, item->string);
        if (s == NULL)
            continue;
        snprintf(out->flags[n - 2], FLAG_MAX, "%s=%s", s->flag, item->valuestring);
        out->argv[n] = out->flags[n - 2];
        n++;
    }
    out->argv[n] = NULL;
}

/*
 * "STARTED" and so on into ${out}[32]; "" when nothing answers, which is how rdctl says that it does not run.  Before 1.11 there is
 * no such question: what answers has started, and whether its machine has, the wait for the engine finds out.
 */
static int
ask_state(const struct mb_machine *m, char out[32], struct mb_error *err)
{
    bool tells = m->version[0] > 1 || m->version[1] >= 11;
    struct mb_error step = {0};
    cJSON *json = NULL;

    out[0] = '\0';
    if (mb_cli_json(tells ? state : list, MB_ASK_MS, &json, &step) != 0) {
        if (step.code == MB_EENGINE)
            return 0;
        return mb_error_set(err, step.code, "%s", step.message);
    }
    const char *word = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "vmState"));
    snprintf(out, 32, "%.31s", !tells ? "STARTED" : word != NULL ? word : "");
    cJSON_Delete(json);
    return 0;
}

static int
await_started(struct mb_machine *m, struct mb_error *err)
{
    char now[32];

    for (;;) {
        struct mb_error step = {0};
        if (ask_state(m, now, &step) != 0 && step.code != MB_ETIMEOUT)
            return mb_error_set(err, step.code, "%s", step.message);
        if (strcmp(now, "STARTED") == 0)
            return 0;
        if (strcmp(now, "ERROR") == 0)
            return mb_error_set(err, MB_EENGINE, "'rdctl api /v1/backend_state' says ERROR; see its logs in 'rdctl paths'");
        if (mb_interrupted())
            return mb_error_set(err, MB_EINTERRUPT, "interrupted while waiting for Rancher Desktop");
        if (mb_deadline_left_ms(m->deadline_ns) == 0)
            return mb_error_set(err, MB_ETIMEOUT,
                                "it was not STARTED within ready_timeout; at last 'rdctl api /v1/backend_state' %s%s",
                                now[0] != '\0' ? "said " : "had no answer", now);
        mb_machine_tell(m, "waiting for Rancher Desktop: %s", now[0] != '\0' ? now : "no answer yet");
        mb_pause(POLL_MS);
    }
}

/* Add the value at ${place} ("a.b.c") of ${json} to ${out} as text; nothing where there is none. */
static void
take_value(const cJSON *json, const char *name, const char *place, cJSON *out)
{
    const cJSON *item = json;
    char key[64], text[64];

    while (item != NULL && *place != '\0') {
        size_t n = strcspn(place, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, place);
        item = cJSON_GetObjectItemCaseSensitive(item, key);
        place += n + (place[n] == '.');
    }
    if (item == NULL)
        return;
    if (cJSON_IsString(item))
        cJSON_AddStringToObject(out, name, item->valuestring);
    if (cJSON_IsNumber(item)) {
        snprintf(text, sizeof text, "%.15g", item->valuedouble);
        cJSON_AddStringToObject(out, name, text);
    }
}

/* What it has now, as names and texts, the caller's to delete. */
static int
ask_settings(const struct mb_machine *m, cJSON **out, struct mb_error *err)
{
    cJSON *json;

    if (mb_cli_json(list, MB_ASK_MS, &json, err) != 0)
        return -1;
    *out = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        const struct spelling *s = &spellings[i];
        if (s == spelling_of(m, s->name))
            take_value(json, s->name, s->place, *out);
    }
    cJSON_Delete(json);
    return 0;
}

static bool
has_containerd(const struct memory *memory)
{
    const char *found = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(memory->found, CONTAINER_ENGINE));

    return found != NULL && strcmp(found, "containerd") == 0;
}

static int
look(struct mb_machine *m, struct mb_error *err)
{
    static const unsigned least[2] = {1, 8};
    char now[32];

    if (mb_cli_need(m, "rdctl", err) != 0 || mb_cli_version(m, version, least, err) != 0 || ask_state(m, now, err) != 0)
        return -1;
    m->existed = true;
    m->was_running = now[0] != '\0' && strcmp(now, "STOPPED") != 0;
    struct memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    m->memory = memory;
    memory->changed = cJSON_CreateObject();
    return strcmp(now, "STARTED") == 0 ? ask_settings(m, &memory->found, err) : 0;
}

/* What counts is that nothing answers any more, not what rdctl said about it. */
static int
stop(struct mb_machine *m, struct mb_error *err)
{
    struct mb_error said = {0};
    char now[32];

    if (mb_cli_run(shut_down, MB_STOP_MS, NULL, &said) == 0 || (ask_state(m, now, &(struct mb_error){0}) == 0 && now[0] == '\0'))
        return 0;
    return mb_error_set(err, said.code, "%s", said.message);
}

static int
start_with(struct mb_machine *m, const cJSON *values, struct mb_error *err)
{
    struct command command;

    start_command(m, values, &command);
    if (mb_cli_run(command.argv, mb_cli_left_ms(m), NULL, err) != 0)
        return -1;
    return await_started(m, err);
}

static void
set_text(cJSON *object, const char *name, const char *text)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    cJSON_AddStringToObject(object, name, text);
}

/* What to start with: what earlier stages changed is as it was found, what ${spec} says is as it says. */
static int
values_for(struct memory *memory, const struct mb_engine_spec *spec, cJSON *out, struct mb_error *err)
{
    const cJSON *item;
    char text[MB_SETTING_TEXT_MAX];

    cJSON_ArrayForEach(item, memory->changed) cJSON_AddStringToObject(out, item->string, item->valuestring);
    if (has_containerd(memory)) {
        set_text(out, CONTAINER_ENGINE, "moby");
        set_text(memory->changed, CONTAINER_ENGINE, "containerd");
    }
    cJSON_ArrayForEach(item, spec->settings)
    {
        const char *found = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(memory->found, item->string));
        if (found == NULL)
            return mb_error_set(
                err, MB_ECONFIG,
                "settings.%s: 'rdctl list-settings' does not say what it is now, and what cannot be put back is not "
                "changed",
                item->string);
        set_text(out, item->string, mb_setting_text(spec, item->string, text));
        set_text(memory->changed, item->string, found);
    }
    return 0;
}

/* That it took what it was given. */
static int
verify(const struct mb_machine *m, const cJSON *wanted, struct mb_error *err)
{
    const cJSON *item;
    cJSON *now;
    int rc = 0;

    if (ask_settings(m, &now, err) != 0)
        return -1;
    cJSON_ArrayForEach(item, wanted)
    {
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(now, item->string));
        if (rc == 0 && (text == NULL || strcmp(text, item->valuestring) != 0))
            rc = mb_error_set(err, MB_EENGINE, "%s was set to '%s', and 'rdctl list-settings' says '%s'", item->string,
                              item->valuestring, text != NULL ? text : "nothing");
    }
    cJSON_Delete(now);
    return rc;
}

static int
start(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_error *err)
{
    struct memory *memory = m->memory;
    cJSON *values = NULL;
    int rc = 0;

    if (m->word == NULL && (m->word = strdup("rancher-desktop")) == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    if (memory->found == NULL) {
        mb_machine_tell(m, "starting Rancher Desktop to see its settings");
        if (start_with(m, NULL, err) != 0 || ask_settings(m, &memory->found, err) != 0)
            return -1;
        if (mb_settings_given(spec) == 0 && !has_containerd(memory))
            return 0;
        if (stop(m, err) != 0)
            return -1;
    }
    values = cJSON_CreateObject();
    rc = values_for(memory, spec, values, err);
    if (rc == 0)
        rc = start_with(m, values, err);
    if (rc == 0)
        rc = verify(m, values, err);
    cJSON_Delete(values);
    return rc;
}

static int
restore(struct mb_machine *m, struct mb_error *err)
{
    const struct memory *memory = m->memory;
    struct command command;

    if (memory->changed->child != NULL) {
        if (start_with(m, memory->changed, err) != 0 || verify(m, memory->changed, err) != 0)
            return -1;
        return m->was_running ? 0 : stop(m, err);
    }
    start_command(m, NULL, &command);
    return m->was_running ? mb_cli_run(command.argv, mb_cli_left_ms(m), NULL, err) : 0;
}

static void
remedy(const struct mb_machine *m, struct mb_buffer *out)
{
    const struct memory *memory = m->memory;
    struct command command;

    start_command(m, memory->changed, &command);
    if (memory->changed->child != NULL || m->was_running)
        mb_process_line(command.argv, out);
    if (memory->changed->child != NULL && !m->was_running)
        mb_buffer_puts(out, " and, when it has started, ");
    if (!m->was_running)
        mb_process_line(shut_down, out);
}

static int
plan(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_buffer *out, struct mb_error *err)
{
    const struct memory *memory = m->memory;
    const cJSON *item;
    char text[MB_SETTING_TEXT_MAX];

    (void)err;
    mb_buffer_printf(out, "Rancher Desktop %u.%u.%u is %s: would be %sstarted for its part, and %s in the end\n", m->version[0],
                     m->version[1], m->version[2], m->was_running ? "running" : "stopped",
                     m->was_running ? "shut down with all that runs in it and " : "",
                     m->was_running ? "started as it is now" : "shut down again");
    if (memory->found == NULL)
        mb_buffer_puts(out, "its container engine is seen once it runs: containerd would become moby, and be put back\n");
    else if (has_containerd(memory))
        mb_buffer_puts(out,
                       "its container engine: containerd would become moby, which alone has the Engine API, and be put back\n");
    cJSON_ArrayForEach(item, spec->settings)
    {
        const char *found = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(memory->found, item->string));
        mb_buffer_printf(out, "%s: %s would become %s, and be put back\n", item->string,
                         found != NULL ? found : "what it is (seen once it runs)", mb_setting_text(spec, item->string, text));
    }
    return 0;
}

static void
forget(struct mb_machine *m)
{
    struct memory *memory = m->memory;

    if (memory == NULL)
        return;
    cJSON_Delete(memory->found);
    cJSON_Delete(memory->changed);
    free(memory);
}

const struct mb_provider mb_provider_rancher_desktop = {
    .name = "rancher-desktop",
    .title = "Rancher Desktop",
    .get = "get a current one at https://rancherdesktop.io, and let it put its commands in PATH",
    .settings = settings,
    .look = look,
    .start = start,
    .stop = stop,
    .restore = restore,
    .remedy = remedy,
    .plan = plan,
    .forget = forget,
};
