/* published.h: what the files about published figures share. */
#ifndef MB_REPORT_PUBLISHED_H
#define MB_REPORT_PUBLISHED_H

#include <cjson/cJSON.h>

#include "mountbench/published.h"

/* Which of a cell's trials a figure shows. */
enum mb_take {
    MB_TAKE_MEAN,  /* unless something else is said */
    MB_TAKE_TRIAL, /* the .trial-th, from 1 */
    MB_TAKE_ALL,   /* every trial, with " / " between */
    MB_TAKE_RATIO, /* of the means of two cells */
    MB_TAKE_P,     /* of a test between two cells */
    MB_TAKE_CITED, /* none: another publication's figure */
};

struct mb_published_take {
    enum mb_take kind;
    unsigned trial;
};

#define MB_PUBLISHED_MEASURED_MAX 8

struct mb_published_column {
    const char *name, *workload;
    const char *quantity;                            /* "wall", "bytes/wall", "metric:copy_ns"...; see mb_published_value */
    const char *measured[MB_PUBLISHED_MEASURED_MAX]; /* the same of a measured run, where it is counted otherwise there: one, or */
    size_t measured_count;                           /* one for each trial of the article that a single trial there holds */
    const char *style;                               /* "minutes": 0m1.861s; "sec.": a suffix; NULL: the number alone */
    double unit;                                     /* what the quantity is divided by */
    int decimals;                                    /* most digits after the point */
    int significant;                                 /* most significant digits; 0: no limit */
    const struct mb_published_take *take;            /* instead of the row's; or NULL */
    struct mb_published_take own_take;
};

struct mb_published_row {
    const char *name;
    const char *at;    /* "engine/mount" of its cells */
    const char *to;    /* of a ratio: the cell divided by */
    const char *needs; /* why this machine may be unable to measure it; or NULL */
    bool gone;         /* no runtime of today can be made to have it */
    const cJSON *like; /* globs over "engine/mount" of measured cells that stand for it; or NULL */
    struct mb_published_take take;
};

struct mb_published_table {
    const char *id, *title, *corner;
    struct mb_published_column *columns;
    size_t column_count;
    struct mb_published_row *rows;
    size_t row_count;
    const cJSON *compare;             /* names of the columns that measured runs are held against; or NULL */
    struct mb_published_row baseline; /* .name NULL when there is none */
};

/* A figure with what it refers to. */
struct mb_published_print {
    const struct mb_published_table *table;
    const struct mb_published_row *row;
    const struct mb_published_column *column;
    unsigned of;            /* trials behind a mean or a test, as the article says; 0: not said */
    char *derived, *reason; /* owned */
};

enum mb_rounding { MB_ROUND_NEAREST, MB_ROUND_CUT };

struct mb_published {
    char *path;
    cJSON **records; /* whole lines, which everything else points into */
    size_t record_count;
    const cJSON *source;
    struct mb_results *results;
    struct mb_published_table *tables;
    size_t table_count;
    struct mb_published_figure *figures;
    struct mb_published_print *prints; /* beside figures */
    size_t figure_count;
    enum mb_rounding rounding;              /* how the article shortens its means, worked out from them */
    size_t means, means_nearest, means_cut; /* printed means with trials; how many each rule reproduces */
};

/* MB_PUBLISHED_TAKE(row, column): what the figure at their crossing shows. */
#define MB_PUBLISHED_TAKE(row, column) ((column)->take != NULL ? (column)->take : &(row)->take)

/* Room for a figure's text. */
#define MB_PUBLISHED_TEXT 128

/*
 * mb_published_value(quantity, sample):
 * "A" or "A/B" of one sample: wall, user, sys (seconds), bytes, ops, metric:NAME, or 1.  NaN when the sample lacks one.
 * mb_published_quantity_ok(quantity): whether it is spelt so.
 */
double mb_published_value(const char *quantity, const struct mb_sample *sample);
bool mb_published_quantity_ok(const char *quantity);

/* mb_published_apart(table): whether the table's baseline is none of its rows. */
bool mb_published_apart(const struct mb_published_table *table);

/* mb_published_cell(published, at, workload): the cell's index, or SIZE_MAX. */
size_t mb_published_cell(const struct mb_published *published, const char *at, const char *workload);

/* A cell's trials in one quantity; what comes after the limit is left out. */
#define MB_PUBLISHED_TRIALS 4096
struct mb_series {
    double values[MB_PUBLISHED_TRIALS];
    size_t n;
};

/*
 * mb_published_trials(results, cell, quantity, series):
 * Append the quantity of each trial of ${cell} that is ok and no warm-up to ${series}, in file order; SIZE_MAX is a cell without
 * trials.  Returns how many ${series} then holds.
 */
size_t mb_published_trials(const struct mb_results *results, size_t cell, const char *quantity, struct mb_series *series);

/* mb_series_mean(series): NaN when empty. */
double mb_series_mean(const struct mb_series *series);

/* mb_published_text(column, value, out): ${value} (already over the unit) rounded and laid out as the column is. */
void mb_published_text(const struct mb_published_column *column, double value, char out[MB_PUBLISHED_TEXT]);

/*
 * mb_published_mean_text(column, trials, rounding, out):
 * The mean of the trials as they are printed, exactly, shortened by ${rounding}.
 */
void mb_published_mean_text(const struct mb_published_column *column, const struct mb_series *trials, enum mb_rounding rounding,
                            char out[MB_PUBLISHED_TEXT]);

/*
 * mb_published_derive(published, row, column, out):
 * The figure that the trials give, as text; 0, or -1 (and ${out} empty) when there are none that could.
 */
int mb_published_derive(const struct mb_published *published, const struct mb_published_row *row,
                        const struct mb_published_column *column, char out[MB_PUBLISHED_TEXT]);

/* mb_published_check(published, err): fill in every figure's verdict. */
int mb_published_check(struct mb_published *published, struct mb_error *err);

/* mb_published_notes(published, page): what a reader of the tables should know, computed, a line each. */
struct mb_published_page;
void mb_published_notes(const struct mb_published *published, struct mb_published_page *page);

/* Where the text goes, and how: published_page.c. */
struct mb_published_page {
    const struct mb_published_layout *layout;
    struct mb_buffer *out;
};

/*
 * mb_page_heading(page, format, ...): a line above what follows.
 * mb_page_item(page, level, format, ...): a sentence below it, ${level} steps in.
 * Both take text from anywhere and make it harmless.
 * mb_page_grid(page, grid): the grid, and free it.
 */
struct mb_grid;
void mb_page_heading(struct mb_published_page *page, const char *format, ...) MB_PRINTF(2, 3);
void mb_page_item(struct mb_published_page *page, size_t level, const char *format, ...) MB_PRINTF(3, 4);
void mb_page_grid(struct mb_published_page *page, struct mb_grid *grid);

#endif
