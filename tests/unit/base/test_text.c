/* text.h: columns on a screen, and names made harmless. */
#include "mountbench/text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(widths)
{
    static const struct {
        const char *text;
        size_t width;
    } cases[] = {
        {"", 0},
        {"bind", 4},
        {"\xC3\xA9", 1},                             /* e acute */
        {"e\xCC\x81", 1},                            /* e and a combining acute */
        {"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", 6}, /* three ideographs */
        {"\xEF\xBC\xA1", 2},                         /* full-width A */
        {"\xEF\xBD\xB1", 1},                         /* half-width katakana */
        {"\xED\x95\x9C", 2},                         /* a Hangul syllable */
        {"\xF0\x9F\x90\xB3", 2},                     /* a whale */
        {"\xE2\x96\x88\xE2\x96\x8F", 2},             /* blocks */
        {"\xC3\x97", 1},                             /* the times sign */
        {"\x1B[31m", 4},                             /* ESC itself takes none */
        {"\xD8\xB9", 1},                             /* an Arabic letter */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_msg(mb_text_width(cases[i].text) == cases[i].width, "case %zu: %zu columns", i, mb_text_width(cases[i].text));
}
END_TEST

START_TEST(decoding)
{
    static const struct {
        const char *text;
        size_t length;
        uint32_t code;
    } cases[] = {
        {"A", 1, 'A'},
        {"\xC3\xA9", 2, 0xE9},
        {"\xE2\x82\xAC", 3, 0x20AC},
        {"\xF0\x9F\x90\xB3", 4, 0x1F433},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
        {"\xC0\xAF", 1, MB_TEXT_INVALID},         /* overlong */
        {"\xE0\x80\xAF", 1, MB_TEXT_INVALID},     /* overlong */
        {"\xED\xA0\x80", 1, MB_TEXT_INVALID},     /* a surrogate */
        {"\xF4\x90\x80\x80", 1, MB_TEXT_INVALID}, /* above the last */
        {"\x80", 1, MB_TEXT_INVALID},             /* a stray continuation */
        {"\xE2\x82", 1, MB_TEXT_INVALID},         /* cut short */
        {"\xFF", 1, MB_TEXT_INVALID},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t code;
        char back[5];
        ck_assert_uint_eq(mb_text_decode(cases[i].text, &code), cases[i].length);
        ck_assert_uint_eq(code, cases[i].code);
        if (code == MB_TEXT_INVALID)
            continue;
        ck_assert_uint_eq(mb_text_encode(code, back), cases[i].length);
        ck_assert_str_eq(back, cases[i].text);
    }
}
END_TEST

START_TEST(cleaning)
{
    static const struct {
        const char *text, *clean, *ascii;
    } cases[] = {
        {"bind-cached", "bind-cached", "bind-cached"},
        {"a\nb\tc\rd", "a?b?c?d", "a?b?c?d"},
        {"\x1B[31mred\x1B[0m", "?[31mred?[0m", "?[31mred?[0m"},
        {"\xC2\x9B"
         "31m",
         "?31m", "?31m"}, /* CSI as one C1 character */
        {"a\xE2\x80\xAE"
         "b",
         "a?b", "a?b"}, /* right-to-left override */
        {"a\xE2\x81\xA6"
         "b",
         "a?b", "a?b"}, /* an isolate */
        {"a\xE2\x80\x8B"
         "b\xEF\xBB\xBF"
         "c",
         "abc", "abc"}, /* zero-width space, byte order mark */
        {"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB", "\xF0\x9F\x91\xA9\xF0\x9F\x92\xBB", "??"}, /* joined emoji come apart */
        {"\xE2\x9D\xA4\xEF\xB8\x8F", "\xE2\x9D\xA4", "?"},                                          /* without its selector */
        {"\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD", "\xF0\x9F\x91\x8D", "?"},                              /* without its skin tone */
        {"\xCC\x81"
         "a",
         "a", "a"},                                                                         /* no letter to sit on */
        {"e\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81x", "e\xCC\x81\xCC\x81\xCC\x81x", "ex"}, /* three marks are enough */
        {"\xE6\x97\xA5", "\xE6\x97\xA5", "?"},
        {"\xFF\xFE", "??", "??"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        MB_AUTO_BUFFER out = MB_BUFFER_INIT(1000);
        mb_text_clean(&out, cases[i].text, true);
        ck_assert_msg(strcmp(mb_buffer_text(&out), cases[i].clean) == 0, "case %zu: '%s'", i, mb_buffer_text(&out));
        mb_buffer_reset(&out);
        mb_text_clean(&out, cases[i].text, false);
        ck_assert_msg(strcmp(mb_buffer_text(&out), cases[i].ascii) == 0, "case %zu: '%s'", i, mb_buffer_text(&out));
    }
}
END_TEST

/* Every character there is comes out of cleaning with the width that the table says, or not at all. */
START_TEST(cleaning_leaves_nothing_that_acts)
{
    for (uint32_t code = 1; code <= 0x10FFFF; code++) {
        char text[8] = "a", one[5];
        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        mb_text_encode(code, one);
        strcat(text, one);
        MB_AUTO_BUFFER out = MB_BUFFER_INIT(100);
        mb_text_clean(&out, text, true);
        for (const char *p = mb_buffer_text(&out); *p != '\0';) {
            uint32_t left;
            p += mb_text_decode(p, &left);
            ck_assert_msg(!mb_text_is_control(left), "U+%04X leaves U+%04X", (unsigned)code, (unsigned)left);
        }
    }
}
END_TEST

START_TEST(cutting)
{
    static const struct {
        const char *text;
        size_t columns;
        bool unicode;
        const char *cut;
    } cases[] = {
        {"volume", 6, true, "volume"},
        {"volume", 5, true, "volu\xE2\x80\xA6"},
        {"volume", 5, false, "vo..."},
        {"volume", 1, true, "\xE2\x80\xA6"},
        {"volume", 2, false, ".."},
        {"volume", 0, true, ""},
        {"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", 5, true, "\xE6\x97\xA5\xE6\x9C\xAC\xE2\x80\xA6"},
        {"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", 4, true, "\xE6\x97\xA5\xE2\x80\xA6"}, /* a wide one does not fit in the rest */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        MB_AUTO_BUFFER out = MB_BUFFER_INIT(1000);
        size_t used = mb_text_cut(&out, cases[i].text, cases[i].columns, cases[i].unicode);
        ck_assert_msg(strcmp(mb_buffer_text(&out), cases[i].cut) == 0, "case %zu: '%s'", i, mb_buffer_text(&out));
        ck_assert_uint_eq(used, mb_text_width(cases[i].cut));
    }
}
END_TEST

START_TEST(padding_and_wrapping)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(1000);

    mb_text_pad(&out, "\xE6\x97\xA5", 4, MB_ALIGN_LEFT);
    mb_text_pad(&out, "ab", 4, MB_ALIGN_RIGHT);
    mb_text_pad(&out, "longer", 2, MB_ALIGN_LEFT);
    ck_assert_str_eq(mb_buffer_text(&out), "\xE6\x97\xA5    ablonger");

    mb_buffer_reset(&out);
    mb_text_wrap(&out, "abcd one  two three", 9, 4);
    ck_assert_str_eq(mb_buffer_text(&out), "abcd one\n    two\n    three\n");
    mb_buffer_reset(&out);
    mb_text_wrap(&out, "averyveryverylongword b", 8, 2);
    ck_assert_str_eq(mb_buffer_text(&out), "averyveryverylongword\n  b\n");
}
END_TEST

START_TEST(locale)
{
    static const struct {
        const char *all, *ctype, *lang;
        bool utf8;
    } cases[] = {
        {"", "", "en_GB.UTF-8", true},       {"", "", "C.utf8", true},
        {"C", "", "en_GB.UTF-8", false},     {"", "POSIX", "en_GB.UTF-8", false},
        {"", "", "de_DE.ISO-8859-1", false}, {"", "", "", false},
        {"ja_JP.UTF-8", "C", "C", true},     {"", "", "en_GB", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        setenv("LC_ALL", cases[i].all, 1);
        setenv("LC_CTYPE", cases[i].ctype, 1);
        setenv("LANG", cases[i].lang, 1);
        ck_assert_msg(mb_text_utf8_locale() == cases[i].utf8, "case %zu", i);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("text");
    TCase *tcase = tcase_create("text");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, widths);
    tcase_add_test(tcase, decoding);
    tcase_add_test(tcase, cleaning);
    tcase_add_test(tcase, cleaning_leaves_nothing_that_acts);
    tcase_add_test(tcase, cutting);
    tcase_add_test(tcase, padding_and_wrapping);
    tcase_add_test(tcase, locale);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
