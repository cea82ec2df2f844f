/* workloads.c: the list. */
#include "probe/workloads.h"

#include <stddef.h>
#include <string.h>

static const struct mb_workload *const list[] = {
    &mb_workload_seq_write,   &mb_workload_seq_read,    &mb_workload_rand_read,   &mb_workload_rand_write, &mb_workload_commit,
    &mb_workload_small_files, &mb_workload_app_request, &mb_workload_propagation, &mb_workload_exec,       NULL,
};

const struct mb_workload *const *
mb_workloads(void)
{
    return list;
}

const struct mb_workload *
mb_workload_find(const char *name)
{
    for (const struct mb_workload *const *w = list; *w != NULL; w++) {
        if (strcmp((*w)->name, name) == 0)
            return *w;
    }
    return NULL;
}

int
mb_check_direct(uint64_t block, uint64_t size, struct mb_error *err)
{
    if (block % 512 != 0)
        return mb_error_set(err, MB_ECONFIG, "with direct the block (%llu bytes) must be a multiple of 512",
                            (unsigned long long)block);
    if (size % block != 0)
        return mb_error_set(err, MB_ECONFIG, "with direct each file (%llu bytes) must be a multiple of the block (%llu bytes)",
                            (unsigned long long)size, (unsigned long long)block);
    return 0;
}
