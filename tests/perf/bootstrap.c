/*
 * bootstrap.c: how long the intervals of a big table take: 200 cells of 50 trials, 10,000 resamples each.  Prints seconds: for
 * medians, for ratios of medians, for means.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mountbench/clock.h"
#include "mountbench/stats.h"

#define CELLS 200
#define TRIALS 50

/* All cells' intervals, by ${location}, of themselves or (${ratio}) over the next cell's; seconds. */
static double
measure(double x[CELLS + 1][TRIALS], enum mb_location location, bool ratio)
{
    uint64_t start_ns = mb_now_ns();

    for (size_t i = 0; i < CELLS; i++) {
        struct mb_error err = {0};
        struct mb_interval out;
        int rc = ratio ? mb_interval_ratio(location, x[i], TRIALS, x[i + 1], TRIALS, NULL, &out, &err)
                       : mb_interval_location(location, x[i], TRIALS, NULL, &out, &err);
        if (rc != 0) {
            fprintf(stderr, "bootstrap: %s\n", err.message);
            exit(1);
        }
    }
    return (double)(mb_now_ns() - start_ns) / 1e9;
}

int
main(void)
{
    static double x[CELLS + 1][TRIALS];

    srand(1);
    for (size_t i = 0; i <= CELLS; i++) {
        for (size_t k = 0; k < TRIALS; k++)
            x[i][k] = 1 + (double)rand() / RAND_MAX;
    }
    printf("%.3f %.3f %.3f\n", measure(x, MB_LOCATION_MEDIAN, false), measure(x, MB_LOCATION_MEDIAN, true),
           measure(x, MB_LOCATION_MEAN, false));
    return 0;
}
