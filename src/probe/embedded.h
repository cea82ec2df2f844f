/* embedded.h: the probe executables that the build put into the driver. */
#ifndef MB_PROBE_EMBEDDED_H
#define MB_PROBE_EMBEDDED_H

#include <stddef.h>

struct mb_embedded_probe {
    const char *arch;
    const unsigned char *bytes;
    size_t size;
};

/* Ended by a row whose arch is NULL; generated. */
extern const struct mb_embedded_probe mb_embedded_probes[];

#endif
