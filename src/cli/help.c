/* help.c: help texts and terminal manners, from the tables in options.c and commands.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/help.h"
#include "cli/options.h"
#include "mountbench/parse.h"

#define HELP_COLUMNS 80
#define OPTION_COLUMN 26

void
mb_help_wrapped(struct mb_buffer *out, const char *text, size_t column, size_t indent)
{
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        if (column > indent && column + 1 + word > HELP_COLUMNS) {
            mb_buffer_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            mb_buffer_putc(out, ' ');
            column++;
        }
        mb_buffer_append(out, text, word);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    mb_buffer_putc(out, '\n');
}

const struct mb_exit_status mb_exit_statuses[] = {
    {0, "done"},
    {1, "a cell failed"},
    {2, "usage or configuration"},
    {3, "no engine answered"},
    {4, "a comparison is beyond --fail-above"},
    {130, "interrupted"},
    {0, NULL},
};

void
mb_help_all(struct mb_buffer *out)
{
    mb_buffer_puts(out, "mountbench measures how a container runtime's file sharing performs and behaves.\n\n"
                        "Usage: mountbench COMMAND [OPTIONS] [OPERANDS]\n\nCommands:\n");
    for (const struct mb_command *const *c = mb_commands(); *c != NULL; c++) {
        mb_buffer_printf(out, "  %-12s", (*c)->name);
        mb_help_wrapped(out, (*c)->summary, 14, 14);
    }
    mb_buffer_puts(out, "\nFirst steps:\n"
                        "  mountbench engines          which engines can be reached\n"
                        "  mountbench plan             what a run would do, and for how long\n"
                        "  mountbench run              measure the quick matrix on the default engine\n"
                        "  mountbench run full -e podman -m 'bind*'\n"
                        "  mountbench help COMMAND     a command's options, with examples\n"
                        "\n'mountbench help --man' prints all of it as a manual page, 'mountbench help\n"
                        "--completion' what bash and zsh need to complete it.\n\n");
    char statuses[512];
    size_t used = (size_t)snprintf(statuses, sizeof statuses, "Exit status:");
    for (const struct mb_exit_status *e = mb_exit_statuses; e->meaning != NULL && used < sizeof statuses; e++)
        used += (size_t)snprintf(statuses + used, sizeof statuses - used, " %d %s%s", e->status, e->meaning,
                                 e[1].meaning != NULL ? ";" : ".");
    mb_help_wrapped(out, statuses, 0, 0);
}

static void
help_option(const struct mb_option *option, struct mb_buffer *out)
{
    char left[64];
    char help[512];

    snprintf(left, sizeof left, "  %c%c%s --%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
             option->letter ? "," : " ", option->name, option->argument ? " " : "", option->argument ? option->argument : "");
    size_t column = strlen(left);
    mb_buffer_puts(out, left);
    if (column + 2 > OPTION_COLUMN) {
        mb_buffer_putc(out, '\n');
        column = 0;
    }
    mb_buffer_printf(out, "%*s", (int)(OPTION_COLUMN - column), "");
    snprintf(help, sizeof help, "%s%s%s%s%s", option->help, option->repeatable ? " (may be repeated)" : "",
             option->fallback ? " (default: " : "", option->fallback ? option->fallback : "", option->fallback ? ")" : "");
    mb_help_wrapped(out, help, OPTION_COLUMN, OPTION_COLUMN);
}

void
mb_help_command(const struct mb_command *command, struct mb_buffer *out)
{
    size_t rows;
    const struct mb_option *options = mb_options(&rows);

    mb_buffer_printf(out, "mountbench %s:", command->name);
    mb_help_wrapped(out, command->summary, strlen("mountbench :") + strlen(command->name), 2);
    mb_buffer_printf(out, "\nUsage: mountbench %s [OPTIONS]%s%s\n", command->name, *command->operands != '\0' ? " " : "",
                     command->operands);
    if (command->details != NULL)
        mb_buffer_printf(out, "\n%s", command->details);
    mb_buffer_puts(out, "\nOptions:\n");
    for (const char *const *name = command->options; name != NULL && *name != NULL; name++) {
        for (size_t i = 0; i < rows; i++) {
            if (strcmp(options[i].name, *name) == 0)
                help_option(&options[i], out);
        }
    }
    mb_buffer_printf(out, "  -h, --help%*sthis text\n", OPTION_COLUMN - 12, "");
}

bool
mb_use_colour(int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    return isatty(fd) && (no_color == NULL || *no_color == '\0') && (term == NULL || strcmp(term, "dumb") != 0);
}

unsigned
mb_terminal_width(int fd)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    uint64_t value;

    if (columns != NULL && mb_parse_u64(columns, 20, 1000, &value, NULL) == 0)
        return (unsigned)value;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 80;
}
