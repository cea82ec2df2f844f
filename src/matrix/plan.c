/*
 * plan.c: order, room and time of a matrix.
 *
 * The order: cells of a round run in an order drawn anew for each round, so that whatever drifts while a run goes on (a disk
 * that fills, a machine that warms up) falls on all cells alike.  The generator is small, its output the same on every machine,
 * and good enough by far for shuffling (SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014).
 *
 * The time: nobody can know how fast a mount is before it is measured.  The guess takes one speed for all, and says so.
 */
#include "mountbench/plan.h"

#include <stdlib.h>
#include <string.h>

/* The speeds that mb_plan_assumptions states. */
#define BYTES_PER_SECOND UINT64_C(250000000)
#define OPERATION_NS UINT64_C(10000)
#define TRIAL_NS UINT64_C(2000000)
#define MOUNT_NS UINT64_C(1000000000)

#define GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15)

const char *
mb_plan_assumptions(void)
{
    return "250 MB/s, 10 us an operation, 1 s to start a mount; waiting for a disk or a slow mount comes on top";
}

static uint64_t
mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t
mb_random_next(uint64_t *state)
{
    *state += GOLDEN_GAMMA;
    return mix(*state);
}

uint64_t
mb_random_below(uint64_t *state, uint64_t n)
{
    /* 2^64 modulo n: as many of the lowest draws are left over when the rest is dealt out evenly. */
    uint64_t left_over = (0 - n) % n;
    uint64_t draw;

    do {
        draw = mb_random_next(state);
    } while (draw < left_over);
    return draw % n;
}

void
mb_plan_shuffle(uint64_t seed, uint64_t round, size_t n, size_t *order)
{
    /* Mixed, so that the streams of neighbouring seeds and rounds do not overlap by a few steps. */
    uint64_t state = mix(mix(seed + GOLDEN_GAMMA) + round);

    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)mb_random_below(&state, i);
        size_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

uint64_t
mb_plan_round(bool warmup, unsigned round)
{
    return warmup ? UINT32_MAX - round : round;
}

enum mb_plan_place
mb_plan_place_of(enum mb_mount_type type)
{
    switch (type) {
    case MB_MOUNT_BIND:
    case MB_MOUNT_HOST:
        return MB_PLACE_DRIVER;
    case MB_MOUNT_TMPFS:
        return MB_PLACE_MEMORY;
    case MB_MOUNT_NFS:
        return MB_PLACE_SERVER;
    default:
        return MB_PLACE_ENGINE;
    }
}

const char *
mb_plan_place_name(enum mb_plan_place place)
{
    static const char *const names[] = {"on the engine's disk", "on this machine's disk", "in the engine's memory",
                                        "on the file server's disk"};

    return names[place];
}

/* The time that a workload is told to take, 0 when it is told an amount. */
static uint64_t
fixed_time(const struct mb_workload_spec *w)
{
    for (size_t i = 0; w->kind->params[i].name != NULL; i++)
        if (w->kind->params[i].type == MB_PARAM_DURATION && strcmp(w->kind->params[i].name, "time") == 0)
            return w->values[i];
    return 0;
}

static uint64_t
bytes_ns(uint64_t bytes)
{
    return bytes * (UINT64_C(1000000000) / BYTES_PER_SECOND);
}

static uint64_t
guess_trial_ns(const struct mb_workload_spec *w, const struct mb_footprint *f)
{
    uint64_t fixed = fixed_time(w);

    return TRIAL_NS + (fixed > 0 ? fixed : bytes_ns(f->io_bytes) + f->ops * OPERATION_NS);
}

static struct mb_plan *
allocate(const struct mb_matrix *m)
{
    struct mb_plan *plan = calloc(1, sizeof *plan);

    if (plan == NULL)
        return NULL;
    plan->cells = calloc(m->cell_count + 1, sizeof *plan->cells);
    plan->mounts = calloc(m->engine_count * m->mount_count + 1, sizeof *plan->mounts);
    plan->engines = calloc(m->engine_count + 1, sizeof *plan->engines);
    if (plan->cells == NULL || plan->mounts == NULL || plan->engines == NULL) {
        mb_plan_free(plan);
        return NULL;
    }
    return plan;
}

/* Room of the mounts: what is laid out stays, what a trial makes it removes, one trial at a time. */
static void
add_room(const struct mb_matrix *m, struct mb_plan *plan, const struct mb_footprint *footprints, uint64_t *largest)
{
    for (size_t i = 0; i < m->cell_count; i++) {
        const struct mb_cell_spec *c = &m->cells[i];
        size_t index = c->engine * m->mount_count + c->mount;
        struct mb_plan_mount *mount = &plan->mounts[index];
        const struct mb_footprint *f = &footprints[c->workload];
        mount->cells++;
        mount->files += f->files;
        if (m->workloads[c->workload].kind->needs_prepare)
            mount->disk_bytes += f->disk_bytes;
        else if (f->disk_bytes > largest[index])
            largest[index] = f->disk_bytes;
    }
    for (size_t i = 0; i < m->engine_count * m->mount_count; i++) {
        size_t mount = i % m->mount_count;
        plan->mounts[i].disk_bytes += largest[i];
        plan->engines[i / m->mount_count].disk_bytes[mb_plan_place_of(m->mounts[mount].type)] += plan->mounts[i].disk_bytes;
        /* The host's directory of a sync mount holds the same bytes again. */
        if (m->mounts[mount].type == MB_MOUNT_SYNC)
            plan->engines[i / m->mount_count].disk_bytes[MB_PLACE_DRIVER] += plan->mounts[i].disk_bytes;
        if (plan->mounts[i].cells > 0)
            plan->time_ns += MOUNT_NS * m->passes;
    }
}

static void
add_trials(const struct mb_matrix *m, struct mb_plan *plan, const struct mb_footprint *footprints)
{
    /* The rounds are dealt out to the passes; every pass warms up. */
    uint64_t trials = (uint64_t)m->rounds + (uint64_t)m->warmup * m->passes;

    for (size_t i = 0; i < m->cell_count; i++) {
        const struct mb_workload_spec *w = &m->workloads[m->cells[i].workload];
        const struct mb_footprint *f = &footprints[m->cells[i].workload];
        plan->cells[i] = (struct mb_plan_cell){
            .disk_bytes = f->disk_bytes,
            .trial_ns = guess_trial_ns(w, f),
            .trials = trials,
        };
        plan->trials += trials;
        plan->time_ns += trials * plan->cells[i].trial_ns;
        if (w->kind->needs_prepare)
            plan->time_ns += bytes_ns(f->disk_bytes) * m->passes;
    }
}

int
mb_plan_make(const struct mb_matrix *matrix, struct mb_plan **out, struct mb_error *err)
{
    struct mb_plan *plan = allocate(matrix);
    struct mb_footprint *footprints = calloc(matrix->workload_count + 1, sizeof *footprints);
    uint64_t *largest = calloc(matrix->engine_count * matrix->mount_count + 1, sizeof *largest);

    *out = NULL;
    if (plan == NULL || footprints == NULL || largest == NULL) {
        mb_plan_free(plan);
        free(footprints);
        free(largest);
        return mb_error_set(err, MB_EIO, "out of memory");
    }
    for (size_t i = 0; i < matrix->workload_count; i++)
        matrix->workloads[i].kind->footprint(matrix->workloads[i].values, &footprints[i]);
    add_trials(matrix, plan, footprints);
    add_room(matrix, plan, footprints, largest);
    free(footprints);
    free(largest);
    *out = plan;
    return 0;
}

void
mb_plan_free(struct mb_plan *plan)
{
    if (plan == NULL)
        return;
    free(plan->cells);
    free(plan->mounts);
    free(plan->engines);
    free(plan);
}
