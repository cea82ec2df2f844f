/*
 * test_docker_desktop.c: Docker Desktop by a stand-in for `docker desktop`; its settings file is changed, put back, never
 * overwritten.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/file.h"
#include "mountbench/provider.h"
#include "mountbench/signals.h"
#include "mountbench/tree.h"
#include "support/stand_in.h"

#define STORE ".docker/desktop/settings-store.json"
#define ODD "{\n  \"Cpus\": 4,  \"UseGrpcfuse\":false ,\n\t\"Words\": [\"{\", 1e3, \"\\u00e9\"],\n\"AutoStart\": true }\n\n"

static void
put_store(const char *content)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mb_tree_make(mb_stand_in_path(".docker/desktop"), &err), 0);
    mb_stand_in_put(STORE, content);
}

START_TEST(docker_desktops_file_is_changed_where_asked_and_put_back_byte_for_byte)
{
    struct mb_error err = {0};

    put_store(ODD);
    chmod(mb_stand_in_path(STORE), 0600);
    mb_stand_in_put("running", "");
    int rc =
        mb_stand_in_run_one("docker-desktop", "{\"UseGrpcfuse\": true, \"UseVirtualizationFrameworkVirtioFS\": \"false\"}", &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    /* The last start is the one that puts back. */
    ck_assert_str_eq(mb_stand_in_get("seen-at-start"), mb_stand_in_get(STORE));
    FILE *f = fopen(mb_stand_in_path(STORE), "r");
    char bytes[400] = "";
    ck_assert_uint_eq(fread(bytes, 1, sizeof bytes - 1, f), strlen(ODD));
    fclose(f);
    ck_assert_str_eq(bytes, ODD);
    struct stat st;
    ck_assert_int_eq(stat(mb_stand_in_path(STORE), &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
    ck_assert(mb_stand_in_has("running"));
    ck_assert(!mb_stand_in_has(STORE ".mountbench-saved"));
    ck_assert_str_eq(mb_stand_in_get("log"),
                     "docker desktop status --format json\n"
                     "docker desktop status --format json\ndocker desktop stop\ndocker desktop status --format json\n"
                     "docker desktop start\n"
                     "docker desktop status --format json\ndocker desktop stop\ndocker desktop status --format json\n"
                     "docker desktop start");
}
END_TEST

START_TEST(docker_desktop_starts_with_the_settings)
{
    struct mb_error err = {0};

    put_store(ODD);
    int rc = mb_stand_in_run_one("docker-desktop", "{\"UseGrpcfuse\": true, \"UseVirtualizationFrameworkVirtioFS\": false}", &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    ck_assert_str_eq(mb_stand_in_get("seen-at-start"),
                     "{\"UseVirtualizationFrameworkVirtioFS\":false,\n  \"Cpus\": 4,  \"UseGrpcfuse\":true ,\n"
                     "\t\"Words\": [\"{\", 1e3, \"\\u00e9\"],\n\"AutoStart\": true }\n");
    ck_assert(!mb_stand_in_has("running"));
}
END_TEST

START_TEST(what_docker_desktop_itself_writes_stays)
{
    struct mb_error err = {0};

    put_store(ODD);
    mb_stand_in_put("rewrites", "");
    int rc = mb_stand_in_run_one("docker-desktop", "{\"UseGrpcfuse\": true, \"UseLibkrun\": true}", &err);
    ck_assert_msg(rc == 0, "%s", err.message);
    char expected[400];
    snprintf(expected, sizeof expected, "{\"LastStart\": 7,%s", &ODD[1]);
    expected[strlen(expected) - 1] = '\0';
    ck_assert_str_eq(mb_stand_in_get(STORE), expected);
}
END_TEST

START_TEST(what_someone_else_set_is_not_overwritten)
{
    struct mb_error err = {0};

    put_store(ODD);
    mb_stand_in_put("running", "");
    mb_stand_in_put("meddles", "");
    ck_assert_int_eq(mb_stand_in_run_one("docker-desktop", "{\"UseGrpcfuse\": true}", &err), -1);
    ck_assert_msg(strstr(err.message, "was changed by something else: UseGrpcfuse is null, and was set to true") != NULL, "%s",
                  err.message);
    char remedy[900];
    snprintf(remedy, sizeof remedy, "run: docker desktop stop && mv %s %s && docker desktop start",
             mb_stand_in_path(STORE ".mountbench-saved"), mb_stand_in_path(STORE));
    ck_assert_msg(strstr(err.message, remedy) != NULL, "%s", err.message);
    ck_assert_ptr_nonnull(strstr(mb_stand_in_get(STORE), "null"));
    char original[400];
    snprintf(original, sizeof original, "%.*s", (int)strlen(ODD) - 1, ODD);
    ck_assert_str_eq(mb_stand_in_get(STORE ".mountbench-saved"), original);
    ck_assert(mb_stand_in_has("running"));
    /* And the next run does not pass over it. */
    mb_error_clear(&err);
    ck_assert_int_eq(mb_stand_in_run_one("docker-desktop", "{\"UseGrpcfuse\": true}", &err), -1);
    ck_assert_msg(strstr(err.message, "did not get to its end") != NULL, "%s", err.message);
}
END_TEST

static const struct {
    const char *fault, *says, *left;
} losses[] = {
    {"loses", "cannot read Docker Desktop's settings", ""},
    {"garbles", "are no JSON object, and are left alone", "{\"UseGrpcfuse\": tr"},
};

START_TEST(a_file_that_is_lost_meanwhile_is_not_made_anew)
{
    struct mb_error err = {0};

    put_store(ODD);
    mb_stand_in_put(losses[_i].fault, "");
    ck_assert_int_eq(mb_stand_in_run_one("docker-desktop", "{\"UseGrpcfuse\": true}", &err), -1);
    ck_assert_msg(strstr(err.message, losses[_i].says) != NULL, "%s", err.message);
    char remedy[900], original[400];
    snprintf(remedy, sizeof remedy, "to put it right, run: docker desktop stop && mv %s %s",
             mb_stand_in_path(STORE ".mountbench-saved"), mb_stand_in_path(STORE));
    ck_assert_msg(strstr(err.message, remedy) != NULL, "%s", err.message);
    ck_assert_str_eq(mb_stand_in_get(STORE), losses[_i].left);
    snprintf(original, sizeof original, "%.*s", (int)strlen(ODD) - 1, ODD);
    ck_assert_str_eq(mb_stand_in_get(STORE ".mountbench-saved"), original);
    ck_assert(!mb_stand_in_has("running"));
}
END_TEST

START_TEST(older_files_have_keys_in_lower_camel)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mb_tree_make(mb_stand_in_path(".docker/desktop"), &err), 0);
    mb_stand_in_put(".docker/desktop/settings.json", "{\"useGrpcfuse\": false}");
    struct mb_engine_spec spec = mb_stand_in_spec("docker-desktop", "{\"UseGrpcfuse\": true}");
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(4000);
    ck_assert_int_eq(mb_provider_plan(&spec, &out, &err), 0);
    ck_assert_msg(strstr(mb_buffer_text(&out), "useGrpcfuse: false would become true") != NULL, "%s", mb_buffer_text(&out));
    mb_stand_in_spec_clear(&spec);
    ck_assert_str_eq(mb_stand_in_get(".docker/desktop/settings.json"), "{\"useGrpcfuse\": false}");
}
END_TEST

static const struct {
    const char *content, *says;
} stores[] = {
    {NULL, "settings file is in none of its places"},
    {"", "are no JSON object, and are left alone"},
    {"{\"UseGrpcfuse\": tr", "are no JSON object, and are left alone"},
    {"[1]", "are no JSON object, and are left alone"},
    {"{} trailing", "are no JSON object, and are left alone"},
};

START_TEST(a_settings_file_that_is_not_understood_is_left_alone)
{
    struct mb_error err = {0};

    mb_stand_in_put("running", "");
    if (stores[_i].content != NULL)
        put_store(stores[_i].content);
    ck_assert_int_eq(mb_stand_in_run_one("docker-desktop", "{\"UseGrpcfuse\": true}", &err), -1);
    ck_assert_msg(strstr(err.message, stores[_i].says) != NULL, "%s", err.message);
    ck_assert_str_eq(mb_stand_in_get("log"), "docker desktop status --format json");
    if (stores[_i].content != NULL)
        ck_assert_str_eq(mb_stand_in_get(STORE), stores[_i].content);
}
END_TEST

START_TEST(a_settings_file_that_cannot_be_read_is_said)
{
    struct mb_error err = {0};

    ck_assert_int_eq(mb_tree_make(mb_stand_in_path(STORE), &err), 0); /* a directory: root may read all files */
    ck_assert_int_eq(mb_stand_in_run_one("docker-desktop", "{\"UseGrpcfuse\": true}", &err), -1);
    ck_assert_msg(strstr(err.message, "cannot read Docker Desktop's settings") != NULL, "%s", err.message);
}
END_TEST

START_TEST(a_docker_without_desktop_commands_is_too_old)
{
    struct mb_error err = {0};

    mb_stand_in_put("old", "");
    ck_assert_int_eq(mb_stand_in_run_one("docker-desktop", NULL, &err), -1);
    ck_assert_msg(strstr(err.message, "older than 4.37") != NULL && strstr(err.message, "https://www.docker.com") != NULL, "%s",
                  err.message);
}
END_TEST

#define COUNT(array) (int)(sizeof array / sizeof array[0])

int
main(void)
{
    Suite *suite = suite_create("docker desktop");
    TCase *tc = tcase_create("docker desktop");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, mb_stand_in_start, mb_stand_in_stop);
    tcase_add_test(tc, docker_desktops_file_is_changed_where_asked_and_put_back_byte_for_byte);
    tcase_add_test(tc, docker_desktop_starts_with_the_settings);
    tcase_add_test(tc, what_docker_desktop_itself_writes_stays);
    tcase_add_test(tc, what_someone_else_set_is_not_overwritten);
    tcase_add_loop_test(tc, a_file_that_is_lost_meanwhile_is_not_made_anew, 0, COUNT(losses));
    tcase_add_test(tc, older_files_have_keys_in_lower_camel);
    tcase_add_loop_test(tc, a_settings_file_that_is_not_understood_is_left_alone, 0, COUNT(stores));
    tcase_add_test(tc, a_settings_file_that_cannot_be_read_is_said);
    tcase_add_test(tc, a_docker_without_desktop_commands_is_too_old);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
