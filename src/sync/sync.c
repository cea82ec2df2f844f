/* sync.c: what all tools have in common: a directory, a log, a container, processes; up and down. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/signals.h"
#include "mountbench/tree.h"
#include "sync/internal.h"

/* Until its end is noticed. */
#define ENDED_MS 300
/* A daemon has its socket in the directory, and the path of a socket has 104 bytes on some systems. */
#define TMPDIR_MAX 48

const char *
mb_sync_image(const struct mb_sync_spec *spec)
{
    if (spec->image != NULL || spec->build != NULL)
        return spec->image;
    return mb_sync_tool_of(spec->kind)->image;
}

const char *
mb_sync_image_hint(const struct mb_sync_spec *spec)
{
    const char *hint = mb_sync_tool_of(spec->kind)->image_get;

    return spec->image == NULL && hint != NULL ? hint : "";
}

int
mb_sync_need(const struct mb_sync_spec *spec, struct mb_error *err)
{
    const struct mb_sync_tool *tool = mb_sync_tool_of(spec->kind);
    const char *program = tool->program != NULL ? tool->program : spec->start[0];

    if (mb_process_exists(program))
        return 0;
    return mb_error_set(err, MB_EENGINE, "%s is not installed: there is no '%s' in PATH; %s", tool->title, program, tool->get);
}

void
mb_sync_plan(const struct mb_sync_spec *spec, struct mb_buffer *out)
{
    const char *image = mb_sync_image(spec);
    struct mb_error missing = {0};

    mb_buffer_puts(out, "start: ");
    mb_sync_tool_of(spec->kind)->plan(spec, out);
    mb_buffer_putc(out, '\n');
    if (spec->build != NULL && image == NULL)
        mb_buffer_printf(out, "in a container of its own, of an image built from '%s'\n", spec->build);
    else if (spec->build != NULL)
        mb_buffer_printf(out, "in a container of its own, of the image '%s', or else of one built from '%s'\n", image, spec->build);
    else if (image != NULL)
        mb_buffer_printf(out, "in a container of its own, of the image '%s'\n", image);
    if (mb_sync_need(spec, &missing) != 0)
        mb_buffer_printf(out, "%s\n", missing.message);
}

/* ---- what tools call ---- */

void
mb_sync_pause(unsigned ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    nanosleep(&pause, NULL);
}

char *
mb_sync_path(const struct mb_sync *s, const char *name, struct mb_error *err)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(4096);

    mb_buffer_printf(&path, "%s/%s", s->dir, name);
    char *text = mb_buffer_steal(&path);
    if (text == NULL)
        mb_error_set(err, MB_EIO, "out of memory");
    return text;
}

int
mb_sync_variable(struct mb_sync *s, const char *name, const char *value, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(65536);

    mb_buffer_printf(&text, "%s=%s", name, value);
    if (text.overflowed || s->variable_count == MB_SYNC_VARIABLES)
        return mb_error_set(err, MB_EIO, "%s is too long", name);
    s->variables[s->variable_count] = mb_buffer_steal(&text);
    return s->variables[s->variable_count++] != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

int
mb_sync_engine_variables(struct mb_sync *s, struct mb_error *err)
{
    const struct mb_endpoint *e = mb_engine_endpoint(s->place.engine);
    char directory[4096] = "";

    if (mb_sync_variable(s, "DOCKER_HOST", e->url, err) != 0 || mb_sync_variable(s, "DOCKER_CONTEXT", "", err) != 0)
        return -1;
    if (!e->tls)
        return 0;
    /* The files of a context have the names that DOCKER_CERT_PATH wants. */
    const char *slash = e->ca != NULL ? strrchr(e->ca, '/') : NULL;
    if (slash != NULL)
        snprintf(directory, sizeof directory, "%.*s", (int)(slash - e->ca), e->ca);
    if (*directory != '\0' && mb_sync_variable(s, "DOCKER_CERT_PATH", directory, err) != 0)
        return -1;
    return mb_sync_variable(s, "DOCKER_TLS_VERIFY", e->tls_verify ? "1" : "", err);
}

int
mb_sync_keep(struct mb_sync *s, const char *const *argv, int fd, struct mb_error *err)
{
    const struct mb_keeper_spec spec = {.argv = argv,
                                        .environment = (const char *const *)s->variables,
                                        .log = s->log,
                                        .directory = s->dir,
                                        .fd = fd,
                                        .may_leave = s->tool->program == NULL};

    return mb_keeper_start(&s->keeper, &spec, err);
}

int
mb_sync_sidecar(struct mb_sync *s, const char *const *command, bool open_stdin, struct mb_error *err)
{
    static const char *const environment[] = {"HOME=/root", "UNISON=/tmp/unison", NULL};
    char name[128];

    snprintf(name, sizeof name, "%s-sync", s->place.name);
    const struct mb_container_spec spec = {.name = name,
                                           .image = s->place.image,
                                           .entrypoint = command,
                                           .command = &(const char *const){NULL},
                                           .environment = environment,
                                           .working_dir = "/",
                                           .open_stdin = open_stdin,
                                           .mount = MB_ATTACH_VOLUME,
                                           .source = s->place.volume,
                                           .target = s->place.target,
                                           .network_none = true,
                                           .labels = {.run = s->place.run}};
    return mb_container_create(s->place.engine, &spec, &s->sidecar, err);
}

int
mb_sync_run(struct mb_sync *s, const char *const *argv, unsigned timeout_ms, struct mb_buffer *out, struct mb_error *err)
{
    struct mb_process_result result;

    if (mb_process_run_with(argv, (const char *const *)s->variables, timeout_ms, &result, err) != 0)
        return -1;
    int rc = result.status == 0 ? 0 : mb_process_failed(argv, &result, err);
    if (rc != 0)
        err->code = MB_EGONE;
    if (rc == 0 && out != NULL)
        mb_buffer_append(out, mb_buffer_text(&result.out), result.out.len);
    mb_process_result_free(&result);
    return rc;
}

void
mb_sync_read_log(const struct mb_sync *s, size_t from, struct mb_buffer *out)
{
    char chunk[4096];
    int fd = open(s->log, O_RDONLY | O_CLOEXEC);
    ssize_t n = 0;

    if (fd >= 0 && lseek(fd, (off_t)from, SEEK_SET) >= 0) {
        while (out->len + sizeof chunk <= out->max && (n = read(fd, chunk, sizeof chunk)) > 0)
            mb_buffer_append(out, chunk, (size_t)n);
    }
    if (fd >= 0)
        close(fd);
}

/* Drop from ${text} what is before the last ${word}. */
static void
keep_from_last(char *text, const char *word)
{
    const char *last = NULL;

    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        last = at;
    if (last != NULL)
        memmove(text, last, strlen(last) + 1);
}

const char *
mb_sync_last_words(const struct mb_sync *s, char out[MB_SYNC_WORDS_MAX + 1])
{
    MB_AUTO_BUFFER tail = MB_BUFFER_INIT(65536);
    int fd = open(s->log, O_RDONLY | O_CLOEXEC);
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    char *to = out;

    if (fd >= 0)
        close(fd);
    mb_sync_read_log(s, size > MB_SYNC_WORDS_MAX ? (size_t)size - MB_SYNC_WORDS_MAX : 0, &tail);
    for (const char *p = mb_buffer_text(&tail); *p != '\0' && to < out + MB_SYNC_WORDS_MAX; p++) {
        if ((unsigned char)*p > ' ')
            *to++ = *p;
        else if (to > out && to[-1] != ' ')
            *to++ = ' ';
    }
    while (to > out && to[-1] == ' ')
        to--;
    *to = '\0';
    if (s->tool->last_word != NULL)
        keep_from_last(out, s->tool->last_word);
    return out;
}

/* ---- up and down ---- */

const char *
mb_sync_tmpdir(void)
{
    const char *tmp = getenv("TMPDIR");

    return tmp != NULL && *tmp == '/' && strlen(tmp) <= TMPDIR_MAX ? tmp : "/tmp";
}

static int
make_directory(struct mb_sync *s, struct mb_error *err)
{
    char path[128];

    snprintf(path, sizeof path, "%s/" MB_SYNC_DIRECTORY "XXXXXX", mb_sync_tmpdir());
    if (mkdtemp(path) == NULL)
        return mb_error_errno(err, MB_EIO, errno, "cannot make a directory for %s in '%s'", s->tool->title, mb_sync_tmpdir());
    s->dir = strdup(path);
    if (s->dir == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    if (mb_tree_mark(s->dir, MB_RUN_MARK, s->place.run, err) != 0)
        return -1;
    s->log = mb_sync_path(s, "log", err);
    return s->log != NULL ? 0 : -1;
}

int
mb_sync_start(const struct mb_sync_place *place, struct mb_sync **out, struct mb_error *err)
{
    struct mb_sync *s = malloc(sizeof *s);

    *out = NULL;
    if (s == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    *s = (struct mb_sync){.tool = mb_sync_tool_of(place->spec->kind), .place = *place};
    if (mb_sync_need(place->spec, err) == 0 && make_directory(s, err) == 0 && s->tool->start(s, err) == 0) {
        *out = s;
        return 0;
    }
    mb_signals_shield(true);
    mb_sync_stop(s, NULL);
    mb_signals_shield(false);
    return -1;
}

static int
has_ended(struct mb_sync *s, struct mb_error *err)
{
    char words[MB_SYNC_WORDS_MAX + 1];

    mb_sync_last_words(s, words);
    const char *said = *words != '\0' ? "; it said last: " : " and said nothing";
    if (s->keeper.status > 128)
        return mb_error_set(err, MB_EGONE, "%s was ended by signal %d%s%s", s->tool->title, s->keeper.status - 128, said, words);
    return mb_error_set(err, MB_EGONE, "%s ended with status %d%s%s", s->tool->title, s->keeper.status, said, words);
}

/* A command of the tool failed; that the tool is gone is the better reason, where it is that. */
static int
explain(struct mb_sync *s, struct mb_error *err)
{
    if (err->code == MB_EINTERRUPT || s->tool->program == NULL)
        return -1;
    mb_sync_pause(ENDED_MS);
    return mb_keeper_ended(&s->keeper) ? has_ended(s, err) : -1;
}

int
mb_sync_look(struct mb_sync *sync, struct mb_error *err)
{
    /* A tool that tells of a conflict may then end: the conflict is the better reason. */
    bool ended = mb_keeper_ended(&sync->keeper);

    if (sync->tool->look != NULL && sync->tool->look(sync, err) != 0)
        return ended ? -1 : explain(sync, err);
    ended = ended || mb_keeper_ended(&sync->keeper);
    return ended ? has_ended(sync, err) : 0;
}

int
mb_sync_settle(struct mb_sync *sync, unsigned timeout_ms, struct mb_error *err)
{
    if (mb_sync_look(sync, err) != 0)
        return -1;
    if (sync->tool->settle == NULL)
        return 0;
    if (sync->tool->settle(sync, mb_deadline_in_ms(timeout_ms), err) != 0)
        return explain(sync, err);
    return mb_sync_look(sync, err);
}

int
mb_sync_stop(struct mb_sync *s, struct mb_error *err)
{
    struct mb_error first = {0}, step = {0};

    if (s == NULL)
        return 0;
    if (s->made && s->tool->stop != NULL && s->tool->stop(s, &first) != 0)
        mb_error_prefix(&first, "cannot stop %s", s->tool->title);
    mb_keeper_stop(&s->keeper);
    mb_bridge_stop(&s->bridge);
    if (s->sidecar != NULL) {
        if (mb_container_remove(s->place.engine, s->sidecar, &step) != 0 && first.code == MB_OK)
            first = step;
        free(s->sidecar);
    }
    if (s->dir != NULL) {
        if (mb_tree_remove(s->dir, &step) != 0 && first.code == MB_OK)
            first = step;
        free(s->dir);
    }
    for (size_t i = 0; i < s->variable_count; i++)
        free(s->variables[i]);
    free(s->log);
    free(s);
    if (first.code == MB_OK)
        return 0;
    if (err != NULL)
        *err = first;
    return -1;
}
