/* precision.c: enough trials and no more: a cell rests when its interval is narrow enough, the others go on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mountbench/stats.h"
#include "runner/session.h"

int
mb_precision_add(struct mb_session *s, struct mb_run_cell *cell, const struct mb_sample *sample, struct mb_error *err)
{
    const struct mb_matrix *m = s->matrix;
    const struct mb_cell measured = {.measure = mb_workload_measure(&m->workloads[cell->spec->workload])};
    const struct mb_precision_goal goal = {.relative = m->precision_percent / 100, .min = m->rounds_min, .max = m->rounds_max};
    enum mb_verdict_trials verdict;

    if (m->precision_percent <= 0 || cell->figure_count >= m->rounds)
        return 0;
    if (cell->figures == NULL)
        cell->figures = calloc(m->rounds, sizeof *cell->figures);
    if (cell->figures == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    cell->figures[cell->figure_count++] = mb_sample_figure(&measured, sample);
    if (cell->figure_count < goal.min)
        return 0;
    if (mb_enough_trials(cell->figures, cell->figure_count, &goal, &cell->reached, &verdict, err) != 0)
        return -1;
    cell->enough = verdict == MB_TRIALS_ENOUGH;
    return 0;
}

int
mb_precision_record(struct mb_session *s, struct mb_error *err)
{
    char wanted[32], reached[32];

    if (s->matrix->precision_percent <= 0)
        return 0;
    for (size_t i = 0; i < s->matrix->cell_count; i++) {
        const struct mb_run_cell *cell = &s->cells[i];
        if (cell->figure_count == 0)
            continue;
        snprintf(wanted, sizeof wanted, "%g %%", s->matrix->precision_percent);
        if (cell->figure_count >= s->matrix->rounds_min && isfinite(cell->reached))
            snprintf(reached, sizeof reached, "%.1f %% after %zu trials", cell->reached * 100, cell->figure_count);
        else
            snprintf(reached, sizeof reached, "no interval after %zu trials", cell->figure_count);
        if (mb_session_write(s, mb_record_check(cell->name, "precision", cell->enough ? "pass" : "fail", wanted, reached), err) !=
            0)
            return -1;
        s->outcome->cells_precise += cell->enough;
    }
    return 0;
}
