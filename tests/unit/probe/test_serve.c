/* The probe's protocol: every request, and what is no request. */
#include "place.h"

#include "mountbench/probe.h"

START_TEST(hello_says_what_it_is)
{
    const char *answer = probe_peer_ask(&peer, "hello");

    ck_has(answer, "{\"type\":\"hello\",\"protocol\":1,\"version\":\"");
    ck_has(answer, "\"arch\":\"");
    ck_has(answer, "\"kernel\":\"");
    ck_assert_int_eq((long)probe_number(answer, "page_bytes"), sysconf(_SC_PAGESIZE));
    ck_assert_int_eq((int)probe_number(answer, "uid"), (int)getuid());
}
END_TEST

START_TEST(mount_says_what_is_mounted)
{
    const char *answer = probe_peer_ask(&peer, "mount dir=%s", top);

    ck_has(answer, "{\"type\":\"mount\",\"dir\":\"/tmp/mb-probe-");
    ck_assert_double_gt(probe_number(answer, "total_bytes"), 0);
    ck_assert_double_gt(probe_number(answer, "block_bytes"), 0);
    if (access("/proc/self/mountinfo", R_OK) == 0) {
        ck_has(answer, "\"mount_point\":\"/");
        ck_assert_ptr_null(strstr(answer, "\"fstype\":\"\""));
    }
    answer = probe_peer_ask(&peer, "mount dir=%s/none", top);
    ck_has(answer, "{\"type\":\"error\",\"reason\":\"mount: /tmp/mb-probe-");
    ck_has(answer, "No such file or directory");
    ck_has(probe_peer_ask(&peer, "mount"), "the key 'dir' is missing");
}
END_TEST

START_TEST(write_and_read_small_files)
{
    ck_assert_str_eq(probe_peer_ask(&peer, "read path=%s/n", top), "{\"type\":\"read\",\"found\":false}");
    ck_assert_str_eq(probe_peer_ask(&peer, "write path=%s/n text=one%%20two%%0a%%22%%25%%5c", top), "{\"type\":\"write\"}");
    ck_assert_str_eq(probe_peer_ask(&peer, "read path=%s/n", top),
                     "{\"type\":\"read\",\"found\":true,\"text\":\"one two\\u000a\\\"%\\\\\"}");
    ck_assert_str_eq(probe_peer_ask(&peer, "write path=%s/n text=3", top), "{\"type\":\"write\"}");
    ck_assert_str_eq(probe_peer_ask(&peer, "read path=%s/n", top), "{\"type\":\"read\",\"found\":true,\"text\":\"3\"}");
    ck_has(probe_peer_ask(&peer, "write path=%s/a/b text=3", top), "{\"type\":\"error\",\"reason\":\"write: ");
    ck_has(probe_peer_ask(&peer, "read path=%s", top), "Is a directory");
}
END_TEST

START_TEST(read_takes_little_and_stays_utf8)
{
    ck_assert_int_eq(
        shell("head -c 10000 /dev/zero | tr '\\0' x > long; printf 'a\\377\\303\\251\\303z' > latin; ln -s latin link"), 0);
    const char *answer = probe_peer_ask(&peer, "read path=%s/long", top);
    ck_assert_uint_eq(strlen(answer), strlen("{\"type\":\"read\",\"found\":true,\"text\":\"\"}") + 4096);
    ck_has(probe_peer_ask(&peer, "read path=%s/latin", top), "\"a\\ufffd\xc3\xa9\\ufffdz\"");
    ck_has(probe_peer_ask(&peer, "write path=%s/link text=x", top), "\"error\"");
    ck_assert_int_eq(shell("mkfifo fifo"), 0);
    ck_has(probe_peer_ask(&peer, "write path=%s/fifo text=x", top), "\"error\"");
}
END_TEST

START_TEST(names_with_blanks_and_bytes)
{
    ck_ok(probe_peer_ask(&peer, "run workload=seq-write total=8 block=8 dir=%s/a%%20b%%0a%%ff", top));
    ck_assert(exists("a b\n\xff"));
    ck_ok(probe_peer_ask(&peer, "cleanup dir=%s/a%%20b%%0A%%FF", top));
    ck_assert(!exists("a b\n\xff"));
}
END_TEST

static const struct {
    const char *line, *answer;
} nonsense[] = {
    /* '@' is a directory that does not exist, and shall not. */
    {"", "an empty request"},
    {"   ", "an empty request"},
    {"helo", "unknown request 'helo' (did you mean 'hello'?)"},
    {"GET / HTTP/1.1", "GET: '/' is not of the form key=value"},
    {"hello x=1", "hello: unknown key 'x'"},
    {"mount dri=/tmp", "mount: unknown key 'dri' (did you mean 'dir'?)"},
    {"mount =/tmp", "is not of the form key=value"},
    {"mount dir=/tmp dir=/tmp", "the key 'dir' comes twice"},
    {"mount dir=%zz", "'%zz' is no percent code"},
    {"mount dir=%4", "'%4' is no percent code"},
    {"mount dir=%", "'%' is no percent code"},
    {"mount dir=/tmp%00/x", "holds a NUL"},
    {"mount dir=", "the key 'dir' is missing"},
    {"mount dir=/tmp timeout_ms=0", "mount: timeout_ms: "},
    {"mount dir=/tmp timeout_ms=1e3", "mount: timeout_ms: "},
    {"mount dir=/tmp timeout_ms=99999999999999999999", "mount: timeout_ms: "},
    {"run", "run: the key 'dir' is missing"},
    {"run dir=@", "run: the key 'workload' is missing"},
    {"run dir=@ workload=seq-wirte", "run: workload: unknown kind 'seq-wirte' (did you mean 'seq-write'?)"},
    {"run dir=@ workload=seq-write blok=1KiB", "run: unknown key 'blok' (did you mean 'block'?)"},
    {"run dir=@ workload=seq-write block=0", "run: seq-write: block: "},
    {"run dir=@ workload=seq-write block=-1", "run: seq-write: block: "},
    {"run dir=@ workload=seq-write block=1QiB", "run: seq-write: block: "},
    {"run dir=@ workload=seq-write block=1GiB", "'1GiB' is not between 1 B and "},
    {"run dir=@ workload=seq-write sync=fdatsync", "run: seq-write: sync: unknown value 'fdatsync' (did you mean 'fdatasync'?)"},
    {"run dir=@ workload=seq-write source=qqqqqqqq", "it is one of zero, random, alnum"},
    {"run dir=@ workload=seq-write direct=maybe", "run: seq-write: direct: unknown value 'maybe'"},
    {"run dir=@ workload=seq-write block=2MiB total=1MiB", "run: seq-write: block (2097152 bytes) is larger than a file"},
    {"run dir=@ workload=seq-write total=10 files=3 block=1", "cannot be split evenly over 3 files"},
    {"run dir=@ workload=seq-write direct=true block=1000", "must be a multiple of 512"},
    {"run dir=@ workload=rand-read span=10000 block=4096", "span (10000 bytes) is not a multiple of block"},
    {"run dir=@ workload=rand-read time=5", "run: rand-read: time: "},
    {"run dir=@ workload=small-files files=2 dirs=3", "more dirs (3) than files (2)"},
    {"run dir=@ workload=app-request files=20000 size=1MiB", "files times size is more than 64 MiB"},
    {"run dir=@ workload=commit id=-1", "run: id: "},
    {"run dir=@ workload=commit seed=18446744073709551616", "run: seed: "},
    {"run dir=x workload=commit", "'x' is not the absolute path"},
    {"run dir=/ workload=commit", "'/' is not the absolute path"},
    {"cleanup dir=/", "'/' is not the absolute path"},
    {"cleanup dir=/..//.", "'/..//.' is not the absolute path"},
    {"cleanup", "cleanup: the key 'dir' is missing"},
    {"cleanup dir=@ force=1", "cleanup: unknown key 'force'"},
};

START_TEST(nonsense_is_answered)
{
    const char *line = nonsense[_i].line, *at = strchr(line, '@');
    const char *answer =
        at ? probe_peer_ask(&peer, "%.*s%s%s", (int)(at - line), line, cell, at + 1) : probe_peer_ask(&peer, "%s", line);

    ck_has(answer, nonsense[_i].answer);
    ck_has(answer, "\"reason\":");
    ck_has(probe_peer_ask(&peer, "hello"), "{\"type\":\"hello\"");
    ck_assert(!exists("cell"));
}
END_TEST

START_TEST(a_line_may_come_in_pieces)
{
    static const char line[] = "hello\nhel";

    for (size_t i = 0; i < sizeof line - 1; i++)
        probe_peer_send(&peer, line + i, 1);
    ck_has(probe_peer_answer(&peer), "\"hello\"");
    probe_peer_send(&peer, "lo\nhello\nhello\n", 15);
    for (int i = 0; i < 3; i++)
        ck_has(probe_peer_answer(&peer), "\"hello\"");
    /* Half a line at the end of input is no request; tear_down sees status 0. */
    probe_peer_send(&peer, "run dir=", 8);
}
END_TEST

START_TEST(the_longest_line_and_one_byte_more)
{
    static char line[MB_PROBE_LINE_MAX + 2];

    memset(line, 'x', sizeof line);
    memcpy(line, "read path=", 10);
    line[MB_PROBE_LINE_MAX] = '\n';
    probe_peer_send(&peer, line, MB_PROBE_LINE_MAX + 1);
    ck_has(probe_peer_answer(&peer), "File name too long");
    line[MB_PROBE_LINE_MAX] = 'x';
    line[MB_PROBE_LINE_MAX + 1] = '\n';
    probe_peer_send(&peer, line, MB_PROBE_LINE_MAX + 2);
    ck_has(probe_peer_answer(&peer), "longer than a line may be");
    ck_has(probe_peer_ask(&peer, "hello"), "\"hello\"");
}
END_TEST

START_TEST(garbage_is_survived)
{
    static char noise[300000];

    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)(i * 7 + i / 251);
    for (char *c = noise; (c = memchr(c, '\n', (size_t)(noise + sizeof noise - c))) != NULL; c++)
        *c = 'n';
    probe_peer_send(&peer, noise, sizeof noise);
    ck_has(probe_peer_answer(&peer), "longer than a line may be");
    /* Its newline ends the long line, and nothing else. */
    probe_peer_send(&peer, "hello\n", 6);
    ck_has(probe_peer_ask(&peer, "%s", "\r"), "unknown request '\\u000d'");
    probe_peer_send(&peer, "hello\0x\n", 8);
    ck_has(probe_peer_answer(&peer), "unknown request 'hello?x'");
    ck_has(probe_peer_ask(&peer, "\x80\xff=1"), "unknown request '\\ufffd\\ufffd=1'");
    ck_has(probe_peer_ask(&peer, "hello"), "\"hello\"");
}
END_TEST

START_TEST(too_many_keys)
{
    char line[1000] = "run";

    for (int i = 0; i < 40; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " k%d=v", i);
    ck_has(probe_peer_ask(&peer, "%s", line), "run: more than 32 keys");
}
END_TEST

START_TEST(ids_and_order)
{
    char line[4000] = "";

    for (int i = 0; i < 20; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "run id=%d workload=seq-write total=1 block=1 dir=%s\n", i * 7,
                 cell);
    probe_peer_send(&peer, line, strlen(line));
    for (int i = 0; i < 20; i++) {
        const char *answer = probe_peer_answer(&peer);
        ck_ok(answer);
        ck_assert_int_eq((int)probe_number(answer, "id"), i * 7);
    }
    ck_has(probe_peer_ask(&peer, "run id=18446744073709551615 workload=seq-write total=1 block=1 dir=%s", cell),
           "\"id\":18446744073709551615,\"status\":\"ok\"");
}
END_TEST

START_TEST(quit_ends_it_without_an_answer)
{
    probe_peer_send(&peer, "hello\nquit\nhello\n", 17);
    ck_has(probe_peer_answer(&peer), "\"hello\"");
    ck_assert_ptr_null(probe_peer_answer(&peer));
}
END_TEST

START_TEST(who_does_not_listen_is_left)
{
    struct probe_peer deaf;

    probe_peer_serve(&deaf);
    /* Many answers to no one: it ends with 1, not by SIGPIPE and not never. */
    probe_peer_send(&deaf, "hello\nhello\nmount dir=/tmp\nhello\n", 33);
    int status = probe_peer_end(&deaf);
    ck_assert_msg(status == 1 || status == 0, "status %d", status);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("probe/serve");
    TCase *c = tcase_create("requests");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, hello_says_what_it_is);
    tcase_add_test(c, mount_says_what_is_mounted);
    tcase_add_test(c, write_and_read_small_files);
    tcase_add_test(c, read_takes_little_and_stays_utf8);
    tcase_add_test(c, names_with_blanks_and_bytes);
    tcase_add_loop_test(c, nonsense_is_answered, 0, sizeof nonsense / sizeof *nonsense);
    tcase_add_test(c, a_line_may_come_in_pieces);
    tcase_add_test(c, the_longest_line_and_one_byte_more);
    tcase_add_test(c, garbage_is_survived);
    tcase_add_test(c, too_many_keys);
    tcase_add_test(c, ids_and_order);
    tcase_add_test(c, quit_ends_it_without_an_answer);
    tcase_add_test(c, who_does_not_listen_is_left);
    suite_add_tcase(s, c);
    return run_suite(s);
}
