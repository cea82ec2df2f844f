/* command.c: any tool that a command starts; what it needs to know is in its environment. */
#include <stdlib.h>
#include <string.h>

#include "mountbench/clock.h"
#include "sync/internal.h"

#define STOP_MS 60000

static int
set_variables(struct mb_sync *s, struct mb_error *err)
{
    const struct mb_sync_place *p = &s->place;
    const struct {
        const char *name, *value;
    } variables[] = {
        {"MOUNTBENCH_HOST_DIR", p->host_dir},
        {"MOUNTBENCH_VOLUME", p->volume},
        {"MOUNTBENCH_CONTAINER", s->sidecar != NULL ? s->sidecar : p->container},
        {"MOUNTBENCH_CONTAINER_DIR", p->target},
        {"MOUNTBENCH_STATE_DIR", s->dir},
    };

    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (mb_sync_variable(s, variables[i].name, variables[i].value, err) != 0)
            return -1;
    }
    return mb_sync_engine_variables(s, err);
}

static int
start(struct mb_sync *s, struct mb_error *err)
{
    static const char *const idle[] = {"sleep", "2147483647", NULL};

    if (s->place.image != NULL &&
        (mb_sync_sidecar(s, idle, false, err) != 0 || mb_container_start(s->place.engine, s->sidecar, err) != 0))
        return -1;
    if (set_variables(s, err) != 0)
        return -1;
    s->made = true;
    return mb_sync_keep(s, (const char *const *)s->place.spec->start, -1, err);
}

static int
settle(struct mb_sync *s, uint64_t deadline_ns, struct mb_error *err)
{
    int left = mb_deadline_left_ms(deadline_ns);

    if (s->place.spec->flush == NULL)
        return 0;
    return mb_sync_run(s, (const char *const *)s->place.spec->flush, left > 0 ? (unsigned)left : 1, NULL, err);
}

static int
stop(struct mb_sync *s, struct mb_error *err)
{
    if (s->place.spec->stop == NULL)
        return 0;
    return mb_sync_run(s, (const char *const *)s->place.spec->stop, STOP_MS, NULL, err);
}

static void
plan(const struct mb_sync_spec *spec, struct mb_buffer *out)
{
    mb_process_line((const char *const *)spec->start, out);
    if (spec->stop != NULL) {
        mb_buffer_puts(out, "\nand in the end: ");
        mb_process_line((const char *const *)spec->stop, out);
    }
}

const struct mb_sync_tool mb_sync_command = {
    .name = "command",
    .title = "the sync command",
    .get = "'start' names a program",
    .start = start,
    .settle = settle,
    .stop = stop,
    .plan = plan,
};
