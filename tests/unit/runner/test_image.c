/* test_image.c: the image's archive is one that tar itself reads back. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/image.h"

/* List the archive with the system's tar; the caller frees. */
static char *
list_with_tar(const struct mb_buffer *tar)
{
    char path[] = "/tmp/mountbench-image-XXXXXX";
    char command[128];
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(65536);
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, tar->data, tar->len), (ssize_t)tar->len);
    close(fd);
    snprintf(command, sizeof command, "tar -tvf %s 2>&1", path);
    FILE *f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    char line[256];
    while (fgets(line, sizeof line, f) != NULL)
        mb_buffer_puts(&out, line);
    ck_assert_int_eq(pclose(f), 0);
    unlink(path);
    return mb_buffer_steal(&out);
}

static const size_t sizes[] = {1, 511, 512, 513, 26000};

START_TEST(tar_reads_it)
{
    static unsigned char bytes[26000];
    MB_AUTO_BUFFER tar = MB_BUFFER_INIT(1 << 20);
    char expected[32];

    memset(bytes, 'x', sizeof bytes);
    mb_image_tar(bytes, sizes[_i], &tar);
    ck_assert(!tar.overflowed);
    ck_assert_uint_eq(tar.len % 512, 0);
    char *listing = list_with_tar(&tar);
    snprintf(expected, sizeof expected, " %zu ", sizes[_i]);
    ck_assert_msg(strstr(listing, expected) != NULL, "%s", listing);
    ck_assert_msg(strstr(listing, "-rwxr-xr-x 0/0") != NULL, "%s", listing);
    ck_assert_msg(strstr(listing, "mountbench-probe") != NULL, "%s", listing);
    ck_assert_msg(strstr(listing, "drwxrwxrwx") != NULL && strstr(listing, "layer") != NULL, "%s", listing);
    free(listing);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("runner image");
    TCase *tc = tcase_create("image");

    tcase_add_loop_test(tc, tar_reads_it, 0, (int)(sizeof sizes / sizeof sizes[0]));
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
