/* host_facts.c: what the driver's own machine says of itself. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#include "runner/record.h"

static void
cpu_model(char *out, size_t size)
{
    out[0] = '\0';
#ifdef __APPLE__
    sysctlbyname("machdep.cpu.brand_string", out, &size, NULL, 0);
#else
    char line[512];
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(out, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (f != NULL)
        fclose(f);
#endif
}

/* The names that Go and so Docker use for what uname calls x86_64 and aarch64. */
static const char *
arch_name(const char *machine)
{
    if (strcmp(machine, "x86_64") == 0)
        return "amd64";
    return strcmp(machine, "aarch64") == 0 ? "arm64" : machine;
}

cJSON *
mb_record_host(void)
{
    cJSON *host = cJSON_CreateObject();
    struct utsname names;
    char cpu[256];

    memset(&names, 0, sizeof names);
    uname(&names);
    cpu_model(cpu, sizeof cpu);
    cJSON_AddStringToObject(host, "os", names.sysname);
    cJSON_AddStringToObject(host, "kernel", names.release);
    cJSON_AddStringToObject(host, "arch", arch_name(names.machine));
    cJSON_AddStringToObject(host, "cpu", cpu);
    cJSON_AddNumberToObject(host, "cpus", (double)sysconf(_SC_NPROCESSORS_ONLN));
#ifdef _SC_PHYS_PAGES
    cJSON_AddNumberToObject(host, "memory_bytes", (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
#endif
    return host;
}
