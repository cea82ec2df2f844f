/* negotiate.h: which API version to speak. */
#ifndef MB_ENGINE_NEGOTIATE_H
#define MB_ENGINE_NEGOTIATE_H

#include "mountbench/error.h"

/* What the calls in this folder are written for and tested with. */
#define MB_API_OLDEST "1.24"
#define MB_API_NEWEST "1.51"

/*
 * mb_negotiate(newest, oldest, forced, out, err):
 * The version for an engine that accepts ${oldest} ("" where it does not say) to ${newest}: the newest that both sides know, or
 * ${forced} (DOCKER_API_VERSION; NULL or "" for none) where the engine accepts that.  Written to ${out}[16].
 */
int mb_negotiate(const char *newest, const char *oldest, const char *forced, char out[16], struct mb_error *err);

#endif
