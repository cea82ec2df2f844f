/*
 * celldir.h: the directory the probe works in: marked as its own, so that nothing else is ever removed.
 *
 *   D/.mountbench-probe    the marker
 *   D/data/                what prepare laid out
 *   D/layout               for which workload, with what parameters and seed: written last
 *   D/run-ID/              one trial's own, removed after it
 */
#ifndef MB_PROBE_CELLDIR_H
#define MB_PROBE_CELLDIR_H

#include "mountbench/error.h"

/*
 * mb_celldir_enter(dir, err):
 * Make or adopt ${dir}, as probe.h says, and make it the current directory.  Return 0 or -1.
 */
int mb_celldir_enter(const char *dir, struct mb_error *err);

/* mb_celldir_remove(dir, err): what cleanup promises. */
int mb_celldir_remove(const char *dir, struct mb_error *err);

/*
 * mb_celldir_clear(name, err):
 * Remove the directory ${name} of the current directory and all below it; that there is none is no failure.
 */
int mb_celldir_clear(const char *name, struct mb_error *err);

#endif
