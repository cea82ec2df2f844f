/* address.h: an endpoint's address as the URL that HTTP is spoken to. */
#ifndef MB_ENGINE_ADDRESS_H
#define MB_ENGINE_ADDRESS_H

#include <stddef.h>

#include "mountbench/endpoint.h"

/*
 * mb_address_base(endpoint, out, size, err):
 * Scheme, host, port and path prefix without a slash at the end, into ${out}[${size}]: "http://10.0.0.1:2375".  A tcp:// address
 * without a port has docker's: 2375, or 2376 with TLS.  A unix socket and ssh have "http://localhost", for form's sake.
 */
int mb_address_base(const struct mb_endpoint *endpoint, char *out, size_t size, struct mb_error *err);

#endif
