/* cmd_engines.c: `mountbench engines`: every engine that can be found, and why the others cannot. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "engine/json.h"
#include "mountbench/engine.h"
#include "mountbench/parse.h"
#include "mountbench/text.h"

#define OUTPUT_MAX (4u << 20)
#define LOCAL_MS 700
#define REMOTE_MS 8000

struct found {
    struct mb_endpoint *endpoints;
    struct mb_survey *surveys;
    size_t n, chosen; /* ${chosen}: what a run without --engine takes; ${n} when there is none */
};

/* Whether it may take a network's time to answer. */
static bool
is_remote(const char *url)
{
    return strncmp(url, "unix://", 7) != 0 && strstr(url, "://127.") == NULL && strstr(url, "://localhost") == NULL &&
           strstr(url, "://[::1]") == NULL;
}

/* Put ${endpoint}, which it takes over, in the list unless its address is there; where it is in *${at}. */
static int
add(struct found *f, struct mb_endpoint *endpoint, size_t *at, struct mb_error *err)
{
    *at = mb_endpoints_find(f->endpoints, f->n, endpoint->url);
    if (*at == f->n)
        return mb_endpoints_add(&f->endpoints, &f->n, endpoint, err);
    mb_endpoint_clear(endpoint);
    return 0;
}

/* One that was asked for by name says why it is dead, whatever it is. */
static int
mark_asked(struct mb_endpoint *endpoint, struct mb_error *err)
{
    free(endpoint->origin);
    endpoint->origin = strdup("--engine");
    return endpoint->origin != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

static int
gather(struct found *f, const char *const *words, struct mb_error *err)
{
    struct mb_endpoint endpoint;
    size_t at;

    if (mb_endpoint_list(&f->endpoints, &f->n, err) != 0)
        return -1;
    for (; words != NULL && *words != NULL; words++) {
        if (mb_endpoint_resolve(*words, &endpoint, err) != 0 || add(f, &endpoint, &at, err) != 0 ||
            mark_asked(&f->endpoints[at], err) != 0)
            return -1;
    }
    /* A default that cannot be made out is said by whoever needs it. */
    if (mb_endpoint_resolve(NULL, &endpoint, NULL) == 0 && add(f, &endpoint, &f->chosen, err) != 0)
        return -1;
    return 0;
}

static int
survey(struct found *f, struct mb_error *err)
{
    unsigned timeout_ms = LOCAL_MS;

    for (size_t i = 0; i < f->n; i++) {
        if (is_remote(f->endpoints[i].url))
            timeout_ms = REMOTE_MS;
    }
    f->surveys = calloc(f->n + 1, sizeof *f->surveys);
    if (f->surveys == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    if (mb_engine_survey(f->endpoints, f->n, timeout_ms, f->surveys, err) == 0)
        return 0;
    free(f->surveys);
    f->surveys = NULL;
    return -1;
}

static void
release(struct found *f)
{
    if (f->surveys != NULL)
        mb_survey_clear(f->surveys, f->n);
    free(f->surveys);
    mb_endpoints_free(f->endpoints, f->n);
}

static void
add_facts(cJSON *item, const struct mb_survey *s)
{
    const struct mb_engine_facts *facts = &s->facts;

    cJSON_AddStringToObject(item, "runtime", mb_runtime_name(facts->runtime));
    cJSON_AddStringToObject(item, "runtime_version", facts->runtime_version);
    cJSON_AddStringToObject(item, "engine_version", facts->engine_version);
    cJSON_AddStringToObject(item, "api_version", facts->api_version);
    cJSON_AddStringToObject(item, "api_newest", facts->api_newest);
    cJSON_AddStringToObject(item, "api_oldest", facts->api_oldest);
    cJSON_AddStringToObject(item, "os", facts->os);
    cJSON_AddStringToObject(item, "kernel", facts->kernel);
    cJSON_AddStringToObject(item, "arch", facts->arch);
    cJSON_AddNumberToObject(item, "cpus", (double)facts->cpus);
    cJSON_AddNumberToObject(item, "memory_bytes", (double)facts->memory_bytes);
    cJSON_AddStringToObject(item, "storage_driver", facts->storage_driver);
    cJSON_AddStringToObject(item, "machine", facts->name);
    cJSON_AddStringToObject(item, "shares", s->shares);
    cJSON_AddBoolToObject(item, "rootless", facts->rootless);
    cJSON_AddStringToObject(item, "id", facts->id);
}

static void
add_reason(cJSON *item, const struct found *f, size_t i)
{
    cJSON_AddStringToObject(item, "reason", f->surveys[i].why.message);
    cJSON_AddBoolToObject(item, "installed", !mb_endpoint_absent(&f->endpoints[i]));
}

static int
print_json(const struct found *f, struct mb_error *err)
{
    MB_AUTO_JSON *list = cJSON_CreateArray();

    for (size_t i = 0; i < f->n; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddStringToObject(item, "name", f->endpoints[i].name);
        cJSON_AddStringToObject(item, "endpoint", f->endpoints[i].url);
        cJSON_AddStringToObject(item, "origin", f->endpoints[i].origin);
        cJSON_AddBoolToObject(item, "default", i == f->chosen);
        cJSON_AddBoolToObject(item, "available", f->surveys[i].alive);
        if (f->surveys[i].alive)
            add_facts(item, &f->surveys[i]);
        else
            add_reason(item, f, i);
    }
    char *text = cJSON_Print(list);
    if (text == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    puts(text);
    cJSON_free(text);
    return 0;
}

enum { NAME, RUNTIME, VERSION, API, ARCH, CPUS, MEMORY, SHARES, ADDRESS, COLUMNS };

static const struct {
    const char *title;
    enum mb_align align;
} columns[COLUMNS] = {
    {"ENGINE", MB_ALIGN_LEFT},  {"RUNTIME", MB_ALIGN_LEFT},      {"VERSION", MB_ALIGN_LEFT},
    {"API", MB_ALIGN_LEFT},     {"ARCH", MB_ALIGN_LEFT},         {"CPUS", MB_ALIGN_RIGHT},
    {"MEMORY", MB_ALIGN_RIGHT}, {"SHARES FILES", MB_ALIGN_LEFT}, {"ADDRESS", MB_ALIGN_LEFT},
};

/* The engine before ${i} that is the same one, by its own word. */
static const char *
twin_of(const struct found *f, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (f->surveys[j].alive && *f->surveys[i].facts.id != '\0' && strcmp(f->surveys[j].facts.id, f->surveys[i].facts.id) == 0)
            return f->endpoints[j].name;
    }
    return NULL;
}

/* Cell ${column} of engine ${i}, made harmless. */
static void
fill(const struct found *f, size_t i, int column, struct mb_buffer *out)
{
    const struct mb_engine_facts *facts = &f->surveys[i].facts;
    char text[512], size[MB_FORMAT_MAX];
    const char *twin = twin_of(f, i);

    text[0] = '\0';
    switch (column) {
    case NAME:
        snprintf(text, sizeof text, "%s%s", i == f->chosen ? "* " : "  ", f->endpoints[i].name);
        break;
    case RUNTIME:
        snprintf(text, sizeof text, "%s%s%s", mb_runtime_title(facts->runtime),
                 facts->runtime != MB_RUNTIME_DOCKER_ENGINE && *facts->runtime_version != '\0' ? " " : "",
                 facts->runtime != MB_RUNTIME_DOCKER_ENGINE ? facts->runtime_version : "");
        break;
    case VERSION:
        snprintf(text, sizeof text, "%s", facts->engine_version);
        break;
    case API:
        snprintf(text, sizeof text, "%s", facts->api_version);
        break;
    case ARCH:
        snprintf(text, sizeof text, "%s", facts->arch);
        break;
    case CPUS:
        snprintf(text, sizeof text, "%llu", (unsigned long long)facts->cpus);
        break;
    case MEMORY:
        snprintf(text, sizeof text, "%s", mb_format_size(facts->memory_bytes, size));
        break;
    case SHARES:
        snprintf(text, sizeof text, "%s", *f->surveys[i].shares != '\0' ? f->surveys[i].shares : "-");
        break;
    case ADDRESS:
        snprintf(text, sizeof text, "%s%s%s%s", f->endpoints[i].url, twin != NULL ? " (the same as " : "", twin != NULL ? twin : "",
                 twin != NULL ? ")" : "");
        break;
    }
    mb_text_clean(out, text, mb_text_utf8_locale());
}

static void
append_row(const struct found *f, size_t i, const size_t *widths, struct mb_buffer *out)
{
    for (int c = 0; c < COLUMNS; c++) {
        MB_AUTO_BUFFER cell = MB_BUFFER_INIT(4096);
        if (i < f->n)
            fill(f, i, c, &cell);
        else
            mb_buffer_printf(&cell, "%s%s", c == NAME ? "  " : "", columns[c].title);
        mb_text_pad(out, mb_buffer_text(&cell), c == ADDRESS ? 0 : widths[c], columns[c].align);
        mb_buffer_puts(out, c == ADDRESS ? "\n" : "  ");
    }
}

/* The engines that answer; returns how many. */
static size_t
append_alive(const struct found *f, struct mb_buffer *out)
{
    size_t widths[COLUMNS], alive = 0;

    for (int c = 0; c < COLUMNS; c++)
        widths[c] = strlen(columns[c].title) + (c == NAME ? 2 : 0);
    for (size_t i = 0; i < f->n; i++) {
        for (int c = 0; f->surveys[i].alive && c < COLUMNS; c++) {
            MB_AUTO_BUFFER cell = MB_BUFFER_INIT(4096);
            fill(f, i, c, &cell);
            size_t width = mb_text_width(mb_buffer_text(&cell));
            widths[c] = width > widths[c] ? width : widths[c];
        }
        alive += f->surveys[i].alive;
    }
    if (alive > 0)
        append_row(f, f->n, widths, out);
    for (size_t i = 0; i < f->n; i++) {
        if (f->surveys[i].alive)
            append_row(f, i, widths, out);
    }
    return alive;
}

/* The name ${i}'s column wide, then why it is dead, wrapped beside it. */
static void
append_reason(const struct found *f, size_t i, size_t indent, size_t width, struct mb_buffer *out)
{
    bool unicode = mb_text_utf8_locale();
    MB_AUTO_BUFFER name = MB_BUFFER_INIT(4096);
    MB_AUTO_BUFFER why = MB_BUFFER_INIT(4096);
    MB_AUTO_BUFFER lines = MB_BUFFER_INIT(16384);

    mb_buffer_puts(&name, i == f->chosen ? "* " : "  ");
    mb_text_clean(&name, f->endpoints[i].name, unicode);
    mb_text_clean(&why, f->surveys[i].why.message, unicode);
    mb_text_wrap(&lines, mb_buffer_text(&why), width - indent, 0);
    const char *beside = mb_buffer_text(&name);
    /* A name that is too long for the column, an address, has a line of its own. */
    if (mb_text_width(beside) + 2 > indent) {
        mb_buffer_printf(out, "%s\n", beside);
        beside = "";
    }
    for (const char *line = mb_buffer_text(&lines); *line != '\0'; beside = "") {
        size_t n = strcspn(line, "\n");
        mb_text_pad(out, beside, indent, MB_ALIGN_LEFT);
        mb_buffer_append(out, line, n);
        mb_buffer_putc(out, '\n');
        line += n + (line[n] == '\n');
    }
}

/* Whether ${i} is worth no more than its name: nobody asked for it, and it is not installed. */
static bool
is_absent(const struct found *f, size_t i)
{
    return !f->surveys[i].alive && i != f->chosen && strncmp(f->endpoints[i].origin, "socket of ", 10) == 0 &&
           mb_endpoint_absent(&f->endpoints[i]);
}

static void
append_dead(const struct found *f, size_t alive, size_t width, struct mb_buffer *out)
{
    size_t indent = 2, dead = 0;

    for (size_t i = 0; i < f->n; i++) {
        size_t n = mb_text_width(f->endpoints[i].name) + 4;
        if (f->surveys[i].alive || is_absent(f, i))
            continue;
        dead++;
        if (n > indent && n < 30)
            indent = n;
    }
    if (dead > 0)
        mb_buffer_puts(out, alive > 0 ? "\nNot available:\n" : "Not available:\n");
    for (size_t i = 0; i < f->n; i++) {
        if (!f->surveys[i].alive && !is_absent(f, i))
            append_reason(f, i, indent, width, out);
    }
}

/* "Not installed, as far as can be seen: rancher-desktop, podman." */
static void
append_absent(const struct found *f, size_t width, struct mb_buffer *out)
{
    MB_AUTO_BUFFER names = MB_BUFFER_INIT(4096);

    for (size_t i = 0; i < f->n; i++) {
        if (is_absent(f, i))
            mb_buffer_printf(&names, "%s%s",
                             names.len > 0 ? ", " : "\nNot installed, as far as can be seen: ", f->endpoints[i].name);
    }
    if (names.len == 0)
        return;
    mb_buffer_puts(&names, ".");
    mb_text_wrap(out, mb_buffer_text(&names), width, 0);
}

static void
print_table(const struct found *f)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(OUTPUT_MAX);
    size_t width = mb_terminal_width(STDOUT_FILENO);
    size_t alive = append_alive(f, &text);

    width = width < 60 ? 60 : width;
    append_dead(f, alive, width, &text);
    append_absent(f, width, &text);
    if (f->chosen < f->n)
        mb_buffer_puts(&text, "\n* is what a run without --engine takes.\n");
    fputs(mb_buffer_text(&text), stdout);
}

static int
run(const struct mb_args *args, struct mb_error *err)
{
    const char *format = mb_args_text(args, "format");
    bool json = format != NULL && strcmp(format, "json") == 0;
    struct found f = {.chosen = SIZE_MAX};
    int status = 3;

    if (format != NULL && !json && strcmp(format, "terminal") != 0)
        return mb_error_set(err, MB_EUSAGE, "--format: '%s' is none of terminal, json", format);
    if (gather(&f, mb_args_all(args, "engine"), err) != 0 || survey(&f, err) != 0) {
        release(&f);
        return -1;
    }
    for (size_t i = 0; i < f.n; i++)
        status = f.surveys[i].alive ? 0 : status;
    if (!json)
        print_table(&f);
    else if (print_json(&f, err) != 0)
        status = -1;
    release(&f);
    return status;
}

static const char *const options[] = {"engine", "format", NULL};

const struct mb_command mb_cmd_engines = {
    .name = "engines",
    .operands = "",
    .summary = "every engine that can be found, and why the others cannot",
    .details = "Lists the docker command's contexts, the known sockets of Docker Engine, Docker\n"
               "Desktop, Rancher Desktop, colima, lima, OrbStack and podman, and what --engine\n"
               "names: runtime, versions, machine, how it shares the host's folders as far as\n"
               "its settings say; for those that do not answer the reason, and how to start\n"
               "them.  A runtime that seems not to be installed (its program is not in PATH) is\n"
               "named in one line.\n\n"
               "  mountbench engines\n"
               "  mountbench engines --engine ssh://me@build-box --format json\n\n"
               "Formats: terminal, json.  The exit status is 3 when no engine answers.\n",
    .options = options,
    .run = run,
};
