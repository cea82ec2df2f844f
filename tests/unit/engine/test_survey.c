/* test_survey.c: many engines at once, dead ones among them, in little more than the time of the slowest. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/share.h"
#include "mountbench/clock.h"
#include "mountbench/engine.h"
#include "support/engines.h"
#include "support/fake_engine.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct mb_fake_rule good[] = {MB_FAKE_20_10};
static const struct mb_fake_rule silent[] = {{.request = "*", .action = MB_FAKE_HANG}};
static const struct mb_fake_rule slow[] = {MB_FAKE_PING("1.41"),
                                           MB_FAKE_VERSION("20.10.24", "1.41", "1.12"),
                                           {.request = "GET /info", .body = "{\"Name\":\"slow\"}", .delay_ms = 600}};

static void
make_endpoint(const char *url, struct mb_endpoint *out)
{
    struct mb_error err = {0};
    ck_assert_msg(mb_endpoint_resolve(url, out, &err) == 0, "%s", err.message);
}

START_TEST(test_five_dead_one_silent_one_alive)
{
    struct mb_fake_engine alive, quiet;
    struct mb_endpoint endpoints[7];
    struct mb_survey surveys[7];
    struct mb_error err = {0};
    char url[64];

    unsetenv("DOCKER_API_VERSION");
    mb_fake_engine_start(good, COUNT(good), &alive);
    mb_fake_engine_start(silent, COUNT(silent), &quiet);
    for (int i = 0; i < 5; i++) {
        snprintf(url, sizeof url, "unix:///nowhere/%d.sock", i);
        make_endpoint(url, &endpoints[i]);
    }
    make_endpoint(quiet.url, &endpoints[5]);
    make_endpoint(alive.url, &endpoints[6]);
    uint64_t start = mb_now_ns();
    ck_assert_msg(mb_engine_survey(endpoints, 7, 700 * mb_test_slowness(), surveys, &err) == 0, "%s", err.message);
    double took = (double)(mb_now_ns() - start) / 1e9;
    for (int i = 0; i < 5; i++)
        ck_assert(!surveys[i].alive && strstr(surveys[i].why.message, "no such socket") != NULL);
    ck_assert(!surveys[5].alive);
    ck_assert_msg(
        strstr(surveys[5].why.message, mb_test_slowness() > 1 ? "gave no answer within" : "gave no answer within 0.7 s") != NULL,
        "%s", surveys[5].why.message);
    ck_assert(surveys[6].alive);
    ck_assert_str_eq(surveys[6].facts.engine_version, "20.10.24");
    ck_assert_str_eq(surveys[6].facts.arch, "amd64");
    ck_assert_int_eq(surveys[6].facts.runtime, MB_RUNTIME_DOCKER_ENGINE);
    ck_assert_uint_eq(surveys[6].facts.memory_bytes, 4096000000u);
    ck_assert_str_eq(surveys[6].facts.id, "fake");
    ck_assert_msg(took < mb_test_slowness(), "took %.2f s", took);
    mb_survey_clear(surveys, 7);
    for (int i = 0; i < 7; i++)
        mb_endpoint_clear(&endpoints[i]);
    mb_fake_engine_stop(&alive);
    mb_fake_engine_stop(&quiet);
}
END_TEST

START_TEST(test_one_that_answered_at_first_has_time_for_the_rest)
{
    struct mb_fake_engine fake;
    struct mb_endpoint endpoint;
    struct mb_survey survey;
    struct mb_error err = {0};

    mb_fake_engine_start(slow, COUNT(slow), &fake);
    make_endpoint(fake.url, &endpoint);
    ck_assert_int_eq(mb_engine_survey(&endpoint, 1, 300 * mb_test_slowness(), &survey, &err), 0);
    ck_assert_msg(survey.alive, "%s", survey.why.message);
    ck_assert_str_eq(survey.facts.name, "slow");
    mb_survey_clear(&survey, 1);
    mb_endpoint_clear(&endpoint);
    mb_fake_engine_stop(&fake);
}
END_TEST

static const struct {
    enum mb_runtime runtime;
    const char *file, *text, *shares;
} settings[] = {
    {MB_RUNTIME_COLIMA, "x/colima.yaml", "cpu: 2\n# mountType: 9p\nmountType: virtiofs # fast\n", "virtiofs"},
    {MB_RUNTIME_LIMA, "colima.yaml", "mountType: virtiofs\n", ""},
    {MB_RUNTIME_LIMA, "lima.yaml", "vmType: qemu\nmountType: \"reverse-sshfs\"\n", "reverse-sshfs"},
    {MB_RUNTIME_RANCHER_DESKTOP, ".config/rancher-desktop/settings.json",
     "{\"virtualMachine\":{\"mount\":{\"type\":\"virtiofs\"}}}", "virtiofs"},
    {MB_RUNTIME_RANCHER_DESKTOP, "Library/Preferences/rancher-desktop/settings.json",
     "{\"virtualMachine\":{\"memoryInGB\":4},\"experimental\":{\"virtualMachine\":{\"mount\":{\"type\":\"9p\"}}}}", "9p"},
    {MB_RUNTIME_RANCHER_DESKTOP, ".config/rancher-desktop/settings.json", "{\"virtualMach", ""},
    {MB_RUNTIME_DOCKER_DESKTOP, ".docker/desktop/settings-store.json", "{\"UseGrpcfuse\":true}", "gRPC FUSE"},
    {MB_RUNTIME_DOCKER_DESKTOP, "Library/Group Containers/group.com.docker/settings.json",
     "{\"useGrpcfuse\":true,\"useVirtualizationFrameworkVirtioFS\":true}", "virtiofs"},
    {MB_RUNTIME_ORBSTACK, "none", "", "virtiofs"},
    {MB_RUNTIME_DOCKER_ENGINE, "none", "", ""},
};

START_TEST(test_how_folders_are_shared)
{
    static char kernel[] = "6.1.0-of-another", name[] = "another";
    struct mb_engine_facts facts = {.runtime = settings[_i].runtime, .kernel = kernel, .name = name};
    char home[128], url[200], shares[64];
    struct mb_endpoint endpoint = {.url = url};

    mb_test_dir(home, sizeof home);
    setenv("HOME", home, 1);
    snprintf(url, sizeof url, "unix://%s/x/docker.sock", home);
    ck_assert_int_eq(
        mb_test_run((const char *const[]){"sh", "-c", "mkdir -p \"$(dirname \"$1/$2\")\" && printf %s \"$3\" >\"$1/$2\"", "sh",
                                          home, settings[_i].file, settings[_i].text, NULL}),
        0);
    ck_assert_str_eq(mb_share_of(&endpoint, &facts, shares, sizeof shares), settings[_i].shares);
    mb_test_remove(home);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("survey");
    TCase *tcase = tcase_create("survey");
    SRunner *runner = srunner_create(suite);

    tcase_set_timeout(tcase, 30 * mb_test_slowness());
    tcase_add_test(tcase, test_five_dead_one_silent_one_alive);
    tcase_add_test(tcase, test_one_that_answered_at_first_has_time_for_the_rest);
    tcase_add_loop_test(tcase, test_how_folders_are_shared, 0, COUNT(settings));
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
