/*
 * child.c: fork, a pipe for the answer, a deadline, and a kill whose success is not taken for granted: a process that waits
 * for a dead network mount cannot be killed, and whoever waits for it would hang as well.
 */
#include "probe/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/probe.h"
#include "probe/linux.h"

/* How long a killed child may take to go before it counts as stuck. */
#define KILL_GRACE_MS 2000
/* An ended child is a zombie within microseconds: wait for that without sleeping, at first. */
#define SPIN_NS UINT64_C(2000000)

static int
write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        bytes += done;
        n -= (size_t)done;
    }
    return 0;
}

static _Noreturn void
be_child(const struct mb_child *child, int out)
{
    struct mb_buffer answer = MB_BUFFER_INIT(MB_PROBE_ANSWER_MAX);

    for (int i = 0; i < 2; i++) {
        if (child->close_fds[i] >= 0)
            close(child->close_fds[i]);
    }
    fcntl(out, F_SETFD, FD_CLOEXEC); /* what a program of it leaves running must not hold the answer */
    child->work(child->context, &answer);
    bool whole = !answer.overflowed && write_all(out, mb_buffer_text(&answer), answer.len) == 0;
    mb_buffer_free(&answer);
    _exit(whole ? 0 : 1);
}

/* Wait until ${pid} is gone, at most ${limit_ms}; its status in *${status}.  False when it is still there. */
static bool
reap(pid_t pid, uint64_t limit_ms, int *status)
{
    uint64_t start = mb_now_ns();
    uint64_t deadline = mb_deadline_in_ms(limit_ms);

    for (;;) {
        pid_t gone = waitpid(pid, status, WNOHANG);
        if (gone == pid || (gone < 0 && errno != EINTR))
            return true;
        if (mb_deadline_left_ms(deadline) == 0)
            return false;
        if (mb_now_ns() - start < SPIN_NS) {
            sched_yield();
        } else {
            struct timespec nap = {.tv_nsec = 2000000};
            nanosleep(&nap, NULL);
        }
    }
}

/* Gather the answer until the child closes its end.  False when the limit passed first. */
static bool
gather(int fd, uint64_t timeout_ms, struct mb_buffer *answer)
{
    uint64_t deadline = mb_deadline_in_ms(timeout_ms);
    char chunk[4096];

    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, mb_deadline_left_ms(deadline));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return true;
        mb_buffer_append(answer, chunk, (size_t)n);
    }
}

/* Take half an answer back. */
static void
forget(struct mb_buffer *answer, size_t before)
{
    answer->overflowed = false;
    answer->len = before;
    if (answer->data != NULL)
        answer->data[before] = '\0';
}

static enum mb_child_end
kill_late(pid_t pid, uint64_t timeout_ms, struct mb_error *err)
{
    int status;

    kill(-pid, SIGKILL); /* a job that runs programs leads a group */
    kill(pid, SIGKILL);
    bool gone = reap(pid, KILL_GRACE_MS, &status);
    mb_error_set(err, MB_ETIMEOUT, "passed its time limit of %llu ms%s", (unsigned long long)timeout_ms,
                 gone ? " and was stopped" : ", hangs in the kernel where it cannot be stopped, and was left behind");
    return gone ? MB_CHILD_TIMEOUT : MB_CHILD_STUCK;
}

enum mb_child_end
mb_child_run(const struct mb_child *child, struct mb_buffer *answer, struct mb_error *err)
{
    int ends[2];
    int status = 0;
    size_t before = answer->len;
    pid_t self = getpid();

    if (pipe(ends) != 0) {
        mb_error_errno(err, MB_EIO, errno, "cannot make a pipe");
        return MB_CHILD_FAILED;
    }
    pid_t pid = fork();
    if (pid == 0) {
        mb_linux_die_with_parent(self);
        close(ends[0]);
        be_child(child, ends[1]);
    }
    int fork_errno = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        mb_error_errno(err, MB_EIO, fork_errno, "cannot start a process");
        return MB_CHILD_FAILED;
    }
    bool ended = gather(ends[0], child->timeout_ms, answer);
    close(ends[0]);
    if (!ended || !reap(pid, KILL_GRACE_MS, &status)) {
        forget(answer, before);
        return kill_late(pid, child->timeout_ms, err);
    }
    kill(-pid, SIGKILL); /* what a program of it left running */
    if (WIFSIGNALED(status))
        mb_error_set(err, MB_EIO, "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (answer->overflowed || answer->len == before || answer->data[answer->len - 1] != '\n')
        mb_error_set(err, MB_EIO, "ended with status %d and no whole answer", WEXITSTATUS(status));
    else
        return MB_CHILD_ANSWERED;
    forget(answer, before);
    return MB_CHILD_FAILED;
}
