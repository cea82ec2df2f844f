/* test_stream.c: frames, whole, cut anywhere, and what is no frame. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "engine/stream.h"
#include "mountbench/buffer.h"

struct sinks {
    struct mb_buffer out, errors, daemon;
    int stop_after; /* pieces; -1: never */
};

static int
take(void *context, enum mb_stream stream, const char *bytes, size_t n)
{
    struct sinks *s = context;

    if (s->stop_after == 0)
        return -1;
    s->stop_after--;
    return mb_buffer_append(stream == MB_STREAM_OUT ? &s->out : stream == MB_STREAM_ERR ? &s->errors : &s->daemon, bytes, n);
}

static struct sinks
new_sinks(void)
{
    struct sinks s = {
        .out = MB_BUFFER_INIT(1 << 20), .errors = MB_BUFFER_INIT(1 << 20), .daemon = MB_BUFFER_INIT(1 << 20), .stop_after = -1};
    return s;
}

static void
free_sinks(struct sinks *s)
{
    mb_buffer_free(&s->out);
    mb_buffer_free(&s->errors);
    mb_buffer_free(&s->daemon);
}

static const char sample[] = "\1\0\0\0\0\0\0\3one"
                             "\2\0\0\0\0\0\0\4oops"
                             "\1\0\0\0\0\0\0\0"
                             "\1\0\0\0\0\0\0\4two\n"
                             "\3\0\0\0\0\0\0\5sorry";
#define SAMPLE_SIZE (sizeof sample - 1)

START_TEST(test_cut_anywhere)
{
    /* In pieces of each size, every border falls everywhere. */
    for (size_t piece = 1; piece <= SAMPLE_SIZE; piece++) {
        struct mb_frames frames = {.left = 0};
        struct sinks s = new_sinks();
        for (size_t i = 0; i < SAMPLE_SIZE; i += piece) {
            size_t n = SAMPLE_SIZE - i < piece ? SAMPLE_SIZE - i : piece;
            ck_assert_int_eq(mb_frames_feed(&frames, sample + i, n, take, &s, NULL), 0);
        }
        ck_assert_str_eq(mb_buffer_text(&s.out), "onetwo\n");
        ck_assert_str_eq(mb_buffer_text(&s.errors), "oops");
        ck_assert_str_eq(mb_buffer_text(&s.daemon), "sorry");
        free_sinks(&s);
    }
}
END_TEST

START_TEST(test_length_is_big_endian_in_four_bytes)
{
    struct mb_frames frames = {.left = 0};
    struct sinks s = new_sinks();

    ck_assert_int_eq(mb_frames_feed(&frames, "\1\0\0\0\xff\2\1\3", 8, take, &s, NULL), 0);
    ck_assert_uint_eq(frames.left, 0xff020103u);
    free_sinks(&s);
}
END_TEST

static const struct {
    const char *name, *bytes;
} wrong[] = {
    {"text", "hello, world"},
    {"a stream there is not", "\4\0\0\0\0\0\0\1x"},
    {"padding that is not zero", "\1\0\1\0\0\0\0\1x"},
};

START_TEST(test_no_frame)
{
    struct mb_frames frames = {.left = 0};
    struct sinks s = new_sinks();
    struct mb_error err = {0};

    ck_assert_int_eq(mb_frames_feed(&frames, wrong[_i].bytes, 9, take, &s, &err), -1);
    ck_assert_int_eq(err.code, MB_EPROTOCOL);
    ck_assert_msg(frames.broken, "%s", wrong[_i].name);
    /* And nothing after it is believed. */
    ck_assert_int_eq(mb_frames_feed(&frames, sample, SAMPLE_SIZE, take, &s, &err), -1);
    ck_assert_uint_eq(s.out.len, 0);
    free_sinks(&s);
}
END_TEST

START_TEST(test_sink_can_stop_it)
{
    struct mb_frames frames = {.left = 0};
    struct sinks s = new_sinks();
    struct mb_error err = {0};

    s.stop_after = 1;
    ck_assert_int_eq(mb_frames_feed(&frames, sample, SAMPLE_SIZE, take, &s, &err), -1);
    ck_assert_int_eq(err.code, MB_OK);
    ck_assert_str_eq(mb_buffer_text(&s.out), "one");
    free_sinks(&s);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("stream");
    TCase *tcase = tcase_create("frames");
    SRunner *runner = srunner_create(suite);

    tcase_add_test(tcase, test_cut_anywhere);
    tcase_add_test(tcase, test_length_is_big_endian_in_four_bytes);
    tcase_add_loop_test(tcase, test_no_frame, 0, sizeof wrong / sizeof wrong[0]);
    tcase_add_test(tcase, test_sink_can_stop_it);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
