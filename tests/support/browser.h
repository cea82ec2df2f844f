/*
 * browser.h: a headless Chromium that a test drives over the DevTools protocol, on two pipes.
 *
 * Nothing it is shown may reach a network: it is started without background traffic, and what a page asks for is kept for the
 * test to look at.
 */
#ifndef MB_TESTS_BROWSER_H
#define MB_TESTS_BROWSER_H

#include <cjson/cJSON.h>
#include <stdbool.h>

struct browser;

/* browser_start(): NULL when there is no Chromium on this machine; a test fails when it does not start.  browser_stop ends it. */
struct browser *browser_start(void);
void browser_stop(struct browser *b);

/* browser_open(b, path, width, dark): show a file in a window of that width, and wait until it is loaded. */
void browser_open(struct browser *b, const char *path, int width, bool dark);

/* browser_text(b, script): what the expression gives, as a string that lives until the next call; the test fails when it throws. */
const char *browser_text(struct browser *b, const char *script);

/* browser_press(b, key): "Tab", "Enter", "ArrowDown"...: as if typed. */
void browser_press(struct browser *b, const char *key);

/* browser_tab_to(b, script): press Tab until the expression (of document.activeElement) is true; the test fails when it never is.
 */
void browser_tab_to(struct browser *b, const char *script);

/* browser_media(b, media): "print", or "" for the screen. */
void browser_media(struct browser *b, const char *media);

/* browser_screenshot(b, path): the whole page as a PNG file. */
void browser_screenshot(struct browser *b, const char *path);

/* browser_complaints(b): console messages, exceptions and refusals of the page since it was opened; "" for none.
 * browser_requests(b): addresses asked for, one a line, the page itself left out. */
const char *browser_complaints(struct browser *b);
const char *browser_requests(struct browser *b);

#endif
