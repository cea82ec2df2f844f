/* exec_spec.c: the keys of an `exec` workload: an image, argument lists, and how to read numbers out of what they print. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/spec.h"

/* All texts together: escaped twice, they fit a line to the probe. */
#define TEXT_MAX 4096

static const char *const booleans[] = {"false", "true", NULL};

static struct mb_place
place_of(const struct mb_place *at, const char *key)
{
    return mb_place_key(at, mb_node_find(at->node, key));
}

/* One block: an array of ${n} texts and its end. */
static char **
make_list(const char *const *texts, size_t n)
{
    size_t size = (n + 1) * sizeof(char *);

    for (size_t i = 0; i < n; i++)
        size += strlen(texts[i]) + 1;
    char **list = malloc(size);
    char *at = list != NULL ? (char *)(list + n + 1) : NULL;
    for (size_t i = 0; list != NULL && i < n; i++) {
        size_t length = strlen(texts[i]) + 1;
        list[i] = memcpy(at, texts[i], length);
        at += length;
    }
    if (list != NULL)
        list[n] = NULL;
    return list;
}

/* `command`, `setup` or `cleanup`: a list, or with `shell` a text for it. */
static int
get_command(const struct mb_place *at, const char *key, bool shell, char ***out, struct mb_error *err)
{
    const struct mb_node *node = mb_node_find(at->node, key);

    if (node == NULL)
        return 0;
    struct mb_place place = mb_place_key(at, node);
    if (!shell && node->kind == MB_NODE_SCALAR)
        return mb_place_error(err, &place,
                              "a list of the program and its arguments is wanted: [dd, if=/dev/zero, of=file]; "
                              "with 'shell: true' a text goes to /bin/sh -c");
    if (!shell)
        return mb_get_command(at, key, out, err);
    if (node->kind != MB_NODE_SCALAR)
        return mb_place_error(err, &place, "with 'shell: true' a text is wanted, and this is %s", mb_node_kind_name(node));
    *out = make_list((const char *const[]){"/bin/sh", "-c", node->text}, 3);
    return *out != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

/* A map as "KEY=VALUE" texts. */
static int
get_environment(const struct mb_place *at, char ***out, struct mb_error *err)
{
    const char *texts[MB_YAML_KEYS_MAX];
    MB_AUTO_BUFFER all = MB_BUFFER_INIT(TEXT_MAX * 2);
    size_t n = 0;

    if (mb_node_find(at->node, "environment") == NULL)
        return 0;
    struct mb_place map = place_of(at, "environment");
    if (mb_check_kind(&map, MB_NODE_MAP, err) != 0)
        return -1;
    for (const struct mb_node *node = map.node->child; node != NULL; node = node->next) {
        struct mb_place place = mb_place_key(&map, node);
        if (node->kind != MB_NODE_SCALAR)
            return mb_place_error(err, &place, "one value is wanted, and this is %s", mb_node_kind_name(node));
        if (node->key[0] == '\0' || strchr(node->key, '=') != NULL)
            return mb_place_error(err, &place, "a variable's name is not empty and has no '='");
        mb_buffer_printf(&all, "%s=%s", node->key, node->text);
        mb_buffer_append(&all, "", 1);
        n++;
    }
    if (all.overflowed)
        return mb_place_error(err, &map, "this is more than %d bytes", TEXT_MAX);
    const char *text = mb_buffer_text(&all);
    for (size_t i = 0; i < n; i++, text += strlen(text) + 1)
        texts[i] = text;
    *out = make_list(texts, n);
    return *out != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

/* That it compiles, and has the one group that holds the number. */
static int
check_pattern(const struct mb_place *at, const char *pattern, struct mb_error *err)
{
    regex_t compiled;
    char why[200];
    int rc = regcomp(&compiled, pattern, REG_EXTENDED | REG_NEWLINE);

    if (rc != 0) {
        regerror(rc, &compiled, why, sizeof why);
        return mb_place_error(err, at, "'%.100s' is no POSIX extended regular expression: %s", pattern, why);
    }
    size_t groups = compiled.re_nsub;
    regfree(&compiled);
    if (groups != 1)
        return mb_place_error(err, at, "'%.100s' has %zu groups, and one is wanted: ( ) around the number", pattern, groups);
    return 0;
}

static int
load_metric(const struct mb_place *at, struct mb_metric_spec *out, struct mb_error *err)
{
    static const char *const keys[] = {"name", "pattern", NULL};

    if (mb_check_kind(at, MB_NODE_MAP, err) != 0 || mb_check_keys(at, keys, err) != 0 ||
        mb_get_name(at, "name", &out->name, err) != 0 || mb_get_text(at, "pattern", &out->pattern, err) != 0)
        return -1;
    if (out->name == NULL || out->pattern == NULL)
        return mb_place_error(err, at, "'%s' is missing: a metric is {name: ..., pattern: ...}",
                              out->name == NULL ? "name" : "pattern");
    struct mb_place place = place_of(at, "pattern");
    return check_pattern(&place, out->pattern, err);
}

static bool
has_metric(const struct mb_exec_spec *s, const char *name)
{
    size_t i = 0;

    while (i < s->metric_count && strcmp(s->metrics[i].name, name) != 0)
        i++;
    return i < s->metric_count;
}

static int
load_metrics(const struct mb_place *at, struct mb_exec_spec *out, struct mb_error *err)
{
    size_t i = 0;

    if (mb_node_find(at->node, "metrics") == NULL)
        return 0;
    struct mb_place list = place_of(at, "metrics");
    if (mb_check_kind(&list, MB_NODE_LIST, err) != 0)
        return -1;
    if (mb_node_count(list.node) > MB_METRICS_MAX)
        return mb_place_error(err, &list, "at most %d metrics", MB_METRICS_MAX);
    for (const struct mb_node *node = list.node->child; node != NULL; node = node->next, i++) {
        struct mb_place item = mb_place_item(&list, node, i);
        struct mb_metric_spec *metric = &out->metrics[i];
        int rc = load_metric(&item, metric, err);
        if (rc == 0 && has_metric(out, metric->name))
            rc = mb_place_error(err, &item, "there is a metric '%s' already", metric->name);
        out->metric_count++; /* to be freed, good or bad */
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* `ops` or `bytes`: the name of a metric. */
static int
load_amount(const struct mb_place *at, const char *key, const struct mb_exec_spec *s, char **out, struct mb_error *err)
{
    if (mb_get_text(at, key, out, err) != 0)
        return -1;
    if (*out == NULL || has_metric(s, *out))
        return 0;
    const char *names[MB_METRICS_MAX + 1] = {NULL};
    for (size_t i = 0; i < s->metric_count; i++)
        names[i] = s->metrics[i].name;
    struct mb_place place = place_of(at, key);
    if (s->metric_count == 0)
        return mb_place_error(err, &place, "'%s' is no metric: 'metrics' says how to find it", *out);
    return mb_place_unknown(err, &place, "metric", *out, names);
}

static size_t
length_of(char *const *list)
{
    size_t n = 0;

    for (; list != NULL && *list != NULL; list++)
        n += strlen(*list) + 1;
    return n;
}

static int
check(const struct mb_place *at, const struct mb_exec_spec *s, struct mb_error *err)
{
    if (s->command == NULL)
        return mb_place_error(err, at, "a workload of type 'exec' needs 'command': the program and its arguments, a list");
    if ((s->image == NULL) == (s->build == NULL))
        return mb_place_error(err, at, "a workload of type 'exec' needs 'image' or 'build'%s",
                              s->image != NULL ? ", and not both" : ": what to run the command in");
    if (s->build != NULL && s->pull != MB_PULL_NEVER) {
        struct mb_place place = place_of(at, "pull");
        return mb_place_error(err, &place, "what is built is not pulled");
    }
    if (s->ops != NULL && s->bytes != NULL)
        return mb_place_error(err, at, "'ops' and 'bytes' together: a cell has one figure");
    size_t all = length_of(s->command) + length_of(s->setup) + length_of(s->cleanup) + length_of(s->environment) +
                 (s->working_dir != NULL ? strlen(s->working_dir) : 0);
    if (all > TEXT_MAX)
        return mb_place_error(err, at,
                              "its commands and environment are %zu bytes long, and %d are the limit: put a script into "
                              "the image",
                              all, TEXT_MAX);
    return 0;
}

int
mb_exec_spec_load(const struct mb_place *at, struct mb_exec_spec **out, struct mb_error *err)
{
    static const char *const pulls[] = {"false", "missing", "true", NULL};
    struct mb_exec_spec *s = *out = calloc(1, sizeof *s);
    size_t shell = 0, network = 0, pull = 0;

    if (s == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    if (mb_get_word(at, "shell", booleans, &shell, err) != 0 || mb_get_word(at, "network", booleans, &network, err) != 0 ||
        mb_get_word(at, "pull", pulls, &pull, err) != 0 || mb_get_text(at, "image", &s->image, err) != 0 ||
        mb_get_text(at, "build", &s->build, err) != 0 || mb_get_text(at, "working_dir", &s->working_dir, err) != 0 ||
        get_command(at, "command", shell == 1, &s->command, err) != 0 ||
        get_command(at, "setup", shell == 1, &s->setup, err) != 0 ||
        get_command(at, "cleanup", shell == 1, &s->cleanup, err) != 0 || get_environment(at, &s->environment, err) != 0 ||
        load_metrics(at, s, err) != 0 || load_amount(at, "ops", s, &s->ops, err) != 0 ||
        load_amount(at, "bytes", s, &s->bytes, err) != 0)
        return -1;
    s->network = network == 1;
    s->pull = (enum mb_pull)pull;
    return check(at, s, err);
}

void
mb_exec_spec_free(struct mb_exec_spec *spec)
{
    if (spec == NULL)
        return;
    for (size_t i = 0; i < spec->metric_count; i++) {
        free(spec->metrics[i].name);
        free(spec->metrics[i].pattern);
    }
    free(spec->image);
    free(spec->build);
    free(spec->command);
    free(spec->setup);
    free(spec->cleanup);
    free(spec->environment);
    free(spec->working_dir);
    free(spec->ops);
    free(spec->bytes);
    free(spec);
}

void
mb_print_list(struct mb_buffer *out, char *const *list)
{
    for (; list != NULL && *list != NULL; list++)
        mb_print_text(out, *list);
    mb_print_text(out, NULL);
}

void
mb_exec_spec_print(const struct mb_exec_spec *spec, struct mb_buffer *out)
{
    mb_buffer_printf(out, "%d %d;", (int)spec->pull, spec->network);
    mb_print_text(out, spec->image);
    mb_print_text(out, spec->build);
    mb_print_list(out, spec->command);
    mb_print_list(out, spec->setup);
    mb_print_list(out, spec->cleanup);
    mb_print_list(out, spec->environment);
    mb_print_text(out, spec->working_dir);
    for (size_t i = 0; i < spec->metric_count; i++) {
        mb_print_text(out, spec->metrics[i].name);
        mb_print_text(out, spec->metrics[i].pattern);
    }
    mb_print_text(out, spec->ops);
    mb_print_text(out, spec->bytes);
}
