/* stream.c: take frames apart, however they are cut. */
#include "engine/stream.h"

#include <string.h>

static int
not_a_frame(struct mb_frames *f, struct mb_error *err)
{
    f->broken = true;
    return mb_error_set(err, MB_EPROTOCOL, "the stream is not in the engine's frames: a header reads %02x %02x %02x %02x",
                        f->header[0], f->header[1], f->header[2], f->header[3]);
}

/* Take what the header still lacks; whether it is now complete. */
static bool
fill_header(struct mb_frames *f, const char **bytes, size_t *n)
{
    size_t take = sizeof f->header - f->have;

    if (take > *n)
        take = *n;
    memcpy(f->header + f->have, *bytes, take);
    f->have += take;
    *bytes += take;
    *n -= take;
    return f->have == sizeof f->header;
}

int
mb_frames_feed(struct mb_frames *f, const char *bytes, size_t n,
               int (*sink)(void *context, enum mb_stream stream, const char *bytes, size_t n), void *context, struct mb_error *err)
{
    if (f->broken)
        return not_a_frame(f, err);
    while (n > 0) {
        if (f->left == 0) {
            if (!fill_header(f, &bytes, &n))
                return 0;
            const unsigned char *h = f->header;
            if (h[0] > MB_STREAM_DAEMON || h[1] != 0 || h[2] != 0 || h[3] != 0)
                return not_a_frame(f, err);
            f->left = (uint32_t)h[4] << 24 | (uint32_t)h[5] << 16 | (uint32_t)h[6] << 8 | h[7];
            f->have = 0;
            continue;
        }
        size_t take = n < f->left ? n : f->left;
        if (sink(context, (enum mb_stream)f->header[0], bytes, take) != 0)
            return -1;
        bytes += take;
        n -= take;
        f->left -= (uint32_t)take;
    }
    return 0;
}
