/* bridge.c: a child with an engine connection of its own: the driver's is busy with its own calls. */
#include "sync/bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPEN_MS 20000
#define DESCRIPTORS_MAX 4096

static void
append_log(const char *log, const char *text)
{
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);

    if (fd < 0)
        return;
    /* Where the disk is full, less is told, and that is all. */
    if (*text != '\0')
        (void)dprintf(fd, "%s\n", text);
    close(fd);
}

/* A byte for success, or a message, and the end. */
static void
report(int fd, const char *text)
{
    if (write(fd, text, strlen(text) + 1) < 0)
        _exit(1);
    close(fd);
}

static void
carry(const struct mb_endpoint *endpoint, const char *container, const char *log, int fd, int report_fd)
{
    struct mb_engine *engine;
    struct mb_attach *attach;
    struct mb_error err = {0};

    if (mb_engine_open(endpoint, OPEN_MS, &engine, &err) != 0 || mb_container_attach(engine, container, &attach, &err) != 0 ||
        mb_container_start(engine, container, &err) != 0) {
        report(report_fd, err.message);
        _exit(1);
    }
    report(report_fd, "");
    if (mb_attach_carry(attach, fd, &err) != 0)
        append_log(log, err.message);
    append_log(log, mb_attach_errors(attach));
    mb_attach_close(attach);
    close(fd);
    _exit(0);
}

static void
live(const struct mb_endpoint *endpoint, const char *container, const char *log, int fd, int report_fd)
{
    const int ignored[] = {SIGINT, SIGHUP, SIGPIPE};

    setsid();
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    /* The driver's own streams would not end as long as a copy is open here. */
    for (int i = STDERR_FILENO + 1; i < DESCRIPTORS_MAX; i++) {
        if (i != fd && i != report_fd)
            close(i);
    }
    carry(endpoint, container, log, fd, report_fd);
}

/* What the child said: "" for success. */
static int
await(int fd, char *text, size_t size)
{
    size_t have = 0;
    ssize_t n;

    while (have < size - 1 && ((n = read(fd, text + have, size - 1 - have)) > 0 || (n < 0 && errno == EINTR)))
        have += n > 0 ? (size_t)n : 0;
    text[have] = '\0';
    return have > 0 ? 0 : -1;
}

int
mb_bridge_start(struct mb_bridge *b, struct mb_engine *engine, const char *container, const char *log, int *fd,
                struct mb_error *err)
{
    int ends[2], report_ends[2];
    char said[1024] = "";

    *fd = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot make a socket pair");
    if (pipe(report_ends) != 0) {
        close(ends[0]);
        close(ends[1]);
        return mb_error_errno(err, MB_EIO, errno, "cannot make a pipe");
    }
    b->pid = fork();
    if (b->pid == 0)
        live(mb_engine_endpoint(engine), container, log, ends[1], report_ends[1]);
    close(ends[1]);
    close(report_ends[1]);
    int rc = b->pid > 0 ? await(report_ends[0], said, sizeof said) : -1;
    close(report_ends[0]);
    if (rc == 0 && said[0] == '\0') {
        fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        *fd = ends[0];
        return 0;
    }
    close(ends[0]);
    mb_bridge_stop(b);
    return mb_error_set(err, MB_EENGINE, "%s", said[0] != '\0' ? said : "the process that was to attach to the container ended");
}

void
mb_bridge_stop(struct mb_bridge *b)
{
    if (b->pid <= 0)
        return;
    kill(b->pid, SIGKILL);
    while (waitpid(b->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    b->pid = 0;
}
