/* test_transport.c: the same engine over TCP, TLS with both sides' certificates, and ssh. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mountbench/engine.h"
#include "support/engines.h"

static struct mb_test_engine server, plain;
static char certs[128];
static char plain_url[64], tls_url[64], ssh_url[400];
static void *tar;
static size_t tar_size;
static char ssh_dir[128];
static pid_t sshd;

/* Run a script with $1 and $2. */
static int
shell(const char *script, const char *a, const char *b)
{
    return mb_test_run((const char *const[]){"sh", "-c", script, "sh", a, b, NULL});
}

/* An authority, a server certificate for 127.0.0.1, a client's, and a client's of another authority. */
static void
make_certificates(void)
{
    static const char script[] =
        "cd \"$1\" && exec >/dev/null 2>&1 && "
        "make_ca() { openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test-ca -keyout $1/ca-key.pem -out $1/ca.pem; } "
        "&& "
        "sign() { openssl req -newkey rsa:2048 -nodes -subj /CN=$3 -keyout $1/$2key.pem -out $1/req && echo \"$4\" >$1/ext && "
        "openssl x509 -req -in $1/req -CA $1/ca.pem -CAkey $1/ca-key.pem -CAcreateserial -days 2 -extfile $1/ext -out "
        "$1/$2cert.pem; } && "
        "mkdir other && make_ca . && make_ca other && sign . server- server subjectAltName=IP:127.0.0.1 && "
        "sign . '' client extendedKeyUsage=clientAuth && sign other '' stranger extendedKeyUsage=clientAuth";

    mb_test_dir(certs, sizeof certs);
    ck_assert_int_eq(shell(script, certs, NULL), 0);
}

/* A port that is free now: the kernel's choice. */
static int
free_port(void)
{
    FILE *pipe =
        popen("python3 -c 'import socket; s=socket.socket(); s.bind((\"127.0.0.1\",0)); print(s.getsockname()[1])' 2>/dev/null || "
              "echo $((20000 + $$ % 20000))",
              "r");
    int port = 0;

    ck_assert_int_eq(fscanf(pipe, "%d", &port), 1);
    pclose(pipe);
    return port;
}

static int
open_engine(const char *word, struct mb_engine **engine, struct mb_error *err)
{
    struct mb_endpoint endpoint;

    memset(err, 0, sizeof *err);
    if (mb_endpoint_resolve(word, &endpoint, err) != 0)
        return -1;
    int rc = mb_engine_open(&endpoint, 20000, engine, err);
    mb_endpoint_clear(&endpoint);
    return rc;
}

/* Everything that a run needs, over this connection: import, attach, a few hundred lines, remove. */
static void
works(const char *word)
{
    static const char *const changes[] = {"ENTRYPOINT [\"/bin/sh\", \"-c\"]", "ENV PATH=/bin", NULL};
    const char *command[] = {"while read -r l; do echo \"got $l\"; done", NULL};
    struct mb_container_spec spec = {
        .image = "mountbench-test:transport", .command = command, .open_stdin = true, .network_none = true};
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(100000);
    struct mb_engine *engine;
    struct mb_attach *attach;
    struct mb_error err;
    char *image, *id, text[20001];

    ck_assert_msg(open_engine(word, &engine, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_image_import(engine, tar, tar_size, spec.image, changes, NULL, &image, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_create(engine, &spec, &id, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_attach(engine, id, &attach, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_start(engine, id, &err) == 0, "%s", err.message);
    for (size_t i = 1; i <= 300; i++) {
        /* Short ones and, sometimes, one that is split over frames and TLS records. */
        size_t n = i % 100 == 0 ? sizeof text - 1 : i;
        memset(text, 'x', n);
        text[n] = '\0';
        text[n - 1] = '\n';
        ck_assert_msg(mb_attach_write(attach, text, n, 10000, &err) == 0, "%s", err.message);
        ck_assert_msg(mb_attach_read_line(attach, &line, 10000, &err) == 0, "%s", err.message);
        ck_assert_uint_eq(line.len, n - 1 + 4);
    }
    mb_attach_close(attach);
    ck_assert_msg(mb_container_wait(engine, id, 10000, NULL, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_container_remove(engine, id, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_image_remove(engine, image, &err) == 0, "%s", err.message);
    mb_engine_close(engine);
    free(id);
    free(image);
}

static void
fails_as(const char *word, enum mb_error_code code, const char *says)
{
    struct mb_engine *engine;
    struct mb_error err;

    ck_assert_int_eq(open_engine(word, &engine, &err), -1);
    ck_assert_msg(err.code == code, "code %d: %s", err.code, err.message);
    ck_assert_msg(strstr(err.message, says) != NULL, "'%s' lacks '%s'", err.message, says);
}

static void
fails(const char *word, const char *says)
{
    fails_as(word, MB_ENOENGINE, says);
}

START_TEST(test_tcp)
{
    if (plain.pid != 0 && tar != NULL)
        works(plain_url);
}
END_TEST

START_TEST(test_tls)
{
    char other[160];

    if (server.pid == 0 || tar == NULL)
        return;
    fails(tls_url, "the engine speaks TLS there: set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH");
    setenv("DOCKER_TLS_VERIFY", "1", 1);
    setenv("DOCKER_CERT_PATH", certs, 1);
    works(tls_url);
    /* The engine does not know whom we are, and we do not know the engine. */
    snprintf(other, sizeof other, "%s/other", certs);
    setenv("DOCKER_CERT_PATH", other, 1);
    fails(tls_url, "no TLS connection: ");
    unsetenv("DOCKER_TLS_VERIFY");
    setenv("DOCKER_TLS", "1", 1);
    fails(tls_url, tls_url);
    /* And the other way about: TLS to who does not speak it. */
    setenv("DOCKER_CERT_PATH", certs, 1);
    fails(plain_url, "whether the engine speaks TLS on this port");
}
END_TEST

START_TEST(test_tls_of_a_context)
{
    if (server.pid == 0 || tar == NULL)
        return;
    setenv("DOCKER_CONFIG", certs, 1);
    static const char script[] =
        "cd \"$1\" && mkdir -p contexts/meta/x contexts/tls/x/docker && cp ca.pem cert.pem key.pem contexts/tls/x/docker && "
        "echo '{\"Name\":\"secure\",\"Endpoints\":{\"docker\":{\"Host\":\"'\"$2\"'\"}}}' >contexts/meta/x/meta.json";
    ck_assert_int_eq(shell(script, certs, tls_url), 0);
    works("secure");
}
END_TEST

/*
 * A private sshd on the loopback and, in front of the system's ssh, a word that gives it our keys: all else is the real thing.
 */
static bool
start_sshd(int port)
{
    static const char script[] =
        "cd \"$1\" && exec >/dev/null 2>&1 && mkdir -p bin /run/sshd && ssh-keygen -q -t ed25519 -N '' -f host && "
        "ssh-keygen -q -t ed25519 -N '' -f user && cp user.pub authorized && "
        "printf '%s\\n' \"HostKey $1/host\" \"AuthorizedKeysFile $1/authorized\" 'StrictModes no' 'PermitRootLogin yes' 'UsePAM "
        "no' "
        "'ListenAddress 127.0.0.1' \"PidFile $1/pid\" >config && "
        "printf '%s\\n' '#!/bin/sh' \"exec /usr/bin/ssh -F /dev/null -i $1/user -o IdentitiesOnly=yes -o "
        "UserKnownHostsFile=/dev/null "
        "-o StrictHostKeyChecking=no -o LogLevel=ERROR \\\"\\$@\\\"\" >bin/ssh && chmod +x bin/ssh && "
        "/usr/sbin/sshd -f \"$1/config\" -p \"$2\" -E log";
    char text[16], path[160];
    int pid = 0;

    if (access("/usr/sbin/sshd", X_OK) != 0 || access("/usr/bin/ssh", X_OK) != 0) {
        printf("SKIP ssh: openssh-server or openssh-client is not installed\n");
        return false;
    }
    mb_test_dir(ssh_dir, sizeof ssh_dir);
    snprintf(text, sizeof text, "%d", port);
    ck_assert_int_eq(shell(script, ssh_dir, text), 0);
    snprintf(path, sizeof path, "%s/pid", ssh_dir);
    for (int i = 0; i < 100 && pid == 0; i++) {
        FILE *file = fopen(path, "r");
        if (file == NULL || fscanf(file, "%d", &pid) != 1)
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        if (file != NULL)
            fclose(file);
    }
    sshd = pid;
    return pid != 0;
}

static void
use_our_ssh(void)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/bin:%s", ssh_dir, getenv("PATH"));
    setenv("PATH", path, 1);
}

START_TEST(test_ssh)
{
    if (server.pid == 0 || tar == NULL || sshd == 0)
        return;
    use_our_ssh();
    works(ssh_url);
}
END_TEST

START_TEST(test_ssh_that_fails)
{
    char url[500];

    if (sshd == 0)
        return;
    fails("ssh://root@127.0.0.1:1", "ssh://root@127.0.0.1:1: ssh says: ");
    use_our_ssh();
    snprintf(url, sizeof url, "%s-none", ssh_url);
    fails(url, "ssh says: ");
    setenv("PATH", "/nowhere", 1);
    fails(ssh_url, "ssh says: cannot run ssh: No such file or directory");
    fails_as("ssh://-oProxyCommand=true", MB_ECONFIG, "the address is not of the form ssh://user@host:port");
}
END_TEST

static void
setup(void)
{
    char ca[160], cert[160], key[160];
    int port = free_port(), tls_port = free_port(), ssh_port = free_port();

    tar = mb_test_tar(&tar_size);
    make_certificates();
    snprintf(ca, sizeof ca, "--tlscacert=%s/ca.pem", certs);
    snprintf(cert, sizeof cert, "--tlscert=%s/server-cert.pem", certs);
    snprintf(key, sizeof key, "--tlskey=%s/server-key.pem", certs);
    snprintf(tls_url, sizeof tls_url, "tcp://127.0.0.1:%d", tls_port);
    snprintf(plain_url, sizeof plain_url, "tcp://127.0.0.1:%d", port);
    mb_test_engine_start("dockerd", (const char *const[]){"-H", plain_url, NULL}, &plain);
    mb_test_engine_start("dockerd", (const char *const[]){"-H", tls_url, "--tlsverify", ca, cert, key, NULL}, &server);
    if (server.pid != 0 && start_sshd(ssh_port))
        snprintf(ssh_url, sizeof ssh_url, "ssh://root@127.0.0.1:%d%s", ssh_port, server.socket);
}

static void
teardown(void)
{
    char text[16];

    if (sshd != 0) {
        snprintf(text, sizeof text, "%d", (int)sshd);
        mb_test_run((const char *const[]){"kill", text, NULL});
        mb_test_remove(ssh_dir);
    }
    mb_test_engine_stop(&server);
    mb_test_engine_stop(&plain);
    mb_test_remove(certs);
    free(tar);
}

int
main(void)
{
    Suite *suite = suite_create("transport");
    TCase *tcase = tcase_create("transports");
    SRunner *runner = srunner_create(suite);

    tcase_add_unchecked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, test_tcp);
    tcase_add_test(tcase, test_tls);
    tcase_add_test(tcase, test_tls_of_a_context);
    tcase_add_test(tcase, test_ssh);
    tcase_add_test(tcase, test_ssh_that_fails);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
