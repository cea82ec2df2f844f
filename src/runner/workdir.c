/* workdir.c: marked, so that only what is ours is ever removed. */
/* realpath is POSIX, but glibc shows it with XSI alone. */
#define _XOPEN_SOURCE 700
#include "runner/workdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/buffer.h"
#include "mountbench/clock.h"
#include "mountbench/tree.h"

void
mb_random_hex(char *out, size_t bytes)
{
    unsigned char raw[32] = {0};
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

    if (fd < 0 || read(fd, raw, bytes) != (ssize_t)bytes) {
        /* No random source: unique on this machine is enough, unguessable is not needed. */
        uint64_t mixed = mb_now_ns() * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)getpid();
        memcpy(raw, &mixed, sizeof mixed);
    }
    if (fd >= 0)
        close(fd);
    for (size_t i = 0; i < bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", raw[i]);
}

int
mb_workdir_make(const char *dir, const char *run, const char *part, struct mb_workdir *out, struct mb_error *err)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(8192);

    *out = (struct mb_workdir){0};
    char *base = realpath(dir != NULL ? dir : ".", NULL);
    if (base == NULL)
        return mb_error_errno(err, MB_ECONFIG, errno, "cannot use the directory '%s'", dir != NULL ? dir : ".");
    mb_buffer_printf(&path, "%s/%s%s%s", strcmp(base, "/") == 0 ? "" : base, MB_WORKDIR_PREFIX, run, part);
    free(base);
    if (mkdir(mb_buffer_text(&path), 0777) != 0)
        return mb_error_errno(err, MB_ECONFIG, errno, "cannot make '%s'; choose another place with --dir, or the mount's 'path'",
                              mb_buffer_text(&path));
    out->path = mb_buffer_steal(&path);
    mb_random_hex(out->nonce, 16);
    if (mb_tree_mark(out->path, MB_RUN_MARK, run, err) != 0) {
        mb_workdir_remove(out, NULL);
        return -1;
    }
    return 0;
}

int
mb_workdir_mount(const struct mb_workdir *w, size_t number, char **path, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(8192);

    mb_buffer_printf(&text, "%s/m%zu", w->path, number);
    *path = NULL;
    if (mkdir(mb_buffer_text(&text), 0777) != 0 && errno != EEXIST)
        return mb_error_errno(err, MB_EIO, errno, "cannot make '%s'", mb_buffer_text(&text));
    struct mb_error first = {0};
    if (mb_tree_mark(mb_buffer_text(&text), MB_WORKDIR_NONCE, w->nonce, &first) != 0 && errno != EEXIST)
        return mb_error_set(err, first.code, "%s", first.message);
    *path = mb_buffer_steal(&text);
    return *path != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

int
mb_workdir_remove(struct mb_workdir *w, struct mb_error *err)
{
    int rc = 0;

    if (w->path != NULL && mb_tree_remove(w->path, err) != 0)
        rc = mb_error_prefix(err, "%s", w->path);
    free(w->path);
    w->path = NULL;
    return rc;
}
