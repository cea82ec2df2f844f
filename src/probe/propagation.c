/* propagation.c: the row of the workload that the driver leads with a probe on each side. */
#include "mountbench/propagation.h"

#include "probe/job.h"
#include "probe/workloads.h"

const char *const mb_change_names[] = {"create", "overwrite", "append", "rename", "remove", NULL};

static const char *const changes[] = {"all", "create", "overwrite", "append", "rename", "remove", NULL};
static const char *const directions[] = {"both", "to-container", "to-host", NULL};
static const char *const looks[] = {"read", "stat", NULL};

#define SECOND UINT64_C(1000000000)

/* In the order of enum mb_propagation_param. */
static const struct mb_param params[] = {
    {.name = "change",
     .type = MB_PARAM_CHOICE,
     .fallback = "all",
     .choices = changes,
     .help = "a new file; other content of the same size, written in place; more at the end; another name; gone; or all in turn"},
    {.name = "direction",
     .type = MB_PARAM_CHOICE,
     .fallback = "both",
     .choices = directions,
     .help = "who sees what the other changes"},
    {.name = "changes", .type = MB_PARAM_COUNT, .fallback = "10", .min = 1, .max = 10000, .help = "of a trial, in each direction"},
    {.name = "size",
     .type = MB_PARAM_SIZE,
     .fallback = "16KiB",
     .min = 1,
     .max = MB_PROPAGATION_SIZE_MAX,
     .help = "of a new file, and of what is appended"},
    {.name = "look",
     .type = MB_PARAM_CHOICE,
     .fallback = "read",
     .choices = looks,
     .help = "how it is looked for: open and read, or stat until size and time are new, and read then"},
    {.name = "limit",
     .type = MB_PARAM_DURATION,
     .fallback = "60s",
     .min = 1000000,
     .max = 3600 * SECOND,
     .help = "a change that is not seen for so long is lost, and counts with this time"},
    {.name = "poll",
     .type = MB_PARAM_DURATION,
     .fallback = "1ms",
     .min = 10000,
     .max = 10 * SECOND,
     .help = "pause between two looks"},
    {0},
};

static int
run(struct mb_job *job, struct mb_error *err)
{
    (void)job;
    return mb_error_set(err, MB_EPROTOCOL, "propagation is led by the driver, with a probe on each side of the mount");
}

static void
footprint(const uint64_t v[MB_PARAMS_MAX], struct mb_footprint *out)
{
    uint64_t all = v[MB_PROPAGATION_CHANGES] * (v[MB_PROPAGATION_DIRECTION] == MB_DIRECTION_BOTH ? 2 : 1);

    *out = (struct mb_footprint){
        .disk_bytes = 2 * 4 * v[MB_PROPAGATION_SIZE],
        .files = 4,
        .io_bytes = 2 * all * v[MB_PROPAGATION_SIZE],
        /* What the time limit of a trial makes of it is the time of all changes, were none ever seen. */
        .ops = all * (v[MB_PROPAGATION_LIMIT] / SECOND + 1) * 50,
    };
}

const struct mb_workload mb_workload_propagation = {
    .name = "propagation",
    .does =
        "Changes a file on one side of the mount, the host's or the container's, and measures how long until the other side sees "
        "it. The reader has seen the file as it was before (or that there was none), so that what its kernel keeps of names, "
        "attributes and content is in play; then it looks again and again, as a program would, until it finds exactly the new "
        "state. The figure is the median of the changes in the slower direction. Counted besides: changes never seen (lost), and "
        "those during which "
        "the reader saw what was never there, neither the old state nor the new one (wrong).",
    .hides = "Less than a message's way to the reader and back, which the table shows as the floor, and pauses between two looks. "
             "A program that keeps a file open, or maps it, may see less than one that opens it anew; notifications (inotify) are "
             "not looked at. Only mounts that are a directory of the driver's machine have two sides to look from.",
    .measure = MB_MEASURE_SECONDS,
    .unit = "change",
    .params = params,
    .both_sides = true,
    .footprint = footprint,
    .run = run,
};
