/* share.h: how host folders reach an engine, without starting a container. */
#ifndef MB_ENGINE_SHARE_H
#define MB_ENGINE_SHARE_H

#include <stddef.h>

#include "mountbench/engine.h"

/*
 * mb_share_of(endpoint, facts, out, size):
 * "direct" where the engine runs on this very machine, else what the runtime's own settings say ("virtiofs", "9p", "reverse-sshfs",
 * "gRPC FUSE"), else "".  What a mount really is, the probe tells.  Returns ${out}.
 */
const char *mb_share_of(const struct mb_endpoint *endpoint, const struct mb_engine_facts *facts, char *out, size_t size);

#endif
