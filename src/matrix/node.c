/* node.c: the tree that a matrix file is read into: find, count, name, free, and the same as JSON. */
#include "matrix/node.h"

#include <stdlib.h>
#include <string.h>

void
mb_node_free(struct mb_node *node)
{
    while (node != NULL) {
        struct mb_node *next = node->next;
        mb_node_free(node->child);
        free(node->key);
        free(node->text);
        free(node);
        node = next;
    }
}

struct mb_node *
mb_node_find(const struct mb_node *map, const char *key)
{
    for (struct mb_node *n = map->child; n != NULL; n = n->next)
        if (n->key != NULL && strcmp(n->key, key) == 0)
            return n;
    return NULL;
}

size_t
mb_node_count(const struct mb_node *list)
{
    size_t count = 0;

    for (const struct mb_node *n = list->child; n != NULL; n = n->next)
        count++;
    return count;
}

const char *
mb_node_kind_name(const struct mb_node *node)
{
    static const char *const names[] = {"nothing", "text", "a list", "a map"};

    return names[node->kind];
}

/* JSON's own form of a number, which is also how YAML's core schema has them but for bases other than ten. */
static bool
is_number(const char *text)
{
    const char *p = text + (*text == '-');
    size_t digits = strspn(p, "0123456789");

    if (digits == 0)
        return false;
    p += digits;
    if (*p == '.') {
        digits = strspn(p + 1, "0123456789");
        if (digits == 0)
            return false;
        p += 1 + digits;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '-' || *p == '+';
        digits = strspn(p, "0123456789");
        if (digits == 0)
            return false;
        p += digits;
    }
    return *p == '\0';
}

static cJSON *
scalar_to_json(const struct mb_node *node)
{
    if (!node->quoted) {
        if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)
            return cJSON_CreateBool(node->text[0] == 't');
        if (is_number(node->text))
            return cJSON_CreateNumber(strtod(node->text, NULL));
    }
    return cJSON_CreateString(node->text);
}

cJSON *
mb_node_to_json(const struct mb_node *node)
{
    if (node->kind == MB_NODE_NULL)
        return cJSON_CreateNull();
    if (node->kind == MB_NODE_SCALAR)
        return scalar_to_json(node);
    cJSON *json = node->kind == MB_NODE_LIST ? cJSON_CreateArray() : cJSON_CreateObject();
    if (json == NULL)
        return NULL;
    for (const struct mb_node *n = node->child; n != NULL; n = n->next) {
        cJSON *value = mb_node_to_json(n);
        bool added = value != NULL &&
                     (node->kind == MB_NODE_LIST ? cJSON_AddItemToArray(json, value) : cJSON_AddItemToObject(json, n->key, value));
        if (!added) {
            cJSON_Delete(value);
            cJSON_Delete(json);
            return NULL;
        }
    }
    return json;
}
