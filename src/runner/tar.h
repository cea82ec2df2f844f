/* tar.h: ustar archives (POSIX.1-2008, pax, "ustar Interchange Format") made in memory: what engines take. */
#ifndef MB_RUNNER_TAR_H
#define MB_RUNNER_TAR_H

#include "mountbench/buffer.h"
#include "mountbench/error.h"

/* One member; owner and times are 0, so that the same files give the same bytes. */
struct mb_tar_entry {
    const char *name; /* without a '/' before it; of a directory without one behind it */
    unsigned mode;
    char type;        /* '0' a file, '2' a symbolic link, '5' a directory */
    const char *link; /* of '2' */
    const void *bytes;
    size_t size; /* of '0' */
};

/*
 * mb_tar_add(out, entry): append it; -1 where its name or link does not fit the form.  Look at ${out}->overflowed at the end.
 * mb_tar_end(out): the archive's two blocks of zeros.
 */
int mb_tar_add(struct mb_buffer *out, const struct mb_tar_entry *entry);
void mb_tar_end(struct mb_buffer *out);

/* mb_tar_directory(dir, out, err): all below ${dir}, in the order of names, ended; other than files, links and directories is
 * refused. */
int mb_tar_directory(const char *dir, struct mb_buffer *out, struct mb_error *err);

#endif
