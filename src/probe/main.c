/* main.c: the probe as a program of its own: serve on standard input and output, as PID 1 of a container or anywhere else. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/probe.h"

/* PID 1 has no default action for signals: without this, stopping the container would take the engine's whole grace period. */
static void
leave(int number)
{
    _exit(128 + number);
}

int
main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = leave};

    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return puts("mountbench-probe " MB_VERSION) < 0;
    if (argc != 1) {
        fputs("usage: mountbench-probe [--version]\n"
              "Takes jobs on standard input and answers on standard output; `mountbench run` starts it by itself.\n",
              stderr);
        return 2;
    }
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    return mb_probe_serve(STDIN_FILENO, STDOUT_FILENO);
}
