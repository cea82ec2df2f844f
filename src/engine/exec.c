/* exec.c: a further program in a running container. */
#include <stdio.h>
#include <string.h>

#include "engine/internal.h"

#define OUTPUT_TIMEOUT_MS 60000

/* POST /containers/${container}/exec; the id in ${out}. */
static int
create(struct mb_engine *engine, const char *container, const char *const *argv, char out[128], struct mb_error *err)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(4096);
    MB_AUTO_JSON *body = cJSON_CreateObject();
    MB_AUTO_JSON *answer = NULL;
    struct mb_call call = {.to = "run a program in the container", .method = "POST", .json = body};

    mb_buffer_puts(&path, "/containers/");
    mb_path_part(&path, container);
    mb_buffer_puts(&path, "/exec");
    cJSON_AddBoolToObject(body, "AttachStdout", true);
    cJSON_AddBoolToObject(body, "AttachStderr", true);
    cJSON *words = cJSON_AddArrayToObject(body, "Cmd");
    for (; *argv != NULL; argv++)
        cJSON_AddItemToArray(words, cJSON_CreateString(*argv));
    call.path = mb_buffer_text(&path);
    if (mb_engine_call(engine, &call, &answer, err) < 0)
        return -1;
    snprintf(out, 128, "%s", mb_json_text(answer, "Id"));
    return 0;
}

static int
drop(void *context, const char *bytes, size_t n)
{
    (void)context, (void)bytes, (void)n;
    return 0;
}

int
mb_exec_run(struct mb_engine *engine, const char *container, const char *const *argv, int *exit_code, struct mb_error *err)
{
    static const char body[] = "{\"Detach\":false,\"Tty\":false}";
    struct mb_http_reply reply = {.body = MB_BUFFER_INIT(65536)};
    char id[128], path[192];
    MB_AUTO_JSON *answer = NULL;

    if (create(engine, container, argv, id, err) != 0)
        return -1;
    snprintf(path, sizeof path, "/v%s/exec/%s/start", engine->facts.api_version, id);
    struct mb_http_request request = {.method = "POST",
                                      .path = path,
                                      .type = "application/json",
                                      .body = body,
                                      .size = sizeof body - 1,
                                      .timeout_ms = OUTPUT_TIMEOUT_MS,
                                      .sink = drop};
    /* Its output lasts as long as the program does. */
    int rc = mb_http_call(engine->http, &request, &reply, err);
    if (rc != 0)
        mb_error_prefix(err, "cannot run a program in the container");
    else if (reply.status >= 300)
        rc = mb_engine_refused(engine, "run a program in the container", reply.status, &reply.body, err);
    mb_buffer_free(&reply.body);
    if (rc != 0)
        return -1;
    snprintf(path, sizeof path, "/exec/%s/json", id);
    struct mb_call call = {.to = "ask how the program ended", .method = "GET", .path = path};
    if (mb_engine_call(engine, &call, &answer, err) < 0)
        return -1;
    const cJSON *code = mb_json_get(answer, "ExitCode");
    if (exit_code != NULL)
        *exit_code = cJSON_IsNumber(code) ? code->valueint : -1;
    return 0;
}
