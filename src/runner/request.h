/* request.h: how requests to a probe are written and answers taken apart.  For client*.c. */
#ifndef MB_RUNNER_REQUEST_H
#define MB_RUNNER_REQUEST_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "mountbench/buffer.h"
#include "runner/channel.h"

/* Beyond a request's own limit, the driver waits this long for the probe to say that it has passed. */
#define MB_REQUEST_GRACE_MS 10000

/* mb_request_add(request, key, value): append ` key=value`, encoded. */
void mb_request_add(struct mb_buffer *request, const char *key, const char *value);

/*
 * mb_request_ask(c, request, type, timeout_ms, answer, err):
 * Send ${request}, whose newline is added, wait at most ${timeout_ms}, and see that what comes is an object of this ${type}:
 * *${answer}, the caller's to delete.
 */
int mb_request_ask(struct mb_channel *c, struct mb_buffer *request, const char *type, uint64_t timeout_ms, cJSON **answer,
                   struct mb_error *err);

/* mb_answer_text(object, key): "" where there is none.  mb_answer_number(object, key): 0 where there is none, or no such number. */
const char *mb_answer_text(const cJSON *object, const char *key);
uint64_t mb_answer_number(const cJSON *object, const char *key);

#endif
