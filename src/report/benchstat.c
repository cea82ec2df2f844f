/*
 * benchstat.c: Go's benchmark format, a trial a line, for benchstat and what else reads it; as in
 * https://go.dev/design/14313-benchmark-format, with unit metadata.
 *
 *   benchstat -row /workload -col /mount FILE
 */
#include <math.h>
#include <string.h>

#include "report/escape.h"
#include "report/formats.h"
#include "report/words.h"

/* A part of a benchmark's name: no blanks, no '/', which begins the next part. */
static void
put_name(struct mb_buffer *out, const char *key, const char *text)
{
    MB_AUTO_BUFFER clean = MB_BUFFER_INIT(SIZE_MAX);

    mb_text_clean(&clean, text, true);
    mb_buffer_printf(out, "/%s=", key);
    for (const char *p = mb_buffer_text(&clean); *p != '\0'; p++)
        mb_buffer_putc(out, *p == ' ' || *p == '/' ? '_' : *p);
}

static void
put_trial(struct mb_buffer *out, const struct mb_cell *cell, const struct mb_sample *s, double figure)
{
    mb_buffer_printf(out, "\t1\t%lld ns/op", (long long)s->wall_ns);
    if (cell->measure != MB_MEASURE_SECONDS) {
        mb_buffer_putc(out, '\t');
        mb_json_number(out, figure);
        mb_buffer_puts(out, cell->measure == MB_MEASURE_BYTES_PER_SECOND ? " B/s" : " op/s");
    }
    mb_buffer_putc(out, '\n');
}

static int
render(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    (void)err;
    mb_buffer_puts(out, "Unit B/s better=higher\nUnit op/s better=higher\n");
    for (size_t i = 0; i < model->cell_count; i++) {
        const struct mb_model_cell *c = &model->cells[i];
        MB_AUTO_BUFFER name = MB_BUFFER_INIT(SIZE_MAX);
        mb_buffer_puts(&name, "BenchmarkMount");
        put_name(&name, "engine", c->engine);
        put_name(&name, "workload", c->cell->workload);
        put_name(&name, "mount", c->cell->mount);
        /* Digits after the last '-' are the number of threads: without this, "dd-256" would lose its end. */
        mb_buffer_puts(&name, "-1");
        for (size_t k = 0; k < c->sample_count; k++) {
            const struct mb_sample *s = &model->results->samples[c->samples[k]];
            double figure = mb_sample_figure(c->cell, s);
            if (s->warmup || !isfinite(figure))
                continue;
            mb_buffer_append(out, mb_buffer_text(&name), name.len);
            put_trial(out, c->cell, s, figure);
        }
    }
    return 0;
}

const struct mb_report_format mb_format_benchstat = {"benchstat", "Go's benchmark format, for benchstat", false, render};
