/*
 * signals.h: the one flag that SIGINT, SIGTERM and SIGHUP set.
 *
 * Everything that waits looks at it (poll and curl calls are interrupted by the signal), fails with MB_EINTERRUPT, and the
 * visible ladders of the callers take down what was made.  While taking down, waiting ignores the flag: use mb_signals_shield.
 */
#ifndef MB_SIGNALS_H
#define MB_SIGNALS_H

#include <stdbool.h>

/* mb_signals_install(): set the handlers (SIGHUP stays ignored where it was, as under nohup), ignore SIGPIPE.  A third SIGINT ends
 * the process at once. */
void mb_signals_install(void);

/* mb_interrupted(): whether one arrived and we are not shielded. */
bool mb_interrupted(void);

/* mb_signals_shield(on): while on, mb_interrupted() says false, so that teardown can do its waiting.  Calls nest. */
void mb_signals_shield(bool on);

/* mb_signals_raised(): the signal that arrived, shielded or not; 0 for none. */
int mb_signals_raised(void);

#endif
