/* interpolate.h: ${VAR} in a matrix file's values, as in compose files. */
#ifndef MB_MATRIX_INTERPOLATE_H
#define MB_MATRIX_INTERPOLATE_H

#include "matrix/yaml.h"
#include "mountbench/error.h"

/* The longest text that a value may become. */
#define MB_INTERPOLATED_MAX 65536

/*
 * mb_interpolate(text, out, err):
 * ${text} with its variables replaced, the caller's to free in *${out}.  $VAR and ${VAR} are errors when unset;
 * ${VAR:-word} and ${VAR-word} give ${word}, ${VAR:?message} and ${VAR?message} the error ${message}, ${VAR:+word} and
 * ${VAR+word} ${word} where the others would not; with the colon, empty counts as unset; words may hold variables; $$ is a
 * dollar sign.  The message names no place.
 */
int mb_interpolate(const char *text, char **out, struct mb_error *err);

/* mb_interpolate_tree(file, node, err): every scalar of the tree, in place; messages begin with file and line. */
int mb_interpolate_tree(const char *file, struct mb_node *node, struct mb_error *err);

#endif
