/*
 * survey.c: ask many engines at once.
 *
 * Each is asked by a child of its own, so that one that never answers costs no more than its own time; what the child learnt comes
 * back as one JSON object through a pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/internal.h"
#include "engine/runtime.h"
#include "engine/share.h"
#include "mountbench/clock.h"
#include "mountbench/signals.h"

#define ANSWER_MAX 65536
/* What an engine that did answer at first has for the rest: podman starts programs to find out its own version. */
#define PATIENCE_MS 5000
/* And when we no longer wait for a child, whatever became of it. */
#define LATEST_MS 10000
#define SLICE_MS 100

static const struct {
    const char *key;
    size_t offset;
} texts[] = {
    {"runtime_version", offsetof(struct mb_engine_facts, runtime_version)},
    {"engine_version", offsetof(struct mb_engine_facts, engine_version)},
    {"api_version", offsetof(struct mb_engine_facts, api_version)},
    {"api_newest", offsetof(struct mb_engine_facts, api_newest)},
    {"api_oldest", offsetof(struct mb_engine_facts, api_oldest)},
    {"os", offsetof(struct mb_engine_facts, os)},
    {"kernel", offsetof(struct mb_engine_facts, kernel)},
    {"arch", offsetof(struct mb_engine_facts, arch)},
    {"name", offsetof(struct mb_engine_facts, name)},
    {"storage_driver", offsetof(struct mb_engine_facts, storage_driver)},
    {"root_dir", offsetof(struct mb_engine_facts, root_dir)},
    {"id", offsetof(struct mb_engine_facts, id)},
};

#define TEXTS (sizeof texts / sizeof texts[0])

struct child {
    pid_t pid;
    int fd; /* -1 once its answer is complete */
    struct mb_buffer answer;
};

static char **
text_of(struct mb_engine_facts *facts, size_t i)
{
    return (char **)(void *)((char *)facts + texts[i].offset);
}

/* In the child: open, tell, end. */
static void
ask(const struct mb_endpoint *endpoint, unsigned timeout_ms, int fd)
{
    cJSON *answer = cJSON_CreateObject();
    struct mb_error err = {0};
    struct mb_engine *engine;
    char shares[64];

    if (mb_engine_open_patiently(endpoint, timeout_ms, timeout_ms + PATIENCE_MS, &engine, &err) == 0) {
        struct mb_engine_facts facts = *mb_engine_facts(engine);
        for (size_t i = 0; i < TEXTS; i++)
            cJSON_AddStringToObject(answer, texts[i].key, *text_of(&facts, i));
        cJSON_AddNumberToObject(answer, "runtime", facts.runtime);
        cJSON_AddBoolToObject(answer, "rootless", facts.rootless);
        cJSON_AddNumberToObject(answer, "cpus", (double)facts.cpus);
        cJSON_AddNumberToObject(answer, "memory_bytes", (double)facts.memory_bytes);
        cJSON_AddStringToObject(answer, "shares", mb_share_of(endpoint, &facts, shares, sizeof shares));
        mb_engine_close(engine);
    } else {
        cJSON_AddStringToObject(answer, "why", err.message);
        cJSON_AddNumberToObject(answer, "code", err.code);
    }
    char *text = cJSON_PrintUnformatted(answer);
    size_t n = text != NULL ? strlen(text) : 0;
    for (size_t sent = 0; sent < n;) {
        ssize_t m = write(fd, text + sent, n - sent);
        if (m <= 0)
            break;
        sent += (size_t)m;
    }
    cJSON_free(text);
    cJSON_Delete(answer);
    _exit(0);
}

static int
start(struct child *child, const struct mb_endpoint *endpoint, unsigned timeout_ms, struct mb_error *err)
{
    int ends[2];

    child->answer.max = ANSWER_MAX;
    child->fd = -1;
    if (pipe(ends) != 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot make a pipe");
    child->pid = fork();
    if (child->pid == 0) {
        close(ends[0]);
        ask(endpoint, timeout_ms, ends[1]);
    }
    close(ends[1]);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    child->fd = ends[0];
    return child->pid > 0 ? 0 : mb_error_errno(err, MB_EIO, errno, "cannot start a process");
}

/* Take in what is there. */
static void
take(struct child *child)
{
    char chunk[4096];
    ssize_t n = read(child->fd, chunk, sizeof chunk);

    if (n > 0 && mb_buffer_append(&child->answer, chunk, (size_t)n) == 0)
        return;
    if (n < 0 && errno == EINTR)
        return;
    close(child->fd);
    child->fd = -1;
}

static int
collect(struct child *children, size_t n, uint64_t deadline_ns, struct mb_error *err)
{
    struct pollfd *polls = calloc(n + 1, sizeof *polls);
    bool waiting = true;

    if (polls == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    while (waiting && mb_deadline_left_ms(deadline_ns) > 0 && !mb_interrupted()) {
        int left = mb_deadline_left_ms(deadline_ns);
        waiting = false;
        for (size_t i = 0; i < n; i++) {
            polls[i] = (struct pollfd){.fd = children[i].fd, .events = POLLIN};
            waiting = waiting || children[i].fd >= 0;
        }
        if (!waiting || poll(polls, (nfds_t)n, left < SLICE_MS ? left : SLICE_MS) <= 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            if (children[i].fd >= 0 && polls[i].revents != 0)
                take(&children[i]);
        }
    }
    free(polls);
    return mb_interrupted() ? mb_error_set(err, MB_EINTERRUPT, "interrupted") : 0;
}

/* A number of the answer as the ${most} at most that it may be. */
static uint64_t
number(const cJSON *tree, const char *key, double most)
{
    double value = cJSON_GetNumberValue(mb_json_get(tree, key));
    return value >= 0 && value <= most ? (uint64_t)value : 0;
}

static int
read_answer(const struct child *child, const struct mb_endpoint *endpoint, unsigned timeout_ms, struct mb_survey *out,
            struct mb_error *err)
{
    MB_AUTO_JSON *tree = cJSON_Parse(mb_buffer_text(&child->answer));

    memset(out, 0, sizeof *out);
    if (tree == NULL)
        mb_error_set(&out->why, MB_ENOENGINE, "%s: no answer within %.1f s", endpoint->url, timeout_ms / 1e3);
    else if (mb_json_get(tree, "why") != NULL)
        mb_error_set(&out->why, (enum mb_error_code)number(tree, "code", MB_EABOVE), "%s", mb_json_text(tree, "why"));
    if (out->why.code != MB_OK)
        return 0;
    out->alive = true;
    out->facts.runtime = (enum mb_runtime)number(tree, "runtime", MB_RUNTIME_MINIKUBE);
    out->facts.rootless = cJSON_IsTrue(mb_json_get(tree, "rootless"));
    out->facts.cpus = number(tree, "cpus", 1e9);
    out->facts.memory_bytes = number(tree, "memory_bytes", 1e18);
    snprintf(out->shares, sizeof out->shares, "%s", mb_json_text(tree, "shares"));
    for (size_t i = 0; i < TEXTS; i++) {
        if (mb_engine_strdup(text_of(&out->facts, i), mb_json_text(tree, texts[i].key)) != 0)
            return mb_error_set(err, MB_EIO, "out of memory");
    }
    return 0;
}

static void
end(struct child *child)
{
    if (child->fd >= 0)
        close(child->fd);
    if (child->pid > 0) {
        /* One that has answered is as good as gone; one that has not is not waited for. */
        kill(child->pid, SIGKILL);
        while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    mb_buffer_free(&child->answer);
}

int
mb_engine_survey(const struct mb_endpoint *endpoints, size_t n, unsigned timeout_ms, struct mb_survey *out, struct mb_error *err)
{
    struct child *children = calloc(n + 1, sizeof *children);
    uint64_t deadline_ns = mb_deadline_in_ms((uint64_t)timeout_ms + LATEST_MS);
    size_t started = 0, read = 0;
    int rc = 0;

    if (children == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    fflush(NULL);
    while (rc == 0 && started < n) {
        rc = start(&children[started], &endpoints[started], timeout_ms, err);
        started++;
    }
    if (rc == 0)
        rc = collect(children, n, deadline_ns, err);
    for (; rc == 0 && read < n; read++)
        rc = read_answer(&children[read], &endpoints[read], timeout_ms, &out[read], err);
    if (rc != 0)
        mb_survey_clear(out, read);
    for (size_t i = 0; i < started; i++)
        end(&children[i]);
    free(children);
    return rc;
}

void
mb_survey_clear(struct mb_survey *surveys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mb_runtime_facts_clear(&surveys[i].facts);
}
