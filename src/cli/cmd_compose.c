/* cmd_compose.c: `mountbench compose`: the compose file that gives a project the mount of a cell. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/compose.h"

#define FILE_MAX 65536

static int
write_out(const char *path, const struct mb_buffer *text, struct mb_error *err)
{
    if (path == NULL || strcmp(path, "-") == 0) {
        fputs(mb_buffer_text(text), stdout);
        return 0;
    }
    /* A project's compose file is somebody's work: never replaced. */
    FILE *file = fopen(path, "wx");
    if (file == NULL)
        return mb_error_errno(err, MB_EIO, errno, "--output: %s", path);
    bool written = fputs(mb_buffer_text(text), file) >= 0;
    if (fclose(file) != 0 || !written)
        return mb_error_errno(err, MB_EIO, errno, "--output: %s", path);
    return 0;
}

static int
run(const struct mb_args *args, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(FILE_MAX);
    const struct mb_mount_spec *mount;
    struct mb_matrix *matrix;
    char *path = NULL;

    if (mb_matrix_find(mb_args_text(args, "matrix"), &path, err) != 0)
        return -1;
    int status = mb_matrix_load(path, NULL, &matrix, err);
    free(path);
    if (status != 0)
        return -1;
    status = mb_compose_find(matrix, mb_args_operands(args, NULL)[0], &mount, err);
    if (status == 0)
        status = mb_compose_write(mount, &text, err);
    mb_matrix_free(matrix);
    return status == 0 ? write_out(mb_args_text(args, "output"), &text, err) : -1;
}

static const char *const options[] = {"matrix", "output", NULL};

const struct mb_command mb_cmd_compose = {
    .name = "compose",
    .operands = "CELL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "the compose file that gives a project the mount of this cell",
    .details = "CELL is a mount of the matrix, or a cell of a report, as engine/mount/workload.\n"
               "The file is valid for Compose v2 and for docker-compose 1.29; what has to be done on\n"
               "the host first stands in it as comments, and so does the command of a sync mount's tool.\n\n"
               "  mountbench compose bind-cached\n"
               "  mountbench compose --matrix full default/nfs/dd-1k -o compose.override.yaml\n",
    .options = options,
    .run = run,
};
