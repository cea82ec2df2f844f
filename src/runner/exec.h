/*
 * exec.h: what `exec` workloads need around the probe: their images on each engine (sync tools have some too), and numbers out of
 * what commands print.
 *
 * The matrix's images are numbered: 0 is the probe's own, the others one for all workloads that say the same of their image.
 */
#ifndef MB_RUNNER_EXEC_H
#define MB_RUNNER_EXEC_H

#include "runner/session.h"

/* mb_exec_number(matrix, workload): of the workload's image.  mb_exec_count(matrix): how many there are, the probe's own included.
 */
size_t mb_exec_number(const struct mb_matrix *matrix, size_t workload);
size_t mb_exec_count(const struct mb_matrix *matrix);

/*
 * mb_exec_provide(s, station, err):
 * Have the image of ${station} on its engine: look for it, pull it, build it; once an engine.  Where it cannot be had the station
 * is unavailable with the reason.  -1 for what ends the run alone.
 */
int mb_exec_provide(struct mb_session *s, struct mb_station *station, struct mb_error *err);

/* mb_sync_provide(s, station, err): the same for the image of a sync tool's own container, as ${station}->sync_image. */
int mb_sync_provide(struct mb_session *s, struct mb_station *station, struct mb_error *err);

/* mb_exec_forget(s, engine): remove what was built; what was pulled stays, as after `docker pull`. */
void mb_exec_forget(struct mb_session *s, struct mb_run_engine *engine);

/*
 * mb_exec_pick(spec, text, out, err):
 * The numbers of ${spec}->metrics in ${text}, into ${out}[MB_METRICS_MAX].  A pattern that matches nothing or twice, or what is no
 * number, is an error that says so.
 */
int mb_exec_pick(const struct mb_exec_spec *spec, const char *text, double *out, struct mb_error *err);

/* mb_exec_measure(spec, answer): put what is picked into a sample's ${answer}; a failure to do so becomes the sample's. */
void mb_exec_measure(const struct mb_exec_spec *spec, cJSON *answer);

#endif
