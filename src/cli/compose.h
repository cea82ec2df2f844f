/* compose.h: a mount as a compose file. */
#ifndef MB_CLI_COMPOSE_H
#define MB_CLI_COMPOSE_H

#include "mountbench/buffer.h"
#include "mountbench/error.h"
#include "mountbench/matrix.h"

/*
 * mb_compose_write(mount, out, err):
 * Append to ${out} a compose file, valid for Compose v2 and docker-compose 1.29, whose one service has ${mount} at /work, as a
 * benchmarked container has it.  What has to be done on the host first stands above it as comments.  A mount that has no
 * container, and one whose options no driver could take, are errors.
 */
int mb_compose_write(const struct mb_mount_spec *mount, struct mb_buffer *out, struct mb_error *err);

/*
 * mb_compose_find(matrix, cell, out, err):
 * The mount that ${cell} names: a mount of ${matrix}, or one of its cells as "engine/mount/workload" (the workload may be left
 * out).  An unknown name is an error with the nearest one, or with those there are.
 */
int mb_compose_find(const struct mb_matrix *matrix, const char *cell, const struct mb_mount_spec **out, struct mb_error *err);

#endif
