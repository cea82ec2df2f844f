/* cmd_report.c: `mountbench report`: render result files. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/run_output.h"
#include "mountbench/file.h"
#include "mountbench/report.h"
#include "mountbench/text.h"

/* Where the report goes: a file, replaced at once when all of it is there, or standard output. */
static int
deliver(const struct mb_buffer *report, const char *output, struct mb_error *err)
{
    if (output != NULL && strcmp(output, "-") != 0)
        return mb_file_replace(output, mb_buffer_text(report), report->len, err);
    if (fwrite(mb_buffer_text(report), 1, report->len, stdout) != report->len || fflush(stdout) != 0)
        return mb_error_set(err, MB_EIO, "cannot write to standard output");
    return 0;
}

static int
run(const struct mb_args *args, struct mb_error *err)
{
    const char *output = mb_args_text(args, "output");
    bool to_stdout = output == NULL || strcmp(output, "-") == 0;
    bool to_terminal = to_stdout && isatty(STDOUT_FILENO);
    const char *name = mb_args_text(args, "format") != NULL ? mb_args_text(args, "format") : "terminal";
    const struct mb_report_format *format = mb_report_format_find(name, err);
    const struct mb_report_options options = {
        .format = name,
        .width = (unsigned)mb_args_count(args, "width", mb_terminal_width(STDOUT_FILENO)),
        .colour = to_stdout && mb_use_colour(STDOUT_FILENO),
        .ascii = !mb_text_utf8_locale(),
        .baseline = mb_args_text(args, "baseline"),
        .drop_outliers = mb_args_given(args, "drop-outliers"),
        .details = mb_args_given(args, "details"),
        .summary = mb_args_given(args, "summary"),
        .command = mb_args_line(args),
    };
    struct mb_results *results;
    size_t files;
    const char *const *operands = mb_args_operands(args, &files);
    MB_AUTO_BUFFER report = MB_BUFFER_INIT(MB_REPORT_MAX_BYTES);

    if (format == NULL)
        return -1;
    if (format->binary && to_terminal)
        return mb_error_set(err, MB_EUSAGE, "%s is not made for a terminal: name a file with --output FILE", format->name);
    if (mb_output_apart(output, operands, files, err) != 0 || mb_results_read(operands, files, &results, err) != 0)
        return -1;
    int rc = mb_report_render(results, &options, &report, err);
    mb_results_free(results);
    return rc == 0 ? deliver(&report, output, err) : -1;
}

static const char *const options[] = {"format", "output", "baseline", "details", "summary", "width", "drop-outliers", NULL};

const struct mb_command mb_cmd_report = {
    .name = "report",
    .operands = "FILE...",
    .operands_min = 1,
    .operands_max = 10000,
    .summary = "render result files as tables, plots, a page, or for other tools",
    .details = "Many files make one report; '-' is standard input.  Ratios are speeds: above 1 is\n"
               "faster than the baseline, whatever the measure.\n\n"
               "Formats:\n"
               "  terminal               aligned tables with bars, for a screen\n"
               "  markdown               GitHub-flavoured Markdown tables\n"
               "  asciidoc               AsciiDoc tables\n"
               "  csv                    a sample a row, or with --summary a cell a row\n"
               "  json                   the summary with intervals, for programs\n"
               "  svg                    plots of every trial, in light and dark\n"
               "  png                    the same as pixels (needs rsvg-convert)\n"
               "  html                   one page that needs no network: verdict, tables, plots\n"
               "  benchstat              Go's benchmark format, for benchstat\n"
               "  hyperfine              times as hyperfine exports them to JSON\n"
               "  github-action-bigger   rates, for github-action-benchmark\n"
               "  github-action-smaller  times, for github-action-benchmark\n"
               "\n"
               "Examples:\n"
               "  mountbench report results/quick-*.jsonl\n"
               "  mountbench report -f markdown -b layer FILE >> README.md\n"
               "  mountbench report -f html -o report.html FILE\n",
    .options = options,
    .run = run,
};
