/* cppcheck.h: what cppcheck must know of libraries whose headers it does not read. */
#define cJSON_ArrayForEach(item, array) for (item = (array)->child; item != 0; item = item->next)
