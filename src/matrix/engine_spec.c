/* engine_spec.c: an entry of `engines`. */
#include <stdlib.h>
#include <string.h>

#include "matrix/spec.h"
#include "mountbench/parse.h"

static const char *const keys[] = {"name", "context", "endpoint",      "runtime", "settings",
                                   "up",   "down",    "ready_timeout", "expect",  NULL};

/* What a provider can be asked for; `command` runs `up` and `down`. */
static const char *const runtimes[] = {"docker-engine", "docker-desktop", "rancher-desktop", "colima",  "lima", "orbstack",
                                       "podman",        "podman-machine", "minikube",        "command", NULL};

/* How long a runtime may take to answer unless the file says otherwise: a virtual machine's first start. */
#define READY_TIMEOUT_NS (UINT64_C(300) * 1000000000)

static const char *const schemes[] = {"unix://", "tcp://", "http://", "https://", "ssh://", NULL};

static bool
has_scheme(const char *word)
{
    for (size_t i = 0; schemes[i] != NULL; i++)
        if (strncmp(word, schemes[i], strlen(schemes[i])) == 0 && word[strlen(schemes[i])] != '\0')
            return true;
    return false;
}

/* A name for a URL: without its scheme, without slashes: "unix:///run/docker.sock" is "run-docker.sock". */
static char *
name_of_url(const char *url, struct mb_error *err)
{
    const char *rest = strstr(url, "://") + 3;

    rest += strspn(rest, "/");
    size_t n = strlen(rest);
    if (n > MB_NAME_MAX)
        rest += n - MB_NAME_MAX;
    char *name = mb_copy(*rest != '\0' ? rest : "engine", err);
    for (char *p = name; p != NULL && *p != '\0'; p++)
        if (strchr("/\\*?[] ", *p) != NULL)
            *p = '-';
    return name;
}

int
mb_engine_spec_from_word(const char *word, struct mb_engine_spec *out, struct mb_error *err)
{
    char shown[MB_PRINTABLE_MAX];

    out->ready_timeout_ns = READY_TIMEOUT_NS;
    if (strstr(word, "://") == NULL) {
        out->name = mb_copy(word, err);
        return out->name != NULL ? 0 : -1;
    }
    if (!has_scheme(word))
        return mb_error_set(err, MB_ECONFIG, "'%s' is no engine's address: it begins with unix://, tcp://, https:// or ssh://",
                            mb_printable(word, shown));
    out->endpoint = mb_copy(word, err);
    out->name = out->endpoint != NULL ? name_of_url(word, err) : NULL;
    return out->name != NULL ? 0 : -1;
}

static int
load_word(const struct mb_place *at, struct mb_engine_spec *out, struct mb_error *err)
{
    const char *word = mb_text_of(at, err);

    if (word == NULL)
        return -1;
    if (mb_engine_spec_from_word(word, out, err) != 0)
        return mb_place_prefix(err, at);
    return mb_check_name(at, out->name, err);
}

/* A name for an entry that gives none: what it says of where the engine is. */
static int
default_name(const struct mb_place *at, struct mb_engine_spec *out, struct mb_error *err)
{
    if (out->name != NULL)
        return 0;
    if (out->endpoint != NULL) {
        out->name = name_of_url(out->endpoint, err);
        return out->name != NULL ? 0 : -1;
    }
    const char *word = out->context != NULL ? out->context : out->runtime;
    if (word == NULL)
        return mb_place_error(err, at, "an engine needs one of name, context, endpoint and runtime");
    out->name = mb_copy(word, err);
    return out->name == NULL ? -1 : mb_check_name(at, out->name, err);
}

static int
check(const struct mb_place *at, const struct mb_engine_spec *s, struct mb_error *err)
{
    bool command = s->runtime != NULL && strcmp(s->runtime, "command") == 0;

    if (s->context != NULL && s->endpoint != NULL)
        return mb_place_error(err, at, "context and endpoint both say where the engine is; give one of them");
    if (s->endpoint != NULL && !has_scheme(s->endpoint)) {
        char shown[MB_PRINTABLE_MAX];
        struct mb_place place = mb_place_key(at, mb_node_find(at->node, "endpoint"));
        return mb_place_error(err, &place, "'%s' is no engine's address: it begins with unix://, tcp://, https:// or ssh://",
                              mb_printable(s->endpoint, shown));
    }
    if (command && s->up == NULL)
        return mb_place_error(err, at, "runtime 'command' needs 'up', the command that starts the engine, as a list of words");
    if (!command && (s->up != NULL || s->down != NULL))
        return mb_place_error(err, at, "'%s' is for runtime 'command' alone", s->up != NULL ? "up" : "down");
    if (s->settings != NULL && s->runtime == NULL)
        return mb_place_error(err, at, "'settings' needs a 'runtime' to set them");
    return 0;
}

int
mb_engine_spec_load(const struct mb_place *at, struct mb_engine_spec *out, struct mb_error *err)
{
    size_t runtime = SIZE_MAX;

    if (at->node->kind == MB_NODE_SCALAR)
        return load_word(at, out, err);
    out->ready_timeout_ns = READY_TIMEOUT_NS;
    if (mb_check_kind(at, MB_NODE_MAP, err) != 0 || mb_check_keys(at, keys, err) != 0 ||
        mb_get_name(at, "name", &out->name, err) != 0 || mb_get_text(at, "context", &out->context, err) != 0 ||
        mb_get_text(at, "endpoint", &out->endpoint, err) != 0 || mb_get_word(at, "runtime", runtimes, &runtime, err) != 0 ||
        mb_get_json(at, "settings", false, &out->settings, err) != 0 || mb_get_command(at, "up", &out->up, err) != 0 ||
        mb_get_command(at, "down", &out->down, err) != 0 ||
        mb_get_duration(at, "ready_timeout", &out->ready_timeout_ns, err) != 0 ||
        mb_get_json(at, "expect", true, &out->expect, err) != 0)
        return -1;
    if (runtime != SIZE_MAX && (out->runtime = mb_copy(runtimes[runtime], err)) == NULL)
        return -1;
    return check(at, out, err) == 0 ? default_name(at, out, err) : -1;
}

void
mb_engine_spec_clear(struct mb_engine_spec *spec)
{
    free(spec->name);
    free(spec->context);
    free(spec->endpoint);
    free(spec->runtime);
    cJSON_Delete(spec->settings);
    free(spec->up);
    free(spec->down);
    cJSON_Delete(spec->expect);
    *spec = (struct mb_engine_spec){0};
}

static void
print_arguments(struct mb_buffer *out, char *const *arguments)
{
    for (char *const *a = arguments; a != NULL && *a != NULL; a++)
        mb_print_text(out, *a);
    mb_print_text(out, NULL);
}

void
mb_engine_spec_print(const struct mb_engine_spec *spec, struct mb_buffer *out)
{
    /* Where nothing else says where the engine is, its name does. */
    bool named = spec->context == NULL && spec->endpoint == NULL && spec->runtime == NULL;

    mb_print_text(out, named ? spec->name : spec->context);
    mb_print_text(out, spec->endpoint);
    mb_print_text(out, spec->runtime);
    mb_print_json(out, spec->settings);
    print_arguments(out, spec->up);
    print_arguments(out, spec->down);
}
