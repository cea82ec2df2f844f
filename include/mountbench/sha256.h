/* sha256.h: SHA-256 as of FIPS 180-4, to tell whether two files are the same. */
#ifndef MB_SHA256_H
#define MB_SHA256_H

#include <stddef.h>

/* Room for a digest in lower-case hexadecimal. */
#define MB_SHA256_HEX_MAX 65

/* mb_sha256_hex(bytes, n, out): the digest of the ${n} bytes at ${bytes}, as a string in ${out}; returns ${out}. */
const char *mb_sha256_hex(const void *bytes, size_t n, char out[MB_SHA256_HEX_MAX]);

#endif
