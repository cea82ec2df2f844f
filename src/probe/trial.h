/* trial.h: the requests that work in a cell's directory.  Called in a child. */
#ifndef MB_PROBE_TRIAL_H
#define MB_PROBE_TRIAL_H

#include "mountbench/buffer.h"
#include "mountbench/error.h"
#include "probe/protocol.h"

/*
 * mb_trial_prepare(request, answer), mb_trial_run(request, answer), mb_trial_await(request, answer), mb_trial_discard(request,
 * answer), mb_trial_cleanup(request, answer):
 * Do what the protocol says, and append its answer.
 */
void mb_trial_prepare(const struct mb_request *request, struct mb_buffer *answer);
void mb_trial_run(const struct mb_request *request, struct mb_buffer *answer);
void mb_trial_await(const struct mb_request *request, struct mb_buffer *answer);
void mb_trial_discard(const struct mb_request *request, struct mb_buffer *answer);
void mb_trial_cleanup(const struct mb_request *request, struct mb_buffer *answer);

/* mb_trial_sweep(request, answer): remove what a run or prepare that was killed left behind. */
void mb_trial_sweep(const struct mb_request *request, struct mb_buffer *answer);

/* mb_answer_status(answer, type, request, status, reason): append the answer ${type} with its id and a status but "ok". */
void mb_answer_status(struct mb_buffer *answer, const char *type, const struct mb_request *request, const char *status,
                      const char *reason);

/* mb_answer_error(answer, reason): append {"type":"error"}. */
void mb_answer_error(struct mb_buffer *answer, const char *reason);

#endif
