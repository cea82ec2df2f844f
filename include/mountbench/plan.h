/*
 * plan.h: what a matrix will cost, and in which order it is measured.  Pure.
 */
#ifndef MB_PLAN_H
#define MB_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/error.h"
#include "mountbench/matrix.h"

/*
 * mb_random_next(state): the next 64 bits of SplitMix64 (Steele, Lea, Flood 2014), whose state is the one integer.
 * mb_random_below(state, n): a number from 0 to ${n} - 1, each as likely as the others: draws that would favour some are drawn
 * again. ${n} >= 1.
 */
uint64_t mb_random_next(uint64_t *state);
uint64_t mb_random_below(uint64_t *state, uint64_t n);

/*
 * mb_plan_shuffle(seed, round, n, order):
 * The order of round ${round} of a run with ${seed}: the numbers 0 to ${n} - 1 in ${order}[0..${n}), every order as likely as any
 * other (Fisher and Yates, in Durstenfeld's form of 1964).  It depends on the arguments alone, so that a run that is resumed, or
 * repeated with its recorded seed on any machine, has the same orders.
 */
void mb_plan_shuffle(uint64_t seed, uint64_t round, size_t n, size_t *order);

/* mb_plan_round(warmup, round): the number by which mb_plan_shuffle knows the ${round}-th round, from 0, of either kind. */
uint64_t mb_plan_round(bool warmup, unsigned round);

/* Whose room a mount takes. */
enum mb_plan_place {
    MB_PLACE_ENGINE, /* the disk of the engine's machine */
    MB_PLACE_DRIVER, /* the disk of the machine that the driver runs on */
    MB_PLACE_MEMORY, /* the memory of the engine's machine */
    MB_PLACE_SERVER, /* the file server's disk */
    MB_PLACES,
};

/* mb_plan_place_of(type): where what is written to such a mount goes.  mb_plan_place_name: "on the engine's disk", ... */
enum mb_plan_place mb_plan_place_of(enum mb_mount_type type);
const char *mb_plan_place_name(enum mb_plan_place place);

struct mb_plan_cell {
    uint64_t disk_bytes; /* at most at once, prepared data included */
    uint64_t trial_ns;   /* a guess, see mb_plan_assumptions */
    uint64_t trials;     /* warm-ups and passes included */
};

/* A mount of an engine: what all of its cells together need. */
struct mb_plan_mount {
    size_t cells;        /* 0: nothing to do there */
    uint64_t disk_bytes; /* prepared data of all its workloads, which stay for the whole run, and the largest of the others */
    uint64_t files;
};

struct mb_plan {
    struct mb_plan_cell *cells;   /* in the order of matrix->cells */
    struct mb_plan_mount *mounts; /* mounts[engine * matrix->mount_count + mount] */
    struct mb_plan_engine {
        uint64_t disk_bytes[MB_PLACES]; /* of all its mounts together */
    } * engines;
    uint64_t trials;
    uint64_t time_ns; /* a guess: trials, laying out, starting */
};

/*
 * mb_plan_make(matrix, out, err): work it out for ${matrix} as it stands.  Fails for want of memory alone.  Free with mb_plan_free.
 */
int mb_plan_make(const struct mb_matrix *matrix, struct mb_plan **out, struct mb_error *err);
void mb_plan_free(struct mb_plan *plan);

/* mb_plan_assumptions(): the sentence that says what the guess of the time rests on. */
const char *mb_plan_assumptions(void);

#endif
