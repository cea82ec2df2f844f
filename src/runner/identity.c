/* identity.c: a run's id, which also says whose it is: HHHHHHHH-MMMM-PID, random, machine, process. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mountbench/parse.h"
#include "mountbench/runner.h"
#include "runner/workdir.h"

/* 16 bits of the host's name (FNV-1a, Fowler, Noll, Vo): tells one developer's machine from another's on a shared engine. */
static unsigned
machine_hash(void)
{
    char name[256] = "";
    uint32_t h = UINT32_C(2166136261);

    gethostname(name, sizeof name - 1);
    for (const char *p = name; *p != '\0'; p++)
        h = (h ^ (unsigned char)*p) * UINT32_C(16777619);
    return (h ^ h >> 16) & 0xffff;
}

void
mb_run_id_new(char out[MB_RUN_ID_MAX])
{
    char random[9];

    mb_random_hex(random, 4);
    snprintf(out, MB_RUN_ID_MAX, "%s-%04x-%ld", random, machine_hash(), (long)getpid());
}

bool
mb_run_id_alive(const char *id)
{
    char machine[5];
    uint64_t pid;

    if (strlen(id) < 15 || id[8] != '-' || id[13] != '-' || mb_parse_u64(id + 14, 2, INT32_MAX, &pid, NULL) != 0)
        return false;
    snprintf(machine, sizeof machine, "%04x", machine_hash());
    return strncmp(id + 9, machine, 4) == 0 && kill((pid_t)pid, 0) == 0;
}
