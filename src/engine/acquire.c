/*
 * acquire.c: calls with a tar or a long answer: pull an image, build one, put files into a container.
 *
 * A pull and a build answer 200 at once and go on to tell, a JSON object a line, how it goes; a failure is one of these objects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"
#include "mountbench/clock.h"

#define PULL_TIMEOUT_MS 1800000
#define BUILD_TIMEOUT_MS 3600000
#define PUT_TIMEOUT_MS 120000
#define LINE_MAX_BYTES ((size_t)1 << 20)
#define WORDS_MAX 1200
#define SAY_EVERY_NS UINT64_C(1000000000)

/* What a stream of progress objects has told so far. */
struct telling {
    const struct mb_image_watch *watch;
    const char *doing; /* "pulling the image 'x'" */
    uint64_t last_said_ns;
    struct mb_buffer line;
    struct mb_buffer words; /* the last of what was printed */
    char failure[WORDS_MAX];
};

static void
keep_words(struct telling *t, const char *text)
{
    size_t n = strlen(text);

    if (n > t->words.max) {
        text += n - t->words.max;
        n = t->words.max;
    }
    if (t->words.len + n > t->words.max)
        mb_buffer_consume(&t->words, t->words.len + n - t->words.max);
    mb_buffer_append(&t->words, text, n);
}

/* One line of a build's output, or a layer's state. */
static void
say(struct telling *t, const char *text)
{
    char sentence[400];
    uint64_t now = mb_now_ns();

    text += strspn(text, " \r\n");
    if (t->watch == NULL || t->watch->say == NULL || *text == '\0' || now - t->last_said_ns < SAY_EVERY_NS)
        return;
    t->last_said_ns = now;
    snprintf(sentence, sizeof sentence, "%s: %.*s", t->doing, (int)strcspn(text, "\r\n"), text);
    t->watch->say(t->watch->context, sentence);
}

static void
take_line(struct telling *t, const char *text)
{
    MB_AUTO_JSON *line = cJSON_Parse(text);
    const char *failure = mb_json_text(line, "error"), *stream = mb_json_text(line, "stream");
    const char *status = mb_json_text(line, "status");

    if (*failure == '\0')
        failure = mb_json_text(mb_json_get(line, "errorDetail"), "message");
    if (*failure != '\0')
        snprintf(t->failure, sizeof t->failure, "%s", failure);
    keep_words(t, stream);
    say(t, *stream != '\0' ? stream : status);
}

static int
on_bytes(void *context, const char *bytes, size_t n)
{
    struct telling *t = context;

    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            mb_buffer_putc(&t->line, bytes[i]);
            continue;
        }
        if (!t->line.overflowed)
            take_line(t, mb_buffer_text(&t->line));
        mb_buffer_reset(&t->line);
    }
    return 0;
}

/* The printed lines on one, in front of the engine's own word for the failure. */
static int
told_failure(const struct telling *t, const char *to, struct mb_error *err)
{
    char words[WORDS_MAX];
    size_t n = 0;

    for (const char *p = mb_buffer_text(&t->words); *p != '\0' && n + 3 < sizeof words; p++) {
        if (*p == '\n' && n > 0 && words[n - 1] != ' ')
            n += (size_t)snprintf(words + n, 3, "; ");
        else if ((unsigned char)*p >= ' ')
            words[n++] = *p;
    }
    words[n] = '\0';
    return mb_error_set(err, MB_EENGINE, "cannot %s: %.700s%s%s", to, t->failure, n > 0 ? "; it printed last: " : "", words);
}

static int
stream_call(struct mb_engine *engine, const char *to, const struct mb_http_request *like, struct telling *t, struct mb_error *err)
{
    struct mb_http_reply reply = {.body = MB_BUFFER_INIT(65536)};
    struct mb_http_request request = *like;
    char *path = mb_engine_path(engine, like->path);
    int rc = 0;

    if (path == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    request.path = path;
    request.sink = on_bytes;
    request.context = t;
    t->line = (struct mb_buffer)MB_BUFFER_INIT(LINE_MAX_BYTES);
    t->words = (struct mb_buffer)MB_BUFFER_INIT(WORDS_MAX / 2);
    if (mb_http_call(engine->http, &request, &reply, err) != 0)
        rc = mb_error_prefix(err, "cannot %s", to);
    else if (reply.status >= 300)
        rc = mb_engine_refused(engine, to, reply.status, &reply.body, err);
    if (rc == 0 && t->line.len > 0)
        on_bytes(t, "\n", 1);
    if (rc == 0 && t->failure[0] != '\0')
        rc = told_failure(t, to, err);
    mb_buffer_free(&t->line);
    mb_buffer_free(&t->words);
    mb_buffer_free(&reply.body);
    free(path);
    return rc;
}

int
mb_image_pull(struct mb_engine *engine, const char *reference, const struct mb_image_watch *watch, struct mb_error *err)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(8192);
    char to[300], doing[300];
    struct telling t = {.watch = watch, .doing = doing};
    const char *slash = strrchr(reference, '/');

    snprintf(to, sizeof to, "pull the image '%.200s'", reference);
    snprintf(doing, sizeof doing, "pulling the image '%.200s'", reference);
    mb_buffer_puts(&path, "/images/create?fromImage=");
    mb_path_part(&path, reference);
    /* Without a tag, all tags there are would come. */
    if (strchr(slash != NULL ? slash : reference, ':') == NULL)
        mb_buffer_puts(&path, "&tag=latest");
    const struct mb_http_request request = {.method = "POST", .path = mb_buffer_text(&path), .timeout_ms = PULL_TIMEOUT_MS};
    return stream_call(engine, to, &request, &t, err);
}

int
mb_image_build(struct mb_engine *engine, const struct mb_buffer *tar, const char *reference, const struct mb_labels *labels,
               const struct mb_image_watch *watch, struct mb_error *err)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(8192);
    MB_AUTO_JSON *tree = mb_labels_json(labels);
    struct telling t = {.watch = watch, .doing = "building the image"};
    char *text = cJSON_PrintUnformatted(tree);

    mb_buffer_puts(&path, "/build?forcerm=1&t=");
    mb_path_part(&path, reference);
    mb_buffer_puts(&path, "&labels=");
    mb_path_part(&path, text != NULL ? text : "{}");
    cJSON_free(text);
    const struct mb_http_request request = {.method = "POST",
                                            .path = mb_buffer_text(&path),
                                            .type = "application/x-tar",
                                            .body = tar->data,
                                            .size = tar->len,
                                            .timeout_ms = BUILD_TIMEOUT_MS};
    return stream_call(engine, "build the image", &request, &t, err);
}

int
mb_container_put(struct mb_engine *engine, const char *id, const char *path, const struct mb_buffer *tar, struct mb_error *err)
{
    MB_AUTO_BUFFER at = MB_BUFFER_INIT(8192);
    struct telling unread = {0};

    mb_buffer_puts(&at, "/containers/");
    mb_path_part(&at, id);
    mb_buffer_puts(&at, "/archive?path=");
    mb_path_part(&at, path);
    const struct mb_http_request request = {.method = "PUT",
                                            .path = mb_buffer_text(&at),
                                            .type = "application/x-tar",
                                            .body = tar->data,
                                            .size = tar->len,
                                            .timeout_ms = PUT_TIMEOUT_MS};
    return stream_call(engine, "put files into the container", &request, &unread, err);
}
