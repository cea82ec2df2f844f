/* test_calls.c: what goes over the wire, in which order, and how answers that no engine here gives are taken. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/engine.h"
#include "support/engines.h"
#include "support/fake_engine.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct mb_fake_engine fake;
static struct mb_engine *engine;
static struct mb_error err;

static void
start(const struct mb_fake_rule *rules, size_t n)
{
    struct mb_endpoint endpoint;

    memset(&err, 0, sizeof err);
    mb_fake_engine_start(rules, n, &fake);
    ck_assert_int_eq(mb_endpoint_resolve(fake.url, &endpoint, &err), 0);
    ck_assert_msg(mb_engine_open(&endpoint, 5000 * mb_test_slowness(), &engine, &err) == 0, "%s", err.message);
    mb_endpoint_clear(&endpoint);
}

static void
stop(void)
{
    mb_engine_close(engine);
    engine = NULL;
    mb_fake_engine_stop(&fake);
}

/* The requests so far are these lines, in this order. */
static void
asked(const char *lines)
{
    char *log = mb_fake_engine_log(&fake);
    ck_assert_str_eq(log, lines);
    free(log);
}

static void
setup(void)
{
    unsetenv("DOCKER_API_VERSION");
}

static void
teardown(void)
{
    if (engine != NULL)
        stop();
}

static const struct {
    const char *name;
    struct mb_fake_rule ping, version;
    const char *forced, *spoken, *log;
} generations[] = {
    {"19.03", MB_FAKE_PING("1.40"), MB_FAKE_VERSION("19.03.15", "1.40", "1.12"), NULL, "1.40",
     "HEAD /_ping\nGET /version\nGET /v1.40/info\n"},
    {"20.10", MB_FAKE_PING("1.41"), MB_FAKE_VERSION("20.10.24", "1.41", "1.12"), NULL, "1.41",
     "HEAD /_ping\nGET /version\nGET /v1.41/info\n"},
    {"29.0", MB_FAKE_PING("1.52"), MB_FAKE_VERSION("29.0.1", "1.52", "1.44"), NULL, "1.51",
     "HEAD /_ping\nGET /version\nGET /v1.51/info\n"},
    {"29.0, forced", MB_FAKE_PING("1.52"), MB_FAKE_VERSION("29.0.1", "1.52", "1.44"), "1.44", "1.44",
     "HEAD /_ping\nGET /version\nGET /v1.44/info\n"},
    {"a proxy without HEAD",
     {.request = "GET /_ping", .headers = "Api-Version: 1.41\r\n", .body = "OK"},
     MB_FAKE_VERSION("20.10.24", "1.41", "1.12"),
     NULL,
     "1.41",
     "HEAD /_ping\nGET /_ping\nGET /version\nGET /v1.41/info\n"},
};

START_TEST(test_generations)
{
    struct mb_fake_rule rules[] = {generations[_i].ping, generations[_i].version, MB_FAKE_INFO};

    if (generations[_i].forced != NULL)
        setenv("DOCKER_API_VERSION", generations[_i].forced, 1);
    start(rules, COUNT(rules));
    ck_assert_str_eq(mb_engine_facts(engine)->api_version, generations[_i].spoken);
    ck_assert_int_eq(mb_engine_facts(engine)->runtime, MB_RUNTIME_DOCKER_ENGINE);
    asked(generations[_i].log);
    stop();
}
END_TEST

START_TEST(test_refusal_in_the_engines_own_words)
{
    static const struct mb_fake_rule rules[] = {
        {.request = "POST /containers/a/start", .status = 500, .body = "{\"message\":\"no such device\"}"},
        {.request = "POST /containers/b/start",
         .status = 500,
         .body = "{\"cause\":\"x\",\"message\":\"mount.nfs: Failed\\n to resolve\\n\",\"response\":500}"},
        {.request = "POST /containers/c/start", .status = 502, .body = "<html>bad gateway</html>"},
        {.request = "POST /containers/d/start", .status = 500},
        {.request = "POST /containers/e/start", .status = 304},
        MB_FAKE_20_10,
    };
    static const struct {
        const char *id, *words;
    } expected[] = {
        {"a", "cannot start the container: no such device"},
        {"b", "cannot start the container: mount.nfs: Failed to resolve"},
        {"c", "cannot start the container: <html>bad gateway</html>"},
        {"d", "cannot start the container: HTTP status 500 without a word"},
    };

    start(rules, COUNT(rules));
    for (size_t i = 0; i < COUNT(expected); i++) {
        ck_assert_int_eq(mb_container_start(engine, expected[i].id, &err), -1);
        ck_assert_str_eq(err.message, expected[i].words);
        ck_assert_int_eq(err.code, MB_EENGINE);
        ck_assert_int_ge(err.http_status, 500);
    }
    ck_assert_int_eq(mb_container_start(engine, "e", &err), 0);
    stop();
}
END_TEST

static const struct {
    const char *name, *body;
    enum mb_error_code code;
    const char *says; /* the id, or part of the message */
} imports[] = {
    {"docker", "{\"status\":\"sha256:abc\"}\r\n", MB_OK, "sha256:abc"},
    {"with progress before it", "{\"status\":\"Importing\",\"progress\":\"1/2\"}\n{\"status\":\"sha256:def\"}\n", MB_OK,
     "sha256:def"},
    {"podman", "{\"status\":\"sha256:123\",\"progress\":\"\",\"id\":\"sha256:123\"}", MB_OK, "sha256:123"},
    {"failure inside 200",
     "{\"status\":\"Importing\"}\n{\"errorDetail\":{\"message\":\"no space left on device\"},\"error\":\"no space "
     "left on device\"}\n",
     MB_EENGINE, "cannot import the image: no space left on device"},
    {"failure after an id", "{\"status\":\"sha256:abc\"}{\"errorDetail\":{\"message\":\"disk quota\"}}", MB_EENGINE, "disk quota"},
    {"nothing", "", MB_EPROTOCOL, "names no image"},
    {"text", "imported, thanks", MB_EPROTOCOL, "names no image: imported, thanks"},
};

START_TEST(test_import_answers)
{
    struct mb_fake_rule rules[] = {{.request = "POST /images/create*", .body = imports[_i].body}, MB_FAKE_20_10};
    char *id;

    start(rules, COUNT(rules));
    int rc = mb_image_import(engine, "tar", 3, "a/b:c", NULL, NULL, &id, &err);
    ck_assert_msg(err.code == imports[_i].code, "%s: %s", imports[_i].name, err.message);
    ck_assert_int_eq(rc, imports[_i].code == MB_OK ? 0 : -1);
    if (rc == 0)
        ck_assert_str_eq(id, imports[_i].says);
    else
        ck_assert_msg(id == NULL && strstr(err.message, imports[_i].says) != NULL, "%s: %s", imports[_i].name, err.message);
    free(id);
    stop();
}
END_TEST

START_TEST(test_import_request)
{
    static const struct mb_fake_rule rules[] = {{.request = "POST /images/create*", .body = "{\"status\":\"sha256:abc\"}"},
                                                MB_FAKE_20_10};
    static const char *const changes[] = {"ENTRYPOINT [\"/p\"]", NULL};
    struct mb_labels labels = {.run = "r 1"};
    char *id;

    start(rules, COUNT(rules));
    ck_assert_int_eq(mb_image_import(engine, "bytes", 5, "a/b:c", changes, &labels, &id, &err), 0);
    free(id);
    asked("HEAD /_ping\nGET /version\nGET /v1.41/info\n"
          "POST /v1.41/images/create?fromSrc=-&repo=a%2Fb%3Ac&changes=ENTRYPOINT%20%5B%22%2Fp%22%5D"
          "&changes=LABEL%20org.mountbench%3D%221%22&changes=LABEL%20org.mountbench.run%3D%22r%201%22\n");
    char *bodies = mb_fake_engine_bodies(&fake);
    ck_assert_str_eq(bodies, "bytes\n");
    free(bodies);
    stop();
}
END_TEST

START_TEST(test_create_bodies)
{
    static const struct mb_fake_rule rules[] = {
        {.request = "POST /containers/create*", .status = 201, .body = "{\"Id\":\"c1\",\"Warnings\":[]}"},
        {.request = "POST /volumes/create", .status = 201, .body = "{}"},
        MB_FAKE_20_10,
    };
    static const char *const command[] = {"-c", "x", NULL};
    static const char *const hosts[] = {"host.docker.internal:host-gateway", NULL};
    static const struct mb_pair options[] = {{"type", "nfs"}, {"o", "addr=h,vers=4"}, {NULL, NULL}};
    struct mb_container_spec bind = {.name = "n/1",
                                     .image = "i",
                                     .command = command,
                                     .open_stdin = true,
                                     .mount = MB_ATTACH_BIND,
                                     .source = "/s",
                                     .target = "/t",
                                     .consistency = "cached",
                                     .extra_hosts = hosts,
                                     .labels = {.run = "r"}};
    struct mb_container_spec tmpfs = {
        .image = "i", .mount = MB_ATTACH_TMPFS, .target = "/t", .tmpfs_bytes = 1048576, .network_none = true};
    struct mb_container_spec volume = {.image = "i", .mount = MB_ATTACH_VOLUME, .source = "v", .target = "/t"};
    struct mb_container_spec *specs[] = {&bind, &tmpfs, &volume};

    start(rules, COUNT(rules));
    for (size_t i = 0; i < COUNT(specs); i++) {
        char *id;
        ck_assert_int_eq(mb_container_create(engine, specs[i], &id, &err), 0);
        ck_assert_str_eq(id, "c1");
        free(id);
    }
    ck_assert_int_eq(mb_volume_create(engine, "v", NULL, options, NULL, &err), 0);
    char *bodies = mb_fake_engine_bodies(&fake);
    ck_assert_str_eq(
        bodies,
        "{\"Image\":\"i\",\"Cmd\":[\"-c\",\"x\"],\"Tty\":false,\"AttachStdin\":true,\"AttachStdout\":true,\"AttachStderr\":true,"
        "\"OpenStdin\":true,\"StdinOnce\":true,\"Labels\":{\"org.mountbench\":\"1\",\"org.mountbench.run\":\"r\"},"
        "\"HostConfig\":{\"LogConfig\":{\"Type\":\"none\"},\"ExtraHosts\":[\"host.docker.internal:host-gateway\"],"
        "\"Mounts\":[{\"Type\":\"bind\",\"Target\":\"/t\",\"Source\":\"/s\",\"Consistency\":\"cached\"}]}}\n"
        "{\"Image\":\"i\",\"Tty\":false,\"AttachStdin\":false,\"AttachStdout\":true,\"AttachStderr\":true,\"OpenStdin\":false,"
        "\"StdinOnce\":false,\"Labels\":{\"org.mountbench\":\"1\"},\"HostConfig\":{\"LogConfig\":{\"Type\":\"json-file\"},"
        "\"NetworkMode\":\"none\",\"Mounts\":[{\"Type\":\"tmpfs\",\"Target\":\"/"
        "t\",\"TmpfsOptions\":{\"Mode\":1023,\"SizeBytes\":1048576}}]}}\n"
        "{\"Image\":\"i\",\"Tty\":false,\"AttachStdin\":false,\"AttachStdout\":true,\"AttachStderr\":true,\"OpenStdin\":false,"
        "\"StdinOnce\":false,\"Labels\":{\"org.mountbench\":\"1\"},\"HostConfig\":{\"LogConfig\":{\"Type\":\"json-file\"},"
        "\"Mounts\":[{\"Type\":\"volume\",\"Target\":\"/t\",\"Source\":\"v\",\"VolumeOptions\":{\"NoCopy\":true}}]}}\n"
        "{\"Name\":\"v\",\"Driver\":\"local\",\"DriverOpts\":{\"type\":\"nfs\",\"o\":\"addr=h,vers=4\"},\"Labels\":{\"org."
        "mountbench\":\"1\"}}\n");
    free(bodies);
    stop();
}
END_TEST

#define MB_FAKE_PODMAN                                                                                                             \
    {.request = "* /_ping", .headers = "Api-Version: 1.41\r\nLibpod-Api-Version: 4.3.1\r\n", .body = "OK"},                        \
        {.request = "GET /version", .body = "{\"Version\":\"4.3.1\",\"ApiVersion\":\"1.41\",\"MinAPIVersion\":\"1.24\"}"},         \
        MB_FAKE_INFO

START_TEST(test_what_podman_is_told_otherwise)
{
    static const struct mb_fake_rule rules[] = {
        {.request = "POST /containers/create*", .status = 201, .body = "{\"Id\":\"c1\",\"Warnings\":[]}"},
        {.request = "POST /volumes/create", .status = 201, .body = "{}"},
        MB_FAKE_PODMAN,
    };
    static const struct mb_pair v4[] = {{"type", "nfs"}, {"o", "vers=4,addr=host,rw"}, {"device", ":/x"}, {NULL, NULL}};
    static const struct mb_pair v6[] = {{"device", ":/x"}, {"type", "nfs4"}, {"o", "addr=fe80::1"}, {NULL, NULL}};
    static const struct mb_pair named[] = {{"type", "nfs"}, {"device", "h:/x"}, {"o", "addr=h"}, {NULL, NULL}};
    static const struct mb_pair none[] = {{"type", "nfs"}, {"device", ":/x"}, {"o", "xaddr=h"}, {NULL, NULL}};
    static const struct mb_pair other[] = {{"type", "btrfs"}, {"device", ":x"}, {"o", "addr=h"}, {NULL, NULL}};
    static const struct mb_pair *const options[] = {v4, v6, named, none, other};
    struct mb_container_spec spec = {.image = "i"};
    char *id;

    start(rules, COUNT(rules));
    for (size_t i = 0; i < COUNT(options); i++)
        ck_assert_int_eq(mb_volume_create(engine, "v", NULL, options[i], NULL, &err), 0);
    ck_assert_int_eq(mb_container_create(engine, &spec, &id, &err), 0);
    free(id);
    char *bodies = mb_fake_engine_bodies(&fake);
    static const char *const devices[] = {"\"device\":\"host:/x\"", "\"device\":\"[fe80::1]:/x\"", "\"device\":\"h:/x\"",
                                          "\"device\":\":/x\"", "\"device\":\":x\""};
    char *line = strtok(bodies, "\n");
    for (size_t i = 0; i < COUNT(devices); i++, line = strtok(NULL, "\n"))
        ck_assert_msg(strstr(line, devices[i]) != NULL, "%s", line);
    ck_assert_msg(strstr(line, "\"Ulimits\":[{\"Name\":\"nofile\",\"Soft\":1024,\"Hard\":4096},{\"Name\":\"nproc\"") != NULL, "%s",
                  line);
    free(bodies);
    stop();
}
END_TEST

START_TEST(test_start_has_an_empty_body_of_known_length)
{
    static const struct mb_fake_rule rules[] = {{.request = "POST /containers/c/start", .status = 204}, MB_FAKE_20_10};

    start(rules, COUNT(rules));
    ck_assert_int_eq(mb_container_start(engine, "c", &err), 0);
    char *bodies = mb_fake_engine_bodies(&fake);
    ck_assert_str_eq(bodies, "");
    free(bodies);
    stop();
}
END_TEST

START_TEST(test_removal_that_is_under_way_is_waited_for)
{
    static const struct mb_fake_rule rules[] = {
        {.request = "DELETE /containers/c*",
         .status = 409,
         .body = "{\"message\":\"removal of container c is already in progress\"}"},
        {.request = "GET /containers/c/json", .body = "{}", .times = 2},
        MB_FAKE_20_10,
    };

    start(rules, COUNT(rules));
    ck_assert_msg(mb_container_remove(engine, "c", &err) == 0, "%s", err.message);
    asked("HEAD /_ping\nGET /version\nGET /v1.41/info\nDELETE /v1.41/containers/c?force=1&v=1\n"
          "GET /v1.41/containers/c/json\nGET /v1.41/containers/c/json\nGET /v1.41/containers/c/json\n");
    stop();
}
END_TEST

START_TEST(test_removal_that_podman_refuses_while_the_container_ends_is_tried_again)
{
    static const struct mb_fake_rule rules[] = {
        {.request = "DELETE /containers/c*", .status = 500, .body = "{\"message\":\"container state improper\"}", .times = 2},
        {.request = "DELETE /containers/c*", .status = 204},
        MB_FAKE_20_10,
    };

    start(rules, COUNT(rules));
    ck_assert_msg(mb_container_remove(engine, "c", &err) == 0, "%s", err.message);
    stop();
}
END_TEST

static const struct {
    const char *name;
    struct mb_fake_rule rule;
    enum mb_error_code code;
    const char *says;
} attaches[] = {
    {"an answer there and back", {.action = MB_FAKE_UPGRADE}, MB_OK, "ping"},
    {"bytes right behind the header", {.action = MB_FAKE_UPGRADE, .body = "\1\0\0\0\0\0\0\6hello\n", .size = 14}, MB_OK, "hello"},
    {"refused",
     {.status = 409, .body = "{\"message\":\"the container is paused\"}\n"},
     MB_EENGINE,
     "cannot attach to the container: the container is paused"},
    {"no answer", {.action = MB_FAKE_HANG}, MB_ETIMEOUT, "cannot attach to the container: "},
    {"closed", {.action = MB_FAKE_CLOSE}, MB_EGONE, "closed the connection instead of attaching"},
    {"no HTTP", {.action = MB_FAKE_RAW, .body = "hi there\r\n\r\nx"}, MB_EPROTOCOL, "is not HTTP"},
    {"no frames", {.action = MB_FAKE_UPGRADE, .body = "$ prompt of a terminal"}, MB_EPROTOCOL, "not in the engine's frames"},
    {"the engine's own trouble",
     {.action = MB_FAKE_RAW, .body = "HTTP/1.1 200 OK\r\n\r\n\3\0\0\0\0\0\0\4oops", .size = 31},
     MB_EGONE,
     "the engine ended the attached stream: oops"},
    {"half a line",
     {.action = MB_FAKE_RAW, .body = "HTTP/1.1 200 OK\r\n\r\n\1\0\0\0\0\0\0\4half", .size = 31},
     MB_EGONE,
     "in the middle of a line: half"},
};

START_TEST(test_attach)
{
    struct mb_fake_rule rules[] = {attaches[_i].rule, MB_FAKE_20_10};
    struct mb_attach *attach = NULL;
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(100);

    rules[0].request = "POST /containers/c/attach?stream=1&stdin=1&stdout=1&stderr=1";
    start(rules, COUNT(rules));
    mb_engine_set_timeout(engine, 300 * mb_test_slowness());
    if (mb_container_attach(engine, "c", &attach, &err) == 0) {
        if (attaches[_i].rule.body == NULL)
            ck_assert_int_eq(mb_attach_write(attach, "ping\n", 5, 1000, &err), 0);
        if (mb_attach_read_line(attach, &line, 1000, &err) == 0)
            ck_assert_str_eq(mb_buffer_text(&line), attaches[_i].says);
    }
    ck_assert_msg(err.code == attaches[_i].code, "%s: code %d: %s", attaches[_i].name, err.code, err.message);
    if (err.code != MB_OK)
        ck_assert_msg(strstr(err.message, attaches[_i].says) != NULL, "%s: %s", attaches[_i].name, err.message);
    mb_attach_close(attach);
    stop();
}
END_TEST

START_TEST(test_line_that_is_too_long)
{
    static char big[9 + 200];
    const struct mb_fake_rule rules[] = {
        {.request = "POST /containers/c/attach*", .action = MB_FAKE_UPGRADE, .body = big, .size = 208},
        MB_FAKE_20_10,
    };
    struct mb_attach *attach;
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(100);

    memset(big, 'x', sizeof big);
    memcpy(big, "\1\0\0\0\0\0\0\310", 8);
    start(rules, COUNT(rules));
    ck_assert_int_eq(mb_container_attach(engine, "c", &attach, &err), 0);
    ck_assert_int_eq(mb_attach_read_line(attach, &line, 1000, &err), -1);
    ck_assert_int_eq(err.code, MB_EPROTOCOL);
    ck_assert_ptr_nonnull(strstr(err.message, "longer than 100 bytes"));
    mb_attach_close(attach);
    stop();
}
END_TEST

START_TEST(test_only_what_carries_our_label_is_listed)
{
    static const struct mb_fake_rule rules[] = {
        {.request = "GET /containers/json?all=1&filters=%7B%22label%22%3A%5B%22org.mountbench%3D1%22%5D%7D",
         .body = "[{\"Id\":\"c1\",\"Names\":[\"/ours\"],\"Labels\":{\"org.mountbench\":\"1\",\"org.mountbench.run\":\"r\"}},"
                 "{\"Id\":\"c2\",\"Names\":[\"/theirs\"],\"Labels\":{}},{\"Id\":\"c3\",\"Names\":null,\"Labels\":null}]"},
        {.request = "GET /volumes*", .body = "{\"Volumes\":null,\"Warnings\":null}"},
        {.request = "GET /images/json*",
         .body = "[{\"Id\":\"sha256:1\",\"RepoTags\":[\"<none>:<none>\"],\"Labels\":{\"org.mountbench\":\"1\"}}]"},
        MB_FAKE_20_10,
    };
    struct mb_object *objects;
    size_t n;

    start(rules, COUNT(rules));
    ck_assert_msg(mb_engine_list_owned(engine, NULL, &objects, &n, &err) == 0, "%s", err.message);
    ck_assert_uint_eq(n, 2);
    ck_assert_str_eq(objects[0].name, "ours");
    ck_assert_str_eq(objects[0].run, "r");
    ck_assert_str_eq(objects[1].name, "sha256:1");
    ck_assert_str_eq(objects[1].run, "");
    mb_objects_free(objects, n);
    stop();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("calls");
    TCase *tcase = tcase_create("fake engine");
    SRunner *runner = srunner_create(suite);

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60 * mb_test_slowness());
    tcase_add_loop_test(tcase, test_generations, 0, COUNT(generations));
    tcase_add_test(tcase, test_refusal_in_the_engines_own_words);
    tcase_add_loop_test(tcase, test_import_answers, 0, COUNT(imports));
    tcase_add_test(tcase, test_import_request);
    tcase_add_test(tcase, test_create_bodies);
    tcase_add_test(tcase, test_what_podman_is_told_otherwise);
    tcase_add_test(tcase, test_start_has_an_empty_body_of_known_length);
    tcase_add_test(tcase, test_removal_that_is_under_way_is_waited_for);
    tcase_add_test(tcase, test_removal_that_podman_refuses_while_the_container_ends_is_tried_again);
    tcase_add_loop_test(tcase, test_attach, 0, COUNT(attaches));
    tcase_add_test(tcase, test_line_that_is_too_long);
    tcase_add_test(tcase, test_only_what_carries_our_label_is_listed);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
