/* stage.c: mounts into place, room for what will be written, data laid out; and all of it away again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "mountbench/signals.h"
#include "runner/exec.h"
#include "runner/expect.h"
#include "runner/host_visible.h"
#include "runner/propagation.h"
#include "runner/session.h"

/* A slow mount still gets a trial's bytes and operations through in this time, or it is taken to hang. */
#define SLOWEST_BYTES_PER_SECOND UINT64_C(262144)
#define SLOWEST_OPS_PER_SECOND UINT64_C(50)
#define TIMEOUT_FLOOR_NS (UINT64_C(60) * 1000000000)
#define TIMEOUT_EXEC_NS (UINT64_C(600) * 1000000000) /* of a command nothing is known */
#define TIMEOUT_CEILING_NS (UINT64_C(3600) * 1000000000)
/* How long a trial that is thrown away may go on before its container goes. */
#define SETTLE_MS 1000

static uint64_t
trial_timeout_ns(const struct mb_session *s, const struct mb_run_cell *cell)
{
    const struct mb_workload_spec *w = &s->matrix->workloads[cell->spec->workload];

    if (s->options->timeout_ns > 0)
        return s->options->timeout_ns;
    if (w->timeout_ns > 0)
        return w->timeout_ns;
    if (w->exec != NULL)
        return TIMEOUT_EXEC_NS;
    uint64_t seconds = cell->footprint.io_bytes / SLOWEST_BYTES_PER_SECOND + cell->footprint.ops / SLOWEST_OPS_PER_SECOND;
    if (seconds > TIMEOUT_CEILING_NS / 1000000000)
        return TIMEOUT_CEILING_NS;
    return TIMEOUT_FLOOR_NS + seconds * 1000000000;
}

static void
describe_mount(const struct mb_station *st, char *out, size_t size)
{
    char technology[MB_TECHNOLOGY_MAX];
    const char *fstype = st->facts.fstype;

    if (strcmp(mb_technology_name(&st->facts, technology), fstype) == 0)
        snprintf(out, size, "%s from %s", fstype, st->facts.source);
    else
        snprintf(out, size, "%s (%s from %s)", technology, fstype, st->facts.source);
}

/* What the matrix says that a mount is: its own word, or for a shared directory the engine's. */
static const cJSON *
expectation(const struct mb_session *s, const struct mb_station *st)
{
    if (st->spec->expect != NULL || st->spec->type != MB_MOUNT_BIND)
        return st->spec->expect;
    return s->matrix->engines[st->engine_index].expect;
}

/* Hold a mount against what it was said to be; one that is something else measures something else, and is broken. */
static int
hold_to_label(struct mb_session *s, struct mb_station *st, struct mb_error *err)
{
    MB_AUTO_BUFFER expected = MB_BUFFER_INIT(512);
    MB_AUTO_BUFFER observed = MB_BUFFER_INIT(1024);
    MB_AUTO_BUFFER reason = MB_BUFFER_INIT(2048);
    const cJSON *expect = expectation(s, st);

    if (expect == NULL || st->status != MB_STATION_READY)
        return 0;
    if (mb_expect_print(expect, &expected, err) != 0)
        return -1;
    const char *kernel = st->engine != NULL ? mb_engine_facts(st->engine)->kernel : NULL;
    st->contradicted = !mb_expect_holds(mb_buffer_text(&expected), &st->facts, kernel, &observed);
    mb_buffer_printf(&reason, "labelled %s, is %s", mb_buffer_text(&expected), mb_buffer_text(&observed));
    st->expected = mb_buffer_steal(&expected);
    st->observed = mb_buffer_steal(&observed);
    if (st->contradicted) {
        st->status = MB_STATION_BROKEN;
        st->reason = mb_buffer_steal(&reason);
    }
    return st->expected != NULL && st->observed != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

static int
open_station(struct mb_session *s, struct mb_station *st, struct mb_error *err)
{
    char name[256], text[512];

    snprintf(name, sizeof name, "%s/%s", s->matrix->engines[st->engine_index].name, st->spec->name);
    snprintf(text, sizeof text, "mounting %s", name);
    mb_session_say(s, MB_RUN_WAITING, name, text);
    if ((st->exec != NULL && mb_exec_provide(s, st, err) != 0) ||
        (st->status == MB_STATION_NEW && st->spec->sync != NULL && mb_sync_provide(s, st, err) != 0))
        return -1;
    if ((st->status == MB_STATION_NEW && mb_station_open(st, err) != 0) || hold_to_label(s, st, err) != 0)
        return mb_error_prefix(err, "%s", name);
    if (st->status == MB_STATION_READY) {
        describe_mount(st, text, sizeof text);
        mb_session_say(s, MB_RUN_MOUNT_READY, name, text);
    } else {
        mb_session_say(s, st->status == MB_STATION_BROKEN ? MB_RUN_MOUNT_BROKEN : MB_RUN_MOUNT_UNAVAILABLE, name, st->reason);
    }
    return 0;
}

/* What the cells of one filesystem need together: prepared data lies side by side, of the rest one trial at a time. */
static uint64_t
bytes_needed(const struct mb_session *s, const struct mb_station *like, const struct mb_run_cell **largest)
{
    uint64_t prepared = 0, transient = 0, most = 0;

    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        const struct mb_run_cell *c = &s->cells[i];
        if (c->station == NULL || c->station->status != MB_STATION_READY || c->station->facts.device == NULL ||
            strcmp(c->station->facts.device, like->facts.device) != 0 || c->station->engine_index != like->engine_index)
            continue;
        uint64_t need = c->footprint.disk_bytes;
        if (s->matrix->workloads[c->spec->workload].kind->needs_prepare)
            prepared += need;
        else if (need > transient)
            transient = need;
        if (need > most) {
            most = need;
            *largest = c;
        }
    }
    return prepared + transient;
}

/* Checked before anything is written: a full disk in the middle of a run helps nobody. */
static int
check_space(const struct mb_session *s, struct mb_error *err)
{
    char need_text[MB_FORMAT_MAX], free_text[MB_FORMAT_MAX], most_text[MB_FORMAT_MAX];

    for (size_t i = 0; i < s->station_count; i++) {
        const struct mb_station *st = &s->stations[i];
        const struct mb_run_cell *largest = NULL;
        if (st->status != MB_STATION_READY || st->facts.total_bytes == 0)
            continue;
        uint64_t need = bytes_needed(s, st, &largest);
        if (largest == NULL || need <= st->facts.available_bytes)
            continue;
        return mb_error_set(err, MB_ECONFIG,
                            "%s/%s: its workloads need %s at once and the filesystem has %s free; the largest is '%s' with %s: "
                            "make it smaller, or leave it out with --workload or --mount",
                            s->matrix->engines[st->engine_index].name, st->spec->name, mb_format_size(need, need_text),
                            mb_format_size(st->facts.available_bytes, free_text),
                            s->matrix->workloads[largest->spec->workload].name,
                            mb_format_size(largest->footprint.disk_bytes, most_text));
    }
    return 0;
}

static int
write_check(struct mb_session *s, const struct mb_run_cell *cell, struct mb_error *err)
{
    const struct mb_station *st = cell->station;

    if (st == NULL || st->expected == NULL)
        return 0;
    return mb_session_write(s, mb_record_check(cell->name, "mount", st->contradicted ? "fail" : "pass", st->expected, st->observed),
                            err);
}

static int
write_cell(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err)
{
    const struct mb_station *st = cell->station;
    const struct mb_run_engine *engine = &s->engines[cell->spec->engine];
    enum mb_cell_status status = MB_CELL_READY;
    const char *reason = NULL;

    if (st == NULL || engine->reason != NULL) {
        status = MB_CELL_UNAVAILABLE;
        reason = engine->reason;
    } else if (st->status == MB_STATION_UNAVAILABLE) {
        status = MB_CELL_UNAVAILABLE;
        reason = st->reason;
    } else if (st->status == MB_STATION_BROKEN) {
        status = MB_CELL_SKIPPED;
        reason = st->reason;
        cell->failed = true;
    }
    cell->active = cell->available = status == MB_CELL_READY;
    if (status != MB_CELL_READY && cell->kept > 0 && cell->recorded) {
        /* It was there in an earlier pass, and its samples are kept. */
        cell->available = cell->failed = true;
        mb_session_say(s, MB_RUN_WARNING, cell->name, reason);
        return 0;
    }
    cell->recorded = true;
    return mb_session_write(
        s, mb_record_cell(s->matrix, cell->spec, status, reason, st != NULL && st->facts.fstype != NULL ? &st->facts : NULL), err);
}

/* The cell is out; that its mount cannot do it (O_DIRECT refused, say) is no failure. */
static int
take_out(struct mb_session *s, struct mb_run_cell *cell, bool unsupported, const char *reason, struct mb_error *err)
{
    cell->active = cell->available = false;
    cell->failed = !unsupported;
    mb_session_say(s, MB_RUN_WARNING, cell->name, reason);
    return mb_session_write(
        s,
        mb_record_cell(s->matrix, cell->spec, unsupported ? MB_CELL_UNAVAILABLE : MB_CELL_SKIPPED, reason, &cell->station->facts),
        err);
}

static const char *
status_of(const cJSON *answer)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, "status"));
}

bool
mb_cell_ok(const cJSON *answer)
{
    return strcmp(status_of(answer), "ok") == 0;
}

bool
mb_cell_unsupported(const cJSON *answer)
{
    return strcmp(status_of(answer), "unsupported") == 0;
}

int
mb_cell_unavailable(struct mb_session *s, struct mb_run_cell *cell, const char *reason, struct mb_error *err)
{
    return take_out(s, cell, cell->station->status != MB_STATION_BROKEN, reason, err);
}

int
mb_cell_refuse(struct mb_session *s, struct mb_run_cell *cell, const cJSON *answer, struct mb_error *err)
{
    const char *reason = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, "reason"));

    return take_out(s, cell, mb_cell_unsupported(answer), reason != NULL ? reason : "the probe gave no reason", err);
}

int
mb_cell_prepare(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err)
{
    const struct mb_job_spec job = {.id = ++s->job_id,
                                    .workload = &s->matrix->workloads[cell->spec->workload],
                                    .dir = cell->dir,
                                    .data_seed = MB_DATA_SEED,
                                    .timeout_ns = cell->timeout_ns};
    cJSON *answer;

    if (cell->station->status == MB_STATION_BROKEN)
        return take_out(s, cell, false, cell->station->reason, err);
    mb_session_say(s, MB_RUN_PREPARING, cell->name, "");
    if (mb_client_job(&cell->station->channel, "prepare", &job, &answer, err) != 0) {
        if (err->code == MB_EINTERRUPT)
            return -1;
        mb_station_broke(cell->station, err);
        mb_error_clear(err);
        return take_out(s, cell, false, cell->station->reason, err);
    }
    int rc = mb_cell_ok(answer) ? 0 : mb_cell_refuse(s, cell, answer, err);
    cJSON_Delete(answer);
    return rc;
}

/* Where a cell works in its mount. */
static int
name_directory(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err)
{
    MB_AUTO_BUFFER dir = MB_BUFFER_INIT(8192);

    mb_buffer_printf(&dir, "%s/mountbench-%s-w%zu", cell->station->base, s->id, cell->spec->workload);
    free(cell->dir);
    cell->dir = mb_buffer_steal(&dir);
    return cell->dir != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

/* Where no probe answers at all, there is nothing to measure with: that is an engine that cannot be used. */
static int
check_probes(const struct mb_session *s, struct mb_error *err)
{
    const struct mb_station *broken = NULL;

    for (size_t i = 0; i < s->station_count; i++) {
        const struct mb_station *st = &s->stations[i];
        if (st->status == MB_STATION_READY)
            return 0;
        /* Without a container the engine was not asked: the trouble is on this machine. */
        if (st->status == MB_STATION_BROKEN && st->container != NULL && st->exec == NULL && st->spec->type != MB_MOUNT_SYNC &&
            broken == NULL)
            broken = st;
    }
    if (broken == NULL)
        return 0;
    return mb_error_set(err, MB_ENOENGINE,
                        "%s/%s: %s; no mount works, so the engine may not run containers at all: see whether 'docker run' of any "
                        "image works there",
                        s->matrix->engines[broken->engine_index].name, broken->spec->name, broken->reason);
}

/* What was laid out is on both sides before anything is measured. */
static int
settle_stations(struct mb_session *s, struct mb_error *err)
{
    for (size_t i = 0; i < s->station_count; i++) {
        struct mb_station *st = &s->stations[i];
        if (st->status != MB_STATION_READY || mb_station_settle(st, err) == 0)
            continue;
        if (err->code == MB_EINTERRUPT)
            return -1;
        mb_station_broke(st, err);
        mb_error_clear(err);
    }
    return 0;
}

int
mb_stage_open(struct mb_session *s, struct mb_error *err)
{
    for (size_t i = 0; i < s->station_count; i++) {
        struct mb_station *st = &s->stations[i];
        if (st->status == MB_STATION_NEW && st->spec != NULL && st->image != NULL && open_station(s, st, err) != 0)
            return -1;
    }
    if (check_probes(s, err) != 0 || check_space(s, err) != 0)
        return -1;
    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        struct mb_run_cell *cell = &s->cells[i];
        if (!s->engines[s->matrix->cells[i].engine].current)
            continue;
        cell->timeout_ns = trial_timeout_ns(s, cell);
        if (write_cell(s, cell, err) != 0 || write_check(s, cell, err) != 0)
            return -1;
    }
    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        struct mb_run_cell *cell = &s->cells[i];
        if (cell->active && (name_directory(s, cell, err) != 0 || mb_cell_prepare(s, cell, err) != 0))
            return -1;
        if (cell->active && (mb_propagation_open(s, cell, err) != 0 || mb_host_visible_open(s, cell, err) != 0))
            return -1;
    }
    return settle_stations(s, err);
}

/*
 * Whether the probe listens.  A trial that an interrupt left going ends soon, or is stopped with its container: nobody waits
 * minutes for a measurement that is thrown away.
 */
static bool
listens(struct mb_station *st)
{
    struct mb_error why = {0};

    if (st->status != MB_STATION_READY)
        return false;
    if (mb_channel_settle(&st->channel, SETTLE_MS, &why) == 0)
        return true;
    mb_error_clear(&why);
    return mb_station_restart(st, &why) == 0 && st->status == MB_STATION_READY;
}

/* Ask the probe to remove what it made: in a bind that is root's, which the driver may not be. */
static void
clean_cells(struct mb_session *s)
{
    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        struct mb_run_cell *cell = &s->cells[i];
        struct mb_error ignored = {0};
        if (cell->station == NULL || cell->dir == NULL)
            continue;
        if (cell->station->spec->type == MB_MOUNT_LAYER || cell->station->spec->type == MB_MOUNT_TMPFS ||
            cell->station->spec->type == MB_MOUNT_VOLUME || cell->station->spec->type == MB_MOUNT_SYNC)
            continue; /* goes with the container or the volume, and what a sync tool brought to the host is the driver's own */
        mb_propagation_clean(s, cell);
        if (!listens(cell->station))
            continue;
        if (mb_client_cleanup(&cell->station->channel, cell->dir, 60000, &ignored) != 0)
            mb_session_say(s, MB_RUN_WARNING, cell->name, ignored.message);
    }
}

int
mb_stage_close(struct mb_session *s, struct mb_error *err)
{
    int rc = 0;

    mb_session_say(s, MB_RUN_CLEANING, NULL, "removing containers, volumes and files");
    clean_cells(s);
    for (size_t i = 0; i < s->station_count; i++) {
        struct mb_error step = {0};
        if (s->stations[i].spec != NULL && mb_station_close(&s->stations[i], &step) != 0) {
            char text[sizeof step.message + 64];
            snprintf(text, sizeof text, "%s; 'mountbench clean' removes it later", step.message);
            mb_session_say(s, MB_RUN_WARNING, NULL, text);
            if (rc == 0 && err != NULL)
                *err = step;
            rc = -1;
        }
    }
    return rc;
}
