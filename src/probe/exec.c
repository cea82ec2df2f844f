/*
 * exec.c: run a program and time it: its own process group, nothing on its standard input, what it prints kept to a bound.
 *
 * The span is from before the fork to when its end is known, so that a fork and an exec are in it.  Where the end of its output is
 * waited for alone, a program left in the background would hold the clock: hence SIGCHLD, let in while waiting and nowhere else.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "probe/job.h"
#include "probe/linux.h"
#include "probe/workloads.h"

/* Six times as much, escaped, still fits an answer. */
#define OUTPUT_MAX 8192
/* Of what a failed program printed, as its reason. */
#define REASON_MAX 800
#define NOT_RUN 127
/* A full pipe, in pieces as they are read. */
#define PIPE_CHUNKS 64

static const struct mb_text_param texts[] = {
    {"command", "the program and its arguments, a list; required", true},
    {"image", "the image to run it in, which the engine has", false},
    {"pull", "missing: pull the image where the engine does not have it; true: pull it in any case", false},
    {"build", "instead of image: a directory with a Dockerfile, to build one from", false},
    {"shell", "true: command, setup and cleanup are texts for /bin/sh -c; default false", false},
    {"setup", "run before the command in each trial, untimed", true},
    {"cleanup", "run after the command in each trial, untimed", true},
    {"environment", "a map of variables for all three", true},
    {"working_dir", "where they run; default a fresh directory on the mount", true},
    {"network", "true: the container has the engine's network; default none", false},
    {"metrics", "list of {name, pattern}: numbers picked from what the command prints", false},
    {"ops", "the metric that counts what was done: the figure is then that by the second", false},
    {"bytes", "the metric that counts bytes: the figure is then that by the second", false},
    {0},
};

/* What a trial runs. */
struct plan {
    char **command, **setup, **cleanup, **environment, **working_dir;
};

static int
get_list(const struct mb_job *job, const char *key, char ***out, struct mb_error *err)
{
    const char *text = mb_request_get(job->request, key);

    if (text == NULL || mb_request_list(text, out, err) == 0)
        return 0;
    return mb_error_prefix(err, "exec: %s", key);
}

static int
get_plan(const struct mb_job *job, struct plan *plan, struct mb_error *err)
{
    if (get_list(job, "command", &plan->command, err) != 0 || get_list(job, "setup", &plan->setup, err) != 0 ||
        get_list(job, "cleanup", &plan->cleanup, err) != 0 || get_list(job, "environment", &plan->environment, err) != 0 ||
        get_list(job, "working_dir", &plan->working_dir, err) != 0)
        return -1;
    if (plan->command == NULL || plan->command[0] == NULL)
        return mb_error_set(err, MB_EPROTOCOL, "exec: the key 'command' is missing");
    return 0;
}

static void
free_plan(struct plan *plan)
{
    free(plan->command);
    free(plan->setup);
    free(plan->cleanup);
    free(plan->environment);
    free(plan->working_dir);
}

static void
on_child(int number)
{
    (void)number;
}

/* Become the program; what stands in the way goes to ${report}, which an exec that works closes. */
static _Noreturn void
become(const struct plan *plan, char *const *argv, const sigset_t *mask, const int ends[2])
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    int null = open("/dev/null", O_RDONLY);

    sigemptyset(&usual.sa_mask);
    sigaction(SIGPIPE, &usual, NULL);
    sigaction(SIGINT, &usual, NULL);
    sigaction(SIGCHLD, &usual, NULL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    for (char **e = plan->environment; e != NULL && *e != NULL; e++) {
        char *equals = strchr(*e, '=');
        if (equals != NULL) {
            *equals = '\0';
            setenv(*e, equals + 1, 1);
        }
    }
    bool there = plan->working_dir == NULL || plan->working_dir[0] == NULL || chdir(plan->working_dir[0]) == 0;
    if (there && null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(ends[0], STDOUT_FILENO) >= 0 &&
        dup2(ends[0], STDERR_FILENO) >= 0)
        execvp(argv[0], argv);
    int why[2] = {errno, there};
    _exit(write(ends[1], why, sizeof why) == (ssize_t)sizeof why ? NOT_RUN : 1);
}

/* Keep the last of what comes: 1; 0 when there is nothing just now, -1 at its end. */
static int
take_output(int fd, struct mb_buffer *out)
{
    char chunk[4096];
    ssize_t n = read(fd, chunk, sizeof chunk);

    if (n <= 0)
        return n < 0 && (errno == EINTR || errno == EAGAIN) ? 0 : -1;
    for (ssize_t i = 0; i < n; i++)
        chunk[i] = chunk[i] != '\0' ? chunk[i] : '?';
    if (out->len + (size_t)n > out->max)
        mb_buffer_consume(out, out->len + (size_t)n - out->max);
    mb_buffer_append(out, chunk, (size_t)n);
    return 1;
}

/* Until ${pid} has ended, and then for what it has printed: what its pipe holds, and no more of what others go on printing. */
static int
watch(pid_t pid, int fd, const sigset_t *open_mask, struct mb_job *job)
{
    int status = 0;
    bool more = fd < FD_SETSIZE;

    for (pid_t gone; (gone = waitpid(pid, &status, WNOHANG)) != pid && !(gone < 0 && errno != EINTR);) {
        fd_set set;
        FD_ZERO(&set);
        if (more)
            FD_SET((unsigned)fd, &set);
        if (pselect(more ? fd + 1 : 0, &set, NULL, NULL, NULL, open_mask) > 0)
            more = take_output(fd, &job->output) >= 0;
    }
    job->wall_ns = mb_now_ns() - job->start_ns;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    for (int i = 0; more && i < PIPE_CHUNKS; i++)
        more = take_output(fd, &job->output) > 0;
    return status;
}

static uint64_t
time_ns(const struct timeval *from, const struct timeval *to)
{
    int64_t us = ((int64_t)to->tv_sec - from->tv_sec) * 1000000 + ((int64_t)to->tv_usec - from->tv_usec);

    return us > 0 ? (uint64_t)us * 1000 : 0;
}

/* The last that was printed, on one line: from its end, since that is what says why. */
static void
last_words(const struct mb_buffer *output, char out[REASON_MAX + 1])
{
    const char *text = mb_buffer_text(output);
    char *to = out + REASON_MAX;
    bool gap = false;

    *to = '\0';
    for (const char *from = text + output->len; from != text && to - out > 2;) {
        from--;
        if (*from == '\n' || *from == '\r') {
            gap = *to != '\0';
            continue;
        }
        if (gap) {
            *--to = ' ';
            *--to = ';';
        }
        gap = false;
        *--to = (unsigned char)*from < 0x20 ? ' ' : *from;
    }
    memmove(out, to, strlen(to) + 1);
}

static int
judge(const struct mb_job *job, const char *program, int status, struct mb_error *err)
{
    char words[REASON_MAX + 1];

    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    last_words(&job->output, words);
    if (WIFSIGNALED(status))
        return mb_error_set(err, MB_EIO, "'%.100s' was ended by signal %d (%s)%s%s", program, WTERMSIG(status),
                            strsignal(WTERMSIG(status)), *words != '\0' ? ": " : "", words);
    return mb_error_set(err, MB_EIO, "'%.100s' ended with status %d%s%s", program, WEXITSTATUS(status),
                        *words != '\0' ? ": " : " and said nothing", words);
}

/* The pipe for what the program prints, and the one for why it could not be run; none outlives an exec by itself. */
static int
make_pipes(int out[2], int report[2], struct mb_error *err)
{
    if (pipe(out) != 0 || pipe(report) != 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot make a pipe");
    for (int i = 0; i < 2; i++) {
        fcntl(out[i], F_SETFD, FD_CLOEXEC);
        fcntl(report[i], F_SETFD, FD_CLOEXEC);
    }
    return 0;
}

/* SIGCHLD interrupts a wait, and is held back until there is one. */
static void
hold_child_signal(sigset_t *before)
{
    struct sigaction seen = {.sa_handler = on_child};
    sigset_t child;

    sigemptyset(&seen.sa_mask);
    sigaction(SIGCHLD, &seen, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, before);
}

/* The span: fork, exec, end.  -1 with errno when there is no process; the write ends are closed here. */
static int
time_program(const struct plan *plan, char *const *argv, struct mb_job *job, const int out[2], int report)
{
    sigset_t mask;
    struct rusage before, after;
    pid_t self = getpid();

    hold_child_signal(&mask);
    getrusage(RUSAGE_CHILDREN, &before);
    job->start_ns = mb_now_ns();
    pid_t pid = fork();
    if (pid == 0) {
        mb_linux_die_with_parent(self);
        become(plan, argv, &mask, (const int[2]){out[1], report});
    }
    int saved = errno;
    close(out[1]);
    close(report);
    int status = pid > 0 ? watch(pid, out[0], &mask, job) : -1;
    getrusage(RUSAGE_CHILDREN, &after);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    job->user_ns = time_ns(&before.ru_utime, &after.ru_utime);
    job->sys_ns = time_ns(&before.ru_stime, &after.ru_stime);
    errno = saved;
    return status;
}

static int
start(const struct plan *plan, char *const *argv, struct mb_job *job, struct mb_error *err)
{
    int out[2] = {-1, -1}, report[2] = {-1, -1}, why[2] = {0};

    if (make_pipes(out, report, err) != 0)
        return -1;
    mb_buffer_reset(&job->output);
    int status = time_program(plan, argv, job, out, report[1]);
    int saved = errno;
    bool not_run = status >= 0 && read(report[0], why, sizeof why) == (ssize_t)sizeof why;
    close(out[0]);
    close(report[0]);
    if (status < 0)
        return mb_error_errno(err, MB_EIO, saved, "cannot start a process");
    if (not_run && !why[1])
        return mb_error_errno(err, MB_EIO, why[0], "cannot go to the working directory '%.500s'", plan->working_dir[0]);
    if (not_run)
        return mb_error_errno(err, MB_EIO, why[0], "cannot run '%.500s'", argv[0]);
    return judge(job, argv[0], status, err);
}

/* Setup, command, cleanup; the last whatever became of the others, and its own failure counts where they went well. */
static int
run_plan(const struct plan *plan, struct mb_job *job, struct mb_error *err)
{
    if (plan->setup != NULL && start(plan, plan->setup, job, err) != 0)
        return mb_error_prefix(err, "setup");
    int result = start(plan, plan->command, job, err);
    if (plan->cleanup == NULL)
        return result;
    struct mb_job after = {.output = MB_BUFFER_INIT(OUTPUT_MAX)};
    struct mb_error second = {0};
    if (start(plan, plan->cleanup, &after, &second) != 0 && result == 0) {
        mb_error_prefix(&second, "cleanup");
        if (err != NULL)
            *err = second;
        result = -1;
    }
    mb_buffer_free(&after.output);
    return result;
}

static int
run(struct mb_job *job, struct mb_error *err)
{
    struct plan plan = {0};
    int result = -1, fd;

    /* The serving loop's descriptors were closed: none of ours may take the place of the standard ones. */
    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO)
        ;
    close(fd);
    setpgid(0, 0);
    job->output = (struct mb_buffer)MB_BUFFER_INIT(OUTPUT_MAX);
    if (get_plan(job, &plan, err) == 0) {
        if (chdir(job->work) != 0)
            mb_error_errno(err, MB_EIO, errno, "%s/%s", job->dir, job->work);
        else
            result = run_plan(&plan, job, err);
        /* A program may have taken the directory away; ours is known by its path. */
        if (chdir(job->dir) != 0 && result == 0)
            result = mb_error_errno(err, MB_EIO, errno, "%s", job->dir);
    }
    free_plan(&plan);
    job->ops = 1;
    return result;
}

static void
footprint(const uint64_t values[MB_PARAMS_MAX], struct mb_footprint *out)
{
    (void)values;
    /* Nobody knows what a command does. */
    *out = (struct mb_footprint){.files = 1, .io_bytes = 1, .ops = 1};
}

static const struct mb_param params[] = {{0}};

const struct mb_workload mb_workload_exec = {
    .name = "exec",
    .does = "Runs any command in any image, in a fresh directory on the mount: its wall, user and system time, and numbers picked "
            "from what it prints. The clock runs from before its process is made until it has ended. Setup and cleanup run in the "
            "same container and directory, untimed. A status other than 0 fails the trial.",
    .hides =
        "How much of the time the mount takes: starting the program, its own work and whatever else it reads are in it, and "
        "on a fast mount are most of it. What it leaves in memory unwritten is not waited for. How much room it needs is not "
        "known, so the free space is not checked for it, and what it writes outside its directory stays until the container goes.",
    .measure = MB_MEASURE_SECONDS,
    .unit = "run",
    .params = params,
    .texts = texts,
    .footprint = footprint,
    .run = run,
};
