/* help_workloads.c: `run --help-workloads`, from the workloads' own rows. */
#include <stdio.h>

#include "cli/help.h"
#include "mountbench/parse.h"
#include "mountbench/workload.h"

static void
describe_range(const struct mb_param *p, struct mb_buffer *out)
{
    char low[MB_FORMAT_MAX], high[MB_FORMAT_MAX];

    if (p->type == MB_PARAM_SIZE)
        mb_buffer_printf(out, " %s to %s;", mb_format_size(p->min, low), mb_format_size(p->max, high));
    else if (p->type == MB_PARAM_COUNT)
        mb_buffer_printf(out, " %ju to %ju;", (uintmax_t)p->min, (uintmax_t)p->max);
    for (size_t i = 0; p->type == MB_PARAM_CHOICE && p->choices[i] != NULL; i++)
        mb_buffer_printf(out, "%s%s", i > 0 ? "|" : " ", p->choices[i]);
    if (p->type == MB_PARAM_CHOICE)
        mb_buffer_putc(out, ';');
    if (p->fallback != NULL)
        mb_buffer_printf(out, " default %s", p->fallback);
    else
        mb_buffer_puts(out, " required");
}

static void
describe(const struct mb_workload *w, struct mb_buffer *out)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(8192);

    mb_buffer_printf(out, "%s\n  ", w->name);
    mb_help_wrapped(out, w->does, 2, 2);
    mb_buffer_printf(&text, "Does not show: %s", w->hides);
    mb_buffer_puts(out, "  ");
    mb_help_wrapped(out, mb_buffer_text(&text), 2, 2);
    for (const struct mb_param *p = w->params; p->name != NULL; p++) {
        mb_buffer_reset(&text);
        mb_buffer_printf(&text, "%s;", p->help);
        describe_range(p, &text);
        mb_buffer_printf(out, "    %-10s ", p->name);
        mb_help_wrapped(out, mb_buffer_text(&text), 15, 15);
    }
    for (const struct mb_text_param *t = w->texts; t != NULL && t->name != NULL; t++) {
        mb_buffer_printf(out, "    %-10s ", t->name);
        mb_help_wrapped(out, t->help, 15, 15);
    }
    if (w->leaves != NULL) {
        mb_buffer_puts(out, "    host_visible ");
        mb_help_wrapped(
            out,
            "true, or how long to wait at most: where the mount is also a directory of this machine, how long after the "
            "trial that holds the same bytes; untimed, true waits 1m; default false",
            17, 15);
    }
    mb_buffer_putc(out, '\n');
}

void
mb_help_workloads(struct mb_buffer *out)
{
    mb_buffer_puts(out, "The workloads a matrix may name as `type`, with their settings.\n\n");
    for (const struct mb_workload *const *w = mb_workloads(); *w != NULL; w++)
        describe(*w, out);
}
