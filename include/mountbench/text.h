/*
 * text.h: how wide text is on a screen, and text made harmless and fitted into columns.
 *
 * Names come from files that anybody may have written.  Text shown to a person passes mb_text_clean first; what comes out of
 * it has no control, no terminal escape, no change of direction, nothing invisible, and one width that every terminal agrees on.
 * Nothing here depends on the locale but mb_text_utf8_locale.
 */
#ifndef MB_TEXT_H
#define MB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mountbench/buffer.h"

enum mb_align { MB_ALIGN_LEFT, MB_ALIGN_RIGHT };

/* What mb_text_decode gives for a byte that begins no valid UTF-8 sequence: U+FFFD. */
#define MB_TEXT_INVALID UINT32_C(0xFFFD)

/*
 * mb_text_decode(text, code):
 * The character at the start of the non-empty string ${text}, in *${code}; returns its length in bytes.  An overlong form, a
 * surrogate, what is above U+10FFFF or cut short counts as one invalid byte: MB_TEXT_INVALID, length 1.
 */
size_t mb_text_decode(const char *text, uint32_t *code);

/* mb_text_encode(code, out): ${code} as UTF-8 into ${out}, NUL-terminated; returns the number of bytes before the NUL. */
size_t mb_text_encode(uint32_t code, char out[5]);

/* mb_text_code_width(code): the columns it takes: 2 for East Asian wide and emoji, 0 for combining and invisible ones, else 1. */
unsigned mb_text_code_width(uint32_t code);

/* mb_text_width(text): the columns that ${text} takes on a terminal, the sum over its characters. */
size_t mb_text_width(const char *text);

/* mb_text_is_control(code): whether it moves, erases, colours or reorders other text: C0, C1, DEL, line and bidi controls. */
bool mb_text_is_control(uint32_t code);

/*
 * mb_text_clean(out, text, unicode):
 * Append ${text} made harmless: controls, bidi controls and invalid bytes become '?', characters that are invisible (joiners,
 * variation selectors, tags) are dropped, more than three combining marks on one letter too.  Without ${unicode} every
 * character above 0x7e becomes one '?'.
 */
void mb_text_clean(struct mb_buffer *out, const char *text, bool unicode);

/*
 * mb_text_cut(out, text, columns, unicode):
 * Append at most ${columns} columns of the clean ${text}, its end replaced by an ellipsis ("..." without ${unicode}) where it
 * does not fit.  Returns the columns used.
 */
size_t mb_text_cut(struct mb_buffer *out, const char *text, size_t columns, bool unicode);

/* mb_text_pad(out, text, columns, align): append the clean ${text}, with blanks to make it ${columns} wide; longer text is whole.
 */
void mb_text_pad(struct mb_buffer *out, const char *text, size_t columns, enum mb_align align);

/* mb_text_repeat(out, text, n): append ${text} ${n} times. */
void mb_text_repeat(struct mb_buffer *out, const char *text, size_t n);

/* mb_text_wrap(out, text, columns, indent): append the clean ${text} as lines of at most ${columns} columns where words allow it,
 * lines after the first indented by ${indent}, and a newline. */
void mb_text_wrap(struct mb_buffer *out, const char *text, size_t columns, size_t indent);

/* mb_text_utf8_locale(): whether the environment (LC_ALL, else LC_CTYPE, else LANG) asks for UTF-8. */
bool mb_text_utf8_locale(void);

#endif
