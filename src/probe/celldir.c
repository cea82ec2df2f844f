/* celldir.c: make, recognise and remove a cell's directory.  Never follows a symbolic link, never crosses into another mount. */
#include "probe/celldir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARKER ".mountbench-probe"
/* Whether D was made here, and goes again, or was there and empty, and stays. */
#define MADE "made by mountbench-probe\n"
#define FOUND "found empty by mountbench-probe\n"
/* No tree of ours is deeper. */
#define DEPTH_MAX 40

static int
open_dir(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* 1: marked as made, 2: marked as found, 0: no marker, -1: cannot tell. */
static int
read_marker(int fd)
{
    char text[64] = "";
    struct stat st;
    int marker = openat(fd, MARKER, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (marker < 0)
        return errno == ENOENT || errno == ELOOP ? 0 : -1;
    ssize_t n = fstat(marker, &st) == 0 && S_ISREG(st.st_mode) ? read(marker, text, sizeof text - 1) : 0;
    int saved = errno;
    close(marker);
    errno = saved;
    if (n < 0)
        return -1;
    return strcmp(text, MADE) == 0 ? 1 : strcmp(text, FOUND) == 0 ? 2 : 0;
}

static int
write_marker(int fd, const char *text)
{
    int marker = openat(fd, MARKER, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    if (marker < 0)
        return -1;
    ssize_t n = write(marker, text, strlen(text));
    int saved = errno;
    if (close(marker) != 0)
        return -1;
    errno = n < 0 ? saved : ENOSPC;
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

static bool
is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* 1: empty, 0: not, -1: cannot tell. */
static int
is_empty(int fd)
{
    int own = open_dir(fd, ".");
    DIR *stream = own < 0 ? NULL : fdopendir(own);
    int empty = 1;

    if (stream == NULL) {
        if (own >= 0)
            close(own);
        return -1;
    }
    for (struct dirent *entry; empty && (entry = readdir(stream)) != NULL;)
        empty = is_dot(entry->d_name);
    closedir(stream);
    return empty;
}

static int
check_path(const char *dir, struct mb_error *err)
{
    if (dir[0] != '/' || strspn(dir, "/.") == strlen(dir))
        return mb_error_set(err, MB_EPROTOCOL, "dir: '%.200s' is not the absolute path of a directory to work in", dir);
    return 0;
}

static int
adopt(int fd, bool made, struct mb_error *err)
{
    int marked = made ? 0 : read_marker(fd);

    if (marked > 0)
        return 0;
    if (marked < 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot read its marker %s", MARKER);
    if (!made && is_empty(fd) != 1)
        return mb_error_set(err, MB_EIO,
                            "it is not empty and has no marker %s of the probe: "
                            "name a directory that does not exist yet, so that no one's files are touched",
                            MARKER);
    if (write_marker(fd, made ? MADE : FOUND) == 0)
        return 0;
    /* Half a marker would be none, and cleanup refuse the directory for ever. */
    mb_error_errno(err, MB_EIO, errno, "cannot write its marker %s", MARKER);
    unlinkat(fd, MARKER, 0);
    return -1;
}

int
mb_celldir_enter(const char *dir, struct mb_error *err)
{
    if (check_path(dir, err) != 0)
        return -1;
    bool made = mkdir(dir, 0777) == 0;
    if (!made && errno != EEXIST)
        return mb_error_errno(err, MB_EIO, errno, "%.1000s: cannot make the directory", dir);
    int fd = open_dir(AT_FDCWD, dir);
    if (fd < 0)
        return mb_error_errno(err, MB_EIO, errno, "%.1000s: cannot open it as a directory (a symbolic link is not followed)", dir);
    int result = adopt(fd, made, err);
    if (result != 0) {
        mb_error_prefix(err, "%s", dir);
        if (made)
            rmdir(dir);
    } else if (fchdir(fd) != 0)
        result = mb_error_errno(err, MB_EIO, errno, "%s: cannot enter it", dir);
    close(fd);
    return result;
}

static int remove_below(int fd, dev_t device, int depth, struct mb_error *err);

static int
remove_dir(int at, const char *name, dev_t device, int depth, struct mb_error *err)
{
    struct stat st;
    int fd = open_dir(at, name);

    if (fd < 0)
        return mb_error_errno(err, MB_EIO, errno, "%s: cannot open", name);
    int result = -1;
    if (fstat(fd, &st) != 0)
        mb_error_errno(err, MB_EIO, errno, "%s", name);
    else if (st.st_dev != device)
        mb_error_set(err, MB_EIO, "%s: another filesystem is mounted there; unmount it first", name);
    else if ((result = remove_below(fd, device, depth, err)) != 0)
        mb_error_prefix(err, "%s", name);
    close(fd);
    if (result == 0 && unlinkat(at, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        result = mb_error_errno(err, MB_EIO, errno, "%s: cannot remove the directory", name);
    return result;
}

static int
remove_entry(int fd, const char *name, dev_t device, int depth, struct mb_error *err)
{
    struct stat st;

    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : mb_error_errno(err, MB_EIO, errno, "%s", name);
    if (S_ISDIR(st.st_mode))
        return remove_dir(fd, name, device, depth + 1, err);
    if (unlinkat(fd, name, 0) != 0 && errno != ENOENT)
        return mb_error_errno(err, MB_EIO, errno, "%s: cannot remove", name);
    return 0;
}

/* Remove what ${stream}, a stream of ${fd}, lists.  At the top (${depth} 0) the marker stays: a removal cut short can be taken up.
 */
static int
remove_listed(DIR *stream, int fd, dev_t device, int depth, struct mb_error *err)
{
    bool removed = true;

    /* Some filesystems miss entries when a directory shrinks while it is read: read it until there is nothing. */
    while (removed) {
        removed = false;
        rewinddir(stream);
        for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
            if (is_dot(entry->d_name) || (depth == 0 && strcmp(entry->d_name, MARKER) == 0))
                continue;
            if (remove_entry(fd, entry->d_name, device, depth, err) != 0)
                return -1;
            removed = true;
        }
    }
    return 0;
}

static int
remove_below(int fd, dev_t device, int depth, struct mb_error *err)
{
    if (depth > DEPTH_MAX)
        return mb_error_set(err, MB_EIO, "more than %d directories deep: no work of the probe", DEPTH_MAX);
    int own = open_dir(fd, ".");
    DIR *stream = own < 0 ? NULL : fdopendir(own);
    if (stream == NULL) {
        mb_error_errno(err, MB_EIO, errno, "cannot list");
        if (own >= 0)
            close(own);
        return -1;
    }
    int result = remove_listed(stream, fd, device, depth, err);
    closedir(stream);
    return result;
}

static int
remove_marked(int fd, bool *made, struct mb_error *err)
{
    struct stat st;
    int marked = read_marker(fd);

    if (marked < 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot read its marker %s", MARKER);
    if (marked == 0)
        return mb_error_set(err, MB_EIO, "it has no marker %s of the probe, so it is left alone", MARKER);
    *made = marked == 1;
    if (fstat(fd, &st) != 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot stat");
    if (remove_below(fd, st.st_dev, 0, err) != 0)
        return -1;
    if (unlinkat(fd, MARKER, 0) != 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot remove its marker");
    return 0;
}

int
mb_celldir_remove(const char *dir, struct mb_error *err)
{
    bool made = false;

    if (check_path(dir, err) != 0)
        return -1;
    int fd = open_dir(AT_FDCWD, dir);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0)
        return mb_error_errno(err, MB_EIO, errno, "%.1000s: cannot open it as a directory (a symbolic link is not followed)", dir);
    int result = remove_marked(fd, &made, err);
    close(fd);
    if (result != 0)
        return mb_error_prefix(err, "%s", dir);
    if (made && rmdir(dir) != 0)
        return mb_error_errno(err, MB_EIO, errno, "%s: cannot remove the directory", dir);
    return 0;
}

int
mb_celldir_clear(const char *name, struct mb_error *err)
{
    struct stat here, st;

    if (fstatat(AT_FDCWD, name, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        return 0;
    if (stat(".", &here) != 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot stat the work directory");
    return remove_entry(AT_FDCWD, name, here.st_dev, 1, err);
}
