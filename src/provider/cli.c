/* cli.c: what every provider does with its runtime's program. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "mountbench/clock.h"
#include "provider/internal.h"

void
mb_machine_tell(const struct mb_machine *m, const char *format, ...)
{
    char text[512];
    va_list args;

    if (m->watch == NULL || m->watch->tell == NULL)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    m->watch->tell(m->watch->context, text);
}

const char *
mb_machine_title(const struct mb_machine *m, char out[MB_MACHINE_TITLE_MAX])
{
    if (m->name[0] == '\0')
        snprintf(out, MB_MACHINE_TITLE_MAX, "%s", m->provider->title);
    else
        snprintf(out, MB_MACHINE_TITLE_MAX, "%s '%s'", m->provider->title, m->name);
    return out;
}

unsigned
mb_cli_left_ms(const struct mb_machine *m)
{
    int left = mb_deadline_left_ms(m->deadline_ns);

    return left > 0 ? (unsigned)left : 1;
}

int
mb_cli_need(const struct mb_machine *m, const char *program, struct mb_error *err)
{
    if (mb_process_exists(program))
        return 0;
    return mb_error_set(err, MB_ENOENGINE, "%s is not installed: there is no '%s' in PATH; %s", m->provider->title, program,
                        m->provider->get);
}

int
mb_cli_run(const char *const *argv, unsigned timeout_ms, struct mb_buffer *out, struct mb_error *err)
{
    struct mb_process_result result;

    if (mb_process_run(argv, timeout_ms, &result, err) != 0)
        return -1;
    int rc = result.status == 0 ? 0 : mb_process_failed(argv, &result, err);
    if (rc == 0 && out != NULL)
        mb_buffer_append(out, mb_buffer_text(&result.out), result.out.len);
    mb_process_result_free(&result);
    return rc;
}

int
mb_cli_json(const char *const *argv, unsigned timeout_ms, cJSON **out, struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT((size_t)512 << 10);
    MB_AUTO_BUFFER line = MB_BUFFER_INIT(600);

    if (mb_cli_run(argv, timeout_ms, &text, err) != 0)
        return -1;
    *out = cJSON_ParseWithLength(mb_buffer_text(&text), text.len);
    if (*out != NULL)
        return 0;
    mb_process_line(argv, &line);
    return mb_error_set(err, MB_EPROTOCOL, "'%s' answered with what is no JSON: '%.80s'", mb_buffer_text(&line),
                        mb_buffer_text(&text));
}

/* The first "1.2" or "1.2.3" of ${text}. */
static bool
find_version(const char *text, unsigned version[3])
{
    for (; *text != '\0'; text += strcspn(text, "0123456789")) {
        int used = 0;
        version[2] = 0;
        if (sscanf(text, "%4u.%4u%n", &version[0], &version[1], &used) == 2 && used > 0) {
            sscanf(text + used, ".%4u", &version[2]);
            return true;
        }
        text += strspn(text, "0123456789");
    }
    return false;
}

int
mb_cli_version(struct mb_machine *m, const char *const *argv, const unsigned least[2], struct mb_error *err)
{
    MB_AUTO_BUFFER text = MB_BUFFER_INIT((size_t)64 << 10);

    if (mb_cli_run(argv, MB_ASK_MS, &text, err) != 0)
        return -1;
    if (!find_version(mb_buffer_text(&text), m->version))
        return mb_error_set(err, MB_EPROTOCOL, "'%s' does not say its version: '%.80s'", argv[0], mb_buffer_text(&text));
    if (m->version[0] > least[0] || (m->version[0] == least[0] && m->version[1] >= least[1]))
        return 0;
    return mb_error_set(err, MB_ENOENGINE, "%s %u.%u.%u is too old: %u.%u or later can be switched from outside; %s",
                        m->provider->title, m->version[0], m->version[1], m->version[2], least[0], least[1], m->provider->get);
}

void
mb_pause(unsigned ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    nanosleep(&pause, NULL);
}
