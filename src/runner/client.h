/*
 * client.h: the probe's protocol from the driver's side: typed questions and answers over a channel.
 */
#ifndef MB_RUNNER_CLIENT_H
#define MB_RUNNER_CLIENT_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "mountbench/error.h"
#include "mountbench/matrix.h"
#include "mountbench/propagation.h"
#include "runner/channel.h"

/* What the probe saw its mount to be. */
struct mb_mount_facts {
    char *fstype, *source, *root, *options, *super_options, *device, *mount_point;
    uint64_t total_bytes, available_bytes, files_free;
    bool counts_files; /* files_free means something */
};

/* mb_client_hello(c, timeout_ms, version, err): check that a probe of our protocol answers. */
int mb_client_hello(struct mb_channel *c, unsigned timeout_ms, struct mb_error *err);

/* mb_client_mount(c, dir, out, err): what ${dir} sits on.  Free with mb_mount_facts_clear. */
int mb_client_mount(struct mb_channel *c, const char *dir, struct mb_mount_facts *out, struct mb_error *err);
void mb_mount_facts_clear(struct mb_mount_facts *facts);

/* mb_client_read(c, path, text, err): the start of a small file, malloc'd in *${text}; NULL there (and 0) when it is not there. */
int mb_client_read(struct mb_channel *c, const char *path, char **text, struct mb_error *err);

/* mb_client_write(c, path, text, err): make or replace the small file ${path}. */
int mb_client_write(struct mb_channel *c, const char *path, const char *text, struct mb_error *err);

/* A job: a cell's work in a directory. */
struct mb_job_spec {
    uint64_t id;
    const struct mb_workload_spec *workload;
    const char *dir;
    uint64_t data_seed;
    uint64_t timeout_ns;
    bool keep; /* of "run": what it made stays until mb_client_discard */
};

/*
 * mb_client_job(c, verb, job, answer, err):
 * Do ${verb} ("prepare", "run").  *${answer} is the probe's answer to this very job, the caller's to delete; a job that failed or
 * ran out of time is an answer too.  -1 only where the probe itself is in trouble: gone, silent beyond the limit, or not
 * understandable.
 */
int mb_client_job(struct mb_channel *c, const char *verb, const struct mb_job_spec *job, cJSON **answer, struct mb_error *err);

/* What the other side of a mount has of what a job left.  Moments are of that probe's mb_now_ns, for a child of ours our own. */
struct mb_arrival {
    bool seen;
    uint64_t seen_at_ns, checked_at_ns;
    uint64_t missing, wrong; /* files, when not all was seen in time */
    char trouble[256];       /* the first of them, in words */
};

/*
 * mb_client_await(c, job, limit_ns, out, err):
 * Ask the probe of the other side, at most ${limit_ns}, for what the ${job} that ran with .keep left; job->dir is the directory as
 * that probe sees it.  -1 where it cannot say.
 */
int mb_client_await(struct mb_channel *c, const struct mb_job_spec *job, uint64_t limit_ns, struct mb_arrival *out,
                    struct mb_error *err);

/* mb_client_discard(c, job, err): remove what ${job} left. */
int mb_client_discard(struct mb_channel *c, const struct mb_job_spec *job, struct mb_error *err);

/* A change to one file, and what it is as seen before and after; of a rename ${to} is the new name. */
struct mb_side_change {
    enum mb_change kind;
    const char *name, *to;
    struct mb_file_state before, after;
    bool stamp; /* the version as its time too */
};

/* mb_client_change(c, dir, change, err): have it made in ${dir}.  -1 with MB_EIO where the probe could not, else as ever. */
int mb_client_change(struct mb_channel *c, const char *dir, const struct mb_side_change *change, struct mb_error *err);

/* How the other side looks, and what it saw. */
struct mb_side_view {
    enum mb_look look;
    uint64_t limit_ns, poll_ns;
    bool seen;
    uint64_t looks, wrong; /* wrong: looks that saw neither the state before nor the one after */
    char trouble[300];     /* the first of those, in words */
};

/*
 * mb_client_watch(c, dir, change, done, view, err):
 * Have the probe look in ${dir} for what ${change} leaves, or, unless ${done}, for what there is before it.
 */
int mb_client_watch(struct mb_channel *c, const char *dir, const struct mb_side_change *change, bool done,
                    struct mb_side_view *view, struct mb_error *err);

/* mb_client_cleanup(c, dir, timeout_ms, err): remove ${dir} and all below it. */
int mb_client_cleanup(struct mb_channel *c, const char *dir, unsigned timeout_ms, struct mb_error *err);

#endif
