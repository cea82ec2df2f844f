/* address.c: docker's addresses into HTTP's. */
#include "engine/address.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool
starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

int
mb_address_base(const struct mb_endpoint *e, char *out, size_t size, struct mb_error *err)
{
    const char *rest = strstr(e->url, "://");
    int n;

    if (starts_with(e->url, "unix://") || starts_with(e->url, "ssh://")) {
        n = snprintf(out, size, "http://localhost");
    } else if (starts_with(e->url, "tcp://") || starts_with(e->url, "http://") || starts_with(e->url, "https://")) {
        rest += 3;
        size_t host = strcspn(rest, "/");
        /* "[::1]:2375" and "host:2375" name a port; "[::1]" and "host" do not. */
        const char *bracket = memchr(rest, ']', host);
        const char *from = bracket != NULL ? bracket : rest;
        bool has_port = memchr(from, ':', host - (size_t)(from - rest)) != NULL;
        bool bare = starts_with(e->url, "http");
        n = snprintf(out, size, "%s://%.*s%s%s", e->tls ? "https" : "http", (int)host, rest,
                     has_port || bare ? "" : (e->tls ? ":2376" : ":2375"), rest + host);
    } else {
        return mb_error_set(err, MB_ECONFIG, "%s: this is no address of an engine: unix://, tcp://, https:// or ssh://", e->url);
    }
    if (n < 0 || (size_t)n >= size)
        return mb_error_set(err, MB_ECONFIG, "%.80s...: the address is too long", e->url);
    while (n > 0 && out[n - 1] == '/')
        out[--n] = '\0';
    return 0;
}
