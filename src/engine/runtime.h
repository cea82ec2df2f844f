/* runtime.h: what an engine says of itself, and which product that makes it. */
#ifndef MB_ENGINE_RUNTIME_H
#define MB_ENGINE_RUNTIME_H

#include <cjson/cJSON.h>

#include "mountbench/engine.h"

/*
 * mb_runtime_recognise(version, info, libpod, facts, err):
 * Fill ${facts} (all but api_version) from the answers to /version and /info and the header Libpod-Api-Version of /_ping (""
 * without). Pure.  Free with mb_runtime_facts_clear.
 */
int mb_runtime_recognise(const cJSON *version, const cJSON *info, const char *libpod, struct mb_engine_facts *facts,
                         struct mb_error *err);
void mb_runtime_facts_clear(struct mb_engine_facts *facts);

#endif
