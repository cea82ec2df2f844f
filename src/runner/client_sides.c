/* client_sides.c: the requests that move a change from one side of a mount to the other. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mountbench/probe.h"
#include "runner/client.h"
#include "runner/request.h"

#define CHANGE_MS 60000

int
mb_client_change(struct mb_channel *c, const char *dir, const struct mb_side_change *change, struct mb_error *err)
{
    MB_AUTO_BUFFER request = MB_BUFFER_INIT(MB_PROBE_LINE_MAX);
    uint64_t from = change->kind == MB_CHANGE_APPEND ? change->before.size : 0;
    cJSON *answer;
    int rc = 0;

    mb_buffer_printf(&request, "change kind=%s version=%" PRIu64 " from=%" PRIu64 " size=%" PRIu64 " stamp=%s timeout_ms=%d",
                     mb_change_names[change->kind], change->after.version, from, change->after.size,
                     change->stamp ? "true" : "false", CHANGE_MS);
    mb_request_add(&request, "dir", dir);
    mb_request_add(&request, "name", change->name);
    if (change->to != NULL)
        mb_request_add(&request, "to", change->to);
    if (mb_request_ask(c, &request, "changed", CHANGE_MS + MB_REQUEST_GRACE_MS, &answer, err) != 0)
        return -1;
    if (strcmp(mb_answer_text(answer, "status"), "ok") != 0)
        rc = mb_error_set(err, MB_EIO, "%s", mb_answer_text(answer, "reason"));
    cJSON_Delete(answer);
    return rc;
}

static void
add_state(struct mb_buffer *request, const char *key, const struct mb_file_state *state)
{
    if (state->present)
        mb_buffer_printf(request, " %s=%" PRIu64 ":%" PRIu64, key, state->version, state->size);
    else
        mb_buffer_printf(request, " %s=none", key);
}

/* What is to be seen under the names of a change: one, or of a rename two, which swap what they have. */
static void
add_names(struct mb_buffer *request, const struct mb_side_change *change, bool done)
{
    static const struct mb_file_state none = {0};
    bool renames = change->kind == MB_CHANGE_RENAME;
    const struct mb_file_state *after = renames ? &none : &change->after;

    mb_request_add(request, "name", change->name);
    add_state(request, "before", &change->before);
    add_state(request, "after", done ? after : &change->before);
    if (!renames)
        return;
    mb_request_add(request, "name2", change->to);
    add_state(request, "before2", &none);
    add_state(request, "after2", done ? &change->after : &none);
}

int
mb_client_watch(struct mb_channel *c, const char *dir, const struct mb_side_change *change, bool done, struct mb_side_view *view,
                struct mb_error *err)
{
    MB_AUTO_BUFFER request = MB_BUFFER_INIT(MB_PROBE_LINE_MAX);
    uint64_t limit_ms = (view->limit_ns + 999999) / 1000000;
    uint64_t timeout_ms = limit_ms + CHANGE_MS; /* a look may take long as well */
    cJSON *answer;
    int rc = 0;

    mb_buffer_printf(&request, "watch look=%s limit_ms=%" PRIu64 " poll_us=%" PRIu64 " timeout_ms=%" PRIu64,
                     view->look == MB_LOOK_STAT ? "stat" : "read", limit_ms, view->poll_ns / 1000, timeout_ms);
    mb_request_add(&request, "dir", dir);
    add_names(&request, change, done);
    if (mb_request_ask(c, &request, "watched", timeout_ms + MB_REQUEST_GRACE_MS, &answer, err) != 0)
        return -1;
    if (strcmp(mb_answer_text(answer, "status"), "ok") != 0)
        rc = mb_error_set(err, MB_EIO, "%s", mb_answer_text(answer, "reason"));
    view->seen = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "seen"));
    view->looks = mb_answer_number(answer, "looks");
    view->wrong = mb_answer_number(answer, "wrong");
    snprintf(view->trouble, sizeof view->trouble, "%s", mb_answer_text(answer, "trouble"));
    cJSON_Delete(answer);
    return rc;
}
