/*
 * passes.c: the stages of a run, one after the other, as often as the matrix has passes.
 *
 * Engines that are simply there are one stage: their cells are interleaved.  An engine whose runtime is started and stopped for the
 * run is a stage of its own, with its own mounts and its own host baseline, so that it is alone on the machine while it is
 * measured. The rounds are split over the passes: A B A B, so that a drift of the machine shows as a difference between passes and
 * is not taken for one between engines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/signals.h"
#include "runner/expect.h"
#include "runner/image.h"
#include "runner/session.h"

#define PROVE_MS 60000

static bool
needs_engine(const struct mb_matrix *m, size_t engine)
{
    for (size_t i = 0; i < m->cell_count; i++) {
        if (m->cells[i].engine == engine && m->mounts[m->cells[i].mount].type != MB_MOUNT_HOST)
            return true;
    }
    return false;
}

static void
tell(void *context, const char *what)
{
    mb_session_say(context, MB_RUN_WAITING, NULL, what);
}

/* The probe with nothing to do: it starts, finds its input at an end, and is done. */
static int
run_trivial(struct mb_engine *engine, const struct mb_session *s, const char *image, struct mb_error *err)
{
    char name[128];
    char *id = NULL;
    int code = 0;

    snprintf(name, sizeof name, "mountbench-%s-first", s->id);
    const struct mb_container_spec spec = {.name = name, .image = image, .network_none = true, .labels = {.run = s->id}};
    if (mb_container_create(engine, &spec, &id, err) != 0)
        return -1;
    int rc = mb_container_start(engine, id, err);
    if (rc == 0)
        rc = mb_container_wait(engine, id, PROVE_MS, &code, err);
    if (rc == 0 && code != 0)
        rc = mb_error_set(err, MB_EENGINE, "a trivial container ended with status %d", code);
    mb_signals_shield(true);
    if (mb_container_remove(engine, id, rc == 0 ? err : NULL) != 0)
        rc = -1;
    mb_signals_shield(false);
    free(id);
    return rc;
}

static int
prove(void *context, struct mb_engine *engine, struct mb_error *err)
{
    const struct mb_session *s = context;
    char *image = NULL;

    if (mb_image_ensure(engine, s->id, &image, err) != 0)
        return -1;
    int rc = run_trivial(engine, s, image, err);
    mb_signals_shield(true);
    mb_image_remove(engine, image, NULL);
    mb_signals_shield(false);
    free(image);
    return rc;
}

static int
give_up(struct mb_session *s, struct mb_run_engine *e, struct mb_error *err)
{
    if (err->code == MB_EINTERRUPT)
        return -1;
    e->reason = strdup(err->message);
    e->failure = err->code;
    mb_error_clear(err);
    mb_session_say(s, MB_RUN_ENGINE_UNAVAILABLE, e->spec->name, e->reason);
    return e->reason != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

/* Words that are wrong end the run before anything is done. */
static int
check_words(const struct mb_matrix *m, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(4096);

    for (size_t i = 0; i < m->engine_count; i++) {
        if (mb_provider_check(&m->engines[i], err) != 0)
            return -1;
        if (m->engines[i].expect != NULL && mb_expect_print(m->engines[i].expect, &text, err) != 0)
            return mb_error_prefix(err, "engine '%s'", m->engines[i].name);
    }
    for (size_t i = 0; i < m->mount_count; i++) {
        if (m->mounts[i].expect != NULL && mb_expect_print(m->mounts[i].expect, &text, err) != 0)
            return mb_error_prefix(err, "mount '%s'", m->mounts[i].name);
    }
    return 0;
}

/* Find the runtimes before any is touched; one that is not installed is unavailable. */
static int
look_around(struct mb_session *s, struct mb_error *err)
{
    if (check_words(s->matrix, err) != 0)
        return -1;
    s->watch = (struct mb_provider_watch){tell, prove, s};
    s->providers = mb_providers_new(&s->watch, err);
    if (s->providers == NULL)
        return -1;
    for (size_t i = 0; i < s->matrix->engine_count; i++) {
        struct mb_run_engine *e = &s->engines[i];
        e->spec = &s->matrix->engines[i];
        e->wanted = needs_engine(s->matrix, i);
        e->managed = e->wanted && mb_provider_manages(e->spec);
        s->passes = e->managed && s->matrix->passes > s->passes ? s->matrix->passes : s->passes;
    }
    if (s->passes == 0 || s->passes > s->matrix->rounds)
        s->passes = s->passes == 0 ? 1 : s->matrix->rounds;
    for (size_t i = 0; i < s->matrix->engine_count; i++) {
        struct mb_run_engine *e = &s->engines[i];
        if (e->managed && mb_providers_look(s->providers, e->spec, err) != 0 && give_up(s, e, err) != 0)
            return -1;
    }
    return 0;
}

/* Open one engine and bring the probe's image to it; why it cannot be had is kept with it. */
static int
open_engine(struct mb_session *s, struct mb_run_engine *e, struct mb_error *err)
{
    const char *word = NULL;
    char text[256];

    if (e->managed && mb_providers_up(s->providers, e->spec, &word, err) != 0)
        return give_up(s, e, err);
    e->up = e->managed;
    if (mb_session_open_engine(s, e, word, err) != 0)
        return give_up(s, e, err);
    const struct mb_engine_facts *f = mb_engine_facts(e->engine);
    snprintf(text, sizeof text, "%s %s, API %s, %s", mb_runtime_title(f->runtime), f->engine_version, f->api_version, f->arch);
    mb_session_say(s, MB_RUN_ENGINE_READY, e->spec->name, text);
    return 0;
}

/* *${any}: whether there is something to measure: an engine that is open, or none needed. */
static int
open_engines(struct mb_session *s, bool *any, struct mb_error *err)
{
    size_t wanted = 0, open = 0;

    for (size_t i = 0; i < s->matrix->engine_count; i++) {
        struct mb_run_engine *e = &s->engines[i];
        if (!e->current || !e->wanted)
            continue;
        wanted++;
        if (e->reason == NULL && open_engine(s, e, err) != 0)
            return -1;
        open += e->image != NULL;
    }
    *any = wanted == 0 || open > 0;
    return 0;
}

/* What was measured before is not measured again, and its machine not started for it. */
static bool
is_done(const struct mb_session *s, unsigned from, unsigned to)
{
    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        const struct mb_run_cell *c = &s->cells[i];
        for (unsigned round = from; s->engines[s->matrix->cells[i].engine].current && round < to; round++) {
            if (c->done == NULL || !c->done[round])
                return false;
        }
    }
    return true;
}

/* The stage's cells take no part in this pass. */
static void
pass_over(struct mb_session *s, unsigned trials)
{
    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        struct mb_run_cell *c = &s->cells[i];
        const struct mb_run_engine *e = &s->engines[s->matrix->cells[i].engine];
        if (!e->current)
            continue;
        s->done += trials;
        c->available = c->available || e->reason == NULL; /* measured before */
        c->failed = c->failed || (e->reason != NULL && c->recorded);
    }
}

static void
close_stage(struct mb_session *s)
{
    mb_signals_shield(true);
    mb_session_close_stage(s);
    mb_signals_shield(false);
}

/* The engines that are current, for rounds [from, to). */
static int
run_stage(struct mb_session *s, unsigned from, unsigned to, struct mb_error *err)
{
    bool any;

    if (s->options->resume && is_done(s, from, to)) {
        pass_over(s, to - from + s->matrix->warmup);
        return 0;
    }
    if (open_engines(s, &any, err) != 0)
        return -1;
    if (!any) {
        pass_over(s, to - from + s->matrix->warmup);
        return 0;
    }
    if (mb_session_begin_stage(s, err) != 0 || mb_stage_open(s, err) != 0)
        return -1;
    return mb_stage_rounds(s, from, to, err);
}

/* Make stage ${stage} the current one: 0 is all engines that are simply there, the others one engine each; false: there is none. */
static bool
select_stage(struct mb_session *s, size_t stage)
{
    bool any = false;

    for (size_t i = 0; i < s->matrix->engine_count; i++) {
        struct mb_run_engine *e = &s->engines[i];
        e->current = stage == 0 ? !e->managed : e->managed && i == stage - 1;
        any = any || e->current;
    }
    return any;
}

static int
no_engine(const struct mb_session *s, struct mb_error *err)
{
    size_t wanted = 0;
    const struct mb_run_engine *last = NULL;

    for (size_t i = 0; i < s->matrix->engine_count; i++) {
        wanted += s->engines[i].wanted;
        last = s->engines[i].reason != NULL ? &s->engines[i] : last;
    }
    if (last == NULL)
        return mb_error_set(err, MB_ECONFIG, "the matrix has nothing to measure");
    enum mb_error_code code = last->failure == MB_EUSAGE || last->failure == MB_ECONFIG ? last->failure : MB_ENOENGINE;
    if (wanted == 1)
        return mb_error_set(err, code, "%s", last->reason);
    return mb_error_set(err, code, "none of %zu engines answered; the last, '%s': %s", wanted, last->spec->name, last->reason);
}

/* Cells whose stage never came to be are told of, too. */
static int
record_the_rest(struct mb_session *s, struct mb_error *err)
{
    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        const struct mb_run_cell *c = &s->cells[i];
        const char *reason = s->engines[s->matrix->cells[i].engine].reason;
        if (!c->recorded && reason != NULL &&
            mb_session_write(s, mb_record_cell(s->matrix, &s->matrix->cells[i], MB_CELL_UNAVAILABLE, reason, NULL), err) != 0)
            return -1;
    }
    return 0;
}

int
mb_passes(struct mb_session *s, struct mb_error *err)
{
    unsigned rounds = s->matrix->rounds;

    if (look_around(s, err) != 0)
        return -1;
    s->total = s->matrix->cell_count * (rounds + (size_t)s->matrix->warmup * s->passes);
    for (s->pass = 0; s->pass < s->passes; s->pass++) {
        unsigned from = rounds * s->pass / s->passes, to = rounds * (s->pass + 1) / s->passes;
        for (size_t stage = 0; stage <= s->matrix->engine_count; stage++) {
            if (!select_stage(s, stage))
                continue;
            /* The one before; the last is taken down with the run. */
            close_stage(s);
            if (run_stage(s, from, to, err) != 0)
                return -1;
        }
    }
    return s->writer != NULL ? record_the_rest(s, err) : no_engine(s, err);
}
