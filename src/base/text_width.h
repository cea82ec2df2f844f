/* text_width.h: the tables behind mb_text_code_width, sorted, for binary search. */
#ifndef MB_BASE_TEXT_WIDTH_H
#define MB_BASE_TEXT_WIDTH_H

#include <stddef.h>
#include <stdint.h>

struct mb_text_range {
    uint32_t low, high;
};

extern const struct mb_text_range mb_text_zero[], mb_text_wide[];
extern const size_t mb_text_zero_count, mb_text_wide_count;

#endif
