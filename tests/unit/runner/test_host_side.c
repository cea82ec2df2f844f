/*
 * The other side of a mount, with two directories of this machine that only pretend to be one: what is the same, late, stale or
 * changed on the way is the test's to decide.  A mount whose two sides differ cannot be had otherwise.
 */
#include <check.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "runner/host_visible.h"
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
make_cell(uint64_t limit_ns)
{
    struct mb_error err = {0};
    cJSON *answer;

    workload = (struct mb_workload_spec){.name = strdup("w"), .kind = mb_workload_find("seq-write"), .host_visible_ns = limit_ns};
    for (size_t i = 0; workload.kind->params[i].name != NULL; i++)
        ck_assert_int_eq(mb_param_parse(&workload.kind->params[i], workload.kind->params[i].fallback, &workload.values[i], &err),
                         0);
    workload.values[0] = 4096;  /* block */
    workload.values[1] = 65536; /* total */
    workload.values[2] = 4;     /* files */
    engine = (struct mb_engine_spec){.name = strdup("e")};
    matrix = (struct mb_matrix){.workloads = &workload, .mounts = &mount, .engines = &engine, .cells = &spec, .cell_count = 1};
    options = (struct mb_run_options){.matrix = &matrix};
    session = (struct mb_session){.options = &options, .matrix = &matrix};
    snprintf(cell_dir, sizeof cell_dir, "%s/cell", inside);
    cell = (struct mb_run_cell){.spec = &spec, .station = &station, .name = strdup("e/bind/w"), .dir = cell_dir};
    ck_assert_msg(mb_result_create(output, &session.writer, &err) == 0, "%s", err.message);
    const struct mb_job_spec job = {.workload = &workload, .dir = cell_dir, .timeout_ns = UINT64_C(10000000000)};
    ck_assert_msg(mb_client_job(&station.channel, "prepare", &job, &answer, &err) == 0, "%s", err.message);
    cJSON_Delete(answer);
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

/* One trial; the sample's answer. */
static cJSON *
trial(uint64_t id, const char *between)
{
    const struct mb_job_spec job = {
        .id = id, .workload = &workload, .dir = cell_dir, .timeout_ns = UINT64_C(10000000000), .keep = true};
    struct mb_error err = {0};
    cJSON *answer;

    ck_assert(mb_host_visible_wanted(&session, &cell));
    ck_assert_msg(mb_client_job(&station.channel, "run", &job, &answer, &err) == 0, "%s", err.message);
    ck_assert(mb_cell_ok(answer));
    uint64_t end_ns = mb_now_ns();
    if (between != NULL)
        ck_assert_int_eq(shell(between), 0);
    ck_assert_msg(mb_host_visible_measure(&session, &cell, &job, end_ns, answer, &err) == 0, "%s", err.message);
    return answer;
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

START_TEST(one_directory_is_seen_at_once)
{
    make_one();
    make_cell(UINT64_C(5000000000));
    cJSON *answer = trial(1, NULL);
    ck_assert_double_eq(metric(answer, "host_lost"), 0);
    ck_assert_double_eq(metric(answer, "host_wrong"), 0);
    ck_assert_double_ge(metric(answer, "host_visible_ns"), 0);
    ck_assert_double_lt(metric(answer, "host_visible_ns"), 1e9);
    ck_assert_double_ge(metric(answer, "host_checked_ns"), metric(answer, "host_visible_ns"));
    cJSON_Delete(answer);
    ck_assert_msg(shell("test ! -e in/cell/run-1 && test -e in/cell/.mountbench-probe") == 0, "the trial's files are still there");
    ck_assert(!recorded("check", "host_visible"));
    end_cell();
}
END_TEST

START_TEST(a_copy_that_comes_later_is_waited_for)
{
    copy_always();
    make_cell(UINT64_C(20000000000));
    ck_assert(station.host.open);
    cJSON *answer = trial(1, "touch stop; sleep 0.2; (sleep 0.3; cp -r in/. out) >/dev/null 2>&1 &");
    ck_assert_double_eq(metric(answer, "host_lost"), 0);
    ck_assert_double_lt(metric(answer, "host_visible_ns"), 15e9);
    cJSON_Delete(answer);
    end_cell();
}
END_TEST

START_TEST(what_never_comes_is_lost)
{
    copy_always();
    make_cell(UINT64_C(100000000));
    ck_assert(station.host.open);
    cJSON *answer = trial(1, "touch stop; sleep 0.2; rm -rf out/cell");
    ck_assert_double_eq(metric(answer, "host_lost"), 4);
    ck_assert_double_eq(metric(answer, "host_wrong"), 0);
    ck_assert(isnan(metric(answer, "host_visible_ns")));
    ck_assert_int_eq(shell("test ! -e in/cell/run-1"), 0);
    cJSON_Delete(answer);
    ck_assert(recorded("\"outcome\":\"fail\"", "4 files not or not whole and 0 with other content; run-1/0: is not there"));
    end_cell();
}
END_TEST

START_TEST(other_bytes_are_wrong)
{
    copy_always();
    make_cell(UINT64_C(100000000));
    cJSON *answer =
        trial(1, "touch stop; sleep 0.2; cp -r in/. out; printf x | dd of=out/cell/run-1/3 bs=1 seek=7 conv=notrunc 2>/dev/null");
    ck_assert_double_eq(metric(answer, "host_lost"), 0);
    ck_assert_double_eq(metric(answer, "host_wrong"), 1);
    cJSON_Delete(answer);
    ck_assert(recorded("host_visible", "run-1/3: wrong content at byte 7: expected 0x00, got 0x78"));
    end_cell();
}
END_TEST

START_TEST(another_directory_is_not_believed)
{
    /* An NFS server may export something else than the matrix says. */
    mount.type = MB_MOUNT_NFS;
    mount.path = strdup(outside);
    make_cell(UINT64_C(5000000000));
    ck_assert(!station.host.open);
    ck_assert(!mb_host_visible_wanted(&session, &cell));
    ck_assert_ptr_nonnull(strstr(station.host.reason, "it is not the same directory"));
    ck_assert(recorded("\"outcome\":\"unsupported\"", "it is not the same directory"));
    end_cell();
}
END_TEST

static const struct {
    enum mb_mount_type type;
    const char *path, *reason;
} without[] = {
    {MB_MOUNT_LAYER, NULL, "a container's own layer is no directory of this machine"},
    {MB_MOUNT_VOLUME, NULL, "a volume is no directory of this machine"},
    {MB_MOUNT_TMPFS, NULL, "a tmpfs is no directory of this machine"},
    {MB_MOUNT_PATH, "/srv", "a path on the engine's machine is not known to be one of this machine"},
    {MB_MOUNT_NFS, NULL, "the mount does not say which directory of this machine the server exports: its key 'path'"},
    {MB_MOUNT_NFS, "/nowhere/at/all", "the mount's 'path' is no directory of this machine"},
};

START_TEST(a_mount_without_a_host_side_says_so)
{
    free(station.host_dir);
    station.host_dir = NULL;
    mount.type = without[_i].type;
    mount.path = without[_i].path != NULL ? strdup(without[_i].path) : NULL;
    make_cell(UINT64_C(5000000000));
    ck_assert(!station.host.open);
    ck_assert_str_eq(station.host.reason, without[_i].reason);
    ck_assert(recorded("\"outcome\":\"unsupported\"", without[_i].reason));
    end_cell();
}
END_TEST

START_TEST(a_host_probe_that_dies_costs_the_figure_alone)
{
    make_one();
    make_cell(UINT64_C(5000000000));
    char command[64];
    snprintf(command, sizeof command, "kill -9 %d", (int)station.host.channel.pid);
    cJSON *answer = trial(1, command);
    ck_assert(mb_cell_ok(answer));
    ck_assert(isnan(metric(answer, "host_visible_ns")));
    cJSON_Delete(answer);
    ck_assert(!mb_host_visible_wanted(&session, &cell));
    ck_assert_int_eq(shell("test ! -e in/cell/run-1"), 0);
    ck_assert(recorded("\"outcome\":\"error\"", "went away"));
    end_cell();
}
END_TEST

START_TEST(nobody_asked)
{
    make_one();
    make_cell(0);
    ck_assert(!station.host.open);
    ck_assert(!mb_host_visible_wanted(&session, &cell));
    ck_assert_int_eq(station.host.channel.pid, 0);
    end_cell();
}
END_TEST

int
main(void)
{
    signal(SIGPIPE, SIG_IGN); /* as the driver does */
    Suite *suite = suite_create("host_side");
    TCase *tcase = tcase_create("host_side");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, one_directory_is_seen_at_once);
    tcase_add_test(tcase, a_copy_that_comes_later_is_waited_for);
    tcase_add_test(tcase, what_never_comes_is_lost);
    tcase_add_test(tcase, other_bytes_are_wrong);
    tcase_add_test(tcase, another_directory_is_not_believed);
    tcase_add_loop_test(tcase, a_mount_without_a_host_side_says_so, 0, sizeof without / sizeof without[0]);
    tcase_add_test(tcase, a_host_probe_that_dies_costs_the_figure_alone);
    tcase_add_test(tcase, nobody_asked);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
