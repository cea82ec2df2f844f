/*
 * internal.h: what a tool is.  Private to src/sync/: one file and one row a tool, all rows in table.c.
 */
#ifndef MB_SYNC_INTERNAL_H
#define MB_SYNC_INTERNAL_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/process.h"
#include "mountbench/sync.h"
#include "sync/bridge.h"
#include "sync/keeper.h"

/* Variables that a tool's commands get: "A=b", ended by NULL. */
#define MB_SYNC_VARIABLES 16
/* Of a tool's output, what is looked at in one go, and what a message shows. */
#define MB_SYNC_LOG_MAX ((size_t)1 << 20)
#define MB_SYNC_WORDS_MAX 400

struct mb_sync_tool;

/* One tool at work. */
struct mb_sync {
    const struct mb_sync_tool *tool;
    struct mb_sync_place place;
    char *dir;     /* of its own */
    char *log;     /* in it: what its processes print */
    char *sidecar; /* its own container, NULL without */
    struct mb_keeper keeper;
    struct mb_bridge bridge;
    size_t seen;        /* bytes of the log that were looked at */
    size_t begun, done; /* looks for changes that the log tells of: the latest, and the latest that came to its end */
    bool made;          /* a session, or whatever else its stop is for */
    char *variables[MB_SYNC_VARIABLES + 1];
    size_t variable_count;
};

struct mb_sync_tool {
    const char *name, *title;
    const char *program; /* that must be in PATH; NULL: the first word of `start` */
    const char *get;     /* how to get it */
    const char *image, *image_get;
    const char *last_word; /* what its last message begins with; NULL: nothing of the kind */

    /* Start it; what it made is in ${s}, and goes with it. */
    int (*start)(struct mb_sync *s, struct mb_error *err);
    /* Whether all is well beyond that its processes live; NULL: nothing more to see. */
    int (*look)(struct mb_sync *s, struct mb_error *err);
    /* NULL: it cannot tell. */
    int (*settle)(struct mb_sync *s, uint64_t deadline_ns, struct mb_error *err);
    /* Before its processes are ended; NULL: nothing to do. */
    int (*stop)(struct mb_sync *s, struct mb_error *err);
    /* The command, as a person would type it. */
    void (*plan)(const struct mb_sync_spec *spec, struct mb_buffer *out);
};

extern const struct mb_sync_tool mb_sync_unison;
extern const struct mb_sync_tool mb_sync_mutagen;
extern const struct mb_sync_tool mb_sync_command;

/* table.c: mb_sync_tool_of(kind): its row. */
const struct mb_sync_tool *mb_sync_tool_of(enum mb_sync_kind kind);

/* sync.c */

/* mb_sync_variable(s, name, value, err): give ${name}=${value} to the tool's commands. */
int mb_sync_variable(struct mb_sync *s, const char *name, const char *value, struct mb_error *err);

/* mb_sync_engine_variables(s, err): give them what the docker command line needs to find the engine. */
int mb_sync_engine_variables(struct mb_sync *s, struct mb_error *err);

/* mb_sync_path(s, name, err): "DIR/NAME" in the tool's directory, malloc'd. */
char *mb_sync_path(const struct mb_sync *s, const char *name, struct mb_error *err);

/* mb_sync_keep(s, argv, fd, err): have the keeper run ${argv}, with ${fd} as its descriptor 3 unless -1. */
int mb_sync_keep(struct mb_sync *s, const char *const *argv, int fd, struct mb_error *err);

/* mb_sync_sidecar(s, command, open_stdin, err): make the tool's own container, which runs ${command} with the volume; not started.
 */
int mb_sync_sidecar(struct mb_sync *s, const char *const *command, bool open_stdin, struct mb_error *err);

/* mb_sync_run(s, argv, timeout_ms, out, err): a command to its end, as mb_process_run_with; its failure in its own words. */
int mb_sync_run(struct mb_sync *s, const char *const *argv, unsigned timeout_ms, struct mb_buffer *out, struct mb_error *err);

/* mb_sync_read_log(s, from, out): append what is in the log from byte ${from} on to ${out}, as much as fits. */
void mb_sync_read_log(const struct mb_sync *s, size_t from, struct mb_buffer *out);

/* mb_sync_last_words(s, out): the end of the log on one line, from the tool's last message on where it has one. */
const char *mb_sync_last_words(const struct mb_sync *s, char out[MB_SYNC_WORDS_MAX + 1]);

/* mb_sync_pause(ms): sleep, or less when a signal comes; MB_SYNC_PAUSE_MS between two looks. */
#define MB_SYNC_PAUSE_MS 20
void mb_sync_pause(unsigned ms);

#endif
