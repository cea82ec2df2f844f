/*
 * The HTML page in a real browser: it says nothing on the console, asks nothing of a network, works by keyboard, and fits.
 * MB_SCREENSHOTS=FOLDER keeps pictures to look at.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/file.h"
#include "mountbench/report.h"
#include "support/browser.h"

static struct browser *browser;
static char page[64];

static void
start(void)
{
    browser = browser_start();
}

static void
stop(void)
{
    browser_stop(browser);
    unlink(page);
}

/* Show the page of a golden input; false when there is no browser. */
static bool
show(const char *input, int width, bool dark)
{
    char path[128];
    const char *file = path;
    struct mb_results *results;
    struct mb_error err = {0};
    const struct mb_report_options options = {.format = "html", .command = "mountbench report"};
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(MB_REPORT_MAX_BYTES);

    if (browser == NULL)
        return false;
    snprintf(path, sizeof path, "tests/golden/report/%s.jsonl", input);
    ck_assert_msg(mb_results_read(&file, 1, &results, &err) == 0, "%s", err.message);
    ck_assert_msg(mb_report_render(results, &options, &out, &err) == 0, "%s", err.message);
    mb_results_free(results);
    snprintf(page, sizeof page, "/tmp/mountbench-page-%ld.html", (long)getpid());
    ck_assert_msg(mb_file_replace(page, mb_buffer_text(&out), out.len, &err) == 0, "%s", err.message);
    browser_open(browser, page, width, dark);
    return true;
}

static void
says(const char *script, const char *expected)
{
    const char *got = browser_text(browser, script);
    ck_assert_msg(strcmp(got, expected) == 0, "%s: '%s', not '%s'", script, got, expected);
}

static const char *const inputs[] = {"quick", "two-engines", "engine-rows", "hostile", "one", "nothing"};

START_TEST(quiet_and_alone)
{
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        if (!show(inputs[i], 1280, false))
            return;
        ck_assert_str_eq(browser_complaints(browser), "");
        ck_assert_str_eq(browser_requests(browser), "");
        says("document.documentElement.classList.contains('js')", "true"); /* the script ran to its end */
        says("document.getElementById('shown').textContent.startsWith('Showing')", "true");
    }
}
END_TEST

START_TEST(policy_forbids_the_network)
{
    if (!show("quick", 1280, false))
        return;
    browser_text(browser, "(document.body.appendChild(document.createElement('img')).src = 'http://127.0.0.1:9/x.png', 1)");
    says("fetch('http://127.0.0.1:9/').then(() => 1, () => 1) && 1", "1");
    ck_assert_ptr_nonnull(strstr(browser_complaints(browser), "Content Security Policy"));
}
END_TEST

START_TEST(sorts_by_keyboard)
{
    static const char first[] = "document.querySelector('#cells tbody tr:not(.out) th').textContent";

    if (!show("quick", 1280, false))
        return;
    says(first, "layer");
    browser_tab_to(browser, "document.activeElement.textContent === 'Speed'");
    browser_press(browser, "Enter");
    says("document.querySelector('th[data-sort=speed]').getAttribute('aria-sort')", "descending");
    says(first, "tmpfs");
    says("[...document.querySelectorAll('#cells tbody tr')].slice(-1)[0].querySelector('th').textContent", "nfs");
    browser_press(browser, " ");
    says("document.querySelector('th[data-sort=speed]').getAttribute('aria-sort')", "ascending");
    says("(() => { const v = [...document.querySelectorAll('#cells tbody tr[data-speed]')].map(r => +r.dataset.speed);"
         " return v.length > 20 && v.every((x, i) => i === 0 || v[i - 1] <= x); })()",
         "true");
    says("[...document.querySelectorAll('#cells tbody tr')].slice(-1)[0].querySelector('th').textContent", "nfs");
    browser_tab_to(browser, "document.activeElement.textContent === 'Verdict'");
    browser_press(browser, "Enter");
    says("document.querySelectorAll('th[aria-sort]').length", "1");
}
END_TEST

START_TEST(filters_by_keyboard)
{
    if (!show("quick", 1280, false))
        return;
    says("document.getElementById('shown').textContent", "Showing 35 of 35 cells");
    browser_tab_to(browser, "document.activeElement.dataset.axis === 'mount'");
    browser_press(browser, "ArrowDown");
    browser_press(browser, "ArrowDown");
    browser_press(browser, "Enter");
    says("document.querySelector('[data-axis=mount]').selectedOptions[0].textContent", "bind");
    says("document.getElementById('shown').textContent", "Showing 5 of 35 cells");
    says("[...document.querySelectorAll('#cells tbody tr')].filter(r => r.offsetParent !== null).length", "5");
    browser_tab_to(browser, "document.activeElement.dataset.axis === 'workload'");
    browser_press(browser, "ArrowDown");
    browser_press(browser, "Enter");
    says("document.getElementById('shown').textContent", "Showing 1 of 35 cells");
    browser_tab_to(browser, "document.activeElement.id === 'reset'");
    browser_press(browser, "Enter");
    says("document.getElementById('shown').textContent", "Showing 35 of 35 cells");
}
END_TEST

START_TEST(trials_by_keyboard)
{
    if (!show("quick", 1280, false))
        return;
    browser_tab_to(browser, "document.activeElement.matches('.plot')");
    browser_press(browser, "ArrowRight");
    says("document.getElementById('tip').textContent", "trial 1 of 5: 395 MB/s");
    says("getComputedStyle(document.getElementById('tip')).display", "block");
    browser_press(browser, "ArrowRight");
    says("document.getElementById('tip').textContent", "trial 2 of 5: 439 MB/s");
    browser_press(browser, "ArrowLeft");
    says("document.getElementById('tip').textContent", "trial 1 of 5: 395 MB/s");
    browser_press(browser, "Escape");
    says("getComputedStyle(document.getElementById('tip')).display", "none");
}
END_TEST

START_TEST(trials_under_the_pointer)
{
    if (!show("quick", 1280, false))
        return;
    browser_text(
        browser,
        "(() => { const p = document.querySelector('.plot'), r = p.getBoundingClientRect();"
        " p.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: r.left + r.width, clientY: r.top + 5})); })()");
    says("document.getElementById('tip').textContent", "trial 2 of 5: 439 MB/s");
}
END_TEST

/* A screen reader is told what everything is. */
START_TEST(has_names_and_roles)
{
    if (!show("two-engines", 1280, false))
        return;
    says("[...document.querySelectorAll('select, button')].every(e => e.textContent.trim() !== '' && (e.matches('button') || "
         "e.labels.length === 1))",
         "true");
    says("[...document.querySelectorAll('.plot')].every(e => e.getAttribute('role') === 'img' && /trials? "
         "from/.test(e.getAttribute('aria-label')))",
         "true");
    says("[...document.querySelectorAll('#cells tbody tr')].every(r => r.querySelectorAll('th[scope=row]').length === 1)", "true");
    says("document.documentElement.lang", "en");
    says("[...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1]).every((n, i, a) => i === 0 ? n === 1 : n - a[i - 1] "
         "<= 1)",
         "true");
    says("new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size === document.querySelectorAll('[id]').length",
         "true");
}
END_TEST

/* WCAG 2.1, 1.4.3: text stands out from what is behind it by 4.5 to 1, in light and in dark. */
START_TEST(contrast)
{
    static const char script[] =
        "(() => { const parse = c => c.match(/[\\d.]+/g).map(Number);"
        " const lum = c => { const [r, g, b] = parse(c).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);"
        " return .2126 * r + .7152 * g + .0722 * b; };"
        " const back = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length "
        "< 4 || c[3] > 0)"
        " return getComputedStyle(e).backgroundColor; } return 'rgb(255,255,255)'; };"
        " let worst = 99; for (const e of "
        "document.querySelectorAll('h1,h2,p,.soft,.chip,td,th,bdi,label,button,select,code,.why,dt,dd')) {"
        " const a = lum(getComputedStyle(e).color), b = lum(back(e)); worst = Math.min(worst, (Math.max(a, b) + .05) / "
        "(Math.min(a, b) + .05)); }"
        " return worst >= 4.5 ? 'enough' : worst; })()";

    for (int dark = 0; dark < 2; dark++) {
        if (!show("quick", 1280, dark == 1))
            return;
        says(script, "enough");
    }
}
END_TEST

START_TEST(fits_any_width)
{
    static const int widths[] = {320, 360, 768, 960, 1280};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++) {
            if (!show(inputs[i], widths[k], false))
                return;
            /* What sticks out, unless it is in a box that scrolls by itself. */
            says("[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > "
                 "document.documentElement.clientWidth + 1"
                 " && !e.closest('.wide') && !e.closest('.plot') && getComputedStyle(e).position === 'static')"
                 ".map(e => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40)).slice(-3).join('; ')",
                 "");
            char expected[16];
            snprintf(expected, sizeof expected, "%d", widths[k]);
            says("Math.max(document.documentElement.scrollWidth, innerWidth)", expected);
        }
    }
}
END_TEST

START_TEST(prints_without_controls)
{
    if (!show("quick", 1280, false))
        return;
    browser_media(browser, "print");
    says("getComputedStyle(document.querySelector('form.filters')).display", "none");
    says("getComputedStyle(document.querySelector('.skip')).display", "none");
    says("[...document.querySelectorAll('#cells tbody tr')].filter(r => r.offsetParent !== null).length", "35");
}
END_TEST

START_TEST(pictures)
{
    const char *folder = getenv("MB_SCREENSHOTS");
    char path[512];

    if (folder == NULL)
        return;
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        for (int shot = 0; shot < 4; shot++) {
            if (!show(inputs[i], shot < 2 ? 360 : 1280, shot % 2 == 1))
                return;
            snprintf(path, sizeof path, "%s/%s-%s-%s.png", folder, inputs[i], shot < 2 ? "360" : "1280",
                     shot % 2 == 1 ? "dark" : "light");
            browser_screenshot(browser, path);
        }
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("page");
    TCase *tcase = tcase_create("page");
    bool there = access("/usr/bin/chromium", X_OK) == 0 || getenv("CHROMIUM") != NULL;

    if (!there)
        puts("SKIP the page in a browser: chromium is not installed");
    tcase_set_timeout(tcase, 180);
    tcase_add_checked_fixture(tcase, start, stop);
    tcase_add_test(tcase, quiet_and_alone);
    tcase_add_test(tcase, policy_forbids_the_network);
    tcase_add_test(tcase, sorts_by_keyboard);
    tcase_add_test(tcase, filters_by_keyboard);
    tcase_add_test(tcase, trials_by_keyboard);
    tcase_add_test(tcase, trials_under_the_pointer);
    tcase_add_test(tcase, has_names_and_roles);
    tcase_add_test(tcase, contrast);
    tcase_add_test(tcase, fits_any_width);
    tcase_add_test(tcase, prints_without_controls);
    tcase_add_test(tcase, pictures);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
