/*
 * process.h: run another program to its end: an argument list, no shell, a time limit, and no one to ask.
 */
#ifndef MB_PROCESS_H
#define MB_PROCESS_H

#include <stdbool.h>

#include "mountbench/buffer.h"
#include "mountbench/error.h"

/* What a program left behind. */
struct mb_process_result {
    int status; /* its exit status, or 128 + the signal that ended it */
    struct mb_buffer out, errors;
};

/*
 * mb_process_run(argv, timeout_ms, out, err):
 * Run ${argv} (ended by NULL; found in PATH) and wait for it.  It leads a session and process group of its own without a terminal,
 * its standard input is at its end: a program that asks a question gets no answer, and a Ctrl-C at the terminal is ours to
 * handle.  What it prints is kept up to 256 KiB a stream, the rest dropped.  0 whenever it ended by itself: look at *${out}, free
 * it with mb_process_result_free.  -1, with nothing to free, when it could not be started (MB_ECONFIG), when it ran for longer than
 * ${timeout_ms}, or when mb_interrupted(): the whole group is then ended, with SIGTERM and some seconds later SIGKILL.  What it
 * started in the background may outlive it.
 */
int mb_process_run(const char *const *argv, unsigned timeout_ms, struct mb_process_result *out, struct mb_error *err);
/* mb_process_run_with(argv, environment, ...): with the variables "A=b" of ${environment}, ended by NULL, besides our own. */
int mb_process_run_with(const char *const *argv, const char *const *environment, unsigned timeout_ms, struct mb_process_result *out,
                        struct mb_error *err);
void mb_process_result_free(struct mb_process_result *result);

/*
 * mb_process_failed(argv, result, err):
 * Fill ${err} with how the program ended and the last that it said, as MB_EENGINE.  Returns -1.
 */
int mb_process_failed(const char *const *argv, const struct mb_process_result *result, struct mb_error *err);

/* mb_process_environment(environment): take the variables "A=b" of a list ended by NULL (or NULL) into our own, in a child to be.
 */
void mb_process_environment(const char *const *environment);

/* mb_process_line(argv, out): append the command as a person would type it, quoted where a shell needs it. */
void mb_process_line(const char *const *argv, struct mb_buffer *out);

/* mb_process_exists(name): whether ${name} is a program in PATH (or, with a '/', at that place). */
bool mb_process_exists(const char *name);

#endif
