/*
 * records.c: one record of a result file into the results.
 *
 * A record said again replaces what it said before (a cell, an engine, a run that is gone on with), so that an append-only file
 * can be brought up to date.  Samples and checks are never replaced.
 */
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "result/reader.h"

#define EXACT_MAX (UINT64_C(1) << 53)

static int
no_memory(const struct mb_reader *r, struct mb_error *err)
{
    return mb_error_set(err, MB_EIO, "%s: out of memory", r->file);
}

static int
check_schema(struct mb_reader *r, const cJSON *tree, struct mb_error *err)
{
    uint64_t schema = 0;
    const char *version = "?";
    cJSON *tool = NULL;
    char shown[MB_PRINTABLE_MAX];

    if (mb_reader_count(r, tree, "schema", EXACT_MAX, &schema, err) != 0)
        return -1;
    if (schema == 0)
        return mb_reader_fail(r, err, "schema", "is missing or 0; this program reads schema %d", MB_RESULT_SCHEMA);
    if (schema <= MB_RESULT_SCHEMA)
        return 0;
    if (mb_reader_object(r, tree, "tool", &tool, err) == 0 && tool != NULL)
        mb_reader_text(r, tool, "version", &version, err);
    return mb_reader_fail(
        r, err, "schema",
        "schema %llu was written by a newer program (version %s); this one reads schema %d: read it with that one",
        (unsigned long long)schema, mb_printable(version, shown), MB_RESULT_SCHEMA);
}

/* The run ${id} of the file at hand, or SIZE_MAX. */
static size_t
find_run(const struct mb_reader *r, const char *id)
{
    for (size_t i = r->first_run; id != NULL && i < r->out->run_count; i++) {
        if (r->out->runs[i].id == id)
            return i;
    }
    return SIZE_MAX;
}

static int
take_run(struct mb_reader *r, cJSON *tree, struct mb_error *err)
{
    struct mb_results *out = r->out;
    struct mb_run run = {.json = tree};
    cJSON *matrix = NULL;

    if (mb_reader_keep(r, tree, err) != 0 || check_schema(r, tree, err) != 0 || mb_reader_text(r, tree, "id", &run.id, err) != 0 ||
        mb_reader_text(r, tree, "started_at", &run.started_at, err) != 0 ||
        mb_reader_object(r, tree, "matrix", &matrix, err) != 0 ||
        (matrix != NULL && mb_reader_text(r, matrix, "name", &run.matrix_name, err) != 0))
        return -1;
    run.file = mb_intern_text(&r->memory->text, r->file);
    if (run.file == NULL)
        return no_memory(r, err);
    r->run = find_run(r, run.id);
    if (r->run == SIZE_MAX) {
        void *array = out->runs;
        if (mb_reader_room(&array, out->run_count, &r->memory->run_cap, sizeof *out->runs) != 0)
            return no_memory(r, err);
        out->runs = array;
        r->run = out->run_count++;
    }
    out->runs[r->run] = run;
    return 0;
}

static int
take_engine(struct mb_reader *r, cJSON *tree, struct mb_error *err)
{
    struct mb_results *out = r->out;
    const char *name;
    size_t i;

    if (mb_reader_keep(r, tree, err) != 0 || mb_reader_need_text(r, tree, "engine", &name, err) != 0)
        return -1;
    for (i = 0; i < out->engine_count; i++) {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(out->engines[i].json, "engine");
        if (out->engines[i].run == r->run && strcmp(other->valuestring, name) == 0)
            break;
    }
    if (i == out->engine_count) {
        void *array = out->engines;
        if (mb_reader_room(&array, i, &r->memory->engine_cap, sizeof *out->engines) != 0)
            return no_memory(r, err);
        out->engines = array;
        out->engine_count++;
    }
    out->engines[i] = (struct mb_engine_record){.run = r->run, .json = tree};
    return 0;
}

static size_t
cell_slot(const size_t *slots, size_t n, const struct mb_results *out, size_t run, const char *name)
{
    const uintptr_t key[2] = {(uintptr_t)run, (uintptr_t)name};
    size_t i = (size_t)mb_hash_bytes(key, sizeof key) & (n - 1);

    while (slots[i] != 0 && (out->cells[slots[i] - 1].run != run || out->cells[slots[i] - 1].name != name))
        i = (i + 1) & (n - 1);
    return i;
}

/* Index of the cell with the interned ${name} in the present run, or SIZE_MAX. */
static size_t
find_cell(const struct mb_reader *r, const char *name)
{
    const struct mb_results_memory *m = r->memory;

    if (m->cell_slot_count == 0)
        return SIZE_MAX;
    size_t found = m->cell_slots[cell_slot(m->cell_slots, m->cell_slot_count, r->out, r->run, name)];
    return found > 0 ? found - 1 : SIZE_MAX;
}

static int
grow_cell_slots(struct mb_reader *r)
{
    struct mb_results_memory *m = r->memory;
    size_t n = m->cell_slot_count > 0 ? m->cell_slot_count * 2 : 64;
    size_t *slots = calloc(n, sizeof *slots);

    if (slots == NULL)
        return -1;
    for (size_t i = 0; i < r->out->cell_count; i++)
        slots[cell_slot(slots, n, r->out, r->out->cells[i].run, r->out->cells[i].name)] = i + 1;
    free(m->cell_slots);
    m->cell_slots = slots;
    m->cell_slot_count = n;
    return 0;
}

static int
add_cell(struct mb_reader *r, const struct mb_cell *cell, size_t *index)
{
    struct mb_results *out = r->out;
    struct mb_results_memory *m = r->memory;
    void *array = out->cells, *said = m->measure_said;
    size_t said_cap = m->cell_cap;

    if (out->cell_count * 2 >= m->cell_slot_count && grow_cell_slots(r) != 0)
        return -1;
    if (mb_reader_room(&said, out->cell_count, &said_cap, sizeof *m->measure_said) != 0)
        return -1;
    m->measure_said = said;
    if (mb_reader_room(&array, out->cell_count, &m->cell_cap, sizeof *out->cells) != 0)
        return -1;
    out->cells = array;
    m->cell_slots[cell_slot(m->cell_slots, m->cell_slot_count, out, cell->run, cell->name)] = out->cell_count + 1;
    *index = out->cell_count++;
    return 0;
}

static int
read_filesystem(struct mb_reader *r, const cJSON *tree, struct mb_cell *cell, struct mb_error *err)
{
    cJSON *fs = NULL;

    if (mb_reader_object(r, tree, "filesystem", &fs, err) != 0)
        return -1;
    if (fs == NULL)
        return 0;
    if (mb_reader_text(r, fs, "technology", &cell->technology, err) != 0 ||
        mb_reader_text(r, fs, "fstype", &cell->fstype, err) != 0 || mb_reader_text(r, fs, "source", &cell->source, err) != 0 ||
        mb_reader_text(r, fs, "options", &cell->options, err) != 0 ||
        mb_reader_text(r, fs, "super_options", &cell->super_options, err) != 0 ||
        mb_reader_text(r, fs, "device", &cell->device, err) != 0 || mb_reader_text(r, fs, "root", &cell->root, err) != 0)
        return -1;
    return 0;
}

static int
read_cell(struct mb_reader *r, const cJSON *tree, struct mb_cell *cell, bool *measure_said, struct mb_error *err)
{
    static const char *const statuses[] = {"ready", "unavailable", "skipped", NULL};
    static const char *const measures[] = {"bytes/s", "ops/s", "s", NULL};
    int status = MB_CELL_READY, measure = -1;

    if (mb_reader_need_text(r, tree, "cell", &cell->name, err) != 0 ||
        mb_reader_need_text(r, tree, "engine", &cell->engine, err) != 0 ||
        mb_reader_need_text(r, tree, "mount", &cell->mount, err) != 0 ||
        mb_reader_need_text(r, tree, "workload", &cell->workload, err) != 0 ||
        mb_reader_word(r, tree, "status", statuses, &status, err) != 0 ||
        mb_reader_text(r, tree, "reason", &cell->reason, err) != 0 || mb_reader_text(r, tree, "kind", &cell->kind, err) != 0 ||
        mb_reader_text(r, tree, "mount_type", &cell->mount_type, err) != 0 ||
        mb_reader_word(r, tree, "measure", measures, &measure, err) != 0 ||
        mb_reader_text(r, tree, "unit", &cell->unit, err) != 0 || read_filesystem(r, tree, cell, err) != 0)
        return -1;
    cell->status = (enum mb_cell_status)status;
    *measure_said = measure >= 0;
    cell->measure = measure >= 0 ? (enum mb_measure)measure : MB_MEASURE_SECONDS;
    return 0;
}

static int
take_params(struct mb_reader *r, cJSON *tree, struct mb_cell *cell, struct mb_error *err)
{
    cJSON *params = NULL;

    if (mb_reader_object(r, tree, "params", &params, err) != 0)
        return -1;
    cell->params = r->memory->no_params;
    if (params == NULL)
        return 0;
    cell->params = cJSON_DetachItemViaPointer(tree, params);
    return mb_reader_keep(r, params, err);
}

static int
take_cell(struct mb_reader *r, cJSON *tree, struct mb_error *err)
{
    struct mb_cell cell = {.run = r->run};
    bool measure_said;
    size_t index;

    if (read_cell(r, tree, &cell, &measure_said, err) != 0 || take_params(r, tree, &cell, err) != 0)
        return -1;
    index = find_cell(r, cell.name);
    if (index == SIZE_MAX && add_cell(r, &cell, &index) != 0)
        return no_memory(r, err);
    r->out->cells[index] = cell;
    r->memory->measure_said[index] = measure_said;
    return 0;
}

static int
unknown_cell(const struct mb_reader *r, const char *name, struct mb_error *err)
{
    const char *names[513];
    char shown[MB_PRINTABLE_MAX], near_shown[MB_PRINTABLE_MAX];
    size_t n = 0;

    for (size_t i = 0; i < r->out->cell_count && n < 512; i++) {
        if (r->out->cells[i].run == r->run)
            names[n++] = r->out->cells[i].name;
    }
    names[n] = NULL;
    const char *near = strlen(name) < 200 ? mb_nearest(name, names) : NULL;
    if (near == NULL)
        return mb_reader_fail(r, err, "cell", "no cell record '%s' comes before it", mb_printable(name, shown));
    return mb_reader_fail(r, err, "cell", "no cell record '%s' comes before it (did you mean '%s'?)", mb_printable(name, shown),
                          mb_printable(near, near_shown));
}

/* The cell that a sample or a check belongs to. */
static int
need_cell(const struct mb_reader *r, const cJSON *tree, size_t *cell, struct mb_error *err)
{
    const char *name;

    if (mb_reader_need_text(r, tree, "cell", &name, err) != 0)
        return -1;
    *cell = find_cell(r, name);
    return *cell != SIZE_MAX ? 0 : unknown_cell(r, name, err);
}

static int
read_latency(const struct mb_reader *r, const cJSON *tree, struct mb_latency *out, struct mb_error *err)
{
    cJSON *latency = NULL;

    if (mb_reader_object(r, tree, "latency_ns", &latency, err) != 0)
        return -1;
    if (latency == NULL)
        return 0;
    if (mb_reader_count(r, latency, "p50", EXACT_MAX, &out->p50_ns, err) != 0 ||
        mb_reader_count(r, latency, "p95", EXACT_MAX, &out->p95_ns, err) != 0 ||
        mb_reader_count(r, latency, "p99", EXACT_MAX, &out->p99_ns, err) != 0 ||
        mb_reader_count(r, latency, "max", EXACT_MAX, &out->max_ns, err) != 0)
        return -1;
    return 0;
}

static int
read_metrics(const struct mb_reader *r, const cJSON *tree, struct mb_sample *sample, struct mb_error *err)
{
    cJSON *metrics = NULL;
    const cJSON *item;
    size_t n = 0;

    if (mb_reader_object(r, tree, "metrics", &metrics, err) != 0)
        return -1;
    cJSON_ArrayForEach(item, metrics) n++;
    if (n == 0)
        return 0;
    sample->metrics = calloc(n, sizeof *sample->metrics);
    if (sample->metrics == NULL)
        return no_memory(r, err);
    cJSON_ArrayForEach(item, metrics)
    {
        if (cJSON_IsNull(item))
            continue;
        if (!cJSON_IsNumber(item) || !(item->valuedouble - item->valuedouble == 0))
            return mb_reader_fail(r, err, "metrics", "'%.60s' wants a finite number", item->string);
        struct mb_metric *metric = &sample->metrics[sample->metric_count++];
        metric->value = item->valuedouble;
        metric->name = mb_intern_text(&r->memory->text, item->string);
        if (metric->name == NULL)
            return no_memory(r, err);
    }
    return 0;
}

/* A duration that may be unknown: -1 then. */
static int
read_ns(const struct mb_reader *r, const cJSON *tree, const char *key, int64_t *out, struct mb_error *err)
{
    uint64_t value = UINT64_MAX;

    if (mb_reader_count(r, tree, key, EXACT_MAX, &value, err) != 0)
        return -1;
    *out = value == UINT64_MAX ? -1 : (int64_t)value;
    return 0;
}

static int
read_sample(const struct mb_reader *r, const cJSON *tree, struct mb_sample *s, struct mb_error *err)
{
    static const char *const statuses[] = {"ok", "failed", "timeout", NULL};
    int status = MB_SAMPLE_OK;
    uint64_t round = 0, order = 0;

    if (need_cell(r, tree, &s->cell, err) != 0 || mb_reader_count(r, tree, "round", UINT32_MAX, &round, err) != 0 ||
        mb_reader_count(r, tree, "order", UINT32_MAX, &order, err) != 0 ||
        mb_reader_bool(r, tree, "warmup", &s->warmup, err) != 0 || mb_reader_word(r, tree, "status", statuses, &status, err) != 0 ||
        mb_reader_text(r, tree, "reason", &s->reason, err) != 0 || read_ns(r, tree, "wall_ns", &s->wall_ns, err) != 0 ||
        read_ns(r, tree, "user_ns", &s->user_ns, err) != 0 || read_ns(r, tree, "sys_ns", &s->sys_ns, err) != 0 ||
        mb_reader_count(r, tree, "bytes", EXACT_MAX, &s->bytes, err) != 0 ||
        mb_reader_count(r, tree, "ops", EXACT_MAX, &s->ops, err) != 0 || read_latency(r, tree, &s->latency, err) != 0)
        return -1;
    s->round = (unsigned)round;
    s->order = (unsigned)order;
    s->status = (enum mb_sample_status)status;
    return read_metrics(r, tree, s, err);
}

static int
take_sample(struct mb_reader *r, cJSON *tree, struct mb_error *err)
{
    struct mb_results *out = r->out;
    struct mb_sample sample = {0};
    void *array = out->samples;

    if (read_sample(r, tree, &sample, err) != 0) {
        free(sample.metrics);
        return -1;
    }
    if (mb_reader_room(&array, out->sample_count, &r->memory->sample_cap, sizeof *out->samples) != 0) {
        free(sample.metrics);
        return no_memory(r, err);
    }
    out->samples = array;
    out->samples[out->sample_count++] = sample;
    return 0;
}

/* What a check expected or observed: text as it is, anything else as JSON. */
static int
read_any(const struct mb_reader *r, const cJSON *tree, const char *key, const char **out, struct mb_error *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(tree, key);

    if (item == NULL || cJSON_IsNull(item) || cJSON_IsString(item))
        return mb_reader_text(r, tree, key, out, err);
    char *text = cJSON_PrintUnformatted(item);
    *out = text != NULL ? mb_intern_text(&r->memory->text, text) : NULL;
    cJSON_free(text);
    return *out != NULL ? 0 : no_memory(r, err);
}

static int
take_check(struct mb_reader *r, cJSON *tree, struct mb_error *err)
{
    struct mb_results *out = r->out;
    struct mb_check check = {0};
    void *array = out->checks;

    if (need_cell(r, tree, &check.cell, err) != 0 || mb_reader_need_text(r, tree, "name", &check.name, err) != 0 ||
        mb_reader_need_text(r, tree, "outcome", &check.outcome, err) != 0 ||
        read_any(r, tree, "expected", &check.expected, err) != 0 || read_any(r, tree, "observed", &check.observed, err) != 0)
        return -1;
    if (mb_reader_room(&array, out->check_count, &r->memory->check_cap, sizeof *out->checks) != 0)
        return no_memory(r, err);
    out->checks = array;
    out->checks[out->check_count++] = check;
    return 0;
}

static int
take_end(struct mb_reader *r, cJSON *tree, struct mb_error *err)
{
    return mb_reader_need_text(r, tree, "status", &r->out->runs[r->run].end_status, err);
}

/* What is done with a record, and whether the tree is kept. */
static const struct record_type {
    const char *name;
    int (*take)(struct mb_reader *r, cJSON *tree, struct mb_error *err);
    bool keeps;
} record_types[] = {
    {"sample", take_sample, false}, {"cell", take_cell, false},   {"run", take_run, true},
    {"engine", take_engine, true},  {"check", take_check, false}, {"end", take_end, false},
};

int
mb_reader_record(struct mb_reader *r, cJSON *tree, struct mb_error *err)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(tree, "type");
    const struct record_type *row = NULL;

    r->record = "record";
    if (!cJSON_IsString(type)) {
        cJSON_Delete(tree);
        return mb_reader_fail(r, err, "type", "wants a string; this is no result file of mountbench");
    }
    for (size_t i = 0; row == NULL && i < sizeof record_types / sizeof record_types[0]; i++) {
        if (strcmp(record_types[i].name, type->valuestring) == 0)
            row = &record_types[i];
    }
    int rc = 0;
    if (row != NULL) {
        r->record = row->name;
        rc = row->take == take_run || r->run != SIZE_MAX ? row->take(r, tree, err)
                                                         : mb_reader_fail(r, err, NULL, "no run record comes before it");
    }
    if (row == NULL || !row->keeps || (row->take != take_run && r->run == SIZE_MAX))
        cJSON_Delete(tree);
    return rc;
}
