/* find.c: which file a matrix's name means. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/buffer.h"
#include "mountbench/matrix.h"
#include "mountbench/parse.h"

#define PATH_ROOM 4096
#define PRESETS_MAX 200

/* Where presets are, the first first; an entry may be "". */
struct places {
    char dirs[3][PATH_ROOM];
};

static void
list_places(struct places *out)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

    *out = (struct places){.dirs = {"matrix"}};
    if (config != NULL && config[0] == '/')
        snprintf(out->dirs[1], PATH_ROOM, "%s/mountbench", config);
    else if (home != NULL && home[0] == '/')
        snprintf(out->dirs[1], PATH_ROOM, "%s/.config/mountbench", home);
    snprintf(out->dirs[2], PATH_ROOM, "%s", MB_DATADIR);
}

static bool
has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);

    return n > m && strcmp(text + n - m, suffix) == 0;
}

static bool
is_path(const char *name)
{
    return strchr(name, '/') != NULL || has_suffix(name, ".yaml") || has_suffix(name, ".yml") || has_suffix(name, ".json");
}

/* Names of presets, each once, ended by NULL. */
struct presets {
    char *names[PRESETS_MAX + 1];
    size_t count;
};

static void
list_presets(const char *dir, struct presets *out)
{
    DIR *stream = dir[0] != '\0' ? opendir(dir) : NULL;
    struct dirent *entry;

    while (stream != NULL && out->count < PRESETS_MAX && (entry = readdir(stream)) != NULL) {
        size_t n = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || !has_suffix(entry->d_name, ".yaml"))
            continue;
        char *name = strndup(entry->d_name, n - strlen(".yaml"));
        bool known = name == NULL;
        for (size_t i = 0; i < out->count && !known; i++)
            known = strcmp(out->names[i], name) == 0;
        if (known)
            free(name);
        else
            out->names[out->count++] = name;
    }
    if (stream != NULL)
        closedir(stream);
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
not_found(const char *name, const struct places *places, struct mb_error *err)
{
    struct presets presets = {0};
    MB_AUTO_BUFFER list = MB_BUFFER_INIT(700);
    MB_AUTO_BUFFER dirs = MB_BUFFER_INIT(700);
    char shown[MB_PRINTABLE_MAX];

    for (size_t i = 0; i < sizeof places->dirs / sizeof places->dirs[0]; i++) {
        list_presets(places->dirs[i], &presets);
        if (places->dirs[i][0] != '\0')
            mb_buffer_printf(&dirs, "%s%s", dirs.len > 0 ? ", " : "", places->dirs[i]);
    }
    qsort(presets.names, presets.count, sizeof presets.names[0], compare_names);
    for (size_t i = 0; i < presets.count; i++)
        mb_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", presets.names[i]);
    const char *near = mb_nearest(name, (const char *const *)presets.names);
    mb_printable(name, shown);
    if (presets.count == 0)
        mb_error_set(err, MB_ECONFIG, "there is no matrix '%s', and no other in %s; give the path of a file", shown,
                     mb_buffer_text(&dirs));
    else if (near != NULL)
        mb_error_set(err, MB_ECONFIG, "there is no matrix '%s' (did you mean '%s'? there are %s)", shown, near,
                     mb_buffer_text(&list));
    else
        mb_error_set(err, MB_ECONFIG, "there is no matrix '%s' in %s (there are %s)", shown, mb_buffer_text(&dirs),
                     mb_buffer_text(&list));
    for (size_t i = 0; i < presets.count; i++)
        free(presets.names[i]);
    return -1;
}

int
mb_matrix_find(const char *name, char **path, struct mb_error *err)
{
    struct places places;

    if (name[0] == '\0')
        return mb_error_set(err, MB_EUSAGE, "the name of the matrix is empty");
    if (is_path(name)) {
        *path = strdup(name);
        return *path != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
    }
    list_places(&places);
    for (size_t i = 0; i < sizeof places.dirs / sizeof places.dirs[0]; i++) {
        MB_AUTO_BUFFER candidate = MB_BUFFER_INIT(2L * PATH_ROOM);
        mb_buffer_printf(&candidate, "%s/%s.yaml", places.dirs[i], name);
        if (places.dirs[i][0] == '\0' || candidate.overflowed || access(mb_buffer_text(&candidate), F_OK) != 0)
            continue;
        *path = mb_buffer_steal(&candidate);
        return *path != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
    }
    return not_found(name, &places, err);
}
