/* podman_machine.c: a machine for each set of settings. */
#include <stdlib.h>
#include <string.h>

#include "provider/instances.h"

static const struct mb_setting settings[] = {
    {.name = "machine"},
    {.name = "cpus", .min = 1, .max = 256},
    {.name = "memory_mib", .min = 512, .max = 1048576},
    {.name = "disk_gib", .min = 10, .max = 10000},
    {.name = "rootful", .choices = mb_setting_truths},
    {.name = NULL},
};

static const char *const flags[] = {"cpus",        "--cpus",  "memory_mib", "--memory", "disk_gib",
                                    "--disk-size", "rootful", "--rootful",  NULL};

static const char *const version[] = {"podman", "--version", NULL};
static const char *const list[] = {"podman", "machine", "list", "--format", "json", NULL};
static const char *const create[] = {"podman", "machine", "init", "*", "%", NULL};
static const char *const start[] = {"podman", "machine", "start", "%", NULL};
static const char *const stop[] = {"podman", "machine", "stop", "%", NULL};
static const char *const delete[] = {"podman", "machine", "rm", "--force", "%", NULL};

/* Each version has its sockets elsewhere, and says where, from 4.2 on. */
static int
locate(struct mb_machine *m, struct mb_error *err)
{
    const char *const argv[] = {"podman", "machine", "inspect", m->name, NULL};
    MB_AUTO_BUFFER url = MB_BUFFER_INIT(4200);
    cJSON *machines = NULL;

    if (mb_cli_json(argv, MB_ASK_MS, &machines, err) != 0)
        return -1;
    const cJSON *connection = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(machines, 0), "ConnectionInfo");
    const cJSON *socket = cJSON_GetObjectItemCaseSensitive(connection, "PodmanSocket");
    const char *path = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(socket, "Path"));
    mb_buffer_printf(&url, "unix://%s", path != NULL ? path : "");
    cJSON_Delete(machines);
    if (strncmp(mb_buffer_text(&url), "unix:///", 8) != 0 || url.overflowed)
        return mb_error_set(err, MB_EPROTOCOL,
                            "'podman machine inspect %s' names no socket on this side (ConnectionInfo.PodmanSocket.Path); give its "
                            "engine's address as 'endpoint'",
                            m->name);
    m->word = mb_buffer_steal(&url);
    return m->word != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

static const struct mb_instances instances = {
    .own_name = "machine",
    .fallback = "podman-machine-default",
    .least = {4, 2},
    .version = version,
    .list = list,
    .create = create,
    .start = start,
    .stop = stop,
    .remove = delete,
    .flags = flags,
    .locate = locate,
};

const struct mb_provider mb_provider_podman_machine = {
    .name = "podman-machine",
    .title = "podman machine",
    .get = "install podman: https://podman.io",
    .settings = settings,
    .identify = mb_instances_identify,
    .look = mb_instances_look,
    .start = mb_instances_start,
    .stop = mb_instances_stop,
    .restore = mb_instances_restore,
    .remedy = mb_instances_remedy,
    .instances = &instances,
};
