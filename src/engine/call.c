/* call.c: one JSON call: version before the path, tree to text and back, refusals in the engine's own words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"

/* More than any list of containers and images; an inspect has some kilobytes. */
#define ANSWER_MAX (16u << 20)

char *
mb_engine_path(const struct mb_engine *engine, const char *path)
{
    MB_AUTO_BUFFER b = MB_BUFFER_INIT(65536);

    mb_buffer_printf(&b, "/v%s%s", engine->facts.api_version, path);
    return b.overflowed ? NULL : mb_buffer_steal(&b);
}

bool
mb_is_podman(const struct mb_engine *engine)
{
    return engine->facts.runtime == MB_RUNTIME_PODMAN || engine->facts.runtime == MB_RUNTIME_PODMAN_MACHINE;
}

void
mb_path_part(struct mb_buffer *b, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";

    for (; *text != '\0'; text++) {
        if (strchr(plain, *text) != NULL)
            mb_buffer_putc(b, *text);
        else
            mb_buffer_printf(b, "%%%02X", (unsigned)(unsigned char)*text);
    }
}

int
mb_engine_strdup(char **to, const char *text)
{
    *to = strdup(text);
    return *to != NULL ? 0 : -1;
}

cJSON *
mb_labels_json(const struct mb_labels *labels)
{
    cJSON *tree = cJSON_CreateObject();

    cJSON_AddStringToObject(tree, MB_LABEL, "1");
    if (labels != NULL && labels->run != NULL)
        cJSON_AddStringToObject(tree, MB_LABEL_RUN, labels->run);
    return tree;
}

/* An engine's words on one line: podman passes on what programs print, with their line ends. */
static void
flatten(char *text)
{
    char *to = text;
    bool gap = false;

    for (const char *from = text; *from != '\0'; from++) {
        if ((unsigned char)*from <= ' ') {
            gap = to != text;
            continue;
        }
        if (gap)
            *to++ = ' ';
        gap = false;
        *to++ = *from;
    }
    *to = '\0';
}

int
mb_engine_refused(const struct mb_engine *engine, const char *to, int status, const struct mb_buffer *body, struct mb_error *err)
{
    MB_AUTO_JSON *tree = cJSON_Parse(mb_buffer_text(body));
    const char *message = mb_json_text(tree, "message");
    char words[1500];

    snprintf(words, sizeof words, "%s", *message != '\0' ? message : mb_buffer_text(body));
    flatten(words);
    if (words[0] == '\0')
        snprintf(words, sizeof words, "HTTP status %d without a word", status);
    bool version = strstr(words, "client version") != NULL && engine->version_forced;
    mb_error_set(err, MB_EENGINE, "cannot %s: %s%s", to, words, version ? "; unset DOCKER_API_VERSION" : "");
    if (err != NULL)
        err->http_status = status;
    return -1;
}

static int
read_answer(const struct mb_engine *engine, const struct mb_call *call, const struct mb_buffer *body, cJSON **answer,
            struct mb_error *err)
{
    if (answer == NULL || body->len == 0)
        return 0;
    *answer = cJSON_ParseWithLength(body->data, body->len);
    if (*answer == NULL)
        return mb_error_set(err, MB_EPROTOCOL, "%s: cannot %s: the answer is not JSON: %.80s", engine->endpoint.url, call->to,
                            body->data);
    return 0;
}

int
mb_engine_call(struct mb_engine *engine, const struct mb_call *call, cJSON **answer, struct mb_error *err)
{
    struct mb_http_reply reply = {.body = MB_BUFFER_INIT(ANSWER_MAX)};
    char *path = mb_engine_path(engine, call->path);
    char *body = call->json != NULL ? cJSON_PrintUnformatted(call->json) : NULL;
    int rc = -1;

    if (answer != NULL)
        *answer = NULL;
    if (path == NULL || (call->json != NULL && body == NULL)) {
        mb_error_set(err, MB_EIO, "out of memory");
        goto done;
    }
    struct mb_http_request request = {
        .method = call->method,
        .path = path,
        .type = body != NULL ? "application/json" : NULL,
        .body = body,
        .size = body != NULL ? strlen(body) : 0,
        .timeout_ms = call->timeout_ms != 0 ? call->timeout_ms : engine->timeout_ms,
        .makes = call->makes,
    };
    if (mb_http_call(engine->http, &request, &reply, err) != 0) {
        mb_error_prefix(err, "cannot %s", call->to);
        goto done;
    }
    rc = reply.status;
    /* 304 is "already so". */
    if (rc >= 300 && rc != 304 && rc != call->tolerated)
        rc = mb_engine_refused(engine, call->to, rc, &reply.body, err);
    else if (rc < 300 && read_answer(engine, call, &reply.body, answer, err) != 0)
        rc = -1;
done:
    mb_buffer_free(&reply.body);
    cJSON_free(body);
    free(path);
    return rc;
}
