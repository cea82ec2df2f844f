/* serve.c: read requests, have them done in a child each, answer. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mountbench/parse.h"
#include "mountbench/probe.h"
#include "probe/child.h"
#include "probe/mount.h"
#include "probe/protocol.h"
#include "probe/sides.h"
#include "probe/trial.h"

#define READ_MAX 4096
#define TIMEOUT_MS_MAX UINT64_C(86400000)
/* How long it may take to remove what a killed trial left. */
#define SWEEP_MS 20000

struct verb {
    const char *name;
    const char *answer;      /* type of its answer where that has a status; NULL: a failure is an "error" */
    const char *const *keys; /* that it knows; NULL: it looks itself, a workload's being among them */
    uint64_t timeout_ms;     /* when the request names none */
    void (*work)(const struct mb_request *request, struct mb_buffer *answer);
};

static const char *
architecture(const struct utsname *system)
{
#if defined(__x86_64__)
    (void)system;
    return "amd64";
#elif defined(__aarch64__)
    (void)system;
    return "arm64";
#else
    return system->machine;
#endif
}

static void
hello(const struct mb_request *request, struct mb_buffer *answer)
{
    struct utsname system = {0};

    (void)request;
    uname(&system);
    mb_buffer_printf(answer, "{\"type\":\"hello\",\"protocol\":%d", MB_PROBE_PROTOCOL);
    mb_json_field(answer, "version", MB_VERSION);
    mb_json_field(answer, "arch", architecture(&system));
    mb_json_field(answer, "kernel", system.release);
    mb_buffer_printf(answer, ",\"page_bytes\":%ld,\"uid\":%lu}\n", sysconf(_SC_PAGESIZE), (unsigned long)getuid());
}

static const char *
need(const struct mb_request *request, const char *key, struct mb_buffer *answer)
{
    char reason[100];
    const char *value = mb_request_get(request, key);

    if (value != NULL && value[0] != '\0')
        return value;
    snprintf(reason, sizeof reason, "%s: the key '%s' is missing", request->verb, key);
    mb_answer_error(answer, reason);
    return NULL;
}

static void
describe_mount(const struct mb_request *request, struct mb_buffer *answer)
{
    struct mb_error err = {0};
    const char *dir = need(request, "dir", answer);

    if (dir != NULL && mb_mount_describe(dir, answer, &err) != 0) {
        mb_buffer_reset(answer);
        mb_error_prefix(&err, "mount");
        mb_answer_error(answer, err.message);
    }
}

static void
read_file(const struct mb_request *request, struct mb_buffer *answer)
{
    char text[READ_MAX];
    struct mb_error err = {0};
    const char *path = need(request, "path", answer);

    if (path == NULL)
        return;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        mb_buffer_puts(answer, "{\"type\":\"read\",\"found\":false}\n");
        return;
    }
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (n < 0) {
        mb_error_errno(&err, MB_EIO, errno, "read: %.1000s", path);
        mb_answer_error(answer, err.message);
    } else {
        mb_buffer_puts(answer, "{\"type\":\"read\",\"found\":true,\"text\":");
        mb_json_string(answer, text, (size_t)n);
        mb_buffer_puts(answer, "}\n");
    }
    if (fd >= 0)
        close(fd);
}

static void
write_file(const struct mb_request *request, struct mb_buffer *answer)
{
    struct mb_error err = {0};
    const char *path = need(request, "path", answer);
    const char *text = mb_request_get(request, "text");

    if (path == NULL)
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    size_t n = text ? strlen(text) : 0;
    bool written = fd >= 0 && write(fd, text ? text : "", n) == (ssize_t)n;
    int saved = errno;
    if (fd >= 0 && close(fd) != 0 && written) {
        written = false;
        saved = errno;
    }
    if (written) {
        mb_buffer_puts(answer, "{\"type\":\"write\"}\n");
        return;
    }
    mb_error_errno(&err, MB_EIO, saved, "write: %.1000s", path);
    mb_answer_error(answer, err.message);
}

static const char *const no_keys[] = {NULL};
static const char *const dir_keys[] = {"dir", "timeout_ms", NULL};
static const char *const job_keys[] = {"dir", "id", "timeout_ms", NULL};
static const char *const read_keys[] = {"path", "timeout_ms", NULL};
static const char *const write_keys[] = {"path", "text", "timeout_ms", NULL};

static const struct verb verbs[] = {
    {"hello", NULL, no_keys, 10000, hello},
    {"mount", NULL, dir_keys, 10000, describe_mount},
    {"read", NULL, read_keys, 10000, read_file},
    {"write", NULL, write_keys, 10000, write_file},
    {"prepare", "prepared", NULL, 60000, mb_trial_prepare},
    {"run", "sample", NULL, 60000, mb_trial_run},
    {"await", "awaited", NULL, 60000, mb_trial_await},
    {"discard", "discarded", job_keys, 60000, mb_trial_discard},
    {"change", "changed", mb_change_keys, 60000, mb_side_change},
    {"watch", "watched", mb_watch_keys, 60000, mb_side_watch},
    {"cleanup", "cleaned", dir_keys, 60000, mb_trial_cleanup},
    {"quit", NULL, no_keys, 0, NULL},
};
#define VERBS (sizeof verbs / sizeof *verbs)

static const struct verb *
find_verb(const struct mb_request *request, struct mb_error *err)
{
    const char *names[VERBS + 1] = {NULL};

    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(verbs[i].name, request->verb) == 0)
            return &verbs[i];
        names[i] = verbs[i].name;
    }
    const char *near = mb_nearest(request->verb, names);
    mb_error_set(err, MB_EPROTOCOL, "unknown request '%.100s'%s%s%s", request->verb, near ? " (did you mean '" : "",
                 near ? near : "", near ? "'?)" : "");
    return NULL;
}

/* What a child is given. */
struct task {
    const struct mb_request *request;
    void (*work)(const struct mb_request *request, struct mb_buffer *answer);
};

static void
do_task(void *context, struct mb_buffer *answer)
{
    const struct task *task = context;

    task->work(task->request, answer);
}

static void
do_in_child(const struct verb *verb, const struct mb_request *request, const int fds[2], struct mb_buffer *answer)
{
    static const uint64_t range[2] = {1, TIMEOUT_MS_MAX};
    struct mb_error err = {0};
    struct task task = {.request = request, .work = verb->work};
    struct mb_child child = {.work = do_task, .context = &task, .close_fds = {fds[0], fds[1]}};

    if (mb_request_u64(request, "timeout_ms", verb->timeout_ms, range, &child.timeout_ms, &err) != 0) {
        mb_answer_error(answer, err.message);
        return;
    }
    enum mb_child_end end = mb_child_run(&child, answer, &err);
    if (end == MB_CHILD_ANSWERED)
        return;
    if (end != MB_CHILD_STUCK && (verb->work == mb_trial_run || verb->work == mb_trial_prepare)) {
        MB_AUTO_BUFFER unread = MB_BUFFER_INIT(64);
        task.work = mb_trial_sweep;
        child.timeout_ms = SWEEP_MS;
        mb_child_run(&child, &unread, NULL);
    }
    mb_error_prefix(&err, "%s", request->verb);
    if (verb->answer != NULL)
        mb_answer_status(answer, verb->answer, request, end == MB_CHILD_FAILED ? "failed" : "timeout", err.message);
    else
        mb_answer_error(answer, err.message);
}

/* Answer one line.  False: it was `quit`. */
static bool
answer_line(char *line, const int fds[2], struct mb_buffer *answer)
{
    struct mb_error err = {0};
    struct mb_request request;
    const struct verb *verb = NULL;

    if (mb_request_parse(line, &request, &err) == 0 && (verb = find_verb(&request, &err)) != NULL && verb->keys != NULL &&
        mb_request_check_keys(&request, verb->keys, &err) != 0)
        verb = NULL;
    if (verb == NULL)
        mb_answer_error(answer, err.message);
    else if (verb->work == NULL)
        return false;
    else if (verb->work == hello)
        hello(&request, answer);
    else
        do_in_child(verb, &request, fds, answer);
    return true;
}

static int
send_answer(int out, const struct mb_buffer *answer)
{
    for (size_t sent = 0; sent < answer->len;) {
        ssize_t n = write(out, answer->data + sent, answer->len - sent);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        sent += (size_t)n;
    }
    return 0;
}

/* What was read and not yet answered. */
struct input {
    int fd;
    size_t len;
    bool skipping; /* within a line that is too long */
    char bytes[MB_PROBE_LINE_MAX + 1];
};

/* Cut off the first whole line, and move it to ${line}, a NUL in it (which would hide the rest) as '?'.  False: there is none. */
static bool
take_line(struct input *in, char line[MB_PROBE_LINE_MAX + 1])
{
    char *newline = memchr(in->bytes, '\n', in->len);

    if (newline == NULL)
        return false;
    size_t n = (size_t)(newline - in->bytes);
    for (size_t i = 0; i < n; i++)
        line[i] = in->bytes[i] ? in->bytes[i] : '?';
    line[n] = '\0';
    in->len -= n + 1;
    memmove(in->bytes, newline + 1, in->len);
    return true;
}

/* Answer every whole line there is.  1: go on, 0: quit, -1: the answer could not be sent. */
static int
answer_lines(struct input *in, int out)
{
    MB_AUTO_BUFFER answer = MB_BUFFER_INIT(MB_PROBE_ANSWER_MAX);
    char line[MB_PROBE_LINE_MAX + 1];

    while (take_line(in, line)) {
        if (in->skipping) {
            in->skipping = false;
            continue;
        }
        mb_buffer_reset(&answer);
        if (!answer_line(line, (const int[2]){in->fd, out}, &answer))
            return 0;
        if (send_answer(out, &answer) != 0)
            return -1;
        /* What was stuck may be gone by now; and PID 1 inherits orphans. */
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
    if (in->len < sizeof in->bytes)
        return 1;
    if (!in->skipping) {
        mb_buffer_reset(&answer);
        mb_answer_error(&answer, "a request is longer than a line may be");
        if (send_answer(out, &answer) != 0)
            return -1;
    }
    in->skipping = true;
    in->len = 0;
    return 1;
}

int
mb_probe_serve(int in_fd, int out)
{
    struct input in = {.fd = in_fd};
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
    for (;;) {
        ssize_t n = read(in_fd, in.bytes + in.len, sizeof in.bytes - in.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0;
        in.len += (size_t)n;
        int go_on = answer_lines(&in, out);
        if (go_on <= 0)
            return go_on < 0;
    }
}
