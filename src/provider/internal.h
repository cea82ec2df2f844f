/*
 * internal.h: what a provider is.  Private to src/provider/: one file and one row a runtime, all rows in table.c.
 */
#ifndef MB_PROVIDER_INTERNAL_H
#define MB_PROVIDER_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "mountbench/process.h"
#include "mountbench/provider.h"

/* Time for a command that only asks, and for one that stops or starts something when no ready_timeout applies. */
#define MB_ASK_MS 15000
#define MB_STOP_MS 180000

#define MB_MACHINE_NAME_MAX 64
#define MB_SETTING_TEXT_MAX 128

/* A setting that a runtime has: one of ${choices}, or an integer from ${min} to ${max}, or (both missing) any text. */
struct mb_setting {
    const char *name;
    const char *const *choices; /* ended by NULL, or NULL */
    uint64_t min, max;
};

struct mb_provider;
struct mb_instances;

/* One machine. */
struct mb_machine {
    const struct mb_provider *provider;
    const struct mb_provider_watch *watch;
    char name[MB_MACHINE_NAME_MAX]; /* of the profile or instance, "" where the product has one only */
    unsigned version[3];
    bool existed;                      /* when it was looked at */
    bool was_running;                  /* when it was looked at */
    bool running;                      /* now, as far as we know */
    bool touched;                      /* we started or stopped or changed it */
    void *memory;                      /* the provider's own, of what it found; freed by its forget */
    char *word;                        /* where the engine is, for mb_endpoint_resolve; the provider's start may set it */
    uint64_t deadline_ns;              /* for what start does */
    const struct mb_engine_spec *spec; /* the first that it was made for */
    struct mb_machine *next;
};

struct mb_provider {
    const char *name;  /* of the runtime in a matrix: "rancher-desktop" */
    const char *title; /* "Rancher Desktop" */
    const char *get;   /* how to get it: "install it from https://..." */
    const struct mb_setting *settings;

    /* Which machine ${spec} is about; NULL: the product has one only. */
    int (*identify)(const struct mb_engine_spec *spec, char name[MB_MACHINE_NAME_MAX], struct mb_error *err);
    /* Find the program, its version, and what is there: existed, was_running, memory.  Changes nothing. */
    int (*look)(struct mb_machine *m, struct mb_error *err);
    /* From stopped: apply ${spec}'s settings and start, within m->deadline_ns. */
    int (*start)(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_error *err);
    /* Stop; no error when it does not run. */
    int (*stop)(struct mb_machine *m, struct mb_error *err);
    /* From stopped: as it was found, running or not. */
    int (*restore)(struct mb_machine *m, struct mb_error *err);
    /* The commands that do by hand what restore does. */
    void (*remedy)(const struct mb_machine *m, struct mb_buffer *out);
    /* What is there now and would become otherwise, as lines; may be NULL. */
    int (*plan)(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_buffer *out, struct mb_error *err);
    void (*forget)(struct mb_machine *m); /* free m->memory; NULL when there is none */
    const struct mb_instances *instances; /* of the runtimes that share instances.c; NULL elsewhere */
};

extern const struct mb_provider mb_provider_rancher_desktop;
extern const struct mb_provider mb_provider_docker_desktop;
extern const struct mb_provider mb_provider_colima;
extern const struct mb_provider mb_provider_lima;
extern const struct mb_provider mb_provider_podman_machine;
extern const struct mb_provider mb_provider_orbstack;
extern const struct mb_provider mb_provider_command;

/* mb_provider_find(runtime): the row of that name; NULL when there is none, or ${runtime} is NULL. */
const struct mb_provider *mb_provider_find(const char *runtime);

/* settings.c */

/* mb_setting_text(spec, name, out): the value of ${spec}'s setting as text in ${out}; NULL when it is not given. */
const char *mb_setting_text(const struct mb_engine_spec *spec, const char *name, char out[MB_SETTING_TEXT_MAX]);
/* mb_settings_given(spec): how many settings it has. */
size_t mb_settings_given(const struct mb_engine_spec *spec);
/* mb_settings_print(spec, out): "vm_type vz, mount_type 9p". */
void mb_settings_print(const struct mb_engine_spec *spec, struct mb_buffer *out);

/* Choices of a setting that is true or false. */
extern const char *const mb_setting_truths[];

/* cli.c: a runtime's own program. */

/* mb_machine_tell(m, format, ...): tell the watch. */
void mb_machine_tell(const struct mb_machine *m, const char *format, ...) MB_PRINTF(2, 3);
/* mb_cli_left_ms(m): what is left until m->deadline_ns, for mb_process_run. */
unsigned mb_cli_left_ms(const struct mb_machine *m);
/* mb_cli_need(m, program, err): that ${program} is installed, or how to get it. */
int mb_cli_need(const struct mb_machine *m, const char *program, struct mb_error *err);
/* mb_cli_run(argv, timeout_ms, out, err): to success; ${out} (may be NULL) gets standard output.  Failure in the program's words.
 */
int mb_cli_run(const char *const *argv, unsigned timeout_ms, struct mb_buffer *out, struct mb_error *err);
/* mb_cli_json(argv, timeout_ms, out, err): as mb_cli_run, and its output is JSON, the caller's to delete. */
int mb_cli_json(const char *const *argv, unsigned timeout_ms, cJSON **out, struct mb_error *err);
/* mb_cli_version(m, argv, least, err): m->version is the first number of the form 1.2 or 1.2.3 in the output; at least ${least}. */
int mb_cli_version(struct mb_machine *m, const char *const *argv, const unsigned least[2], struct mb_error *err);
/* mb_pause(ms): sleep, or less when a signal comes. */
void mb_pause(unsigned ms);

/* mb_machine_title(m, out): "Rancher Desktop", "colima 'work'". */
#define MB_MACHINE_TITLE_MAX 128
const char *mb_machine_title(const struct mb_machine *m, char out[MB_MACHINE_TITLE_MAX]);

/*
 * mb_await_engine(m, err): until the engine at m->word answers and a trivial container runs; to m->deadline_ns at most.
 */
int mb_await_engine(struct mb_machine *m, struct mb_error *err);

#endif
