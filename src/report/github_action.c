/*
 * github_action.c: the JSON that github-action-benchmark takes for `tool: customBiggerIsBetter` and `customSmallerIsBetter`: an
 * array of name, unit, value, range, extra.  That tool takes one direction a file: rates go into the first, the time of every
 * cell's trial into the second.
 */
#include <math.h>
#include <stdlib.h>

#include "report/escape.h"
#include "report/formats.h"
#include "report/times.h"
#include "report/words.h"

static void
put_entry(struct mb_buffer *out, const char *name, bool first, const struct mb_model_cell *c, const char *unit, double value,
          double half)
{
    mb_buffer_puts(out, first ? "\n  {\"name\": " : ",\n  {\"name\": ");
    mb_escape_json(out, name);
    mb_buffer_printf(out, ", \"unit\": \"%s\", \"value\": ", unit);
    mb_json_number(out, value);
    if (isfinite(half))
        mb_buffer_printf(out, ", \"range\": \"\xC2\xB1 %.3g\"", half);
    mb_buffer_printf(out, ", \"extra\": \"median of %zu trials\"}", c->summary.n);
}

static int
render_bigger(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    MB_AUTO_BUFFER name = MB_BUFFER_INIT(SIZE_MAX);
    size_t shown = 0;

    (void)err;
    mb_buffer_puts(out, "[");
    for (size_t i = 0; i < model->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        const struct mb_digest *s = &c->summary;
        if (s->n == 0 || c->cell->measure == MB_MEASURE_SECONDS)
            continue;
        bool bytes = c->cell->measure == MB_MEASURE_BYTES_PER_SECOND;
        mb_buffer_reset(&name);
        mb_words_cell(c, &name);
        put_entry(out, mb_buffer_text(&name), shown++ == 0, c, bytes ? "MB/s" : "op/s", s->median / (bytes ? 1e6 : 1),
                  (s->high - s->low) / 2 / (bytes ? 1e6 : 1));
    }
    mb_buffer_puts(out, "\n]\n");
    return 0;
}

static int
render_smaller(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    double *x = calloc(model->results->sample_count + 1, sizeof *x);
    MB_AUTO_BUFFER name = MB_BUFFER_INIT(SIZE_MAX);
    size_t shown = 0;
    int rc = 0;

    if (x == NULL)
        return mb_error_set(err, MB_EIO, "out of memory while making the report");
    mb_buffer_puts(out, "[");
    for (size_t i = 0; i < model->cell_count && rc == 0; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        struct mb_summary wall;
        struct mb_interval interval;
        size_t n = mb_times_of(model, c, MB_TIMES_WALL, x);
        rc = mb_summary(x, n, &wall, err);
        if (rc == 0)
            rc = mb_interval_location(MB_LOCATION_MEDIAN, x, n, &model->bootstrap, &interval, err);
        if (rc != 0 || n == 0)
            continue;
        mb_buffer_reset(&name);
        mb_words_cell(c, &name);
        put_entry(out, mb_buffer_text(&name), shown++ == 0, c, "ms", wall.median * 1e3, (interval.high - interval.low) / 2 * 1e3);
    }
    mb_buffer_puts(out, "\n]\n");
    free(x);
    return rc;
}

const struct mb_report_format mb_format_github_bigger = {"github-action-bigger", "rates, for github-action-benchmark", false,
                                                         render_bigger};
const struct mb_report_format mb_format_github_smaller = {"github-action-smaller", "times, for github-action-benchmark", false,
                                                          render_smaller};
