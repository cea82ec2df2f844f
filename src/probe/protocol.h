/* protocol.h: request lines into keys and values, and the small part of JSON that answers need. */
#ifndef MB_PROBE_PROTOCOL_H
#define MB_PROBE_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

#include "mountbench/buffer.h"
#include "mountbench/error.h"

#define MB_REQUEST_KEYS_MAX 32

struct mb_request {
    const char *verb;
    size_t count;
    struct {
        const char *key, *value;
    } pairs[MB_REQUEST_KEYS_MAX];
};

/*
 * mb_request_parse(line, request, err):
 * Cut the NUL-terminated ${line} in place and point ${request} into it.  No verb, a word without '=', an empty key, one that
 * comes twice, more than MB_REQUEST_KEYS_MAX and a wrong percent code are errors.
 */
int mb_request_parse(char *line, struct mb_request *request, struct mb_error *err);

/* mb_request_get(request, key): the value, or NULL. */
const char *mb_request_get(const struct mb_request *request, const char *key);

/* mb_request_check_keys(request, known, err): that every key is one of ${known}, ended by NULL. */
int mb_request_check_keys(const struct mb_request *request, const char *const *known, struct mb_error *err);

/* mb_request_u64(request, key, fallback, range, out, err): a whole number between ${range}[0] and ${range}[1]. */
int mb_request_u64(const struct mb_request *request, const char *key, uint64_t fallback, const uint64_t range[2], uint64_t *out,
                   struct mb_error *err);

/*
 * mb_request_list(text, out, err):
 * The list that a value ${text} holds (probe.h), ended by NULL; *${out} and what it points to are one block for free().
 */
int mb_request_list(const char *text, char ***out, struct mb_error *err);

/* mb_json_string(b, text, n): append the ${n} bytes of ${text} as a JSON string; what is no UTF-8 becomes U+FFFD. */
void mb_json_string(struct mb_buffer *b, const char *text, size_t n);

/* mb_json_field(b, key, text): append `,"key":"text"`. */
void mb_json_field(struct mb_buffer *b, const char *key, const char *text);

#endif
