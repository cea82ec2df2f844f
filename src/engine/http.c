/*
 * http.c: one endpoint over curl.  Knows HTTP, sockets and time; knows nothing of engines but what to say when no answer comes.
 */
#include "engine/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/address.h"
#include "engine/reach.h"
#include "engine/tunnel.h"
#include "mountbench/clock.h"
#include "mountbench/signals.h"

/* The longest wait between two looks at the flag that a signal sets, for the signal that arrives just before a wait begins. */
#define SLICE_MS 200
#define HEADER_MAX 16384

/*
 * An engine goes on with what it was asked to make when nobody listens any more, and a teardown that comes meanwhile finds nothing
 * to remove: after an interrupt such a call has this long to end by itself.
 */
#define MAKING_MS 10000

struct mb_http {
    const struct mb_endpoint *endpoint;
    CURL *curl;
    struct mb_tunnel tunnel; /* ssh:// alone */
    bool answered;           /* something here once spoke HTTP */
    char base[512];          /* scheme, host, port and path prefix */
    char detail[CURL_ERROR_SIZE];
};

struct mb_wire {
    struct mb_http *http;
    CURL *curl;
    curl_socket_t socket;
};

/* What the callbacks of one call share. */
struct exchange {
    const struct mb_http_request *request;
    struct mb_http_reply *reply;
    CURL *curl;
    bool too_long, stopped;
    uint64_t patience_ns; /* the deadline that an interrupt set; 0 before one */
};

static bool
starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static int
on_progress(void *context, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal, curl_off_t ulnow)
{
    struct exchange *x = context;

    (void)dltotal, (void)dlnow, (void)ultotal, (void)ulnow;
    if (!mb_interrupted())
        return 0;
    if (x == NULL || !x->request->makes)
        return 1;
    if (x->patience_ns == 0)
        x->patience_ns = mb_deadline_in_ms(MAKING_MS);
    return mb_deadline_left_ms(x->patience_ns) == 0;
}

static void
set_tls(CURL *curl, const struct mb_endpoint *e)
{
    if (!e->tls)
        return;
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, e->tls_verify ? 1L : 0L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, e->tls_verify ? 2L : 0L);
    if (e->ca != NULL)
        curl_easy_setopt(curl, CURLOPT_CAINFO, e->ca);
    if (e->cert != NULL)
        curl_easy_setopt(curl, CURLOPT_SSLCERT, e->cert);
    if (e->key != NULL)
        curl_easy_setopt(curl, CURLOPT_SSLKEY, e->key);
}

/* What calls and wires have in common: where to connect, and how. */
static CURL *
new_handle(struct mb_http *http)
{
    const struct mb_endpoint *e = http->endpoint;
    CURL *curl = curl_easy_init();

    if (curl == NULL)
        return NULL;
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->detail);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    if (starts_with(e->url, "unix://"))
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, e->url + strlen("unix://"));
    if (http->tunnel.pid != 0)
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, http->tunnel.socket);
    set_tls(curl, e);
    return curl;
}

int
mb_http_open(const struct mb_endpoint *endpoint, struct mb_http **out, struct mb_error *err)
{
    struct mb_http *http = calloc(1, sizeof *http);

    *out = NULL;
    if (http == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    http->endpoint = endpoint;
    if (mb_address_base(endpoint, http->base, sizeof http->base, err) != 0) {
        free(http);
        return -1;
    }
    if (starts_with(endpoint->url, "ssh://") && mb_tunnel_start(&http->tunnel, endpoint->url, err) != 0) {
        free(http);
        return -1;
    }
    http->curl = new_handle(http);
    if (http->curl == NULL) {
        mb_http_close(http);
        return mb_error_set(err, MB_EIO, "cannot start curl");
    }
    *out = http;
    return 0;
}

void
mb_http_close(struct mb_http *http)
{
    if (http == NULL)
        return;
    curl_easy_cleanup(http->curl);
    mb_tunnel_stop(&http->tunnel);
    free(http);
}

/* Curl's verdict, as far as it matters to a person. */
static enum mb_fault
fault_of(CURLcode code)
{
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        return MB_FAULT_SILENT;
    case CURLE_COULDNT_CONNECT:
        return MB_FAULT_CONNECT;
    case CURLE_COULDNT_RESOLVE_HOST:
        return MB_FAULT_NAME;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_PEER_FAILED_VERIFICATION:
        return MB_FAULT_TLS;
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
        return MB_FAULT_CLOSED;
    default:
        return MB_FAULT_LANGUAGE;
    }
}

static int
explain(struct mb_http *http, CURLcode code, unsigned timeout_ms, struct mb_error *err)
{
    struct mb_failure failure = {
        .endpoint = http->endpoint,
        .fault = fault_of(code),
        .answered = http->answered,
        .limit_ms = timeout_ms,
        .detail = http->detail[0] != '\0' ? http->detail : curl_easy_strerror(code),
        .ssh = mb_tunnel_words(&http->tunnel),
    };

    if (mb_interrupted())
        return mb_error_set(err, MB_EINTERRUPT, "interrupted");
    return mb_reach_explain(&failure, err);
}

static size_t
on_header(char *line, size_t size, size_t count, void *context)
{
    static const struct {
        const char *name;
        size_t offset, size;
    } wanted[] = {
        {"Api-Version:", offsetof(struct mb_http_reply, api_version), sizeof((struct mb_http_reply *)0)->api_version},
        {"Libpod-Api-Version:", offsetof(struct mb_http_reply, libpod_version), sizeof((struct mb_http_reply *)0)->libpod_version},
    };
    struct exchange *x = context;
    size_t n = size * count;

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        size_t name = strlen(wanted[i].name);
        if (n <= name || strncasecmp(line, wanted[i].name, name) != 0)
            continue;
        const char *value = line + name;
        size_t left = n - name;
        for (; left > 0 && *value == ' '; left--)
            value++;
        while (left > 0 && (unsigned char)value[left - 1] <= ' ')
            left--;
        char *to = (char *)x->reply + wanted[i].offset;
        snprintf(to, wanted[i].size, "%.*s", (int)left, value);
    }
    return n;
}

static size_t
on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct exchange *x = context;
    size_t n = size * count;
    long status = 0;

    curl_easy_getinfo(x->curl, CURLINFO_RESPONSE_CODE, &status);
    if (x->request->sink != NULL && status >= 200 && status < 300) {
        x->stopped = x->request->sink(x->request->context, bytes, n) != 0;
        return x->stopped ? 0 : n;
    }
    x->too_long = mb_buffer_append(&x->reply->body, bytes, n) != 0;
    return x->too_long ? 0 : n;
}

static void
set_method(CURL *curl, const struct mb_http_request *request)
{
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, NULL);
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
    if (strcmp(request->method, "HEAD") == 0) {
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    } else if (strcmp(request->method, "POST") == 0 || strcmp(request->method, "PUT") == 0) {
        if (request->method[1] == 'U')
            curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
        /* A size that is known beforehand, zero included, keeps curl from sending in chunks. */
        curl_easy_setopt(curl, CURLOPT_POST, 1L);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->size > 0 ? request->body : "");
    } else if (strcmp(request->method, "GET") != 0) {
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    }
}

static struct curl_slist *
make_headers(const struct mb_http_request *request)
{
    char type[128];
    struct curl_slist *list = curl_slist_append(NULL, "Expect:");

    snprintf(type, sizeof type, "Content-Type:%s%s", request->type != NULL ? " " : "", request->type != NULL ? request->type : "");
    struct curl_slist *longer = list != NULL ? curl_slist_append(list, type) : NULL;
    if (longer == NULL)
        curl_slist_free_all(list);
    return longer;
}

static int
set_url(struct mb_http *http, CURL *curl, const char *path, struct mb_error *err)
{
    MB_AUTO_BUFFER url = MB_BUFFER_INIT(65536);

    mb_buffer_printf(&url, "%s%s", http->base, path);
    if (url.overflowed || curl_easy_setopt(curl, CURLOPT_URL, mb_buffer_text(&url)) != CURLE_OK)
        return mb_error_set(err, MB_EIO, "the request for %.60s... is too long", path);
    return 0;
}

static int
finish(struct mb_http *http, const struct exchange *x, CURLcode code, struct mb_error *err)
{
    long status = 0;

    if (code == CURLE_WRITE_ERROR && x->too_long)
        return mb_error_set(err, MB_EPROTOCOL, "%s: the answer to %s %.80s is longer than %zu bytes", http->endpoint->url,
                            x->request->method, x->request->path, x->reply->body.max);
    if (code != CURLE_OK && !x->stopped)
        return explain(http, code, x->request->limit_ms != 0 ? x->request->limit_ms : x->request->timeout_ms, err);
    curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
    x->reply->status = (int)status;
    http->answered = true;
    return 0;
}

int
mb_http_call(struct mb_http *http, const struct mb_http_request *request, struct mb_http_reply *reply, struct mb_error *err)
{
    struct exchange x = {.request = request, .reply = reply, .curl = http->curl};

    reply->status = 0;
    reply->api_version[0] = reply->libpod_version[0] = '\0';
    mb_buffer_reset(&reply->body);
    http->detail[0] = '\0';
    mb_tunnel_forget(&http->tunnel);
    if (mb_interrupted())
        return mb_error_set(err, MB_EINTERRUPT, "interrupted");
    if (set_url(http, http->curl, request->path, err) != 0)
        return -1;
    struct curl_slist *headers = make_headers(request);
    if (headers == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    set_method(http->curl, request);
    curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(http->curl, CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
    curl_easy_setopt(http->curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(http->curl, CURLOPT_HEADERDATA, &x);
    curl_easy_setopt(http->curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(http->curl, CURLOPT_WRITEDATA, &x);
    curl_easy_setopt(http->curl, CURLOPT_XFERINFODATA, &x);
    CURLcode code = curl_easy_perform(http->curl);
    curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
    return finish(http, &x, code, err);
}

/* Wait until the wire can be read or written; interruption and time are looked at here alone. */
static int
wait_for(const struct mb_wire *wire, short events, uint64_t deadline_ns, struct mb_error *err)
{
    for (;;) {
        int left = mb_deadline_left_ms(deadline_ns);
        struct pollfd p = {.fd = wire->socket, .events = events};

        if (mb_interrupted())
            return mb_error_set(err, MB_EINTERRUPT, "interrupted");
        if (left == 0)
            return mb_error_set(err, MB_ETIMEOUT, "%s: nothing came over the attached stream in time", wire->http->endpoint->url);
        int n = poll(&p, 1, left < SLICE_MS ? left : SLICE_MS);
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return mb_error_errno(err, MB_EIO, errno, "poll");
    }
}

static int
wire_broke(const struct mb_wire *wire, CURLcode code, struct mb_error *err)
{
    return mb_error_set(err, MB_EGONE, "%s: the attached stream broke: %s", wire->http->endpoint->url, curl_easy_strerror(code));
}

int
mb_wire_send(struct mb_wire *wire, const void *bytes, size_t n, uint64_t deadline_ns, struct mb_error *err)
{
    const char *p = bytes;

    while (n > 0) {
        size_t sent = 0;
        CURLcode code = curl_easy_send(wire->curl, p, n, &sent);
        if (code == CURLE_AGAIN) {
            if (wait_for(wire, POLLOUT, deadline_ns, err) != 0)
                return -1;
        } else if (code != CURLE_OK) {
            return wire_broke(wire, code, err);
        }
        p += sent;
        n -= sent;
    }
    return 0;
}

int
mb_wire_recv(struct mb_wire *wire, void *bytes, size_t size, uint64_t deadline_ns, size_t *n, struct mb_error *err)
{
    for (;;) {
        /* Read before waiting: TLS may hold decrypted bytes that poll knows nothing of. */
        CURLcode code = curl_easy_recv(wire->curl, bytes, size, n);
        if (code == CURLE_OK)
            return 0;
        if (code != CURLE_AGAIN)
            return wire_broke(wire, code, err);
        if (wait_for(wire, POLLIN, deadline_ns, err) != 0)
            return -1;
    }
}

int
mb_wire_try_send(struct mb_wire *wire, const void *bytes, size_t n, size_t *done, struct mb_error *err)
{
    *done = 0;
    CURLcode code = curl_easy_send(wire->curl, bytes, n, done);
    return code == CURLE_OK || code == CURLE_AGAIN ? 0 : wire_broke(wire, code, err);
}

int
mb_wire_try_recv(struct mb_wire *wire, void *bytes, size_t size, size_t *done, bool *ended, struct mb_error *err)
{
    *done = 0;
    CURLcode code = curl_easy_recv(wire->curl, bytes, size, done);
    *ended = code == CURLE_OK && *done == 0;
    return code == CURLE_OK || code == CURLE_AGAIN ? 0 : wire_broke(wire, code, err);
}

int
mb_wire_socket(const struct mb_wire *wire)
{
    return wire->socket;
}

void
mb_wire_close(struct mb_wire *wire)
{
    if (wire == NULL)
        return;
    curl_easy_cleanup(wire->curl);
    free(wire);
}

static struct mb_wire *
wire_connect(struct mb_http *http, unsigned timeout_ms, struct mb_error *err)
{
    struct mb_wire *wire = calloc(1, sizeof *wire);

    if (wire != NULL)
        wire->curl = new_handle(http);
    if (wire == NULL || wire->curl == NULL) {
        free(wire);
        mb_error_set(err, MB_EIO, "out of memory");
        return NULL;
    }
    wire->http = http;
    http->detail[0] = '\0';
    curl_easy_setopt(wire->curl, CURLOPT_URL, http->base);
    curl_easy_setopt(wire->curl, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(wire->curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    CURLcode code = curl_easy_perform(wire->curl);
    if (code == CURLE_OK)
        code = curl_easy_getinfo(wire->curl, CURLINFO_ACTIVESOCKET, &wire->socket);
    if (code != CURLE_OK) {
        explain(http, code, timeout_ms, err);
        mb_wire_close(wire);
        return NULL;
    }
    return wire;
}

/* The end of the header in ${b}, or 0 while it is incomplete. */
static size_t
header_end(const struct mb_buffer *b)
{
    const char *end = b->data != NULL ? strstr(b->data, "\r\n\r\n") : NULL;
    return end != NULL ? (size_t)(end - b->data) + 4 : 0;
}

/* The rest of a refusal: as much as its Content-Length says, or until the peer pauses. */
static void
read_refusal(struct mb_wire *wire, struct mb_buffer *body, uint64_t deadline_ns)
{
    uint64_t soon = mb_deadline_in_ms(SLICE_MS);
    char chunk[4096];
    size_t n;

    if (soon > deadline_ns)
        soon = deadline_ns;
    while ((body->len == 0 || body->data[body->len - 1] != '\n') && mb_wire_recv(wire, chunk, sizeof chunk, soon, &n, NULL) == 0 &&
           n > 0 && mb_buffer_append(body, chunk, n) == 0)
        ;
}

/* Read the status and header; what follows is left in ${reply}->body. */
static int
read_header(struct mb_wire *wire, struct mb_http_reply *reply, uint64_t deadline_ns, struct mb_error *err)
{
    MB_AUTO_BUFFER header = MB_BUFFER_INIT(HEADER_MAX);
    const char *url = wire->http->endpoint->url;
    char chunk[4096];
    size_t end, n;

    while ((end = header_end(&header)) == 0) {
        if (mb_wire_recv(wire, chunk, sizeof chunk, deadline_ns, &n, err) != 0)
            return -1;
        if (n == 0)
            return mb_error_set(err, MB_EGONE, "%s: the engine closed the connection instead of attaching", url);
        if (mb_buffer_append(&header, chunk, n) != 0)
            return mb_error_set(err, MB_EPROTOCOL, "%s: the answer's header is longer than %d bytes", url, HEADER_MAX);
    }
    if (!starts_with(header.data, "HTTP/1.") || header.len < 12)
        return mb_error_set(err, MB_EPROTOCOL, "%s: the answer to attach is not HTTP", url);
    reply->status = (int)strtol(header.data + 9, NULL, 10);
    mb_buffer_reset(&reply->body);
    mb_buffer_append(&reply->body, header.data + end, header.len - end);
    return 0;
}

int
mb_http_upgrade(struct mb_http *http, const char *path, unsigned timeout_ms, struct mb_wire **out, struct mb_http_reply *reply,
                struct mb_error *err)
{
    MB_AUTO_BUFFER request = MB_BUFFER_INIT(65536);
    uint64_t deadline_ns = mb_deadline_in_ms(timeout_ms);
    const char *host = strstr(http->base, "://") + 3;

    *out = NULL;
    struct mb_wire *wire = wire_connect(http, timeout_ms, err);
    if (wire == NULL)
        return -1;
    mb_buffer_printf(&request,
                     "POST %s%s HTTP/1.1\r\nHost: %.*s\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Type: text/plain\r\n"
                     "Content-Length: 0\r\n\r\n",
                     host + strcspn(host, "/"), path, (int)strcspn(host, "/"), host);
    if (request.overflowed || mb_wire_send(wire, request.data, request.len, deadline_ns, err) != 0 ||
        read_header(wire, reply, deadline_ns, err) != 0) {
        mb_wire_close(wire);
        return -1;
    }
    if (reply->status == 101 || reply->status == 200) {
        *out = wire;
        return 0;
    }
    read_refusal(wire, &reply->body, deadline_ns);
    mb_wire_close(wire);
    return 0;
}
