/* clock.h: monotonic nanoseconds for durations, RFC 3339 in UTC for moments, and deadlines. */
#ifndef MB_CLOCK_H
#define MB_CLOCK_H

#include <stdint.h>

/* mb_now_ns(): nanoseconds of CLOCK_MONOTONIC since some fixed moment.  Cannot fail. */
uint64_t mb_now_ns(void);

/* mb_deadline_in_ms(timeout_ms): the mb_now_ns() moment ${timeout_ms} from now. */
uint64_t mb_deadline_in_ms(uint64_t timeout_ms);

/* mb_deadline_left_ms(deadline_ns): milliseconds until it, rounded up, 0 once passed, at most INT_MAX: made for poll(). */
int mb_deadline_left_ms(uint64_t deadline_ns);

/* Room for a moment written by mb_timestamp. */
#define MB_TIMESTAMP_MAX 32

/* mb_timestamp(out): the present moment, "2026-12-01T09:30:00.123Z", written into ${out}; returns ${out}. */
const char *mb_timestamp(char out[MB_TIMESTAMP_MAX]);

#endif
