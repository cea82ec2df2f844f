/* unison.h: what unison says and wants to hear; no processes here. */
#ifndef MB_SYNC_UNISON_H
#define MB_SYNC_UNISON_H

#include <stdbool.h>
#include <stddef.h>

#include "mountbench/matrix.h"

struct mb_unison_version {
    unsigned major, minor;
    char text[32];     /* "2.52.1" */
    char compiler[32]; /* "4.13.1", "" where it does not say */
};

/* mb_unison_version(text, out): from what `unison -version` prints; false when that is something else. */
bool mb_unison_version(const char *text, struct mb_unison_version *out);

/* mb_unison_fit(a, b): whether the two understand each other. */
bool mb_unison_fit(const struct mb_unison_version *a, const struct mb_unison_version *b);

struct mb_unison_roots {
    const char *host, *volume, *shell;
};

#define MB_UNISON_ARGUMENTS 80

/*
 * mb_unison_arguments(spec, roots, seconds, out):
 * The command line, into ${out}[MB_UNISON_ARGUMENTS + 1] and ended by NULL; ${seconds} is room for a number in it.  Returns its
 * length.
 */
size_t mb_unison_arguments(const struct mb_sync_spec *spec, const struct mb_unison_roots *roots, char seconds[16],
                           const char **out);

/* What a line of its output tells: that it looks for changes, that all that was found is on both sides, or of a conflict. */
enum mb_unison_line { MB_UNISON_OTHER, MB_UNISON_LOOKS, MB_UNISON_DONE, MB_UNISON_CONFLICT };

/* mb_unison_line(line, n, out, size): what the ${n} bytes at ${line} are; of a conflict "PATH (REASON)" in ${out}. */
enum mb_unison_line mb_unison_line(const char *line, size_t n, char *out, size_t size);

#endif
