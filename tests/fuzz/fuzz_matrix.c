/*
 * fuzz_matrix.c: any text as a matrix file.  Loading must end in a matrix that holds together or in an error with a message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/load.h"
#include "matrix/read.h"
#include "mountbench/plan.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* libfyaml 0.7.12 loses a buffer when a quoted scalar with many escapes is not closed ("{d,"): not ours to mend. */
const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

static void
must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_matrix: %s\n", what);
        abort();
    }
}

static void
check_matrix(const struct mb_matrix *m)
{
    struct mb_plan *plan;

    must(m->name != NULL && m->name[0] != '\0' && strlen(m->sha256) == 64, "a matrix without a name or digest");
    must(m->engine_count > 0 && m->mount_count > 0 && m->workload_count > 0 && m->cell_count > 0, "an empty axis");
    must(m->rounds >= 1 && m->rounds_min <= m->rounds_max && m->passes >= 1, "rounds that are none");
    for (size_t i = 0; i < m->cell_count; i++) {
        const struct mb_cell_spec *c = &m->cells[i];
        must(c->engine < m->engine_count && c->mount < m->mount_count && c->workload < m->workload_count, "a cell out of its axes");
    }
    for (size_t i = 0; i < m->mount_count; i++)
        must(strchr(m->mounts[i].name, '/') == NULL && strlen(m->mounts[i].name) <= 100, "a name that is none");
    must(mb_plan_make(m, &plan, NULL) == 0, "no plan");
    mb_plan_free(plan);
}

static void
load(const char *text, size_t size, const struct mb_matrix_filter *filter)
{
    struct mb_error err = {0};
    struct mb_matrix *m = NULL;

    if (mb_matrix_parse("m.yaml", text, size, filter, &m, &err) == 0) {
        check_matrix(m);
        mb_matrix_free(m);
        return;
    }
    must(m == NULL, "a refusal that leaves a matrix");
    must(err.code == MB_ECONFIG || err.code == MB_EUSAGE, "a refusal that is neither the file's nor the command line's");
    must(strlen(err.message) > 8, "a refusal without a message");
    must(mb_utf8_valid(err.message, strlen(err.message)) == strlen(err.message), "a message that is not UTF-8");
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const char *const engines[] = {"unix:///x", "d*", NULL}, *const mounts[] = {"*", NULL};
    static const struct mb_matrix_filter filter = {engines, mounts, mounts};
    char *text = malloc(size + 1);

    must(text != NULL, "no memory");
    memcpy(text, data, size);
    text[size] = '\0';
    /* mb_matrix_read lets nothing else through. */
    if (mb_utf8_valid(text, size) == size) {
        load(text, size, NULL);
        load(text, size, &filter);
    }
    free(text);
    return 0;
}
