/* digest.c: medians, how far they can be trusted, and what may be said of two. */
#include "report/digest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Take the outliers out of ${x}; *${n} is what is left. */
static int
drop(double *x, size_t *n, struct mb_error *err)
{
    bool *flags = calloc(*n + 1, sizeof *flags);
    size_t count, kept = 0;

    if (flags == NULL)
        return mb_error_set(err, MB_EIO, "out of memory while making the report");
    int rc = mb_outliers(x, *n, flags, &count, err);
    for (size_t i = 0; rc == 0 && i < *n; i++) {
        if (!flags[i])
            x[kept++] = x[i];
    }
    free(flags);
    *n = rc == 0 ? kept : *n;
    return rc;
}

int
mb_digest_make(double *x, size_t n, bool drop_outliers, const struct mb_bootstrap *how, struct mb_digest *out, struct mb_error *err)
{
    struct mb_summary summary;
    struct mb_interval interval;
    size_t all = n;

    *out = (struct mb_digest){.n = 0};
    if (mb_marks(x, n, &out->marks, err) != 0)
        return -1;
    if (drop_outliers && drop(x, &n, err) != 0)
        return -1;
    if (mb_summary(x, n, &summary, err) != 0 || mb_interval_location(MB_LOCATION_MEDIAN, x, n, how, &interval, err) != 0)
        return -1;
    out->n = summary.n;
    out->median = summary.median;
    out->mean = summary.mean;
    out->stddev = summary.stddev;
    out->min = summary.min;
    out->max = summary.max;
    out->low = interval.low;
    out->high = interval.high;
    out->dropped = all - n;
    return 0;
}

enum mb_verdict
mb_verdict_of(const struct mb_ratio *ratio, size_t na, size_t nb, double floor)
{
    if (!isfinite(ratio->value))
        return MB_VERDICT_NONE;
    if (na < MB_VERDICT_LEAST || nb < MB_VERDICT_LEAST || !isfinite(ratio->low) || !isfinite(ratio->high))
        return MB_VERDICT_FEW;
    if (isfinite(floor) && ratio->value <= floor && ratio->value >= 1 / floor)
        return MB_VERDICT_SAME;
    if (ratio->low > 1)
        return MB_VERDICT_FASTER;
    return ratio->high < 1 ? MB_VERDICT_SLOWER : MB_VERDICT_SAME;
}
