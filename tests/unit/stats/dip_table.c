/*
 * dip_table.c: print the table in src/stats/dip.c: for each n, sqrt(n) times the 99 % quantile of the dip of n uniform values, from
 * 200,000 samples.  Build and run by hand:
 *
 *   cc -O2 -std=c17 -D_POSIX_C_SOURCE=200809L -Iinclude -Isrc tests/unit/stats/dip_table.c src/stats/?*.c src/base/error.c -lgsl
 * -lm
 */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mountbench/stats.h"

#define SAMPLES 200000

int
main(void)
{
    static const size_t sizes[] = {8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 200, 500, 1000};
    static double dips[SAMPLES], x[1000];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);

    if (rng == NULL)
        return 1;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        size_t n = sizes[k], samples = n > 100 ? SAMPLES / 10 : SAMPLES;
        for (size_t i = 0; i < samples; i++) {
            for (size_t j = 0; j < n; j++)
                x[j] = gsl_rng_uniform(rng);
            mb_sort(x, n);
            dips[i] = mb_dip(x, n);
        }
        mb_sort(dips, samples);
        printf("{%zu, %.4f},\n", n, sqrt((double)n) * mb_quantile(dips, samples, 0.99));
        fflush(stdout);
    }
    gsl_rng_free(rng);
    return 0;
}
