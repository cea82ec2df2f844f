/*
 * propagation.h: the workload `propagation`: one side of a mount changes a file, the other looks until it sees that.
 *
 * The driver leads it, with a probe on each side, by the probe's requests `change` and `watch` (probe.h); here is what the two
 * agree on.
 */
#ifndef MB_PROPAGATION_H
#define MB_PROPAGATION_H

#include <stdbool.h>
#include <stdint.h>

/* Its parameters' places in values[]. */
enum mb_propagation_param {
    MB_PROPAGATION_CHANGE,    /* enum mb_change + 1; 0: all kinds in turn */
    MB_PROPAGATION_DIRECTION, /* enum mb_direction */
    MB_PROPAGATION_CHANGES,   /* a direction */
    MB_PROPAGATION_SIZE,
    MB_PROPAGATION_LOOK, /* enum mb_look */
    MB_PROPAGATION_LIMIT,
    MB_PROPAGATION_POLL,
};

/* In this order they need nothing between them: each finds what the one before it left. */
enum mb_change { MB_CHANGE_CREATE, MB_CHANGE_OVERWRITE, MB_CHANGE_APPEND, MB_CHANGE_RENAME, MB_CHANGE_REMOVE, MB_CHANGES };

/* mb_change_names: of enum mb_change, ended by NULL. */
extern const char *const mb_change_names[];

enum mb_direction { MB_DIRECTION_BOTH, MB_DIRECTION_TO_CONTAINER, MB_DIRECTION_TO_HOST };

/* How the reader looks: it opens and reads the file; or it asks for size and time, as what watches files does. */
enum mb_look { MB_LOOK_READ, MB_LOOK_STAT };

/* The most that a file of it can hold, after appending. */
#define MB_PROPAGATION_SIZE_MAX (UINT64_C(1) << 20)
#define MB_PROPAGATION_FILE_MAX (4 * MB_PROPAGATION_SIZE_MAX)

/*
 * What is to be seen under a name: nothing, or a file whose ${size} bytes are the beginning of the pattern of its ${version}.  For
 * those that look by stat alone the version is its modification time too, in whole seconds, since some mounts carry no finer ones.
 */
struct mb_file_state {
    bool present;
    uint64_t version, size;
};

/* The modification time of a version, in seconds. */
#define MB_PROPAGATION_TIME(version) (INT64_C(1000000000) + 2 * (int64_t)(version))

#endif
