/* lima.c: an instance of its docker template for each set of settings. */
#include "provider/instances.h"

static const char *const vm_types[] = {"qemu", "vz", NULL};
static const char *const mount_types[] = {"reverse-sshfs", "9p", "virtiofs", NULL};

static const struct mb_setting settings[] = {
    {.name = "instance"},
    {.name = "vm_type", .choices = vm_types},
    {.name = "mount_type", .choices = mount_types},
    {.name = "cpus", .min = 1, .max = 256},
    {.name = "memory_gib", .min = 1, .max = 1024},
    {.name = "disk_gib", .min = 5, .max = 10000},
    {.name = NULL},
};

static const char *const flags[] = {"vm_type",    "--vm-type", "mount_type", "--mount-type", "cpus", "--cpus",
                                    "memory_gib", "--memory",  "disk_gib",   "--disk",       NULL};

/* The template shares the home directory read-only: nothing could be written there. */
static const char *const version[] = {"limactl", "--version", NULL};
static const char *const list[] = {"limactl", "list", "--json", NULL};
static const char *const create[] = {"limactl",          "start", "--tty=false",       "--name", "%",
                                     "--mount-writable", "*",     "template://docker", NULL};
static const char *const start[] = {"limactl", "start", "--tty=false", "%", NULL};
static const char *const stop[] = {"limactl", "stop", "%", NULL};
static const char *const delete[] = {"limactl", "delete", "--force", "%", NULL};

static const struct mb_instances instances = {
    .own_name = "instance",
    .fallback = "docker",
    .least = {0, 18},
    .version = version,
    .list = list,
    .create = create,
    .create_starts = true,
    .start = start,
    .stop = stop,
    .remove = delete,
    .flags = flags,
    .word = "lima",
};

const struct mb_provider mb_provider_lima = {
    .name = "lima",
    .title = "lima",
    .get = "install it: brew install lima (https://lima-vm.io)",
    .settings = settings,
    .identify = mb_instances_identify,
    .look = mb_instances_look,
    .start = mb_instances_start,
    .stop = mb_instances_stop,
    .restore = mb_instances_restore,
    .remedy = mb_instances_remedy,
    .instances = &instances,
};
