/* endpoint.c: from a person's word to an address, in the docker command's order of precedence. */
#include "mountbench/endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/context.h"
#include "engine/known.h"
#include "engine/user.h"
#include "mountbench/buffer.h"
#include "mountbench/parse.h"

void
mb_endpoint_clear(struct mb_endpoint *endpoint)
{
    free(endpoint->name);
    free(endpoint->url);
    free(endpoint->origin);
    free(endpoint->ca);
    free(endpoint->cert);
    free(endpoint->key);
    memset(endpoint, 0, sizeof *endpoint);
}

static const char *
environment(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

static int
unknown_scheme(const char *url, const char *origin, struct mb_error *err)
{
    static const char *const schemes[] = {"unix", "tcp", "http", "https", "ssh", NULL};
    char scheme[32];

    snprintf(scheme, sizeof scheme, "%.*s", (int)(strstr(url, "://") - url), url);
    const char *near = mb_nearest(scheme, schemes);
    return mb_error_set(err, MB_ECONFIG, "%s: %s: unknown scheme '%s' (%s%s%s)", origin, url, scheme,
                        near != NULL ? "did you mean '" : "unix, tcp, http, https and ssh are known", near != NULL ? near : "",
                        near != NULL ? "'?" : "");
}

/* A URL from the command line, a matrix or DOCKER_HOST: TLS is what the environment says. */
static int
from_url(const char *name, const char *url, const char *origin, struct mb_endpoint *out, struct mb_error *err)
{
    static const char *const schemes[] = {"unix://", "tcp://", "http://", "https://", "ssh://"};
    const char *rest = NULL, *directory = environment("DOCKER_CERT_PATH");
    char config[480];

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0] && rest == NULL; i++) {
        if (strncmp(url, schemes[i], strlen(schemes[i])) == 0)
            rest = url + strlen(schemes[i]);
    }
    if (rest == NULL)
        return unknown_scheme(url, origin, err);
    if (*rest == '\0' || (strncmp(url, "unix://", 7) == 0 && *rest != '/'))
        return mb_error_set(err, MB_ECONFIG, "%s: %s: %s", origin, url,
                            strncmp(url, "unix", 4) == 0 ? "an absolute path must follow, as in unix:///run/docker.sock"
                                                         : "a host must follow, as in tcp://127.0.0.1:2375");
    if (mb_endpoint_make(out, name, url, origin, err) != 0)
        return -1;
    bool verify = environment("DOCKER_TLS_VERIFY") != NULL, https = strncmp(url, "https://", 8) == 0;
    if (!https && (strncmp(url, "tcp://", 6) != 0 || (!verify && environment("DOCKER_TLS") == NULL)))
        return 0;
    if (directory == NULL)
        directory = mb_user_docker_config(config, sizeof config);
    if (mb_endpoint_tls(out, directory, verify || https, err) == 0)
        return 0;
    mb_endpoint_clear(out);
    return -1;
}

/* Make ${out}, under the name of ${word}, of the context called ${name}; 1 where there is none. */
static int
from_context(const char *word, const char *name, struct mb_endpoint *out, struct mb_error *err)
{
    char *called = strdup(word);
    struct mb_endpoint *contexts = NULL;
    size_t n = 0;
    int rc = 1;

    if (called == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    if (mb_contexts(&contexts, &n, err) != 0) {
        free(called);
        return -1;
    }
    for (size_t i = 0; i < n && rc != 0; i++) {
        if (strcmp(contexts[i].name, name) == 0) {
            *out = contexts[i];
            memset(&contexts[i], 0, sizeof contexts[i]);
            free(out->name);
            out->name = called;
            called = NULL;
            rc = 0;
        }
    }
    mb_endpoints_free(contexts, n);
    free(called);
    return rc;
}

static int
from_known(const char *name, const struct mb_known_socket *known, struct mb_endpoint *out, struct mb_error *err)
{
    char url[280], origin[96];

    snprintf(url, sizeof url, "unix://%s", known->path);
    snprintf(origin, sizeof origin, "socket of %s", known->name);
    return mb_endpoint_make(out, name, url, origin, err);
}

/* The first of the known sockets that answers to ${word} (NULL: to anything) and exists; else the first that answers to it; 1:
 * none. */
static int
from_sockets(const char *name, const char *word, struct mb_endpoint *out, struct mb_error *err)
{
    struct mb_known_socket *known, instance;
    const struct mb_known_socket *best = NULL;
    size_t n;

    if (mb_known_sockets(&known, &n, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        bool fits = word == NULL || strcmp(known[i].name, word) == 0 || strcmp(known[i].runtime, word) == 0;
        if (fits && (best == NULL || (!best->exists && (known[i].exists || (!best->this_system && known[i].this_system)))))
            best = &known[i];
    }
    if (best == NULL && word != NULL && mb_known_instance(word, &instance))
        best = &instance;
    int rc = best != NULL ? from_known(name, best, out, err) : 1;
    free(known);
    return rc;
}

static int
no_such_context(const char *name, const char *origin, struct mb_error *err)
{
    char config[480];
    return mb_error_set(err, MB_ECONFIG, "%s: there is no context '%s' in %s/contexts; 'mountbench engines' lists what there is",
                        origin, name, mb_user_docker_config(config, sizeof config));
}

/* What `docker` would talk to. */
static int
resolve_default(const char *name, struct mb_endpoint *out, struct mb_error *err)
{
    const char *host = environment("DOCKER_HOST"), *context = environment("DOCKER_CONTEXT");
    struct mb_error failure = {0};
    int rc;

    if (host != NULL && strstr(host, "://") == NULL)
        return mb_error_set(err, MB_ECONFIG, "DOCKER_HOST: '%s' is no address: unix:///path, tcp://host:port or ssh://user@host",
                            host);
    if (host != NULL)
        return from_url(name, host, "DOCKER_HOST", out, err);
    if (context == NULL || strcmp(context, "default") != 0) {
        char *current = context == NULL ? mb_context_current(&failure) : strdup(context);
        if (failure.code != MB_OK)
            return mb_error_set(err, failure.code, "%s", failure.message);
        if (current != NULL) {
            rc = from_context(name, current, out, err);
            if (rc > 0)
                rc = no_such_context(current, context != NULL ? "DOCKER_CONTEXT" : "currentContext in config.json", err);
            free(current);
            return rc;
        }
    }
    rc = from_sockets(name, NULL, out, err);
    return rc > 0 ? mb_error_set(err, MB_ENOENGINE, "no engine's socket is known on this system; name one with --engine") : rc;
}

/* The names that would have been right. */
static int
unknown_word(const char *word, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(1024);
    struct mb_known_socket *known = NULL;
    struct mb_endpoint *contexts = NULL;
    const char *names[130];
    size_t n = 0, m = 0, k = 0;

    if (mb_contexts(&contexts, &n, err) != 0 || mb_known_sockets(&known, &m, err) != 0) {
        mb_endpoints_free(contexts, n);
        return -1;
    }
    names[k++] = "default";
    for (size_t i = 0; i < n && k < 64; i++)
        names[k++] = contexts[i].name;
    for (size_t i = 0; i < m && k < 128; i++)
        names[k++] = known[i].name;
    names[k++] = "colima";
    names[k] = NULL;
    for (size_t i = 0; i < k; i++) {
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again = again || strcmp(names[j], names[i]) == 0;
        if (!again)
            mb_buffer_printf(&text, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *near = mb_nearest(word, names);
    mb_error_set(err, MB_ECONFIG, "unknown engine '%s'%s%s%s; there are %s, and any unix://, tcp://, https:// or ssh:// address",
                 word, near != NULL ? " (did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?)" : "",
                 mb_buffer_text(&text));
    mb_endpoints_free(contexts, n);
    free(known);
    return -1;
}

int
mb_endpoint_resolve(const char *word, struct mb_endpoint *out, struct mb_error *err)
{
    char url[1024];
    int rc;

    memset(out, 0, sizeof *out);
    if (word == NULL || *word == '\0' || strcmp(word, "default") == 0)
        return resolve_default("default", out, err);
    if (strstr(word, "://") != NULL)
        return from_url(word, word, "--engine", out, err);
    if (*word == '/') {
        snprintf(url, sizeof url, "unix://%s", word);
        return from_url(word, url, "--engine", out, err);
    }
    rc = from_context(word, word, out, err);
    if (rc > 0)
        rc = from_sockets(word, word, out, err);
    return rc > 0 ? unknown_word(word, err) : rc;
}

/* Append ${item} unless its address is there. */
static int
append(struct mb_endpoint **list, size_t *n, struct mb_endpoint *item, struct mb_error *err)
{
    if (mb_endpoints_find(*list, *n, item->url) == *n)
        return mb_endpoints_add(list, n, item, err);
    mb_endpoint_clear(item);
    return 0;
}

static int
list_environment(struct mb_endpoint **out, size_t *n, struct mb_error *err)
{
    struct mb_endpoint item = {0};

    /* A DOCKER_HOST that is no address is said by whoever needs it. */
    if (environment("DOCKER_HOST") == NULL || resolve_default("default", &item, NULL) != 0 || item.url == NULL) {
        mb_endpoint_clear(&item);
        return 0;
    }
    return append(out, n, &item, err);
}

static int
list_contexts(struct mb_endpoint **out, size_t *n, struct mb_error *err)
{
    struct mb_endpoint *contexts = NULL;
    size_t many = 0;
    int rc = mb_contexts(&contexts, &many, err);

    for (size_t i = 0; i < many; i++) {
        if (rc == 0)
            rc = append(out, n, &contexts[i], err);
        else
            mb_endpoint_clear(&contexts[i]);
    }
    free(contexts);
    return rc;
}

static int
list_sockets(struct mb_endpoint **out, size_t *n, struct mb_error *err)
{
    struct mb_known_socket *known = NULL;
    size_t many = 0;
    int rc = mb_known_sockets(&known, &many, err);

    for (size_t i = 0; i < many && rc == 0; i++) {
        struct mb_endpoint item = {0};
        if (!known[i].exists && !known[i].this_system)
            continue;
        rc = from_known(known[i].name, &known[i], &item, err);
        if (rc == 0)
            rc = append(out, n, &item, err);
    }
    free(known);
    return rc;
}

int
mb_endpoint_list(struct mb_endpoint **out, size_t *n, struct mb_error *err)
{
    *out = NULL;
    *n = 0;
    if (list_environment(out, n, err) == 0 && list_contexts(out, n, err) == 0 && list_sockets(out, n, err) == 0)
        return 0;
    mb_endpoints_free(*out, *n);
    *out = NULL;
    *n = 0;
    return -1;
}
