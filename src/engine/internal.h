/*
 * internal.h: what the files of typed calls share: the engine, and one JSON call on it.
 */
#ifndef MB_ENGINE_INTERNAL_H
#define MB_ENGINE_INTERNAL_H

#include "engine/http.h"
#include "engine/json.h"
#include "mountbench/engine.h"

struct mb_engine {
    struct mb_endpoint endpoint;
    struct mb_engine_facts facts;
    struct mb_http *http;
    unsigned timeout_ms; /* of an ordinary call */
    bool version_forced; /* by DOCKER_API_VERSION */
};

/*
 * mb_engine_open_patiently(endpoint, ping_ms, timeout_ms, out, err):
 * As mb_engine_open, but the very first answer must come within ${ping_ms}.
 */
int mb_engine_open_patiently(const struct mb_endpoint *endpoint, unsigned ping_ms, unsigned timeout_ms, struct mb_engine **out,
                             struct mb_error *err);

/* One call.  ${path} is without the version; ${tolerated} is one status above 299 that is no failure, 0 for none. */
struct mb_call {
    const char *to; /* "start the container": for "cannot start the container: ENGINE'S WORDS" */
    const char *method;
    const char *path;
    const cJSON *json;   /* body, or NULL */
    unsigned timeout_ms; /* 0: the engine's ordinary limit */
    int tolerated;
    bool makes; /* as in struct mb_http_request */
};

/*
 * mb_engine_call(engine, call, answer, err):
 * Do it.  *${answer} (${answer} may be NULL) is the answer's tree, to be freed, or NULL for an empty answer and after a tolerated
 * status. Returns the HTTP status, or -1: a refusal is MB_EENGINE with the engine's own words.
 */
int mb_engine_call(struct mb_engine *engine, const struct mb_call *call, cJSON **answer, struct mb_error *err);

/* mb_engine_path(engine, path): the path with the negotiated version before it, malloc'd; NULL without memory. */
char *mb_engine_path(const struct mb_engine *engine, const char *path);

/* mb_engine_refused(engine, to, status, body, err): fill ${err} from a refusal whose body is ${body}; returns -1. */
int mb_engine_refused(const struct mb_engine *engine, const char *to, int status, const struct mb_buffer *body,
                      struct mb_error *err);

/* mb_is_podman(engine): whether it is podman, on this machine or in one of its own. */
bool mb_is_podman(const struct mb_engine *engine);

/* mb_path_part(b, text): append ${text} with everything escaped that a path or a query value may not hold. */
void mb_path_part(struct mb_buffer *b, const char *text);

/* mb_engine_strdup(to, text): a copy of ${text} in *${to}; 0, or -1 (and NULL there) without memory. */
int mb_engine_strdup(char **to, const char *text);

/* mb_labels_json(labels): {"org.mountbench":"1",...}, NULL without memory. */
cJSON *mb_labels_json(const struct mb_labels *labels);

#endif
