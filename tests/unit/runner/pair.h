/*
 * pair.h: a station whose two sides are directories of this machine that only pretend to be one, for the tests of what the runner
 * makes of them: what is the same, late, stale or changed on the way is the test's to decide.
 */
#ifndef MB_TEST_RUNNER_PAIR_H
#define MB_TEST_RUNNER_PAIR_H

#include <check.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "runner/host_visible.h"
#include "runner/propagation.h"
#include "support/engines.h"

static char root[128], inside[160], outside[160], output[160];
static struct mb_mount_spec mount;
static struct mb_station station;

static int
shell(const char *command)
{
    char line[1024];

    snprintf(line, sizeof line, "cd %s && %s", root, command);
    return system(line);
}

static void
set_up(void)
{
    struct mb_error err = {0};

    mb_test_dir(root, sizeof root);
    snprintf(inside, sizeof inside, "%s/in", root);
    snprintf(outside, sizeof outside, "%s/out", root);
    snprintf(output, sizeof output, "%s/r.jsonl", root);
    ck_assert_int_eq(shell("mkdir in out"), 0);
    mount = (struct mb_mount_spec){.name = strdup("bind"), .type = MB_MOUNT_BIND};
    station = (struct mb_station){
        .spec = &mount, .base = strdup(inside), .host_dir = strdup(outside), .channel = {.fd = -1}, .status = MB_STATION_READY};
    ck_assert_int_eq(mb_channel_fork(&station.channel, &err), 0);
}

static void
tear_down(void)
{
    mb_channel_close(&station.channel);
    mb_station_close(&station, NULL);
    free(mount.name);
    free(mount.path);
    mb_test_remove(root);
}

/* Both sides are one directory; or the other side is a copy, kept equal by a loop of the test's until "stop" is there. */
static void
make_one(void)
{
    ck_assert_int_eq(shell("rmdir out && ln -s in out"), 0);
}

static void
copy_always(void)
{
    ck_assert_int_eq(shell("(while [ ! -e stop ]; do cp -r in/. out 2>/dev/null; sleep 0.05; done) >/dev/null 2>&1 &"), 0);
}

/* A cell on the station: its directory made as a run makes it. */
static struct mb_workload_spec workload;
static struct mb_engine_spec engine;
static struct mb_matrix matrix;
static struct mb_cell_spec spec;
static struct mb_session session;
static struct mb_run_options options;
static struct mb_run_cell cell;
static char cell_dir[256];

static void
set_param(const char *name, const char *text)
{
    struct mb_error err = {0};
    size_t i = 0;

    while (workload.kind->params[i].name != NULL && strcmp(workload.kind->params[i].name, name) != 0)
        i++;
    ck_assert_ptr_nonnull(workload.kind->params[i].name);
    ck_assert_msg(mb_param_parse(&workload.kind->params[i], text, &workload.values[i], &err) == 0, "%s", err.message);
}

/* ${values}: pairs of names and texts, ended by NULL. */
static void
make_cell(const char *kind, const char *const *values, uint64_t limit_ns)
{
    struct mb_error err = {0};
    cJSON *answer;

    workload = (struct mb_workload_spec){.name = strdup("w"), .kind = mb_workload_find(kind), .host_visible_ns = limit_ns};
    for (size_t i = 0; workload.kind->params[i].name != NULL; i++)
        set_param(workload.kind->params[i].name, workload.kind->params[i].fallback);
    for (; *values != NULL; values += 2)
        set_param(values[0], values[1]);
    engine = (struct mb_engine_spec){.name = strdup("e")};
    matrix = (struct mb_matrix){.workloads = &workload, .mounts = &mount, .engines = &engine, .cells = &spec, .cell_count = 1};
    options = (struct mb_run_options){.matrix = &matrix};
    session = (struct mb_session){.options = &options, .matrix = &matrix};
    snprintf(cell_dir, sizeof cell_dir, "%s/cell", inside);
    cell = (struct mb_run_cell){
        .spec = &spec, .station = &station, .name = strdup("e/bind/w"), .dir = cell_dir, .active = true, .available = true};
    ck_assert_msg(mb_result_create(output, &session.writer, &err) == 0, "%s", err.message);
    const struct mb_job_spec job = {.workload = &workload, .dir = cell_dir, .timeout_ns = UINT64_C(10000000000)};
    ck_assert_msg(mb_client_job(&station.channel, "prepare", &job, &answer, &err) == 0, "%s", err.message);
    cJSON_Delete(answer);
    ck_assert_msg(mb_propagation_open(&session, &cell, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_host_visible_open(&session, &cell, &err) == 0, "%s", err.message);
}

static void
end_cell(void)
{
    mb_result_close(session.writer);
    free(cell.name);
    free(workload.name);
    free(engine.name);
}

static double
metric(const cJSON *answer, const char *name)
{
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(answer, "metrics");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(metrics, name);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* Whether the result file has a line with both texts; what was written is whole lines at once. */
static bool
recorded(const char *one, const char *other)
{
    static char line[65536];
    FILE *f = fopen(output, "r");
    bool found = false;

    ck_assert_ptr_nonnull(f);
    while (!found && fgets(line, sizeof line, f) != NULL)
        found = strstr(line, one) != NULL && strstr(line, other) != NULL;
    fclose(f);
    return found;
}

#endif
