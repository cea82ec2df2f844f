/* create.c: from a specification to the body of POST /containers/create. */
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"

/* Copy-up at create may mount a volume, so that a mount that hangs hangs here. */
#define CREATE_TIMEOUT_MS 200000

static void
add_strings(cJSON *object, const char *key, const char *const *list)
{
    if (list == NULL)
        return;
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (; *list != NULL; list++)
        cJSON_AddItemToArray(array, cJSON_CreateString(*list));
}

/*
 * As Mounts, not as Binds: there a bind's missing source is an error on Docker, and every engine takes every consistency (podman
 * refuses "consistent" in Binds).
 */
static void
add_mount(cJSON *host, const struct mb_container_spec *spec)
{
    static const char *const types[] = {[MB_ATTACH_BIND] = "bind", [MB_ATTACH_VOLUME] = "volume", [MB_ATTACH_TMPFS] = "tmpfs"};

    if (spec->mount == MB_ATTACH_NONE)
        return;
    cJSON *mount = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(host, "Mounts"), mount);
    cJSON_AddStringToObject(mount, "Type", types[spec->mount]);
    cJSON_AddStringToObject(mount, "Target", spec->target);
    if (spec->mount != MB_ATTACH_TMPFS)
        cJSON_AddStringToObject(mount, "Source", spec->source);
    if (spec->mount == MB_ATTACH_BIND && spec->consistency != NULL)
        cJSON_AddStringToObject(mount, "Consistency", spec->consistency);
    /* Without NoCopy the engine fills a new volume from the image, for which it chowns: root_squash refuses that. */
    if (spec->mount == MB_ATTACH_VOLUME)
        cJSON_AddBoolToObject(cJSON_AddObjectToObject(mount, "VolumeOptions"), "NoCopy", true);
    if (spec->mount == MB_ATTACH_TMPFS) {
        cJSON *options = cJSON_AddObjectToObject(mount, "TmpfsOptions");
        /* Podman takes an absent mode for 0. */
        cJSON_AddNumberToObject(options, "Mode", 01777);
        if (spec->tmpfs_bytes > 0)
            cJSON_AddNumberToObject(options, "SizeBytes", (double)spec->tmpfs_bytes);
    }
}

/* Podman raises these limits as far as it can by itself, which fails where it may not: ask for ones that everybody has. */
static void
add_limits(cJSON *host)
{
    static const char *const names[] = {"nofile", "nproc"};
    cJSON *limits = cJSON_AddArrayToObject(host, "Ulimits");

    for (size_t i = 0; i < 2; i++) {
        cJSON *limit = cJSON_CreateObject();
        cJSON_AddStringToObject(limit, "Name", names[i]);
        cJSON_AddNumberToObject(limit, "Soft", 1024);
        cJSON_AddNumberToObject(limit, "Hard", 4096);
        cJSON_AddItemToArray(limits, limit);
    }
}

static cJSON *
host_config(const struct mb_engine *engine, const struct mb_container_spec *spec)
{
    cJSON *host = cJSON_CreateObject();

    /* What is attached is read there, and a log would be written to the disk that is measured. */
    cJSON_AddStringToObject(cJSON_AddObjectToObject(host, "LogConfig"), "Type", spec->open_stdin ? "none" : "json-file");
    if (spec->network_none)
        cJSON_AddStringToObject(host, "NetworkMode", "none");
    add_strings(host, "ExtraHosts", spec->extra_hosts);
    add_mount(host, spec);
    if (mb_is_podman(engine))
        add_limits(host);
    return host;
}

static cJSON *
container_config(const struct mb_engine *engine, const struct mb_container_spec *spec)
{
    cJSON *body = cJSON_CreateObject();

    cJSON_AddStringToObject(body, "Image", spec->image);
    add_strings(body, "Entrypoint", spec->entrypoint);
    add_strings(body, "Cmd", spec->command);
    add_strings(body, "Env", spec->environment);
    if (spec->working_dir != NULL)
        cJSON_AddStringToObject(body, "WorkingDir", spec->working_dir);
    cJSON_AddBoolToObject(body, "Tty", false);
    cJSON_AddBoolToObject(body, "AttachStdin", spec->open_stdin);
    cJSON_AddBoolToObject(body, "AttachStdout", true);
    cJSON_AddBoolToObject(body, "AttachStderr", true);
    cJSON_AddBoolToObject(body, "OpenStdin", spec->open_stdin);
    cJSON_AddBoolToObject(body, "StdinOnce", spec->open_stdin);
    cJSON_AddItemToObject(body, "Labels", mb_labels_json(&spec->labels));
    cJSON_AddItemToObject(body, "HostConfig", host_config(engine, spec));
    return body;
}

int
mb_container_create(struct mb_engine *engine, const struct mb_container_spec *spec, char **id, struct mb_error *err)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(4096);
    MB_AUTO_JSON *body = container_config(engine, spec);
    MB_AUTO_JSON *answer = NULL;

    *id = NULL;
    mb_buffer_puts(&path, "/containers/create");
    if (spec->name != NULL) {
        mb_buffer_puts(&path, "?name=");
        mb_path_part(&path, spec->name);
    }
    struct mb_call call = {.to = "create the container",
                           .method = "POST",
                           .path = mb_buffer_text(&path),
                           .json = body,
                           .timeout_ms = CREATE_TIMEOUT_MS,
                           .makes = true};
    if (mb_engine_call(engine, &call, &answer, err) < 0)
        return -1;
    if (*mb_json_text(answer, "Id") == '\0')
        return mb_error_set(err, MB_EPROTOCOL, "%s: cannot create the container: the answer has no Id", engine->endpoint.url);
    *id = strdup(mb_json_text(answer, "Id"));
    return *id != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}
