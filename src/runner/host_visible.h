/*
 * host_visible.h: after a trial, how long until the host holds the bytes that it wrote.
 */
#ifndef MB_RUNNER_HOST_VISIBLE_H
#define MB_RUNNER_HOST_VISIBLE_H

#include "runner/session.h"

/*
 * mb_host_visible_open(s, cell, err):
 * Where ${cell}'s workload asks for it, have the host's side of its mount.  Where there is none, that and why is put on record,
 * once a cell.  -1 for what ends the run alone.
 */
int mb_host_visible_open(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err);

/* mb_host_visible_wanted(s, cell): whether a trial of ${cell} shall keep what it made, for mb_host_visible_measure. */
bool mb_host_visible_wanted(const struct mb_session *s, const struct mb_run_cell *cell);

/*
 * mb_host_visible_measure(s, cell, job, end_ns, answer, err):
 * The ${job} ended well at ${end_ns} by our clock, with ${answer}: wait until the host has what it left, put what came of it into
 * the answer's metrics, and have it removed.  -1 for what ends the run alone.
 */
int mb_host_visible_measure(struct mb_session *s, struct mb_run_cell *cell, const struct mb_job_spec *job, uint64_t end_ns,
                            cJSON *answer, struct mb_error *err);

#endif
