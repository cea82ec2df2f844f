/* json.h: the few words of cJSON that the engine client says over and over. */
#ifndef MB_ENGINE_JSON_H
#define MB_ENGINE_JSON_H

#include <cjson/cJSON.h>

/* A tree that frees itself when it leaves scope. */
#define MB_AUTO_JSON __attribute__((cleanup(mb_json_free))) cJSON

static inline void
mb_json_free(cJSON **tree)
{
    cJSON_Delete(*tree);
}

/* mb_json_text(object, key): the string there, "" where there is none. */
static inline const char *
mb_json_text(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text != NULL ? text : "";
}

/* mb_json_get(object, key): the member, NULL where there is none. */
static inline const cJSON *
mb_json_get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

#endif
