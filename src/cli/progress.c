/* progress.c: never more than a line at a time, never on standard output. */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "mountbench/parse.h"

void
mb_progress_init(struct mb_progress *p, bool quiet, bool plain)
{
    *p = (struct mb_progress){.quiet = quiet, .redraw = !plain && isatty(STDERR_FILENO)};
    p->width = mb_terminal_width(STDERR_FILENO);
}

/* Bytes that a terminal could take for orders become '?'. */
static void
print_safely(const char *text, size_t most)
{
    for (size_t i = 0; i < most && text[i] != '\0'; i++)
        fputc((unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i], stderr);
}

static void
clear(struct mb_progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}

static void
draw(struct mb_progress *p, const char *text)
{
    if (!p->redraw)
        return;
    clear(p);
    print_safely(text, p->width - 1);
    p->drawn = true;
    fflush(stderr);
}

static void
print_line(struct mb_progress *p, const char *mark, const char *name, const char *text)
{
    clear(p);
    fputs(mark, stderr);
    /* A sentence about the whole run has no name before it. */
    bool named = name != NULL && *name != '\0';
    if (named)
        print_safely(name, 512);
    if (named && *text != '\0')
        fputs(": ", stderr);
    print_safely(text, 2048);
    fputc('\n', stderr);
    fflush(stderr);
}

static void
draw_trial(struct mb_progress *p, const struct mb_run_event *e)
{
    char left[MB_FORMAT_MAX + 8] = "";
    char text[512], duration[MB_FORMAT_MAX];

    if (e->left_ns > 0)
        snprintf(left, sizeof left, ", %s left", mb_format_duration((double)e->left_ns, duration));
    snprintf(text, sizeof text, "[%zu/%zu] %s %u/%u%s  %s", e->done, e->total, e->warmup ? "warm-up" : "round", e->round + 1,
             e->rounds, left, e->name);
    draw(p, text);
}

static void
end_of_trial(struct mb_progress *p, const struct mb_run_event *e)
{
    char text[96], cost[MB_FORMAT_MAX], left[MB_FORMAT_MAX];

    if (p->redraw || e->warmup || e->round + 1 < e->rounds)
        return;
    snprintf(text, sizeof text, "%u trials, the last took %s with all around it; %s left", e->rounds,
             mb_format_duration((double)e->cost_ns, cost), mb_format_duration((double)e->left_ns, left));
    print_line(p, "", e->name, text);
}

void
mb_progress_tell(void *context, const struct mb_run_event *e)
{
    struct mb_progress *p = context;
    char text[600];

    if (p->quiet)
        return;
    switch (e->type) {
    case MB_RUN_ENGINE_READY:
    case MB_RUN_MOUNT_READY:
        print_line(p, "", e->name, e->text);
        break;
    case MB_RUN_ENGINE_UNAVAILABLE:
    case MB_RUN_MOUNT_UNAVAILABLE:
        snprintf(text, sizeof text, "unavailable: %.500s", e->text);
        print_line(p, "", e->name, text);
        break;
    case MB_RUN_MOUNT_BROKEN:
        snprintf(text, sizeof text, "failed: %.500s", e->text);
        print_line(p, "", e->name, text);
        break;
    case MB_RUN_WARNING:
        print_line(p, "warning: ", e->name, e->text);
        break;
    case MB_RUN_WAITING:
    case MB_RUN_CLEANING:
        draw(p, e->text);
        break;
    case MB_RUN_PREPARING:
        snprintf(text, sizeof text, "preparing %.500s", e->name);
        draw(p, text);
        break;
    case MB_RUN_TRIAL_STARTS:
        draw_trial(p, e);
        break;
    case MB_RUN_TRIAL_ENDS:
        end_of_trial(p, e);
        break;
    }
}

void
mb_progress_end(struct mb_progress *p)
{
    clear(p);
    fflush(stderr);
}
