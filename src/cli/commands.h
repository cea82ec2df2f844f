/* commands.h: every command's row; each is defined at the end of its own file. */
#ifndef MB_CLI_COMMANDS_H
#define MB_CLI_COMMANDS_H

#include "cli/options.h"

extern const struct mb_command mb_cmd_run;
extern const struct mb_command mb_cmd_plan;
extern const struct mb_command mb_cmd_engines;
extern const struct mb_command mb_cmd_report;
extern const struct mb_command mb_cmd_compare;
extern const struct mb_command mb_cmd_published;
extern const struct mb_command mb_cmd_compose;
extern const struct mb_command mb_cmd_clean;

#endif
