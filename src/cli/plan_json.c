/* plan_json.c: a plan as one JSON object, for programs. */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "cli/plan_view.h"
#include "mountbench/provider.h"
#include "mountbench/sync.h"

/* The places as JSON's readers know them. */
static const char *const place_words[] = {"engine-disk", "driver-disk", "engine-memory", "file-server"};

/* JSON is written cell by cell, with cJSON's escaping for the texts alone: a tree of 100,000 cells would only cost memory. */
static void
json_text(struct mb_buffer *out, const char *key, const char *text)
{
    cJSON *value = text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull();
    char *printed = value != NULL ? cJSON_PrintUnformatted(value) : NULL;

    cJSON_Delete(value);
    if (printed == NULL || mb_buffer_printf(out, "\"%s\":%s", key, printed) != 0)
        out->overflowed = true;
    cJSON_free(printed);
}

static void
json_cells(const struct mb_plan_view *v, struct mb_buffer *out)
{
    const struct mb_matrix *m = v->m;

    mb_buffer_puts(out, ",\n\"cells\":[");
    for (size_t i = 0; i < m->cell_count; i++) {
        const struct mb_plan_cell *c = &v->plan->cells[i];
        mb_buffer_puts(out, i > 0 ? ",\n{" : "\n{");
        json_text(out, "engine", m->engines[m->cells[i].engine].name);
        mb_buffer_putc(out, ',');
        json_text(out, "mount", m->mounts[m->cells[i].mount].name);
        mb_buffer_putc(out, ',');
        json_text(out, "workload", m->workloads[m->cells[i].workload].name);
        mb_buffer_printf(out, ",\"type\":\"%s\",", m->workloads[m->cells[i].workload].kind->name);
        if (mb_plan_is_known(v, i))
            mb_buffer_printf(out, "\"disk_bytes\":%llu,\"trial_ns\":%llu,", (unsigned long long)c->disk_bytes,
                             (unsigned long long)c->trial_ns);
        else
            mb_buffer_puts(out, "\"disk_bytes\":null,\"trial_ns\":null,");
        mb_buffer_printf(out, "\"trials\":%llu}", (unsigned long long)c->trials);
    }
    mb_buffer_puts(out, "]");
}

static void
json_mounts(const struct mb_plan_view *v, struct mb_buffer *out)
{
    const struct mb_matrix *m = v->m;
    const char *separator = "\n{";

    mb_buffer_puts(out, ",\n\"mounts\":[");
    for (size_t i = 0; i < m->engine_count * m->mount_count; i++) {
        const struct mb_plan_mount *mount = &v->plan->mounts[i];
        const struct mb_mount_spec *spec = &m->mounts[i % m->mount_count];
        if (mount->cells == 0)
            continue;
        mb_buffer_puts(out, separator);
        separator = ",\n{";
        json_text(out, "engine", m->engines[i / m->mount_count].name);
        mb_buffer_putc(out, ',');
        json_text(out, "mount", spec->name);
        mb_buffer_printf(out, ",\"type\":\"%s\",\"place\":\"%s\",\"disk_bytes\":%llu,\"files\":%llu}",
                         mb_mount_type_name(spec->type), place_words[mb_plan_place_of(spec->type)],
                         (unsigned long long)mount->disk_bytes, (unsigned long long)mount->files);
    }
    mb_buffer_puts(out, "]");
}

static int
json_changes(const struct mb_plan_view *v, struct mb_buffer *out, struct mb_error *err)
{
    const char *separator = "\n{";

    mb_buffer_puts(out, ",\n\"changes\":[");
    for (size_t e = 0; e < v->m->engine_count; e++) {
        MB_AUTO_BUFFER changes = MB_BUFFER_INIT(65536);
        if (!mb_provider_manages(&v->m->engines[e]))
            continue;
        if (mb_provider_plan(&v->m->engines[e], &changes, err) != 0)
            return -1;
        mb_buffer_puts(out, separator);
        separator = ",\n{";
        json_text(out, "engine", v->m->engines[e].name);
        mb_buffer_putc(out, ',');
        json_text(out, "text", mb_buffer_text(&changes));
        mb_buffer_putc(out, '}');
    }
    mb_buffer_puts(out, "]");
    return 0;
}

static void
json_tools(const struct mb_plan_view *v, struct mb_buffer *out)
{
    const char *separator = "\n{";

    mb_buffer_puts(out, ",\n\"tools\":[");
    for (size_t i = 0; i < v->m->mount_count; i++) {
        MB_AUTO_BUFFER lines = MB_BUFFER_INIT(65536);
        if (!mb_plan_has_tool(v, i))
            continue;
        mb_sync_plan(v->m->mounts[i].sync, &lines);
        mb_buffer_puts(out, separator);
        separator = ",\n{";
        json_text(out, "mount", v->m->mounts[i].name);
        mb_buffer_putc(out, ',');
        json_text(out, "text", mb_buffer_text(&lines));
        mb_buffer_putc(out, '}');
    }
    mb_buffer_puts(out, "]");
}

static int
json_order(const struct mb_plan_view *v, struct mb_buffer *out, struct mb_error *err)
{
    const struct mb_matrix *m = v->m;

    if (!v->seeded)
        return 0;
    size_t *order = calloc(m->cell_count, sizeof *order);
    if (order == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    mb_buffer_printf(out, ",\n\"seed\":%llu,\n\"order\":[", (unsigned long long)v->seed);
    for (unsigned i = 0; i < m->warmup + m->rounds && !out->overflowed; i++) {
        bool warmup = i < m->warmup;
        unsigned round = warmup ? i : i - m->warmup;
        mb_plan_shuffle(v->seed, mb_plan_round(warmup, round), m->cell_count, order);
        mb_buffer_printf(out, "%s\n{\"warmup\":%s,\"round\":%u,\"cells\":[", i > 0 ? "," : "", warmup ? "true" : "false", round);
        for (size_t j = 0; j < m->cell_count; j++)
            mb_buffer_printf(out, "%s%zu", j > 0 ? "," : "", order[j]);
        mb_buffer_puts(out, "]}");
    }
    mb_buffer_puts(out, "]");
    free(order);
    return 0;
}

int
mb_plan_json(const struct mb_plan_view *v, struct mb_buffer *out, struct mb_error *err)
{
    const struct mb_matrix *m = v->m;

    mb_buffer_puts(out, "{");
    json_text(out, "name", m->name);
    mb_buffer_putc(out, ',');
    json_text(out, "description", m->description);
    mb_buffer_putc(out, ',');
    json_text(out, "file", m->path);
    mb_buffer_printf(out,
                     ",\"sha256\":\"%s\",\"scale\":\"%s\",\n\"rounds\":%u,\"rounds_min\":%u,\"precision_percent\":%g,\"warmup\":%u,"
                     "\"passes\":%u,"
                     "\"max_time_ns\":%llu,\n\"trials\":%llu,\"time_ns\":%llu,\"assumptions\":\"%s\"",
                     m->sha256, *m->scale != '\0' ? m->scale : "1/1", m->rounds, m->rounds_min, m->precision_percent, m->warmup,
                     m->passes, (unsigned long long)m->max_time_ns, (unsigned long long)v->plan->trials,
                     (unsigned long long)v->plan->time_ns, mb_plan_assumptions());
    if (json_changes(v, out, err) != 0)
        return -1;
    json_tools(v, out);
    json_mounts(v, out);
    json_cells(v, out);
    if (json_order(v, out, err) != 0)
        return -1;
    mb_buffer_puts(out, "}\n");
    return 0;
}
