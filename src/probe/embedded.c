/* embedded.c: which embedded probe fits an engine's architecture. */
#include "probe/embedded.h"

#include <string.h>

#include "mountbench/probe.h"

const unsigned char *
mb_probe_binary(const char *arch, size_t *size)
{
    if (strcmp(arch, "x86_64") == 0)
        arch = "amd64";
    else if (strcmp(arch, "aarch64") == 0)
        arch = "arm64";
    for (const struct mb_embedded_probe *p = mb_embedded_probes; p->arch != NULL; p++) {
        if (strcmp(p->arch, arch) == 0) {
            *size = p->size;
            return p->bytes;
        }
    }
    *size = 0;
    return NULL;
}
