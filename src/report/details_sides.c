/* details_sides.c: what was measured on both sides of a mount, and why it was not where it was asked for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/details_parts.h"

static const char *const of_sides[] = {
    "host_visible_ns",   "host_checked_ns",        "host_lost",
    "host_wrong",        "to_container_median_ns", "to_container_worst_ns",
    "to_host_median_ns", "to_host_worst_ns",       "to_container_floor_ns",
    "to_host_floor_ns",  "to_container_lost",      "to_container_wrong",
    "to_host_lost",      "to_host_wrong",          NULL,
};

static bool
is_in(const char *word, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strcmp(*words, word) == 0)
            return true;
    }
    return false;
}

bool
mb_details_of_sides(const char *metric)
{
    return is_in(metric, of_sides);
}

/* What the check ${name} of a cell observed where it says that there is no figure; NULL where there is no such. */
static const char *
why_not(const struct mb_model *model, const struct mb_model_cell *c, const char *name)
{
    for (size_t i = 0; i < model->results->check_count; i++) {
        const struct mb_check *check = &model->results->checks[i];
        if (&model->results->cells[check->cell] == c->cell && check->name != NULL && strcmp(check->name, name) == 0 &&
            check->outcome != NULL && strcmp(check->outcome, "pass") != 0)
            return check->observed;
    }
    return NULL;
}

static void
put_duration(struct mb_grid *grid, size_t column, double ns)
{
    char text[MB_FORMAT_MAX];

    if (isfinite(ns))
        mb_grid_put(grid, column, "%s", mb_format_duration(ns, text));
}

struct mb_grid *
mb_details_host_visible(const struct mb_model *model, const struct mb_model_group *group, bool unicode)
{
    static const char *const heads[] = {"workload", "mount", "n", "median", "worst", "compared by", "missing", "wrong", "remark"};
    struct mb_grid *grid = mb_details_new("From the end of a trial until the host holds the same bytes", heads, 9);

    if (grid == NULL || grid->failed)
        return grid;
    grid->align[8] = MB_ALIGN_LEFT;
    grid->sentences = true;
    for (size_t i = group->first_cell; i < group->first_cell + group->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        const char *reason = why_not(model, c, "host_visible");
        struct mb_details_numbers visible, checked, lost, wrong;
        mb_details_metric(model, c, "host_visible_ns", &visible);
        mb_details_metric(model, c, "host_checked_ns", &checked);
        mb_details_metric(model, c, "host_lost", &lost);
        mb_details_metric(model, c, "host_wrong", &wrong);
        if (lost.n == 0 && reason == NULL)
            continue;
        mb_details_begin_row(grid, model, c, unicode);
        if (lost.n > 0) {
            mb_grid_put(grid, 2, "%zu", visible.n);
            mb_grid_put(grid, 6, "%.0f", lost.sum);
            mb_grid_put(grid, 7, "%.0f", wrong.sum);
        }
        put_duration(grid, 3, visible.median);
        put_duration(grid, 4, visible.most);
        put_duration(grid, 5, checked.median);
        mb_grid_put_clean(grid, 8, reason != NULL ? reason : "", unicode);
    }
    return grid;
}

/* A row of what one direction of a cell came to; none where it was not measured. */
static void
put_direction(struct mb_grid *grid, const struct mb_model *model, const struct mb_model_cell *c, const char *seen_by, bool unicode)
{
    static const char *const what[] = {"median_ns", "worst_ns", "floor_ns", "lost", "wrong"};
    struct mb_details_numbers all[5];

    for (size_t i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "to_%s_%s", seen_by, what[i]);
        mb_details_metric(model, c, name, &all[i]);
    }
    if (all[0].n == 0)
        return;
    mb_details_begin_row(grid, model, c, unicode);
    mb_grid_put(grid, 2, "%s", seen_by);
    put_duration(grid, 3, all[0].median);
    put_duration(grid, 4, all[1].most);
    put_duration(grid, 5, all[2].median);
    mb_grid_put(grid, 6, "%.0f", all[3].sum);
    mb_grid_put(grid, 7, "%.0f", all[4].sum);
}

struct mb_grid *
mb_details_propagation(const struct mb_model *model, const struct mb_model_group *group, bool unicode)
{
    static const char *const heads[] = {"workload", "mount", "seen by", "median", "worst", "floor", "lost", "wrong"};
    struct mb_grid *grid = mb_details_new("Until a change on one side of a mount shows on the other", heads, 8);

    if (grid == NULL || grid->failed)
        return grid;
    grid->align[2] = MB_ALIGN_LEFT;
    for (size_t i = group->first_cell; i < group->first_cell + group->cell_count; i++) {
        put_direction(grid, model, &model->cells[i], "container", unicode);
        put_direction(grid, model, &model->cells[i], "host", unicode);
    }
    return grid;
}
