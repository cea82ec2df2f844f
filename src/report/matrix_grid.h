/* matrix_grid.h: the main table as grids, for the formats whose tables cannot be split into parts as the terminal's are. */
#ifndef MB_REPORT_MATRIX_GRID_H
#define MB_REPORT_MATRIX_GRID_H

#include "report/grid.h"
#include "report/words.h"

/* So many workloads side by side. */
#define MB_MATRIX_GRID_MOST 6

/*
 * mb_matrix_grid(model, group, first, notes):
 * Mounts down, at most MB_MATRIX_GRID_MOST workloads from the ${first}th on across; footnotes go into ${notes}.  The caller frees
 * it with mb_grid_free; NULL without memory.
 */
struct mb_grid *mb_matrix_grid(const struct mb_model *model, const struct mb_model_group *group, size_t first,
                               struct mb_notes *notes);

#endif
