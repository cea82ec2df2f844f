/*
 * matrix.h: a matrix file, loaded, validated and expanded into cells.
 *
 * Loading reads the one file it is given; everything after that is pure.  Errors carry file, line and key path:
 * `matrix/full.yaml:12: mounts[3].type: unknown kind 'nsf' (did you mean 'nfs'?)`.
 */
#ifndef MB_MATRIX_H
#define MB_MATRIX_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/error.h"
#include "mountbench/workload.h"

enum mb_mount_type {
    MB_MOUNT_LAYER,
    MB_MOUNT_BIND,
    MB_MOUNT_VOLUME,
    MB_MOUNT_NFS,
    MB_MOUNT_TMPFS,
    MB_MOUNT_SYNC,
    MB_MOUNT_PATH,
    MB_MOUNT_HOST,
};

/* mb_mount_type_name(type): "bind". */
const char *mb_mount_type_name(enum mb_mount_type type);

/* One entry of `engines`.  NULL where the file says nothing. */
struct mb_engine_spec {
    char *name;        /* unique; "default" is whatever the docker CLI would use */
    char *context;     /* a docker context */
    char *endpoint;    /* unix://, tcp://, ssh:// */
    char *runtime;     /* "rancher-desktop": a provider starts and configures it */
    cJSON *settings;   /* an object, the provider's to validate */
    char **up, **down; /* argument lists ended by NULL, each one block (runtime: command) */
    uint64_t ready_timeout_ns;
    cJSON *expect; /* what its mounts must turn out to be; see mb_mount_spec.expect */
};

enum mb_pull { MB_PULL_NEVER, MB_PULL_MISSING, MB_PULL_ALWAYS };

enum mb_sync_kind { MB_SYNC_UNISON, MB_SYNC_MUTAGEN, MB_SYNC_COMMAND };

/* mb_sync_kind_name(kind): "unison". */
const char *mb_sync_kind_name(enum mb_sync_kind kind);

/* What keeps the volume of a `sync` mount equal to a host directory.  Lists end with NULL; NULL and 0 where the file says nothing.
 */
struct mb_sync_spec {
    enum mb_sync_kind kind;
    char *image; /* of the container that the tool has at the volume's side */
    enum mb_pull pull;
    char *build;                   /* a directory with a Dockerfile: instead of ${image}, or where the engine does not have it */
    uint64_t ready_timeout_ns;     /* for the first synchronisation */
    char **arguments;              /* unison, mutagen: further ones */
    char *prefer;                  /* unison: whose version wins: "newer", "older", "host", "container" */
    bool watch;                    /* unison: watch for changes, instead of */
    unsigned repeat_seconds;       /* looking that often; 0: the default */
    char *mode;                    /* mutagen: "two-way-safe", "two-way-resolved" */
    char **start, **flush, **stop; /* command */
};

/* One entry of `mounts`. */
struct mb_mount_spec {
    char *name; /* unique */
    enum mb_mount_type type;
    char *consistency;         /* bind: "cached", "delegated", "consistent" or NULL for none given */
    char *device, *options;    /* nfs: as the local driver takes them; volume: its driver options, or NULL */
    char *fstype;              /* nfs: "nfs" or "nfs4"; volume: the local driver's type, or NULL */
    char *path;                /* path: absolute, on the engine's machine; host, bind: a directory instead of --dir, or NULL;
                                  nfs: the directory of the driver's machine that the server exports, or NULL */
    uint64_t size_bytes;       /* tmpfs: its size, 0 for the engine's default */
    struct mb_sync_spec *sync; /* of sync mounts, else NULL */
    cJSON *expect;             /* string or object that the observed mount is held against, or NULL */
    bool isolation_trial;      /* a fresh container a trial */
};

/* A number picked from what a command prints. */
struct mb_metric_spec {
    char *name;
    char *pattern; /* POSIX extended, compiled once to see that it is one, with a single group */
};

#define MB_METRICS_MAX 16

/* What an `exec` workload runs.  Lists end with NULL; NULL where the file says nothing. */
struct mb_exec_spec {
    char *image; /* a reference; NULL with ${build} */
    enum mb_pull pull;
    char *build; /* a directory with a Dockerfile */
    bool network;
    char **command, **setup, **cleanup; /* with `shell`, already as /bin/sh -c TEXT */
    char **environment;                 /* "A=b" */
    char *working_dir;
    struct mb_metric_spec metrics[MB_METRICS_MAX];
    size_t metric_count;
    char *ops, *bytes; /* the metric that is the sample's amount; at most one of them */
};

/* One entry of `workloads`. */
struct mb_workload_spec {
    char *name; /* unique */
    const struct mb_workload *kind;
    uint64_t values[MB_PARAMS_MAX]; /* in the order of kind->params, defaults filled in */
    uint64_t timeout_ns;            /* for one trial; 0: worked out from the footprint */
    uint64_t host_visible_ns;       /* wait at most so long until the host holds what a trial left; 0: don't look */
    struct mb_exec_spec *exec;      /* of `exec`, else NULL */
};

/* mb_workload_measure(workload): what its samples' figure is. */
enum mb_measure mb_workload_measure(const struct mb_workload_spec *workload);

/* mb_workload_unit(workload): of one operation. */
const char *mb_workload_unit(const struct mb_workload_spec *workload);

/* engine x mount x workload, by index into the matrix. */
struct mb_cell_spec {
    size_t engine, mount, workload;
};

struct mb_matrix {
    char *path;      /* the file as found */
    char sha256[65]; /* of the file's bytes, lower-case hexadecimal */
    char *name, *description;
    struct mb_engine_spec *engines;
    size_t engine_count;
    struct mb_mount_spec *mounts;
    size_t mount_count;
    struct mb_workload_spec *workloads;
    size_t workload_count;
    /* In file order: engines, then mounts, then workloads; excluded ones gone, included ones back.  At least one; but an engine,
     * mount or workload may be left without any. */
    struct mb_cell_spec *cells;
    size_t cell_count;
    unsigned rounds, warmup;
    double precision_percent; /* rounds: {precision: 3%, min: 5, max: 50}, rounds is then max; 0 when rounds is a plain number */
    unsigned rounds_min, rounds_max;
    uint64_t max_time_ns; /* 0: none */
    char scale[32];       /* what mb_matrix_scale was asked for, "1/64"; "" for the file's own sizes */
    unsigned passes;      /* over engines that share a machine; 1 unless given */
};

/* What narrows or replaces the axes from the command line: arrays ended by NULL, or NULL.  Globs as of fnmatch(3). */
struct mb_matrix_filter {
    const char *const *engines; /* replace the file's engines: names, contexts, endpoints */
    const char *const *mounts;
    const char *const *workloads;
};

/*
 * mb_matrix_find(name, path, err):
 * Where the matrix ${name} is: itself when it is a path (has a '/' or ends in .yaml, .yml or .json), else NAME.yaml in
 * ./matrix, $XDG_CONFIG_HOME/mountbench (or ~/.config/mountbench), and the installed share directory.  *${path} is the caller's
 * to free.  Where nothing is found the error lists the presets that are.
 */
int mb_matrix_find(const char *name, char **path, struct mb_error *err);

/*
 * mb_matrix_load(path, filter, out, err):
 * Read, validate, expand.  ${filter} may be NULL; a filter that matches nothing is an error that lists the names there are.
 * On success the caller frees *${out} with mb_matrix_free.
 */
int mb_matrix_load(const char *path, const struct mb_matrix_filter *filter, struct mb_matrix **out, struct mb_error *err);
void mb_matrix_free(struct mb_matrix *matrix);

/*
 * mb_matrix_scale(matrix, factor, err):
 * Shrink how much each workload writes and reads in all (its parameters with .scales) by ${factor}, "N/M" with 1 <= N <= M <= 2^20,
 * rounded down to whole blocks and to files of one size.  A block larger than the file that is left becomes that file.  What a
 * workload cannot be shrunk to is an error, and the matrix is then of no use.
 */
int mb_matrix_scale(struct mb_matrix *matrix, const char *factor, struct mb_error *err);

/*
 * mb_matrix_cell_name(matrix, cell): "engine/mount/workload", malloc'd; NULL without memory.  Unique in a matrix: names hold no
 * '/'.
 */
char *mb_matrix_cell_name(const struct mb_matrix *matrix, const struct mb_cell_spec *cell);

#endif
