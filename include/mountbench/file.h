/* file.h: files written whole or not at all. */
#ifndef MB_FILE_H
#define MB_FILE_H

#include <stddef.h>

#include "mountbench/error.h"

/*
 * mb_file_replace(path, bytes, n, err):
 * Make ${path} a file of these ${n} bytes: written beside it under another name, then renamed over it, so that a reader finds the
 * old or the new content and nothing between.  A device or pipe is written to as it is.  Its directory must exist.
 */
int mb_file_replace(const char *path, const void *bytes, size_t n, struct mb_error *err);

#endif
