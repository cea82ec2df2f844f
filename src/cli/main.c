/* main.c: find the command, parse its arguments, run it, and print the one error there may be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "mountbench/parse.h"
#include "mountbench/signals.h"

static int
fail(const struct mb_error *err)
{
    bool colour = mb_use_colour(STDERR_FILENO);

    fflush(stdout);
    fprintf(stderr, "%smountbench:%s %s\n", colour ? "\033[31m" : "", colour ? "\033[0m" : "", err->message);
    return mb_error_exit_status(err);
}

static const struct mb_command *
find_command(const char *name, struct mb_error *err)
{
    const char *names[32] = {NULL};
    size_t n = 0;

    for (const struct mb_command *const *c = mb_commands(); *c != NULL; c++) {
        if (strcmp((*c)->name, name) == 0)
            return *c;
        names[n++] = (*c)->name;
    }
    const char *near = mb_nearest(name, names);
    if (near != NULL)
        mb_error_set(err, MB_EUSAGE, "unknown command '%s' (did you mean '%s'?)", name, near);
    else
        mb_error_set(err, MB_EUSAGE, "unknown command '%s'; 'mountbench help' lists the commands", name);
    return NULL;
}

/* `help`, `help COMMAND`, `--help`, `COMMAND --help`, `help --man`, `help --completion`. */
static int
print_help(const char *name, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(65536);

    if (name == NULL) {
        mb_help_all(&text);
    } else if (strcmp(name, "--man") == 0) {
        mb_help_manual(&text);
    } else if (strcmp(name, "--completion") == 0) {
        mb_help_completion(&text);
    } else {
        const struct mb_command *command = find_command(name, err);
        if (command == NULL)
            return -1;
        mb_help_command(command, &text);
    }
    fputs(mb_buffer_text(&text), stdout);
    return 0;
}

static bool
wants_help(int argc, char *const *argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    }
    return false;
}

static int
run_command(int argc, char **argv, struct mb_error *err)
{
    const struct mb_command *command = find_command(argv[1], err);
    struct mb_args *args;

    if (command == NULL)
        return -1;
    if (wants_help(argc - 2, argv + 2))
        return print_help(command->name, err);
    if (mb_args_parse(command, argc - 2, argv + 2, &args, err) != 0)
        return -1;
    mb_signals_install();
    int status = command->run(args, err);
    mb_args_free(args);
    return status;
}

int
main(int argc, char **argv)
{
    struct mb_error err = {0};
    int status;

    if (argc < 2) {
        print_help(NULL, &err);
        return 2;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("mountbench " MB_VERSION);
        status = 0;
    } else if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        status = print_help(argc > 2 ? argv[2] : NULL, &err);
    } else {
        status = run_command(argc, argv, &err);
    }
    if (status < 0)
        return fail(&err);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        mb_error_set(&err, MB_EIO, "cannot write to standard output");
        return fail(&err);
    }
    return status;
}
