/* completion.c: what bash (and zsh, by bashcompinit) completes, from the tables that the help texts come from. */
#include "cli/help.h"
#include "cli/options.h"

static void
put_options(const struct mb_command *command, struct mb_buffer *out)
{
    mb_buffer_printf(out, "    %s) options='--help", command->name);
    for (const char *const *name = command->options; name != NULL && *name != NULL; name++)
        mb_buffer_printf(out, " --%s", *name);
    mb_buffer_puts(out, "' ;;\n");
}

void
mb_help_completion(struct mb_buffer *out)
{
    mb_buffer_puts(out, "# bash: source this file, or have it in bash-completion's directory.  zsh: source it.\n"
                        "[ -z \"${ZSH_VERSION-}\" ] || { autoload -Uz bashcompinit && bashcompinit; }\n"
                        "_mountbench() {\n"
                        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=\n"
                        "    if [ \"$COMP_CWORD\" = 1 ] || { [ \"$COMP_CWORD\" = 2 ] && [ \"$before\" = help ]; }; then\n"
                        "        COMPREPLY=($(compgen -W 'help --version");
    for (const struct mb_command *const *c = mb_commands(); *c != NULL; c++)
        mb_buffer_printf(out, " %s", (*c)->name);
    mb_buffer_puts(out, "' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (const struct mb_command *const *c = mb_commands(); *c != NULL; c++)
        put_options(*c, out);
    mb_buffer_puts(out, "    esac\n"
                        "    case $word in\n"
                        "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
                        "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
                        "    esac\n"
                        "}\n"
                        "complete -o filenames -F _mountbench mountbench\n");
}
