/*
 * compare_remark.c: whether two cells did the same work, and what differs between the sides besides.
 *
 * Parameters of the work decide what may be compared at all; everything around it (engine, kernel, probe, machine) is said, since
 * it may be the very thing that is being compared, or may not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare.h"
#include "report/control.h"
#include "report/words.h"

/* No more marked cells are listed. */
#define MARKS_MOST 10

const struct mb_cell *
mb_compare_cell(const struct mb_compare_cells *side, size_t i)
{
    return side->cells[i]->cell;
}

/* A sentence that says so; NULL without memory is as good as none. */
static char *
differ(const char *key, const char *value_a, const char *name_a, const char *value_b, const char *name_b)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(4096);

    mb_buffer_printf(&text, "%s is %.200s in %.200s, %.200s in %.200s", key, value_a, name_a, value_b, name_b);
    return mb_buffer_steal(&text);
}

char *
mb_compare_difference(const struct mb_cell *a, const struct mb_cell *b, const char *name_a, const char *name_b)
{
    const cJSON *param;

    if (a->kind != NULL && b->kind != NULL && strcmp(a->kind, b->kind) != 0)
        return differ("the workload's type", a->kind, name_a, b->kind, name_b);
    if (a->measure != b->measure)
        return differ("the measure", mb_measure_name(a->measure), name_a, mb_measure_name(b->measure), name_b);
    cJSON_ArrayForEach(param, a->params)
    {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(b->params, param->string);
        if (other == NULL || cJSON_Compare(param, other, true))
            continue;
        char *text_a = cJSON_PrintUnformatted(param), *text_b = cJSON_PrintUnformatted(other);
        char *words = differ(param->string, text_a != NULL ? text_a : "?", name_a, text_b != NULL ? text_b : "?", name_b);
        cJSON_free(text_a);
        cJSON_free(text_b);
        return words;
    }
    return NULL;
}

/* A key that one of the two does not say, or NULL. */
static const char *
unsaid(const cJSON *a, const cJSON *b)
{
    const cJSON *param;

    cJSON_ArrayForEach(param, a)
    {
        if (cJSON_GetObjectItemCaseSensitive(b, param->string) == NULL)
            return param->string;
    }
    return NULL;
}

static void
remark_unsaid(struct mb_comparison *c)
{
    const struct mb_compare_row *first = NULL;
    const char *key = NULL;
    char silent = 'A';
    size_t n = 0;

    for (size_t i = 0; i < c->row_count; i++) {
        const struct mb_compare_row *row = &c->rows[i];
        const char *by_b = unsaid(row->a->params, row->b->params), *by_a = unsaid(row->b->params, row->a->params);
        n += by_a != NULL || by_b != NULL;
        if (first != NULL || (by_a == NULL && by_b == NULL))
            continue;
        first = row;
        key = by_b != NULL ? by_b : by_a;
        silent = by_b != NULL ? 'B' : 'A';
    }
    if (first == NULL)
        return;
    mb_compare_add_remark(c, "%c does not say what '%s' was for %s%s: it is taken to be the same.", silent, key, first->name,
                          n > 1 ? " and other rows" : "");
}

/* What is asked of both sides: a member of the engine's or the run's record. */
static const struct fact {
    const char *name;
    bool of_run, of_engine_itself; /* the latter is the very thing that differs between engines */
    const char *object, *key;      /* object: the member of the record that has the key, or NULL */
} facts[] = {
    {"the runtime", false, true, NULL, "runtime"},
    {"the runtime's version", false, true, NULL, "runtime_version"},
    {"the engine's version", false, true, NULL, "engine_version"},
    {"the engine's kernel", false, true, NULL, "kernel"},
    {"the storage driver", false, true, NULL, "storage_driver"},
    {"the engine's architecture", false, false, NULL, "arch"},
    {"the number of the engine's CPUs", false, false, NULL, "cpus"},
    {"the engine's memory", false, false, NULL, "memory_bytes"},
    {"the version of mountbench", true, false, "tool", "version"},
    {"the probe", true, false, "tool", "probe"},
    {"the host's system", true, false, "host", "os"},
    {"the host's kernel", true, false, "host", "kernel"},
    {"the host's CPU", true, false, "host", "cpu"},
};

static const cJSON *
record_of(const struct mb_model *model, const struct mb_model_group *group, const struct fact *fact)
{
    const cJSON *json = NULL;

    if (fact->of_run)
        json = group->run < model->results->run_count ? model->results->runs[group->run].json : NULL;
    else if (group->record != NULL)
        json = group->record->json;
    return fact->object != NULL ? cJSON_GetObjectItemCaseSensitive(json, fact->object) : json;
}

/* The different values of a fact over a side's groups, with " and " between, "" for none. */
static void
values_of(const struct mb_comparison *c, size_t side, const struct fact *fact, struct mb_buffer *out)
{
    const struct mb_model *model = mb_compare_model(c, side);
    const struct mb_compare_cells *cells = &c->memory->sides[side];
    const cJSON *seen[16];
    size_t n = 0, group = MB_NONE;

    for (size_t i = 0; i < cells->count; i++) {
        if (cells->cells[i]->group == group)
            continue;
        group = cells->cells[i]->group;
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(record_of(model, &model->groups[group], fact), fact->key);
        bool known = value == NULL || cJSON_IsNull(value) || (cJSON_IsString(value) && *value->valuestring == '\0');
        for (size_t k = 0; k < n && !known; k++)
            known = cJSON_Compare(seen[k], value, true);
        if (known || n == 16)
            continue;
        seen[n++] = value;
        mb_buffer_puts(out, n > 1 ? " and " : "");
        if (cJSON_IsNumber(value) && strcmp(fact->key, "memory_bytes") == 0 && value->valuedouble > 0) {
            char size[MB_FORMAT_MAX];
            mb_buffer_puts(out, mb_format_size((uint64_t)value->valuedouble, size));
        } else if (cJSON_IsNumber(value)) {
            mb_buffer_printf(out, "%g", value->valuedouble);
        } else {
            mb_buffer_printf(out, "%.200s", cJSON_IsString(value) ? value->valuestring : "?");
        }
    }
}

static void
remark_facts(struct mb_comparison *c, enum mb_compare_by by)
{
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        MB_AUTO_BUFFER a = MB_BUFFER_INIT(4096);
        MB_AUTO_BUFFER b = MB_BUFFER_INIT(4096);
        if (by == MB_COMPARE_ENGINES && facts[i].of_engine_itself)
            continue;
        values_of(c, 0, &facts[i], &a);
        values_of(c, 1, &facts[i], &b);
        if (a.len > 0 && b.len > 0 && strcmp(mb_buffer_text(&a), mb_buffer_text(&b)) != 0)
            mb_compare_add_remark(c, "%c%s differs: %.400s in A, %.400s in B.", facts[i].name[0] - 'a' + 'A', facts[i].name + 1,
                                  mb_buffer_text(&a), mb_buffer_text(&b));
    }
}

/* A mount of one name that is another kind of filesystem, said once a mount. */
static void
remark_filesystems(struct mb_comparison *c)
{
    const char *told[64];
    size_t n = 0;

    for (size_t i = 0; i < c->row_count; i++) {
        const struct mb_cell *a = c->rows[i].a, *b = c->rows[i].b;
        bool known = a->fstype == NULL || b->fstype == NULL || strcmp(a->mount, b->mount) != 0 || strcmp(a->fstype, b->fstype) == 0;
        for (size_t k = 0; k < n && !known; k++)
            known = strcmp(told[k], a->mount) == 0;
        if (known || n == 64)
            continue;
        told[n++] = a->mount;
        mb_compare_add_remark(c, "The mount %s is %s in A, %s in B.", a->mount, a->fstype, b->fstype);
    }
}

/* Two mounts of one engine that are one filesystem: there is nothing to tell apart. */
static void
remark_control(struct mb_comparison *c)
{
    const struct mb_compare_cells *sides = c->memory->sides;
    const struct mb_model *model = mb_compare_model(c, 0);

    if (c->memory->models[1] != NULL)
        return;
    for (size_t i = 0; i < sides[0].count; i++) {
        const struct mb_model_cell *a = sides[0].cells[i];
        const struct mb_model_group *g = &model->groups[a->group];
        for (size_t k = 0; k < sides[1].count && g->same[a->mount] > 0; k++) {
            const struct mb_model_cell *b = sides[1].cells[k];
            if (b->group != a->group || b->mount == a->mount || g->same[b->mount] != g->same[a->mount] ||
                !mb_control_counts(a->cell) || !mb_control_counts(b->cell))
                continue;
            mb_compare_add_remark(c, "%s and %s are one filesystem on %s: any difference between them is noise.", a->cell->mount,
                                  b->cell->mount, g->label);
            return;
        }
    }
}

/* Trials that should make one look twice; outliers alone are too ordinary for that, unless they are left out. */
static void
remark_marks(struct mb_comparison *c)
{
    size_t told = 0;

    for (size_t side = 0; side < 2; side++) {
        const struct mb_compare_cells *cells = &c->memory->sides[side];
        for (size_t i = 0; i < cells->count; i++) {
            const struct mb_digest *d = &cells->cells[i]->summary;
            MB_AUTO_BUFFER words = MB_BUFFER_INIT(1024);
            if (cells->rows[i] == MB_NONE || (!d->marks.first && !d->marks.drift && !d->marks.humps && d->dropped == 0))
                continue;
            if (told++ == MARKS_MOST) {
                mb_compare_add_remark(c, "More cells are marked; 'mountbench report' lists them all.");
                return;
            }
            mb_words_marks(cells->cells[i], &words);
            mb_compare_add_remark(c, "%s in %c: %s.", c->rows[cells->rows[i]].name, side == 0 ? 'A' : 'B', mb_buffer_text(&words));
        }
    }
}

static void
remark_warnings(struct mb_comparison *c)
{
    for (size_t side = 0; side < 2 && (side == 0 || c->memory->models[1] != NULL); side++) {
        const struct mb_results *results = c->memory->models[side]->results;
        for (size_t i = 0; i < results->warning_count; i++)
            mb_compare_add_remark(c, "%s.", results->warnings[i]);
    }
}

void
mb_compare_remark(struct mb_comparison *c, enum mb_compare_by by)
{
    if (by == MB_COMPARE_FILES || by == MB_COMPARE_ENGINES)
        remark_filesystems(c);
    remark_control(c);
    remark_unsaid(c);
    remark_facts(c, by);
    remark_marks(c);
    remark_warnings(c);
}
