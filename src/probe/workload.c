/* workload.c: the values of workloads' parameters, from people's words and back. */
#include "mountbench/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mountbench/parse.h"

static void
format_bound(const struct mb_param *param, uint64_t value, char out[MB_FORMAT_MAX])
{
    if (param->type == MB_PARAM_SIZE)
        mb_format_size(value, out);
    else if (param->type == MB_PARAM_DURATION)
        mb_format_duration((double)value, out);
    else
        snprintf(out, MB_FORMAT_MAX, "%" PRIu64, value);
}

static int
check_range(const struct mb_param *param, const char *text, uint64_t value, struct mb_error *err)
{
    char min[MB_FORMAT_MAX], max[MB_FORMAT_MAX];

    if (value >= param->min && value <= param->max)
        return 0;
    format_bound(param, param->min, min);
    format_bound(param, param->max, max);
    return mb_error_set(err, MB_ECONFIG, "'%.100s' is not between %s and %s", text, min, max);
}

static int
parse_choice(const char *text, const char *const *choices, uint64_t *out, struct mb_error *err)
{
    char list[256] = "";
    size_t used = 0;

    for (uint64_t i = 0; choices[i] != NULL; i++) {
        if (strcmp(choices[i], text) == 0) {
            *out = i;
            return 0;
        }
        int n = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", choices[i]);
        if (n > 0 && (size_t)n < sizeof list - used)
            used += (size_t)n;
    }
    const char *near = mb_nearest(text, choices);
    if (near != NULL)
        return mb_error_set(err, MB_ECONFIG, "unknown value '%.100s' (did you mean '%s'?)", text, near);
    return mb_error_set(err, MB_ECONFIG, "unknown value '%.100s': it is one of %s", text, list);
}

int
mb_param_parse(const struct mb_param *param, const char *text, uint64_t *out, struct mb_error *err)
{
    static const char *const booleans[] = {"false", "true", NULL};

    switch (param->type) {
    case MB_PARAM_SIZE:
        return mb_parse_size(text, out, err) != 0 ? -1 : check_range(param, text, *out, err);
    case MB_PARAM_COUNT:
        return mb_parse_u64(text, 0, UINT64_MAX, out, err) != 0 ? -1 : check_range(param, text, *out, err);
    case MB_PARAM_DURATION:
        return mb_parse_duration(text, out, err) != 0 ? -1 : check_range(param, text, *out, err);
    case MB_PARAM_CHOICE:
        return parse_choice(text, param->choices, out, err);
    case MB_PARAM_BOOL:
        return parse_choice(text, booleans, out, err);
    }
    return mb_error_set(err, MB_ECONFIG, "a parameter of no known type");
}

void
mb_param_print(const struct mb_param *param, uint64_t value, char *text, size_t size)
{
    if (param->type == MB_PARAM_CHOICE)
        snprintf(text, size, "%s", param->choices[value]);
    else if (param->type == MB_PARAM_BOOL)
        snprintf(text, size, "%s", value ? "true" : "false");
    else
        snprintf(text, size, "%" PRIu64 "%s", value, param->type == MB_PARAM_DURATION ? "ns" : "");
}
