/* Which cells come out: exclude, include, and the command line's filters. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/load.h"
#include "mountbench/buffer.h"

#define AXES                                                                                                                       \
    "mounts: [layer, bind, {name: bind-cached, type: bind, consistency: cached}, tmpfs]\n"                                         \
    "workloads: [commit, {name: dd-1k, type: seq-write}, {name: dd-1m, type: seq-write, total: 1MiB}]\n"
#define ENGINES                                                                                                                    \
    "engines: [default, {name: dd, runtime: docker-desktop, settings: {a: 1}}, {name: far, context: distant}, "                    \
    "'unix:///a/b.sock']\n"

static int
load(const char *text, const struct mb_matrix_filter *filter, struct mb_buffer *cells, struct mb_error *err)
{
    struct mb_matrix *m;

    if (mb_matrix_parse("m.yaml", text, strlen(text), filter, &m, err) != 0)
        return -1;
    for (size_t i = 0; i < m->cell_count; i++) {
        char *name = mb_matrix_cell_name(m, &m->cells[i]);
        const char *shown = strncmp(name, "default/", 8) == 0 ? name + 8 : name;
        mb_buffer_printf(cells, "%s%s", i > 0 ? " " : "", shown);
        free(name);
    }
    mb_matrix_free(m);
    return 0;
}

START_TEST(rules)
{
    static const struct {
        const char *text, *cells; /* of the default engine, its name left out */
    } cases[] = {
        {AXES "exclude: []\ninclude: []\n",
         "layer/commit layer/dd-1k layer/dd-1m bind/commit bind/dd-1k bind/dd-1m bind-cached/commit bind-cached/dd-1k "
         "bind-cached/dd-1m tmpfs/commit tmpfs/dd-1k tmpfs/dd-1m"},
        /* All keys of a rule must match; keys that are missing match all. */
        {AXES "exclude: [{mount: tmpfs, workload: commit}, {workload: 'dd-*'}]\n", "layer/commit bind/commit bind-cached/commit"},
        {AXES "exclude: [{mount: 'bind*'}]\n", "layer/commit layer/dd-1k layer/dd-1m tmpfs/commit tmpfs/dd-1k tmpfs/dd-1m"},
        {AXES "exclude: [{mount: [layer, 'bind?cached'], engine: default}, {mount: [bind, tmpfs], workload: dd-1?}]\n",
         "bind/commit tmpfs/commit"},
        /* include gives back what exclude took, in the file's order. */
        {AXES "exclude: [{workload: 'dd-*'}]\ninclude: [{mount: bind, workload: dd-1k}]\n",
         "layer/commit bind/commit bind/dd-1k bind-cached/commit tmpfs/commit"},
        {AXES "exclude: [{engine: '*'}]\ninclude: [{mount: tmpfs, workload: dd-1m}]\n", "tmpfs/dd-1m"},
        /* What was not excluded is not doubled. */
        {AXES "exclude: [{mount: [bind, bind-cached, tmpfs]}]\ninclude: [{mount: layer}]\n",
         "layer/commit layer/dd-1k layer/dd-1m"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mb_error err = {0};
        MB_AUTO_BUFFER cells = MB_BUFFER_INIT(10000);
        int status = load(cases[i].text, NULL, &cells, &err);
        ck_assert_msg(status == 0, "%s", err.message);
        ck_assert_str_eq(mb_buffer_text(&cells), cases[i].cells);
    }
}
END_TEST

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

START_TEST(filters)
{
    static const char *const none[] = {NULL};
    const struct {
        const char *text;
        struct mb_matrix_filter filter;
        const char *cells, *refusal;
    } cases[] = {
        {AXES, {NULL, LIST("bind*"), LIST("dd-1k", "c*")}, "bind/commit bind/dd-1k bind-cached/commit bind-cached/dd-1k", NULL},
        {AXES, {none, none, LIST("commit")}, "layer/commit bind/commit bind-cached/commit tmpfs/commit", NULL},
        /* Rules are held against the file's axes: what a filter takes away is no mistake in the file. */
        {AXES "exclude: [{mount: tmpfs, workload: commit}]\n", {NULL, LIST("layer"), LIST("dd-1k")}, "layer/dd-1k", NULL},
        {AXES "exclude: [{mount: layer}]\n",
         {NULL, LIST("layer"), NULL},
         NULL,
         "m.yaml:1: no cell is left: 'exclude' matches all of them"},
        {AXES, {NULL, LIST("tmfs"), NULL}, NULL, "--mount: 'tmfs' matches no mount (did you mean 'tmpfs'?)"},
        {AXES,
         {NULL, NULL, LIST("commit", "zebra")},
         NULL,
         "--workload: 'zebra' matches no workload (there are commit, dd-1k, dd-1m)"},
        /* Engines are replaced; those of the file by name, context, address or glob. */
        {AXES, {LIST("podman"), LIST("layer"), LIST("commit")}, "podman/layer/commit", NULL},
        {AXES, {LIST("b", "a"), LIST("layer"), LIST("commit")}, "b/layer/commit a/layer/commit", NULL},
        {AXES, {LIST("unix:///run/x.sock"), LIST("layer"), LIST("commit")}, "run-x.sock/layer/commit", NULL},
        {AXES ENGINES, {LIST("dd"), LIST("layer"), LIST("commit")}, "dd/layer/commit", NULL},
        {AXES ENGINES, {LIST("distant"), LIST("layer"), LIST("commit")}, "far/layer/commit", NULL},
        {AXES ENGINES, {LIST("unix:///a/b.sock"), LIST("layer"), LIST("commit")}, "a-b.sock/layer/commit", NULL},
        {AXES ENGINES,
         {LIST("d*", "dd", "new"), LIST("layer"), LIST("commit")},
         "layer/commit dd/layer/commit new/layer/commit",
         NULL},
        {AXES ENGINES "exclude: [{engine: dd, mount: layer}]\n",
         {LIST("dd"), LIST("layer", "bind"), LIST("commit")},
         "dd/bind/commit",
         NULL},
        {AXES ENGINES, {LIST("z*"), NULL, NULL}, NULL, "--engine: 'z*' matches none of the matrix's engines"},
        {AXES,
         {LIST("ftp://x"), NULL, NULL},
         NULL,
         "--engine: 'ftp://x' is no engine's address: it begins with unix://, tcp://, https:// or ssh://"},
        {AXES, {LIST("unix:///a/b", "unix:///a-b"), NULL, NULL}, NULL, "--engine: two of the engines would be called 'a-b'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mb_error err = {0};
        MB_AUTO_BUFFER cells = MB_BUFFER_INIT(10000);
        int status = load(cases[i].text, &cases[i].filter, &cells, &err);
        if (cases[i].refusal != NULL) {
            ck_assert_msg(status == -1, "case %zu", i);
            ck_assert_str_eq(err.message, cases[i].refusal);
            ck_assert_int_eq(mb_error_exit_status(&err), 2);
        } else {
            ck_assert_msg(status == 0, "%s", err.message);
            ck_assert_str_eq(mb_buffer_text(&cells), cases[i].cells);
        }
    }
}
END_TEST

START_TEST(kept_settings)
{
    const struct mb_matrix_filter filter = {.engines = LIST("dd")};
    struct mb_error err = {0};
    struct mb_matrix *m;
    const char *text = AXES ENGINES;

    ck_assert_int_eq(mb_matrix_parse("m.yaml", text, strlen(text), &filter, &m, &err), 0);
    ck_assert_uint_eq(m->engine_count, 1);
    ck_assert_str_eq(m->engines[0].runtime, "docker-desktop");
    ck_assert_ptr_nonnull(m->engines[0].settings);
    mb_matrix_free(m);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("matrix filter");
    TCase *tcase = tcase_create("filter");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, rules);
    tcase_add_test(tcase, filters);
    tcase_add_test(tcase, kept_settings);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
