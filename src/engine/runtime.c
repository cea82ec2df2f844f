/*
 * runtime.c: recognise the product behind an API that they all share.
 *
 * Podman says so itself and is looked for first.  The others are dockerd in somebody's virtual machine: the machine's name and
 * operating system give them away.  A further runtime is a row.
 */
#include "engine/runtime.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/json.h"

static const struct {
    const char *name, *title;
} names[] = {
    [MB_RUNTIME_UNKNOWN] = {"unknown", "unknown"},
    [MB_RUNTIME_DOCKER_ENGINE] = {"docker-engine", "Docker Engine"},
    [MB_RUNTIME_DOCKER_DESKTOP] = {"docker-desktop", "Docker Desktop"},
    [MB_RUNTIME_RANCHER_DESKTOP] = {"rancher-desktop", "Rancher Desktop"},
    [MB_RUNTIME_COLIMA] = {"colima", "colima"},
    [MB_RUNTIME_LIMA] = {"lima", "lima"},
    [MB_RUNTIME_ORBSTACK] = {"orbstack", "OrbStack"},
    [MB_RUNTIME_PODMAN] = {"podman", "podman"},
    [MB_RUNTIME_PODMAN_MACHINE] = {"podman-machine", "podman machine"},
    [MB_RUNTIME_MINIKUBE] = {"minikube", "minikube"},
};

const char *
mb_runtime_name(enum mb_runtime runtime)
{
    return names[runtime].name;
}

const char *
mb_runtime_title(enum mb_runtime runtime)
{
    return names[runtime].title;
}

/* What gives a dockerd's product away: patterns for each field, NULL for any.  The first row that fits wins. */
static const struct {
    enum mb_runtime runtime;
    const char *platform, *os, *name, *kernel;
} signs[] = {
    {MB_RUNTIME_DOCKER_DESKTOP, "Docker Desktop*", NULL, NULL, NULL},
    {MB_RUNTIME_DOCKER_DESKTOP, NULL, "Docker Desktop*", NULL, NULL},
    {MB_RUNTIME_DOCKER_DESKTOP, NULL, NULL, "docker-desktop", NULL},
    {MB_RUNTIME_RANCHER_DESKTOP, NULL, "Rancher Desktop*", NULL, NULL},
    {MB_RUNTIME_RANCHER_DESKTOP, NULL, NULL, "lima-rancher-desktop", NULL},
    {MB_RUNTIME_ORBSTACK, NULL, "OrbStack*", NULL, NULL},
    {MB_RUNTIME_ORBSTACK, NULL, NULL, "orbstack", NULL},
    {MB_RUNTIME_ORBSTACK, NULL, NULL, NULL, "*-orbstack*"},
    {MB_RUNTIME_COLIMA, NULL, NULL, "colima", NULL},
    {MB_RUNTIME_COLIMA, NULL, NULL, "colima-*", NULL},
    {MB_RUNTIME_LIMA, NULL, NULL, "lima-*", NULL},
    {MB_RUNTIME_MINIKUBE, NULL, "Buildroot*", NULL, NULL},
    {MB_RUNTIME_MINIKUBE, NULL, NULL, "minikube*", NULL},
};

static bool
fits(const char *pattern, const char *text)
{
    return pattern == NULL || fnmatch(pattern, text, 0) == 0;
}

static const char *
platform_of(const cJSON *version)
{
    return mb_json_text(mb_json_get(version, "Platform"), "Name");
}

static enum mb_runtime
recognise_docker(const cJSON *version, const cJSON *info)
{
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (fits(signs[i].platform, platform_of(version)) && fits(signs[i].os, mb_json_text(info, "OperatingSystem")) &&
            fits(signs[i].name, mb_json_text(info, "Name")) && fits(signs[i].kernel, mb_json_text(info, "KernelVersion")))
            return signs[i].runtime;
    }
    const cJSON *first = cJSON_GetArrayItem(mb_json_get(version, "Components"), 0);
    bool engine = strcmp(mb_json_text(first, "Name"), "Engine") == 0 || mb_json_get(version, "Components") == NULL;
    return engine ? MB_RUNTIME_DOCKER_ENGINE : MB_RUNTIME_UNKNOWN;
}

static enum mb_runtime
recognise(const cJSON *version, const cJSON *info, const char *libpod)
{
    const cJSON *first = cJSON_GetArrayItem(mb_json_get(version, "Components"), 0);

    if (*libpod == '\0' && strcmp(mb_json_text(first, "Name"), "Podman Engine") != 0)
        return recognise_docker(version, info);
    /* A podman machine is Fedora's image for it, which nobody renames. */
    if (fits("fedora*", mb_json_text(info, "OperatingSystem")) &&
        (strcmp(mb_json_text(info, "Name"), "localhost.localdomain") == 0 || fits("podman-*", mb_json_text(info, "Name"))))
        return MB_RUNTIME_PODMAN_MACHINE;
    return MB_RUNTIME_PODMAN;
}

/* The product's own version: Docker Desktop's is in its platform's name, podman's is the engine's, the rest do not say. */
static void
runtime_version(enum mb_runtime runtime, const cJSON *version, char *out, size_t size)
{
    const char *platform = platform_of(version);

    out[0] = '\0';
    if (runtime == MB_RUNTIME_DOCKER_DESKTOP && fits("Docker Desktop [0-9]*", platform))
        snprintf(out, size, "%.*s", (int)strcspn(platform + 15, " "), platform + 15);
    else if (runtime == MB_RUNTIME_PODMAN || runtime == MB_RUNTIME_PODMAN_MACHINE || runtime == MB_RUNTIME_DOCKER_ENGINE)
        snprintf(out, size, "%s", mb_json_text(version, "Version"));
}

/* Go's word for an architecture that may be the kernel's. */
static const char *
go_arch(const char *arch)
{
    static const char *const words[][2] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}, {"armv7l", "arm"}, {"i686", "386"}};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i][0], arch) == 0)
            return words[i][1];
    }
    return arch;
}

static bool
is_rootless(const cJSON *info)
{
    const cJSON *option;

    cJSON_ArrayForEach(option, mb_json_get(info, "SecurityOptions"))
    {
        if (cJSON_IsString(option) && strstr(option->valuestring, "rootless") != NULL)
            return true;
    }
    return cJSON_IsTrue(mb_json_get(info, "Rootless"));
}

static uint64_t
count(const cJSON *object, const char *key)
{
    double value = cJSON_GetNumberValue(mb_json_get(object, key));
    return value >= 0 && value < 1e18 ? (uint64_t)value : 0;
}

/* The first of the two that is not empty. */
static const char *
either(const char *a, const char *b)
{
    return *a != '\0' ? a : b;
}

int
mb_runtime_recognise(const cJSON *version, const cJSON *info, const char *libpod, struct mb_engine_facts *facts,
                     struct mb_error *err)
{
    char product[64];

    memset(facts, 0, sizeof *facts);
    facts->runtime = recognise(version, info, libpod);
    runtime_version(facts->runtime, version, product, sizeof product);
    facts->runtime_version = strdup(product);
    facts->engine_version = strdup(either(mb_json_text(version, "Version"), mb_json_text(info, "ServerVersion")));
    facts->api_version = strdup("");
    facts->api_newest = strdup(mb_json_text(version, "ApiVersion"));
    facts->api_oldest = strdup(mb_json_text(version, "MinAPIVersion"));
    facts->os = strdup(mb_json_text(info, "OperatingSystem"));
    facts->kernel = strdup(either(mb_json_text(version, "KernelVersion"), mb_json_text(info, "KernelVersion")));
    facts->arch = strdup(go_arch(either(mb_json_text(version, "Arch"), mb_json_text(info, "Architecture"))));
    facts->name = strdup(mb_json_text(info, "Name"));
    facts->storage_driver = strdup(mb_json_text(info, "Driver"));
    facts->root_dir = strdup(mb_json_text(info, "DockerRootDir"));
    facts->id = strdup(mb_json_text(info, "ID"));
    facts->rootless = is_rootless(info);
    facts->cpus = count(info, "NCPU");
    facts->memory_bytes = count(info, "MemTotal");
    if (facts->runtime_version && facts->engine_version && facts->api_version && facts->api_newest && facts->api_oldest &&
        facts->os && facts->kernel && facts->arch && facts->name && facts->storage_driver && facts->root_dir && facts->id)
        return 0;
    mb_runtime_facts_clear(facts);
    return mb_error_set(err, MB_EIO, "out of memory");
}

void
mb_runtime_facts_clear(struct mb_engine_facts *facts)
{
    free(facts->runtime_version);
    free(facts->engine_version);
    free(facts->api_version);
    free(facts->api_newest);
    free(facts->api_oldest);
    free(facts->os);
    free(facts->kernel);
    free(facts->arch);
    free(facts->name);
    free(facts->storage_driver);
    free(facts->root_dir);
    free(facts->id);
    memset(facts, 0, sizeof *facts);
}
