/* read.h: the bytes of a matrix file, if that is what they can be. */
#ifndef MB_MATRIX_READ_H
#define MB_MATRIX_READ_H

#include <stddef.h>

#include "mountbench/buffer.h"
#include "mountbench/error.h"

/* No matrix that a person wrote is larger: 1 MiB. */
#define MB_MATRIX_FILE_MAX 1048576

/*
 * mb_matrix_read(path, out, err):
 * Append the content of the regular file ${path}, UTF-8 of at most MB_MATRIX_FILE_MAX bytes, to ${out}.  What is larger or no
 * regular file is refused before anything is read.
 */
int mb_matrix_read(const char *path, struct mb_buffer *out, struct mb_error *err);

/* mb_utf8_valid(text, len): how many bytes from the start are whole UTF-8 characters other than NUL; ${len} when all are. */
size_t mb_utf8_valid(const char *text, size_t len);

#endif
