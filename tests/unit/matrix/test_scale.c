/* test_scale.c: the same matrix on a smaller machine. */
#include <check.h>
#include <string.h>

#include "mountbench/matrix.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static uint64_t *
value(struct mb_workload_spec *workload, const char *name)
{
    for (size_t i = 0; workload->kind->params[i].name != NULL; i++) {
        if (strcmp(workload->kind->params[i].name, name) == 0)
            return &workload->values[i];
    }
    ck_abort_msg("%s has no %s", workload->kind->name, name);
    return NULL;
}

static void
make(struct mb_workload_spec *workload, char *kind)
{
    *workload = (struct mb_workload_spec){.name = kind, .kind = mb_workload_find(kind)};
    ck_assert_ptr_nonnull(workload->kind);
    for (size_t i = 0; workload->kind->params[i].name != NULL; i++) {
        const struct mb_param *param = &workload->kind->params[i];
        ck_assert_int_eq(mb_param_parse(param, param->fallback, &workload->values[i], NULL), 0);
    }
}

static int
scale(struct mb_workload_spec *workload, const char *factor, struct mb_error *err)
{
    struct mb_matrix matrix = {.workloads = workload, .workload_count = 1};
    int status = mb_matrix_scale(&matrix, factor, err);
    ck_assert_str_eq(matrix.scale, status == 0 ? factor : "");
    return status;
}

START_TEST(sequential_writes)
{
    static const struct {
        uint64_t block, total, files;
        const char *factor;
        uint64_t new_block, new_total;
    } cases[] = {
        {KIB, 100 * MIB, 1, "1/64", KIB, 1600 * KIB},
        {KIB, 100 * MIB, 1, "1/1", KIB, 100 * MIB},
        {256 * KIB, 10240 * MIB, 1, "1/64", 256 * KIB, 160 * MIB},
        /* To whole blocks. */
        {KIB, 100 * MIB, 1, "1/3", KIB, 34133 * KIB},
        {KIB, 100 * MIB, 1, "2/3", KIB, 68266 * KIB},
        /* One write a file stays one write a file. */
        {100 * MIB, 500 * MIB, 5, "1/64", 1600 * KIB, 8000 * KIB},
        /* What was no multiple need not become one, but files stay of one size. */
        {KIB, 3000, 3, "1/2", 500, 1500},
        {KIB, 3000, 3, "1/4", 250, 750},
        {KIB, 100 * MIB, 100, "1/1048576", 1, 100},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static char kind[] = "seq-write";
        struct mb_workload_spec workload;
        struct mb_error err = {0};
        make(&workload, kind);
        *value(&workload, "block") = cases[i].block;
        *value(&workload, "total") = cases[i].total;
        *value(&workload, "files") = cases[i].files;
        ck_assert_msg(scale(&workload, cases[i].factor, &err) == 0, "%zu: %s", i, err.message);
        ck_assert_uint_eq(*value(&workload, "total"), cases[i].new_total);
        ck_assert_uint_eq(*value(&workload, "block"), cases[i].new_block);
        ck_assert_uint_eq(*value(&workload, "files"), cases[i].files);
    }
}
END_TEST

START_TEST(other_workloads)
{
    static char read_kind[] = "seq-read", rand_kind[] = "rand-write", commit_kind[] = "commit";
    struct mb_workload_spec workload, before;
    struct mb_error err = {0};

    make(&workload, read_kind);
    ck_assert_int_eq(scale(&workload, "1/4", &err), 0);
    ck_assert_uint_eq(*value(&workload, "total"), 25 * MIB);
    make(&workload, rand_kind);
    ck_assert_int_eq(scale(&workload, "1/64", &err), 0);
    ck_assert_uint_eq(*value(&workload, "span"), MIB);
    ck_assert_uint_eq(*value(&workload, "block"), 4 * KIB);
    make(&workload, commit_kind);
    before = workload;
    ck_assert_int_eq(scale(&workload, "1/64", &err), 0);
    ck_assert_mem_eq(workload.values, before.values, sizeof before.values);
}
END_TEST

START_TEST(wrong_factors)
{
    static const char *const factors[] = {
        "",      "1",    "64",    "0/1",   "1/0",       "2/1", "1/-2",
        "1/64x", "x/64", " 1/64", "1/2/3", "1/1048577", "0.5", "00000000000000000000000000000000001/64"};
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        static char kind[] = "seq-write";
        struct mb_workload_spec workload;
        struct mb_error err = {0};
        make(&workload, kind);
        ck_assert_msg(scale(&workload, factors[i], &err) == -1, "'%s' is taken", factors[i]);
        ck_assert_int_eq(err.code, MB_EUSAGE);
        ck_assert_ptr_nonnull(strstr(err.message, "is no factor of at most one, written as 1/64"));
    }
}
END_TEST

START_TEST(what_cannot_be_so_small)
{
    static char kind[] = "rand-read";
    struct mb_workload_spec workload;
    struct mb_error err = {0};

    make(&workload, kind);
    *value(&workload, "block") = 1016;
    *value(&workload, "span") = 1016 * 3;
    ck_assert_int_eq(scale(&workload, "1/5", &err), -1);
    ck_assert_str_eq(err.message, "--scale 1/5: workload 'rand-read': block (609 bytes) is not a multiple of 8");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("scale");
    TCase *tcase = tcase_create("scale");

    tcase_add_test(tcase, sequential_writes);
    tcase_add_test(tcase, other_workloads);
    tcase_add_test(tcase, wrong_factors);
    tcase_add_test(tcase, what_cannot_be_so_small);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
