/* words.c: what the formats for people say alike. */
#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/control.h"

size_t
mb_notes_add(struct mb_notes *notes, const char *text)
{
    for (size_t i = 0; i < notes->count; i++) {
        if (strcmp(notes->texts[i], text) == 0)
            return i + 1;
    }
    char **texts = realloc(notes->texts, (notes->count + 1) * sizeof *texts);
    if (texts == NULL)
        return 0;
    notes->texts = texts;
    notes->texts[notes->count] = strdup(text);
    if (notes->texts[notes->count] == NULL)
        return 0;
    return ++notes->count;
}

void
mb_notes_free(struct mb_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->texts[i]);
    free(notes->texts);
    *notes = (struct mb_notes){NULL, 0};
}

const char *
mb_words_no_figure(const struct mb_model_cell *cell)
{
    if (cell->cell->status == MB_CELL_UNAVAILABLE)
        return "unavailable";
    if (cell->cell->status == MB_CELL_SKIPPED)
        return "failed";
    if (cell->timeouts > 0 && cell->failed == 0)
        return "timed out";
    return cell->failed > 0 ? "failed" : "not measured";
}

/* A part of a note; parts are separated by "; ". */
static void
add_part(struct mb_buffer *out, const char *text)
{
    mb_buffer_puts(out, out->len > 0 ? "; " : "");
    mb_buffer_puts(out, text);
}

static void
add_trouble(struct mb_buffer *out, const struct mb_model_cell *cell, bool unicode)
{
    size_t trials = cell->sample_count - cell->warmups;

    if (cell->failed > 0)
        mb_buffer_printf(out, "%zu of %zu trials failed", cell->failed, trials);
    if (cell->timeouts > 0)
        mb_buffer_printf(out, "%s%zu of %zu trials timed out", cell->failed > 0 ? ", " : "", cell->timeouts, trials);
    if (cell->trouble != NULL && *cell->trouble != '\0') {
        mb_buffer_puts(out, ": ");
        mb_text_clean(out, cell->trouble, unicode);
    }
}

void
mb_words_marks(const struct mb_model_cell *cell, struct mb_buffer *out)
{
    const struct mb_marks *marks = &cell->summary.marks;

    if (marks->first)
        add_part(out, "the first trial stands out");
    if (marks->drift)
        add_part(out, marks->drift_change > 0 ? "figures rise from trial to trial" : "figures fall from trial to trial");
    if (marks->humps)
        add_part(out, "two humps: trials fall into two groups");
    if (cell->summary.dropped > 0)
        add_part(out, cell->summary.dropped == 1 ? "an outlier is left out" : "outliers are left out");
    else if (marks->outliers > (marks->first ? 1 : 0) && !marks->humps)
        add_part(out, "has outliers, which are kept");
}

size_t
mb_words_cell_note(const struct mb_model *model, const struct mb_model_cell *cell, struct mb_notes *notes)
{
    bool unicode = !model->options->ascii;
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(SIZE_MAX);

    if (cell->cell->status != MB_CELL_READY && cell->cell->reason != NULL)
        mb_text_clean(&text, cell->cell->reason, unicode);
    if (cell->failed + cell->timeouts > 0)
        add_trouble(&text, cell, unicode);
    mb_words_marks(cell, &text);
    return text.len > 0 ? mb_notes_add(notes, mb_buffer_text(&text)) : 0;
}

static const char *const verdicts[] = {
    [MB_VERDICT_NONE] = "",
    [MB_VERDICT_FASTER] = "faster",
    [MB_VERDICT_SLOWER] = "slower",
    [MB_VERDICT_SAME] = "no difference shown",
    [MB_VERDICT_FEW] = "too few trials",
    [MB_VERDICT_CONTROL] = "same filesystem",
};

const char *
mb_words_verdict(enum mb_verdict verdict)
{
    return verdicts[verdict];
}

const char *
mb_words_verdict_class(enum mb_verdict verdict)
{
    return verdict == MB_VERDICT_FASTER ? "f" : verdict == MB_VERDICT_SLOWER ? "l" : "";
}

const char *
mb_words_spread(const struct mb_model_cell *cell, char out[16])
{
    const struct mb_digest *s = &cell->summary;
    double percent = (s->high - s->low) / 2 / s->median * 100;

    if (!isfinite(percent))
        *out = '\0';
    else
        snprintf(out, 16, percent >= 0.05 && percent < 0.95 ? "%.1f%%" : "%.0f%%", percent < 99999 ? percent : 99999);
    return out;
}

const char *
mb_words_times(double ratio, bool unicode, char out[16])
{
    const char *times = unicode ? "\xC3\x97" : "x";

    if (ratio < 0.095)
        snprintf(out, 16, "%s%.2g", times, ratio);
    else
        snprintf(out, 16, "%s%.*f", times, ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0, ratio < 1e6 ? ratio : 1e6);
    return out;
}

const char *
mb_words_ratio(const struct mb_model_cell *cell, bool is_baseline, bool unicode, char out[16])
{
    *out = '\0';
    if (is_baseline)
        snprintf(out, 16, "base");
    else if (isfinite(cell->ratio.value))
        mb_words_times(cell->ratio.value, unicode, out);
    return out;
}

void
mb_words_cell(const struct mb_model_cell *cell, struct mb_buffer *out)
{
    mb_buffer_printf(out, "%s/%s/%s", cell->engine, cell->cell->mount, cell->cell->workload);
}

void
mb_words_name(const char *text, bool unicode, struct mb_buffer *out)
{
    MB_AUTO_BUFFER clean = MB_BUFFER_INIT(SIZE_MAX);

    mb_text_clean(&clean, text, unicode);
    mb_text_cut(out, mb_buffer_text(&clean), MB_WORDS_NAME_MOST, unicode);
}

void
mb_words_mount(const struct mb_model_group *group, size_t mount, size_t columns, bool unicode, struct mb_buffer *out)
{
    MB_AUTO_BUFFER clean = MB_BUFFER_INIT(SIZE_MAX);
    size_t mark = group->same[mount] > 0 ? 4 : 0;

    mb_text_clean(&clean, group->mounts[mount], unicode);
    mb_text_cut(out, mb_buffer_text(&clean), columns > mark ? columns - mark : 0, unicode);
    if (mark > 0)
        mb_buffer_printf(out, " (%c)", (char)('a' + (group->same[mount] - 1) % 26));
}

static void
add_fact(struct mb_buffer *out, const cJSON *json, const char *key, const char *before, bool unicode)
{
    const char *text = mb_model_text(json, key);

    if (*text == '\0')
        return;
    mb_buffer_puts(out, before);
    mb_text_clean(out, text, unicode);
}

void
mb_words_engine(const struct mb_model_group *group, bool unicode, struct mb_buffer *out)
{
    const cJSON *json = group->record != NULL ? group->record->json : NULL;
    const cJSON *cpus = cJSON_GetObjectItemCaseSensitive(json, "cpus");
    const cJSON *memory = cJSON_GetObjectItemCaseSensitive(json, "memory_bytes");
    char size[MB_FORMAT_MAX];

    if (json == NULL)
        return;
    add_fact(out, json, "runtime", "", unicode);
    bool version = *mb_model_text(json, "runtime_version") != '\0';
    add_fact(out, json, version ? "runtime_version" : "engine_version", " ", unicode);
    add_fact(out, json, "storage_driver", ", ", unicode);
    add_fact(out, json, "os", ", ", unicode);
    add_fact(out, json, "kernel", ", ", unicode);
    add_fact(out, json, "arch", " ", unicode);
    if (cJSON_IsNumber(cpus) && cpus->valuedouble >= 1)
        mb_buffer_printf(out, ", %.0f CPU%s", cpus->valuedouble, cpus->valuedouble > 1 ? "s" : "");
    if (cJSON_IsNumber(memory) && memory->valuedouble >= 1 && memory->valuedouble < 1e18)
        mb_buffer_printf(out, ", %s", mb_format_size((uint64_t)memory->valuedouble, size));
}

void
mb_words_heading(const struct mb_model_group *group, bool unicode, struct mb_buffer *out)
{
    MB_AUTO_BUFFER facts = MB_BUFFER_INIT(SIZE_MAX);

    mb_words_name(group->label, unicode, out);
    mb_words_engine(group, unicode, &facts);
    if (facts.len > 0)
        mb_buffer_printf(out, ": %s", mb_buffer_text(&facts));
}

static void
count_trials(const struct mb_model *model, const struct mb_model_group *group, size_t *least, size_t *most, size_t *warmups)
{
    *least = SIZE_MAX;
    *most = *warmups = 0;
    for (size_t i = group->first_cell; i < group->first_cell + group->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        if (c->summary.n == 0)
            continue;
        *least = c->summary.n < *least ? c->summary.n : *least;
        *most = c->summary.n > *most ? c->summary.n : *most;
        *warmups = c->warmups > *warmups ? c->warmups : *warmups;
    }
}

static void
say_dropped(const struct mb_model *model, const struct mb_model_group *group, struct mb_buffer *out)
{
    size_t dropped = 0;

    for (size_t i = group->first_cell; i < group->first_cell + group->cell_count; i++)
        dropped += model->cells[i].summary.dropped;
    mb_buffer_printf(out, " %zu outlier%s left out, as was asked for.", dropped, dropped == 1 ? " is" : "s are");
}

void
mb_words_method(const struct mb_model *model, const struct mb_model_group *group, bool unicode, struct mb_buffer *out)
{
    size_t least, most, warmups;

    count_trials(model, group, &least, &most, &warmups);
    if (most == 0) {
        mb_buffer_puts(out, "Nothing was measured.");
        return;
    }
    if (least == most)
        mb_buffer_printf(out, "%zu trial%s a cell", most, most == 1 ? "" : "s");
    else
        mb_buffer_printf(out, "%zu to %zu trials a cell", least, most);
    if (warmups > 0)
        mb_buffer_printf(out, " after %zu warm-up%s", warmups, warmups == 1 ? "" : "s");
    mb_buffer_printf(out, ": the median, %s half of its interval, %s the speed of ", unicode ? "\xC2\xB1" : "+-",
                     unicode ? "\xC3\x97" : "x");
    mb_words_name(group->mounts[group->baseline], unicode, out);
    mb_buffer_puts(out, " (above 1 is faster");
    const char *wanted = model->options->baseline != NULL ? model->options->baseline : "volume";
    if (strcmp(group->mounts[group->baseline], wanted) != 0 && model->merged == NULL) {
        mb_buffer_puts(out, "; here is no ");
        mb_words_name(wanted, unicode, out);
    }
    mb_buffer_puts(out, ").");
    if (model->options->drop_outliers)
        say_dropped(model, group, out);
}

/* The largest difference between medians of two mounts of the set, over all workloads, as a ratio of at least 1. */
static double
widest_gap(const struct mb_model *model, const struct mb_model_group *group, size_t set)
{
    double widest = NAN, low = NAN, high = NAN;
    size_t workload = MB_NONE;

    for (size_t i = group->first_cell; i < group->first_cell + group->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        if (group->same[c->mount] != set || !(c->summary.median > 0) || !mb_control_counts(c->cell))
            continue;
        if (c->workload != workload)
            low = high = c->summary.median;
        workload = c->workload;
        low = fmin(low, c->summary.median);
        high = fmax(high, c->summary.median);
        widest = fmax(widest, high / low);
    }
    return widest;
}

void
mb_words_same(const struct mb_model *model, const struct mb_model_group *group, size_t set, bool unicode, struct mb_buffer *out)
{
    const struct mb_cell *seen = NULL;
    size_t count = 0;

    for (size_t i = group->first_cell; i < group->first_cell + group->cell_count && seen == NULL; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        if (group->same[c->mount] == set && c->cell->device != NULL)
            seen = c->cell;
    }
    for (size_t m = 0; m < group->mount_count; m++) {
        if (group->same[m] != set)
            continue;
        mb_buffer_puts(out, count++ > 0 ? ", " : "");
        mb_words_name(group->mounts[m], unicode, out);
    }
    mb_buffer_puts(out, " are one filesystem here");
    if (seen != NULL) {
        mb_buffer_puts(out, " (");
        mb_text_clean(out, seen->fstype != NULL ? seen->fstype : "?", unicode);
        mb_buffer_puts(out, ", device ");
        mb_text_clean(out, seen->device, unicode);
        mb_buffer_putc(out, ')');
    }
    mb_buffer_puts(out, ": what they differ by is noise");
    double gap = widest_gap(model, group, set);
    if (isfinite(gap))
        mb_buffer_printf(out, ", up to %s%.2f", unicode ? "\xC3\x97" : "x", gap);
    mb_buffer_putc(out, '.');
}

void
mb_words_mounted(const struct mb_model *model, const struct mb_model_group *group, bool unicode, struct mb_buffer *out)
{
    size_t said = 0;

    for (size_t m = 0; m < group->mount_count; m++) {
        const char *technology = NULL;
        for (size_t i = group->first_cell; technology == NULL && i < group->first_cell + group->cell_count; i++) {
            if (model->cells[i].mount == m)
                technology = model->cells[i].cell->technology;
        }
        if (technology == NULL)
            continue;
        mb_buffer_puts(out, said++ > 0 ? ", " : " Seen mounted: ");
        mb_words_name(group->mounts[m], unicode, out);
        mb_buffer_puts(out, " is ");
        mb_text_clean(out, technology, unicode);
    }
    mb_buffer_puts(out, said > 0 ? "." : "");
}

static bool
check_remark(const struct mb_model *model, size_t i, bool unicode, struct mb_buffer *out)
{
    for (size_t k = 0; k < model->results->check_count; k++) {
        const struct mb_check *check = &model->results->checks[k];
        if (check->outcome == NULL || (strcmp(check->outcome, "fail") != 0 && strcmp(check->outcome, "error") != 0) || i-- > 0)
            continue;
        mb_text_clean(out, model->results->cells[check->cell].name, unicode);
        mb_buffer_puts(out, ": check ");
        mb_text_clean(out, check->name != NULL ? check->name : "?", unicode);
        mb_buffer_puts(out, strcmp(check->outcome, "fail") == 0 ? " failed: expected " : " could not be made: expected ");
        mb_text_clean(out, check->expected != NULL ? check->expected : "?", unicode);
        mb_buffer_puts(out, ", observed ");
        mb_text_clean(out, check->observed != NULL ? check->observed : "?", unicode);
        return true;
    }
    return false;
}

bool
mb_words_remark(const struct mb_model *model, size_t i, bool unicode, struct mb_buffer *out)
{
    const struct mb_results *results = model->results;

    if (i < results->warning_count) {
        mb_text_clean(out, results->warnings[i], unicode);
        return true;
    }
    i -= results->warning_count;
    for (size_t k = 0; k < results->run_count; k++) {
        const char *status = results->runs[k].end_status;
        if (status == NULL || strcmp(status, "complete") == 0 || i-- > 0)
            continue;
        mb_text_clean(out, results->runs[k].file != NULL ? results->runs[k].file : "?", unicode);
        mb_buffer_puts(out, ": the run was ");
        mb_text_clean(out, status, unicode);
        mb_buffer_puts(out, "; 'mountbench run --resume' goes on with it");
        return true;
    }
    for (size_t k = 0; k < results->run_count; k++) {
        const cJSON *matrix = cJSON_GetObjectItemCaseSensitive(results->runs[k].json, "matrix");
        const char *scale = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(matrix, "scale"));
        if (scale == NULL || i-- > 0)
            continue;
        mb_text_clean(out, results->runs[k].matrix_name != NULL ? results->runs[k].matrix_name : "?", unicode);
        mb_buffer_puts(out, ": sizes are scaled by ");
        mb_text_clean(out, scale, unicode);
        return true;
    }
    return check_remark(model, i, unicode, out);
}
