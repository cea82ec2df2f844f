/* tunnel.c: ssh children whose standard streams are one end of a socket pair. */
#include "engine/tunnel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Cut ${n} bytes of ${text} into ${room} from *${used} on; the word, or NULL when it does not fit. */
static const char *
keep(char *room, size_t size, size_t *used, const char *text, size_t n)
{
    char *word = room + *used;

    if (n >= size - *used)
        return NULL;
    memcpy(word, text, n);
    word[n] = '\0';
    *used += n + 1;
    return word;
}

int
mb_tunnel_command(const char *url, char *room, size_t size, const char **argv)
{
    static const char *const start[] = {"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"};
    static const char *const dial[] = {"system", "dial-stdio"};
    const char *authority = url + strlen("ssh://");
    size_t length = strcspn(authority, "/"), used = 0, n = 0;
    const char *path = authority + length;
    const char *at = memchr(authority, '@', length);
    const char *host = at != NULL ? at + 1 : authority;
    size_t host_length = length - (size_t)(host - authority);
    const char *colon = memchr(host, ':', host_length);
    const char *user = NULL, *port = NULL, *name;

    if (colon != NULL) {
        port = keep(room, size, &used, colon + 1, host_length - (size_t)(colon + 1 - host));
        host_length = (size_t)(colon - host);
    }
    if (at != NULL)
        user = keep(room, size, &used, authority, (size_t)(at - authority));
    name = keep(room, size, &used, host, host_length);
    if (name == NULL || *name == '\0' || *name == '-' || (at != NULL && user == NULL) || (colon != NULL && port == NULL))
        return -1;
    for (size_t i = 0; i < sizeof start / sizeof start[0]; i++)
        argv[n++] = start[i];
    if (user != NULL)
        argv[n++] = "-l", argv[n++] = user;
    if (port != NULL)
        argv[n++] = "-p", argv[n++] = port;
    argv[n++] = "--", argv[n++] = name, argv[n++] = "docker";
    if (path[0] == '/' && path[1] != '\0') {
        char socket[512];
        int m = snprintf(socket, sizeof socket, "unix://%s", path);
        const char *word = m > 0 && (size_t)m < sizeof socket ? keep(room, size, &used, socket, (size_t)m) : NULL;
        if (word == NULL)
            return -1;
        argv[n++] = "--host", argv[n++] = word;
    }
    argv[n++] = dial[0], argv[n++] = dial[1], argv[n] = NULL;
    return 0;
}

static void
become_ssh(const char *const *argv, int stream, int errors)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};

    sigaction(SIGPIPE, &plain, NULL);
    /* A Ctrl-C at the terminal is ours to handle: the connection is still needed to take down what was made. */
    setpgid(0, 0);
    if (dup2(stream, STDIN_FILENO) < 0 || dup2(stream, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
        _exit(127);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    dprintf(STDERR_FILENO, "cannot run ssh: %s\n", strerror(errno));
    _exit(127);
}

static int
start(struct mb_tunnel *tunnel, size_t slot, const char *const *argv)
{
    int pair[2], errors[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return -1;
    if (pipe(errors) != 0) {
        close(pair[0]), close(pair[1]);
        return -1;
    }
    int ours[] = {pair[0], errors[0], pair[1], errors[1]};
    for (size_t i = 0; i < 4; i++)
        fcntl(ours[i], F_SETFD, FD_CLOEXEC);
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    pid_t pid = fork();
    if (pid == 0)
        become_ssh(argv, pair[1], errors[1]);
    close(pair[1]), close(errors[1]);
    if (pid < 0) {
        close(pair[0]), close(errors[0]);
        return -1;
    }
    tunnel->end[slot].fd = pair[0];
    tunnel->end[slot].errors = errors[0];
    tunnel->end[slot].pid = pid;
    return pair[0];
}

int
mb_tunnel_open(struct mb_tunnel *tunnel)
{
    const char *argv[MB_TUNNEL_WORDS];
    char room[1024];
    int fd = -1;

    if (mb_tunnel_command(tunnel->endpoint->url, room, sizeof room, argv) != 0) {
        snprintf(tunnel->said, sizeof tunnel->said, "the address is not of the form ssh://user@host:port");
        return -1;
    }
    for (size_t i = 0; i < MB_TUNNEL_MAX; i++) {
        if (tunnel->end[i].pid == 0) {
            fd = start(tunnel, i, argv);
            break;
        }
    }
    if (fd < 0)
        snprintf(tunnel->said, sizeof tunnel->said, "cannot start ssh: %s", strerror(errno));
    return fd;
}

/* Keep the last line of what ssh said. */
static void
take_words(struct mb_tunnel *tunnel, int errors)
{
    char text[4096];
    ssize_t n = read(errors, text, sizeof text - 1);

    while (n > 0 && (unsigned char)text[n - 1] <= ' ')
        n--;
    if (n <= 0)
        return;
    text[n] = '\0';
    const char *line = strrchr(text, '\n');
    snprintf(tunnel->said, sizeof tunnel->said, "%.200s", line != NULL ? line + 1 : text);
}

/* Whether the child ended within about half a second; *${status} then is how. */
static bool
ended(pid_t pid, int *status)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    for (int i = 0; i < 50; i++) {
        if (waitpid(pid, status, WNOHANG) == pid)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

static void
finish(struct mb_tunnel *tunnel, size_t slot)
{
    pid_t pid = tunnel->end[slot].pid;
    int status = 0;

    tunnel->end[slot].pid = 0;
    /* Without its stream ssh ends by itself, and then its words and status say whether all was well. */
    close(tunnel->end[slot].fd);
    if (!ended(pid, &status)) {
        kill(pid, SIGTERM);
        if (!ended(pid, &status)) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
        }
        status = 0;
    }
    if (status != 0)
        take_words(tunnel, tunnel->end[slot].errors);
    close(tunnel->end[slot].errors);
}

void
mb_tunnel_close(struct mb_tunnel *tunnel, int fd)
{
    for (size_t i = 0; i < MB_TUNNEL_MAX; i++) {
        if (tunnel->end[i].pid != 0 && tunnel->end[i].fd == fd) {
            finish(tunnel, i);
            return;
        }
    }
    close(fd);
}

void
mb_tunnel_end(struct mb_tunnel *tunnel)
{
    for (size_t i = 0; i < MB_TUNNEL_MAX; i++) {
        if (tunnel->end[i].pid != 0)
            finish(tunnel, i);
    }
}
