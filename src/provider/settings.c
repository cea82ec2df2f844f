/* settings.c: a matrix's settings held against those that a runtime has. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mountbench/parse.h"
#include "provider/internal.h"

/* Names at the most, of settings and choices. */
#define NAMES_MAX 32

const char *const mb_setting_truths[] = {"true", "false", NULL};

static const char *
value_text(const cJSON *item, char out[MB_SETTING_TEXT_MAX])
{
    if (cJSON_IsString(item) && strlen(item->valuestring) < MB_SETTING_TEXT_MAX)
        snprintf(out, MB_SETTING_TEXT_MAX, "%s", item->valuestring);
    else if (cJSON_IsBool(item))
        snprintf(out, MB_SETTING_TEXT_MAX, "%s", cJSON_IsTrue(item) ? "true" : "false");
    else if (cJSON_IsNumber(item) && isfinite(item->valuedouble))
        snprintf(out, MB_SETTING_TEXT_MAX, "%.15g", item->valuedouble);
    else
        return NULL;
    return out;
}

const char *
mb_setting_text(const struct mb_engine_spec *spec, const char *name, char out[MB_SETTING_TEXT_MAX])
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(spec->settings, name);

    return item != NULL ? value_text(item, out) : NULL;
}

size_t
mb_settings_given(const struct mb_engine_spec *spec)
{
    int n = cJSON_GetArraySize(spec->settings);

    return n > 0 ? (size_t)n : 0;
}

void
mb_settings_print(const struct mb_engine_spec *spec, struct mb_buffer *out)
{
    const cJSON *item;
    char text[MB_SETTING_TEXT_MAX];
    size_t n = 0;

    cJSON_ArrayForEach(item, spec->settings)
    {
        const char *value = value_text(item, text);
        mb_buffer_printf(out, "%s%s %s", n++ > 0 ? ", " : "", item->string, value != NULL ? value : "?");
    }
}

/* "vm_type (qemu, vz), cpus (1 to 64)" */
static void
list_settings(const struct mb_provider *provider, struct mb_buffer *out)
{
    for (const struct mb_setting *s = provider->settings; s != NULL && s->name != NULL; s++) {
        mb_buffer_printf(out, "%s%s", s == provider->settings ? "" : ", ", s->name);
        if (s->choices != NULL) {
            for (size_t i = 0; s->choices[i] != NULL; i++)
                mb_buffer_printf(out, "%s%s", i == 0 ? " (" : "|", s->choices[i]);
            mb_buffer_putc(out, ')');
        } else if (s->max > 0) {
            mb_buffer_printf(out, " (%" PRIu64 " to %" PRIu64 ")", s->min, s->max);
        }
    }
}

static int
unknown_setting(const struct mb_provider *provider, const char *name, struct mb_error *err)
{
    const char *names[NAMES_MAX + 1] = {NULL};
    MB_AUTO_BUFFER list = MB_BUFFER_INIT(1024);
    char shown[MB_PRINTABLE_MAX];
    size_t n = 0;

    if (provider->settings == NULL)
        return mb_error_set(err, MB_ECONFIG, "settings.%s: %s has no settings that can be made here", mb_printable(name, shown),
                            provider->title);
    for (const struct mb_setting *s = provider->settings; s->name != NULL && n < NAMES_MAX; s++)
        names[n++] = s->name;
    const char *near = mb_nearest(name, names);
    list_settings(provider, &list);
    return mb_error_set(err, MB_ECONFIG, "settings.%s: %s has no such setting%s%s%s; it has: %s", mb_printable(name, shown),
                        provider->title, near != NULL ? " (did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?)" : "", mb_buffer_text(&list));
}

static int
check_value(const struct mb_setting *s, const char *text, struct mb_error *err)
{
    MB_AUTO_BUFFER list = MB_BUFFER_INIT(512);
    char shown[MB_PRINTABLE_MAX];
    uint64_t number;

    if (s->choices == NULL && s->max > 0)
        return mb_parse_u64(text, s->min, s->max, &number, err) == 0 ? 0 : mb_error_prefix(err, "settings.%s", s->name);
    if (s->choices == NULL)
        return *text != '\0' && *text != '-' ? 0 : mb_error_set(err, MB_ECONFIG, "settings.%s: '%s' is no name", s->name, text);
    for (size_t i = 0; s->choices[i] != NULL; i++) {
        if (strcmp(s->choices[i], text) == 0)
            return 0;
        mb_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", s->choices[i]);
    }
    const char *near = mb_nearest(text, s->choices);
    return mb_error_set(err, MB_ECONFIG, "settings.%s: '%s' is none of its values%s%s%s; it takes: %s", s->name,
                        mb_printable(text, shown), near != NULL ? " (did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?)" : "", mb_buffer_text(&list));
}

static int
check_one(const struct mb_provider *provider, const cJSON *item, struct mb_error *err)
{
    char text[MB_SETTING_TEXT_MAX];
    const struct mb_setting *s = provider->settings;

    while (s != NULL && s->name != NULL && strcmp(s->name, item->string) != 0)
        s++;
    if (s == NULL || s->name == NULL)
        return unknown_setting(provider, item->string, err);
    if (value_text(item, text) == NULL)
        return mb_error_set(err, MB_ECONFIG, "settings.%s: is no word, number or truth value", s->name);
    if (check_value(s, text, err) != 0) {
        err->code = MB_ECONFIG;
        return -1;
    }
    return 0;
}

int
mb_provider_check(const struct mb_engine_spec *spec, struct mb_error *err)
{
    const struct mb_provider *provider = mb_provider_find(spec->runtime);
    struct mb_error step = {0};
    const cJSON *item;

    if (provider == NULL && mb_settings_given(spec) > 0)
        return mb_error_set(err, MB_ECONFIG,
                            "engine '%s': runtime '%s' has no settings that can be made here; 'runtime: command' with 'up' and "
                            "'down' runs any program that makes them",
                            spec->name, spec->runtime != NULL ? spec->runtime : "");
    if (provider == NULL)
        return 0;
    cJSON_ArrayForEach(item, spec->settings)
    {
        if (check_one(provider, item, &step) != 0)
            return mb_error_set(err, MB_ECONFIG, "engine '%s': %s", spec->name, step.message);
    }
    return 0;
}
