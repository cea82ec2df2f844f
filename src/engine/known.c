/* known.c: the table of known sockets; a further runtime is a row. */
#include "engine/known.h"

#include <glob.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/user.h"
#include "mountbench/process.h"

enum { LINUX = 1, MACOS = 2 };

#define MACHINE "podman-machine-default"

/*
 * ${path} may hold one "*", an instance's name.  In ${start} "*" stands for it as well; where it is ${plain}, the one that the
 * runtime takes when none is named, ${name} alone is the name and ${plain_start} the command.  ${program} is in PATH where the
 * runtime is installed; as `docker` is in more than one, Docker Desktop shows by the directory that it makes for its socket.
 */
static const struct place {
    const char *name, *runtime, *root, *path;
    int systems;
    const char *start, *plain_start, *plain, *program;
} places[] = {
    {"docker-engine", "docker-engine", "", "/var/run/docker.sock", LINUX | MACOS, NULL, "sudo systemctl start docker", "",
     "docker"},
    {"docker-rootless", "docker-engine", "runtime", "/docker.sock", LINUX, NULL, "systemctl --user start docker", "", "docker"},
    {"docker-desktop", "docker-desktop", "home", "/.docker/run/docker.sock", MACOS, NULL, "docker desktop start", "", "docker"},
    {"docker-desktop", "docker-desktop", "home", "/.docker/desktop/docker.sock", LINUX, NULL, "docker desktop start", "", "docker"},
    {"rancher-desktop", "rancher-desktop", "home", "/.rd/docker.sock", LINUX | MACOS, NULL, "rdctl start", "", "rdctl"},
    {"orbstack", "orbstack", "home", "/.orbstack/run/docker.sock", MACOS, NULL, "orb start", "", "orb"},
    {"colima", "colima", "colima", "/*/docker.sock", LINUX | MACOS, "colima start -p *", "colima start", "default", "colima"},
    {"lima", "lima", "lima", "/*/sock/docker.sock", LINUX | MACOS, "limactl start *", "limactl start default", "default",
     "limactl"},
    {"podman-rootless", "podman", "runtime", "/podman/podman.sock", LINUX, NULL, "systemctl --user start podman.socket", "",
     "podman"},
    {"podman", "podman", "", "/run/podman/podman.sock", LINUX, NULL, "sudo systemctl start podman.socket", "", "podman"},
    /* Podman 5's on Linux and on a Mac; podman 4's, below the machine's name or its kind. */
    {"podman-machine", "podman-machine", "runtime", "/podman/*-api.sock", LINUX, "podman machine start *", "podman machine start",
     MACHINE, "podman"},
    {"podman-machine", "podman-machine", "tmp", "/podman/*-api.sock", MACOS, "podman machine start *", "podman machine start",
     MACHINE, "podman"},
    {"podman-machine", "podman-machine", "home", "/.local/share/containers/podman/machine/*/podman.sock", 0,
     "podman machine start *", "podman machine start", "qemu", "podman"},
};

#define PLACES (sizeof places / sizeof places[0])

static bool
is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* colima moved from ~/.colima to the configuration directory for those who set that and never had the former. */
static void
colima_root(char *out, size_t size)
{
    const char *own = getenv("COLIMA_HOME"), *config = getenv("XDG_CONFIG_HOME");

    if (own != NULL && *own != '\0') {
        snprintf(out, size, "%s", own);
        return;
    }
    snprintf(out, size, "%s/.colima", mb_user_home());
    if (config != NULL && *config != '\0' && !is_directory(out))
        snprintf(out, size, "%s/colima", config);
}

/* The directory that a row's path is under; false where this user has none. */
static bool
root_of(const struct place *place, char *out, size_t size)
{
    const char *variable;

    out[0] = '\0';
    if (strcmp(place->root, "home") == 0) {
        snprintf(out, size, "%s", mb_user_home());
    } else if (strcmp(place->root, "runtime") == 0) {
        variable = getenv("XDG_RUNTIME_DIR");
        if (variable != NULL && *variable != '\0')
            snprintf(out, size, "%s", variable);
        else if (getuid() != 0)
            snprintf(out, size, "/run/user/%lu", (unsigned long)getuid());
        else
            return false;
    } else if (strcmp(place->root, "colima") == 0) {
        colima_root(out, size);
    } else if (strcmp(place->root, "lima") == 0) {
        variable = getenv("LIMA_HOME");
        if (variable != NULL && *variable != '\0')
            snprintf(out, size, "%s", variable);
        else
            snprintf(out, size, "%s/.lima", mb_user_home());
    } else if (strcmp(place->root, "tmp") == 0) {
        variable = getenv("TMPDIR");
        snprintf(out, size, "%s", variable != NULL && *variable != '\0' ? variable : "/tmp");
    }
    return true;
}

/* Copy ${text} with ${instance} in the place of its "*". */
static void
fill(char *out, size_t size, const char *text, const char *instance)
{
    const char *star = strchr(text, '*');

    if (star == NULL)
        snprintf(out, size, "%s", text);
    else
        snprintf(out, size, "%.*s%s%s", (int)(star - text), text, instance, star + 1);
}

static bool
is_plain(const struct place *place, const char *instance)
{
    return *instance == '\0' || strcmp(instance, place->plain) == 0 || strcmp(instance, MACHINE) == 0;
}

static int
this_system(void)
{
    struct utsname system;

    return uname(&system) == 0 && strcmp(system.sysname, "Darwin") == 0 ? MACOS : LINUX;
}

/* Why the runtime seems not to be installed; "" when it is. */
static void
look_for(const struct place *place, const char *path, char *out, size_t size)
{
    char directory[256];

    out[0] = '\0';
    if (!mb_process_exists(place->program)) {
        snprintf(out, size, "there is no '%s' in PATH", place->program);
        return;
    }
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (strcmp(place->runtime, "docker-desktop") == 0 && !is_directory(directory))
        snprintf(out, size, "there is no directory '%s'", directory);
}

static void
describe(const struct place *place, const char *instance, const char *path, struct mb_known_socket *out)
{
    struct stat st;

    memset(out, 0, sizeof *out);
    snprintf(out->path, sizeof out->path, "%s", path);
    snprintf(out->runtime, sizeof out->runtime, "%s", place->runtime);
    /* A lima instance is named even when it is the default one; docker's own context for it is, too. */
    if (is_plain(place, instance) && strcmp(place->runtime, "lima") != 0)
        snprintf(out->name, sizeof out->name, "%s", place->name);
    else
        snprintf(out->name, sizeof out->name, "%s-%.40s", place->name, *instance != '\0' ? instance : place->plain);
    fill(out->start, sizeof out->start, is_plain(place, instance) || place->start == NULL ? place->plain_start : place->start,
         instance);
    look_for(place, path, out->missing, sizeof out->missing);
    out->exists = lstat(path, &st) == 0;
    out->this_system = (place->systems & this_system()) != 0;
    if (this_system() == MACOS && place == &places[0])
        snprintf(out->start, sizeof out->start, "docker desktop start");
}

static int
add(struct mb_known_socket **list, size_t *n, const struct mb_known_socket *item, struct mb_error *err)
{
    struct mb_known_socket *longer = realloc(*list, (*n + 1) * sizeof **list);

    if (longer == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    longer[(*n)++] = *item;
    *list = longer;
    return 0;
}

/* The instances that are there: one socket each. */
static int
add_instances(const struct place *place, const char *root, struct mb_known_socket **list, size_t *n, struct mb_error *err)
{
    char pattern[512];
    const char *star = strchr(place->path, '*');
    size_t before = strlen(root) + (size_t)(star - place->path), after = strlen(star + 1);
    glob_t found;
    int rc = 0;

    snprintf(pattern, sizeof pattern, "%s%s", root, place->path);
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc && rc == 0; i++) {
        struct mb_known_socket item;
        char instance[64];
        const char *path = found.gl_pathv[i];
        snprintf(instance, sizeof instance, "%.*s", (int)(strlen(path) - before - after), path + before);
        describe(place, instance, path, &item);
        rc = add(list, n, &item, err);
    }
    globfree(&found);
    return rc;
}

int
mb_known_sockets(struct mb_known_socket **out, size_t *n, struct mb_error *err)
{
    *out = NULL;
    *n = 0;
    for (size_t i = 0; i < PLACES; i++) {
        char root[200], path[512];
        struct mb_known_socket item;
        int rc;
        if (!root_of(&places[i], root, sizeof root))
            continue;
        if (strchr(places[i].path, '*') != NULL) {
            rc = add_instances(&places[i], root, out, n, err);
        } else {
            snprintf(path, sizeof path, "%s%s", root, places[i].path);
            describe(&places[i], "", path, &item);
            rc = add(out, n, &item, err);
        }
        if (rc != 0) {
            free(*out);
            *out = NULL;
            return -1;
        }
    }
    return 0;
}

bool
mb_known_instance(const char *word, struct mb_known_socket *out)
{
    for (size_t i = 0; i < PLACES; i++) {
        char root[200], relative[256], path[512];
        size_t n = strlen(places[i].name);
        const char *instance = places[i].plain;
        if (strchr(places[i].path, '*') == NULL || (places[i].systems & this_system()) == 0 ||
            strncmp(word, places[i].name, n) != 0)
            continue;
        if (word[n] == '-' && word[n + 1] != '\0' && strchr(word, '/') == NULL)
            instance = word + n + 1;
        else if (word[n] != '\0')
            continue;
        if (!root_of(&places[i], root, sizeof root))
            continue;
        fill(relative, sizeof relative, places[i].path, instance);
        snprintf(path, sizeof path, "%s%s", root, relative);
        describe(&places[i], instance, path, out);
        return true;
    }
    return false;
}
