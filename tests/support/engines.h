/*
 * engines.h: private container engines for tests, each with its own directory, socket and storage.
 *
 * Nothing of the system's own engines is touched.  Whoever starts one stops it; a test that dies leaves its engine to the parent,
 * which is why Check's fixtures ("unchecked", once a program) are the place for these calls.
 */
#ifndef MB_TEST_ENGINES_H
#define MB_TEST_ENGINES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct mb_test_engine {
    char kind[16]; /* "dockerd", "dockerd-newer", "podman" or "podman-rootless" */
    char dir[128]; /* everything it has; removed by stop */
    char socket[160];
    char url[176]; /* "unix://SOCKET" */
    pid_t pid;     /* 0 when it does not run */
};

/*
 * mb_test_engine_start(kind, extra, out):
 * Start "dockerd", "podman", (podman run by nobody) "podman-rootless" or (a dockerd of today that tests/support/go-peer built)
 * "dockerd-newer", and wait until it answers.  ${extra} are further arguments
 * ended by NULL, or NULL.  A dockerd has no bridge and leaves the firewall alone, so that any number can run: containers have no
 * network but their own loopback.  Returns whether it runs; where it cannot, prints "SKIP dockerd: not installed" or the like, the
 * log's end when it should have run.
 */
bool mb_test_engine_start(const char *kind, const char *const *extra, struct mb_test_engine *out);

/* mb_test_engine_stop(engine): end it and all its containers, unmount and remove ${engine}->dir.  Twice is harmless. */
void mb_test_engine_stop(struct mb_test_engine *engine);

/* mb_test_engine_halt(engine, signal): send ${signal} and wait until it is gone; its directory stays. */
void mb_test_engine_halt(struct mb_test_engine *engine, int signal);

/* mb_test_dir(out, size): make a fresh directory under TMPDIR or /tmp. */
const char *mb_test_dir(char *out, size_t size);

/* mb_test_slowness(): what to multiply time limits with: 10 where tests/run puts valgrind before the program, else 1. */
unsigned mb_test_slowness(void);

/* mb_test_remove(dir): remove a directory and all below it, unmounting what is mounted there. */
void mb_test_remove(const char *dir);

/*
 * mb_test_run(argv): run a program and wait; its exit status, or -1.  Its output goes to ours.
 * mb_test_tar(size): a tar archive, malloc'd, that holds a static shell with Debian's usual tools as /bin/sh (busybox); NULL, with
 * a SKIP line, where busybox-static is not installed.
 */
int mb_test_run(const char *const *argv);
void *mb_test_tar(size_t *size);

#endif
