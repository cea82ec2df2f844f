/*
 * cmd_plan.c: `mountbench plan`: what a run would do and need.  Opens the matrix file and, where engines name runtimes that a
 * run would start or configure, looks at these; asks no engine and changes nothing.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/matrix_args.h"
#include "cli/plan_view.h"
#include "mountbench/parse.h"
#include "mountbench/plan.h"
#include "mountbench/provider.h"
#include "mountbench/sync.h"
#include "mountbench/text.h"

/* Without --all: as many cells, and places of a round's order. */
#define CELLS_SHOWN 60
#define ORDER_SHOWN 20

/* A plan of the largest matrix, in JSON with all its orders. */
#define OUTPUT_MAX ((size_t)512 * 1024 * 1024)

static void
print_head(const struct mb_plan_view *v, struct mb_buffer *out)
{
    const struct mb_matrix *m = v->m;

    mb_text_clean(out, m->name, v->unicode);
    if (m->description != NULL && m->description[0] != '\0') {
        mb_buffer_puts(out, ": ");
        mb_text_clean(out, m->description, v->unicode);
    }
    mb_buffer_puts(out, "\n");
    mb_text_clean(out, m->path, v->unicode);
    mb_buffer_printf(out, ", sha256 %.12s%s%s\n\n", m->sha256, *m->scale != '\0' ? ", sizes scaled by " : "", m->scale);
}

bool
mb_plan_is_known(const struct mb_plan_view *v, size_t cell)
{
    return v->m->workloads[v->m->cells[cell].workload].exec == NULL;
}

bool
mb_plan_has_tool(const struct mb_plan_view *v, size_t i)
{
    size_t cells = 0;

    for (size_t e = 0; e < v->m->engine_count; e++)
        cells += v->plan->mounts[e * v->m->mount_count + i].cells;
    return v->m->mounts[i].sync != NULL && cells > 0;
}

static uint64_t
unknown_trials(const struct mb_plan_view *v)
{
    uint64_t trials = 0;

    for (size_t i = 0; i < v->m->cell_count; i++)
        trials += mb_plan_is_known(v, i) ? 0 : v->plan->cells[i].trials;
    return trials;
}

static void
print_counts(const struct mb_plan_view *v, struct mb_buffer *out)
{
    const struct mb_matrix *m = v->m;
    size_t all = m->engine_count * m->mount_count * m->workload_count;
    char time[MB_FORMAT_MAX];

    mb_buffer_printf(out, "Cells   %zu: %zu engine%s x %zu mount%s x %zu workload%s", m->cell_count, m->engine_count,
                     m->engine_count == 1 ? "" : "s", m->mount_count, m->mount_count == 1 ? "" : "s", m->workload_count,
                     m->workload_count == 1 ? "" : "s");
    if (m->cell_count < all)
        mb_buffer_printf(out, ", %zu excluded", all - m->cell_count);
    mb_buffer_printf(out, "\nTrials  %s%llu: ", m->precision_percent > 0 ? "at most " : "", (unsigned long long)v->plan->trials);
    if (m->precision_percent > 0)
        mb_buffer_printf(out, "%u to %u rounds, until each cell is known to %g%%", m->rounds_min, m->rounds_max,
                         m->precision_percent);
    else
        mb_buffer_printf(out, "%u round%s", m->rounds, m->rounds == 1 ? "" : "s");
    mb_buffer_printf(out, " after %u to warm up", m->warmup);
    if (m->passes > 1)
        mb_buffer_printf(out, " in each of %u passes", m->passes);
    mb_buffer_printf(out, "\nTime    %s%s, at %s\n", m->precision_percent > 0 ? "at most " : "some ",
                     mb_format_duration((double)v->plan->time_ns, time), mb_plan_assumptions());
    if (unknown_trials(v) > 0)
        mb_buffer_printf(out, "        and what %llu trials of commands take, which is not known\n",
                         (unsigned long long)unknown_trials(v));
    if (m->max_time_ns > 0)
        mb_buffer_printf(out, "        no round starts after %s\n", mb_format_duration((double)m->max_time_ns, time));
}

/* Whether a mount's bytes lie in a place; a sync mount's lie in two. */
static bool
is_in(enum mb_mount_type type, enum mb_plan_place place)
{
    return mb_plan_place_of(type) == place || (type == MB_MOUNT_SYNC && place == MB_PLACE_DRIVER);
}

static void
print_room(const struct mb_plan_view *v, struct mb_buffer *out)
{
    const struct mb_matrix *m = v->m;
    char size[MB_FORMAT_MAX];

    mb_buffer_puts(out, unknown_trials(v) > 0 ? "Room    what commands write, which is not known, and at most at once:\n"
                                              : "Room    at most at once:\n");
    for (size_t e = 0; e < m->engine_count; e++)
        for (int p = 0; p < MB_PLACES; p++) {
            uint64_t bytes = v->plan->engines[e].disk_bytes[p];
            if (bytes == 0)
                continue;
            size_t mounts = 0;
            for (size_t i = 0; i < m->mount_count; i++)
                mounts += v->plan->mounts[e * m->mount_count + i].cells > 0 && is_in(m->mounts[i].type, (enum mb_plan_place)p);
            mb_buffer_printf(out, "  %10s  %s, for %zu mount%s of ", mb_format_size(bytes, size),
                             mb_plan_place_name((enum mb_plan_place)p), mounts, mounts == 1 ? "" : "s");
            mb_text_clean(out, m->engines[e].name, v->unicode);
            mb_buffer_putc(out, '\n');
        }
    mb_buffer_puts(out, "\n");
}

static int
print_cells(const struct mb_plan_view *v, struct mb_buffer *out, struct mb_error *err)
{
    const struct mb_matrix *m = v->m;
    size_t shown = v->all || m->cell_count <= CELLS_SHOWN ? m->cell_count : CELLS_SHOWN;
    char size[MB_FORMAT_MAX], time[MB_FORMAT_MAX];

    mb_buffer_printf(out, "%6s  %10s  %10s  %-12s  %s\n", "CELL", "ROOM", "A TRIAL", "WORKLOAD", "NAME");
    for (size_t i = 0; i < shown; i++) {
        const struct mb_plan_cell *c = &v->plan->cells[i];
        char *name = mb_matrix_cell_name(m, &m->cells[i]);
        if (name == NULL)
            return mb_error_set(err, MB_EIO, "out of memory");
        mb_buffer_printf(out, "%6zu  %10s  %10s  %-12s  ", i + 1,
                         mb_plan_is_known(v, i) ? mb_format_size(c->disk_bytes, size) : "unknown",
                         mb_plan_is_known(v, i) ? mb_format_duration((double)c->trial_ns, time) : "unknown",
                         m->workloads[m->cells[i].workload].kind->name);
        mb_text_clean(out, name, v->unicode);
        mb_buffer_putc(out, '\n');
        free(name);
    }
    if (shown < m->cell_count)
        mb_buffer_printf(out, "%6s  and %zu more; --all prints them\n", "...", m->cell_count - shown);
    return 0;
}

static void
print_round(const struct mb_plan_view *v, bool warmup, unsigned round, size_t *order, struct mb_buffer *out)
{
    size_t n = v->m->cell_count;
    size_t shown = v->all || n <= ORDER_SHOWN ? n : ORDER_SHOWN;

    mb_plan_shuffle(v->seed, mb_plan_round(warmup, round), n, order);
    mb_buffer_printf(out, "  %s %u:", warmup ? "warm-up" : "round", round + 1);
    for (size_t i = 0; i < shown; i++)
        mb_buffer_printf(out, " %zu", order[i] + 1);
    mb_buffer_puts(out, shown < n ? " ...\n" : "\n");
}

static int
print_order(const struct mb_plan_view *v, struct mb_buffer *out, struct mb_error *err)
{
    unsigned shown = v->all || v->m->rounds <= ORDER_SHOWN ? v->m->rounds : ORDER_SHOWN;

    if (!v->seeded) {
        mb_buffer_puts(out,
                       "\nOrder   every round in an order of its own, from a seed that a run draws and records; --seed fixes it\n");
        return 0;
    }
    size_t *order = calloc(v->m->cell_count, sizeof *order);
    if (order == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    mb_buffer_printf(out, "\nOrder   with --seed %llu, cells by number:\n", (unsigned long long)v->seed);
    for (unsigned i = 0; i < v->m->warmup && i < shown; i++)
        print_round(v, true, i, order, out);
    for (unsigned i = 0; i < shown; i++)
        print_round(v, false, i, order, out);
    if (shown < v->m->rounds)
        mb_buffer_printf(out, "  ... and %u rounds more; --all prints them\n", v->m->rounds - shown);
    free(order);
    return 0;
}

/* The lines of ${text} (which may be NULL), indented; they are cut apart. */
static void
print_lines(const struct mb_plan_view *v, char *text, struct mb_buffer *out)
{
    for (char *line = text, *next; line != NULL && *line != '\0'; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        mb_buffer_puts(out, "  ");
        mb_text_clean(out, line, v->unicode);
        mb_buffer_puts(out, "\n");
    }
}

/* What a run would do to each runtime that it starts and configures, a line each, in the provider's words. */
static int
print_changes(const struct mb_plan_view *v, struct mb_buffer *out, struct mb_error *err)
{
    for (size_t e = 0; e < v->m->engine_count; e++) {
        MB_AUTO_BUFFER changes = MB_BUFFER_INIT(65536);
        if (!mb_provider_manages(&v->m->engines[e]))
            continue;
        if (mb_provider_plan(&v->m->engines[e], &changes, err) != 0)
            return -1;
        mb_buffer_puts(out, "Engine  ");
        mb_text_clean(out, v->m->engines[e].name, v->unicode);
        mb_buffer_puts(out, "\n");
        print_lines(v, changes.data, out);
        mb_buffer_puts(out, "\n");
    }
    return 0;
}

/* What a run would start on this machine for each sync mount that has a cell. */
static void
print_tools(const struct mb_plan_view *v, struct mb_buffer *out)
{
    for (size_t i = 0; i < v->m->mount_count; i++) {
        const struct mb_mount_spec *mount = &v->m->mounts[i];
        MB_AUTO_BUFFER lines = MB_BUFFER_INIT(65536);
        if (!mb_plan_has_tool(v, i))
            continue;
        mb_sync_plan(mount->sync, &lines);
        mb_buffer_puts(out, "Sync    ");
        mb_text_clean(out, mount->name, v->unicode);
        mb_buffer_puts(out, "\n");
        print_lines(v, lines.data, out);
        mb_buffer_puts(out, "\n");
    }
}

static int
print_text(const struct mb_plan_view *v, struct mb_buffer *out, struct mb_error *err)
{
    print_head(v, out);
    print_counts(v, out);
    print_room(v, out);
    if (print_changes(v, out, err) != 0)
        return -1;
    print_tools(v, out);
    return print_cells(v, out, err) != 0 ? -1 : print_order(v, out, err);
}

/* Settings that a runtime does not have are the file's mistake.  Passes are for runtimes that take turns. */
static int
check_engines(struct mb_matrix *m, struct mb_error *err)
{
    bool managed = false;

    for (size_t e = 0; e < m->engine_count; e++) {
        if (mb_provider_check(&m->engines[e], err) != 0)
            return -1;
        managed = managed || mb_provider_manages(&m->engines[e]);
    }
    if (!managed)
        m->passes = 1;
    else if (m->passes > m->rounds)
        m->passes = m->rounds;
    return 0;
}

static int
print_plan(const struct mb_args *args, const struct mb_matrix *m, bool json, struct mb_error *err)
{
    struct mb_plan *plan;
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(OUTPUT_MAX);

    if (mb_plan_make(m, &plan, err) != 0)
        return -1;
    struct mb_plan_view view = {.m = m,
                                .plan = plan,
                                .all = mb_args_given(args, "all"),
                                .unicode = mb_text_utf8_locale(),
                                .seeded = mb_args_given(args, "seed"),
                                .seed = mb_args_count(args, "seed", 0)};
    int status = json ? mb_plan_json(&view, &out, err) : print_text(&view, &out, err);
    mb_plan_free(plan);
    if (status == 0 && out.overflowed)
        status =
            mb_error_set(err, MB_EIO, "the plan is larger than %zu MiB; leave out --seed, or narrow it with --mount and --workload",
                         OUTPUT_MAX >> 20);
    if (status == 0)
        fwrite(mb_buffer_text(&out), 1, out.len, stdout);
    return status;
}

static int
run(const struct mb_args *args, struct mb_error *err)
{
    static const char *const formats[] = {"terminal", "json", NULL};
    const char *format = mb_args_text(args, "format");
    struct mb_matrix *m;

    if (format == NULL)
        format = formats[0];
    bool json = strcmp(format, "json") == 0;
    if (!json && strcmp(format, "terminal") != 0) {
        const char *near = mb_nearest(format, formats);
        return mb_error_set(err, MB_EUSAGE, "--format: a plan has no format '%s' (%s%s%s)", format,
                            near != NULL ? "did you mean '" : "there are terminal and json", near != NULL ? near : "",
                            near != NULL ? "'?" : "");
    }
    if (mb_matrix_of_args(args, &m, err) != 0)
        return -1;
    int status = check_engines(m, err) == 0 ? print_plan(args, m, json, err) : -1;
    mb_matrix_free(m);
    return status;
}

const struct mb_command mb_cmd_plan = {
    .name = "plan",
    .operands = "[MATRIX]",
    .operands_max = 1,
    .summary = "print a matrix's cells, order, time and room; touch nothing",
    .details = "Takes the same matrix and options as `run`; no engine is asked and nothing is changed. For\n"
               "runtimes that a run would start or configure it says what would be set and put back, and for\n"
               "sync mounts which tool it would start. The time is a guess and says what it rests on; the room\n"
               "is what the workloads say they need, at most at once.\n\n"
               "Formats: terminal (the first cells, --all for every one), json (always all).\n\n"
               "Examples:\n"
               "  mountbench plan full\n"
               "  mountbench plan my.yaml -m 'bind*' --rounds 20\n"
               "  mountbench plan --seed 7 --all          the order that `run --seed 7` will measure in\n",
    .options = (const char *const[]){"engine", "mount", "workload", "rounds", "warmup", "max-time", "scale", "seed", "format",
                                     "all", NULL},
    .run = run,
};
