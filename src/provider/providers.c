/* providers.c: the machines of a run: looked at first, up one at a time, in the end as they were. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/clock.h"
#include "mountbench/signals.h"
#include "provider/internal.h"

#define READY_TIMEOUT_MS 300000

struct mb_providers {
    const struct mb_provider_watch *watch;
    struct mb_machine *first; /* the latest first: they are put back in reverse */
};

struct mb_providers *
mb_providers_new(const struct mb_provider_watch *watch, struct mb_error *err)
{
    struct mb_providers *p = calloc(1, sizeof *p);

    if (p == NULL)
        mb_error_set(err, MB_EIO, "out of memory");
    else
        p->watch = watch;
    return p;
}

static int
identify(const struct mb_engine_spec *spec, struct mb_machine *out, struct mb_error *err)
{
    out->provider = mb_provider_find(spec->runtime);
    out->spec = spec;
    if (out->provider == NULL)
        return mb_error_set(err, MB_ECONFIG, "engine '%s': there is no runtime '%s' to start", spec->name,
                            spec->runtime != NULL ? spec->runtime : "");
    return out->provider->identify != NULL ? out->provider->identify(spec, out->name, err) : 0;
}

static struct mb_machine *
find(const struct mb_providers *p, const struct mb_engine_spec *spec)
{
    struct mb_machine wanted = {0};

    if (identify(spec, &wanted, NULL) != 0)
        return NULL;
    for (struct mb_machine *m = p->first; m != NULL; m = m->next) {
        if (m->provider == wanted.provider && strcmp(m->name, wanted.name) == 0)
            return m;
    }
    return NULL;
}

static void
free_machine(struct mb_machine *m)
{
    if (m->provider->forget != NULL)
        m->provider->forget(m);
    free(m->word);
    free(m);
}

int
mb_providers_look(struct mb_providers *p, const struct mb_engine_spec *spec, struct mb_error *err)
{
    if (mb_provider_check(spec, err) != 0)
        return -1;
    if (find(p, spec) != NULL)
        return 0;
    struct mb_machine *m = calloc(1, sizeof *m);
    if (m == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    m->watch = p->watch;
    if (identify(spec, m, err) != 0) {
        free(m);
        return -1;
    }
    char title[MB_MACHINE_TITLE_MAX];
    mb_machine_tell(m, "looking at %s", mb_machine_title(m, title));
    if (m->provider->look(m, err) != 0) {
        free_machine(m);
        return -1;
    }
    m->running = m->was_running;
    m->next = p->first;
    p->first = m;
    return 0;
}

/* What a person types where we could not do it. */
static void
add_remedy(const struct mb_machine *m, struct mb_error *err)
{
    MB_AUTO_BUFFER commands = MB_BUFFER_INIT(1024);
    struct mb_error before = *err;

    m->provider->remedy(m, &commands);
    if (commands.len > 0)
        mb_error_set(err, before.code, "%.1200s; to put it right, run: %s", before.message, mb_buffer_text(&commands));
}

static int
stop(struct mb_machine *m, struct mb_error *err)
{
    char title[MB_MACHINE_TITLE_MAX];

    if (!m->running)
        return 0;
    mb_machine_tell(m, "stopping %s", mb_machine_title(m, title));
    m->touched = true;
    if (m->provider->stop(m, err) != 0)
        return mb_error_prefix(err, "%s could not be stopped", mb_machine_title(m, title));
    m->running = false;
    return 0;
}

static int
start(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_error *err)
{
    MB_AUTO_BUFFER settings = MB_BUFFER_INIT(300);
    char title[MB_MACHINE_TITLE_MAX];
    uint64_t timeout_ms = spec->ready_timeout_ns > 0 ? (spec->ready_timeout_ns + 999999) / 1000000 : READY_TIMEOUT_MS;

    mb_settings_print(spec, &settings);
    mb_machine_tell(m, "starting %s%s%s", mb_machine_title(m, title), settings.len > 0 ? ": " : "", mb_buffer_text(&settings));
    m->deadline_ns = mb_deadline_in_ms(timeout_ms);
    m->touched = m->running = true;
    if (m->provider->start(m, spec, err) != 0)
        return mb_error_prefix(err, "%s did not start", title);
    if (m->word == NULL)
        return mb_error_set(err, MB_ECONFIG, "%s is up, and nothing says where its engine is: give 'endpoint' or 'context'", title);
    return mb_await_engine(m, err);
}

/* Where the matrix says it is; else the provider's start finds out. */
static int
set_word(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_error *err)
{
    const char *word = spec->endpoint != NULL ? spec->endpoint : spec->context;

    free(m->word);
    m->word = word != NULL ? strdup(word) : NULL;
    return word == NULL || m->word != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

int
mb_providers_up(struct mb_providers *p, const struct mb_engine_spec *spec, const char **word, struct mb_error *err)
{
    struct mb_error later = {0};

    if (mb_providers_look(p, spec, err) != 0)
        return -1;
    struct mb_machine *m = find(p, spec);
    if (m == NULL)
        return mb_error_set(err, MB_EIO, "engine '%s' is none that was looked at", spec->name);
    for (struct mb_machine *other = p->first; other != NULL; other = other->next) {
        if (stop(other, err) != 0)
            return -1;
    }
    if (set_word(m, spec, err) != 0)
        return -1;
    if (start(m, spec, err) == 0) {
        *word = m->word;
        return 0;
    }
    mb_signals_shield(true);
    if (stop(m, &later) != 0) {
        struct mb_error before = *err;
        add_remedy(m, &later);
        mb_error_set(err, before.code, "%.900s; and then %s", before.message, later.message);
    }
    mb_signals_shield(false);
    return -1;
}

int
mb_providers_down(struct mb_providers *p, const struct mb_engine_spec *spec, struct mb_error *err)
{
    struct mb_machine *m = find(p, spec);

    if (m == NULL || stop(m, err) == 0)
        return 0;
    add_remedy(m, err);
    return -1;
}

static int
restore(struct mb_machine *m, struct mb_error *err)
{
    char title[MB_MACHINE_TITLE_MAX];

    if (!m->touched)
        return 0;
    mb_machine_tell(m, "putting %s back as it was", mb_machine_title(m, title));
    m->deadline_ns = mb_deadline_in_ms(READY_TIMEOUT_MS);
    if (stop(m, err) == 0 && m->provider->restore(m, err) == 0)
        return 0;
    mb_error_prefix(err, "%s is not as it was found", title);
    add_remedy(m, err);
    return -1;
}

int
mb_providers_restore(struct mb_providers *p, struct mb_error *err)
{
    MB_AUTO_BUFFER all = MB_BUFFER_INIT(sizeof err->message);
    enum mb_error_code code = MB_OK;

    while (p != NULL && p->first != NULL) {
        struct mb_machine *m = p->first;
        struct mb_error step = {0};
        if (restore(m, &step) != 0) {
            mb_buffer_printf(&all, "%s%s", all.len > 0 ? "; " : "", step.message);
            code = code == MB_OK ? step.code : code;
        }
        p->first = m->next;
        free_machine(m);
    }
    free(p);
    return code == MB_OK ? 0 : mb_error_set(err, code, "%s", mb_buffer_text(&all));
}
