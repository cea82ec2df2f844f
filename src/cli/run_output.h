/* run_output.h: what a run's result file is called when nobody says, and what no output may replace. */
#ifndef MB_CLI_RUN_OUTPUT_H
#define MB_CLI_RUN_OUTPUT_H

#include <stddef.h>

#include "mountbench/error.h"

/* mb_run_output(name, out, size, err): "results/NAME-TIME.jsonl" into ${out}, what a file name cannot hold in ${name} replaced. */
int mb_run_output(const char *name, char *out, size_t size, struct mb_error *err);

/* mb_output_apart(output, inputs, n, err): fails when ${output} (NULL: none) is one of the files that are read: results are kept.
 */
int mb_output_apart(const char *output, const char *const *inputs, size_t n, struct mb_error *err);

#endif
