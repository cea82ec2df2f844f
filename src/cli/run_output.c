/* run_output.c: where output goes, and where it must not go. */
#include "cli/run_output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int
mb_run_output(const char *name, char *out, size_t size, struct mb_error *err)
{
    char stamp[32], safe[101];
    time_t now = time(NULL);
    struct tm utc;

    snprintf(safe, sizeof safe, "%s", name);
    for (char *p = safe; *p != '\0'; p++) {
        if (strchr("/\\ :*?\"<>|", *p) != NULL || (unsigned char)*p < 0x20)
            *p = '-';
    }
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
    int n = snprintf(out, size, "results/%s-%s.jsonl", safe, stamp);
    /* Another run of this second has the plain name. */
    for (unsigned i = 2; n > 0 && (size_t)n < size && access(out, F_OK) == 0; i++)
        n = snprintf(out, size, "results/%s-%s-%u.jsonl", safe, stamp, i);
    return n > 0 && (size_t)n < size ? 0 : mb_error_set(err, MB_ECONFIG, "the matrix's name is too long for a file");
}

int
mb_output_apart(const char *output, const char *const *inputs, size_t n, struct mb_error *err)
{
    struct stat out, in;

    if (output == NULL || stat(output, &out) != 0 || !S_ISREG(out.st_mode))
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (stat(inputs[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return mb_error_set(err, MB_EUSAGE, "--output: '%s' is a result file that is read; name another file", output);
    }
    return 0;
}
