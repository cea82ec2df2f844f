/* exec.c: images looked for, pulled, built; metrics picked. */
#include "runner/exec.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/signals.h"
#include "runner/tar.h"

/* A directory to build from; what is larger belongs into the Dockerfile's own downloads. */
#define CONTEXT_MAX ((size_t)64 << 20)
#define NUMBER_MAX 64
/* Of the output, what a message shows. */
#define EXCERPT_MAX 200

static bool
same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool
same_image(const struct mb_exec_spec *a, const struct mb_exec_spec *b)
{
    return same_text(a->image, b->image) && same_text(a->build, b->build) && a->network == b->network && a->pull == b->pull;
}

/* Whether a workload before it has the same image. */
static bool
is_repeated(const struct mb_matrix *m, size_t workload)
{
    for (size_t i = 0; i < workload; i++) {
        if (m->workloads[i].exec != NULL && same_image(m->workloads[i].exec, m->workloads[workload].exec))
            return true;
    }
    return false;
}

size_t
mb_exec_number(const struct mb_matrix *m, size_t workload)
{
    size_t number = 0;

    if (m->workloads[workload].exec == NULL)
        return 0;
    for (size_t i = 0; i < m->workload_count; i++) {
        if (m->workloads[i].exec == NULL || is_repeated(m, i))
            continue;
        number++;
        if (same_image(m->workloads[i].exec, m->workloads[workload].exec))
            break;
    }
    return number;
}

size_t
mb_exec_count(const struct mb_matrix *m)
{
    size_t count = 1;

    for (size_t i = 0; i < m->workload_count; i++)
        count += m->workloads[i].exec != NULL && !is_repeated(m, i);
    return count;
}

static void
tell(void *context, const char *sentence)
{
    mb_session_say(context, MB_RUN_WAITING, NULL, sentence);
}

/* Where an image comes from. */
struct source {
    const char *image, *build;
    enum mb_pull pull;
    const char *tag;  /* unique in the run, for what is built */
    const char *hint; /* what else can be done where the engine has no such image */
};

static int
build(struct mb_session *s, struct mb_engine *engine, const struct source *source, char **id, struct mb_error *err)
{
    const struct mb_image_watch watch = {tell, s};
    const struct mb_labels labels = {.run = s->id};
    MB_AUTO_BUFFER tar = MB_BUFFER_INIT(CONTEXT_MAX);
    char reference[128], text[256];

    snprintf(reference, sizeof reference, "mountbench-build:%s-%s", s->id, source->tag);
    snprintf(text, sizeof text, "building '%.200s'", source->build);
    tell(s, text);
    if (mb_tar_directory(source->build, &tar, err) != 0 || mb_image_build(engine, &tar, reference, &labels, &watch, err) != 0)
        return mb_error_prefix(err, "%s", source->build);
    if (mb_image_id(engine, reference, id, err) != 0)
        return -1;
    return *id != NULL ? 0 : mb_error_set(err, MB_EPROTOCOL, "'%s' was built, and the engine does not have it", source->build);
}

static int
pull(struct mb_session *s, struct mb_engine *engine, const struct source *source, char **id, struct mb_error *err)
{
    const struct mb_image_watch watch = {tell, s};

    if (source->pull == MB_PULL_NEVER)
        return mb_error_set(err, MB_EENGINE, "the engine has no image '%s': %s", source->image, source->hint);
    if (mb_image_pull(engine, source->image, &watch, err) != 0 || mb_image_id(engine, source->image, id, err) != 0)
        return -1;
    return *id != NULL ? 0 : mb_error_set(err, MB_EPROTOCOL, "'%s' was pulled, and the engine does not have it", source->image);
}

/* Look for it, then pull or build it, once; ${image} keeps what came of it. */
static int
provide(struct mb_session *s, struct mb_engine *engine, const struct source *source, struct mb_run_image *image,
        struct mb_error *err)
{
    int rc = 0;

    if (image->id != NULL || image->reason != NULL)
        return 0;
    if (source->image != NULL && source->pull != MB_PULL_ALWAYS)
        rc = mb_image_id(engine, source->image, &image->id, err);
    if (rc == 0 && image->id == NULL) {
        image->built = source->build != NULL;
        rc = image->built ? build(s, engine, source, &image->id, err) : pull(s, engine, source, &image->id, err);
    }
    if (rc == 0)
        return 0;
    image->built = false;
    if (err->code == MB_EINTERRUPT)
        return -1;
    image->reason = strdup(err->message);
    mb_error_clear(err);
    return image->reason != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

int
mb_exec_provide(struct mb_session *s, struct mb_station *st, struct mb_error *err)
{
    char tag[32];

    if (st->engine == NULL) {
        mb_station_refuse(st, "an exec workload runs in a container, and the host mount has none: leave it out with 'exclude'");
        return 0;
    }
    snprintf(tag, sizeof tag, "%zu", st->image_number);
    const struct source source = {st->exec->image, st->exec->build, st->exec->pull, tag, "pull it, or say 'pull: missing'"};
    struct mb_run_image *image = &s->engines[st->engine_index].images[st->image_number];
    if (provide(s, st->engine, &source, image, err) != 0)
        return -1;
    st->image = image->id;
    /* The file asks for it: a build that fails, say, is not what this engine cannot have. */
    if (image->reason != NULL)
        mb_station_fail(st, image->reason);
    return 0;
}

int
mb_sync_provide(struct mb_session *s, struct mb_station *st, struct mb_error *err)
{
    const struct mb_sync_spec *spec = st->spec->sync;
    const char *hint = mb_sync_image_hint(spec);
    char tag[32];

    if (mb_sync_image(spec) == NULL && spec->build == NULL)
        return 0;
    /* Nothing is built or pulled for a tool that is not there. */
    if (mb_sync_need(spec, err) != 0) {
        mb_station_refuse(st, err->message);
        mb_error_clear(err);
        return 0;
    }
    snprintf(tag, sizeof tag, "sync%zu", st->mount_index);
    const struct source source = {mb_sync_image(spec), spec->build, spec->pull, tag,
                                  *hint != '\0' ? hint : "pull it, or say 'pull: missing'"};
    struct mb_run_image *image = &s->engines[st->engine_index].sync_images[st->mount_index];
    if (provide(s, st->engine, &source, image, err) != 0)
        return -1;
    st->sync_image = image->id;
    if (image->reason != NULL)
        mb_station_refuse(st, image->reason);
    return 0;
}

/* What a build that failed left half done: podman keeps such images, with the labels. */
static void
sweep_builds(struct mb_session *s, struct mb_run_engine *engine)
{
    struct mb_object *objects;
    size_t n;

    if (mb_engine_list_owned(engine->engine, s->id, &objects, &n, NULL) != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (objects[i].type == MB_OBJECT_IMAGE && (engine->image == NULL || strcmp(objects[i].id, engine->image) != 0))
            mb_image_remove(engine->engine, objects[i].id, NULL);
    }
    mb_objects_free(objects, n);
}

static void
forget(struct mb_session *s, struct mb_run_engine *engine, struct mb_run_image *images, size_t n)
{
    bool swept = false;

    for (size_t i = 0; images != NULL && i < n; i++) {
        struct mb_run_image *image = &images[i];
        struct mb_error step = {0};
        if (image->reason != NULL && engine->engine != NULL && !swept) {
            sweep_builds(s, engine);
            swept = true;
        }
        if (image->built && mb_image_remove(engine->engine, image->id, &step) != 0)
            mb_session_say(s, MB_RUN_WARNING, engine->spec->name, step.message);
        free(image->id);
        free(image->reason);
        *image = (struct mb_run_image){0};
    }
}

void
mb_exec_forget(struct mb_session *s, struct mb_run_engine *engine)
{
    forget(s, engine, engine->images, s->image_count);
    forget(s, engine, engine->sync_images, s->matrix->mount_count);
}

/* The whole text is a number. */
static int
read_number(const char *text, size_t n, double *out)
{
    char number[NUMBER_MAX], *end;

    if (n == 0 || n >= sizeof number)
        return -1;
    memcpy(number, text, n);
    number[n] = '\0';
    if (strspn(number, "+-.0123456789eE") != n)
        return -1;
    *out = strtod(number, &end);
    return *end == '\0' && isfinite(*out) ? 0 : -1;
}

/* The end of what was printed, on one line. */
static const char *
excerpt(const char *text, char out[EXCERPT_MAX + 1])
{
    size_t length = strlen(text), n = length < EXCERPT_MAX ? length : EXCERPT_MAX;

    memcpy(out, text + length - n, n);
    out[n] = '\0';
    for (char *p = out; *p != '\0'; p++)
        *p = (unsigned char)*p < ' ' ? ' ' : *p;
    return out;
}

static int
pick_one(const struct mb_metric_spec *metric, const regex_t *compiled, const char *text, double *out, struct mb_error *err)
{
    char end[EXCERPT_MAX + 1];
    regmatch_t m[2], more[2];

    if (regexec(compiled, text, 2, m, 0) != 0 || m[1].rm_so < 0)
        return mb_error_set(err, MB_EIO, "metric '%s': '%s' matches nothing in what the command printed, which ends: %s",
                            metric->name, metric->pattern, *text != '\0' ? excerpt(text, end) : "(nothing at all)");
    if (read_number(text + m[1].rm_so, (size_t)(m[1].rm_eo - m[1].rm_so), out) != 0)
        return mb_error_set(err, MB_EIO, "metric '%s': '%s' matches '%.*s', which is no number", metric->name, metric->pattern,
                            (int)(m[1].rm_eo - m[1].rm_so < NUMBER_MAX ? m[1].rm_eo - m[1].rm_so : NUMBER_MAX), text + m[1].rm_so);
    const char *rest = text + m[0].rm_eo;
    int flags = m[0].rm_eo > 0 && rest[-1] == '\n' ? 0 : REG_NOTBOL;
    if (*rest != '\0' && regexec(compiled, rest, 2, more, flags) == 0)
        return mb_error_set(err, MB_EIO, "metric '%s': '%s' matches twice, '%.*s' and '%.*s': make it match one of them",
                            metric->name, metric->pattern, (int)(m[1].rm_eo - m[1].rm_so), text + m[1].rm_so,
                            (int)(more[1].rm_eo - more[1].rm_so < NUMBER_MAX ? more[1].rm_eo - more[1].rm_so : NUMBER_MAX),
                            rest + more[1].rm_so);
    return 0;
}

int
mb_exec_pick(const struct mb_exec_spec *spec, const char *text, double *out, struct mb_error *err)
{
    for (size_t i = 0; i < spec->metric_count; i++) {
        regex_t compiled;
        if (regcomp(&compiled, spec->metrics[i].pattern, REG_EXTENDED | REG_NEWLINE) != 0)
            return mb_error_set(err, MB_ECONFIG, "metric '%s': '%s' is no regular expression", spec->metrics[i].name,
                                spec->metrics[i].pattern);
        int rc = pick_one(&spec->metrics[i], &compiled, text, &out[i], err);
        regfree(&compiled);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static void
replace(cJSON *object, const char *key, cJSON *value)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    cJSON_AddItemToObject(object, key, value);
}

/* A sample's amount is a whole number above 0. */
static int
set_amount(cJSON *answer, const char *key, const struct mb_metric_spec *metric, double value, struct mb_error *err)
{
    if (value < 1 || value > 9e15)
        return mb_error_set(err, MB_EIO, "metric '%s': %g is no amount of %s", metric->name, value, key);
    replace(answer, key, cJSON_CreateNumber(floor(value)));
    return 0;
}

void
mb_exec_measure(const struct mb_exec_spec *spec, cJSON *answer)
{
    const char *status = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, "status"));
    const char *output = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, "output"));
    double values[MB_METRICS_MAX] = {0};
    struct mb_error err = {0};

    if (spec == NULL || status == NULL || strcmp(status, "ok") != 0)
        return;
    int rc = mb_exec_pick(spec, output != NULL ? output : "", values, &err);
    cJSON *metrics = cJSON_CreateObject();
    for (size_t i = 0; rc == 0 && i < spec->metric_count; i++) {
        const struct mb_metric_spec *metric = &spec->metrics[i];
        cJSON_AddNumberToObject(metrics, metric->name, values[i]);
        if (same_text(spec->ops, metric->name))
            rc = set_amount(answer, "ops", metric, values[i], &err);
        if (same_text(spec->bytes, metric->name))
            rc = set_amount(answer, "bytes", metric, values[i], &err);
    }
    replace(answer, "metrics", metrics);
    if (rc == 0)
        return;
    replace(answer, "status", cJSON_CreateString("failed"));
    replace(answer, "reason", cJSON_CreateString(err.message));
}
