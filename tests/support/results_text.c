/* results_text.c: through a temporary file, as every result file comes. */
#include "support/results_text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mb_results *
results_of(const char *text)
{
    char path[] = "/tmp/mountbench-results.XXXXXX";
    const char *file = path;
    struct mb_results *results = NULL;
    struct mb_error err = {0};
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    FILE *f = fdopen(fd, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, strlen(text), f), strlen(text));
    ck_assert_int_eq(fclose(f), 0);
    int rc = mb_results_read(&file, 1, &results, &err);
    unlink(path);
    ck_assert_msg(rc == 0, "%s", err.message);
    return results;
}

void
results_cell(struct mb_buffer *out, const char *mount, const char *workload, const char *measure, const char *fstype,
             const char *device)
{
    mb_buffer_printf(out,
                     "{\"type\":\"cell\",\"cell\":\"e/%s/%s\",\"engine\":\"e\",\"mount\":\"%s\",\"workload\":\"%s\",\"kind\":\"k\","
                     "\"measure\":\"%s\",\"unit\":\"op\",\"status\":\"ready\",\"params\":{}",
                     mount, workload, mount, workload, measure);
    if (fstype != NULL)
        mb_buffer_printf(out, ",\"filesystem\":{\"fstype\":\"%s\",\"source\":\"s\",\"device\":\"%s\",\"root\":\"/\"}", fstype,
                         device);
    mb_buffer_puts(out, "}\n");
}

void
results_sample(struct mb_buffer *out, const char *mount, const char *workload, unsigned round, long long wall_ns, long long amount)
{
    mb_buffer_printf(out,
                     "{\"type\":\"sample\",\"cell\":\"e/%s/%s\",\"round\":%u,\"order\":0,\"warmup\":false,\"status\":\"ok\","
                     "\"wall_ns\":%lld,\"bytes\":%lld,\"ops\":%lld}\n",
                     mount, workload, round, wall_ns, amount, amount);
}

char *
report_of(const char *text, const struct mb_report_options *options)
{
    struct mb_results *results = results_of(text);
    struct mb_buffer out = MB_BUFFER_INIT(MB_REPORT_MAX_BYTES);
    struct mb_error err = {0};
    int rc = mb_report_render(results, options, &out, &err);

    mb_results_free(results);
    ck_assert_msg(rc == 0, "%s", err.message);
    return mb_buffer_steal(&out);
}
