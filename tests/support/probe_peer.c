/* probe_peer.c: talk to a probe as the driver does, over one two-way stream. */
#include "support/probe_peer.h"

#include <check.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/probe.h"

static int
start(struct probe_peer *peer, int ends[2])
{
    peer->len = 0;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    fflush(NULL);
    peer->pid = fork();
    ck_assert_int_ge(peer->pid, 0);
    if (peer->pid == 0) {
        close(ends[0]);
        return 1;
    }
    close(ends[1]);
    peer->fd = ends[0];
    return 0;
}

void
probe_peer_serve(struct probe_peer *peer)
{
    int ends[2];

    if (start(peer, ends))
        _exit(mb_probe_serve(ends[1], ends[1]));
}

void
probe_peer_serve_as(struct probe_peer *peer, uid_t uid)
{
    int ends[2];

    if (start(peer, ends))
        _exit(setuid(uid) == 0 ? mb_probe_serve(ends[1], ends[1]) : 99);
}

void
probe_peer_exec(struct probe_peer *peer, const char *const argv[])
{
    char *copy[16] = {NULL};
    int ends[2];

    if (start(peer, ends) == 0)
        return;
    dup2(ends[1], STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    for (size_t i = 0; argv[i] != NULL && i + 1 < sizeof copy / sizeof *copy; i++)
        copy[i] = strdup(argv[i]);
    execvp(copy[0], copy);
    _exit(127);
}

void
probe_peer_send(struct probe_peer *peer, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = send(peer->fd, bytes, n, MSG_NOSIGNAL);
        ck_assert_msg(done > 0, "cannot send: %s", strerror(errno));
        bytes += done;
        n -= (size_t)done;
    }
}

const char *
probe_peer_answer(struct probe_peer *peer)
{
    static char answer[sizeof peer->bytes];

    for (;;) {
        char *newline = memchr(peer->bytes, '\n', peer->len);
        if (newline != NULL) {
            size_t n = (size_t)(newline - peer->bytes);
            memcpy(answer, peer->bytes, n);
            answer[n] = '\0';
            peer->len -= n + 1;
            memmove(peer->bytes, newline + 1, peer->len);
            return answer;
        }
        struct pollfd p = {.fd = peer->fd, .events = POLLIN};
        ck_assert_uint_lt(peer->len, sizeof peer->bytes);
        if (poll(&p, 1, 100000) <= 0)
            return NULL;
        ssize_t n = read(peer->fd, peer->bytes + peer->len, sizeof peer->bytes - peer->len);
        if (n <= 0)
            return NULL;
        peer->len += (size_t)n;
    }
}

const char *
probe_peer_ask(struct probe_peer *peer, const char *format, ...)
{
    char line[16384];
    va_list args;

    va_start(args, format);
    int n = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    ck_assert_int_lt(n, (int)sizeof line - 1);
    line[n] = '\n';
    probe_peer_send(peer, line, (size_t)n + 1);
    const char *answer = probe_peer_answer(peer);
    ck_assert_msg(answer != NULL, "no answer to: %.*s", n, line);
    return answer;
}

pid_t
probe_peer_job(const struct probe_peer *peer)
{
    char command[64], line[32] = "";

    snprintf(command, sizeof command, "pgrep -P %d", (int)peer->pid);
    for (int i = 0; i < 100 && line[0] == '\0'; i++) {
        struct timespec twenty_ms = {.tv_nsec = 20000000};
        FILE *pipe = popen(command, "r");
        ck_assert_ptr_nonnull(pipe);
        if (fgets(line, sizeof line, pipe) == NULL)
            nanosleep(&twenty_ms, NULL);
        pclose(pipe);
    }
    return (pid_t)atoi(line);
}

int
probe_peer_end(struct probe_peer *peer)
{
    int status;

    close(peer->fd);
    ck_assert_int_eq(waitpid(peer->pid, &status, 0), peer->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

double
probe_number(const char *answer, const char *key)
{
    char quoted[64];

    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(answer, quoted);
    return at ? strtod(at + strlen(quoted), NULL) : -1;
}
