/*
 * tunnel.h: ssh:// by the system's ssh, as the docker command does it: `ssh HOST docker system dial-stdio`.
 *
 * A child of ours listens on a private unix socket and gives each connection an ssh of its own.
 */
#ifndef MB_ENGINE_TUNNEL_H
#define MB_ENGINE_TUNNEL_H

#include <stddef.h>
#include <sys/types.h>

#include "mountbench/error.h"

/* Initialise with {0}. */
struct mb_tunnel {
    char dir[64], socket[80];
    pid_t pid;
    int life;       /* what the child watches: it ends when this is closed */
    int errors;     /* where every ssh's standard error can be read */
    char said[256]; /* the last line of it */
};

/*
 * mb_tunnel_start(tunnel, url, err): listen on ${tunnel}->socket.  No ssh runs before somebody connects.
 * mb_tunnel_words(tunnel): what ssh said last since mb_tunnel_forget, "" for nothing.
 * mb_tunnel_stop(tunnel): end it, its connections and its socket; one that was never started is no matter.
 */
int mb_tunnel_start(struct mb_tunnel *tunnel, const char *url, struct mb_error *err);
const char *mb_tunnel_words(struct mb_tunnel *tunnel);
void mb_tunnel_forget(struct mb_tunnel *tunnel);
void mb_tunnel_stop(struct mb_tunnel *tunnel);

/* Room for the words of an ssh command line. */
#define MB_TUNNEL_WORDS 20

/*
 * mb_tunnel_command(url, room, size, argv):
 * The command for ${url}, "ssh://[user@]host[:port][/path-of-its-socket]": ${argv}[MB_TUNNEL_WORDS] is ended by NULL and points
 * into ${room}[${size}].  Return 0, or -1 where ${url} has no host, one that ssh would take for an option, or does not fit.
 */
int mb_tunnel_command(const char *url, char *room, size_t size, char **argv);

#endif
