/* What a matrix may say, and what becomes of it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/load.h"
#include "mountbench/buffer.h"

#define SECOND UINT64_C(1000000000)

static struct mb_matrix *
parse(const char *text)
{
    struct mb_error err = {0};
    struct mb_matrix *m = NULL;

    int status = mb_matrix_parse("dir/m.yaml", text, strlen(text), NULL, &m, &err);
    ck_assert_msg(status == 0, "%s", err.message);
    return m;
}

static uint64_t
value(const struct mb_workload_spec *w, const char *param)
{
    for (size_t i = 0; w->kind->params[i].name != NULL; i++)
        if (strcmp(w->kind->params[i].name, param) == 0)
            return w->values[i];
    ck_abort_msg("no parameter %s", param);
    return 0;
}

START_TEST(defaults)
{
    struct mb_matrix *m = parse("mounts: [layer]\nworkloads: [commit]\n");

    ck_assert_str_eq(m->name, "m");
    ck_assert_str_eq(m->path, "dir/m.yaml");
    ck_assert_ptr_null(m->description);
    ck_assert_uint_eq(m->engine_count, 1);
    ck_assert_str_eq(m->engines[0].name, "default");
    ck_assert_ptr_null(m->engines[0].endpoint);
    ck_assert_uint_eq(m->engines[0].ready_timeout_ns, 300 * SECOND);
    ck_assert_uint_eq(m->rounds, 5);
    ck_assert_uint_eq(m->warmup, 1);
    ck_assert_uint_eq(m->passes, 1);
    ck_assert_uint_eq(m->max_time_ns, 0);
    ck_assert(m->precision_percent == 0);
    ck_assert_uint_eq(m->cell_count, 1);
    ck_assert_str_eq(m->workloads[0].name, "commit");
    ck_assert_uint_eq(value(&m->workloads[0], "record"), 4096);
    ck_assert_uint_eq(m->workloads[0].timeout_ns, 0);
    char *name = mb_matrix_cell_name(m, &m->cells[0]);
    ck_assert_str_eq(name, "default/layer/commit");
    free(name);
    mb_matrix_free(m);
    mb_matrix_free(NULL);
}
END_TEST

START_TEST(top)
{
    struct mb_matrix *m = parse("name: caf\xc3\xa9 1\n"
                                "description: |\n  two\n  lines\n"
                                "mounts: [layer]\nworkloads: [commit]\n"
                                "rounds: 7\nwarmup: 0\nmax_time: 1h30m\npasses: 2\n");
    ck_assert_str_eq(m->name, "caf\xc3\xa9 1");
    ck_assert_str_eq(m->description, "two\nlines\n");
    ck_assert_uint_eq(m->rounds, 7);
    ck_assert_uint_eq(m->rounds_min, 7);
    ck_assert_uint_eq(m->rounds_max, 7);
    ck_assert_uint_eq(m->warmup, 0);
    ck_assert_uint_eq(m->passes, 2);
    ck_assert_uint_eq(m->max_time_ns, 5400 * SECOND);
    mb_matrix_free(m);

    m = parse("mounts: [layer]\nworkloads: [commit]\nrounds: {precision: 2.5%, min: 6, max: 60}\n");
    ck_assert(m->precision_percent == 2.5);
    ck_assert_uint_eq(m->rounds_min, 6);
    ck_assert_uint_eq(m->rounds_max, 60);
    ck_assert_uint_eq(m->rounds, 60);
    mb_matrix_free(m);

    /* A minimum above the default maximum moves it. */
    m = parse("mounts: [layer]\nworkloads: [commit]\nrounds: {precision: 3, min: 80}\n");
    ck_assert_uint_eq(m->rounds_max, 80);
    mb_matrix_free(m);
}
END_TEST

START_TEST(engines)
{
    struct mb_matrix *m =
        parse("mounts: [layer]\nworkloads: [commit]\n"
              "engines:\n"
              "  - default\n"
              "  - unix:///run/user/1000/podman.sock\n"
              "  - {context: colima}\n"
              "  - {name: far, endpoint: 'tcp://host:2376', expect: virtiofs}\n"
              "  - name: rd-vz\n"
              "    runtime: rancher-desktop\n"
              "    settings: {vm: vz, cpus: 4, rosetta: true, label: '4', version: 1.5.0, nothing: ~, list: [1, a]}\n"
              "    ready_timeout: 10m\n"
              "  - name: lab\n"
              "    runtime: command\n"
              "    endpoint: unix:///tmp/lab.sock\n"
              "    up: [lab, up, --share, '9p', '']\n"
              "    down: [lab, down]\n");
    const struct mb_engine_spec *e = m->engines;

    ck_assert_uint_eq(m->engine_count, 6);
    ck_assert_str_eq(e[1].name, "run-user-1000-podman.sock");
    ck_assert_str_eq(e[1].endpoint, "unix:///run/user/1000/podman.sock");
    ck_assert_str_eq(e[2].name, "colima");
    ck_assert_str_eq(e[2].context, "colima");
    ck_assert_str_eq(e[3].endpoint, "tcp://host:2376");
    ck_assert(cJSON_IsString(e[3].expect));
    ck_assert_str_eq(e[4].runtime, "rancher-desktop");
    ck_assert_uint_eq(e[4].ready_timeout_ns, 600 * SECOND);
    char *json = cJSON_PrintUnformatted(e[4].settings);
    ck_assert_str_eq(json, "{\"vm\":\"vz\",\"cpus\":4,\"rosetta\":true,\"label\":\"4\",\"version\":\"1.5.0\",\"nothing\":null,"
                           "\"list\":[1,\"a\"]}");
    cJSON_free(json);
    ck_assert_str_eq(e[5].up[3], "9p");
    ck_assert_str_eq(e[5].up[4], "");
    ck_assert_ptr_null(e[5].up[5]);
    ck_assert_str_eq(e[5].down[1], "down");
    ck_assert_ptr_null(e[5].down[2]);
    mb_matrix_free(m);
}
END_TEST

START_TEST(mounts)
{
    struct mb_matrix *m = parse("workloads: [commit]\n"
                                "mounts:\n"
                                "  - layer\n"
                                "  - bind\n"
                                "  - {type: bind, consistency: delegated, isolation: trial}\n"
                                "  - {name: vol, type: volume, device: /dev/x, fstype: ext4, options: noatime}\n"
                                "  - {name: nfs, type: nfs, device: ':/share', options: 'addr=a,vers=3', path: shared}\n"
                                "  - {type: tmpfs, size: 64m}\n"
                                "  - {type: sync, sync: {tool: mutagen, mode: two-way-safe}}\n"
                                "  - {type: path, path: /srv/data, expect: {fstype: ext4}}\n"
                                "  - host\n");
    const struct mb_mount_spec *s = m->mounts;

    ck_assert_uint_eq(m->mount_count, 9);
    ck_assert_int_eq(s[0].type, MB_MOUNT_LAYER);
    ck_assert_ptr_null(s[1].consistency);
    ck_assert_str_eq(s[2].name, "bind-delegated");
    ck_assert_str_eq(s[2].consistency, "delegated");
    ck_assert(s[2].isolation_trial && !s[1].isolation_trial);
    ck_assert_str_eq(s[3].fstype, "ext4");
    ck_assert_str_eq(s[4].fstype, "nfs");
    ck_assert_str_eq(s[4].device, ":/share");
    ck_assert_str_eq(s[4].options, "addr=a,vers=3");
    ck_assert_str_eq(s[4].path, "shared");
    ck_assert_uint_eq(s[5].size_bytes, 64 << 20);
    ck_assert_str_eq(s[5].name, "tmpfs");
    ck_assert_int_eq(s[6].sync->kind, MB_SYNC_MUTAGEN);
    ck_assert_str_eq(s[6].sync->mode, "two-way-safe");
    ck_assert_str_eq(s[7].path, "/srv/data");
    ck_assert(cJSON_IsObject(s[7].expect));
    ck_assert_int_eq(s[8].type, MB_MOUNT_HOST);
    ck_assert_str_eq(mb_mount_type_name(MB_MOUNT_NFS), "nfs");
    mb_matrix_free(m);
}
END_TEST

START_TEST(workloads)
{
    struct mb_matrix *m = parse("mounts: [layer]\n"
                                "workloads:\n"
                                "  - {name: dd, type: seq-write, block: 1k, total: 64 MiB, sync: fdatasync, timeout: 2m}\n"
                                "  - {name: big, type: seq-write, block: \"65536\", source: random, direct: true}\n"
                                "  - {type: rand-read, time: 3s}\n"
                                "  - {name: seen, type: seq-write, host_visible: true}\n"
                                "  - {name: waited, type: seq-write, host_visible: 5m}\n"
                                "  - {name: unseen, type: seq-write, total: 1MiB, host_visible: false}\n");
    ck_assert_uint_eq(m->workloads[0].host_visible_ns, 0);
    ck_assert_uint_eq(m->workloads[3].host_visible_ns, 60 * SECOND);
    ck_assert_uint_eq(m->workloads[4].host_visible_ns, 300 * SECOND);
    ck_assert_uint_eq(m->workloads[5].host_visible_ns, 0);
    ck_assert_uint_eq(value(&m->workloads[0], "block"), 1024);
    ck_assert_uint_eq(value(&m->workloads[0], "total"), 64 << 20);
    ck_assert_uint_eq(value(&m->workloads[0], "files"), 1);
    ck_assert_uint_eq(value(&m->workloads[0], "direct"), 0);
    ck_assert_uint_eq(m->workloads[0].timeout_ns, 120 * SECOND);
    ck_assert_uint_eq(value(&m->workloads[1], "block"), 65536);
    ck_assert_uint_eq(value(&m->workloads[1], "direct"), 1);
    ck_assert_uint_eq(value(&m->workloads[2], "time"), 3 * SECOND);
    ck_assert_str_eq(m->workloads[2].name, "rand-read");
    mb_matrix_free(m);
}
END_TEST

START_TEST(anchors_aliases_merges)
{
    struct mb_matrix *m = parse("x-nfs: &nfs {type: nfs, device: ':/a', options: 'addr=h,vers=4'}\n"
                                "x-three: &three {options: 'addr=h,vers=3', name: unused}\n"
                                "x-list: &list [layer, bind]\n"
                                "mounts:\n"
                                "  - {name: one, <<: *nfs}\n"
                                "  - {<<: *nfs, name: two, device: ':/b'}\n"
                                "  - {name: three, <<: [*three, *nfs]}\n"
                                "  - {<<: &late {type: tmpfs}, name: four}\n"
                                "  - {<<: *late, name: five, size: 1MiB}\n"
                                "workloads: &w [commit]\n"
                                "exclude: [{mount: &g [one, two]}, {mount: *g}]\n");
    const struct mb_mount_spec *s = m->mounts;

    ck_assert_str_eq(s[0].device, ":/a");
    ck_assert_str_eq(s[1].device, ":/b");
    ck_assert_str_eq(s[1].options, "addr=h,vers=4");
    ck_assert_str_eq(s[2].options, "addr=h,vers=3");
    ck_assert_str_eq(s[2].device, ":/a");
    ck_assert_int_eq(s[3].type, MB_MOUNT_TMPFS);
    ck_assert_int_eq(s[4].type, MB_MOUNT_TMPFS);
    ck_assert_uint_eq(m->cell_count, 3);
    mb_matrix_free(m);

    /* The latest anchor of a name counts, and a list may be an alias. */
    m = parse("x-a: &a [layer]\nx-b: &a [bind, tmpfs]\nmounts: *a\nworkloads: [commit]\n");
    ck_assert_uint_eq(m->mount_count, 2);
    mb_matrix_free(m);
}
END_TEST

START_TEST(forms_of_the_file)
{
    static const char *const texts[] = {
        "\xef\xbb\xbfmounts: [layer]\r\nworkloads: [commit]\r\n",
        "{\"mounts\": [\"layer\"], \"workloads\": [{\"type\": \"commit\", \"count\": 500}]}",
        "%YAML 1.2\n---\nmounts: [layer]\nworkloads: [commit]\n...\n",
        "# comment\nmounts:\n- layer # here\nworkloads:\n- commit",
        "? mounts\n: - layer\n? workloads\n: - commit\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct mb_matrix *m = parse(texts[i]);
        ck_assert_uint_eq(m->cell_count, 1);
        ck_assert_str_eq(m->mounts[0].name, "layer");
        mb_matrix_free(m);
    }
}
END_TEST

START_TEST(digest)
{
    struct mb_matrix *m = parse("mounts: [layer]\nworkloads: [commit]\n");
    /* Of the file's bytes: printf 'mounts: [layer]\nworkloads: [commit]\n' | sha256sum */
    ck_assert_str_eq(m->sha256, "445e054f93df55fd857799dfd610a4563f9458a2e82b74da943d017444dbd820");
    mb_matrix_free(m);
}
END_TEST

/* The file's values hold variables; what they become is typed by the key as any other text is. */
START_TEST(variables)
{
    setenv("MB_TEST_ROUNDS", "9", 1);
    setenv("MB_TEST_EMPTY", "", 1);
    unsetenv("MB_TEST_UNSET");
    struct mb_matrix *m = parse("mounts: [layer, {name: 'n-${MB_TEST_ROUNDS}', type: '${MB_TEST_UNSET:-bind}'}]\n"
                                "workloads: [commit]\n"
                                "rounds: ${MB_TEST_ROUNDS}\n"
                                "warmup: ${MB_TEST_EMPTY:-3}\n"
                                "description: '$$5 [$MB_TEST_ROUNDS] [${MB_TEST_EMPTY-x}] [${MB_TEST_UNSET-${MB_TEST_ROUNDS}}] "
                                "[${MB_TEST_ROUNDS:+set}] [${MB_TEST_UNSET:+set}]'\n");
    ck_assert_uint_eq(m->rounds, 9);
    ck_assert_uint_eq(m->warmup, 3);
    ck_assert_str_eq(m->mounts[1].name, "n-9");
    ck_assert_str_eq(m->description, "$5 [9] [] [9] [set] []");
    mb_matrix_free(m);
}
END_TEST

START_TEST(many_cells)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(1 << 20);

    mb_buffer_puts(&text, "mounts:\n");
    for (int i = 0; i < 100; i++)
        mb_buffer_printf(&text, "  - {name: m%d, type: path, path: /p/%d}\n", i, i);
    mb_buffer_puts(&text, "workloads:\n");
    for (int i = 0; i < 100; i++)
        mb_buffer_printf(&text, "  - {name: w%d, type: commit, count: %d}\n", i, i + 1);
    struct mb_matrix *m = parse(mb_buffer_text(&text));
    ck_assert_uint_eq(m->cell_count, 10000);
    ck_assert_uint_eq(m->cells[1234].mount, 12);
    ck_assert_uint_eq(m->cells[1234].workload, 34);
    mb_matrix_free(m);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("matrix load");
    TCase *tcase = tcase_create("load");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, defaults);
    tcase_add_test(tcase, top);
    tcase_add_test(tcase, engines);
    tcase_add_test(tcase, mounts);
    tcase_add_test(tcase, workloads);
    tcase_add_test(tcase, anchors_aliases_merges);
    tcase_add_test(tcase, forms_of_the_file);
    tcase_add_test(tcase, digest);
    tcase_add_test(tcase, variables);
    tcase_add_test(tcase, many_cells);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
