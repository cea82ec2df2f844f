/* workloads.h: the rows, one a file, and what several of them say alike. */
#ifndef MB_PROBE_WORKLOADS_H
#define MB_PROBE_WORKLOADS_H

#include "mountbench/workload.h"

extern const struct mb_workload mb_workload_seq_write;
extern const struct mb_workload mb_workload_seq_read;
extern const struct mb_workload mb_workload_rand_read;
extern const struct mb_workload mb_workload_rand_write;
extern const struct mb_workload mb_workload_commit;
extern const struct mb_workload mb_workload_small_files;
extern const struct mb_workload mb_workload_app_request;
extern const struct mb_workload mb_workload_propagation;
extern const struct mb_workload mb_workload_exec;

/* Sizes that all workloads keep to: what a buffer may take, what a person can mean. */
#define MB_BLOCK_MAX (UINT64_C(128) << 20)
#define MB_TOTAL_MAX (UINT64_C(1) << 40)

/* What writing does about what it wrote.  The order is that of enum mb_sync. */
#define MB_SYNC_CHOICES                                                                                                            \
    {                                                                                                                              \
        "none", "fdatasync", "fsync", "dsync", NULL                                                                                \
    }
enum mb_sync { MB_SYNC_NONE, MB_SYNC_FDATASYNC, MB_SYNC_FSYNC, MB_SYNC_DSYNC };

/* Where the file to read lies before a trial.  The order is that of enum mb_cache. */
#define MB_CACHE_CHOICES                                                                                                           \
    {                                                                                                                              \
        "warm", "cold", NULL                                                                                                       \
    }
enum mb_cache { MB_CACHE_WARM, MB_CACHE_COLD };

/* mb_check_direct(block, size, err): whether O_DIRECT can work with ${block} on a file of ${size} bytes: sectors of 512 bytes. */
int mb_check_direct(uint64_t block, uint64_t size, struct mb_error *err);

#endif
