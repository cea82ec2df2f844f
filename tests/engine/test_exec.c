/*
 * test_exec.c: commands in images of their own on a real dockerd and a real podman: what is measured, what a failure says, and that
 * the rest goes on and nothing is left.
 */
#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "matrix/load.h"
#include "mountbench/runner.h"
#include "support/engines.h"

enum { DOCKER, PODMAN };

#define TOOLS "exec-tools:1"

static struct mb_test_engine servers[2];
static char root[128];

static struct mb_engine *
open_server(int server)
{
    struct mb_endpoint endpoint;
    struct mb_error err = {0};
    struct mb_engine *engine;

    ck_assert_int_eq(mb_endpoint_resolve(servers[server].url, &endpoint, &err), 0);
    ck_assert_msg(mb_engine_open(&endpoint, 20000, &engine, &err) == 0, "%s", err.message);
    mb_endpoint_clear(&endpoint);
    return engine;
}

/* busybox, and the very dd of this system with the libraries that it wants. */
static void *
make_tar(size_t *size)
{
    static const char make[] =
        "set -e; d=$(mktemp -d); mkdir -p $d/bin $d/tmp; cp /bin/busybox $d/bin/; "
        "for t in sh cat echo sleep ls true kill; do ln -s busybox $d/bin/$t; done; cp -L /bin/dd $d/bin/dd; "
        "for l in $(ldd /bin/dd | grep -o '/[^ ]*'); do mkdir -p $d/${l%/*}; cp -L $l $d/$l; done; "
        "tar -C $d -cf - .; rm -rf $d";
    size_t room = 16 * 1024 * 1024, n;
    char *bytes = malloc(room);
    FILE *pipe = popen(make, "r");

    *size = 0;
    while (pipe != NULL && bytes != NULL && (n = fread(bytes + *size, 1, room - *size, pipe)) > 0)
        *size += n;
    ck_assert_int_eq(pclose(pipe), 0);
    return bytes;
}

/* The image to run things in; it carries our label, as all imports do, and a run's id that no run has. */
static void
give_tools(int server)
{
    static const char *const changes[] = {"ENTRYPOINT [\"/bin/false\"]", "CMD [\"unused\"]", "ENV GREETING=hello", NULL};
    struct mb_error err = {0};
    size_t size;
    char *id;

    if (servers[server].pid != 0 && access("/bin/busybox", X_OK) != 0) {
        printf("SKIP %s: busybox-static is not installed\n", servers[server].kind);
        mb_test_engine_stop(&servers[server]);
    }
    if (servers[server].pid == 0)
        return;
    void *tar = make_tar(&size);
    struct mb_engine *engine = open_server(server);
    const struct mb_labels labels = {.run = "tools"};
    ck_assert_msg(mb_image_import(engine, tar, size, TOOLS, changes, &labels, &id, &err) == 0, "%s", err.message);
    free(id);
    free(tar);
    mb_engine_close(engine);
}

static void
start_servers(void)
{
    mb_test_engine_start("dockerd", NULL, &servers[DOCKER]);
    mb_test_engine_start("podman", NULL, &servers[PODMAN]);
    give_tools(DOCKER);
    give_tools(PODMAN);
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
}

static void
remove_root(void)
{
    mb_test_remove(root);
}

static void
show(void *context, const struct mb_run_event *e)
{
    (void)context;
    if (e->type == MB_RUN_WARNING)
        fprintf(stderr, "%s: %s\n", e->name, e->text);
}

/* Run the matrix in ${text}, without its engines, on ${server}. */
static struct mb_results *
run(int server, const char *text)
{
    MB_AUTO_BUFFER whole = MB_BUFFER_INIT(65536);
    struct mb_error err = {0};
    struct mb_run_outcome outcome;
    struct mb_matrix *matrix;
    struct mb_results *r;
    char output[256];
    const char *file = output;

    snprintf(output, sizeof output, "%s/out.jsonl", root);
    mb_buffer_printf(&whole, "engines: [{name: e, endpoint: \"%s\"}]\nrounds: 2\nwarmup: 0\n%s", servers[server].url, text);
    ck_assert_msg(mb_matrix_parse("m.yaml", whole.data, whole.len, NULL, &matrix, &err) == 0, "%s", err.message);
    const struct mb_run_options options = {.matrix = matrix, .seed = 7, .dir = root, .output = output, .observer = {.tell = show}};
    ck_assert_msg(mb_run(&options, &outcome, &err) == 0, "%s", err.message);
    mb_matrix_free(matrix);
    ck_assert_msg(mb_results_read(&file, 1, &r, &err) == 0, "%s", err.message);
    return r;
}

static const struct mb_cell *
find_cell(const struct mb_results *r, const char *name)
{
    for (size_t i = 0; i < r->cell_count; i++) {
        if (strcmp(r->cells[i].name, name) == 0)
            return &r->cells[i];
    }
    ck_abort_msg("no cell %s", name);
    return NULL;
}

/* The samples of cell ${name} that are ok; the last failed one's reason in *${reason}. */
static size_t
kept(const struct mb_results *r, const char *name, const char **reason)
{
    size_t n = 0;

    *reason = "";
    for (size_t i = 0; i < r->sample_count; i++) {
        const struct mb_sample *s = &r->samples[i];
        if (strcmp(r->cells[s->cell].name, name) != 0)
            continue;
        n += s->status == MB_SAMPLE_OK;
        *reason = s->status != MB_SAMPLE_OK && s->reason != NULL ? s->reason : *reason;
    }
    return n;
}

/* Nothing of any run but the tools, and in the directory nothing but results and contexts. */
static void
assert_nothing_left(int server)
{
    struct mb_engine *engine = open_server(server);
    struct mb_error err = {0};
    struct mb_object *objects;
    const struct dirent *entry;
    size_t n;

    ck_assert_msg(mb_engine_list_owned(engine, NULL, &objects, &n, &err) == 0, "%s", err.message);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(strcmp(objects[i].run, "tools") == 0, "%s of run %s is left", objects[i].name, objects[i].run);
    mb_objects_free(objects, n);
    mb_engine_close(engine);
    DIR *dir = opendir(root);
    while ((entry = readdir(dir)) != NULL)
        ck_assert_msg(strncmp(entry->d_name, "mountbench", 10) != 0, "%s is left", entry->d_name);
    closedir(dir);
}

START_TEST(dd_on_every_mount)
{
    static const char *const cells[] = {"e/layer/dd", "e/bind/dd", "e/volume/dd", "e/tmpfs/dd"};
    const char *reason;

    if (servers[_i].pid == 0)
        return;
    struct mb_results *r = run(
        _i, "mounts: [layer, bind, volume, tmpfs]\n"
            "workloads:\n"
            "  - {name: dd, type: exec, image: \"" TOOLS "\", command: [dd, if=/dev/zero, of=file, bs=4096, count=256],\n"
            "     metrics: [{name: copied, pattern: \"^([0-9]+) bytes\"}, {name: out, pattern: \"^([0-9]+)[+]0 records out\"}],\n"
            "     bytes: copied}\n"
            "  - {type: seq-write, block: 4KiB, total: 64KiB}\n");
    for (size_t i = 0; i < 4; i++) {
        const struct mb_cell *c = find_cell(r, cells[i]);
        ck_assert_msg(c->status == MB_CELL_READY, "%s: %s", cells[i], c->reason);
        ck_assert_int_eq(c->measure, MB_MEASURE_BYTES_PER_SECOND);
        ck_assert_uint_eq(kept(r, cells[i], &reason), 2);
        ck_assert_ptr_nonnull(c->fstype);
    }
    ck_assert_str_eq(find_cell(r, "e/tmpfs/dd")->fstype, "tmpfs");
    ck_assert_uint_eq(kept(r, "e/bind/seq-write", &reason), 2);
    for (size_t i = 0; i < r->sample_count; i++) {
        const struct mb_sample *s = &r->samples[i];
        if (strstr(r->cells[s->cell].name, "/dd") == NULL)
            continue;
        ck_assert_uint_eq(s->bytes, 4096 * 256);
        ck_assert_int_gt(s->wall_ns, 100000);
        ck_assert_int_ge(s->sys_ns, 0);
        ck_assert_uint_eq(s->metric_count, 2);
        ck_assert_double_eq(s->metrics[1].value, 256);
    }
    mb_results_free(r);
    assert_nothing_left(_i);
}
END_TEST

START_TEST(setup_cleanup_environment)
{
    const char *reason;

    if (servers[_i].pid == 0)
        return;
    struct mb_results *r = run(
        _i, "mounts: [volume]\n"
            "workloads:\n"
            "  - name: all\n"
            "    type: exec\n"
            "    image: \"" TOOLS "\"\n"
            "    shell: true\n"
            "    environment: {ODD: \"a b%c=d\", EMPTY: \"\"}\n"
            "    setup: sleep 0.3; echo 41 > before\n"
            "    command: '[ \"$$GREETING$$EMPTY\" = hello ] && [ \"$$ODD\" = \"a b%c=d\" ] && cat before && echo 42 > after'\n"
            "    cleanup: cat after && [ \"$$(ls)\" = \"$$(echo after; echo before)\" ]\n"
            "    metrics: [{name: answer, pattern: \"^([0-9]+)$$\"}]\n"
            "  - {name: there, type: exec, image: \"" TOOLS "\", working_dir: /bin, command: [ls, busybox], cleanup: [\"true\"]}\n"
            "  - {name: empty, type: exec, image: \"" TOOLS "\", command: [sh, -c, \"[ -z \\\"$$1$$(ls)\\\" ]\", sh, \"\"]}\n");
    ck_assert_msg(kept(r, "e/volume/all", &reason) == 2, "%s", reason);
    ck_assert_msg(kept(r, "e/volume/there", &reason) == 2, "%s", reason);
    ck_assert_msg(kept(r, "e/volume/empty", &reason) == 2, "%s", reason);
    for (size_t i = 0; i < r->sample_count; i++) {
        if (strcmp(r->cells[r->samples[i].cell].name, "e/volume/all") == 0)
            ck_assert_double_eq(r->samples[i].metrics[0].value, 41);
        ck_assert_int_lt(r->samples[i].wall_ns, 5000000000);
    }
    mb_results_free(r);
    assert_nothing_left(_i);
}
END_TEST

static const struct {
    const char *name, *keys, *reason;
} failures[] = {
    {"status", "command: [sh, -c, \"echo first; echo last words; exit 3\"]", "'sh' ended with status 3: first; last words"},
    {"signal", "command: [sh, -c, \"kill -9 $$$$\"]", "was ended by signal 9"},
    {"no-program", "command: [no-such-program]", "cannot run 'no-such-program'"},
    {"no-directory", "working_dir: /none, command: [ls]", "cannot go to the working directory '/none'"},
    {"setup", "setup: [ls, /none], command: [ls]", "setup: 'ls' ended with status"},
    {"cleanup", "cleanup: [ls, /none], command: [ls]", "cleanup: 'ls' ended with status"},
    {"nothing", "command: [echo, words], metrics: [{name: m, pattern: \"([0-9]+) bytes\"}]",
     "matches nothing in what the command printed, which ends: words"},
    {"twice", "command: [echo, \"1 bytes 2 bytes\"], metrics: [{name: m, pattern: \"([0-9]+) bytes\"}]",
     "matches twice, '1' and '2'"},
    {"no-number", "command: [echo, \"x bytes\"], metrics: [{name: m, pattern: \"(.*) bytes\"}]", "matches 'x', which is no number"},
    {"hangs", "timeout: 1s, command: [sh, -c, \"sleep 300 & sleep 300\"]", "passed its time limit of"},
};
#define FAILURES (sizeof failures / sizeof failures[0])

START_TEST(a_failure_says_why)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(65536);
    const char *reason;

    if (servers[_i].pid == 0)
        return;
    mb_buffer_puts(&text, "mounts: [bind]\nworkloads:\n  - {name: good, type: exec, image: \"" TOOLS "\", command: [ls]}\n");
    for (size_t i = 0; i < FAILURES; i++)
        mb_buffer_printf(&text, "  - {name: %s, type: exec, image: \"" TOOLS "\", %s}\n", failures[i].name, failures[i].keys);
    struct mb_results *r = run(_i, text.data);
    ck_assert_msg(kept(r, "e/bind/good", &reason) == 2, "%s", reason);
    for (size_t i = 0; i < FAILURES; i++) {
        char name[64];
        snprintf(name, sizeof name, "e/bind/%s", failures[i].name);
        ck_assert_uint_eq(kept(r, name, &reason), 0);
        ck_assert_msg(strstr(reason, failures[i].reason) != NULL, "%s: %s", name, reason);
    }
    mb_results_free(r);
    assert_nothing_left(_i);
}
END_TEST

static void
write_file(const char *dir, const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", root, dir);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/%s/%s", root, dir, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

START_TEST(images_that_are_not_there)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(65536);
    const char *reason;

    if (servers[_i].pid == 0)
        return;
    write_file("broken", "Dockerfile", "FROM " TOOLS "\nCOPY there /there\nCOPY none /none\n");
    write_file("broken", "there", "there\n");
    write_file("failing", "Dockerfile", "FROM " TOOLS "\nRUN echo first words; echo last words; exit 3\n");
    mb_buffer_printf(&text,
                     "mounts: [bind, host]\nworkloads:\n"
                     "  - {name: good, type: exec, image: \"" TOOLS "\", command: [ls]}\n"
                     "  - {name: absent, type: exec, image: \"no-such-image:1\", command: [ls]}\n"
                     "  - {name: pulled, type: exec, image: \"127.0.0.1:9/none:1\", pull: missing, command: [ls]}\n"
                     "  - {name: broken, type: exec, build: \"%s/broken\", command: [ls]}\n"
                     "  - {name: failing, type: exec, build: \"%s/failing\", command: [ls]}\n"
                     "  - {name: nowhere, type: exec, build: \"%s/nowhere\", command: [ls]}\n",
                     root, root, root);
    struct mb_results *r = run(_i, text.data);
    ck_assert_msg(kept(r, "e/bind/good", &reason) == 2, "%s", reason);
    static const char *const reasons[][2] = {{"e/bind/absent", "the engine has no image 'no-such-image:1': pull it"},
                                             {"e/bind/pulled", "cannot pull the image '127.0.0.1:9/none:1': "},
                                             {"e/bind/broken", "cannot build the image: "},
                                             {"e/bind/failing", "cannot build the image: "},
                                             {"e/bind/nowhere", "No such file or directory"},
                                             {"e/host/good", "the host mount has none"}};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        const struct mb_cell *c = find_cell(r, reasons[i][0]);
        ck_assert_int_eq(c->status, strcmp(c->mount, "host") == 0 ? MB_CELL_UNAVAILABLE : MB_CELL_SKIPPED);
        ck_assert_msg(strstr(c->reason, reasons[i][1]) != NULL, "%s: %s", c->name, c->reason);
    }
    const char *words = strstr(find_cell(r, "e/bind/failing")->reason, "it printed last: ");
    ck_assert_msg(words != NULL && strstr(words, "last words") != NULL, "%s", find_cell(r, "e/bind/failing")->reason);
    ck_assert_msg(strstr(find_cell(r, "e/bind/broken")->reason, "COPY none") != NULL, "%s", find_cell(r, "e/bind/broken")->reason);
    mb_results_free(r);
    assert_nothing_left(_i);
}
END_TEST

START_TEST(built_from_a_directory)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(65536);
    const char *reason;

    if (servers[_i].pid == 0)
        return;
    write_file("context", "Dockerfile", "FROM " TOOLS "\nCOPY script /bin/script\nENV FROM_BUILD=17\n");
    write_file("context", "script", "#!/bin/sh\necho \"number: $FROM_BUILD\"\n");
    char path[256];
    snprintf(path, sizeof path, "%s/context/script", root);
    chmod(path, 0755);
    mb_buffer_printf(&text,
                     "mounts: [layer, {name: fresh, type: tmpfs, isolation: trial}]\nworkloads:\n"
                     "  - {name: built, type: exec, build: \"%s/context\", command: [script],\n"
                     "     metrics: [{name: number, pattern: \"number: ([0-9]+)\"}], ops: number}\n",
                     root);
    struct mb_results *r = run(_i, text.data);
    ck_assert_msg(kept(r, "e/layer/built", &reason) == 2, "%s %s", reason, find_cell(r, "e/layer/built")->reason);
    ck_assert_msg(kept(r, "e/fresh/built", &reason) == 2, "%s", reason);
    ck_assert_int_eq(find_cell(r, "e/layer/built")->measure, MB_MEASURE_OPS_PER_SECOND);
    ck_assert_uint_eq(r->samples[0].ops, 17);
    mb_results_free(r);
    assert_nothing_left(_i);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("exec");
    TCase *tc = tcase_create("exec");

    tcase_add_unchecked_fixture(tc, start_servers, stop_servers);
    tcase_add_checked_fixture(tc, make_root, remove_root);
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, dd_on_every_mount, 0, 2);
    tcase_add_loop_test(tc, setup_cleanup_environment, 0, 2);
    tcase_add_loop_test(tc, a_failure_says_why, 0, 2);
    tcase_add_loop_test(tc, images_that_are_not_there, 0, 2);
    tcase_add_loop_test(tc, built_from_a_directory, 0, 2);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
