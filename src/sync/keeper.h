/*
 * keeper.h: a program that runs as long as a mount does, and no longer than the driver.
 *
 * Between the two is a process that waits for either: when the driver says so, or is gone (killed, even), it ends the program and
 * all that the program started in its group.
 */
#ifndef MB_SYNC_KEEPER_H
#define MB_SYNC_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "mountbench/error.h"

/* Initialise with {0}. */
struct mb_keeper {
    pid_t pid; /* 0: none */
    int line;  /* while it is open, the driver lives */
    bool ended;
    int status; /* then: as struct mb_process_result's */
};

struct mb_keeper_spec {
    const char *const *argv;        /* ended by NULL; found in PATH */
    const char *const *environment; /* besides our own; NULL: nothing */
    const char *log;                /* a file that its output is appended to */
    const char *directory;          /* removed when the driver is gone without a word */
    int fd;                         /* its descriptor 3, or -1 */
    bool may_leave;                 /* ending with status 0 is no end: what it left in its group goes on, and is ended as it is */
};

/* mb_keeper_start(k, spec, err): -1 when the program cannot be run at all. */
int mb_keeper_start(struct mb_keeper *k, const struct mb_keeper_spec *spec, struct mb_error *err);

/* mb_keeper_ended(k): whether the program has ended by itself, or was killed; ${k}->status says how. */
bool mb_keeper_ended(struct mb_keeper *k);

/* mb_keeper_stop(k): end the program, with SIGTERM and a while later SIGKILL.  Twice is harmless. */
void mb_keeper_stop(struct mb_keeper *k);

#endif
