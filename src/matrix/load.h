/* load.h: a matrix from bytes in memory: what the fuzzer and the tests of single rules call. */
#ifndef MB_MATRIX_LOAD_H
#define MB_MATRIX_LOAD_H

#include "mountbench/matrix.h"

/* mb_matrix_parse(path, text, len, filter, out, err): as mb_matrix_load, of ${len} bytes of UTF-8 at ${text}, called ${path}. */
int mb_matrix_parse(const char *path, const char *text, size_t len, const struct mb_matrix_filter *filter, struct mb_matrix **out,
                    struct mb_error *err);

#endif
