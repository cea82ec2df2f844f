/*
 * propagation_trial.h: a trial of propagation while it goes on; private to propagation*.c.
 */
#ifndef MB_RUNNER_PROPAGATION_TRIAL_H
#define MB_RUNNER_PROPAGATION_TRIAL_H

#include "mountbench/propagation.h"
#include "runner/session.h"

enum { MB_WAY_TO_CONTAINER, MB_WAY_TO_HOST, MB_WAYS };

/* What goes from one side to the other. */
struct mb_way {
    struct mb_channel *writer, *reader;
    char *writer_dir, *reader_dir; /* the writer's own directory as each sees it */
    struct mb_file_state file;     /* the one file there is, if it is present */
    char name[48];
    double *times_ns, *floors_ns; /* of its changes; of the same question with nothing to wait for */
    size_t count, floor_count;
    uint64_t lost, wrong; /* of its changes */
    bool wanted;
};

struct mb_propagation {
    struct mb_session *session;
    struct mb_run_cell *cell;
    const uint64_t *values;
    const struct mb_job_spec *job;
    struct mb_way ways[MB_WAYS];
    uint64_t version, number;
    uint64_t deadline_ns;
    const struct mb_channel *asked; /* the last one; whose trouble an error is */
    char trouble[512];              /* the first change that was lost or wrong */
};

/*
 * mb_propagation_make_changes(t, err): all changes of the trial, the ways in turn.  -1 where a probe could not do its part
 * (MB_EIO), is in trouble itself (t->asked), or the trial's time is up. mb_propagation_remove_files(t): what a trial leaves goes
 * with it, as far as it goes.
 */
int mb_propagation_make_changes(struct mb_propagation *t, struct mb_error *err);
void mb_propagation_remove_files(struct mb_propagation *t);

#endif
