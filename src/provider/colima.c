/* colima.c: a profile for each set of settings. */
#include "provider/instances.h"

static const char *const vm_types[] = {"qemu", "vz", "krunkit", NULL};
static const char *const mount_types[] = {"sshfs", "9p", "virtiofs", NULL};

static const struct mb_setting settings[] = {
    {.name = "profile"},
    {.name = "vm_type", .choices = vm_types},
    {.name = "mount_type", .choices = mount_types},
    {.name = "cpus", .min = 1, .max = 256},
    {.name = "memory_gib", .min = 1, .max = 1024},
    {.name = "disk_gib", .min = 5, .max = 10000},
    {.name = NULL},
};

static const char *const flags[] = {"vm_type",    "--vm-type", "mount_type", "--mount-type", "cpus", "--cpu",
                                    "memory_gib", "--memory",  "disk_gib",   "--disk",       NULL};

/* With --activate=false the docker CLI's current context stays what it is. */
static const char *const version[] = {"colima", "version", NULL};
static const char *const list[] = {"colima", "list", "--json", NULL};
static const char *const create[] = {"colima", "start", "--profile", "%", "--activate=false", "--runtime=docker", "*", NULL};
static const char *const start[] = {"colima", "start", "--profile", "%", "--activate=false", NULL};
static const char *const stop[] = {"colima", "stop", "--profile", "%", NULL};
static const char *const delete[] = {"colima", "delete", "--force", "--profile", "%", NULL};

static const struct mb_instances instances = {
    .own_name = "profile",
    .fallback = "default",
    .least = {0, 5},
    .version = version,
    .list = list,
    .create = create,
    .create_starts = true,
    .start = start,
    .stop = stop,
    .remove = delete,
    .flags = flags,
    .word = "colima",
};

const struct mb_provider mb_provider_colima = {
    .name = "colima",
    .title = "colima",
    .get = "install it: brew install colima docker (https://github.com/abiosoft/colima)",
    .settings = settings,
    .identify = mb_instances_identify,
    .look = mb_instances_look,
    .start = mb_instances_start,
    .stop = mb_instances_stop,
    .restore = mb_instances_restore,
    .remedy = mb_instances_remedy,
    .instances = &instances,
};
