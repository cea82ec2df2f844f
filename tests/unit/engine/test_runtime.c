/* test_runtime.c: every file in runtimes/ is what one product says of itself, and what we are to make of it. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/json.h"
#include "engine/runtime.h"

#define FIXTURES "tests/unit/engine/runtimes"

static cJSON *
load(const char *name)
{
    char path[512], *text = calloc(1, 65536);

    snprintf(path, sizeof path, FIXTURES "/%s", name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s: run from the project's directory", path);
    ck_assert_uint_gt(fread(text, 1, 65535, file), 0);
    fclose(file);
    cJSON *tree = cJSON_Parse(text);
    ck_assert_msg(tree != NULL, "%s is not JSON", path);
    free(text);
    return tree;
}

static void
check_one(const char *name)
{
    cJSON *f = load(name);
    const cJSON *expect = mb_json_get(f, "expect");
    const char *libpod = mb_json_text(mb_json_get(f, "ping"), "Libpod-Api-Version");
    struct mb_engine_facts facts;
    struct mb_error err = {0};

    ck_assert_int_eq(mb_runtime_recognise(mb_json_get(f, "version"), mb_json_get(f, "info"), libpod, &facts, &err), 0);
    ck_assert_msg(strcmp(mb_runtime_name(facts.runtime), mb_json_text(expect, "runtime")) == 0, "%s: is %s", name,
                  mb_runtime_name(facts.runtime));
    ck_assert_str_eq(facts.runtime_version, mb_json_text(expect, "runtime_version"));
    ck_assert_str_eq(facts.engine_version, mb_json_text(expect, "engine_version"));
    ck_assert_str_eq(facts.arch, mb_json_text(expect, "arch"));
    ck_assert_int_eq(facts.rootless, cJSON_IsTrue(mb_json_get(expect, "rootless")));
    ck_assert_int_eq((int)facts.cpus, mb_json_get(expect, "cpus")->valueint);
    ck_assert_str_eq(facts.kernel, mb_json_text(mb_json_get(f, "info"), "KernelVersion"));
    mb_runtime_facts_clear(&facts);
    cJSON_Delete(f);
}

START_TEST(test_every_fixture)
{
    DIR *directory = opendir(FIXTURES);
    struct dirent *entry;
    int n = 0;

    ck_assert_msg(directory != NULL, FIXTURES ": run from the project's directory");
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        check_one(entry->d_name);
        n++;
    }
    closedir(directory);
    ck_assert_int_ge(n, 18);
}
END_TEST

START_TEST(test_podman_by_its_header_alone)
{
    cJSON *empty = cJSON_CreateObject();
    struct mb_engine_facts facts;

    ck_assert_int_eq(mb_runtime_recognise(empty, empty, "5.0.0", &facts, NULL), 0);
    ck_assert_int_eq(facts.runtime, MB_RUNTIME_PODMAN);
    mb_runtime_facts_clear(&facts);
    cJSON_Delete(empty);
}
END_TEST

START_TEST(test_answers_of_the_wrong_type_are_taken_for_absent)
{
    cJSON *version = cJSON_Parse("{\"Platform\":3,\"Components\":{\"a\":1},\"Version\":[],\"Arch\":null}");
    cJSON *info = cJSON_Parse("{\"NCPU\":\"2\",\"MemTotal\":-5,\"SecurityOptions\":[1,null],\"OperatingSystem\":{}}");
    struct mb_engine_facts facts;

    ck_assert_int_eq(mb_runtime_recognise(version, info, "", &facts, NULL), 0);
    ck_assert_int_eq(facts.runtime, MB_RUNTIME_UNKNOWN);
    ck_assert_str_eq(facts.engine_version, "");
    ck_assert_uint_eq(facts.cpus, 0);
    ck_assert_uint_eq(facts.memory_bytes, 0);
    mb_runtime_facts_clear(&facts);
    cJSON_Delete(version);
    cJSON_Delete(info);
}
END_TEST

START_TEST(test_names_and_titles)
{
    for (int r = MB_RUNTIME_UNKNOWN; r <= MB_RUNTIME_MINIKUBE; r++) {
        ck_assert_str_ne(mb_runtime_name((enum mb_runtime)r), "");
        ck_assert_str_ne(mb_runtime_title((enum mb_runtime)r), "");
        for (int s = 0; s < r; s++)
            ck_assert_str_ne(mb_runtime_name((enum mb_runtime)r), mb_runtime_name((enum mb_runtime)s));
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("runtime");
    TCase *tcase = tcase_create("recognise");
    SRunner *runner = srunner_create(suite);

    tcase_add_test(tcase, test_every_fixture);
    tcase_add_test(tcase, test_podman_by_its_header_alone);
    tcase_add_test(tcase, test_answers_of_the_wrong_type_are_taken_for_absent);
    tcase_add_test(tcase, test_names_and_titles);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
