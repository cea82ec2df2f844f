/* error.c: fill, prefix and classify a failure.  Uses nothing but libc, so that the probe can link it. */
#include "mountbench/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Mark a message that did not fit, so that a reader knows that there was more. */
static void
mark_truncated(char *message, size_t size, int wanted)
{
    if (wanted >= 0 && (size_t)wanted >= size)
        memcpy(message + size - 4, "...", 4);
}

int
mb_error_set(struct mb_error *err, enum mb_error_code code, const char *format, ...)
{
    va_list args;

    if (err == NULL)
        return -1;
    err->code = code;
    err->http_status = 0;
    va_start(args, format);
    int n = vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    mark_truncated(err->message, sizeof err->message, n);
    return -1;
}

int
mb_error_errno(struct mb_error *err, enum mb_error_code code, int errnum, const char *format, ...)
{
    char text[sizeof err->message];
    va_list args;

    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mark_truncated(text, sizeof text, n);
    return mb_error_set(err, code, "%s: %s", text, strerror(errnum));
}

int
mb_error_prefix(struct mb_error *err, const char *format, ...)
{
    char prefix[sizeof err->message];
    char text[sizeof err->message];
    va_list args;

    if (err == NULL)
        return -1;
    va_start(args, format);
    int n = vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    mark_truncated(prefix, sizeof prefix, n);
    memcpy(text, err->message, sizeof text);
    int status = err->http_status;
    mb_error_set(err, err->code, "%s: %s", prefix, text);
    err->http_status = status;
    return -1;
}

void
mb_error_clear(struct mb_error *err)
{
    err->code = MB_OK;
    err->http_status = 0;
    err->message[0] = '\0';
}

int
mb_error_exit_status(const struct mb_error *err)
{
    switch (err->code) {
    case MB_OK:
        return 0;
    case MB_EUSAGE:
    case MB_ECONFIG:
        return 2;
    case MB_ENOENGINE:
        return 3;
    case MB_EABOVE:
        return 4;
    case MB_EINTERRUPT:
        return 130;
    default:
        return 1;
    }
}
