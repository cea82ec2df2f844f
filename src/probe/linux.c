/* linux.c: what is Linux alone, and the fallback for other systems. */
#if defined(__linux__)
#define _GNU_SOURCE /* O_DIRECT, syncfs, mincore */
#endif

#include "probe/linux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/vfs.h>

/* A host with thousands of mounts still fits. */
#define PROC_FILE_MAX ((size_t)4 << 20)

void
mb_linux_die_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1); /* it was gone before the request stood */
}

int
mb_linux_direct_flag(void)
{
    return O_DIRECT;
}

int
mb_linux_drop_cache(int fd)
{
    /* Dirty pages stay in the cache, so they are written first. */
    if (fdatasync(fd) != 0 && errno != EINVAL && errno != EROFS)
        return -1;
    int number = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    errno = number;
    return number == 0 ? 0 : -1;
}

double
mb_linux_resident(int fd, uint64_t size)
{
    /* A window at a time, so that the map and the answer stay small whatever the file's size. */
    enum { WINDOW = 64 << 20 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *pages = malloc(WINDOW / page);
    uint64_t seen = 0, resident = 0;

    if (pages == NULL)
        return -1;
    for (uint64_t offset = 0; offset < size; offset += WINDOW) {
        size_t length = size - offset < WINDOW ? (size_t)(size - offset) : WINDOW;
        void *map = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, (off_t)offset);
        if (map == MAP_FAILED || mincore(map, length, pages) != 0) {
            if (map != MAP_FAILED)
                munmap(map, length);
            free(pages);
            return -1;
        }
        for (size_t i = 0; i < (length + page - 1) / page; i++) {
            seen++;
            resident += pages[i] & 1;
        }
        munmap(map, length);
    }
    free(pages);
    return seen ? 100.0 * (double)resident / (double)seen : -1;
}

int
mb_linux_sync_filesystem(int fd)
{
    return syncfs(fd);
}

int
mb_linux_fdatasync(int fd)
{
    return fdatasync(fd);
}

int
mb_linux_statfs(int fd, struct mb_statfs *out)
{
    struct statfs s;

    if (fstatfs(fd, &s) != 0)
        return -1;
    uint64_t block = (uint64_t)(s.f_frsize ? s.f_frsize : s.f_bsize);
    *out = (struct mb_statfs){
        .type = (uint64_t)s.f_type & UINT32_MAX, /* sign-extended on some architectures */
        .block_bytes = (uint64_t)s.f_bsize,
        .total_bytes = (uint64_t)s.f_blocks * block,
        .available_bytes = (uint64_t)s.f_bavail * block,
        .files = (uint64_t)s.f_files,
        .files_free = (uint64_t)s.f_ffree,
    };
    return 0;
}

static int
read_all(const char *path, struct mb_buffer *text)
{
    char chunk[4096];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    while ((n = read(fd, chunk, sizeof chunk)) > 0) {
        if (mb_buffer_append(text, chunk, (size_t)n) != 0)
            break;
    }
    int saved = n < 0 ? errno : EFBIG;
    close(fd);
    errno = saved;
    return n == 0 ? 0 : -1;
}

int
mb_linux_mountinfo(int fd, struct mb_buffer *text, long *mount_id)
{
    MB_AUTO_BUFFER info = MB_BUFFER_INIT(PROC_FILE_MAX);
    char path[64];

    /* fdinfo names the mount itself, right also where a mount hides another or a directory was moved (proc(5)). */
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    *mount_id = -1;
    if (read_all(path, &info) == 0) {
        const char *line = strstr(mb_buffer_text(&info), "mnt_id:");
        if (line != NULL)
            *mount_id = strtol(line + strlen("mnt_id:"), NULL, 10);
    }
    text->max = PROC_FILE_MAX;
    return read_all("/proc/self/mountinfo", text);
}

#else

#include <sys/statvfs.h>

void
mb_linux_die_with_parent(pid_t parent)
{
    (void)parent;
}

int
mb_linux_direct_flag(void)
{
    return 0;
}

int
mb_linux_drop_cache(int fd)
{
    (void)fd;
    errno = ENOTSUP;
    return -1;
}

double
mb_linux_resident(int fd, uint64_t size)
{
    (void)fd;
    (void)size;
    return -1;
}

int
mb_linux_sync_filesystem(int fd)
{
    (void)fd;
    sync();
    return 0;
}

int
mb_linux_fdatasync(int fd)
{
    /* A Mac's headers do not declare fdatasync, and its fsync is no less. */
    return fsync(fd);
}

int
mb_linux_statfs(int fd, struct mb_statfs *out)
{
    struct statvfs s;

    if (fstatvfs(fd, &s) != 0)
        return -1;
    *out = (struct mb_statfs){
        .block_bytes = s.f_frsize,
        .total_bytes = (uint64_t)s.f_blocks * s.f_frsize,
        .available_bytes = (uint64_t)s.f_bavail * s.f_frsize,
        .files = s.f_files,
        .files_free = s.f_ffree,
    };
    return 0;
}

int
mb_linux_mountinfo(int fd, struct mb_buffer *text, long *mount_id)
{
    (void)fd;
    (void)text;
    *mount_id = -1;
    errno = ENOSYS;
    return -1;
}

#endif
