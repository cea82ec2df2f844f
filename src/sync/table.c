/* table.c: every tool; a further one is a file, a line here, and its keys in matrix/sync_spec.c. */
#include "sync/internal.h"

const struct mb_sync_tool *
mb_sync_tool_of(enum mb_sync_kind kind)
{
    static const struct mb_sync_tool *const tools[] = {
        [MB_SYNC_UNISON] = &mb_sync_unison,
        [MB_SYNC_MUTAGEN] = &mb_sync_mutagen,
        [MB_SYNC_COMMAND] = &mb_sync_command,
    };

    return tools[kind];
}
