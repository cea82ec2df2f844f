/* change and watch: each kind of change, and what a reader may see of it: the new state, the old one, and what was never there. */
#include "place.h"

#include "mountbench/clock.h"

static const char *
change(const char *line)
{
    return probe_peer_ask(&peer, "change dir=%s %s", top, line);
}

static const char *
watch(const char *line)
{
    return probe_peer_ask(&peer, "watch dir=%s %s", top, line);
}

#define CHANGED "{\"type\":\"changed\",\"status\":\"ok\"}"

START_TEST(each_change_is_made_and_seen)
{
    ck_assert_str_eq(change("kind=create name=f version=1 size=100"), CHANGED);
    ck_has(watch("look=read limit_ms=0 name=f before=none after=1:100"), "\"seen\":true,\"looks\":1,\"wrong\":0,\"trouble\":\"\"}");
    ck_assert_str_eq(change("kind=overwrite name=f version=2 size=100"), CHANGED);
    ck_has(watch("look=read limit_ms=0 name=f before=1:100 after=2:100"), "\"seen\":true");
    ck_assert_str_eq(change("kind=append name=f version=2 from=100 size=250"), CHANGED);
    ck_has(watch("look=read limit_ms=0 name=f before=2:100 after=2:250"), "\"seen\":true");
    ck_assert_str_eq(change("kind=rename name=f to=g version=2 size=250"), CHANGED);
    ck_has(watch("look=read limit_ms=0 name=f before=2:250 after=none name2=g before2=none after2=2:250"), "\"seen\":true");
    ck_assert_str_eq(change("kind=remove name=g"), CHANGED);
    ck_has(watch("look=read limit_ms=0 name=g before=2:250 after=none"), "\"seen\":true");
}
END_TEST

START_TEST(an_overwrite_keeps_the_file)
{
    ck_assert_str_eq(change("kind=create name=f version=1 size=100"), CHANGED);
    ck_assert_int_eq(shell("stat -c %%i f >inode && ln f other"), 0);
    ck_assert_str_eq(change("kind=overwrite name=f version=2 size=100"), CHANGED);
    ck_assert_int_eq(shell("test $(stat -c %%i f) = $(cat inode) && cmp f other"), 0);
    ck_assert_int_eq(shell("test $(stat -c %%a f) = 644"), 0);
}
END_TEST

/* What lies there is made by a shell command; the reader waits for version 2 where version 1 was, both of 100 bytes. */
static const struct {
    const char *name, *command, *says;
} views[] = {
    {"old", "true", "\"seen\":false,\"looks\":1,\"wrong\":0,\"trouble\":\"\""},
    {"new", "cp new f", "\"seen\":true,\"looks\":1,\"wrong\":0"},
    {"half", "head -c 60 new | dd of=f conv=notrunc 2>/dev/null",
     "\"seen\":false,\"looks\":1,\"wrong\":1,\"trouble\":\"f: 100 bytes, the first 60 as after the change and the first 0 as "
     "before it; it "
     "was 100 and is 100 bytes long\""},
    {"short", "head -c 60 new >f", "\"wrong\":1,\"trouble\":\"f: 60 bytes, the first 60 as after the change"},
    {"empty", ": >f", "\"wrong\":1,\"trouble\":\"f: 0 bytes"},
    {"long", "cp new f && printf x >>f", "\"wrong\":1,\"trouble\":\"f: 101 bytes, the first 100 as after"},
    {"zeros", "head -c 100 /dev/zero >f",
     "\"wrong\":1,\"trouble\":\"f: 100 bytes, the first 0 as after the change and the first 0 as"},
    {"gone", "rm f", "\"wrong\":1,\"trouble\":\"f: is gone\""},
    {"a directory", "rm f && mkdir f", "\"wrong\":1,\"trouble\":\"f: cannot be read: Is a directory\""},
    {"a link", "rm f && ln -s new f", "\"wrong\":1,\"trouble\":\"f: cannot be opened: "},
};

START_TEST(views_are_told_apart)
{
    ck_assert_str_eq(change("kind=create name=f version=1 size=100"), CHANGED);
    ck_assert_str_eq(change("kind=create name=new version=2 size=100"), CHANGED);
    ck_assert_int_eq(shell("%s", views[_i].command), 0);
    ck_has(watch("look=read limit_ms=0 name=f before=1:100 after=2:100"), views[_i].says);
}
END_TEST

START_TEST(what_was_appended_may_not_be_cut_or_filled_up)
{
    ck_assert_str_eq(change("kind=create name=f version=7 size=200"), CHANGED);
    ck_has(watch("look=read limit_ms=0 name=f before=7:100 after=7:200"), "\"seen\":true");
    ck_assert_int_eq(shell("truncate -s 150 f"), 0);
    ck_has(watch("look=read limit_ms=0 name=f before=7:100 after=7:200"), "\"wrong\":1");
    ck_assert_int_eq(shell("truncate -s 100 f"), 0);
    ck_has(watch("look=read limit_ms=0 name=f before=7:100 after=7:200"), "\"seen\":false,\"looks\":1,\"wrong\":0");
    ck_assert_int_eq(shell("truncate -s 200 f"), 0);
    ck_has(watch("look=read limit_ms=0 name=f before=7:100 after=7:200"), "\"wrong\":1");
}
END_TEST

START_TEST(stat_tells_versions_by_their_time)
{
    ck_assert_str_eq(change("kind=create name=f version=1 size=100 stamp=true"), CHANGED);
    ck_has(watch("look=stat limit_ms=0 name=f before=none after=1:100"), "\"seen\":true,\"looks\":1,\"wrong\":0");
    ck_has(watch("look=stat limit_ms=0 name=f before=1:100 after=2:100"), "\"seen\":false,\"looks\":1,\"wrong\":0");
    ck_assert_str_eq(change("kind=overwrite name=f version=2 size=100 stamp=true"), CHANGED);
    ck_has(watch("look=stat limit_ms=0 name=f before=1:100 after=2:100"), "\"seen\":true,\"looks\":1,\"wrong\":0");
    /* The time is new and the bytes are not. */
    ck_assert_int_eq(shell("cp -p f g && rm f"), 0);
    ck_assert_str_eq(change("kind=create name=f version=1 size=100"), CHANGED);
    ck_assert_int_eq(shell("touch -r g f"), 0);
    ck_has(watch("look=stat limit_ms=0 name=f before=1:100 after=2:100"),
           "\"seen\":true,\"looks\":1,\"wrong\":1,\"trouble\":\"f: has the new size and time, and reads as before\"");
    ck_assert_int_eq(shell("touch -d @5 f"), 0);
    ck_has(watch("look=stat limit_ms=0 name=f before=1:100 after=2:100"), "\"trouble\":\"f: 100 bytes, of time 5\"");
}
END_TEST

START_TEST(it_waits_and_polls)
{
    uint64_t start = mb_now_ns();

    ck_assert_str_eq(change("kind=create name=new version=2 size=100"), CHANGED);
    ck_assert_int_eq(shell("(sleep 0.3; mv new f) &"), 0);
    const char *answer = watch("look=read limit_ms=20000 poll_us=10000 name=f before=none after=2:100");
    ck_has(answer, "\"seen\":true");
    ck_has(answer, "\"wrong\":0");
    ck_assert_double_ge(probe_number(answer, "looks"), 2);
    ck_assert_double_le(probe_number(answer, "looks"), 40);
    ck_assert_uint_ge(mb_now_ns() - start, 295000000);
    start = mb_now_ns();
    ck_has(watch("look=read limit_ms=100 name=f before=2:100 after=none"), "\"seen\":false");
    ck_assert_uint_ge(mb_now_ns() - start, 100000000);
}
END_TEST

static const struct {
    const char *line, *answer;
} nonsense[] = {
    {"change dir=@ name=f kind=creat", "change: kind: unknown value 'creat' (did you mean 'create'?)"},
    {"change dir=@ name=f", "change: the key 'kind' is missing"},
    {"change kind=create name=f", "change: the key 'dir' is missing"},
    {"change dir=@ kind=create name=../f size=1", "change: name: a name without '/'"},
    {"change dir=@ kind=create name=.. size=1", "change: name: a name without '/'"},
    {"change dir=@ kind=rename name=f to=a/b", "change: to: a name without '/'"},
    {"change dir=@ kind=append name=f from=2 size=1", "change: from is beyond size"},
    {"change dir=@ kind=create name=f size=99999999", "change: size: "},
    {"change dir=@ kind=create name=f stamp=maybe", "change: stamp: unknown value 'maybe'"},
    {"change dir=@/none kind=create name=f size=1", "\"status\":\"failed\",\"reason\":\"@/none: cannot create 'f': No such file"},
    {"change dir=@ kind=overwrite name=f size=1", "cannot overwrite 'f': No such file"},
    {"change dir=@ kind=remove name=f", "cannot remove 'f': No such file"},
    {"watch dir=@ name=f before=none after=none", "watch: the key 'look' is missing"},
    {"watch dir=@ look=read name=f before=none after=1", "watch: after: neither 'none' nor VERSION:SIZE"},
    {"watch dir=@ look=read name=f before=x:1 after=none", "watch: before: neither 'none' nor VERSION:SIZE"},
    {"watch dir=@ look=read name=f after=none", "watch: before: neither 'none' nor VERSION:SIZE"},
    {"watch dir=@ look=read name=f/g before=none after=none", "watch: name: a name without '/'"},
    {"watch dir=@/none look=read limit_ms=0 name=f before=none after=1:1", "\"status\":\"failed\""},
    {"run dir=@/cell workload=propagation", "propagation is led by the driver"},
};

START_TEST(nonsense_is_refused)
{
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        char line[512], wanted[512];
        char *const into[] = {line, wanted};
        const char *const from[] = {nonsense[i].line, nonsense[i].answer};
        for (int k = 0; k < 2; k++) {
            const char *at = strchr(from[k], '@');
            snprintf(into[k], 512, "%.*s%s%s", (int)(at != NULL ? at - from[k] : (long)strlen(from[k])), from[k],
                     at != NULL ? top : "", at != NULL ? at + 1 : "");
        }
        ck_has(probe_peer_ask(&peer, "%s", line), wanted);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("sides");
    TCase *tcase = tcase_create("sides");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, each_change_is_made_and_seen);
    tcase_add_test(tcase, an_overwrite_keeps_the_file);
    tcase_add_loop_test(tcase, views_are_told_apart, 0, sizeof views / sizeof views[0]);
    tcase_add_test(tcase, what_was_appended_may_not_be_cut_or_filled_up);
    tcase_add_test(tcase, stat_tells_versions_by_their_time);
    tcase_add_test(tcase, it_waits_and_polls);
    tcase_add_test(tcase, nonsense_is_refused);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
