/* endpoints.c: lists of endpoints. */
#include <stdlib.h>
#include <string.h>

#include "mountbench/endpoint.h"

int
mb_endpoints_add(struct mb_endpoint **list, size_t *n, struct mb_endpoint *item, struct mb_error *err)
{
    struct mb_endpoint *longer = realloc(*list, (*n + 1) * sizeof **list);

    if (longer == NULL) {
        mb_endpoint_clear(item);
        return mb_error_set(err, MB_EIO, "out of memory");
    }
    longer[(*n)++] = *item;
    *list = longer;
    return 0;
}

size_t
mb_endpoints_find(const struct mb_endpoint *list, size_t n, const char *url)
{
    size_t i = 0;

    while (i < n && strcmp(list[i].url, url) != 0)
        i++;
    return i;
}

void
mb_endpoints_free(struct mb_endpoint *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mb_endpoint_clear(&list[i]);
    free(list);
}
