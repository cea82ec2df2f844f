/* merge.h: engines with one mount each become rows of one table. */
#ifndef MB_REPORT_MERGE_H
#define MB_REPORT_MERGE_H

#include "report/model.h"

/* mb_merge_is_due(model): whether there are several groups and each has one mount. */
bool mb_merge_is_due(const struct mb_model *model);

/* mb_merge(model, err): make them one group; model->cells are then out of order. */
int mb_merge(struct mb_model *model, struct mb_error *err);

#endif
