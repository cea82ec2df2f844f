/* histogram.c: percentiles of what histogram.h counts. */
#include "probe/histogram.h"

static uint64_t
bucket_middle(size_t bucket)
{
    size_t per_octave = (size_t)1 << MB_HISTOGRAM_BITS;

    if (bucket < 2 * per_octave)
        return bucket;
    size_t shift = bucket / per_octave - 1;
    uint64_t low = (uint64_t)(bucket - shift * per_octave) << shift;
    return low + (UINT64_C(1) << shift) / 2;
}

uint64_t
mb_histogram_percentile(const struct mb_histogram *h, unsigned percent)
{
    uint64_t rank = (h->total * percent + 99) / 100;
    uint64_t seen = 0;

    if (rank >= h->total)
        return h->max;
    for (size_t i = 0; i < MB_HISTOGRAM_BUCKETS; i++) {
        seen += h->counts[i];
        if (seen >= rank)
            return bucket_middle(i) < h->max ? bucket_middle(i) : h->max;
    }
    return h->max;
}
