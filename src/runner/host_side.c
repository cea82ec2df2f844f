/* host_side.c: find the host's directory, start a probe there, prove that it is the mount's. */
/* realpath is POSIX, but glibc shows it with XSI alone. */
#define _XOPEN_SOURCE 700
#include "runner/host_side.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mountbench/clock.h"
#include "mountbench/signals.h"
#include "runner/station.h"

#define HELLO_MS 30000
/* How long a nonce may take to the other side: a server has it at once, an outside tool when it gets to it. */
#define PROVE_MS 5000
#define PROVE_SYNC_MS 60000
#define PROVE_PAUSE_NS 20000000
/* In the cell's directory, and removed with it. */
#define NONCE_NAME ".mountbench-nonce"

void
mb_host_side_drop(struct mb_station *station, const char *reason)
{
    mb_host_side_close(station);
    station->host.reason = strdup(reason);
}

void
mb_host_side_close(struct mb_station *station)
{
    struct mb_host_side *h = &station->host;

    /* One that still looks for what nobody waits for any more is not waited for either. */
    if (h->channel.pid > 0 && h->channel.owed)
        kill(h->channel.pid, SIGTERM);
    if (h->channel.pid > 0)
        mb_channel_close(&h->channel);
    free(h->reason);
    *h = (struct mb_host_side){.channel = {.fd = -1}};
}

char *
mb_host_side_path(const struct mb_station *station, const char *dir, struct mb_error *err)
{
    const char *slash = strrchr(dir, '/');
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(8192);

    mb_buffer_printf(&path, "%s/%s", station->host_dir, slash != NULL ? slash + 1 : dir);
    char *text = path.overflowed ? NULL : mb_buffer_steal(&path);
    if (text == NULL)
        mb_error_set(err, MB_EIO, "out of memory");
    return text;
}

/* Why there is no directory of this machine to look into; NULL when there is one, station->host_dir. */
static const char *
no_directory(struct mb_station *station)
{
    const struct mb_mount_spec *spec = station->spec;

    if (spec->type == MB_MOUNT_NFS && spec->path != NULL && station->host_dir == NULL)
        station->host_dir = realpath(spec->path, NULL);
    if (station->host_dir != NULL)
        return NULL;
    switch (spec->type) {
    case MB_MOUNT_NFS:
        return spec->path == NULL ? "the mount does not say which directory of this machine the server exports: its key 'path'"
                                  : "the mount's 'path' is no directory of this machine";
    case MB_MOUNT_LAYER:
        return "a container's own layer is no directory of this machine";
    case MB_MOUNT_VOLUME:
        return "a volume is no directory of this machine";
    case MB_MOUNT_TMPFS:
        return "a tmpfs is no directory of this machine";
    case MB_MOUNT_PATH:
        return "a path on the engine's machine is not known to be one of this machine";
    default:
        return "the mount has no directory on this machine";
    }
}

int
mb_host_side_arrives(struct mb_station *station, struct mb_channel *reader, const char *path, const char *text,
                     struct mb_error *err)
{
    static const struct timespec pause = {.tv_nsec = PROVE_PAUSE_NS};
    uint64_t deadline = mb_deadline_in_ms(station->spec->type == MB_MOUNT_SYNC ? PROVE_SYNC_MS : PROVE_MS);

    for (;;) {
        char *seen = NULL;
        if (mb_client_read(reader, path, &seen, err) != 0)
            return -1;
        bool there = seen != NULL && (text == NULL || strcmp(seen, text) == 0);
        free(seen);
        if (there || mb_deadline_left_ms(deadline) == 0)
            return there;
        if (mb_interrupted())
            return mb_error_set(err, MB_EINTERRUPT, "interrupted");
        if (mb_station_check(station, err) != 0)
            return -1;
        nanosleep(&pause, NULL);
    }
}

/* The container writes, the host reads: that needs no right to write on the host's side. */
static int
prove(struct mb_station *station, const char *dir, struct mb_error *err)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(8192);
    char nonce[33];

    mb_random_hex(nonce, 16);
    mb_buffer_printf(&path, "%s/" NONCE_NAME, dir);
    if (mb_client_write(&station->channel, mb_buffer_text(&path), nonce, err) != 0)
        return -1;
    char *other = mb_host_side_path(station, dir, err);
    if (other == NULL)
        return -1;
    mb_buffer_reset(&path);
    mb_buffer_printf(&path, "%s/" NONCE_NAME, other);
    free(other);
    int found = mb_host_side_arrives(station, &station->host.channel, mb_buffer_text(&path), nonce, err);
    if (found == 1)
        return 0;
    return found < 0
               ? -1
               : mb_error_set(err, MB_ECONFIG, "what the container writes does not come up in '%s': it is not the same directory",
                              station->host_dir);
}

static int
start(struct mb_station *station, const char *dir, struct mb_error *err)
{
    if (mb_channel_fork(&station->host.channel, err) != 0)
        return -1;
    if (mb_client_hello(&station->host.channel, HELLO_MS, err) != 0)
        return -1;
    return prove(station, dir, err);
}

int
mb_host_side_open(struct mb_station *station, const char *dir, struct mb_error *err)
{
    if (station->host.open || station->host.reason != NULL)
        return 0;
    const char *none = no_directory(station);
    if (none != NULL) {
        mb_host_side_drop(station, none);
        return 0;
    }
    station->host.open = start(station, dir, err) == 0;
    if (station->host.open)
        return 0;
    mb_host_side_drop(station, err->message);
    if (err->code == MB_EINTERRUPT)
        return -1;
    mb_error_clear(err);
    /* A tool that is gone has the whole mount with it. */
    return mb_station_hold(station, err);
}
