/*
 * runner.h: measure a matrix: put every mount in place, run interleaved rounds, keep every sample, take everything down.
 */
#ifndef MB_RUNNER_H
#define MB_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/engine.h"
#include "mountbench/error.h"
#include "mountbench/matrix.h"
#include "mountbench/result.h"

/* What an observer is told; strings live as long as the call. */
enum mb_run_event_type {
    MB_RUN_ENGINE_READY,       /* name: the engine, text: its runtime and version */
    MB_RUN_ENGINE_UNAVAILABLE, /* name: the engine, text: why */
    MB_RUN_WAITING,            /* text: what is being waited for */
    MB_RUN_MOUNT_READY,        /* name: "engine/mount", text: what it was seen to be */
    MB_RUN_MOUNT_UNAVAILABLE,  /* name: "engine/mount", text: why the engine cannot have it */
    MB_RUN_MOUNT_BROKEN,       /* name: "engine/mount", text: what is wrong with it */
    MB_RUN_PREPARING,          /* name: the cell */
    MB_RUN_TRIAL_STARTS,       /* name: the cell */
    MB_RUN_TRIAL_ENDS,         /* name: the cell, cost_ns: all it took, cleaning included, wall_ns: the work alone, 0 unless ok */
    MB_RUN_CLEANING,           /* text: what is being taken down */
    MB_RUN_WARNING,            /* text: a sentence */
};

struct mb_run_event {
    enum mb_run_event_type type;
    const char *name, *text;
    unsigned round, rounds; /* of a trial: this one (from 0) of how many, warm-ups counted apart */
    bool warmup;
    size_t done, total; /* trials of the whole run, warm-ups included */
    uint64_t left_ns;   /* estimate of the time to the end, 0 while unknown */
    uint64_t cost_ns, wall_ns;
};

struct mb_run_observer {
    void (*tell)(void *context, const struct mb_run_event *event);
    void *context;
};

struct mb_run_options {
    const struct mb_matrix *matrix; /* rounds, warmup and so on already as the command line wants them */
    uint64_t seed;                  /* of the order, below 2^53 */
    const char *dir;                /* host directory for binds; NULL: a fresh one under the current directory */
    const char *output;             /* result file to create; with ${resume}, to go on with */
    bool resume;
    uint64_t timeout_ns; /* of one trial, 0: worked out */
    const char *command; /* the command line, for the record */
    struct mb_run_observer observer;
};

/* What came of it. */
struct mb_run_outcome {
    size_t cells_ready, cells_unavailable, cells_failed, samples;
    size_t cells_precise; /* of the ready ones, those that reached the precision asked for */
    bool interrupted;
    bool complete; /* all was measured, even where putting a runtime back then failed */
};

/*
 * mb_run(options, out, err):
 * Measure.  An engine whose runtime is known (provider.h) is started for its part of the run, alone, and all runtimes are put back
 * as they were found.  0 when the run went to its end, even with cells that are unavailable or failed: look at *${out}.  On -1 (no
 * engine answered, the engine went away, interrupted, a runtime could not be put back) what was measured so far is in the file all
 * the same, and everything that could be removed was.
 */
int mb_run(const struct mb_run_options *options, struct mb_run_outcome *out, struct mb_error *err);

/* Room for a run's id. */
#define MB_RUN_ID_MAX 40

/*
 * mb_run_id_new(out): a fresh id that also says which process on which machine it belongs to.
 * mb_run_id_alive(id): whether that process is on this machine and still there.
 */
void mb_run_id_new(char out[MB_RUN_ID_MAX]);
bool mb_run_id_alive(const char *id);

/* What `clean` found. */
struct mb_sweep_report {
    size_t removed, kept, failed;
};

struct mb_sweep_options {
    const char *run;                                  /* what is this run's alone, unless NULL */
    bool all;                                         /* also what belongs to a run that is still going */
    bool dry;                                         /* remove nothing */
    void (*say)(void *context, const char *sentence); /* told a sentence for each thing; may be NULL */
    void *context;
};

/*
 * mb_sweep_engine(engine, options, out, err): remove every labelled container, volume and image of ${engine}.  Adds to *${out}.
 * mb_sweep_directories(dir, options, out, err): the same for the host directories under ${dir} that carry our mark.
 * mb_sweep_tools(options, out): the same for directories of sync tools whose run is gone.
 */
int mb_sweep_engine(struct mb_engine *engine, const struct mb_sweep_options *options, struct mb_sweep_report *out,
                    struct mb_error *err);
void mb_sweep_tools(const struct mb_sweep_options *options, struct mb_sweep_report *out);
int mb_sweep_directories(const char *dir, const struct mb_sweep_options *options, struct mb_sweep_report *out,
                         struct mb_error *err);

#endif
