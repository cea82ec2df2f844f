/*
 * docker_desktop.c: by the `docker desktop` commands and its settings file, edited while it is stopped.
 *
 * The file belongs to someone else.  Members that a matrix names are changed, every other byte stays; what was there is kept beside
 * it until it has been put back.  Where one of these members has meanwhile got another value, it is not overwritten.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/file.h"
#include "provider/internal.h"
#include "provider/json_edit.h"

#define FILE_MAX ((size_t)1024 * 1024)
#define SAVED ".mountbench-saved"
#define STOPPING_MS 60000
#define POLL_MS 500

static const struct mb_setting settings[] = {
    {.name = "UseVirtualizationFramework", .choices = mb_setting_truths},
    {.name = "UseVirtualizationFrameworkVirtioFS", .choices = mb_setting_truths},
    {.name = "UseGrpcfuse", .choices = mb_setting_truths},
    {.name = "UseLibkrun", .choices = mb_setting_truths},
    {.name = "Cpus", .min = 1, .max = 256},
    {.name = "MemoryMiB", .min = 1024, .max = 1048576},
    {.name = NULL},
};

/* Below the home directory; the first that is there counts.  settings.json, of older versions, has its keys in lowerCamel. */
static const char *const places[] = {
    "Library/Group Containers/group.com.docker/settings-store.json",
    ".docker/desktop/settings-store.json",
    "Library/Group Containers/group.com.docker/settings.json",
    ".docker/desktop/settings.json",
};

static const char *const status[] = {"docker", "desktop", "status", "--format", "json", NULL};
static const char *const desktop_start[] = {"docker", "desktop", "start", NULL};
static const char *const desktop_stop[] = {"docker", "desktop", "stop", NULL};

struct memory {
    char *path, *saved; /* the settings file, and what was in it beside it; NULL before it is needed */
    char *original;     /* what was in it before our first change; NULL before that */
    char *written;      /* what we wrote last */
    cJSON *changed;     /* key: what it was as JSON text, "" where it was not there */
    cJSON *set;         /* key: what we wrote, as JSON text */
};

/* "useGrpcfuse" in files whose keys begin in lower case. */
static void
spell(const struct memory *memory, const char *name, char out[64])
{
    const char *dash = strrchr(memory->path, '-');

    snprintf(out, 64, "%s", name);
    if (dash == NULL || strcmp(dash, "-store.json") != 0)
        out[0] = (char)(out[0] - 'A' + 'a');
}

static char *
join(const char *a, const char *b)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(4096);

    mb_buffer_printf(&text, "%s%s", a, b);
    return text.overflowed ? NULL : mb_buffer_steal(&text);
}

/* The whole file, as text that is a JSON object. */
static int
read_file(const char *path, struct mb_buffer *out, struct mb_error *err)
{
    char bytes[8192];
    FILE *f = fopen(path, "r");
    size_t n;

    if (f == NULL)
        return mb_error_errno(err, MB_EIO, errno, "cannot read Docker Desktop's settings '%s'", path);
    while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
        mb_buffer_append(out, bytes, n);
    bool bad = ferror(f) != 0;
    fclose(f);
    if (bad || out->overflowed)
        return mb_error_set(err, MB_EIO, "cannot read Docker Desktop's settings '%s'%s", path,
                            out->overflowed ? ": it is larger than 1 MiB" : "");
    cJSON *json = strlen(mb_buffer_text(out)) == out->len ? cJSON_ParseWithOpts(mb_buffer_text(out), NULL, 1) : NULL;
    bool object = cJSON_IsObject(json);
    cJSON_Delete(json);
    if (!object)
        return mb_error_set(err, MB_EPROTOCOL, "Docker Desktop's settings '%s' are no JSON object, and are left alone", path);
    return 0;
}

/* Find the settings file, and see that it can be read and that no earlier run left it changed. */
static int
find_file(struct memory *memory, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(FILE_MAX);
    const char *home = getenv("HOME");
    char candidate[4096];

    for (size_t i = 0; memory->path == NULL && home != NULL && i < sizeof places / sizeof places[0]; i++) {
        snprintf(candidate, sizeof candidate, "%s/%s", home, places[i]);
        if (access(candidate, F_OK) == 0)
            memory->path = realpath(candidate, NULL);
    }
    if (memory->path == NULL)
        return mb_error_set(
            err, MB_ECONFIG,
            "Docker Desktop's settings file is in none of its places ('%s/%s', '%s/%s'): start it once, or leave out "
            "'settings'",
            home != NULL ? home : "~", places[0], home != NULL ? home : "~", places[1]);
    if (memory->saved == NULL && (memory->saved = join(memory->path, SAVED)) == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    if (memory->original == NULL && access(memory->saved, F_OK) == 0)
        return mb_error_set(
            err, MB_ECONFIG,
            "'%s' is what a run that did not get to its end found in '%s': look at both, and either put it back (mv "
            "'%s' '%s', with Docker Desktop stopped) or remove it",
            memory->saved, memory->path, memory->saved, memory->path);
    return read_file(memory->path, &text, err);
}

/* "running", "stopped"...; an answer that tells that there is no such command is what old versions give. */
static int
ask(const struct mb_machine *m, char out[32], struct mb_error *err)
{
    struct mb_process_result result;

    if (mb_process_run(status, MB_ASK_MS, &result, err) != 0)
        return -1;
    cJSON *json = cJSON_Parse(mb_buffer_text(&result.out));
    const char *word = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "Status"));
    snprintf(out, 32, "%.31s", word != NULL ? word : "");
    int rc = word != NULL ? 0 : mb_process_failed(status, &result, err);
    const char *said = mb_buffer_text(&result.errors);
    if (rc != 0 && (strstr(said, "is not a docker command") != NULL || strstr(said, "unknown") != NULL))
        rc = mb_error_set(err, MB_ENOENGINE,
                          "%s is not installed, or older than 4.37, whose 'docker desktop' commands are needed; %s",
                          m->provider->title, m->provider->get);
    cJSON_Delete(json);
    mb_process_result_free(&result);
    return rc;
}

static int
look(struct mb_machine *m, struct mb_error *err)
{
    char now[32];

    if (mb_cli_need(m, "docker", err) != 0 || ask(m, now, err) != 0)
        return -1;
    m->existed = true;
    m->was_running = strcmp(now, "stopped") != 0;
    struct memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    m->memory = memory;
    memory->changed = cJSON_CreateObject();
    memory->set = cJSON_CreateObject();
    return mb_settings_given(m->spec) > 0 ? find_file(memory, err) : 0;
}

/* The value of ${key} in ${text} as JSON text, malloc'd; "" where there is none. */
static char *
value_in(const char *text, const char *key)
{
    cJSON *json = cJSON_Parse(text);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    char *value = item != NULL ? cJSON_PrintUnformatted(item) : strdup("");

    cJSON_Delete(json);
    return value;
}

/* What we set must still be what we set, or someone else has changed it, and it is theirs. */
static int
check_ours(const struct memory *memory, const char *text, struct mb_error *err)
{
    const cJSON *item;
    int rc = 0;

    cJSON_ArrayForEach(item, memory->set)
    {
        char *now = value_in(text, item->string);
        if (rc == 0 && (now == NULL || strcmp(now, item->valuestring) != 0))
            rc = mb_error_set(
                err, MB_EIO,
                "'%s' was changed by something else: %s is %s, and was set to %s; it is left alone, and what was found "
                "is in '%s'",
                memory->path, item->string, now != NULL && *now != '\0' ? now : "gone", item->valuestring, memory->saved);
        free(now);
    }
    return rc;
}

/* Apply an object of keys and JSON texts ("" removes) to the text in ${text}. */
static int
edit(struct mb_buffer *text, const cJSON *values, struct mb_error *err)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, values)
    {
        struct mb_buffer edited = MB_BUFFER_INIT(FILE_MAX);
        if (mb_json_edit(mb_buffer_text(text), item->string, *item->valuestring != '\0' ? item->valuestring : NULL, &edited) != 0) {
            mb_buffer_free(&edited);
            return mb_error_set(err, MB_EIO, "Docker Desktop's settings cannot be edited: too large, or not understood");
        }
        mb_buffer_free(text);
        *text = edited;
    }
    return 0;
}

/* Write ${text} where ${before} must still be. */
static int
replace(struct memory *memory, const struct mb_buffer *before, const struct mb_buffer *text, struct mb_error *err)
{
    MB_AUTO_BUFFER now = MB_BUFFER_INIT(FILE_MAX);

    if (read_file(memory->path, &now, err) != 0)
        return -1;
    if (strcmp(mb_buffer_text(&now), mb_buffer_text(before)) != 0)
        return mb_error_set(err, MB_EIO, "'%s' is being changed by something else just now, and is left alone", memory->path);
    if (mb_file_replace(memory->path, mb_buffer_text(text), text->len, err) != 0)
        return -1;
    free(memory->written);
    memory->written = strdup(mb_buffer_text(text));
    return memory->written != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

/* Keep what is there before the first change, here and beside the file. */
static int
keep_original(struct memory *memory, const struct mb_buffer *text, struct mb_error *err)
{
    if (memory->original != NULL)
        return 0;
    if (mb_file_replace(memory->saved, mb_buffer_text(text), text->len, err) != 0)
        return -1;
    memory->original = strdup(mb_buffer_text(text));
    return memory->original != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

static void
set_text(cJSON *object, const char *name, const char *text)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    cJSON_AddStringToObject(object, name, text);
}

/* What earlier stages changed as it was found, and then what ${spec} says. */
static int
apply(struct memory *memory, const struct mb_engine_spec *spec, struct mb_error *err)
{
    MB_AUTO_BUFFER before = MB_BUFFER_INIT(FILE_MAX);
    struct mb_buffer text = MB_BUFFER_INIT(FILE_MAX);
    const cJSON *item;
    char key[64], value[MB_SETTING_TEXT_MAX];

    if (find_file(memory, err) != 0 || read_file(memory->path, &before, err) != 0 ||
        check_ours(memory, mb_buffer_text(&before), err) != 0 || keep_original(memory, &before, err) != 0)
        return -1;
    mb_buffer_append(&text, mb_buffer_text(&before), before.len);
    cJSON *wanted = cJSON_Duplicate(memory->changed, 1);
    cJSON_ArrayForEach(item, spec->settings)
    {
        spell(memory, item->string, key);
        char *found = value_in(memory->original, key);
        set_text(memory->changed, key, found != NULL ? found : "");
        set_text(wanted, key, mb_setting_text(spec, item->string, value));
        free(found);
    }
    int rc = edit(&text, wanted, err);
    if (rc == 0)
        rc = replace(memory, &before, &text, err);
    if (rc == 0) {
        cJSON_Delete(memory->set);
        memory->set = wanted;
        wanted = NULL;
    }
    cJSON_Delete(wanted);
    mb_buffer_free(&text);
    return rc;
}

static int
start(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_error *err)
{
    struct memory *memory = m->memory;

    if (m->word == NULL && (m->word = strdup("docker-desktop")) == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    if ((mb_settings_given(spec) > 0 || memory->changed->child != NULL) && apply(memory, spec, err) != 0)
        return -1;
    return mb_cli_run(desktop_start, mb_cli_left_ms(m), NULL, err);
}

/* Its command may come back before all of it has stopped, and then would write the settings once more. */
static int
stop(struct mb_machine *m, struct mb_error *err)
{
    struct mb_error said = {0};
    uint64_t deadline = mb_deadline_in_ms(STOPPING_MS);
    char now[32];

    if (ask(m, now, err) != 0)
        return -1;
    if (strcmp(now, "stopped") == 0)
        return 0;
    if (mb_cli_run(desktop_stop, MB_STOP_MS, NULL, &said) != 0)
        return mb_error_set(err, said.code, "%s", said.message);
    while (ask(m, now, err) == 0) {
        if (strcmp(now, "stopped") == 0)
            return 0;
        if (mb_deadline_left_ms(deadline) == 0)
            return mb_error_set(err, MB_ETIMEOUT, "'docker desktop stop' is done, and its status is still '%s'", now);
        mb_pause(POLL_MS);
    }
    return -1;
}

static int
put_back(struct memory *memory, struct mb_error *err)
{
    MB_AUTO_BUFFER before = MB_BUFFER_INIT(FILE_MAX);
    struct mb_buffer text = MB_BUFFER_INIT(FILE_MAX);

    if (memory->written == NULL) {
        unlink(memory->saved); /* nothing was changed yet */
        return 0;
    }
    if (read_file(memory->path, &before, err) != 0 || check_ours(memory, mb_buffer_text(&before), err) != 0)
        return -1;
    bool untouched = strcmp(mb_buffer_text(&before), memory->written) == 0;
    mb_buffer_puts(&text, untouched ? memory->original : mb_buffer_text(&before));
    int rc = untouched ? 0 : edit(&text, memory->changed, err);
    if (rc == 0)
        rc = replace(memory, &before, &text, err);
    mb_buffer_free(&text);
    if (rc == 0)
        unlink(memory->saved);
    return rc;
}

static int
restore(struct mb_machine *m, struct mb_error *err)
{
    struct memory *memory = m->memory;
    int rc = memory->original != NULL ? put_back(memory, err) : 0;

    /* Running or not is put back even where the settings could not be. */
    if (m->was_running && mb_cli_run(desktop_start, mb_cli_left_ms(m), NULL, rc == 0 ? err : NULL) != 0)
        rc = -1;
    return rc;
}

static void
remedy(const struct mb_machine *m, struct mb_buffer *out)
{
    const struct memory *memory = m->memory;
    const char *const back[] = {"mv", memory->saved, memory->path, NULL};

    mb_process_line(desktop_stop, out);
    if (memory->original != NULL && access(memory->saved, F_OK) == 0) {
        mb_buffer_puts(out, " && ");
        mb_process_line(back, out);
    }
    if (m->was_running) {
        mb_buffer_puts(out, " && ");
        mb_process_line(desktop_start, out);
    }
}

static int
plan(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_buffer *out, struct mb_error *err)
{
    const struct memory *memory = m->memory;
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(FILE_MAX);
    const cJSON *item;
    char key[64], value[MB_SETTING_TEXT_MAX];

    mb_buffer_printf(out, "Docker Desktop is %s: would be %sstarted for its part, and %s in the end\n",
                     m->was_running ? "running" : "stopped", m->was_running ? "stopped with all that runs in it and " : "",
                     m->was_running ? "started as it is now" : "stopped again");
    if (mb_settings_given(spec) == 0)
        return 0;
    if (read_file(memory->path, &text, err) != 0)
        return -1;
    mb_buffer_printf(out, "in '%s', put back in the end:\n", memory->path);
    cJSON_ArrayForEach(item, spec->settings)
    {
        spell(memory, item->string, key);
        char *found = value_in(mb_buffer_text(&text), key);
        mb_buffer_printf(out, "%s: %s would become %s\n", key, found != NULL && *found != '\0' ? found : "(not there)",
                         mb_setting_text(spec, item->string, value));
        free(found);
    }
    return 0;
}

static void
forget(struct mb_machine *m)
{
    struct memory *memory = m->memory;

    if (memory == NULL)
        return;
    free(memory->path);
    free(memory->saved);
    free(memory->original);
    free(memory->written);
    cJSON_Delete(memory->changed);
    cJSON_Delete(memory->set);
    free(memory);
}

const struct mb_provider mb_provider_docker_desktop = {
    .name = "docker-desktop",
    .title = "Docker Desktop",
    .get = "get a current one at https://www.docker.com/products/docker-desktop",
    .settings = settings,
    .look = look,
    .start = start,
    .stop = stop,
    .restore = restore,
    .remedy = remedy,
    .plan = plan,
    .forget = forget,
};
