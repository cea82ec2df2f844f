/* attach.c: a container's standard input and output as one stream, of lines or of bytes. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/internal.h"
#include "engine/stream.h"
#include "mountbench/clock.h"

#define CHUNK 65536
#define ERRORS_KEPT 8192
#define FIRST_BYTES_MAX 65536

struct mb_attach {
    struct mb_wire *wire;
    struct mb_frames frames;
    struct mb_buffer output; /* standard output that no line was made of yet */
    struct mb_buffer errors; /* the last of standard error */
    struct mb_buffer daemon; /* what the engine itself said in the stream */
    size_t searched;         /* bytes of ${output} that hold no newline */
    bool ended;
    char chunk[CHUNK];
};

/* Keep the last ERRORS_KEPT bytes. */
static void
keep_errors(struct mb_buffer *errors, const char *bytes, size_t n)
{
    if (n > ERRORS_KEPT) {
        bytes += n - ERRORS_KEPT;
        n = ERRORS_KEPT;
    }
    if (errors->len + n > ERRORS_KEPT)
        mb_buffer_consume(errors, errors->len + n - ERRORS_KEPT);
    mb_buffer_append(errors, bytes, n);
}

static int
on_payload(void *context, enum mb_stream stream, const char *bytes, size_t n)
{
    struct mb_attach *a = context;

    if (stream == MB_STREAM_OUT)
        return mb_buffer_append(&a->output, bytes, n);
    if (stream == MB_STREAM_ERR)
        keep_errors(&a->errors, bytes, n);
    else if (stream == MB_STREAM_DAEMON)
        keep_errors(&a->daemon, bytes, n);
    return 0;
}

static int
feed(struct mb_attach *a, const char *bytes, size_t n, struct mb_error *err)
{
    struct mb_error own = {0};

    if (mb_frames_feed(&a->frames, bytes, n, on_payload, a, &own) == 0)
        return 0;
    if (own.code != MB_OK)
        return mb_error_set(err, own.code, "%s", own.message);
    return mb_error_set(err, MB_EIO, "out of memory");
}

int
mb_container_attach(struct mb_engine *engine, const char *id, struct mb_attach **out, struct mb_error *err)
{
    MB_AUTO_BUFFER tail = MB_BUFFER_INIT(4096);
    struct mb_http_reply reply = {.body = MB_BUFFER_INIT(FIRST_BYTES_MAX)};
    struct mb_attach *a = calloc(1, sizeof *a);
    int rc = -1;

    *out = NULL;
    mb_buffer_puts(&tail, "/containers/");
    mb_path_part(&tail, id);
    mb_buffer_puts(&tail, "/attach?stream=1&stdin=1&stdout=1&stderr=1");
    char *path = mb_engine_path(engine, mb_buffer_text(&tail));
    if (a == NULL || path == NULL) {
        mb_error_set(err, MB_EIO, "out of memory");
    } else if (mb_http_upgrade(engine->http, path, engine->timeout_ms, &a->wire, &reply, err) != 0) {
        mb_error_prefix(err, "cannot attach to the container");
    } else if (a->wire == NULL) {
        mb_engine_refused(engine, "attach to the container", reply.status, &reply.body, err);
    } else {
        a->output.max = CHUNK;
        a->errors.max = a->daemon.max = ERRORS_KEPT;
        rc = feed(a, mb_buffer_text(&reply.body), reply.body.len, err);
    }
    mb_buffer_free(&reply.body);
    free(path);
    if (rc == 0)
        *out = a;
    else
        mb_attach_close(a);
    return rc;
}

int
mb_attach_write(struct mb_attach *a, const void *bytes, size_t n, unsigned timeout_ms, struct mb_error *err)
{
    return mb_wire_send(a->wire, bytes, n, mb_deadline_in_ms(timeout_ms), err);
}

/* Why no line will come any more. */
static int
at_end(const struct mb_attach *a, struct mb_error *err)
{
    if (a->daemon.len > 0)
        return mb_error_set(err, MB_EGONE, "the engine ended the attached stream: %s", mb_buffer_text(&a->daemon));
    if (a->output.len > 0)
        return mb_error_set(err, MB_EGONE, "the container's output ended in the middle of a line: %.80s",
                            mb_buffer_text(&a->output));
    return mb_error_set(err, MB_EGONE, "the container's output ended");
}

/* Move the first line of ${a}->output, when there is one, to ${line}: 1; 0 when there is none. */
static int
take_line(struct mb_attach *a, struct mb_buffer *line, struct mb_error *err)
{
    const char *start = a->output.data;
    const char *newline = a->output.len > a->searched ? memchr(start + a->searched, '\n', a->output.len - a->searched) : NULL;
    size_t n = newline != NULL ? (size_t)(newline - start) : a->output.len;

    if (n > line->max)
        return mb_error_set(err, MB_EPROTOCOL, "a line of the container's output is longer than %zu bytes: %.40s...", line->max,
                            start);
    if (newline == NULL) {
        a->searched = n;
        return 0;
    }
    mb_buffer_reset(line);
    if (mb_buffer_append(line, start, n) != 0)
        return mb_error_set(err, MB_EIO, "out of memory");
    mb_buffer_consume(&a->output, n + 1);
    a->searched = 0;
    return 1;
}

int
mb_attach_read_line(struct mb_attach *a, struct mb_buffer *line, unsigned timeout_ms, struct mb_error *err)
{
    uint64_t deadline_ns = mb_deadline_in_ms(timeout_ms);

    /* Never more than a line that is too long by a chunk. */
    if (a->output.max < line->max + CHUNK)
        a->output.max = line->max + CHUNK;
    for (;;) {
        size_t n = 0;
        int rc = take_line(a, line, err);
        if (rc != 0)
            return rc > 0 ? 0 : -1;
        if (!a->ended && mb_wire_recv(a->wire, a->chunk, sizeof a->chunk, deadline_ns, &n, err) != 0)
            return -1;
        a->ended = a->ended || n == 0;
        if (a->ended)
            return at_end(a, err);
        if (feed(a, a->chunk, n, err) != 0)
            return -1;
    }
}

/* What is on its way from the socket to the container. */
struct carried {
    size_t sent, len;
    char bytes[CHUNK];
};

static bool
is_again(ssize_t n)
{
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/* A step from the socket to the container: 1 when bytes moved, 0 when none did, -1 at the end of the stream or a failure. */
static int
carry_in(struct mb_attach *a, int fd, struct carried *c, struct mb_error *err)
{
    size_t done;

    if (c->sent == c->len) {
        ssize_t n = read(fd, c->bytes, sizeof c->bytes);
        if (is_again(n))
            return 0;
        if (n <= 0)
            return -1;
        c->sent = 0;
        c->len = (size_t)n;
    }
    if (mb_wire_try_send(a->wire, c->bytes + c->sent, c->len - c->sent, &done, err) != 0)
        return -1;
    c->sent += done;
    return done > 0;
}

/* The same from the container to the socket. */
static int
carry_out(struct mb_attach *a, int fd, struct mb_error *err)
{
    size_t done = 0;
    ssize_t n = 0;

    if (a->output.len == 0 && !a->ended) {
        if (mb_wire_try_recv(a->wire, a->chunk, sizeof a->chunk, &done, &a->ended, err) != 0 || feed(a, a->chunk, done, err) != 0)
            return -1;
    }
    if (a->output.len > 0) {
        n = write(fd, a->output.data, a->output.len);
        if (n < 0 && !is_again(n))
            return -1;
        if (n > 0)
            mb_buffer_consume(&a->output, (size_t)n);
    }
    if (a->output.len == 0 && a->ended)
        return -1;
    return done > 0 || n > 0;
}

int
mb_attach_carry(struct mb_attach *a, int fd, struct mb_error *err)
{
    struct mb_error step = {0};
    struct carried *c = calloc(1, sizeof *c);
    int in = 0, out = 0;

    if (c == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    fcntl(fd, F_SETFL, O_NONBLOCK);
    a->output.max = (size_t)2 * CHUNK;
    while (in >= 0 && out >= 0) {
        in = carry_in(a, fd, c, &step);
        out = carry_out(a, fd, &step);
        if (in != 0 || out != 0)
            continue;
        struct pollfd fds[2] = {{.fd = fd, .events = (short)((c->sent == c->len ? POLLIN : 0) | (a->output.len > 0 ? POLLOUT : 0))},
                                {.fd = mb_wire_socket(a->wire),
                                 .events = (short)((c->sent < c->len ? POLLOUT : 0) | (a->output.len == 0 ? POLLIN : 0))}};
        poll(fds, 2, -1);
    }
    free(c);
    if (step.code == MB_OK)
        return 0;
    return mb_error_set(err, step.code, "%s", step.message);
}

const char *
mb_attach_errors(const struct mb_attach *a)
{
    return mb_buffer_text(&a->errors);
}

void
mb_attach_close(struct mb_attach *a)
{
    if (a == NULL)
        return;
    mb_wire_close(a->wire);
    mb_buffer_free(&a->output);
    mb_buffer_free(&a->errors);
    mb_buffer_free(&a->daemon);
    free(a);
}
