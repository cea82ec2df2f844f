/* cmd_run.c: `mountbench run`: measure a matrix, keep the samples, print the table. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/matrix_args.h"
#include "cli/progress.h"
#include "cli/run_output.h"
#include "mountbench/matrix.h"
#include "mountbench/parse.h"
#include "mountbench/report.h"
#include "mountbench/runner.h"
#include "mountbench/text.h"

/* A seed that people can type again. */
static uint64_t
draw_seed(void)
{
    uint32_t seed = (uint32_t)time(NULL);
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        if (read(fd, &seed, sizeof seed) != (ssize_t)sizeof seed)
            seed ^= (uint32_t)getpid();
        close(fd);
    }
    return seed;
}

static int
print_table(const struct mb_args *args, const char *file, struct mb_error *err)
{
    const struct mb_report_options options = {.format = mb_args_text(args, "format"),
                                              .width = mb_terminal_width(STDOUT_FILENO),
                                              .colour = mb_use_colour(STDOUT_FILENO),
                                              .ascii = !mb_text_utf8_locale(),
                                              .baseline = mb_args_text(args, "baseline"),
                                              .details = mb_args_given(args, "details")};
    struct mb_results *results;
    MB_AUTO_BUFFER out = MB_BUFFER_INIT((size_t)64 << 20);

    if (mb_results_read(&file, 1, &results, err) != 0)
        return -1;
    int rc = mb_report_render(results, &options, &out, err);
    mb_results_free(results);
    if (rc == 0)
        fwrite(mb_buffer_text(&out), 1, out.len, stdout);
    return rc;
}

/* Whether a run that goes on needs more than the matrix to be the same run. */
static bool
is_narrowed(const struct mb_args *args)
{
    static const char *const names[] = {"engine", "mount", "workload", "rounds", "warmup", "dir", "timeout", "max-time", "scale"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (mb_args_given(args, names[i]))
            return true;
    }
    return false;
}

/* The message of a run that did not reach its end says where its samples are, and how to go on. */
static int
stopped(const struct mb_args *args, const char *output, const struct mb_run_outcome *outcome, struct mb_error *err)
{
    const char *const *operands = mb_args_operands(args, NULL);
    char before[sizeof err->message];

    if (access(output, F_OK) != 0 || (outcome->samples == 0 && err->code != MB_EINTERRUPT))
        return -1;
    memcpy(before, err->message, sizeof before);
    mb_error_set(err, err->code,
                 "%s; %zu samples are in '%s': 'mountbench report %s' prints them, 'mountbench run %s --resume %s'%s goes on",
                 before, outcome->samples, output, output, operands[0] != NULL ? operands[0] : "quick", output,
                 is_narrowed(args) ? " with the other options of this run" : "");
    return -1;
}

static void
say_outcome(const struct mb_matrix *m, const struct mb_run_outcome *outcome, const char *output)
{
    /* Where both go to one file, this is to come after the table. */
    fflush(stdout);
    fputc('\n', stderr);
    if (m->precision_percent > 0)
        fprintf(stderr, "%zu of %zu cells reached the precision of %g %%\n", outcome->cells_precise, outcome->cells_ready,
                m->precision_percent);
    fprintf(stderr, "%zu samples are in %s\n", outcome->samples, output);
}

/* A mount of the matrix, or one of its engines where these are the rows; a typing error is not to wait for the table to show. */
static int
check_baseline(const struct mb_matrix *m, const char *baseline, struct mb_error *err)
{
    const char **names = calloc(m->mount_count + m->engine_count + 1, sizeof *names);
    char shown[MB_PRINTABLE_MAX], nearest[MB_PRINTABLE_MAX];
    size_t n = 0;
    bool known = false;

    if (names == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (size_t i = 0; i < m->mount_count; i++)
        names[n++] = m->mounts[i].name;
    for (size_t i = 0; i < m->engine_count; i++)
        names[n++] = m->engines[i].name;
    for (size_t i = 0; i < n; i++)
        known = known || strcmp(names[i], baseline) == 0;
    const char *near = mb_nearest(baseline, names);
    mb_printable(baseline, shown);
    if (!known && near != NULL)
        mb_error_set(err, MB_EUSAGE, "--baseline: no mount is called '%s' (did you mean '%s'?)", shown,
                     mb_printable(near, nearest));
    else if (!known)
        mb_error_set(err, MB_EUSAGE, "--baseline: no mount is called '%s'; 'mountbench plan' lists them", shown);
    free(names);
    return known ? 0 : -1;
}

/* What can be seen to be wrong before anything is measured. */
static int
check_args(const struct mb_args *args, const struct mb_matrix *m, struct mb_error *err)
{
    const char *output = mb_args_text(args, "output"), *format = mb_args_text(args, "format");
    const char *baseline = mb_args_text(args, "baseline");

    if (output != NULL && mb_args_given(args, "resume"))
        return mb_error_set(err, MB_EUSAGE, "--output and --resume exclude each other: a run that goes on appends to its own file");
    if (output != NULL && strcmp(output, "-") == 0)
        return mb_error_set(
            err, MB_EUSAGE,
            "--output: a run keeps its samples in a file, not on standard output; for what a program reads, see --format");
    if (format != NULL && mb_report_format_find(format, err) == NULL)
        return -1;
    return baseline != NULL ? check_baseline(m, baseline, err) : 0;
}

static int
run_matrix(const struct mb_args *args, const struct mb_matrix *m, struct mb_error *err)
{
    bool resume = mb_args_given(args, "resume");
    char automatic[256];
    const char *output = resume ? mb_args_text(args, "resume") : mb_args_text(args, "output");
    struct mb_run_outcome outcome;
    struct mb_progress progress;

    if (check_args(args, m, err) != 0)
        return -1;
    if (output == NULL) {
        if (mb_run_output(m->name, automatic, sizeof automatic, err) != 0)
            return -1;
        output = automatic;
    }
    mb_progress_init(&progress, mb_args_given(args, "quiet"), mb_args_given(args, "no-progress"));
    const struct mb_run_options options = {.matrix = m,
                                           .seed = mb_args_given(args, "seed") ? mb_args_count(args, "seed", 0) : draw_seed(),
                                           .dir = mb_args_text(args, "dir"),
                                           .output = output,
                                           .resume = resume,
                                           .timeout_ns = mb_args_duration_ns(args, "timeout", 0),
                                           .command = mb_args_line(args),
                                           .observer = {mb_progress_tell, &progress}};
    int rc = mb_run(&options, &outcome, err);
    mb_progress_end(&progress);
    if (rc != 0 && !outcome.complete)
        return stopped(args, output, &outcome, err);
    if (print_table(args, output, rc == 0 ? err : NULL) != 0 || rc != 0)
        return -1;
    if (!progress.quiet)
        say_outcome(m, &outcome, output);
    return outcome.cells_failed > 0 ? 1 : 0;
}

static int
run(const struct mb_args *args, struct mb_error *err)
{
    struct mb_matrix *m;

    if (mb_args_given(args, "help-workloads")) {
        MB_AUTO_BUFFER text = MB_BUFFER_INIT((size_t)1024 << 10);
        mb_help_workloads(&text);
        fputs(mb_buffer_text(&text), stdout);
        return 0;
    }
    if (mb_matrix_of_args(args, &m, err) != 0)
        return -1;
    int rc = run_matrix(args, m, err);
    mb_matrix_free(m);
    return rc;
}

const struct mb_command mb_cmd_run = {
    .name = "run",
    .operands = "[MATRIX]",
    .operands_max = 1,
    .summary = "measure a matrix (default: quick), write results/NAME-TIME.jsonl, print the table",
    .details = "MATRIX is a file, or the name of one in ./matrix, in your configuration directory or among\n"
               "the installed presets. Each mount gets a container with a small probe inside; rounds run\n"
               "every cell once in shuffled order; every sample is kept in the result file as it comes.\n"
               "A mount that the engine cannot have is shown as unavailable, with the engine's reason.\n"
               "Ctrl-C keeps what was measured and removes what was made.\n\n"
               "Examples:\n"
               "  mountbench run                               the quick matrix, the default engine\n"
               "  mountbench run full -e colima -m 'bind*' -m volume\n"
               "  mountbench run -w commit --rounds 30 -o commit.jsonl\n"
               "  mountbench run quick --resume results/quick-20261201T093000Z.jsonl\n",
    .options =
        (const char *const[]){"engine", "mount", "workload", "rounds", "warmup", "seed", "dir", "output", "resume", "timeout",
                              "max-time", "scale", "format", "baseline", "details", "quiet", "no-progress", "help-workloads", NULL},
    .run = run,
};
