/* stand_in.c: a directory of state, a fake engine, and the steps of a run. */
#include "support/stand_in.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/file.h"
#include "mountbench/signals.h"
#include "support/engines.h"
#include "support/fake_engine.h"

static struct mb_fake_engine engine;
static char root[128];
static char path[1024];

const char *
mb_stand_in_path(const char *name)
{
    static char text[4][400];
    static unsigned next;
    char *out = text[next++ % 4];

    snprintf(out, sizeof text[0], "%s/%s", root, name);
    return out;
}

void
mb_stand_in_put(const char *name, const char *content)
{
    struct mb_error err = {0};
    ck_assert_msg(mb_file_replace(mb_stand_in_path(name), content, strlen(content), &err) == 0, "%s", err.message);
}

bool
mb_stand_in_has(const char *name)
{
    return access(mb_stand_in_path(name), F_OK) == 0;
}

const char *
mb_stand_in_get(const char *name)
{
    static char text[4][8192];
    static unsigned next;
    char *out = text[next++ % 4];
    FILE *f = fopen(mb_stand_in_path(name), "r");
    size_t n = f != NULL ? fread(out, 1, sizeof text[0] - 1, f) : 0;

    if (f != NULL)
        fclose(f);
    out[n] = '\0';
    if (n > 0 && out[n - 1] == '\n')
        out[n - 1] = '\0';
    return out;
}

void
mb_stand_in_start(void)
{
    static const struct mb_fake_rule rules[] = {MB_FAKE_20_10};
    char here[512];

    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/tests/fixtures/provider/bin:/usr/bin:/bin", here);
    mb_test_dir(root, sizeof root);
    setenv("PATH", path, 1);
    setenv("MB_STAND_IN", root, 1);
    setenv("HOME", root, 1);
    unsetenv("DOCKER_HOST");
    unsetenv("DOCKER_CONTEXT");
    mb_fake_engine_start(rules, sizeof rules / sizeof rules[0], &engine);
}

void
mb_stand_in_stop(void)
{
    setenv("PATH", path, 1);
    mb_fake_engine_stop(&engine);
    mb_test_remove(root);
}

struct mb_engine_spec
mb_stand_in_spec(const char *runtime, const char *settings)
{
    struct mb_engine_spec spec = {.name = strdup("tested"),
                                  .runtime = strdup(runtime),
                                  .endpoint = strdup(engine.url),
                                  .settings = settings != NULL ? cJSON_Parse(settings) : NULL,
                                  .ready_timeout_ns = UINT64_C(4000000000)};

    ck_assert(settings == NULL || spec.settings != NULL);
    return spec;
}

void
mb_stand_in_spec_clear(struct mb_engine_spec *spec)
{
    free(spec->name);
    free(spec->runtime);
    free(spec->endpoint);
    cJSON_Delete(spec->settings);
}

int
mb_stand_in_run(const struct mb_provider_watch *watch, const struct mb_engine_spec *const *specs, struct mb_error *err)
{
    struct mb_providers *p = mb_providers_new(watch, err);
    struct mb_error step = {0};
    const char *word;
    int rc = 0;

    for (size_t i = 0; rc == 0 && specs[i] != NULL; i++)
        rc = mb_providers_look(p, specs[i], err);
    for (size_t i = 0; rc == 0 && specs[i] != NULL; i++) {
        rc = mb_providers_up(p, specs[i], &word, err);
        if (rc == 0) {
            ck_assert_str_eq(word, engine.url);
            mb_stand_in_put("measured", mb_stand_in_get("log"));
            rc = mb_providers_down(p, specs[i], err);
        }
    }
    mb_signals_shield(true);
    if (mb_providers_restore(p, &step) != 0) {
        if (rc == 0)
            *err = step;
        rc = -1;
    }
    mb_signals_shield(false);
    return rc;
}

int
mb_stand_in_run_one(const char *runtime, const char *settings, struct mb_error *err)
{
    struct mb_engine_spec spec = mb_stand_in_spec(runtime, settings);
    const struct mb_engine_spec *specs[] = {&spec, NULL};

    int rc = mb_stand_in_run(NULL, specs, err);
    mb_stand_in_spec_clear(&spec);
    return rc;
}

void
mb_stand_in_called(const char *line)
{
    char whole[8300], wanted[512];

    snprintf(whole, sizeof whole, "\n%s\n", mb_stand_in_get("log"));
    snprintf(wanted, sizeof wanted, "\n%s\n", line);
    ck_assert_msg(strstr(whole, wanted) != NULL, "no '%s' in the calls:%s", line, whole);
}

const char *
mb_stand_in_url(void)
{
    return engine.url;
}

const char *
mb_stand_in_socket(void)
{
    return engine.socket;
}
