/* The probe's parts that need no process: histogram, patterns, mountinfo, parameters, request lines, JSON strings. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/workload.h"
#include "probe/histogram.h"
#include "probe/mount.h"
#include "probe/pattern.h"
#include "probe/protocol.h"

START_TEST(buckets_follow_each_other)
{
    /* Each value lies in the bucket of its predecessor or in the next. */
    for (uint64_t v = 1; v < 100000; v++)
        ck_assert_uint_le(mb_histogram_bucket(v) - mb_histogram_bucket(v - 1), 1);
    for (int bit = 8; bit <= MB_HISTOGRAM_TOP_BIT; bit++) {
        uint64_t power = UINT64_C(1) << bit;
        ck_assert_uint_eq(mb_histogram_bucket(power), mb_histogram_bucket(power - 1) + 1);
    }
    ck_assert_uint_eq(mb_histogram_bucket((UINT64_C(2) << MB_HISTOGRAM_TOP_BIT) - 1), MB_HISTOGRAM_BUCKETS - 1);
    ck_assert_uint_eq(mb_histogram_bucket(UINT64_MAX), MB_HISTOGRAM_BUCKETS - 1);
}
END_TEST

START_TEST(one_value_is_all_percentiles)
{
    static const uint64_t values[] = {1, 127, 128, 255, 256, 1000, 123456789, UINT64_C(1) << 41, UINT64_C(1) << 50};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct mb_histogram h = {0};
        mb_histogram_add(&h, values[i]);
        ck_assert_uint_eq(mb_histogram_percentile(&h, 50), values[i]);
        ck_assert_uint_eq(h.max, values[i]);
    }
}
END_TEST

static int
compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Against the exact nearest-rank percentile of the same values, spread over nine decades. */
START_TEST(percentiles_are_within_their_bound)
{
    enum { N = 20011 };
    static uint64_t values[N];
    static struct mb_histogram h;
    static const unsigned percents[] = {1, 5, 50, 90, 95, 99, 100};

    for (size_t i = 0; i < N; i++) {
        values[i] = (uint64_t)pow(10, 1 + 9 * (double)mb_pattern_below(7, i, 1000000) / 1e6);
        mb_histogram_add(&h, values[i]);
    }
    qsort(values, N, sizeof *values, compare);
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        size_t rank = (N * percents[i] + 99) / 100;
        double exact = (double)values[rank - 1], got = (double)mb_histogram_percentile(&h, percents[i]);
        ck_assert_msg(fabs(got - exact) <= exact / 256 + 1, "p%u: %g, exactly %g", percents[i], got, exact);
    }
    ck_assert_uint_eq(h.max, values[N - 1]);
    ck_assert_uint_eq(h.total, N);
}
END_TEST

START_TEST(each_value_is_within_its_bound)
{
    static struct mb_histogram h;

    for (uint64_t v = 1; v < UINT64_C(1) << 40; v += v / 300 + 1) {
        memset(&h, 0, sizeof h);
        mb_histogram_add(&h, v);
        mb_histogram_add(&h, 2 * v + 2);
        double got = (double)mb_histogram_percentile(&h, 50), exact = (double)v;
        ck_assert_msg(fabs(got - exact) <= exact / 256, "%g instead of %g", got, exact);
    }
}
END_TEST

START_TEST(an_empty_histogram)
{
    struct mb_histogram h = {0};

    ck_assert_uint_eq(mb_histogram_percentile(&h, 50), 0);
}
END_TEST

START_TEST(splitmix64_is_splitmix64)
{
    /* The first outputs for seed 1234567, as the generator's authors' code gives them. */
    static const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                        UINT64_C(9817491932198370423)};

    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_eq(mb_pattern_word(1234567, i), expected[i]);
}
END_TEST

START_TEST(a_pattern_is_the_same_from_any_offset)
{
    unsigned char whole[1000], part[1000];

    mb_pattern_fill(5, 0, whole, sizeof whole);
    for (size_t offset = 0; offset < sizeof whole; offset += 8) {
        mb_pattern_fill(5, offset, part, sizeof whole - offset);
        ck_assert_mem_eq(whole + offset, part, sizeof whole - offset);
    }
}
END_TEST

START_TEST(every_wrong_byte_is_found)
{
    enum { N = 77 };
    unsigned char bytes[N], copy[N];

    mb_pattern_fill(5, 16, bytes, N);
    ck_assert_uint_eq(mb_pattern_check(5, 16, bytes, N), N);
    ck_assert_uint_lt(mb_pattern_check(6, 16, bytes, N), N);
    ck_assert_uint_lt(mb_pattern_check(5, 24, bytes, N), N);
    ck_assert_uint_eq(mb_pattern_check(5, 16, bytes, 0), 0);
    for (size_t i = 0; i < N; i++) {
        memcpy(copy, bytes, N);
        copy[i] ^= 0x10;
        ck_assert_uint_eq(mb_pattern_check(5, 16, copy, N), i);
        ck_assert_uint_eq(mb_pattern_differs(bytes, copy, N), i);
        ck_assert_uint_eq(mb_pattern_differs(bytes, copy, i), i);
    }
}
END_TEST

START_TEST(alnum_is_letters_and_digits)
{
    char bytes[5000];
    bool seen[256] = {false};

    mb_pattern_alnum(1, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        ck_assert(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", bytes[i]) != NULL);
        seen[(unsigned char)bytes[i]] = true;
    }
    ck_assert(seen['A'] && seen['z'] && seen['0'] && seen['9']);
}
END_TEST

static const char mountinfo[] = "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n"
                                "no mount at all\n"
                                "30 22 0:25 / /mnt rw master:2 propagate_from:3 - tmpfs tmpfs rw,size=1k\n"
                                "31 30 0:26 /sub\\040dir /mnt/a\\040b rw - nfs4 10.0.2.2:/x\\134y rw,vers=4.2,addr=10.0.2.2\n"
                                "32 30 0:27 / /mnt/over rw - fuse.sshfs :/home rw\n"
                                "33 32 0:28 / /mnt/over ro,nosuid - 9p  rw,trans=virtio\n"
                                "34 22 0:29 / /mn rw - proc proc rw\n";

static const struct {
    long id;
    const char *path, *mount_point, *fstype, *source, *root, *super_options;
} finds[] = {
    {-1, "/", "/", "ext4", "/dev/vda", "/", "rw,discard"},
    {-1, "/home/x", "/", "ext4", "/dev/vda", "/", "rw,discard"},
    {-1, "/mnt", "/mnt", "tmpfs", "tmpfs", "/", "rw,size=1k"},
    {-1, "/mntx", "/", "ext4", "/dev/vda", "/", "rw,discard"},
    {-1, "/mnt/a b/c", "/mnt/a b", "nfs4", "10.0.2.2:/x\\y", "/sub dir", "rw,vers=4.2,addr=10.0.2.2"},
    {-1, "/mnt/over/c", "/mnt/over", "9p", "", "/", "rw,trans=virtio"},
    {32, "/mnt/over/c", "/mnt/over", "fuse.sshfs", ":/home", "/", "rw"},
    {99, "/mnt/over/c", "/mnt/over", "9p", "", "/", "rw,trans=virtio"},
};

START_TEST(mounts_are_found)
{
    char text[sizeof mountinfo];
    struct mb_mount mount;

    memcpy(text, mountinfo, sizeof text);
    ck_assert_int_eq(mb_mount_find(text, finds[_i].id, finds[_i].path, &mount), 0);
    ck_assert_str_eq(mount.mount_point, finds[_i].mount_point);
    ck_assert_str_eq(mount.fstype, finds[_i].fstype);
    ck_assert_str_eq(mount.source, finds[_i].source);
    ck_assert_str_eq(mount.root, finds[_i].root);
    ck_assert_str_eq(mount.super_options, finds[_i].super_options);
}
END_TEST

START_TEST(no_mount_is_found_in_nothing)
{
    struct mb_mount mount;
    char empty[] = "", torn[] = "22 1 254:0 / / rw,relatime shared:1 - ext4\n22 1 254:0 / / rw\n\n22";

    ck_assert_int_eq(mb_mount_find(empty, 1, "/", &mount), -1);
    ck_assert_int_eq(mb_mount_find(torn, 22, "/", &mount), -1);
}
END_TEST

static const char *const choices[] = {"none", "fdatasync", "fsync", NULL};

static const struct {
    struct mb_param param;
    const char *text;
    uint64_t value;
    const char *printed; /* or the error's message, when value is not to be had */
    bool wrong;
} params[] = {
    {{.type = MB_PARAM_SIZE, .min = 1, .max = 1 << 20}, "4KiB", 4096, "4096", false},
    {{.type = MB_PARAM_SIZE, .min = 1, .max = 1 << 20}, "2 MiB", 0, "'2 MiB' is not between 1 B and 1 MiB", true},
    {{.type = MB_PARAM_COUNT, .min = 1, .max = 10}, "10", 10, "10", false},
    {{.type = MB_PARAM_COUNT, .min = 1, .max = 10}, "11", 0, "'11' is not between 1 and 10", true},
    {{.type = MB_PARAM_DURATION, .min = 0, .max = 2000000000}, "1.5s", 1500000000, "1500000000ns", false},
    {{.type = MB_PARAM_DURATION, .min = 0, .max = 2000000000}, "0s", 0, "0ns", false},
    {{.type = MB_PARAM_DURATION, .min = 1000, .max = 2000000000}, "3s", 0, "'3s' is not between 1.00 us and 2.00 s", true},
    {{.type = MB_PARAM_CHOICE, .choices = choices}, "fsync", 2, "fsync", false},
    {{.type = MB_PARAM_CHOICE, .choices = choices}, "Fsync", 0, "unknown value 'Fsync' (did you mean 'fsync'?)", true},
    {{.type = MB_PARAM_CHOICE, .choices = choices}, "", 0, "unknown value ''", true},
    {{.type = MB_PARAM_BOOL}, "true", 1, "true", false},
    {{.type = MB_PARAM_BOOL}, "false", 0, "false", false},
    {{.type = MB_PARAM_BOOL}, "tru", 0, "unknown value 'tru' (did you mean 'true'?)", true},
};

START_TEST(parameters_are_parsed_and_printed)
{
    struct mb_error err = {0};
    char text[64];
    uint64_t value = 0;
    int result = mb_param_parse(&params[_i].param, params[_i].text, &value, &err);

    if (params[_i].wrong) {
        ck_assert_int_eq(result, -1);
        ck_assert_msg(strstr(err.message, params[_i].printed) != NULL, "%s", err.message);
        return;
    }
    ck_assert_msg(result == 0, "%s", err.message);
    ck_assert_uint_eq(value, params[_i].value);
    mb_param_print(&params[_i].param, value, text, sizeof text);
    ck_assert_str_eq(text, params[_i].printed);
    ck_assert_int_eq(mb_param_parse(&params[_i].param, text, &value, &err), 0);
    ck_assert_uint_eq(value, params[_i].value);
}
END_TEST

START_TEST(a_request_is_cut_up)
{
    char line[] = "run  id=1 dir=/a%20b%3d=c text= ";
    struct mb_request request;
    struct mb_error err = {0};

    ck_assert_int_eq(mb_request_parse(line, &request, &err), 0);
    ck_assert_str_eq(request.verb, "run");
    ck_assert_uint_eq(request.count, 3);
    ck_assert_str_eq(mb_request_get(&request, "id"), "1");
    ck_assert_str_eq(mb_request_get(&request, "dir"), "/a b==c");
    ck_assert_str_eq(mb_request_get(&request, "text"), "");
    ck_assert_ptr_null(mb_request_get(&request, "seed"));
}
END_TEST

static const struct {
    const char *bytes, *json;
} strings[] = {
    {"", "\"\""},
    {"plain", "\"plain\""},
    {"\"\\/\b\n\x7f", "\"\\\"\\\\/\\u0008\\u000a\\u007f\""},
    {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
    {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                       /* overlong */
    {"\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""},            /* overlong */
    {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* a surrogate */
    {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* above U+10FFFF */
    {"a\xe2\x82", "\"a\\ufffd\\ufffd\""},                     /* cut short */
};

START_TEST(json_strings_are_valid)
{
    MB_AUTO_BUFFER b = MB_BUFFER_INIT(1000);

    mb_json_string(&b, strings[_i].bytes, strlen(strings[_i].bytes));
    ck_assert_str_eq(mb_buffer_text(&b), strings[_i].json);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("probe/parts");
    TCase *c = tcase_create("parts");

    tcase_add_test(c, buckets_follow_each_other);
    tcase_add_test(c, one_value_is_all_percentiles);
    tcase_add_test(c, percentiles_are_within_their_bound);
    tcase_add_test(c, each_value_is_within_its_bound);
    tcase_add_test(c, an_empty_histogram);
    tcase_add_test(c, splitmix64_is_splitmix64);
    tcase_add_test(c, a_pattern_is_the_same_from_any_offset);
    tcase_add_test(c, every_wrong_byte_is_found);
    tcase_add_test(c, alnum_is_letters_and_digits);
    tcase_add_loop_test(c, mounts_are_found, 0, sizeof finds / sizeof *finds);
    tcase_add_test(c, no_mount_is_found_in_nothing);
    tcase_add_loop_test(c, parameters_are_parsed_and_printed, 0, sizeof params / sizeof *params);
    tcase_add_test(c, a_request_is_cut_up);
    tcase_add_loop_test(c, json_strings_are_valid, 0, sizeof strings / sizeof *strings);
    suite_add_tcase(s, c);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
