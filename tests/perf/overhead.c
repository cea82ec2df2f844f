/*
 * overhead.c: what a trial costs beside its own work: `overhead MATRIX OUTPUT` runs ${MATRIX} on the default engine and prints the
 * median over its timed trials of (all that the trial took, as the driver sees it) less (the work, as the probe timed it), in
 * microseconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mountbench/matrix.h"
#include "mountbench/runner.h"

#define MOST 100000

struct costs {
    double us[MOST];
    size_t n;
};

static void
tell(void *context, const struct mb_run_event *e)
{
    struct costs *c = context;

    if (e->type == MB_RUN_TRIAL_ENDS && !e->warmup && e->wall_ns > 0 && c->n < MOST)
        c->us[c->n++] = (double)(e->cost_ns - e->wall_ns) / 1e3;
}

static int
by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
    static struct costs costs;
    struct mb_error err = {0};
    struct mb_run_outcome outcome;
    struct mb_matrix *m;

    if (argc != 3) {
        fputs("usage: overhead MATRIX OUTPUT\n", stderr);
        return 2;
    }
    if (mb_matrix_load(argv[1], NULL, &m, &err) != 0) {
        fprintf(stderr, "%s\n", err.message);
        return 2;
    }
    const struct mb_run_options options = {.matrix = m, .seed = 1, .output = argv[2], .observer = {tell, &costs}};
    int rc = mb_run(&options, &outcome, &err);
    mb_matrix_free(m);
    if (rc != 0 || costs.n == 0) {
        fprintf(stderr, "%s\n", rc != 0 ? err.message : "no trial went well");
        return 1;
    }
    qsort(costs.us, costs.n, sizeof costs.us[0], by_value);
    printf("%.1f\n", costs.us[costs.n / 2]);
    return 0;
}
