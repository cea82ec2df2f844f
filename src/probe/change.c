/* change.c: one change to one file, made as a program makes it, and over when the answer is sent. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/parse.h"
#include "probe/pattern.h"
#include "probe/sides.h"
#include "probe/trial.h"

const char *const mb_change_keys[] = {"dir", "kind", "name", "to", "version", "from", "size", "stamp", "timeout_ms", NULL};

struct change {
    size_t kind; /* enum mb_change */
    const char *name, *to;
    uint64_t version, from, size; /* the bytes from ${from} to ${size} of the version's pattern */
    bool stamp;
};

int
mb_side_word(const struct mb_request *request, const char *key, const char *const *words, size_t *out, struct mb_error *err)
{
    const char *text = mb_request_get(request, key);

    if (text == NULL)
        return mb_error_set(err, MB_EPROTOCOL, "%s: the key '%s' is missing", request->verb, key);
    for (*out = 0; words[*out] != NULL; (*out)++) {
        if (strcmp(words[*out], text) == 0)
            return 0;
    }
    const char *near = mb_nearest(text, words);
    return mb_error_set(err, MB_EPROTOCOL, "%s: %s: unknown value '%.100s'%s%s%s", request->verb, key, text,
                        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

const char *
mb_side_name(const struct mb_request *request, const char *key, struct mb_error *err)
{
    const char *name = mb_request_get(request, key);

    if (name == NULL || name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL) {
        mb_error_set(err, MB_EPROTOCOL, "%s: %s: a name without '/' and not beginning with '.' is needed", request->verb, key);
        return NULL;
    }
    return name;
}

static int
understand(const struct mb_request *request, struct change *c, struct mb_error *err)
{
    static const uint64_t any[2] = {0, UINT32_MAX}, sizes[2] = {0, MB_PROPAGATION_FILE_MAX};
    static const char *const stamps[] = {"false", "true", NULL};
    size_t stamp = 0;

    if (mb_side_word(request, "kind", mb_change_names, &c->kind, err) != 0 ||
        (c->name = mb_side_name(request, "name", err)) == NULL ||
        (c->kind == MB_CHANGE_RENAME && (c->to = mb_side_name(request, "to", err)) == NULL) ||
        mb_request_u64(request, "version", 0, any, &c->version, err) != 0 ||
        mb_request_u64(request, "from", 0, sizes, &c->from, err) != 0 ||
        mb_request_u64(request, "size", 0, sizes, &c->size, err) != 0 ||
        (mb_request_get(request, "stamp") != NULL && mb_side_word(request, "stamp", stamps, &stamp, err) != 0))
        return -1;
    if (c->from > c->size)
        return mb_error_set(err, MB_EPROTOCOL, "change: from is beyond size");
    c->stamp = stamp == 1;
    return 0;
}

/* All of it with one write, where the system does not cut it. */
static int
write_bytes(int fd, const unsigned char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        bytes += done;
        n -= (size_t)done;
    }
    return 0;
}

static int
stamp(int fd, const struct change *c)
{
    const struct timespec moment = {.tv_sec = (time_t)MB_PROPAGATION_TIME(c->version)};

    return c->stamp ? futimens(fd, (const struct timespec[2]){moment, moment}) : 0;
}

static int
write_change(const struct change *c, int flags)
{
    unsigned char *bytes = malloc((size_t)c->size + 8);

    if (bytes == NULL)
        return -1;
    mb_pattern_fill(c->version, 0, bytes, (size_t)c->size);
    int fd = open(c->name, flags | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0644);
    int rc = fd < 0 ? -1 : write_bytes(fd, bytes + c->from, (size_t)(c->size - c->from));
    if (rc == 0)
        rc = stamp(fd, c);
    int saved = errno;
    if (fd >= 0 && close(fd) != 0 && rc == 0)
        rc = -1;
    else
        errno = saved;
    free(bytes);
    return rc;
}

static int
make(const struct change *c)
{
    switch (c->kind) {
    case MB_CHANGE_CREATE:
        return write_change(c, O_CREAT | O_EXCL);
    case MB_CHANGE_OVERWRITE:
        return write_change(c, 0);
    case MB_CHANGE_APPEND:
        return write_change(c, O_APPEND);
    case MB_CHANGE_RENAME:
        return rename(c->name, c->to);
    default:
        return unlink(c->name);
    }
}

void
mb_side_change(const struct mb_request *request, struct mb_buffer *answer)
{
    struct mb_error err = {0};
    struct change c = {0};
    const char *dir = mb_request_get(request, "dir");

    if (dir == NULL || understand(request, &c, &err) != 0) {
        mb_answer_error(answer, dir == NULL ? "change: the key 'dir' is missing" : err.message);
        return;
    }
    umask(022); /* the other side may be another user */
    if (chdir(dir) == 0 && make(&c) == 0) {
        mb_buffer_puts(answer, "{\"type\":\"changed\",\"status\":\"ok\"}\n");
        return;
    }
    mb_error_errno(&err, MB_EIO, errno, "%.1000s: cannot %s '%.200s'", dir, mb_change_names[c.kind], c.name);
    mb_answer_status(answer, "changed", request, "failed", err.message);
}
