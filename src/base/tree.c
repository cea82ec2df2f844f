/* tree.c: make and remove directory trees with descriptors, so that nothing swapped underneath is followed. */
#include "mountbench/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/buffer.h"

static int remove_at(int parent, const char *name, struct mb_error *err);

/* Remove what is in the open directory; the first failure is kept in ${err}, the others are passed over. */
static int
empty_directory(int fd, struct mb_error *err)
{
    DIR *dir = fdopendir(fd);
    const struct dirent *entry;
    int rc = 0;

    if (dir == NULL) {
        close(fd);
        return mb_error_errno(err, MB_EIO, errno, "cannot list a directory");
    }
    while ((entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (remove_at(dirfd(dir), entry->d_name, rc == 0 ? err : NULL) != 0)
            rc = -1;
    }
    closedir(dir);
    return rc;
}

static int
remove_at(int parent, const char *name, struct mb_error *err)
{
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    int saved = errno;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return mb_error_errno(err, MB_EIO, saved, "cannot remove '%s'", name);
    if (empty_directory(fd, err) != 0)
        return mb_error_prefix(err, "%s", name);
    if (unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        return mb_error_errno(err, MB_EIO, errno, "cannot remove '%s'", name);
    return 0;
}

int
mb_tree_remove(const char *path, struct mb_error *err)
{
    return remove_at(AT_FDCWD, path, err);
}

int
mb_tree_make(const char *path, struct mb_error *err)
{
    char *copy = strdup(path);
    int rc = 0;

    if (copy == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (char *p = copy + 1; rc == 0; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char kept = *p;
        *p = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            rc = mb_error_errno(err, MB_EIO, errno, "cannot make the directory '%s'", copy);
        *p = kept;
        if (kept == '\0')
            break;
    }
    free(copy);
    return rc;
}

int
mb_tree_mark(const char *path, const char *name, const char *text, struct mb_error *err)
{
    MB_AUTO_BUFFER file = MB_BUFFER_INIT(8192);

    mb_buffer_printf(&file, "%s/%s", path, name);
    int fd = open(mb_buffer_text(&file), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return mb_error_errno(err, MB_EIO, errno, "cannot create '%s'", mb_buffer_text(&file));
    ssize_t n = write(fd, text, strlen(text));
    int saved = n < 0 ? errno : ENOSPC;
    if (close(fd) != 0 || n != (ssize_t)strlen(text))
        return mb_error_errno(err, MB_EIO, saved, "cannot write '%s'", mb_buffer_text(&file));
    return 0;
}
