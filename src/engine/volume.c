/* volume.c: create with a driver's options, remove. */
#include <string.h>

#include "engine/internal.h"

static const char *
value_of(const struct mb_pair *options, const char *name)
{
    for (; options != NULL && options->name != NULL; options++) {
        if (strcmp(options->name, name) == 0)
            return options->value;
    }
    return "";
}

/* The server in an NFS volume's options "addr=SERVER,..."; its length in *${n}, NULL where there is none. */
static const char *
nfs_server(const struct mb_pair *options, size_t *n)
{
    for (const char *o = value_of(options, "o"); *o != '\0'; o += strcspn(o, ",") + (o[strcspn(o, ",")] == ',')) {
        if (strncmp(o, "addr=", 5) == 0) {
            *n = strcspn(o + 5, ",");
            return o + 5;
        }
    }
    return NULL;
}

/*
 * dockerd calls mount(2), where an NFS device is ":/share" and the server is an option; podman runs mount(8), which wants
 * "SERVER:/share".  Options are written as for docker, and told to podman its way.
 */
static void
add_options(cJSON *map, const struct mb_pair *options, bool podman)
{
    const char *type = value_of(options, "type");
    bool nfs = strcmp(type, "nfs") == 0 || strcmp(type, "nfs4") == 0;
    size_t n = 0;
    const char *server = podman && nfs ? nfs_server(options, &n) : NULL;

    for (; options != NULL && options->name != NULL; options++) {
        MB_AUTO_BUFFER device = MB_BUFFER_INIT(4096);
        if (server == NULL || strcmp(options->name, "device") != 0 || options->value[0] != ':') {
            cJSON_AddStringToObject(map, options->name, options->value);
            continue;
        }
        mb_buffer_printf(&device, memchr(server, ':', n) != NULL ? "[%.*s]%s" : "%.*s%s", (int)n, server, options->value);
        cJSON_AddStringToObject(map, options->name, mb_buffer_text(&device));
    }
}

int
mb_volume_create(struct mb_engine *engine, const char *name, const char *driver, const struct mb_pair *options,
                 const struct mb_labels *labels, struct mb_error *err)
{
    MB_AUTO_JSON *body = cJSON_CreateObject();
    struct mb_call call = {.to = "create the volume", .method = "POST", .path = "/volumes/create", .json = body, .makes = true};

    cJSON_AddStringToObject(body, "Name", name);
    cJSON_AddStringToObject(body, "Driver", driver != NULL ? driver : "local");
    add_options(cJSON_AddObjectToObject(body, "DriverOpts"), options, mb_is_podman(engine));
    cJSON_AddItemToObject(body, "Labels", mb_labels_json(labels));
    return mb_engine_call(engine, &call, NULL, err) < 0 ? -1 : 0;
}

int
mb_volume_remove(struct mb_engine *engine, const char *name, struct mb_error *err)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(4096);

    mb_buffer_puts(&path, "/volumes/");
    mb_path_part(&path, name);
    struct mb_call call = {.to = "remove the volume", .method = "DELETE", .path = mb_buffer_text(&path), .tolerated = 404};
    return mb_engine_call(engine, &call, NULL, err) < 0 ? -1 : 0;
}
