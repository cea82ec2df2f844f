/*
 * station.h: one mount in place on one engine, with a probe that answers inside.
 *
 * Setting up is a visible ladder (volume, container, attach, start, hello, nonce, mount facts), and so is taking down.
 */
#ifndef MB_RUNNER_STATION_H
#define MB_RUNNER_STATION_H

#include <stdbool.h>

#include "mountbench/engine.h"
#include "mountbench/error.h"
#include "mountbench/matrix.h"
#include "mountbench/sync.h"
#include "runner/client.h"
#include "runner/host_side.h"
#include "runner/workdir.h"

enum mb_station_status {
    MB_STATION_NEW,
    MB_STATION_READY,
    MB_STATION_UNAVAILABLE, /* the engine cannot have such a mount; reason in its own words */
    MB_STATION_BROKEN,      /* it worked, or should have, and does not */
};

struct mb_station {
    struct mb_engine *engine; /* NULL for the host's own mount */
    const char *image;
    const char *run;
    const struct mb_mount_spec *spec;
    size_t engine_index, mount_index; /* into the matrix */
    size_t image_number;              /* 0: the probe's own */
    const struct mb_exec_spec *exec;  /* says which other image, into which the probe is put */
    size_t number;                    /* unique in the run */
    const struct mb_workdir *workdir; /* the run's */
    struct mb_workdir own;            /* in the directory that the mount itself names, if it does */

    char *volume, *container; /* what was made, NULL when not */
    char *host_dir;           /* the mount's directory on this machine; NULL where there is none, or none that is known yet */
    const char *sync_image;   /* of a sync tool's own container; NULL where it has none */
    struct mb_sync *sync;     /* the tool at work */
    char *base;               /* the mount's directory as the probe sees it */
    struct mb_channel channel;
    struct mb_host_side host;
    struct mb_mount_facts facts;
    char *expected, *observed; /* what it was said to be and what it is, in the same words; NULL where nothing was said */
    bool contradicted;
    enum mb_station_status status;
    char *reason;
};

/*
 * mb_station_open(s, err):
 * Put the mount in place.  0 with s->status READY, UNAVAILABLE or BROKEN (and s->reason); -1 only for what ends the whole run: an
 * interrupt, or an engine that went away.
 */
int mb_station_open(struct mb_station *s, struct mb_error *err);

/* mb_station_restart(s, err): a fresh container on the same mount, for `isolation: trial`; as mb_station_open. */
int mb_station_restart(struct mb_station *s, struct mb_error *err);

/* mb_station_broke(s, what): take the station for broken, with the reason in ${what} and what the engine says of its container. */
void mb_station_broke(struct mb_station *s, const struct mb_error *what);

/* mb_station_refuse(s, reason): it cannot be had.  mb_station_fail(s, reason): it should be, and cannot. */
void mb_station_refuse(struct mb_station *s, const char *reason);
void mb_station_fail(struct mb_station *s, const char *reason);

/*
 * mb_station_check(s, err): whether a sync mount's tool is at work and without a conflict; 0 for every other mount.
 * mb_station_hold(s, err): the same, and a station whose tool is not is broken; -1 for an interrupt alone.
 * mb_station_settle(s, err): wait until both of its sides are equal, so that the next trial is not disturbed.
 */
int mb_station_check(struct mb_station *s, struct mb_error *err);
int mb_station_hold(struct mb_station *s, struct mb_error *err);
int mb_station_settle(struct mb_station *s, struct mb_error *err);

/* mb_station_close(s, err): remove what was made, as far as it goes; the first failure is told.  May be called twice. */
int mb_station_close(struct mb_station *s, struct mb_error *err);

#endif
