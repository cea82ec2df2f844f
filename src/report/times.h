/* times.h: a cell's trials as times, for tools that know nothing else. */
#ifndef MB_REPORT_TIMES_H
#define MB_REPORT_TIMES_H

#include "report/model.h"

/* mb_times_of(model, cell, what, out): seconds of the ok trials, in order, into ${out} (room for cell->sample_count); how many. */
enum mb_times { MB_TIMES_WALL, MB_TIMES_USER, MB_TIMES_SYSTEM };
size_t mb_times_of(const struct mb_model *model, const struct mb_model_cell *cell, enum mb_times what, double *out);

#endif
