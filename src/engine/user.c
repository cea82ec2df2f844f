/* user.c: the environment's word first, then the user database's. */
#include "engine/user.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *
mb_user_home(void)
{
    const char *home = getenv("HOME");

    if (home != NULL && *home != '\0')
        return home;
    const struct passwd *entry = getpwuid(getuid());
    return entry != NULL && entry->pw_dir != NULL ? entry->pw_dir : "/";
}

const char *
mb_user_docker_config(char *out, size_t size)
{
    const char *own = getenv("DOCKER_CONFIG");

    if (own != NULL && *own != '\0')
        snprintf(out, size, "%s", own);
    else
        snprintf(out, size, "%s/.docker", mb_user_home());
    return out;
}
