/* json_edit.h: change one member of a JSON text and leave every other byte as it is. */
#ifndef MB_PROVIDER_JSON_EDIT_H
#define MB_PROVIDER_JSON_EDIT_H

#include "mountbench/buffer.h"

/*
 * mb_json_edit(text, key, value, out):
 * Append to ${out} the JSON object ${text} (one that a parser takes) with its member ${key} as the JSON text ${value}; NULL removes
 * it.  A member that is not there is put first; removing it again gives the very bytes from before.  0, or -1 when ${text} is no
 * object or ${out} is full.
 */
int mb_json_edit(const char *text, const char *key, const char *value, struct mb_buffer *out);

#endif
