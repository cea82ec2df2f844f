/* test_compose.c: the compose file of each kind of mount, and the names by which a mount is asked for. */
#include <check.h>
#include <string.h>

#include "cli/compose.h"

#define HEAD(name)                                                                                                                 \
    "# The mount '" name "' at /work.  Rename the service, or lay this file over the project's own:\n"                             \
    "#   docker compose -f compose.yaml -f THIS-FILE up\n"
#define SERVICE                                                                                                                    \
    "services:\n"                                                                                                                  \
    "  app:\n"                                                                                                                     \
    "    image: ${IMAGE:-debian:stable-slim}\n"                                                                                    \
    "    working_dir: /work\n"

static char text_bind[] = "bind", text_cached[] = "cached", text_nfs[] = "nfs", text_data[] = "data", text_memory[] = "memory",
            text_device[] = ":/Users/me/a \"b\" $HOME", text_options[] = "addr=host.docker.internal,actimeo=1",
            text_v4[] = "addr=10.0.2.2,vers=4", text_path[] = "/srv/x", text_odd[] = "odd\nservices: {}", text_host[] = "host",
            text_layer[] = "layer", text_sync[] = "sync";

static void
write_mount(const struct mb_mount_spec *mount, struct mb_buffer *out)
{
    struct mb_error err = {0};
    ck_assert_msg(mb_compose_write(mount, out, &err) == 0, "%s", err.message);
}

static void
has(const struct mb_buffer *out, const char *text)
{
    ck_assert_msg(strstr(mb_buffer_text(out), text) != NULL, "no '%s' in:\n%.3000s", text, mb_buffer_text(out));
}

static void
lacks(const struct mb_buffer *out, const char *text)
{
    ck_assert_msg(strstr(mb_buffer_text(out), text) == NULL, "'%s' in:\n%.3000s", text, mb_buffer_text(out));
}

START_TEST(whole_file_of_a_bind)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(65536);

    write_mount(&(struct mb_mount_spec){.name = text_bind, .type = MB_MOUNT_BIND, .consistency = text_cached}, &out);
    ck_assert_str_eq(mb_buffer_text(&out),
                     HEAD("bind") "# The project's directory, shared with the container.  The runtime must share it with its "
                                  "virtual machine\n"
                                  "# (home directories are, unless its settings say otherwise).\n" SERVICE "    volumes:\n"
                                  "      - type: bind\n"
                                  "        source: \".\"\n"
                                  "        target: /work\n"
                                  "        consistency: \"cached\"\n");
}
END_TEST

START_TEST(nfs_with_host_side_steps)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(65536);
    const struct mb_mount_spec mount = {.name = text_nfs, .type = MB_MOUNT_NFS, .device = text_device, .options = text_options};

    write_mount(&mount, &out);
    has(&out, "#     /etc/exports    \"/Users/me/a \"b\" $HOME\" localhost -alldirs -mapall=501:20\n");
    has(&out, "#     /etc/nfs.conf   nfs.server.mount.require_resv_port = 0\n");
    has(&out, "sudo nfsd restart\n");
    has(&out, "    driver_opts:\n      type: \"nfs\"\n      o: \"addr=host.docker.internal,actimeo=1\"\n"
              "      device: \":/Users/me/a \\\"b\\\" $$HOME\"\n");
    lacks(&out, "Without actimeo=1");
    lacks(&out, "NFS version 4");
}
END_TEST

START_TEST(nfs_version_and_staleness_are_said)
{
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(65536);
    const struct mb_mount_spec mount = {.name = text_nfs, .type = MB_MOUNT_NFS, .device = text_device, .options = text_v4};

    write_mount(&mount, &out);
    has(&out, "Without actimeo=1");
    has(&out, "NFS version 4, which the server of macOS does not speak");
}
END_TEST

START_TEST(the_other_kinds)
{
    char mode[] = "two-way-safe", prefer[] = "host", perms[] = "-perms", zero[] = "0", odd[] = "a b\nservices: {}",
         program[] = "rsync-loop", fast[] = "--fast";
    char *arguments[] = {perms, zero, odd, NULL}, *start[] = {program, fast, NULL};
    struct mb_sync_spec mutagen = {.kind = MB_SYNC_MUTAGEN, .mode = mode};
    struct mb_sync_spec unison = {.kind = MB_SYNC_UNISON, .repeat_seconds = 2, .prefer = prefer, .arguments = arguments};
    struct mb_sync_spec command = {.kind = MB_SYNC_COMMAND, .start = start};
    const struct {
        struct mb_mount_spec mount;
        const char *has, *lacks;
    } cases[] = {
        {{.name = text_layer, .type = MB_MOUNT_LAYER}, "working_dir: /work\n", "volumes:"},
        {{.name = text_bind, .type = MB_MOUNT_BIND}, "source: \".\"\n", "consistency"},
        {{.name = text_bind, .type = MB_MOUNT_BIND, .path = text_path}, "source: \"/srv/x\"\n", "consistency"},
        {{.name = text_data, .type = MB_MOUNT_VOLUME}, "\nvolumes:\n  work:\n    driver: local\n", "driver_opts"},
        {{.name = text_data, .type = MB_MOUNT_VOLUME, .device = text_path, .options = text_bind}, "o: \"bind\"\n", "type: \"nfs\""},
        {{.name = text_memory, .type = MB_MOUNT_TMPFS}, "- type: tmpfs\n        target: /work\n", "size"},
        {{.name = text_memory, .type = MB_MOUNT_TMPFS, .size_bytes = 1048576}, "tmpfs:\n          size: 1048576\n", "source"},
        {{.name = text_data, .type = MB_MOUNT_PATH, .path = text_path}, "source: \"/srv/x\"\n", "driver"},
        {{.name = text_sync, .type = MB_MOUNT_SYNC, .sync = &mutagen},
         "#   mutagen sync create --name=work --mode=two-way-safe . \"docker://$(docker compose ps -q app)/work\"\n",
         "driver_opts"},
        {{.name = text_sync, .type = MB_MOUNT_SYNC, .sync = &unison},
         "#   unison . socket://127.0.0.1:5000//work -auto -batch -repeat 2 -prefer . -perms 0 'a b?services: {}'\nservices:\n",
         "\nservices: {}"},
        {{.name = text_sync, .type = MB_MOUNT_SYNC, .sync = &unison},
         "    image: \"mountbench-unison\"\n    entrypoint: [unison, -socket, \"5000\"]\n",
         "build"},
        {{.name = text_sync, .type = MB_MOUNT_SYNC, .sync = &command}, "#   rsync-loop --fast\nservices:\n", "driver_opts"},
        {{.name = text_odd, .type = MB_MOUNT_LAYER}, "# The mount 'odd?services: {}' at /work.", "\nservices: {}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        MB_AUTO_BUFFER out = MB_BUFFER_INIT(65536);
        write_mount(&cases[i].mount, &out);
        has(&out, cases[i].has);
        lacks(&out, cases[i].lacks);
    }
}
END_TEST

START_TEST(what_no_file_can_give)
{
    static const struct {
        struct mb_mount_spec mount;
        enum mb_error_code code;
        const char *message;
    } cases[] = {
        {{.name = text_host, .type = MB_MOUNT_HOST},
         MB_EUSAGE,
         "mount 'host' is of type host: it has no container, so no compose file can give it"},
        {{.name = text_nfs, .type = MB_MOUNT_NFS, .options = text_v4},
         MB_ECONFIG,
         "mount 'nfs': an NFS volume needs device and options"},
        {{.name = text_data, .type = MB_MOUNT_PATH}, MB_ECONFIG, "mount 'data' has no path"},
        {{.name = text_sync, .type = MB_MOUNT_SYNC}, MB_ECONFIG, "mount 'sync' names no tool"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mb_error err = {0};
        MB_AUTO_BUFFER out = MB_BUFFER_INIT(65536);
        ck_assert_int_eq(mb_compose_write(&cases[i].mount, &out, &err), -1);
        ck_assert_int_eq(err.code, cases[i].code);
        ck_assert_str_eq(err.message, cases[i].message);
    }
}
END_TEST

START_TEST(names_of_mounts_and_cells)
{
    static char engine_name[] = "default", workload_name[] = "dd-1k", file[] = "m.yaml";
    struct mb_engine_spec engine = {.name = engine_name};
    struct mb_workload_spec workload = {.name = workload_name};
    struct mb_mount_spec mounts[] = {{.name = text_bind, .type = MB_MOUNT_BIND}, {.name = text_nfs, .type = MB_MOUNT_NFS}};
    struct mb_cell_spec cells[] = {{0, 0, 0}, {0, 1, 0}};
    const struct mb_matrix matrix = {.path = file,
                                     .engines = &engine,
                                     .engine_count = 1,
                                     .mounts = mounts,
                                     .mount_count = 2,
                                     .workloads = &workload,
                                     .workload_count = 1,
                                     .cells = cells,
                                     .cell_count = 2};
    static const struct {
        const char *cell;
        int mount;
        const char *message;
    } cases[] = {
        {"bind", 0, NULL},
        {"nfs", 1, NULL},
        {"default/nfs/dd-1k", 1, NULL},
        {"default/nfs", 1, NULL},
        {"nsf", -1, "m.yaml: no mount is called 'nsf' (did you mean 'nfs'?)"},
        {"something", -1, "m.yaml: no mount is called 'something'; there are: bind, nfs"},
        {"default", -1, "m.yaml: no mount is called 'default'; there are: bind, nfs"},
        {"default/", -1, "m.yaml: no cell is called 'default/'; 'mountbench plan m.yaml' lists them"},
        {"default/nf", -1, "m.yaml: no cell is called 'default/nf'; 'mountbench plan m.yaml' lists them"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mb_error err = {0};
        const struct mb_mount_spec *found = NULL;
        int status = mb_compose_find(&matrix, cases[i].cell, &found, &err);
        ck_assert_int_eq(status, cases[i].mount < 0 ? -1 : 0);
        if (cases[i].mount >= 0)
            ck_assert_ptr_eq(found, &mounts[cases[i].mount]);
        else
            ck_assert_str_eq(err.message, cases[i].message);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("compose");
    TCase *tcase = tcase_create("compose");

    tcase_add_test(tcase, whole_file_of_a_bind);
    tcase_add_test(tcase, nfs_with_host_side_steps);
    tcase_add_test(tcase, nfs_version_and_staleness_are_said);
    tcase_add_test(tcase, the_other_kinds);
    tcase_add_test(tcase, what_no_file_can_give);
    tcase_add_test(tcase, names_of_mounts_and_cells);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
