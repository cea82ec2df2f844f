/*
 * stand_in.h: stand-ins for runtimes' programs (tests/fixtures/provider/bin), which keep state in a directory and check their
 * arguments, with a fake engine that answers for all of them; and a run through the providers that they serve.
 */
#ifndef MB_TEST_STAND_IN_H
#define MB_TEST_STAND_IN_H

#include <stdbool.h>

#include "mountbench/provider.h"

/* mb_stand_in_start(): for a fixture: a fresh directory, which is HOME as well, a PATH that has the stand-ins, a fake engine. */
void mb_stand_in_start(void);
void mb_stand_in_stop(void);

/* Where the fake engine is. */
const char *mb_stand_in_url(void);
const char *mb_stand_in_socket(void);

/* mb_stand_in_path(name): of a file of the state; valid for some calls. */
const char *mb_stand_in_path(const char *name);
void mb_stand_in_put(const char *name, const char *content);
bool mb_stand_in_has(const char *name);
/* mb_stand_in_get(name): the content without its last newline, valid for some calls; "" when it is not there. */
const char *mb_stand_in_get(const char *name);
/* mb_stand_in_called(line): fails unless a stand-in was called like this. */
void mb_stand_in_called(const char *line);

/* mb_stand_in_spec(runtime, settings): an engine of a matrix at the fake engine; its settings as JSON, NULL for none. */
struct mb_engine_spec mb_stand_in_spec(const char *runtime, const char *settings);
void mb_stand_in_spec_clear(struct mb_engine_spec *spec);

/*
 * mb_stand_in_run(watch, specs, err):
 * A run: each of ${specs} (ended by NULL) up and down in turn, then all put back, whatever happened.  -1 with the error of the
 * first step that failed.
 */
int mb_stand_in_run(const struct mb_provider_watch *watch, const struct mb_engine_spec *const *specs, struct mb_error *err);
/* mb_stand_in_run_one(runtime, settings, err): the same for one. */
int mb_stand_in_run_one(const char *runtime, const char *settings, struct mb_error *err);

#endif
