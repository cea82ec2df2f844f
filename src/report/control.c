/* control.c: mounts that were seen on one device; what their medians differ by, nothing but noise can explain. */
#include "report/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
mb_control_counts(const struct mb_cell *cell)
{
    bool carried = cell->mount_type != NULL && strcmp(cell->mount_type, "sync") == 0;

    return !carried || cell->kind == NULL || strcmp(cell->kind, "propagation") != 0;
}

/* What a container's own memory and layers sit on is each container's own, whatever number the kernel gave it. */
static bool
can_be_shared(const struct mb_cell *cell)
{
    static const char *const own[] = {"overlay", "tmpfs", "ramfs", "aufs"};

    if (cell->device == NULL || cell->fstype == NULL || *cell->device == '\0' || *cell->fstype == '\0' ||
        strcmp(cell->mount, "host") == 0)
        return false;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (strcmp(cell->fstype, own[i]) == 0)
            return false;
    }
    return true;
}

/* Number the sets of mounts whose cells were seen on one device. */
static int
find_same(const struct mb_model *model, struct mb_model_group *g)
{
    const struct mb_cell **seen = calloc(g->mount_count, sizeof(void *));

    if (seen == NULL)
        return -1;
    for (size_t k = g->first_cell; k < g->first_cell + g->cell_count; k++) {
        const struct mb_model_cell *c = &model->cells[k];
        if (seen[c->mount] == NULL && can_be_shared(c->cell) && mb_control_counts(c->cell))
            seen[c->mount] = c->cell;
    }
    for (size_t i = 0; i < g->mount_count; i++) {
        bool done = seen[i] == NULL || g->same[i] > 0;
        for (size_t k = i + 1; !done && k < g->mount_count; k++) {
            if (seen[k] == NULL || strcmp(seen[i]->device, seen[k]->device) != 0 || strcmp(seen[i]->fstype, seen[k]->fstype) != 0)
                continue;
            if (g->same[i] == 0)
                g->same[i] = ++g->same_count;
            g->same[k] = g->same[i];
        }
    }
    free(seen);
    return 0;
}

/* Append the ratio of ${c}'s median to each earlier one of its set in ${cells}, the cells of one workload so far. */
static size_t
pair_up(const struct mb_model_group *g, const struct mb_model_cell *first, const struct mb_model_cell *c, double *ratios, size_t n,
        size_t room)
{
    for (const struct mb_model_cell *other = first; other < c && n < room; other++) {
        if (g->same[other->mount] == g->same[c->mount] && other->summary.median > 0 && mb_control_counts(other->cell))
            ratios[n++] = c->summary.median / other->summary.median;
    }
    return n;
}

/* More pairs than this tell nothing new. */
#define PAIRS_MOST 4096

static int
find_noise_floor(const struct mb_model *model, struct mb_model_group *g, struct mb_error *err)
{
    double *ratios = calloc(PAIRS_MOST, sizeof *ratios);
    const struct mb_model_cell *first = NULL;
    size_t n = 0;

    g->noise_floor = NAN;
    if (ratios == NULL)
        return mb_error_set(err, MB_EIO, "out of memory while making the report");
    for (size_t i = g->first_cell; i < g->first_cell + g->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        if (first == NULL || first->workload != c->workload)
            first = c;
        if (g->same[c->mount] > 0 && c->summary.median > 0 && mb_control_counts(c->cell))
            n = pair_up(g, first, c, ratios, n, PAIRS_MOST);
    }
    int rc = n > 0 ? mb_noise_floor(ratios, n, &g->noise_floor, err) : 0;
    free(ratios);
    return rc;
}

int
mb_control_find(const struct mb_model *model, struct mb_model_group *group, struct mb_error *err)
{
    group->noise_floor = NAN;
    if (model->merged != NULL)
        return 0; /* a device's number means nothing on another machine */
    if (find_same(model, group) != 0)
        return mb_error_set(err, MB_EIO, "out of memory while making the report");
    return find_noise_floor(model, group, err);
}
