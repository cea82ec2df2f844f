/*
 * mutagen.c: a session of mutagen, by a daemon of the run's own.
 *
 * mutagen reaches the container through the docker command line (DOCKER_HOST says where), and puts its agent into it; the
 * container needs `env`, `id`, `uname` and a home directory for that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/clock.h"
#include "mountbench/signals.h"
#include "sync/internal.h"
#include "sync/mutagen.h"

#define ASK_MS 20000
#define CREATE_MS 120000
#define DAEMON_MS 10000

size_t
mb_mutagen_create(const struct mb_sync_spec *spec, const struct mb_mutagen_ends *ends, const char **out)
{
    static const char *const first[] = {"mutagen", "sync", "create", "--no-global-configuration"};
    size_t n = 0;

    while (n < sizeof first / sizeof first[0]) {
        out[n] = first[n];
        n++;
    }
    out[n++] = "--name";
    out[n++] = ends->name;
    if (spec->mode != NULL) {
        out[n++] = "--mode";
        out[n++] = spec->mode;
    }
    for (char *const *a = spec->arguments; a != NULL && *a != NULL && n + 3 < MB_MUTAGEN_ARGUMENTS; a++)
        out[n++] = *a;
    out[n++] = ends->host;
    out[n++] = ends->container;
    out[n] = NULL;
    return n;
}

static const char *
text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text != NULL ? text : "";
}

/* An endpoint's first problem: a path and why. */
static int
judge_end(const cJSON *session, const char *end, const char *where, struct mb_error *err)
{
    static const char *const lists[] = {"scanProblems", "transitionProblems"};
    const cJSON *endpoint = cJSON_GetObjectItemCaseSensitive(session, end);

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const cJSON *problem = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(endpoint, lists[i]), 0);
        if (problem != NULL)
            return mb_error_set(err, MB_EGONE, "mutagen reports a problem %s: %s: %s", where, text_of(problem, "path"),
                                text_of(problem, "error"));
    }
    return 0;
}

int
mb_mutagen_judge(const cJSON *sessions, struct mb_error *err)
{
    const cJSON *session = cJSON_GetArrayItem(sessions, 0);
    const cJSON *conflicts = cJSON_GetObjectItemCaseSensitive(session, "conflicts");
    const char *status = text_of(session, "status");

    if (!cJSON_IsObject(session))
        return mb_error_set(err, MB_EGONE, "mutagen no longer knows the session");
    if (cJSON_GetArraySize(conflicts) > 0)
        return mb_error_set(err, MB_EGONE, "mutagen reports a conflict: %s", text_of(cJSON_GetArrayItem(conflicts, 0), "root"));
    if (strncmp(status, "halted", 6) == 0 || cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(session, "paused")))
        return mb_error_set(err, MB_EGONE, "mutagen has stopped: %s", *status != '\0' ? status : "paused");
    if (*text_of(session, "lastError") != '\0' && (strcmp(status, "disconnected") == 0 || strncmp(status, "connecting", 10) == 0))
        return mb_error_set(err, MB_EGONE, "mutagen is not connected: %s", text_of(session, "lastError"));
    /* What could not be carried is tried again; once mutagen only waits for further changes, it is not. */
    if (strcmp(status, "watching") != 0)
        return 0;
    return judge_end(session, "alpha", "on the host", err) != 0 || judge_end(session, "beta", "in the volume", err) != 0 ? -1 : 0;
}

/* The docker command line is what mutagen speaks to the engine with. */
static int
set_variables(struct mb_sync *s, struct mb_error *err)
{
    if (!mb_process_exists("docker"))
        return mb_error_set(err, MB_EENGINE,
                            "mutagen reaches containers through the docker command line, and there is no 'docker' in PATH");
    if (mb_sync_variable(s, "MUTAGEN_DATA_DIRECTORY", s->dir, err) != 0 ||
        mb_sync_variable(s, "MUTAGEN_DISABLE_AUTOSTART", "1", err) != 0)
        return -1;
    return mb_sync_engine_variables(s, err);
}

static int
list(struct mb_sync *s, cJSON **out, struct mb_error *err)
{
    const char *const argv[] = {"mutagen", "sync", "list", "--template", "{{json .}}", NULL};
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(MB_SYNC_LOG_MAX);

    if (mb_sync_run(s, argv, ASK_MS, &text, err) != 0)
        return -1;
    *out = cJSON_Parse(mb_buffer_text(&text));
    if (*out != NULL)
        return 0;
    return mb_error_set(err, MB_EPROTOCOL, "'mutagen sync list' answered with what is no JSON: '%.80s'", mb_buffer_text(&text));
}

/* The daemon is ours to run, so that it ends with us; ready when it answers. */
static int
start_daemon(struct mb_sync *s, struct mb_error *err)
{
    static const char *const argv[] = {"mutagen", "daemon", "run", NULL};
    uint64_t deadline_ns = mb_deadline_in_ms(DAEMON_MS);
    char words[MB_SYNC_WORDS_MAX + 1];

    if (mb_sync_keep(s, argv, -1, err) != 0)
        return -1;
    for (;;) {
        cJSON *sessions = NULL;
        struct mb_error why = {0};
        if (list(s, &sessions, &why) == 0) {
            cJSON_Delete(sessions);
            return 0;
        }
        if (why.code == MB_EINTERRUPT)
            return mb_error_set(err, why.code, "%s", why.message);
        if (mb_keeper_ended(&s->keeper))
            return mb_error_set(err, MB_EGONE, "'mutagen daemon run' ended with status %d: %s", s->keeper.status,
                                mb_sync_last_words(s, words));
        if (mb_deadline_left_ms(deadline_ns) == 0)
            return mb_error_set(err, MB_ETIMEOUT, "mutagen's daemon does not answer: %s", why.message);
        mb_sync_pause(MB_SYNC_PAUSE_MS);
    }
}

static int
start(struct mb_sync *s, struct mb_error *err)
{
    static const char *const idle[] = {"sleep", "2147483647", NULL};
    const char *argv[MB_MUTAGEN_ARGUMENTS + 1];
    MB_AUTO_BUFFER url = MB_BUFFER_INIT(4096);

    if (set_variables(s, err) != 0 || mb_sync_sidecar(s, idle, false, err) != 0 ||
        mb_container_start(s->place.engine, s->sidecar, err) != 0 || start_daemon(s, err) != 0)
        return -1;
    mb_buffer_printf(&url, "docker://%s%s", s->sidecar, s->place.target);
    const struct mb_mutagen_ends ends = {"mountbench", s->place.host_dir, mb_buffer_text(&url)};
    mb_mutagen_create(s->place.spec, &ends, argv);
    s->made = true;
    return mb_sync_run(s, argv, CREATE_MS, NULL, err);
}

static int
look(struct mb_sync *s, struct mb_error *err)
{
    cJSON *sessions = NULL;

    if (mb_keeper_ended(&s->keeper))
        return 0; /* which is told elsewhere */
    if (list(s, &sessions, err) != 0)
        return -1;
    int rc = mb_mutagen_judge(sessions, err);
    cJSON_Delete(sessions);
    return rc;
}

static int
settle(struct mb_sync *s, uint64_t deadline_ns, struct mb_error *err)
{
    const char *const argv[] = {"mutagen", "sync", "flush", "mountbench", NULL};
    int left = mb_deadline_left_ms(deadline_ns);

    return mb_sync_run(s, argv, left > 0 ? (unsigned)left : 1, NULL, err);
}

/* Its daemon may be what failed, and the session may never have come to be: both go with their directory in any case. */
static int
stop(struct mb_sync *s, struct mb_error *err)
{
    const char *const argv[] = {"mutagen", "sync", "terminate", "mountbench", NULL};
    struct mb_error ignored = {0};

    (void)err;
    if (!mb_keeper_ended(&s->keeper))
        mb_sync_run(s, argv, ASK_MS, NULL, &ignored);
    return 0;
}

static void
plan(const struct mb_sync_spec *spec, struct mb_buffer *out)
{
    static const struct mb_mutagen_ends ends = {"mountbench", "HOSTDIR", "docker://CONTAINER/VOLUME"};
    const char *argv[MB_MUTAGEN_ARGUMENTS + 1];

    mb_mutagen_create(spec, &ends, argv);
    mb_process_line(argv, out);
}

const struct mb_sync_tool mb_sync_mutagen = {
    .name = "mutagen",
    .title = "mutagen",
    .program = "mutagen",
    .get = "install it: brew install mutagen-io/mutagen/mutagen (https://mutagen.io)",
    .image = "busybox",
    .image_get = "pull it: docker pull busybox, or say 'pull: missing'",
    .start = start,
    .look = look,
    .settle = settle,
    .stop = stop,
    .plan = plan,
};
