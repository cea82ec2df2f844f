/*
 * yaml.h: a YAML (or JSON) text as a tree that knows on which line everything was written.
 *
 * Aliases and merge keys are resolved while the tree is built, so that what reads the tree sees plain maps, lists and scalars.
 * A scalar stays the text that was written: "4KiB", "4096" and "yes" mean what the key that holds them says they mean.
 */
#ifndef MB_MATRIX_YAML_H
#define MB_MATRIX_YAML_H

#include <stddef.h>

#include "matrix/node.h"
#include "mountbench/error.h"

/* What an honest file never needs and a hostile one is stopped by. */
#define MB_YAML_DEPTH_MAX 32
#define MB_YAML_NODES_MAX 200000
#define MB_YAML_TEXT_MAX 8388608 /* bytes in all, aliases written out */
#define MB_YAML_ANCHORS_MAX 1000
#define MB_YAML_KEYS_MAX 256 /* a map */

/*
 * mb_yaml_parse(file, text, len, out, err):
 * The one document in the ${len} bytes at ${text}, which is UTF-8.  Messages begin with ${file} and the line.  Free *${out} with
 * mb_node_free; *${out} is NULL when there is no document at all.
 */
int mb_yaml_parse(const char *file, const char *text, size_t len, struct mb_node **out, struct mb_error *err);

#endif
