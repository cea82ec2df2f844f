/* ready.c: an engine is ready when it answers to its version and a trivial container has run, not before. */
#include "mountbench/clock.h"
#include "mountbench/signals.h"
#include "provider/internal.h"

#define TRY_MS 5000
#define BETWEEN_MS 500

/* One try. */
static int
answers(struct mb_machine *m, struct mb_error *err)
{
    struct mb_endpoint endpoint = {0};
    struct mb_engine *engine = NULL;
    unsigned left = mb_cli_left_ms(m);

    if (mb_endpoint_resolve(m->word, &endpoint, err) != 0)
        return -1;
    int rc = mb_engine_open(&endpoint, left < TRY_MS ? left : TRY_MS, &engine, err);
    if (rc == 0 && m->watch != NULL && m->watch->prove != NULL) {
        mb_machine_tell(m, "waiting for a first container to run");
        rc = m->watch->prove(m->watch->context, engine, err);
    }
    mb_engine_close(engine);
    mb_endpoint_clear(&endpoint);
    return rc;
}

int
mb_await_engine(struct mb_machine *m, struct mb_error *err)
{
    char title[MB_MACHINE_TITLE_MAX];
    uint64_t start_ns = mb_now_ns();

    for (;;) {
        struct mb_error step = {0};
        mb_machine_tell(m, "waiting for the engine of %s to answer", mb_machine_title(m, title));
        if (answers(m, &step) == 0)
            return 0;
        if (step.code == MB_EINTERRUPT || mb_interrupted())
            return mb_error_set(err, MB_EINTERRUPT, "interrupted while waiting for the engine of %s", title);
        /* A try that is cut short would say nothing but that. */
        if (mb_deadline_left_ms(m->deadline_ns) <= BETWEEN_MS)
            return mb_error_set(err, MB_ETIMEOUT,
                                "no container ran within ready_timeout (waited %llu s for the engine after its start); at last: %s",
                                (unsigned long long)((mb_now_ns() - start_ns) / 1000000000), step.message);
        mb_pause(BETWEEN_MS);
    }
}
