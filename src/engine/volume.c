/* volume.c: create with a driver's options, remove. */
#include "engine/internal.h"

int
mb_volume_create(struct mb_engine *engine, const char *name, const char *driver, const struct mb_pair *options,
                 const struct mb_labels *labels, struct mb_error *err)
{
    MB_AUTO_JSON *body = cJSON_CreateObject();
    struct mb_call call = {.to = "create the volume", .method = "POST", .path = "/volumes/create", .json = body};

    cJSON_AddStringToObject(body, "Name", name);
    cJSON_AddStringToObject(body, "Driver", driver != NULL ? driver : "local");
    cJSON *map = cJSON_AddObjectToObject(body, "DriverOpts");
    for (; options != NULL && options->name != NULL; options++)
        cJSON_AddStringToObject(map, options->name, options->value);
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
