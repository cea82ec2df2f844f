/* file.c: write beside, then rename over. */
#include "mountbench/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t wrote = write(fd, bytes, n);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return -1;
        bytes += wrote;
        n -= (size_t)wrote;
    }
    return 0;
}

/* A device, a pipe: there is nothing to rename over. */
static int
write_through(const char *path, const void *bytes, size_t n, struct mb_error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot open '%s'", path);
    int rc = write_all(fd, bytes, n);
    int problem = errno;
    if (close(fd) != 0 && rc == 0) {
        rc = -1;
        problem = errno;
    }
    return rc == 0 ? 0 : mb_error_errno(err, MB_EIO, problem, "cannot write '%s'", path);
}

/* mkstemp makes files that only their owner may read; give it the mode that open would have given. */
static void
usual_mode(int fd, const struct stat *old)
{
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, old != NULL ? old->st_mode & 0777 : 0666 & ~mask);
}

int
mb_file_replace(const char *path, const void *bytes, size_t n, struct mb_error *err)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    size_t size = strlen(path) + sizeof ".XXXXXX";

    if (exists && S_ISDIR(st.st_mode))
        return mb_error_set(err, MB_EIO, "cannot write '%s': it is a directory", path);
    if (exists && !S_ISREG(st.st_mode))
        return write_through(path, bytes, n, err);
    char *beside = malloc(size);
    if (beside == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    snprintf(beside, size, "%s.XXXXXX", path);
    int fd = mkstemp(beside);
    if (fd < 0) {
        int problem = errno;
        free(beside);
        return mb_error_errno(err, MB_EIO, problem, "cannot write '%s'", path);
    }
    usual_mode(fd, exists ? &st : NULL);
    int rc = write_all(fd, bytes, n);
    rc = fsync(fd) == 0 || errno == EINVAL ? rc : -1;
    int problem = errno;
    if (close(fd) != 0 || rc != 0 || rename(beside, path) != 0) {
        problem = rc != 0 ? problem : errno;
        unlink(beside);
        free(beside);
        return mb_error_errno(err, MB_EIO, problem, "cannot write '%s'", path);
    }
    free(beside);
    return 0;
}
