/* summary.c: medians, and how far they can be trusted. */
#include "report/summary.h"

#include <math.h>
#include <stdlib.h>

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void
mb_summarise(double *x, size_t n, struct mb_summary *out)
{
    double sum = 0, squares = 0;

    *out = (struct mb_summary){n, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n == 0)
        return;
    qsort(x, n, sizeof *x, ascending);
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    out->mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - out->mean) * (x[i] - out->mean);
    out->stddev = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
    out->median = n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
    out->min = x[0];
    out->max = x[n - 1];
    out->low = n > 1 ? x[n / 4] : NAN;
    out->high = n > 1 ? x[n - 1 - n / 4] : NAN;
}

void
mb_summary_ratio(const struct mb_summary *a, const struct mb_summary *b, bool times, struct mb_ratio *out)
{
    *out = (struct mb_ratio){NAN, NAN, NAN};
    if (a->n == 0 || b->n == 0 || a->median <= 0 || b->median <= 0)
        return;
    out->value = times ? b->median / a->median : a->median / b->median;
}
