/* hyperfine.c: what `hyperfine --export-json` writes, for its plotting scripts and what else reads that: a cell is a "command". */
#include <math.h>
#include <stdlib.h>

#include "report/escape.h"
#include "report/formats.h"
#include "report/times.h"
#include "report/words.h"

size_t
mb_times_of(const struct mb_model *model, const struct mb_model_cell *cell, enum mb_times what, double *out)
{
    size_t n = 0;

    for (size_t i = 0; i < cell->sample_count; i++) {
        const struct mb_sample *s = &model->results->samples[cell->samples[i]];
        int64_t ns = what == MB_TIMES_WALL ? s->wall_ns : what == MB_TIMES_USER ? s->user_ns : s->sys_ns;
        if (!s->warmup && s->status == MB_SAMPLE_OK && ns >= 0)
            out[n++] = (double)ns / 1e9;
    }
    return n;
}

static void
put_number(struct mb_buffer *out, const char *key, double figure)
{
    mb_buffer_printf(out, "      \"%s\": ", key);
    mb_json_number(out, figure);
    mb_buffer_puts(out, ",\n");
}

static void
put_list(struct mb_buffer *out, const char *key, const double *x, size_t n)
{
    mb_buffer_printf(out, "      \"%s\": [", key);
    for (size_t i = 0; i < n; i++) {
        mb_buffer_puts(out, i > 0 ? ", " : "");
        mb_json_number(out, x != NULL ? x[i] : 0);
    }
    mb_buffer_puts(out, "],\n");
}

static int
put_cell(struct mb_buffer *out, const struct mb_model *model, const struct mb_model_cell *c, double *x, struct mb_error *err)
{
    struct mb_summary wall, user, system;
    MB_AUTO_BUFFER name = MB_BUFFER_INIT(SIZE_MAX);
    const char *const parameters[][2] = {{"engine", c->engine}, {"mount", c->cell->mount}, {"workload", c->cell->workload}};

    if (mb_summary(x, mb_times_of(model, c, MB_TIMES_USER, x), &user, err) != 0 ||
        mb_summary(x, mb_times_of(model, c, MB_TIMES_SYSTEM, x), &system, err) != 0)
        return -1;
    size_t n = mb_times_of(model, c, MB_TIMES_WALL, x);
    if (mb_summary(x, n, &wall, err) != 0)
        return -1;
    mb_buffer_puts(out, "    {\n      \"command\": ");
    mb_words_cell(c, &name);
    mb_escape_json(out, mb_buffer_text(&name));
    mb_buffer_puts(out, ",\n");
    put_number(out, "mean", wall.mean);
    put_number(out, "stddev", wall.stddev);
    put_number(out, "median", wall.median);
    put_number(out, "user", user.n > 0 ? user.mean : 0);
    put_number(out, "system", system.n > 0 ? system.mean : 0);
    put_number(out, "min", wall.min);
    put_number(out, "max", wall.max);
    put_list(out, "times", x, n);
    put_list(out, "exit_codes", NULL, n);
    mb_buffer_puts(out, "      \"parameters\": {");
    for (size_t i = 0; i < 3; i++) {
        mb_buffer_printf(out, "%s\"%s\": ", i > 0 ? ", " : "", parameters[i][0]);
        mb_escape_json(out, parameters[i][1]);
    }
    mb_buffer_puts(out, "}\n    }");
    return 0;
}

static int
render(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    double *x = calloc(model->results->sample_count + 1, sizeof *x);
    size_t shown = 0;
    int rc = 0;

    mb_buffer_puts(out, "{\n  \"results\": [");
    if (x == NULL)
        return mb_error_set(err, MB_EIO, "out of memory while making the report");
    for (size_t i = 0; i < model->cell_count && rc == 0; i++) {
        if (mb_times_of(model, &model->cells[i], MB_TIMES_WALL, x) == 0)
            continue;
        mb_buffer_puts(out, shown++ > 0 ? ",\n" : "\n");
        rc = put_cell(out, model, &model->cells[i], x, err);
    }
    mb_buffer_puts(out, "\n  ]\n}\n");
    free(x);
    return rc;
}

const struct mb_report_format mb_format_hyperfine = {"hyperfine", "times as hyperfine exports them to JSON", false, render};
