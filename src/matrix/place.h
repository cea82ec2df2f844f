/*
 * place.h: where in a matrix file something is, and typed access to a map's keys that says so when it fails.
 *
 * Places live on the stack of whoever walks the tree; a message writes the chain out as a key path: "mounts[3].type".
 */
#ifndef MB_MATRIX_PLACE_H
#define MB_MATRIX_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "matrix/yaml.h"
#include "mountbench/error.h"

struct mb_place {
    const char *file;
    const struct mb_place *up; /* NULL at the top */
    const char *key;           /* in a map; NULL in a list */
    size_t index;              /* in a list */
    const struct mb_node *node;
};

/* mb_place_key(up, node), mb_place_item(up, node, index): the place of a child. */
struct mb_place mb_place_key(const struct mb_place *up, const struct mb_node *node);
struct mb_place mb_place_item(const struct mb_place *up, const struct mb_node *node, size_t index);

/* mb_place_error(err, at, format, ...): MB_ECONFIG, "file:line: key path: message".  Return -1. */
int mb_place_error(struct mb_error *err, const struct mb_place *at, const char *format, ...) MB_PRINTF(3, 4);

/* mb_place_prefix(err, at): put "file:line: key path" before the message that ${err} holds.  Return -1. */
int mb_place_prefix(struct mb_error *err, const struct mb_place *at);

/* mb_place_unknown(err, at, what, word, words): "unknown WHAT 'WORD' (did you mean ...?)", or the list of what there is. */
int mb_place_unknown(struct mb_error *err, const struct mb_place *at, const char *what, const char *word, const char *const *words);

/* mb_check_keys(at, known, err): every key of the map ${at} is in ${known}, ended by NULL. */
int mb_check_keys(const struct mb_place *at, const char *const *known, struct mb_error *err);

/* mb_check_kind(at, kind, err): that the value is a list or a map and not empty. */
int mb_check_kind(const struct mb_place *at, enum mb_node_kind kind, struct mb_error *err);

/* mb_check_name(at, name, err): fit for a name: 1 to 100 bytes, no '/', no control, no glob character. */
#define MB_NAME_MAX 100
int mb_check_name(const struct mb_place *at, const char *name, struct mb_error *err);

/* mb_text_of(at, err): the value's text, which is one line and not empty; NULL with an error.  It belongs to the tree. */
const char *mb_text_of(const struct mb_place *at, struct mb_error *err);

/*
 * mb_get_*(at, key, ..., err): the value of ${key} in the map ${at}; without the key *${out} stays as it is.  Texts are copies that
 * the caller frees.  mb_get_word: one of ${words}, ended by NULL; *${out} is its index.
 */
int mb_get_text(const struct mb_place *at, const char *key, char **out, struct mb_error *err);
int mb_get_paragraph(const struct mb_place *at, const char *key, char **out, struct mb_error *err);
int mb_get_name(const struct mb_place *at, const char *key, char **out, struct mb_error *err);
int mb_get_word(const struct mb_place *at, const char *key, const char *const *words, size_t *out, struct mb_error *err);
int mb_get_size(const struct mb_place *at, const char *key, uint64_t *out, struct mb_error *err);
int mb_get_duration(const struct mb_place *at, const char *key, uint64_t *out, struct mb_error *err);
struct mb_range {
    uint64_t min, max;
};
int mb_get_count(const struct mb_place *at, const char *key, struct mb_range range, unsigned *out, struct mb_error *err);
/* mb_get_json: a map, or where ${text_too} also a text. */
int mb_get_json(const struct mb_place *at, const char *key, bool text_too, cJSON **out, struct mb_error *err);
/* mb_get_arguments: a list of texts as an array ended by NULL, one block with its texts, the caller's to free(). */
int mb_get_arguments(const struct mb_place *at, const char *key, char ***out, struct mb_error *err);

/* mb_get_command: the same of a program and its arguments; the program has a name. */
int mb_get_command(const struct mb_place *at, const char *key, char ***out, struct mb_error *err);

/* mb_copy(text, err): strdup with an error. */
char *mb_copy(const char *text, struct mb_error *err);

#endif
