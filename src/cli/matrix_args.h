/* matrix_args.h: the matrix that a command line means, narrowed and changed as its options say. */
#ifndef MB_CLI_MATRIX_ARGS_H
#define MB_CLI_MATRIX_ARGS_H

#include "cli/options.h"
#include "mountbench/matrix.h"

/*
 * mb_matrix_of_args(args, out, err):
 * Find and load the matrix of the first operand ("quick" without one), with --engine, --mount, --workload, --rounds, --warmup,
 * --max-time and --scale applied.  Free *${out} with mb_matrix_free.
 */
int mb_matrix_of_args(const struct mb_args *args, struct mb_matrix **out, struct mb_error *err);

#endif
