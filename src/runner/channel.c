/* channel.c: lines to and from a probe. */
#include "runner/channel.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/probe.h"
#include "mountbench/signals.h"

/* The driver has no more open at once. */
#define FDS_MAX 4096

void
mb_channel_attach(struct mb_channel *c, struct mb_attach *attach)
{
    *c = (struct mb_channel){.attach = attach, .fd = -1, .in = MB_BUFFER_INIT(MB_PROBE_ANSWER_MAX)};
}

/*
 * In the child: close all descriptors of the driver's but ${own} and the standard ones.  An end of another probe's line, or of an
 * engine's, that stayed open here would keep those waiting for an end of input that never comes.
 */
static void
close_others(int own)
{
    long most = sysconf(_SC_OPEN_MAX);

    for (int fd = STDERR_FILENO + 1; fd < (most > 0 && most < FDS_MAX ? most : FDS_MAX); fd++) {
        if (fd != own)
            close(fd);
    }
}

int
mb_channel_fork(struct mb_channel *c, struct mb_error *err)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot make a socket pair for the host's probe");
    pid_t pid = fork();
    if (pid < 0) {
        int saved = errno;
        close(pair[0]);
        close(pair[1]);
        return mb_error_errno(err, MB_EIO, saved, "cannot start the host's probe");
    }
    if (pid == 0) {
        close_others(pair[1]);
        /* A terminal's Ctrl-C goes to the whole group; the driver decides when this child ends, by closing its input. */
        signal(SIGINT, SIG_IGN);
        signal(SIGHUP, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        _exit(mb_probe_serve(pair[1], pair[1]));
    }
    close(pair[1]);
    *c = (struct mb_channel){.fd = pair[0], .pid = pid, .in = MB_BUFFER_INIT(MB_PROBE_ANSWER_MAX)};
    return 0;
}

/* Wait until the child's socket can be read or written, the deadline passes, or the user interrupts. */
static int
wait_for(struct mb_channel *c, short events, uint64_t deadline_ns, struct mb_error *err)
{
    struct pollfd p = {.fd = c->fd, .events = events};

    for (;;) {
        if (mb_interrupted())
            return mb_error_set(err, MB_EINTERRUPT, "interrupted");
        int left = mb_deadline_left_ms(deadline_ns);
        if (left == 0)
            return mb_error_set(err, MB_ETIMEOUT, "the host's probe did not answer in time");
        int n = poll(&p, 1, left);
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return mb_error_errno(err, MB_EIO, errno, "cannot wait for the host's probe");
    }
}

static int
child_write(struct mb_channel *c, const char *bytes, size_t n, uint64_t deadline_ns, struct mb_error *err)
{
    while (n > 0) {
        if (wait_for(c, POLLOUT, deadline_ns, err) != 0)
            return -1;
        ssize_t sent = send(c->fd, bytes, n, 0);
        if (sent < 0 && errno != EINTR && errno != EAGAIN)
            return mb_error_errno(err, MB_EGONE, errno, "the host's probe went away");
        if (sent > 0) {
            bytes += sent;
            n -= (size_t)sent;
        }
    }
    return 0;
}

static int
child_read_line(struct mb_channel *c, struct mb_buffer *line, uint64_t deadline_ns, struct mb_error *err)
{
    char chunk[4096];

    for (;;) {
        const char *end = c->in.len > 0 ? memchr(c->in.data, '\n', c->in.len) : NULL;
        if (end != NULL) {
            size_t length = (size_t)(end - c->in.data);
            mb_buffer_reset(line);
            if (mb_buffer_append(line, c->in.data, length) != 0)
                return mb_error_set(err, MB_EPROTOCOL, "the host's probe sent a line of %zu bytes", length);
            mb_buffer_consume(&c->in, length + 1);
            return 0;
        }
        if (wait_for(c, POLLIN, deadline_ns, err) != 0)
            return -1;
        ssize_t got = recv(c->fd, chunk, sizeof chunk, 0);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return mb_error_set(err, MB_EGONE, "the host's probe went away");
        if (got > 0 && mb_buffer_append(&c->in, chunk, (size_t)got) != 0)
            return mb_error_set(err, MB_EPROTOCOL, "the host's probe sent a line of more than %zu bytes", c->in.max);
    }
}

static int
send_request(struct mb_channel *c, const char *request, uint64_t deadline_ns, struct mb_error *err)
{
    if (c->attach != NULL)
        return mb_attach_write(c->attach, request, strlen(request), (unsigned)mb_deadline_left_ms(deadline_ns), err);
    if (c->fd < 0)
        return mb_error_set(err, MB_EGONE, "the probe is gone");
    return child_write(c, request, strlen(request), deadline_ns, err);
}

static int
read_answer(struct mb_channel *c, uint64_t deadline_ns, struct mb_buffer *answer, struct mb_error *err)
{
    int rc = c->attach != NULL ? mb_attach_read_line(c->attach, answer, (unsigned)mb_deadline_left_ms(deadline_ns), err)
                               : child_read_line(c, answer, deadline_ns, err);

    if (rc == 0)
        c->owed = false;
    return rc;
}

int
mb_channel_settle(struct mb_channel *c, unsigned timeout_ms, struct mb_error *err)
{
    MB_AUTO_BUFFER late = MB_BUFFER_INIT(MB_PROBE_ANSWER_MAX);

    return c->owed ? read_answer(c, mb_deadline_in_ms(timeout_ms), &late, err) : 0;
}

int
mb_channel_ask(struct mb_channel *c, const char *request, unsigned timeout_ms, struct mb_buffer *answer, struct mb_error *err)
{
    uint64_t deadline_ns = mb_deadline_in_ms(timeout_ms);
    int rc = send_request(c, request, deadline_ns, err);

    if (rc == 0) {
        c->owed = true;
        rc = read_answer(c, deadline_ns, answer, err);
    }
    if (rc != 0 && c->attach != NULL && err != NULL && err->code == MB_EGONE) {
        const char *said = mb_attach_errors(c->attach);
        if (said != NULL && *said != '\0')
            mb_error_set(err, MB_EGONE, "the probe ended, saying: %s", said);
    }
    return rc;
}

/* Give a child that was told to go two seconds, then kill it. */
static void
reap(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    uint64_t deadline_ns = mb_deadline_in_ms(2000);

    while (waitpid(pid, NULL, WNOHANG) == 0) {
        if (mb_deadline_left_ms(deadline_ns) == 0) {
            kill(pid, SIGKILL);
            deadline_ns = mb_deadline_in_ms(2000);
        }
        nanosleep(&pause, NULL);
    }
}

void
mb_channel_close(struct mb_channel *c)
{
    mb_attach_close(c->attach);
    c->attach = NULL;
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    c->owed = false;
    if (c->pid > 0)
        reap(c->pid);
    c->pid = 0;
    mb_buffer_free(&c->in);
}
