/*
 * parse.h: people's words into numbers, whole values or an error; and numbers back into people's words.
 *
 * Inside the program there is one unit per quantity: bytes and nanoseconds.  Nothing here uses more than libc, so the probe
 * links it too.  Messages say what is wrong with the value alone ("'-4KiB' is negative"); callers put the place before it.
 */
#ifndef MB_PARSE_H
#define MB_PARSE_H

#include <stdint.h>

#include "mountbench/error.h"

/* The largest size and duration that anything here accepts: 1 PiB, 30 days. */
#define MB_SIZE_MAX_BYTES (UINT64_C(1) << 50)
#define MB_DURATION_MAX_NS (UINT64_C(30) * 86400 * 1000000000)

/*
 * mb_parse_u64(text, min, max, out, err):
 * A decimal integer without sign or blanks, ${min} <= *${out} <= ${max}.
 */
int mb_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out, struct mb_error *err);

/*
 * mb_parse_size(text, out, err):
 * A size in bytes: a decimal number, with or without a fraction, blanks or none, and a unit: none or B, KiB, MiB, GiB, TiB (powers
 * of 1024), kB, MB, GB, TB (powers of 1000); K, M, G and T are taken as powers of 1024, as dd and fio take them; letter case is
 * free.  Zero, negative sizes, sizes above MB_SIZE_MAX_BYTES and fractions of a byte are errors.
 */
int mb_parse_size(const char *text, uint64_t *out_bytes, struct mb_error *err);

/*
 * mb_parse_duration(text, out, err):
 * A duration in nanoseconds: a decimal number and ns, us, ms, s, m (or min) or h; several may follow each other ("1m30s"),
 * with blanks or without, largest unit first.  A unit is required but for zero ("0", "0s"), which is allowed.  Fractions of a
 * nanosecond, negative durations and those above MB_DURATION_MAX_NS are errors.
 */
int mb_parse_duration(const char *text, uint64_t *out_ns, struct mb_error *err);

/* mb_parse_percent(text, out, err): a non-negative decimal number with or without "%", "5%" gives 5.0; at most 100,000. */
int mb_parse_percent(const char *text, double *out, struct mb_error *err);

/*
 * mb_nearest(word, words):
 * The one of ${words} (ended by NULL) that ${word} most likely meant: smallest optimal string alignment distance (Damerau
 * 1964, adjacent transpositions count one), letter case aside, at most a third of the longer word's length rounded up and less than
 * all of it; the earlier one of two that are as near; NULL when none is near.
 */
const char *mb_nearest(const char *word, const char *const *words);

/*
 * mb_printable(text, out):
 * ${text} made fit for a message: control characters become '?', and what is above some 60 bytes is cut, between UTF-8
 * characters, and marked "...".  Writes into ${out}[MB_PRINTABLE_MAX] and returns ${out}.
 */
#define MB_PRINTABLE_MAX 64
const char *mb_printable(const char *text, char out[MB_PRINTABLE_MAX]);

/* Room for any string that the mb_format_* functions write. */
#define MB_FORMAT_MAX 32

/*
 * mb_format_size(bytes, out): the shortest exact or three-significant-digit form with a binary unit, "4 KiB", "1.46 MiB".
 * mb_format_duration(ns, out): three significant digits, "318 ns", "1.20 ms", "2.41 s", "3 min 20 s", "1 h 05 min".
 * mb_format_rate(per_second, unit, out): three significant digits with SI prefixes, unit "B/s" gives "512 MB/s", unit "/s"
 * gives "12.3 k/s".
 * Only ASCII is written, "us" for microseconds.  Each writes a string into ${out}[MB_FORMAT_MAX] and returns ${out}.  A NaN or an
 * infinity gives "-".
 */
const char *mb_format_size(uint64_t bytes, char out[MB_FORMAT_MAX]);
const char *mb_format_duration(double ns, char out[MB_FORMAT_MAX]);
const char *mb_format_rate(double per_second, const char *unit, char out[MB_FORMAT_MAX]);

#endif
