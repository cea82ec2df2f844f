/* cmd_published.c: `mountbench published`: the articles' tables, from their trials, or beside a measured run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "mountbench/published.h"
#include "mountbench/text.h"

#define OUTPUT_MAX (4u << 20)

static void
row(const char *name, const char *rows, const char *date, const char *title)
{
    printf("%-26s %4s  %-18s  %s\n", name, rows, date, title);
}

static int
list_one(const char *name, struct mb_error *err)
{
    struct mb_published *published;
    char *path = NULL;
    char rows[24];

    if (mb_published_find(name, &path, err) != 0)
        return -1;
    int status = mb_published_load(path, &published, err);
    free(path);
    if (status != 0)
        return -1;
    const char *date = mb_published_source(published, "measured");
    const char *title = mb_published_source(published, "title");
    snprintf(rows, sizeof rows, "%zu", mb_published_rows(published));
    row(name, rows, date != NULL ? date : "not given", title != NULL ? title : "");
    mb_published_free(published);
    return 0;
}

static int
list(struct mb_error *err)
{
    char **names;
    size_t n;
    int status = 0;

    if (mb_published_names(&names, &n, err) != 0)
        return -1;
    row("NAME", "ROWS", "MEASURED", "ARTICLE");
    for (size_t i = 0; i < n; i++) {
        if (status == 0)
            status = list_one(names[i], err);
        free(names[i]);
    }
    free(names);
    return status;
}

static int
choose_layout(const struct mb_args *args, struct mb_published_layout *layout, struct mb_error *err)
{
    const char *format = mb_args_text(args, "format");

    layout->markdown = format != NULL && strcmp(format, "markdown") == 0;
    if (format != NULL && !layout->markdown && strcmp(format, "terminal") != 0)
        return mb_error_set(err, MB_EUSAGE, "--format: '%s' is none of terminal, markdown", format);
    layout->width = mb_args_count(args, "width", mb_terminal_width(STDOUT_FILENO));
    layout->width = layout->width < 40 ? 40 : layout->width;
    layout->unicode = layout->markdown || mb_text_utf8_locale();
    return 0;
}

static int
render(const struct mb_published *published, const struct mb_args *args, struct mb_error *err)
{
    struct mb_published_layout layout;
    const char *const *with = mb_args_all(args, "with");
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(OUTPUT_MAX);
    struct mb_results *measured;
    size_t n = 0;

    if (choose_layout(args, &layout, err) != 0)
        return -1;
    if (with == NULL) {
        mb_published_print(published, &layout, &text);
    } else {
        while (with[n] != NULL)
            n++;
        if (mb_results_read(with, n, &measured, err) != 0)
            return -1;
        mb_published_compare(published, measured, &layout, &text);
        mb_results_free(measured);
    }
    if (text.overflowed)
        return mb_error_set(err, MB_EIO, "the table is larger than %u MiB, or memory ran out", OUTPUT_MAX >> 20);
    fputs(mb_buffer_text(&text), stdout);
    return 0;
}

static int
run(const struct mb_args *args, struct mb_error *err)
{
    struct mb_published *published;
    size_t n;
    const char *const *operands = mb_args_operands(args, &n);
    char *path = NULL;

    if (n == 0 && mb_args_given(args, "with"))
        return mb_error_set(err, MB_EUSAGE, "--with wants the table to set the run beside: mountbench published NAME --with FILE");
    if (n == 0)
        return list(err);
    if (mb_published_find(operands[0], &path, err) != 0)
        return -1;
    int status = mb_published_load(path, &published, err);
    free(path);
    if (status != 0)
        return -1;
    status = render(published, args, err);
    mb_published_free(published);
    return status;
}

static const char *const options[] = {"with", "format", "width", NULL};

const struct mb_command mb_cmd_published = {
    .name = "published",
    .operands = "[NAME]",
    .operands_max = 1,
    .summary = "the tables that articles printed, computed from their trials, or beside a measured run",
    .details = "Without NAME, list the tables.  With it, print the article's tables in its own columns\n"
               "and rounding, computed from its trials, and which of its figures do not follow from them.\n\n"
               "  mountbench published rancher-desktop-settings\n"
               "  mountbench run matrix/published/rancher-desktop-settings-lab.yaml -o run.jsonl\n"
               "  mountbench published rancher-desktop-settings --with run.jsonl\n\n"
               "Formats: terminal, markdown.\n",
    .options = options,
    .run = run,
};
