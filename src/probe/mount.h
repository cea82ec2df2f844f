/* mount.h: what is really mounted at a directory. */
#ifndef MB_PROBE_MOUNT_H
#define MB_PROBE_MOUNT_H

#include "mountbench/buffer.h"
#include "mountbench/error.h"

/* One line of mountinfo (proc(5)), its escapes undone.  The pointers point into the text it was found in. */
struct mb_mount {
    char *device, *root, *mount_point, *options, *fstype, *source, *super_options;
};

/*
 * mb_mount_find(text, mount_id, path, out):
 * Find in the mountinfo ${text}, which is cut up in place, the mount ${mount_id}; when that is negative or not there, the last
 * of those with the longest mount point that is a parent of the absolute ${path}.  Return 0, or -1 when there is none.
 */
int mb_mount_find(char *text, long mount_id, const char *path, struct mb_mount *out);

/* mb_mount_describe(dir, answer, err): append the protocol's "mount" answer for the directory ${dir}, which becomes the current
 * one. */
int mb_mount_describe(const char *dir, struct mb_buffer *answer, struct mb_error *err);

#endif
