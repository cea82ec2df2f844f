/* test_peers.c: what listens, or does not, where an engine should: each gets a message that says place, reason and way out. */
#include <check.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mountbench/clock.h"
#include "mountbench/engine.h"
#include "support/engines.h"
#include "support/fake_engine.h"

static char dir[128];
static struct mb_error err;

static int
open_url(const char *url, unsigned timeout_ms)
{
    struct mb_endpoint endpoint;
    struct mb_engine *engine;

    memset(&err, 0, sizeof err);
    if (mb_endpoint_resolve(url, &endpoint, &err) != 0)
        return -1;
    int rc = mb_engine_open(&endpoint, timeout_ms, &engine, &err);
    mb_endpoint_clear(&endpoint);
    if (rc == 0)
        mb_engine_close(engine);
    return rc;
}

/* Opening ${url} fails as no engine, with each of the bar-separated ${words} in the message. */
static void
refused(const char *url, const char *words)
{
    char copy[256];

    ck_assert_int_eq(open_url(url, 1000 * mb_test_slowness()), -1);
    ck_assert_msg(err.code == MB_ENOENGINE, "code %d: %s", err.code, err.message);
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, "|"); word != NULL; word = strtok(NULL, "|"))
        ck_assert_msg(strstr(err.message, word) != NULL, "'%s' lacks '%s'", err.message, word);
}

static void
setup(void)
{
    unsetenv("DOCKER_API_VERSION");
    mb_test_dir(dir, sizeof dir);
    setenv("HOME", dir, 1);
    setenv("XDG_RUNTIME_DIR", dir, 1);
}

static void
teardown(void)
{
    mb_test_remove(dir);
}

/* A socket file; nobody listens when ${listening} is false. */
static int
make_socket(const char *path, bool listening)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    if (listening)
        ck_assert_int_eq(listen(fd, 4), 0);
    return fd;
}

START_TEST(test_missing_socket)
{
    char path[1024], url[1100], here[512];

    snprintf(path, sizeof path, "%s/none.sock", dir);
    snprintf(url, sizeof url, "unix://%s", path);
    refused(url, "none.sock: no such socket|start its engine|--engine");
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/tests/fixtures/provider/bin:/bin", here);
    setenv("PATH", path, 1);
    refused("colima-work", "/.colima/work/docker.sock: no such socket|start it with 'colima start -p work'");
    refused("colima", "start it with 'colima start'");
    refused("rancher-desktop", "start it with 'rdctl start'");
    refused("lima-docker", "start it with 'limactl start docker'");
    refused("podman-rootless", "start it with 'systemctl --user start podman.socket'");
    refused("unix:///dev/null/x.sock", "no such socket");
}
END_TEST

START_TEST(test_what_is_not_installed)
{
    char here[512], path[600];

    setenv("PATH", "/bin/nowhere", 1);
    refused("rancher-desktop",
            "/.rd/docker.sock: no such socket|it seems not to be installed (there is no 'rdctl' in PATH): install it");
    refused("lima-docker", "there is no 'limactl' in PATH");
    /* Docker Desktop is more than the docker command. */
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/tests/fixtures/provider/bin:/bin", here);
    setenv("PATH", path, 1);
    refused("docker-desktop", "there is no directory '|/.docker/");
}
END_TEST

START_TEST(test_stopped_engine)
{
    char path[256], url[300], directory[200];

    snprintf(directory, sizeof directory, "%s/.rd", dir);
    ck_assert_int_eq(mkdir(directory, 0700), 0);
    snprintf(path, sizeof path, "%s/docker.sock", directory);
    snprintf(url, sizeof url, "unix://%s", path);
    int fd = make_socket(path, false);
    refused(url, "docker.sock: connection refused|its engine has stopped|start it with 'rdctl start'");
    close(fd);
    refused(url, "connection refused");
}
END_TEST

START_TEST(test_no_socket_at_all)
{
    char path[256], url[300];

    snprintf(path, sizeof path, "%s/file", dir);
    FILE *file = fopen(path, "w");
    fclose(file);
    snprintf(url, sizeof url, "unix://%s", path);
    refused(url, "/file: this is a file, not a socket");
    snprintf(url, sizeof url, "unix://%s", dir);
    refused(url, "this is a directory, not a socket");
}
END_TEST

START_TEST(test_full_queue)
{
    char path[256], url[300];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int waiting[8];

    snprintf(path, sizeof path, "%s/full.sock", dir);
    snprintf(url, sizeof url, "unix://%s", path);
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path);
    int fd = make_socket(path, false);
    ck_assert_int_eq(listen(fd, 0), 0);
    for (int i = 0; i < 8; i++) {
        waiting[i] = socket(AF_UNIX, SOCK_STREAM, 0);
        fcntl(waiting[i], F_SETFL, O_NONBLOCK);
        (void)!connect(waiting[i], (struct sockaddr *)&address, sizeof address);
    }
    refused(url, "full.sock: something listens there, but accepts nobody");
    for (int i = 0; i < 8; i++)
        close(waiting[i]);
    close(fd);
}
END_TEST

START_TEST(test_path_too_long)
{
    char url[400];

    snprintf(url, sizeof url, "unix://%s/%0150d.sock", dir, 1);
    refused(url, "the path has |and a unix socket's can have 107 at most|symbolic link");
}
END_TEST

/* As "nobody", with ${mode} and group ${gid} on a socket that listens: the message. */
static void
denied(mode_t mode, gid_t gid, const char *words)
{
    char path[256], url[300];
    int status;

    snprintf(path, sizeof path, "%s/closed.sock", dir);
    snprintf(url, sizeof url, "unix://%s", path);
    unlink(path);
    int fd = make_socket(path, true);
    ck_assert_int_eq(chown(path, 0, gid), 0);
    ck_assert_int_eq(chmod(path, mode), 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(3);
        refused(url, words);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    close(fd);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
}

START_TEST(test_permission_denied)
{
    if (getuid() != 0) {
        printf("SKIP permission denied: only root can become another user\n");
        return;
    }
    struct group *group = getgrnam("daemon");
    ck_assert_ptr_nonnull(group);
    chmod(dir, 0755);
    denied(0660, group->gr_gid,
           "closed.sock: permission denied|open to the group 'daemon', which you are not in|sudo usermod -aG daemon nobody");
    denied(0660, 0, "closed.sock: permission denied|open to the user 'root' alone|sudo");
    denied(0600, group->gr_gid, "open to the user 'root' alone");
    chmod(dir, 0700);
    denied(0666, 0, "closed.sock: permission denied|directory on the way");
}
END_TEST

static char garbage[256 * 64];

static const struct {
    const char *name;
    struct mb_fake_rule rule;
    const char *says;
} peers[] = {
    {"text", {.action = MB_FAKE_RAW, .body = "220 mail.example.com ESMTP\r\n"}, "does not speak HTTP|so it is no engine"},
    {"text after the question", {.request = "*", .action = MB_FAKE_RAW, .body = "what?\n"}, "does not speak HTTP"},
    {"garbage", {.action = MB_FAKE_RAW, .body = garbage, .size = sizeof garbage}, "no engine"},
    {"half an answer", {.request = "*", .action = MB_FAKE_RAW, .body = "HTTP/1.1 200 OK\r\nContent-Le"}, "no container engine"},
    {"half a body",
     {.request = "GET /version", .action = MB_FAKE_RAW, .body = "HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"Version\""},
     "the connection broke"},
    {"closes at once", {.action = MB_FAKE_CLOSE}, "closed the connection without an answer"},
    {"closes after the question", {.request = "*", .action = MB_FAKE_CLOSE}, "closed the connection without an answer"},
    {"never answers", {.action = MB_FAKE_HANG}, "gave no answer within 1"},
    {"never answers the question", {.request = "*", .action = MB_FAKE_HANG}, "gave no answer within 1"},
    {"falls silent after ping", {.request = "GET /version", .action = MB_FAKE_HANG}, "no answer within"},
    {"a web server", {.request = "*", .status = 404, .body = "<html>Not Found</html>"}, "no container engine|404: <html>Not Found"},
    {"a web server that likes all", {.request = "*", .body = "<html>Welcome</html>"}, "no container engine|/version gave"},
    {"JSON of another kind", {.request = "GET /version", .body = "[1,2]"}, "no container engine"},
    {"an empty object", {.request = "GET /version", .body = "{\"ApiVersion\":\"two\"}"}, "'two' is no version"},
    {"no JSON where ping was right", {.request = "GET /version", .body = "nonsense"}, "no container engine"},
    {"refuses in words",
     {.request = "GET /version", .status = 503, .body = "{\"message\":\"the VM is\\n starting\"}"},
     "the VM is starting"},
    {"speaks TLS",
     {.request = "*", .status = 400, .body = "Client sent an HTTP request to an HTTPS server.\n"},
     "the engine speaks TLS there: set DOCKER_TLS_VERIFY=1"},
    {"a version that floods", {.request = "GET /version", .body = garbage, .size = sizeof garbage}, "no container engine"},
};

START_TEST(test_no_engine)
{
    struct mb_fake_engine fake;
    struct mb_fake_rule rules[] = {peers[_i].rule, MB_FAKE_20_10};

    for (size_t i = 0; i < sizeof garbage; i++)
        garbage[i] = (char)(i * 7 + i / 256);
    mb_fake_engine_start(rules, sizeof rules / sizeof rules[0], &fake);
    uint64_t start = mb_now_ns();
    int rc = open_url(fake.url, 1000 * mb_test_slowness());
    double took = (double)(mb_now_ns() - start) / 1e9;
    mb_fake_engine_stop(&fake);
    ck_assert_msg(rc == -1, "%s was taken for an engine", peers[_i].name);
    /* A refusal in an engine's own words is what it is. */
    bool own = strcmp(peers[_i].name, "refuses in words") == 0;
    ck_assert_msg(err.code == (own ? MB_EENGINE : MB_ENOENGINE), "%s: code %d: %s", peers[_i].name, err.code, err.message);
    char copy[256];
    snprintf(copy, sizeof copy, "%s", peers[_i].says);
    for (char *word = strtok(copy, "|"); word != NULL; word = strtok(NULL, "|"))
        ck_assert_msg(strstr(err.message, word) != NULL, "%s: '%s' lacks '%s'", peers[_i].name, err.message, word);
    if (!own)
        ck_assert_msg(strstr(err.message, fake.socket) != NULL, "'%s' does not name the place", err.message);
    ck_assert_msg(took < 3 * mb_test_slowness(), "%s: took %.1f s", peers[_i].name, took);
}
END_TEST

START_TEST(test_tcp_refused)
{
    refused("tcp://127.0.0.1:1", "tcp://127.0.0.1:1: cannot connect|is its engine running");
    refused("tcp://no-such-host.invalid:2375", "no host of this name");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("peers");
    TCase *tcase = tcase_create("no engine");
    SRunner *runner = srunner_create(suite);

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 30 * mb_test_slowness());
    tcase_add_test(tcase, test_missing_socket);
    tcase_add_test(tcase, test_what_is_not_installed);
    tcase_add_test(tcase, test_stopped_engine);
    tcase_add_test(tcase, test_no_socket_at_all);
    tcase_add_test(tcase, test_full_queue);
    tcase_add_test(tcase, test_path_too_long);
    tcase_add_test(tcase, test_permission_denied);
    tcase_add_loop_test(tcase, test_no_engine, 0, sizeof peers / sizeof peers[0]);
    tcase_add_test(tcase, test_tcp_refused);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
