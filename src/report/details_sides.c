/* details_sides.c: what was measured on both sides of a mount, and why it was not where it was asked for. */
#include <math.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/details_parts.h"

static const char *const of_sides[] = {
    "host_visible_ns",        "host_checked_ns",       "host_lost",         "host_wrong",
    "to_container_median_ns", "to_container_worst_ns", "to_host_median_ns", "to_host_worst_ns",
    "propagation_floor_ns",   "changes_lost",          "changes_wrong",     NULL,
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

struct mb_grid *
mb_details_propagation(const struct mb_model *model, const struct mb_model_group *group, bool unicode)
{
    static const char *const heads[] = {"workload", "mount", "to container", "worst", "to host", "worst", "lost", "wrong", "floor"};
    struct mb_grid *grid =
        mb_details_new("Until a change on one side shows on the other (medians, and the worst of all)", heads, 9);

    for (size_t i = group->first_cell; grid != NULL && i < group->first_cell + group->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        struct mb_details_numbers container, container_worst, host, host_worst, lost, wrong, least;
        mb_details_metric(model, c, "to_container_median_ns", &container);
        mb_details_metric(model, c, "to_container_worst_ns", &container_worst);
        mb_details_metric(model, c, "to_host_median_ns", &host);
        mb_details_metric(model, c, "to_host_worst_ns", &host_worst);
        mb_details_metric(model, c, "changes_lost", &lost);
        mb_details_metric(model, c, "changes_wrong", &wrong);
        mb_details_metric(model, c, "propagation_floor_ns", &least);
        if (container.n == 0 && host.n == 0)
            continue;
        mb_details_begin_row(grid, model, c, unicode);
        put_duration(grid, 2, container.median);
        put_duration(grid, 3, container_worst.most);
        put_duration(grid, 4, host.median);
        put_duration(grid, 5, host_worst.most);
        mb_grid_put(grid, 6, "%.0f", lost.sum);
        mb_grid_put(grid, 7, "%.0f", wrong.sum);
        put_duration(grid, 8, least.median);
    }
    return grid;
}
