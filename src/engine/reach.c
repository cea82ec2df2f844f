/* reach.c: connect once more by hand, where curl said only "no", and put the system's answer into words. */
#include "engine/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/known.h"

static const char *
socket_path(const struct mb_endpoint *endpoint)
{
    return strncmp(endpoint->url, "unix://", 7) == 0 ? endpoint->url + 7 : NULL;
}

/* Whether the socket of ${endpoint} is a known one: ${*out}. */
static bool
find_known(const struct mb_endpoint *endpoint, struct mb_known_socket *out)
{
    const char *path = socket_path(endpoint);
    struct mb_known_socket *known = NULL;
    bool found = false;
    size_t n = 0;

    if (path == NULL || mb_known_sockets(&known, &n, NULL) != 0)
        return false;
    for (size_t i = 0; i < n && !found; i++) {
        found = strcmp(known[i].path, path) == 0;
        if (found)
            *out = known[i];
    }
    free(known);
    return found || (mb_known_instance(endpoint->name, out) && strcmp(out->path, path) == 0);
}

const char *
mb_reach_start_hint(const struct mb_endpoint *endpoint, char *out, size_t size)
{
    struct mb_known_socket known;

    if (!find_known(endpoint, &known))
        snprintf(out, size, "start its engine");
    else if (!known.exists && known.missing[0] != '\0')
        snprintf(out, size, "it seems not to be installed (%s): install it", known.missing);
    else
        snprintf(out, size, "start it with '%s'", known.start);
    return out;
}

bool
mb_endpoint_absent(const struct mb_endpoint *endpoint)
{
    struct mb_known_socket known;

    return find_known(endpoint, &known) && !known.exists && known.missing[0] != '\0';
}

/* The errno of connecting to ${path}, 0 when something accepts. */
static int
try_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t n = strlen(path);
    int failure = 0;

    if (n >= sizeof address.sun_path)
        return ENAMETOOLONG;
    memcpy(address.sun_path, path, n + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return errno;
    /* A queue that is full says EAGAIN instead of making us wait. */
    fcntl(fd, F_SETFL, O_NONBLOCK);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        failure = errno;
    close(fd);
    return failure == EINPROGRESS || failure == EINTR ? 0 : failure;
}

static int
explain_permission(const char *path, struct mb_error *err)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return mb_error_set(err, MB_ENOENGINE,
                            "%s: permission denied: a directory on the way to this socket is closed to you; run as its owner, or "
                            "with sudo",
                            path);
    const struct group *group = getgrgid(st.st_gid);
    const struct passwd *user = getpwuid(getuid());
    if (group != NULL && st.st_gid != 0 && (st.st_mode & S_IWGRP) != 0)
        return mb_error_set(
            err, MB_ENOENGINE,
            "%s: permission denied: it is open to the group '%s', which you are not in; run 'sudo usermod -aG %s %s' "
            "and log in again, or run mountbench with sudo",
            path, group->gr_name, group->gr_name, user != NULL ? user->pw_name : "$USER");
    const struct passwd *owner = getpwuid(st.st_uid);
    return mb_error_set(
        err, MB_ENOENGINE,
        "%s: permission denied: it is open to the user '%s' alone; run mountbench with sudo, or use an engine of your "
        "own (rootless docker or podman)",
        path, owner != NULL ? owner->pw_name : "root");
}

static int
explain_refusal(const struct mb_endpoint *endpoint, const char *path, struct mb_error *err)
{
    char hint[400];
    struct stat st;

    if (stat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
        return mb_error_set(err, MB_ENOENGINE, "%s: this is a %s, not a socket; name the socket that the engine listens on", path,
                            S_ISDIR(st.st_mode) ? "directory" : "file");
    return mb_error_set(err, MB_ENOENGINE, "%s: connection refused: the socket is there, but its engine has stopped; %s", path,
                        mb_reach_start_hint(endpoint, hint, sizeof hint));
}

int
mb_reach_socket(const struct mb_endpoint *endpoint, struct mb_error *err)
{
    const char *path = socket_path(endpoint);
    char hint[400];
    int failure = path != NULL ? try_connect(path) : 0;

    switch (failure) {
    case 0:
        return 0;
    case ENOENT:
    case ENOTDIR:
        return mb_error_set(err, MB_ENOENGINE, "%s: no such socket: no engine is running there; %s, or name another with --engine",
                            path, mb_reach_start_hint(endpoint, hint, sizeof hint));
    case EACCES:
    case EPERM:
        return explain_permission(path, err);
    case EAGAIN:
        return mb_error_set(err, MB_ENOENGINE,
                            "%s: something listens there, but accepts nobody: its queue of connections is full; restart its engine",
                            path);
    case ECONNREFUSED:
    case ENOTSOCK:
    case EPROTOTYPE:
        return explain_refusal(endpoint, path, err);
    case ENAMETOOLONG:
        return mb_error_set(
            err, MB_ENOENGINE,
            "%s: the path has %zu bytes, and a unix socket's can have %zu at most; reach it by a shorter one, such as a "
            "symbolic link to its directory",
            path, strlen(path), sizeof((struct sockaddr_un *)0)->sun_path - 1);
    default:
        return mb_error_errno(err, MB_ENOENGINE, failure, "%s: cannot connect", path);
    }
}

static int
closed_without_a_word(const struct mb_failure *f, struct mb_error *err)
{
    return mb_error_set(err, MB_ENOENGINE,
                        "%s: something listens there, but closed the connection without an answer (%s); is it an engine?",
                        f->endpoint->url, f->detail);
}

/* Why no connection came about. */
static int
explain_connecting(const struct mb_failure *f, struct mb_error *err)
{
    const struct mb_endpoint *e = f->endpoint;

    if (mb_reach_socket(e, err) != 0)
        return -1;
    if (*f->ssh != '\0')
        return mb_error_set(err, MB_ENOENGINE,
                            "%s: ssh says: %s; make 'ssh HOST docker system dial-stdio' work without asking anything (ssh-agent)",
                            e->url, f->ssh);
    if (socket_path(e) != NULL)
        return closed_without_a_word(f, err);
    if (f->fault == MB_FAULT_NAME)
        return mb_error_set(err, MB_ENOENGINE, "%s: no host of this name: %s", e->url, f->detail);
    if (f->fault == MB_FAULT_TLS)
        return mb_error_set(
            err, MB_ENOENGINE,
            "%s: no TLS connection: %s; look at the certificates (DOCKER_CERT_PATH, or the context's), and whether the "
            "engine speaks TLS on this port",
            e->url, f->detail);
    return mb_error_set(err, MB_ENOENGINE, "%s: cannot connect: %s; is its engine running, and told to listen there?", e->url,
                        f->detail);
}

int
mb_reach_explain(const struct mb_failure *f, struct mb_error *err)
{
    const char *url = f->endpoint->url;
    bool connecting = f->fault == MB_FAULT_CONNECT || f->fault == MB_FAULT_NAME || f->fault == MB_FAULT_TLS || *f->ssh != '\0';

    if (f->fault == MB_FAULT_SILENT && f->answered)
        return mb_error_set(err, MB_ETIMEOUT, "%s: no answer within %.1f s", url, f->limit_ms / 1e3);
    if (f->fault == MB_FAULT_SILENT)
        return mb_error_set(err, MB_ENOENGINE,
                            "%s: something listens there, but gave no answer within %.1f s; restart it, or is it no engine?", url,
                            f->limit_ms / 1e3);
    if (connecting) {
        explain_connecting(f, err);
        if (f->answered && err != NULL)
            err->code = MB_EGONE;
        return -1;
    }
    if (f->answered)
        return mb_error_set(err, MB_EGONE, "%s: the connection broke: %s", url, f->detail);
    if (f->fault == MB_FAULT_CLOSED)
        return closed_without_a_word(f, err);
    return mb_error_set(err, MB_ENOENGINE, "%s: what listens there does not speak HTTP (%s), so it is no engine", url, f->detail);
}
