/* file.c: files of a job. */
#include "probe/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe/linux.h"
#include "probe/pattern.h"
#include "probe/workloads.h"

/* What laying out and checking move at once. */
#define CHUNK ((size_t)1 << 20)

int
mb_file_open(struct mb_job *job, const char *name, int flags, bool direct, struct mb_error *err)
{
    int direct_flag = direct ? mb_linux_direct_flag() : 0;

    if (direct && direct_flag == 0)
        return mb_job_fail(job, err, ENOTSUP, name, "this system has no O_DIRECT");
    int fd = open(name, flags | direct_flag | O_NOFOLLOW, 0666);
    if (fd >= 0)
        return fd;
    int saved = errno;
    mb_job_fail(job, err, saved, name, direct ? "cannot open with O_DIRECT" : "cannot open");
    return -1;
}

int
mb_file_finish_write(struct mb_job *job, int fd, const struct mb_piece *piece, ssize_t done, struct mb_error *err)
{
    size_t written = 0;

    for (;;) {
        if (done < 0 && errno != EINTR)
            return mb_job_fail_at(job, err, errno, piece->name, "cannot write", piece->offset + written);
        if (done == 0)
            return mb_job_fail_at(job, err, ENOSPC, piece->name, "nothing more can be written", piece->offset + written);
        written += done > 0 ? (size_t)done : 0;
        if (written == piece->n)
            return 0;
        done = write(fd, (const char *)piece->bytes + written, piece->n - written);
    }
}

int
mb_file_write(struct mb_job *job, int fd, const struct mb_piece *piece, struct mb_error *err)
{
    return mb_file_finish_write(job, fd, piece, write(fd, piece->bytes, piece->n), err);
}

int
mb_file_short_read(struct mb_job *job, const struct mb_piece *piece, ssize_t done, struct mb_error *err)
{
    if (done < 0)
        return mb_job_fail_at(job, err, errno, piece->name, "cannot read", piece->offset);
    return mb_error_set(err, MB_EIO, "%s/%s: only %lld of %zu bytes could be read at byte %llu", job->dir, piece->name,
                        (long long)done, piece->n, (unsigned long long)piece->offset);
}

int
mb_file_sync(struct mb_job *job, int fd, const char *name, uint64_t sync, struct mb_error *err)
{
    if (sync == MB_SYNC_FDATASYNC && mb_linux_fdatasync(fd) != 0)
        return mb_job_fail(job, err, errno, name, "fdatasync");
    if (sync == MB_SYNC_FSYNC && fsync(fd) != 0)
        return mb_job_fail(job, err, errno, name, "fsync");
    return 0;
}

int
mb_file_close(struct mb_job *job, int fd, const char *name, struct mb_error *err)
{
    return close(fd) == 0 ? 0 : mb_job_fail(job, err, errno, name, "close");
}

static int
lay_out(struct mb_job *job, int fd, struct mb_piece *piece, uint64_t size, struct mb_error *err)
{
    for (piece->offset = 0; piece->offset < size; piece->offset += piece->n) {
        piece->n = size - piece->offset < CHUNK ? (size_t)(size - piece->offset) : CHUNK;
        mb_pattern_fill(job->data_seed, piece->offset, piece->bytes, piece->n);
        if (mb_file_write(job, fd, piece, err) != 0)
            return -1;
    }
    return 0;
}

int
mb_file_lay_out(struct mb_job *job, const char *name, uint64_t size, struct mb_error *err)
{
    struct mb_piece piece = {.name = name, .bytes = mb_job_buffer(CHUNK)};

    if (piece.bytes == NULL)
        return mb_job_fail(job, err, ENOMEM, name, "no memory to write it");
    int fd = mb_file_open(job, name, O_WRONLY | O_CREAT | O_TRUNC, false, err);
    int result = fd < 0 ? -1 : lay_out(job, fd, &piece, size, err);
    if (fd >= 0 && mb_file_close(job, fd, name, result == 0 ? err : NULL) != 0)
        result = -1;
    free(piece.bytes);
    return result;
}

int
mb_file_wrong(struct mb_job *job, const struct mb_piece *piece, struct mb_error *err)
{
    const unsigned char *bytes = piece->bytes;
    size_t at = mb_pattern_check(job->data_seed, piece->offset, bytes, piece->n);
    unsigned char expected[8];

    if (at == piece->n)
        return 0;
    mb_pattern_fill(job->data_seed, piece->offset + at / 8 * 8, expected, sizeof expected);
    return mb_job_wrong_byte(job, err, piece->name, piece->offset + at, (unsigned char[2]){bytes[at], expected[at % 8]});
}

/* Read ${size} bytes from the start of ${fd}, and check them unless ${blindly}. */
static int
read_through(struct mb_job *job, int fd, const struct mb_piece *whole, bool blindly, struct mb_error *err)
{
    struct mb_piece piece = {.name = whole->name, .bytes = mb_job_buffer(CHUNK)};
    int result = 0;

    if (piece.bytes == NULL)
        return mb_job_fail(job, err, ENOMEM, whole->name, "no memory to read it");
    for (; result == 0 && piece.offset < whole->n; piece.offset += piece.n) {
        piece.n = whole->n - piece.offset < CHUNK ? (size_t)(whole->n - piece.offset) : CHUNK;
        ssize_t done = pread(fd, piece.bytes, piece.n, (off_t)piece.offset);
        if (done != (ssize_t)piece.n)
            result = mb_file_short_read(job, &piece, done, err);
        else if (!blindly)
            result = mb_file_wrong(job, &piece, err);
    }
    free(piece.bytes);
    return result;
}

int
mb_file_check(struct mb_job *job, const char *name, uint64_t size, struct mb_error *err)
{
    struct mb_piece whole = {.name = name, .n = (size_t)size};
    int fd = mb_file_open(job, name, O_RDONLY, false, err);

    if (fd < 0)
        return -1;
    int result = read_through(job, fd, &whole, false, err);
    close(fd);
    return result;
}

int
mb_file_set_cache(struct mb_job *job, int fd, const struct mb_piece *whole, bool cold, struct mb_error *err)
{
    if (cold && mb_linux_drop_cache(fd) != 0)
        return mb_job_fail(job, err, errno, whole->name, "cannot be dropped from the page cache");
    if (!cold && read_through(job, fd, whole, true, err) != 0)
        return -1;
    double resident = mb_linux_resident(fd, whole->n);
    if (resident >= 0)
        mb_job_metric(job, "resident_percent", resident);
    return 0;
}
