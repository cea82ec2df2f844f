/*
 * yaml.h: a YAML (or JSON) text as a tree that knows on which line everything was written.
 *
 * Aliases and merge keys are resolved while the tree is built, so that what reads the tree sees plain maps, lists and scalars.
 * A scalar stays the text that was written: "4KiB", "4096" and "yes" mean what the key that holds them says they mean.
 */
#ifndef MB_MATRIX_YAML_H
#define MB_MATRIX_YAML_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "mountbench/error.h"

/* What an honest file never needs and a hostile one is stopped by. */
#define MB_YAML_DEPTH_MAX 32
#define MB_YAML_NODES_MAX 200000
#define MB_YAML_TEXT_MAX 8388608 /* bytes in all, aliases written out */
#define MB_YAML_ANCHORS_MAX 1000
#define MB_YAML_KEYS_MAX 256 /* a map */

enum mb_node_kind { MB_NODE_NULL, MB_NODE_SCALAR, MB_NODE_LIST, MB_NODE_MAP };

struct mb_node {
    enum mb_node_kind kind;
    unsigned line;         /* from 1 */
    bool quoted;           /* scalar: written in quotes or as a block, so certainly a string */
    char *key;             /* in a map: the key that holds it, else NULL */
    unsigned key_line;     /* in a map */
    char *text;            /* scalar */
    struct mb_node *child; /* first of a list or map */
    struct mb_node *next;  /* sibling */
};

/*
 * mb_yaml_parse(file, text, len, out, err):
 * The one document in the ${len} bytes at ${text}, which is UTF-8.  Messages begin with ${file} and the line.  Free *${out} with
 * mb_node_free; *${out} is NULL when there is no document at all.
 */
int mb_yaml_parse(const char *file, const char *text, size_t len, struct mb_node **out, struct mb_error *err);
void mb_node_free(struct mb_node *node);

/* mb_node_find(map, key): the value of ${key}, or NULL.  mb_node_count(list): how many children. */
struct mb_node *mb_node_find(const struct mb_node *map, const char *key);
size_t mb_node_count(const struct mb_node *list);

/* mb_node_kind_name(node): "a list", "a map", "text", "nothing": for messages. */
const char *mb_node_kind_name(const struct mb_node *node);

/*
 * mb_node_to_json(node): the tree as JSON, plain scalars typed as in YAML's core schema (true, 1.5, null); the caller's to
 * cJSON_Delete; NULL without memory.
 */
cJSON *mb_node_to_json(const struct mb_node *node);

#endif
