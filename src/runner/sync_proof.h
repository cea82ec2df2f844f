/* sync_proof.h: that what a sync tool keeps equal is really the driver's directory and the container's volume, both ways. */
#ifndef MB_RUNNER_SYNC_PROOF_H
#define MB_RUNNER_SYNC_PROOF_H

#include "mountbench/sync.h"
#include "runner/channel.h"

struct mb_sync_proof {
    struct mb_sync *sync;
    struct mb_channel *channel; /* to the probe */
    const char *dir;            /* the volume as the probe sees it */
    const char *host_dir, *nonce;
    unsigned timeout_ms; /* in all */
};

/*
 * mb_sync_prove(proof, err):
 * Wait until the host's nonce is in the volume, and one that the probe writes is on the host.  Fails when the tool ends or
 * conflicts meanwhile, and with MB_ETIMEOUT, saying which way nothing came.
 */
int mb_sync_prove(const struct mb_sync_proof *proof, struct mb_error *err);

#endif
