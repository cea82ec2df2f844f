/* test_negotiate.c: which version is spoken with whom. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "engine/negotiate.h"

static const struct {
    const char *who, *newest, *oldest, *forced, *spoken;
    enum mb_error_code code;
    const char *says;
} cases[] = {
    {"Docker 19.03", "1.40", "1.12", NULL, "1.40", MB_OK, NULL},
    {"Docker 20.10", "1.41", "1.12", NULL, "1.41", MB_OK, NULL},
    {"Docker 28.5", "1.51", "1.24", "", "1.51", MB_OK, NULL},
    {"Docker 29.0: newer than we know", "1.52", "1.44", NULL, "1.51", MB_OK, NULL},
    {"podman 5.8", "1.44", "1.24", NULL, "1.44", MB_OK, NULL},
    {"an engine that does not say its oldest", "1.41", "", NULL, "1.41", MB_OK, NULL},
    {"numbers, not letters: 1.9 is old", "1.9", "1.2", NULL, NULL, MB_ENOENGINE, "upgrade the engine"},
    {"from the future", "1.99", "1.60", NULL, NULL, MB_ENOENGINE, "a newer mountbench is needed"},
    {"forced, and accepted", "1.52", "1.44", "1.44", "1.44", MB_OK, NULL},
    {"forced, even beyond what we know", "1.53", "1.44", "1.52", "1.52", MB_OK, NULL},
    {"forced too old", "1.52", "1.44", "1.41", NULL, MB_ECONFIG,
     "DOCKER_API_VERSION is 1.41, but the engine accepts 1.44 to 1.52; unset it"},
    {"forced too new", "1.41", "1.12", "1.44", NULL, MB_ECONFIG, "accepts 1.12 to 1.41"},
    {"forced nonsense", "1.41", "1.12", "latest", NULL, MB_ECONFIG, "'latest' is no version"},
    {"forced with junk behind", "1.41", "1.12", "1.41x", NULL, MB_ECONFIG, "'1.41x' is no version"},
    {"no engine", "", "", NULL, NULL, MB_ENOENGINE, "no Docker-compatible engine"},
    {"no engine", "Apache/2.4", "", NULL, NULL, MB_ENOENGINE, "no Docker-compatible engine"},
};

START_TEST(test_negotiate)
{
    char spoken[16] = "";
    struct mb_error err = {0};
    int rc = mb_negotiate(cases[_i].newest, cases[_i].oldest, cases[_i].forced, spoken, &err);

    ck_assert_msg(err.code == cases[_i].code, "%s: %s", cases[_i].who, err.message);
    ck_assert_int_eq(rc, cases[_i].code == MB_OK ? 0 : -1);
    if (rc == 0)
        ck_assert_str_eq(spoken, cases[_i].spoken);
    else
        ck_assert_msg(strstr(err.message, cases[_i].says) != NULL, "%s: %s", cases[_i].who, err.message);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("negotiate");
    TCase *tcase = tcase_create("versions");
    SRunner *runner = srunner_create(suite);

    tcase_add_loop_test(tcase, test_negotiate, 0, sizeof cases / sizeof cases[0]);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
