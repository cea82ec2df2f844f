/* resume.c: the file of an interrupted run says what need not be measured again. */
#include <stdlib.h>
#include <string.h>

#include "runner/session.h"

static const char *
text_at(const cJSON *object, const char *outer, const char *inner)
{
    const cJSON *o = cJSON_GetObjectItemCaseSensitive(object, outer);
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, inner));
    return text != NULL ? text : "";
}

/* The file must hold one run, of this very matrix and with these rounds; its seed is taken over. */
static int
same_run(struct mb_session *s, const struct mb_results *r, struct mb_error *err)
{
    const char *file = s->options->output;

    if (r->run_count != 1)
        return mb_error_set(err, MB_ECONFIG, "%s: holds %zu runs, and one can be resumed at a time", file, r->run_count);
    const cJSON *run = r->runs[0].json;
    const char *sha256 = text_at(run, "matrix", "sha256");
    if (strcmp(sha256, s->matrix->sha256) != 0)
        return mb_error_set(
            err, MB_ECONFIG,
            "%s: was made from another matrix file ('%s', sha256 %.12s) than '%s' (%.12s); resume with the same one", file,
            text_at(run, "matrix", "name"), sha256, s->matrix->path, s->matrix->sha256);
    const char *scale = text_at(run, "matrix", "scale");
    if (strcmp(scale, s->matrix->scale) != 0)
        return mb_error_set(err, MB_ECONFIG, "%s: was made %s%s; resume with the same sizes", file,
                            *scale != '\0' ? "with --scale " : "without --scale", scale);
    if (r->runs[0].end_status != NULL && strcmp(r->runs[0].end_status, "complete") == 0)
        return mb_error_set(err, MB_ECONFIG, "%s: the run is complete, nothing is left to resume", file);
    const cJSON *seed = cJSON_GetObjectItemCaseSensitive(run, "seed");
    if (cJSON_IsNumber(seed) && seed->valuedouble >= 0)
        s->seed = (uint64_t)seed->valuedouble;
    return 0;
}

static int
mark_done(struct mb_session *s, const struct mb_results *r, struct mb_run_cell *cell, struct mb_error *err)
{
    cell->done = calloc(s->matrix->rounds + 1, sizeof *cell->done);
    if (cell->done == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (size_t i = 0; i < r->sample_count; i++) {
        const struct mb_sample *sample = &r->samples[i];
        if (sample->warmup || sample->status != MB_SAMPLE_OK || sample->round >= s->matrix->rounds ||
            strcmp(r->cells[sample->cell].name, cell->name) != 0 || cell->done[sample->round])
            continue;
        cell->done[sample->round] = true;
        cell->kept++;
        s->outcome->samples++;
        if (mb_precision_add(s, cell, sample, err) != 0)
            return -1;
    }
    return 0;
}

int
mb_resume(struct mb_session *s, struct mb_error *err)
{
    struct mb_results *r;
    int rc;

    if (mb_results_read(&s->options->output, 1, &r, err) != 0)
        return -1;
    rc = same_run(s, r, err);
    for (size_t i = 0; rc == 0 && i < s->matrix->cell_count; i++) {
        s->cells[i].spec = &s->matrix->cells[i];
        s->cells[i].name = mb_matrix_cell_name(s->matrix, &s->matrix->cells[i]);
        rc = s->cells[i].name != NULL ? mark_done(s, r, &s->cells[i], err) : mb_error_set(err, MB_EIO, "out of memory");
    }
    mb_results_free(r);
    return rc;
}
