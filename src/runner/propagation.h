/*
 * propagation.h: trials that a probe on each side of a mount makes together: one changes a file, the other looks until it sees
 * that.
 */
#ifndef MB_RUNNER_PROPAGATION_H
#define MB_RUNNER_PROPAGATION_H

#include "runner/session.h"

/*
 * mb_propagation_open(s, cell, err):
 * For a cell of such a workload: have the host's side and its own directory there.  A mount without one is refused as unavailable,
 * with the reason.  -1 for what ends the run alone.
 */
int mb_propagation_open(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err);

/*
 * mb_propagation_trial(s, cell, job, answer, err):
 * One trial.  *${answer} is as a probe's to "run": what was found, or why it failed; the caller's to delete.  -1 when the mount's
 * own probe is in trouble, or for an interrupt.
 */
int mb_propagation_trial(struct mb_session *s, struct mb_run_cell *cell, const struct mb_job_spec *job, cJSON **answer,
                         struct mb_error *err);

/* mb_propagation_clean(s, cell): remove the host's directory of the cell. */
void mb_propagation_clean(struct mb_session *s, struct mb_run_cell *cell);

#endif
