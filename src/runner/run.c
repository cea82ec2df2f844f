/* run.c: the ladder of a run, up and down. */
#include "mountbench/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/signals.h"
#include "runner/exec.h"
#include "runner/image.h"
#include "runner/session.h"

/* An engine that says nothing for this long is none. */
#define OPEN_MS 15000

/* Mean cost of a trial so far, over all cells: what a cell costs that has had none yet. */
static uint64_t
mean_cost_ns(const struct mb_session *s)
{
    uint64_t sum = 0, n = 0;

    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        sum += s->cells[i].cost_ns;
        n += s->cells[i].trials;
    }
    return n > 0 ? sum / n : 0;
}

static uint64_t
time_left_ns(const struct mb_session *s)
{
    uint64_t mean = mean_cost_ns(s), left = 0;
    uint64_t each = s->matrix->rounds + (uint64_t)s->matrix->warmup * s->passes;

    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        const struct mb_run_cell *c = &s->cells[i];
        bool later = c->recorded ? c->available && s->pass + 1 < s->passes : s->engines[s->matrix->cells[i].engine].reason == NULL;
        if ((c->active || later) && c->trials < each)
            left += (each - c->trials) * (c->trials > 0 ? c->cost_ns / c->trials : mean);
    }
    return left;
}

void
mb_session_tell(const struct mb_session *s, struct mb_run_event *event)
{
    if (s->options->observer.tell == NULL)
        return;
    event->done = s->done;
    event->total = s->total;
    event->left_ns = s->cells != NULL ? time_left_ns(s) : 0;
    s->options->observer.tell(s->options->observer.context, event);
}

void
mb_session_say(const struct mb_session *s, enum mb_run_event_type type, const char *name, const char *text)
{
    struct mb_run_event event = {.type = type, .name = name != NULL ? name : "", .text = text != NULL ? text : ""};

    mb_session_tell(s, &event);
}

int
mb_session_write(struct mb_session *s, cJSON *record, struct mb_error *err)
{
    int rc = record != NULL ? mb_result_write(s->writer, record, err) : mb_error_set(err, MB_EIO, "out of memory");

    cJSON_Delete(record);
    return rc;
}

int
mb_session_open_engine(struct mb_session *s, struct mb_run_engine *e, const char *word, struct mb_error *err)
{
    const struct mb_engine_spec *spec = e->spec;
    struct mb_endpoint endpoint = {0};

    if (word == NULL)
        word = spec->endpoint != NULL ? spec->endpoint : spec->context;
    if (word == NULL)
        word = spec->runtime != NULL ? spec->runtime : spec->name;
    int rc = mb_endpoint_resolve(word, &endpoint, err);
    if (rc == 0) {
        mb_session_say(s, MB_RUN_WAITING, spec->name, "connecting to the engine");
        rc = mb_engine_open(&endpoint, OPEN_MS, &e->engine, err);
    }
    if (rc == 0)
        rc = mb_image_ensure(e->engine, s->id, &e->image, err);
    mb_endpoint_clear(&endpoint);
    return rc;
}

/* Stations and cells of the engines that are current. */
static int
lay_out_cells(struct mb_session *s, struct mb_error *err)
{
    const struct mb_matrix *m = s->matrix;

    for (size_t i = 0; i < s->station_count; i++) {
        struct mb_station *st = &s->stations[i];
        *st = (struct mb_station){.run = s->id, .workdir = &s->workdir, .channel = {.fd = -1}};
        st->engine_index = i / s->image_count / m->mount_count;
        st->mount_index = i / s->image_count % m->mount_count;
        st->image_number = i % s->image_count;
        st->number = s->pass * s->station_count + i;
    }
    for (size_t i = 0; i < m->cell_count; i++) {
        struct mb_run_cell *c = &s->cells[i];
        c->spec = &m->cells[i];
        if (!s->engines[c->spec->engine].current)
            continue;
        if (c->name == NULL)
            c->name = mb_matrix_cell_name(m, c->spec);
        const struct mb_workload_spec *w = &m->workloads[c->spec->workload];
        w->kind->footprint(w->values, &c->footprint);
        struct mb_run_engine *e = &s->engines[c->spec->engine];
        bool host = m->mounts[c->spec->mount].type == MB_MOUNT_HOST;
        if (c->name == NULL)
            return mb_error_set(err, MB_EIO, "out of memory");
        if (!host && e->image == NULL)
            continue; /* no station: unavailable with the engine's reason */
        size_t place = (c->spec->engine * m->mount_count + c->spec->mount) * s->image_count;
        c->station = &s->stations[place + mb_exec_number(m, c->spec->workload)];
        c->station->exec = w->exec;
        c->station->spec = &m->mounts[c->spec->mount];
        c->station->engine = host ? NULL : e->engine;
        c->station->image = host ? "" : e->image;
    }
    return 0;
}

static int
open_output(struct mb_session *s, struct mb_error *err)
{
    if (s->options->resume)
        return mb_result_append(s->options->output, &s->writer, err);
    if (mb_result_create(s->options->output, &s->writer, err) != 0)
        return -1;
    return mb_session_write(s, mb_record_run(s->options, s->id), err);
}

static int
write_engines(struct mb_session *s, struct mb_error *err)
{
    for (size_t i = 0; i < s->matrix->engine_count; i++) {
        const struct mb_run_engine *e = &s->engines[i];
        if (e->current && e->engine != NULL && mb_session_write(s, mb_record_engine(e->spec, e->engine), err) != 0)
            return -1;
    }
    return 0;
}

int
mb_session_begin_stage(struct mb_session *s, struct mb_error *err)
{
    if (s->workdir.path == NULL && mb_workdir_make(s->options->dir, s->id, "", &s->workdir, err) != 0)
        return -1;
    if (lay_out_cells(s, err) != 0)
        return -1;
    if (s->writer == NULL && open_output(s, err) != 0)
        return -1;
    return write_engines(s, err);
}

static void
count_outcome(struct mb_session *s)
{
    for (size_t i = 0; s->cells != NULL && i < s->matrix->cell_count; i++) {
        const struct mb_run_cell *c = &s->cells[i];
        if (c->failed)
            s->outcome->cells_failed++;
        else if (!c->available || c->kept == 0)
            s->outcome->cells_unavailable++;
        else
            s->outcome->cells_ready++;
    }
}

void
mb_session_close_stage(struct mb_session *s)
{
    bool open = false;

    for (size_t i = 0; i < s->station_count; i++)
        open = open || s->stations[i].spec != NULL;
    if (open)
        mb_stage_close(s, NULL);
    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        s->cells[i].station = NULL;
        s->cells[i].active = false;
    }
    for (size_t i = 0; i < s->station_count; i++)
        s->stations[i].spec = NULL;
    for (size_t i = 0; i < s->matrix->engine_count; i++) {
        struct mb_run_engine *e = &s->engines[i];
        struct mb_error step = {0}, down = {0};
        mb_exec_forget(s, e);
        if (e->image != NULL && mb_image_remove(e->engine, e->image, &step) != 0)
            mb_session_say(s, MB_RUN_WARNING, e->spec->name, step.message);
        mb_engine_close(e->engine);
        free(e->image);
        e->engine = NULL;
        e->image = NULL;
        if (e->up && mb_providers_down(s->providers, e->spec, &down) != 0)
            mb_session_say(s, MB_RUN_WARNING, e->spec->name, down.message);
        e->up = false;
    }
}

/*
 * Everything down again, whatever happened before; what fails is told and does not stop the rest.  -1 when a runtime of this
 * machine is not as it was found: that ends up in the run's own failure, which is shown in any case.
 */
static int
take_down(struct mb_session *s, struct mb_error *err)
{
    struct mb_error step = {0};

    mb_session_close_stage(s);
    for (size_t i = 0; i < s->matrix->engine_count; i++) {
        free(s->engines[i].reason);
        free(s->engines[i].images);
        free(s->engines[i].sync_images);
    }
    if (mb_workdir_remove(&s->workdir, &step) != 0)
        mb_session_say(s, MB_RUN_WARNING, NULL, step.message);
    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        free(s->cells[i].name);
        free(s->cells[i].dir);
        free(s->cells[i].figures);
        free(s->cells[i].done);
    }
    return mb_providers_restore(s->providers, err);
}

/* The run's own failure comes first, and keeps its exit status. */
static int
join_failures(int rc, const struct mb_error *restoring, struct mb_error *err)
{
    const struct mb_error first = *err;

    if (rc == 0)
        *err = *restoring;
    else
        mb_error_set(err, first.code, "%.900s; and %s", first.message, restoring->message);
    return -1;
}

int
mb_run(const struct mb_run_options *options, struct mb_run_outcome *out, struct mb_error *err)
{
    const struct mb_matrix *m = options->matrix;
    struct mb_session s = {.options = options, .matrix = m, .seed = options->seed, .started_ns = mb_now_ns(), .outcome = out};
    struct mb_error teardown = {0}, restoring = {0};

    *out = (struct mb_run_outcome){0};
    mb_run_id_new(s.id);
    s.engines = calloc(m->engine_count, sizeof *s.engines);
    s.image_count = mb_exec_count(m);
    s.station_count = m->engine_count * m->mount_count * s.image_count;
    s.stations = calloc(s.station_count, sizeof *s.stations);
    s.cells = calloc(m->cell_count, sizeof *s.cells);
    bool images = s.engines != NULL;
    for (size_t i = 0; images && i < m->engine_count; i++) {
        s.engines[i].images = calloc(s.image_count, sizeof *s.engines[i].images);
        s.engines[i].sync_images = calloc(m->mount_count, sizeof *s.engines[i].sync_images);
        images = s.engines[i].images != NULL && s.engines[i].sync_images != NULL;
    }
    int rc = !images || s.stations == NULL || s.cells == NULL ? mb_error_set(err, MB_EIO, "out of memory") : 0;
    if (rc == 0 && options->resume)
        rc = mb_resume(&s, err);
    if (rc == 0)
        rc = mb_passes(&s, err);
    mb_signals_shield(true);
    out->complete = rc == 0;
    out->interrupted = rc != 0 && err->code == MB_EINTERRUPT;
    if (s.writer != NULL) {
        count_outcome(&s);
        mb_precision_record(&s, &teardown);
        mb_session_write(&s, mb_record_end(rc == 0), &teardown);
    }
    if (s.cells != NULL && s.engines != NULL && s.stations != NULL && take_down(&s, &restoring) != 0)
        rc = join_failures(rc, &restoring, err);
    mb_result_close(s.writer);
    /* A file that says nothing would be in the way of the next attempt under its name. */
    if (rc != 0 && s.writer != NULL && !options->resume && s.done == 0 && !out->interrupted)
        unlink(options->output);
    mb_signals_shield(false);
    free(s.engines);
    free(s.stations);
    free(s.cells);
    return rc;
}
