/*
 * csv.c: RFC 4180 with "\n" line ends, for spreadsheets and data frames: a sample a row, or with the summary option a cell a row.
 *
 * Empty fields are what is not known; numbers are in bytes, nanoseconds and units per second.
 */
#include <inttypes.h>
#include <math.h>

#include "report/escape.h"
#include "report/formats.h"
#include "report/words.h"

static void
put_text(struct mb_buffer *out, const char *text)
{
    mb_escape_csv(out, text != NULL ? text : "");
    mb_buffer_putc(out, ',');
}

static void
put_number(struct mb_buffer *out, double figure)
{
    if (isfinite(figure))
        mb_json_number(out, figure);
    mb_buffer_putc(out, ',');
}

/* Replace the comma after the last field by a line end. */
static void
end_row(struct mb_buffer *out)
{
    if (out->len > 0)
        out->data[out->len - 1] = '\n';
}

static const char *
run_id(const struct mb_model *model, const struct mb_cell *cell)
{
    return cell->run < model->results->run_count ? model->results->runs[cell->run].id : NULL;
}

static void
put_cell_names(struct mb_buffer *out, const struct mb_model *model, const struct mb_cell *cell)
{
    put_text(out, run_id(model, cell));
    put_text(out, cell->engine);
    put_text(out, cell->mount);
    put_text(out, cell->workload);
    put_text(out, cell->kind);
    put_text(out, cell->fstype);
}

static void
put_count(struct mb_buffer *out, uint64_t n)
{
    if (n > 0)
        mb_buffer_printf(out, "%" PRIu64, n);
    mb_buffer_putc(out, ',');
}

static void
put_time(struct mb_buffer *out, int64_t ns)
{
    if (ns >= 0)
        mb_buffer_printf(out, "%" PRId64, ns);
    mb_buffer_putc(out, ',');
}

static void
put_sample(struct mb_buffer *out, const struct mb_cell *cell, const struct mb_sample *s)
{
    static const char *const status[] = {"ok", "failed", "timeout"};

    mb_buffer_printf(out, "%u,%u,%s,%s,", s->round, s->order, s->warmup ? "true" : "false", status[s->status]);
    put_text(out, s->reason);
    put_text(out, mb_measure_name(cell->measure));
    put_number(out, mb_sample_figure(cell, s));
    put_time(out, s->wall_ns);
    put_time(out, s->user_ns);
    put_time(out, s->sys_ns);
    put_count(out, s->bytes);
    put_count(out, s->ops);
    put_count(out, s->latency.p50_ns);
    put_count(out, s->latency.p95_ns);
    put_count(out, s->latency.p99_ns);
    put_count(out, s->latency.max_ns);
    end_row(out);
}

/* A cell without samples still has a row: its status and why. */
static void
put_bare_cell(struct mb_buffer *out, const struct mb_cell *cell)
{
    static const char *const status[] = {"not measured", "unavailable", "skipped"};

    mb_buffer_printf(out, ",,,%s,", status[cell->status]);
    put_text(out, cell->reason);
    put_text(out, mb_measure_name(cell->measure));
    mb_buffer_puts(out, ",,,,,,,,,,");
    end_row(out);
}

static void
render_samples(const struct mb_model *model, struct mb_buffer *out)
{
    mb_buffer_puts(out,
                   "run,engine,mount,workload,kind,fstype,round,order,warmup,status,reason,measure,figure,wall_ns,user_ns,sys_ns,"
                   "bytes,ops,p50_ns,p95_ns,p99_ns,max_ns\n");
    for (size_t i = 0; i < model->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        MB_AUTO_BUFFER names = MB_BUFFER_INIT(SIZE_MAX);
        put_cell_names(&names, model, c->cell);
        for (size_t k = 0; k < c->sample_count; k++) {
            mb_buffer_append(out, mb_buffer_text(&names), names.len);
            put_sample(out, c->cell, &model->results->samples[c->samples[k]]);
        }
        if (c->sample_count == 0) {
            mb_buffer_append(out, mb_buffer_text(&names), names.len);
            put_bare_cell(out, c->cell);
        }
    }
}

static void
render_cells(const struct mb_model *model, struct mb_buffer *out)
{
    mb_buffer_puts(out,
                   "run,engine,mount,workload,kind,fstype,status,reason,measure,n,failed,timeouts,warmups,median,low,high,mean,"
                   "stddev,min,max,baseline,ratio,ratio_low,ratio_high\n");
    for (size_t i = 0; i < model->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        const struct mb_model_group *g = &model->groups[c->group];
        const struct mb_digest *s = &c->summary;
        const double figures[] = {s->median, s->low, s->high, s->mean, s->stddev, s->min, s->max};
        put_cell_names(out, model, c->cell);
        put_text(out, s->n > 0 ? "measured" : mb_words_no_figure(c));
        put_text(out, c->cell->reason != NULL ? c->cell->reason : c->trouble);
        put_text(out, mb_measure_name(c->cell->measure));
        mb_buffer_printf(out, "%zu,%zu,%zu,%zu,", s->n, c->failed, c->timeouts, c->warmups);
        for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++)
            put_number(out, figures[k]);
        put_text(out, g->mounts[g->baseline]);
        put_number(out, c->ratio.value);
        put_number(out, c->ratio.low);
        put_number(out, c->ratio.high);
        end_row(out);
    }
}

static int
render(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    (void)err;
    if (model->options->summary)
        render_cells(model, out);
    else
        render_samples(model, out);
    return 0;
}

const struct mb_report_format mb_format_csv = {"csv", "a sample a row, or with --summary a cell a row", false, render};
