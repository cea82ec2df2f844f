/* workload_spec.c: an entry of `workloads`, its keys those of the kind's parameters. */
#include <stdlib.h>
#include <string.h>

#include "matrix/spec.h"
#include "mountbench/parse.h"

/* name, type, timeout, host_visible, the parameters, and an end. */
#define KEYS_MAX (2 * MB_PARAMS_MAX + 5)
/* What `host_visible: true` waits at most. */
#define HOST_VISIBLE_NS (UINT64_C(60) * 1000000000)

static int
find_kind(const struct mb_place *at, const char *word, const struct mb_workload **out, struct mb_error *err)
{
    const char *names[64] = {NULL};
    const struct mb_workload *const *all = mb_workloads();

    *out = mb_workload_find(word);
    if (*out != NULL)
        return 0;
    for (size_t i = 0; all[i] != NULL && i + 1 < sizeof names / sizeof names[0]; i++)
        names[i] = all[i]->name;
    return mb_place_unknown(err, at, "kind", word, names);
}

static int
parse_param(const struct mb_place *at, const struct mb_param *param, uint64_t *out, struct mb_error *err)
{
    const char *text = mb_text_of(at, err);

    if (text == NULL)
        return -1;
    if (mb_param_parse(param, text, out, err) == 0)
        return 0;
    err->code = MB_ECONFIG;
    return mb_place_prefix(err, at);
}

/* Fill in the values from the map at `at`, or the defaults alone where `at` is a word. */
static int
load_params(const struct mb_place *at, struct mb_workload_spec *out, struct mb_error *err)
{
    bool is_map = at->node->kind == MB_NODE_MAP;

    for (size_t i = 0; out->kind->params[i].name != NULL; i++) {
        const struct mb_param *param = &out->kind->params[i];
        const struct mb_node *node = is_map ? mb_node_find(at->node, param->name) : NULL;
        if (node != NULL) {
            struct mb_place place = mb_place_key(at, node);
            if (parse_param(&place, param, &out->values[i], err) != 0)
                return -1;
        } else if (param->fallback == NULL) {
            return mb_place_error(err, at, "a workload of type '%s' needs '%s': %s", out->kind->name, param->name, param->help);
        } else if (mb_param_parse(param, param->fallback, &out->values[i], err) != 0) {
            return mb_place_prefix(err, at);
        }
    }
    if (out->kind->validate != NULL && out->kind->validate(out->values, err) != 0) {
        err->code = MB_ECONFIG;
        return mb_place_prefix(err, at);
    }
    return 0;
}

static int
check_keys(const struct mb_place *at, const struct mb_workload *kind, struct mb_error *err)
{
    const char *keys[KEYS_MAX] = {"name", "type", "timeout"};
    size_t n = 3;

    if (kind->leaves != NULL)
        keys[n++] = "host_visible";
    for (size_t i = 0; kind->params[i].name != NULL && n + 1 < KEYS_MAX; i++)
        keys[n++] = kind->params[i].name;
    for (size_t i = 0; kind->texts != NULL && kind->texts[i].name != NULL && n + 1 < KEYS_MAX; i++)
        keys[n++] = kind->texts[i].name;
    return mb_check_keys(at, keys, err);
}

/* `host_visible`: true, false, or how long to wait at most. */
static int
load_host_visible(const struct mb_place *at, uint64_t *out, struct mb_error *err)
{
    const struct mb_node *node = mb_node_find(at->node, "host_visible");

    if (node == NULL)
        return 0;
    struct mb_place place = mb_place_key(at, node);
    const char *text = mb_text_of(&place, err);
    if (text == NULL)
        return -1;
    *out = strcmp(text, "true") == 0 ? HOST_VISIBLE_NS : 0;
    if (*out != 0 || strcmp(text, "false") == 0)
        return 0;
    struct mb_error why = {0};
    if (mb_parse_duration(text, out, &why) == 0 && *out > 0)
        return 0;
    if (text[0] >= '1' && text[0] <= '9')
        return mb_place_error(err, &place, "%s", why.message);
    return mb_place_error(err, &place, "'%.40s' is neither true nor false, nor a duration (30s) to wait at most", text);
}

int
mb_workload_spec_load(const struct mb_place *at, struct mb_workload_spec *out, struct mb_error *err)
{
    if (at->node->kind == MB_NODE_SCALAR) {
        const char *word = mb_text_of(at, err);
        if (word == NULL || find_kind(at, word, &out->kind, err) != 0)
            return -1;
        if (out->kind->texts != NULL)
            return mb_place_error(err, at, "a workload of type '%s' needs '%s': write it as a map, {type: %s, %s: ...}", word,
                                  out->kind->texts[0].name, word, out->kind->texts[0].name);
        out->name = mb_copy(word, err);
        return out->name != NULL ? load_params(at, out, err) : -1;
    }
    if (mb_check_kind(at, MB_NODE_MAP, err) != 0)
        return -1;
    const struct mb_node *type = mb_node_find(at->node, "type");
    if (type == NULL)
        return mb_place_error(err, at, "'type' is missing ('mountbench run --help-workloads' lists them)");
    struct mb_place place = mb_place_key(at, type);
    const char *word = mb_text_of(&place, err);
    if (word == NULL || find_kind(&place, word, &out->kind, err) != 0 || check_keys(at, out->kind, err) != 0 ||
        mb_get_name(at, "name", &out->name, err) != 0 || mb_get_duration(at, "timeout", &out->timeout_ns, err) != 0 ||
        load_host_visible(at, &out->host_visible_ns, err) != 0 || load_params(at, out, err) != 0 ||
        (out->kind->texts != NULL && mb_exec_spec_load(at, &out->exec, err) != 0))
        return -1;
    if (out->name == NULL)
        out->name = mb_copy(out->kind->name, err);
    return out->name != NULL ? 0 : -1;
}

void
mb_workload_spec_clear(struct mb_workload_spec *spec)
{
    free(spec->name);
    mb_exec_spec_free(spec->exec);
    *spec = (struct mb_workload_spec){0};
}

void
mb_workload_spec_print(const struct mb_workload_spec *spec, struct mb_buffer *out)
{
    mb_print_text(out, spec->kind->name);
    for (size_t i = 0; spec->kind->params[i].name != NULL; i++)
        mb_buffer_printf(out, "%llu;", (unsigned long long)spec->values[i]);
    mb_buffer_printf(out, "%llu;", (unsigned long long)spec->host_visible_ns);
    if (spec->exec != NULL)
        mb_exec_spec_print(spec->exec, out);
}

enum mb_measure
mb_workload_measure(const struct mb_workload_spec *workload)
{
    const struct mb_exec_spec *exec = workload->exec;

    if (exec != NULL && exec->ops != NULL)
        return MB_MEASURE_OPS_PER_SECOND;
    return exec != NULL && exec->bytes != NULL ? MB_MEASURE_BYTES_PER_SECOND : workload->kind->measure;
}

const char *
mb_workload_unit(const struct mb_workload_spec *workload)
{
    return workload->exec != NULL && workload->exec->ops != NULL ? workload->exec->ops : workload->kind->unit;
}
