/*
 * error.h: one failure, in words a person can act on.
 *
 * Every function that can fail takes a struct mb_error * last, returns 0 or -1 (or a pointer or NULL), and fills the error
 * before it returns -1 or NULL.  The library never prints: only main() does, once.  A message names the place, the key, the
 * value and the rule, and where there is one the nearest right word or the next step.  It has no trailing newline.
 */
#ifndef MB_ERROR_H
#define MB_ERROR_H

#include <stddef.h>

#if defined(__GNUC__)
#define MB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define MB_PRINTF(fmt, args)
#endif

/* What kind of failure it is: decides the exit status (mb_error_exit_status) and what a caller may do about it. */
enum mb_error_code {
    MB_OK = 0,
    MB_EUSAGE,     /* a wrong command line: exit 2 */
    MB_ECONFIG,    /* a wrong matrix, settings or result file: exit 2 */
    MB_ENOENGINE,  /* no engine could be reached or what answered is no engine: exit 3 */
    MB_EENGINE,    /* the engine answered, and said no (http_status is its status): exit 1 */
    MB_EGONE,      /* a connection that worked broke: the engine, container or probe went away: exit 1 */
    MB_ETIMEOUT,   /* a time limit passed: exit 1 */
    MB_EPROTOCOL,  /* an answer that cannot be understood: exit 1 */
    MB_EINTERRUPT, /* the user interrupted: exit 130 */
    MB_EIO,        /* the local system refused: file, directory, memory: exit 1 */
    MB_EABOVE,     /* a comparison is beyond --fail-above: exit 4 */
};

/* A place for one failure; initialise with {0}.  It owns nothing. */
struct mb_error {
    enum mb_error_code code;
    int http_status; /* of an MB_EENGINE failure, 0 elsewhere */
    char message[2048];
};

/*
 * mb_error_set(err, code, format, ...):
 * Fill ${err} (which may be NULL) with ${code} and the formatted message, replacing what was there; a message that is too
 * long ends in "...".  Return -1, so that `return mb_error_set(...)` reads well.
 */
int mb_error_set(struct mb_error *err, enum mb_error_code code, const char *format, ...) MB_PRINTF(3, 4);

/*
 * mb_error_errno(err, code, errnum, format, ...):
 * As mb_error_set, with ": " and the system's text for ${errnum} appended.
 */
int mb_error_errno(struct mb_error *err, enum mb_error_code code, int errnum, const char *format, ...) MB_PRINTF(4, 5);

/*
 * mb_error_prefix(err, format, ...):
 * Put the formatted text and ": " before the message that ${err} (which may be NULL) holds.  Return -1.
 */
int mb_error_prefix(struct mb_error *err, const char *format, ...) MB_PRINTF(2, 3);

/* mb_error_clear(err): forget the failure. */
void mb_error_clear(struct mb_error *err);

/* mb_error_exit_status(err): the exit status that docs and --help promise for ${err}'s code; 0 for MB_OK. */
int mb_error_exit_status(const struct mb_error *err);

#endif
