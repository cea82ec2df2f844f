/* client.c: requests are written, answers checked: a probe's line is the outside world's, whoever built it. */
#include "runner/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/probe.h"
#include "runner/request.h"

#define CALL_MS 30000
#define DISCARD_MS 60000

static void
append_text(struct mb_buffer *out, const char *value)
{
    for (const unsigned char *p = (const unsigned char *)value; *p != '\0'; p++) {
        if (*p <= 0x20 || *p == '%' || *p >= 0x7f)
            mb_buffer_printf(out, "%%%02X", (unsigned)*p);
        else
            mb_buffer_putc(out, (char)*p);
    }
}

void
mb_request_add(struct mb_buffer *out, const char *key, const char *value)
{
    mb_buffer_printf(out, " %s=", key);
    append_text(out, value);
}

const char *
mb_answer_text(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text != NULL ? text : "";
}

uint64_t
mb_answer_number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 1e19 ? (uint64_t)item->valuedouble : 0;
}

/* A hostile line shortened to what an error message can hold. */
static int
not_understood(const struct mb_buffer *line, struct mb_error *err)
{
    char excerpt[81];
    size_t n = line->len < 80 ? line->len : 80;

    for (size_t i = 0; i < n; i++)
        excerpt[i] = line->data[i] >= 0x20 && line->data[i] < 0x7f ? line->data[i] : '?';
    excerpt[n] = '\0';
    return mb_error_set(err, MB_EPROTOCOL, "the probe's answer cannot be understood: '%s'%s", excerpt, line->len > n ? "..." : "");
}

/* Ask, parse, and see that the answer has the type that was expected. */
int
mb_request_ask(struct mb_channel *c, struct mb_buffer *request, const char *type, uint64_t timeout_ms, cJSON **answer,
               struct mb_error *err)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(MB_PROBE_ANSWER_MAX);

    *answer = NULL;
    mb_buffer_putc(request, '\n');
    if (request->overflowed)
        return mb_error_set(err, MB_EPROTOCOL, "a request to the probe is longer than %d bytes", MB_PROBE_LINE_MAX);
    if (mb_channel_ask(c, mb_buffer_text(request), (unsigned)timeout_ms, &line, err) != 0)
        return -1;
    cJSON *json = cJSON_ParseWithLength(mb_buffer_text(&line), line.len);
    if (!cJSON_IsObject(json)) {
        cJSON_Delete(json);
        return not_understood(&line, err);
    }
    if (strcmp(mb_answer_text(json, "type"), "error") == 0) {
        mb_error_set(err, MB_EPROTOCOL, "the probe refused a request: %s", mb_answer_text(json, "reason"));
        cJSON_Delete(json);
        return -1;
    }
    if (strcmp(mb_answer_text(json, "type"), type) != 0) {
        cJSON_Delete(json);
        return not_understood(&line, err);
    }
    *answer = json;
    return 0;
}

int
mb_client_hello(struct mb_channel *c, unsigned timeout_ms, struct mb_error *err)
{
    MB_AUTO_BUFFER request = MB_BUFFER_INIT(MB_PROBE_LINE_MAX);
    cJSON *answer;

    mb_buffer_puts(&request, "hello");
    if (mb_request_ask(c, &request, "hello", timeout_ms, &answer, err) != 0)
        return -1;
    uint64_t protocol = mb_answer_number(answer, "protocol");
    cJSON_Delete(answer);
    if (protocol != MB_PROBE_PROTOCOL)
        return mb_error_set(err, MB_EPROTOCOL, "the probe speaks protocol %" PRIu64 ", this driver speaks %d", protocol,
                            MB_PROBE_PROTOCOL);
    return 0;
}

int
mb_client_mount(struct mb_channel *c, const char *dir, struct mb_mount_facts *out, struct mb_error *err)
{
    MB_AUTO_BUFFER request = MB_BUFFER_INIT(MB_PROBE_LINE_MAX);
    cJSON *answer;

    *out = (struct mb_mount_facts){0};
    mb_buffer_puts(&request, "mount");
    mb_request_add(&request, "dir", dir);
    if (mb_request_ask(c, &request, "mount", CALL_MS, &answer, err) != 0)
        return -1;
    const cJSON *statfs = cJSON_GetObjectItemCaseSensitive(answer, "statfs");
    out->fstype = strdup(mb_answer_text(answer, "fstype"));
    out->source = strdup(mb_answer_text(answer, "source"));
    out->root = strdup(mb_answer_text(answer, "root"));
    out->options = strdup(mb_answer_text(answer, "options"));
    out->super_options = strdup(mb_answer_text(answer, "super_options"));
    out->device = strdup(mb_answer_text(answer, "device"));
    out->mount_point = strdup(mb_answer_text(answer, "mount_point"));
    out->total_bytes = mb_answer_number(statfs, "total_bytes");
    out->available_bytes = mb_answer_number(statfs, "available_bytes");
    out->files_free = mb_answer_number(statfs, "files_free");
    out->counts_files = mb_answer_number(statfs, "files") > 0;
    cJSON_Delete(answer);
    if (out->fstype == NULL || out->source == NULL || out->root == NULL || out->options == NULL || out->super_options == NULL ||
        out->device == NULL || out->mount_point == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    return 0;
}

void
mb_mount_facts_clear(struct mb_mount_facts *facts)
{
    free(facts->fstype);
    free(facts->source);
    free(facts->root);
    free(facts->options);
    free(facts->super_options);
    free(facts->device);
    free(facts->mount_point);
    *facts = (struct mb_mount_facts){0};
}

int
mb_client_read(struct mb_channel *c, const char *path, char **text, struct mb_error *err)
{
    MB_AUTO_BUFFER request = MB_BUFFER_INIT(MB_PROBE_LINE_MAX);
    cJSON *answer;

    *text = NULL;
    mb_buffer_puts(&request, "read");
    mb_request_add(&request, "path", path);
    if (mb_request_ask(c, &request, "read", CALL_MS, &answer, err) != 0)
        return -1;
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "found")))
        *text = strdup(mb_answer_text(answer, "text"));
    cJSON_Delete(answer);
    return 0;
}

int
mb_client_write(struct mb_channel *c, const char *path, const char *text, struct mb_error *err)
{
    MB_AUTO_BUFFER request = MB_BUFFER_INIT(MB_PROBE_LINE_MAX);
    cJSON *answer;

    mb_buffer_puts(&request, "write");
    mb_request_add(&request, "path", path);
    mb_request_add(&request, "text", text);
    int rc = mb_request_ask(c, &request, "write", CALL_MS, &answer, err);
    cJSON_Delete(answer);
    return rc;
}

/* A list's texts, each encoded by itself, and then the whole. */
static void
append_list(struct mb_buffer *request, const char *key, char *const *list)
{
    MB_AUTO_BUFFER texts = MB_BUFFER_INIT(MB_PROBE_LINE_MAX);

    if (list == NULL)
        return;
    for (; *list != NULL; list++) {
        append_text(&texts, *list);
        mb_buffer_putc(&texts, ' ');
    }
    mb_request_add(request, key, mb_buffer_text(&texts));
    request->overflowed = request->overflowed || texts.overflowed;
}

static void
append_exec(struct mb_buffer *request, const struct mb_exec_spec *exec)
{
    char *working_dir[] = {exec->working_dir, NULL};

    append_list(request, "command", exec->command);
    append_list(request, "setup", exec->setup);
    append_list(request, "cleanup", exec->cleanup);
    append_list(request, "environment", exec->environment);
    if (exec->working_dir != NULL)
        append_list(request, "working_dir", working_dir);
}

/* A request about a job: what it is, where, and all its parameters. */
static void
append_job(struct mb_buffer *request, const char *verb, const struct mb_job_spec *job, uint64_t timeout_ms)
{
    const struct mb_workload *kind = job->workload->kind;
    char value[64];

    mb_buffer_printf(request, "%s id=%" PRIu64 " workload=%s", verb, job->id, kind->name);
    mb_request_add(request, "dir", job->dir);
    mb_buffer_printf(request, " seed=%" PRIu64 " timeout_ms=%" PRIu64, job->data_seed, timeout_ms);
    for (size_t i = 0; kind->params[i].name != NULL; i++) {
        mb_param_print(&kind->params[i], job->workload->values[i], value, sizeof value);
        mb_request_add(request, kind->params[i].name, value);
    }
}

int
mb_client_job(struct mb_channel *c, const char *verb, const struct mb_job_spec *job, cJSON **answer, struct mb_error *err)
{
    MB_AUTO_BUFFER request = MB_BUFFER_INIT(MB_PROBE_LINE_MAX);
    uint64_t timeout_ms = job->timeout_ns / 1000000 + 1;
    bool prepare = strcmp(verb, "prepare") == 0;

    append_job(&request, verb, job, timeout_ms);
    if (job->workload->exec != NULL)
        append_exec(&request, job->workload->exec);
    if (job->keep && !prepare)
        mb_buffer_puts(&request, " keep=true");
    if (mb_request_ask(c, &request, prepare ? "prepared" : "sample", timeout_ms + MB_REQUEST_GRACE_MS, answer, err) != 0)
        return -1;
    if (mb_answer_number(*answer, "id") != job->id || *mb_answer_text(*answer, "status") == '\0') {
        cJSON_Delete(*answer);
        *answer = NULL;
        return mb_error_set(err, MB_EPROTOCOL, "the probe answered another job than number %" PRIu64, job->id);
    }
    return 0;
}

int
mb_client_await(struct mb_channel *c, const struct mb_job_spec *job, uint64_t limit_ns, struct mb_arrival *out,
                struct mb_error *err)
{
    MB_AUTO_BUFFER request = MB_BUFFER_INIT(MB_PROBE_LINE_MAX);
    uint64_t limit_ms = limit_ns / 1000000;
    uint64_t timeout_ms = limit_ms + job->timeout_ns / 1000000 + 1; /* reading all of it takes no longer than writing it may */
    cJSON *answer;
    int rc = 0;

    *out = (struct mb_arrival){0};
    append_job(&request, "await", job, timeout_ms);
    mb_buffer_printf(&request, " limit_ms=%" PRIu64, limit_ms);
    if (mb_request_ask(c, &request, "awaited", timeout_ms + MB_REQUEST_GRACE_MS, &answer, err) != 0)
        return -1;
    if (mb_answer_number(answer, "id") != job->id || strcmp(mb_answer_text(answer, "status"), "ok") != 0)
        rc = mb_error_set(err, MB_EIO, "cannot look at the host's side: %s", mb_answer_text(answer, "reason"));
    out->seen = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "seen"));
    out->seen_at_ns = mb_answer_number(answer, "seen_at_ns");
    out->checked_at_ns = mb_answer_number(answer, "checked_at_ns");
    out->missing = mb_answer_number(answer, "missing");
    out->wrong = mb_answer_number(answer, "wrong");
    snprintf(out->trouble, sizeof out->trouble, "%s", mb_answer_text(answer, "trouble"));
    cJSON_Delete(answer);
    return rc;
}

int
mb_client_discard(struct mb_channel *c, const struct mb_job_spec *job, struct mb_error *err)
{
    MB_AUTO_BUFFER request = MB_BUFFER_INIT(MB_PROBE_LINE_MAX);
    cJSON *answer;
    int rc = 0;

    mb_buffer_printf(&request, "discard id=%" PRIu64, job->id);
    mb_request_add(&request, "dir", job->dir);
    mb_buffer_printf(&request, " timeout_ms=%d", DISCARD_MS);
    if (mb_request_ask(c, &request, "discarded", DISCARD_MS + MB_REQUEST_GRACE_MS, &answer, err) != 0)
        return -1;
    if (strcmp(mb_answer_text(answer, "status"), "ok") != 0)
        rc = mb_error_set(err, MB_EIO, "cannot remove what a trial left: %s", mb_answer_text(answer, "reason"));
    cJSON_Delete(answer);
    return rc;
}

int
mb_client_cleanup(struct mb_channel *c, const char *dir, unsigned timeout_ms, struct mb_error *err)
{
    MB_AUTO_BUFFER request = MB_BUFFER_INIT(MB_PROBE_LINE_MAX);
    cJSON *answer;
    int rc = 0;

    mb_buffer_puts(&request, "cleanup");
    mb_request_add(&request, "dir", dir);
    mb_buffer_printf(&request, " timeout_ms=%u", timeout_ms);
    if (mb_request_ask(c, &request, "cleaned", timeout_ms + MB_REQUEST_GRACE_MS, &answer, err) != 0)
        return -1;
    if (strcmp(mb_answer_text(answer, "status"), "ok") != 0)
        rc = mb_error_set(err, MB_EIO, "cannot remove '%s': %s", dir, mb_answer_text(answer, "reason"));
    cJSON_Delete(answer);
    return rc;
}
