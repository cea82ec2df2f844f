/* instances.c: list, create, start, stop and remove, by each runtime's own words for them. */
#include "provider/instances.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of one command, and room for the flags among them. */
#define WORDS_MAX 32
#define LIST_MAX ((size_t)512 * 1024)
#define FLAG_MAX (MB_SETTING_TEXT_MAX + 32)

/* One that was made for the run is deleted in the end: it gets less time to stop in good order. */
#define MADE_STOP_MS 60000

/* Names of instances end up in the paths of sockets, which may be a hundred bytes long. */
#define DERIVED_MAX 28

struct command {
    const char *argv[WORDS_MAX + 1];
    char flags[WORDS_MAX][FLAG_MAX];
};

static const char *
flag_of(const struct mb_instances *i, const char *setting)
{
    for (size_t k = 0; i->flags != NULL && i->flags[k] != NULL; k += 2) {
        if (strcmp(i->flags[k], setting) == 0)
            return i->flags[k + 1];
    }
    return NULL;
}

/* Fill in the words of ${template}; ${spec} may be NULL where there is no "*". */
static void
fill(const struct mb_machine *m, const char *const *template, const struct mb_engine_spec *spec, struct command *out)
{
    const cJSON *item, *settings = spec != NULL ? spec->settings : NULL;
    size_t n = 0, flags = 0;
    char text[MB_SETTING_TEXT_MAX];

    for (size_t k = 0; template[k] != NULL && n < WORDS_MAX; k++) {
        if (strcmp(template[k], "*") != 0) {
            out->argv[n++] = strcmp(template[k], "%") == 0 ? m->name : template[k];
            continue;
        }
        cJSON_ArrayForEach(item, settings)
        {
            const char *flag = flag_of(m->provider->instances, item->string);
            const char *value = mb_setting_text(spec, item->string, text);
            if (flag == NULL || value == NULL || n == WORDS_MAX)
                continue;
            snprintf(out->flags[flags], FLAG_MAX, "%s=%s", flag, value);
            out->argv[n++] = out->flags[flags++];
        }
    }
    out->argv[n] = NULL;
}

static int
run(const struct mb_machine *m, const char *const *template, const struct mb_engine_spec *spec, unsigned timeout_ms,
    struct mb_error *err)
{
    struct command command;

    fill(m, template, spec, &command);
    return mb_cli_run(command.argv, timeout_ms, NULL, err);
}

/* "mb-vz-virtiofs": the values, so that a person sees what it is for; what is long ends in a number that stands for the rest. */
static void
derive_name(const struct mb_engine_spec *spec, char name[MB_MACHINE_NAME_MAX])
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(2048);
    char value[MB_SETTING_TEXT_MAX];
    const cJSON *item;
    uint32_t h = UINT32_C(2166136261); /* FNV-1a */

    mb_buffer_puts(&text, "mb");
    cJSON_ArrayForEach(item, spec->settings)
    {
        const char *word = mb_setting_text(spec, item->string, value);
        bool plain = word == NULL || strcmp(word, "true") == 0 || isdigit((unsigned char)word[0]);
        mb_buffer_printf(&text, "-%s%s", plain ? item->string : "", word != NULL ? word : "");
    }
    for (char *p = text.data; *p != '\0'; p++) {
        h = (h ^ (unsigned char)*p) * UINT32_C(16777619);
        if (!isalnum((unsigned char)*p))
            *p = '-';
    }
    if (text.len <= DERIVED_MAX)
        snprintf(name, MB_MACHINE_NAME_MAX, "%s", text.data);
    else
        snprintf(name, MB_MACHINE_NAME_MAX, "%.19s-%08" PRIx32, text.data, h);
}

int
mb_instances_identify(const struct mb_engine_spec *spec, char name[MB_MACHINE_NAME_MAX], struct mb_error *err)
{
    const struct mb_instances *i = mb_provider_find(spec->runtime)->instances;
    char text[MB_SETTING_TEXT_MAX];
    const char *own = mb_setting_text(spec, i->own_name, text);

    if (own == NULL && mb_settings_given(spec) > 0) {
        derive_name(spec, name);
        return 0;
    }
    if (own == NULL)
        own = i->fallback;
    if (strlen(own) >= MB_MACHINE_NAME_MAX)
        return mb_error_set(err, MB_ECONFIG, "engine '%s': settings.%s: the name is too long", spec->name, i->own_name);
    snprintf(name, MB_MACHINE_NAME_MAX, "%s", own);
    return 0;
}

/* One instance as a list has it. */
static bool
is_running(const cJSON *entry)
{
    const char *status = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "status"));

    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(entry, "Running")) || (status != NULL && strcmp(status, "Running") == 0);
}

static void
take_entry(const struct mb_machine *m, const cJSON *entry, bool *there, bool *running)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(entry, "name");
    const char *name = cJSON_GetStringValue(item != NULL ? item : cJSON_GetObjectItemCaseSensitive(entry, "Name"));
    size_t n = name != NULL ? strcspn(name, "*") : 0; /* podman marks its default one */

    if (name == NULL || n != strlen(m->name) || strncmp(name, m->name, n) != 0)
        return;
    *there = true;
    *running = is_running(entry);
}

/* A list is an object a line, or one array. */
static int
take_list(const struct mb_machine *m, const char *text, bool *there, bool *running)
{
    const cJSON *entry;

    while (*text != '\0') {
        const char *end = NULL;
        text += strspn(text, " \t\r\n");
        if (*text == '\0')
            break;
        cJSON *json = cJSON_ParseWithOpts(text, &end, 0);
        if (json == NULL)
            return -1;
        if (cJSON_IsArray(json)) {
            cJSON_ArrayForEach(entry, json) take_entry(m, entry, there, running);
        } else {
            take_entry(m, json, there, running);
        }
        cJSON_Delete(json);
        text = end;
    }
    return 0;
}

static int
ask(const struct mb_machine *m, bool *there, bool *running, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(LIST_MAX);
    struct command command;

    *there = *running = false;
    fill(m, m->provider->instances->list, NULL, &command);
    if (mb_cli_run(command.argv, MB_ASK_MS, &text, err) != 0)
        return -1;
    if (take_list(m, mb_buffer_text(&text), there, running) != 0)
        return mb_error_set(err, MB_EPROTOCOL, "what '%s' lists is not understood: '%.80s'", command.argv[0],
                            mb_buffer_text(&text));
    return 0;
}

int
mb_instances_look(struct mb_machine *m, struct mb_error *err)
{
    const struct mb_instances *i = m->provider->instances;
    char text[MB_SETTING_TEXT_MAX];
    const char *own = mb_setting_text(m->spec, i->own_name, text);

    if (mb_cli_need(m, i->version[0], err) != 0 || mb_cli_version(m, i->version, i->least, err) != 0 ||
        ask(m, &m->existed, &m->was_running, err) != 0)
        return -1;
    if (m->existed && own != NULL && mb_settings_given(m->spec) > 1)
        return mb_error_set(err, MB_ECONFIG,
                            "engine '%s': %s '%s' is there already, and its settings are fixed since it was made: leave out "
                            "settings.%s, and one with these settings is made for the run, or leave out the others",
                            m->spec->name, m->provider->title, own, i->own_name);
    return 0;
}

/* Where its engine is. */
static int
find_word(struct mb_machine *m, struct mb_error *err)
{
    const struct mb_instances *i = m->provider->instances;
    char word[MB_MACHINE_NAME_MAX + 32];

    if (m->word != NULL)
        return 0;
    if (i->locate != NULL)
        return i->locate(m, err);
    snprintf(word, sizeof word, "%s-%s", i->word, m->name);
    m->word = strdup(word);
    return m->word != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

int
mb_instances_start(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_error *err)
{
    const struct mb_instances *i = m->provider->instances;
    bool there, running;

    if (ask(m, &there, &running, err) != 0)
        return -1;
    if (!there && run(m, i->create, spec, mb_cli_left_ms(m), err) != 0)
        return -1;
    if ((there || !i->create_starts) && !running && run(m, i->start, NULL, mb_cli_left_ms(m), err) != 0)
        return -1;
    return find_word(m, err);
}

/* What counts is that it does not run, not what its program said about it; one that was made for the run may as well be gone. */
int
mb_instances_stop(struct mb_machine *m, struct mb_error *err)
{
    struct mb_error said = {0};
    bool there, running;

    if (ask(m, &there, &running, err) != 0)
        return -1;
    if (!running)
        return 0;
    if (run(m, m->provider->instances->stop, NULL, m->existed ? MB_STOP_MS : MADE_STOP_MS, &said) == 0)
        return 0;
    if (ask(m, &there, &running, err) != 0)
        return -1;
    if (running && !m->existed && said.code != MB_EINTERRUPT && run(m, m->provider->instances->remove, NULL, MB_STOP_MS, NULL) == 0)
        return 0;
    return running ? mb_error_set(err, said.code, "%s", said.message) : 0;
}

int
mb_instances_restore(struct mb_machine *m, struct mb_error *err)
{
    const struct mb_instances *i = m->provider->instances;
    bool there, running;

    if (m->existed)
        return m->was_running ? run(m, i->start, NULL, mb_cli_left_ms(m), err) : 0;
    if (ask(m, &there, &running, err) != 0)
        return -1;
    return there ? run(m, i->remove, NULL, MB_STOP_MS, err) : 0;
}

void
mb_instances_remedy(const struct mb_machine *m, struct mb_buffer *out)
{
    const struct mb_instances *i = m->provider->instances;
    struct command command;

    fill(m, !m->existed ? i->remove : m->was_running ? i->start : i->stop, NULL, &command);
    mb_process_line(command.argv, out);
}
