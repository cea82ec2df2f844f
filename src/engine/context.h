/* context.h: the docker command's contexts and configuration. */
#ifndef MB_ENGINE_CONTEXT_H
#define MB_ENGINE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "mountbench/endpoint.h"

/*
 * mb_contexts(out, n, err):
 * Every context in the docker command's configuration directory that names an engine, sorted by name.  Those whose files cannot be
 * read are left out.  Free each with mb_endpoint_clear, then free(*${out}).
 */
int mb_contexts(struct mb_endpoint **out, size_t *n, struct mb_error *err);

/* mb_context_current(err): config.json's currentContext, the caller's to free; NULL where none is chosen, or with ${err} set. */
char *mb_context_current(struct mb_error *err);

/* mb_endpoint_make(out, name, url, origin, err): fill ${out} with copies; TLS off. */
int mb_endpoint_make(struct mb_endpoint *out, const char *name, const char *url, const char *origin, struct mb_error *err);

/* mb_endpoint_tls(endpoint, directory, verify, err): switch TLS on, with those of ca.pem, cert.pem and key.pem that ${directory}
 * has. */
int mb_endpoint_tls(struct mb_endpoint *endpoint, const char *directory, bool verify, struct mb_error *err);

#endif
