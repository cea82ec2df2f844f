/*
 * expand.c: every combination, less the excluded ones, plus the included ones.
 *
 * A rule's globs are held against each axis once, which gives three rows of marks; whether a rule matches a cell is then three
 * look-ups, and expanding costs cells times rules, whatever the names.
 */
#include "matrix/expand.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/filter.h"

/* What one entry of `exclude` or `include` matches: a mark an entry of each axis. */
struct rule {
    const struct mb_node *node;
    unsigned char *marks[MB_AXES];
};

struct rules {
    struct rule rules[MB_RULES_MAX];
    size_t count;
};

static const char *const rule_keys[] = {"engine", "mount", "workload", NULL};

static void
rules_clear(struct rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        for (int axis = 0; axis < MB_AXES; axis++)
            free(rules->rules[i].marks[axis]);
}

/* One glob of a rule: well formed, and matching something, else it is a slip of the pen. */
static int
check_glob(const struct mb_place *at, const struct mb_matrix *m, enum mb_axis axis, struct mb_error *err)
{
    const char *glob = mb_text_of(at, err);

    if (glob == NULL)
        return -1;
    if (strlen(glob) > MB_NAME_MAX)
        return mb_place_error(err, at, "the pattern is longer than %d bytes", MB_NAME_MAX);
    if (mb_axis_matches(m, axis, glob))
        return 0;
    mb_axis_no_match(err, MB_ECONFIG, m, axis, glob);
    return mb_place_prefix(err, at);
}

static int
check_globs(const struct mb_place *at, const struct mb_matrix *m, enum mb_axis axis, struct mb_error *err)
{
    size_t i = 0;

    if (at->node->kind == MB_NODE_SCALAR)
        return check_glob(at, m, axis, err);
    if (mb_check_kind(at, MB_NODE_LIST, err) != 0)
        return -1;
    for (const struct mb_node *n = at->node->child; n != NULL; n = n->next, i++) {
        struct mb_place item = mb_place_item(at, n, i);
        if (check_glob(&item, m, axis, err) != 0)
            return -1;
    }
    return 0;
}

static int
check_rule(const struct mb_place *at, const struct mb_matrix *m, struct mb_error *err)
{
    if (mb_check_kind(at, MB_NODE_MAP, err) != 0 || mb_check_keys(at, rule_keys, err) != 0)
        return -1;
    for (const struct mb_node *n = at->node->child; n != NULL; n = n->next) {
        struct mb_place place = mb_place_key(at, n);
        for (int axis = 0; axis < MB_AXES; axis++)
            if (strcmp(rule_keys[axis], n->key) == 0 && check_globs(&place, m, (enum mb_axis)axis, err) != 0)
                return -1;
    }
    return 0;
}

/* The rules under `key`, held against the axes as the file has them. */
static int
load_rules(const struct mb_place *root, const char *key, const struct mb_matrix *m, struct rules *out, struct mb_error *err)
{
    const struct mb_node *list = mb_node_find(root->node, key);

    if (list == NULL)
        return 0;
    struct mb_place place = mb_place_key(root, list);
    /* An empty list excludes nothing; that is no mistake. */
    if (list->kind == MB_NODE_LIST && list->child == NULL)
        return 0;
    if (mb_check_kind(&place, MB_NODE_LIST, err) != 0)
        return -1;
    for (const struct mb_node *n = list->child; n != NULL; n = n->next) {
        if (out->count == MB_RULES_MAX)
            return mb_place_error(err, &place, "more than %d rules", MB_RULES_MAX);
        struct mb_place item = mb_place_item(&place, n, out->count);
        if (check_rule(&item, m, err) != 0)
            return -1;
        out->rules[out->count++].node = n;
    }
    return 0;
}

static bool
matches(const struct mb_node *globs, const char *name)
{
    if (globs == NULL)
        return true;
    if (globs->kind == MB_NODE_SCALAR)
        return fnmatch(globs->text, name, 0) == 0;
    for (const struct mb_node *n = globs->child; n != NULL; n = n->next)
        if (fnmatch(n->text, name, 0) == 0)
            return true;
    return false;
}

static int
mark_rules(const struct mb_matrix *m, struct rules *rules, struct mb_error *err)
{
    for (size_t i = 0; i < rules->count; i++) {
        struct rule *rule = &rules->rules[i];
        for (int a = 0; a < MB_AXES; a++) {
            enum mb_axis axis = (enum mb_axis)a;
            size_t n = mb_axis_count(m, axis);
            const struct mb_node *globs = mb_node_find(rule->node, mb_axis_word(axis));
            rule->marks[axis] = malloc(n);
            if (rule->marks[axis] == NULL)
                return mb_error_set(err, MB_EIO, "out of memory");
            for (size_t j = 0; j < n; j++)
                rule->marks[axis][j] = matches(globs, mb_axis_name(m, axis, j));
        }
    }
    return 0;
}

static bool
any_rule(const struct rules *rules, const struct mb_cell_spec *cell)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule *r = &rules->rules[i];
        if (r->marks[MB_AXIS_ENGINE][cell->engine] && r->marks[MB_AXIS_MOUNT][cell->mount] &&
            r->marks[MB_AXIS_WORKLOAD][cell->workload])
            return true;
    }
    return false;
}

static int
fill_cells(const struct mb_place *root, struct mb_matrix *m, const struct rules *exclude, const struct rules *include,
           struct mb_error *err)
{
    struct mb_cell_spec cell;

    /* No product of axes overflows: a file is too short to hold enough entries. */
    size_t all = m->engine_count * m->mount_count * m->workload_count;
    if (all > MB_CELLS_MAX)
        return mb_place_error(err, root, "%zu engines x %zu mounts x %zu workloads are more than %d cells", m->engine_count,
                              m->mount_count, m->workload_count, MB_CELLS_MAX);
    m->cells = calloc(all, sizeof *m->cells);
    if (m->cells == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (cell.engine = 0; cell.engine < m->engine_count; cell.engine++)
        for (cell.mount = 0; cell.mount < m->mount_count; cell.mount++)
            for (cell.workload = 0; cell.workload < m->workload_count; cell.workload++)
                if (!any_rule(exclude, &cell) || any_rule(include, &cell))
                    m->cells[m->cell_count++] = cell;
    if (m->cell_count == 0)
        return mb_place_error(err, root, "no cell is left: 'exclude' matches all of them");
    return 0;
}

int
mb_expand(const struct mb_place *root, struct mb_matrix *matrix, const struct mb_matrix_filter *filter, struct mb_error *err)
{
    struct rules *rules = calloc(2, sizeof *rules);

    if (rules == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    int status = load_rules(root, "exclude", matrix, &rules[0], err);
    if (status == 0)
        status = load_rules(root, "include", matrix, &rules[1], err);
    if (status == 0)
        status = mb_filter_apply(matrix, filter, err);
    if (status == 0)
        status = mark_rules(matrix, &rules[0], err);
    if (status == 0)
        status = mark_rules(matrix, &rules[1], err);
    if (status == 0)
        status = fill_cells(root, matrix, &rules[0], &rules[1], err);
    rules_clear(&rules[0]);
    rules_clear(&rules[1]);
    free(rules);
    return status;
}
