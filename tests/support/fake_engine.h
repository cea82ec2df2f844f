/*
 * fake_engine.h: an engine that says what a test wrote down, for what no real one can be made to say.
 *
 * It is a process of its own on a unix socket.  Each connection is served by a child; each request is logged, in order.
 */
#ifndef MB_TEST_FAKE_ENGINE_H
#define MB_TEST_FAKE_ENGINE_H

#include <stddef.h>
#include <sys/types.h>

enum mb_fake_action {
    MB_FAKE_ANSWER, /* HTTP with ${status}, ${headers} and ${body} */
    MB_FAKE_RAW,    /* the bytes of ${body} as they are, then the end of the stream */
    MB_FAKE_CLOSE,  /* close the connection without a word */
    MB_FAKE_HANG,   /* say nothing more, ever */
    MB_FAKE_UPGRADE /* answer 101, send ${body}, then keep the connection: what arrives is echoed as frames of standard output */
};

struct mb_fake_rule {
    const char *request; /* fnmatch pattern for "METHOD /path?query", the version without: "GET /containers/json*"; the first rule
                          * that fits and is not used up is taken; NULL: as soon as somebody connects, before anything is read */
    enum mb_fake_action action;
    int status;          /* 0: 200 */
    const char *headers; /* further header lines, each ended by "\r\n"; NULL: none */
    const char *body;    /* NULL: empty */
    size_t size;         /* of ${body}; 0: its strlen */
    unsigned after;      /* how many requests must have come before it can be taken */
    unsigned times;      /* how often it can be taken; 0: always */
    unsigned delay_ms;   /* before it answers */
};

struct mb_fake_engine {
    char dir[128], socket[160], url[176];
    char log[160];    /* file: one "METHOD /v1.41/path?query" a line */
    char bodies[160]; /* file: the body of each request that had one, a line each; "chunked" for one that was sent so */
    pid_t pid;
};

/* What a Docker 20.10 says to HEAD or GET /_ping, GET /version, GET /info: put them behind a test's own rules. */
#define MB_FAKE_PING(api)                                                                                                          \
    {                                                                                                                              \
        .request = "* /_ping", .headers = "Api-Version: " api "\r\nOstype: linux\r\n", .body = "OK"                                \
    }
#define MB_FAKE_VERSION(engine, newest, oldest)                                                                                    \
    {                                                                                                                              \
        .request = "GET /version",                                                                                                 \
        .body =                                                                                                                    \
            "{\"Platform\":{\"Name\":\"Docker Engine - Community\"},\"Components\":[{\"Name\":\"Engine\",\"Version\":\"" engine    \
            "\"}],\"Version\":\"" engine "\",\"ApiVersion\":\"" newest "\",\"MinAPIVersion\":\"" oldest                            \
            "\",\"Os\":\"linux\",\"Arch\":\"amd64\",\"KernelVersion\":\"6.1.0\"}"                                                  \
    }
#define MB_FAKE_INFO                                                                                                               \
    {                                                                                                                              \
        .request = "GET /info",                                                                                                    \
        .body =                                                                                                                    \
            "{\"ID\":\"fake\",\"Driver\":\"overlay2\",\"OperatingSystem\":\"Debian GNU/Linux 12 (bookworm)\",\"Name\":\"fake\","   \
            "\"KernelVersion\":\"6.1.0\",\"Architecture\":\"x86_64\",\"NCPU\":2,\"MemTotal\":4096000000,"                          \
            "\"DockerRootDir\":\"/var/lib/docker\"}"                                                                               \
    }
#define MB_FAKE_20_10 MB_FAKE_PING("1.41"), MB_FAKE_VERSION("20.10.24", "1.41", "1.12"), MB_FAKE_INFO

/* mb_fake_engine_start(rules, n, out): listen and serve until stopped.  ${rules} are copied by the fork. */
void mb_fake_engine_start(const struct mb_fake_rule *rules, size_t n, struct mb_fake_engine *out);

/* mb_fake_engine_log(engine): what was asked so far, malloc'd.  mb_fake_engine_bodies(engine): likewise the bodies. */
char *mb_fake_engine_log(const struct mb_fake_engine *engine);
char *mb_fake_engine_bodies(const struct mb_fake_engine *engine);

/* mb_fake_engine_stop(engine): end it and its connections, remove its directory. */
void mb_fake_engine_stop(struct mb_fake_engine *engine);

#endif
