/* published_load.c: find and read a published file; every reference between its records is checked here, once. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mountbench/parse.h"
#include "report/published.h"

#define LOCAL_DIRECTORY "results/published"
#define INSTALLED_DIRECTORY MB_DATADIR "/results/published"
#define SUFFIX ".jsonl"
/* An article has some tens of figures: what is larger than this is no published file. */
#define FILE_MAX (4u << 20)
#define NAMES_MAX 256

static const char *
directory(void)
{
    struct stat status;
    return stat(LOCAL_DIRECTORY, &status) == 0 ? LOCAL_DIRECTORY : INSTALLED_DIRECTORY;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int
mb_published_names(char ***out, size_t *n, struct mb_error *err)
{
    DIR *dir = opendir(directory());
    struct dirent *entry;

    *n = 0;
    if (dir == NULL)
        return mb_error_errno(err, MB_ECONFIG, errno, "%s: cannot list the published tables", directory());
    char **names = calloc(NAMES_MAX + 1, sizeof *names);
    while (names != NULL && *n < NAMES_MAX && (entry = readdir(dir)) != NULL) {
        size_t length = strlen(entry->d_name);
        size_t suffix = strlen(SUFFIX);
        if (length > suffix && strcmp(entry->d_name + length - suffix, SUFFIX) == 0)
            names[(*n)++] = strndup(entry->d_name, length - suffix);
    }
    closedir(dir);
    if (names == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    qsort(names, *n, sizeof *names, by_name);
    *out = names;
    return 0;
}

static int
unknown_name(const char *name, struct mb_error *err)
{
    char **names = NULL;
    size_t n = 0;
    MB_AUTO_BUFFER list = MB_BUFFER_INIT(4096);

    if (mb_published_names(&names, &n, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        mb_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    const char *near = mb_nearest(name, (const char *const *)names);
    if (near != NULL)
        mb_error_set(err, MB_EUSAGE, "no published table is called '%s' (did you mean '%s'?)", name, near);
    else
        mb_error_set(err, MB_EUSAGE, "no published table is called '%s'; there are: %s", name, mb_buffer_text(&list));
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return -1;
}

int
mb_published_find(const char *name, char **path, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(4096);
    struct stat status;
    size_t length = strlen(name);

    if (strchr(name, '/') != NULL || (length > strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0))
        mb_buffer_puts(&text, name);
    else
        mb_buffer_printf(&text, "%s/%s" SUFFIX, directory(), name);
    if (stat(mb_buffer_text(&text), &status) != 0) {
        if (strcmp(mb_buffer_text(&text), name) == 0)
            return mb_error_errno(err, MB_ECONFIG, errno, "%s", name);
        return unknown_name(name, err);
    }
    *path = mb_buffer_steal(&text);
    return *path != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

/* A loader's place, for messages. */
struct place {
    const char *path;
    size_t line;
    struct mb_error *err;
};

static int
wrong(const struct place *at, const char *key, const char *rule)
{
    return mb_error_set(at->err, MB_ECONFIG, "%s:%zu: %s: %s", at->path, at->line, key, rule);
}

static const char *
text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static double
number_of(const cJSON *object, const char *key, double otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

/* A string that must be there and not be empty. */
static int
need_text(const struct place *at, const cJSON *object, const char *key, const char **out)
{
    *out = text_of(object, key);
    return *out != NULL && **out != '\0' ? 0 : wrong(at, key, "a string is required");
}

static int
load_take(const struct place *at, const cJSON *item, struct mb_published_take *take)
{
    static const struct {
        const char *word;
        enum mb_take kind;
    } words[] = {
        {"mean", MB_TAKE_MEAN}, {"all", MB_TAKE_ALL}, {"ratio", MB_TAKE_RATIO}, {"p", MB_TAKE_P}, {"cited", MB_TAKE_CITED},
    };

    if (cJSON_IsNumber(item) && item->valuedouble >= 1 && item->valuedouble <= 1e6) {
        *take = (struct mb_published_take){MB_TAKE_TRIAL, (unsigned)item->valuedouble};
        return 0;
    }
    for (size_t i = 0; cJSON_IsString(item) && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(item->valuestring, words[i].word) == 0) {
            *take = (struct mb_published_take){words[i].kind, 0};
            return 0;
        }
    }
    return wrong(at, "take", "want a trial's number, mean, all, ratio, p or cited");
}

static int
wrong_quantity(const struct place *at)
{
    return wrong(at, "quantity", "want wall, user, sys, bytes, ops, 1 or metric:NAME, or two of them with '/' between");
}

/* `measured`: one quantity, or a list of them. */
static int
load_measured(const struct place *at, const cJSON *json, struct mb_published_column *column)
{
    for (const cJSON *item = cJSON_IsArray(json) ? json->child : json; item != NULL; item = item->next) {
        if (!cJSON_IsString(item) || !mb_published_quantity_ok(item->valuestring))
            return wrong_quantity(at);
        if (column->measured_count == MB_PUBLISHED_MEASURED_MAX)
            return wrong(at, "measured", "too many quantities");
        column->measured[column->measured_count++] = item->valuestring;
        if (!cJSON_IsArray(json))
            break;
    }
    return 0;
}

static int
load_column(const struct place *at, const cJSON *json, struct mb_published_column *column)
{
    if (need_text(at, json, "name", &column->name) != 0 || need_text(at, json, "workload", &column->workload) != 0 ||
        need_text(at, json, "quantity", &column->quantity) != 0)
        return -1;
    column->style = text_of(json, "style");
    column->unit = number_of(json, "unit", 1);
    column->significant = (int)number_of(json, "significant", 0);
    column->decimals = (int)number_of(json, "decimals", 9);
    if (!mb_published_quantity_ok(column->quantity))
        return wrong_quantity(at);
    if (load_measured(at, cJSON_GetObjectItemCaseSensitive(json, "measured"), column) != 0)
        return -1;
    if (!(column->unit > 0))
        return wrong(at, "unit", "must be above zero");
    if (column->decimals < 0 || column->decimals > 9 || column->significant < 0 || column->significant > 15)
        return wrong(at, "decimals", "out of range");
    const cJSON *take = cJSON_GetObjectItemCaseSensitive(json, "take");
    if (take == NULL)
        return 0;
    column->take = &column->own_take;
    return load_take(at, take, &column->own_take);
}

static int
load_row(const struct place *at, const cJSON *json, struct mb_published_row *row)
{
    const cJSON *take = cJSON_GetObjectItemCaseSensitive(json, "take");

    if (need_text(at, json, "name", &row->name) != 0)
        return -1;
    row->at = text_of(json, "at");
    row->to = text_of(json, "to");
    row->needs = text_of(json, "needs");
    row->gone = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "gone"));
    row->like = cJSON_GetObjectItemCaseSensitive(json, "like");
    if (take != NULL && load_take(at, take, &row->take) != 0)
        return -1;
    if (row->at == NULL && row->take.kind != MB_TAKE_CITED)
        return wrong(at, "at", "a string is required");
    if (row->to == NULL && (row->take.kind == MB_TAKE_RATIO || row->take.kind == MB_TAKE_P))
        return wrong(at, "to", "a string is required");
    return 0;
}

static int
load_table(const struct place *at, const cJSON *json, struct mb_published_table *table)
{
    const cJSON *columns = cJSON_GetObjectItemCaseSensitive(json, "columns");
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(json, "rows");
    const cJSON *baseline = cJSON_GetObjectItemCaseSensitive(json, "baseline");
    const cJSON *item;

    if (need_text(at, json, "table", &table->id) != 0 || need_text(at, json, "title", &table->title) != 0 ||
        need_text(at, json, "corner", &table->corner) != 0)
        return -1;
    if (!cJSON_IsArray(columns) || !cJSON_IsArray(rows) || columns->child == NULL || rows->child == NULL)
        return wrong(at, "rows, columns", "arrays are required");
    table->columns = calloc((size_t)cJSON_GetArraySize(columns), sizeof *table->columns);
    table->rows = calloc((size_t)cJSON_GetArraySize(rows), sizeof *table->rows);
    if (table->columns == NULL || table->rows == NULL)
        return wrong(at, "table", "out of memory");
    cJSON_ArrayForEach(item, columns)
    {
        if (load_column(at, item, &table->columns[table->column_count++]) != 0)
            return -1;
    }
    cJSON_ArrayForEach(item, rows)
    {
        if (load_row(at, item, &table->rows[table->row_count++]) != 0)
            return -1;
    }
    table->compare = cJSON_GetObjectItemCaseSensitive(json, "compare");
    for (size_t i = 0; i < table->row_count; i++) {
        if (table->compare != NULL && table->rows[i].at == NULL)
            return wrong(at, "at", "a row that measured runs are held against needs one");
    }
    return baseline != NULL ? load_row(at, baseline, &table->baseline) : 0;
}

/* Find the table, row and column that a figure names. */
static int
load_figure(const struct place *at, const struct mb_published *p, const cJSON *json, struct mb_published_figure *figure,
            struct mb_published_print *print)
{
    if (need_text(at, json, "table", &figure->table) != 0 || need_text(at, json, "row", &figure->row) != 0 ||
        need_text(at, json, "column", &figure->column) != 0 || need_text(at, json, "what", &figure->what) != 0 ||
        need_text(at, json, "text", &figure->text) != 0)
        return -1;
    for (size_t i = 0; i < p->table_count && print->table == NULL; i++) {
        if (strcmp(p->tables[i].id, figure->table) == 0)
            print->table = &p->tables[i];
    }
    if (print->table == NULL)
        return wrong(at, "table", "no such table before this line");
    for (size_t i = 0; i < print->table->row_count && print->row == NULL; i++) {
        if (strcmp(print->table->rows[i].name, figure->row) == 0)
            print->row = &print->table->rows[i];
    }
    for (size_t i = 0; i < print->table->column_count && print->column == NULL; i++) {
        if (strcmp(print->table->columns[i].name, figure->column) == 0)
            print->column = &print->table->columns[i];
    }
    if (print->row == NULL || print->column == NULL)
        return wrong(at, print->row == NULL ? "row" : "column", "the table has none of this name");
    print->of = (unsigned)number_of(json, "of", 0);
    return 0;
}

static int
load_record(const struct place *at, struct mb_published *p, const cJSON *json)
{
    const char *type = text_of(json, "type");

    if (type != NULL && strcmp(type, "run") == 0)
        p->source = cJSON_GetObjectItemCaseSensitive(json, "source");
    if (type != NULL && strcmp(type, "published-table") == 0)
        return load_table(at, json, &p->tables[p->table_count++]);
    if (type != NULL && strcmp(type, "published") == 0) {
        size_t i = p->figure_count++;
        return load_figure(at, p, json, &p->figures[i], &p->prints[i]);
    }
    return 0;
}

/* Parse ${text} line by line; there can be no more tables or figures than lines. */
static int
load_lines(struct mb_published *p, const char *text, struct mb_error *err)
{
    struct place at = {p->path, 0, err};
    size_t lines = 1;

    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    p->records = calloc(lines, sizeof(cJSON *));
    p->tables = calloc(lines, sizeof *p->tables);
    p->figures = calloc(lines, sizeof *p->figures);
    p->prints = calloc(lines, sizeof *p->prints);
    if (p->records == NULL || p->tables == NULL || p->figures == NULL || p->prints == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        at.line++;
        length = strcspn(text, "\n");
        if (length == 0)
            continue;
        cJSON *json = cJSON_ParseWithLength(text, length);
        if (!cJSON_IsObject(json)) {
            cJSON_Delete(json);
            return mb_error_set(err, MB_ECONFIG, "%s:%zu: not a JSON object", p->path, at.line);
        }
        p->records[p->record_count++] = json;
        if (load_record(&at, p, json) != 0)
            return -1;
    }
    if (p->figure_count == 0)
        return mb_error_set(err, MB_ECONFIG, "%s: holds no published figures; 'mountbench report' shows measured runs", p->path);
    return 0;
}

static int
read_file(const char *path, struct mb_buffer *text, struct mb_error *err)
{
    char block[16384];
    size_t n;
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return mb_error_errno(err, MB_ECONFIG, errno, "%s", path);
    while ((n = fread(block, 1, sizeof block, file)) > 0 && mb_buffer_append(text, block, n) == 0)
        ;
    int rc = ferror(file) ? mb_error_errno(err, MB_EIO, errno, "%s", path) : 0;
    fclose(file);
    if (rc == 0 && text->overflowed)
        rc = mb_error_set(err, MB_ECONFIG, "%s: larger than any published file (%u MiB)", path, FILE_MAX >> 20);
    return rc;
}

int
mb_published_load(const char *path, struct mb_published **out, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(FILE_MAX);
    struct mb_published *p = calloc(1, sizeof *p);

    *out = NULL;
    if (p == NULL || (p->path = strdup(path)) == NULL) {
        mb_published_free(p);
        return mb_error_set(err, MB_EIO, "out of memory");
    }
    if (read_file(path, &text, err) != 0 || load_lines(p, mb_buffer_text(&text), err) != 0 ||
        mb_results_read(&path, 1, &p->results, err) != 0 || mb_published_check(p, err) != 0) {
        mb_published_free(p);
        return -1;
    }
    *out = p;
    return 0;
}

void
mb_published_free(struct mb_published *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->table_count; i++) {
        free(p->tables[i].columns);
        free(p->tables[i].rows);
    }
    for (size_t i = 0; i < p->figure_count; i++) {
        free(p->prints[i].derived);
        free(p->prints[i].reason);
    }
    for (size_t i = 0; i < p->record_count; i++)
        cJSON_Delete(p->records[i]);
    mb_results_free(p->results);
    free(p->records);
    free(p->tables);
    free(p->figures);
    free(p->prints);
    free(p->path);
    free(p);
}

const struct mb_published_figure *
mb_published_figures(const struct mb_published *p, size_t *n)
{
    *n = p->figure_count;
    return p->figures;
}

const char *
mb_published_source(const struct mb_published *p, const char *key)
{
    return text_of(p->source, key);
}

bool
mb_published_apart(const struct mb_published_table *table)
{
    bool apart = table->baseline.name != NULL;
    for (size_t i = 0; i < table->row_count && apart; i++)
        apart = strcmp(table->rows[i].name, table->baseline.name) != 0;
    return apart;
}

/* Whether a row of the tables before ${table}, or one of its own before ${index}, is at the same place. */
static bool
counted_before(const struct mb_published *p, size_t table, size_t index, const char *at)
{
    for (size_t t = 0; t <= table; t++) {
        const struct mb_published_table *other = &p->tables[t];
        size_t rows = t < table ? other->row_count : index;
        for (size_t r = 0; other->compare != NULL && r < rows; r++) {
            if (strcmp(other->rows[r].at, at) == 0)
                return true;
        }
    }
    return false;
}

size_t
mb_published_rows(const struct mb_published *p)
{
    size_t rows = 0;

    for (size_t t = 0; t < p->table_count; t++) {
        const struct mb_published_table *table = &p->tables[t];
        for (size_t r = 0; table->compare != NULL && r < table->row_count; r++)
            rows += !counted_before(p, t, r, table->rows[r].at);
        if (table->compare != NULL && table->baseline.name != NULL)
            rows += !counted_before(p, t, table->row_count, table->baseline.at);
    }
    return rows;
}
