/* host_visible.c: ask the host's side for what a trial wrote, outside of the trial's clock. */
#include "runner/host_visible.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"

#define CHECK "host_visible"

static uint64_t
limit_ns(const struct mb_session *s, const struct mb_run_cell *cell)
{
    return s->matrix->workloads[cell->spec->workload].host_visible_ns;
}

static void
expected_text(const struct mb_session *s, const struct mb_run_cell *cell, char *out, size_t size)
{
    char limit[MB_FORMAT_MAX];

    snprintf(out, size, "what a trial wrote, on the host within %s", mb_format_duration((double)limit_ns(s, cell), limit));
}

/* Put on record what was not seen, once a cell. */
static int
say(struct mb_session *s, struct mb_run_cell *cell, const char *outcome, const char *observed, struct mb_error *err)
{
    char expected[128];

    if (cell->host_said)
        return 0;
    cell->host_said = true;
    expected_text(s, cell, expected, sizeof expected);
    return mb_session_write(s, mb_record_check(cell->name, CHECK, outcome, expected, observed), err);
}

int
mb_host_visible_open(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err)
{
    struct mb_station *st = cell->station;

    if (limit_ns(s, cell) == 0)
        return 0;
    if (mb_host_side_open(st, cell->dir, err) != 0)
        return -1;
    if (st->host.open)
        return 0;
    /* That a volume has no host's side is no news; a directory that should have one is. */
    if (st->host_dir != NULL || st->spec->path != NULL)
        mb_session_say(s, MB_RUN_WARNING, cell->name, st->host.reason);
    return say(s, cell, "unsupported", st->host.reason, err);
}

bool
mb_host_visible_wanted(const struct mb_session *s, const struct mb_run_cell *cell)
{
    return limit_ns(s, cell) > 0 && cell->station->host.open;
}

static void
add_metric(cJSON *answer, const char *name, double value)
{
    cJSON *metrics = cJSON_GetObjectItemCaseSensitive(answer, "metrics");

    if (!cJSON_IsObject(metrics))
        metrics = cJSON_AddObjectToObject(answer, "metrics");
    cJSON_AddNumberToObject(metrics, name, value);
}

static double
since(uint64_t moment_ns, uint64_t start_ns)
{
    return moment_ns > start_ns ? (double)(moment_ns - start_ns) : 0;
}

static int
judge(struct mb_session *s, struct mb_run_cell *cell, const struct mb_arrival *got, uint64_t end_ns, cJSON *answer,
      struct mb_error *err)
{
    char observed[512];

    add_metric(answer, "host_lost", (double)got->missing);
    add_metric(answer, "host_wrong", (double)got->wrong);
    if (got->seen) {
        add_metric(answer, "host_visible_ns", since(got->seen_at_ns, end_ns));
        add_metric(answer, "host_checked_ns", since(got->checked_at_ns, end_ns));
        return 0;
    }
    snprintf(observed, sizeof observed, "the host had %" PRIu64 " files not or not whole and %" PRIu64 " with other content; %s",
             got->missing, got->wrong, got->trouble);
    mb_session_say(s, MB_RUN_WARNING, cell->name, observed);
    return say(s, cell, "fail", observed, err);
}

/* The host's probe is in trouble: go on without the figure. */
static int
give_up(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err)
{
    if (err->code == MB_EINTERRUPT)
        return -1;
    mb_session_say(s, MB_RUN_WARNING, cell->name, err->message);
    mb_host_side_drop(cell->station, err->message);
    mb_error_clear(err);
    return say(s, cell, "error", cell->station->host.reason, err);
}

int
mb_host_visible_measure(struct mb_session *s, struct mb_run_cell *cell, const struct mb_job_spec *job, uint64_t end_ns,
                        cJSON *answer, struct mb_error *err)
{
    struct mb_station *st = cell->station;
    struct mb_job_spec other = *job;
    struct mb_arrival got;
    struct mb_error discard = {0};
    char *dir = mb_host_side_path(st, job->dir, err);

    if (dir == NULL)
        return -1;
    other.dir = dir;
    int rc = mb_client_await(&st->host.channel, &other, limit_ns(s, cell), &got, err);
    free(dir);
    rc = rc == 0 ? judge(s, cell, &got, end_ns, answer, err) : give_up(s, cell, err);
    if (rc == 0 && mb_client_discard(&st->channel, job, &discard) != 0) {
        /* What is left goes with the cell; a probe that is in trouble will say so at the next trial. */
        mb_session_say(s, MB_RUN_WARNING, cell->name, discard.message);
        if (discard.code == MB_EINTERRUPT)
            return mb_error_set(err, discard.code, "%s", discard.message);
    }
    return rc;
}
