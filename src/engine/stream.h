/*
 * stream.h: the frames in which an engine mixes a container's output streams.
 *
 * A frame is eight bytes of header (the stream, three zeros, the length, big-endian) and its payload.  Frames may be cut anywhere.
 */
#ifndef MB_ENGINE_STREAM_H
#define MB_ENGINE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/error.h"

enum mb_stream { MB_STREAM_IN = 0, MB_STREAM_OUT = 1, MB_STREAM_ERR = 2, MB_STREAM_DAEMON = 3 };

/* Initialise with {0}. */
struct mb_frames {
    unsigned char header[8];
    size_t have;   /* bytes of the header */
    uint32_t left; /* bytes of the payload that are still to come */
    bool broken;   /* what came was no frame; everything after is refused */
};

/*
 * mb_frames_feed(frames, bytes, n, sink, context, err):
 * Take in ${n} more bytes and hand every piece of payload to ${sink}, whose -1 ends it.  Fails with MB_EPROTOCOL at what is no
 * frame.
 */
int mb_frames_feed(struct mb_frames *frames, const char *bytes, size_t n,
                   int (*sink)(void *context, enum mb_stream stream, const char *bytes, size_t n), void *context,
                   struct mb_error *err);

#endif
