/* internal.h: pieces that the files of src/stats share; all take finite values, and n >= 1 unless said. */
#ifndef MB_STATS_INTERNAL_H
#define MB_STATS_INTERNAL_H

#include <stddef.h>

#include "mountbench/error.h"

/* mb_stats_copy: the finite ones of ${n} >= 0 values in a new array, *${kept} of them; NULL without memory. */
double *mb_stats_copy(const double *x, size_t n, size_t *kept, struct mb_error *err);

double mb_stats_mean(const double *x, size_t n);
double mb_stats_variance(const double *x, size_t n); /* n >= 2 */

/* mb_stats_mad: the median absolute deviation from ${centre}; ${scratch} has room for ${n}. */
double mb_stats_mad(const double *x, size_t n, double centre, double *scratch);

/*
 * mb_stats_mann_kendall(x, n, tau, p): Kendall's tau-b of ${x} against its own order and the two-sided p of no trend; n >= 2.
 * mb_stats_theil_sen(x, n, slope): the median of all pairwise slopes, a step; -1 without memory.
 */
int mb_stats_mann_kendall(const double *x, size_t n, double *tau, double *p, struct mb_error *err);
int mb_stats_theil_sen(const double *x, size_t n, double *slope, struct mb_error *err);

/* mb_stats_dip_limit(n): the 1 % point of the dip of ${n} values of the uniform distribution. */
double mb_stats_dip_limit(size_t n);

#endif
