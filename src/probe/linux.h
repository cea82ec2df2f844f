/*
 * linux.h: the few calls that Linux alone has, each with what other systems do instead.  Nothing else in src/probe/ may go
 * beyond POSIX, since the same workloads run in the driver on a Mac.
 */
#ifndef MB_PROBE_LINUX_H
#define MB_PROBE_LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mountbench/buffer.h"

/* mb_linux_die_with_parent(parent): have this process killed when its parent ${parent} ends.  Elsewhere nothing. */
void mb_linux_die_with_parent(pid_t parent);

/* mb_linux_direct_flag(): open()'s O_DIRECT; 0 where the system has none. */
int mb_linux_direct_flag(void);

/* mb_linux_drop_cache(fd): drop the clean pages of the file ${fd} from this system's page cache.  0, or -1 with errno. */
int mb_linux_drop_cache(int fd);

/* mb_linux_resident(fd, size): how many percent of the ${size} > 0 bytes are in the page cache; -1 when not known. */
double mb_linux_resident(int fd, uint64_t size);

/* mb_linux_sync_filesystem(fd): write out what is dirty in the filesystem of ${fd}.  0, or -1 with errno. */
int mb_linux_sync_filesystem(int fd);

/* mb_linux_fdatasync(fd): fdatasync, or the nearest the system has. */
int mb_linux_fdatasync(int fd);

/* What statfs says of a filesystem. */
struct mb_statfs {
    uint64_t type; /* its magic number; 0 when not known */
    uint64_t block_bytes, total_bytes, available_bytes, files, files_free;
};

int mb_linux_statfs(int fd, struct mb_statfs *out);

/*
 * mb_linux_mountinfo(fd, text, mount_id):
 * Append the mounts that this process sees, in the form of proc(5)'s mountinfo, to ${text}, and set *${mount_id} to that of
 * the mount ${fd} lies on, -1 when the system does not say.  Return 0, or -1 with errno (ENOSYS where there is no such thing).
 */
int mb_linux_mountinfo(int fd, struct mb_buffer *text, long *mount_id);

#endif
