/* trial.c: prepare, run, cleanup: from the request's words to a workload's call and its answer. */
#include "probe/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/parse.h"
#include "probe/await.h"
#include "probe/celldir.h"
#include "probe/job.h"
#include "probe/linux.h"

#define LAYOUT "layout"
#define LAYOUT_MAX 2048
/* A trial's own directory, by its id. */
#define WORK_FORMAT "run-%" PRIu64

/* A request understood. */
struct trial {
    struct mb_job job;
    uint64_t values[MB_PARAMS_MAX];
    char layout[LAYOUT_MAX]; /* workload and parameters in words, as prepare leaves them for run to compare */
};

void
mb_answer_error(struct mb_buffer *answer, const char *reason)
{
    mb_buffer_puts(answer, "{\"type\":\"error\"");
    mb_json_field(answer, "reason", reason);
    mb_buffer_puts(answer, "}\n");
}

void
mb_answer_status(struct mb_buffer *answer, const char *type, const struct mb_request *request, const char *status,
                 const char *reason)
{
    static const uint64_t range[2] = {0, UINT64_MAX};
    uint64_t id = 0;

    mb_buffer_printf(answer, "{\"type\":\"%s\"", type);
    if (strcmp(type, "cleaned") != 0 && mb_request_u64(request, "id", 0, range, &id, NULL) == 0)
        mb_buffer_printf(answer, ",\"id\":%" PRIu64, id);
    mb_json_field(answer, "status", status);
    mb_json_field(answer, "reason", reason);
    mb_buffer_puts(answer, "}\n");
}

static const struct mb_workload *
find_workload(const struct mb_request *request, struct mb_error *err)
{
    const char *names[32] = {NULL};
    const char *name = mb_request_get(request, "workload");
    const struct mb_workload *found = name ? mb_workload_find(name) : NULL;

    if (name == NULL)
        mb_error_set(err, MB_EPROTOCOL, "%s: the key 'workload' is missing", request->verb);
    if (name == NULL || found != NULL)
        return found;
    for (size_t i = 0; mb_workloads()[i] != NULL && i + 1 < sizeof names / sizeof *names; i++)
        names[i] = mb_workloads()[i]->name;
    const char *near = mb_nearest(name, names);
    mb_error_set(err, MB_EPROTOCOL, "%s: workload: unknown kind '%.100s'%s%s%s", request->verb, name,
                 near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return NULL;
}

/* Every key is one of the request's own or a parameter's. */
static int
check_keys(const struct mb_request *request, const struct mb_workload *workload, struct mb_error *err)
{
    static const char *const own[] = {"id", "workload", "dir", "seed", "timeout_ms"};
    const char *known[2 * MB_PARAMS_MAX + sizeof own / sizeof *own + 2] = {NULL};
    size_t n = sizeof own / sizeof *own;

    memcpy(known, own, sizeof own);
    if (strcmp(request->verb, "run") == 0)
        known[n++] = "keep";
    if (strcmp(request->verb, "await") == 0)
        known[n++] = "limit_ms";
    for (const struct mb_param *p = workload->params; p->name != NULL; p++)
        known[n++] = p->name;
    for (const struct mb_text_param *t = workload->texts; t != NULL && t->name != NULL; t++) {
        if (t->sent)
            known[n++] = t->name;
    }
    return mb_request_check_keys(request, known, err);
}

static int
parse_values(const struct mb_request *request, struct trial *trial, struct mb_error *err)
{
    const struct mb_workload *workload = trial->job.workload;
    size_t used = (size_t)snprintf(trial->layout, LAYOUT_MAX, "%s", workload->name);

    for (size_t i = 0; workload->params[i].name != NULL; i++) {
        const struct mb_param *param = &workload->params[i];
        const char *text = mb_request_get(request, param->name);
        char printed[MB_FORMAT_MAX];
        if (text == NULL)
            text = param->fallback;
        if (text == NULL)
            return mb_error_set(err, MB_EPROTOCOL, "%s: %s: the key '%s' is missing", request->verb, workload->name, param->name);
        if (mb_param_parse(param, text, &trial->values[i], err) != 0)
            return mb_error_prefix(err, "%s: %s: %s", request->verb, workload->name, param->name);
        mb_param_print(param, trial->values[i], printed, sizeof printed);
        used += (size_t)snprintf(trial->layout + used, LAYOUT_MAX - used, " %s=%s", param->name, printed);
    }
    if (workload->validate != NULL && workload->validate(trial->values, err) != 0)
        return mb_error_prefix(err, "%s: %s", request->verb, workload->name);
    return 0;
}

static int
understand(const struct mb_request *request, struct trial *trial, struct mb_error *err)
{
    static const uint64_t range[2] = {0, UINT64_MAX};
    struct mb_job *job = &trial->job;

    job->values = trial->values;
    job->request = request;
    job->dir = mb_request_get(request, "dir");
    if (job->dir == NULL) {
        mb_error_set(err, MB_EPROTOCOL, "%s: the key 'dir' is missing", request->verb);
        return -1;
    }
    job->workload = find_workload(request, err);
    if (job->workload == NULL || check_keys(request, job->workload, err) != 0 || parse_values(request, trial, err) != 0 ||
        mb_request_u64(request, "id", 0, range, &job->id, err) != 0 ||
        mb_request_u64(request, "seed", 0, range, &job->seed, err) != 0)
        return -1;
    job->data_seed = job->seed;
    snprintf(job->work, sizeof job->work, WORK_FORMAT, job->id);
    return 0;
}

/* Leave word of what was laid out: "WORKLOAD PARAM=VALUE...\nSEED\n". */
static int
write_layout(const struct trial *trial, struct mb_error *err)
{
    FILE *file = fopen(LAYOUT, "w");

    if (file == NULL)
        return mb_error_errno(err, MB_EIO, errno, "%s/%s", trial->job.dir, LAYOUT);
    int n = fprintf(file, "%s\n%" PRIu64 "\n", trial->layout, trial->job.seed);
    if (fclose(file) != 0 || n < 0)
        return mb_error_errno(err, MB_EIO, errno, "%s/%s", trial->job.dir, LAYOUT);
    return 0;
}

/* See that what lies there was laid out for this workload, and take its seed. */
static int
read_layout(struct trial *trial, struct mb_error *err)
{
    char text[LAYOUT_MAX + 32] = "";
    static const char advice[] = "send 'prepare' with the same workload and parameters first";
    int fd = open(LAYOUT, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT)
        return mb_error_set(err, MB_EIO, "%s: nothing is laid out there: %s", trial->job.dir, advice);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return mb_error_errno(err, MB_EIO, saved, "%s/%s", trial->job.dir, LAYOUT);
    char *seed = strchr(text, '\n');
    char *end = seed ? strchr(seed + 1, '\n') : NULL;
    if (end == NULL)
        return mb_error_set(err, MB_EIO, "%s/%s: is damaged: %s", trial->job.dir, LAYOUT, advice);
    *seed = *end = '\0';
    if (strcmp(text, trial->layout) != 0)
        return mb_error_set(err, MB_EIO, "%s: was laid out for '%.500s', not for '%.500s': %s", trial->job.dir, text, trial->layout,
                            advice);
    return mb_parse_u64(seed + 1, 0, UINT64_MAX, &trial->job.data_seed, err);
}

static int
lay_out(struct trial *trial, struct mb_error *err)
{
    const struct mb_job *job = &trial->job;

    if (unlink(LAYOUT) != 0 && errno != ENOENT)
        return mb_error_errno(err, MB_EIO, errno, "%s/%s", job->dir, LAYOUT);
    if (mb_celldir_clear(MB_JOB_DATA, err) != 0)
        return mb_error_prefix(err, "%s", job->dir);
    if (job->workload->prepare == NULL)
        return 0;
    if (mkdir(MB_JOB_DATA, 0777) != 0)
        return mb_error_errno(err, MB_EIO, errno, "%s/%s", job->dir, MB_JOB_DATA);
    if (job->workload->prepare(&trial->job, err) != 0 || write_layout(trial, err) != 0) {
        /* What is there may be all that fits: give the room back. */
        mb_celldir_clear(MB_JOB_DATA, NULL);
        return -1;
    }
    /* Trials shall not pay for writing out what was laid out here. */
    int fd = open(".", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        mb_linux_sync_filesystem(fd);
        close(fd);
    }
    return 0;
}

/* "failed", or "unsupported" when the mount cannot do such a thing at all. */
static const char *
bad_status(const struct trial *trial)
{
    return trial->job.unsupported ? "unsupported" : "failed";
}

void
mb_trial_prepare(const struct mb_request *request, struct mb_buffer *answer)
{
    struct mb_error err = {0};
    struct trial trial = {0};

    if (understand(request, &trial, &err) != 0) {
        mb_answer_error(answer, err.message);
        return;
    }
    uint64_t start = mb_now_ns();
    if (mb_celldir_enter(trial.job.dir, &err) != 0 || lay_out(&trial, &err) != 0)
        mb_answer_status(answer, "prepared", request, bad_status(&trial), err.message);
    else
        mb_buffer_printf(answer, "{\"type\":\"prepared\",\"id\":%" PRIu64 ",\"status\":\"ok\",\"wall_ns\":%" PRIu64 "}\n",
                         trial.job.id, mb_now_ns() - start);
}

static void
append_sample(const struct mb_job *job, struct mb_buffer *answer)
{
    const struct mb_histogram *h = &job->latency;

    mb_buffer_printf(answer,
                     "{\"type\":\"sample\",\"id\":%" PRIu64 ",\"status\":\"ok\",\"wall_ns\":%" PRIu64 ",\"user_ns\":%" PRIu64
                     ",\"sys_ns\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"ops\":%" PRIu64,
                     job->id, job->wall_ns, job->user_ns, job->sys_ns, job->bytes, job->ops);
    if (h->total > 0)
        mb_buffer_printf(answer,
                         ",\"latency_ns\":{\"p50\":%" PRIu64 ",\"p95\":%" PRIu64 ",\"p99\":%" PRIu64 ",\"max\":%" PRIu64 "}",
                         mb_histogram_percentile(h, 50), mb_histogram_percentile(h, 95), mb_histogram_percentile(h, 99), h->max);
    if (job->output.max > 0)
        mb_json_field(answer, "output", mb_buffer_text(&job->output));
    mb_buffer_puts(answer, ",\"metrics\":{");
    for (size_t i = 0; i < job->metric_count; i++)
        mb_buffer_printf(answer, "%s\"%s\":%.15g", i ? "," : "", job->metrics[i].name, job->metrics[i].value);
    mb_buffer_puts(answer, "}}\n");
}

/* Make the trial's own directory, run, remove it again. */
static int
run(struct trial *trial, struct mb_error *err)
{
    struct mb_job *job = &trial->job;

    if (job->workload->needs_prepare && read_layout(trial, err) != 0)
        return -1;
    if (mkdir(job->work, 0777) != 0) {
        /* A trial of this number was cut short before. */
        if (errno != EEXIST || mb_celldir_clear(job->work, err) != 0 || mkdir(job->work, 0777) != 0)
            return mb_error_errno(err, MB_EIO, errno, "%s/%s: cannot make the trial's directory", job->dir, job->work);
    }
    int result = job->workload->run(job, err);
    const char *keep = mb_request_get(job->request, "keep");
    if (result == 0 && keep != NULL && strcmp(keep, "true") == 0)
        return 0;
    /* What the trial left is removed whether it went well or not; only after a good one is a failure to do so news. */
    if (rmdir(job->work) != 0 && mb_celldir_clear(job->work, result == 0 ? err : NULL) != 0 && result == 0)
        return mb_error_prefix(err, "%s", job->dir);
    return result;
}

void
mb_trial_run(const struct mb_request *request, struct mb_buffer *answer)
{
    struct mb_error err = {0};
    struct trial trial = {0};

    if (understand(request, &trial, &err) != 0)
        mb_answer_error(answer, err.message);
    else if (mb_celldir_enter(trial.job.dir, &err) != 0 || run(&trial, &err) != 0)
        mb_answer_status(answer, "sample", request, bad_status(&trial), err.message);
    else
        append_sample(&trial.job, answer);
}

void
mb_trial_sweep(const struct mb_request *request, struct mb_buffer *answer)
{
    struct mb_error err = {0};
    struct trial trial = {0};

    if (understand(request, &trial, &err) == 0 && mb_celldir_enter(trial.job.dir, &err) == 0)
        mb_celldir_clear(strcmp(request->verb, "prepare") == 0 ? MB_JOB_DATA : trial.job.work, &err);
    mb_buffer_puts(answer, "\n");
}

void
mb_trial_await(const struct mb_request *request, struct mb_buffer *answer)
{
    static const uint64_t range[2] = {0, UINT32_MAX};
    struct mb_error err = {0};
    struct trial trial = {0};
    struct mb_awaited got;
    uint64_t limit_ms;

    if (understand(request, &trial, &err) != 0 || mb_request_u64(request, "limit_ms", 10000, range, &limit_ms, &err) != 0) {
        mb_answer_error(answer, err.message);
        return;
    }
    if (trial.job.workload->leaves == NULL) {
        mb_answer_status(answer, "awaited", request, "unsupported", "this workload leaves nothing to wait for");
        return;
    }
    if (mb_await(&trial.job, limit_ms, &got, &err) != 0) {
        mb_answer_status(answer, "awaited", request, "failed", err.message);
        return;
    }
    mb_buffer_printf(answer,
                     "{\"type\":\"awaited\",\"id\":%" PRIu64 ",\"status\":\"ok\",\"seen\":%s,\"seen_at_ns\":%" PRIu64
                     ",\"checked_at_ns\":%" PRIu64 ",\"missing\":%" PRIu64 ",\"wrong\":%" PRIu64,
                     trial.job.id, got.seen ? "true" : "false", got.seen_at_ns, got.checked_at_ns, got.missing, got.wrong);
    mb_json_field(answer, "trouble", got.trouble);
    mb_buffer_puts(answer, "}\n");
}

void
mb_trial_discard(const struct mb_request *request, struct mb_buffer *answer)
{
    static const uint64_t range[2] = {0, UINT64_MAX};
    struct mb_error err = {0};
    const char *dir = mb_request_get(request, "dir");
    char work[MB_JOB_NAME_MAX];
    uint64_t id;

    if (dir == NULL || mb_request_get(request, "id") == NULL) {
        mb_answer_error(answer, "discard: the keys 'dir' and 'id' are needed");
        return;
    }
    if (mb_request_u64(request, "id", 0, range, &id, &err) != 0) {
        mb_answer_error(answer, err.message);
        return;
    }
    snprintf(work, sizeof work, WORK_FORMAT, id);
    if (mb_celldir_enter(dir, &err) != 0 || mb_celldir_clear(work, &err) != 0)
        mb_answer_status(answer, "discarded", request, "failed", err.message);
    else
        mb_buffer_printf(answer, "{\"type\":\"discarded\",\"id\":%" PRIu64 ",\"status\":\"ok\"}\n", id);
}

void
mb_trial_cleanup(const struct mb_request *request, struct mb_buffer *answer)
{
    struct mb_error err = {0};
    const char *dir = mb_request_get(request, "dir");

    if (dir == NULL)
        mb_answer_error(answer, "cleanup: the key 'dir' is missing");
    else if (mb_celldir_remove(dir, &err) != 0)
        mb_answer_status(answer, "cleaned", request, "failed", err.message);
    else
        mb_buffer_puts(answer, "{\"type\":\"cleaned\",\"status\":\"ok\"}\n");
}
