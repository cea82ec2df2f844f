/* matrix_args.c: what `run` and `plan` share. */
#include "cli/matrix_args.h"

#include <stdlib.h>

static int
apply_options(const struct mb_args *args, struct mb_matrix *m, struct mb_error *err)
{
    if (mb_args_given(args, "rounds")) {
        m->rounds = m->rounds_min = m->rounds_max = (unsigned)mb_args_count(args, "rounds", m->rounds);
        m->precision_percent = 0;
        if (m->rounds == 0)
            return mb_error_set(err, MB_EUSAGE, "--rounds: at least one timed trial is needed");
    }
    m->warmup = (unsigned)mb_args_count(args, "warmup", m->warmup);
    m->max_time_ns = mb_args_duration_ns(args, "max-time", m->max_time_ns);
    return mb_args_given(args, "scale") ? mb_matrix_scale(m, mb_args_text(args, "scale"), err) : 0;
}

int
mb_matrix_of_args(const struct mb_args *args, struct mb_matrix **out, struct mb_error *err)
{
    const char *const *operands = mb_args_operands(args, NULL);
    const struct mb_matrix_filter filter = {mb_args_all(args, "engine"), mb_args_all(args, "mount"), mb_args_all(args, "workload")};
    char *path;

    *out = NULL;
    if (mb_matrix_find(operands[0] != NULL ? operands[0] : "quick", &path, err) != 0)
        return -1;
    int status = mb_matrix_load(path, &filter, out, err);
    free(path);
    if (status == 0 && apply_options(args, *out, err) != 0) {
        mb_matrix_free(*out);
        *out = NULL;
        return -1;
    }
    return status;
}
