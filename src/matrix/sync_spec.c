/* sync_spec.c: the value of a mount's `sync`: a tool, and the settings that this tool has. */
#include <stdlib.h>
#include <string.h>

#include "matrix/spec.h"

#define REPEAT_MAX_SECONDS 3600
/* A tool's own arguments stand before these. */
#define ARGUMENTS_MAX 40

static const char *const kind_names[] = {
    [MB_SYNC_UNISON] = "unison",
    [MB_SYNC_MUTAGEN] = "mutagen",
    [MB_SYNC_COMMAND] = "command",
    [MB_SYNC_COMMAND + 1] = NULL,
};

static const char *const common_keys[] = {"tool", "image", "pull", "build", "ready_timeout", NULL};
/* What a tool has besides. */
static const char *const tool_keys[][4] = {
    [MB_SYNC_UNISON] = {"arguments", "prefer", "repeat", NULL},
    [MB_SYNC_MUTAGEN] = {"arguments", "mode", NULL},
    [MB_SYNC_COMMAND] = {"start", "stop", "flush", NULL},
};

static const char *const pulls[] = {"false", "missing", "true", NULL};
static const char *const preferences[] = {"newer", "older", "host", "container", NULL};
/* The others go one way alone, and what the container writes never reaches the host. */
static const char *const modes[] = {"two-way-safe", "two-way-resolved", NULL};

const char *
mb_sync_kind_name(enum mb_sync_kind kind)
{
    return kind_names[kind];
}

static struct mb_place
place_of(const struct mb_place *at, const char *key)
{
    return mb_place_key(at, mb_node_find(at->node, key));
}

static int
load_kind(const struct mb_place *at, enum mb_sync_kind *out, struct mb_error *err)
{
    size_t kind = 0;

    if (mb_check_kind(at, MB_NODE_MAP, err) != 0)
        return -1;
    if (mb_node_find(at->node, "tool") == NULL)
        return mb_place_error(err, at,
                              "'tool' is missing: what keeps the volume equal to the host's directory (unison, mutagen, command)");
    if (mb_get_word(at, "tool", kind_names, &kind, err) != 0)
        return -1;
    *out = (enum mb_sync_kind)kind;
    return 0;
}

/* A key of another tool is not this one's; a word that no tool knows gets the nearest that this one does. */
static int
check_keys(const struct mb_place *at, enum mb_sync_kind kind, struct mb_error *err)
{
    const char *known[sizeof common_keys / sizeof common_keys[0] + 4];
    size_t n = 0;

    for (const char *const *k = common_keys; *k != NULL; k++)
        known[n++] = *k;
    for (const char *const *k = tool_keys[kind]; *k != NULL; k++)
        known[n++] = *k;
    known[n] = NULL;
    return mb_check_keys(at, known, err);
}

/* One of ${words}, copied. */
static int
get_choice(const struct mb_place *at, const char *key, const char *const *words, char **out, struct mb_error *err)
{
    size_t index = SIZE_MAX;

    if (mb_get_word(at, key, words, &index, err) != 0)
        return -1;
    if (index == SIZE_MAX)
        return 0;
    *out = mb_copy(words[index], err);
    return *out != NULL ? 0 : -1;
}

/* `watch`, or a number of whole seconds: the program takes no others. */
static int
load_repeat(const struct mb_place *at, struct mb_sync_spec *out, struct mb_error *err)
{
    const struct mb_node *node = mb_node_find(at->node, "repeat");
    uint64_t ns = 0;

    if (node == NULL)
        return 0;
    out->watch = node->kind == MB_NODE_SCALAR && strcmp(node->text, "watch") == 0;
    if (out->watch)
        return 0;
    struct mb_place place = mb_place_key(at, node);
    if (mb_get_duration(at, "repeat", &ns, err) != 0)
        return -1;
    if (ns % 1000000000 != 0 || ns == 0 || ns / 1000000000 > REPEAT_MAX_SECONDS)
        return mb_place_error(err, &place, "'watch' or whole seconds from 1s to 1h are wanted");
    out->repeat_seconds = (unsigned)(ns / 1000000000);
    return 0;
}

static int
check(const struct mb_place *at, const struct mb_sync_spec *s, struct mb_error *err)
{
    if (s->kind == MB_SYNC_COMMAND && s->start == NULL)
        return mb_place_error(err, at, "the tool 'command' needs 'start': the program and its arguments, a list");
    size_t n = 0;
    while (s->arguments != NULL && s->arguments[n] != NULL)
        n++;
    if (n > ARGUMENTS_MAX) {
        struct mb_place list = place_of(at, "arguments");
        return mb_place_error(err, &list, "at most %d arguments", ARGUMENTS_MAX);
    }
    if (s->pull == MB_PULL_NEVER || s->build == NULL)
        return 0;
    struct mb_place place = place_of(at, "pull");
    return mb_place_error(err, &place, "what is built is not pulled");
}

int
mb_sync_spec_load(const struct mb_place *at, struct mb_sync_spec **out, struct mb_error *err)
{
    struct mb_sync_spec *s = *out = calloc(1, sizeof *s);
    size_t pull = 0;

    if (s == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    if (load_kind(at, &s->kind, err) != 0 || check_keys(at, s->kind, err) != 0 || mb_get_text(at, "image", &s->image, err) != 0 ||
        mb_get_word(at, "pull", pulls, &pull, err) != 0 || mb_get_text(at, "build", &s->build, err) != 0 ||
        mb_get_duration(at, "ready_timeout", &s->ready_timeout_ns, err) != 0 ||
        mb_get_arguments(at, "arguments", &s->arguments, err) != 0 || get_choice(at, "prefer", preferences, &s->prefer, err) != 0 ||
        load_repeat(at, s, err) != 0 || get_choice(at, "mode", modes, &s->mode, err) != 0 ||
        mb_get_command(at, "start", &s->start, err) != 0 || mb_get_command(at, "flush", &s->flush, err) != 0 ||
        mb_get_command(at, "stop", &s->stop, err) != 0)
        return -1;
    s->pull = (enum mb_pull)pull;
    return check(at, s, err);
}

void
mb_sync_spec_free(struct mb_sync_spec *spec)
{
    if (spec == NULL)
        return;
    free(spec->image);
    free(spec->build);
    free(spec->arguments);
    free(spec->prefer);
    free(spec->mode);
    free(spec->start);
    free(spec->flush);
    free(spec->stop);
    free(spec);
}

void
mb_sync_spec_print(const struct mb_sync_spec *spec, struct mb_buffer *out)
{
    mb_buffer_printf(out, "%d %d %llu %d %u;", (int)spec->kind, (int)spec->pull, (unsigned long long)spec->ready_timeout_ns,
                     spec->watch, spec->repeat_seconds);
    mb_print_text(out, spec->image);
    mb_print_text(out, spec->build);
    mb_print_list(out, spec->arguments);
    mb_print_text(out, spec->prefer);
    mb_print_text(out, spec->mode);
    mb_print_list(out, spec->start);
    mb_print_list(out, spec->flush);
    mb_print_list(out, spec->stop);
}
