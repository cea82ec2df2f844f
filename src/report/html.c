/*
 * html.c: one self-contained page: the verdict, the cells with every trial, what was mounted, where, how, and by which command.
 *
 * The page asks nothing of any network and says so to the browser.  Everything but sorting, filtering and pointing at dots works
 * without its script.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/sha256.h"
#include "report/escape.h"
#include "report/formats.h"
#include "report/page.h"
#include "report/words.h"

void
mb_page_text(struct mb_buffer *out, const char *text)
{
    MB_AUTO_BUFFER clean = MB_BUFFER_INIT(SIZE_MAX);

    mb_text_clean(&clean, text, true);
    mb_escape_xml(out, mb_buffer_text(&clean));
}

/* Longer names are cut on the page, and whole when pointed at. */
#define NAME_MOST 60

void
mb_page_name(struct mb_buffer *out, const char *text)
{
    MB_AUTO_BUFFER clean = MB_BUFFER_INIT(SIZE_MAX);
    MB_AUTO_BUFFER cut = MB_BUFFER_INIT(SIZE_MAX);

    mb_text_clean(&clean, text, true);
    if (mb_text_width(mb_buffer_text(&clean)) <= NAME_MOST) {
        mb_buffer_puts(out, "<bdi>");
        mb_escape_xml(out, mb_buffer_text(&clean));
    } else {
        mb_text_cut(&cut, mb_buffer_text(&clean), NAME_MOST, true);
        mb_buffer_puts(out, "<bdi title=\"");
        mb_escape_xml(out, mb_buffer_text(&clean));
        mb_buffer_puts(out, "\">");
        mb_escape_xml(out, mb_buffer_text(&cut));
    }
    mb_buffer_puts(out, "</bdi>");
}

/* The matrix's name, or the first's of several. */
static const char *
title_of(const struct mb_model *model)
{
    for (size_t i = 0; i < model->results->run_count; i++) {
        const char *name = model->results->runs[i].matrix_name;
        if (name != NULL && *name != '\0')
            return name;
    }
    return "results";
}

/* What stands in the page's one script element that runs. */
static void
put_script(struct mb_buffer *out)
{
    mb_buffer_putc(out, '\n');
    mb_buffer_puts(out, mb_page_js);
}

/* The script's SHA-256 in Base64 (RFC 4648): the page's policy runs this script and no other. */
static void
put_script_hash(struct mb_buffer *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    MB_AUTO_BUFFER script = MB_BUFFER_INIT(SIZE_MAX);
    char hex[MB_SHA256_HEX_MAX];

    put_script(&script);
    mb_sha256_hex(mb_buffer_text(&script), script.len, hex);
    for (size_t i = 0; i < 64; i += 6) {
        char six[7] = "";
        snprintf(six, sizeof six, "%.6s", hex + i);
        size_t nibbles = strlen(six);
        unsigned long bits = strtoul(six, NULL, 16) << (24 - 4 * nibbles);
        for (size_t k = 0; k < 4; k++)
            mb_buffer_putc(out, k <= nibbles / 2 ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
}

static void
put_head(const struct mb_model *model, struct mb_buffer *out)
{
    mb_buffer_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
                        "script-src 'sha256-");
    put_script_hash(out);
    mb_buffer_puts(out, "'; base-uri 'none'; form-action 'none'\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        "<meta name=\"generator\" content=\"mountbench " MB_VERSION "\">\n<title>");
    mb_page_text(out, title_of(model));
    mb_buffer_puts(out, ": mounts compared</title>\n<style>\n");
    mb_buffer_puts(out, mb_page_css);
    mb_buffer_puts(out, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#cells\">Skip to the table of cells</a>\n");
}

static void
put_title(const struct mb_model *model, struct mb_buffer *out)
{
    const struct mb_results *r = model->results;
    size_t timed = 0;

    for (size_t i = 0; i < model->cell_count; i++)
        timed += model->cells[i].summary.n;
    mb_buffer_puts(out, "<header>\n<h1>");
    mb_page_name(out, title_of(model));
    mb_buffer_printf(out, ": mounts compared</h1>\n<p class=\"soft\">%zu timed trial%s of %zu cell%s", timed, timed == 1 ? "" : "s",
                     model->cell_count, model->cell_count == 1 ? "" : "s");
    for (size_t i = 0; i < model->group_count && i < 8; i++) {
        mb_buffer_puts(out, i == 0 ? " on " : ", ");
        mb_page_name(out, model->groups[i].label);
    }
    if (r->run_count > 0 && r->runs[0].started_at != NULL) {
        mb_buffer_puts(out, ", begun ");
        mb_page_text(out, r->runs[0].started_at);
    }
    mb_buffer_puts(out, "</p>\n</header>\n<main>\n");
}

static void
put_remarks(const struct mb_model *model, struct mb_buffer *out)
{
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(SIZE_MAX);
    size_t n = 0;

    for (; mb_buffer_reset(&line), mb_words_remark(model, n, true, &line); n++) {
        mb_buffer_puts(out, n == 0 ? "<ul class=\"remarks\">\n<li>" : "<li>");
        mb_escape_xml(out, mb_buffer_text(&line));
        mb_buffer_puts(out, "</li>\n");
    }
    mb_buffer_puts(out, n > 0 ? "</ul>\n" : "");
}

static int
render(const struct mb_model *model, struct mb_buffer *out, struct mb_error *err)
{
    put_head(model, out);
    put_title(model, out);
    mb_buffer_puts(out, "<section aria-labelledby=\"h-verdict\">\n<h2 id=\"h-verdict\">Verdict</h2>\n");
    if (mb_page_verdicts(model, out, err) != 0)
        return -1;
    put_remarks(model, out);
    mb_buffer_puts(out, "</section>\n");
    mb_page_cells(model, out);
    mb_page_details(model, out);
    mb_page_environment(model, out);
    mb_page_method(model, out);
    mb_buffer_puts(out, "</main>\n<div id=\"tip\" role=\"status\"></div>\n<script type=\"application/json\" id=\"data\">");
    mb_page_data(model, out);
    mb_buffer_puts(out, "</script>\n<script>");
    put_script(out);
    mb_buffer_puts(out, "</script>\n</body>\n</html>\n");
    return 0;
}

const struct mb_report_format mb_format_html = {"html", "one page that needs no network: verdict, tables, plots", false, render};
