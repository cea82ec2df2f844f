/* words.h: the sentences and short forms that the formats for people share. */
#ifndef MB_REPORT_WORDS_H
#define MB_REPORT_WORDS_H

#include "mountbench/buffer.h"
#include "mountbench/text.h"
#include "report/model.h"

/* Numbered footnotes; the same sentence twice is one note.  Clean text. */
struct mb_notes {
    char **texts;
    size_t count;
};

/* mb_notes_add(notes, text): the number of the note ${text}, from 1; 0 without memory. */
size_t mb_notes_add(struct mb_notes *notes, const char *text);
void mb_notes_free(struct mb_notes *notes);

/*
 * mb_words_cell_note(model, cell, notes): the number of the footnote that ${cell} needs (why it is unavailable, that trials
 * failed or timed out, what mb_words_marks says), or 0.
 */
size_t mb_words_cell_note(const struct mb_model *model, const struct mb_model_cell *cell, struct mb_notes *notes);

/* mb_words_marks(cell, out): append what should make a reader look twice: outliers, a first trial that stands out, a drift. */
void mb_words_marks(const struct mb_model_cell *cell, struct mb_buffer *out);

/* mb_words_verdict(verdict): "faster", "slower", "no difference shown"...; "" for none. */
const char *mb_words_verdict(enum mb_verdict verdict);

/* mb_words_verdict_class(verdict): what style sheets call it: "f" for faster, "l" for slower, "" else. */
const char *mb_words_verdict_class(enum mb_verdict verdict);

/* mb_words_no_figure(cell): the word that stands for the figure of a cell without one: "unavailable", "failed", "timed out"... */
const char *mb_words_no_figure(const struct mb_model_cell *cell);

/*
 * mb_words_spread(cell, out): half of the interval over the median, "3%"; "" where there is no interval.
 * mb_words_times(ratio, unicode, out): "x1.20" with the times sign, three digits at the most.
 * mb_words_ratio(cell, is_baseline, unicode, out): the same of a cell's ratio; "base"; "" where there is no ratio.
 */
const char *mb_words_times(double ratio, bool unicode, char out[16]);
const char *mb_words_spread(const struct mb_model_cell *cell, char out[16]);
const char *mb_words_ratio(const struct mb_model_cell *cell, bool is_baseline, bool unicode, char out[16]);

/* mb_words_cell(cell, out): "engine/mount/workload", unique in the report: the engine is cell->engine.  Not clean. */
void mb_words_cell(const struct mb_model_cell *cell, struct mb_buffer *out);

/* Names in sentences are cut at so many columns. */
#define MB_WORDS_NAME_MOST 40

/* mb_words_name(text, unicode, out): a name made clean, for a sentence: not longer than MB_WORDS_NAME_MOST columns. */
void mb_words_name(const char *text, bool unicode, struct mb_buffer *out);

/*
 * mb_words_mount(group, mount, columns, unicode, out):
 * The mount's clean name, cut so that all fits into ${columns}, with " (a)" after it when it is one filesystem with others.
 */
void mb_words_mount(const struct mb_model_group *group, size_t mount, size_t columns, bool unicode, struct mb_buffer *out);

/* mb_words_heading(group, unicode, out): the engine in a line: "podman: podman 4.3.1, overlay, Debian ..., 6.1.0 amd64". */
void mb_words_heading(const struct mb_model_group *group, bool unicode, struct mb_buffer *out);

/* mb_words_engine(group, unicode, out): the same without the label: "podman 4.3.1, overlay, ..."; nothing where nothing is known.
 */
void mb_words_engine(const struct mb_model_group *group, bool unicode, struct mb_buffer *out);

/* mb_words_method(model, group, unicode, out): number of trials, what the columns are, which baseline and why that. */
void mb_words_method(const struct mb_model *model, const struct mb_model_group *group, bool unicode, struct mb_buffer *out);

/* mb_words_mounted(model, group, unicode, out): " Seen mounted: " and what each mount turned out to be; nothing where no file says.
 */
void mb_words_mounted(const struct mb_model *model, const struct mb_model_group *group, bool unicode, struct mb_buffer *out);

/* mb_words_same(model, group, set, unicode, out): the sentence on the mounts of the set ${set}, from 1. */
void mb_words_same(const struct mb_model *model, const struct mb_model_group *group, size_t set, bool unicode,
                   struct mb_buffer *out);

/*
 * mb_words_remark(model, i, unicode, out): the ${i}th sentence, from 0, that concerns the whole report (warnings, interrupted runs,
 * failed checks); false when there are no more.
 */
bool mb_words_remark(const struct mb_model *model, size_t i, bool unicode, struct mb_buffer *out);

#endif
