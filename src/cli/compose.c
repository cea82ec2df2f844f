/*
 * compose.c: the compose file that gives a project the mount of a cell.
 *
 * There is no `version` key: docker-compose takes a file without one since 1.27, and Compose v2 warns of it.  Volumes are written
 * in the long form, so that no path has to be free of colons.
 */
#include "cli/compose.h"

#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"
#include "mountbench/process.h"
#include "mountbench/sync.h"

#define SERVICE                                                                                                                    \
    "services:\n"                                                                                                                  \
    "  app:\n"                                                                                                                     \
    "    image: ${IMAGE:-debian:stable-slim}\n"                                                                                    \
    "    working_dir: /work\n"

/* A double-quoted YAML scalar (YAML 1.2.2, 7.3.1) that Compose's interpolation gives back as it was. */
static void
quote(struct mb_buffer *out, const char *text)
{
    mb_buffer_putc(out, '"');
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            mb_buffer_printf(out, "\\%c", *c);
        else if (*c == '$')
            mb_buffer_puts(out, "$$");
        else if (*c < 0x20 || *c == 0x7f)
            mb_buffer_printf(out, "\\x%02x", *c);
        else
            mb_buffer_putc(out, (char)*c);
    }
    mb_buffer_putc(out, '"');
}

static void
put(struct mb_buffer *out, const char *indent, const char *key, const char *text)
{
    mb_buffer_printf(out, "%s%s: ", indent, key);
    quote(out, text);
    mb_buffer_putc(out, '\n');
}

/* A name or path inside a comment: nothing in it may end the line. */
static void
remark(struct mb_buffer *out, const char *before, const char *text, const char *after)
{
    mb_buffer_puts(out, before);
    for (const char *c = text; *c != '\0'; c++)
        mb_buffer_putc(out, (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
    mb_buffer_puts(out, after);
}

static void
service_volume(struct mb_buffer *out, const char *type, const char *source)
{
    mb_buffer_printf(out, SERVICE "    volumes:\n      - type: %s\n", type);
    if (source != NULL)
        put(out, "        ", "source", source);
    mb_buffer_puts(out, "        target: /work\n");
}

/* ---- one function a kind of mount ---- */

static int
write_layer(const struct mb_mount_spec *mount, struct mb_buffer *out, struct mb_error *err)
{
    (void)mount;
    (void)err;
    mb_buffer_puts(
        out, "# No mount: what is written to /work lies in the container's own layer and goes when the container goes.\n" SERVICE);
    return 0;
}

static int
write_bind(const struct mb_mount_spec *mount, struct mb_buffer *out, struct mb_error *err)
{
    (void)err;
    mb_buffer_puts(out,
                   "# The project's directory, shared with the container.  The runtime must share it with its virtual machine\n"
                   "# (home directories are, unless its settings say otherwise).\n");
    service_volume(out, "bind", mount->path != NULL ? mount->path : ".");
    if (mount->consistency != NULL)
        put(out, "        ", "consistency", mount->consistency);
    return 0;
}

static int
write_path(const struct mb_mount_spec *mount, struct mb_buffer *out, struct mb_error *err)
{
    if (mount->path == NULL)
        return mb_error_set(err, MB_ECONFIG, "mount '%s' has no path", mount->name);
    mb_buffer_puts(out, "# A path on the engine's machine, which need not be this one.\n");
    service_volume(out, "bind", mount->path);
    return 0;
}

static int
write_tmpfs(const struct mb_mount_spec *mount, struct mb_buffer *out, struct mb_error *err)
{
    (void)err;
    mb_buffer_puts(out, "# Memory: what is written to /work is gone when the container stops.\n");
    service_volume(out, "tmpfs", NULL);
    if (mount->size_bytes > 0)
        mb_buffer_printf(out, "        tmpfs:\n          size: %llu\n", (unsigned long long)mount->size_bytes);
    return 0;
}

static void
named_volume(const struct mb_mount_spec *mount, const char *fstype, struct mb_buffer *out)
{
    service_volume(out, "volume", "work");
    mb_buffer_puts(out, "\nvolumes:\n  work:\n    driver: local\n");
    if (fstype == NULL && mount->options == NULL && mount->device == NULL)
        return;
    mb_buffer_puts(out, "    driver_opts:\n");
    if (fstype != NULL)
        put(out, "      ", "type", fstype);
    if (mount->options != NULL)
        put(out, "      ", "o", mount->options);
    if (mount->device != NULL)
        put(out, "      ", "device", mount->device);
}

static int
write_volume(const struct mb_mount_spec *mount, struct mb_buffer *out, struct mb_error *err)
{
    (void)err;
    mb_buffer_puts(out, "# A volume on the engine's own disk: the host does not see its files.\n"
                        "# Fill it once:  docker compose run --rm -v \"$PWD:/from:ro\" app cp -a /from/. /work\n");
    named_volume(mount, mount->fstype, out);
    return 0;
}

/* Whether one of ${options} ("a=1,b") begins with ${start}. */
static bool
has_option(const char *options, const char *start)
{
    for (const char *o = options; o != NULL; o = strchr(o, ',') != NULL ? strchr(o, ',') + 1 : NULL) {
        if (strncmp(o, start, strlen(start)) == 0)
            return true;
    }
    return false;
}

static bool
is_version_4(const struct mb_mount_spec *mount)
{
    return (mount->fstype != NULL && strcmp(mount->fstype, "nfs4") == 0) || has_option(mount->options, "vers=4") ||
           has_option(mount->options, "nfsvers=4");
}

/* The exported directory: what follows the colon in ":/Users/me/project" or "host:/Users/me/project". */
static const char *
exported(const char *device)
{
    const char *colon = strchr(device, ':');
    return colon != NULL ? colon + 1 : device;
}

static int
write_nfs(const struct mb_mount_spec *mount, struct mb_buffer *out, struct mb_error *err)
{
    if (mount->device == NULL || mount->options == NULL)
        return mb_error_set(err, MB_ECONFIG, "mount '%s': an NFS volume needs device and options", mount->name);
    const char *directory = exported(mount->device);
    mb_buffer_puts(out, "# The host serves the directory over NFS and the engine mounts it; once, on the host:\n"
                        "#   macOS:\n");
    remark(out, "#     /etc/exports    \"", directory, "\" localhost -alldirs -mapall=501:20\n");
    mb_buffer_puts(out, "#                     (501:20 is the first account's; `id -u` and `id -g` say yours)\n"
                        "#     /etc/nfs.conf   nfs.server.mount.require_resv_port = 0\n"
                        "#     then            sudo nfsd restart\n"
                        "#   Linux, where the engine runs in a virtual machine:\n");
    remark(out, "#     /etc/exports    ", directory,
           " 127.0.0.1(rw,async,insecure,all_squash,anonuid=1000,anongid=1000,no_subtree_check)\n");
    mb_buffer_puts(out, "#     then            sudo exportfs -ra\n");
    if (is_version_4(mount))
        mb_buffer_puts(
            out, "# These options ask for NFS version 4, which the server of macOS does not speak: there, use vers=3,nolock.\n");
    if (!has_option(mount->options, "actimeo="))
        mb_buffer_puts(out, "# Without actimeo=1 among the options, a change on the host may take up to a minute to show.\n");
    mb_buffer_puts(out,
                   "# Images that change the owner of their data directory (databases) fail on such a volume: chown is refused.\n");
    named_volume(mount, mount->fstype != NULL ? mount->fstype : "nfs", out);
    return 0;
}

/* An argument list inside a comment: as a person types it. */
static void
remark_command(struct mb_buffer *out, const char *before, char *const *argv)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(65536);

    mb_process_line((const char *const *)argv, &line);
    remark(out, before, mb_buffer_text(&line), "\n");
}

/* Further arguments of the tool, at the end of its command. */
static void
remark_arguments(struct mb_buffer *out, const struct mb_sync_spec *sync)
{
    if (sync->arguments != NULL)
        remark_command(out, " ", sync->arguments);
    else
        mb_buffer_putc(out, '\n');
}

static void
write_unison(const struct mb_sync_spec *sync, struct mb_buffer *out)
{
    const char *prefer = sync->prefer;

    mb_buffer_puts(out,
                   "# unison keeps the volume equal to the project's directory; on the host, which needs a unison that fits the\n"
                   "# image's, after `up`:\n"
                   "#   unison . socket://127.0.0.1:5000//work -auto -batch -repeat ");
    if (sync->watch)
        mb_buffer_puts(out, "watch");
    else
        mb_buffer_printf(out, "%u", sync->repeat_seconds > 0 ? sync->repeat_seconds : 1);
    if (prefer != NULL)
        mb_buffer_printf(out, " -prefer %s",
                         strcmp(prefer, "host") == 0        ? "."
                         : strcmp(prefer, "container") == 0 ? "socket://127.0.0.1:5000//work"
                                                            : prefer);
    remark_arguments(out, sync);
    service_volume(out, "volume", "work");
    mb_buffer_puts(out, "  sync:\n");
    if (mb_sync_image(sync) != NULL)
        put(out, "    ", "image", mb_sync_image(sync));
    if (sync->build != NULL)
        put(out, "    ", "build", sync->build);
    mb_buffer_puts(out, "    entrypoint: [unison, -socket, \"5000\"]\n"
                        "    environment:\n      UNISON: /tmp/unison\n"
                        "    ports:\n      - \"127.0.0.1:5000:5000\"\n"
                        "    volumes:\n      - type: volume\n        source: work\n        target: /work\n");
}

static int
write_sync(const struct mb_mount_spec *mount, struct mb_buffer *out, struct mb_error *err)
{
    const struct mb_sync_spec *sync = mount->sync;

    if (sync == NULL)
        return mb_error_set(err, MB_ECONFIG, "mount '%s' names no tool", mount->name);
    switch (sync->kind) {
    case MB_SYNC_UNISON:
        write_unison(sync, out);
        break;
    case MB_SYNC_MUTAGEN:
        mb_buffer_puts(out, "# mutagen keeps the volume equal to the project's directory; on the host, after `up`:\n"
                            "#   mutagen sync create --name=work");
        if (sync->mode != NULL)
            mb_buffer_printf(out, " --mode=%s", sync->mode);
        mb_buffer_puts(out, " . \"docker://$(docker compose ps -q app)/work\"");
        remark_arguments(out, sync);
        mb_buffer_puts(out, "# and in the end:\n#   mutagen sync terminate work\n");
        service_volume(out, "volume", "work");
        break;
    default:
        mb_buffer_puts(
            out, "# A command keeps the volume equal to the project's directory; what it needs to know is in its environment:\n"
                 "#   MOUNTBENCH_HOST_DIR=\"$PWD\" MOUNTBENCH_CONTAINER=\"$(docker compose ps -q app)\" \\\n"
                 "#   MOUNTBENCH_CONTAINER_DIR=/work \\\n");
        remark_command(out, "#   ", sync->start);
        service_volume(out, "volume", "work");
        break;
    }
    mb_buffer_puts(out, "\nvolumes:\n  work:\n    driver: local\n");
    return 0;
}

static int
write_host(const struct mb_mount_spec *mount, struct mb_buffer *out, struct mb_error *err)
{
    (void)out;
    return mb_error_set(err, MB_EUSAGE, "mount '%s' is of type host: it has no container, so no compose file can give it",
                        mount->name);
}

int
mb_compose_write(const struct mb_mount_spec *mount, struct mb_buffer *out, struct mb_error *err)
{
    static int (*const writers[])(const struct mb_mount_spec *, struct mb_buffer *, struct mb_error *) = {
        [MB_MOUNT_LAYER] = write_layer, [MB_MOUNT_BIND] = write_bind,   [MB_MOUNT_VOLUME] = write_volume,
        [MB_MOUNT_NFS] = write_nfs,     [MB_MOUNT_TMPFS] = write_tmpfs, [MB_MOUNT_SYNC] = write_sync,
        [MB_MOUNT_PATH] = write_path,   [MB_MOUNT_HOST] = write_host,
    };

    remark(out, "# The mount '", mount->name,
           "' at /work.  Rename the service, or lay this file over the project's own:\n"
           "#   docker compose -f compose.yaml -f THIS-FILE up\n");
    if (writers[mount->type](mount, out, err) != 0)
        return -1;
    return out->overflowed ? mb_error_set(err, MB_EIO, "out of memory") : 0;
}

/* ---- finding the mount ---- */

static int
unknown_mount(const struct mb_matrix *matrix, const char *name, struct mb_error *err)
{
    MB_AUTO_BUFFER list = MB_BUFFER_INIT(8192);
    const char **names = calloc(matrix->mount_count + 1, sizeof *names);

    if (names == NULL)
        return mb_error_set(err, MB_EIO, "out of memory");
    for (size_t i = 0; i < matrix->mount_count; i++) {
        names[i] = matrix->mounts[i].name;
        mb_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *near = mb_nearest(name, names);
    if (near != NULL)
        mb_error_set(err, MB_EUSAGE, "%s: no mount is called '%s' (did you mean '%s'?)", matrix->path, name, near);
    else
        mb_error_set(err, MB_EUSAGE, "%s: no mount is called '%s'; there are: %s", matrix->path, name, mb_buffer_text(&list));
    free(names);
    return -1;
}

/* Whether a cell of the matrix is called ${name}, with or without the workload. */
static bool
names_cell(const struct mb_matrix *matrix, const struct mb_cell_spec *cell, const char *name)
{
    char *full = mb_matrix_cell_name(matrix, cell);
    size_t n = strlen(name);
    bool same =
        full != NULL && strncmp(full, name, n) == 0 && (full[n] == '\0' || (full[n] == '/' && strchr(full + n + 1, '/') == NULL));

    free(full);
    return same;
}

int
mb_compose_find(const struct mb_matrix *matrix, const char *cell, const struct mb_mount_spec **out, struct mb_error *err)
{
    const char *slash = strchr(cell, '/');

    for (size_t i = 0; i < matrix->mount_count && slash == NULL; i++) {
        if (strcmp(matrix->mounts[i].name, cell) == 0) {
            *out = &matrix->mounts[i];
            return 0;
        }
    }
    if (slash == NULL)
        return unknown_mount(matrix, cell, err);
    for (size_t i = 0; i < matrix->cell_count; i++) {
        if (names_cell(matrix, &matrix->cells[i], cell)) {
            *out = &matrix->mounts[matrix->cells[i].mount];
            return 0;
        }
    }
    return mb_error_set(err, MB_EUSAGE, "%s: no cell is called '%s'; 'mountbench plan %s' lists them", matrix->path, cell,
                        matrix->path);
}
