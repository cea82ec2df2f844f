/* image.c: make an image from bytes in memory, find one, remove one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"

#define IMPORT_TIMEOUT_MS 120000
#define PROGRESS_MAX (1u << 20)

static void
add_change(struct mb_buffer *path, const char *change)
{
    mb_buffer_puts(path, "&changes=");
    mb_path_part(path, change);
}

static void
add_label_change(struct mb_buffer *path, const char *label, const char *value)
{
    MB_AUTO_BUFFER change = MB_BUFFER_INIT(1024);

    mb_buffer_printf(&change, "LABEL %s=\"%s\"", label, value);
    add_change(path, mb_buffer_text(&change));
}

/*
 * The id in a stream of progress objects, or the failure: an import that fails half-way has answered 200 by then.  Docker says
 * {"status":"sha256:..."}, podman adds "id".
 */
static int
read_progress(const char *url, const struct mb_buffer *body, char **id, struct mb_error *err)
{
    const char *at = mb_buffer_text(body), *end = NULL;

    *id = NULL;
    for (;; at = end) {
        MB_AUTO_JSON *line = cJSON_ParseWithOpts(at, &end, false);
        if (line == NULL)
            break;
        const char *failure = mb_json_text(line, "error"), *status = mb_json_text(line, "status");
        if (*failure == '\0')
            failure = mb_json_text(mb_json_get(line, "errorDetail"), "message");
        if (*failure != '\0') {
            free(*id);
            *id = NULL;
            return mb_error_set(err, MB_EENGINE, "cannot import the image: %s", failure);
        }
        if (strncmp(status, "sha256:", 7) == 0) {
            free(*id);
            *id = strdup(status);
        }
    }
    if (*id == NULL)
        return mb_error_set(err, MB_EPROTOCOL, "%s: cannot import the image: the engine's answer names no image: %.80s", url,
                            mb_buffer_text(body));
    return 0;
}

int
mb_image_import(struct mb_engine *engine, const void *tar, size_t size, const char *reference, const char *const *changes,
                const struct mb_labels *labels, char **id, struct mb_error *err)
{
    MB_AUTO_BUFFER query = MB_BUFFER_INIT(65536);
    struct mb_http_reply reply = {.body = MB_BUFFER_INIT(PROGRESS_MAX)};
    int rc = -1;

    *id = NULL;
    /* The whole reference as repo: podman 4 forgets a tag that is given apart. */
    mb_buffer_puts(&query, "/images/create?fromSrc=-&repo=");
    mb_path_part(&query, reference);
    for (; changes != NULL && *changes != NULL; changes++)
        add_change(&query, *changes);
    add_label_change(&query, MB_LABEL, "1");
    if (labels != NULL && labels->run != NULL)
        add_label_change(&query, MB_LABEL_RUN, labels->run);
    char *path = mb_engine_path(engine, mb_buffer_text(&query));
    if (path == NULL || query.overflowed) {
        free(path);
        return mb_error_set(err, MB_EIO, "cannot import the image: the request is too long");
    }
    struct mb_http_request request = {.method = "POST",
                                      .path = path,
                                      .type = "application/x-tar",
                                      .body = tar,
                                      .size = size,
                                      .timeout_ms = IMPORT_TIMEOUT_MS,
                                      .makes = true};
    if (mb_http_call(engine->http, &request, &reply, err) != 0)
        mb_error_prefix(err, "cannot import the image");
    else if (reply.status >= 300)
        mb_engine_refused(engine, "import the image", reply.status, &reply.body, err);
    else
        rc = read_progress(engine->endpoint.url, &reply.body, id, err);
    /* A containerd image store keeps, under its name, an image whose import failed. */
    if (rc != 0 && (err == NULL || err->code == MB_EENGINE))
        mb_image_remove(engine, reference, NULL);
    mb_buffer_free(&reply.body);
    free(path);
    return rc;
}

static int
image_call(struct mb_engine *engine, const char *method, const char *to, const char *reference, const char *tail, cJSON **answer,
           struct mb_error *err)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(4096);

    mb_buffer_puts(&path, "/images/");
    mb_path_part(&path, reference);
    mb_buffer_puts(&path, tail);
    struct mb_call call = {.to = to, .method = method, .path = mb_buffer_text(&path), .tolerated = 404};
    return mb_engine_call(engine, &call, answer, err);
}

int
mb_image_id(struct mb_engine *engine, const char *reference, char **id, struct mb_error *err)
{
    cJSON *image = NULL;
    int status = image_call(engine, "GET", "look for the image", reference, "/json", &image, err);

    *id = NULL;
    if (status < 0)
        return -1;
    if (status == 404)
        return 0;
    *id = strdup(mb_json_text(image, "Id"));
    cJSON_Delete(image);
    return *id != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

int
mb_image_remove(struct mb_engine *engine, const char *id, struct mb_error *err)
{
    return image_call(engine, "DELETE", "remove the image", id, "?force=1", NULL, err) < 0 ? -1 : 0;
}
