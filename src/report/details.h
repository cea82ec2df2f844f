/* details.h: the tables behind the main one: trials in full, latencies, phases, and what was really mounted. */
#ifndef MB_REPORT_DETAILS_H
#define MB_REPORT_DETAILS_H

#include "report/grid.h"
#include "report/model.h"

/*
 * mb_details(model, group, i, unicode, out):
 * The ${i}th table of ${group}, from 0, in *${out}, which the caller frees with mb_grid_free; NULL when it has no rows or memory
 * ran out.  Returns false when there are no more tables: latencies and phases, and when details are asked for trials and mounts.
 */
bool mb_details(const struct mb_model *model, const struct mb_model_group *group, size_t i, bool unicode, struct mb_grid **out);

#endif
