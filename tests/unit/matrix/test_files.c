/* What a matrix's name can turn out to be: missing, a directory, a pipe, too large, not text; and where names are looked up. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/matrix.h"
#include "mountbench/tree.h"

/* Every test has a directory of its own for the current one. */
static char dir[] = "/tmp/mountbench-test-XXXXXX";

static void
enter(void)
{
    strcpy(dir + sizeof dir - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(chdir(dir), 0);
}

static void
leave(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(mb_tree_remove(dir, NULL), 0);
}

static void
put(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "w");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
}

static void
put_matrix(const char *path)
{
    static const char text[] = "mounts: [layer]\nworkloads: [commit]\n";

    put(path, text, sizeof text - 1);
}

static void
refused(const char *path, const char *message)
{
    struct mb_error err = {0};
    struct mb_matrix *m = NULL;

    ck_assert_int_eq(mb_matrix_load(path, NULL, &m, &err), -1);
    ck_assert_ptr_null(m);
    ck_assert_str_eq(err.message, message);
    ck_assert_int_eq(mb_error_exit_status(&err), 2);
}

START_TEST(loads)
{
    struct mb_error err = {0};
    struct mb_matrix *m;

    put_matrix("a.yaml");
    ck_assert_msg(mb_matrix_load("a.yaml", NULL, &m, &err) == 0, "%s", err.message);
    ck_assert_str_eq(m->path, "a.yaml");
    ck_assert_str_eq(m->name, "a");
    mb_matrix_free(m);
}
END_TEST

START_TEST(no_file)
{
    refused("missing.yaml", "missing.yaml: No such file or directory");
    refused("no/such/dir.yaml", "no/such/dir.yaml: No such file or directory");
    ck_assert_int_eq(mkdir("d.yaml", 0755), 0);
    refused("d.yaml", "d.yaml: is a directory; name the matrix file in it");
    refused("/dev/null", "/dev/null: is not a regular file");
}
END_TEST

/* A pipe that nobody writes to: opening it must not wait. */
START_TEST(pipe_does_not_hang)
{
    ck_assert_int_eq(mkfifo("p.yaml", 0644), 0);
    refused("p.yaml", "p.yaml: is not a regular file");
}
END_TEST

START_TEST(not_permitted)
{
    if (geteuid() == 0) {
        printf("SKIP not_permitted: root may read everything\n");
        return;
    }
    put_matrix("a.yaml");
    ck_assert_int_eq(chmod("a.yaml", 0), 0);
    refused("a.yaml", "a.yaml: Permission denied");
}
END_TEST

START_TEST(too_large)
{
    int fd = open("big.yaml", O_CREAT | O_WRONLY, 0644);

    ck_assert_int_eq(ftruncate(fd, 100 << 20), 0);
    close(fd);
    refused("big.yaml", "big.yaml: is 100 MiB large; a matrix file is at most 1 MiB");

    /* One byte above is too large; exactly 1 MiB is read. */
    char *text = malloc((1 << 20) + 1);
    memset(text, '\n', (1 << 20) + 1);
    put("edge.yaml", text, (1 << 20) + 1);
    refused("edge.yaml", "edge.yaml: is 1.00 MiB large; a matrix file is at most 1 MiB");
    put("edge.yaml", text, 1 << 20);
    refused("edge.yaml", "edge.yaml: the file is empty; a matrix has at least the keys mounts and workloads");
    free(text);
}
END_TEST

START_TEST(not_text)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *message;
    } cases[] = {
        {"name: x\nmounts: [\xff]\n", 20, "f.yaml:2: not a text in UTF-8: byte 0xff at offset 17"},
        {"name: caf\xe9\n", 11, "f.yaml:1: not a text in UTF-8: byte 0xe9 at offset 9"},
        {"name: \xc0\xaf\n", 9, "f.yaml:1: not a text in UTF-8: byte 0xc0 at offset 6"},
        {"name: \xed\xa0\x80\n", 10, "f.yaml:1: not a text in UTF-8: byte 0xed at offset 6"},
        {"name: \xe2\x82", 8, "f.yaml:1: not a text in UTF-8: byte 0xe2 at offset 6"},
        {"a\0b", 3, "f.yaml:1: not a text in UTF-8: byte 0x00 at offset 1"},
        {"\xff\xfem\0o\0", 6, "f.yaml: the file is UTF-16; save it as UTF-8"},
        {"\xfe\xff\0m\0o", 6, "f.yaml: the file is UTF-16; save it as UTF-8"},
        {"\x7f"
         "ELF\x02\x01\x01\0",
         8, "f.yaml:1: not a text in UTF-8: byte 0x00 at offset 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put("f.yaml", cases[i].bytes, cases[i].n);
        refused("f.yaml", cases[i].message);
    }
    put("f.yaml", "", 0);
    refused("f.yaml", "f.yaml: the file is empty; a matrix has at least the keys mounts and workloads");
}
END_TEST

/* A preset cut short anywhere is refused or means something; it never does worse. */
START_TEST(cut_short)
{
    static const char text[] = "name: x\nmounts:\n  - layer\n  - {name: b, type: bind, consistency: cached}\n"
                               "workloads:\n  - {name: w, type: seq-write, block: 1KiB, source: \"zero\"}\nrounds: 3\n";
    size_t accepted = 0;

    for (size_t n = 0; n < sizeof text; n++) {
        struct mb_error err = {0};
        struct mb_matrix *m;
        put("cut.yaml", text, n);
        if (mb_matrix_load("cut.yaml", NULL, &m, &err) == 0)
            accepted++;
        else
            ck_assert_msg(strncmp(err.message, "cut.yaml", 8) == 0, "%s", err.message);
        mb_matrix_free(m);
    }
    ck_assert_uint_ge(accepted, 1);
    ck_assert_uint_le(accepted, 12);
}
END_TEST

static void
found(const char *name, const char *path)
{
    struct mb_error err = {0};
    char *at = NULL;

    ck_assert_msg(mb_matrix_find(name, &at, &err) == 0, "%s", err.message);
    ck_assert_str_eq(at, path);
    free(at);
}

START_TEST(finding)
{
    char config[sizeof dir + 64];
    struct mb_error err = {0};
    char *at = NULL;

    snprintf(config, sizeof config, "%s/config", dir);
    setenv("XDG_CONFIG_HOME", config, 1);
    /* What looks like a path is one, whether it is there or not. */
    found("./x", "./x");
    found("x.yaml", "x.yaml");
    found("x.yml", "x.yml");
    found("x.json", "x.json");
    found("a/b", "a/b");

    ck_assert_int_eq(mb_matrix_find("mine", &at, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.message, "there is no matrix 'mine'"));
    ck_assert_ptr_nonnull(strstr(err.message, config));
    ck_assert_int_eq(mb_error_exit_status(&err), 2);

    ck_assert_int_eq(mb_tree_make("config/mountbench", NULL), 0);
    put_matrix("config/mountbench/mine.yaml");
    char path[sizeof config + 32];
    snprintf(path, sizeof path, "%s/mountbench/mine.yaml", config);
    found("mine", path);

    /* ./matrix goes first. */
    ck_assert_int_eq(mkdir("matrix", 0755), 0);
    put_matrix("matrix/mine.yaml");
    put_matrix("matrix/yours.yaml");
    put_matrix("matrix/.hidden.yaml");
    found("mine", "matrix/mine.yaml");

    ck_assert_int_eq(mb_matrix_find("mien", &at, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.message, "there is no matrix 'mien' (did you mean 'mine'? there are "));
    ck_assert_ptr_nonnull(strstr(err.message, "mine, yours"));
    ck_assert_ptr_null(strstr(err.message, "hidden"));
    ck_assert_int_eq(mb_matrix_find("", &at, &err), -1);
    ck_assert_str_eq(err.message, "the name of the matrix is empty");

    /* Without XDG_CONFIG_HOME, or with one that is not absolute, ~/.config. */
    setenv("XDG_CONFIG_HOME", "config", 1);
    setenv("HOME", dir, 1);
    ck_assert_int_eq(mb_tree_make(".config/mountbench", NULL), 0);
    put_matrix(".config/mountbench/home.yaml");
    snprintf(path, sizeof path, "%s/.config/mountbench/home.yaml", dir);
    found("home", path);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("matrix files");
    TCase *tcase = tcase_create("files");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, enter, leave);
    tcase_add_test(tcase, loads);
    tcase_add_test(tcase, no_file);
    tcase_add_test(tcase, pipe_does_not_hang);
    tcase_add_test(tcase, not_permitted);
    tcase_add_test(tcase, too_large);
    tcase_add_test(tcase, not_text);
    tcase_add_test(tcase, cut_short);
    tcase_add_test(tcase, finding);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
