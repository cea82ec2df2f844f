/* figure.c: what a sample's one number is. */
#include <math.h>
#include <string.h>

#include "mountbench/result.h"

static const char *const names[] = {
    [MB_MEASURE_BYTES_PER_SECOND] = "bytes/s",
    [MB_MEASURE_OPS_PER_SECOND] = "ops/s",
    [MB_MEASURE_SECONDS] = "s",
};

const char *
mb_measure_name(enum mb_measure measure)
{
    return names[measure];
}

int
mb_measure_parse(const char *name, enum mb_measure *out)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            *out = (enum mb_measure)i;
            return 0;
        }
    }
    return -1;
}

double
mb_sample_figure(const struct mb_cell *cell, const struct mb_sample *sample)
{
    double seconds = (double)sample->wall_ns / 1e9;

    if (sample->status != MB_SAMPLE_OK || sample->wall_ns < 0)
        return NAN;
    if (cell->measure == MB_MEASURE_SECONDS)
        return seconds;
    uint64_t amount = cell->measure == MB_MEASURE_BYTES_PER_SECOND ? sample->bytes : sample->ops;
    return amount > 0 && sample->wall_ns > 0 ? (double)amount / seconds : NAN;
}
