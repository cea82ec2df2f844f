/* test_expect.c: what mounts look like on the runtimes there are, what they are called, and what may be said of them. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "runner/expect.h"

/* Mountinfo as seen inside containers. */
static const struct seen {
    const char *fstype, *source, *super_options, *name;
} mounts[] = {
    {"virtiofs", "mount0", "rw", "virtiofs"},
    {"virtiofs", "mac", "rw", "virtiofs"},
    {"fakeowner", "/run/host_mark/Users", "rw,fakeowner", "virtiofs"},
    {"fuse.grpcfuse", "grpcfuse", "rw,user_id=0", "gRPC FUSE"},
    {"fuse.osxfs", "osxfs", "rw,user_id=0", "osxfs"},
    {"9p", "C:\\", "rw,aname=drvfs;path=C:\\;uid=0;metadata,msize=65536,trans=fd,rfd=4", "drvfs"},
    {"9p", "lima-0", "rw,trans=virtio,msize=524288", "9p"},
    {"9p", "share", "rw,access=client,trans=virtio", "9p"},
    {"fuse.sshfs", ":/Users/me", "rw,user_id=0,allow_other", "reverse-sshfs"},
    {"fuse.sshfs", "me@host:/Users/me", "rw,user_id=0", "sshfs"},
    {"nfs4", "10.0.2.2:/share", "rw,vers=4.2,rsize=1048576,wsize=1048576,addr=10.0.2.2", "NFSv4.2"},
    {"nfs", ":/share", "rw,vers=3,rsize=1048576,nolock,proto=tcp,addr=10.0.2.2", "NFSv3"},
    {"ext4", "/dev/vda1", "rw", "ext4"},
    {"overlay", "overlay", "rw,lowerdir=a", "overlay"},
    {"fuse.fuse-overlayfs", "fuse-overlayfs", "rw", "fuse-overlayfs"},
};

static struct mb_mount_facts
facts_of(const struct seen *seen)
{
    return (struct mb_mount_facts){.fstype = strdup(seen->fstype),
                                   .source = strdup(seen->source),
                                   .options = strdup("rw,relatime"),
                                   .super_options = strdup(seen->super_options)};
}

START_TEST(technologies_are_named_by_what_is_seen)
{
    struct mb_mount_facts facts = facts_of(&mounts[_i]);
    char name[MB_TECHNOLOGY_MAX];

    ck_assert_str_eq(mb_technology_name(&facts, name), mounts[_i].name);
    mb_mount_facts_clear(&facts);
}
END_TEST

static const struct said {
    const char *expected;
    struct seen seen;
    const char *kernel;
    bool holds;
    const char *observed;
} sayings[] = {
    {"virtiofs", {"virtiofs", "mount0", "rw", NULL}, NULL, true, "virtiofs"},
    {"virtiofs", {"fakeowner", "/run/host_mark/Users", "rw", NULL}, NULL, true, "virtiofs"},
    {"fakeowner", {"fakeowner", "/run/host_mark/Users", "rw", NULL}, NULL, true, "virtiofs"},
    {"fakeowner", {"virtiofs", "mount0", "rw", NULL}, NULL, false, "virtiofs"},
    {"virtiofs", {"9p", "share", "rw,trans=virtio", NULL}, NULL, false, "9p"},
    {"gRPC FUSE", {"fuse.grpcfuse", "grpcfuse", "rw", NULL}, NULL, true, "gRPC FUSE"},
    {"grpcfuse", {"fuse.grpcfuse", "grpcfuse", "rw", NULL}, NULL, true, "gRPC FUSE"},
    {"sshfs", {"fuse.sshfs", ":/Users/me", "rw", NULL}, NULL, true, "reverse-sshfs"},
    {"reverse-sshfs", {"fuse.sshfs", ":/Users/me", "rw", NULL}, NULL, true, "reverse-sshfs"},
    {"9p msize=524288", {"9p", "s", "rw,trans=virtio,msize=524288", NULL}, NULL, true, "9p msize=524288"},
    {"9p msize=131072", {"9p", "s", "rw,trans=virtio,msize=524288", NULL}, NULL, false, "9p msize=524288"},
    {"9p msize=131072", {"9p", "s", "rw,trans=virtio", NULL}, "6.1.0-28-amd64", true, "9p msize=131072"},
    {"9p msize=131072", {"9p", "s", "rw,trans=virtio", NULL}, "5.15.49-linuxkit", false, "9p msize=8192"},
    {"9p msize=8192", {"9p", "s", "rw,trans=virtio", NULL}, "5.10.0", true, "9p msize=8192"},
    {"9p msize=131072,trans=virtio", {"9p", "s", "rw,trans=virtio", NULL}, "6.1.0", true, "9p msize=131072 trans=virtio"},
    {"9p cache=mmap", {"9p", "s", "rw,trans=virtio", NULL}, NULL, false, "9p without cache"},
    {"nfs", {"nfs4", ":/share", "rw,vers=4.2", NULL}, NULL, true, "NFSv4.2"},
    {"nfs vers=3", {"nfs", ":/share", "rw,vers=3,nolock", NULL}, NULL, true, "NFSv3 vers=3"},
    {"nfs vers=3 nolock", {"nfs", ":/share", "rw,vers=3,nolock", NULL}, NULL, true, "NFSv3 vers=3 nolock"},
    {"nfs vers=3", {"nfs4", ":/share", "rw,vers=4.2", NULL}, NULL, false, "NFSv4.2 vers=4.2"},
    {"nfs vers=4", {"nfs4", ":/share", "rw,vers=4.2", NULL}, NULL, true, "NFSv4.2 vers=4.2"},
    {"NFSv4", {"nfs4", ":/share", "rw,vers=4.2", NULL}, NULL, true, "NFSv4.2"},
    {"NFSv3", {"nfs4", ":/share", "rw,vers=4.2", NULL}, NULL, false, "NFSv4.2"},
    {"ext", {"ext4", "/dev/vda1", "rw", NULL}, NULL, false, "ext4"},
    {"ext4 relatime", {"ext4", "/dev/vda1", "rw", NULL}, NULL, true, "ext4 relatime"},
};

START_TEST(words_hold_or_are_contradicted)
{
    const struct said *said = &sayings[_i];
    struct mb_mount_facts facts = facts_of(&said->seen);
    MB_AUTO_BUFFER observed = MB_BUFFER_INIT(1024);

    bool holds = mb_expect_holds(said->expected, &facts, said->kernel, &observed);
    ck_assert_msg(holds == said->holds, "'%s' of %s %s", said->expected, facts.fstype, facts.super_options);
    ck_assert_str_eq(mb_buffer_text(&observed), said->observed);
    mb_mount_facts_clear(&facts);
}
END_TEST

static const struct {
    const char *json, *line; /* NULL: malformed */
} forms[] = {
    {"\"virtiofs\"", "virtiofs"},
    {"\"9p msize=131072\"", "9p msize=131072"},
    {"{\"type\": \"9p\", \"msize\": 131072, \"cache\": \"mmap\"}", "9p msize=131072 cache=mmap"},
    {"{\"type\": \"nfs\", \"vers\": \"3\", \"nolock\": true}", "nfs vers=3 nolock"},
    {"{\"fstype\": \"9p\", \"msize\": \"8192\"}", "9p msize=8192"},
    {"{\"msize\": 131072}", NULL},
    {"{\"type\": \"9p msize=1\"}", NULL},
    {"{\"type\": \"9p\", \"msize\": [1]}", NULL},
    {"{\"type\": \"9p\", \"msize\": false}", NULL},
    {"\"\"", NULL},
    {"7", NULL},
    {"[\"virtiofs\"]", NULL},
};

START_TEST(an_expectation_is_a_line_or_a_map)
{
    cJSON *json = cJSON_Parse(forms[_i].json);
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(512);
    struct mb_error err = {0};

    ck_assert_ptr_nonnull(json);
    int rc = mb_expect_print(json, &line, &err);
    if (forms[_i].line == NULL) {
        ck_assert_msg(rc == -1, "%s gave '%s'", forms[_i].json, mb_buffer_text(&line));
        ck_assert_int_eq(mb_error_exit_status(&err), 2);
    } else {
        ck_assert_msg(rc == 0, "%s", err.message);
        ck_assert_str_eq(mb_buffer_text(&line), forms[_i].line);
    }
    cJSON_Delete(json);
}
END_TEST

#define COUNT(array) (int)(sizeof array / sizeof array[0])

int
main(void)
{
    Suite *suite = suite_create("expectations of mounts");
    TCase *tc = tcase_create("expect");

    tcase_add_loop_test(tc, technologies_are_named_by_what_is_seen, 0, COUNT(mounts));
    tcase_add_loop_test(tc, words_hold_or_are_contradicted, 0, COUNT(sayings));
    tcase_add_loop_test(tc, an_expectation_is_a_line_or_a_map, 0, COUNT(forms));
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
