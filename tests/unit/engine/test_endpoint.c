/* test_endpoint.c: a person's word, the environment and the docker command's files, in their order. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/address.h"
#include "mountbench/endpoint.h"
#include "support/engines.h"

static char home[128];
static struct mb_endpoint endpoint;
static struct mb_error err;

/* A file below HOME, with the directories on its way. */
static void
put(const char *path, const char *text)
{
    char full[512], command[640];

    snprintf(full, sizeof full, "%s/%s", home, path);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", full);
    ck_assert_int_eq(mb_test_run((const char *const[]){"sh", "-c", command, NULL}), 0);
    FILE *file = fopen(full, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void
put_context(const char *id, const char *name, const char *host, const char *skip)
{
    char path[256], text[512];

    snprintf(path, sizeof path, ".docker/contexts/meta/%s/meta.json", id);
    snprintf(text, sizeof text,
             "{\"Name\":\"%s\",\"Metadata\":{},\"Endpoints\":{\"docker\":{\"Host\":\"%s\",\"SkipTLSVerify\":%s}}}", name, host,
             skip);
    put(path, text);
}

static void
setup(void)
{
    static const char *const variables[] = {"DOCKER_HOST",       "DOCKER_CONTEXT", "DOCKER_CONFIG",
                                            "DOCKER_TLS_VERIFY", "DOCKER_TLS",     "DOCKER_CERT_PATH",
                                            "COLIMA_HOME",       "LIMA_HOME",      "XDG_CONFIG_HOME"};

    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        unsetenv(variables[i]);
    mb_test_dir(home, sizeof home);
    setenv("HOME", home, 1);
    setenv("XDG_RUNTIME_DIR", home, 1);
    memset(&err, 0, sizeof err);
}

static void
teardown(void)
{
    mb_endpoint_clear(&endpoint);
    mb_test_remove(home);
}

static void
resolves(const char *word, const char *url, const char *origin)
{
    mb_endpoint_clear(&endpoint);
    ck_assert_msg(mb_endpoint_resolve(word, &endpoint, &err) == 0, "%s", err.message);
    ck_assert_str_eq(endpoint.url, url);
    ck_assert_str_eq(endpoint.origin, origin);
    ck_assert_str_eq(endpoint.name, (word != NULL ? word : "default"));
}

static void
refuses(const char *word, enum mb_error_code code, const char *says)
{
    ck_assert_int_eq(mb_endpoint_resolve(word, &endpoint, &err), -1);
    ck_assert_msg(strstr(err.message, says) != NULL, "'%s' lacks '%s'", err.message, says);
    ck_assert_int_eq(err.code, code);
}

START_TEST(test_precedence)
{
    char rootless[160];

    snprintf(rootless, sizeof rootless, "unix://%s/podman/podman.sock", home);
    /* A known socket, when nothing is said and it exists. */
    if (access("/var/run/docker.sock", F_OK) != 0 && access("/run/podman/podman.sock", F_OK) != 0) {
        resolves(NULL, "unix:///var/run/docker.sock", "socket of docker-engine");
        put("podman/podman.sock", "");
        resolves(NULL, rootless, "socket of podman-rootless");
    }
    put_context("aa", "work", "unix:///run/work.sock", "false");
    put_context("bb", "other", "tcp://10.0.0.1:2375", "false");
    put(".docker/config.json", "{\"currentContext\":\"work\"}");
    resolves(NULL, "unix:///run/work.sock", "context 'work'");
    setenv("DOCKER_CONTEXT", "other", 1);
    resolves("default", "tcp://10.0.0.1:2375", "context 'other'");
    setenv("DOCKER_HOST", "unix:///run/host.sock", 1);
    resolves(NULL, "unix:///run/host.sock", "DOCKER_HOST");
    /* A word goes before all of them. */
    resolves("work", "unix:///run/work.sock", "context 'work'");
    resolves("ssh://ann@box:2222", "ssh://ann@box:2222", "--engine");
    resolves("/run/x.sock", "unix:///run/x.sock", "--engine");
}
END_TEST

START_TEST(test_docker_context_default_means_no_context)
{
    put_context("aa", "work", "unix:///run/work.sock", "false");
    put(".docker/config.json", "{\"currentContext\":\"work\"}");
    setenv("DOCKER_CONTEXT", "default", 1);
    ck_assert_int_eq(mb_endpoint_resolve(NULL, &endpoint, &err), 0);
    ck_assert_str_ne(endpoint.url, "unix:///run/work.sock");
}
END_TEST

START_TEST(test_docker_config_moves_it_all)
{
    char config[160];

    put_context("aa", "work", "unix:///run/work.sock", "false");
    snprintf(config, sizeof config, "%s/elsewhere", home);
    setenv("DOCKER_CONFIG", config, 1);
    refuses("work", MB_ECONFIG, "unknown engine 'work'");
    put("elsewhere/contexts/meta/cc/meta.json", "{\"Name\":\"work\",\"Endpoints\":{\"docker\":{\"Host\":\"unix:///run/2.sock\"}}}");
    resolves("work", "unix:///run/2.sock", "context 'work'");
}
END_TEST

START_TEST(test_runtime_names)
{
    char url[256];

    snprintf(url, sizeof url, "unix://%s/.rd/docker.sock", home);
    resolves("rancher-desktop", url, "socket of rancher-desktop");
    snprintf(url, sizeof url, "unix://%s/.docker/desktop/docker.sock", home);
    resolves("docker-desktop", url, "socket of docker-desktop");
    /* The one of two that is there. */
    put(".docker/run/docker.sock", "");
    snprintf(url, sizeof url, "unix://%s/.docker/run/docker.sock", home);
    resolves("docker-desktop", url, "socket of docker-desktop");
    snprintf(url, sizeof url, "unix://%s/.colima/default/docker.sock", home);
    resolves("colima", url, "socket of colima");
    snprintf(url, sizeof url, "unix://%s/.colima/work/docker.sock", home);
    resolves("colima-work", url, "socket of colima-work");
    snprintf(url, sizeof url, "unix://%s/.lima/docker/sock/docker.sock", home);
    resolves("lima-docker", url, "socket of lima-docker");
    snprintf(url, sizeof url, "unix://%s/.orbstack/run/docker.sock", home);
    resolves("orbstack", url, "socket of orbstack");
    put("podman/podman.sock", "");
    snprintf(url, sizeof url, "unix://%s/podman/podman.sock", home);
    resolves("podman", url, "socket of podman-rootless");
    snprintf(url, sizeof url, "unix://%s/podman/podman-machine-default-api.sock", home);
    resolves("podman-machine", url, "socket of podman-machine");
    snprintf(url, sizeof url, "unix://%s/podman/work-api.sock", home);
    resolves("podman-machine-work", url, "socket of podman-machine-work");
    setenv("COLIMA_HOME", "/c", 1);
    setenv("LIMA_HOME", "/l", 1);
    resolves("colima-work", "unix:///c/work/docker.sock", "socket of colima-work");
    resolves("lima-x", "unix:///l/x/sock/docker.sock", "socket of lima-x");
}
END_TEST

START_TEST(test_a_context_goes_before_a_runtime_of_its_name)
{
    put_context("aa", "colima", "unix:///elsewhere/docker.sock", "false");
    resolves("colima", "unix:///elsewhere/docker.sock", "context 'colima'");
}
END_TEST

START_TEST(test_tls_of_a_context)
{
    char path[256];

    put_context("aa", "secure", "tcp://10.0.0.1:2376", "false");
    put(".docker/contexts/tls/aa/docker/ca.pem", "x");
    put(".docker/contexts/tls/aa/docker/cert.pem", "x");
    put(".docker/contexts/tls/aa/docker/key.pem", "x");
    resolves("secure", "tcp://10.0.0.1:2376", "context 'secure'");
    snprintf(path, sizeof path, "%s/.docker/contexts/tls/aa/docker/key.pem", home);
    ck_assert_str_eq(endpoint.key, path);
    ck_assert(endpoint.tls && endpoint.tls_verify && endpoint.ca != NULL && endpoint.cert != NULL);
    put_context("bb", "lax", "tcp://10.0.0.1:2376", "true");
    resolves("lax", "tcp://10.0.0.1:2376", "context 'lax'");
    ck_assert(endpoint.tls && !endpoint.tls_verify && endpoint.ca == NULL);
    put_context("cc", "plain", "tcp://10.0.0.1:2375", "false");
    resolves("plain", "tcp://10.0.0.1:2375", "context 'plain'");
    ck_assert(!endpoint.tls);
}
END_TEST

START_TEST(test_tls_of_the_environment)
{
    char path[256];

    put(".docker/ca.pem", "x");
    put("certs/cert.pem", "x");
    resolves("tcp://h:1", "tcp://h:1", "--engine");
    ck_assert(!endpoint.tls);
    setenv("DOCKER_TLS_VERIFY", "1", 1);
    resolves("tcp://h:1", "tcp://h:1", "--engine");
    snprintf(path, sizeof path, "%s/.docker/ca.pem", home);
    ck_assert(endpoint.tls && endpoint.tls_verify);
    ck_assert_str_eq(endpoint.ca, path);
    snprintf(path, sizeof path, "%s/certs", home);
    setenv("DOCKER_CERT_PATH", path, 1);
    resolves("tcp://h:1", "tcp://h:1", "--engine");
    ck_assert(endpoint.ca == NULL && endpoint.cert != NULL);
    /* It is a matter of TCP. */
    resolves("unix:///s", "unix:///s", "--engine");
    ck_assert(!endpoint.tls);
    unsetenv("DOCKER_TLS_VERIFY");
    resolves("https://h", "https://h", "--engine");
    ck_assert(endpoint.tls && endpoint.tls_verify);
}
END_TEST

START_TEST(test_wrong_words)
{
    put_context("aa", "production", "tcp://10.0.0.1:2375", "false");
    put_context("bad", "torn", "tcp://10.0.0.1:2375", "oops");
    refuses("producton", MB_ECONFIG, "unknown engine 'producton' (did you mean 'production'?); there are default, production, ");
    refuses("rancher-dekstop", MB_ECONFIG, "did you mean 'rancher-desktop'?");
    refuses("zzzzzzzz", MB_ECONFIG, "unknown engine 'zzzzzzzz'; there are default");
    refuses("unx:///x", MB_ECONFIG, "--engine: unx:///x: unknown scheme 'unx' (did you mean 'unix'?)");
    refuses("npipe:////./pipe/docker_engine", MB_ECONFIG, "unknown scheme 'npipe'");
    refuses("unix://relative", MB_ECONFIG, "an absolute path must follow");
    refuses("tcp://", MB_ECONFIG, "a host must follow");
    setenv("DOCKER_HOST", "/run/docker.sock", 1);
    refuses(NULL, MB_ECONFIG, "DOCKER_HOST: '/run/docker.sock' is no address");
    unsetenv("DOCKER_HOST");
    setenv("DOCKER_CONTEXT", "gone", 1);
    refuses(NULL, MB_ECONFIG, "DOCKER_CONTEXT: there is no context 'gone'");
    unsetenv("DOCKER_CONTEXT");
    put(".docker/config.json", "{\"currentContext\":\"gone\"}");
    refuses(NULL, MB_ECONFIG, "currentContext in config.json: there is no context 'gone'");
    put(".docker/config.json", "{\"currentContext\":");
    refuses(NULL, MB_ECONFIG, ".docker/config.json: this is not JSON");
}
END_TEST

static int
find(const struct mb_endpoint *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

START_TEST(test_list)
{
    struct mb_endpoint *list;
    char url[256];
    size_t n;

    put_context("bb", "zoo", "tcp://10.0.0.1:2375", "false");
    snprintf(url, sizeof url, "unix://%s/.rd/docker.sock", home);
    put_context("aa", "rancher-desktop", url, "false");
    put(".colima/work/docker.sock", "");
    put("podman/podman-machine-default-api.sock", "");
    put("podman/work-api.sock", "");
    put(".docker/contexts/meta/broken/meta.json", "{");
    setenv("DOCKER_HOST", "unix:///run/mine.sock", 1);
    ck_assert_int_eq(mb_endpoint_list(&list, &n, &err), 0);
    ck_assert_str_eq(list[0].url, "unix:///run/mine.sock");
    ck_assert_str_eq(list[1].name, "rancher-desktop");
    ck_assert_str_eq(list[2].name, "zoo");
    ck_assert_int_gt(find(list, n, "docker-engine"), 0);
    ck_assert_int_gt(find(list, n, "colima-work"), 0);
    ck_assert_int_gt(find(list, n, "podman"), 0);
    ck_assert_int_gt(find(list, n, "podman-machine"), 0);
    ck_assert_int_gt(find(list, n, "podman-machine-work"), 0);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            ck_assert_msg(strcmp(list[i].url, list[j].url) != 0, "%s is listed twice", list[i].url);
    }
    mb_endpoints_free(list, n);
}
END_TEST

static const struct {
    const char *url;
    bool tls;
    const char *base;
} addresses[] = {
    {"unix:///run/docker.sock", false, "http://localhost"},
    {"ssh://a@b:22/x", false, "http://localhost"},
    {"tcp://10.0.0.1:4243", false, "http://10.0.0.1:4243"},
    {"tcp://box", false, "http://box:2375"},
    {"tcp://box", true, "https://box:2376"},
    {"tcp://[::1]", false, "http://[::1]:2375"},
    {"tcp://[::1]:99/", true, "https://[::1]:99"},
    {"tcp://box:1/engines/two/", false, "http://box:1/engines/two"},
    {"https://box", true, "https://box"},
    {"http://box:80", false, "http://box:80"},
    {"npipe:////./pipe/docker_engine", false, NULL},
};

START_TEST(test_addresses)
{
    char url[64], base[64];

    snprintf(url, sizeof url, "%s", addresses[_i].url);
    const struct mb_endpoint e = {.url = url, .tls = addresses[_i].tls};
    int rc = mb_address_base(&e, base, sizeof base, &err);
    ck_assert_int_eq(rc, addresses[_i].base != NULL ? 0 : -1);
    if (rc == 0)
        ck_assert_str_eq(base, addresses[_i].base);
    else
        ck_assert_int_eq(err.code, MB_ECONFIG);
    ck_assert_int_eq(mb_address_base(&e, base, 8, &err), -1);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("endpoint");
    TCase *tcase = tcase_create("resolve");
    SRunner *runner = srunner_create(suite);

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_precedence);
    tcase_add_test(tcase, test_docker_context_default_means_no_context);
    tcase_add_test(tcase, test_docker_config_moves_it_all);
    tcase_add_test(tcase, test_runtime_names);
    tcase_add_test(tcase, test_a_context_goes_before_a_runtime_of_its_name);
    tcase_add_test(tcase, test_tls_of_a_context);
    tcase_add_test(tcase, test_tls_of_the_environment);
    tcase_add_test(tcase, test_wrong_words);
    tcase_add_test(tcase, test_list);
    tcase_add_loop_test(tcase, test_addresses, 0, sizeof addresses / sizeof addresses[0]);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
