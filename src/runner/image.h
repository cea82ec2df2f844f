/* image.h: the probe's image, made from scratch in memory: no registry, no pull. */
#ifndef MB_RUNNER_IMAGE_H
#define MB_RUNNER_IMAGE_H

#include "mountbench/buffer.h"
#include "mountbench/engine.h"
#include "mountbench/error.h"

/* Where the probe is in the image, and the image's own directory that the `layer` mount works in. */
#define MB_IMAGE_PROBE "/mountbench-probe"
#define MB_IMAGE_LAYER "/layer"

/* mb_image_tar(probe, size, out): a ustar archive with the ${size} bytes at ${probe} and the directories; check ${out}->overflowed.
 */
void mb_image_tar(const unsigned char *probe, size_t size, struct mb_buffer *out);

/* mb_image_ensure(engine, run, id, err): import the probe for ${engine}'s architecture; *${id} is the caller's to free. */
int mb_image_ensure(struct mb_engine *engine, const char *run, char **id, struct mb_error *err);

/* mb_image_put(engine, container, err): the same files into a container of another image, before it is started. */
int mb_image_put(struct mb_engine *engine, const char *container, struct mb_error *err);

#endif
