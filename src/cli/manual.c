/* manual.c: the manual page, in man's macros, from the tables that the help texts come from. */
#include <string.h>

#include "cli/help.h"
#include "cli/options.h"

/* Text as it stands: a backslash, a hyphen and a line that starts with a control character mean something else to roff. */
static void
put_text(struct mb_buffer *out, const char *text)
{
    bool line_starts = true;

    for (; *text != '\0'; text++) {
        if (line_starts && (*text == '.' || *text == '\''))
            mb_buffer_puts(out, "\\&");
        if (*text == '\\')
            mb_buffer_puts(out, "\\e");
        else if (*text == '-')
            mb_buffer_puts(out, "\\-");
        else
            mb_buffer_putc(out, *text);
        line_starts = *text == '\n';
    }
}

static void
put_option(const struct mb_option *option, struct mb_buffer *out)
{
    mb_buffer_puts(out, ".TP\n");
    if (option->letter != 0)
        mb_buffer_printf(out, "\\fB\\-%c\\fR, ", option->letter);
    mb_buffer_puts(out, "\\fB\\-\\-");
    put_text(out, option->name);
    mb_buffer_puts(out, "\\fR");
    if (option->argument != NULL) {
        mb_buffer_puts(out, " \\fI");
        put_text(out, option->argument);
        mb_buffer_puts(out, "\\fR");
    }
    mb_buffer_putc(out, '\n');
    put_text(out, option->help);
    if (option->repeatable)
        mb_buffer_puts(out, " (may be repeated)");
    if (option->fallback != NULL) {
        mb_buffer_puts(out, " (default: ");
        put_text(out, option->fallback);
        mb_buffer_putc(out, ')');
    }
    mb_buffer_putc(out, '\n');
}

static void
put_command(const struct mb_command *command, struct mb_buffer *out)
{
    size_t rows;
    const struct mb_option *options = mb_options(&rows);

    mb_buffer_printf(out, ".SS \"mountbench %s [OPTIONS]%s%s\"\n", command->name, *command->operands != '\0' ? " " : "",
                     command->operands);
    put_text(out, command->summary);
    mb_buffer_putc(out, '\n');
    if (command->details != NULL) {
        mb_buffer_puts(out, ".PP\n.nf\n");
        put_text(out, command->details);
        mb_buffer_puts(out, ".fi\n");
    }
    for (const char *const *name = command->options; name != NULL && *name != NULL; name++) {
        for (size_t i = 0; i < rows; i++) {
            if (strcmp(options[i].name, *name) == 0)
                put_option(&options[i], out);
        }
    }
}

void
mb_help_manual(struct mb_buffer *out)
{
    mb_buffer_puts(out, ".TH MOUNTBENCH 1 \"\" \"mountbench " MB_VERSION "\"\n.SH NAME\nmountbench \\- measure how a container "
                        "runtime's file sharing performs and behaves\n.SH SYNOPSIS\n.B mountbench\n.I COMMAND\n[OPTIONS] "
                        "[OPERANDS]\n.SH COMMANDS\n");
    for (const struct mb_command *const *c = mb_commands(); *c != NULL; c++)
        put_command(*c, out);
    mb_buffer_puts(out, ".SH \"EXIT STATUS\"\n");
    for (const struct mb_exit_status *e = mb_exit_statuses; e->meaning != NULL; e++) {
        mb_buffer_printf(out, ".TP\n%d\n", e->status);
        put_text(out, e->meaning);
        mb_buffer_putc(out, '\n');
    }
}
