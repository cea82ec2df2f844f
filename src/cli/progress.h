/* progress.h: what a run shows on standard error: one line that is redrawn on a terminal, a plain line a cell elsewhere. */
#ifndef MB_CLI_PROGRESS_H
#define MB_CLI_PROGRESS_H

#include <stdbool.h>

#include "mountbench/runner.h"

struct mb_progress {
    bool quiet;
    bool redraw; /* a terminal, and wanted */
    bool drawn;  /* a line stands there without its newline */
    unsigned width;
};

/* mb_progress_init(p, quiet, plain): look at standard error. */
void mb_progress_init(struct mb_progress *p, bool quiet, bool plain);

/* mb_progress_tell(p, event): an observer's tell; ${p} is a struct mb_progress. */
void mb_progress_tell(void *p, const struct mb_run_event *event);

/* mb_progress_end(p): leave a clean line. */
void mb_progress_end(struct mb_progress *p);

#endif
