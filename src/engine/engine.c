/* engine.c: open an engine: who is there, which version do we speak, what does it say of itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/context.h"
#include "engine/internal.h"
#include "engine/negotiate.h"
#include "engine/runtime.h"
#include "mountbench/clock.h"
#include "mountbench/signals.h"

#define ORDINARY_TIMEOUT_MS 60000
#define ANSWER_MAX (4u << 20)

/* What opening finds out on its way. */
struct greeting {
    struct mb_engine *engine;
    uint64_t start_ns;
    unsigned limit_ms; /* from the start, for what is being asked now */
    char newest[16], libpod[32];
    cJSON *version, *info;
};

static int
copy_endpoint(const struct mb_endpoint *from, struct mb_endpoint *to, struct mb_error *err)
{
    if (mb_endpoint_make(to, from->name, from->url, from->origin, err) != 0)
        return -1;
    to->tls = from->tls;
    to->tls_verify = from->tls_verify;
    to->ca = from->ca != NULL ? strdup(from->ca) : NULL;
    to->cert = from->cert != NULL ? strdup(from->cert) : NULL;
    to->key = from->key != NULL ? strdup(from->key) : NULL;
    if ((from->ca == NULL || to->ca != NULL) && (from->cert == NULL || to->cert != NULL) && (from->key == NULL || to->key != NULL))
        return 0;
    return mb_error_set(err, MB_EIO, "out of memory");
}

/* A call before the version is known, or one that has none. */
static int
ask(struct greeting *g, const char *method, const char *path, struct mb_http_reply *reply, struct mb_error *err)
{
    unsigned left = (unsigned)mb_deadline_left_ms(g->start_ns + (uint64_t)g->limit_ms * 1000000);
    struct mb_http_request request = {.method = method, .path = path, .timeout_ms = left > 0 ? left : 1, .limit_ms = g->limit_ms};

    return mb_http_call(g->engine->http, &request, reply, err);
}

static int
not_an_engine(const struct greeting *g, const char *path, const struct mb_http_reply *reply, struct mb_error *err)
{
    /* Go's TLS server says so to those who speak plainly. */
    if (reply->status == 400 && strstr(mb_buffer_text(&reply->body), "HTTPS server") != NULL)
        return mb_error_set(err, MB_ENOENGINE, "%s: the engine speaks TLS there: set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH",
                            g->engine->endpoint.url);
    return mb_error_set(err, MB_ENOENGINE, "%s: what answers there is no container engine (%s gave HTTP status %d: %.60s)",
                        g->engine->endpoint.url, path, reply->status, mb_buffer_text(&reply->body));
}

static int
ping(struct greeting *g, struct mb_error *err)
{
    struct mb_http_reply reply = {.body = MB_BUFFER_INIT(ANSWER_MAX)};
    int rc = ask(g, "HEAD", "/_ping", &reply, err);

    if (rc == 0 && reply.status != 200)
        rc = ask(g, "GET", "/_ping", &reply, err);
    /* What to do about a refusal here, /version tells; only a proxy's or another server's is final. */
    if (rc == 0 && (reply.status == 404 || reply.status == 400))
        rc = not_an_engine(g, "/_ping", &reply, err);
    memcpy(g->newest, reply.api_version, sizeof g->newest);
    memcpy(g->libpod, reply.libpod_version, sizeof g->libpod);
    mb_buffer_free(&reply.body);
    return rc;
}

/* GET ${path} as a JSON object. */
static int
ask_json(struct greeting *g, const char *path, cJSON **out, struct mb_error *err)
{
    struct mb_http_reply reply = {.body = MB_BUFFER_INIT(ANSWER_MAX)};
    int rc = ask(g, "GET", path, &reply, err);

    if (rc == 0 && reply.status >= 300 && g->newest[0] != '\0') {
        rc = mb_engine_refused(g->engine, "ask the engine what it is", reply.status, &reply.body, err);
    } else if (rc == 0) {
        *out = reply.status < 300 ? cJSON_ParseWithLength(mb_buffer_text(&reply.body), reply.body.len) : NULL;
        if (!cJSON_IsObject(*out))
            rc = not_an_engine(g, path, &reply, err);
    }
    mb_buffer_free(&reply.body);
    return rc;
}

static int
agree(struct greeting *g, char spoken[16], struct mb_error *err)
{
    const char *forced = getenv("DOCKER_API_VERSION"), *newest = mb_json_text(g->version, "ApiVersion");

    g->engine->version_forced = forced != NULL && *forced != '\0';
    if (*newest == '\0')
        newest = g->newest;
    if (mb_negotiate(newest, mb_json_text(g->version, "MinAPIVersion"), forced, spoken, err) != 0)
        return mb_error_prefix(err, "%s", g->engine->endpoint.url);
    return 0;
}

static int
greet(struct greeting *g, unsigned timeout_ms, struct mb_error *err)
{
    struct mb_engine *engine = g->engine;
    char spoken[16], path[32];

    if (ping(g, err) != 0)
        return -1;
    g->limit_ms = timeout_ms;
    if (ask_json(g, "/version", &g->version, err) != 0 || agree(g, spoken, err) != 0)
        return -1;
    snprintf(path, sizeof path, "/v%s/info", spoken);
    if (ask_json(g, path, &g->info, err) != 0 || mb_runtime_recognise(g->version, g->info, g->libpod, &engine->facts, err) != 0)
        return -1;
    char *copy = strdup(spoken);
    if (copy == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    free(engine->facts.api_version);
    engine->facts.api_version = copy;
    return 0;
}

int
mb_engine_open_patiently(const struct mb_endpoint *endpoint, unsigned ping_ms, unsigned timeout_ms, struct mb_engine **out,
                         struct mb_error *err)
{
    struct mb_engine *engine = calloc(1, sizeof *engine);
    struct greeting g = {.engine = engine, .start_ns = mb_now_ns(), .limit_ms = ping_ms};
    int rc = -1;

    *out = NULL;
    if (engine == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    engine->timeout_ms = ORDINARY_TIMEOUT_MS;
    if (copy_endpoint(endpoint, &engine->endpoint, err) == 0 && mb_http_open(&engine->endpoint, &engine->http, err) == 0)
        rc = greet(&g, timeout_ms, err);
    cJSON_Delete(g.version);
    cJSON_Delete(g.info);
    if (rc != 0) {
        mb_engine_close(engine);
        /* An engine that pings and then falls silent is no engine to whoever wants to open it. */
        if (err != NULL && (err->code == MB_ETIMEOUT || err->code == MB_EGONE || err->code == MB_EPROTOCOL))
            err->code = MB_ENOENGINE;
        return -1;
    }
    *out = engine;
    return 0;
}

int
mb_engine_open(const struct mb_endpoint *endpoint, unsigned timeout_ms, struct mb_engine **out, struct mb_error *err)
{
    return mb_engine_open_patiently(endpoint, timeout_ms, timeout_ms, out, err);
}

void
mb_engine_close(struct mb_engine *engine)
{
    if (engine == NULL)
        return;
    mb_http_close(engine->http);
    mb_endpoint_clear(&engine->endpoint);
    mb_runtime_facts_clear(&engine->facts);
    free(engine);
}

void
mb_engine_set_timeout(struct mb_engine *engine, unsigned timeout_ms)
{
    engine->timeout_ms = timeout_ms;
}

const struct mb_engine_facts *
mb_engine_facts(const struct mb_engine *engine)
{
    return &engine->facts;
}

const struct mb_endpoint *
mb_engine_endpoint(const struct mb_engine *engine)
{
    return &engine->endpoint;
}
