/* cppcheck.h: what cppcheck must know of libraries whose headers it does not read. */
#define cJSON_ArrayForEach(item, array) for (item = (array) != 0 ? (array)->child : 0; item != 0; item = item->next)
