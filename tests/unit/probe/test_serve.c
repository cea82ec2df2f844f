/* The probe's protocol: every request, and what is no request. */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/probe.h"
#include "support/probe_peer.h"

static char top[64];              /* a fresh directory a test */
static char cell[sizeof top + 8]; /* the cell's, below it */
static struct probe_peer peer;

static void
set_up(void)
{
    snprintf(top, sizeof top, "/tmp/mb-probe-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(top));
    snprintf(cell, sizeof cell, "%s/cell", top);
    probe_peer_serve(&peer);
}

static void
tear_down(void)
{
    char command[sizeof top + 16];

    ck_assert_int_eq(probe_peer_end(&peer), 0);
    snprintf(command, sizeof command, "rm -rf %s", top);
    ck_assert_int_eq(system(command), 0);
}

static bool
exists(const char *name)
{
    char path[256];
    struct stat st;

    snprintf(path, sizeof path, "%s/%s", top, name);
    return lstat(path, &st) == 0;
}

#define ck_has(answer, part) ck_assert_msg(strstr(answer, part) != NULL, "'%s' is not in: %s", part, answer)

START_TEST(hello_says_what_it_is)
{
    const char *answer = probe_peer_ask(&peer, "hello");

    ck_has(answer, "{\"type\":\"hello\",\"protocol\":1,\"version\":\"");
    ck_has(answer, ",\"page_bytes\":");
    ck_assert_int_eq((int)probe_number(answer, "uid"), (int)getuid());
}
END_TEST

START_TEST(first_trial)
{
    ck_has(probe_peer_ask(&peer, "prepare id=1 workload=seq-write dir=%s", cell),
           "{\"type\":\"prepared\",\"id\":1,\"status\":\"ok\"");
    const char *answer = probe_peer_ask(&peer, "run id=2 workload=seq-write dir=%s block=1000 total=10000", cell);
    ck_has(answer, "{\"type\":\"sample\",\"id\":2,\"status\":\"ok\",\"wall_ns\":");
    ck_assert_int_eq((int)probe_number(answer, "bytes"), 10000);
    ck_assert_int_eq((int)probe_number(answer, "ops"), 10);
    ck_assert(exists("cell") && !exists("cell/run-2"));
    ck_has(probe_peer_ask(&peer, "cleanup dir=%s", cell), "{\"type\":\"cleaned\",\"status\":\"ok\"}");
    ck_assert(!exists("cell"));
}
END_TEST

static Suite *
suite(void)
{
    Suite *s = suite_create("probe/serve");
    TCase *c = tcase_create("requests");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, hello_says_what_it_is);
    tcase_add_test(c, first_trial);
    suite_add_tcase(s, c);
    return s;
}

int
main(void)
{
    SRunner *runner = srunner_create(suite());

    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
