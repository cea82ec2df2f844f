/* station.c: what each mount kind needs around a probe. */
#include "runner/station.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/clock.h"
#include "mountbench/signals.h"
#include "runner/image.h"
#include "runner/sync_proof.h"

/* Where every mount but the container's own layer appears; not in the image, so that no volume is filled from there. */
#define TARGET "/mountbench"
#define HELLO_MS 30000
/* For a sync tool to bring both sides together: at first, and after a trial. */
#define SYNC_READY_MS 60000
#define SYNC_SETTLE_MS 600000

static int
settle(struct mb_station *s, enum mb_station_status status, const char *reason)
{
    free(s->reason);
    s->reason = strdup(reason);
    s->status = status;
    return 0;
}

void
mb_station_refuse(struct mb_station *s, const char *reason)
{
    settle(s, MB_STATION_UNAVAILABLE, reason);
}

void
mb_station_fail(struct mb_station *s, const char *reason)
{
    settle(s, MB_STATION_BROKEN, reason);
}

/*
 * A step failed.  What ends the run stays an error; an engine's refusal makes the mount unavailable; the rest makes it broken.
 */
static int
step_failed(struct mb_station *s, struct mb_error *err)
{
    if (err->code == MB_EINTERRUPT || err->code == MB_ENOENGINE)
        return -1;
    settle(s, err->code == MB_EENGINE ? MB_STATION_UNAVAILABLE : MB_STATION_BROKEN, err->message);
    mb_error_clear(err);
    return 0;
}

static char *
object_name(const struct mb_station *s)
{
    char name[128];

    snprintf(name, sizeof name, "mountbench-%s-%zu", s->run, s->number);
    return strdup(name);
}

static bool
wants_volume(const struct mb_mount_spec *spec)
{
    return spec->type == MB_MOUNT_VOLUME || spec->type == MB_MOUNT_NFS || spec->type == MB_MOUNT_SYNC;
}

static int
make_volume(struct mb_station *s, struct mb_error *err)
{
    const struct mb_mount_spec *spec = s->spec;
    const struct mb_labels labels = {.run = s->run};
    struct mb_pair options[4] = {{NULL, NULL}};
    size_t n = 0;

    if (spec->fstype != NULL || spec->type == MB_MOUNT_NFS)
        options[n++] = (struct mb_pair){"type", spec->fstype != NULL ? spec->fstype : "nfs"};
    if (spec->options != NULL)
        options[n++] = (struct mb_pair){"o", spec->options};
    if (spec->device != NULL)
        options[n++] = (struct mb_pair){"device", spec->device};
    char *name = object_name(s);
    if (name == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    if (mb_volume_create(s->engine, name, NULL, n > 0 ? options : NULL, &labels, err) != 0) {
        free(name);
        return -1;
    }
    s->volume = name;
    return 0;
}

static void
fill_mount(const struct mb_station *s, struct mb_container_spec *out)
{
    out->target = TARGET;
    switch (s->spec->type) {
    case MB_MOUNT_BIND:
        out->mount = MB_ATTACH_BIND;
        out->source = s->host_dir;
        out->consistency = s->spec->consistency;
        break;
    case MB_MOUNT_PATH:
        out->mount = MB_ATTACH_BIND;
        out->source = s->spec->path;
        break;
    case MB_MOUNT_VOLUME:
    case MB_MOUNT_NFS:
    case MB_MOUNT_SYNC:
        out->mount = MB_ATTACH_VOLUME;
        out->source = s->volume;
        break;
    case MB_MOUNT_TMPFS:
        out->mount = MB_ATTACH_TMPFS;
        out->tmpfs_bytes = s->spec->size_bytes;
        break;
    default:
        out->mount = MB_ATTACH_NONE;
        out->target = NULL;
        break;
    }
}

static int
make_container(struct mb_station *s, struct mb_error *err)
{
    static const char *const entrypoint[] = {MB_IMAGE_PROBE, NULL};
    char *name = object_name(s);
    struct mb_container_spec spec = {
        .name = name, .image = s->image, .open_stdin = true, .network_none = true, .labels = {.run = s->run}};

    fill_mount(s, &spec);
    if (s->exec != NULL) {
        spec.entrypoint = entrypoint;
        spec.command = &entrypoint[1];
        spec.working_dir = "/";
        spec.network_none = !s->exec->network;
    }
    int rc = mb_container_create(s->engine, &spec, &s->container, err);
    free(name);
    return rc == 0 && s->exec != NULL ? mb_image_put(s->engine, s->container, err) : rc;
}

/* What the engine says of a container whose probe does not answer, put behind what we know ourselves. */
static void
explain(struct mb_station *s, struct mb_error *err)
{
    struct mb_container_state state;

    if (s->container == NULL || mb_container_inspect(s->engine, s->container, &state, NULL) != 0 || state.running)
        return;
    char before[sizeof err->message];
    memcpy(before, err->message, sizeof before);
    mb_error_set(err, err->code, "the container ended with status %d%s%s%s (%s)", state.exit_code,
                 state.oom_killed ? ", out of memory" : "", state.error[0] != '\0' ? ": " : "", state.error, before);
}

/* Container, attach, start, hello. */
static int
start_probe(struct mb_station *s, struct mb_error *err)
{
    struct mb_attach *attach;

    if (make_container(s, err) != 0)
        return -1;
    if (mb_container_attach(s->engine, s->container, &attach, err) != 0)
        return -1;
    mb_channel_attach(&s->channel, attach);
    if (mb_container_start(s->engine, s->container, err) != 0)
        return -1;
    if (mb_client_hello(&s->channel, HELLO_MS, err) != 0) {
        explain(s, err);
        return mb_error_prefix(err, "the probe does not answer");
    }
    return 0;
}

/* A bind is the driver's own directory, or it measures something else. */
static int
prove_bind(struct mb_station *s, struct mb_error *err)
{
    char *seen;

    if (mb_client_read(&s->channel, TARGET "/" MB_WORKDIR_NONCE, &seen, err) != 0)
        return -1;
    bool ours = seen != NULL && strcmp(seen, s->own.path != NULL ? s->own.nonce : s->workdir->nonce) == 0;
    free(seen);
    if (ours)
        return 0;
    return mb_error_set(
        err, MB_EENGINE,
        "what the container sees is not '%s': the engine does not share this directory with the driver's machine (choose "
        "a shared one with --dir, or the engine is on another machine)",
        s->host_dir);
}

/* Start the tool and wait until it has carried a file each way. */
static int
start_sync(struct mb_station *s, struct mb_error *err)
{
    uint64_t ready_ns = s->spec->sync->ready_timeout_ns;
    unsigned timeout_ms = ready_ns > 0 ? (unsigned)(ready_ns / 1000000) : SYNC_READY_MS;
    char *name = object_name(s);

    if (name == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    const struct mb_sync_place place = {.spec = s->spec->sync,
                                        .engine = s->engine,
                                        .run = s->run,
                                        .name = name,
                                        .image = s->sync_image,
                                        .container = s->container,
                                        .volume = s->volume,
                                        .target = TARGET,
                                        .host_dir = s->host_dir};
    int rc = mb_sync_start(&place, &s->sync, err);
    free(name);
    if (rc != 0)
        return mb_error_prefix(err, "the sync tool does not work");
    const struct mb_sync_proof proof = {
        s->sync, &s->channel, TARGET, s->host_dir, s->own.path != NULL ? s->own.nonce : s->workdir->nonce, timeout_ms};
    return mb_sync_prove(&proof, err);
}

int
mb_station_check(struct mb_station *s, struct mb_error *err)
{
    return s->sync != NULL ? mb_sync_look(s->sync, err) : 0;
}

int
mb_station_settle(struct mb_station *s, struct mb_error *err)
{
    return s->sync != NULL ? mb_sync_settle(s->sync, SYNC_SETTLE_MS, err) : 0;
}

static int
open_host(struct mb_station *s, struct mb_error *err)
{
    if (mb_channel_fork(&s->channel, err) != 0)
        return -1;
    s->base = strdup(s->host_dir);
    return mb_client_hello(&s->channel, HELLO_MS, err);
}

static int
open_container(struct mb_station *s, struct mb_error *err)
{
    if (wants_volume(s->spec) && s->volume == NULL && make_volume(s, err) != 0)
        return -1;
    if (start_probe(s, err) != 0)
        return -1;
    if (s->spec->type == MB_MOUNT_BIND && prove_bind(s, err) != 0)
        return -1;
    if (s->spec->type == MB_MOUNT_SYNC && s->sync == NULL && start_sync(s, err) != 0)
        return -1;
    if (s->base == NULL)
        s->base = strdup(s->spec->type == MB_MOUNT_LAYER ? MB_IMAGE_LAYER : TARGET);
    return 0;
}

/* Whether a directory of the driver's machine is half of it. */
static bool
has_host_dir(enum mb_mount_type type)
{
    return type == MB_MOUNT_BIND || type == MB_MOUNT_SYNC || type == MB_MOUNT_HOST;
}

/* The driver's directory of such a mount: in the run's, or where the mount says. */
static int
make_host_dir(struct mb_station *s, struct mb_error *err)
{
    char part[32];

    snprintf(part, sizeof part, "-%zu", s->number);
    if (s->spec->path != NULL && mb_workdir_make(s->spec->path, s->run, part, &s->own, err) != 0)
        return -1;
    return mb_workdir_mount(s->own.path != NULL ? &s->own : s->workdir, s->number, &s->host_dir, err);
}

int
mb_station_open(struct mb_station *s, struct mb_error *err)
{
    enum mb_mount_type type = s->spec->type;

    s->channel.fd = -1;
    if (type == MB_MOUNT_SYNC && mb_sync_need(s->spec->sync, err) != 0)
        return step_failed(s, err);
    if (has_host_dir(type) && make_host_dir(s, err) != 0)
        return step_failed(s, err);
    if ((type == MB_MOUNT_HOST ? open_host(s, err) : open_container(s, err)) != 0)
        return step_failed(s, err);
    if (s->base == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    if (mb_client_mount(&s->channel, s->base, &s->facts, err) != 0)
        return step_failed(s, err);
    s->status = MB_STATION_READY;
    return 0;
}

static int
drop_container(struct mb_station *s, struct mb_error *err)
{
    int rc = 0;

    mb_channel_close(&s->channel);
    if (s->container != NULL)
        rc = mb_container_remove(s->engine, s->container, err);
    free(s->container);
    s->container = NULL;
    return rc;
}

int
mb_station_restart(struct mb_station *s, struct mb_error *err)
{
    if (s->spec->type == MB_MOUNT_HOST) {
        mb_channel_close(&s->channel);
        return mb_channel_fork(&s->channel, err) == 0 ? 0 : step_failed(s, err);
    }
    if (drop_container(s, err) != 0 || open_container(s, err) != 0)
        return step_failed(s, err);
    return 0;
}

void
mb_station_broke(struct mb_station *s, const struct mb_error *what)
{
    struct mb_error err = *what;

    explain(s, &err);
    settle(s, MB_STATION_BROKEN, err.message);
    mb_channel_close(&s->channel);
}

/* Keep the first failure of a ladder, do not stop at it. */
static void
keep_first(struct mb_error *err, struct mb_error *step)
{
    if (err != NULL && err->code == MB_OK)
        *err = *step;
}

int
mb_station_hold(struct mb_station *s, struct mb_error *err)
{
    if (mb_station_check(s, err) == 0)
        return 0;
    if (err->code == MB_EINTERRUPT)
        return -1;
    mb_station_broke(s, err);
    mb_error_clear(err);
    return 0;
}

int
mb_station_close(struct mb_station *s, struct mb_error *err)
{
    struct mb_error first = {0}, step = {0};

    mb_host_side_close(s);
    /* It writes to both sides. */
    if (mb_sync_stop(s->sync, &step) != 0)
        keep_first(&first, &step);
    s->sync = NULL;
    mb_error_clear(&step);
    if (drop_container(s, &step) != 0)
        keep_first(&first, &step);
    mb_error_clear(&step);
    if (s->volume != NULL && mb_volume_remove(s->engine, s->volume, &step) != 0)
        keep_first(&first, &step);
    mb_error_clear(&step);
    if (mb_workdir_remove(&s->own, &step) != 0)
        keep_first(&first, &step);
    free(s->volume);
    free(s->host_dir);
    free(s->base);
    free(s->reason);
    free(s->expected);
    free(s->observed);
    s->volume = s->host_dir = s->base = s->reason = s->expected = s->observed = NULL;
    mb_mount_facts_clear(&s->facts);
    if (first.code == MB_OK)
        return 0;
    if (err != NULL)
        *err = first;
    return -1;
}
