/* place.c: key paths in messages, and a map's keys by type. */
#include "matrix/place.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/buffer.h"
#include "mountbench/parse.h"
#include "mountbench/text.h"

struct mb_place
mb_place_key(const struct mb_place *up, const struct mb_node *node)
{
    return (struct mb_place){.file = up->file, .up = up, .key = node->key, .node = node};
}

struct mb_place
mb_place_item(const struct mb_place *up, const struct mb_node *node, size_t index)
{
    return (struct mb_place){.file = up->file, .up = up, .index = index, .node = node};
}

static void
write_path(struct mb_buffer *out, const struct mb_place *at)
{
    char shown[MB_PRINTABLE_MAX];

    if (at->up == NULL)
        return;
    write_path(out, at->up);
    if (at->key != NULL)
        mb_buffer_printf(out, "%s%s", out->len > 0 ? "." : "", mb_printable(at->key, shown));
    else
        mb_buffer_printf(out, "[%zu]", at->index);
}

int
mb_place_prefix(struct mb_error *err, const struct mb_place *at)
{
    MB_AUTO_BUFFER path = MB_BUFFER_INIT(1024);

    write_path(&path, at);
    if (path.len == 0)
        return mb_error_prefix(err, "%s:%u", at->file, at->node->line);
    return mb_error_prefix(err, "%s:%u: %s", at->file, at->node->line, mb_buffer_text(&path));
}

int
mb_place_error(struct mb_error *err, const struct mb_place *at, const char *format, ...)
{
    char message[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    mb_error_set(err, MB_ECONFIG, "%s", message);
    return mb_place_prefix(err, at);
}

int
mb_place_unknown(struct mb_error *err, const struct mb_place *at, const char *what, const char *word, const char *const *words)
{
    MB_AUTO_BUFFER list = MB_BUFFER_INIT(512);
    char shown[MB_PRINTABLE_MAX];
    const char *near = mb_nearest(word, words);

    mb_printable(word, shown);
    if (near != NULL)
        return mb_place_error(err, at, "unknown %s '%s' (did you mean '%s'?)", what, shown, near);
    for (; *words != NULL; words++)
        mb_buffer_printf(&list, "%s%s", list.len > 0 ? ", " : "", *words);
    return mb_place_error(err, at, "unknown %s '%s' (there are %s)", what, shown, mb_buffer_text(&list));
}

int
mb_check_keys(const struct mb_place *at, const char *const *known, struct mb_error *err)
{
    for (const struct mb_node *n = at->node->child; n != NULL; n = n->next) {
        const char *const *k = known;
        while (*k != NULL && strcmp(*k, n->key) != 0)
            k++;
        if (*k == NULL) {
            /* The key itself is what is wrong: its line, not its value's. */
            struct mb_node key = {.line = n->key_line};
            struct mb_place place = *at;
            place.node = &key;
            return mb_place_unknown(err, &place, "key", n->key, known);
        }
    }
    return 0;
}

int
mb_check_kind(const struct mb_place *at, enum mb_node_kind kind, struct mb_error *err)
{
    const char *wanted = kind == MB_NODE_LIST ? "a list" : "a map";

    if (at->node->kind != kind)
        return mb_place_error(err, at, "%s is wanted, and this is %s", wanted, mb_node_kind_name(at->node));
    if (at->node->child == NULL)
        return mb_place_error(err, at, "%s is empty", kind == MB_NODE_LIST ? "the list" : "the map");
    return 0;
}

static bool
has_control(const char *text)
{
    uint32_t code;

    for (; *text != '\0'; text += mb_text_decode(text, &code)) {
        mb_text_decode(text, &code);
        if (mb_text_is_control(code))
            return true;
    }
    return false;
}

int
mb_check_name(const struct mb_place *at, const char *name, struct mb_error *err)
{
    size_t n = strlen(name);
    char shown[MB_PRINTABLE_MAX];

    mb_printable(name, shown);
    if (n > MB_NAME_MAX)
        return mb_place_error(err, at, "the name '%s' is %zu bytes long; a name has at most %d", shown, n, MB_NAME_MAX);
    if (n == 0)
        return mb_place_error(err, at, "the name is empty");
    if (has_control(name))
        return mb_place_error(err, at, "the name '%s' holds a control character", shown);
    if (strchr(name, '/') != NULL)
        return mb_place_error(err, at, "the name '%s' holds a '/', which separates the names of a cell", shown);
    if (strpbrk(name, "*?[]\\") != NULL)
        return mb_place_error(err, at, "the name '%s' holds one of * ? [ ] \\, which are for patterns", shown);
    if (name[0] == ' ' || name[n - 1] == ' ')
        return mb_place_error(err, at, "the name '%s' begins or ends with a blank", shown);
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return mb_place_error(err, at, "the name '%s' would be a directory's", shown);
    return 0;
}

char *
mb_copy(const char *text, struct mb_error *err)
{
    char *copy = strdup(text);

    if (copy == NULL)
        mb_error_set(err, MB_EIO, "out of memory");
    return copy;
}

static int
check_scalar(const struct mb_place *at, struct mb_error *err)
{
    if (at->node->kind != MB_NODE_SCALAR)
        return mb_place_error(err, at, "one value is wanted, and this is %s", mb_node_kind_name(at->node));
    return 0;
}

const char *
mb_text_of(const struct mb_place *at, struct mb_error *err)
{
    if (check_scalar(at, err) != 0)
        return NULL;
    if (at->node->text[0] == '\0') {
        mb_place_error(err, at, "the value is empty");
        return NULL;
    }
    if (has_control(at->node->text)) {
        mb_place_error(err, at, "the value holds a line break or another control character");
        return NULL;
    }
    return at->node->text;
}

/* The place of ${key}; false when the map does not have it. */
static bool
find(const struct mb_place *at, const char *key, struct mb_place *out)
{
    const struct mb_node *node = mb_node_find(at->node, key);

    if (node == NULL)
        return false;
    *out = mb_place_key(at, node);
    return true;
}

int
mb_get_text(const struct mb_place *at, const char *key, char **out, struct mb_error *err)
{
    struct mb_place place;

    if (!find(at, key, &place))
        return 0;
    const char *text = mb_text_of(&place, err);
    if (text == NULL)
        return -1;
    *out = mb_copy(text, err);
    return *out != NULL ? 0 : -1;
}

int
mb_get_paragraph(const struct mb_place *at, const char *key, char **out, struct mb_error *err)
{
    struct mb_place place;

    if (!find(at, key, &place))
        return 0;
    if (check_scalar(&place, err) != 0)
        return -1;
    *out = mb_copy(place.node->text, err);
    return *out != NULL ? 0 : -1;
}

int
mb_get_name(const struct mb_place *at, const char *key, char **out, struct mb_error *err)
{
    struct mb_place place;

    if (!find(at, key, &place))
        return 0;
    if (check_scalar(&place, err) != 0 || mb_check_name(&place, place.node->text, err) != 0)
        return -1;
    *out = mb_copy(place.node->text, err);
    return *out != NULL ? 0 : -1;
}

int
mb_get_word(const struct mb_place *at, const char *key, const char *const *words, size_t *out, struct mb_error *err)
{
    struct mb_place place;

    if (!find(at, key, &place))
        return 0;
    const char *text = mb_text_of(&place, err);
    if (text == NULL)
        return -1;
    for (size_t i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return 0;
        }
    }
    return mb_place_unknown(err, &place, key, text, words);
}

int
mb_get_size(const struct mb_place *at, const char *key, uint64_t *out, struct mb_error *err)
{
    struct mb_place place;

    if (!find(at, key, &place))
        return 0;
    const char *text = mb_text_of(&place, err);
    if (text == NULL)
        return -1;
    return mb_parse_size(text, out, err) == 0 ? 0 : mb_place_prefix(err, &place);
}

int
mb_get_duration(const struct mb_place *at, const char *key, uint64_t *out, struct mb_error *err)
{
    struct mb_place place;

    if (!find(at, key, &place))
        return 0;
    const char *text = mb_text_of(&place, err);
    if (text == NULL)
        return -1;
    if (mb_parse_duration(text, out, err) != 0)
        return mb_place_prefix(err, &place);
    return *out > 0 ? 0 : mb_place_error(err, &place, "'%.40s' is no time at all", text);
}

int
mb_get_count(const struct mb_place *at, const char *key, struct mb_range range, unsigned *out, struct mb_error *err)
{
    struct mb_place place;
    uint64_t value;

    if (!find(at, key, &place))
        return 0;
    const char *text = mb_text_of(&place, err);
    if (text == NULL)
        return -1;
    if (mb_parse_u64(text, range.min, range.max, &value, err) != 0)
        return mb_place_prefix(err, &place);
    *out = (unsigned)value;
    return 0;
}

int
mb_get_json(const struct mb_place *at, const char *key, bool text_too, cJSON **out, struct mb_error *err)
{
    struct mb_place place;

    if (!find(at, key, &place))
        return 0;
    if (text_too && place.node->kind == MB_NODE_SCALAR) {
        if (mb_text_of(&place, err) == NULL)
            return -1;
    } else if (place.node->kind != MB_NODE_MAP) {
        return mb_place_error(err, &place, "a map is wanted, and this is %s", mb_node_kind_name(place.node));
    }
    *out = mb_node_to_json(place.node);
    return *out != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

/* The bytes that a list of texts takes as one block; 0 with an error when something else is among them. */
static size_t
block_size(const struct mb_place *list, struct mb_error *err)
{
    size_t i = 0, size = (mb_node_count(list->node) + 1) * sizeof(char *);

    for (const struct mb_node *n = list->node->child; n != NULL; n = n->next) {
        struct mb_place item = mb_place_item(list, n, i++);
        if (check_scalar(&item, err) != 0)
            return 0;
        size += strlen(n->text) + 1;
    }
    return size;
}

int
mb_get_arguments(const struct mb_place *at, const char *key, char ***out, struct mb_error *err)
{
    struct mb_place place;

    if (!find(at, key, &place))
        return 0;
    if (mb_check_kind(&place, MB_NODE_LIST, err) != 0)
        return -1;
    size_t size = block_size(&place, err);
    if (size == 0)
        return -1;
    char **pointer = malloc(size);
    if (pointer == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    *out = pointer;
    char *text = (char *)(pointer + mb_node_count(place.node) + 1);
    for (const struct mb_node *n = place.node->child; n != NULL; n = n->next) {
        size_t length = strlen(n->text) + 1;
        *pointer++ = memcpy(text, n->text, length);
        text += length;
    }
    *pointer = NULL;
    return 0;
}

int
mb_get_command(const struct mb_place *at, const char *key, char ***out, struct mb_error *err)
{
    struct mb_place place;

    if (mb_get_arguments(at, key, out, err) != 0)
        return -1;
    const char *program = *out != NULL ? (*out)[0] : NULL;
    if (program == NULL || *program != '\0')
        return 0;
    find(at, key, &place);
    return mb_place_error(err, &place, "the first word is the program's name, and it is empty");
}
