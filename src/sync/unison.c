/*
 * unison.c: unison on this machine, `unison -server` in a container with the volume, as docker-sync has it.
 *
 * docker-sync publishes a port of that container.  Here unison's remote shell is a script that hands its streams to a socket which
 * was left open for it, and a bridge carries these to the container over the Engine API: no port, no ssh, nobody else can reach it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/signals.h"
#include "sync/internal.h"
#include "sync/unison.h"

#define ASK_MS 20000
#define REPEAT_SECONDS 1
/* From here on the program speaks one protocol whatever built it. */
#define NEW_PROTOCOL 52

static const char remote_shell[] = "#!/bin/sh\n"
                                   "exec 2>/dev/null\n"
                                   "cat <&3 &\n"
                                   "exec cat >&3\n";

bool
mb_unison_version(const char *text, struct mb_unison_version *out)
{
    int end = 0;
    const char *at = strstr(text, "version ");

    *out = (struct mb_unison_version){0};
    if (at == NULL || sscanf(at, "version %u.%u%n", &out->major, &out->minor, &end) != 2)
        return false;
    snprintf(out->text, sizeof out->text, "%.*s", (int)strcspn(at + 8, " \r\n"), at + 8);
    const char *compiler = strstr(at, "ocaml ");
    if (compiler != NULL)
        snprintf(out->compiler, sizeof out->compiler, "%.*s", (int)strcspn(compiler + 6, " )\r\n"), compiler + 6);
    return true;
}

bool
mb_unison_fit(const struct mb_unison_version *a, const struct mb_unison_version *b)
{
    if (a->major != b->major)
        return false;
    if (a->minor >= NEW_PROTOCOL && b->minor >= NEW_PROTOCOL)
        return true;
    return a->minor == b->minor && strcmp(a->compiler, b->compiler) == 0;
}

/* Our own program's version. */
static int
ask_here(struct mb_sync *s, struct mb_unison_version *out, struct mb_error *err)
{
    const char *const argv[] = {"unison", "-version", NULL};
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(4096);

    if (mb_sync_run(s, argv, ASK_MS, &text, err) != 0)
        return -1;
    if (mb_unison_version(mb_buffer_text(&text), out))
        return 0;
    return mb_error_set(err, MB_EPROTOCOL, "'unison -version' does not say its version: '%.80s'", mb_buffer_text(&text));
}

/* That of the image: a container prints it and is gone. */
static int
ask_there(struct mb_sync *s, struct mb_unison_version *out, struct mb_error *err)
{
    static const char *const argv[] = {"unison", "-version", NULL};
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(4096);
    int code = 0;

    if (mb_sync_sidecar(s, argv, false, err) != 0)
        return -1;
    int rc = mb_container_start(s->place.engine, s->sidecar, err);
    if (rc == 0)
        rc = mb_container_wait(s->place.engine, s->sidecar, ASK_MS, &code, err);
    if (rc == 0)
        rc = mb_container_logs(s->place.engine, s->sidecar, &text, &text, err);
    if (rc == 0 && (code != 0 || !mb_unison_version(mb_buffer_text(&text), out)))
        rc = mb_error_set(err, MB_EENGINE, "'unison -version' ended with status %d and said '%.200s'", code, mb_buffer_text(&text));
    if (rc != 0)
        return mb_error_prefix(err, "the image '%s' has no unison that runs", s->place.image);
    rc = mb_container_remove(s->place.engine, s->sidecar, err);
    free(s->sidecar);
    s->sidecar = NULL;
    return rc;
}

static int
compare_versions(struct mb_sync *s, struct mb_unison_version *there, struct mb_error *err)
{
    struct mb_unison_version here = {0};

    if (ask_here(s, &here, err) != 0 || ask_there(s, there, err) != 0)
        return -1;
    if (mb_unison_fit(&here, there))
        return 0;
    return mb_error_set(
        err, MB_EENGINE,
        "unison is %s%s%s here and %s%s%s in the image: they do not understand each other; 2.52 and later do, older "
        "ones only when both are the same and built by the same OCaml",
        here.text, *here.compiler != '\0' ? ", ocaml " : "", here.compiler, there->text, *there->compiler != '\0' ? ", ocaml " : "",
        there->compiler);
}

static char *
write_shell(struct mb_sync *s, struct mb_error *err)
{
    char *path = mb_sync_path(s, "remote", err);

    if (path == NULL)
        return NULL;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (fd >= 0 && write(fd, remote_shell, sizeof remote_shell - 1) == (ssize_t)sizeof remote_shell - 1 && close(fd) == 0)
        return path;
    mb_error_errno(err, MB_EIO, errno, "cannot write '%s'", path);
    free(path);
    return NULL;
}

size_t
mb_unison_arguments(const struct mb_sync_spec *spec, const struct mb_unison_roots *roots, char seconds[16], const char **out)
{
    size_t n = 0;
    const char *prefer = spec->prefer;

    out[n++] = "unison";
    out[n++] = roots->host;
    out[n++] = roots->volume;
    out[n++] = "-sshcmd";
    out[n++] = roots->shell;
    out[n++] = "-auto";
    out[n++] = "-batch";
    out[n++] = "-dumbtty";
    out[n++] = "-repeat";
    snprintf(seconds, 16, "%u", spec->repeat_seconds > 0 ? spec->repeat_seconds : REPEAT_SECONDS);
    out[n++] = spec->watch ? "watch" : seconds;
    if (prefer != NULL) {
        out[n++] = "-prefer";
        out[n++] = strcmp(prefer, "host") == 0 ? roots->host : strcmp(prefer, "container") == 0 ? roots->volume : prefer;
    }
    for (char *const *a = spec->arguments; a != NULL && *a != NULL && n + 1 < MB_UNISON_ARGUMENTS; a++)
        out[n++] = *a;
    out[n] = NULL;
    return n;
}

static int
start_both(struct mb_sync *s, const struct mb_unison_version *there, const char *shell, struct mb_error *err)
{
    static const char *const old_server[] = {"unison", "-server", NULL};
    static const char *const server[] = {"unison", "-server", "__new-rpc-mode", NULL};
    const char *argv[MB_UNISON_ARGUMENTS + 1];
    char seconds[16], volume[128];
    int fd = -1;

    snprintf(volume, sizeof volume, "ssh://volume/%s", s->place.target);
    const struct mb_unison_roots roots = {s->place.host_dir, volume, shell};
    mb_unison_arguments(s->place.spec, &roots, seconds, argv);
    if (mb_sync_sidecar(s, there->minor >= NEW_PROTOCOL ? server : old_server, true, err) != 0 ||
        mb_bridge_start(&s->bridge, s->place.engine, s->sidecar, s->log, &fd, err) != 0)
        return -1;
    int rc = mb_sync_keep(s, argv, fd, err);
    close(fd);
    return rc;
}

static int
start(struct mb_sync *s, struct mb_error *err)
{
    struct mb_unison_version there = {0};
    char *archives = mb_sync_path(s, "archives", err);

    /* Its archives are the run's, and never the user's own.  The machine's name is in them, and may change. */
    if (archives == NULL || mb_sync_variable(s, "UNISON", archives, err) != 0 ||
        mb_sync_variable(s, "UNISONLOCALHOSTNAME", "host", err) != 0 || compare_versions(s, &there, err) != 0) {
        free(archives);
        return -1;
    }
    free(archives);
    char *shell = write_shell(s, err);
    int rc = shell != NULL ? start_both(s, &there, shell, err) : -1;
    free(shell);
    return rc;
}

enum mb_unison_line
mb_unison_line(const char *line, size_t n, char *out, size_t size)
{
    static const char word[] = "skipped: ";
    char text[1024];

    snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), line);
    if (strstr(text, "Looking for changes") != NULL)
        return MB_UNISON_LOOKS;
    if (strstr(text, "Nothing to do") != NULL || strstr(text, "Synchronization complete") != NULL)
        return MB_UNISON_DONE;
    /* What else is skipped (a file that goes while it is looked at) is tried again with the next look. */
    const char *at = strstr(text, word);
    if (at == NULL || (strstr(at, "changed on both sides)") == NULL && strstr(at, "(conflicting updates)") == NULL))
        return MB_UNISON_OTHER;
    snprintf(out, size, "%s", at + strlen(word));
    return MB_UNISON_CONFLICT;
}

/* Go through the whole lines of ${text}; the rest is still to come. */
static int
take_lines(struct mb_sync *s, const char *text, struct mb_error *err)
{
    char conflict[600];

    for (size_t n = strcspn(text, "\r\n"); text[n] != '\0'; n = strcspn(text, "\r\n")) {
        switch (mb_unison_line(text, n, conflict, sizeof conflict)) {
        case MB_UNISON_CONFLICT:
            return mb_error_set(err, MB_EGONE, "unison reports a conflict: %s", conflict);
        case MB_UNISON_LOOKS:
            s->begun++;
            break;
        case MB_UNISON_DONE:
            s->done = s->begun;
            break;
        default:
            break;
        }
        s->seen += n + 1;
        text += n + 1;
    }
    return 0;
}

static int
look(struct mb_sync *s, struct mb_error *err)
{
    size_t before;

    do {
        MB_AUTO_BUFFER text = MB_BUFFER_INIT(MB_SYNC_LOG_MAX);
        before = s->seen;
        mb_sync_read_log(s, s->seen, &text);
        if (take_lines(s, mb_buffer_text(&text), err) != 0)
            return -1;
    } while (s->seen > before);
    return 0;
}

/* Wait for a look that begins from now on to end.  A program that watches says nothing where nothing changes. */
static int
settle(struct mb_sync *s, uint64_t deadline_ns, struct mb_error *err)
{
    size_t wanted = s->begun + 1;

    if (s->place.spec->watch)
        return 0;
    while (s->done < wanted) {
        if (mb_interrupted())
            return mb_error_set(err, MB_EINTERRUPT, "interrupted");
        if (mb_deadline_left_ms(deadline_ns) == 0)
            return mb_error_set(err, MB_ETIMEOUT, "unison did not come to an end in time");
        mb_sync_pause(MB_SYNC_PAUSE_MS);
        if (mb_sync_look(s, err) != 0)
            return -1;
    }
    return 0;
}

static void
plan(const struct mb_sync_spec *spec, struct mb_buffer *out)
{
    static const struct mb_unison_roots roots = {"HOSTDIR", "VOLUME", "BRIDGE"};
    const char *argv[MB_UNISON_ARGUMENTS + 1];
    char seconds[16];

    mb_unison_arguments(spec, &roots, seconds, argv);
    mb_process_line(argv, out);
}

const struct mb_sync_tool mb_sync_unison = {
    .name = "unison",
    .title = "unison",
    .program = "unison",
    .get = "install it: apt-get install unison, brew install unison (https://github.com/bcpierce00/unison)",
    .image = "mountbench-unison",
    .image_get = "build it: docker build -t mountbench-unison compose/unison, or say 'build: compose/unison'",
    .last_word = "Fatal error",
    .start = start,
    .look = look,
    .settle = settle,
    .plan = plan,
};
