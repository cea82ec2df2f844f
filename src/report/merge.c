/* merge.c: the engines as rows. */
#include "report/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/names.h"

bool
mb_merge_is_due(const struct mb_model *model)
{
    bool due = model->group_count > 1;

    for (size_t i = 0; i < model->group_count; i++)
        due = due && model->groups[i].mount_count == 1;
    return due;
}

/* The name of an engine's row: with the mount's where they are not all called alike. */
static int
name_row(struct mb_model_group *g, bool alike)
{
    size_t size = strlen(g->label) + strlen(g->mounts[0]) + 2;

    g->row = malloc(size);
    if (g->row == NULL)
        return -1;
    snprintf(g->row, size, alike ? "%s" : "%s/%s", g->label, g->mounts[0]);
    return 0;
}

static int
fill(struct mb_model *model, struct mb_model_group *all, struct mb_names *names)
{
    bool alike = true;

    all->label = calloc(1, 64 + strlen(model->groups[0].mounts[0]));
    all->mounts = calloc(model->group_count, sizeof *all->mounts);
    all->same = calloc(model->group_count, sizeof *all->same);
    all->workloads = calloc(model->cell_count + 1, sizeof *all->workloads);
    if (all->label == NULL || all->mounts == NULL || all->same == NULL || all->workloads == NULL)
        return -1;
    for (size_t i = 1; i < model->group_count; i++)
        alike = alike && strcmp(model->groups[i].mounts[0], model->groups[0].mounts[0]) == 0;
    sprintf(all->label, alike ? "%zu engines, %s" : "%zu engines", model->group_count, model->groups[0].mounts[0]);
    for (size_t i = 0; i < model->group_count; i++) {
        if (name_row(&model->groups[i], alike) != 0)
            return -1;
        all->mounts[i] = model->groups[i].row;
    }
    for (size_t i = 0; i < model->cell_count; i++) {
        struct mb_model_cell *c = &model->cells[i];
        c->mount = c->group;
        c->group = 0;
        c->workload = mb_names_index(names, 0, c->cell->workload, &all->workload_count);
        all->workloads[c->workload] = c->cell->workload;
    }
    all->mount_count = model->group_count;
    all->cell_count = model->cell_count;
    return 0;
}

int
mb_merge(struct mb_model *model, struct mb_error *err)
{
    struct mb_model_group *all = calloc(1, sizeof *all);
    struct mb_names names;
    int rc = mb_names_init(&names, model->cell_count);

    if (rc == 0 && all != NULL) {
        all->run = model->groups[0].run;
        all->engine = model->groups[0].engine;
        rc = fill(model, all, &names);
    }
    mb_names_free(&names);
    if (all == NULL)
        return mb_error_set(err, MB_EIO, "out of memory while making the report");
    model->merged = model->groups;
    model->merged_count = model->group_count;
    model->groups = all;
    model->group_count = 1;
    return rc == 0 ? 0 : mb_error_set(err, MB_EIO, "out of memory while making the report");
}
