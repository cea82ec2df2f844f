/* tunnel.c: a listener, and an ssh a connection. */
#include "engine/tunnel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long an ssh may take to end once its connection is closed. */
#define END_LIMIT_MS 2000

/* Cut ${n} bytes of ${text} into ${room} from *${used} on; the word, or NULL when it does not fit. */
static char *
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

/* The words of a command, each copied into ${room}. */
struct words {
    char *room, **argv;
    size_t size, used, n;
    bool full;
};

static void
add(struct words *w, const char *text, size_t n)
{
    char *word = w->n + 1 < MB_TUNNEL_WORDS ? keep(w->room, w->size, &w->used, text, n) : NULL;

    w->full = w->full || word == NULL;
    if (word != NULL)
        w->argv[w->n++] = word;
    w->argv[w->n] = NULL;
}

static void
add_all(struct words *w, const char *const *list)
{
    for (; *list != NULL; list++)
        add(w, *list, strlen(*list));
}

int
mb_tunnel_command(const char *url, char *room, size_t size, char **argv)
{
    struct words w = {.room = room, .size = size, .argv = argv};
    const char *authority = url + strlen("ssh://");
    size_t length = strcspn(authority, "/");
    const char *at = memchr(authority, '@', length);
    const char *host = at != NULL ? at + 1 : authority;
    size_t rest = length - (size_t)(host - authority);
    const char *colon = memchr(host, ':', rest);
    size_t host_length = colon != NULL ? (size_t)(colon - host) : rest;

    if (host_length == 0 || *host == '-')
        return -1;
    add_all(&w, (const char *const[]){"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", NULL});
    if (at != NULL) {
        add_all(&w, (const char *const[]){"-l", NULL});
        add(&w, authority, (size_t)(at - authority));
    }
    if (colon != NULL) {
        add_all(&w, (const char *const[]){"-p", NULL});
        add(&w, colon + 1, rest - host_length - 1);
    }
    add_all(&w, (const char *const[]){"--", NULL});
    add(&w, host, host_length);
    add_all(&w, (const char *const[]){"docker", NULL});
    if (authority[length] == '/' && authority[length + 1] != '\0') {
        char socket[512];
        int n = snprintf(socket, sizeof socket, "unix://%s", authority + length);
        if (n < 0 || (size_t)n >= sizeof socket)
            return -1;
        add_all(&w, (const char *const[]){"--host", socket, NULL});
    }
    add_all(&w, (const char *const[]){"system", "dial-stdio", NULL});
    return w.full ? -1 : 0;
}

static void
become_ssh(char *const *argv, int stream, int errors)
{
    if (dup2(stream, STDIN_FILENO) < 0 || dup2(stream, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
        _exit(127);
    execvp(argv[0], argv);
    dprintf(STDERR_FILENO, "cannot run ssh: %s\n", strerror(errno));
    _exit(127);
}

/* Accept until nobody is left on the other end of ${life}. */
static void
accept_all(char *const *argv, int listener, int life, int errors)
{
    struct pollfd p[] = {{.fd = listener, .events = POLLIN}, {.fd = life, .events = POLLIN}};

    while (p[1].revents == 0) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (poll(p, 2, 1000) <= 0 || (p[0].revents & POLLIN) == 0)
            continue;
        int stream = accept(listener, NULL, NULL);
        if (stream < 0)
            continue;
        fcntl(stream, F_SETFD, FD_CLOEXEC);
        if (fork() == 0)
            become_ssh(argv, stream, errors);
        close(stream);
    }
}

/* Others' connections must end when the parent closes them, not when we do. */
static void
close_all_but(int a, int b, int c)
{
    for (int fd = STDERR_FILENO + 1; fd < 4096; fd++) {
        if (fd != a && fd != b && fd != c)
            close(fd);
    }
}

/* The child's whole life.  It tidies up itself, so that a parent that was killed leaves nothing. */
static void
relay(const struct mb_tunnel *tunnel, char *const *argv, int listener, int life, int errors)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    struct sigaction plain = {.sa_handler = SIG_DFL}, ignore = {.sa_handler = SIG_IGN};

    /* A Ctrl-C at the terminal is the parent's to handle: it still needs its connections to take down what it made. */
    setpgid(0, 0);
    sigaction(SIGPIPE, &plain, NULL);
    sigaction(SIGINT, &plain, NULL);
    sigaction(SIGHUP, &plain, NULL);
    sigaction(SIGTERM, &ignore, NULL);
    accept_all(argv, listener, life, errors);
    close(listener);
    unlink(tunnel->socket);
    rmdir(tunnel->dir);
    for (int waited = 0; waited < END_LIMIT_MS && waitpid(-1, NULL, WNOHANG) >= 0; waited += 20)
        nanosleep(&pause, NULL);
    kill(0, SIGTERM);
    _exit(0);
}

static int
listen_at(struct mb_tunnel *tunnel)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *tmp = getenv("TMPDIR");

    snprintf(tunnel->dir, sizeof tunnel->dir, "%s/mountbench-ssh.XXXXXX",
             tmp != NULL && *tmp == '/' && strlen(tmp) < 36 ? tmp : "/tmp");
    if (mkdtemp(tunnel->dir) == NULL)
        return -1;
    snprintf(tunnel->socket, sizeof tunnel->socket, "%s/socket", tunnel->dir);
    memcpy(address.sun_path, tunnel->socket, strlen(tunnel->socket) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 8) == 0)
        return fd;
    close(fd);
    unlink(tunnel->socket);
    rmdir(tunnel->dir);
    return -1;
}

static void
close_on_exec(const int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fcntl(fds[i], F_SETFD, FD_CLOEXEC);
}

int
mb_tunnel_start(struct mb_tunnel *tunnel, const char *url, struct mb_error *err)
{
    char *argv[MB_TUNNEL_WORDS], room[1024];
    int life[2], errors[2];

    if (mb_tunnel_command(url, room, sizeof room, argv) != 0)
        return mb_error_set(err, MB_ECONFIG, "%s: the address is not of the form ssh://user@host:port", url);
    int listener = listen_at(tunnel);
    if (listener < 0)
        return mb_error_errno(err, MB_EIO, errno, "%s: cannot make a socket in %s", url, tunnel->dir);
    if (pipe(life) != 0 || pipe(errors) != 0)
        return mb_error_errno(err, MB_EIO, errno, "%s: cannot make a pipe", url);
    close_on_exec((const int[]){listener, life[0], life[1], errors[0], errors[1]}, 5);
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
    tunnel->pid = fork();
    if (tunnel->pid == 0) {
        close_all_but(listener, life[0], errors[1]);
        relay(tunnel, argv, listener, life[0], errors[1]);
    }
    close(listener);
    close(life[0]);
    close(errors[1]);
    tunnel->life = life[1];
    tunnel->errors = errors[0];
    return tunnel->pid > 0 ? 0 : mb_error_errno(err, MB_EIO, errno, "%s: cannot start a process", url);
}

const char *
mb_tunnel_words(struct mb_tunnel *tunnel)
{
    char text[4096];

    if (tunnel->pid == 0)
        return "";
    ssize_t n = read(tunnel->errors, text, sizeof text - 1);
    while (n > 0 && (unsigned char)text[n - 1] <= ' ')
        n--;
    if (n > 0) {
        text[n] = '\0';
        const char *line = strrchr(text, '\n');
        snprintf(tunnel->said, sizeof tunnel->said, "%.200s", line != NULL ? line + 1 : text);
    }
    return tunnel->said;
}

void
mb_tunnel_forget(struct mb_tunnel *tunnel)
{
    mb_tunnel_words(tunnel);
    tunnel->said[0] = '\0';
}

void
mb_tunnel_stop(struct mb_tunnel *tunnel)
{
    if (tunnel->pid <= 0)
        return;
    close(tunnel->life);
    while (waitpid(tunnel->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(tunnel->errors);
    tunnel->pid = 0;
}
