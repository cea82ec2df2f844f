/* probe_peer.h: a probe at the other end of a socket, for tests: the serving loop itself in a child, or an executable. */
#ifndef MB_TEST_PROBE_PEER_H
#define MB_TEST_PROBE_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct probe_peer {
    pid_t pid;
    int fd;
    size_t len;
    char bytes[1 << 17]; /* read and not handed out yet */
};

/*
 * probe_peer_serve(peer), probe_peer_serve_as(peer, uid): mb_probe_serve() in a child, of another user.
 * probe_peer_exec(peer, argv): a program, found as execvp finds it.
 */
void probe_peer_serve(struct probe_peer *peer);
void probe_peer_serve_as(struct probe_peer *peer, uid_t uid);
void probe_peer_exec(struct probe_peer *peer, const char *const argv[]);

/* probe_peer_send(peer, bytes, n): send them as they are. */
void probe_peer_send(struct probe_peer *peer, const char *bytes, size_t n);

/*
 * probe_peer_answer(peer): the next answer, without its newline, valid until the next call; NULL at its end or after 100 s.
 * probe_peer_ask(peer, format, ...): send one line and return its answer, which may not be missing.
 */
const char *probe_peer_answer(struct probe_peer *peer);
const char *probe_peer_ask(struct probe_peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* probe_peer_job(peer): the process of the job that it does, waited for up to 2 s; 0 when there is none. */
pid_t probe_peer_job(const struct probe_peer *peer);

/* probe_peer_end(peer): close our end and return the exit status, 128 + the signal when it was killed. */
int probe_peer_end(struct probe_peer *peer);

/* probe_number(answer, key): the number behind "key": in the JSON text ${answer}; -1 when there is none. */
double probe_number(const char *answer, const char *key);

#endif
