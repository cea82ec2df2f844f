/* fake_engine.c: accept, read one request, take the first rule that fits, do what it says. */
#include "support/fake_engine.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/engines.h"

#define REQUEST_MAX (16 * 1024 * 1024)

/* What every connection's process shares. */
struct server {
    const struct mb_fake_rule *rules;
    size_t n;
    unsigned *used;  /* how often each rule was taken, in shared memory */
    unsigned *asked; /* how many requests there were, likewise */
    const struct mb_fake_engine *engine;
};

static void
append_line(const char *path, const char *text, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

    if (write(fd, text, n) < 0 || write(fd, "\n", 1) < 0)
        perror(path);
    close(fd);
}

static void
send_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0)
            _exit(0);
        bytes += sent;
        n -= (size_t)sent;
    }
}

static void
pause_ms(unsigned ms)
{
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&pause, NULL);
}

static const struct mb_fake_rule *
choose(const struct server *s, const char *request)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct mb_fake_rule *rule = &s->rules[i];
        bool fits = request == NULL ? rule->request == NULL : rule->request != NULL && fnmatch(rule->request, request, 0) == 0;
        if (fits && *s->asked >= rule->after && (rule->times == 0 || s->used[i] < rule->times)) {
            s->used[i]++;
            return rule;
        }
    }
    return NULL;
}

static size_t
body_size(const struct mb_fake_rule *rule)
{
    return rule->size != 0 ? rule->size : rule->body != NULL ? strlen(rule->body) : 0;
}

static void
hang(int fd)
{
    char byte[256];

    /* Until the other side gives up. */
    while (recv(fd, byte, sizeof byte, 0) > 0)
        ;
    _exit(0);
}

static void
echo(int fd)
{
    char frame[8 + 4096];
    ssize_t n;

    while ((n = recv(fd, frame + 8, sizeof frame - 8, 0)) > 0) {
        char header[8] = {1, 0, 0, 0, 0, 0, (char)(n >> 8), (char)n};
        memcpy(frame, header, 8);
        send_all(fd, frame, (size_t)n + 8);
    }
    _exit(0);
}

static void
answer(int fd, const struct mb_fake_rule *rule, bool head)
{
    char header[2048];
    int n;

    if (rule->delay_ms > 0)
        pause_ms(rule->delay_ms);
    switch (rule->action) {
    case MB_FAKE_ANSWER:
        n = snprintf(header, sizeof header, "HTTP/1.1 %d Said\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n%s\r\n",
                     rule->status != 0 ? rule->status : 200, body_size(rule), rule->headers != NULL ? rule->headers : "");
        send_all(fd, header, (size_t)n);
        if (!head)
            send_all(fd, rule->body != NULL ? rule->body : "", body_size(rule));
        return;
    case MB_FAKE_UPGRADE:
        n = snprintf(header, sizeof header, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
        send_all(fd, header, (size_t)n);
        send_all(fd, rule->body != NULL ? rule->body : "", body_size(rule));
        echo(fd);
        return;
    case MB_FAKE_RAW:
        send_all(fd, rule->body, body_size(rule));
        shutdown(fd, SHUT_WR);
        hang(fd);
        break;
    case MB_FAKE_HANG:
        hang(fd);
        break;
    case MB_FAKE_CLOSE:
        break;
    }
    close(fd);
    _exit(0);
}

/* The length of a body, from its header. */
static size_t
content_length(const char *header)
{
    const char *at = strstr(header, "Content-Length: ");
    return at != NULL ? strtoul(at + 16, NULL, 10) : 0;
}

/* "POST /v1.41/x HTTP/1.1..." becomes "POST /v1.41/x" in ${line} and "POST /x" in ${plain}. */
static void
split_request(const char *text, char *line, char *plain, size_t size)
{
    size_t method = strcspn(text, " "), n = method + 1 + strcspn(text + method + 1, " \r\n");
    const char *path = text + method + 1;

    snprintf(line, size, "%.*s", (int)n, text);
    if (strncmp(path, "/v1.", 4) == 0)
        path += 1 + strcspn(path + 1, "/");
    snprintf(plain, size, "%.*s %.*s", (int)method, text, (int)(text + n - path), path);
}

static void
serve_one(const struct server *s, int fd, char *text)
{
    static const struct mb_fake_rule unknown = {.status = 404, .body = "{\"message\":\"page not found\"}"};
    char line[4096], plain[4096];
    size_t n = 0;
    char *end;

    while (text[n] = '\0', (end = strstr(text, "\r\n\r\n")) == NULL) {
        ssize_t got = recv(fd, text + n, REQUEST_MAX - n, 0);
        if (got <= 0)
            _exit(0);
        n += (size_t)got;
    }
    size_t header = (size_t)(end - text) + 4, wanted = header + content_length(text);
    while (n < wanted) {
        ssize_t got = recv(fd, text + n, wanted - n, 0);
        if (got <= 0)
            _exit(0);
        n += (size_t)got;
    }
    split_request(text, line, plain, sizeof line);
    append_line(s->engine->log, line, strlen(line));
    if (strstr(text, "\r\nTransfer-Encoding:") != NULL)
        append_line(s->engine->bodies, "chunked", strlen("chunked"));
    if (wanted > header && wanted - header < 65536)
        append_line(s->engine->bodies, text + header, wanted - header);
    const struct mb_fake_rule *rule = choose(s, plain);
    ++*s->asked;
    answer(fd, rule != NULL ? rule : &unknown, strncmp(line, "HEAD ", 5) == 0);
}

static void
serve(const struct server *s, int fd)
{
    char *text = malloc(REQUEST_MAX + 1);
    const struct mb_fake_rule *rule = choose(s, NULL);

    if (rule != NULL)
        answer(fd, rule, false);
    for (;;)
        serve_one(s, fd, text);
}

static void
listen_forever(const struct server *s, int listener)
{
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0)
            continue;
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(listener);
            serve(s, fd);
        }
        close(fd);
    }
}

void
mb_fake_engine_start(const struct mb_fake_rule *rules, size_t n, struct mb_fake_engine *out)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct server server = {.rules = rules, .n = n, .engine = out};

    memset(out, 0, sizeof *out);
    mb_test_dir(out->dir, sizeof out->dir);
    snprintf(out->socket, sizeof out->socket, "%s/fake.sock", out->dir);
    snprintf(out->url, sizeof out->url, "unix://%s", out->socket);
    snprintf(out->log, sizeof out->log, "%s/log", out->dir);
    snprintf(out->bodies, sizeof out->bodies, "%s/bodies", out->dir);
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", out->socket);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 16) != 0) {
        perror(out->socket);
        exit(1);
    }
    /* MAP_ANONYMOUS is not POSIX; a file that is unlinked at once serves as well. */
    int shared = open(out->log, O_RDWR | O_CREAT, 0600);
    unlink(out->log);
    if (ftruncate(shared, 4096) != 0)
        exit(1);
    server.used = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    server.asked = server.used + n;
    close(shared);
    pid_t test = getpid();
    out->pid = fork();
    if (out->pid == 0) {
        /* A test that fails does not stop its fakes; they end with it, also when it has ended already. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != test)
            _exit(0);
        setpgid(0, 0);
        listen_forever(&server, listener);
    }
    setpgid(out->pid, out->pid);
    munmap(server.used, 4096);
    close(listener);
}

static char *
slurp(const char *path)
{
    char *text = calloc(1, 65536);
    FILE *file = fopen(path, "r");

    if (file != NULL) {
        size_t n = fread(text, 1, 65535, file);
        text[n] = '\0';
        fclose(file);
    }
    return text;
}

char *
mb_fake_engine_log(const struct mb_fake_engine *engine)
{
    return slurp(engine->log);
}

char *
mb_fake_engine_bodies(const struct mb_fake_engine *engine)
{
    return slurp(engine->bodies);
}

void
mb_fake_engine_stop(struct mb_fake_engine *engine)
{
    if (engine->pid > 0) {
        kill(-engine->pid, SIGKILL);
        waitpid(engine->pid, NULL, 0);
        engine->pid = 0;
    }
    mb_test_remove(engine->dir);
}
