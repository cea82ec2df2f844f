/*
 * dip.c: how far a sample is from having one hump only.
 *
 * A distribution function with one hump is convex up to the mode and concave after it.  The dip is the least distance between
 * the sample's steps and any such function.  Hartigans' way to find it: between two places take the greatest convex function
 * below the steps and the least concave one above; where they are furthest apart lies the mode, closer in; what the convex one to
 * its left and the concave one to its right miss the steps by is the dip so far; go on closer in until the two are no further apart
 * than that.
 *
 * Heights are in steps, one a value, so that the i-th value (from 0) steps from i to i + 1.  The convex function runs through lower
 * corners (x[i], i), the concave one through upper corners (x[i], i + 1).
 */
#include <math.h>
#include <stdlib.h>

#include "mountbench/stats.h"
#include "stats/internal.h"

struct hull {
    size_t *corner; /* places in the sample, ascending */
    size_t n;
};

/* Whether, for a convex hull (${sign} 1) or a concave one (-1), corner b lies on the wrong side of the line from a to c. */
static bool
is_beyond(const double *x, size_t a, size_t b, size_t c, double sign)
{
    return sign * ((double)(b - a) * (x[c] - x[a]) - (double)(c - a) * (x[b] - x[a])) >= 0;
}

static void
build_hull(const double *x, size_t low, size_t high, double sign, struct hull *out)
{
    out->n = 0;
    for (size_t i = low; i <= high; i++) {
        while (out->n >= 2 && is_beyond(x, out->corner[out->n - 2], out->corner[out->n - 1], i, sign))
            out->n--;
        out->corner[out->n++] = i;
    }
}

/* The height at x[i] of the line between corners a and b, above that of corner 0 of its kind. */
static double
line(const double *x, size_t a, size_t b, size_t i)
{
    if (x[a] == x[b])
        return (double)(i < b ? i : b);
    return (double)a + (double)(b - a) * (x[i] - x[a]) / (x[b] - x[a]);
}

/* The segment of ${hull} that place ${i} lies in: its right end's index, 1 or above. */
static size_t
segment_of(const struct hull *hull, size_t i)
{
    size_t k = 1;

    while (k + 1 < hull->n && hull->corner[k] < i)
        k++;
    return k;
}

struct mode {
    double apart;
    size_t low, high;
};

/* Where the two hulls are furthest apart; that is at a corner of either. */
static struct mode
find_mode(const double *x, const struct hull *convex, const struct hull *concave)
{
    struct mode mode = {0, convex->corner[0], convex->corner[convex->n - 1]};

    for (size_t i = 0; i < convex->n; i++) {
        size_t at = convex->corner[i], k = segment_of(concave, at);
        double apart = line(x, concave->corner[k - 1], concave->corner[k], at) + 1 - (double)at;
        if (apart > mode.apart)
            mode = (struct mode){apart, at, at == concave->corner[0] ? at : concave->corner[k]};
    }
    for (size_t i = 0; i < concave->n; i++) {
        size_t at = concave->corner[i], k = segment_of(convex, at);
        double apart = (double)(at + 1) - line(x, convex->corner[k - 1], convex->corner[k], at);
        if (apart > mode.apart)
            mode = (struct mode){apart, at == convex->corner[k] ? at : convex->corner[k - 1], at};
    }
    return mode;
}

/* The most that the hull is off the steps between the places ${from} and ${to}, both corners of it. */
static double
miss(const double *x, const struct hull *hull, size_t from, size_t to, bool convex)
{
    double most = 0;

    for (size_t k = 1; k < hull->n; k++) {
        size_t a = hull->corner[k - 1], b = hull->corner[k];
        if (a < from || b > to)
            continue;
        for (size_t i = a; i <= b; i++) {
            double height = line(x, a, b, i);
            most = fmax(most, convex ? (double)(i + 1) - height : height + 1 - (double)i);
        }
    }
    return most;
}

double
mb_dip(const double *x, size_t n)
{
    size_t low = 0, high = n - 1;
    double dip = 1;
    size_t *corners = n > 0 ? calloc(2 * n, sizeof *corners) : NULL;

    if (corners == NULL)
        return 0;
    struct hull convex = {corners, 0}, concave = {corners + n, 0};
    while (high > low && x[low] < x[high]) {
        build_hull(x, low, high, 1, &convex);
        build_hull(x, low, high, -1, &concave);
        struct mode mode = find_mode(x, &convex, &concave);
        if (mode.apart <= dip)
            break;
        dip = fmax(dip, fmax(miss(x, &convex, low, mode.low, true), miss(x, &concave, mode.high, high, false)));
        if (mode.low == low && mode.high == high)
            break;
        low = mode.low;
        high = mode.high;
    }
    free(corners);
    return dip / (2 * (double)n);
}

/* The 99 % quantile of sqrt(n) times the dip of n uniform values, as tests/unit/stats/dip_table.c prints it. */
static const struct {
    size_t n;
    double limit;
} limits[] = {
    {8, 0.4879},  {9, 0.4922},  {10, 0.5047}, {12, 0.5141},  {15, 0.5258},  {20, 0.5404},  {25, 0.5480},   {30, 0.5566},
    {40, 0.5651}, {50, 0.5731}, {70, 0.5820}, {100, 0.5898}, {200, 0.5999}, {500, 0.6202}, {1000, 0.6249},
};

double
mb_stats_dip_limit(size_t n)
{
    size_t last = sizeof limits / sizeof limits[0] - 1, i = 0;
    double root = sqrt((double)n);

    if (n <= limits[0].n)
        return limits[0].limit / root;
    while (i < last && limits[i + 1].n < n)
        i++;
    if (i == last)
        return limits[last].limit / root;
    double share = (double)(n - limits[i].n) / (double)(limits[i + 1].n - limits[i].n);
    return (limits[i].limit + share * (limits[i + 1].limit - limits[i].limit)) / root;
}
