/* mount_spec.c: an entry of `mounts`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/spec.h"

static const char *const type_names[] = {
    [MB_MOUNT_LAYER] = "layer", [MB_MOUNT_BIND] = "bind",   [MB_MOUNT_VOLUME] = "volume",
    [MB_MOUNT_NFS] = "nfs",     [MB_MOUNT_TMPFS] = "tmpfs", [MB_MOUNT_SYNC] = "sync",
    [MB_MOUNT_PATH] = "path",   [MB_MOUNT_HOST] = "host",   [MB_MOUNT_HOST + 1] = NULL,
};

/* The keys that a type takes besides name, type, expect and isolation, and those it cannot do without. */
struct type_keys {
    const char *may[5], *must[3];
};
static const struct type_keys type_keys[] = {
    [MB_MOUNT_LAYER] = {{NULL}, {NULL}},
    [MB_MOUNT_BIND] = {{"consistency", "path", NULL}, {NULL}},
    [MB_MOUNT_VOLUME] = {{"device", "options", "fstype", NULL}, {NULL}},
    [MB_MOUNT_NFS] = {{"device", "options", "fstype", "path", NULL}, {"device", "options", NULL}},
    [MB_MOUNT_TMPFS] = {{"size", NULL}, {NULL}},
    [MB_MOUNT_SYNC] = {{"sync", "path", NULL}, {"sync", NULL}},
    [MB_MOUNT_PATH] = {{"path", NULL}, {"path", NULL}},
    [MB_MOUNT_HOST] = {{"path", NULL}, {NULL}},
};

static const char *const common_keys[] = {"name", "type", "expect", "isolation", NULL};
static const char *const all_keys[] = {"name",    "type",   "expect", "isolation", "consistency", "device",
                                       "options", "fstype", "path",   "size",      "sync",        NULL};

static const char *const consistencies[] = {"cached", "delegated", "consistent", NULL};
static const char *const nfs_types[] = {"nfs", "nfs4", NULL};
static const char *const isolations[] = {"run", "trial", NULL};

const char *
mb_mount_type_name(enum mb_mount_type type)
{
    return type_names[type];
}

static bool
is_in(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

/* Keys that exist but not for this type say so; keys that nothing has are unknown. */
static int
check_keys(const struct mb_place *at, enum mb_mount_type type, struct mb_error *err)
{
    const struct type_keys *row = &type_keys[type];

    if (mb_check_keys(at, all_keys, err) != 0)
        return -1;
    for (const struct mb_node *n = at->node->child; n != NULL; n = n->next) {
        struct mb_place place = mb_place_key(at, n);
        if (!is_in(n->key, common_keys) && !is_in(n->key, row->may))
            return mb_place_error(err, &place, "a mount of type '%s' has no '%s'", type_names[type], n->key);
    }
    for (const char *const *k = row->must; *k != NULL; k++)
        if (mb_node_find(at->node, *k) == NULL)
            return mb_place_error(err, at, "a mount of type '%s' needs '%s'%s", type_names[type], *k,
                                  type == MB_MOUNT_NFS ? " (such as device: \":/share\", options: \"addr=SERVER,vers=4\")" : "");
    return 0;
}

static int
find_type(const struct mb_place *at, const char *word, enum mb_mount_type *out, struct mb_error *err)
{
    for (size_t i = 0; type_names[i] != NULL; i++) {
        if (strcmp(type_names[i], word) == 0) {
            *out = (enum mb_mount_type)i;
            return 0;
        }
    }
    return mb_place_unknown(err, at, "kind", word, type_names);
}

static int
load_word(const struct mb_place *at, struct mb_mount_spec *out, struct mb_error *err)
{
    const char *word = mb_text_of(at, err);

    if (word == NULL || find_type(at, word, &out->type, err) != 0)
        return -1;
    if (type_keys[out->type].must[0] != NULL)
        return mb_place_error(err, at, "a mount of type '%s' needs '%s': write it as a map, {type: %s, %s: ...}", word,
                              type_keys[out->type].must[0], word, type_keys[out->type].must[0]);
    out->name = mb_copy(word, err);
    return out->name != NULL ? 0 : -1;
}

/* The value of `key` in words, copied. */
static int
get_word_copy(const struct mb_place *at, const char *key, const char *const *words, char **out, struct mb_error *err)
{
    size_t index = SIZE_MAX;

    if (mb_get_word(at, key, words, &index, err) != 0)
        return -1;
    if (index == SIZE_MAX)
        return 0;
    *out = mb_copy(words[index], err);
    return *out != NULL ? 0 : -1;
}

static int
check_path(const struct mb_place *at, const struct mb_mount_spec *s, struct mb_error *err)
{
    if (s->path == NULL || s->path[0] == '/')
        return 0;
    struct mb_place place = mb_place_key(at, mb_node_find(at->node, "path"));
    if (s->type == MB_MOUNT_PATH)
        return mb_place_error(err, &place, "the path is on the engine's machine and must be absolute");
    return 0;
}

static int
load_sync(const struct mb_place *at, struct mb_mount_spec *out, struct mb_error *err)
{
    const struct mb_node *node = mb_node_find(at->node, "sync");

    if (node == NULL)
        return 0;
    struct mb_place place = mb_place_key(at, node);
    return mb_sync_spec_load(&place, &out->sync, err);
}

static int
load_fields(const struct mb_place *at, struct mb_mount_spec *out, struct mb_error *err)
{
    size_t isolation = 0;

    if (mb_get_name(at, "name", &out->name, err) != 0 ||
        get_word_copy(at, "consistency", consistencies, &out->consistency, err) != 0 ||
        mb_get_text(at, "device", &out->device, err) != 0 || mb_get_text(at, "options", &out->options, err) != 0 ||
        mb_get_text(at, "path", &out->path, err) != 0 || mb_get_size(at, "size", &out->size_bytes, err) != 0 ||
        load_sync(at, out, err) != 0 || mb_get_json(at, "expect", true, &out->expect, err) != 0 ||
        mb_get_word(at, "isolation", isolations, &isolation, err) != 0)
        return -1;
    out->isolation_trial = isolation == 1;
    if (out->isolation_trial && out->type == MB_MOUNT_HOST) {
        struct mb_place place = mb_place_key(at, mb_node_find(at->node, "isolation"));
        return mb_place_error(err, &place, "the host mount has no container to make anew for a trial");
    }
    if (out->type != MB_MOUNT_NFS)
        return mb_get_text(at, "fstype", &out->fstype, err);
    if (get_word_copy(at, "fstype", nfs_types, &out->fstype, err) != 0)
        return -1;
    return out->fstype != NULL || (out->fstype = mb_copy("nfs", err)) != NULL ? 0 : -1;
}

static int
default_name(struct mb_mount_spec *s, struct mb_error *err)
{
    char name[64];

    if (s->name != NULL)
        return 0;
    snprintf(name, sizeof name, "%s%s%s", type_names[s->type], s->consistency ? "-" : "", s->consistency ? s->consistency : "");
    s->name = mb_copy(name, err);
    return s->name != NULL ? 0 : -1;
}

int
mb_mount_spec_load(const struct mb_place *at, struct mb_mount_spec *out, struct mb_error *err)
{
    if (at->node->kind == MB_NODE_SCALAR)
        return load_word(at, out, err);
    if (mb_check_kind(at, MB_NODE_MAP, err) != 0)
        return -1;
    const struct mb_node *type = mb_node_find(at->node, "type");
    if (type == NULL) {
        if (mb_check_keys(at, all_keys, err) != 0)
            return -1;
        return mb_place_error(err, at, "'type' is missing (layer, bind, volume, nfs, tmpfs, sync, path, host)");
    }
    struct mb_place place = mb_place_key(at, type);
    const char *word = mb_text_of(&place, err);
    if (word == NULL || find_type(&place, word, &out->type, err) != 0 || check_keys(at, out->type, err) != 0 ||
        load_fields(at, out, err) != 0 || check_path(at, out, err) != 0)
        return -1;
    return default_name(out, err);
}

void
mb_mount_spec_clear(struct mb_mount_spec *spec)
{
    free(spec->name);
    free(spec->consistency);
    free(spec->device);
    free(spec->options);
    free(spec->fstype);
    free(spec->path);
    mb_sync_spec_free(spec->sync);
    cJSON_Delete(spec->expect);
    *spec = (struct mb_mount_spec){0};
}

void
mb_mount_spec_print(const struct mb_mount_spec *spec, struct mb_buffer *out)
{
    mb_buffer_printf(out, "%d %llu %d;", (int)spec->type, (unsigned long long)spec->size_bytes, spec->isolation_trial);
    mb_print_text(out, spec->consistency);
    mb_print_text(out, spec->device);
    mb_print_text(out, spec->options);
    mb_print_text(out, spec->fstype);
    mb_print_text(out, spec->path);
    if (spec->sync != NULL)
        mb_sync_spec_print(spec->sync, out);
}
