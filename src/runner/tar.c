/* tar.c: headers and blocks, and a directory walked in order. */
#include "runner/tar.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 512
#define NAME_MAX_BYTES 100
#define PREFIX_MAX_BYTES 155
#define DEPTH_MAX 32

static const char zeros[2 * BLOCK];

/* A name longer than its field is cut at a '/', and what is before it goes into the prefix. */
static int
put_name(char h[BLOCK], const char *name)
{
    size_t length = strlen(name);
    const char *cut = name;

    if (length <= NAME_MAX_BYTES) {
        memcpy(h, name, length);
        return 0;
    }
    cut = strchr(name + length - NAME_MAX_BYTES - 1, '/');
    if (cut == NULL || cut[1] == '\0' || cut == name || cut - name > PREFIX_MAX_BYTES)
        return -1;
    memcpy(h, cut + 1, strlen(cut + 1));
    memcpy(h + 345, name, (size_t)(cut - name));
    return 0;
}

int
mb_tar_add(struct mb_buffer *out, const struct mb_tar_entry *e)
{
    char h[BLOCK] = {0};
    unsigned sum = 0;
    size_t size = e->type == '0' ? e->size : 0;

    if (put_name(h, e->name) != 0 || (e->link != NULL && strlen(e->link) > NAME_MAX_BYTES))
        return -1;
    snprintf(h + 100, 8, "%07o", e->mode);
    snprintf(h + 108, 8, "%07o", 0U);
    snprintf(h + 116, 8, "%07o", 0U);
    snprintf(h + 124, 12, "%011zo", size);
    snprintf(h + 136, 12, "%011o", 0U);
    memset(h + 148, ' ', 8);
    h[156] = e->type;
    if (e->link != NULL)
        memcpy(h + 157, e->link, strlen(e->link));
    memcpy(h + 257, "ustar", 6);
    memcpy(h + 263, "00", 2);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)h[i];
    snprintf(h + 148, 8, "%06o", sum);
    mb_buffer_append(out, h, BLOCK);
    if (size > 0) {
        mb_buffer_append(out, e->bytes, size);
        mb_buffer_append(out, zeros, (BLOCK - size % BLOCK) % BLOCK);
    }
    return 0;
}

void
mb_tar_end(struct mb_buffer *out)
{
    mb_buffer_append(out, zeros, sizeof zeros);
}

static int
read_file(const char *path, struct mb_buffer *bytes, struct mb_error *err)
{
    char chunk[65536];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return mb_error_errno(err, MB_ECONFIG, errno, "cannot read '%s'", path);
    while ((n = read(fd, chunk, sizeof chunk)) > 0) {
        if (mb_buffer_append(bytes, chunk, (size_t)n) != 0)
            break;
    }
    int saved = errno;
    close(fd);
    if (n > 0)
        return mb_error_set(err, MB_ECONFIG, "'%s' is larger than %zu bytes", path, bytes->max);
    return n == 0 ? 0 : mb_error_errno(err, MB_ECONFIG, saved, "cannot read '%s'", path);
}

static int add_directory(const char *path, const char *name, unsigned depth, struct mb_buffer *out, struct mb_error *err);

/* One entry, found at ${path} and called ${name} in the archive. */
static int
add_path(const char *path, const char *name, unsigned depth, struct mb_buffer *out, struct mb_error *err)
{
    struct stat s;
    char link[NAME_MAX_BYTES + 2] = "";
    MB_AUTO_BUFFER bytes = MB_BUFFER_INIT(out->max);
    struct mb_tar_entry e = {.name = name};

    if (lstat(path, &s) != 0)
        return mb_error_errno(err, MB_ECONFIG, errno, "cannot look at '%s'", path);
    e.mode = s.st_mode & 0777;
    if (S_ISDIR(s.st_mode)) {
        e.type = '5';
    } else if (S_ISLNK(s.st_mode)) {
        e.type = '2';
        e.link = link;
        if (readlink(path, link, sizeof link - 1) < 0)
            return mb_error_errno(err, MB_ECONFIG, errno, "cannot read the link '%s'", path);
    } else if (S_ISREG(s.st_mode)) {
        e.type = '0';
        if (read_file(path, &bytes, err) != 0)
            return -1;
        e.bytes = bytes.data;
        e.size = bytes.len;
    } else {
        return mb_error_set(err, MB_ECONFIG, "'%s' is no file, directory or link", path);
    }
    if (mb_tar_add(out, &e) != 0)
        return mb_error_set(err, MB_ECONFIG, "'%s': its name is too long for an archive", path);
    if (out->overflowed)
        return mb_error_set(err, MB_ECONFIG, "the directory holds more than %zu bytes", out->max);
    return e.type == '5' ? add_directory(path, name, depth + 1, out, err) : 0;
}

static int
add_directory(const char *path, const char *name, unsigned depth, struct mb_buffer *out, struct mb_error *err)
{
    struct dirent **entries;
    int rc = 0;

    if (depth > DEPTH_MAX)
        return mb_error_set(err, MB_ECONFIG, "'%s' is deeper than %d directories", path, DEPTH_MAX);
    int n = scandir(path, &entries, NULL, alphasort);
    if (n < 0)
        return mb_error_errno(err, MB_ECONFIG, errno, "cannot list '%s'", path);
    for (int i = 0; i < n; i++) {
        const char *entry = entries[i]->d_name;
        MB_AUTO_BUFFER below = MB_BUFFER_INIT(8192);
        MB_AUTO_BUFFER called = MB_BUFFER_INIT(8192);
        mb_buffer_printf(&below, "%s/%s", path, entry);
        mb_buffer_printf(&called, "%s%s%s", name, *name != '\0' ? "/" : "", entry);
        if (rc == 0 && strcmp(entry, ".") != 0 && strcmp(entry, "..") != 0)
            rc = add_path(mb_buffer_text(&below), mb_buffer_text(&called), depth, out, err);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

int
mb_tar_directory(const char *dir, struct mb_buffer *out, struct mb_error *err)
{
    if (add_directory(dir, "", 0, out, err) != 0)
        return -1;
    mb_tar_end(out);
    return out->overflowed ? mb_error_set(err, MB_ECONFIG, "'%s' holds more than %zu bytes", dir, out->max) : 0;
}
