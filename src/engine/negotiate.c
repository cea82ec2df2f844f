/* negotiate.c: versions are "MAJOR.MINOR" and compare as numbers: 1.9 is older than 1.24. */
#include "engine/negotiate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1.41" as 1041; -1 when it is no version. */
static int
number(const char *version)
{
    size_t major = strspn(version, "0123456789");
    size_t minor = version[major] == '.' ? strspn(version + major + 1, "0123456789") : 0;

    if (major == 0 || major > 2 || minor == 0 || minor > 3 || version[major + 1 + minor] != '\0')
        return -1;
    return (int)(strtol(version, NULL, 10) * 1000 + strtol(version + major + 1, NULL, 10));
}

int
mb_negotiate(const char *newest, const char *oldest, const char *forced, char out[16], struct mb_error *err)
{
    int high = number(newest), low = number(oldest);

    if (high < 0)
        return mb_error_set(err, MB_ENOENGINE, "its API version '%.20s' is no version, so it is no Docker-compatible engine",
                            newest);
    if (forced != NULL && *forced != '\0') {
        int wanted = number(forced);
        if (wanted < 0)
            return mb_error_set(err, MB_ECONFIG, "DOCKER_API_VERSION: '%.20s' is no version, as 1.41 is one", forced);
        if (wanted > high || wanted < low)
            return mb_error_set(err, MB_ECONFIG, "DOCKER_API_VERSION is %s, but the engine accepts %s to %s; unset it", forced,
                                low < 0 ? "anything up" : oldest, newest);
        snprintf(out, 16, "%s", forced);
        return 0;
    }
    if (low > number(MB_API_NEWEST))
        return mb_error_set(
            err, MB_ENOENGINE,
            "the engine accepts API versions from %s on, and this mountbench speaks %s to %s: a newer mountbench is needed", oldest,
            MB_API_OLDEST, MB_API_NEWEST);
    if (high < number(MB_API_OLDEST))
        return mb_error_set(err, MB_ENOENGINE,
                            "the engine speaks API versions up to %s, and mountbench needs %s: upgrade the engine", newest,
                            MB_API_OLDEST);
    snprintf(out, 16, "%s", high > number(MB_API_NEWEST) ? MB_API_NEWEST : newest);
    return 0;
}
