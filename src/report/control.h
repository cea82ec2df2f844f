/* control.h: mounts that are really one filesystem: a control for noise. */
#ifndef MB_REPORT_CONTROL_H
#define MB_REPORT_CONTROL_H

#include "report/model.h"

/* mb_control_find(model, group, err): number the sets of mounts of ${group} that are one filesystem, and find the noise floor. */
int mb_control_find(const struct mb_model *model, struct mb_model_group *group, struct mb_error *err);

/*
 * mb_control_counts(cell): whether ${cell} would be the same on every mount of its filesystem.  How long a change takes to the
 * other side is not the filesystem's alone where a tool carries it.
 */
bool mb_control_counts(const struct mb_cell *cell);

#endif
