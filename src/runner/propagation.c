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
#include "mountbench/propagation.h"
#include "mountbench/stats.h"
#include "mountbench/tree.h"

/* The host's own directory is called as the cell's with this behind it. */
#define HOST_SUFFIX "-host"
#define CHECK "propagation"

enum { TO_CONTAINER, TO_HOST, DIRECTIONS };
static const char *const direction_names[DIRECTIONS] = {"to_container", "to_host"};

/* What goes from one side to the other. */
struct way {
    struct mb_channel *writer, *reader;
    char *writer_dir, *reader_dir; /* the writer's own directory as each sees it */
    struct mb_file_state file;     /* the one file there is, if it is present */
    char name[48];
    double *times_ns;
    size_t count;
    bool wanted;
};

struct trial {
    struct mb_session *session;
    struct mb_run_cell *cell;
    const uint64_t *values;
    const struct mb_job_spec *job;
    struct way ways[DIRECTIONS];
    double *floors_ns, *all_ns;
    size_t floor_count;
    uint64_t lost, wrong, version, number;
    uint64_t deadline_ns;
    const struct mb_channel *asked; /* the last one; whose trouble an error is */
    char trouble[512];              /* the first change that was lost or wrong */
};

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
    return made == 1 ? 0 : mb_cell_unavailable(s, cell, why.message, err);
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

/* Where the trial stands in words, for what was lost or wrong. */
static void
note(struct trial *t, size_t direction, const struct mb_side_change *change, const char *what, const char *trouble)
{
    if (t->trouble[0] != '\0')
        return;
    snprintf(t->trouble, sizeof t->trouble, "to the %s, %s was %s%s%s", direction == TO_HOST ? "host" : "container",
             mb_change_names[change->kind], what, trouble[0] != '\0' ? ": " : "", trouble);
}

static void
fresh_name(struct trial *t, struct way *w)
{
    snprintf(w->name, sizeof w->name, "t%llu-%llu", (unsigned long long)t->job->id, (unsigned long long)++t->number);
}

/* The change of ${kind} to what ${w} has, ${to} being room for another name. */
static struct mb_side_change
plan_change(struct trial *t, struct way *w, enum mb_change kind, char to[48])
{
    struct mb_side_change c = {.kind = kind,
                               .name = w->name,
                               .before = w->file,
                               .after = w->file,
                               .stamp = t->values[MB_PROPAGATION_LOOK] == MB_LOOK_STAT};

    if (kind == MB_CHANGE_CREATE) {
        fresh_name(t, w);
        c.after = (struct mb_file_state){.present = true, .size = t->values[MB_PROPAGATION_SIZE]};
    }
    if (kind == MB_CHANGE_CREATE || kind == MB_CHANGE_OVERWRITE)
        c.after.version = ++t->version;
    if (kind == MB_CHANGE_APPEND)
        c.after.size += t->values[MB_PROPAGATION_SIZE];
    if (kind == MB_CHANGE_REMOVE)
        c.after = (struct mb_file_state){0};
    if (kind == MB_CHANGE_RENAME) {
        snprintf(to, 48, "t%llu-%llu", (unsigned long long)t->job->id, (unsigned long long)++t->number);
        c.to = to;
    }
    return c;
}

static int
make_change(struct trial *t, struct way *w, const struct mb_side_change *c, struct mb_error *err)
{
    t->asked = w->writer;
    if (mb_client_change(w->writer, w->writer_dir, c, err) != 0)
        return -1;
    w->file = c->after;
    return 0;
}

/* An untimed change, so that there is what the next one needs. */
static int
arrange(struct trial *t, struct way *w, enum mb_change kind, struct mb_error *err)
{
    char to[48];
    const struct mb_side_change c = plan_change(t, w, kind, to);

    return make_change(t, w, &c, err);
}

/* A file for the changes that need one, short enough to append to; none for one that makes it. */
static int
arrange_for(struct trial *t, struct way *w, enum mb_change kind, struct mb_error *err)
{
    bool full = kind == MB_CHANGE_APPEND && w->file.size + t->values[MB_PROPAGATION_SIZE] > 4 * t->values[MB_PROPAGATION_SIZE];

    if (w->file.present && (kind == MB_CHANGE_CREATE || full) && arrange(t, w, MB_CHANGE_REMOVE, err) != 0)
        return -1;
    return !w->file.present && kind != MB_CHANGE_CREATE ? arrange(t, w, MB_CHANGE_CREATE, err) : 0;
}

static int
watch(struct trial *t, struct way *w, const struct mb_side_change *c, bool done, struct mb_side_view *view, struct mb_error *err)
{
    *view = (struct mb_side_view){.look = (enum mb_look)t->values[MB_PROPAGATION_LOOK],
                                  .limit_ns = t->values[MB_PROPAGATION_LIMIT],
                                  .poll_ns = t->values[MB_PROPAGATION_POLL]};
    t->asked = w->reader;
    return mb_client_watch(w->reader, w->reader_dir, c, done, view, err);
}

/*
 * Have the reader see what there is before the change.  What it sees at once, in its second look at the same, is the floor.  1: it
 * does; 0: not within the limit.
 */
static int
settle(struct trial *t, struct way *w, const struct mb_side_change *c, struct mb_error *err)
{
    for (int i = 0; i < 2; i++) {
        struct mb_side_view view;
        uint64_t start_ns = mb_now_ns();
        if (watch(t, w, c, false, &view, err) != 0)
            return -1;
        if (!view.seen)
            return 0;
        if (i == 1 && view.looks == 1)
            t->floors_ns[t->floor_count++] = (double)(mb_now_ns() - start_ns);
    }
    return 1;
}

static void
count(struct way *w, double ns)
{
    w->times_ns[w->count++] = ns;
}

static void
lose(struct trial *t, size_t direction, const struct mb_side_change *c, const char *what, const char *trouble)
{
    t->lost++;
    note(t, direction, c, what, trouble);
    count(&t->ways[direction], (double)t->values[MB_PROPAGATION_LIMIT]);
}

static int
change_once(struct trial *t, size_t direction, enum mb_change kind, struct mb_error *err)
{
    struct way *w = &t->ways[direction];
    struct mb_side_view view;
    char to[48];

    if (arrange_for(t, w, kind, err) != 0)
        return -1;
    const struct mb_side_change c = plan_change(t, w, kind, to);
    int settled = settle(t, w, &c, err);
    if (settled < 0 || make_change(t, w, &c, err) != 0)
        return -1;
    uint64_t start_ns = mb_now_ns();
    if (settled == 0) {
        lose(t, direction, &c, "not to be seen: not even the file as it was before", "");
    } else {
        if (watch(t, w, &c, true, &view, err) != 0)
            return -1;
        double ns = (double)(mb_now_ns() - start_ns);
        t->wrong += view.wrong > 0;
        if (view.wrong > 0)
            note(t, direction, &c, "seen wrong", view.trouble);
        if (view.seen)
            count(w, ns);
        else
            lose(t, direction, &c, "not seen in time", view.trouble);
    }
    if (c.to != NULL)
        memcpy(w->name, to, sizeof to);
    return 0;
}

/* All changes of the trial, the ways in turn. */
static int
make_changes(struct trial *t, struct mb_error *err)
{
    for (uint64_t i = 0; i < t->values[MB_PROPAGATION_CHANGES]; i++) {
        uint64_t kind = t->values[MB_PROPAGATION_CHANGE];
        for (size_t d = 0; d < DIRECTIONS; d++) {
            if (!t->ways[d].wanted)
                continue;
            t->asked = NULL;
            if (mb_now_ns() > t->deadline_ns)
                return mb_error_set(err, MB_ETIMEOUT, "its time was up after %zu changes: set 'timeout', or fewer 'changes'",
                                    t->ways[0].count + t->ways[1].count);
            if (change_once(t, d, (enum mb_change)(kind == 0 ? i % MB_CHANGES : kind - 1), err) != 0)
                return -1;
        }
    }
    return 0;
}

/* What a trial leaves goes with it, as far as it goes. */
static void
remove_files(struct trial *t)
{
    for (size_t d = 0; d < DIRECTIONS; d++) {
        struct mb_error ignored = {0};
        if (t->ways[d].wanted && t->ways[d].file.present && !t->ways[d].writer->owed)
            arrange(t, &t->ways[d], MB_CHANGE_REMOVE, &ignored);
    }
}

static void
add_quantiles(cJSON *answer, const double *sorted, size_t n)
{
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

/* The sample: the median of all changes is its figure. */
static cJSON *
evaluate(struct trial *t)
{
    cJSON *answer = cJSON_CreateObject();
    size_t n = 0;

    for (size_t d = 0; d < DIRECTIONS; d++) {
        for (size_t i = 0; i < t->ways[d].count; i++)
            t->all_ns[n++] = t->ways[d].times_ns[i];
    }
    mb_sort(t->all_ns, n);
    cJSON_AddStringToObject(answer, "status", "ok");
    cJSON_AddNumberToObject(answer, "wall_ns", round(mb_quantile(t->all_ns, n, 0.5)));
    cJSON_AddNumberToObject(answer, "ops", (double)n);
    add_quantiles(answer, t->all_ns, n);
    cJSON *metrics = cJSON_AddObjectToObject(answer, "metrics");
    for (size_t d = 0; d < DIRECTIONS; d++) {
        struct way *w = &t->ways[d];
        if (w->count == 0)
            continue;
        mb_sort(w->times_ns, w->count);
        add_metric(metrics, direction_names[d], "_median_ns", mb_quantile(w->times_ns, w->count, 0.5));
        add_metric(metrics, direction_names[d], "_worst_ns", w->times_ns[w->count - 1]);
    }
    mb_sort(t->floors_ns, t->floor_count);
    if (t->floor_count > 0)
        add_metric(metrics, "propagation_floor", "_ns", mb_quantile(t->floors_ns, t->floor_count, 0.5));
    add_metric(metrics, "changes_lost", "", (double)t->lost);
    add_metric(metrics, "changes_wrong", "", (double)t->wrong);
    return answer;
}

/* What was lost or wrong is said, and put on record once a cell. */
static int
judge(struct trial *t, struct mb_error *err)
{
    char limit[MB_FORMAT_MAX], expected[100], observed[700];

    if (t->lost == 0 && t->wrong == 0)
        return 0;
    snprintf(expected, sizeof expected, "every change seen as it was made, within %s",
             mb_format_duration((double)t->values[MB_PROPAGATION_LIMIT], limit));
    snprintf(observed, sizeof observed, "%llu of %zu lost, %llu seen wrong; %s", (unsigned long long)t->lost,
             t->ways[0].count + t->ways[1].count, (unsigned long long)t->wrong, t->trouble);
    mb_session_say(t->session, MB_RUN_WARNING, t->cell->name, observed);
    if (t->cell->host_said)
        return 0;
    t->cell->host_said = true;
    return mb_session_write(t->session, mb_record_check(t->cell->name, CHECK, "fail", expected, observed), err);
}

static void
clear(struct trial *t)
{
    for (size_t d = 0; d < DIRECTIONS; d++) {
        free(t->ways[d].writer_dir);
        free(t->ways[d].reader_dir);
        free(t->ways[d].times_ns);
    }
    free(t->floors_ns);
    free(t->all_ns);
}

static int
set_up(struct trial *t, struct mb_error *err)
{
    struct mb_station *st = t->cell->station;
    size_t n = (size_t)t->values[MB_PROPAGATION_CHANGES];

    t->floors_ns = calloc(2 * n, sizeof *t->floors_ns);
    t->all_ns = calloc(2 * n, sizeof *t->all_ns);
    for (size_t d = 0; d < DIRECTIONS; d++) {
        struct way *w = &t->ways[d];
        const char *suffix = d == TO_CONTAINER ? HOST_SUFFIX : "";
        w->wanted = t->values[MB_PROPAGATION_DIRECTION] == MB_DIRECTION_BOTH ||
                    (t->values[MB_PROPAGATION_DIRECTION] == MB_DIRECTION_TO_HOST) == (d == TO_HOST);
        w->writer = d == TO_CONTAINER ? &st->host.channel : &st->channel;
        w->reader = d == TO_CONTAINER ? &st->channel : &st->host.channel;
        w->writer_dir = path_of(t->cell, suffix, d == TO_CONTAINER, err);
        w->reader_dir = path_of(t->cell, suffix, d == TO_HOST, err);
        w->times_ns = calloc(n, sizeof *w->times_ns);
        if (w->writer_dir == NULL || w->reader_dir == NULL || w->times_ns == NULL)
            return mb_error_set(err, MB_EIO, "out of memory");
    }
    return t->floors_ns != NULL && t->all_ns != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
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
    struct trial t = {.session = s, .cell = cell, .values = job->workload->values, .job = job};
    struct mb_station *st = cell->station;

    t.deadline_ns = mb_now_ns() + job->timeout_ns;
    int rc = set_up(&t, err);
    if (rc == 0 && !st->host.open)
        rc = mb_error_set(err, MB_EIO, "%s", st->host.reason != NULL ? st->host.reason : "the host's side is gone");
    if (rc == 0)
        rc = make_changes(&t, err);
    if (rc == 0)
        rc = judge(&t, err);
    if (rc == 0)
        *answer = evaluate(&t);
    /* A probe that could not do something answers so, and that is MB_EIO; anything else is its own trouble. */
    bool trouble = rc != 0 && t.asked != NULL && err->code != MB_EIO;
    if (!trouble)
        remove_files(&t);
    clear(&t);
    if (rc == 0 || (rc != 0 && err->code == MB_EINTERRUPT) || (trouble && t.asked == &st->channel))
        return rc;
    if (trouble)
        mb_host_side_drop(st, err->message);
    *answer = failed_answer(err);
    mb_error_clear(err);
    return 0;
}
