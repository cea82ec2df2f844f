/* node.h: the tree that a matrix file is read into; it knows on which line everything was written. */
#ifndef MB_MATRIX_NODE_H
#define MB_MATRIX_NODE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

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

/* mb_node_free(node): with its siblings and all below them; NULL: nothing. */
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
