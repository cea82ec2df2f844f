/* browser.c: messages are JSON objects ended by a NUL byte; descriptors 3 and 4 are the browser's. */
#include "support/browser.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/buffer.h"
#include "mountbench/clock.h"

/* For the browser to start on a busy machine, and for any answer. */
#define PATIENCE_MS 60000

extern char **environ;

struct browser {
    pid_t pid;
    int to, from, next_id;
    char profile[64];
    char session[128];
    struct mb_buffer input, complaints, requests, text;
    bool loaded;
};

static const char *
program(void)
{
    static const char *const names[] = {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"};
    const char *own = getenv("CHROMIUM");

    if (own != NULL && *own != '\0')
        return own;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (access(names[i], X_OK) == 0)
            return names[i];
    }
    return NULL;
}

static void
spawn(struct browser *b, const char *path, int in, int out)
{
    char data[128];
    snprintf(data, sizeof data, "--user-data-dir=%s", b->profile);
    const char *const words[] = {path,
                                 "--headless",
                                 "--no-sandbox",
                                 "--disable-gpu",
                                 "--no-first-run",
                                 "--disable-quic",
                                 "--disable-sync",
                                 "--disable-background-networking",
                                 "--disable-component-update",
                                 "--hide-scrollbars",
                                 "--remote-debugging-pipe",
                                 data,
                                 "about:blank",
                                 NULL};
    char *argv[16] = {NULL};
    posix_spawn_file_actions_t actions;

    for (size_t i = 0; words[i] != NULL; i++)
        ck_assert_ptr_nonnull(argv[i] = strdup(words[i]));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, in, 3);
    posix_spawn_file_actions_adddup2(&actions, out, 4);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    ck_assert_int_eq(posix_spawn(&b->pid, path, &actions, &attributes, argv, environ), 0);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    for (size_t i = 0; argv[i] != NULL; i++)
        free(argv[i]);
}

/* A pipe whose ends are out of the way of 3 and 4, and not inherited. */
static void
make_pipe(int ends[2])
{
    ck_assert_int_eq(pipe(ends), 0);
    for (int i = 0; i < 2; i++) {
        int high = fcntl(ends[i], F_DUPFD_CLOEXEC, 10);
        ck_assert_int_ge(high, 10);
        close(ends[i]);
        ends[i] = high;
    }
}

static void
note_event(struct browser *b, const cJSON *message)
{
    const char *method = cJSON_GetStringValue(cJSON_GetObjectItem(message, "method"));
    const cJSON *params = cJSON_GetObjectItem(message, "params");

    if (method == NULL)
        return;
    if (strcmp(method, "Page.loadEventFired") == 0)
        b->loaded = true;
    if (strcmp(method, "Network.requestWillBeSent") == 0) {
        const char *type = cJSON_GetStringValue(cJSON_GetObjectItem(params, "type"));
        const char *url = cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetObjectItem(params, "request"), "url"));
        if (type == NULL || strcmp(type, "Document") != 0)
            mb_buffer_printf(&b->requests, "%s\n", url);
    }
    if (strcmp(method, "Log.entryAdded") == 0 || strcmp(method, "Runtime.exceptionThrown") == 0 ||
        strcmp(method, "Runtime.consoleAPICalled") == 0 || strcmp(method, "Page.javascriptDialogOpening") == 0) {
        char *printed = cJSON_PrintUnformatted(params);
        mb_buffer_printf(&b->complaints, "%s %s\n", method, printed);
        free(printed);
    }
}

static cJSON *
next_message(struct browser *b, uint64_t deadline_ns)
{
    for (;;) {
        char *end = b->input.len > 0 ? memchr(b->input.data, '\0', b->input.len) : NULL;
        if (end != NULL) {
            cJSON *message = cJSON_Parse(b->input.data);
            mb_buffer_consume(&b->input, (size_t)(end - b->input.data) + 1);
            ck_assert_ptr_nonnull(message);
            return message;
        }
        char bytes[65536];
        struct pollfd p = {b->from, POLLIN, 0};
        ck_assert_msg(poll(&p, 1, mb_deadline_left_ms(deadline_ns)) > 0, "the browser does not answer");
        ssize_t n = read(b->from, bytes, sizeof bytes);
        ck_assert_msg(n > 0, "the browser is gone");
        mb_buffer_append(&b->input, bytes, (size_t)n);
    }
}

/* Send and wait for the answer, whose "result" is the caller's to delete.  ${params} is taken over. */
static cJSON *
call(struct browser *b, const char *method, cJSON *params)
{
    uint64_t deadline_ns = mb_deadline_in_ms(PATIENCE_MS);
    cJSON *request = cJSON_CreateObject();
    int id = ++b->next_id;

    cJSON_AddNumberToObject(request, "id", id);
    cJSON_AddStringToObject(request, "method", method);
    cJSON_AddItemToObject(request, "params", params != NULL ? params : cJSON_CreateObject());
    if (*b->session != '\0')
        cJSON_AddStringToObject(request, "sessionId", b->session);
    char *text = cJSON_PrintUnformatted(request);
    cJSON_Delete(request);
    for (size_t left = strlen(text) + 1, at = 0; left > 0;) {
        ssize_t n = write(b->to, text + at, left);
        ck_assert_int_gt(n, 0);
        at += (size_t)n;
        left -= (size_t)n;
    }
    free(text);
    for (;;) {
        cJSON *message = next_message(b, deadline_ns);
        const cJSON *answer = cJSON_GetObjectItem(message, "id");
        if (answer != NULL && answer->valueint == id) {
            const cJSON *error = cJSON_GetObjectItem(message, "error");
            ck_assert_msg(error == NULL, "%s: %s", method, cJSON_GetStringValue(cJSON_GetObjectItem(error, "message")));
            cJSON *result = cJSON_DetachItemFromObject(message, "result");
            cJSON_Delete(message);
            return result;
        }
        note_event(b, message);
        cJSON_Delete(message);
    }
}

/* call() with parameters as text, its result not wanted. */
static void
command(struct browser *b, const char *method, const char *params)
{
    cJSON *parsed = cJSON_Parse(params);
    ck_assert_msg(parsed != NULL, "%s", params);
    cJSON_Delete(call(b, method, parsed));
}

static void
attach(struct browser *b)
{
    cJSON *target = call(b, "Target.createTarget", cJSON_Parse("{\"url\":\"about:blank\"}"));
    cJSON *params = cJSON_CreateObject();
    cJSON_AddStringToObject(params, "targetId", cJSON_GetStringValue(cJSON_GetObjectItem(target, "targetId")));
    cJSON_AddBoolToObject(params, "flatten", true);
    cJSON *session = call(b, "Target.attachToTarget", params);
    snprintf(b->session, sizeof b->session, "%s", cJSON_GetStringValue(cJSON_GetObjectItem(session, "sessionId")));
    cJSON_Delete(target);
    cJSON_Delete(session);
    command(b, "Page.enable", "{}");
    command(b, "Runtime.enable", "{}");
    command(b, "Log.enable", "{}");
    command(b, "Network.enable", "{}");
}

struct browser *
browser_start(void)
{
    const char *path = program();
    int down[2], up[2];

    if (path == NULL)
        return NULL;
    struct browser *b = calloc(1, sizeof *b);
    ck_assert_ptr_nonnull(b);
    b->input.max = b->complaints.max = b->requests.max = b->text.max = (size_t)256 << 20;
    strcpy(b->profile, "/tmp/mountbench-browser.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(b->profile));
    make_pipe(down);
    make_pipe(up);
    spawn(b, path, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    b->to = down[1];
    b->from = up[0];
    attach(b);
    return b;
}

void
browser_stop(struct browser *b)
{
    char remove[128];

    if (b == NULL)
        return;
    close(b->to);
    close(b->from);
    kill(-b->pid, SIGKILL);
    waitpid(b->pid, NULL, 0);
    snprintf(remove, sizeof remove, "rm -rf '%s'", b->profile);
    for (int i = 0; system(remove) != 0 && i < 20; i++) /* its children may still be writing */
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    mb_buffer_free(&b->input);
    mb_buffer_free(&b->complaints);
    mb_buffer_free(&b->requests);
    mb_buffer_free(&b->text);
    free(b);
}

void
browser_open(struct browser *b, const char *path, int width, bool dark)
{
    char params[1024];
    uint64_t deadline_ns = mb_deadline_in_ms(PATIENCE_MS);

    snprintf(params, sizeof params, "{\"width\":%d,\"height\":900,\"deviceScaleFactor\":1,\"mobile\":%s}", width,
             width < 500 ? "true" : "false");
    command(b, "Emulation.setDeviceMetricsOverride", params);
    snprintf(params, sizeof params, "{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"%s\"}]}",
             dark ? "dark" : "light");
    command(b, "Emulation.setEmulatedMedia", params);
    command(b, "Page.navigate", "{\"url\":\"about:blank\"}");
    mb_buffer_reset(&b->complaints);
    mb_buffer_reset(&b->requests);
    b->loaded = false;
    snprintf(params, sizeof params, "{\"url\":\"file://%s\"}", path);
    command(b, "Page.navigate", params);
    /* The event alone may still be that of the blank page. */
    while (!b->loaded ||
           strcmp(browser_text(b, "location.protocol === 'file:' && document.readyState === 'complete'"), "true") != 0) {
        ck_assert_msg(mb_deadline_left_ms(deadline_ns) > 0, "%s is not loaded in time", path);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        browser_text(b, "0"); /* takes in what events there are */
    }
}

const char *
browser_text(struct browser *b, const char *script)
{
    cJSON *params = cJSON_CreateObject();
    MB_AUTO_BUFFER expression = MB_BUFFER_INIT(65536);

    mb_buffer_printf(&expression, "String(%s)", script);
    cJSON_AddStringToObject(params, "expression", mb_buffer_text(&expression));
    cJSON *result = call(b, "Runtime.evaluate", params);
    ck_assert_msg(cJSON_GetObjectItem(result, "exceptionDetails") == NULL, "%s throws", script);
    mb_buffer_reset(&b->text);
    mb_buffer_puts(&b->text, cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetObjectItem(result, "result"), "value")));
    cJSON_Delete(result);
    return mb_buffer_text(&b->text);
}

void
browser_press(struct browser *b, const char *key)
{
    static const struct {
        const char *key;
        int code;
        const char *text;
    } keys[] = {{"Tab", 9, ""},        {"Enter", 13, "\\r"}, {"Escape", 27, ""},     {" ", 32, " "},
                {"ArrowLeft", 37, ""}, {"ArrowUp", 38, ""},  {"ArrowRight", 39, ""}, {"ArrowDown", 40, ""}};
    char params[256];

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].key, key) != 0)
            continue;
        const char *code = strcmp(key, " ") == 0 ? "Space" : key;
        snprintf(params, sizeof params,
                 "{\"type\":\"keyDown\",\"key\":\"%s\",\"code\":\"%s\",\"windowsVirtualKeyCode\":%d,\"text\":\"%s\"}", key, code,
                 keys[i].code, keys[i].text);
        command(b, "Input.dispatchKeyEvent", params);
        snprintf(params, sizeof params, "{\"type\":\"keyUp\",\"key\":\"%s\",\"code\":\"%s\",\"windowsVirtualKeyCode\":%d}", key,
                 code, keys[i].code);
        command(b, "Input.dispatchKeyEvent", params);
        return;
    }
    ck_abort_msg("no key is called '%s'", key);
}

void
browser_tab_to(struct browser *b, const char *script)
{
    for (int i = 0; i < 100; i++) {
        if (strcmp(browser_text(b, script), "true") == 0)
            return;
        browser_press(b, "Tab");
    }
    ck_abort_msg("Tab never gets to where %s", script);
}

void
browser_media(struct browser *b, const char *media)
{
    char params[128];
    snprintf(params, sizeof params, "{\"media\":\"%s\"}", media);
    command(b, "Emulation.setEmulatedMedia", params);
}

/* Base64 (RFC 4648) without blanks, as the protocol has it. */
static size_t
decode(const char *text, unsigned char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0, have = 0;
    size_t n = 0;

    for (; *text != '\0' && *text != '='; text++) {
        bits = bits << 6 | (unsigned)(strchr(digits, *text) - digits);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[n++] = (unsigned char)(bits >> have);
        }
    }
    return n;
}

void
browser_screenshot(struct browser *b, const char *path)
{
    cJSON *result = call(b, "Page.captureScreenshot", cJSON_Parse("{\"captureBeyondViewport\":true}"));
    const char *data = cJSON_GetStringValue(cJSON_GetObjectItem(result, "data"));
    unsigned char *bytes = malloc(strlen(data));
    ck_assert_ptr_nonnull(bytes);
    size_t n = decode(data, bytes);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    fclose(f);
    free(bytes);
    cJSON_Delete(result);
}

const char *
browser_complaints(struct browser *b)
{
    browser_text(b, "0"); /* what was said before this is in by now */
    return mb_buffer_text(&b->complaints);
}

const char *
browser_requests(struct browser *b)
{
    browser_text(b, "0");
    return mb_buffer_text(&b->requests);
}
