/* sync_proof.c: a file each way. */
#include "runner/sync_proof.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/signals.h"
#include "runner/client.h"
#include "runner/workdir.h"

/* In the volume first, and to arrive on the host. */
#define REPLY ".mountbench-reply"
#define NONCE_BYTES 16

/* The start of a file of ours on the host; "" where it is not there. */
static const char *
read_here(const char *dir, const char *name, char out[128])
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(8192);
    ssize_t n = 0;

    mb_buffer_printf(&path, "%s/%s", dir, name);
    int fd = open(mb_buffer_text(&path), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, out, 127);
        close(fd);
    }
    out[n > 0 ? n : 0] = '\0';
    return out;
}

static int
seen_there(const struct mb_sync_proof *p, bool *seen, struct mb_error *err)
{
    char path[256], *text;

    snprintf(path, sizeof path, "%s/%s", p->dir, MB_WORKDIR_NONCE);
    if (mb_client_read(p->channel, path, &text, err) != 0)
        return -1;
    *seen = text != NULL && strcmp(text, p->nonce) == 0;
    free(text);
    return 0;
}

static int
check_tool(const struct mb_sync_proof *p, uint64_t deadline_ns, const char *way, struct mb_error *err)
{
    const struct timespec pause = {.tv_nsec = 20000000};

    if (mb_interrupted())
        return mb_error_set(err, MB_EINTERRUPT, "interrupted");
    if (mb_sync_look(p->sync, err) != 0)
        return -1;
    if (mb_deadline_left_ms(deadline_ns) == 0)
        return mb_error_set(err, MB_ETIMEOUT, "the first synchronisation is not through after %u s: nothing came %s",
                            (p->timeout_ms + 999) / 1000, way);
    nanosleep(&pause, NULL);
    return 0;
}

int
mb_sync_prove(const struct mb_sync_proof *p, struct mb_error *err)
{
    uint64_t deadline_ns = mb_deadline_in_ms(p->timeout_ms);
    char reply[2 * NONCE_BYTES + 1], path[256], text[128];
    bool seen = false;

    while (seen_there(p, &seen, err) == 0 && !seen) {
        if (check_tool(p, deadline_ns, "from the host to the volume", err) != 0)
            return -1;
    }
    if (!seen)
        return -1;
    mb_random_hex(reply, NONCE_BYTES);
    snprintf(path, sizeof path, "%s/%s", p->dir, REPLY);
    if (mb_client_write(p->channel, path, reply, err) != 0)
        return -1;
    while (strcmp(read_here(p->host_dir, REPLY, text), reply) != 0) {
        if (check_tool(p, deadline_ns, "from the volume to the host", err) != 0)
            return -1;
    }
    return 0;
}
