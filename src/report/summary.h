/* summary.h: what the trials of a cell amount to. */
#ifndef MB_REPORT_SUMMARY_H
#define MB_REPORT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

/* All NaN where n is 0; stddev is NaN below 2. */
struct mb_summary {
    size_t n;
    double median, mean, stddev, min, max;
    double low, high; /* 95 % interval of the median */
};

struct mb_ratio {
    double value, low, high;
};

/* mb_summarise(x, n, out): of ${n} finite figures, which are sorted in place. */
void mb_summarise(double *x, size_t n, struct mb_summary *out);

/*
 * mb_summary_ratio(a, b, times, out): how many times as fast ${a} is as ${b}, with its 95 % interval; ${times} when the figures
 * are durations, where less is faster.  All NaN where there is no ratio.
 */
void mb_summary_ratio(const struct mb_summary *a, const struct mb_summary *b, bool times, struct mb_ratio *out);

#endif
