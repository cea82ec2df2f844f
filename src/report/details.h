/* details.h: the tables behind the main one: trials in full, latencies, phases, and what was really mounted. */
#ifndef MB_REPORT_DETAILS_H
#define MB_REPORT_DETAILS_H

#include "report/grid.h"
#include "report/model.h"

enum mb_details_table {
    MB_DETAILS_HOST_VISIBLE,
    MB_DETAILS_PROPAGATION,
    MB_DETAILS_LATENCIES,
    MB_DETAILS_PHASES,
    MB_DETAILS_TRIALS,
    MB_DETAILS_MOUNTED
};

/*
 * mb_details_table(model, group, which, unicode, out):
 * One table of ${group} in *${out}, which the caller frees with mb_grid_free; NULL when it has no rows or memory ran out.
 * mb_details(model, group, i, roomy, unicode, out): the ${i}th of those that a report for people shows, from 0; false when there
 * are no more: what the matrix asked for by a key of its own; where there is room latencies and phases; when details are asked for
 * all of them.
 */
void mb_details_table(const struct mb_model *model, const struct mb_model_group *group, enum mb_details_table which, bool unicode,
                      struct mb_grid **out);
bool mb_details(const struct mb_model *model, const struct mb_model_group *group, size_t i, bool roomy, bool unicode,
                struct mb_grid **out);

#endif
