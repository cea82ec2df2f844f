/* owned.c: what on an engine carries our label. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"

struct list {
    struct mb_object *objects;
    size_t n;
};

static int
add(struct list *list, enum mb_object_type type, const char *id, const char *name, const cJSON *labels)
{
    struct mb_object *longer = realloc(list->objects, (list->n + 1) * sizeof *longer);

    if (longer == NULL)
        return -1;
    list->objects = longer;
    longer[list->n].type = type;
    int rc = mb_engine_strdup(&longer[list->n].id, id);
    rc |= mb_engine_strdup(&longer[list->n].name, *name == '/' ? name + 1 : name);
    rc |= mb_engine_strdup(&longer[list->n].run, mb_json_text(labels, MB_LABEL_RUN));
    list->n++;
    return rc;
}

/* The name a person knows: a container's first, an image's first tag, else its id. */
static const char *
name_of(const cJSON *item, const char *key, const char *otherwise)
{
    const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(mb_json_get(item, key), 0));
    return name != NULL && strncmp(name, "<none>", 6) != 0 ? name : otherwise;
}

static int
list_type(struct mb_engine *engine, enum mb_object_type type, const char *filters, struct list *list, struct mb_error *err)
{
    static const struct {
        const char *to, *path, *names;
    } types[] = {
        [MB_OBJECT_CONTAINER] = {"list our containers", "/containers/json?all=1&filters=", "Names"},
        [MB_OBJECT_VOLUME] = {"list our volumes", "/volumes?filters=", NULL},
        [MB_OBJECT_IMAGE] = {"list our images", "/images/json?filters=", "RepoTags"},
    };
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(4096);
    MB_AUTO_JSON *answer = NULL;
    const cJSON *item;

    mb_buffer_puts(&path, types[type].path);
    mb_path_part(&path, filters);
    struct mb_call call = {.to = types[type].to, .method = "GET", .path = mb_buffer_text(&path)};
    if (mb_engine_call(engine, &call, &answer, err) < 0)
        return -1;
    const cJSON *array = type == MB_OBJECT_VOLUME ? mb_json_get(answer, "Volumes") : answer;
    cJSON_ArrayForEach(item, array)
    {
        const char *id = mb_json_text(item, type == MB_OBJECT_VOLUME ? "Name" : "Id");
        const char *name = types[type].names != NULL ? name_of(item, types[type].names, id) : id;
        const cJSON *labels = mb_json_get(item, "Labels");
        /* Trust no filter: what is listed here is about to be removed. */
        if (*mb_json_text(labels, MB_LABEL) == '\0')
            continue;
        if (add(list, type, id, name, labels) != 0)
            return mb_error_set(err, MB_EIO, "out of memory");
    }
    return 0;
}

int
mb_engine_list_owned(struct mb_engine *engine, const char *run, struct mb_object **out, size_t *n, struct mb_error *err)
{
    struct list list = {0};
    MB_AUTO_JSON *filters = cJSON_CreateObject();
    cJSON *labels = cJSON_AddArrayToObject(filters, "label");
    char text[256];
    int rc = 0;

    *out = NULL;
    *n = 0;
    if (run != NULL)
        snprintf(text, sizeof text, "%s=%s", MB_LABEL_RUN, run);
    else
        snprintf(text, sizeof text, "%s=1", MB_LABEL);
    cJSON_AddItemToArray(labels, cJSON_CreateString(text));
    char *words = cJSON_PrintUnformatted(filters);
    if (words == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    /* Containers hold volumes and images: they go first. */
    for (int type = MB_OBJECT_CONTAINER; type <= MB_OBJECT_IMAGE && rc == 0; type++)
        rc = list_type(engine, (enum mb_object_type)type, words, &list, err);
    cJSON_free(words);
    if (rc != 0) {
        mb_objects_free(list.objects, list.n);
        return -1;
    }
    *out = list.objects;
    *n = list.n;
    return 0;
}

void
mb_objects_free(struct mb_object *objects, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(objects[i].id);
        free(objects[i].name);
        free(objects[i].run);
    }
    free(objects);
}
