/*
 * session.h: what a run holds while it is going on.  Private to src/runner/.
 */
#ifndef MB_RUNNER_SESSION_H
#define MB_RUNNER_SESSION_H

#include "mountbench/provider.h"
#include "mountbench/runner.h"
#include "runner/record.h"
#include "runner/station.h"
#include "runner/workdir.h"

/* An image of `exec` workloads, or of a sync tool, on one engine. */
struct mb_run_image {
    char *id;     /* NULL until it is there */
    char *reason; /* why it cannot be had */
    bool built;   /* by us: it goes with the run */
};

/* One engine of the matrix. */
struct mb_run_engine {
    const struct mb_engine_spec *spec;
    struct mb_engine *engine; /* NULL until open, and where it cannot be opened */
    char *image;
    struct mb_run_image *images;      /* as many as the session counts; 0 is unused */
    struct mb_run_image *sync_images; /* as many as the matrix has mounts */
    char *reason;                     /* why it cannot be had; NULL when it can */
    enum mb_error_code failure;
    bool wanted;  /* a cell of it needs the engine itself */
    bool managed; /* its runtime is started and stopped for the run */
    bool up;      /* it is, and by us */
    bool current; /* takes part in the stage that is going on */
};

/* One cell of the matrix. */
struct mb_run_cell {
    const struct mb_cell_spec *spec;
    struct mb_station *station;
    char *name, *dir;
    struct mb_footprint footprint;
    uint64_t timeout_ns;
    bool active;              /* takes part in the rounds */
    bool failed;              /* a trial or the preparation failed */
    bool recorded;            /* its record is written */
    bool available;           /* and says that the engine has it */
    bool host_said;           /* so is what the host's side had not */
    bool host_made;           /* the host's own directory of it is there: propagation.c */
    unsigned bad;             /* trials that ran out of time, one after the other */
    unsigned kept;            /* timed samples that are ok */
    uint64_t cost_ns, trials; /* sum over its trials so far, for the time left */
    uint64_t last_wall_ns;    /* of its last trial, 0 unless ok */
    double *figures;          /* of its timed trials, NaN for those that failed; for `precision` alone */
    size_t figure_count;
    bool enough;    /* its interval is as narrow as was asked */
    double reached; /* relative half width of its interval, NaN when there is none */
    bool *done;     /* by round: measured before, when resuming; NULL otherwise */
};

struct mb_session {
    const struct mb_run_options *options;
    const struct mb_matrix *matrix;
    char id[MB_RUN_ID_MAX];
    uint64_t seed;
    uint64_t started_ns;
    struct mb_result_writer *writer;
    struct mb_workdir workdir;
    struct mb_providers *providers;
    struct mb_provider_watch watch;
    unsigned pass, passes;
    struct mb_run_engine *engines; /* as many as the matrix has */
    size_t image_count;            /* the probe's own and those of `exec` workloads: exec.h */
    struct mb_station *stations;   /* engine x mount x image */
    size_t station_count;
    struct mb_run_cell *cells; /* as many as the matrix has */
    size_t done, total;        /* trials */
    uint64_t job_id;
    struct mb_run_outcome *outcome;
};

/* mb_session_tell(s, event): to the observer, with done, total and the time left filled in. */
void mb_session_tell(const struct mb_session *s, struct mb_run_event *event);
void mb_session_say(const struct mb_session *s, enum mb_run_event_type type, const char *name, const char *text);

/* mb_session_write(s, record, err): append and delete ${record}. */
int mb_session_write(struct mb_session *s, cJSON *record, struct mb_error *err);

/*
 * mb_session_open_engine(s, e, word, err): connect to ${e}, at ${word} unless NULL, and bring the probe's image to it.
 * mb_session_begin_stage(s, err): cells and stations of the current engines, the run's directory and file if they are not there
 * yet. mb_session_close_stage(s): take down all that is up, as far as it goes; what fails is told.
 */
int mb_session_open_engine(struct mb_session *s, struct mb_run_engine *e, const char *word, struct mb_error *err);
int mb_session_begin_stage(struct mb_session *s, struct mb_error *err);
void mb_session_close_stage(struct mb_session *s);

/*
 * The steps of a run, each in its own file.  All return -1 for what ends the run alone.
 * mb_passes: all stages, as often as there are passes.
 * mb_stage_open: the mounts of the engines that are open; what they are and that there is room; cell records; preparation.
 * mb_stage_rounds: the trials of rounds [from, to) and before them the warm-ups.
 * mb_stage_close: clean and remove, as far as it goes.
 * mb_resume: what the file of an interrupted run already has.
 */
int mb_passes(struct mb_session *s, struct mb_error *err);
int mb_stage_open(struct mb_session *s, struct mb_error *err);
int mb_stage_rounds(struct mb_session *s, unsigned from, unsigned to, struct mb_error *err);
int mb_stage_close(struct mb_session *s, struct mb_error *err);
int mb_resume(struct mb_session *s, struct mb_error *err);

/*
 * `rounds: {precision, min, max}`:
 * mb_precision_add(s, cell, sample, err): take a timed trial into account and decide whether the cell needs more.  A no-op without
 * a precision. mb_precision_record(s, err): a check record a cell: what was asked, what was reached.
 */
int mb_precision_add(struct mb_session *s, struct mb_run_cell *cell, const struct mb_sample *sample, struct mb_error *err);
int mb_precision_record(struct mb_session *s, struct mb_error *err);

/* mb_cell_prepare(s, cell, err): lay out the cell's data; a failure is recorded and the cell taken out. */
int mb_cell_prepare(struct mb_session *s, struct mb_run_cell *cell, struct mb_error *err);

/*
 * mb_cell_ok(answer): whether the probe says that all went well.
 * mb_cell_unsupported(answer): whether the probe says that the mount cannot do this at all (O_DIRECT, say).
 * mb_cell_unavailable(s, cell, reason, err): take the cell out, since its mount cannot have it, or is broken.
 * mb_cell_refuse(s, cell, answer, err): take the cell out for what ${answer} says; unavailable when unsupported, failed else.
 */
bool mb_cell_ok(const cJSON *answer);
bool mb_cell_unsupported(const cJSON *answer);
int mb_cell_unavailable(struct mb_session *s, struct mb_run_cell *cell, const char *reason, struct mb_error *err);
int mb_cell_refuse(struct mb_session *s, struct mb_run_cell *cell, const cJSON *answer, struct mb_error *err);

#endif
