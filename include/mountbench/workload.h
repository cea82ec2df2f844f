/*
 * workload.h: the kinds of work the probe can do, as rows of a table.
 *
 * The same rows serve the probe (which runs them), the matrix loader (which validates a workload's keys against them), the
 * runner (which estimates and labels them) and --help-workloads.  Implemented in src/probe/, on libc alone; linked into the
 * driver too, for the `host` mount.
 */
#ifndef MB_WORKLOAD_H
#define MB_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/error.h"

enum mb_param_type {
    MB_PARAM_SIZE,     /* bytes, written as mb_parse_size takes it */
    MB_PARAM_COUNT,    /* a plain number */
    MB_PARAM_DURATION, /* nanoseconds, written as mb_parse_duration takes it */
    MB_PARAM_CHOICE,   /* one of ${choices}; the value is its index */
    MB_PARAM_BOOL,     /* true or false; 1 or 0 */
};

/* One key of a workload in a matrix file. */
struct mb_param {
    const char *name; /* "block" */
    enum mb_param_type type;
    const char *fallback;       /* the default, as a person would write it; NULL: the key is required */
    uint64_t min, max;          /* of SIZE, COUNT and DURATION values, in bytes, units, nanoseconds */
    const char *const *choices; /* of CHOICE, ended by NULL */
    const char *help;           /* one line for --help-workloads */
    bool scales;                /* of SIZE: how much there is in all, which --scale shrinks */
};

/* A key whose value is text, a list or a map: loaded by the matrix in its own way (src/matrix/exec_spec.c). */
struct mb_text_param {
    const char *name;
    const char *help; /* one line for --help-workloads */
    bool sent;        /* a key of the probe's requests too, as a list: probe.h */
};

/* At most this many parameters a workload. */
#define MB_PARAMS_MAX 16

/* What a sample's figure is: how much of what for how long. */
enum mb_measure {
    MB_MEASURE_BYTES_PER_SECOND, /* sample.bytes over sample.wall_ns */
    MB_MEASURE_OPS_PER_SECOND,   /* sample.ops over sample.wall_ns */
    MB_MEASURE_SECONDS,          /* sample.wall_ns */
};

/* What a workload will need, for `plan`, the free-space check and the time limit. */
struct mb_footprint {
    uint64_t disk_bytes; /* most that lies on the mount at once, prepared data included; 0 where nobody knows */
    uint64_t files;      /* most inodes at once */
    uint64_t io_bytes;   /* moved in one trial */
    uint64_t ops;        /* system calls or operations in one trial, roughly */
};

struct mb_job;
struct mb_leavings;

struct mb_workload {
    const char *name;  /* "seq-write": the `type` in a matrix file */
    const char *does;  /* for --help-workloads: what it does, a paragraph */
    const char *hides; /* for --help-workloads: what it does not show, a paragraph */
    enum mb_measure measure;
    const char *unit;                  /* of one op: "commit", "request", "file", "op" */
    const struct mb_param *params;     /* ended by a row whose name is NULL; in the order of values[] */
    const struct mb_text_param *texts; /* further keys, ended by a row whose name is NULL; NULL: none */
    bool both_sides;                   /* the driver leads it, with a probe on each side of the mount: propagation.h */
    bool needs_prepare;                /* has data to lay out once before the first trial */

    /*
     * validate(values, err): rules between parameters ("span is not a multiple of block").  May be NULL.
     * footprint(values, out): what it will need.
     */
    int (*validate)(const uint64_t values[MB_PARAMS_MAX], struct mb_error *err);
    void (*footprint)(const uint64_t values[MB_PARAMS_MAX], struct mb_footprint *out);

    /* What the probe calls; the context is private to src/probe/ (src/probe/job.h).  prepare may be NULL. */
    int (*prepare)(struct mb_job *job, struct mb_error *err);
    int (*run)(struct mb_job *job, struct mb_error *err);

    /*
     * leaves(job, out, err): the files that run leaves in its directory, until that is removed (src/probe/await.h), so that the
     * other side of the mount can be asked for them.  NULL: none.
     */
    int (*leaves)(struct mb_job *job, struct mb_leavings *out, struct mb_error *err);
};

/* mb_workloads(): every workload, ended by NULL, in the order help shows them. */
const struct mb_workload *const *mb_workloads(void);

/* mb_workload_find(name): the row, or NULL. */
const struct mb_workload *mb_workload_find(const char *name);

/*
 * mb_param_parse(param, text, out, err):
 * The value of ${param} written as ${text}, type and range checked; the message names neither place nor key.
 * mb_param_print(param, value, text, size): the inverse, in the probe protocol's form: bytes and counts as decimal
 * integers, durations with their unit ("1500ns"), choices by name, booleans as true or false.
 */
int mb_param_parse(const struct mb_param *param, const char *text, uint64_t *out, struct mb_error *err);
void mb_param_print(const struct mb_param *param, uint64_t value, char *text, size_t size);

#endif
