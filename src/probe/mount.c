/* mount.c: mountinfo and statfs of a directory, so that a label can be held against the truth. */
#include "probe/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/linux.h"
#include "probe/protocol.h"

/* "\040" and its like stand for the blanks, newlines and backslashes of a name. */
static void
unescape(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0';) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7' && from[3] >= '0' &&
            from[3] <= '7') {
            *to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

static int
parse_line(char *line, long *id, struct mb_mount *out)
{
    char *words[6], *rest = NULL, *word;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        words[i] = strtok_r(i == 0 ? line : NULL, " ", &rest);
        if (words[i] == NULL)
            return -1;
    }
    /* Optional fields, any number of them, up to a lone dash. */
    while ((word = strtok_r(NULL, " ", &rest)) != NULL && strcmp(word, "-") != 0)
        ;
    *id = strtol(words[0], NULL, 10);
    *out = (struct mb_mount){.device = words[2], .root = words[3], .mount_point = words[4], .options = words[5]};
    out->fstype = strtok_r(NULL, " ", &rest);
    /* The source may be empty, and then two blanks follow each other: no work for strtok. */
    out->source = rest;
    char *end = out->source ? strchr(out->source, ' ') : NULL;
    if (out->fstype == NULL || end == NULL)
        return -1;
    *end = '\0';
    out->super_options = end + 1;
    unescape(out->root);
    unescape(out->mount_point);
    unescape(out->source);
    unescape(out->super_options);
    return 0;
}

static bool
is_parent(const char *mount_point, const char *path)
{
    size_t n = strlen(mount_point);

    if (strcmp(mount_point, "/") == 0)
        return true;
    return strncmp(mount_point, path, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

int
mb_mount_find(char *text, long mount_id, const char *path, struct mb_mount *out)
{
    struct mb_mount best = {0};
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        struct mb_mount mount;
        long id;
        if (parse_line(line, &id, &mount) != 0)
            continue;
        if (mount_id >= 0 && id == mount_id) {
            *out = mount;
            return 0;
        }
        if (is_parent(mount.mount_point, path) &&
            (best.mount_point == NULL || strlen(mount.mount_point) >= strlen(best.mount_point)))
            best = mount;
    }
    *out = best;
    return best.mount_point == NULL ? -1 : 0;
}

static void
append_statfs(const struct mb_statfs *fs, struct mb_buffer *answer)
{
    mb_buffer_printf(answer,
                     ",\"statfs\":{\"type\":%llu,\"block_bytes\":%llu,\"total_bytes\":%llu,\"available_bytes\":%llu,"
                     "\"files\":%llu,\"files_free\":%llu}",
                     (unsigned long long)fs->type, (unsigned long long)fs->block_bytes, (unsigned long long)fs->total_bytes,
                     (unsigned long long)fs->available_bytes, (unsigned long long)fs->files, (unsigned long long)fs->files_free);
}

static int
describe(int fd, const char *dir, struct mb_buffer *answer, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(0);
    struct mb_mount mount = {0};
    struct mb_statfs fs;
    char path[PATH_MAX];
    long id;

    if (mb_linux_statfs(fd, &fs) != 0)
        return mb_error_errno(err, MB_EIO, errno, "%.1000s: statfs", dir);
    if (fchdir(fd) != 0 || getcwd(path, sizeof path) == NULL)
        return mb_error_errno(err, MB_EIO, errno, "%s: cannot be resolved", dir);
    if (mb_linux_mountinfo(fd, &text, &id) == 0)
        mb_mount_find(text.data, id, path, &mount);
    else if (errno != ENOSYS)
        return mb_error_errno(err, MB_EIO, errno, "/proc/self/mountinfo");
    const struct {
        const char *key, *value;
    } fields[] = {
        {"dir", dir},
        {"mount_point", mount.mount_point},
        {"fstype", mount.fstype},
        {"source", mount.source},
        {"root", mount.root},
        {"options", mount.options},
        {"super_options", mount.super_options},
        {"device", mount.device},
    };
    mb_buffer_puts(answer, "{\"type\":\"mount\"");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        mb_json_field(answer, fields[i].key, fields[i].value ? fields[i].value : "");
    append_statfs(&fs, answer);
    mb_buffer_puts(answer, "}\n");
    return answer->overflowed ? mb_error_set(err, MB_EIO, "%s: its mount's description is too long", dir) : 0;
}

int
mb_mount_describe(const char *dir, struct mb_buffer *answer, struct mb_error *err)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return mb_error_errno(err, MB_EIO, errno, "%.1000s", dir);
    int result = describe(fd, dir, answer, err);
    close(fd);
    return result;
}
