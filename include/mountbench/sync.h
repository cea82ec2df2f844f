/*
 * sync.h: tools that keep a volume in the engine equal to a directory of the driver's machine.
 *
 * Everything that a tool has is of one run and goes with it: its processes, its container, and its files (archives, logs, a
 * daemon's socket), which are in a directory of their own below TMPDIR, or /tmp.  Should the driver be killed, the tool is ended
 * all the same; what `command` left in a session of its own is not.
 */
#ifndef MB_SYNC_H
#define MB_SYNC_H

#include <stdbool.h>

#include "mountbench/buffer.h"
#include "mountbench/engine.h"
#include "mountbench/error.h"
#include "mountbench/matrix.h"

/* What is to be kept equal.  It outlives the tool, but for ${container}, which is read when the tool is started alone. */
struct mb_sync_place {
    const struct mb_sync_spec *spec;
    struct mb_engine *engine;
    const char *run;       /* for labels */
    const char *name;      /* of what is made: unique, letters, digits and hyphens */
    const char *image;     /* of the tool's own container; NULL where it has none */
    const char *container; /* which has the volume at ${target} already, and runs */
    const char *volume, *target;
    const char *host_dir;
};

/* mb_sync_image(spec): the image of the tool's own container: the file's word, or the tool's default; NULL where it has none.
 * mb_sync_image_hint(spec): how to come to that default image, "" where there is nothing to say. */
const char *mb_sync_image(const struct mb_sync_spec *spec);
const char *mb_sync_image_hint(const struct mb_sync_spec *spec);

/* mb_sync_need(spec, err): that the tool is installed; MB_EENGINE with how to get it where it is not.  Runs nothing. */
int mb_sync_need(const struct mb_sync_spec *spec, struct mb_error *err);

/* mb_sync_plan(spec, out): append what a run would start, a line of text each. */
void mb_sync_plan(const struct mb_sync_spec *spec, struct mb_buffer *out);

/*
 * mb_sync_tmpdir(): where the tools' directories are made: TMPDIR, or /tmp where that is long, since a daemon has its socket there.
 * Their names begin with MB_SYNC_DIRECTORY, and they carry MB_RUN_MARK.
 */
#define MB_SYNC_DIRECTORY "mountbench-sync-"
const char *mb_sync_tmpdir(void);

struct mb_sync;

/*
 * mb_sync_start(place, out, err):
 * Start the tool; that it is at work is not that anything arrived yet.  MB_EENGINE where it cannot be had (not installed, no fit
 * between its two sides).  After -1 nothing is left.  Stop it with mb_sync_stop.
 */
int mb_sync_start(const struct mb_sync_place *place, struct mb_sync **out, struct mb_error *err);

/* mb_sync_look(sync, err): 0 as long as the tool is at work and tells of no conflict; else its own words. */
int mb_sync_look(struct mb_sync *sync, struct mb_error *err);

/*
 * mb_sync_settle(sync, timeout_ms, err):
 * Wait until what was changed before this call is on both sides, as far as the tool can tell; at once for one that cannot.  Fails
 * as mb_sync_look does, with MB_ETIMEOUT, or with MB_EINTERRUPT.
 */
int mb_sync_settle(struct mb_sync *sync, unsigned timeout_ms, struct mb_error *err);

/* mb_sync_stop(sync, err): end it and remove all it has, as far as it goes; the first failure is told.  NULL: nothing. */
int mb_sync_stop(struct mb_sync *sync, struct mb_error *err);

#endif
