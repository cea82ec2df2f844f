/* rounds.c: every cell once a round, in an order shuffled anew each round, every sample kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/clock.h"
#include "mountbench/plan.h"
#include "mountbench/signals.h"
#include "runner/exec.h"
#include "runner/host_visible.h"
#include "runner/propagation.h"

/* A cell that ran out of time this often in a row takes no further part. */
#define GIVE_UP_AFTER 2

/* The probe or its container is in trouble: say why, and whether the engine is still there at all. */
static int
trial_broke(struct mb_session *s, struct mb_run_cell *cell, const struct mb_trial_place *place, struct mb_error *err)
{
    struct mb_error what = *err, ping = {0};

    if (what.code == MB_EINTERRUPT)
        return -1;
    mb_station_broke(cell->station, &what);
    mb_error_clear(err);
    if (mb_session_write(s, mb_record_failed(place, what.code == MB_ETIMEOUT ? "timeout" : "failed", cell->station->reason), err) !=
        0)
        return -1;
    cell->failed = true;
    mb_session_say(s, MB_RUN_WARNING, cell->name, cell->station->reason);
    const struct mb_station *st = cell->station;
    struct mb_container_state state;
    if (st->engine == NULL || mb_container_inspect(st->engine, st->container, &state, &ping) == 0 || ping.code == MB_EENGINE)
        return 0;
    return mb_error_set(
        err, MB_EGONE,
        "engine '%s' went away in the middle of the run (%s); what was measured is in '%s', and --resume goes on with "
        "it",
        s->matrix->engines[cell->spec->engine].name, ping.message, s->options->output);
}

static enum mb_sample_status
status_of(const cJSON *record)
{
    const char *status = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "status"));
    if (strcmp(status, "ok") == 0)
        return MB_SAMPLE_OK;
    return strcmp(status, "timeout") == 0 ? MB_SAMPLE_TIMEOUT : MB_SAMPLE_FAILED;
}

/* A number of a record that cannot be negative; 0 where it is not there. */
static int64_t
number_in(const cJSON *record, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(record, key);
    return cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 9e18 ? (int64_t)item->valuedouble : 0;
}

/* Keep the books of a cell after a trial that the probe answered. */
static void
count_trial(struct mb_session *s, struct mb_run_cell *cell, enum mb_sample_status status, bool warmup)
{
    if (status == MB_SAMPLE_OK) {
        cell->bad = 0;
        if (!warmup) {
            cell->kept++;
            s->outcome->samples++;
        }
        return;
    }
    cell->failed = true;
    if (status == MB_SAMPLE_TIMEOUT && ++cell->bad >= GIVE_UP_AFTER) {
        cell->active = false;
        mb_session_say(s, MB_RUN_WARNING, cell->name, "ran out of time twice in a row and takes no further part");
    }
}

/* `isolation: trial`: a container of its own for this trial; a layer or tmpfs is new with it and is laid out again. */
static int
isolate(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err)
{
    enum mb_mount_type type = cell->station->spec->type;

    if (mb_station_restart(cell->station, err) != 0)
        return -1;
    if (cell->station->status != MB_STATION_READY) {
        mb_session_say(s, MB_RUN_WARNING, cell->name, cell->station->reason);
        cell->active = false;
        cell->failed = true;
        return 0;
    }
    if (type == MB_MOUNT_LAYER || type == MB_MOUNT_TMPFS)
        return mb_cell_prepare(s, cell, err);
    return 0;
}

/* The trial's sample: into the file, into the counts, and towards the precision. */
static int
keep_sample(struct mb_session *s, struct mb_run_cell *cell, const struct mb_trial_place *place, const cJSON *answer,
            struct mb_error *err)
{
    cJSON *record = mb_record_sample(place, answer);
    enum mb_sample_status status = status_of(record);
    const struct mb_sample sample = {.status = status,
                                     .wall_ns = number_in(record, "wall_ns"),
                                     .bytes = (uint64_t)number_in(record, "bytes"),
                                     .ops = (uint64_t)number_in(record, "ops")};
    cell->last_wall_ns = (uint64_t)sample.wall_ns;
    const char *reason = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "reason"));
    if (status != MB_SAMPLE_OK)
        mb_session_say(s, MB_RUN_WARNING, cell->name, reason != NULL ? reason : "failed");
    count_trial(s, cell, status, place->warmup);
    if (mb_session_write(s, record, err) != 0)
        return -1;
    return place->warmup ? 0 : mb_precision_add(s, cell, &sample, err);
}

static int
run_job(struct mb_session *s, struct mb_run_cell *cell, const struct mb_trial_place *place, struct mb_error *err)
{
    const struct mb_job_spec job = {.id = ++s->job_id,
                                    .workload = &s->matrix->workloads[cell->spec->workload],
                                    .dir = cell->dir,
                                    .data_seed = MB_DATA_SEED,
                                    .timeout_ns = cell->timeout_ns,
                                    .keep = mb_host_visible_wanted(s, cell)};
    cJSON *answer;

    int ran = job.workload->kind->both_sides ? mb_propagation_trial(s, cell, &job, &answer, err)
                                             : mb_client_job(&cell->station->channel, "run", &job, &answer, err);
    if (ran != 0)
        return trial_broke(s, cell, place, err);
    uint64_t end_ns = mb_now_ns();
    if (mb_station_check(cell->station, err) != 0) {
        cJSON_Delete(answer);
        return trial_broke(s, cell, place, err);
    }
    if (mb_cell_unsupported(answer)) {
        int rc = mb_cell_refuse(s, cell, answer, err);
        cJSON_Delete(answer);
        return rc;
    }
    mb_exec_measure(s->matrix->workloads[cell->spec->workload].exec, answer);
    if (job.keep && mb_cell_ok(answer) && mb_host_visible_measure(s, cell, &job, end_ns, answer, err) != 0) {
        cJSON_Delete(answer);
        return -1;
    }
    /* Waiting in vain for the host may have this reason. */
    if (job.keep && mb_station_check(cell->station, err) != 0) {
        cJSON_Delete(answer);
        return trial_broke(s, cell, place, err);
    }
    int rc = keep_sample(s, cell, place, answer, err);
    cJSON_Delete(answer);
    return rc;
}

/* A sync tool still carries what the trial left; the next one is not to be measured beside it. */
static int
settle(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err)
{
    if (!cell->active || cell->station->status != MB_STATION_READY)
        return 0;
    if (mb_station_settle(cell->station, err) == 0)
        return 0;
    if (err->code == MB_EINTERRUPT)
        return -1;
    mb_station_broke(cell->station, err);
    mb_error_clear(err);
    cell->failed = true;
    mb_session_say(s, MB_RUN_WARNING, cell->name, cell->station->reason);
    return 0;
}

static int
run_trial(struct mb_session *s, struct mb_run_cell *cell, unsigned round, unsigned order, bool warmup, struct mb_error *err)
{
    char now[MB_TIMESTAMP_MAX];
    const struct mb_trial_place place = {
        .cell = cell->name, .round = round, .order = order, .warmup = warmup, .started_at = mb_timestamp(now)};
    struct mb_run_event event = {.type = MB_RUN_TRIAL_STARTS,
                                 .name = cell->name,
                                 .round = round,
                                 .rounds = warmup ? s->matrix->warmup * s->passes : s->matrix->rounds,
                                 .warmup = warmup};
    uint64_t start_ns = mb_now_ns();

    cell->last_wall_ns = 0;
    mb_session_tell(s, &event);
    if (cell->station->status == MB_STATION_BROKEN) {
        cell->active = false;
        cell->failed = true;
        return mb_session_write(s, mb_record_failed(&place, "failed", cell->station->reason), err);
    }
    if (cell->station->spec->isolation_trial && isolate(s, cell, err) != 0)
        return -1;
    if (cell->active && (run_job(s, cell, &place, err) != 0 || settle(s, cell, err) != 0))
        return -1;
    event.type = MB_RUN_TRIAL_ENDS;
    event.cost_ns = mb_now_ns() - start_ns;
    event.wall_ns = cell->last_wall_ns;
    cell->cost_ns += event.cost_ns;
    cell->trials++;
    mb_session_tell(s, &event);
    return 0;
}

/* One round; warm-up rounds are shuffled too, from numbers above the timed ones. */
static int
run_round(struct mb_session *s, unsigned round, bool warmup, size_t *order, struct mb_error *err)
{
    size_t n = s->matrix->cell_count;
    unsigned place = 0;

    mb_plan_shuffle(s->seed, mb_plan_round(warmup, round), n, order);
    for (size_t i = 0; i < n; i++) {
        struct mb_run_cell *cell = &s->cells[order[i]];
        if (!s->engines[s->matrix->cells[order[i]].engine].current)
            continue;
        if (mb_interrupted())
            return mb_error_set(err, MB_EINTERRUPT, "interrupted");
        bool measured = !warmup && cell->done != NULL && cell->done[round];
        if (cell->active && !cell->enough && !measured && run_trial(s, cell, round, place++, warmup, err) != 0)
            return -1;
        s->done++;
    }
    return 0;
}

/* `max_time`: no further round once it has passed; a round is never cut. */
static bool
time_is_up(const struct mb_session *s, unsigned round)
{
    char text[128];

    if (s->matrix->max_time_ns == 0 || mb_now_ns() - s->started_ns < s->matrix->max_time_ns)
        return false;
    snprintf(text, sizeof text, "the time is up: %u of %u rounds are measured", round, s->matrix->rounds);
    mb_session_say(s, MB_RUN_WARNING, NULL, text);
    return true;
}

int
mb_stage_rounds(struct mb_session *s, unsigned from, unsigned to, struct mb_error *err)
{
    size_t *order = calloc(s->matrix->cell_count + 1, sizeof *order);
    int rc = 0;

    if (order == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (unsigned i = 0; rc == 0 && i < s->matrix->warmup; i++)
        rc = run_round(s, s->pass * s->matrix->warmup + i, true, order, err);
    for (unsigned round = from; rc == 0 && round < to && !time_is_up(s, round); round++)
        rc = run_round(s, round, false, order, err);
    free(order);
    return rc;
}
