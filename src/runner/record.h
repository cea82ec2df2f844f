/*
 * record.h: what the runner knows, as the objects of a result file (docs/results.md).
 *
 * Each returns an object that the caller deletes.
 */
#ifndef MB_RUNNER_RECORD_H
#define MB_RUNNER_RECORD_H

#include <cjson/cJSON.h>

#include "mountbench/engine.h"
#include "mountbench/matrix.h"
#include "mountbench/result.h"
#include "mountbench/runner.h"
#include "runner/client.h"

/* The seed of the bytes that workloads write: the same in every run, so that two runs do the same work. */
#define MB_DATA_SEED 1

cJSON *mb_record_host(void);
cJSON *mb_record_run(const struct mb_run_options *options, const char *id);
cJSON *mb_record_engine(const struct mb_engine_spec *spec, const struct mb_engine *engine);

/* ${facts} may be NULL; ${reason} is NULL for a cell that is ready. */
cJSON *mb_record_cell(const struct mb_matrix *matrix, const struct mb_cell_spec *cell, enum mb_cell_status status,
                      const char *reason, const struct mb_mount_facts *facts);

/* Where a sample stands in the run. */
struct mb_trial_place {
    const char *cell;
    unsigned round, order;
    bool warmup;
    const char *started_at;
};

/* mb_record_sample(place, answer): from the probe's checked answer.  mb_record_failed(place, status, reason): without one. */
cJSON *mb_record_sample(const struct mb_trial_place *place, const cJSON *answer);
cJSON *mb_record_failed(const struct mb_trial_place *place, const char *status, const char *reason);

cJSON *mb_record_check(const char *cell, const char *name, const char *outcome, const char *expected, const char *observed);
cJSON *mb_record_end(bool complete);

#endif
