/*
 * parse.c: numbers with units, read exactly and written readably.
 *
 * Numbers are read digit by digit in integers: strtod and its like take a locale's decimal comma, hexadecimal, "inf" and
 * blanks, and lose whole bytes above 2^53.  Uses nothing but libc, so that the probe can link it.
 */
#include "mountbench/parse.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A decimal number as written: its whole part, and the digits after its point. */
struct decimal {
    uint64_t whole;
    const char *fraction, *end; /* equal for none */
};

struct unit {
    const char *name; /* in lower case */
    uint64_t factor;
};

static const struct unit size_units[] = {
    {"", 1},
    {"b", 1},
    {"kib", UINT64_C(1) << 10},
    {"mib", UINT64_C(1) << 20},
    {"gib", UINT64_C(1) << 30},
    {"tib", UINT64_C(1) << 40},
    {"k", UINT64_C(1) << 10},
    {"m", UINT64_C(1) << 20},
    {"g", UINT64_C(1) << 30},
    {"t", UINT64_C(1) << 40},
    {"kb", UINT64_C(1000)},
    {"mb", UINT64_C(1000000)},
    {"gb", UINT64_C(1000000000)},
    {"tb", UINT64_C(1000000000000)},
    {NULL, 0},
};
static const char *const size_words[] = {"KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "TB", "B", NULL};

static const struct unit duration_units[] = {
    {"ns", 1},
    {"us", UINT64_C(1000)},
    {"\xc2\xb5s", UINT64_C(1000)}, /* the micro sign, and the letter mu, which looks the same */
    {"\xce\xbcs", UINT64_C(1000)},
    {"ms", UINT64_C(1000000)},
    {"s", UINT64_C(1000000000)},
    {"m", UINT64_C(60000000000)},
    {"min", UINT64_C(60000000000)},
    {"h", UINT64_C(3600000000000)},
    {NULL, 0},
};
static const char *const duration_words[] = {"ns", "us", "ms", "s", "min", "m", "h", NULL};

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The C locale's, whatever the process has set. */
static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

const char *
mb_printable(const char *text, char out[MB_PRINTABLE_MAX])
{
    size_t limit = MB_PRINTABLE_MAX - 4;
    size_t len = strlen(text);
    size_t keep = len > limit ? limit : len;

    if (len > limit)
        while (keep > 0 && ((unsigned char)text[keep] & 0xc0) == 0x80)
            keep--;
    for (size_t i = 0; i < keep; i++) {
        unsigned char c = (unsigned char)text[i];
        out[i] = c < 0x20 || c == 0x7f ? '?' : text[i];
    }
    memcpy(out + keep, len > limit ? "..." : "", len > limit ? 4 : 1);
    return out;
}

/* Read digits into *value; -1 when there are none or too many. */
static int
read_digits(const char **at, uint64_t *value)
{
    const char *p = *at;
    uint64_t sum = 0;

    for (; is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return -1;
        sum = sum * 10 + digit;
    }
    if (p == *at)
        return -1;
    *at = p;
    *value = sum;
    return 0;
}

/* Read "12" or "12.34" at *at; `what` names the kind of value in the message about `text`. */
static int
read_decimal(const char *text, const char **at, const char *what, struct decimal *out, struct mb_error *err)
{
    char shown[MB_PRINTABLE_MAX];

    *out = (struct decimal){0};
    if (**at == '-' && is_digit((*at)[1]))
        return mb_error_set(err, MB_ECONFIG, "'%s' is negative", mb_printable(text, shown));
    if (!is_digit(**at))
        return mb_error_set(err, MB_ECONFIG, "'%s' is no %s", mb_printable(text, shown), what);
    if (read_digits(at, &out->whole) != 0)
        return mb_error_set(err, MB_ECONFIG, "'%s' is far too large", mb_printable(text, shown));
    if (**at != '.')
        return 0;
    out->fraction = out->end = *at + 1;
    while (is_digit(*out->end))
        out->end++;
    *at = out->end;
    if (out->end == out->fraction)
        return mb_error_set(err, MB_ECONFIG, "'%s' has no digit after the point", mb_printable(text, shown));
    return 0;
}

static void
skip_blanks(const char **at)
{
    while (**at == ' ')
        (*at)++;
}

/* The unit at *at: everything up to a blank, a digit or the end. */
static int
read_unit(const char *text, const char **at, const struct unit *units, const char *const *words, struct mb_error *err)
{
    char name[MB_PRINTABLE_MAX] = "", small[MB_PRINTABLE_MAX] = "", shown[MB_PRINTABLE_MAX];
    size_t n = 0;

    for (; **at != '\0' && **at != ' ' && !is_digit(**at); (*at)++)
        if (n < sizeof name - 1) {
            name[n] = **at;
            small[n++] = lower(**at);
        }
    for (int i = 0; units[i].name != NULL; i++)
        if (strcmp(units[i].name, small) == 0)
            return i;
    const char *near = mb_nearest(name, words);
    mb_printable(text, shown);
    if (n == 0)
        return mb_error_set(err, MB_ECONFIG, "'%s' has no unit (such as '%s%s')", shown, shown, words[3]);
    char unit[MB_PRINTABLE_MAX];
    mb_printable(name, unit);
    if (near != NULL)
        return mb_error_set(err, MB_ECONFIG, "'%s' has an unknown unit '%s' (did you mean '%s'?)", shown, unit, near);
    return mb_error_set(err, MB_ECONFIG, "'%s' has an unknown unit '%s' (units are %s, %s, %s, %s, ...)", shown, unit, words[0],
                        words[1], words[2], words[3]);
}

enum scaled { SCALED_OK, SCALED_ABOVE, SCALED_FRACTION };

/*
 * value x factor, exactly.  The fraction's digits are taken from the last to the first, each with what the ones behind it come
 * to; that the tenth of this is whole every time is what it takes for the sum to be whole.  Nothing exceeds ten times factor.
 */
static enum scaled
scale_exactly(const struct decimal *value, uint64_t factor, uint64_t max, uint64_t *out)
{
    uint64_t behind = 0;

    if (value->whole > max / factor)
        return SCALED_ABOVE;
    for (const char *p = value->end; p != value->fraction; p--) {
        uint64_t tenths = (uint64_t)(p[-1] - '0') * factor + behind;
        if (tenths % 10 != 0)
            return SCALED_FRACTION;
        behind = tenths / 10;
    }
    *out = value->whole * factor + behind;
    return *out > max ? SCALED_ABOVE : SCALED_OK;
}

int
mb_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out, struct mb_error *err)
{
    const char *at = text;
    char shown[MB_PRINTABLE_MAX];
    uint64_t value;

    mb_printable(text, shown);
    if (text[0] == '-' && is_digit(text[1]) && text[1 + strspn(text + 1, "0123456789")] == '\0')
        return mb_error_set(err, MB_ECONFIG, "'%s' is negative", shown);
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
        return mb_error_set(err, MB_ECONFIG, "'%s' is no whole number", shown);
    if (read_digits(&at, &value) != 0 || value > max)
        return mb_error_set(err, MB_ECONFIG, "'%s' is too large (at most %llu)", shown, (unsigned long long)max);
    if (value < min)
        return mb_error_set(err, MB_ECONFIG, "'%s' is too small (at least %llu)", shown, (unsigned long long)min);
    *out = value;
    return 0;
}

int
mb_parse_size(const char *text, uint64_t *out_bytes, struct mb_error *err)
{
    const char *at = text;
    char shown[MB_PRINTABLE_MAX], most[MB_FORMAT_MAX];
    struct decimal value;
    uint64_t bytes = 0;

    if (read_decimal(text, &at, "size (such as '4KiB')", &value, err) != 0)
        return -1;
    skip_blanks(&at);
    int unit = read_unit(text, &at, size_units, size_words, err);
    if (unit < 0)
        return -1;
    mb_printable(text, shown);
    if (*at != '\0')
        return mb_error_set(err, MB_ECONFIG, "'%s' is more than one size", shown);
    switch (scale_exactly(&value, size_units[unit].factor, MB_SIZE_MAX_BYTES, &bytes)) {
    case SCALED_ABOVE:
        return mb_error_set(err, MB_ECONFIG, "'%s' is too large (at most %s)", shown, mb_format_size(MB_SIZE_MAX_BYTES, most));
    case SCALED_FRACTION:
        return mb_error_set(err, MB_ECONFIG, "'%s' is no whole number of bytes", shown);
    case SCALED_OK:
        break;
    }
    if (bytes == 0)
        return mb_error_set(err, MB_ECONFIG, "'%s' is zero; a size is at least one byte", shown);
    *out_bytes = bytes;
    return 0;
}

/* Add the number and unit at *at to *total; a unit must be smaller than `previous`. */
static int
read_duration_part(const char *text, const char **at, uint64_t *previous, uint64_t *total, struct mb_error *err)
{
    char shown[MB_PRINTABLE_MAX];
    struct decimal value;
    uint64_t part = 0;

    if (read_decimal(text, at, "duration (such as '500ms' or '1m30s')", &value, err) != 0)
        return -1;
    skip_blanks(at);
    int unit = read_unit(text, at, duration_units, duration_words, err);
    if (unit < 0)
        return -1;
    skip_blanks(at);
    uint64_t factor = duration_units[unit].factor;
    mb_printable(text, shown);
    if (factor >= *previous)
        return mb_error_set(err, MB_ECONFIG, "'%s' is no duration: write the largest unit first, and each once", shown);
    *previous = factor;
    switch (scale_exactly(&value, factor, MB_DURATION_MAX_NS - *total, &part)) {
    case SCALED_ABOVE:
        return mb_error_set(err, MB_ECONFIG, "'%s' is too long (at most %d days)", shown,
                            (int)(MB_DURATION_MAX_NS / UINT64_C(86400000000000)));
    case SCALED_FRACTION:
        return mb_error_set(err, MB_ECONFIG, "'%s' is no whole number of nanoseconds", shown);
    case SCALED_OK:
        break;
    }
    *total += part;
    return 0;
}

int
mb_parse_duration(const char *text, uint64_t *out_ns, struct mb_error *err)
{
    const char *at = text;
    uint64_t total = 0, previous = UINT64_MAX;

    if (strcmp(text, "0") != 0)
        do {
            if (read_duration_part(text, &at, &previous, &total, err) != 0)
                return -1;
        } while (*at != '\0');
    *out_ns = total;
    return 0;
}

int
mb_parse_percent(const char *text, double *out, struct mb_error *err)
{
    const char *at = text;
    char shown[MB_PRINTABLE_MAX];
    struct decimal value;

    if (read_decimal(text, &at, "percentage (such as '5%')", &value, err) != 0)
        return -1;
    skip_blanks(&at);
    if (*at == '%')
        at++;
    if (*at != '\0')
        return mb_error_set(err, MB_ECONFIG, "'%s' is no percentage (such as '5%%')", mb_printable(text, shown));
    double percent = 0;
    for (const char *p = value.end; p != value.fraction; p--)
        percent = (percent + (p[-1] - '0')) / 10;
    percent += (double)value.whole;
    if (percent > 100000.0)
        return mb_error_set(err, MB_ECONFIG, "'%s' is too large (at most 100000%%)", mb_printable(text, shown));
    *out = percent;
    return 0;
}

/* Words longer than this are near to nothing: bounds the work of a hostile file. */
#define NEAREST_MAX 64

static size_t
least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Optimal string alignment distance, three rows of the table kept. */
static size_t
distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][NEAREST_MAX + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];

    for (size_t j = 0; j <= nb; j++)
        above[j] = j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + change);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]) &&
                before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[nb];
}

const char *
mb_nearest(const char *word, const char *const *words)
{
    const char *best = NULL;
    size_t best_distance = 0, n = strlen(word);

    if (n > NEAREST_MAX)
        return NULL;
    for (; *words != NULL; words++) {
        size_t m = strlen(*words);
        if (m > NEAREST_MAX)
            continue;
        size_t longer = n > m ? n : m;
        size_t limit = (longer + 2) / 3;
        size_t d = distance(word, n, *words, m);
        if (d <= limit && d < longer && (best == NULL || d < best_distance)) {
            best = *words;
            best_distance = d;
        }
    }
    return best;
}

/* Digits after the point that make three significant ones of `value`, 0 <= value < 999.5. */
static int
decimals(double value)
{
    if (value >= 99.95)
        return 0;
    return value >= 9.995 ? 1 : 2;
}

const char *
mb_format_size(uint64_t bytes, char out[MB_FORMAT_MAX])
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t last = sizeof names / sizeof names[0] - 1, i = 0;
    uint64_t unit = 1;

    while (i < last && bytes / unit >= 1024) {
        unit *= 1024;
        i++;
    }
    /* 1023.99 KiB would be written "1024 KiB". */
    if (i > 0 && i < last && bytes % unit != 0 && (double)bytes / (double)unit >= 1023.5) {
        unit *= 1024;
        i++;
    }
    if (bytes % unit == 0) {
        snprintf(out, MB_FORMAT_MAX, "%llu %s", (unsigned long long)(bytes / unit), names[i]);
        return out;
    }
    double value = (double)bytes / (double)unit;
    int digits = decimals(value);
    if (digits == 2 && bytes % unit * 10 % unit == 0)
        digits = 1;
    snprintf(out, MB_FORMAT_MAX, "%.*f %s", digits, value, names[i]);
    return out;
}

/* One minute and more, in two units. */
static void
format_long(double ns, const char *sign, char out[MB_FORMAT_MAX])
{
    double seconds = floor(ns / 1e9 + 0.5);

    if (seconds < 3600) {
        snprintf(out, MB_FORMAT_MAX, "%s%.0f min %02.0f s", sign, floor(seconds / 60), fmod(seconds, 60));
        return;
    }
    double minutes = floor(ns / 60e9 + 0.5), hours = floor(minutes / 60);
    if (hours < 1e6)
        snprintf(out, MB_FORMAT_MAX, "%s%.0f h %02.0f min", sign, hours, fmod(minutes, 60));
    else
        snprintf(out, MB_FORMAT_MAX, "%s%.2e h", sign, hours);
}

const char *
mb_format_duration(double ns, char out[MB_FORMAT_MAX])
{
    static const char *const names[] = {"ns", "us", "ms", "s"};
    const char *sign = ns < 0 ? "-" : "";
    size_t i = 0;

    if (!isfinite(ns)) {
        snprintf(out, MB_FORMAT_MAX, "-");
        return out;
    }
    double value = fabs(ns);
    if (value >= 59.95e9) {
        format_long(value, sign, out);
        return out;
    }
    for (; value >= 999.5 && i < 3; i++)
        value /= 1000;
    /* There is no third of a nanosecond in a whole number of them. */
    int digits = i == 0 && value == floor(value) ? 0 : decimals(value);
    snprintf(out, MB_FORMAT_MAX, "%s%.*f %s", sign, digits, value, names[i]);
    return out;
}

const char *
mb_format_rate(double per_second, const char *unit, char out[MB_FORMAT_MAX])
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t last = sizeof prefixes / sizeof prefixes[0] - 1, i = 0;
    const char *sign = per_second < 0 ? "-" : "";

    if (!isfinite(per_second)) {
        snprintf(out, MB_FORMAT_MAX, "-");
        return out;
    }
    double value = fabs(per_second);
    for (; value >= 999.5 && i < last; i++)
        value /= 1000;
    if (value >= 999.5 || (value < 0.995 && value > 0))
        snprintf(out, MB_FORMAT_MAX, "%s%.3g %s%.12s", sign, value, prefixes[i], unit);
    else
        snprintf(out, MB_FORMAT_MAX, "%s%.*f %s%.12s", sign, value > 0 ? decimals(value) : 0, value, prefixes[i], unit);
    return out;
}
