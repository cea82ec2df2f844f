/* table.c: every provider; a further runtime is a file and a line here. */
#include <string.h>

#include "provider/internal.h"

static const struct mb_provider *const providers[] = {
    &mb_provider_rancher_desktop, &mb_provider_docker_desktop, &mb_provider_colima,  &mb_provider_lima,
    &mb_provider_podman_machine,  &mb_provider_orbstack,       &mb_provider_command,
};

const struct mb_provider *
mb_provider_find(const char *runtime)
{
    for (size_t i = 0; runtime != NULL && i < sizeof providers / sizeof providers[0]; i++) {
        if (strcmp(providers[i]->name, runtime) == 0)
            return providers[i];
    }
    return NULL;
}

bool
mb_provider_manages(const struct mb_engine_spec *spec)
{
    return mb_provider_find(spec->runtime) != NULL;
}
