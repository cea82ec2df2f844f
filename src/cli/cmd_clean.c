/* cmd_clean.c: `mountbench clean`: sweep what a killed run left behind. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "mountbench/runner.h"

#define OPEN_MS 15000

static void
say(void *context, const char *sentence)
{
    (void)context;
    puts(sentence);
}

static int
sweep_one(const char *word, const struct mb_sweep_options *options, struct mb_sweep_report *report, struct mb_error *err)
{
    struct mb_endpoint endpoint;
    struct mb_engine *engine;

    if (mb_endpoint_resolve(word, &endpoint, err) != 0)
        return -1;
    int rc = mb_engine_open(&endpoint, OPEN_MS, &engine, err);
    mb_endpoint_clear(&endpoint);
    if (rc != 0)
        return -1;
    rc = mb_sweep_engine(engine, options, report, err);
    mb_engine_close(engine);
    return rc;
}

static int
run(const struct mb_args *args, struct mb_error *err)
{

    const char *const *engines = mb_args_all(args, "engine");
    const char *dir = mb_args_text(args, "dir");
    const struct mb_sweep_options options = {.run = mb_args_text(args, "run"),
                                             .all = mb_args_given(args, "all"),
                                             .dry = mb_args_given(args, "dry-run"),
                                             .say = mb_args_given(args, "quiet") ? NULL : say};
    struct mb_sweep_report report = {0};

    if (mb_sweep_directories(dir != NULL ? dir : ".", &options, &report, err) != 0)
        return -1;
    mb_sweep_tools(&options, &report);
    if (engines == NULL && sweep_one(NULL, &options, &report, err) != 0)
        return -1;
    for (; engines != NULL && *engines != NULL; engines++) {
        if (sweep_one(*engines, &options, &report, err) != 0)
            return -1;
    }
    if (options.say != NULL && report.removed + report.kept + report.failed == 0 && !options.dry)
        puts("nothing to remove");
    return report.failed > 0 ? 1 : 0;
}

const struct mb_command mb_cmd_clean = {
    .name = "clean",
    .operands = "",
    .summary = "remove every container, volume, image and directory that a killed run left",
    .details = "Only what carries mountbench's own label or mark is touched, and nothing of a run that\n"
               "is still going on this machine. Directories are looked for in --dir, those of sync tools\n"
               "in TMPDIR.\n\n"
               "Examples:\n"
               "  mountbench clean -n              what would be removed\n"
               "  mountbench clean -e podman       on another engine\n",
    .options = (const char *const[]){"engine", "dir", "run", "all", "dry-run", "quiet", NULL},
    .run = run,
};
