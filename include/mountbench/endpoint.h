/*
 * endpoint.h: where an engine listens, and how a person's word for it becomes an address.
 */
#ifndef MB_ENDPOINT_H
#define MB_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "mountbench/error.h"

struct mb_endpoint {
    char *name;            /* what the person called it, or "default" */
    char *url;             /* "unix:///run/docker.sock", "tcp://host:2376", "ssh://user@host", "https://..." */
    char *origin;          /* why this one: "--engine", "DOCKER_HOST", "context 'colima'", "default socket" */
    char *ca, *cert, *key; /* TLS files, NULL without */
    bool tls, tls_verify;
};

/*
 * mb_endpoint_resolve(word, out, err):
 * ${word} is a URL, the name of a docker context, a runtime's name ("docker-desktop", "rancher-desktop", "colima",
 * "colima-PROFILE", "orbstack", "lima-INSTANCE", "podman"), or "default"/NULL for what the docker CLI would use: DOCKER_HOST,
 * DOCKER_CONTEXT, the config file's currentContext, then the known sockets in order, the first that exists.  An unknown word
 * is an error that lists what there is and the nearest name.  Free with mb_endpoint_clear.
 */
int mb_endpoint_resolve(const char *word, struct mb_endpoint *out, struct mb_error *err);
void mb_endpoint_clear(struct mb_endpoint *endpoint);
/*
 * mb_endpoints_add(list, n, item, err): append ${item}, which is taken over (and cleared on failure), to the ${*n} of ${*list}.
 * mb_endpoints_find(list, n, url): the index of the one at ${url}, ${n} when there is none.
 * mb_endpoints_free(list, n): clear each, and free the list.
 */
int mb_endpoints_add(struct mb_endpoint **list, size_t *n, struct mb_endpoint *item, struct mb_error *err);
size_t mb_endpoints_find(const struct mb_endpoint *list, size_t n, const char *url);
void mb_endpoints_free(struct mb_endpoint *list, size_t n);

/*
 * mb_endpoint_list(out, n, err):
 * Every context and every known socket path (existing or not) of this operating system's runtimes, for `mountbench engines`;
 * DOCKER_HOST first where it is set.  An address appears once.  Free with mb_endpoints_free.
 */
int mb_endpoint_list(struct mb_endpoint **out, size_t *n, struct mb_error *err);

/* mb_endpoint_absent(endpoint): whether it is the known place of a runtime that, as far as can be seen, is not installed here. */
bool mb_endpoint_absent(const struct mb_endpoint *endpoint);

#endif
