/*
 * measure.c: run a command and print what it took: `measure N COMMAND ARGUMENT...` runs it N times with its output thrown away and
 * prints "MEDIAN_MS MAX_RSS_KIB".  Exit status: the command's, when it fails.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mountbench/clock.h"

#define MOST 1000

static int
by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int
run_once(char **argv, double *ms)
{
    uint64_t start_ns = mb_now_ns();
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        execvp(argv[0], argv);
        perror(argv[0]);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 127;
    *ms = (double)(mb_now_ns() - start_ns) / 1e6;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int
main(int argc, char **argv)
{
    static double ms[MOST];
    struct rusage usage;
    long n = argc > 2 ? strtol(argv[1], NULL, 10) : 0;

    if (n < 1 || n > MOST) {
        fputs("usage: measure N COMMAND ARGUMENT...\n", stderr);
        return 2;
    }
    for (long i = 0; i < n; i++) {
        int status = run_once(argv + 2, &ms[i]);
        if (status != 0)
            return status;
    }
    qsort(ms, (size_t)n, sizeof ms[0], by_value);
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("%.2f %ld\n", ms[n / 2], usage.ru_maxrss);
    return 0;
}
