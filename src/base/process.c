/*
 * process.c: fork, exec, and a loop that looks at output, end, time and interruption.
 *
 * The end is asked for with waitpid and not read from the pipes: a program may leave a daemon behind that holds them open.
 */
#include "mountbench/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/signals.h"

#define OUTPUT_MAX ((size_t)256 << 10)
#define POLL_MS 20
/* From being asked to end until being made to. */
#define GRACE_MS 3000

struct child {
    pid_t pid;
    int out, errors;
};

void
mb_process_environment(const char *const *environment)
{
    for (; environment != NULL && *environment != NULL; environment++) {
        char name[128];
        const char *value = strchr(*environment, '=');
        if (value == NULL || (size_t)(value - *environment) >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(value - *environment), *environment);
        setenv(name, value + 1, 1);
    }
}

static void
become(const char *const *argv, const char *const *environment, const int pipes[3][2])
{
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;
    int null = open("/dev/null", O_RDONLY);

    mb_process_environment(environment);
    setsid();
    sigaction(SIGPIPE, &plain, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(pipes[0][1], STDOUT_FILENO) >= 0 &&
        dup2(pipes[1][1], STDERR_FILENO) >= 0)
        execvp(argv[0], (char *const *)(uintptr_t)argv); /* NOLINT(performance-no-int-to-ptr): execvp changes nothing */
    int problem = errno;
    if (write(pipes[2][1], &problem, sizeof problem) < 0)
        _exit(126);
    _exit(127);
}

static void
close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0)
            close(pair[i]);
        pair[i] = -1;
    }
}

/* No end of a pipe may be one of the standard streams, or setting those up would close it. */
static int
make_pipe(int pair[2])
{
    if (pipe(pair) != 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        int high = fcntl(pair[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(pair[i]);
        pair[i] = high;
    }
    return pair[0] >= 0 && pair[1] >= 0 ? 0 : -1;
}

/* Wait until the program runs; its last pipe closes by itself then, or says why it does not. */
static int
await_exec(pid_t pid, int fd, const char *name, struct mb_error *err)
{
    int problem = 0;
    ssize_t n;

    while ((n = read(fd, &problem, sizeof problem)) < 0 && errno == EINTR)
        continue;
    if (n != (ssize_t)sizeof problem)
        return 0;
    waitpid(pid, NULL, 0);
    return mb_error_errno(err, MB_ECONFIG, problem, "cannot run '%s'", name);
}

static int
start(const char *const *argv, const char *const *environment, struct child *child, struct mb_error *err)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    int rc = -1;

    if (make_pipe(pipes[0]) != 0 || make_pipe(pipes[1]) != 0 || make_pipe(pipes[2]) != 0) {
        mb_error_errno(err, MB_EIO, errno, "cannot make a pipe");
    } else if ((child->pid = fork()) < 0) {
        mb_error_errno(err, MB_EIO, errno, "cannot start a process");
    } else {
        if (child->pid == 0)
            become(argv, environment, (const int(*)[2])pipes);
        close(pipes[2][1]);
        pipes[2][1] = -1;
        rc = await_exec(child->pid, pipes[2][0], argv[0], err);
    }
    if (rc == 0) {
        child->out = pipes[0][0];
        child->errors = pipes[1][0];
        pipes[0][0] = pipes[1][0] = -1;
        fcntl(child->out, F_SETFL, O_NONBLOCK);
        fcntl(child->errors, F_SETFL, O_NONBLOCK);
    }
    for (int i = 0; i < 3; i++)
        close_pair(pipes[i]);
    return rc;
}

/* Take what is there, or some of it where more keeps coming; false at the end of the stream. */
static bool
drain(int fd, struct mb_buffer *into)
{
    char bytes[4096];

    for (int i = 0; i < 64; i++) {
        ssize_t n = read(fd, bytes, sizeof bytes);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (n < 0)
            return true;
        size_t room = into->max - into->len;
        mb_buffer_append(into, bytes, (size_t)n < room ? (size_t)n : room);
    }
    return true;
}

/* Wait a little for output, and take it. */
static void
listen_to(struct child *child, struct mb_process_result *result)
{
    struct pollfd fds[2] = {{.fd = child->out, .events = POLLIN}, {.fd = child->errors, .events = POLLIN}};

    poll(fds, 2, POLL_MS);
    if (child->out >= 0 && fds[0].revents != 0 && !drain(child->out, &result->out)) {
        close(child->out);
        child->out = -1;
    }
    if (child->errors >= 0 && fds[1].revents != 0 && !drain(child->errors, &result->errors)) {
        close(child->errors);
        child->errors = -1;
    }
}

static bool
ended(const struct child *child, int *status)
{
    int how;

    if (waitpid(child->pid, &how, WNOHANG) != child->pid)
        return false;
    *status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    return true;
}

/* End the group: its leader is reaped, and what it left is killed with it. */
static void
end_group(struct child *child, struct mb_process_result *result)
{
    uint64_t deadline = mb_deadline_in_ms(GRACE_MS);

    kill(-child->pid, SIGTERM);
    bool gone = ended(child, &result->status);
    while (!gone && mb_deadline_left_ms(deadline) > 0) {
        listen_to(child, result);
        gone = ended(child, &result->status);
    }
    kill(-child->pid, SIGKILL);
    if (!gone)
        waitpid(child->pid, NULL, 0);
}

/* The last ${most} bytes of what was said at most, on one line. */
static void
last_words(const struct mb_process_result *result, size_t most, char *out)
{
    const struct mb_buffer *said = result->errors.len > 0 ? &result->errors : &result->out;
    const char *text = mb_buffer_text(said);
    size_t n = said->len;

    while (n > 0 && (unsigned char)text[n - 1] <= ' ')
        n--;
    size_t from = n > most ? n - most : 0;
    for (size_t i = from; i < n; i++)
        *out++ = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? ' ' : text[i];
    *out = '\0';
}

static int
stopped(const char *const *argv, unsigned timeout_ms, struct child *child, struct mb_process_result *result, bool interrupted,
        struct mb_error *err)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(600);
    char words[401];

    end_group(child, result);
    mb_process_line(argv, &line);
    last_words(result, sizeof words - 1, words);
    if (interrupted)
        return mb_error_set(err, MB_EINTERRUPT, "interrupted while '%s' was running", mb_buffer_text(&line));
    return mb_error_set(err, MB_ETIMEOUT, "'%s' did not end within %u s%s%s", mb_buffer_text(&line), (timeout_ms + 999) / 1000,
                        words[0] != '\0' ? "; it said: " : "", words);
}

int
mb_process_run(const char *const *argv, unsigned timeout_ms, struct mb_process_result *out, struct mb_error *err)
{
    return mb_process_run_with(argv, NULL, timeout_ms, out, err);
}

int
mb_process_run_with(const char *const *argv, const char *const *environment, unsigned timeout_ms, struct mb_process_result *out,
                    struct mb_error *err)
{
    uint64_t deadline = mb_deadline_in_ms(timeout_ms);
    struct child child = {.pid = -1, .out = -1, .errors = -1};
    int rc = 0;

    *out = (struct mb_process_result){.out = MB_BUFFER_INIT(OUTPUT_MAX), .errors = MB_BUFFER_INIT(OUTPUT_MAX)};
    if (mb_interrupted())
        return mb_error_set(err, MB_EINTERRUPT, "interrupted");
    if (start(argv, environment, &child, err) != 0)
        return -1;
    while (!ended(&child, &out->status)) {
        bool interrupted = mb_interrupted();
        if (interrupted || mb_deadline_left_ms(deadline) == 0) {
            rc = stopped(argv, timeout_ms, &child, out, interrupted, err);
            break;
        }
        listen_to(&child, out);
    }
    if (child.out >= 0)
        drain(child.out, &out->out);
    if (child.errors >= 0)
        drain(child.errors, &out->errors);
    if (child.out >= 0)
        close(child.out);
    if (child.errors >= 0)
        close(child.errors);
    if (rc != 0)
        mb_process_result_free(out);
    return rc;
}

void
mb_process_result_free(struct mb_process_result *result)
{
    mb_buffer_free(&result->out);
    mb_buffer_free(&result->errors);
}

int
mb_process_failed(const char *const *argv, const struct mb_process_result *result, struct mb_error *err)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(600);
    char words[801];

    mb_process_line(argv, &line);
    last_words(result, sizeof words - 1, words);
    if (result->status > 128)
        return mb_error_set(err, MB_EENGINE, "'%s' was ended by signal %d%s%s", mb_buffer_text(&line), result->status - 128,
                            words[0] != '\0' ? ": " : "", words);
    return mb_error_set(err, MB_EENGINE, "'%s' ended with status %d%s%s", mb_buffer_text(&line), result->status,
                        words[0] != '\0' ? ": " : " and said nothing", words);
}

void
mb_process_line(const char *const *argv, struct mb_buffer *out)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";

    for (size_t i = 0; argv[i] != NULL; i++) {
        if (i > 0)
            mb_buffer_putc(out, ' ');
        if (argv[i][0] != '\0' && argv[i][strspn(argv[i], safe)] == '\0') {
            mb_buffer_puts(out, argv[i]);
            continue;
        }
        mb_buffer_putc(out, '\'');
        for (const char *p = argv[i]; *p != '\0'; p++) {
            if (*p == '\'')
                mb_buffer_puts(out, "'\\''");
            else
                mb_buffer_putc(out, *p);
        }
        mb_buffer_putc(out, '\'');
    }
}

static bool
is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool
mb_process_exists(const char *name)
{
    const char *path = getenv("PATH");

    if (strchr(name, '/') != NULL)
        return is_program(name);
    while (path != NULL && *path != '\0') {
        char candidate[4096];
        size_t n = strcspn(path, ":");
        int length = snprintf(candidate, sizeof candidate, "%.*s/%s", n > 0 ? (int)n : 1, n > 0 ? path : ".", name);
        if (length > 0 && (size_t)length < sizeof candidate && is_program(candidate))
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}
