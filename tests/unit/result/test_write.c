/* result.h: writing, going on with a file, and what a cut at any byte leaves. */
#include "mountbench/result.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64], path[96];

static void
make_dir(void)
{
    strcpy(dir, "/tmp/mb-write-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/run.jsonl", dir);
}

static void
remove_dir(void)
{
    unlink(path);
    rmdir(dir);
}

static char *
slurp(const char *file, size_t *n)
{
    FILE *f = fopen(file, "r");
    ck_assert_ptr_nonnull(f);
    char *text = calloc(1, 1 << 20);
    ck_assert_ptr_nonnull(text);
    *n = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

static void
spit(const char *text, size_t n)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, n, f), n);
    fclose(f);
}

static void
write_json(struct mb_result_writer *w, const char *json)
{
    struct mb_error err = {0};
    cJSON *record = cJSON_Parse(json);
    ck_assert_ptr_nonnull(record);
    ck_assert_msg(mb_result_write(w, record, &err) == 0, "%s", err.message);
    cJSON_Delete(record);
}

#define NUMBERS "{\"big\":[9007199254740991,9007199254740992,1e+300],\"small\":-3,\"x\":[0.1,0.30000000000000004]}"

START_TEST(writes_lines)
{
    struct mb_result_writer *w;
    struct mb_error err = {0};
    size_t n;

    ck_assert_int_eq(mb_result_create(path, &w, &err), 0);
    write_json(w, NUMBERS);
    /* On the disk before the next one, not when the writer is closed. */
    char *text = slurp(path, &n);
    ck_assert_str_eq(text, NUMBERS "\n");
    free(text);
    write_json(w, "{\"type\":\"end\",\"status\":\"a\\nb\"}");
    mb_result_close(w);
    mb_result_close(NULL);
    text = slurp(path, &n);
    ck_assert_ptr_nonnull(strstr(text, "{\"type\":\"end\",\"status\":\"a\\nb\"}\n"));
    free(text);
}
END_TEST

START_TEST(never_overwrites)
{
    struct mb_result_writer *w;
    struct mb_error err = {0};
    char wanted[256];

    spit("precious", 8);
    ck_assert_int_eq(mb_result_create(path, &w, &err), -1);
    ck_assert_ptr_null(w);
    snprintf(wanted, sizeof wanted, "%s: exists already, and results are never overwritten; go on with it with --resume", path);
    ck_assert_str_eq(err.message, wanted);
    size_t n;
    char *text = slurp(path, &n);
    ck_assert_str_eq(text, "precious");
    free(text);
    ck_assert_int_eq(mb_result_append(path, &w, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.message, "is no result file, and left alone"));
    ck_assert_int_eq(mb_result_append("/nowhere/x", &w, &err), -1);
    ck_assert_int_eq(err.code, MB_ECONFIG);
    ck_assert_int_eq(mb_result_append("/tmp", &w, &err), -1);
    ck_assert_int_eq(mb_result_create("", &w, &err), -1);
    ck_assert_int_eq(mb_result_create("/proc/no/such/place.jsonl", &w, &err), -1);
}
END_TEST

START_TEST(makes_directories)
{
    struct mb_result_writer *w;
    struct mb_error err = {0};
    char deep[160], middle[128];

    snprintf(middle, sizeof middle, "%s/a", dir);
    snprintf(deep, sizeof deep, "%s/a/b/run.jsonl", dir);
    ck_assert_msg(mb_result_create(deep, &w, &err) == 0, "%s", err.message);
    mb_result_close(w);
    ck_assert_int_eq(unlink(deep), 0);
    *strrchr(deep, '/') = '\0';
    ck_assert_int_eq(rmdir(deep), 0);
    ck_assert_int_eq(rmdir(middle), 0);
}
END_TEST

/* What an engine says need not be UTF-8; what we write is. */
START_TEST(mends_encoding)
{
    struct mb_result_writer *w;
    struct mb_error err = {0};
    cJSON *record = cJSON_CreateObject();
    size_t n;

    cJSON_AddStringToObject(record, "reason", "caf\xe9 \xed\xa0\x80 \xe3\x81\x82");
    ck_assert_int_eq(mb_result_create(path, &w, &err), 0);
    ck_assert_int_eq(mb_result_write(w, record, &err), 0);
    mb_result_close(w);
    cJSON_Delete(record);
    char *text = slurp(path, &n);
    ck_assert_str_eq(text, "{\"reason\":\"caf\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD \xe3\x81\x82\"}\n");
    free(text);
}
END_TEST

START_TEST(record_too_long)
{
    struct mb_result_writer *w;
    struct mb_error err = {0};
    char *long_text = malloc((1 << 20) + 1);
    struct stat st;

    ck_assert_ptr_nonnull(long_text);
    memset(long_text, 'x', 1 << 20);
    long_text[1 << 20] = '\0';
    cJSON *record = cJSON_CreateObject();
    cJSON_AddStringToObject(record, "reason", long_text);
    ck_assert_int_eq(mb_result_create(path, &w, &err), 0);
    ck_assert_int_eq(mb_result_write(w, record, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.message, "a record is longer than 1048576 bytes"));
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_size, 0);
    mb_result_close(w);
    cJSON_Delete(record);
    free(long_text);
}
END_TEST

/* A disk that is full, by a limit on the file's size: the line that did not fit is not there in part. */
START_TEST(no_half_line_when_full)
{
    struct mb_result_writer *w;
    struct mb_error err = {0};
    struct rlimit limit = {.rlim_cur = 100, .rlim_max = 100};
    size_t n;

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(mb_result_create(path, &w, &err), 0);
    write_json(w, "{\"type\":\"run\",\"schema\":1,\"id\":\"01234567890123456789\"}");
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cJSON *record = cJSON_Parse("{\"type\":\"end\",\"status\":\"01234567890123456789012345678901234567890123456789\"}");
    ck_assert_int_eq(mb_result_write(w, record, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.message, "cannot write"));
    cJSON_Delete(record);
    mb_result_close(w);
    char *text = slurp(path, &n);
    ck_assert_str_eq(text, "{\"type\":\"run\",\"schema\":1,\"id\":\"01234567890123456789\"}\n");
    free(text);
}
END_TEST

START_TEST(one_writer)
{
    struct mb_result_writer *w, *other;
    struct mb_error err = {0};

    ck_assert_int_eq(mb_result_create(path, &w, &err), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(mb_result_append(path, &other, &err) == -1 && strstr(err.message, "another run is writing") ? 0 : 1);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    mb_result_close(w);
}
END_TEST

static const char whole[] = "{\"type\":\"run\",\"schema\":1,\"id\":\"r\"}\n"
                            "{\"type\":\"cell\",\"cell\":\"a\",\"engine\":\"\xe3\x81\x82\",\"mount\":\"m\",\"workload\":\"w\"}\n"
                            "{\"type\":\"sample\",\"cell\":\"a\",\"wall_ns\":17,\"metrics\":{\"x\":1}}\n"
                            "{\"type\":\"sample\",\"cell\":\"a\",\"wall_ns\":18}\r\n"
                            "{\"type\":\"check\",\"cell\":\"a\",\"name\":\"n\",\"outcome\":\"pass\"}\n"
                            "{\"type\":\"end\",\"status\":\"complete\"}\n";

/* How many lines of whole[0..cut) are complete objects, newline or not. */
static size_t
complete_lines(size_t cut)
{
    size_t n = 0;
    for (size_t i = 0; i < cut; i++)
        n += whole[i] == '}' && (whole[i + 1] == '\n' || whole[i + 1] == '\r');
    return n;
}

static size_t
records_of(const struct mb_results *r)
{
    return r->run_count + r->cell_count + r->sample_count + r->check_count + (r->runs[0].end_status != NULL);
}

/* Killed at any byte: nothing complete is lost, nothing is an error but a file without its first line. */
START_TEST(cut_at_every_byte)
{
    const char *files[] = {path};

    for (size_t cut = 0; cut <= sizeof whole - 1; cut++) {
        struct mb_results *r;
        struct mb_error err = {0};
        size_t complete = complete_lines(cut);

        spit(whole, cut);
        int rc = mb_results_read(files, 1, &r, &err);
        if (complete == 0) {
            ck_assert_int_eq(rc, -1);
            ck_assert_msg(strstr(err.message, "no run record") != NULL, "cut %zu: %s", cut, err.message);
            continue;
        }
        ck_assert_msg(rc == 0, "cut %zu: %s", cut, err.message);
        ck_assert_msg(records_of(r) == complete, "cut %zu: %zu records, not %zu", cut, records_of(r), complete);
        char last = whole[cut - 1];
        bool torn = last != '\n' && last != '\r' && !(last == '}' && (whole[cut] == '\n' || whole[cut] == '\r'));
        size_t warnings = (size_t)torn + (r->runs[0].end_status == NULL ? 1 : 0);
        ck_assert_msg(r->warning_count == warnings, "cut %zu: %zu warnings", cut, r->warning_count);
        mb_results_free(r);
    }
}
END_TEST

/* Going on with a file cut anywhere: what was complete stays, what is appended follows. */
START_TEST(append_after_cut_at_every_byte)
{
    const char *files[] = {path};

    for (size_t cut = 1; cut <= sizeof whole - 1; cut++) {
        struct mb_results *r;
        struct mb_result_writer *w;
        struct mb_error err = {0};
        size_t complete = complete_lines(cut);

        spit(whole, cut);
        ck_assert_msg(mb_result_append(path, &w, &err) == 0, "cut %zu: %s", cut, err.message);
        if (complete == 0)
            write_json(w, "{\"type\":\"run\",\"schema\":1}");
        write_json(w, "{\"type\":\"end\",\"status\":\"interrupted\"}");
        mb_result_close(w);
        ck_assert_msg(mb_results_read(files, 1, &r, &err) == 0, "cut %zu: %s", cut, err.message);
        ck_assert_str_eq(r->runs[0].end_status, "interrupted");
        ck_assert_uint_eq(r->warning_count, 0);
        size_t wanted = complete == 0 ? 2 : complete == 6 ? 6 : complete + 1;
        ck_assert_msg(records_of(r) == wanted, "cut %zu: %zu records, not %zu", cut, records_of(r), wanted);
        mb_results_free(r);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("result write");
    TCase *tcase = tcase_create("write");
    tcase_add_checked_fixture(tcase, make_dir, remove_dir);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, writes_lines);
    tcase_add_test(tcase, never_overwrites);
    tcase_add_test(tcase, makes_directories);
    tcase_add_test(tcase, mends_encoding);
    tcase_add_test(tcase, record_too_long);
    tcase_add_test(tcase, no_half_line_when_full);
    tcase_add_test(tcase, one_writer);
    tcase_add_test(tcase, cut_at_every_byte);
    tcase_add_test(tcase, append_after_cut_at_every_byte);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
