/* reader.h: what the files of the reader share: the state while reading, and typed access to a record's keys. */
#ifndef MB_RESULT_READER_H
#define MB_RESULT_READER_H

#include "mountbench/result.h"
#include "result/intern.h"

/* What the results own beside their arrays. */
struct mb_results_memory {
    struct mb_intern text;
    cJSON **trees; /* every JSON tree that something points into */
    size_t tree_count, tree_cap;
    size_t run_cap, engine_cap, cell_cap, sample_cap, check_cap, warning_cap;
    bool *measure_said; /* a cell each, as many as cell_cap: its record has a "measure" */
    size_t *cell_slots; /* open addressing: index of a cell + 1; 0 is empty */
    size_t cell_slot_count;
    const cJSON *no_params; /* the empty object that cells without "params" share */
};

struct mb_reader {
    struct mb_results *out;
    struct mb_results_memory *memory;
    const char *file;
    size_t line;
    size_t first_run;   /* index of this file's first run */
    size_t run;         /* index of the run that records now belong to; SIZE_MAX before the first */
    const char *record; /* the type of the one at hand, for messages */
};

/*
 * mb_reader_fail(r, key, format, ...): fill ${err}: "FILE:LINE: RECORD.KEY: ..." (KEY may be NULL).  Returns -1.
 */
int mb_reader_fail(const struct mb_reader *r, struct mb_error *err, const char *key, const char *format, ...) MB_PRINTF(4, 5);

/*
 * The value of a key, interned or converted; a key that is missing or null leaves *${out} alone.  -1 on a wrong type.
 * mb_reader_need_text: missing, null and empty are failures too.
 */
int mb_reader_text(const struct mb_reader *r, const cJSON *object, const char *key, const char **out, struct mb_error *err);
int mb_reader_need_text(const struct mb_reader *r, const cJSON *object, const char *key, const char **out, struct mb_error *err);
int mb_reader_count(const struct mb_reader *r, const cJSON *object, const char *key, uint64_t max, uint64_t *out,
                    struct mb_error *err);
int mb_reader_bool(const struct mb_reader *r, const cJSON *object, const char *key, bool *out, struct mb_error *err);
int mb_reader_object(const struct mb_reader *r, const cJSON *object, const char *key, cJSON **out, struct mb_error *err);

/* mb_reader_word: index of a key's text among ${words} (ended by NULL); any other word is a failure that lists them. */
int mb_reader_word(const struct mb_reader *r, const cJSON *object, const char *key, const char *const *words, int *out,
                   struct mb_error *err);

/* mb_reader_room(array, n, cap, size): make room for one more element; ${array} may move.  -1 without memory. */
int mb_reader_room(void **array, size_t n, size_t *cap, size_t size);

/* mb_reader_keep(r, tree, err): the results own ${tree} from here on, also on failure. */
int mb_reader_keep(struct mb_reader *r, cJSON *tree, struct mb_error *err);

/*
 * mb_reader_record(r, tree, err): take in one record; ${tree} is the reader's from here on.
 */
int mb_reader_record(struct mb_reader *r, cJSON *tree, struct mb_error *err);

#endif
