/* file.h: files of a job: open, read and write whole pieces, flush, close; with failures in words. */
#ifndef MB_PROBE_FILE_H
#define MB_PROBE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/job.h"

/* A piece of a file and the memory it comes from or goes to. */
struct mb_piece {
    const char *name; /* of the file, for messages */
    uint64_t offset;
    void *bytes;
    size_t n;
};

/* mb_file_open(job, name, flags, direct, err): open ${name}, made with mode 0666 where ${flags} say so.  A descriptor or -1. */
int mb_file_open(struct mb_job *job, const char *name, int flags, bool direct, struct mb_error *err);

/*
 * mb_file_finish_write(job, fd, piece, done, err): ${done} is what write() at the file's position returned for ${piece}: write
 * what is left, or say what failed.  So the caller's loop makes the one call that is measured, and nothing else.
 * mb_file_write(job, fd, piece, err): the write and the rest.
 */
int mb_file_finish_write(struct mb_job *job, int fd, const struct mb_piece *piece, ssize_t done, struct mb_error *err);
int mb_file_write(struct mb_job *job, int fd, const struct mb_piece *piece, struct mb_error *err);

/*
 * mb_file_short_read(job, piece, done, err): fill ${err} for a read of ${piece} that returned ${done} instead of ${piece}->n: an
 * error of the system, or a file that is too short.  Return -1.
 */
int mb_file_short_read(struct mb_job *job, const struct mb_piece *piece, ssize_t done, struct mb_error *err);

/* mb_file_sync(job, fd, name, sync, err): what ${sync}, an enum mb_sync, asks for once all is written. */
int mb_file_sync(struct mb_job *job, int fd, const char *name, uint64_t sync, struct mb_error *err);

/* mb_file_close(job, fd, name, err): close; a network filesystem may say only now that a write failed. */
int mb_file_close(struct mb_job *job, int fd, const char *name, struct mb_error *err);

/* mb_file_lay_out(job, name, size, err): make the file ${name} of ${size} bytes of the pattern of ${job}->data_seed. */
int mb_file_lay_out(struct mb_job *job, const char *name, uint64_t size, struct mb_error *err);

/*
 * mb_file_check(job, name, size, err): read all of it again, and compare every byte with what mb_file_lay_out wrote.
 */
int mb_file_check(struct mb_job *job, const char *name, uint64_t size, struct mb_error *err);

/* mb_file_wrong(job, piece, err): find and name the first byte of ${piece} that is not as laid out; 0 when there is none. */
int mb_file_wrong(struct mb_job *job, const struct mb_piece *piece, struct mb_error *err);

/*
 * mb_file_set_cache(job, fd, whole, cold, err): bring the file ${whole} out of the page cache or, by reading it, into it; and
 * note as the metric "resident_percent" how much of it is then there.
 */
int mb_file_set_cache(struct mb_job *job, int fd, const struct mb_piece *whole, bool cold, struct mb_error *err);

#endif
