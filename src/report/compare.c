/* compare.c: pick the cells of two sides, pair them into rows, have them judged. */
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "report/compare.h"
#include "report/names.h"

static int
no_memory(struct mb_error *err)
{
    mb_error_set(err, MB_EIO, "out of memory while comparing");
    return -1;
}

const struct mb_model *
mb_compare_model(const struct mb_comparison *c, size_t side)
{
    return c->memory->models[c->memory->models[side] != NULL ? side : 0];
}

void
mb_compare_add_remark(struct mb_comparison *c, const char *format, ...)
{
    char text[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char **remarks = realloc(c->remarks, (c->remark_count + 1) * sizeof *remarks);
    if (remarks == NULL)
        return;
    c->remarks = remarks;
    remarks[c->remark_count] = strdup(text);
    c->remark_count += remarks[c->remark_count] != NULL;
}

/* Which of a cell's names the pattern is about. */
static const char *
subject(const struct mb_cell *cell, enum mb_compare_by by)
{
    return by == MB_COMPARE_ENGINES ? cell->engine : by == MB_COMPARE_MOUNTS ? cell->mount : cell->name;
}

static bool
matches(const struct mb_cell *cell, const struct mb_compare_side *side, enum mb_compare_by by)
{
    if (by == MB_COMPARE_FILES)
        return true;
    const char *text = subject(cell, by);
    return strcmp(text, side->pattern) == 0 || (by == MB_COMPARE_CELLS && fnmatch(side->pattern, text, 0) == 0);
}

static int
nothing_matches(const struct mb_compare_side *side, enum mb_compare_by by, struct mb_error *err)
{
    static const char *const what[] = {"cell", "engine", "mount", "cell"};
    const char *names[257] = {NULL};
    char shown[MB_PRINTABLE_MAX], near_shown[MB_PRINTABLE_MAX], list[512] = "";
    size_t n = 0, used = 0;

    if (side->results->cell_count == 0)
        return mb_error_set(err, MB_ECONFIG, "there is nothing to compare: no cell in %s", side->results->runs[0].file);
    for (size_t i = 0; i < side->results->cell_count && n < 256; i++) {
        const char *text = subject(&side->results->cells[i], by);
        bool known = false;
        for (size_t k = 0; k < n; k++)
            known = known || strcmp(names[k], text) == 0;
        if (!known)
            names[n++] = text;
    }
    for (size_t k = 0; k < n && used + MB_PRINTABLE_MAX + 8 < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "", mb_printable(names[k], shown));
    const char *near = mb_nearest(side->pattern, names);
    mb_printable(side->pattern, shown);
    if (near != NULL)
        return mb_error_set(err, MB_EUSAGE, "no %s is called '%s' (did you mean '%s'?)", what[by], shown,
                            mb_printable(near, near_shown));
    return mb_error_set(err, MB_EUSAGE, "no %s is called '%s'; there are: %s", what[by], shown, list);
}

static int
pick_cells(struct mb_comparison *c, size_t which, const struct mb_compare_side *side, enum mb_compare_by by, struct mb_error *err)
{
    const struct mb_model *model = mb_compare_model(c, which);
    struct mb_compare_cells *out = &c->memory->sides[which];

    out->cells = calloc(model->cell_count + 1, sizeof(const struct mb_model_cell *));
    out->rows = calloc(model->cell_count + 1, sizeof(*out->rows));
    if (out->cells == NULL || out->rows == NULL)
        return no_memory(err);
    for (size_t i = 0; i < model->cell_count; i++) {
        if (matches(model->cells[i].cell, side, by))
            out->cells[out->count++] = &model->cells[i];
    }
    if (out->count > 0)
        return 0;
    nothing_matches(side, by, err);
    return -1;
}

static char *
key_text(const struct mb_cell *cell, const struct mb_row_key *key)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(SIZE_MAX);

    if (key->engine)
        mb_buffer_printf(&text, "%s/", cell->engine);
    if (key->mount)
        mb_buffer_printf(&text, "%s/", cell->mount);
    if (key->workload)
        mb_buffer_printf(&text, "%s/", cell->workload);
    if (text.len > 0)
        text.data[--text.len] = '\0';
    return text.overflowed ? NULL : mb_buffer_steal(&text);
}

/* How many different names a side's cells have by this key; SIZE_MAX without memory. */
static size_t
count_names(const struct mb_compare_cells *side, const struct mb_row_key *key)
{
    struct mb_names names;
    size_t n = 0;
    char **texts = calloc(side->count, sizeof *texts);
    bool ready = mb_names_init(&names, side->count) == 0 && texts != NULL;

    for (size_t i = 0; ready && i < side->count; i++) {
        texts[i] = key_text(mb_compare_cell(side, i), key);
        ready = texts[i] != NULL;
        if (ready)
            mb_names_index(&names, 0, texts[i], &n);
    }
    for (size_t i = 0; texts != NULL && i < side->count; i++)
        free(texts[i]);
    free(texts);
    mb_names_free(&names);
    return ready ? n : SIZE_MAX;
}

static bool
tells_apart(const struct mb_comparison *c, const struct mb_row_key *key)
{
    static const struct mb_row_key whole = {true, true, true};

    for (size_t i = 0; i < 2; i++) {
        const struct mb_compare_cells *side = &c->memory->sides[i];
        if (count_names(side, key) != count_names(side, &whole))
            return false;
    }
    return true;
}

static bool
several_engines(const struct mb_comparison *c, bool together)
{
    static const struct mb_row_key engine = {.engine = true};
    const struct mb_compare_cells *sides = c->memory->sides;

    if (together) {
        for (size_t i = 0; i < sides[1].count; i++) {
            if (strcmp(mb_compare_cell(&sides[1], i)->engine, mb_compare_cell(&sides[0], 0)->engine) != 0)
                return true;
        }
    }
    return count_names(&sides[0], &engine) > 1 || count_names(&sides[1], &engine) > 1;
}

static struct mb_row_key
choose_key(const struct mb_comparison *c, enum mb_compare_by by)
{
    static const struct mb_row_key keys[] = {
        {false, false, true}, {false, true, true}, {true, false, true}, {true, true, false}, {true, true, true}};
    const struct mb_compare_cells *sides = c->memory->sides;
    size_t i = 0;

    switch (by) {
    case MB_COMPARE_FILES:
        return (struct mb_row_key){several_engines(c, false), true, true};
    case MB_COMPARE_ENGINES:
        return (struct mb_row_key){false, true, true};
    case MB_COMPARE_MOUNTS:
        return (struct mb_row_key){several_engines(c, true), false, true};
    case MB_COMPARE_CELLS:
        break;
    }
    if (sides[0].count == 1 && sides[1].count == 1)
        return (struct mb_row_key){false, false,
                                   strcmp(mb_compare_cell(&sides[0], 0)->workload, mb_compare_cell(&sides[1], 0)->workload) == 0};
    while (i + 1 < sizeof keys / sizeof keys[0] && !tells_apart(c, &keys[i]))
        i++;
    return keys[i];
}

static int
set_labels(struct mb_comparison *c, const struct mb_compare_side *a, const struct mb_compare_side *b)
{
    const struct mb_compare_side *const sides[] = {a, b};
    char **const labels[] = {&c->label_a, &c->label_b};

    for (size_t i = 0; i < 2; i++) {
        const char *text = sides[i]->label != NULL ? sides[i]->label : sides[i]->pattern;
        if (text == NULL)
            text = sides[i]->results->run_count > 0 ? sides[i]->results->runs[0].file : "?";
        *labels[i] = strdup(text);
        if (*labels[i] == NULL)
            return -1;
    }
    return 0;
}

static int
build_models(struct mb_comparison *c, const struct mb_compare_side *a, const struct mb_compare_side *b,
             const struct mb_compare_options *options, struct mb_error *err)
{
    struct mb_compare_memory *m = c->memory;

    m->options = (struct mb_report_options){.drop_outliers = options->drop_outliers, .seed = options->seed};
    if (mb_model_build(a->results, &m->options, &m->models[0], err) != 0)
        return -1;
    return a->results == b->results ? 0 : mb_model_build(b->results, &m->options, &m->models[1], err);
}

static int
build(struct mb_comparison *c, const struct mb_compare_side *a, const struct mb_compare_side *b, enum mb_compare_by by,
      const struct mb_compare_options *options, struct mb_error *err)
{
    if (build_models(c, a, b, options, err) != 0 || pick_cells(c, 0, a, by, err) != 0 || pick_cells(c, 1, b, by, err) != 0)
        return -1;
    const struct mb_row_key key = choose_key(c, by);
    if (mb_compare_rows(c, &key, err) != 0 || mb_compare_judge(c, options, err) != 0)
        return -1;
    mb_compare_remark(c, by);
    return 0;
}

int
mb_compare(const struct mb_compare_side *a, const struct mb_compare_side *b, enum mb_compare_by by,
           const struct mb_compare_options *options, struct mb_comparison **out, struct mb_error *err)
{
    static const struct mb_compare_options none = {0};
    struct mb_comparison *c = calloc(1, sizeof *c);

    *out = NULL;
    if (c != NULL)
        c->memory = calloc(1, sizeof *c->memory);
    int rc = c != NULL && c->memory != NULL && set_labels(c, a, b) == 0 ? build(c, a, b, by, options != NULL ? options : &none, err)
                                                                        : no_memory(err);
    if (rc != 0) {
        mb_comparison_free(c);
        return -1;
    }
    *out = c;
    return 0;
}

void
mb_comparison_free(struct mb_comparison *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->row_count; i++) {
        free(c->rows[i].name);
        free(c->rows[i].why);
    }
    for (size_t i = 0; i < c->remark_count; i++)
        free(c->remarks[i]);
    for (size_t i = 0; i < 2 && c->memory != NULL; i++) {
        mb_model_free(c->memory->models[i]);
        free(c->memory->sides[i].cells);
        free(c->memory->sides[i].rows);
    }
    free(c->memory);
    free(c->rows);
    free(c->remarks);
    free(c->label_a);
    free(c->label_b);
    free(c);
}

/* ---- Rows ---- */

/* What a side alone has, by name. */
static void
remark_lonely(struct mb_comparison *c, size_t side, char *const *texts, const bool *lonely)
{
    MB_AUTO_BUFFER list = MB_BUFFER_INIT(1024);
    size_t n = 0;

    for (size_t i = 0; i < c->memory->sides[side].count; i++) {
        if (!lonely[i])
            continue;
        if (n++ < 5)
            mb_buffer_printf(&list, "%s%s", n > 1 ? ", " : "", texts[i]);
    }
    if (n > 5)
        mb_buffer_printf(&list, " and %zu more", n - 5);
    if (n > 0)
        mb_compare_add_remark(c, "Only in %c: %s.", side == 0 ? 'A' : 'B', mb_buffer_text(&list));
}

struct pairing {
    char **texts[2];
    size_t *places[2]; /* a cell: the number of its name */
    bool *lonely[2];
    size_t *row_of; /* a name: its row, MB_NONE for none */
    bool *has[2];   /* a name: whether the side has it */
    size_t names;
};

static int
name_cells(const struct mb_comparison *c, const struct mb_row_key *key, struct pairing *p)
{
    struct mb_names names;
    size_t total = c->memory->sides[0].count + c->memory->sides[1].count;
    bool ready = mb_names_init(&names, total) == 0;

    p->row_of = calloc(total, sizeof *p->row_of);
    ready = ready && p->row_of != NULL;
    for (size_t side = 0; side < 2; side++) {
        const struct mb_compare_cells *cells = &c->memory->sides[side];
        p->texts[side] = calloc(cells->count, sizeof *p->texts[side]);
        p->places[side] = calloc(cells->count, sizeof *p->places[side]);
        p->lonely[side] = calloc(cells->count, sizeof *p->lonely[side]);
        p->has[side] = calloc(total, sizeof *p->has[side]);
        ready = ready && p->texts[side] != NULL && p->places[side] != NULL && p->lonely[side] != NULL && p->has[side] != NULL;
        for (size_t i = 0; ready && i < cells->count; i++) {
            p->texts[side][i] = key_text(mb_compare_cell(cells, i), key);
            ready = p->texts[side][i] != NULL;
            if (!ready)
                break;
            p->places[side][i] = mb_names_index(&names, 0, p->texts[side][i], &p->names);
            p->has[side][p->places[side][i]] = true;
        }
    }
    mb_names_free(&names);
    return ready ? 0 : -1;
}

static void
pairing_free(const struct mb_comparison *c, struct pairing *p)
{
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; p->texts[side] != NULL && i < c->memory->sides[side].count; i++)
            free(p->texts[side][i]);
        free(p->texts[side]);
        free(p->places[side]);
        free(p->lonely[side]);
        free(p->has[side]);
    }
    free(p->row_of);
}

/* A row for every name that both sides have, in the order of a's cells. */
static int
make_rows(struct mb_comparison *c, struct pairing *p)
{
    for (size_t i = 0; i < p->names; i++)
        p->row_of[i] = MB_NONE;
    c->rows = calloc(p->names + 1, sizeof *c->rows);
    if (c->rows == NULL)
        return -1;
    for (size_t side = 0; side < 2; side++) {
        struct mb_compare_cells *cells = &c->memory->sides[side];
        for (size_t i = 0; i < cells->count; i++) {
            size_t place = p->places[side][i];
            p->lonely[side][i] = !p->has[1 - side][place];
            cells->rows[i] = MB_NONE;
            if (p->lonely[side][i])
                continue;
            if (p->row_of[place] == MB_NONE) {
                const char *text = p->texts[side][i];
                p->row_of[place] = c->row_count;
                c->rows[c->row_count].name = strdup(*text != '\0' ? text : "one cell each");
                if (c->rows[c->row_count++].name == NULL)
                    return -1;
            }
            cells->rows[i] = p->row_of[place];
            struct mb_compare_row *row = &c->rows[cells->rows[i]];
            const struct mb_cell **first = side == 0 ? &row->a : &row->b;
            if (*first == NULL)
                *first = mb_compare_cell(cells, i);
        }
    }
    return 0;
}

int
mb_compare_rows(struct mb_comparison *c, const struct mb_row_key *key, struct mb_error *err)
{
    struct pairing p = {0};
    char shown_a[MB_PRINTABLE_MAX], shown_b[MB_PRINTABLE_MAX];
    int rc = name_cells(c, key, &p) == 0 && make_rows(c, &p) == 0 ? 0 : no_memory(err);

    if (rc == 0 && c->row_count == 0)
        rc = mb_error_set(err, MB_ECONFIG, "no cell of one side has a match on the other: the first ones are '%s' and '%s'",
                          mb_printable(p.texts[0][0], shown_a), mb_printable(p.texts[1][0], shown_b));
    for (size_t side = 0; rc == 0 && side < 2; side++)
        remark_lonely(c, side, p.texts[side], p.lonely[side]);
    pairing_free(c, &p);
    return rc;
}
