/* user.h: where this user's files are. */
#ifndef MB_ENGINE_USER_H
#define MB_ENGINE_USER_H

#include <stddef.h>

/* mb_user_home(): HOME, else what the user database says, else "/".  Valid until the next call. */
const char *mb_user_home(void);

/* mb_user_docker_config(out, size): the docker command's directory, DOCKER_CONFIG or ~/.docker; returns ${out}. */
const char *mb_user_docker_config(char *out, size_t size);

#endif
