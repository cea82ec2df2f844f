/* scale.c: the same matrix on a smaller machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/matrix.h"
#include "mountbench/parse.h"

#define PART_MAX (UINT64_C(1) << 20)

/* "N/M", each a whole number. */
static int
parse_factor(const char *factor, uint64_t *n, uint64_t *m, struct mb_error *err)
{
    char first[32];
    const char *slash = strchr(factor, '/');
    size_t length = slash != NULL ? (size_t)(slash - factor) : 0;

    snprintf(first, sizeof first, "%.*s", (int)(length < sizeof first ? length : 0), factor);
    if (slash == NULL || mb_parse_u64(first, 1, PART_MAX, n, NULL) != 0 || mb_parse_u64(slash + 1, 1, PART_MAX, m, NULL) != 0 ||
        *n > *m)
        return mb_error_set(err, MB_EUSAGE, "--scale: '%.64s' is no factor of at most one, written as 1/64", factor);
    return 0;
}

/* The value of the parameter called ${name}, or NULL when the workload has none. */
static uint64_t *
value_of(struct mb_workload_spec *workload, const char *name)
{
    for (size_t i = 0; workload->kind->params[i].name != NULL; i++) {
        if (strcmp(workload->kind->params[i].name, name) == 0)
            return &workload->values[i];
    }
    return NULL;
}

static void
scale_value(struct mb_workload_spec *workload, size_t i, uint64_t n, uint64_t m)
{
    uint64_t *block = value_of(workload, "block");
    const uint64_t *count = value_of(workload, "files");
    uint64_t files = count != NULL ? *count : 1;
    uint64_t whole = workload->values[i];
    uint64_t scaled = whole / m * n + whole % m * n / m;
    uint64_t unit = files * (block != NULL ? *block : 1);

    /* What was made of whole blocks stays so, as long as there is one for each file. */
    if (whole % unit != 0 || scaled < unit)
        unit = files;
    scaled -= scaled % unit;
    if (scaled < unit)
        scaled = unit;
    if (scaled < workload->kind->params[i].min)
        scaled = workload->kind->params[i].min;
    workload->values[i] = scaled;
    if (block != NULL && *block > scaled / files)
        *block = scaled / files;
}

int
mb_matrix_scale(struct mb_matrix *matrix, const char *factor, struct mb_error *err)
{
    uint64_t n = 1, m = 1;

    if (parse_factor(factor, &n, &m, err) != 0)
        return -1;
    for (size_t w = 0; w < matrix->workload_count; w++) {
        struct mb_workload_spec *workload = &matrix->workloads[w];
        for (size_t i = 0; workload->kind->params[i].name != NULL; i++) {
            if (workload->kind->params[i].scales)
                scale_value(workload, i, n, m);
        }
        if (workload->kind->validate != NULL && workload->kind->validate(workload->values, err) != 0)
            return mb_error_prefix(err, "--scale %s: workload '%s'", factor, workload->name);
    }
    snprintf(matrix->scale, sizeof matrix->scale, "%s", factor);
    return 0;
}
