/* test_sync.c: what sync tools are told and what they tell; and that a keeper's program ends with whoever goes first. */
#include <check.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/process.h"
#include "mountbench/sync.h"
#include "support/engines.h"
#include "sync/keeper.h"
#include "sync/mutagen.h"
#include "sync/unison.h"

START_TEST(versions_that_fit)
{
    static const struct {
        const char *a, *b;
        bool fit;
    } cases[] = {
        {"unison version 2.52.1 (ocaml 4.13.1)\n", "unison version 2.53.3 (ocaml 4.14.1)\n", true},
        {"unison version 2.52.0 (ocaml 4.12.0)", "unison version 2.52.1 (ocaml 4.13.1)", true},
        {"unison version 2.51.5 (ocaml 4.13.1)\n", "unison version 2.52.1 (ocaml 4.13.1)\n", false},
        {"unison version 2.51.5 (ocaml 4.13.1)\n", "unison version 2.51.4 (ocaml 4.13.1)\n", true},
        {"unison version 2.51.5 (ocaml 4.13.1)\n", "unison version 2.51.5 (ocaml 4.11.1)\n", false},
        {"unison version 2.48.4\n", "unison version 2.48.3\n", true},
        {"unison version 2.54.0\n", "unison version 3.54.0\n", false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mb_unison_version a, b;
        ck_assert(mb_unison_version(cases[i].a, &a) && mb_unison_version(cases[i].b, &b));
        ck_assert_msg(mb_unison_fit(&a, &b) == cases[i].fit, "%s and %s", cases[i].a, cases[i].b);
        ck_assert(mb_unison_fit(&b, &a) == cases[i].fit);
    }
}
END_TEST

START_TEST(versions_as_they_are_printed)
{
    struct mb_unison_version v;

    ck_assert(mb_unison_version("unison version 2.52.1 (ocaml 4.13.1)\n", &v));
    ck_assert_uint_eq(v.major, 2);
    ck_assert_uint_eq(v.minor, 52);
    ck_assert_str_eq(v.text, "2.52.1");
    ck_assert_str_eq(v.compiler, "4.13.1");
    ck_assert(mb_unison_version("Warning: no locale\nunison version 2.48.15v4", &v));
    ck_assert_str_eq(v.text, "2.48.15v4");
    ck_assert_str_eq(v.compiler, "");
    ck_assert(!mb_unison_version("", &v));
    ck_assert(!mb_unison_version("unison version two", &v));
    ck_assert(!mb_unison_version("Usage: unison [options]\n", &v));
}
END_TEST

START_TEST(lines_of_unison)
{
    static const struct {
        const char *line;
        enum mb_unison_line what;
        const char *conflict;
    } cases[] = {
        {"Looking for changes", MB_UNISON_LOOKS, ""},
        {"Nothing to do: replicas have not changed since last sync.", MB_UNISON_DONE, ""},
        {"Synchronization complete at 04:01:26  (1 item transferred, 0 skipped, 0 failed)", MB_UNISON_DONE, ""},
        {"Synchronization incomplete at 04:01:26  (0 items transferred, 0 skipped, 1 failed)", MB_UNISON_OTHER, ""},
        {"  skipped: a/y (contents changed on both sides)", MB_UNISON_CONFLICT, "a/y (contents changed on both sides)"},
        {"  skipped: l (symbolic links changed on both sides)", MB_UNISON_CONFLICT, "l (symbolic links changed on both sides)"},
        {"  skipped: d (conflicting updates)", MB_UNISON_CONFLICT, "d (conflicting updates)"},
        /* A file that is written to while it is looked at: the next look has it. */
        {"  skipped: y (No such file or directory [stat(y)])", MB_UNISON_OTHER, ""},
        {"  failed: y", MB_UNISON_OTHER, ""},
        {"", MB_UNISON_OTHER, ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char conflict[100] = "";
        enum mb_unison_line what = mb_unison_line(cases[i].line, strlen(cases[i].line), conflict, sizeof conflict);
        ck_assert_msg(what == cases[i].what, "%s", cases[i].line);
        ck_assert_str_eq(conflict, cases[i].conflict);
    }
}
END_TEST

static const char *
joined(const char **argv)
{
    static char text[2048];
    size_t n = 0;

    for (; *argv != NULL; argv++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n > 0 ? " " : "", *argv);
    return text;
}

START_TEST(the_command_line_of_unison)
{
    static const struct mb_unison_roots roots = {"/h d", "ssh://volume//v", "/t/remote"};
    char newer[] = "newer", host[] = "host", container[] = "container", a[] = "-times", b[] = "-ignore", c[] = "Name x";
    char *arguments[] = {a, b, c, NULL};
    const struct {
        struct mb_sync_spec spec;
        const char *command;
    } cases[] = {
        {{.kind = MB_SYNC_UNISON}, "unison /h d ssh://volume//v -sshcmd /t/remote -auto -batch -dumbtty -repeat 1"},
        {{.watch = true, .prefer = newer},
         "unison /h d ssh://volume//v -sshcmd /t/remote -auto -batch -dumbtty -repeat watch -prefer newer"},
        {{.repeat_seconds = 5, .prefer = host},
         "unison /h d ssh://volume//v -sshcmd /t/remote -auto -batch -dumbtty -repeat 5 -prefer /h d"},
        {{.prefer = container, .arguments = arguments},
         "unison /h d ssh://volume//v -sshcmd /t/remote -auto -batch -dumbtty -repeat 1 -prefer ssh://volume//v -times -ignore "
         "Name x"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *argv[MB_UNISON_ARGUMENTS + 1];
        char seconds[16];
        mb_unison_arguments(&cases[i].spec, &roots, seconds, argv);
        ck_assert_str_eq(joined(argv), cases[i].command);
    }
}
END_TEST

START_TEST(the_command_line_of_mutagen)
{
    static const struct mb_mutagen_ends ends = {"mb", "/h", "docker://c/v"};
    char mode[] = "two-way-resolved", a[] = "--symlink-mode=posix-raw";
    char *arguments[] = {a, NULL};
    const struct mb_sync_spec plain = {.kind = MB_SYNC_MUTAGEN};
    const struct mb_sync_spec full = {.kind = MB_SYNC_MUTAGEN, .mode = mode, .arguments = arguments};
    const char *argv[MB_MUTAGEN_ARGUMENTS + 1];

    mb_mutagen_create(&plain, &ends, argv);
    ck_assert_str_eq(joined(argv), "mutagen sync create --no-global-configuration --name mb /h docker://c/v");
    mb_mutagen_create(&full, &ends, argv);
    ck_assert_str_eq(joined(argv), "mutagen sync create --no-global-configuration --name mb --mode two-way-resolved "
                                   "--symlink-mode=posix-raw /h docker://c/v");
}
END_TEST

/* As `mutagen sync list --template '{{json .}}'` of 0.18.1 prints it, shortened. */
START_TEST(sessions_of_mutagen)
{
    static const struct {
        const char *json, *message; /* NULL: all is well */
    } cases[] = {
        {"[{\"status\":\"watching\",\"paused\":false,\"successfulCycles\":3,\"alpha\":{\"connected\":true},\"beta\":{}}]", NULL},
        {"[{\"status\":\"connecting-beta\",\"paused\":false}]", NULL},
        {"[{\"status\":\"staging-alpha\",\"lastError\":\"file changed\",\"paused\":false}]", NULL},
        {"[{\"status\":\"watching\",\"conflicts\":[{\"root\":\"both1\",\"alphaChanges\":[]}]}]",
         "mutagen reports a conflict: both1"},
        {"[{\"status\":\"halted-on-root-deletion\"}]", "mutagen has stopped: halted-on-root-deletion"},
        {"[{\"status\":\"disconnected\",\"paused\":true}]", "mutagen has stopped: disconnected"},
        {"[{\"status\":\"connecting-beta\",\"lastError\":\"container not running\"}]",
         "mutagen is not connected: container not running"},
        {"[{\"status\":\"watching\",\"beta\":{\"transitionProblems\":[{\"path\":\"d/x\",\"error\":\"permission denied\"}]}}]",
         "mutagen reports a problem in the volume: d/x: permission denied"},
        {"[{\"status\":\"watching\",\"alpha\":{\"scanProblems\":[{\"path\":\"s\",\"error\":\"unsupported\"}]}}]",
         "mutagen reports a problem on the host: s: unsupported"},
        {"[{\"status\":\"scanning\",\"beta\":{\"transitionProblems\":[{\"path\":\"d/x\",\"error\":\"it changed meanwhile\"}]}}]",
         NULL},
        {"[]", "mutagen no longer knows the session"},
        {"{}", "mutagen no longer knows the session"},
        {"[7]", "mutagen no longer knows the session"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mb_error err = {0};
        cJSON *sessions = cJSON_Parse(cases[i].json);
        ck_assert_int_eq(mb_mutagen_judge(sessions, &err), cases[i].message != NULL ? -1 : 0);
        ck_assert_str_eq(err.message, cases[i].message != NULL ? cases[i].message : "");
        cJSON_Delete(sessions);
    }
}
END_TEST

START_TEST(what_a_plan_says)
{
    char nowhere[] = "no-such-program", flag[] = "--now", image[] = "tools:1", build[] = "dir", *start[] = {nowhere, flag, NULL},
         *stop[] = {nowhere, NULL};
    const struct mb_sync_spec plain = {.kind = MB_SYNC_COMMAND, .start = start, .stop = stop};
    const struct mb_sync_spec both = {.kind = MB_SYNC_COMMAND, .start = start, .image = image, .build = build};
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(4096);

    mb_sync_plan(&plain, &out);
    ck_assert_str_eq(mb_buffer_text(&out), "start: no-such-program --now\nand in the end: no-such-program\n"
                                           "the sync command is not installed: there is no 'no-such-program' in PATH; "
                                           "'start' names a program\n");
    mb_buffer_reset(&out);
    mb_sync_plan(&both, &out);
    ck_assert_ptr_nonnull(
        strstr(mb_buffer_text(&out), "\nin a container of its own, of the image 'tools:1', or else of one built from 'dir'\n"));
    ck_assert_ptr_null(mb_sync_image(&plain));
    const struct mb_sync_spec unison = {.kind = MB_SYNC_UNISON}, built = {.kind = MB_SYNC_UNISON, .build = build};
    ck_assert_str_eq(mb_sync_image(&unison), "mountbench-unison");
    ck_assert_ptr_null(mb_sync_image(&built));
}
END_TEST

/* ---- the keeper ---- */

static char root[128], log_path[256], inner[256];

static void
make_root(void)
{
    mb_test_dir(root, sizeof root);
    snprintf(log_path, sizeof log_path, "%s/log", root);
    snprintf(inner, sizeof inner, "%s/inner", root);
    char *const make[] = {inner, NULL};
    const char *const argv[] = {"mkdir", make[0], NULL};
    ck_assert_int_eq(mb_test_run(argv), 0);
}

static void
remove_root(void)
{
    mb_test_remove(root);
}

static void
doze(long ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

/* Wait until ${path} holds a line, and give it back. */
static const char *
await_line(const char *path)
{
    static char line[256];
    uint64_t deadline = mb_deadline_in_ms(10000 * (uint64_t)mb_test_slowness());

    line[0] = '\0';
    while (strchr(line, '\n') == NULL && mb_deadline_left_ms(deadline) > 0) {
        FILE *f = fopen(path, "r");
        if (f != NULL) {
            if (fgets(line, sizeof line, f) == NULL)
                line[0] = '\0';
            fclose(f);
        }
        doze(10);
    }
    return line;
}

static bool
is_gone(pid_t pid)
{
    uint64_t deadline = mb_deadline_in_ms(10000 * (uint64_t)mb_test_slowness());

    while (mb_deadline_left_ms(deadline) > 0) {
        if (kill(pid, 0) != 0 && errno == ESRCH)
            return true;
        doze(10);
    }
    return false;
}

static void
start_keeper(struct mb_keeper *k, const char *script)
{
    static const char *const environment[] = {"MOUNTBENCH_WORD=the word", NULL};
    const char *const argv[] = {"sh", "-c", script, NULL};
    const struct mb_keeper_spec spec = {.argv = argv, .environment = environment, .log = log_path, .directory = inner, .fd = -1};
    struct mb_error err = {0};

    ck_assert_msg(mb_keeper_start(k, &spec, &err) == 0, "%s", err.message);
}

START_TEST(a_program_that_ends_is_noticed)
{
    struct mb_keeper k = {0};

    start_keeper(&k, "echo \"$MOUNTBENCH_WORD\"; echo and this >&2; exit 5");
    uint64_t deadline = mb_deadline_in_ms(10000 * (uint64_t)mb_test_slowness());
    while (!mb_keeper_ended(&k) && mb_deadline_left_ms(deadline) > 0)
        doze(10);
    ck_assert(mb_keeper_ended(&k));
    ck_assert_int_eq(k.status, 5);
    ck_assert_str_eq(await_line(log_path), "the word\n");
    mb_keeper_stop(&k);
    mb_keeper_stop(&k);
    ck_assert_int_eq(access(inner, F_OK), 0);
}
END_TEST

START_TEST(a_program_is_ended_with_what_it_started)
{
    struct mb_keeper k = {0};

    start_keeper(&k, "sleep 300 & echo $!; wait");
    pid_t pid = (pid_t)atol(await_line(log_path));
    ck_assert_int_gt(pid, 0);
    ck_assert(!mb_keeper_ended(&k));
    mb_keeper_stop(&k);
    ck_assert(is_gone(pid));
}
END_TEST

START_TEST(one_that_does_not_listen_is_killed)
{
    struct mb_keeper k = {0};

    start_keeper(&k, "trap '' TERM; echo $$; while :; do sleep 1; done");
    pid_t pid = (pid_t)atol(await_line(log_path));
    ck_assert_int_gt(pid, 0);
    mb_keeper_stop(&k);
    ck_assert(is_gone(pid));
}
END_TEST

START_TEST(what_a_program_leaves_goes_on)
{
    const char *const argv[] = {"sh", "-c", "sh -c 'trap \"echo ended; exit\" TERM; echo $$; while :; do sleep 0.1; done' & exit 0",
                                NULL};
    const struct mb_keeper_spec spec = {.argv = argv, .log = log_path, .fd = -1, .may_leave = true};
    struct mb_keeper k = {0};
    struct mb_error err = {0};
    char text[256] = "";

    ck_assert_msg(mb_keeper_start(&k, &spec, &err) == 0, "%s", err.message);
    pid_t pid = (pid_t)atol(await_line(log_path));
    ck_assert_int_gt(pid, 0);
    doze(500);
    ck_assert(!mb_keeper_ended(&k));
    ck_assert_int_eq(kill(pid, 0), 0);
    mb_keeper_stop(&k);
    ck_assert(is_gone(pid));
    FILE *f = fopen(log_path, "r");
    ck_assert(f != NULL && fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    ck_assert_msg(strstr(text, "\nended\n") != NULL, "it was not asked to end: %s", text);
}
END_TEST

START_TEST(a_driver_that_is_killed_leaves_no_program)
{
    pid_t driver = fork();

    if (driver == 0) {
        struct mb_keeper k = {0};
        start_keeper(&k, "sleep 300 & echo $!; wait");
        doze(300000);
        _exit(0);
    }
    pid_t pid = (pid_t)atol(await_line(log_path));
    ck_assert_int_gt(pid, 0);
    kill(driver, SIGKILL);
    waitpid(driver, NULL, 0);
    ck_assert(is_gone(pid));
    uint64_t deadline = mb_deadline_in_ms(5000 * (uint64_t)mb_test_slowness());
    while (access(inner, F_OK) == 0 && mb_deadline_left_ms(deadline) > 0)
        doze(10);
    ck_assert_int_ne(access(inner, F_OK), 0);
}
END_TEST

START_TEST(a_program_that_is_not_there)
{
    static const char *const argv[] = {"/no/such/program", NULL};
    const struct mb_keeper_spec spec = {.argv = argv, .log = log_path, .fd = -1};
    struct mb_keeper k = {0};
    struct mb_error err = {0};

    ck_assert_int_eq(mb_keeper_start(&k, &spec, &err), -1);
    ck_assert_str_eq(err.message, "cannot run '/no/such/program': No such file or directory");
    mb_keeper_stop(&k);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("sync");
    TCase *words = tcase_create("words"), *keeper = tcase_create("keeper");

    signal(SIGPIPE, SIG_IGN);
    tcase_add_test(words, versions_that_fit);
    tcase_add_test(words, versions_as_they_are_printed);
    tcase_add_test(words, lines_of_unison);
    tcase_add_test(words, the_command_line_of_unison);
    tcase_add_test(words, the_command_line_of_mutagen);
    tcase_add_test(words, sessions_of_mutagen);
    tcase_add_test(words, what_a_plan_says);
    suite_add_tcase(suite, words);
    tcase_add_checked_fixture(keeper, make_root, remove_root);
    tcase_set_timeout(keeper, 60 * mb_test_slowness());
    tcase_add_test(keeper, a_program_that_ends_is_noticed);
    tcase_add_test(keeper, a_program_is_ended_with_what_it_started);
    tcase_add_test(keeper, one_that_does_not_listen_is_killed);
    tcase_add_test(keeper, what_a_program_leaves_goes_on);
    tcase_add_test(keeper, a_driver_that_is_killed_leaves_no_program);
    tcase_add_test(keeper, a_program_that_is_not_there);
    suite_add_tcase(suite, keeper);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
