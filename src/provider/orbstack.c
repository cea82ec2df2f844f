/* orbstack.c: started and stopped; how it shares files cannot be chosen. */
#include <stdlib.h>
#include <string.h>

#include "provider/internal.h"

static const char *const version[] = {"orb", "version", NULL};
static const char *const status[] = {"orb", "status", NULL};
static const char *const orb_start[] = {"orb", "start", NULL};
static const char *const orb_stop[] = {"orb", "stop", NULL};

/* Its status is a word, and an exit status that is not zero when stopped. */
static int
ask(bool *running, struct mb_error *err)
{
    struct mb_process_result result;

    if (mb_process_run(status, MB_ASK_MS, &result, err) != 0)
        return -1;
    const char *said = mb_buffer_text(result.out.len > 0 ? &result.out : &result.errors);
    *running = strncmp(said, "Running", 7) == 0;
    int rc = *running || strncmp(said, "Stopped", 7) == 0 ? 0 : mb_process_failed(status, &result, err);
    mb_process_result_free(&result);
    return rc;
}

static int
look(struct mb_machine *m, struct mb_error *err)
{
    static const unsigned least[2] = {0, 1};

    if (mb_cli_need(m, "orb", err) != 0 || mb_cli_version(m, version, least, err) != 0)
        return -1;
    m->existed = true;
    return ask(&m->was_running, err);
}

static int
start(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_error *err)
{
    (void)spec;
    if (m->word == NULL && (m->word = strdup("orbstack")) == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    return mb_cli_run(orb_start, mb_cli_left_ms(m), NULL, err);
}

static int
stop(struct mb_machine *m, struct mb_error *err)
{
    bool running;

    (void)m;
    if (ask(&running, err) != 0)
        return -1;
    return running ? mb_cli_run(orb_stop, MB_STOP_MS, NULL, err) : 0;
}

static int
restore(struct mb_machine *m, struct mb_error *err)
{
    return m->was_running ? mb_cli_run(orb_start, mb_cli_left_ms(m), NULL, err) : 0;
}

static void
remedy(const struct mb_machine *m, struct mb_buffer *out)
{
    mb_process_line(m->was_running ? orb_start : orb_stop, out);
}

const struct mb_provider mb_provider_orbstack = {
    .name = "orbstack",
    .title = "OrbStack",
    .get = "install it: brew install orbstack (https://orbstack.dev)",
    .look = look,
    .start = start,
    .stop = stop,
    .restore = restore,
    .remedy = remedy,
};
