/*
 * workdir.h: the run's directory on the driver's machine, which binds share, and the nonce that proves it.
 */
#ifndef MB_RUNNER_WORKDIR_H
#define MB_RUNNER_WORKDIR_H

#include <stddef.h>

#include "mountbench/error.h"

/* The start of a run's directory's name. */
#define MB_WORKDIR_PREFIX "mountbench-work-"
/* The file in a mount's directory that holds the nonce. */
#define MB_WORKDIR_NONCE ".mountbench-nonce"

struct mb_workdir {
    char *path;     /* absolute */
    char nonce[33]; /* hexadecimal */
};

/* mb_workdir_make(dir, run, part, out, err): make DIR/mountbench-work-RUN${part} (${dir} NULL: the current directory) with its
 * mark. */
int mb_workdir_make(const char *dir, const char *run, const char *part, struct mb_workdir *out, struct mb_error *err);

/* mb_workdir_mount(w, number, path, err): make the directory of mount ${number} with its nonce; *${path} is the caller's to free.
 */
int mb_workdir_mount(const struct mb_workdir *w, size_t number, char **path, struct mb_error *err);

/* mb_workdir_remove(w, err): remove it all and free.  A ${w} that was never made is a no-op. */
int mb_workdir_remove(struct mb_workdir *w, struct mb_error *err);

/* mb_random_hex(out, bytes): ${bytes} from the system's random source as 2 x ${bytes} hexadecimal digits and a NUL. */
void mb_random_hex(char *out, size_t bytes);

#endif
