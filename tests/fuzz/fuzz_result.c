/*
 * fuzz_result.c: any bytes as a result file.  Reading must end in results or in an error with a message, and what can be read
 * must be readable again after it was opened to go on with.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mountbench/result.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_result: %s\n", what);
        abort();
    }
}

static void
check_indices(const struct mb_results *r)
{
    double sum = 0;

    for (size_t i = 0; i < r->sample_count; i++) {
        must(r->samples[i].cell < r->cell_count, "a sample without a cell");
        sum += mb_sample_figure(&r->cells[r->samples[i].cell], &r->samples[i]);
    }
    for (size_t i = 0; i < r->cell_count; i++)
        must(r->cells[i].run < r->run_count && cJSON_IsObject(r->cells[i].params), "a cell without a run");
    for (size_t i = 0; i < r->check_count; i++)
        must(r->checks[i].cell < r->cell_count, "a check without a cell");
    must(sum < 0 || sum >= 0 || sum != sum, "no sum");
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char path[] = "/tmp/fuzz-result-XXXXXX";
    const char *files[] = {path};
    struct mb_error err = {0};
    struct mb_results *results;
    struct mb_result_writer *writer;

    int fd = mkstemp(path);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "cannot write the input");
    close(fd);
    if (mb_results_read(files, 1, &results, &err) != 0) {
        must(results == NULL && err.code != MB_OK && err.message[0] != '\0', "a failure without a message");
    } else {
        check_indices(results);
        size_t samples = results->sample_count;
        mb_results_free(results);
        if (mb_result_append(path, &writer, &err) == 0) {
            mb_result_close(writer);
            must(mb_results_read(files, 1, &results, &err) == 0, "going on with a file made it unreadable");
            must(results->sample_count == samples, "going on with a file changed its samples");
            mb_results_free(results);
        }
    }
    unlink(path);
    return 0;
}
