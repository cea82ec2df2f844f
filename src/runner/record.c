/* record.c: objects in the order in which a person reads them. */
#include "runner/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/clock.h"
#include "mountbench/probe.h"
#include "mountbench/process.h"
#include "runner/expect.h"

static cJSON *
new_record(const char *type)
{
    cJSON *record = cJSON_CreateObject();
    cJSON_AddStringToObject(record, "type", type);
    return record;
}

/* An id of the probe's build (FNV-1a of its bytes), so that figures of two builds are not taken for figures of one. */
static void
probe_build(char out[20])
{
    uint64_t h = UINT64_C(14695981039346656037);
    size_t size;
    const unsigned char *bytes = mb_probe_binary("amd64", &size);

    for (size_t i = 0; i < size; i++)
        h = (h ^ bytes[i]) * UINT64_C(1099511628211);
    snprintf(out, 20, "%016" PRIx64, h);
}

cJSON *
mb_record_run(const struct mb_run_options *options, const char *id)
{
    const struct mb_matrix *m = options->matrix;
    cJSON *record = new_record("run");
    char now[MB_TIMESTAMP_MAX];
    char build[20];

    probe_build(build);
    cJSON_AddNumberToObject(record, "schema", MB_RESULT_SCHEMA);
    cJSON_AddStringToObject(record, "id", id);
    cJSON_AddStringToObject(record, "started_at", mb_timestamp(now));
    cJSON *tool = cJSON_AddObjectToObject(record, "tool");
    cJSON_AddStringToObject(tool, "name", "mountbench");
    cJSON_AddStringToObject(tool, "version", MB_VERSION);
    cJSON_AddStringToObject(tool, "probe", build);
    cJSON *matrix = cJSON_AddObjectToObject(record, "matrix");
    cJSON_AddStringToObject(matrix, "name", m->name);
    cJSON_AddStringToObject(matrix, "sha256", m->sha256);
    if (*m->scale != '\0')
        cJSON_AddStringToObject(matrix, "scale", m->scale);
    cJSON_AddNumberToObject(record, "seed", (double)options->seed);
    cJSON_AddNumberToObject(record, "rounds", m->rounds);
    cJSON_AddNumberToObject(record, "warmup", m->warmup);
    if (options->command != NULL)
        cJSON_AddStringToObject(record, "command", options->command);
    cJSON_AddItemToObject(record, "host", mb_record_host());
    return record;
}

cJSON *
mb_record_engine(const struct mb_engine_spec *spec, const struct mb_engine *engine)
{
    const struct mb_engine_facts *f = mb_engine_facts(engine);
    cJSON *record = new_record("engine");

    cJSON_AddStringToObject(record, "engine", spec->name);
    cJSON_AddStringToObject(record, "endpoint", mb_engine_endpoint(engine)->url);
    cJSON_AddStringToObject(record, "runtime", mb_runtime_name(f->runtime));
    cJSON_AddStringToObject(record, "runtime_version", f->runtime_version);
    cJSON_AddStringToObject(record, "engine_version", f->engine_version);
    cJSON_AddStringToObject(record, "api_version", f->api_version);
    cJSON_AddStringToObject(record, "os", f->os);
    cJSON_AddStringToObject(record, "kernel", f->kernel);
    cJSON_AddStringToObject(record, "arch", f->arch);
    cJSON_AddNumberToObject(record, "cpus", (double)f->cpus);
    cJSON_AddNumberToObject(record, "memory_bytes", (double)f->memory_bytes);
    cJSON_AddStringToObject(record, "storage_driver", f->storage_driver);
    if (spec->settings != NULL)
        cJSON_AddItemToObject(record, "settings", cJSON_Duplicate(spec->settings, 1));
    return record;
}

static void
add_line(cJSON *params, const char *key, char *const *argv)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(65536);

    if (argv == NULL)
        return;
    mb_process_line((const char *const *)argv, &line);
    cJSON_AddStringToObject(params, key, mb_buffer_text(&line));
}

/* What it ran, as a person would type it. */
static void
add_exec(cJSON *params, const struct mb_exec_spec *exec)
{
    add_line(params, "command", exec->command);
    add_line(params, "setup", exec->setup);
    add_line(params, "cleanup", exec->cleanup);
    add_line(params, "environment", exec->environment);
    if (exec->working_dir != NULL)
        cJSON_AddStringToObject(params, "working_dir", exec->working_dir);
    cJSON_AddStringToObject(params, exec->build != NULL ? "build" : "image", exec->build != NULL ? exec->build : exec->image);
}

static cJSON *
params_of(const struct mb_workload_spec *workload)
{
    cJSON *params = cJSON_CreateObject();

    for (size_t i = 0; workload->kind->params[i].name != NULL; i++) {
        const struct mb_param *p = &workload->kind->params[i];
        if (p->type == MB_PARAM_CHOICE)
            cJSON_AddStringToObject(params, p->name, p->choices[workload->values[i]]);
        else if (p->type == MB_PARAM_BOOL)
            cJSON_AddBoolToObject(params, p->name, workload->values[i] != 0);
        else
            cJSON_AddNumberToObject(params, p->name, (double)workload->values[i]);
    }
    if (workload->exec != NULL)
        add_exec(params, workload->exec);
    else
        cJSON_AddNumberToObject(params, "data_seed", MB_DATA_SEED);
    return params;
}

static const char *const cell_status[] = {"ready", "unavailable", "skipped"};

cJSON *
mb_record_cell(const struct mb_matrix *matrix, const struct mb_cell_spec *cell, enum mb_cell_status status, const char *reason,
               const struct mb_mount_facts *facts)
{
    const struct mb_mount_spec *mount = &matrix->mounts[cell->mount];
    const struct mb_workload_spec *workload = &matrix->workloads[cell->workload];
    char *name = mb_matrix_cell_name(matrix, cell);
    cJSON *record = new_record("cell");
    char technology[MB_TECHNOLOGY_MAX];

    cJSON_AddStringToObject(record, "cell", name != NULL ? name : "");
    free(name);
    cJSON_AddStringToObject(record, "engine", matrix->engines[cell->engine].name);
    cJSON_AddStringToObject(record, "mount", mount->name);
    cJSON_AddStringToObject(record, "mount_type", mb_mount_type_name(mount->type));
    cJSON_AddStringToObject(record, "workload", workload->name);
    cJSON_AddStringToObject(record, "kind", workload->kind->name);
    cJSON_AddStringToObject(record, "measure", mb_measure_name(mb_workload_measure(workload)));
    cJSON_AddStringToObject(record, "unit", mb_workload_unit(workload));
    cJSON_AddStringToObject(record, "status", cell_status[status]);
    if (reason != NULL)
        cJSON_AddStringToObject(record, "reason", reason);
    if (facts != NULL && facts->fstype != NULL) {
        cJSON *fs = cJSON_AddObjectToObject(record, "filesystem");
        cJSON_AddStringToObject(fs, "technology", mb_technology_name(facts, technology));
        cJSON_AddStringToObject(fs, "fstype", facts->fstype);
        cJSON_AddStringToObject(fs, "source", facts->source);
        cJSON_AddStringToObject(fs, "options", facts->options);
        cJSON_AddStringToObject(fs, "super_options", facts->super_options);
        cJSON_AddStringToObject(fs, "device", facts->device);
        cJSON_AddStringToObject(fs, "root", facts->root);
    }
    cJSON_AddItemToObject(record, "params", params_of(workload));
    return record;
}

static cJSON *
new_sample(const struct mb_trial_place *place, const char *status, const char *reason)
{
    cJSON *record = new_record("sample");

    cJSON_AddStringToObject(record, "cell", place->cell);
    cJSON_AddNumberToObject(record, "round", place->round);
    cJSON_AddNumberToObject(record, "order", place->order);
    cJSON_AddBoolToObject(record, "warmup", place->warmup);
    cJSON_AddStringToObject(record, "status", status);
    if (reason != NULL)
        cJSON_AddStringToObject(record, "reason", reason);
    cJSON_AddStringToObject(record, "started_at", place->started_at);
    return record;
}

/* Copy the number ${key} if the answer has one that JSON can hold. */
static void
copy_number(cJSON *to, const cJSON *from, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);
    if (cJSON_IsNumber(item) && isfinite(item->valuedouble))
        cJSON_AddNumberToObject(to, key, item->valuedouble);
}

static void
copy_numbers(cJSON *to, const cJSON *from, const char *key)
{
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(from, key);
    const cJSON *item;
    cJSON *copy;

    if (!cJSON_IsObject(object) || object->child == NULL)
        return;
    copy = cJSON_AddObjectToObject(to, key);
    cJSON_ArrayForEach(item, object) copy_number(copy, object, item->string);
}

cJSON *
mb_record_sample(const struct mb_trial_place *place, const cJSON *answer)
{
    static const char *const numbers[] = {"wall_ns", "user_ns", "sys_ns", "bytes", "ops"};
    const char *status = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, "status"));
    const char *reason = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, "reason"));

    if (strcmp(status, "ok") != 0)
        return mb_record_failed(place, strcmp(status, "timeout") == 0 ? "timeout" : "failed",
                                reason != NULL ? reason : "the probe gave no reason");
    cJSON *record = new_sample(place, "ok", NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        copy_number(record, answer, numbers[i]);
    copy_numbers(record, answer, "latency_ns");
    copy_numbers(record, answer, "metrics");
    return record;
}

cJSON *
mb_record_failed(const struct mb_trial_place *place, const char *status, const char *reason)
{
    return new_sample(place, status, reason);
}

cJSON *
mb_record_check(const char *cell, const char *name, const char *outcome, const char *expected, const char *observed)
{
    cJSON *record = new_record("check");

    cJSON_AddStringToObject(record, "cell", cell);
    cJSON_AddStringToObject(record, "name", name);
    cJSON_AddStringToObject(record, "outcome", outcome);
    cJSON_AddStringToObject(record, "expected", expected);
    cJSON_AddStringToObject(record, "observed", observed);
    return record;
}

cJSON *
mb_record_end(bool complete)
{
    cJSON *record = new_record("end");
    char now[MB_TIMESTAMP_MAX];

    cJSON_AddStringToObject(record, "status", complete ? "complete" : "interrupted");
    cJSON_AddStringToObject(record, "finished_at", mb_timestamp(now));
    return record;
}
