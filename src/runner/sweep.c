/* sweep.c: remove what a killed run left; only what carries our label or our mark, and nothing of a run that is still going. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mountbench/runner.h"
#include "mountbench/sync.h"
#include "mountbench/tree.h"
#include "runner/workdir.h"

static void
tell(const struct mb_sweep_options *options, const char *what, const char *kind, const char *name, const char *why)
{
    char text[8192];

    if (options->say == NULL)
        return;
    snprintf(text, sizeof text, "%s %s %s%s%s", what, kind, name, *why != '\0' ? ": " : "", why);
    options->say(options->context, text);
}

/* Whether a thing of run ${run} is to stay; tells so. */
static bool
stays(const struct mb_sweep_options *options, const char *kind, const char *name, const char *run, struct mb_sweep_report *out)
{
    if (options->run != NULL && strcmp(options->run, run) != 0)
        return true;
    if (options->all || !mb_run_id_alive(run))
        return false;
    tell(options, "keeping", kind, name, "its run is still going; --all removes it too");
    out->kept++;
    return true;
}

static int
remove_object(struct mb_engine *engine, const struct mb_object *object, struct mb_error *err)
{
    switch (object->type) {
    case MB_OBJECT_CONTAINER:
        return mb_container_remove(engine, object->id, err);
    case MB_OBJECT_VOLUME:
        return mb_volume_remove(engine, object->name, err);
    default:
        return mb_image_remove(engine, object->id, err);
    }
}

int
mb_sweep_engine(struct mb_engine *engine, const struct mb_sweep_options *options, struct mb_sweep_report *out, struct mb_error *err)
{
    static const char *const kinds[] = {"container", "volume", "image"};
    struct mb_object *objects;
    size_t n;

    if (mb_engine_list_owned(engine, options->run, &objects, &n, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct mb_error why = {0};
        const char *kind = kinds[objects[i].type];
        const char *name = objects[i].name != NULL && *objects[i].name != '\0' ? objects[i].name : objects[i].id;
        if (stays(options, kind, name, objects[i].run, out))
            continue;
        if (options->dry) {
            tell(options, "would remove", kind, name, "");
        } else if (remove_object(engine, &objects[i], &why) == 0) {
            tell(options, "removed", kind, name, "");
            out->removed++;
        } else {
            tell(options, "cannot remove", kind, name, why.message);
            out->failed++;
        }
    }
    mb_objects_free(objects, n);
    return 0;
}

/* The run's id in the mark of ${dir}; 0 when it has one. */
static int
read_mark(const char *dir, char run[MB_RUN_ID_MAX])
{
    char path[4200];

    snprintf(path, sizeof path, "%s/%s", dir, MB_RUN_MARK);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, run, MB_RUN_ID_MAX - 1);
    close(fd);
    if (n <= 0)
        return -1;
    run[n] = '\0';
    return 0;
}

static void
sweep_directory(const char *path, const struct mb_sweep_options *options, struct mb_sweep_report *out)
{
    char run[MB_RUN_ID_MAX];
    struct mb_error why = {0};

    if (read_mark(path, run) != 0 || stays(options, "directory", path, run, out))
        return;
    if (options->dry) {
        tell(options, "would remove", "directory", path, "");
    } else if (mb_tree_remove(path, &why) == 0) {
        tell(options, "removed", "directory", path, "");
        out->removed++;
    } else {
        mb_error_prefix(&why, "remove it as the user that owns it (sudo rm -r)");
        tell(options, "cannot remove", "directory", path, why.message);
        out->failed++;
    }
}

/* A sync tool's directory is in one that all users may share, and goes with its run: a run that is still going keeps it. */
static void
sweep_tool(const char *path, const struct mb_sweep_options *options, struct mb_sweep_report *out)
{
    char run[MB_RUN_ID_MAX];
    struct stat st;

    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && read_mark(path, run) == 0 &&
        !mb_run_id_alive(run))
        sweep_directory(path, options, out);
}

/* Each entry of ${dir} whose name begins with ${prefix}. */
static int
sweep(const char *dir, const char *prefix, void (*one)(const char *, const struct mb_sweep_options *, struct mb_sweep_report *),
      const struct mb_sweep_options *options, struct mb_sweep_report *out, struct mb_error *err)
{
    DIR *d = opendir(dir);
    const struct dirent *entry;
    char path[4096];

    if (d == NULL)
        return mb_error_errno(err, MB_EIO, errno, "cannot list '%s'", dir);
    while ((entry = readdir(d)) != NULL) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        int n = snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        if (n > 0 && (size_t)n < sizeof path)
            one(path, options, out);
    }
    closedir(d);
    return 0;
}

int
mb_sweep_directories(const char *dir, const struct mb_sweep_options *options, struct mb_sweep_report *out, struct mb_error *err)
{
    return sweep(dir, MB_WORKDIR_PREFIX, sweep_directory, options, out, err);
}

void
mb_sweep_tools(const struct mb_sweep_options *options, struct mb_sweep_report *out)
{
    sweep(mb_sync_tmpdir(), MB_SYNC_DIRECTORY, sweep_tool, options, out, NULL);
}
