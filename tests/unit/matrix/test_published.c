/*
 * test_published.c: the matrices of the published tables measure those tables' rows.
 *
 * Every row that a measured run is held against is a cell of the table's own matrix, or says that it is gone: no runtime of today
 * can give it; and every row says what stands for it in the lab, or why nothing can.
 */
#include <check.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/matrix.h"
#include "mountbench/provider.h"

static const char *const names[] = {"disk-image-format", "docker-desktop-4.6", "nfs-2018", "rancher-desktop-settings"};
#define NAMES (sizeof names / sizeof names[0])

/* The format of Docker Desktop's disk is chosen when it is made: the matrix measures the one that DISK names. */
#define OTHER_DISK "qcow2/"

static struct mb_matrix *
load(const char *name, const char *suffix)
{
    struct mb_error err = {0};
    struct mb_matrix *matrix;
    char path[256];

    snprintf(path, sizeof path, "matrix/published/%s%s.yaml", name, suffix);
    ck_assert_msg(mb_matrix_load(path, NULL, &matrix, &err) == 0, "%s", err.message);
    ck_assert_uint_eq(matrix->warmup, 0);
    return matrix;
}

/* Whether a cell of ${matrix} with ${workload} is at the engine and mount that ${glob} matches. */
static bool
has_cell(const struct mb_matrix *matrix, const char *glob, const char *workload)
{
    for (size_t i = 0; i < matrix->cell_count; i++) {
        const struct mb_cell_spec *cell = &matrix->cells[i];
        char place[256];
        snprintf(place, sizeof place, "%s/%s", matrix->engines[cell->engine].name, matrix->mounts[cell->mount].name);
        if (strcmp(matrix->workloads[cell->workload].name, workload) == 0 && fnmatch(glob, place, 0) == 0)
            return true;
    }
    return false;
}

static void
check_row(const struct mb_matrix *own, const struct mb_matrix *lab, const cJSON *row, const char *workload)
{
    const char *at = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "at"));
    const cJSON *likes = cJSON_GetObjectItemCaseSensitive(row, "like");
    const cJSON *like;
    bool measured = has_cell(own, at, workload), stood_for = false;

    cJSON_ArrayForEach(like, likes)
    {
        measured = measured || has_cell(own, like->valuestring, workload);
        stood_for = stood_for || has_cell(lab, like->valuestring, workload);
    }
    bool gone = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "gone")) || strncmp(at, OTHER_DISK, strlen(OTHER_DISK)) == 0;
    ck_assert_msg(measured != gone, "%s: row %s (%s) %s", own->path, at, workload,
                  measured ? "is measured after all" : "has no cell");
    ck_assert_msg(stood_for || cJSON_GetObjectItemCaseSensitive(row, "needs") != NULL, "%s: row %s has neither a cell nor a reason",
                  lab->path, at);
    ck_assert_msg(stood_for || likes == NULL, "%s: what stands for row %s is not there", lab->path, at);
}

static void
check_table(const struct mb_matrix *own, const struct mb_matrix *lab, const cJSON *table)
{
    const cJSON *row, *column;

    if (cJSON_GetObjectItemCaseSensitive(table, "compare") == NULL)
        return;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(table, "rows"))
    {
        cJSON_ArrayForEach(column, cJSON_GetObjectItemCaseSensitive(table, "columns"))
            check_row(own, lab, row, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(column, "workload")));
    }
    const cJSON *baseline = cJSON_GetObjectItemCaseSensitive(table, "baseline");
    column = cJSON_GetObjectItemCaseSensitive(table, "columns")->child;
    check_row(own, lab, baseline, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(column, "workload")));
}

START_TEST(rows_have_cells)
{
    struct mb_matrix *own = load(names[_i], ""), *lab = load(names[_i], "-lab");
    char path[256], *line = NULL;
    size_t room = 0, tables = 0;

    snprintf(path, sizeof path, "results/published/%s.jsonl", names[_i]);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    while (getline(&line, &room, file) > 0) {
        cJSON *record = cJSON_Parse(line);
        const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "type"));
        if (strcmp(type, "published-table") == 0) {
            check_table(own, lab, record);
            tables++;
        }
        cJSON_Delete(record);
    }
    ck_assert_uint_gt(tables, 0);
    fclose(file);
    free(line);
    mb_matrix_free(own);
    mb_matrix_free(lab);
}
END_TEST

START_TEST(labs_start_and_stop_by_name)
{
    struct mb_matrix *lab = load(names[_i], "-lab");

    for (size_t i = 0; i < lab->engine_count; i++) {
        const struct mb_engine_spec *engine = &lab->engines[i];
        ck_assert_str_eq(engine->runtime, "command");
        ck_assert_str_eq(engine->up[3], engine->name);
        ck_assert_str_eq(engine->down[2], engine->name);
    }
    mb_matrix_free(lab);
}
END_TEST

/* Settings are spelt as the providers that are here spell them. */
START_TEST(settings_exist)
{
    struct mb_matrix *own = load(names[_i], "");

    for (size_t i = 0; i < own->engine_count; i++) {
        struct mb_error err = {0};
        if (mb_provider_manages(&own->engines[i]))
            ck_assert_msg(mb_provider_check(&own->engines[i], &err) == 0, "%s", err.message);
    }
    mb_matrix_free(own);
}
END_TEST

START_TEST(small_machines)
{
    static const char *const suffixes[] = {"", "-lab"};

    for (size_t i = 0; i < 2; i++) {
        struct mb_matrix *matrix = load(names[_i], suffixes[i]);
        struct mb_error err = {0};
        ck_assert_msg(mb_matrix_scale(matrix, "1/64", &err) == 0, "%s", err.message);
        mb_matrix_free(matrix);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("published matrices");
    TCase *tcase = tcase_create("published matrices");

    tcase_add_loop_test(tcase, rows_have_cells, 0, (int)NAMES);
    tcase_add_loop_test(tcase, labs_start_and_stop_by_name, 0, (int)NAMES);
    tcase_add_loop_test(tcase, settings_exist, 0, (int)NAMES);
    tcase_add_loop_test(tcase, small_machines, 0, (int)NAMES);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
