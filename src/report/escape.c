/* escape.c: one function a language. */
#include "report/escape.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "mountbench/text.h"

/* Append ${text} with ${before} put before each byte that is in ${special}. */
static void
replace_bytes(struct mb_buffer *out, const char *text, const char *special, const char *before)
{
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL)
            mb_buffer_puts(out, before);
        mb_buffer_putc(out, *text);
    }
}

void
mb_escape_markdown(struct mb_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        char one[2] = {*text, '\0'};
        if (*text == '<')
            mb_buffer_puts(out, "&lt;");
        else if (*text == '&')
            mb_buffer_puts(out, "&amp;");
        else if (strncmp(text, "www.", 4) == 0)
            mb_buffer_puts(out, "www\\."), text += 3;
        else if (strncmp(text, "://", 3) == 0)
            mb_buffer_puts(out, "\\:");
        else
            replace_bytes(out, one, "\\`*_[]>#|~@$", "\\");
    }
}

/* AsciiDoc has no escape that works everywhere; a character reference does. */
void
mb_escape_asciidoc(struct mb_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("|<>&*_`#+^~{}[]\\@\"'!$;", *text) != NULL || (*text == '(' && text[1] == '(') ||
            (*text == ':' && (text[1] == '/' || text[1] == ':')) || (*text == '-' && text[1] == '-') ||
            (*text == '.' && text[1] == '.'))
            mb_buffer_printf(out, "&#%d;", *text);
        else
            mb_buffer_putc(out, *text);
    }
}

void
mb_escape_xml(struct mb_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("<>&\"'", *text) != NULL)
            mb_buffer_printf(out, "&#%d;", *text);
        else
            mb_buffer_putc(out, *text);
    }
}

/* Whether ${code} is written as an escape in JSON: what JSON demands, what a script element must not hold, and what would act on
 * the terminal that shows it. */
static bool
is_escaped_in_json(uint32_t code)
{
    return mb_text_is_control(code) || code == '"' || code == '\\' || code == '<' || code == '>' || code == '&' || code == 0xFEFF ||
           (code >= 0x200B && code <= 0x200D) || (code >= 0xE0000 && code <= 0xE0FFF);
}

static void
put_escaped(struct mb_buffer *out, uint32_t code)
{
    char bytes[5];

    if (is_escaped_in_json(code) && code < 0x10000)
        mb_buffer_printf(out, "\\u%04x", (unsigned)code);
    else if (is_escaped_in_json(code))
        mb_buffer_printf(out, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (code >> 10)), (unsigned)(0xDC00 | (code & 0x3FF)));
    else
        mb_buffer_append(out, bytes, mb_text_encode(code, bytes));
}

void
mb_escape_json(struct mb_buffer *out, const char *text)
{
    mb_buffer_putc(out, '"');
    while (*text != '\0') {
        uint32_t code;
        text += mb_text_decode(text, &code);
        if (code == '"' || code == '\\')
            mb_buffer_printf(out, "\\%c", (int)code);
        else
            put_escaped(out, code);
    }
    mb_buffer_putc(out, '"');
}

void
mb_escape_json_tree(struct mb_buffer *out, const cJSON *json)
{
    char *printed = json != NULL ? cJSON_PrintUnformatted(json) : NULL;

    /* Compact JSON has such characters nowhere but in strings. */
    for (const char *p = printed != NULL ? printed : "null"; *p != '\0';) {
        uint32_t code;
        p += mb_text_decode(p, &code);
        if (code == '"' || code == '\\')
            mb_buffer_putc(out, (char)code);
        else
            put_escaped(out, code);
    }
    cJSON_free(printed);
}

/* Ten digits are more than any clock gives; whole numbers are whole. */
void
mb_json_number(struct mb_buffer *out, double figure)
{
    if (!isfinite(figure))
        mb_buffer_puts(out, "null");
    else if (figure == floor(figure) && fabs(figure) < 9007199254740992.0)
        mb_buffer_printf(out, "%.0f", figure);
    else
        mb_buffer_printf(out, "%.10g", figure);
}

void
mb_escape_csv(struct mb_buffer *out, const char *text)
{
    MB_AUTO_BUFFER clean = MB_BUFFER_INIT(SIZE_MAX);

    mb_text_clean(&clean, text, true);
    text = mb_buffer_text(&clean);
    /* OWASP, "CSV Injection": a field that begins so is a formula to a spreadsheet; an apostrophe makes it text. */
    bool formula = *text != '\0' && strchr("=+-@\t\r|%", *text) != NULL;
    if (!formula && strpbrk(text, ",\"\n\r; '") == NULL) {
        mb_buffer_puts(out, text);
        return;
    }
    mb_buffer_puts(out, formula ? "\"'" : "\"");
    replace_bytes(out, text, "\"", "\"");
    mb_buffer_putc(out, '"');
}
