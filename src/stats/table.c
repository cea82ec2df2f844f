/* table.c: what is said over a whole table, and whether a cell has had enough trials. */
#include <math.h>
#include <stdlib.h>

#include "mountbench/stats.h"
#include "stats/internal.h"

static bool
all_sides_have(const double *values, size_t sides, size_t cells, size_t cell)
{
    for (size_t side = 0; side < sides; side++) {
        double v = values[side * cells + cell];
        if (!isfinite(v) || v <= 0)
            return false;
    }
    return true;
}

void
mb_geometric_means(const double *values, size_t sides, size_t cells, double *out, size_t *used)
{
    size_t n = 0;

    for (size_t side = 0; side < sides; side++)
        out[side] = 0;
    for (size_t cell = 0; cell < cells; cell++) {
        if (!all_sides_have(values, sides, cells, cell))
            continue;
        n++;
        for (size_t side = 0; side < sides; side++)
            out[side] += log(values[side * cells + cell]);
    }
    for (size_t side = 0; side < sides; side++)
        out[side] = n > 0 ? exp(out[side] / (double)n) : NAN;
    if (used != NULL)
        *used = n;
}

int
mb_noise_floor(const double *ratios, size_t n, double *out, struct mb_error *err)
{
    size_t kept = 0, finite;
    double *distances = mb_stats_copy(ratios, n, &finite, err);

    if (distances == NULL)
        return -1;
    for (size_t i = 0; i < finite; i++) {
        if (distances[i] > 0)
            distances[kept++] = fabs(log(distances[i]));
    }
    mb_sort(distances, kept);
    *out = exp(mb_quantile(distances, kept, 0.95));
    free(distances);
    return 0;
}

int
mb_enough_trials(const double *x, size_t n, const struct mb_precision_goal *goal, double *reached, enum mb_verdict_trials *verdict,
                 struct mb_error *err)
{
    struct mb_interval interval;
    struct mb_summary summary;

    if (mb_summary(x, n, &summary, err) != 0 || mb_interval_location(MB_LOCATION_MEDIAN, x, n, NULL, &interval, err) != 0)
        return -1;
    *reached = summary.median > 0 ? (interval.high - interval.low) / 2 / summary.median : NAN;
    if (n >= goal->min && *reached <= goal->relative)
        *verdict = MB_TRIALS_ENOUGH;
    else
        *verdict = n >= goal->max ? MB_TRIALS_MAX : MB_TRIALS_MORE;
    return 0;
}
