/* axis.c: round ticks, 1-2-5 times powers of ten. */
#include "report/axis.h"

#include <math.h>

#define LOG_FROM 10.0

/* The largest of 1, 2 or 5 times a power of ten that is at most ${x}. */
static double
round_down(double x)
{
    double power = pow(10, floor(log10(x) + 1e-9));
    double head = x / power;

    return (head >= 5 ? 5 : head >= 2 ? 2 : 1) * power;
}

/* The next larger round figure after the round figure ${x}. */
static double
next_round(double x)
{
    return round_down(x * 2.51);
}

static void
log_ticks(struct mb_axis *axis)
{
    double decades = log10(axis->high / axis->low);
    bool tens = decades > 2.3;
    double step = decades > MB_AXIS_TICKS_MOST - 1 ? pow(10, ceil(decades / (MB_AXIS_TICKS_MOST - 1))) : 10;
    double tick = tens ? pow(10, ceil(log10(axis->low) - 1e-9)) : round_down(axis->low);

    while (tick <= axis->high * 1.0001 && axis->tick_count < MB_AXIS_TICKS_MOST) {
        if (tick >= axis->low * 0.9999)
            axis->ticks[axis->tick_count++] = tick;
        tick = tens ? tick * step : next_round(tick);
    }
}

void
mb_axis_make(double least, double most, struct mb_axis *out)
{
    *out = (struct mb_axis){.low = 0, .high = 1};
    if (!(most > 0) || !isfinite(most))
        return;
    out->log = least > 0 && most / least >= LOG_FROM;
    if (out->log) {
        out->low = least * 0.9;
        out->high = most * 1.1;
        log_ticks(out);
        return;
    }
    out->high = most * 1.04;
    double step = round_down(out->high / 3.5);
    while (out->tick_count < MB_AXIS_TICKS_MOST && step * (double)out->tick_count <= out->high) {
        out->ticks[out->tick_count] = step * (double)out->tick_count;
        out->tick_count++;
    }
}

double
mb_axis_place(const struct mb_axis *axis, double figure)
{
    double place = axis->log ? log(fmax(figure, axis->low) / axis->low) / log(axis->high / axis->low)
                             : (figure - axis->low) / (axis->high - axis->low);
    return fmin(fmax(place, 0), 1);
}
