/*
 * command.c: any engine that two commands start and stop: `up` and `down`, argument lists that no shell reads.
 *
 * The engine is at the matrix's `endpoint`, or at the first address that `up` prints.  One that answers there before `up` was found
 * running: it is not ours to stop.
 */
#include <stdlib.h>
#include <string.h>

#include "mountbench/clock.h"
#include "mountbench/parse.h"
#include "provider/internal.h"

#define PEEK_MS 3000

static int
identify(const struct mb_engine_spec *spec, char name[MB_MACHINE_NAME_MAX], struct mb_error *err)
{
    if (strlen(spec->name) >= MB_MACHINE_NAME_MAX)
        return mb_error_set(err, MB_ECONFIG, "engine '%s': the name is too long", spec->name);
    memcpy(name, spec->name, strlen(spec->name) + 1);
    return 0;
}

static bool
answers(const char *word)
{
    struct mb_endpoint endpoint = {0};
    struct mb_engine *engine = NULL;
    struct mb_error ignored = {0};

    bool yes = mb_endpoint_resolve(word, &endpoint, &ignored) == 0 && mb_engine_open(&endpoint, PEEK_MS, &engine, &ignored) == 0;
    mb_engine_close(engine);
    mb_endpoint_clear(&endpoint);
    return yes;
}

static int
look(struct mb_machine *m, struct mb_error *err)
{
    const struct mb_engine_spec *spec = m->spec;
    char shown[MB_PRINTABLE_MAX];
    const char *word = spec->endpoint != NULL ? spec->endpoint : spec->context;

    if (spec->up == NULL || spec->up[0] == NULL)
        return mb_error_set(err, MB_ECONFIG, "engine '%s': runtime 'command' needs 'up', the command that starts it", spec->name);
    if (!mb_process_exists(spec->up[0]))
        return mb_error_set(err, MB_ECONFIG, "engine '%s': up: '%s' is no program that can be run", spec->name,
                            mb_printable(spec->up[0], shown));
    m->existed = word != NULL && answers(word);
    return 0;
}

/* The first word of what `up` said that is an engine's address. */
static char *
find_address(const char *text)
{
    static const char *const schemes[] = {"unix://", "tcp://", "ssh://", NULL};

    while (*text != '\0') {
        size_t n = strcspn(text, " \t\r\n\"'=");
        for (size_t i = 0; schemes[i] != NULL; i++) {
            if (strncmp(text, schemes[i], strlen(schemes[i])) == 0 && n > strlen(schemes[i]))
                return strndup(text, n);
        }
        text += n + (text[n] != '\0');
    }
    return NULL;
}

static int
start(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_error *err)
{
    MB_AUTO_BUFFER said = MB_BUFFER_INIT((size_t)512 << 10);

    if (mb_cli_run((const char *const *)spec->up, mb_cli_left_ms(m), &said, err) != 0)
        return -1;
    if (m->word == NULL)
        m->word = find_address(mb_buffer_text(&said));
    return 0;
}

static int
stop(struct mb_machine *m, struct mb_error *err)
{
    const char *const *down = (const char *const *)m->spec->down;

    if (m->existed || down == NULL)
        return 0;
    return mb_cli_run(down, MB_STOP_MS, NULL, err);
}

static int
restore(struct mb_machine *m, struct mb_error *err)
{
    (void)m;
    (void)err;
    return 0;
}

static void
remedy(const struct mb_machine *m, struct mb_buffer *out)
{
    if (m->spec->down != NULL && !m->existed)
        mb_process_line((const char *const *)m->spec->down, out);
}

static int
plan(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_buffer *out, struct mb_error *err)
{
    (void)err;
    if (m->existed)
        mb_buffer_puts(out, "it answers already, and will not be stopped\n");
    mb_buffer_puts(out, "run: ");
    mb_process_line((const char *const *)spec->up, out);
    mb_buffer_putc(out, '\n');
    if (spec->down != NULL && !m->existed) {
        mb_buffer_puts(out, "and in the end: ");
        mb_process_line((const char *const *)spec->down, out);
        mb_buffer_putc(out, '\n');
    }
    return 0;
}

const struct mb_provider mb_provider_command = {
    .name = "command",
    .title = "the engine of commands",
    .get = "",
    .identify = identify,
    .look = look,
    .start = start,
    .stop = stop,
    .restore = restore,
    .remedy = remedy,
    .plan = plan,
};
