/*
 * watch.c: look at one or two names until they are as they should be.
 *
 * Before the change each was in one state, after it is in another, and a reader that sees neither sees what was never there: a mix
 * of the two, new bytes cut to the old length, an old length filled up with zeros, an error where a file or nothing should be.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/parse.h"
#include "probe/pattern.h"
#include "probe/sides.h"
#include "probe/trial.h"

#define NAMES_MAX 2
#define POLL_US_MAX UINT64_C(10000000)

const char *const mb_watch_keys[] = {"dir",   "look",  "limit_ms", "poll_us", "name",       "before",
                                     "after", "name2", "before2",  "after2",  "timeout_ms", NULL};

enum view { VIEW_AFTER, VIEW_BEFORE, VIEW_WRONG };

struct watched {
    const char *name;
    struct mb_file_state before, after;
};

struct watch {
    struct watched names[NAMES_MAX];
    size_t count, look; /* enum mb_look */
    uint64_t limit_ms, poll_us;
    unsigned char *got, *expected; /* MB_PROPAGATION_FILE_MAX and some more each */
    uint64_t looks, wrong;
    char trouble[300]; /* the first wrong view */
};

/* "none", or "VERSION:SIZE". */
static int
parse_state(const struct mb_request *request, const char *key, struct mb_file_state *out, struct mb_error *err)
{
    const char *text = mb_request_get(request, key);
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    char version[24] = "";

    *out = (struct mb_file_state){0};
    if (text != NULL && strcmp(text, "none") == 0)
        return 0;
    if (colon != NULL && (size_t)(colon - text) < sizeof version)
        memcpy(version, text, (size_t)(colon - text));
    out->present = true;
    if (colon != NULL && mb_parse_u64(version, 0, UINT32_MAX, &out->version, NULL) == 0 &&
        mb_parse_u64(colon + 1, 0, MB_PROPAGATION_FILE_MAX, &out->size, NULL) == 0)
        return 0;
    return mb_error_set(err, MB_EPROTOCOL, "watch: %s: neither 'none' nor VERSION:SIZE", key);
}

static int
understand(const struct mb_request *request, struct watch *w, struct mb_error *err)
{
    static const char *const looks[] = {"read", "stat", NULL};
    static const char *const keys[NAMES_MAX][3] = {{"name", "before", "after"}, {"name2", "before2", "after2"}};
    static const uint64_t limits[2] = {0, UINT32_MAX}, polls[2] = {0, POLL_US_MAX};

    if (mb_side_word(request, "look", looks, &w->look, err) != 0 ||
        mb_request_u64(request, "limit_ms", 10000, limits, &w->limit_ms, err) != 0 ||
        mb_request_u64(request, "poll_us", 1000, polls, &w->poll_us, err) != 0)
        return -1;
    for (; w->count < NAMES_MAX && (w->count == 0 || mb_request_get(request, keys[w->count][0]) != NULL); w->count++) {
        struct watched *name = &w->names[w->count];
        name->name = mb_side_name(request, keys[w->count][0], err);
        if (name->name == NULL || parse_state(request, keys[w->count][1], &name->before, err) != 0 ||
            parse_state(request, keys[w->count][2], &name->after, err) != 0)
            return -1;
    }
    return 0;
}

static enum view
wrong(struct watch *w, const struct watched *name, const char *what)
{
    if (w->trouble[0] == '\0')
        snprintf(w->trouble, sizeof w->trouble, "%.100s: %s", name->name, what);
    return VIEW_WRONG;
}

static enum view
wrong_errno(struct watch *w, const struct watched *name, const char *call)
{
    char what[160];

    snprintf(what, sizeof what, "%s: %s", call, strerror(errno));
    return wrong(w, name, what);
}

static enum view
absent(struct watch *w, const struct watched *name)
{
    if (!name->after.present)
        return VIEW_AFTER;
    return !name->before.present ? VIEW_BEFORE : wrong(w, name, "is gone");
}

/* How many of the ${n} bytes read begin as those of ${state}. */
static size_t
agrees(const struct watch *w, const struct mb_file_state *state, size_t n)
{
    size_t most = state->present ? (size_t)state->size : 0;

    mb_pattern_fill(state->version, 0, w->expected, most);
    return mb_pattern_differs(w->got, w->expected, n < most ? n : most);
}

/* The ${n} bytes in w->got are all that the file had. */
static enum view
judge(struct watch *w, const struct watched *name, size_t n)
{
    char what[160];
    size_t as_after = agrees(w, &name->after, n), as_before = agrees(w, &name->before, n);

    if (name->after.present && n == name->after.size && as_after == n)
        return VIEW_AFTER;
    if (name->before.present && n == name->before.size && as_before == n)
        return VIEW_BEFORE;
    if (name->before.present && name->after.present)
        snprintf(what, sizeof what,
                 "%zu bytes, the first %zu as after the change and the first %zu as before it; it was %" PRIu64 " and is %" PRIu64
                 " bytes long",
                 n, as_after, as_before, name->before.size, name->after.size);
    else
        snprintf(what, sizeof what, "%zu bytes, the first %zu as they should be, of %" PRIu64, n,
                 as_after > as_before ? as_after : as_before, name->after.present ? name->after.size : name->before.size);
    return wrong(w, name, what);
}

static enum view
look_by_reading(struct watch *w, const struct watched *name)
{
    size_t n = 0;
    ssize_t done = 1;
    int fd = open(name->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT ? absent(w, name) : wrong_errno(w, name, "cannot be opened");
    while (done > 0 && n < MB_PROPAGATION_FILE_MAX) {
        done = read(fd, w->got + n, (size_t)MB_PROPAGATION_FILE_MAX - n);
        if (done < 0 && errno == EINTR)
            done = 1;
        else if (done > 0)
            n += (size_t)done;
    }
    enum view view = done < 0 ? wrong_errno(w, name, "cannot be read") : judge(w, name, n);
    close(fd);
    return view;
}

static bool
has_stamp(const struct stat *st, const struct mb_file_state *state)
{
    return state->present && (uint64_t)st->st_size == state->size && (int64_t)st->st_mtime == MB_PROPAGATION_TIME(state->version);
}

static enum view
look_by_stat(struct watch *w, const struct watched *name)
{
    struct stat st;
    char what[100];

    if (lstat(name->name, &st) != 0)
        return errno == ENOENT ? absent(w, name) : wrong_errno(w, name, "cannot be looked at");
    if (has_stamp(&st, &name->after)) {
        /* What says that it is new must be new. */
        enum view content = look_by_reading(w, name);
        w->wrong += content != VIEW_AFTER;
        if (content == VIEW_BEFORE)
            wrong(w, name, "has the new size and time, and reads as before");
        return VIEW_AFTER;
    }
    if (has_stamp(&st, &name->before))
        return VIEW_BEFORE;
    snprintf(what, sizeof what, "%lld bytes, of time %lld", (long long)st.st_size, (long long)st.st_mtime);
    return wrong(w, name, what);
}

/* One look at all of it: the worst view of the names. */
static enum view
look(struct watch *w)
{
    enum view worst = VIEW_AFTER;

    w->looks++;
    for (size_t i = 0; i < w->count; i++) {
        const struct watched *name = &w->names[i];
        enum view view = w->look == MB_LOOK_READ ? look_by_reading(w, name) : look_by_stat(w, name);
        worst = view > worst ? view : worst;
    }
    w->wrong += worst == VIEW_WRONG;
    return worst;
}

static bool
watch(struct watch *w)
{
    const struct timespec pause = {.tv_sec = (time_t)(w->poll_us / 1000000), .tv_nsec = (long)(w->poll_us % 1000000) * 1000};
    uint64_t deadline = mb_deadline_in_ms(w->limit_ms);

    while (look(w) != VIEW_AFTER) {
        if (mb_deadline_left_ms(deadline) == 0)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

void
mb_side_watch(const struct mb_request *request, struct mb_buffer *answer)
{
    struct mb_error err = {0};
    const char *dir = mb_request_get(request, "dir");
    struct watch w = {0};

    if (dir == NULL || understand(request, &w, &err) != 0) {
        mb_answer_error(answer, dir == NULL ? "watch: the key 'dir' is missing" : err.message);
        return;
    }
    w.got = malloc((size_t)MB_PROPAGATION_FILE_MAX + 8);
    w.expected = malloc((size_t)MB_PROPAGATION_FILE_MAX + 8);
    if (w.got == NULL || w.expected == NULL)
        mb_answer_status(answer, "watched", request, "failed", "out of memory");
    else if (chdir(dir) != 0) {
        mb_error_errno(&err, MB_EIO, errno, "%.1000s", dir);
        mb_answer_status(answer, "watched", request, "failed", err.message);
    } else {
        bool seen = watch(&w);
        mb_buffer_printf(answer, "{\"type\":\"watched\",\"status\":\"ok\",\"seen\":%s,\"looks\":%" PRIu64 ",\"wrong\":%" PRIu64,
                         seen ? "true" : "false", w.looks, w.wrong);
        mb_json_field(answer, "trouble", w.trouble);
        mb_buffer_puts(answer, "}\n");
    }
    free(w.got);
    free(w.expected);
}
