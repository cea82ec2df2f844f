/* context.c: read what `docker context` wrote. */
#include "engine/context.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/json.h"
#include "engine/user.h"
#include "mountbench/buffer.h"

#define FILE_MAX (1u << 20)
#define PATH_ROOM 1024

/* A whole JSON file.  NULL, with ${err} filled unless there is no such file. */
static cJSON *
read_json(const char *path, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT(FILE_MAX);
    char chunk[4096];
    size_t n;
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        if (errno != ENOENT && errno != ENOTDIR)
            mb_error_errno(err, MB_ECONFIG, errno, "%s: cannot read", path);
        return NULL;
    }
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
        mb_buffer_append(&text, chunk, n);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed || text.overflowed) {
        mb_error_set(err, MB_ECONFIG, "%s: %s", path, failed ? "cannot read" : "longer than a configuration file can be");
        return NULL;
    }
    cJSON *tree = cJSON_Parse(mb_buffer_text(&text));
    if (tree == NULL)
        mb_error_set(err, MB_ECONFIG, "%s: this is not JSON", path);
    return tree;
}

int
mb_endpoint_make(struct mb_endpoint *out, const char *name, const char *url, const char *origin, struct mb_error *err)
{
    memset(out, 0, sizeof *out);
    out->name = strdup(name);
    out->url = strdup(url);
    out->origin = strdup(origin);
    if (out->name != NULL && out->url != NULL && out->origin != NULL)
        return 0;
    mb_endpoint_clear(out);
    return mb_error_set(err, MB_EIO, "out of memory");
}

/* The path of ${name} in *${field}, when it is there. */
static int
tls_file(char **field, const char *directory, const char *name, struct mb_error *err)
{
    char path[PATH_ROOM];
    int n = snprintf(path, sizeof path, "%s/%s", directory, name);

    if (n < 0 || (size_t)n >= sizeof path || access(path, F_OK) != 0)
        return 0;
    if (access(path, R_OK) != 0)
        return mb_error_errno(err, MB_ECONFIG, errno, "%s: cannot read this TLS file", path);
    free(*field);
    *field = strdup(path);
    return *field != NULL ? 0 : mb_error_set(err, MB_EIO, "out of memory");
}

int
mb_endpoint_tls(struct mb_endpoint *endpoint, const char *directory, bool verify, struct mb_error *err)
{
    endpoint->tls = true;
    endpoint->tls_verify = verify;
    if (tls_file(&endpoint->ca, directory, "ca.pem", err) == 0 && tls_file(&endpoint->cert, directory, "cert.pem", err) == 0)
        return tls_file(&endpoint->key, directory, "key.pem", err);
    return -1;
}

/* The endpoint in ${config}/contexts/meta/${id}; 1 where there is none. */
static int
read_context(const char *config, const char *id, struct mb_endpoint *out, struct mb_error *err)
{
    char path[PATH_ROOM], origin[160];

    snprintf(path, sizeof path, "%.480s/contexts/meta/%.255s/meta.json", config, id);
    MB_AUTO_JSON *meta = read_json(path, NULL);
    const cJSON *docker = mb_json_get(mb_json_get(meta, "Endpoints"), "docker");
    const char *name = mb_json_text(meta, "Name"), *host = mb_json_text(docker, "Host");
    if (*name == '\0' || *host == '\0')
        return 1;
    snprintf(origin, sizeof origin, "context '%.120s'", name);
    if (mb_endpoint_make(out, name, host, origin, err) != 0)
        return -1;
    bool skip = cJSON_IsTrue(mb_json_get(docker, "SkipTLSVerify"));
    snprintf(path, sizeof path, "%.480s/contexts/tls/%.255s/docker", config, id);
    if (strncmp(host, "https://", 8) == 0 || access(path, F_OK) == 0 || (skip && strncmp(host, "tcp://", 6) == 0)) {
        if (mb_endpoint_tls(out, path, !skip, err) != 0) {
            mb_endpoint_clear(out);
            return -1;
        }
    }
    return 0;
}

static int
by_name(const void *a, const void *b)
{
    const struct mb_endpoint *x = a, *y = b;
    return strcmp(x->name, y->name);
}

int
mb_contexts(struct mb_endpoint **out, size_t *n, struct mb_error *err)
{
    char config[480], path[PATH_ROOM];
    struct dirent *entry;
    int rc = 0;

    *out = NULL;
    *n = 0;
    snprintf(path, sizeof path, "%s/contexts/meta", mb_user_docker_config(config, sizeof config));
    DIR *directory = opendir(path);
    if (directory == NULL)
        return 0;
    while (rc >= 0 && (entry = readdir(directory)) != NULL) {
        struct mb_endpoint item;
        if (entry->d_name[0] == '.' || (rc = read_context(config, entry->d_name, &item, err)) != 0)
            continue;
        rc = mb_endpoints_add(out, n, &item, err);
    }
    closedir(directory);
    if (rc < 0) {
        mb_endpoints_free(*out, *n);
        *out = NULL;
        return -1;
    }
    if (*n > 1)
        qsort(*out, *n, sizeof **out, by_name);
    return 0;
}

char *
mb_context_current(struct mb_error *err)
{
    char config[480], path[PATH_ROOM];

    snprintf(path, sizeof path, "%s/config.json", mb_user_docker_config(config, sizeof config));
    MB_AUTO_JSON *tree = read_json(path, err);
    const char *name = mb_json_text(tree, "currentContext");
    if (*name == '\0' || strcmp(name, "default") == 0)
        return NULL;
    char *copy = strdup(name);
    if (copy == NULL)
        mb_error_set(err, MB_EIO, "out of memory");
    return copy;
}
