/* image.c: a ustar archive (POSIX.1-2008, pax, "ustar Interchange Format") of two directories and one file. */
#include "runner/image.h"

#include <stdio.h>
#include <string.h>

#include "mountbench/probe.h"

#define BLOCK 512

static void
append_header(struct mb_buffer *out, const char *name, unsigned mode, size_t size, char type)
{
    char h[BLOCK] = {0};
    unsigned sum = 0;

    snprintf(h, 100, "%s", name);
    snprintf(h + 100, 8, "%07o", mode);
    snprintf(h + 108, 8, "%07o", 0U);
    snprintf(h + 116, 8, "%07o", 0U);
    snprintf(h + 124, 12, "%011zo", size);
    snprintf(h + 136, 12, "%011o", 0U);
    memset(h + 148, ' ', 8);
    h[156] = type;
    memcpy(h + 257, "ustar", 6);
    h[263] = h[264] = '0';
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)h[i];
    snprintf(h + 148, 8, "%06o", sum);
    mb_buffer_append(out, h, BLOCK);
}

void
mb_image_tar(const unsigned char *probe, size_t size, struct mb_buffer *out)
{
    static const char zeros[2 * BLOCK];

    append_header(out, &MB_IMAGE_LAYER[1], 0777, 0, '5');
    append_header(out, &MB_IMAGE_PROBE[1], 0755, size, '0');
    mb_buffer_append(out, probe, size);
    mb_buffer_append(out, zeros, (BLOCK - size % BLOCK) % BLOCK);
    mb_buffer_append(out, zeros, sizeof zeros);
}

int
mb_image_ensure(struct mb_engine *engine, const char *run, char **id, struct mb_error *err)
{
    const char *arch = mb_engine_facts(engine)->arch;
    static const char *const changes[] = {"ENTRYPOINT [\"" MB_IMAGE_PROBE "\"]", NULL};
    MB_AUTO_BUFFER tar = MB_BUFFER_INIT((size_t)4 << 20);
    const struct mb_labels labels = {.run = run};
    char reference[128];
    size_t size;

    const unsigned char *probe = mb_probe_binary(arch, &size);
    if (probe == NULL)
        return mb_error_set(err, MB_ENOENGINE, "the engine runs on '%s', and this mountbench has no probe for it", arch);
    mb_image_tar(probe, size, &tar);
    if (tar.overflowed)
        return mb_error_set(err, MB_EIO, "out of memory");
    snprintf(reference, sizeof reference, "mountbench-probe:%s", run);
    return mb_image_import(engine, tar.data, tar.len, reference, changes, &labels, id, err);
}
