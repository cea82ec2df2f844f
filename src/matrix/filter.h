/* filter.h: the command line's say about a matrix's axes. */
#ifndef MB_MATRIX_FILTER_H
#define MB_MATRIX_FILTER_H

#include "mountbench/matrix.h"

enum mb_axis { MB_AXIS_ENGINE, MB_AXIS_MOUNT, MB_AXIS_WORKLOAD, MB_AXES };

/* mb_axis_word(axis): "engine"; mb_axis_count, mb_axis_name: its entries. */
const char *mb_axis_word(enum mb_axis axis);
size_t mb_axis_count(const struct mb_matrix *matrix, enum mb_axis axis);
const char *mb_axis_name(const struct mb_matrix *matrix, enum mb_axis axis, size_t index);

/* mb_axis_matches(matrix, axis, pattern): whether the glob matches any name of the axis. */
bool mb_axis_matches(const struct mb_matrix *matrix, enum mb_axis axis, const char *pattern);

/* mb_axis_no_match(err, code, matrix, axis, pattern): "'tmfs' matches no mount (did you mean ...?)".  Return -1. */
int mb_axis_no_match(struct mb_error *err, enum mb_error_code code, const struct mb_matrix *matrix, enum mb_axis axis,
                     const char *pattern);

/*
 * mb_filter_apply(matrix, filter, err):
 * Narrow mounts and workloads to what the globs match; replace the engines by the ones named, those of the file with their
 * settings.
 */
int mb_filter_apply(struct mb_matrix *matrix, const struct mb_matrix_filter *filter, struct mb_error *err);

#endif
