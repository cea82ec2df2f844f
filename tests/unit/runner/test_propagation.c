/* Propagation as the runner leads and counts it: one directory, a side that never hears, one that hears half, one that dies. */
#include "pair.h"

#define TIMEOUT_NS UINT64_C(20000000000)

static int
trial(uint64_t timeout_ns, cJSON **answer, struct mb_error *err)
{
    static uint64_t id;
    const struct mb_job_spec job = {.id = ++id, .workload = &workload, .dir = cell_dir, .timeout_ns = timeout_ns};

    *answer = NULL;
    return mb_propagation_trial(&session, &cell, &job, answer, err);
}

static cJSON *
good_trial(void)
{
    struct mb_error err = {0};
    cJSON *answer;

    ck_assert_msg(trial(TIMEOUT_NS, &answer, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_cell_ok(answer), "%s", cJSON_GetStringValue(cJSON_GetObjectItem(answer, "reason")));
    return answer;
}

static double
number(const cJSON *answer, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(answer, key);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static const char *const kinds[] = {"all", "create", "overwrite", "append", "rename", "remove"};
static const char *const looks[] = {"read", "stat"};

START_TEST(one_directory_shows_all_at_once)
{
    const char *const values[] = {"change", kinds[_i / 2], "look", looks[_i % 2], "changes", "7", "size", "10000B", NULL};

    make_one();
    make_cell("propagation", values, 0);
    ck_assert(cell.active);
    cJSON *answer = good_trial();
    ck_assert_double_eq(number(answer, "ops"), 14);
    ck_assert_double_eq(metric(answer, "to_container_lost"), 0);
    ck_assert_double_eq(metric(answer, "to_container_wrong"), 0);
    ck_assert_double_eq(metric(answer, "to_host_lost"), 0);
    ck_assert_double_eq(metric(answer, "to_host_wrong"), 0);
    ck_assert_double_gt(number(answer, "wall_ns"), 0);
    ck_assert_double_lt(number(answer, "wall_ns"), 1e9);
    ck_assert_double_eq(number(answer, "wall_ns"),
                        fmax(metric(answer, "to_host_median_ns"), metric(answer, "to_container_median_ns")));
    ck_assert_double_gt(metric(answer, "to_host_floor_ns"), 0);
    ck_assert_double_gt(metric(answer, "to_container_floor_ns"), 0);
    ck_assert_double_ge(metric(answer, "to_host_worst_ns"), metric(answer, "to_host_median_ns"));
    ck_assert_double_ge(metric(answer, "to_container_worst_ns"), metric(answer, "to_container_median_ns"));
    const cJSON *latency = cJSON_GetObjectItem(answer, "latency_ns");
    ck_assert_double_eq(number(latency, "p50"), number(answer, "wall_ns"));
    ck_assert_double_ge(number(latency, "max"), number(latency, "p95"));
    cJSON_Delete(answer);
    ck_assert_msg(shell("test -z \"$(ls in/cell in/cell-host | grep ^t)\"") == 0, "files of the trial are left");
    mb_propagation_clean(&session, &cell);
    ck_assert_int_eq(shell("test ! -e in/cell-host"), 0);
    ck_assert(!recorded("check", "propagation"));
    end_cell();
}
END_TEST

START_TEST(one_direction_alone)
{
    static const char *const values[] = {"direction", "to-host", "changes", "3", NULL};

    make_one();
    make_cell("propagation", values, 0);
    cJSON *answer = good_trial();
    ck_assert_double_eq(number(answer, "ops"), 3);
    ck_assert(isnan(metric(answer, "to_container_median_ns")));
    ck_assert_double_gt(metric(answer, "to_host_median_ns"), 0);
    cJSON_Delete(answer);
    end_cell();
}
END_TEST

/* What the container writes is copied to the host, and nothing the other way: the container never hears. */
START_TEST(what_never_comes_is_lost)
{
    static const char *const values[] = {"direction", "to-container", "change", "create", "changes", "3", "limit", "400ms", NULL};

    copy_always();
    ck_assert_int_eq(shell("mkdir in/cell-host && echo made by mountbench-probe >in/cell-host/.mountbench-probe"), 0);
    make_cell("propagation", values, 0);
    ck_assert(cell.active);
    cJSON *answer = good_trial();
    ck_assert_int_eq(shell("touch stop"), 0);
    ck_assert_double_eq(number(answer, "ops"), 3);
    ck_assert_double_eq(metric(answer, "to_container_lost"), 3);
    ck_assert_double_eq(metric(answer, "to_container_wrong"), 0);
    ck_assert_double_eq(metric(answer, "to_container_median_ns"), 4e8);
    ck_assert_double_eq(number(answer, "wall_ns"), 4e8);
    cJSON_Delete(answer);
    ck_assert(recorded("\"outcome\":\"fail\"", "3 of 3 lost, 0 seen wrong; to the container, create was not seen in time"));
    end_cell();
}
END_TEST

START_TEST(a_directory_that_never_comes_makes_it_unavailable)
{
    static const char *const values[] = {NULL};

    copy_always();
    make_cell("propagation", values, 0);
    ck_assert_int_eq(shell("touch stop"), 0);
    ck_assert(!cell.active && !cell.failed);
    ck_assert(recorded("\"status\":\"unavailable\"", "the container does not see the directory that the host made there"));
    end_cell();
}
END_TEST

/* What the container wrote reaches the host in two steps: half of the new bytes before all of them. */
START_TEST(half_of_it_is_seen_wrong)
{
    static const char *const values[] = {"direction", "to-host", "change", "overwrite", "changes", "2", "size", "1000B", NULL};

    copy_always();
    make_cell("propagation", values, 0);
    ck_assert_int_eq(
        shell("touch stop; sleep 0.3; (while [ ! -e end ]; do cd in/cell; for f in t*; do cmp -s $f ../../out/cell/$f || "
              "{ head -c 500 $f | dd of=../../out/cell/$f conv=notrunc 2>/dev/null; sleep 0.1; "
              "cp $f ../../out/cell/$f; }; done; cd ../..; sleep 0.02; done) >/dev/null 2>&1 &"),
        0);
    cJSON *answer = good_trial();
    ck_assert_int_eq(shell("touch end"), 0);
    ck_assert_double_eq(metric(answer, "to_host_lost"), 0);
    ck_assert_double_eq(metric(answer, "to_host_wrong"), 2);
    ck_assert_double_ge(metric(answer, "to_host_median_ns"), 5e7);
    cJSON_Delete(answer);
    ck_assert(recorded("0 of 2 lost, 2 seen wrong; to the host, overwrite was seen wrong: ",
                       "1000 bytes, the first 500 as after the change and the first 0 as before it; it was 1000 and is 1000"));
    end_cell();
}
END_TEST

START_TEST(a_host_probe_that_dies_fails_the_trial_alone)
{
    static const char *const values[] = {"changes", "3", NULL};
    struct mb_error err = {0};
    cJSON *answer;

    make_one();
    make_cell("propagation", values, 0);
    kill(station.host.channel.pid, SIGKILL);
    ck_assert_int_eq(trial(TIMEOUT_NS, &answer, &err), 0);
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(answer, "status")), "failed");
    ck_assert(!station.host.open);
    cJSON_Delete(answer);
    ck_assert_int_eq(trial(TIMEOUT_NS, &answer, &err), 0);
    ck_assert_ptr_nonnull(strstr(cJSON_GetStringValue(cJSON_GetObjectItem(answer, "reason")), "went away"));
    cJSON_Delete(answer);
    mb_propagation_clean(&session, &cell);
    ck_assert_int_eq(shell("test ! -e in/cell-host"), 0);
    end_cell();
}
END_TEST

START_TEST(a_container_probe_that_dies_is_the_stations_trouble)
{
    static const char *const values[] = {"changes", "3", NULL};
    struct mb_error err = {0};
    cJSON *answer;

    make_one();
    make_cell("propagation", values, 0);
    kill(station.channel.pid, SIGKILL);
    ck_assert_int_eq(trial(TIMEOUT_NS, &answer, &err), -1);
    ck_assert_ptr_null(answer);
    ck_assert_ptr_nonnull(strstr(err.message, "went away"));
    end_cell();
}
END_TEST

START_TEST(a_trial_has_its_time_limit)
{
    static const char *const values[] = {"changes", "10000", NULL};
    struct mb_error err = {0};
    cJSON *answer;

    make_one();
    make_cell("propagation", values, 0);
    ck_assert_int_eq(trial(50000000, &answer, &err), 0);
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(answer, "status")), "timeout");
    ck_assert_ptr_nonnull(strstr(cJSON_GetStringValue(cJSON_GetObjectItem(answer, "reason")), "set 'timeout', or fewer 'changes'"));
    cJSON_Delete(answer);
    ck_assert_msg(shell("test -z \"$(ls in/cell in/cell-host | grep ^t)\"") == 0, "files of the trial are left");
    end_cell();
}
END_TEST

START_TEST(a_mount_with_one_side_is_unavailable)
{
    static const char *const values[] = {NULL};

    free(station.host_dir);
    station.host_dir = NULL;
    mount.type = MB_MOUNT_VOLUME;
    make_cell("propagation", values, 0);
    ck_assert(!cell.active && !cell.available && !cell.failed);
    ck_assert(recorded("\"status\":\"unavailable\"", "a volume is no directory of this machine"));
    end_cell();
}
END_TEST

int
main(void)
{
    signal(SIGPIPE, SIG_IGN); /* as the driver does */
    Suite *suite = suite_create("propagation");
    TCase *tcase = tcase_create("propagation");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, one_directory_shows_all_at_once, 0, 12);
    tcase_add_test(tcase, one_direction_alone);
    tcase_add_test(tcase, what_never_comes_is_lost);
    tcase_add_test(tcase, a_directory_that_never_comes_makes_it_unavailable);
    tcase_add_test(tcase, half_of_it_is_seen_wrong);
    tcase_add_test(tcase, a_host_probe_that_dies_fails_the_trial_alone);
    tcase_add_test(tcase, a_container_probe_that_dies_is_the_stations_trouble);
    tcase_add_test(tcase, a_trial_has_its_time_limit);
    tcase_add_test(tcase, a_mount_with_one_side_is_unavailable);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
