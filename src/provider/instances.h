/*
 * instances.h: runtimes whose settings are fixed once an instance is made, so that each set of settings is an instance of its own.
 *
 * An instance that was not there is made for the run and deleted in the end; one that was is used as it is.
 */
#ifndef MB_PROVIDER_INSTANCES_H
#define MB_PROVIDER_INSTANCES_H

#include "provider/internal.h"

/*
 * In the argument lists a word "%" is the instance's name, and "*" the settings, as flags.  Each is ended by NULL.
 */
struct mb_instances {
    const char *own_name; /* the setting that names an instance: "profile" */
    const char *fallback; /* the instance where neither it nor other settings are given: "default" */
    unsigned least[2];    /* the oldest version */
    const char *const *version, *const *list, *const *create, *const *start, *const *stop, *const *remove;
    bool create_starts;       /* create starts it, too */
    const char *const *flags; /* pairs of a setting and its flag ("vm_type", "--vm-type"), ended by NULL */
    const char *word;         /* where its engine is, with "%" for the name; NULL: locate finds it */
    int (*locate)(struct mb_machine *m, struct mb_error *err);
};

/* The functions of such a provider's row. */
int mb_instances_identify(const struct mb_engine_spec *spec, char name[MB_MACHINE_NAME_MAX], struct mb_error *err);
int mb_instances_look(struct mb_machine *m, struct mb_error *err);
int mb_instances_start(struct mb_machine *m, const struct mb_engine_spec *spec, struct mb_error *err);
int mb_instances_stop(struct mb_machine *m, struct mb_error *err);
int mb_instances_restore(struct mb_machine *m, struct mb_error *err);
void mb_instances_remedy(const struct mb_machine *m, struct mb_buffer *out);

#endif
