/* test_sides.c: what is measured on both sides of a mount, with a real dockerd and a real podman: bind has a host's side, others
 * none.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mountbench/runner.h"
#include "mountbench/signals.h"
#include "support/engines.h"

enum { DOCKER, PODMAN };

static struct mb_test_engine servers[2];
static char root[128], file[192], output[192];

static void
start_servers(void)
{
    mb_test_engine_start("dockerd", NULL, &servers[DOCKER]);
    mb_test_engine_start("podman", NULL, &servers[PODMAN]);
}

static void
stop_servers(void)
{
    mb_test_engine_stop(&servers[DOCKER]);
    mb_test_engine_stop(&servers[PODMAN]);
}

static void
make_root(void)
{
    mb_test_dir(root, sizeof root);
    snprintf(file, sizeof file, "%s/m.yaml", root);
    snprintf(output, sizeof output, "%s/out.jsonl", root);
}

static void
remove_root(void)
{
    mb_test_remove(root);
}

/* Run the matrix ${text} on ${server} and read what came of it. */
static struct mb_results *
results_of_run(int server, const char *text, struct mb_run_outcome *outcome)
{
    const char *const engines[] = {servers[server].url, NULL};
    const struct mb_matrix_filter filter = {.engines = engines};
    const char *files = output;
    struct mb_error err = {0};
    struct mb_matrix *matrix;
    struct mb_results *results;
    FILE *f = fopen(file, "w");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
    ck_assert_msg(mb_matrix_load(file, &filter, &matrix, &err) == 0, "%s", err.message);
    const struct mb_run_options options = {.matrix = matrix, .seed = 1, .dir = root, .output = output};
    ck_assert_msg(mb_run(&options, outcome, &err) == 0, "%s", err.message);
    mb_matrix_free(matrix);
    ck_assert_msg(mb_results_read(&files, 1, &results, &err) == 0, "%s", err.message);
    return results;
}

static bool
ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The metric ${name} of the ${i}th timed sample of the cell whose name ends in ${cell}; NaN where there is none. */
static double
metric(const struct mb_results *r, const char *cell, size_t i, const char *name)
{
    for (size_t k = 0; k < r->sample_count; k++) {
        const struct mb_sample *s = &r->samples[k];
        if (s->warmup || !ends_with(r->cells[s->cell].name, cell) || i-- > 0)
            continue;
        for (size_t m = 0; m < s->metric_count; m++) {
            if (strcmp(s->metrics[m].name, name) == 0)
                return s->metrics[m].value;
        }
        return NAN;
    }
    return NAN;
}

/* What the check ${name} of the cell whose name ends in ${cell} observed; NULL where there is none. */
static const char *
observed(const struct mb_results *r, const char *cell, const char *name)
{
    for (size_t i = 0; i < r->check_count; i++) {
        if (ends_with(r->cells[r->checks[i].cell].name, cell) && strcmp(r->checks[i].name, name) == 0)
            return r->checks[i].observed;
    }
    return NULL;
}

START_TEST(the_host_holds_what_a_bind_was_written)
{
    static const char text[] = "mounts: [bind, {name: fresh, type: bind, isolation: trial}, volume, host]\n"
                               "workloads:\n"
                               "  - {name: seen, type: seq-write, block: 64KiB, total: 4MiB, files: 4, source: random,\n"
                               "     host_visible: 30s}\n"
                               "  - {name: plain, type: seq-write, block: 64KiB, total: 4MiB}\n"
                               "rounds: 3\n";
    static const char *const sides[] = {"/bind/seen", "/fresh/seen", "/host/seen"};
    struct mb_run_outcome outcome;

    if (servers[_i].pid == 0)
        return;
    struct mb_results *r = results_of_run(_i, text, &outcome);
    ck_assert_uint_eq(outcome.samples, 24);
    ck_assert_uint_eq(outcome.cells_failed, 0);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            ck_assert_double_ge(metric(r, sides[i], k, "host_visible_ns"), 0);
            ck_assert_double_lt(metric(r, sides[i], k, "host_visible_ns"), 10e9 * mb_test_slowness());
            ck_assert_double_eq(metric(r, sides[i], k, "host_lost"), 0);
            ck_assert_double_eq(metric(r, sides[i], k, "host_wrong"), 0);
        }
        ck_assert_ptr_null(observed(r, sides[i], "host_visible"));
    }
    ck_assert_str_eq(observed(r, "/volume/seen", "host_visible"), "a volume is no directory of this machine");
    ck_assert(isnan(metric(r, "/volume/seen", 0, "host_visible_ns")));
    ck_assert(isnan(metric(r, "/bind/plain", 0, "host_visible_ns")));
    ck_assert_ptr_null(observed(r, "/bind/plain", "host_visible"));
    mb_results_free(r);
}
END_TEST

START_TEST(changes_show_on_both_sides_of_a_bind)
{
    static const char text[] = "mounts: [bind, {name: fresh, type: bind, isolation: trial}, host, volume, layer]\n"
                               "workloads:\n"
                               "  - {name: read, type: propagation, changes: 10}\n"
                               "  - {name: stat, type: propagation, changes: 10, look: stat, direction: to-container}\n"
                               "rounds: 2\n";
    static const char *const sides[] = {"/bind/read", "/fresh/read", "/host/read", "/bind/stat", "/fresh/stat", "/host/stat"};
    struct mb_run_outcome outcome;

    if (servers[_i].pid == 0)
        return;
    struct mb_results *r = results_of_run(_i, text, &outcome);
    ck_assert_uint_eq(outcome.samples, 12);
    ck_assert_uint_eq(outcome.cells_failed, 0);
    ck_assert_uint_eq(outcome.cells_unavailable, 4);
    for (size_t i = 0; i < 6; i++) {
        for (size_t k = 0; k < 2; k++) {
            ck_assert_double_gt(metric(r, sides[i], k, "to_container_median_ns"), 0);
            ck_assert_double_lt(metric(r, sides[i], k, "to_container_median_ns"), 1e9 * mb_test_slowness());
            ck_assert_double_eq(metric(r, sides[i], k, "to_container_lost"), 0);
            ck_assert_double_eq(metric(r, sides[i], k, "to_container_wrong"), 0);
        }
    }
    ck_assert_double_gt(metric(r, "/bind/read", 0, "to_host_median_ns"), 0);
    ck_assert(isnan(metric(r, "/bind/stat", 0, "to_host_median_ns")));
    for (size_t i = 0; i < r->cell_count; i++) {
        if (ends_with(r->cells[i].name, "/volume/read"))
            ck_assert_str_eq(r->cells[i].reason, "a volume is no directory of this machine");
    }
    mb_results_free(r);
}
END_TEST

/* Both an NFS server's and a bind's directory go as they came: nothing of the run is left in a directory that the mount names. */
START_TEST(nothing_is_left_in_a_named_directory)
{
    char text[512], command[256];
    struct mb_run_outcome outcome;

    if (servers[_i].pid == 0)
        return;
    snprintf(text, sizeof text,
             "mounts: [{type: bind, path: %s/named}]\nworkloads: [{type: propagation, changes: 5},\n"
             "  {type: seq-write, total: 1MiB, host_visible: true}]\nrounds: 1\nwarmup: 0\n",
             root);
    snprintf(command, sizeof command, "mkdir %s/named", root);
    ck_assert_int_eq(system(command), 0);
    struct mb_results *r = results_of_run(_i, text, &outcome);
    ck_assert_uint_eq(outcome.samples, 2);
    mb_results_free(r);
    snprintf(command, sizeof command, "rmdir %s/named", root);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/*
 * A synchronised volume, kept equal to the host's directory by a loop that copies every 0.3 s what each side has made: so much is
 * between the end of a write and the host, and between a change and the other side.
 */
START_TEST(a_synchronised_volume_shows_its_lag)
{
    char text[2048];
    struct mb_run_outcome outcome;

    if (servers[DOCKER].pid == 0)
        return;
    snprintf(text, sizeof text,
             "mounts:\n"
             "  - name: carried\n"
             "    type: sync\n"
             "    sync:\n"
             "      tool: command\n"
             "      start:\n"
             "        - sh\n"
             "        - -c\n"
             "        - |\n"
             "          V=%s/data/volumes/$$MOUNTBENCH_VOLUME/_data H=$$MOUNTBENCH_HOST_DIR\n"
             "          while sleep 0.3; do\n"
             "            for f in \"$$V\"/* \"$$V\"/.mountbench-reply; do case $$f in *-host) ;; *) cp -a \"$$f\" \"$$H/\" ;; "
             "esac; done\n"
             "            for f in \"$$H\"/*-host \"$$H\"/.mountbench-nonce; do cp -a \"$$f\" \"$$V/\"; done\n"
             "          done 2>/dev/null\n"
             "workloads:\n"
             "  - {name: write, type: seq-write, block: 64KiB, total: 1MiB, files: 2, source: random, host_visible: 30s}\n"
             "  - {name: overwrite, type: propagation, change: overwrite, changes: 4, limit: 30s}\n"
             "rounds: 2\nwarmup: 0\n",
             servers[DOCKER].dir);
    struct mb_results *r = results_of_run(DOCKER, text, &outcome);
    ck_assert_uint_eq(outcome.samples, 4);
    double sum = 0;
    for (size_t i = 0; i < 2; i++) {
        ck_assert_double_eq(metric(r, "/carried/write", i, "host_lost"), 0);
        ck_assert_double_eq(metric(r, "/carried/overwrite", i, "to_container_lost"), 0);
        ck_assert_double_eq(metric(r, "/carried/overwrite", i, "to_host_lost"), 0);
        sum += metric(r, "/carried/write", i, "host_visible_ns");
        ck_assert_double_gt(metric(r, "/carried/overwrite", i, "to_container_worst_ns"), 2e7);
        ck_assert_double_gt(metric(r, "/carried/overwrite", i, "to_host_worst_ns"), 2e7);
    }
    ck_assert_double_gt(sum, 5e6);
    mb_results_free(r);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("sides");
    TCase *tcase = tcase_create("sides");

    mb_signals_install();
    tcase_add_unchecked_fixture(tcase, start_servers, stop_servers);
    tcase_add_checked_fixture(tcase, make_root, remove_root);
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, the_host_holds_what_a_bind_was_written, 0, 2);
    tcase_add_loop_test(tcase, changes_show_on_both_sides_of_a_bind, 0, 2);
    tcase_add_loop_test(tcase, nothing_is_left_in_a_named_directory, 0, 2);
    tcase_add_test(tcase, a_synchronised_volume_shows_its_lag);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
