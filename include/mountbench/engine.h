/*
 * engine.h: typed calls on one Docker Engine API endpoint.
 *
 * Every call has a time limit, looks at mb_interrupted() (and then fails with MB_EINTERRUPT), and passes on an engine's
 * refusal in the engine's own words as MB_EENGINE with its HTTP status.  A peer that is no engine is MB_ENOENGINE when opened.
 * One thread, one call at a time per engine.
 */
#ifndef MB_ENGINE_H
#define MB_ENGINE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/buffer.h"
#include "mountbench/endpoint.h"
#include "mountbench/error.h"

/* Every object we make carries MB_LABEL=1, and MB_LABEL_RUN=<run id>. */
#define MB_LABEL "org.mountbench"
#define MB_LABEL_RUN "org.mountbench.run"

struct mb_engine;

enum mb_runtime {
    MB_RUNTIME_UNKNOWN,
    MB_RUNTIME_DOCKER_ENGINE,
    MB_RUNTIME_DOCKER_DESKTOP,
    MB_RUNTIME_RANCHER_DESKTOP,
    MB_RUNTIME_COLIMA,
    MB_RUNTIME_LIMA,
    MB_RUNTIME_ORBSTACK,
    MB_RUNTIME_PODMAN,
    MB_RUNTIME_PODMAN_MACHINE,
    MB_RUNTIME_MINIKUBE,
};

/* mb_runtime_name(runtime): "docker-engine", "docker-desktop", ...; mb_runtime_title(runtime): "Docker Engine", ... */
const char *mb_runtime_name(enum mb_runtime runtime);
const char *mb_runtime_title(enum mb_runtime runtime);

/* What an engine says of itself; strings are "" where it says nothing. */
struct mb_engine_facts {
    enum mb_runtime runtime;
    char *runtime_version; /* of the product: "4.64.0" */
    char *engine_version;  /* "20.10.24" */
    char *api_version;     /* what is spoken after negotiation: "1.41" */
    char *api_newest, *api_oldest;
    char *os;            /* "Debian GNU/Linux 12 (bookworm)" */
    char *kernel, *arch; /* arch as in Go: "amd64", "arm64" */
    char *name;          /* the machine's host name */
    char *storage_driver;
    char *root_dir; /* the engine's data root, on the engine's machine */
    char *id;       /* /info ID: the same engine reached by two endpoints says the same */
    bool rootless;
    uint64_t cpus, memory_bytes;
};

/*
 * mb_engine_open(endpoint, timeout_ms, out, err):
 * Connect, ping, negotiate the API version ([MinAPIVersion, ApiVersion] clamped to what we speak, 1.24 to 1.51;
 * DOCKER_API_VERSION overrides), read /version and /info, recognise the runtime.  Within ${timeout_ms} in all.
 * Free with mb_engine_close.
 */
int mb_engine_open(const struct mb_endpoint *endpoint, unsigned timeout_ms, struct mb_engine **out, struct mb_error *err);
void mb_engine_close(struct mb_engine *engine);
/* mb_engine_set_timeout(engine, timeout_ms): of ordinary calls from now on; 60 s at first.  Create, start, import have longer ones.
 */
void mb_engine_set_timeout(struct mb_engine *engine, unsigned timeout_ms);
const struct mb_engine_facts *mb_engine_facts(const struct mb_engine *engine);
const struct mb_endpoint *mb_engine_endpoint(const struct mb_engine *engine);

/* What one endpoint gave to mb_engine_survey. */
struct mb_survey {
    bool alive;
    struct mb_engine_facts facts; /* when alive */
    char shares[64];              /* when alive: how host folders reach it, as far as can be told from outside; "" when it cannot */
    struct mb_error why;          /* when not */
};

/*
 * mb_engine_survey(endpoints, n, timeout_ms, out, err):
 * Open all ${n} endpoints at once, each in a process of its own, and tell of each in ${out}[${n}].  Who has not answered at all
 * within
 * ${timeout_ms} is dead.  A dead
 * one is no failure of the survey.  Free with mb_survey_clear.
 */
int mb_engine_survey(const struct mb_endpoint *endpoints, size_t n, unsigned timeout_ms, struct mb_survey *out,
                     struct mb_error *err);
void mb_survey_clear(struct mb_survey *surveys, size_t n);

/* Objects we make: their labels.  ${run} may be NULL. */
struct mb_labels {
    const char *run;
};

/*
 * mb_image_import(engine, tar, size, reference, changes, labels, id, err):
 * POST /images/create?fromSrc=- with the ${size} bytes at ${tar}; ${changes} are Dockerfile instructions ended by NULL
 * ("ENTRYPOINT [...]"), to which our labels are added.  *${id} ("sha256:...") is the caller's to free.  After a refusal
 * nothing is left under ${reference}.
 */
int mb_image_import(struct mb_engine *engine, const void *tar, size_t size, const char *reference, const char *const *changes,
                    const struct mb_labels *labels, char **id, struct mb_error *err);

/* mb_image_id(engine, reference, id, err): *${id} of an image that is there, or *${id} = NULL (and 0) when it is not. */
int mb_image_id(struct mb_engine *engine, const char *reference, char **id, struct mb_error *err);
/* mb_image_remove(engine, id, err): forced; an image that is gone is no error. */
int mb_image_remove(struct mb_engine *engine, const char *id, struct mb_error *err);

/* Who is told how a pull or a build goes on: a sentence, about one a second.  ${say} may be NULL. */
struct mb_image_watch {
    void (*say)(void *context, const char *sentence);
    void *context;
};

/*
 * mb_image_pull(engine, reference, watch, err):
 * POST /images/create?fromImage=: bring ${reference} (":latest" where it names no tag) from its registry, without credentials.
 * mb_image_build(engine, tar, reference, labels, watch, err):
 * POST /build with the bytes of ${tar}, a directory with its Dockerfile; a step that fails is MB_EENGINE with the last lines
 * that were printed.
 */
int mb_image_pull(struct mb_engine *engine, const char *reference, const struct mb_image_watch *watch, struct mb_error *err);
int mb_image_build(struct mb_engine *engine, const struct mb_buffer *tar, const char *reference, const struct mb_labels *labels,
                   const struct mb_image_watch *watch, struct mb_error *err);

/* A name-value pair of strings; lists end with a NULL name. */
struct mb_pair {
    const char *name, *value;
};

/*
 * mb_volume_create(engine, name, driver, options, labels, err): ${driver} NULL for "local", ${options} may be NULL.  Options are
 * docker's on every engine: an NFS device ":/share" with "addr=SERVER" becomes "SERVER:/share" for podman.
 * mb_volume_remove(engine, name, err): a volume that is gone is no error.
 */
int mb_volume_create(struct mb_engine *engine, const char *name, const char *driver, const struct mb_pair *options,
                     const struct mb_labels *labels, struct mb_error *err);
int mb_volume_remove(struct mb_engine *engine, const char *name, struct mb_error *err);

enum mb_attachment_type { MB_ATTACH_NONE, MB_ATTACH_BIND, MB_ATTACH_VOLUME, MB_ATTACH_TMPFS };

/* What to create a container from.  NULL and 0: not given. */
struct mb_container_spec {
    const char *name;
    const char *image;             /* id or reference */
    const char *const *entrypoint; /* ended by NULL; NULL: the image's */
    const char *const *command;
    const char *const *environment; /* "A=b" */
    const char *working_dir;
    bool open_stdin; /* for mb_container_attach */
    enum mb_attachment_type mount;
    const char *source;      /* bind: host path; volume: name */
    const char *target;      /* absolute path in the container */
    const char *consistency; /* bind: cached, delegated, consistent, or NULL */
    uint64_t tmpfs_bytes;
    const char *const *extra_hosts; /* "host.docker.internal:host-gateway" */
    bool network_none;
    struct mb_labels labels;
};

/*
 * mb_container_create(engine, spec, id, err): *${id} is the caller's to free.  A bind is made such that a missing source is an
 * error and not a new directory, wherever the engine can be told so; consistency is passed in the form that this engine takes.
 */
int mb_container_create(struct mb_engine *engine, const struct mb_container_spec *spec, char **id, struct mb_error *err);
int mb_container_start(struct mb_engine *engine, const char *id, struct mb_error *err);
/* mb_container_put(engine, id, path, tar, err): unpack ${tar} at the directory ${path} of a container that need not run. */
int mb_container_put(struct mb_engine *engine, const char *id, const char *path, const struct mb_buffer *tar, struct mb_error *err);
/* mb_container_wait: until it is not running; *${exit_code} may be NULL. */
int mb_container_wait(struct mb_engine *engine, const char *id, unsigned timeout_ms, int *exit_code, struct mb_error *err);

struct mb_container_state {
    bool running, oom_killed;
    int exit_code;
    char error[512]; /* the engine's words, "" for none */
};
int mb_container_inspect(struct mb_engine *engine, const char *id, struct mb_container_state *out, struct mb_error *err);
/* mb_container_inspect_json: the whole answer, the caller's to cJSON_Delete. */
int mb_container_inspect_json(struct mb_engine *engine, const char *id, cJSON **out, struct mb_error *err);
/* mb_container_logs: stdout and stderr so far, demultiplexed, appended to the two buffers (either may be NULL); their ceilings
 * truncate, which is no error. */
int mb_container_logs(struct mb_engine *engine, const char *id, struct mb_buffer *out, struct mb_buffer *errors,
                      struct mb_error *err);
int mb_container_kill(struct mb_engine *engine, const char *id, struct mb_error *err);
/* mb_container_remove: DELETE with force=1 and v=1; gone or being removed is no error, and waits until it is gone. */
int mb_container_remove(struct mb_engine *engine, const char *id, struct mb_error *err);

/*
 * An attached container: its standard input and output as one two-way stream, demultiplexed.  Attach before start.
 * mb_attach_write(a, bytes, n, timeout_ms, err): all of it, or -1.
 * mb_attach_read_line(a, line, timeout_ms, err): the next line of standard output, without its newline, replaces ${line}'s content
 * (whose ceiling is the longest line accepted: longer is MB_EPROTOCOL).  End of stream, in the middle of a line or not, is
 * MB_EGONE. mb_attach_errors(a): what came on standard error so far (its last 8 KiB).
 */
struct mb_attach;
int mb_container_attach(struct mb_engine *engine, const char *id, struct mb_attach **out, struct mb_error *err);
int mb_attach_write(struct mb_attach *a, const void *bytes, size_t n, unsigned timeout_ms, struct mb_error *err);
int mb_attach_read_line(struct mb_attach *a, struct mb_buffer *line, unsigned timeout_ms, struct mb_error *err);
const char *mb_attach_errors(const struct mb_attach *a);
/*
 * mb_attach_carry(a, fd, err):
 * Carry bytes both ways between the container and the stream socket ${fd}, until one of them ends or breaks; nothing else may read
 * from ${a}.  0 when one ended.
 */
int mb_attach_carry(struct mb_attach *a, int fd, struct mb_error *err);
void mb_attach_close(struct mb_attach *a);

/* What carries our label. */
enum mb_object_type { MB_OBJECT_CONTAINER, MB_OBJECT_VOLUME, MB_OBJECT_IMAGE };
struct mb_object {
    enum mb_object_type type;
    char *id, *name, *run; /* run: the run's id, "" for none */
};
/*
 * mb_engine_list_owned(engine, run, out, n, err): every labelled container, volume and image, of run ${run} alone unless NULL,
 * in the order in which they can be removed.  Free with mb_objects_free.
 */
int mb_engine_list_owned(struct mb_engine *engine, const char *run, struct mb_object **out, size_t *n, struct mb_error *err);
void mb_objects_free(struct mb_object *objects, size_t n);

/*
 * mb_exec_run(engine, container, argv, exit_code, err): run ${argv} in a running container and wait; for `make perf`'s comparison.
 */
int mb_exec_run(struct mb_engine *engine, const char *container, const char *const *argv, int *exit_code, struct mb_error *err);

#endif
