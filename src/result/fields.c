/* fields.c: typed access to a record's keys, with messages that name file, line, record and key. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "result/reader.h"

int
mb_reader_fail(const struct mb_reader *r, struct mb_error *err, const char *key, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mb_error_set(err, MB_ECONFIG, "%s:%zu: %s%s%s: %s", r->file, r->line, r->record, key ? "." : "", key ? key : "", text);
}

static const char *
type_name(const cJSON *item)
{
    if (cJSON_IsString(item))
        return "a string";
    if (cJSON_IsNumber(item))
        return "a number";
    if (cJSON_IsBool(item))
        return cJSON_IsTrue(item) ? "true" : "false";
    if (cJSON_IsArray(item))
        return "an array";
    return cJSON_IsObject(item) ? "an object" : "null";
}

/* The item of a key, or NULL when it is missing or null. */
static cJSON *
find(const cJSON *object, const char *key)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return item == NULL || cJSON_IsNull(item) ? NULL : item;
}

int
mb_reader_text(const struct mb_reader *r, const cJSON *object, const char *key, const char **out, struct mb_error *err)
{
    const cJSON *item = find(object, key);

    if (item == NULL)
        return 0;
    if (!cJSON_IsString(item))
        return mb_reader_fail(r, err, key, "wants a string, is %s", type_name(item));
    *out = mb_intern_text(&r->memory->text, item->valuestring);
    return *out != NULL ? 0 : mb_error_set(err, MB_EIO, "%s: out of memory", r->file);
}

int
mb_reader_need_text(const struct mb_reader *r, const cJSON *object, const char *key, const char **out, struct mb_error *err)
{
    *out = NULL;
    if (mb_reader_text(r, object, key, out, err) != 0)
        return -1;
    if (*out == NULL || **out == '\0')
        return mb_reader_fail(r, err, key, *out == NULL ? "is missing" : "is empty");
    return 0;
}

int
mb_reader_count(const struct mb_reader *r, const cJSON *object, const char *key, uint64_t max, uint64_t *out, struct mb_error *err)
{
    const cJSON *item = find(object, key);

    if (item == NULL)
        return 0;
    if (!cJSON_IsNumber(item))
        return mb_reader_fail(r, err, key, "wants a number, is %s", type_name(item));
    double value = item->valuedouble;
    if (!(value >= 0 && value <= (double)max) || value != floor(value))
        return mb_reader_fail(r, err, key, "wants a whole number from 0 to %llu, is %.17g", (unsigned long long)max, value);
    *out = (uint64_t)value;
    return 0;
}

int
mb_reader_bool(const struct mb_reader *r, const cJSON *object, const char *key, bool *out, struct mb_error *err)
{
    const cJSON *item = find(object, key);

    if (item == NULL)
        return 0;
    if (!cJSON_IsBool(item))
        return mb_reader_fail(r, err, key, "wants true or false, is %s", type_name(item));
    *out = cJSON_IsTrue(item);
    return 0;
}

int
mb_reader_object(const struct mb_reader *r, const cJSON *object, const char *key, cJSON **out, struct mb_error *err)
{
    cJSON *item = find(object, key);

    if (item == NULL)
        return 0;
    if (!cJSON_IsObject(item))
        return mb_reader_fail(r, err, key, "wants an object, is %s", type_name(item));
    *out = item;
    return 0;
}

int
mb_reader_word(const struct mb_reader *r, const cJSON *object, const char *key, const char *const *words, int *out,
               struct mb_error *err)
{
    const cJSON *item = find(object, key);
    char list[128] = "", shown[MB_PRINTABLE_MAX];
    size_t used = 0;

    if (item == NULL)
        return 0;
    if (!cJSON_IsString(item))
        return mb_reader_fail(r, err, key, "wants a string, is %s", type_name(item));
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], item->valuestring) == 0) {
            *out = i;
            return 0;
        }
        int n = snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", words[i]);
        used += n > 0 && (size_t)n < sizeof list - used ? (size_t)n : 0;
    }
    return mb_reader_fail(r, err, key, "'%s' is none of %s", mb_printable(item->valuestring, shown), list);
}

int
mb_reader_room(void **array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return 0;
    size_t wanted = *cap > 0 ? *cap * 2 : 16;
    void *grown = wanted <= SIZE_MAX / size ? realloc(*array, wanted * size) : NULL;
    if (grown == NULL)
        return -1;
    *array = grown;
    *cap = wanted;
    return 0;
}

int
mb_reader_keep(struct mb_reader *r, cJSON *tree, struct mb_error *err)
{
    struct mb_results_memory *m = r->memory;
    void *array = m->trees;

    if (tree == NULL || mb_reader_room(&array, m->tree_count, &m->tree_cap, sizeof(cJSON *)) != 0) {
        cJSON_Delete(tree);
        return mb_error_set(err, MB_EIO, "%s: out of memory", r->file);
    }
    m->trees = array;
    m->trees[m->tree_count++] = tree;
    return 0;
}
