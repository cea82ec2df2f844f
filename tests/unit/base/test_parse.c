/* parse.h: what is read, what is refused and in which words, and what is written. */
#include "mountbench/parse.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define MS UINT64_C(1000000)
#define SECOND (UINT64_C(1000) * MS)

/* A text and its value, or the part of the message that refuses it. */
struct value_case {
    const char *text;
    uint64_t value;
    const char *refusal;
};

typedef int (*parser)(const char *text, uint64_t *out, struct mb_error *err);

static void
run_cases(parser parse, const struct value_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct mb_error err = {0};
        uint64_t value = 12345;
        int status = parse(cases[i].text, &value, &err);

        if (cases[i].refusal != NULL) {
            ck_assert_msg(status == -1, "'%s' was accepted as %llu", cases[i].text, (unsigned long long)value);
            ck_assert_int_eq(err.code, MB_ECONFIG);
            ck_assert_msg(strstr(err.message, cases[i].refusal) != NULL, "'%s': message is: %s", cases[i].text, err.message);
            ck_assert_msg(value == 12345, "'%s' was refused and yet stored", cases[i].text);
        } else {
            ck_assert_msg(status == 0, "'%s': %s", cases[i].text, err.message);
            ck_assert_msg(value == cases[i].value, "'%s' gave %llu", cases[i].text, (unsigned long long)value);
        }
    }
}

START_TEST(sizes)
{
    static const struct value_case cases[] = {
        {"1", 1, NULL},
        {"4096", 4096, NULL},
        {"512B", 512, NULL},
        {"4KiB", 4 * KIB, NULL},
        {"4 KiB", 4 * KIB, NULL},
        {"4k", 4 * KIB, NULL},
        {"4K", 4 * KIB, NULL},
        {"4kB", 4000, NULL},
        {"4KB", 4000, NULL},
        {"64MiB", 64 * MIB, NULL},
        {"64M", 64 * MIB, NULL},
        {"64MB", 64000000, NULL},
        {"2GiB", 2048 * MIB, NULL},
        {"2g", 2048 * MIB, NULL},
        {"2GB", UINT64_C(2000000000), NULL},
        {"1TiB", MIB * MIB, NULL},
        {"1TB", UINT64_C(1000000000000), NULL},
        {"1024TiB", MB_SIZE_MAX_BYTES, NULL},
        {"1125899906842624", MB_SIZE_MAX_BYTES, NULL},
        {"1.5KiB", 1536, NULL},
        {"1.50 KiB", 1536, NULL},
        {"0.5kB", 500, NULL},
        {"0.000000001GB", 1, NULL},
        {"0.0009765625KiB", 1, NULL},
        {"007", 7, NULL},
        {"0", 0, "is zero"},
        {"0KiB", 0, "is zero"},
        {"0.0MiB", 0, "is zero"},
        {"-1", 0, "'-1' is negative"},
        {"-4KiB", 0, "'-4KiB' is negative"},
        {"1025TiB", 0, "too large (at most 1 PiB)"},
        {"1125899906842625", 0, "too large"},
        {"1024.5TiB", 0, "too large"},
        {"18446744073709551616", 0, "far too large"},
        {"99999999999999999999999999TiB", 0, "far too large"},
        {"0.1B", 0, "no whole number of bytes"},
        {"0.1KiB", 0, "no whole number of bytes"},
        {"1.0000000000000000001KiB", 0, "no whole number of bytes"},
        {"1.00000000000000000000000000000KiB", KIB, NULL},
        {"0.0000000000009094947017729282379150390625TiB", 1, NULL},
        {"4KX", 0, "unknown unit 'KX' (did you mean 'kB'?)"},
        {"4KiBB", 0, "did you mean 'KiB'?"},
        {"4 parsecs", 0, "unknown unit 'parsecs' (units are"},
        {"4PiB", 0, "unknown unit 'PiB' (did you mean"},
        {"1e3", 0, "unknown unit 'e'"},
        {"0x10", 0, "unknown unit 'x'"},
        {"4KiB 2", 0, "more than one size"},
        {"", 0, "'' is no size"},
        {" 4", 0, "is no size"},
        {"+4", 0, "is no size"},
        {"KiB", 0, "is no size (such as '4KiB')"},
        {".5KiB", 0, "is no size"},
        {"5.KiB", 0, "no digit after the point"},
        {"1,5KiB", 0, "unknown unit ','"},
        {"inf", 0, "is no size"},
        {"4\x1b[31m", 0, "'4?[31m'"},
    };
    run_cases(mb_parse_size, cases, sizeof cases / sizeof cases[0]);
}
END_TEST

START_TEST(durations)
{
    static const struct value_case cases[] = {
        {"0", 0, NULL},
        {"0s", 0, NULL},
        {"1ns", 1, NULL},
        {"2us", 2000, NULL},
        {"2\xc2\xb5s", 2000, NULL},
        {"500ms", 500 * MS, NULL},
        {"500 ms", 500 * MS, NULL},
        {"1.5s", 1500 * MS, NULL},
        {"90s", 90 * SECOND, NULL},
        {"2m", 120 * SECOND, NULL},
        {"2min", 120 * SECOND, NULL},
        {"1m30s", 90 * SECOND, NULL},
        {"1 min 30 s", 90 * SECOND, NULL},
        {"1h05min", 3900 * SECOND, NULL},
        {"1h1m1s1ms1us1ns", 3661 * SECOND + MS + 1001, NULL},
        {"720h", MB_DURATION_MAX_NS, NULL},
        {"720h1ns", 0, "too long (at most 30 days)"},
        {"721h", 0, "too long"},
        {"-1s", 0, "'-1s' is negative"},
        {"5", 0, "'5' has no unit (such as '5s')"},
        {"1m30", 0, "has no unit"},
        {"5 sec", 0, "unknown unit 'sec' (units are ns, us, ms, s"},
        {"5 fortnights", 0, "unknown unit 'fortnights'"},
        {"0.1ns", 0, "no whole number of nanoseconds"},
        {"30s1m", 0, "largest unit first"},
        {"1s1s", 0, "each once"},
        {"1m1min", 0, "each once"},
        {"", 0, "'' is no duration"},
        {"s", 0, "'s' is no duration (such as"},
        {"1m-30s", 0, "unknown unit 'm-'"},
        {"1s ", 1 * SECOND, NULL},
    };
    run_cases(mb_parse_duration, cases, sizeof cases / sizeof cases[0]);
}
END_TEST

static int
three_to_fifty(const char *text, uint64_t *out, struct mb_error *err)
{
    return mb_parse_u64(text, 3, 50, out, err);
}

static int
any_u64(const char *text, uint64_t *out, struct mb_error *err)
{
    return mb_parse_u64(text, 0, UINT64_MAX, out, err);
}

START_TEST(whole_numbers)
{
    static const struct value_case small[] = {
        {"3", 3, NULL},
        {"50", 50, NULL},
        {"2", 0, "'2' is too small (at least 3)"},
        {"51", 0, "'51' is too large (at most 50)"},
        {"99999999999999999999", 0, "too large (at most 50)"},
        {"-5", 0, "'-5' is negative"},
        {"-", 0, "no whole number"},
        {"5.0", 0, "'5.0' is no whole number"},
        {"5x", 0, "no whole number"},
        {" 5", 0, "no whole number"},
        {"+5", 0, "no whole number"},
        {"0x5", 0, "no whole number"},
        {"", 0, "'' is no whole number"},
    };
    static const struct value_case whole[] = {
        {"0", 0, NULL},
        {"18446744073709551615", UINT64_MAX, NULL},
        {"18446744073709551616", 0, "too large"},
    };
    run_cases(three_to_fifty, small, sizeof small / sizeof small[0]);
    run_cases(any_u64, whole, sizeof whole / sizeof whole[0]);
}
END_TEST

START_TEST(percentages)
{
    static const struct {
        const char *text;
        double value;
        const char *refusal;
    } cases[] = {
        {"5%", 5.0, NULL},
        {"5", 5.0, NULL},
        {"2.5 %", 2.5, NULL},
        {"0%", 0.0, NULL},
        {"100000%", 100000.0, NULL},
        {"100000.1%", 0, "too large (at most 100000%)"},
        {"-5%", 0, "is negative"},
        {"five", 0, "is no percentage"},
        {"5%%", 0, "is no percentage"},
        {"", 0, "is no percentage"},
        {"nan", 0, "is no percentage"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mb_error err = {0};
        double value = -1;
        int status = mb_parse_percent(cases[i].text, &value, &err);
        ck_assert_msg((status == 0) == (cases[i].refusal == NULL), "'%s'", cases[i].text);
        if (status == 0)
            ck_assert_msg(value == cases[i].value, "'%s' gave %g", cases[i].text, value);
        else
            ck_assert_msg(strstr(err.message, cases[i].refusal) != NULL, "'%s': %s", cases[i].text, err.message);
    }
}
END_TEST

START_TEST(nearest)
{
    static const char *const words[] = {"layer", "bind", "volume", "nfs", "tmpfs", "sync", "path", "host", NULL};
    static const struct {
        const char *word, *near;
    } cases[] = {
        {"nsf", "nfs"},       {"NFS", "nfs"}, {"bnid", "bind"},  {"binds", "bind"}, {"volumes", "volume"},
        {"vloume", "volume"}, {"nfs", "nfs"}, {"tmfs", "tmpfs"}, {"hots", "host"},  {"zebra", NULL},
        {"", NULL},           {"x", NULL},    {"volcano", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_pstr_eq(mb_nearest(cases[i].word, words), cases[i].near);

    static const char *const letters[] = {"s", "m", NULL};
    ck_assert_ptr_null(mb_nearest("d", letters));

    char longest[5000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ck_assert_ptr_null(mb_nearest(longest, words));
}
END_TEST

START_TEST(printable)
{
    char out[MB_PRINTABLE_MAX];
    ck_assert_str_eq(mb_printable("plain \xc3\xa9", out), "plain \xc3\xa9");
    ck_assert_str_eq(mb_printable("a\nb\tc\x7f\x1b", out), "a?b?c??");
    ck_assert_str_eq(mb_printable("", out), "");

    /* 59 letters, then characters of two bytes: the cut at 60 would fall into one. */
    char text[200] = "";
    for (int i = 0; i < 59; i++)
        strcat(text, "x");
    for (int i = 0; i < 20; i++)
        strcat(text, "\xc3\xa9");
    mb_printable(text, out);
    ck_assert_uint_eq(strlen(out), 62);
    ck_assert_str_eq(out + 58, "x...");
}
END_TEST

START_TEST(format_sizes)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {1, "1 B"},
        {1000, "1000 B"},
        {1023, "1023 B"},
        {KIB, "1 KiB"},
        {4 * KIB, "4 KiB"},
        {1536, "1.5 KiB"},
        {1280, "1.25 KiB"},
        {1530921, "1.46 MiB"},
        {10 * KIB + 512, "10.5 KiB"},
        {100 * KIB + 256, "100 KiB"},
        {1023 * KIB, "1023 KiB"},
        {MIB - 1, "1.00 MiB"},
        {64 * MIB, "64 MiB"},
        {MB_SIZE_MAX_BYTES, "1 PiB"},
        {UINT64_MAX, "16384 PiB"},
    };
    char out[MB_FORMAT_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_str_eq(mb_format_size(cases[i].bytes, out), cases[i].text);
}
END_TEST

START_TEST(format_durations)
{
    static const struct {
        double ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},
        {318, "318 ns"},
        {3.5, "3.50 ns"},
        {999.4, "999 ns"},
        {999.6, "1.00 us"},
        {1200000, "1.20 ms"},
        {12340000, "12.3 ms"},
        {999499999, "999 ms"},
        {999500001, "1.00 s"},
        {2.41e9, "2.41 s"},
        {59.9e9, "59.9 s"},
        {59.96e9, "1 min 00 s"},
        {200e9, "3 min 20 s"},
        {3599.4e9, "59 min 59 s"},
        {3599.6e9, "1 h 00 min"},
        {3900e9, "1 h 05 min"},
        {720 * 3600e9, "720 h 00 min"},
        {-1.2e6, "-1.20 ms"},
        {1e300, "2.78e+287 h"},
        {NAN, "-"},
        {INFINITY, "-"},
    };
    char out[MB_FORMAT_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_str_eq(mb_format_duration(cases[i].ns, out), cases[i].text);
}
END_TEST

START_TEST(format_rates)
{
    static const struct {
        double rate;
        const char *unit, *text;
    } cases[] = {
        {512e6, "B/s", "512 MB/s"}, {12300, "/s", "12.3 k/s"},   {0, "B/s", "0 B/s"},         {1, "/s", "1.00 /s"},
        {999.4, "B/s", "999 B/s"},  {999.6, "B/s", "1.00 kB/s"}, {0.0123, "/s", "0.0123 /s"}, {1.5e9, "B/s", "1.50 GB/s"},
        {NAN, "B/s", "-"},          {1e30, "B/s", "1e+12 EB/s"},
    };
    char out[MB_FORMAT_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_str_eq(mb_format_rate(cases[i].rate, cases[i].unit, out), cases[i].text);
}
END_TEST

/* Whatever mb_format_* writes of an exact value, mb_parse_* reads back. */
START_TEST(round_trip)
{
    static const uint64_t exact[] = {1, 512, KIB, 1536, 64 * MIB, 3 * MIB * KIB};
    char out[MB_FORMAT_MAX];
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        uint64_t value = 0;
        ck_assert_int_eq(mb_parse_size(mb_format_size(exact[i], out), &value, NULL), 0);
        ck_assert_uint_eq(value, exact[i]);
    }
    static const uint64_t times[] = {0, 318, 1200000, 2410 * MS, 200 * SECOND, 3900 * SECOND};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        uint64_t value = 1;
        ck_assert_int_eq(mb_parse_duration(mb_format_duration((double)times[i], out), &value, NULL), 0);
        ck_assert_uint_eq(value, times[i]);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("parse");
    TCase *tcase = tcase_create("parse");
    tcase_add_test(tcase, sizes);
    tcase_add_test(tcase, durations);
    tcase_add_test(tcase, whole_numbers);
    tcase_add_test(tcase, percentages);
    tcase_add_test(tcase, nearest);
    tcase_add_test(tcase, printable);
    tcase_add_test(tcase, format_sizes);
    tcase_add_test(tcase, format_durations);
    tcase_add_test(tcase, format_rates);
    tcase_add_test(tcase, round_trip);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
