/* place.h: a fresh directory and a serving probe for each test of a program. */
#ifndef MB_TEST_PROBE_PLACE_H
#define MB_TEST_PROBE_PLACE_H

#include <check.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/probe_peer.h"

static char top[64];  /* a fresh directory a test */
static char cell[80]; /* the cell's, below it; made by the probe */
static struct probe_peer peer;

static void
make_place(void)
{
    snprintf(top, sizeof top, "/tmp/mb-probe-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(top));
    snprintf(cell, sizeof cell, "%s/cell", top);
}

static void __attribute__((unused)) set_up(void)
{
    make_place();
    probe_peer_serve(&peer);
}

static void
remove_place(void)
{
    char command[sizeof top + 16];

    snprintf(command, sizeof command, "rm -rf %s", top);
    ck_assert_int_eq(system(command), 0);
}

static void __attribute__((unused)) tear_down(void)
{
    ck_assert_int_eq(probe_peer_end(&peer), 0);
    remove_place();
}

/* A shell command, "top" being the current directory; its exit status. */
static int __attribute__((unused, format(printf, 1, 2))) shell(const char *format, ...)
{
    char command[1024];
    va_list args;

    int n = snprintf(command, sizeof command, "cd %s && ", top);
    va_start(args, format);
    vsnprintf(command + n, sizeof command - (size_t)n, format, args);
    va_end(args);
    int status = system(command);
    return status < 0 ? -1 : status / 256;
}

/* Whether there is something of this name below "top". */
static bool __attribute__((unused)) exists(const char *name)
{
    char path[256];
    struct stat st;

    snprintf(path, sizeof path, "%s/%s", top, name);
    return lstat(path, &st) == 0;
}

#define ck_has(answer, part)                                                                                                       \
    do {                                                                                                                           \
        const char *has_answer_ = (answer), *has_part_ = (part);                                                                   \
        ck_assert_msg(strstr(has_answer_, has_part_) != NULL, "'%s' is not in: %s", has_part_, has_answer_);                       \
    } while (0)
#define ck_ok(answer) ck_has(answer, "\"status\":\"ok\"")

/* Run the one suite of a program. */
static int __attribute__((unused)) run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);

    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
