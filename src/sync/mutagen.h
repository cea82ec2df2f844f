/* mutagen.h: what mutagen says of a session; no processes here. */
#ifndef MB_SYNC_MUTAGEN_H
#define MB_SYNC_MUTAGEN_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "mountbench/error.h"
#include "mountbench/matrix.h"

/*
 * mb_mutagen_judge(sessions, err):
 * Whether the one session in what `mutagen sync list --template '{{json .}}'` prints is well: 0, or -1 with what it says of a
 * conflict, a problem or a halt.
 */
int mb_mutagen_judge(const cJSON *sessions, struct mb_error *err);

#define MB_MUTAGEN_ARGUMENTS 60

struct mb_mutagen_ends {
    const char *name, *host, *container;
};

/* mb_mutagen_create(spec, ends, out): the command that makes the session, into ${out}[MB_MUTAGEN_ARGUMENTS + 1], ended by NULL. */
size_t mb_mutagen_create(const struct mb_sync_spec *spec, const struct mb_mutagen_ends *ends, const char **out);

#endif
