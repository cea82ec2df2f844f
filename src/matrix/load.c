/* load.c: a matrix file from its bytes to its cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/expand.h"
#include "matrix/interpolate.h"
#include "matrix/load.h"
#include "matrix/read.h"
#include "matrix/spec.h"
#include "mountbench/matrix.h"
#include "mountbench/parse.h"
#include "mountbench/sha256.h"

#define ROUNDS_DEFAULT 5
#define WARMUP_DEFAULT 1
#define ROUNDS_MAX 10000
#define PASSES_MAX 1000

static const char *const top_keys[] = {"name",   "description", "engines", "mounts",  "workloads", "rounds",
                                       "warmup", "max_time",    "passes",  "exclude", "include",   NULL};

/* One axis of the three: how its entries are loaded, named and compared. */
struct axis {
    const char *key, *word;
    size_t entry_size;
    int (*load)(const struct mb_place *at, void *entry, struct mb_error *err);
    const char *(*name)(const void *entry);
    void (*print)(const void *entry, struct mb_buffer *out);
};

static int
load_engine(const struct mb_place *at, void *entry, struct mb_error *err)
{
    return mb_engine_spec_load(at, entry, err);
}

static int
load_mount(const struct mb_place *at, void *entry, struct mb_error *err)
{
    return mb_mount_spec_load(at, entry, err);
}

static int
load_workload(const struct mb_place *at, void *entry, struct mb_error *err)
{
    return mb_workload_spec_load(at, entry, err);
}

static const char *
engine_name(const void *entry)
{
    return ((const struct mb_engine_spec *)entry)->name;
}

static const char *
mount_name(const void *entry)
{
    return ((const struct mb_mount_spec *)entry)->name;
}

static const char *
workload_name(const void *entry)
{
    return ((const struct mb_workload_spec *)entry)->name;
}

static void
print_engine(const void *entry, struct mb_buffer *out)
{
    mb_engine_spec_print(entry, out);
}

static void
print_mount(const void *entry, struct mb_buffer *out)
{
    mb_mount_spec_print(entry, out);
}

static void
print_workload(const void *entry, struct mb_buffer *out)
{
    mb_workload_spec_print(entry, out);
}

static const struct axis engines_axis = {
    "engines", "engines", sizeof(struct mb_engine_spec), load_engine, engine_name, print_engine,
};
static const struct axis mounts_axis = {
    "mounts", "mounts", sizeof(struct mb_mount_spec), load_mount, mount_name, print_mount,
};
static const struct axis workloads_axis = {
    "workloads", "workloads", sizeof(struct mb_workload_spec), load_workload, workload_name, print_workload,
};

void
mb_print_text(struct mb_buffer *out, const char *text)
{
    if (text == NULL)
        mb_buffer_puts(out, "-;");
    else
        mb_buffer_printf(out, "%zu:%s;", strlen(text), text);
}

void
mb_print_json(struct mb_buffer *out, const cJSON *json)
{
    char *text = json != NULL ? cJSON_PrintUnformatted(json) : NULL;

    mb_print_text(out, text);
    cJSON_free(text);
}

/* A text that must be unique in its axis. */
struct label {
    char *text;
    size_t index;
};

static int
compare_labels(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    if (order != 0)
        return order;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The first entry whose text an earlier one has: its index, the earlier one's in *twin; n when all differ. */
static size_t
first_duplicate(struct label *labels, size_t n, size_t *twin)
{
    size_t found = n;

    qsort(labels, n, sizeof *labels, compare_labels);
    for (size_t i = 1; i < n; i++)
        if (strcmp(labels[i].text, labels[i - 1].text) == 0 && labels[i].index < found) {
            found = labels[i].index;
            *twin = labels[i - 1].index;
        }
    return found;
}

static const struct mb_node *
child_at(const struct mb_node *list, size_t index)
{
    const struct mb_node *n = list->child;

    while (index-- > 0)
        n = n->next;
    return n;
}

/* Labels of all entries: their names, or all but their names. */
static struct label *
make_labels(const struct axis *axis, const char *entries, size_t n, bool names)
{
    struct label *labels = calloc(n, sizeof *labels);

    for (size_t i = 0; labels != NULL && i < n; i++) {
        const void *entry = entries + i * axis->entry_size;
        struct mb_buffer print = MB_BUFFER_INIT(4L * MB_YAML_TEXT_MAX);
        if (names)
            mb_buffer_puts(&print, axis->name(entry));
        else
            axis->print(entry, &print);
        labels[i] = (struct label){mb_buffer_steal(&print), i};
        if (labels[i].text == NULL || print.overflowed) {
            for (size_t j = 0; j <= i; j++)
                free(labels[j].text);
            free(labels);
            return NULL;
        }
    }
    return labels;
}

static int
check_unique(const struct axis *axis, const struct mb_place *at, const char *entries, size_t n, struct mb_error *err)
{
    for (int pass = 0; pass < 2; pass++) {
        size_t twin = 0;
        struct label *labels = make_labels(axis, entries, n, pass == 0);
        if (labels == NULL)
            return mb_error_set(err, MB_EIO, "out of memory");
        size_t i = first_duplicate(labels, n, &twin);
        for (size_t j = 0; j < n; j++)
            free(labels[j].text);
        free(labels);
        if (i == n)
            continue;
        struct mb_place place = mb_place_item(at, child_at(at->node, i), i);
        unsigned line = child_at(at->node, twin)->line;
        const char *name = axis->name(entries + i * axis->entry_size);
        if (pass == 0)
            return mb_place_error(err, &place, "the name '%s' is taken by %s[%zu] on line %u", name, axis->key, twin, line);
        return mb_place_error(err, &place, "two names for one cell: '%s' is the same as '%s' (%s[%zu] on line %u)", name,
                              axis->name(entries + twin * axis->entry_size), axis->key, twin, line);
    }
    return 0;
}

/* Load the list `axis->key` of the file into a new array.  *count grows with each entry begun, so that all can be freed. */
static int
load_axis(const struct mb_place *root, const struct axis *axis, void **entries, size_t *count, struct mb_error *err)
{
    const struct mb_node *list = mb_node_find(root->node, axis->key);

    if (list == NULL)
        return mb_place_error(err, root, "'%s' is missing: the list of %s to measure", axis->key, axis->word);
    struct mb_place place = mb_place_key(root, list);
    if (mb_check_kind(&place, MB_NODE_LIST, err) != 0)
        return -1;
    char *array = calloc(mb_node_count(list), axis->entry_size);
    if (array == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    *entries = array;
    for (const struct mb_node *n = list->child; n != NULL; n = n->next) {
        struct mb_place item = mb_place_item(&place, n, *count);
        void *entry = array + (*count)++ * axis->entry_size;
        if (axis->load(&item, entry, err) != 0)
            return -1;
    }
    return check_unique(axis, &place, array, *count, err);
}

/* `engines` may be left out: then it is the one the docker command line would use. */
static int
load_engines(const struct mb_place *root, struct mb_matrix *m, struct mb_error *err)
{
    void *entries = NULL;

    if (mb_node_find(root->node, "engines") == NULL) {
        m->engines = calloc(1, sizeof *m->engines);
        if (m->engines == NULL)
            return mb_error_set(err, MB_EIO, "out of memory");
        m->engine_count = 1;
        return mb_engine_spec_from_word("default", &m->engines[0], err);
    }
    int status = load_axis(root, &engines_axis, &entries, &m->engine_count, err);
    m->engines = entries;
    return status;
}

static int
load_mounts_and_workloads(const struct mb_place *root, struct mb_matrix *m, struct mb_error *err)
{
    void *mounts = NULL, *workloads = NULL;

    int status = load_axis(root, &mounts_axis, &mounts, &m->mount_count, err);
    m->mounts = mounts;
    if (status != 0)
        return -1;
    status = load_axis(root, &workloads_axis, &workloads, &m->workload_count, err);
    m->workloads = workloads;
    return status;
}

/* rounds: {precision: 3%, min: 5, max: 50} */
static int
load_precision(const struct mb_place *at, struct mb_matrix *m, struct mb_error *err)
{
    static const char *const keys[] = {"precision", "min", "max", NULL};
    char *text = NULL;

    m->rounds_min = 5;
    m->rounds_max = 50;
    if (mb_check_kind(at, MB_NODE_MAP, err) != 0 || mb_check_keys(at, keys, err) != 0)
        return -1;
    const struct mb_node *node = mb_node_find(at->node, "precision");
    if (node == NULL)
        return mb_place_error(err, at, "'precision' is missing (such as {precision: 3%%, min: 5, max: 50})");
    struct mb_place place = mb_place_key(at, node);
    if (mb_get_text(at, "precision", &text, err) != 0)
        return -1;
    int status = mb_parse_percent(text, &m->precision_percent, err);
    free(text);
    if (status != 0)
        return mb_place_prefix(err, &place);
    if (m->precision_percent < 0.01 || m->precision_percent > 100)
        return mb_place_error(err, &place, "the precision is not between 0.01%% and 100%%");
    if (mb_get_count(at, "min", (struct mb_range){3, ROUNDS_MAX}, &m->rounds_min, err) != 0)
        return -1;
    if (m->rounds_max < m->rounds_min)
        m->rounds_max = m->rounds_min;
    if (mb_get_count(at, "max", (struct mb_range){3, ROUNDS_MAX}, &m->rounds_max, err) != 0)
        return -1;
    if (m->rounds_max < m->rounds_min)
        return mb_place_error(err, at, "max %u is below min %u", m->rounds_max, m->rounds_min);
    m->rounds = m->rounds_max;
    return 0;
}

static int
load_rounds(const struct mb_place *root, struct mb_matrix *m, struct mb_error *err)
{
    const struct mb_node *node = mb_node_find(root->node, "rounds");

    m->rounds = ROUNDS_DEFAULT;
    m->warmup = WARMUP_DEFAULT;
    m->passes = 1;
    if (node != NULL && node->kind == MB_NODE_MAP) {
        struct mb_place place = mb_place_key(root, node);
        if (load_precision(&place, m, err) != 0)
            return -1;
    } else {
        if (mb_get_count(root, "rounds", (struct mb_range){1, ROUNDS_MAX}, &m->rounds, err) != 0)
            return -1;
        m->rounds_min = m->rounds_max = m->rounds;
    }
    if (mb_get_count(root, "warmup", (struct mb_range){0, ROUNDS_MAX}, &m->warmup, err) != 0 ||
        mb_get_count(root, "passes", (struct mb_range){1, PASSES_MAX}, &m->passes, err) != 0)
        return -1;
    return mb_get_duration(root, "max_time", &m->max_time_ns, err);
}

/* The file's base name, less its extension, where it gives no name. */
static int
load_name(const struct mb_place *root, struct mb_matrix *m, struct mb_error *err)
{
    if (mb_get_name(root, "name", &m->name, err) != 0 || mb_get_paragraph(root, "description", &m->description, err) != 0)
        return -1;
    if (m->name != NULL)
        return 0;
    const char *base = strrchr(m->path, '/');
    base = base != NULL ? base + 1 : m->path;
    const char *dot = strrchr(base, '.');
    size_t n = dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base);
    m->name = strndup(base, n);
    if (m->name == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    if (mb_check_name(root, m->name, err) == 0)
        return 0;
    return mb_error_set(err, MB_ECONFIG, "%s: the file's name is no name for a matrix; give it a 'name'", root->file);
}

/* Keys that begin with "x-" hold whatever a file wants to share by anchors, as in compose files. */
static int
check_top(const struct mb_place *root, struct mb_error *err)
{
    if (root->node->kind != MB_NODE_MAP)
        return mb_place_error(err, root, "a matrix is a map with the keys mounts and workloads, and this is %s",
                              mb_node_kind_name(root->node));
    for (const struct mb_node *n = root->node->child; n != NULL; n = n->next) {
        size_t i = 0;
        while (top_keys[i] != NULL && strcmp(top_keys[i], n->key) != 0)
            i++;
        if (top_keys[i] == NULL && strncmp(n->key, "x-", 2) != 0) {
            struct mb_node key = {.line = n->key_line};
            struct mb_place place = {.file = root->file, .node = &key};
            return mb_place_unknown(err, &place, "key", n->key, top_keys);
        }
    }
    return 0;
}

static int
load_tree(struct mb_node *tree, struct mb_matrix *m, const struct mb_matrix_filter *filter, struct mb_error *err)
{
    struct mb_place root = {.file = m->path, .node = tree};

    if (tree == NULL || tree->kind == MB_NODE_NULL)
        return mb_error_set(err, MB_ECONFIG, "%s: the file is empty; a matrix has at least the keys mounts and workloads", m->path);
    if (mb_interpolate_tree(m->path, tree, err) != 0 || check_top(&root, err) != 0 || load_name(&root, m, err) != 0 ||
        load_rounds(&root, m, err) != 0 || load_engines(&root, m, err) != 0 || load_mounts_and_workloads(&root, m, err) != 0)
        return -1;
    return mb_expand(&root, m, filter, err);
}

int
mb_matrix_parse(const char *path, const char *text, size_t len, const struct mb_matrix_filter *filter, struct mb_matrix **out,
                struct mb_error *err)
{
    struct mb_node *tree = NULL;
    struct mb_matrix *m = calloc(1, sizeof *m);

    *out = NULL;
    if (m == NULL || (m->path = strdup(path)) == NULL) {
        free(m);
        return mb_error_set(err, MB_EIO, "out of memory");
    }
    mb_sha256_hex(text, len, m->sha256);
    /* A byte order mark is no part of the text. */
    size_t skip = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    int status = mb_yaml_parse(m->path, text + skip, len - skip, &tree, err);
    if (status == 0)
        status = load_tree(tree, m, filter, err);
    mb_node_free(tree);
    if (status != 0) {
        mb_matrix_free(m);
        return -1;
    }
    *out = m;
    return 0;
}

int
mb_matrix_load(const char *path, const struct mb_matrix_filter *filter, struct mb_matrix **out, struct mb_error *err)
{
    MB_AUTO_BUFFER content = MB_BUFFER_INIT(MB_MATRIX_FILE_MAX);

    *out = NULL;
    if (mb_matrix_read(path, &content, err) != 0)
        return -1;
    return mb_matrix_parse(path, mb_buffer_text(&content), content.len, filter, out, err);
}

void
mb_matrix_free(struct mb_matrix *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->engine_count; i++)
        mb_engine_spec_clear(&m->engines[i]);
    for (size_t i = 0; i < m->mount_count; i++)
        mb_mount_spec_clear(&m->mounts[i]);
    for (size_t i = 0; i < m->workload_count; i++)
        mb_workload_spec_clear(&m->workloads[i]);
    free(m->engines);
    free(m->mounts);
    free(m->workloads);
    free(m->cells);
    free(m->path);
    free(m->name);
    free(m->description);
    free(m);
}

char *
mb_matrix_cell_name(const struct mb_matrix *matrix, const struct mb_cell_spec *cell)
{
    const char *engine = matrix->engines[cell->engine].name;
    const char *mount = matrix->mounts[cell->mount].name;
    const char *workload = matrix->workloads[cell->workload].name;
    size_t size = strlen(engine) + strlen(mount) + strlen(workload) + 3;
    char *name = malloc(size);

    if (name != NULL)
        snprintf(name, size, "%s/%s/%s", engine, mount, workload);
    return name;
}
