/* text.c: columns, harmless text, padding. */
#include "mountbench/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text_width.h"

/* Marks that may sit on one letter; more is an attack on the lines above and below. */
#define MARKS_MAX 3

size_t
mb_text_decode(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *b = (const unsigned char *)text;
    size_t n = b[0] < 0x80                   ? 1
               : b[0] >= 0xC2 && b[0] < 0xE0 ? 2
               : b[0] >= 0xE0 && b[0] < 0xF0 ? 3
               : b[0] >= 0xF0 && b[0] < 0xF5 ? 4
                                             : 0;

    *code = MB_TEXT_INVALID;
    if (n == 0)
        return 1;
    if (n == 1) {
        *code = b[0];
        return 1;
    }
    uint32_t c = b[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((b[i] & 0xC0) != 0x80)
            return 1;
        c = c << 6 | (b[i] & 0x3Fu);
    }
    if (c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return 1;
    *code = c;
    return n;
}

size_t
mb_text_encode(uint32_t code, char out[5])
{
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    out[n] = '\0';
    if (n == 1) {
        out[0] = (char)code;
        return 1;
    }
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)(lead[n] | code);
    return n;
}

static bool
in_ranges(const struct mb_text_range *ranges, size_t n, uint32_t code)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code > ranges[middle].high)
            low = middle + 1;
        else if (code < ranges[middle].low)
            high = middle;
        else
            return true;
    }
    return false;
}

unsigned
mb_text_code_width(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7F && code < 0xA0))
        return 0;
    if (code < 0x300)
        return 1;
    if (in_ranges(mb_text_zero, mb_text_zero_count, code))
        return 0;
    return in_ranges(mb_text_wide, mb_text_wide_count, code) ? 2 : 1;
}

size_t
mb_text_width(const char *text)
{
    size_t width = 0;
    uint32_t code;

    while (*text != '\0') {
        text += mb_text_decode(text, &code);
        width += mb_text_code_width(code);
    }
    return width;
}

bool
mb_text_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || (code >= 0x200E && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/* Joiners, selectors, tags, fillers, skin tones: what changes how its neighbours look, or shows nothing at all; terminals
 * disagree about its width. */
static bool
is_invisible(uint32_t code)
{
    return code == 0xAD || code == 0x34F || code == 0x180E || (code >= 0x200B && code <= 0x200D) ||
           (code >= 0x2060 && code <= 0x206F) || (code >= 0xFE00 && code <= 0xFE0F) || code == 0xFEFF || code == 0x3164 ||
           code == 0xFFA0 || (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0x1F3FB && code <= 0x1F3FF) ||
           (code >= 0xE0000 && code <= 0xE0FFF);
}

void
mb_text_clean(struct mb_buffer *out, const char *text, bool unicode)
{
    unsigned marks = MARKS_MAX; /* none may stand first: it would join what is printed before */

    while (*text != '\0') {
        uint32_t code;
        size_t n = mb_text_decode(text, &code);
        bool mark = code >= 0x300 && mb_text_code_width(code) == 0;

        if (mb_text_is_control(code) || code == MB_TEXT_INVALID || (code > 0x7E && !unicode && !mark && !is_invisible(code))) {
            mb_buffer_putc(out, '?');
            marks = 0;
        } else if (is_invisible(code)) {
            ;
        } else if (mark) {
            if (unicode && marks < MARKS_MAX)
                mb_buffer_append(out, text, n);
            marks++;
        } else {
            mb_buffer_append(out, text, n);
            marks = 0;
        }
        text += n;
    }
}

size_t
mb_text_cut(struct mb_buffer *out, const char *text, size_t columns, bool unicode)
{
    const char *ellipsis = unicode ? "\xE2\x80\xA6" : "...";
    size_t dots = unicode ? 1 : 3, used = 0, width = mb_text_width(text);
    uint32_t code;

    if (width <= columns) {
        mb_buffer_puts(out, text);
        return width;
    }
    if (columns < dots) {
        mb_text_repeat(out, ".", columns);
        return columns;
    }
    while (*text != '\0') {
        size_t n = mb_text_decode(text, &code);
        if (used + mb_text_code_width(code) > columns - dots)
            break;
        used += mb_text_code_width(code);
        mb_buffer_append(out, text, n);
        text += n;
    }
    mb_buffer_puts(out, ellipsis);
    return used + dots;
}

void
mb_text_repeat(struct mb_buffer *out, const char *text, size_t n)
{
    for (; n > 0; n--)
        mb_buffer_puts(out, text);
}

void
mb_text_pad(struct mb_buffer *out, const char *text, size_t columns, enum mb_align align)
{
    size_t width = mb_text_width(text);
    size_t blanks = width < columns ? columns - width : 0;

    if (align == MB_ALIGN_RIGHT)
        mb_text_repeat(out, " ", blanks);
    mb_buffer_puts(out, text);
    if (align == MB_ALIGN_LEFT)
        mb_text_repeat(out, " ", blanks);
}

void
mb_text_wrap(struct mb_buffer *out, const char *text, size_t columns, size_t indent)
{
    size_t column = 0;
    bool first = true; /* on this line */

    while (*text != '\0') {
        size_t bytes = 0, width = 0;
        while (text[bytes] != '\0' && text[bytes] != ' ') {
            uint32_t code;
            bytes += mb_text_decode(text + bytes, &code);
            width += mb_text_code_width(code);
        }
        if (!first && column + 1 + width > columns) {
            mb_buffer_putc(out, '\n');
            mb_text_repeat(out, " ", indent);
            column = indent;
        } else if (!first) {
            mb_buffer_putc(out, ' ');
            column++;
        }
        first = false;
        mb_buffer_append(out, text, bytes);
        column += width;
        text += bytes;
        while (*text == ' ')
            text++;
    }
    mb_buffer_putc(out, '\n');
}

bool
mb_text_utf8_locale(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value == NULL || *value == '\0')
            continue;
        const char *charset = strchr(value, '.');
        return charset != NULL && (strncasecmp(charset, ".utf-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
    }
    return false;
}
