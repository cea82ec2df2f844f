/*
 * fuzz_published.c: any bytes as a published file.  Reading must end in tables or in an error with a message; tables can be
 * printed, for a terminal and as Markdown, and be set beside their own samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mountbench/published.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
print_all(const struct mb_published *published, const char *path)
{
    static const struct mb_published_layout layouts[] = {{.width = 80}, {.markdown = true, .unicode = true}};
    struct mb_results *results;

    for (size_t i = 0; i < 2; i++) {
        MB_AUTO_BUFFER out = MB_BUFFER_INIT((size_t)1 << 26);
        mb_published_print(published, &layouts[i], &out);
        if (mb_results_read(&path, 1, &results, NULL) != 0)
            abort();
        mb_published_compare(published, results, &layouts[i], &out);
        mb_results_free(results);
    }
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char path[] = "/tmp/fuzz-published-XXXXXX";
    struct mb_error err = {0};
    struct mb_published *published;
    int fd = mkstemp(path);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
    if (mb_published_load(path, &published, &err) == 0) {
        print_all(published, path);
        mb_published_free(published);
    } else if (err.code == MB_OK || err.message[0] == '\0') {
        fprintf(stderr, "fuzz_published: a failure without a message\n");
        abort();
    }
    unlink(path);
    return 0;
}
