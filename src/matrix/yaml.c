/* yaml.c: libfyaml's events into a tree.  The only file that includes libfyaml. */
#include "matrix/yaml.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"

struct anchor {
    char *name;
    const struct mb_node *node;
    bool complete; /* false while its own value is being read */
};

struct builder {
    const char *file;
    struct fy_parser *parser;
    struct fy_diag *diag;
    size_t nodes, text_bytes;
    struct anchor anchors[MB_YAML_ANCHORS_MAX];
    size_t anchor_count;
    struct mb_node *spent; /* merge keys' values, which may carry an anchor that a later alias names */
    struct mb_error *err;
};

/* Count the bytes of a text that is about to be kept. */
static int
count_text(struct builder *b, size_t n, unsigned line)
{
    b->text_bytes += n;
    if (b->text_bytes > MB_YAML_TEXT_MAX)
        return mb_error_set(b->err, MB_ECONFIG, "%s:%u: the file expands to more than %d bytes; do its aliases repeat each other?",
                            b->file, line, MB_YAML_TEXT_MAX);
    return 0;
}

static struct mb_node *
new_node(struct builder *b, enum mb_node_kind kind, unsigned line)
{
    if (++b->nodes > MB_YAML_NODES_MAX) {
        mb_error_set(b->err, MB_ECONFIG, "%s:%u: the file expands to more than %d values; do its aliases repeat each other?",
                     b->file, line, MB_YAML_NODES_MAX);
        return NULL;
    }
    struct mb_node *node = calloc(1, sizeof *node);
    if (node == NULL) {
        mb_error_set(b->err, MB_EIO, "%s: out of memory", b->file);
        return NULL;
    }
    node->kind = kind;
    node->line = line;
    return node;
}

/* The parser's own complaint, in its words. */
static int
parser_failed(struct builder *b)
{
    void *iterator = NULL;
    struct fy_diag_error *first = fy_diag_errors_iterate(b->diag, &iterator);

    if (first == NULL)
        return mb_error_set(b->err, MB_ECONFIG, "%s: not YAML", b->file);
    return mb_error_set(b->err, MB_ECONFIG, "%s:%d: not YAML: %s", b->file, first->line, first->msg);
}

static struct fy_event *
next_event(struct builder *b)
{
    struct fy_event *event = fy_parser_parse(b->parser);

    if (event == NULL)
        parser_failed(b);
    return event;
}

/* The line of an event, or `otherwise` for one that nothing was written for. */
static unsigned
event_line(struct fy_event *event, unsigned otherwise)
{
    const struct fy_mark *mark = fy_event_start_mark(event);

    return mark != NULL && mark->line >= 0 ? (unsigned)mark->line + 1 : otherwise;
}

/* A token's text as a string of our own. */
static char *
token_text(struct builder *b, struct fy_token *token, unsigned line)
{
    size_t len = 0;
    const char *text = token != NULL ? fy_token_get_text(token, &len) : "";

    if (text == NULL) {
        parser_failed(b);
        return NULL;
    }
    if (memchr(text, '\0', len) != NULL) {
        mb_error_set(b->err, MB_ECONFIG, "%s:%u: a text holds a NUL character", b->file, line);
        return NULL;
    }
    char *copy = malloc(len + 1);
    if (copy == NULL) {
        mb_error_set(b->err, MB_EIO, "%s: out of memory", b->file);
        return NULL;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

static struct anchor *
find_anchor(struct builder *b, const char *name)
{
    /* The latest of a name counts. */
    for (size_t i = b->anchor_count; i-- > 0;)
        if (strcmp(b->anchors[i].name, name) == 0)
            return &b->anchors[i];
    return NULL;
}

/* Remember the anchor of an event in *out, NULL when it has none. */
static int
open_anchor(struct builder *b, struct fy_event *event, const struct mb_node *node, struct anchor **out)
{
    struct fy_token *token = fy_event_get_anchor_token(event);

    *out = NULL;
    if (token == NULL)
        return 0;
    if (b->anchor_count == MB_YAML_ANCHORS_MAX)
        return mb_error_set(b->err, MB_ECONFIG, "%s:%u: more than %d anchors", b->file, node->line, MB_YAML_ANCHORS_MAX);
    char *name = token_text(b, token, node->line);
    if (name == NULL)
        return -1;
    *out = &b->anchors[b->anchor_count++];
    **out = (struct anchor){.name = name, .node = node};
    return 0;
}

static struct mb_node *copy_node(struct builder *b, const struct mb_node *from, unsigned depth);

static int
copy_children(struct builder *b, const struct mb_node *from, struct mb_node *to, unsigned depth)
{
    struct mb_node **end = &to->child;

    for (const struct mb_node *n = from->child; n != NULL; n = n->next) {
        *end = copy_node(b, n, depth + 1);
        if (*end == NULL)
            return -1;
        end = &(*end)->next;
    }
    return 0;
}

/* A copy of `from`, without its siblings; it keeps the lines where the text really is. */
static struct mb_node *
copy_node(struct builder *b, const struct mb_node *from, unsigned depth)
{
    if (depth > MB_YAML_DEPTH_MAX) {
        mb_error_set(b->err, MB_ECONFIG, "%s:%u: nested more than %d deep", b->file, from->line, MB_YAML_DEPTH_MAX);
        return NULL;
    }
    struct mb_node *to = new_node(b, from->kind, from->line);
    if (to == NULL)
        return NULL;
    to->quoted = from->quoted;
    to->key_line = from->key_line;
    if (from->text != NULL && count_text(b, strlen(from->text), from->line) != 0) {
        mb_node_free(to);
        return NULL;
    }
    if ((from->key != NULL && (to->key = strdup(from->key)) == NULL) ||
        (from->text != NULL && (to->text = strdup(from->text)) == NULL)) {
        mb_error_set(b->err, MB_EIO, "%s: out of memory", b->file);
        mb_node_free(to);
        return NULL;
    }
    if (copy_children(b, from, to, depth) != 0) {
        mb_node_free(to);
        return NULL;
    }
    return to;
}

static struct mb_node *
read_alias(struct builder *b, struct fy_event *event, unsigned line, unsigned depth)
{
    struct mb_node *node = NULL;
    char *name = token_text(b, fy_event_get_token(event), line);
    char shown[MB_PRINTABLE_MAX];

    if (name == NULL)
        return NULL;
    struct anchor *anchor = find_anchor(b, name);
    mb_printable(name, shown);
    if (anchor == NULL)
        mb_error_set(b->err, MB_ECONFIG, "%s:%u: '*%s' has no anchor '&%s' before it", b->file, line, shown, shown);
    else if (!anchor->complete)
        mb_error_set(b->err, MB_ECONFIG, "%s:%u: '*%s' is inside its own anchor '&%s' of line %u: it would never end", b->file,
                     line, shown, shown, anchor->node->line);
    else
        node = copy_node(b, anchor->node, depth);
    free(name);
    if (node != NULL) {
        free(node->key);
        node->key = NULL;
    }
    return node;
}

static bool
is_null_text(const char *text)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

static struct mb_node *
read_scalar(struct builder *b, struct fy_event *event, unsigned line)
{
    struct fy_token *token = fy_event_get_token(event);
    struct mb_node *node = new_node(b, MB_NODE_SCALAR, line);

    if (node == NULL)
        return NULL;
    node->text = token_text(b, token, line);
    if (node->text == NULL) {
        mb_node_free(node);
        return NULL;
    }
    node->quoted = token != NULL && fy_scalar_token_get_style(token) != FYSS_PLAIN;
    if (!node->quoted && is_null_text(node->text))
        node->kind = MB_NODE_NULL;
    return node;
}

static struct mb_node *read_value(struct builder *b, struct fy_event *event, unsigned line, unsigned depth);

static int
read_list(struct builder *b, struct mb_node *list, unsigned depth)
{
    struct mb_node **end = &list->child;

    for (;;) {
        struct fy_event *event = next_event(b);
        if (event == NULL)
            return -1;
        bool last = event->type == FYET_SEQUENCE_END;
        if (!last) {
            *end = read_value(b, event, list->line, depth + 1);
            if (*end != NULL)
                end = &(*end)->next;
            else
                list = NULL;
        }
        fy_parser_event_free(b->parser, event);
        if (last || list == NULL)
            return last ? 0 : -1;
    }
}

/* Copy the pairs of `source`, which must be a map, into `map` but for the keys that it has. */
static int
merge_map(struct builder *b, struct mb_node *map, const struct mb_node *source, unsigned depth)
{
    struct mb_node **end = &map->child;

    if (source->kind != MB_NODE_MAP)
        return mb_error_set(b->err, MB_ECONFIG, "%s:%u: '<<' merges maps, and this is %s", b->file, source->line,
                            mb_node_kind_name(source));
    while (*end != NULL)
        end = &(*end)->next;
    for (const struct mb_node *pair = source->child; pair != NULL; pair = pair->next) {
        if (mb_node_find(map, pair->key) != NULL)
            continue;
        *end = copy_node(b, pair, depth + 1);
        if (*end == NULL)
            return -1;
        end = &(*end)->next;
    }
    return 0;
}

/* Take the merge key out of a complete map, and put in what it stands for. */
static int
resolve_merge(struct builder *b, struct mb_node *map, unsigned depth)
{
    struct mb_node **at = &map->child;
    int status = 0;

    while (*at != NULL && strcmp((*at)->key, "<<") != 0)
        at = &(*at)->next;
    if (*at == NULL)
        return 0;
    struct mb_node *merge = *at;
    *at = merge->next;
    merge->next = b->spent;
    b->spent = merge;
    if (merge->kind != MB_NODE_LIST)
        status = merge_map(b, map, merge, depth);
    else
        for (const struct mb_node *source = merge->child; source != NULL && status == 0; source = source->next)
            status = merge_map(b, map, source, depth);
    if (status == 0 && mb_node_count(map) > MB_YAML_KEYS_MAX)
        status = mb_error_set(b->err, MB_ECONFIG, "%s:%u: a map with more than %d keys", b->file, map->line, MB_YAML_KEYS_MAX);
    return status;
}

/* The key of the next pair in *key, NULL at the end of the map. */
static int
read_key(struct builder *b, struct mb_node *map, char **key, unsigned *line)
{
    struct fy_event *event = next_event(b);
    char shown[MB_PRINTABLE_MAX];
    int status = 0;

    *key = NULL;
    if (event == NULL)
        return -1;
    *line = event_line(event, map->line);
    if (event->type == FYET_SCALAR) {
        *key = token_text(b, fy_event_get_token(event), *line);
        status = *key != NULL ? 0 : -1;
        const struct mb_node *twin = *key != NULL ? mb_node_find(map, *key) : NULL;
        if (twin != NULL)
            status = mb_error_set(b->err, MB_ECONFIG, "%s:%u: the key '%s' is given twice (first on line %u)", b->file, *line,
                                  mb_printable(*key, shown), twin->key_line);
    } else if (event->type != FYET_MAPPING_END) {
        status = mb_error_set(b->err, MB_ECONFIG, "%s:%u: a key must be a plain word", b->file, *line);
    }
    fy_parser_event_free(b->parser, event);
    if (status != 0) {
        free(*key);
        *key = NULL;
    }
    return status;
}

static int
read_map(struct builder *b, struct mb_node *map, unsigned depth)
{
    struct mb_node **end = &map->child;

    for (size_t count = 0;; count++) {
        unsigned line;
        char *key;
        if (read_key(b, map, &key, &line) != 0)
            return -1;
        if (key == NULL)
            return resolve_merge(b, map, depth);
        struct fy_event *event = count < MB_YAML_KEYS_MAX ? next_event(b) : NULL;
        if (count >= MB_YAML_KEYS_MAX)
            mb_error_set(b->err, MB_ECONFIG, "%s:%u: a map with more than %d keys", b->file, line, MB_YAML_KEYS_MAX);
        struct mb_node *value = event != NULL ? read_value(b, event, line, depth + 1) : NULL;
        if (event != NULL)
            fy_parser_event_free(b->parser, event);
        if (value == NULL) {
            free(key);
            return -1;
        }
        value->key = key;
        value->key_line = line;
        *end = value;
        end = &value->next;
    }
}

/* The value that begins with `event`, to its end; `line` is where to say it is when nothing was written. */
static struct mb_node *
read_value(struct builder *b, struct fy_event *event, unsigned line, unsigned depth)
{
    struct mb_node *node;
    struct anchor *anchor;
    int status;

    line = event_line(event, line);
    if (depth > MB_YAML_DEPTH_MAX) {
        mb_error_set(b->err, MB_ECONFIG, "%s:%u: nested more than %d deep", b->file, line, MB_YAML_DEPTH_MAX);
        return NULL;
    }
    if (event->type == FYET_ALIAS)
        return read_alias(b, event, line, depth);
    if (fy_event_get_tag_token(event) != NULL) {
        mb_error_set(b->err, MB_ECONFIG, "%s:%u: YAML tags ('!...') are not supported", b->file, line);
        return NULL;
    }
    if (event->type == FYET_SCALAR)
        node = read_scalar(b, event, line);
    else
        node = new_node(b, event->type == FYET_SEQUENCE_START ? MB_NODE_LIST : MB_NODE_MAP, line);
    if (node == NULL)
        return NULL;
    status = open_anchor(b, event, node, &anchor);
    if (status == 0 && node->kind == MB_NODE_LIST)
        status = read_list(b, node, depth);
    else if (status == 0 && node->kind == MB_NODE_MAP)
        status = read_map(b, node, depth);
    if (status != 0) {
        mb_node_free(node);
        return NULL;
    }
    if (anchor != NULL)
        anchor->complete = true;
    return node;
}

/* The stream: at most one document. */
static int
read_stream(struct builder *b, struct mb_node **out)
{
    for (;;) {
        struct fy_event *event = next_event(b);
        if (event == NULL)
            return -1;
        enum fy_event_type type = event->type;
        unsigned line = event_line(event, 1);
        int status = 0;
        if (type == FYET_DOCUMENT_START && *out != NULL) {
            status =
                mb_error_set(b->err, MB_ECONFIG, "%s:%u: a second document begins here; a matrix file holds one", b->file, line);
        } else if (type == FYET_SCALAR || type == FYET_ALIAS || type == FYET_SEQUENCE_START || type == FYET_MAPPING_START) {
            *out = read_value(b, event, line, 0);
            status = *out != NULL ? 0 : -1;
        }
        fy_parser_event_free(b->parser, event);
        if (status != 0 || type == FYET_STREAM_END)
            return status;
    }
}

static int
open_parser(struct builder *b, const char *text, size_t len)
{
    struct fy_diag_cfg diag_cfg;

    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    b->diag = fy_diag_create(&diag_cfg);
    if (b->diag == NULL)
        return mb_error_set(b->err, MB_EIO, "%s: out of memory", b->file);
    fy_diag_set_collect_errors(b->diag, true);
    struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE, .diag = b->diag};
    b->parser = fy_parser_create(&cfg);
    if (b->parser == NULL || fy_parser_set_string(b->parser, text, len) != 0)
        return mb_error_set(b->err, MB_EIO, "%s: out of memory", b->file);
    return 0;
}

int
mb_yaml_parse(const char *file, const char *text, size_t len, struct mb_node **out, struct mb_error *err)
{
    struct builder *b = calloc(1, sizeof *b);

    *out = NULL;
    if (b == NULL)
        return mb_error_set(err, MB_EIO, "%s: out of memory", file);
    b->file = file;
    b->err = err;
    int status = open_parser(b, text, len);
    if (status == 0)
        status = read_stream(b, out);
    if (status != 0) {
        mb_node_free(*out);
        *out = NULL;
    }
    for (size_t i = 0; i < b->anchor_count; i++)
        free(b->anchors[i].name);
    mb_node_free(b->spent);
    if (b->parser != NULL)
        fy_parser_destroy(b->parser);
    if (b->diag != NULL)
        fy_diag_destroy(b->diag);
    free(b);
    return status;
}
