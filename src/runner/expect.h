/*
 * expect.h: what a mount is called after what was seen of it, and whether it is what it was said to be.
 */
#ifndef MB_RUNNER_EXPECT_H
#define MB_RUNNER_EXPECT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "mountbench/buffer.h"
#include "runner/client.h"

/* Room for the name of a technology. */
#define MB_TECHNOLOGY_MAX 64

/*
 * mb_technology_name(facts, out):
 * What shares the files, from type, source and options of the mount: "virtiofs", "gRPC FUSE", "reverse-sshfs", "9p", "NFSv4.2"; a
 * filesystem's own name where it says all ("ext4").  Writes into ${out} and returns it.
 */
const char *mb_technology_name(const struct mb_mount_facts *facts, char out[MB_TECHNOLOGY_MAX]);

/*
 * mb_expect_print(expect, out, err):
 * Append an `expect` as one line, "9p msize=131072".  A string is a technology or filesystem type and options after it; an object
 * has `type` and options.  -1 when it is neither.
 */
int mb_expect_print(const cJSON *expect, struct mb_buffer *out, struct mb_error *err);

/*
 * mb_expect_holds(expected, facts, kernel, observed):
 * Whether the line ${expected} is true of ${facts}; what is, in the same words, is appended to ${observed}.  A technology stands
 * for all of its types and versions ("nfs" for NFSv4.2, "virtiofs" for Docker Desktop's `fakeowner`), a version for its minor ones.
 * ${kernel} (the engine's, may be NULL) tells the value of an option that the mount does not show because it is the default.
 */
bool mb_expect_holds(const char *expected, const struct mb_mount_facts *facts, const char *kernel, struct mb_buffer *observed);

#endif
