/* image.c: the probe and its directory as an archive: an image of its own, or put into a container of another. */
#include "runner/image.h"

#include <stdio.h>
#include <string.h>

#include "mountbench/probe.h"
#include "runner/tar.h"

#define TAR_MAX ((size_t)4 << 20)

void
mb_image_tar(const unsigned char *probe, size_t size, struct mb_buffer *out)
{
    mb_tar_add(out, &(struct mb_tar_entry){.name = &MB_IMAGE_LAYER[1], .mode = 0777, .type = '5'});
    mb_tar_add(out, &(struct mb_tar_entry){.name = &MB_IMAGE_PROBE[1], .mode = 0755, .type = '0', .bytes = probe, .size = size});
    mb_tar_end(out);
}

int
mb_image_put(struct mb_engine *engine, const char *container, struct mb_error *err)
{
    const char *arch = mb_engine_facts(engine)->arch;
    MB_AUTO_BUFFER tar = MB_BUFFER_INIT(TAR_MAX);
    size_t size;

    const unsigned char *probe = mb_probe_binary(arch, &size);
    if (probe == NULL)
        return mb_error_set(err, MB_ENOENGINE, "the engine runs on '%s', and this mountbench has no probe for it", arch);
    mb_image_tar(probe, size, &tar);
    if (tar.overflowed)
        return mb_error_set(err, MB_EIO, "out of memory");
    return mb_container_put(engine, container, "/", &tar, err);
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
