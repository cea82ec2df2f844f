/* keeper.c: fork, fork again, and wait for whoever goes first. */
#include "sync/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/process.h"
#include "mountbench/tree.h"

#define POLL_MS 100
#define GRACE_MS 3000
/* The driver gives its keeper this long before it takes the matter into its own hands. */
#define STOP_MS 10000
/* The driver has no more descriptors than this. */
#define DESCRIPTORS_MAX 4096
#define TOOL_FD 3

static void
close_others(int keep)
{
    for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS_MAX; fd++) {
        if (fd != keep)
            close(fd);
    }
}

static void
plain_signals(void)
{
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    const int signals[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP};
    sigset_t none;

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &plain, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the program's process: become it, or say why not on ${report}, which closes by itself when it worked. */
static void
become(const struct mb_keeper_spec *spec, int report)
{
    setsid();
    plain_signals();
    mb_process_environment(spec->environment);
    int high = fcntl(report, F_DUPFD_CLOEXEC, TOOL_FD + 1);
    if (spec->fd >= 0 && spec->fd != TOOL_FD)
        dup2(spec->fd, TOOL_FD);
    if (spec->fd == TOOL_FD)
        fcntl(TOOL_FD, F_SETFD, 0);
    for (int fd = spec->fd >= 0 ? TOOL_FD + 1 : TOOL_FD; fd < DESCRIPTORS_MAX; fd++) {
        if (fd != high)
            close(fd);
    }
    execvp(spec->argv[0], (char *const *)(uintptr_t)spec->argv); /* NOLINT(performance-no-int-to-ptr): execvp changes nothing */
    int problem = errno;
    if (write(high, &problem, sizeof problem) < 0)
        _exit(126);
    _exit(127);
}

static int
status_of(int how)
{
    return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

/*
 * Whether the program is still there, which is taken note of when it has ended; or, where what it left counts too, any of its
 * group. The dead count until whoever inherited them has noticed.
 */
static bool
goes_on(const struct mb_keeper_spec *spec, pid_t pid, int *how)
{
    return waitpid(pid, how, WNOHANG) == 0 || (spec->may_leave && kill(-pid, 0) == 0);
}

/* End the program's group; what it started there goes with it. */
static int
end_group(const struct mb_keeper_spec *spec, pid_t pid)
{
    uint64_t deadline = mb_deadline_in_ms(GRACE_MS);
    const struct timespec pause = {.tv_nsec = 20000000};
    int how = 0;

    kill(-pid, SIGTERM);
    while (goes_on(spec, pid, &how) && mb_deadline_left_ms(deadline) > 0)
        nanosleep(&pause, NULL);
    kill(-pid, SIGKILL);
    waitpid(pid, &how, 0);
    return status_of(how);
}

/* Whether the program has ended, and that is the end.  It is not reaped: its number stays the group's. */
static bool
is_over(const struct mb_keeper_spec *spec, pid_t pid)
{
    siginfo_t info = {0};

    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid)
        return false;
    return !spec->may_leave || info.si_code != CLD_EXITED || info.si_status != 0;
}

/* The keeper's own life: until the program has ended, the driver asks for it, or is gone. */
static void
keep(const struct mb_keeper_spec *spec, pid_t pid, int line)
{
    struct pollfd p = {.fd = line, .events = POLLIN};
    int how = 0;
    char word;

    for (;;) {
        if (is_over(spec, pid)) {
            kill(-pid, SIGKILL);
            waitpid(pid, &how, 0);
            _exit(status_of(how));
        }
        if (poll(&p, 1, POLL_MS) <= 0)
            continue;
        ssize_t n = read(line, &word, 1);
        if (n < 0 && errno == EINTR)
            continue;
        int status = end_group(spec, pid);
        if (n <= 0 && spec->directory != NULL)
            mb_tree_remove(spec->directory, NULL);
        _exit(status);
    }
}

static void
live(const struct mb_keeper_spec *spec, int line, int report)
{
    const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    int null = open("/dev/null", O_RDONLY), log = open(spec->log, O_WRONLY | O_CREAT | O_APPEND, 0600);

    /* A Ctrl-C at the terminal is the driver's to handle. */
    setsid();
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    if (null < 0 || log < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
        _exit(126);
    pid_t pid = fork();
    if (pid == 0)
        become(spec, report);
    close_others(line);
    if (pid < 0)
        _exit(126);
    keep(spec, pid, line);
}

int
mb_keeper_start(struct mb_keeper *k, const struct mb_keeper_spec *spec, struct mb_error *err)
{
    int line[2], report[2], problem = 0;
    ssize_t n;

    if (pipe(line) != 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot make a pipe");
    if (pipe(report) != 0) {
        close(line[0]);
        close(line[1]);
        return mb_error_errno(err, MB_EIO, errno, "cannot make a pipe");
    }
    k->pid = fork();
    if (k->pid == 0) {
        close(line[1]);
        close(report[0]);
        live(spec, line[0], report[1]);
    }
    close(line[0]);
    close(report[1]);
    fcntl(line[1], F_SETFD, FD_CLOEXEC);
    k->line = line[1];
    while ((n = read(report[0], &problem, sizeof problem)) < 0 && errno == EINTR)
        ;
    close(report[0]);
    if (k->pid > 0 && n != (ssize_t)sizeof problem)
        return 0;
    mb_keeper_stop(k);
    return mb_error_errno(err, MB_ECONFIG, n == (ssize_t)sizeof problem ? problem : EAGAIN, "cannot run '%s'", spec->argv[0]);
}

bool
mb_keeper_ended(struct mb_keeper *k)
{
    int how;

    if (k->pid > 0 && !k->ended && waitpid(k->pid, &how, WNOHANG) == k->pid) {
        k->ended = true;
        k->status = status_of(how);
    }
    return k->ended;
}

void
mb_keeper_stop(struct mb_keeper *k)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    uint64_t deadline = mb_deadline_in_ms(STOP_MS);

    if (k->pid <= 0)
        return;
    if (write(k->line, "q", 1) < 0)
        k->ended = mb_keeper_ended(k);
    while (!mb_keeper_ended(k)) {
        if (mb_deadline_left_ms(deadline) == 0) {
            kill(k->pid, SIGKILL);
            deadline = mb_deadline_in_ms(STOP_MS);
        }
        nanosleep(&pause, NULL);
    }
    close(k->line);
    k->pid = 0;
}
