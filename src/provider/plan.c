/* plan.c: what would be changed, before anything is. */
#include <stdlib.h>

#include "provider/internal.h"

/* Say what ${m} is now, what would be done to it, and what it would be in the end. */
static int
describe(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_buffer *out, struct mb_error *err)
{
    char title[MB_MACHINE_TITLE_MAX];
    MB_AUTO_BUFFER settings = MB_BUFFER_INIT(512);

    mb_machine_title(m, title);
    if (m->provider->plan != NULL)
        return m->provider->plan(m, spec, out, err);
    mb_settings_print(spec, &settings);
    if (!m->existed)
        mb_buffer_printf(out, "%s does not exist: would be made%s%s, started, and deleted in the end\n", title,
                         settings.len > 0 ? " with " : "", mb_buffer_text(&settings));
    else
        mb_buffer_printf(out, "%s is %s: would be %sstarted%s%s, and %s in the end\n", title,
                         m->was_running ? "running" : "stopped", m->was_running ? "stopped, " : "",
                         settings.len > 0 ? " with " : "", mb_buffer_text(&settings),
                         m->was_running ? "started as it is now" : "stopped again");
    return 0;
}

int
mb_provider_plan(const struct mb_engine_spec *spec, struct mb_buffer *out, struct mb_error *err)
{
    struct mb_machine m = {.provider = mb_provider_find(spec->runtime), .spec = spec};
    struct mb_error found = {0};

    if (mb_provider_check(spec, err) != 0)
        return -1;
    if (m.provider == NULL)
        return 0;
    if (m.provider->identify != NULL && m.provider->identify(spec, m.name, err) != 0)
        return -1;
    int rc = 0;
    if (m.provider->look(&m, &found) == 0)
        rc = describe(&m, spec, out, err);
    else if (found.code == MB_EINTERRUPT || found.code == MB_ECONFIG)
        rc = mb_error_set(err, found.code, "%s", found.message);
    else
        mb_buffer_printf(out, "unavailable: %s\n", found.message);
    if (m.provider->forget != NULL)
        m.provider->forget(&m);
    free(m.word);
    return rc;
}
