/* plan_view.h: a plan, and how much of it to show.  Private to the `plan` command. */
#ifndef MB_CLI_PLAN_VIEW_H
#define MB_CLI_PLAN_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "mountbench/buffer.h"
#include "mountbench/error.h"
#include "mountbench/matrix.h"
#include "mountbench/plan.h"

struct mb_plan_view {
    const struct mb_matrix *m;
    const struct mb_plan *plan;
    bool all, unicode, seeded;
    uint64_t seed;
};

/* mb_plan_is_known(v, cell): whether its time and room are; what a command takes is not known beforehand. */
bool mb_plan_is_known(const struct mb_plan_view *v, size_t cell);

/* mb_plan_has_tool(v, i): whether a run would start a tool for mount ${i}. */
bool mb_plan_has_tool(const struct mb_plan_view *v, size_t i);

/* mb_plan_json(v, out, err): append the whole of it.  Fails for want of memory, or as mb_provider_plan does. */
int mb_plan_json(const struct mb_plan_view *v, struct mb_buffer *out, struct mb_error *err);

#endif
