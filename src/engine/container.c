/* container.c: one container's life, from start to removal.  Its creation is in create.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/internal.h"
#include "engine/stream.h"
#include "mountbench/clock.h"
#include "mountbench/signals.h"

/* Longer than the kernel tries to reach an NFS server that does not answer, whose words come as the answer to start. */
#define START_TIMEOUT_MS 200000
#define REMOVE_TIMEOUT_MS 60000

/* A call on /containers/${id}${tail}. */
static int
container_call(struct mb_engine *engine, const struct mb_call *like, const char *id, const char *tail, cJSON **answer,
               struct mb_error *err)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(4096);
    struct mb_call call = *like;

    mb_buffer_puts(&path, "/containers/");
    mb_path_part(&path, id);
    mb_buffer_puts(&path, tail);
    call.path = mb_buffer_text(&path);
    return mb_engine_call(engine, &call, answer, err);
}

int
mb_container_start(struct mb_engine *engine, const char *id, struct mb_error *err)
{
    struct mb_call call = {.to = "start the container", .method = "POST", .timeout_ms = START_TIMEOUT_MS};
    return container_call(engine, &call, id, "/start", NULL, err) < 0 ? -1 : 0;
}

int
mb_container_kill(struct mb_engine *engine, const char *id, struct mb_error *err)
{
    struct mb_call call = {.to = "kill the container", .method = "POST", .tolerated = 409};
    return container_call(engine, &call, id, "/kill", NULL, err) < 0 ? -1 : 0;
}

int
mb_container_wait(struct mb_engine *engine, const char *id, unsigned timeout_ms, int *exit_code, struct mb_error *err)
{
    struct mb_call call = {.to = "wait for the container", .method = "POST", .timeout_ms = timeout_ms > 0 ? timeout_ms : 1};
    MB_AUTO_JSON *answer = NULL;

    /* Not next-exit: on podman that blocks for ever when the exit came first. */
    if (container_call(engine, &call, id, "/wait?condition=not-running", &answer, err) < 0)
        return -1;
    const cJSON *code = mb_json_get(answer, "StatusCode");
    if (!cJSON_IsNumber(code))
        return mb_error_set(err, MB_EPROTOCOL, "%s: cannot wait for the container: the answer has no StatusCode",
                            engine->endpoint.url);
    if (exit_code != NULL)
        *exit_code = code->valueint;
    return 0;
}

int
mb_container_inspect_json(struct mb_engine *engine, const char *id, cJSON **out, struct mb_error *err)
{
    struct mb_call call = {.to = "inspect the container", .method = "GET"};

    if (container_call(engine, &call, id, "/json", out, err) < 0)
        return -1;
    if (cJSON_IsObject(*out))
        return 0;
    cJSON_Delete(*out);
    *out = NULL;
    return mb_error_set(err, MB_EPROTOCOL, "%s: cannot inspect the container: the answer is no object", engine->endpoint.url);
}

int
mb_container_inspect(struct mb_engine *engine, const char *id, struct mb_container_state *out, struct mb_error *err)
{
    MB_AUTO_JSON *tree = NULL;

    if (mb_container_inspect_json(engine, id, &tree, err) != 0)
        return -1;
    const cJSON *state = mb_json_get(tree, "State"), *code = mb_json_get(state, "ExitCode");
    memset(out, 0, sizeof *out);
    out->running = cJSON_IsTrue(mb_json_get(state, "Running"));
    out->oom_killed = cJSON_IsTrue(mb_json_get(state, "OOMKilled"));
    out->exit_code = cJSON_IsNumber(code) ? code->valueint : 0;
    snprintf(out->error, sizeof out->error, "%.*s", (int)sizeof out->error - 1, mb_json_text(state, "Error"));
    return 0;
}

/* Where the two streams of a log go. */
struct log_reader {
    struct mb_frames frames;
    struct mb_buffer *out, *errors;
};

/* As much of it as the ceiling lets in. */
static void
append_some(struct mb_buffer *b, const char *bytes, size_t n)
{
    if (b == NULL)
        return;
    size_t room = b->max - b->len;
    mb_buffer_append(b, bytes, n < room ? n : room);
}

static int
on_log(void *context, enum mb_stream stream, const char *bytes, size_t n)
{
    struct log_reader *reader = context;
    append_some(stream == MB_STREAM_OUT ? reader->out : reader->errors, bytes, n);
    return 0;
}

static int
on_log_bytes(void *context, const char *bytes, size_t n)
{
    struct log_reader *reader = context;
    return mb_frames_feed(&reader->frames, bytes, n, on_log, reader, NULL);
}

int
mb_container_logs(struct mb_engine *engine, const char *id, struct mb_buffer *out, struct mb_buffer *errors, struct mb_error *err)
{
    MB_AUTO_BUFFER tail = MB_BUFFER_INIT(4096);
    struct mb_http_reply reply = {.body = MB_BUFFER_INIT(65536)};
    struct log_reader reader = {.out = out, .errors = errors};
    int rc = 0;

    mb_buffer_puts(&tail, "/containers/");
    mb_path_part(&tail, id);
    mb_buffer_puts(&tail, "/logs?stdout=1&stderr=1");
    char *path = mb_engine_path(engine, mb_buffer_text(&tail));
    if (path == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    struct mb_http_request request = {
        .method = "GET", .path = path, .timeout_ms = engine->timeout_ms, .sink = on_log_bytes, .context = &reader};
    if (mb_http_call(engine->http, &request, &reply, err) != 0)
        rc = mb_error_prefix(err, "cannot read the container's log");
    else if (reply.status >= 300)
        rc = mb_engine_refused(engine, "read the container's log", reply.status, &reply.body, err);
    else if (reader.frames.broken)
        rc = mb_error_set(err, MB_EPROTOCOL, "%s: cannot read the container's log: what came is not in frames",
                          engine->endpoint.url);
    mb_buffer_free(&reply.body);
    free(path);
    return rc;
}

/* Wait until the engine no longer knows it, while another removal is under way. */
static int
wait_until_gone(struct mb_engine *engine, const char *id, struct mb_error *err)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    uint64_t deadline_ns = mb_deadline_in_ms(REMOVE_TIMEOUT_MS);
    struct mb_call call = {.to = "see whether the container is gone", .method = "GET", .tolerated = 404};

    while (mb_deadline_left_ms(deadline_ns) > 0) {
        int status = container_call(engine, &call, id, "/json", NULL, err);
        if (status < 0 || status == 404)
            return status < 0 ? -1 : 0;
        if (mb_interrupted())
            return mb_error_set(err, MB_EINTERRUPT, "interrupted");
        nanosleep(&pause, NULL);
    }
    return mb_error_set(err, MB_ETIMEOUT, "cannot remove the container: it is still being removed after %d s",
                        REMOVE_TIMEOUT_MS / 1000);
}

/* How long a removal that the engine refused with an error of its own is tried again. */
#define REMOVE_AGAIN_MS 5000

int
mb_container_remove(struct mb_engine *engine, const char *id, struct mb_error *err)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    uint64_t again_until_ns = mb_deadline_in_ms(REMOVE_AGAIN_MS);
    struct mb_error refusal = {0};

    do {
        struct mb_call call = {.to = "remove the container", .method = "DELETE", .tolerated = 404, .timeout_ms = REMOVE_TIMEOUT_MS};
        if (container_call(engine, &call, id, "?force=1&v=1", NULL, &refusal) >= 0)
            return 0;
        if (refusal.code == MB_EENGINE && refusal.http_status == 409)
            return wait_until_gone(engine, id, err);
        /* podman fails with 500, "container state improper", where the container ends by itself just then. */
        if (refusal.code != MB_EENGINE || refusal.http_status < 500)
            break;
        nanosleep(&pause, NULL);
    } while (mb_deadline_left_ms(again_until_ns) > 0);
    if (err != NULL)
        *err = refusal;
    return -1;
}
