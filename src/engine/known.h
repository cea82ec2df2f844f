/* known.h: where each runtime puts its socket, and how it is started. */
#ifndef MB_ENGINE_KNOWN_H
#define MB_ENGINE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "mountbench/error.h"

struct mb_known_socket {
    char name[80];     /* "colima-work" */
    char runtime[32];  /* "colima" */
    char path[256];    /* of the socket, whether it exists or not */
    char start[128];   /* "colima start -p work" */
    char missing[320]; /* why it seems not to be installed: "there is no 'colima' in PATH"; "" when it is */
    bool exists;       /* something is at ${path} */
    bool this_system;  /* the runtime exists for this operating system, and this path is its usual one */
};

/*
 * mb_known_sockets(out, n, err):
 * Every known place, those of instances (colima's profiles, lima's, podman's machines) as the file system has them, in the order in
 * which a default is looked for.  free(*${out}).
 */
int mb_known_sockets(struct mb_known_socket **out, size_t *n, struct mb_error *err);

/*
 * mb_known_instance(word, out): the place of an instance that was never started, from its name alone ("colima-work", "lima-x");
 * whether
 * ${word} has that form.
 */
bool mb_known_instance(const char *word, struct mb_known_socket *out);

#endif
