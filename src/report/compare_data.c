/* compare_data.c: comparisons for programs: a row a line as CSV, and JSON.  What is not known is empty or null, never NaN. */
#include <math.h>

#include "report/compare.h"
#include "report/escape.h"

static const char *const codes[MB_COMPARE_VERDICTS] = {
    [MB_COMPARE_FASTER] = "faster", [MB_COMPARE_SLOWER] = "slower",   [MB_COMPARE_SAME] = "same",
    [MB_COMPARE_UNSURE] = "unsure", [MB_COMPARE_MISSING] = "missing", [MB_COMPARE_REFUSED] = "refused",
};

/* ${figure} and a comma; nothing before it when it is not known. */
static void
csv_number(struct mb_buffer *out, double figure)
{
    if (isfinite(figure))
        mb_json_number(out, figure);
    mb_buffer_putc(out, ',');
}

static void
csv_text(struct mb_buffer *out, const char *text)
{
    mb_escape_csv(out, text != NULL ? text : "");
    mb_buffer_putc(out, ',');
}

void
mb_compare_csv(const struct mb_comparison *const *c, size_t n, const struct mb_compare_view *view, struct mb_buffer *out)
{
    (void)view;
    mb_buffer_puts(out,
                   "a,b,cell,measure,n_a,median_a,low_a,high_a,n_b,median_b,low_b,high_b,ratio,ratio_low,ratio_high,p,p_corrected,"
                   "test,verdict,why\n");
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < c[i]->row_count; k++) {
            const struct mb_compare_row *row = &c[i]->rows[k];
            csv_text(out, c[i]->label_a);
            csv_text(out, c[i]->label_b);
            csv_text(out, row->name);
            csv_text(out, mb_measure_name(row->a->measure));
            const struct mb_compare_value *const values[] = {&row->value_a, &row->value_b};
            for (size_t side = 0; side < 2; side++) {
                mb_buffer_printf(out, "%zu,", values[side]->n);
                csv_number(out, values[side]->median);
                csv_number(out, values[side]->interval.low);
                csv_number(out, values[side]->interval.high);
            }
            csv_number(out, row->ratio);
            csv_number(out, row->interval.low);
            csv_number(out, row->interval.high);
            csv_number(out, row->p);
            csv_number(out, row->p_corrected);
            mb_buffer_printf(out, "%s,%s,", isnan(row->p) ? "" : row->welch ? "welch-log" : "mann-whitney", codes[row->verdict]);
            mb_escape_csv(out, row->why != NULL ? row->why : "");
            mb_buffer_putc(out, '\n');
        }
    }
}

static void
json_text(struct mb_buffer *out, const char *key, const char *text)
{
    mb_buffer_printf(out, "\"%s\": ", key);
    mb_escape_json(out, text);
    mb_buffer_puts(out, ", ");
}

static void
json_number(struct mb_buffer *out, const char *key, double figure)
{
    mb_buffer_printf(out, "\"%s\": ", key);
    mb_json_number(out, figure);
    mb_buffer_puts(out, ", ");
}

static void
json_interval(struct mb_buffer *out, const char *key, const struct mb_interval *interval)
{
    mb_buffer_printf(out, "\"%s\": [", key);
    mb_json_number(out, interval->low);
    mb_buffer_puts(out, ", ");
    mb_json_number(out, interval->high);
    mb_buffer_puts(out, "], ");
}

static void
json_value(struct mb_buffer *out, const char *key, const struct mb_cell *cell, const struct mb_compare_value *value)
{
    mb_buffer_printf(out, "\"%s\": {", key);
    json_text(out, "cell", cell->name);
    json_number(out, "median", value->median);
    json_interval(out, "interval", &value->interval);
    mb_buffer_printf(out, "\"n\": %zu}, ", value->n);
}

static void
json_row(struct mb_buffer *out, const struct mb_compare_row *row)
{
    mb_buffer_puts(out, "\n        {");
    json_text(out, "cell", row->name);
    json_text(out, "measure", mb_measure_name(row->a->measure));
    json_value(out, "a", row->a, &row->value_a);
    json_value(out, "b", row->b, &row->value_b);
    json_number(out, "speed_ratio", row->ratio);
    json_interval(out, "interval", &row->interval);
    json_number(out, "p", row->p);
    json_number(out, "p_corrected", row->p_corrected);
    if (!isnan(row->p))
        json_text(out, "test", row->welch ? "welch-log" : "mann-whitney");
    if (row->why != NULL)
        json_text(out, "why", row->why);
    mb_buffer_printf(out, "\"verdict\": \"%s\"}", codes[row->verdict]);
}

void
mb_compare_json(const struct mb_comparison *const *c, size_t n, const struct mb_compare_view *view, struct mb_buffer *out)
{
    (void)view;
    mb_buffer_puts(out, "{\n  \"schema\": 1,\n  \"comparisons\": [");
    for (size_t i = 0; i < n; i++) {
        mb_buffer_puts(out, i > 0 ? ",\n    {" : "\n    {");
        json_text(out, "a", c[i]->label_a);
        json_text(out, "b", c[i]->label_b);
        mb_buffer_puts(out, "\"rows\": [");
        for (size_t k = 0; k < c[i]->row_count; k++) {
            mb_buffer_puts(out, k > 0 ? "," : "");
            json_row(out, &c[i]->rows[k]);
        }
        mb_buffer_puts(out, "\n      ],\n      \"remarks\": [");
        for (size_t k = 0; k < c[i]->remark_count; k++) {
            mb_buffer_puts(out, k > 0 ? ", " : "");
            mb_escape_json(out, c[i]->remarks[k]);
        }
        mb_buffer_puts(out, "],\n      ");
        json_number(out, "noise_floor", c[i]->noise);
        json_number(out, "geometric_mean", c[i]->mean_ratio);
        mb_buffer_printf(out, "\"geometric_mean_of\": %zu}", c[i]->mean_of);
    }
    mb_buffer_puts(out, "\n  ]\n}\n");
}
