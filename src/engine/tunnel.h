/* tunnel.h: a connection through the system's ssh, as the docker command makes it: `ssh HOST docker system dial-stdio`. */
#ifndef MB_ENGINE_TUNNEL_H
#define MB_ENGINE_TUNNEL_H

#include <stddef.h>
#include <sys/types.h>

#include "mountbench/endpoint.h"

/* At most so many connections at once through one tunnel; curl keeps one alive and opens another when that one dies. */
#define MB_TUNNEL_MAX 4

/* Initialise with {0} and ${endpoint}. */
struct mb_tunnel {
    const struct mb_endpoint *endpoint;
    struct {
        int fd, errors; /* its stream; the read end of its standard error */
        pid_t pid;      /* 0: free */
    } end[MB_TUNNEL_MAX];
    char said[256]; /* the last line that an ssh which ended badly wrote to its standard error */
};

/*
 * mb_tunnel_open(tunnel): start an ssh; its standard input and output as a socket, or -1 (with ${tunnel}->said filled).
 * mb_tunnel_close(tunnel, fd): close that, end its ssh and reap it; a descriptor that is no tunnel's is closed.
 * mb_tunnel_end(tunnel): close them all.
 */
int mb_tunnel_open(struct mb_tunnel *tunnel);
void mb_tunnel_close(struct mb_tunnel *tunnel, int fd);
void mb_tunnel_end(struct mb_tunnel *tunnel);

/* Room for the words of an ssh command line. */
#define MB_TUNNEL_WORDS 20

/*
 * mb_tunnel_command(url, room, size, argv):
 * The command for ${url}, "ssh://[user@]host[:port][/path-of-its-socket]": ${argv}[MB_TUNNEL_WORDS] is ended by NULL and points
 * into ${room}[${size}].  Return 0, or -1 where ${url} has no host, one that ssh would take for an option, or does not fit.
 */
int mb_tunnel_command(const char *url, char *room, size_t size, const char **argv);

#endif
