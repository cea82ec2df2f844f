/* filter.c: --engine, --mount and --workload. */
#include "matrix/filter.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/spec.h"
#include "mountbench/parse.h"

const char *
mb_axis_word(enum mb_axis axis)
{
    static const char *const words[] = {"engine", "mount", "workload"};

    return words[axis];
}

size_t
mb_axis_count(const struct mb_matrix *matrix, enum mb_axis axis)
{
    switch (axis) {
    case MB_AXIS_ENGINE:
        return matrix->engine_count;
    case MB_AXIS_MOUNT:
        return matrix->mount_count;
    default:
        return matrix->workload_count;
    }
}

const char *
mb_axis_name(const struct mb_matrix *matrix, enum mb_axis axis, size_t index)
{
    switch (axis) {
    case MB_AXIS_ENGINE:
        return matrix->engines[index].name;
    case MB_AXIS_MOUNT:
        return matrix->mounts[index].name;
    default:
        return matrix->workloads[index].name;
    }
}

bool
mb_axis_matches(const struct mb_matrix *matrix, enum mb_axis axis, const char *pattern)
{
    size_t n = mb_axis_count(matrix, axis);

    for (size_t i = 0; i < n; i++)
        if (fnmatch(pattern, mb_axis_name(matrix, axis, i), 0) == 0)
            return true;
    return false;
}

int
mb_axis_no_match(struct mb_error *err, enum mb_error_code code, const struct mb_matrix *matrix, enum mb_axis axis,
                 const char *pattern)
{
    MB_AUTO_BUFFER list = MB_BUFFER_INIT(600);
    char shown[MB_PRINTABLE_MAX];
    size_t n = mb_axis_count(matrix, axis);
    const char **names = calloc(n + 1, sizeof *names);

    if (names == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (size_t i = 0; i < n; i++) {
        names[i] = mb_axis_name(matrix, axis, i);
        mb_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *near = mb_nearest(pattern, names);
    mb_printable(pattern, shown);
    if (near != NULL)
        mb_error_set(err, code, "'%s' matches no %s (did you mean '%s'?)", shown, mb_axis_word(axis), near);
    else
        mb_error_set(err, code, "'%s' matches no %s (there are %s%s)", shown, mb_axis_word(axis), mb_buffer_text(&list),
                     list.overflowed ? ", ..." : "");
    free(names);
    return -1;
}

/* Every glob must match something of the axis. */
static int
check_globs(const struct mb_matrix *m, enum mb_axis axis, const char *const *globs, struct mb_error *err)
{
    for (; *globs != NULL; globs++)
        if (!mb_axis_matches(m, axis, *globs)) {
            mb_axis_no_match(err, MB_EUSAGE, m, axis, *globs);
            return mb_error_prefix(err, "--%s", mb_axis_word(axis));
        }
    return 0;
}

static bool
matches_any(const char *name, const char *const *globs)
{
    for (; *globs != NULL; globs++)
        if (fnmatch(*globs, name, 0) == 0)
            return true;
    return false;
}

static void
narrow_mounts(struct mb_matrix *m, const char *const *globs)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->mount_count; i++)
        if (matches_any(m->mounts[i].name, globs))
            m->mounts[kept++] = m->mounts[i];
        else
            mb_mount_spec_clear(&m->mounts[i]);
    m->mount_count = kept;
}

static void
narrow_workloads(struct mb_matrix *m, const char *const *globs)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->workload_count; i++)
        if (matches_any(m->workloads[i].name, globs))
            m->workloads[kept++] = m->workloads[i];
        else
            mb_workload_spec_clear(&m->workloads[i]);
    m->workload_count = kept;
}

/* The engines being put together. */
struct engines {
    struct mb_engine_spec *specs;
    size_t count, room;
};

static int
check_new_engine(const struct engines *list, const struct mb_engine_spec *spec, struct mb_error *err)
{
    const struct mb_node nowhere = {.line = 1};
    struct mb_place place = {.file = "--engine", .node = &nowhere};

    if (strpbrk(spec->name, "*?[") != NULL)
        return mb_error_set(err, MB_EUSAGE, "'%s' matches none of the matrix's engines", spec->name);
    if (mb_check_name(&place, spec->name, err) != 0)
        return -1;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->specs[i].name, spec->name) == 0)
            return mb_error_set(err, MB_EUSAGE, "two of the engines would be called '%s'", spec->name);
    return 0;
}

/* Add what `word` means: entries of the file that it names, or an engine of its own. */
static int
add_engines(struct mb_matrix *m, const char *word, struct engines *list, struct mb_error *err)
{
    bool named = false;

    for (size_t i = 0; i < m->engine_count; i++) {
        struct mb_engine_spec *spec = &m->engines[i];
        /* A spec without a name has been taken already. */
        bool hit =
            spec->name != NULL && (fnmatch(word, spec->name, 0) == 0 || (spec->context && strcmp(spec->context, word) == 0) ||
                                   (spec->endpoint && strcmp(spec->endpoint, word) == 0));
        if (!hit)
            continue;
        list->specs[list->count++] = *spec;
        *spec = (struct mb_engine_spec){0};
        named = true;
    }
    for (size_t i = 0; i < list->count && !named; i++)
        named = strcmp(list->specs[i].name, word) == 0 ||
                (list->specs[i].endpoint != NULL && strcmp(list->specs[i].endpoint, word) == 0);
    if (named)
        return 0;
    struct mb_engine_spec spec = {0};
    if (mb_engine_spec_from_word(word, &spec, err) != 0 || check_new_engine(list, &spec, err) != 0) {
        mb_engine_spec_clear(&spec);
        err->code = err->code == MB_ECONFIG ? MB_EUSAGE : err->code;
        return mb_error_prefix(err, "--engine");
    }
    list->specs[list->count++] = spec;
    return 0;
}

static int
replace_engines(struct mb_matrix *m, const char *const *words, struct mb_error *err)
{
    struct engines list = {0};
    int status = 0;

    for (size_t i = 0; words[i] != NULL; i++)
        list.room++;
    list.room += m->engine_count;
    list.specs = calloc(list.room, sizeof *list.specs);
    if (list.specs == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (size_t i = 0; words[i] != NULL && status == 0; i++)
        status = add_engines(m, words[i], &list, err);
    for (size_t i = 0; i < m->engine_count; i++)
        mb_engine_spec_clear(&m->engines[i]);
    free(m->engines);
    m->engines = list.specs;
    m->engine_count = list.count;
    return status;
}

int
mb_filter_apply(struct mb_matrix *matrix, const struct mb_matrix_filter *filter, struct mb_error *err)
{
    if (filter == NULL)
        return 0;
    if (filter->mounts != NULL && filter->mounts[0] != NULL) {
        if (check_globs(matrix, MB_AXIS_MOUNT, filter->mounts, err) != 0)
            return -1;
        narrow_mounts(matrix, filter->mounts);
    }
    if (filter->workloads != NULL && filter->workloads[0] != NULL) {
        if (check_globs(matrix, MB_AXIS_WORKLOAD, filter->workloads, err) != 0)
            return -1;
        narrow_workloads(matrix, filter->workloads);
    }
    return filter->engines != NULL && filter->engines[0] != NULL ? replace_engines(matrix, filter->engines, err) : 0;
}
