/* signals.c: the only mutable globals of the program. */
#include "mountbench/signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t raised;
static volatile sig_atomic_t count;
static volatile sig_atomic_t shields;

static void
on_signal(int number)
{
    raised = number;
    count = count + 1;
    if (count >= 3)
        _exit(128 + number);
}

void
mb_signals_install(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    sigemptyset(&action.sa_mask);
    /* No SA_RESTART: whatever waits is to wake up and look at the flag. */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* nohup's promise is kept. */
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
}

bool
mb_interrupted(void)
{
    return raised != 0 && shields == 0;
}

void
mb_signals_shield(bool on)
{
    shields = shields + (on ? 1 : -1);
}

int
mb_signals_raised(void)
{
    return raised;
}
