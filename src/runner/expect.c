/* expect.c: one table of what technologies look like, and words held against options. */
#include "runner/expect.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mountbench/parse.h"

/* The first row that fits: type, start of the source, part of the options of the filesystem ("" fits all). */
static const struct technology {
    const char *fstype, *source, *options, *name;
} technologies[] = {
    {"virtiofs", "", "", "virtiofs"},
    {"fakeowner", "", "", "virtiofs"}, /* Docker Desktop lays its own owners over it */
    {"fuse.grpcfuse", "", "", "gRPC FUSE"},
    {"fuse.osxfs", "", "", "osxfs"},
    {"fuse.sshfs", ":", "", "reverse-sshfs"},
    {"fuse.sshfs", "", "", "sshfs"},
    {"9p", "", "aname=drvfs", "drvfs"},
    {"nfs4", "", "", "NFSv4"},
    {"nfs", "", "", "NFSv3"},
};

/* The value of option ${key} in a comma-separated list, copied into ${out}; "" for one without a value; NULL when it is not there.
 */
static const char *
option(const char *list, const char *key, char *out, size_t size)
{
    size_t n = strlen(key);

    for (; list != NULL && *list != '\0'; list += strcspn(list, ","), list += *list == ',') {
        if (strncmp(list, key, n) != 0 || (list[n] != '=' && list[n] != ',' && list[n] != '\0'))
            continue;
        const char *value = list[n] == '=' ? list + n + 1 : "";
        snprintf(out, size, "%.*s", (int)strcspn(value, ","), value);
        return out;
    }
    return NULL;
}

const char *
mb_technology_name(const struct mb_mount_facts *facts, char out[MB_TECHNOLOGY_MAX])
{
    char version[16];
    const char *name = NULL;

    for (size_t i = 0; name == NULL && i < sizeof technologies / sizeof technologies[0]; i++) {
        const struct technology *t = &technologies[i];
        if (strcmp(t->fstype, facts->fstype) == 0 && strncmp(facts->source, t->source, strlen(t->source)) == 0 &&
            strstr(facts->super_options, t->options) != NULL)
            name = t->name;
    }
    if (name != NULL && strncmp(name, "NFSv", 4) == 0 && option(facts->super_options, "vers", version, sizeof version) != NULL)
        snprintf(out, MB_TECHNOLOGY_MAX, "NFSv%s", version);
    else if (name == NULL && strncmp(facts->fstype, "fuse.", 5) == 0)
        snprintf(out, MB_TECHNOLOGY_MAX, "%s", facts->fstype + 5);
    else
        snprintf(out, MB_TECHNOLOGY_MAX, "%s", name != NULL ? name : facts->fstype);
    return out;
}

static int
malformed(struct mb_error *err)
{
    return mb_error_set(err, MB_ECONFIG,
                        "expect: wants a technology and options after it ('9p msize=131072'), or a map with 'type' and options");
}

static int
print_option(const cJSON *item, struct mb_buffer *out)
{
    if (cJSON_IsString(item))
        return mb_buffer_printf(out, " %s=%s", item->string, item->valuestring);
    if (cJSON_IsNumber(item) && isfinite(item->valuedouble))
        return mb_buffer_printf(out, " %s=%.15g", item->string, item->valuedouble);
    if (cJSON_IsTrue(item))
        return mb_buffer_printf(out, " %s", item->string);
    return -1;
}

int
mb_expect_print(const cJSON *expect, struct mb_buffer *out, struct mb_error *err)
{
    const cJSON *item, *type = cJSON_GetObjectItemCaseSensitive(expect, "type");
    if (type == NULL)
        type = cJSON_GetObjectItemCaseSensitive(expect, "fstype");
    const char *word = cJSON_IsString(expect) ? expect->valuestring : cJSON_GetStringValue(type);

    if (word == NULL || word[strspn(word, " ")] == '\0' || (cJSON_IsObject(expect) && strpbrk(word, " =") != NULL))
        return malformed(err);
    mb_buffer_puts(out, word);
    if (!cJSON_IsObject(expect))
        return 0;
    cJSON_ArrayForEach(item, expect)
    {
        if (item != type && print_option(item, out) != 0)
            return malformed(err);
    }
    return 0;
}

/* Letters and digits alone, in lower case: "gRPC FUSE" and "grpcfuse" are one word. */
static void
simplify(const char *text, size_t n, char out[MB_TECHNOLOGY_MAX])
{
    size_t used = 0;

    for (size_t i = 0; i < n && used < MB_TECHNOLOGY_MAX - 1; i++) {
        if (isalnum((unsigned char)text[i]))
            out[used++] = (char)tolower((unsigned char)text[i]);
    }
    out[used] = '\0';
}

/* Whether ${seen} is ${wanted}, or a version of it. */
static bool
is_of(const char *wanted, const char *seen)
{
    size_t n = strlen(wanted);

    if (strncmp(wanted, seen, n) != 0)
        return false;
    return seen[n] == '\0' || strcmp(wanted, "nfs") == 0 || (strncmp(wanted, "nfsv", 4) == 0 && n > 4);
}

static bool
type_holds(const char *word, size_t n, const struct mb_mount_facts *facts)
{
    char wanted[MB_TECHNOLOGY_MAX], seen[MB_TECHNOLOGY_MAX], name[MB_TECHNOLOGY_MAX];
    const char *fstype = facts->fstype;

    simplify(word, n, wanted);
    mb_technology_name(facts, name);
    simplify(name, strlen(name), seen);
    if (is_of(wanted, seen))
        return true;
    simplify(fstype, strlen(fstype), seen);
    if (strcmp(wanted, seen) == 0)
        return true;
    fstype += strncmp(fstype, "fuse.", 5) == 0 ? 5 : 0;
    simplify(fstype, strlen(fstype), seen);
    return strcmp(wanted, seen) == 0;
}

/* 9p shows its msize only where it is not the default: 8 KiB before Linux 5.16, 128 KiB since. */
static const char *
default_value(const char *key, const struct mb_mount_facts *facts, const char *kernel)
{
    unsigned major = 5, minor = 16;

    if (strcmp(facts->fstype, "9p") != 0 || strcmp(key, "msize") != 0)
        return NULL;
    if (kernel != NULL)
        sscanf(kernel, "%3u.%3u", &major, &minor);
    return major > 5 || (major == 5 && minor >= 16) ? "131072" : "8192";
}

/* "4" stands for "4.2". */
static bool
value_holds(const char *wanted, const char *seen)
{
    size_t n = strlen(wanted);

    return strncmp(wanted, seen, n) == 0 && (seen[n] == '\0' || seen[n] == '.');
}

/* One "key=value", or "key" for an option that only has to be there. */
static bool
option_holds(const char *word, size_t n, const struct mb_mount_facts *facts, const char *kernel, struct mb_buffer *observed)
{
    char key[64], wanted[128] = "", found[128];
    const char *equals = memchr(word, '=', n);
    size_t key_length = equals != NULL ? (size_t)(equals - word) : n;

    snprintf(key, sizeof key, "%.*s", (int)key_length, word);
    if (equals != NULL)
        snprintf(wanted, sizeof wanted, "%.*s", (int)(n - key_length - 1), equals + 1);
    const char *seen = option(facts->super_options, key, found, sizeof found);
    if (seen == NULL)
        seen = option(facts->options, key, found, sizeof found);
    if (seen == NULL)
        seen = default_value(key, facts, kernel);
    if (seen == NULL)
        mb_buffer_printf(observed, " without %s", key);
    else
        mb_buffer_printf(observed, " %s%s%s", key, *seen != '\0' ? "=" : "", seen);
    return seen != NULL && (equals == NULL || value_holds(wanted, seen));
}

bool
mb_expect_holds(const char *expected, const struct mb_mount_facts *facts, const char *kernel, struct mb_buffer *observed)
{
    char name[MB_TECHNOLOGY_MAX];
    size_t n = strcspn(expected, " ,");

    mb_buffer_puts(observed, mb_technology_name(facts, name));
    bool holds = type_holds(expected, n, facts) || type_holds(expected, strlen(expected), facts); /* "gRPC FUSE" */
    for (const char *p = expected + n; *p != '\0' && strcmp(name, expected) != 0; p += n) {
        p += strspn(p, " ,");
        n = strcspn(p, " ,");
        if (n > 0)
            holds = option_holds(p, n, facts, kernel, observed) && holds;
    }
    return holds;
}
