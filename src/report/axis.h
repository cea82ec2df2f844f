/* axis.h: from figures to places along a line. */
#ifndef MB_REPORT_AXIS_H
#define MB_REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#define MB_AXIS_TICKS_MOST 8

struct mb_axis {
    double low, high; /* figures at 0 and 1 */
    bool log;
    double ticks[MB_AXIS_TICKS_MOST];
    size_t tick_count;
};

/*
 * mb_axis_make(least, most, out): an axis for figures from ${least} >= 0 to ${most} > 0: from zero, or logarithmic where they
 * differ tenfold and more.  mb_axis_place(axis, figure): where, from 0 to 1.
 */
void mb_axis_make(double least, double most, struct mb_axis *out);
double mb_axis_place(const struct mb_axis *axis, double figure);

#endif
