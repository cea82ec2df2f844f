/*
 * share.c: read a runtime's settings for how it shares folders.  They are where the runtime keeps them, or beside its socket; what
 * cannot be read is unknown, never an error.
 */
#include "engine/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "engine/json.h"
#include "engine/user.h"
#include "mountbench/buffer.h"

#define SETTINGS_MAX (1u << 20)
#define PATH_ROOM 1024

/* A whole small file; "" in ${text} when it cannot be read. */
static void
read_file(const char *path, struct mb_buffer *text)
{
    char chunk[4096];
    size_t n;
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return;
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0 && mb_buffer_append(text, chunk, n) == 0)
        ;
    fclose(file);
}

static cJSON *
read_settings(const char *directory, const char *name)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(SETTINGS_MAX);
    char path[PATH_ROOM];

    snprintf(path, sizeof path, "%s/%s/%s", mb_user_home(), directory, name);
    read_file(path, &text);
    return cJSON_Parse(mb_buffer_text(&text));
}

/* The plain value of the top-level ${key} in a YAML file ${up} directories above the socket. */
static void
yaml_beside_socket(const char *url, int up, const char *name, const char *key, char *out, size_t size)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(SETTINGS_MAX);
    char path[PATH_ROOM];

    snprintf(path, sizeof path, "%.900s", url + strlen("unix://"));
    for (; up > 0 && strrchr(path, '/') != NULL; up--)
        *strrchr(path, '/') = '\0';
    size_t length = strlen(path), word = strlen(key);
    snprintf(path + length, sizeof path - length, "/%s", name);
    read_file(path, &text);
    for (const char *line = mb_buffer_text(&text); line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, word) != 0 || line[word] != ':')
            continue;
        const char *value = line + word + 1;
        value += strspn(value, " \"'");
        snprintf(out, size, "%.*s", (int)strcspn(value, " \"'#\r\n"), value);
    }
}

static void
of_rancher_desktop(char *out, size_t size)
{
    static const char *const directories[] = {"Library/Preferences/rancher-desktop", ".config/rancher-desktop"};

    for (size_t i = 0; i < 2 && out[0] == '\0'; i++) {
        MB_AUTO_JSON *settings = read_settings(directories[i], "settings.json");
        const cJSON *now = mb_json_get(settings, "virtualMachine"), *before = mb_json_get(settings, "experimental");
        const char *type = mb_json_text(mb_json_get(now, "mount"), "type");
        /* Before 1.20 it was an experiment. */
        if (*type == '\0')
            type = mb_json_text(mb_json_get(mb_json_get(before, "virtualMachine"), "mount"), "type");
        snprintf(out, size, "%s", type);
    }
}

static bool
either_is_true(const cJSON *settings, const char *now, const char *before)
{
    return cJSON_IsTrue(mb_json_get(settings, now)) || cJSON_IsTrue(mb_json_get(settings, before));
}

static void
of_docker_desktop(char *out, size_t size)
{
    static const char *const directories[] = {"Library/Group Containers/group.com.docker", ".docker/desktop"};
    static const char *const names[] = {"settings-store.json", "settings.json"};

    for (size_t i = 0; i < 4 && out[0] == '\0'; i++) {
        MB_AUTO_JSON *settings = read_settings(directories[i / 2], names[i % 2]);
        if (settings == NULL)
            continue;
        /* VirtioFS wins where both are on. */
        if (either_is_true(settings, "UseVirtualizationFrameworkVirtioFS", "useVirtualizationFrameworkVirtioFS"))
            snprintf(out, size, "virtiofs");
        else if (either_is_true(settings, "UseGrpcfuse", "useGrpcfuse"))
            snprintf(out, size, "gRPC FUSE");
    }
}

static bool
is_this_machine(const struct mb_endpoint *endpoint, const struct mb_engine_facts *facts)
{
    struct utsname system;

    return strncmp(endpoint->url, "unix://", 7) == 0 && uname(&system) == 0 && strcmp(system.nodename, facts->name) == 0 &&
           strcmp(system.release, facts->kernel) == 0;
}

const char *
mb_share_of(const struct mb_endpoint *endpoint, const struct mb_engine_facts *facts, char *out, size_t size)
{
    bool socket = strncmp(endpoint->url, "unix://", 7) == 0;

    out[0] = '\0';
    if (is_this_machine(endpoint, facts))
        snprintf(out, size, "direct");
    else if (facts->runtime == MB_RUNTIME_COLIMA && socket)
        yaml_beside_socket(endpoint->url, 1, "colima.yaml", "mountType", out, size);
    else if (facts->runtime == MB_RUNTIME_LIMA && socket)
        yaml_beside_socket(endpoint->url, 2, "lima.yaml", "mountType", out, size);
    else if (facts->runtime == MB_RUNTIME_RANCHER_DESKTOP)
        of_rancher_desktop(out, size);
    else if (facts->runtime == MB_RUNTIME_DOCKER_DESKTOP)
        of_docker_desktop(out, size);
    else if (facts->runtime == MB_RUNTIME_ORBSTACK)
        snprintf(out, size, "virtiofs");
    return out;
}
