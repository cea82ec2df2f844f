/*
 * provider.h: runtimes that a run starts, configures, stops, and leaves as it found them.
 *
 * An engine of a matrix that names a `runtime` which is known here is one machine of it: a product's only one, or a profile, or an
 * instance.  A run first looks at all its machines, which changes nothing; then has one at a time up, all others stopped, so that
 * none disturbs another; and in the end puts back what it found: settings, what is running, and what did not exist before.
 */
#ifndef MB_PROVIDER_H
#define MB_PROVIDER_H

#include <stdbool.h>

#include "mountbench/buffer.h"
#include "mountbench/engine.h"
#include "mountbench/error.h"
#include "mountbench/matrix.h"

/* Who waits with us.  Both functions may be NULL. */
struct mb_provider_watch {
    void (*tell)(void *context, const char *what); /* what is being waited for or done, a few words */
    /* Run a trivial container: the last proof that an engine is ready.  Asked again until it succeeds or time is up. */
    int (*prove)(void *context, struct mb_engine *engine, struct mb_error *err);
    void *context;
};

/* mb_provider_manages(spec): whether ${spec} names a runtime that is started and stopped here. */
bool mb_provider_manages(const struct mb_engine_spec *spec);

/*
 * mb_provider_check(spec, err):
 * Whether ${spec}'s settings are ones that its runtime has, with values it takes; nothing is run.  A wrong one is MB_ECONFIG with
 * the nearest name and the list there is.  Settings for a runtime that is not managed are wrong too.
 */
int mb_provider_check(const struct mb_engine_spec *spec, struct mb_error *err);

/*
 * mb_provider_plan(spec, out, err):
 * Append to ${out} what a run would change on this machine for ${spec}, a line of text each: what is there now (looked at, not
 * touched), what would be set, and what would be put back.  A runtime that is not installed is a line that says how to get it, and
 * no error.
 */
int mb_provider_plan(const struct mb_engine_spec *spec, struct mb_buffer *out, struct mb_error *err);

struct mb_providers;

/* mb_providers_new(watch, err): the machines of one run, none yet.  ${watch} outlives it.  NULL without memory. */
struct mb_providers *mb_providers_new(const struct mb_provider_watch *watch, struct mb_error *err);

/*
 * mb_providers_look(p, spec, err):
 * Take the machine of ${spec} (managed, and living as long as ${p}) into ${p} and look at what is there; nothing is changed.  -1
 * when it cannot be had: not installed, too old, not understood.
 */
int mb_providers_look(struct mb_providers *p, const struct mb_engine_spec *spec, struct mb_error *err);

/*
 * mb_providers_up(p, spec, word, err):
 * Stop the other machines of ${p}, apply ${spec}'s settings, start its machine, and wait until a trivial container runs, for its
 * ready_timeout at most.  *${word} (valid until mb_providers_down) is for mb_endpoint_resolve.  On -1 the machine has been stopped
 * again as far as it goes.
 */
int mb_providers_up(struct mb_providers *p, const struct mb_engine_spec *spec, const char **word, struct mb_error *err);

/* mb_providers_down(p, spec, err): stop the machine; one that is not up is no error.  On -1 the message says what to run. */
int mb_providers_down(struct mb_providers *p, const struct mb_engine_spec *spec, struct mb_error *err);

/*
 * mb_providers_restore(p, err):
 * Make everything as it was found, and free ${p} (NULL: nothing).  All of it is tried; on -1 the message names each runtime that is
 * not as it was, why, and exactly what to run.  Call it shielded from interrupts.
 */
int mb_providers_restore(struct mb_providers *p, struct mb_error *err);

#endif
