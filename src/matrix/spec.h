/* spec.h: one entry of an axis: from the tree into its struct, freed, and written out for comparison. */
#ifndef MB_MATRIX_SPEC_H
#define MB_MATRIX_SPEC_H

#include "matrix/place.h"
#include "mountbench/buffer.h"
#include "mountbench/matrix.h"

/*
 * mb_*_spec_load(at, out, err): the entry at ${at}, a word or a map, into the zeroed ${out}, which is to be freed whether it
 * worked or not.
 */
int mb_engine_spec_load(const struct mb_place *at, struct mb_engine_spec *out, struct mb_error *err);
int mb_mount_spec_load(const struct mb_place *at, struct mb_mount_spec *out, struct mb_error *err);
int mb_workload_spec_load(const struct mb_place *at, struct mb_workload_spec *out, struct mb_error *err);

/* mb_exec_spec_load(at, out, err): the keys of an `exec` workload from the map ${at}, into *${out}, freed by mb_exec_spec_free. */
int mb_exec_spec_load(const struct mb_place *at, struct mb_exec_spec **out, struct mb_error *err);
void mb_exec_spec_free(struct mb_exec_spec *spec);
void mb_exec_spec_print(const struct mb_exec_spec *spec, struct mb_buffer *out);

/* mb_sync_spec_load(at, out, err): the value of a mount's `sync`, the map ${at}, into *${out}, freed by mb_sync_spec_free. */
int mb_sync_spec_load(const struct mb_place *at, struct mb_sync_spec **out, struct mb_error *err);
void mb_sync_spec_free(struct mb_sync_spec *spec);
void mb_sync_spec_print(const struct mb_sync_spec *spec, struct mb_buffer *out);

/* mb_engine_spec_from_word(word, out, err): the engine that a person calls ${word}: a context, a runtime, a URL. */
int mb_engine_spec_from_word(const char *word, struct mb_engine_spec *out, struct mb_error *err);

void mb_engine_spec_clear(struct mb_engine_spec *spec);
void mb_mount_spec_clear(struct mb_mount_spec *spec);
void mb_workload_spec_clear(struct mb_workload_spec *spec);

/* mb_*_spec_print(spec, out): all but the name; equal for two entries if and only if they mean the same. */
void mb_engine_spec_print(const struct mb_engine_spec *spec, struct mb_buffer *out);
void mb_mount_spec_print(const struct mb_mount_spec *spec, struct mb_buffer *out);
void mb_workload_spec_print(const struct mb_workload_spec *spec, struct mb_buffer *out);

/* mb_print_text(out, text), mb_print_json(out, json): one field of a print, told apart from its neighbours; NULL too. */
void mb_print_text(struct mb_buffer *out, const char *text);
void mb_print_json(struct mb_buffer *out, const cJSON *json);
/* mb_print_list(out, list): the texts of ${list}, ended by NULL; NULL too. */
void mb_print_list(struct mb_buffer *out, char *const *list);

#endif
