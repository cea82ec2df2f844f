/*
 * png.c: the chart as pixels, by rsvg-convert (librsvg), which knows fonts and scripts better than anything small could; a need of
 * this format alone.
 */
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/chart.h"
#include "report/formats.h"

/* Twice the pixels for sharp screens, as long as the picture has no more than so many. */
#define SCALE 2.0
#define PIXELS_MOST 8e6

extern char **environ;

/* An anonymous file in the directory for such, closed on exec. */
static FILE *
scratch(struct mb_error *err)
{
    FILE *f = tmpfile();
    if (f == NULL)
        mb_error_errno(err, MB_EIO, errno, "cannot make a temporary file for the picture");
    return f;
}

/* Run rsvg-convert from the file ${in} to the file ${out}; its complaints go into ${errors}. */
static int
convert(int in, int out, int errors, double scale, struct mb_error *err)
{
    char zoom[32], name[] = "rsvg-convert", format[] = "--format=png", unlimited[] = "--unlimited";
    char *argv[] = {name, format, unlimited, zoom, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;

    snprintf(zoom, sizeof zoom, "--zoom=%.4f", scale);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    int rc = posix_spawnp(&pid, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc == ENOENT)
        return mb_error_set(err, MB_EIO,
                            "png needs the program 'rsvg-convert': install librsvg2-bin (Debian) or librsvg (Homebrew), or take "
                            "--format svg");
    if (rc != 0)
        return mb_error_errno(err, MB_EIO, rc, "cannot start rsvg-convert");
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return mb_error_errno(err, MB_EIO, errno, "cannot wait for rsvg-convert");
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : mb_error_set(err, MB_EIO, "rsvg-convert failed");
}

/* All of ${f} from its start, appended to ${out}. */
static int
read_back(FILE *f, struct mb_buffer *out)
{
    char bytes[65536];
    size_t n;

    rewind(f);
    while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
        mb_buffer_append(out, bytes, n);
    return ferror(f) ? -1 : 0;
}

/* Add what rsvg-convert said to the message of its failure. */
static void
explain(FILE *errors, struct mb_error *err)
{
    char line[256];

    rewind(errors);
    if (err == NULL || fgets(line, sizeof line, errors) == NULL)
        return;
    line[strcspn(line, "\n")] = '\0';
    struct mb_error before = *err;
    mb_error_set(err, before.code, "%.1024s: %s", before.message, line);
}

static int
rasterise(const struct mb_buffer *svg, double scale, struct mb_buffer *out, struct mb_error *err)
{
    FILE *in = scratch(err), *picture = scratch(err), *errors = scratch(err);
    int rc = -1;

    if (in != NULL && picture != NULL && errors != NULL) {
        bool written = fwrite(mb_buffer_text(svg), 1, svg->len, in) == svg->len && fflush(in) == 0;
        rewind(in);
        if (!written)
            mb_error_errno(err, MB_EIO, errno, "cannot write the picture's temporary file");
        else
            rc = convert(fileno(in), fileno(picture), fileno(errors), scale, err);
        if (rc != 0)
            explain(errors, err);
        else if (read_back(picture, out) != 0)
            rc = mb_error_set(err, MB_EIO, "cannot read the picture back");
    }
    if (in != NULL)
        fclose(in);
    if (picture != NULL)
        fclose(picture);
    if (errors != NULL)
        fclose(errors);
    return rc;
}

static int
render(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    MB_AUTO_BUFFER svg = MB_BUFFER_INIT(MB_REPORT_MAX_BYTES);
    struct mb_chart_size size;

    if (mb_chart_svg(model, false, &size, &svg, err) != 0)
        return -1;
    double pixels = (double)size.width * (double)size.height;
    double scale = fmin(SCALE, sqrt(PIXELS_MOST / pixels));
    /* cairo draws no picture that is longer on a side. */
    scale = fmin(scale, 32000.0 / fmax(size.width, size.height));
    return rasterise(&svg, scale, out, err);
}

const struct mb_report_format mb_format_png = {"png", "the same as pixels (needs rsvg-convert)", true, render};
