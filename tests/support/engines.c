/* engines.c: start, wait, stop, sweep. */
#include "support/engines.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define START_LIMIT_MS 60000
#define STOP_LIMIT_MS 20000
#define ARGUMENTS_MAX 48

static void
nap(void)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
}

const char *
mb_test_dir(char *out, size_t size)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(out, size, "%s/mb-test.XXXXXX", tmp != NULL && *tmp != '\0' && strlen(tmp) < 40 ? tmp : "/tmp");
    if (mkdtemp(out) == NULL) {
        perror(out);
        exit(1);
    }
    return out;
}

unsigned
mb_test_slowness(void)
{
    const char *wrapper = getenv("MB_WRAPPER");
    return wrapper != NULL && *wrapper != '\0' ? 10 : 1;
}

static pid_t
spawn(const char *const *argv, const char *log)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    if (log != NULL) {
        int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        int null = open("/dev/null", O_RDONLY);
        dup2(null, STDIN_FILENO);
        /* Out of the test's process group: Check kills that when a test overruns, and an engine deserves an orderly end. */
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    }
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

int
mb_test_run(const char *const *argv)
{
    int status;
    pid_t pid = spawn(argv, NULL);

    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool
installed(const char *program)
{
    static const char *const directories[] = {"/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin"};
    char path[256];

    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++) {
        snprintf(path, sizeof path, "%s/%.200s", directories[i], program);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* Whether a ping over the socket gets 200. */
static bool
answers(const char *path)
{
    static const char ping[] = "GET /_ping HTTP/1.0\r\nHost: localhost\r\n\r\n";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char reply[64] = "";
    bool ok = false;

    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 && send(fd, ping, sizeof ping - 1, MSG_NOSIGNAL) > 0 &&
        recv(fd, reply, sizeof reply - 1, 0) > 12)
        ok = strncmp(reply + 8, " 200", 4) == 0;
    close(fd);
    return ok;
}

static void
add(const char **argv, size_t *n, const char *const *words)
{
    for (; words != NULL && *words != NULL && *n < ARGUMENTS_MAX - 1; words++)
        argv[(*n)++] = *words;
    argv[*n] = NULL;
}

static bool
is_podman(const struct mb_test_engine *e)
{
    return strncmp(e->kind, "podman", 6) == 0;
}

static bool
is_rootless(const struct mb_test_engine *e)
{
    return strcmp(e->kind, "podman-rootless") == 0;
}

/* The ${name} that tests/support/go-peer built, "" when it did not. */
static void
find_peer(const char *name, char *out, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char pattern[256];
    glob_t found;

    out[0] = '\0';
    if (cache != NULL && *cache != '\0')
        snprintf(pattern, sizeof pattern, "%s/mountbench/peers/%s-*", cache, name);
    else
        snprintf(pattern, sizeof pattern, "%s/.cache/mountbench/peers/%s-*", home != NULL ? home : "/root", name);
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    snprintf(out, size, "%s", found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
}

static pid_t
start_dockerd(const struct mb_test_engine *e, const char *program, const char *const *extra, const char *log)
{
    char data[192], exec[192], pidfile[192], runtime[256], word[272];
    bool newer = strcmp(e->kind, "dockerd-newer") == 0;
    const char *argv[ARGUMENTS_MAX];
    size_t n = 0;

    snprintf(data, sizeof data, "%s/data", e->dir);
    snprintf(exec, sizeof exec, "%s/exec", e->dir);
    snprintf(pidfile, sizeof pidfile, "%s/pid", e->dir);
    add(argv, &n,
        (const char *const[]){program, "--data-root", data, "--exec-root", exec, "--pidfile", pidfile, "-H", e->url,
                              "--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false",
                              "--userland-proxy=false", NULL});
    add(argv, &n, extra);
    /* A dockerd of today asks for a time namespace, which Debian's runc does not know; the other runc was built
     * without seccomp. */
    find_peer("runc", runtime, sizeof runtime);
    if (newer && runtime[0] != '\0') {
        snprintf(word, sizeof word, "newer=%s", runtime);
        add(argv, &n,
            (const char *const[]){"--add-runtime", word, "--default-runtime", "newer", "--seccomp-profile=unconfined", NULL});
    }
    return spawn(argv, log);
}

/* `podman` with the private storage of ${e} and ${words}; a rootless one is run by nobody. */
static pid_t
spawn_podman(const struct mb_test_engine *e, const char *const *extra, const char *const *words, const char *log)
{
    char home[192], runtime[192], scratch[192], root[192], run[192], tmp[192], volumes[192];
    const char *argv[ARGUMENTS_MAX];
    size_t n = 0;

    snprintf(home, sizeof home, "HOME=%s", e->dir);
    snprintf(runtime, sizeof runtime, "XDG_RUNTIME_DIR=%s", e->dir);
    snprintf(scratch, sizeof scratch, "TMPDIR=%s", e->dir); /* where it leaves the images that it was given */
    snprintf(root, sizeof root, "%s/root", e->dir);
    snprintf(run, sizeof run, "%s/run", e->dir);
    snprintf(tmp, sizeof tmp, "%s/tmp", e->dir);
    snprintf(volumes, sizeof volumes, "%s/volumes", e->dir);
    if (is_rootless(e))
        add(argv, &n,
            (const char *const[]){"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "env", "-C", e->dir, home,
                                  runtime, scratch, NULL});
    else
        add(argv, &n, (const char *const[]){"env", scratch, NULL});
    add(argv, &n,
        (const char *const[]){"podman", "--root", root, "--runroot", run, "--tmpdir", tmp, "--volumepath", volumes,
                              "--cgroup-manager", "cgroupfs", "--events-backend", "file", NULL});
    add(argv, &n, extra);
    add(argv, &n, words);
    return spawn(argv, log);
}

static pid_t
start_podman(const struct mb_test_engine *e, const char *const *extra, const char *log)
{
    if (is_rootless(e) && chown(e->dir, 65534, 65534) != 0)
        return -1;
    return spawn_podman(e, extra, (const char *const[]){"system", "service", "--time=0", e->url, NULL}, log);
}

static bool
wait_ready(struct mb_test_engine *e)
{
    for (int waited = 0; waited < START_LIMIT_MS; waited += 20) {
        if (answers(e->socket))
            return true;
        if (waitpid(e->pid, NULL, WNOHANG) == e->pid) {
            e->pid = 0;
            return false;
        }
        nap();
    }
    return false;
}

/* Why one of ${kind} cannot be started here, NULL when it can; the program in ${out}. */
static const char *
choose_program(const char *kind, char *out, size_t size)
{
    bool newer = strcmp(kind, "dockerd-newer") == 0;

    snprintf(out, size, "%s", strncmp(kind, "podman", 6) == 0 ? "podman" : "dockerd");
    if (getuid() != 0)
        return "only root can start one";
    if (!installed(out))
        return "not installed";
    if (newer)
        find_peer("dockerd", out, size);
    return out[0] != '\0' ? NULL
                          : "'tests/support/go-peer dockerd github.com/moby/moby/v2/cmd/dockerd@v2.0.0-beta.24' builds one, and "
                            "'tests/support/go-peer runc github.com/opencontainers/runc@v1.3.0' its runc";
}

bool
mb_test_engine_start(const char *kind, const char *const *extra, struct mb_test_engine *out)
{
    char log[160], command[224], program[256];

    memset(out, 0, sizeof *out);
    snprintf(out->kind, sizeof out->kind, "%s", kind);
    const char *missing = choose_program(kind, program, sizeof program);
    if (missing != NULL) {
        printf("SKIP %s: %s\n", kind, missing);
        fflush(stdout);
        return false;
    }
    mb_test_dir(out->dir, sizeof out->dir);
    snprintf(out->socket, sizeof out->socket, "%s/engine.sock", out->dir);
    snprintf(out->url, sizeof out->url, "unix://%s", out->socket);
    snprintf(log, sizeof log, "%s/log", out->dir);
    out->pid = is_podman(out) ? start_podman(out, extra, log) : start_dockerd(out, program, extra, log);
    if (wait_ready(out))
        return true;
    printf("SKIP %s: it does not start; its log ends:\n", kind);
    fflush(stdout);
    snprintf(command, sizeof command, "tail -n 20 '%s' | sed 's/^/    /'", log);
    mb_test_run((const char *const[]){"sh", "-c", command, NULL});
    mb_test_engine_stop(out);
    return false;
}

void
mb_test_engine_halt(struct mb_test_engine *engine, int signal)
{
    if (engine->pid == 0)
        return;
    kill(engine->pid, signal);
    for (int waited = 0; waited < STOP_LIMIT_MS; waited += 20) {
        if (waitpid(engine->pid, NULL, WNOHANG) == engine->pid) {
            engine->pid = 0;
            return;
        }
        nap();
    }
    kill(engine->pid, SIGKILL);
    waitpid(engine->pid, NULL, 0);
    engine->pid = 0;
}

/* Podman's containers outlive its service: its own command removes them. */
static void
remove_podman_containers(const struct mb_test_engine *e)
{
    pid_t pid = spawn_podman(e, NULL, (const char *const[]){"rm", "--all", "--force", "--time", "0", NULL}, "/dev/null");

    if (pid > 0)
        waitpid(pid, NULL, 0);
}

/*
 * End the programs whose command line holds ${dir} (what a dockerd that was killed leaves: containerd, its shims), or that run for
 * it (what a rootless podman always leaves: the process that holds its user namespace, called "podman" and nothing more).
 */
static void
end_leftovers(const char *dir)
{
    char command[768];

    snprintf(command, sizeof command,
             "exec 2>/dev/null; for p in /proc/[0-9]*; do if tr '\\0' ' ' <$p/cmdline | grep -qF -e '%s/' || "
             "tr '\\0' '\\n' <$p/environ | grep -qxF -e 'XDG_RUNTIME_DIR=%s'; then "
             "[ ${p#/proc/} = $$ ] || kill -9 ${p#/proc/}; fi; done",
             dir, dir);
    mb_test_run((const char *const[]){"sh", "-c", command, NULL});
}

void
mb_test_engine_stop(struct mb_test_engine *engine)
{
    if (engine->dir[0] == '\0')
        return;
    if (is_podman(engine))
        remove_podman_containers(engine);
    mb_test_engine_halt(engine, SIGTERM);
    end_leftovers(engine->dir);
    mb_test_remove(engine->dir);
    engine->dir[0] = '\0';
}

void
mb_test_remove(const char *dir)
{
    char command[768];

    snprintf(command, sizeof command,
             "for i in 1 2 3; do cut -d' ' -f5 /proc/self/mountinfo | grep -F -e '%s/' | sort -r | while read -r m; do umount -l "
             "\"$m\"; "
             "done; rm -rf '%s' 2>/dev/null && break; sleep 0.2; done",
             dir, dir);
    mb_test_run((const char *const[]){"sh", "-c", command, NULL});
}

void *
mb_test_tar(size_t *size)
{
    static const char make[] =
        "d=$(mktemp -d) && mkdir -p $d/bin && cp /bin/busybox $d/bin/busybox && "
        "for t in sh cat echo sleep ls true head; do ln -s busybox $d/bin/$t; done && tar -C $d -cf - . && rm -rf $d";
    size_t room = 8 * 1024 * 1024, n;
    char *bytes;

    if (access("/bin/busybox", X_OK) != 0) {
        printf("SKIP containers: busybox-static is not installed\n");
        fflush(stdout);
        return NULL;
    }
    FILE *pipe = popen(make, "r");
    bytes = malloc(room);
    *size = 0;
    while (pipe != NULL && bytes != NULL && (n = fread(bytes + *size, 1, room - *size, pipe)) > 0)
        *size += n;
    if (pipe != NULL)
        pclose(pipe);
    return bytes;
}
