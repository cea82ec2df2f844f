/*
 * histogram.h: latencies in bounded memory.
 *
 * The idea is that of HdrHistogram (Gil Tene, hdrhistogram.org): below 2^HISTOGRAM_BITS every value has its own bucket, above
 * it each power of two is cut into 2^HISTOGRAM_BITS equal ones.  A value is reported as the middle of its bucket, at most
 * 2^-(HISTOGRAM_BITS + 1), 0.4 %, off; the largest is kept exactly.
 */
#ifndef MB_PROBE_HISTOGRAM_H
#define MB_PROBE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define MB_HISTOGRAM_BITS 7
/* 2^42 ns is 73 minutes; what takes longer is counted there. */
#define MB_HISTOGRAM_TOP_BIT 42
#define MB_HISTOGRAM_BUCKETS ((MB_HISTOGRAM_TOP_BIT - MB_HISTOGRAM_BITS + 2) << MB_HISTOGRAM_BITS)

/* All zero is empty. */
struct mb_histogram {
    uint64_t total, max;
    uint32_t counts[MB_HISTOGRAM_BUCKETS];
};

static inline size_t
mb_histogram_bucket(uint64_t value)
{
    if (value < (UINT64_C(1) << MB_HISTOGRAM_BITS))
        return (size_t)value;
    if (value >> (MB_HISTOGRAM_TOP_BIT + 1) != 0)
        return MB_HISTOGRAM_BUCKETS - 1;
    unsigned shift = 63U - (unsigned)__builtin_clzll(value) - MB_HISTOGRAM_BITS;
    return ((size_t)shift << MB_HISTOGRAM_BITS) + (size_t)(value >> shift);
}

/* mb_histogram_add(h, value): count it.  In the header because it runs between two operations that are timed. */
static inline void
mb_histogram_add(struct mb_histogram *h, uint64_t value)
{
    h->counts[mb_histogram_bucket(value)]++;
    h->total++;
    if (value > h->max)
        h->max = value;
}

/*
 * mb_histogram_percentile(h, percent):
 * The nearest-rank percentile: the least value that at least ${percent} (above 0, at most 100) of the values do not exceed, to
 * within the bucket; 0 when empty.
 */
uint64_t mb_histogram_percentile(const struct mb_histogram *h, unsigned percent);

#endif
