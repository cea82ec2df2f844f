/* expand.h: axes into cells.  Pure: no file, no environment. */
#ifndef MB_MATRIX_EXPAND_H
#define MB_MATRIX_EXPAND_H

#include "matrix/place.h"
#include "mountbench/matrix.h"

/* More cells, or rules, than anybody can want to measure. */
#define MB_CELLS_MAX 100000
#define MB_RULES_MAX 256

/*
 * mb_expand(root, matrix, filter, err):
 * Apply ${filter} to the axes of ${matrix}, which hold all that the file says, and fill in its cells: every combination, less
 * what `exclude` of the file's top map ${root} matches, plus what `include` matches.
 */
int mb_expand(const struct mb_place *root, struct mb_matrix *matrix, const struct mb_matrix_filter *filter, struct mb_error *err);

#endif
