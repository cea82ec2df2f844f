/* page_parts.c: what stands around the table of cells of the HTML page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/details.h"
#include "report/escape.h"
#include "report/page.h"
#include "report/words.h"

/* A mount's ratios within a group, in words. */
struct standing {
    double mean, low, high; /* geometric mean over the workloads that all measured mounts have; extremes over its own */
    const char *low_workload, *high_workload;
    size_t faster, slower, same, few, control, without;
};

static void
count_cell(struct standing *s, const struct mb_model_cell *c)
{
    s->faster += c->verdict == MB_VERDICT_FASTER;
    s->slower += c->verdict == MB_VERDICT_SLOWER;
    s->same += c->verdict == MB_VERDICT_SAME;
    s->few += c->verdict == MB_VERDICT_FEW;
    s->control += c->verdict == MB_VERDICT_CONTROL;
    s->without += c->summary.n == 0;
    if (!isfinite(c->ratio.value))
        return;
    if (!(s->low <= c->ratio.value)) {
        s->low = c->ratio.value;
        s->low_workload = c->cell->workload;
    }
    if (!(s->high >= c->ratio.value)) {
        s->high = c->ratio.value;
        s->high_workload = c->cell->workload;
    }
}

/* Whether the mount is to be reckoned with: it has a figure or is the baseline. */
static bool
is_measured(const struct standing *s, size_t mount, size_t baseline)
{
    return mount == baseline || isfinite(s->low);
}

/* Fill the geometric means of the measured mounts. */
static int
average(const struct mb_model *model, const struct mb_model_group *g, struct standing *standings, size_t *used)
{
    size_t sides = 0, side = 0;

    for (size_t m = 0; m < g->mount_count; m++)
        sides += is_measured(&standings[m], m, g->baseline);
    double *values = calloc(sides * g->workload_count + 1, sizeof *values), *means = calloc(sides + 1, sizeof *means);
    if (values == NULL || means == NULL) {
        free(values);
        free(means);
        return -1;
    }
    for (size_t m = 0; m < g->mount_count; m++) {
        if (!is_measured(&standings[m], m, g->baseline))
            continue;
        for (size_t w = 0; w < g->workload_count; w++) {
            const struct mb_model_cell *c = mb_model_find(model, g, m, w);
            bool base = m == g->baseline && c != NULL && c->summary.n > 0;
            values[side * g->workload_count + w] = base ? 1 : c != NULL ? c->ratio.value : NAN;
        }
        side++;
    }
    mb_geometric_means(values, sides, g->workload_count, means, used);
    side = 0;
    for (size_t m = 0; m < g->mount_count; m++) {
        if (is_measured(&standings[m], m, g->baseline))
            standings[m].mean = means[side++];
    }
    free(values);
    free(means);
    return 0;
}

static void
put_chip(struct mb_buffer *out, const char *style, size_t n, const char *words)
{
    if (n > 0)
        mb_buffer_printf(out, "<span class=\"chip %s\">%zu %s</span> ", style, n, words);
}

static void
put_extremes(struct mb_buffer *out, const struct standing *s)
{
    char times[16];

    mb_buffer_puts(out, "<span class=\"soft\">");
    if (strcmp(s->low_workload, s->high_workload) != 0) {
        mb_buffer_printf(out, "from %s in ", mb_words_times(s->low, true, times));
        mb_page_name(out, s->low_workload);
        mb_buffer_puts(out, " to ");
    }
    mb_buffer_printf(out, "%s in ", mb_words_times(s->high, true, times));
    mb_page_name(out, s->high_workload);
    mb_buffer_puts(out, "</span>");
}

static void
put_card(const struct mb_model_group *g, size_t mount, const struct standing *s, struct mb_buffer *out)
{
    char times[16];

    mb_buffer_puts(out, "<li><span class=\"name\">");
    mb_page_name(out, g->mounts[mount]);
    mb_buffer_puts(out, "</span>");
    if (mount == g->baseline) {
        mb_buffer_puts(out, "<span class=\"big\">\xC3\x97"
                            "1</span><span class=\"chip\">baseline</span>"
                            "<span class=\"soft\">what the others are compared with</span></li>\n");
        return;
    }
    if (isfinite(s->mean))
        mb_buffer_printf(out, "<span class=\"big\">%s</span>", mb_words_times(s->mean, true, times));
    put_chip(out, "f", s->faster, "faster");
    put_chip(out, "l", s->slower, "slower");
    put_chip(out, "", s->same, "without a difference shown");
    put_chip(out, "", s->control, "on the baseline's filesystem");
    put_chip(out, "", s->few, "with too few trials");
    put_chip(out, "b", s->without, "without a figure");
    if (s->low_workload != NULL)
        put_extremes(out, s);
    mb_buffer_puts(out, "</li>\n");
}

/* What kind of sentence a mount belongs into. */
enum kind { KIND_FASTER, KIND_SLOWER, KIND_MIXED, KIND_EVEN, KIND_CONTROL, KIND_FEW, KIND_WITHOUT, KIND_BASELINE };

static enum kind
kind_of(const struct standing *s, size_t mount, size_t baseline)
{
    if (mount == baseline)
        return KIND_BASELINE;
    if (s->faster > 0 && s->slower > 0)
        return KIND_MIXED;
    if (s->faster > 0)
        return KIND_FASTER;
    if (s->slower > 0)
        return KIND_SLOWER;
    if (s->control > 0)
        return KIND_CONTROL;
    if (s->same > 0)
        return KIND_EVEN;
    return s->few > 0 ? KIND_FEW : KIND_WITHOUT;
}

/* One sentence a kind: "Faster than volume: tmpfs (x2.17)." */
static void
put_lead(const struct mb_model_group *g, const struct standing *standings, struct mb_buffer *out)
{
    static const char *const before[] = {
        [KIND_FASTER] = "Faster: ",
        [KIND_SLOWER] = "Slower: ",
        [KIND_MIXED] = "Faster in some workloads, slower in others: ",
        [KIND_EVEN] = "No difference shown: ",
        [KIND_CONTROL] = "On the same filesystem, so equal but for noise: ",
        [KIND_FEW] = "Too few trials to tell: ",
        [KIND_WITHOUT] = "Without a figure: ",
    };
    char times[16];

    mb_buffer_puts(out, "<p class=\"lead\">Compared with ");
    mb_page_name(out, g->mounts[g->baseline]);
    mb_buffer_puts(out, ". ");
    for (size_t kind = 0; kind < KIND_BASELINE; kind++) {
        size_t n = 0;
        for (size_t m = 0; m < g->mount_count; m++) {
            if (kind_of(&standings[m], m, g->baseline) != (enum kind)kind || n++ > 12)
                continue;
            mb_buffer_puts(out, n == 1 ? before[kind] : n > 12 ? ", ..." : ", ");
            if (n > 12)
                continue;
            mb_page_name(out, g->mounts[m]);
            if (kind <= KIND_MIXED && isfinite(standings[m].mean))
                mb_buffer_printf(out, " (%s)", mb_words_times(standings[m].mean, true, times));
        }
        mb_buffer_puts(out, n > 0 ? ". " : "");
    }
    mb_buffer_puts(out, "</p>\n");
}

static int
put_verdict(const struct mb_model *model, const struct mb_model_group *g, struct mb_buffer *out, struct mb_error *err)
{
    struct standing *standings = calloc(g->mount_count, sizeof *standings);
    size_t used = 0;

    if (standings == NULL)
        return mb_error_set(err, MB_EIO, "out of memory while making the report");
    for (size_t m = 0; m < g->mount_count; m++)
        standings[m].mean = standings[m].low = standings[m].high = NAN;
    for (size_t i = g->first_cell; i < g->first_cell + g->cell_count; i++)
        count_cell(&standings[model->cells[i].mount], &model->cells[i]);
    if (average(model, g, standings, &used) != 0) {
        free(standings);
        return mb_error_set(err, MB_EIO, "out of memory while making the report");
    }
    if (model->group_count > 1) {
        mb_buffer_puts(out, "<h3>");
        mb_page_name(out, g->label);
        mb_buffer_puts(out, "</h3>\n");
    }
    put_lead(g, standings, out);
    mb_buffer_puts(out, "<p class=\"soft\">Speed of each mount in times that of ");
    mb_page_name(out, g->mounts[g->baseline]);
    mb_buffer_printf(out,
                     ", the geometric mean over the %zu workload%s that every measured mount has; below it what the single "
                     "workloads show.</p>\n<ul class=\"verdicts\">\n",
                     used, used == 1 ? "" : "s");
    for (size_t m = 0; m < g->mount_count; m++)
        put_card(g, m, &standings[m], out);
    mb_buffer_puts(out, "</ul>\n");
    free(standings);
    return 0;
}

int
mb_page_verdicts(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    for (size_t i = 0; i < model->group_count; i++) {
        if (put_verdict(model, &model->groups[i], out, err) != 0)
            return -1;
    }
    if (model->group_count == 0)
        mb_buffer_puts(out, "<p>Nothing was measured: there are no cells.</p>\n");
    return 0;
}

static void
put_grid(const struct mb_grid *grid, struct mb_buffer *out)
{
    mb_buffer_puts(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    mb_escape_xml(out, grid->title);
    mb_buffer_puts(out, "\">\n<table>\n");
    for (size_t row = 0; row < grid->rows; row++) {
        mb_buffer_puts(out, row == 0 ? "<thead><tr>" : "<tr>");
        for (size_t column = 0; column < grid->columns; column++) {
            mb_buffer_printf(out, "<%s%s%s>", row == 0 ? "th" : "td", row == 0 ? " scope=\"col\"" : "",
                             grid->align[column] == MB_ALIGN_RIGHT ? " class=\"num\"" : "");
            mb_page_name(out, mb_grid_text(grid, row, column));
            mb_buffer_puts(out, row == 0 ? "</th>" : "</td>");
        }
        mb_buffer_puts(out, row == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n");
    }
    mb_buffer_puts(out, "</tbody>\n</table>\n</div>\n");
}

void
mb_page_details(const struct mb_model *model, struct mb_buffer *out)
{
    /* The mounts first: a label proves nothing. */
    static const enum mb_details_table order[] = {MB_DETAILS_MOUNTED, MB_DETAILS_HOST_VISIBLE, MB_DETAILS_PROPAGATION,
                                                  MB_DETAILS_LATENCIES, MB_DETAILS_PHASES};
    static const char *const headings[] = {"What was really mounted", "Until the host holds the same bytes",
                                           "Until a change on one side shows on the other", "Latency of one operation",
                                           "Phases and other figures of a trial"};

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        bool headed = false;
        for (size_t g = 0; g < model->group_count; g++) {
            struct mb_grid *grid;
            mb_details_table(model, &model->groups[g], order[i], true, &grid);
            if (grid == NULL)
                continue;
            if (!headed)
                mb_buffer_printf(out, "<section>\n<h2>%s</h2>\n", headings[i]);
            headed = true;
            if (model->group_count > 1) {
                mb_buffer_puts(out, "<h3>");
                mb_page_name(out, model->groups[g].label);
                mb_buffer_puts(out, "</h3>\n");
            }
            put_grid(grid, out);
            mb_grid_free(grid);
        }
        mb_buffer_puts(out, headed ? "</section>\n" : "");
    }
}

static bool
is_bytes(const cJSON *item)
{
    size_t n = strlen(item->string);
    return n > 6 && strcmp(item->string + n - 6, "_bytes") == 0 && cJSON_IsNumber(item) && item->valuedouble >= 0 &&
           item->valuedouble < 1e18;
}

/* The members of an object as a list of terms; those of an object in it with "name: " before theirs. */
static void
put_members(const cJSON *json, const char *before, struct mb_buffer *out)
{
    static const char *const hidden[] = {"type", "schema", "command", "source"};
    const cJSON *item;
    char size[MB_FORMAT_MAX];

    cJSON_ArrayForEach(item, json)
    {
        bool skip = item->string == NULL || cJSON_IsNull(item) || (cJSON_IsString(item) && *item->valuestring == '\0');
        for (size_t i = 0; i < sizeof hidden / sizeof hidden[0] && !skip; i++)
            skip = strcmp(item->string, hidden[i]) == 0;
        if (skip)
            continue;
        if (cJSON_IsObject(item) && *before == '\0') {
            put_members(item, item->string, out);
            continue;
        }
        mb_buffer_puts(out, "<dt>");
        mb_page_text(out, before);
        mb_buffer_puts(out, *before != '\0' ? " " : "");
        mb_page_text(out, item->string);
        mb_buffer_puts(out, "</dt><dd>");
        MB_AUTO_BUFFER value = MB_BUFFER_INIT(SIZE_MAX);
        if (cJSON_IsString(item))
            mb_buffer_puts(&value, item->valuestring);
        else if (is_bytes(item))
            mb_buffer_puts(&value, mb_format_size((uint64_t)item->valuedouble, size));
        else
            mb_escape_json_tree(&value, item);
        mb_buffer_puts(out, "<bdi>");
        mb_page_text(out, mb_buffer_text(&value));
        mb_buffer_puts(out, "</bdi></dd>\n");
    }
}

void
mb_page_environment(const struct mb_model *model, struct mb_buffer *out)
{
    const struct mb_results *r = model->results;

    mb_buffer_puts(out, "<section>\n<h2>Environment</h2>\n");
    for (size_t i = 0; i < r->engine_count; i++) {
        mb_buffer_puts(out, "<h3>Engine ");
        mb_page_name(out, mb_model_text(r->engines[i].json, "engine"));
        mb_buffer_puts(out, "</h3>\n<dl>\n");
        put_members(r->engines[i].json, "", out);
        mb_buffer_puts(out, "</dl>\n");
    }
    for (size_t i = 0; i < r->run_count; i++) {
        mb_buffer_puts(out, "<h3>Run ");
        mb_page_name(out, r->runs[i].id != NULL ? r->runs[i].id : "");
        mb_buffer_puts(out, "</h3>\n<dl>\n");
        put_members(r->runs[i].json, "", out);
        mb_buffer_puts(out, "</dl>\n");
    }
    mb_buffer_puts(out, "</section>\n");
}

static void
put_command(const char *what, const char *command, struct mb_buffer *out)
{
    if (command == NULL || *command == '\0')
        return;
    mb_buffer_printf(out, "<p>%s</p>\n<pre><code>", what);
    mb_page_text(out, command);
    mb_buffer_puts(out, "</code></pre>\n");
}

void
mb_page_method(const struct mb_model *model, struct mb_buffer *out)
{
    const struct mb_results *r = model->results;
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(SIZE_MAX);

    mb_buffer_puts(out, "<section>\n<h2>Method</h2>\n");
    for (size_t i = 0; i < model->group_count; i++) {
        mb_buffer_reset(&line);
        mb_words_method(model, &model->groups[i], true, &line);
        mb_words_mounted(model, &model->groups[i], true, &line);
        mb_buffer_puts(out, "<p>");
        if (model->group_count > 1) {
            mb_page_name(out, model->groups[i].label);
            mb_buffer_puts(out, ": ");
        }
        mb_escape_xml(out, mb_buffer_text(&line));
        mb_buffer_puts(out, "</p>\n");
    }
    mb_buffer_printf(
        out,
        "<p>Trials of all cells are interleaved in rounds, in an order shuffled from the seed of the run, and timed by a "
        "monotonic clock inside the container around the work alone. Intervals are of 95&nbsp;%%, by the bootstrap "
        "(BCa, %zu resamples, seed %llu). A mount is called faster or slower where the interval of the ratio of medians "
        "is on one side of 1 and the ratio is beyond what mounts that are one filesystem differ by; with fewer than %d "
        "trials nothing is said. These verdicts are for each cell by itself; <code>mountbench compare</code> "
        "corrects for the number of comparisons. Outliers are marked, and %s.</p>\n",
        model->bootstrap.resamples, (unsigned long long)model->bootstrap.seed, MB_VERDICT_LEAST,
        model->options->drop_outliers ? "left out here, since that was asked for" : "kept");
    for (size_t i = 0; i < r->run_count; i++)
        put_command("Measured by", mb_model_text(r->runs[i].json, "command"), out);
    put_command("This page was made by", model->options->command, out);
    mb_buffer_puts(out, "</section>\n");
}
