/* commands.c: the list of commands; a new one is one file and one line here. */
#include "cli/commands.h"

#include <stddef.h>

const struct mb_command *const *
mb_commands(void)
{
    static const struct mb_command *const commands[] = {
        &mb_cmd_run,       &mb_cmd_plan,    &mb_cmd_engines, &mb_cmd_report, &mb_cmd_compare,
        &mb_cmd_published, &mb_cmd_compose, &mb_cmd_clean,   NULL,
    };
    return commands;
}
