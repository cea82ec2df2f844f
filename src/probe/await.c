/*
 * await.c: look until the bytes are there.
 *
 * A look reads all files from the beginning and stops at the first byte that is missing or wrong.  Then that place alone is looked
 * at, over and over, and once it is right the next look begins.  So the moment is found to within the pause between two looks,
 * however long it takes to read all of it; and what counts is a look that found everything right, from its first byte to its last.
 */
#include "probe/await.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "probe/pattern.h"

/* Between two looks at what is not there yet. */
#define PAUSE_NS 500000
/* What is read and compared at once, where blocks are smaller. */
#define CHUNK_BYTES ((size_t)1 << 20)

enum look { RIGHT, MISSING, WRONG };

struct waiter {
    const struct mb_job *job;
    struct mb_leavings left;
    unsigned char *expected, *got; /* a chunk each: whole blocks */
    size_t chunk_bytes;
    uint64_t file, offset; /* where the last look stopped */
    struct mb_awaited *out;
};

static enum look
trouble(struct waiter *w, enum look look, const char *what, int errnum)
{
    snprintf(w->out->trouble, sizeof w->out->trouble, "%s/%" PRIu64 ": %s%s%s", w->job->work, w->file, what,
             errnum != 0 ? ": " : "", errnum != 0 ? strerror(errnum) : "");
    return look;
}

static enum look
wrong_byte(struct waiter *w, size_t at)
{
    char what[100];

    snprintf(what, sizeof what, "wrong content at byte %" PRIu64 ": expected 0x%02x, got 0x%02x", w->offset + at, w->expected[at],
             w->got[at]);
    return trouble(w, WRONG, what, 0);
}

/* The chunk at w->offset. */
static enum look
look_at_chunk(struct waiter *w, int fd)
{
    uint64_t left = w->left.size_bytes - w->offset;
    size_t n = left < w->chunk_bytes ? (size_t)left : w->chunk_bytes;

    for (size_t done = 0; done < n;) {
        ssize_t got = pread(fd, w->got + done, n - done, (off_t)(w->offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return trouble(w, MISSING, got < 0 ? "cannot be read" : "ends too early", got < 0 ? errno : 0);
        done += (size_t)got;
    }
    return memcmp(w->got, w->expected, n) == 0 ? RIGHT : wrong_byte(w, mb_pattern_differs(w->got, w->expected, n));
}

static enum look
look_into(struct waiter *w, int fd, bool whole)
{
    struct stat st;
    char what[100];
    enum look look = RIGHT;

    if (fstat(fd, &st) != 0)
        return trouble(w, MISSING, "cannot be looked at", errno);
    snprintf(what, sizeof what, "%lld of %" PRIu64 " bytes", (long long)st.st_size, w->left.size_bytes);
    if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > w->left.size_bytes)
        return trouble(w, WRONG, S_ISREG(st.st_mode) ? what : "is no file", 0);
    if ((uint64_t)st.st_size < w->left.size_bytes)
        return trouble(w, MISSING, what, 0);
    for (; look == RIGHT && w->offset < w->left.size_bytes; w->offset += w->chunk_bytes) {
        look = look_at_chunk(w, fd);
        if (look != RIGHT || !whole)
            break;
    }
    return look;
}

/* The file w->file, from w->offset on: all of it, or the one chunk there. */
static enum look
look_at_file(struct waiter *w, bool whole)
{
    char path[8192];

    snprintf(path, sizeof path, "%s/%s/%" PRIu64, w->job->dir, w->job->work, w->file);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return trouble(w, MISSING, errno == ENOENT ? "is not there" : "cannot be opened", errno == ENOENT ? 0 : errno);
    enum look look = look_into(w, fd, whole);
    close(fd);
    return look;
}

static enum look
look_at_all(struct waiter *w)
{
    for (w->file = 0; w->file < w->left.files; w->file++) {
        w->offset = 0;
        enum look look = look_at_file(w, true);
        if (look != RIGHT)
            return look;
    }
    return RIGHT;
}

/* The time is up: how much is not as it should be. */
static void
count(struct waiter *w)
{
    char first[MB_AWAIT_TROUBLE_MAX] = "";

    for (w->file = 0; w->file < w->left.files; w->file++) {
        w->offset = 0;
        enum look look = look_at_file(w, true);
        w->out->missing += look == MISSING;
        w->out->wrong += look == WRONG;
        if (look != RIGHT && first[0] == '\0')
            memcpy(first, w->out->trouble, sizeof first);
    }
    memcpy(w->out->trouble, first, sizeof first);
    w->out->seen = first[0] == '\0';
    w->out->checked_at_ns = mb_now_ns();
}

static void
wait_for_all(struct waiter *w, uint64_t limit_ms)
{
    static const struct timespec pause = {.tv_nsec = PAUSE_NS};
    uint64_t deadline = mb_deadline_in_ms(limit_ms);

    for (;;) {
        w->out->seen_at_ns = mb_now_ns();
        enum look look = look_at_all(w);
        if (look == RIGHT) {
            w->out->seen = true;
            w->out->checked_at_ns = mb_now_ns();
            w->out->trouble[0] = '\0';
            return;
        }
        do {
            if (mb_deadline_left_ms(deadline) == 0) {
                w->out->seen_at_ns = mb_now_ns();
                count(w);
                return;
            }
            nanosleep(&pause, NULL);
        } while (look_at_file(w, false) != RIGHT);
    }
}

/* The buffers: whole blocks, one chunk as it should be. */
static int
make_chunks(struct waiter *w, struct mb_error *err)
{
    size_t blocks = w->left.block_bytes < CHUNK_BYTES ? CHUNK_BYTES / w->left.block_bytes : 1;

    w->chunk_bytes = blocks * w->left.block_bytes;
    w->expected = malloc(w->chunk_bytes);
    w->got = malloc(w->chunk_bytes);
    if (w->expected == NULL || w->got == NULL)
        return mb_error_set(err, MB_EIO, "no memory to look at what a trial left");
    for (size_t i = 0; i < blocks; i++)
        memcpy(w->expected + i * w->left.block_bytes, w->left.block, w->left.block_bytes);
    return 0;
}

int
mb_await(struct mb_job *job, uint64_t limit_ms, struct mb_awaited *out, struct mb_error *err)
{
    struct waiter w = {.job = job, .out = out};
    int rc = -1;

    *out = (struct mb_awaited){0};
    if (job->workload->leaves(job, &w.left, err) == 0 && make_chunks(&w, err) == 0) {
        wait_for_all(&w, limit_ms);
        rc = 0;
    }
    free(w.left.block);
    free(w.expected);
    free(w.got);
    return rc;
}
