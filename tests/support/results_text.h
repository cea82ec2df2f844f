/* results_text.h: results read from lines in the test itself, and reports of them. */
#ifndef MB_TESTS_RESULTS_TEXT_H
#define MB_TESTS_RESULTS_TEXT_H

#include "mountbench/buffer.h"
#include "mountbench/report.h"
#include "mountbench/result.h"

/* The run and engine records that most tests begin with: engine "e". */
#define RESULTS_HEAD                                                                                                               \
    "{\"type\":\"run\",\"schema\":1,\"id\":\"r\",\"started_at\":\"2026-12-01T09:00:00Z\",\"tool\":{\"name\":\"mountbench\","       \
    "\"version\":\"0.1.0\"},\"matrix\":{\"name\":\"m\",\"sha256\":\"0\"},\"seed\":7,\"rounds\":3,\"warmup\":0}\n"                  \
    "{\"type\":\"engine\",\"engine\":\"e\",\"runtime\":\"docker-engine\",\"engine_version\":\"20.10\"}\n"
#define RESULTS_END "{\"type\":\"end\",\"status\":\"complete\",\"finished_at\":\"2026-12-01T09:10:00Z\"}\n"

/* results_of(text): what a file of these lines holds; the test fails when it cannot be read.  Free with mb_results_free. */
struct mb_results *results_of(const char *text);

/*
 * results_cell(out, mount, workload, measure, fstype, device), results_sample(out, mount, workload, round, wall_ns, amount):
 * Append a record of engine "e"; ${fstype} NULL for none; ${amount} counts as bytes and as ops.
 */
void results_cell(struct mb_buffer *out, const char *mount, const char *workload, const char *measure, const char *fstype,
                  const char *device);
void results_sample(struct mb_buffer *out, const char *mount, const char *workload, unsigned round, long long wall_ns,
                    long long amount);

/* report_of(text, options): the report of these lines, the caller's to free; the test fails when there is none. */
char *report_of(const char *text, const struct mb_report_options *options);

#endif
