/* clock.c: the driver's clocks. */
#include "mountbench/clock.h"

#include <limits.h>
#include <stdio.h>
#include <time.h>

uint64_t
mb_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

uint64_t
mb_deadline_in_ms(uint64_t timeout_ms)
{
    return mb_now_ns() + timeout_ms * UINT64_C(1000000);
}

int
mb_deadline_left_ms(uint64_t deadline_ns)
{
    uint64_t now = mb_now_ns();

    if (now >= deadline_ns)
        return 0;
    uint64_t ms = (deadline_ns - now + UINT64_C(999999)) / UINT64_C(1000000);
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

const char *
mb_timestamp(char out[MB_TIMESTAMP_MAX])
{
    struct timespec t;
    struct tm utc;
    char seconds[24];

    clock_gettime(CLOCK_REALTIME, &t);
    gmtime_r(&t.tv_sec, &utc);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
    /* The remainder changes nothing but the compiler's idea of how long the text may be. */
    snprintf(out, MB_TIMESTAMP_MAX, "%s.%03uZ", seconds, (unsigned)(t.tv_nsec / 1000000) % 1000);
    return out;
}
