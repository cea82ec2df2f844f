/*
 * propagation.c: lead a change from one side of a mount to the other.
 *
 * Both clocks are the driver's: a change begins to count when its maker's word that it is made has come, and ends with the
 * reader's word that it sees it.  So a figure holds one message to the reader and back, and its process; the same with nothing to
 * wait for is measured all the while, as the floor: each time that the reader looks at the state before the change, which it has
 * seen already.
 *
 * Each side changes files in a directory of its own and looks into the other's, so that neither needs a right on what the other
 * made.
 */
#include "runner/propagation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/clock.h"
#include "mountbench/parse.h"
#include "mountbench/stats.h"
#include "mountbench/tree.h"
#include "runner/propagation_trial.h"

/* The host's own directory is called as the cell's with this behind it. */
#define HOST_SUFFIX "-host"
#define CHECK "propagation"

static const char *const direction_names[MB_WAYS] = {"to_container", "to_host"};

static bool
both_sides(const struct mb_session *s, const struct mb_run_cell *cell)
{
    return s->matrix->workloads[cell->spec->workload].kind->both_sides;
}

/* ${dir} with ${suffix} behind it, as the host sees it where ${host}; malloc'd. */
static char *
path_of(const struct mb_run_cell *cell, const char *suffix, bool host, struct mb_error *err)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(8192);

    mb_buffer_printf(&path, "%s%s", cell->dir, suffix);
    char *own = mb_buffer_steal(&path);
    if (own == NULL) {
        mb_error_set(err, MB_EIO, "out of memory");
        return NULL;
    }
    if (!host)
        return own;
    char *theirs = mb_host_side_path(cell->station, own, err);
    free(own);
    return theirs;
}

/* Make the host's directory.  1: made, 0: the host cannot, with the reason in ${err}. */
static int
make_host_dir(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err)
{
    char *dir = path_of(cell, HOST_SUFFIX, true, err);
    cJSON *answer;

    if (dir == NULL)
        return -1;
    const struct mb_job_spec job = {.id = ++s->job_id,
                                    .workload = &s->matrix->workloads[cell->spec->workload],
                                    .dir = dir,
                                    .timeout_ns = UINT64_C(60000000000)};
    int rc = mb_client_job(&cell->station->host.channel, "prepare", &job, &answer, err);
    free(dir);
    if (rc != 0)
        return err->code == MB_EINTERRUPT ? -1 : 0;
    bool made = cell->host_made = mb_cell_ok(answer);
    const char *reason = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, "reason"));
    if (!made)
        mb_error_set(err, MB_EIO, "%s", reason != NULL ? reason : "the host cannot make a directory there");
    cJSON_Delete(answer);
    return made;
}

/* See that the container has the directory that the host made: what is in it first is the marker.  As make_host_dir. */
static int
see_host_dir(struct mb_run_cell *cell, struct mb_error *err)
{
    char *marker = path_of(cell, HOST_SUFFIX "/.mountbench-probe", false, err);

    if (marker == NULL)
        return -1;
    int seen = mb_host_side_arrives(cell->station, &cell->station->channel, marker, NULL, err);
    free(marker);
    if (seen == 0)
        mb_error_set(err, MB_EIO, "the container does not see the directory that the host made there");
    return seen;
}

int
mb_propagation_open(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err)
{
    struct mb_error why = {0};

    if (!both_sides(s, cell))
        return 0;
    if (mb_host_side_open(cell->station, cell->dir, err) != 0)
        return -1;
    if (!cell->station->host.open)
        return mb_cell_unavailable(s, cell, cell->station->host.reason, err);
    int made = make_host_dir(s, cell, &why);
    if (made == 1)
        made = see_host_dir(cell, &why);
    if (made < 0 && why.code == MB_EINTERRUPT)
        return mb_error_set(err, why.code, "%s", why.message);
    if (made == 1)
        return 0;
    if (mb_station_hold(cell->station, err) != 0)
        return -1;
    return mb_cell_unavailable(s, cell, why.message, err);
}

void
mb_propagation_clean(struct mb_session *s, struct mb_run_cell *cell)
{
    struct mb_error err = {0};

    if (!cell->host_made)
        return;
    cell->host_made = false;
    char *dir = path_of(cell, HOST_SUFFIX, true, &err);
    if (dir == NULL || mb_tree_remove(dir, &err) != 0)
        mb_session_say(s, MB_RUN_WARNING, cell->name, err.message);
    free(dir);
}

static void
add_quantiles(cJSON *answer, const double *sorted, size_t n)
{
    if (sorted == NULL || n == 0)
        return;
    cJSON *latency = cJSON_AddObjectToObject(answer, "latency_ns");

    cJSON_AddNumberToObject(latency, "p50", round(mb_quantile(sorted, n, 0.5)));
    cJSON_AddNumberToObject(latency, "p95", round(mb_quantile(sorted, n, 0.95)));
    cJSON_AddNumberToObject(latency, "p99", round(mb_quantile(sorted, n, 0.99)));
    cJSON_AddNumberToObject(latency, "max", sorted[n - 1]);
}

static void
add_metric(cJSON *metrics, const char *name, const char *what, double value)
{
    char key[64];

    snprintf(key, sizeof key, "%s%s", name, what);
    cJSON_AddNumberToObject(metrics, key, round(value));
}

/* Put a direction's own figures into ${metrics}, and return its median; -1 where there is none. */
static double
evaluate_way(struct mb_way *w, const char *name, cJSON *metrics)
{
    if (w->count == 0 || w->times_ns == NULL)
        return -1;
    mb_sort(w->times_ns, w->count);
    double median = mb_quantile(w->times_ns, w->count, 0.5);
    add_metric(metrics, name, "_median_ns", median);
    add_metric(metrics, name, "_worst_ns", w->times_ns[w->count - 1]);
    if (w->floor_count > 0) {
        mb_sort(w->floors_ns, w->floor_count);
        add_metric(metrics, name, "_floor_ns", mb_quantile(w->floors_ns, w->floor_count, 0.5));
    }
    add_metric(metrics, name, "_lost", (double)w->lost);
    add_metric(metrics, name, "_wrong", (double)w->wrong);
    return median;
}

/*
 * The sample.  Its figure is the median of the slower direction: a mount that shows one way at once and the other after a second
 * has no middle.
 */
static cJSON *
evaluate(struct mb_propagation *t)
{
    cJSON *answer = cJSON_CreateObject(), *metrics = cJSON_CreateObject();
    const struct mb_way *slower = NULL;
    double figure = 0;

    for (size_t d = 0; d < MB_WAYS; d++) {
        double median = evaluate_way(&t->ways[d], direction_names[d], metrics);
        if (median > figure) {
            figure = median;
            slower = &t->ways[d];
        }
    }
    cJSON_AddStringToObject(answer, "status", "ok");
    cJSON_AddNumberToObject(answer, "wall_ns", round(figure));
    cJSON_AddNumberToObject(answer, "ops", (double)(t->ways[0].count + t->ways[1].count));
    if (slower != NULL)
        add_quantiles(answer, slower->times_ns, slower->count);
    cJSON_AddItemToObject(answer, "metrics", metrics);
    return answer;
}

/* What was lost or wrong is said, and put on record once a cell. */
static int
judge(struct mb_propagation *t, struct mb_error *err)
{
    char limit[MB_FORMAT_MAX], expected[100], observed[700];
    uint64_t lost = t->ways[0].lost + t->ways[1].lost, wrong = t->ways[0].wrong + t->ways[1].wrong;

    if (lost == 0 && wrong == 0)
        return 0;
    snprintf(expected, sizeof expected, "every change seen as it was made, within %s",
             mb_format_duration((double)t->values[MB_PROPAGATION_LIMIT], limit));
    snprintf(observed, sizeof observed, "%llu of %zu lost, %llu seen wrong; %s", (unsigned long long)lost,
             t->ways[0].count + t->ways[1].count, (unsigned long long)wrong, t->trouble);
    mb_session_say(t->session, MB_RUN_WARNING, t->cell->name, observed);
    if (t->cell->host_said)
        return 0;
    t->cell->host_said = true;
    return mb_session_write(t->session, mb_record_check(t->cell->name, CHECK, "fail", expected, observed), err);
}

static void
clear(struct mb_propagation *t)
{
    for (size_t d = 0; d < MB_WAYS; d++) {
        free(t->ways[d].writer_dir);
        free(t->ways[d].reader_dir);
        free(t->ways[d].times_ns);
        free(t->ways[d].floors_ns);
    }
}

static int
set_up(struct mb_propagation *t, struct mb_error *err)
{
    struct mb_station *st = t->cell->station;
    size_t n = (size_t)t->values[MB_PROPAGATION_CHANGES];

    for (size_t d = 0; d < MB_WAYS; d++) {
        struct mb_way *w = &t->ways[d];
        const char *suffix = d == MB_WAY_TO_CONTAINER ? HOST_SUFFIX : "";
        w->wanted = t->values[MB_PROPAGATION_DIRECTION] == MB_DIRECTION_BOTH ||
                    (t->values[MB_PROPAGATION_DIRECTION] == MB_DIRECTION_TO_HOST) == (d == MB_WAY_TO_HOST);
        w->writer = d == MB_WAY_TO_CONTAINER ? &st->host.channel : &st->channel;
        w->reader = d == MB_WAY_TO_CONTAINER ? &st->channel : &st->host.channel;
        w->writer_dir = path_of(t->cell, suffix, d == MB_WAY_TO_CONTAINER, err);
        w->reader_dir = path_of(t->cell, suffix, d == MB_WAY_TO_HOST, err);
        w->times_ns = calloc(n, sizeof *w->times_ns);
        w->floors_ns = calloc(n, sizeof *w->floors_ns);
        if (w->writer_dir == NULL || w->reader_dir == NULL || w->times_ns == NULL || w->floors_ns == NULL)
            return mb_error_set(err, MB_EIO, "out of memory");
    }
    return 0;
}

/* The trial failed, and both probes may be well: that is a sample. */
static cJSON *
failed_answer(const struct mb_error *why)
{
    cJSON *answer = cJSON_CreateObject();

    cJSON_AddStringToObject(answer, "status", why->code == MB_ETIMEOUT ? "timeout" : "failed");
    cJSON_AddStringToObject(answer, "reason", why->message);
    return answer;
}

int
mb_propagation_trial(struct mb_session *s, struct mb_run_cell *cell, const struct mb_job_spec *job, cJSON **answer,
                     struct mb_error *err)
{
    struct mb_propagation t = {.session = s, .cell = cell, .values = job->workload->values, .job = job};
    struct mb_station *st = cell->station;

    t.deadline_ns = mb_now_ns() + job->timeout_ns;
    int rc = set_up(&t, err);
    if (rc == 0 && !st->host.open)
        rc = mb_error_set(err, MB_EIO, "%s", st->host.reason != NULL ? st->host.reason : "the host's side is gone");
    if (rc == 0)
        rc = mb_propagation_make_changes(&t, err);
    if (rc == 0)
        rc = judge(&t, err);
    if (rc == 0)
        *answer = evaluate(&t);
    /* A probe that could not do something answers so, and that is MB_EIO; anything else is its own trouble, where one was asked. */
    bool trouble = rc != 0 && t.asked != NULL && err->code != MB_EIO;
    if (!trouble)
        mb_propagation_remove_files(&t);
    clear(&t);
    if (rc == 0 || (rc != 0 && err->code == MB_EINTERRUPT) || (trouble && t.asked == &st->channel))
        return rc;
    if (trouble)
        mb_host_side_drop(st, err->message);
    *answer = failed_answer(err);
    mb_error_clear(err);
    return 0;
}
