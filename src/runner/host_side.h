/*
 * host_side.h: the other side of a mount that is also a directory of the driver's machine: a second probe, which works there.
 *
 * It is opened when the first cell wants it, and nothing is believed of it before a nonce has shown that both sides are one and
 * the same directory.
 */
#ifndef MB_RUNNER_HOST_SIDE_H
#define MB_RUNNER_HOST_SIDE_H

#include <stdbool.h>

#include "mountbench/error.h"
#include "runner/channel.h"

struct mb_station;

struct mb_host_side {
    struct mb_channel channel;
    bool open;    /* proved, and its probe answers */
    char *reason; /* why it is not; NULL while nobody asked */
};

/*
 * mb_host_side_open(station, dir, err):
 * Have the host's side of ${station}, where ${dir} is a directory that the station's probe made and works in.  0 with
 * station->host open, or with its reason, the station being broken where a sync tool is gone; -1 for an interrupt alone.  Asked
 * again it says the same.
 */
int mb_host_side_open(struct mb_station *station, const char *dir, struct mb_error *err);

/* mb_host_side_path(station, dir, err): the station's ${dir} as the host sees it; malloc'd, NULL without memory. */
char *mb_host_side_path(const struct mb_station *station, const char *dir, struct mb_error *err);

/*
 * mb_host_side_arrives(station, reader, path, text, err):
 * Wait until the small file ${path} is there, for ${reader}, one of the station's two sides, and holds ${text} unless NULL.  1 when
 * it does, 0 when it did not in some seconds, for a sync tool a minute; -1 also when that tool is not at work.
 */
int mb_host_side_arrives(struct mb_station *station, struct mb_channel *reader, const char *path, const char *text,
                         struct mb_error *err);

/* mb_host_side_drop(station, reason): there is none, or none any more. */
void mb_host_side_drop(struct mb_station *station, const char *reason);

/* mb_host_side_close(station): as though nobody had asked.  May be called twice. */
void mb_host_side_close(struct mb_station *station);

#endif
