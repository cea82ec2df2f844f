/* report.c: the list of formats; a new one is one file and one line here and in formats.h. */
#include "mountbench/report.h"

#include <stdio.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/formats.h"

const struct mb_report_format *const *
mb_report_formats(void)
{
    static const struct mb_report_format *const formats[] = {
        &mb_format_terminal,
        &mb_format_markdown,
        &mb_format_asciidoc,
        &mb_format_csv,
        &mb_format_json,
        &mb_format_svg,
        &mb_format_png,
        &mb_format_html,
        &mb_format_benchstat,
        &mb_format_hyperfine,
        &mb_format_github_bigger,
        &mb_format_github_smaller,
        NULL,
    };
    return formats;
}

const struct mb_report_format *
mb_report_format_find(const char *name, struct mb_error *err)
{
    const char *names[32] = {NULL};
    char list[256] = "", shown[MB_PRINTABLE_MAX];
    size_t n = 0, length = 0;

    for (const struct mb_report_format *const *f = mb_report_formats(); *f != NULL; f++) {
        if (strcmp((*f)->name, name) == 0)
            return *f;
        names[n++] = (*f)->name;
        if (length < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", n > 1 ? ", " : "", (*f)->name);
    }
    const char *near = mb_nearest(name, names);
    mb_printable(name, shown);
    if (near != NULL)
        mb_error_set(err, MB_EUSAGE, "unknown format '%s' (did you mean '%s'?)", shown, near);
    else
        mb_error_set(err, MB_EUSAGE, "unknown format '%s'; there are: %s", shown, list);
    return NULL;
}

int
mb_report_render(const struct mb_results *results, const struct mb_report_options *options, struct mb_buffer *out,
                 struct mb_error *err)
{
    const struct mb_report_format *format = mb_report_format_find(options->format != NULL ? options->format : "terminal", err);
    struct mb_model *model;

    if (format == NULL || mb_model_build(results, options, &model, err) != 0)
        return -1;
    int rc = format->render(model, out, err);
    mb_model_free(model);
    if (rc == 0 && out->overflowed)
        return mb_error_set(err, MB_EIO, "the report is longer than memory or its limit allows");
    return rc;
}
