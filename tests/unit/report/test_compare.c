/* compare.h: which cells become rows, what is refused, and when a difference is called one. */
#include "mountbench/compare.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A result file being written, a run and an engine in it. */
struct file {
    char path[64];
    FILE *stream;
};

static struct mb_error err;

static struct file
begin(const char *run)
{
    struct file f = {.path = "/tmp/mb-compare-XXXXXX"};
    int fd = mkstemp(f.path);
    ck_assert_int_ge(fd, 0);
    f.stream = fdopen(fd, "w");
    ck_assert_ptr_nonnull(f.stream);
    fprintf(f.stream, "{\"type\":\"run\",\"schema\":1,\"id\":\"%s\",\"tool\":{\"probe\":\"p\"}}\n", run);
    return f;
}

/* A cell, with its params and further members as JSON ("" for none). */
static void
cell(struct file *f, const char *engine, const char *mount, const char *workload, const char *params, const char *more)
{
    fprintf(f->stream,
            "{\"type\":\"cell\",\"cell\":\"%s/%s/%s\",\"engine\":\"%s\",\"mount\":\"%s\",\"workload\":\"%s\",\"measure\":\"s\","
            "\"params\":{%s}%s%s}\n",
            engine, mount, workload, engine, mount, workload, params, *more != '\0' ? "," : "", more);
}

/* ${n} trials around ${seconds}, a few percent apart and never twice the same. */
static void
trials(struct file *f, const char *name, double seconds, int n)
{
    for (int i = 0; i < n; i++) {
        double off = 1 + 0.04 * ((i * 7919 % 101) / 101.0 - 0.5);
        fprintf(f->stream, "{\"type\":\"sample\",\"cell\":\"%s\",\"round\":%d,\"status\":\"ok\",\"wall_ns\":%.0f}\n", name, i,
                seconds * off * 1e9);
    }
}

static struct mb_results *
finish(struct file *f)
{
    struct mb_results *results;
    const char *files[] = {f->path};

    fputs("{\"type\":\"end\",\"status\":\"complete\"}\n", f->stream);
    fclose(f->stream);
    ck_assert_msg(mb_results_read(files, 1, &results, &err) == 0, "%s", err.message);
    unlink(f->path);
    return results;
}

/* A file of one engine, one mount, one workload. */
static struct mb_results *
single(const char *params, double seconds, int n)
{
    struct file f = begin("r");
    cell(&f, "e", "m", "w", params, "");
    trials(&f, "e/m/w", seconds, n);
    return finish(&f);
}

static struct mb_comparison *
compare(const struct mb_results *a, const char *pattern_a, const struct mb_results *b, const char *pattern_b, enum mb_compare_by by)
{
    const struct mb_compare_side side_a = {"a", a, pattern_a}, side_b = {"b", b, pattern_b};
    struct mb_comparison *c = NULL;

    ck_assert_msg(mb_compare(&side_a, &side_b, by, NULL, &c, &err) == 0, "%s", err.message);
    return c;
}

static void
refuse(const struct mb_results *a, const char *pattern_a, const struct mb_results *b, const char *pattern_b, enum mb_compare_by by,
       const char *message)
{
    const struct mb_compare_side side_a = {"a", a, pattern_a}, side_b = {"b", b, pattern_b};
    struct mb_comparison *c;

    ck_assert_int_eq(mb_compare(&side_a, &side_b, by, NULL, &c, &err), -1);
    ck_assert_ptr_null(c);
    ck_assert_str_eq(err.message, message);
}

static bool
remarks_on(const struct mb_comparison *c, const char *text)
{
    for (size_t i = 0; i < c->remark_count; i++) {
        if (strstr(c->remarks[i], text) != NULL)
            return true;
    }
    return false;
}

START_TEST(verdicts)
{
    static const struct {
        const char *label;
        double a, b;
        int na, nb;
        enum mb_compare_verdict verdict;
        bool welch;
    } rows[] = {
        {"clearly faster", 2, 1, 10, 10, MB_COMPARE_FASTER, false},
        {"clearly slower", 1, 2, 10, 10, MB_COMPARE_SLOWER, false},
        {"a few percent", 1, 1.03, 30, 30, MB_COMPARE_SLOWER, false},
        {"the same", 1, 1, 10, 10, MB_COMPARE_SAME, false},
        {"five and five", 2, 1, 5, 5, MB_COMPARE_FASTER, false},
        {"three and three: by Welch's test", 2, 1, 3, 3, MB_COMPARE_FASTER, true},
        {"two are too few, however far apart", 9, 1, 2, 12, MB_COMPARE_UNSURE, false},
        {"one", 1, 1, 1, 1, MB_COMPARE_UNSURE, false},
        {"none", 1, 1, 0, 5, MB_COMPARE_MISSING, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mb_results *a = single("", rows[i].a, rows[i].na), *b = single("", rows[i].b, rows[i].nb);
        struct mb_comparison *c = compare(a, NULL, b, NULL, MB_COMPARE_FILES);
        const struct mb_compare_row *row = &c->rows[0];
        ck_assert_msg(row->verdict == rows[i].verdict, "%s: %d", rows[i].label, row->verdict);
        ck_assert_msg(row->welch == rows[i].welch, "%s", rows[i].label);
        ck_assert_uint_eq(c->counts[row->verdict], 1);
        if (row->verdict <= MB_COMPARE_SAME) {
            /* Seconds: B's speed over A's is A's time over B's. */
            ck_assert_double_eq_tol(row->ratio, rows[i].a / rows[i].b, 0.03 * rows[i].a / rows[i].b);
            ck_assert(row->interval.low <= row->ratio && row->ratio <= row->interval.high);
            ck_assert_double_eq(row->p_corrected, row->p);
            ck_assert_double_eq_tol(c->mean_ratio, row->ratio, 1e-12);
        }
        mb_comparison_free(c);
        mb_results_free(a);
        mb_results_free(b);
    }
}
END_TEST

/* Few trials that leave room for a quarter either way are no proof of sameness. */
START_TEST(unsure)
{
    static const double wide[] = {1, 1.6, 0.7, 1.2, 1.5};
    struct file f = begin("r");
    cell(&f, "e", "m", "w", "", "");
    for (size_t i = 0; i < 5; i++)
        fprintf(f.stream, "{\"type\":\"sample\",\"cell\":\"e/m/w\",\"wall_ns\":%.0f}\n", wide[i] * 1e9);
    struct mb_results *a = finish(&f), *b = single("", 1, 5);
    struct mb_comparison *c = compare(a, NULL, b, NULL, MB_COMPARE_FILES);
    ck_assert_int_eq(c->rows[0].verdict, MB_COMPARE_UNSURE);
    ck_assert_double_gt(c->rows[0].p, 0.05);
    mb_comparison_free(c);
    mb_results_free(a);
    mb_results_free(b);
}
END_TEST

/* In a long table a row needs a smaller p: one that would do alone does not among a hundred of which the others differ in nothing.
 */
START_TEST(corrected_over_the_table)
{
    struct file f = begin("a"), g = begin("b");
    char name[32];
    for (int w = 0; w < 100; w++) {
        char workload[8];
        snprintf(workload, sizeof workload, "w%d", w);
        snprintf(name, sizeof name, "e/m/%s", workload);
        cell(&f, "e", "m", workload, "", "");
        cell(&g, "e", "m", workload, "", "");
        trials(&f, name, 1, 12);
        trials(&g, name, w == 0 ? 1.018 : w == 1 ? 1 / 1.018 : 1, 12);
    }
    struct mb_results *a = finish(&f), *b = finish(&g);
    struct mb_comparison *c = compare(a, NULL, b, NULL, MB_COMPARE_FILES);
    ck_assert_uint_eq(c->row_count, 100);
    ck_assert_double_lt(c->rows[0].interval.high, 1);
    ck_assert_double_gt(c->rows[1].interval.low, 1);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_double_lt(c->rows[i].p, 0.05);
        ck_assert_double_gt(c->rows[i].p_corrected, 0.05);
        ck_assert_int_eq(c->rows[i].verdict, MB_COMPARE_SAME);
    }
    mb_comparison_free(c);
    mb_results_free(a);
    mb_results_free(b);
}
END_TEST

/* Two mounts that are one filesystem set the noise floor; what is within it is no difference, whatever p says. */
START_TEST(noise_floor)
{
    for (int twins = 0; twins < 2; twins++) {
        struct file f = begin("r");
        cell(&f, "e", "bind", "w", "", "\"filesystem\":{\"fstype\":\"ext4\",\"device\":\"8:1\"}");
        cell(&f, "e", "cached", "w", "",
             twins ? "\"filesystem\":{\"fstype\":\"ext4\",\"device\":\"8:1\"}"
                   : "\"filesystem\":{\"fstype\":\"ext4\",\"device\":\"8:3\"}");
        cell(&f, "e", "volume", "w", "", "\"filesystem\":{\"fstype\":\"ext4\",\"device\":\"8:2\"}");
        trials(&f, "e/bind/w", 1, 20);
        trials(&f, "e/cached/w", 1.1, 20);
        trials(&f, "e/volume/w", 1.05, 20);
        struct mb_results *r = finish(&f);
        struct mb_comparison *c = compare(r, "volume", r, "bind", MB_COMPARE_MOUNTS);
        ck_assert_double_lt(c->rows[0].p, 0.001);
        ck_assert_int_eq(c->rows[0].verdict, twins ? MB_COMPARE_SAME : MB_COMPARE_FASTER);
        ck_assert(twins ? fabs(c->noise - 1.1) < 0.01 : isnan(c->noise));
        mb_comparison_free(c);
        c = compare(r, "bind", r, "cached", MB_COMPARE_MOUNTS);
        ck_assert(remarks_on(c, "one filesystem") == (twins != 0));
        mb_comparison_free(c);
        mb_results_free(r);
    }
}
END_TEST

START_TEST(hidden_parameters)
{
    static const struct {
        const char *a, *b, *why;
    } rows[] = {
        {"\"block\":4096", "\"block\":1024", "block is 4096 in A, 1024 in B"},
        {"\"sync\":\"none\"", "\"sync\":\"fsync\"", "sync is \"none\" in A, \"fsync\" in B"},
        {"\"x\":1,\"data_seed\":1", "\"data_seed\":2,\"x\":1", "data_seed is 1 in A, 2 in B"},
        {"\"direct\":true", "\"direct\":false", "direct is true in A, false in B"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mb_results *a = single(rows[i].a, 1, 5), *b = single(rows[i].b, 1, 5);
        char message[256];
        snprintf(message, sizeof message, "nothing can be compared: m/w: %s", rows[i].why);
        refuse(a, NULL, b, NULL, MB_COMPARE_FILES, message);
        ck_assert_int_eq(err.code, MB_ECONFIG);
        mb_results_free(a);
        mb_results_free(b);
    }
    /* The same in another order is the same; what one side does not say is remarked on. */
    struct mb_results *a = single("\"x\":1,\"y\":2", 1, 5), *b = single("\"y\":2,\"x\":1", 1, 5), *silent = single("\"x\":1", 1, 5);
    struct mb_comparison *c = compare(a, NULL, b, NULL, MB_COMPARE_FILES);
    ck_assert_uint_eq(c->remark_count, 0);
    mb_comparison_free(c);
    c = compare(a, NULL, silent, NULL, MB_COMPARE_FILES);
    ck_assert(remarks_on(c, "B does not say what 'y' was for m/w"));
    mb_comparison_free(c);
    mb_results_free(a);
    mb_results_free(b);
    mb_results_free(silent);
}
END_TEST

/* One refused row among others: the others are compared, but a gate cannot be passed. */
START_TEST(refused_among_others)
{
    struct file f = begin("a"), g = begin("b");
    cell(&f, "e", "m", "w", "\"block\":1", "");
    cell(&g, "e", "m", "w", "\"block\":2", "");
    cell(&f, "e", "m", "v", "\"block\":1", "");
    cell(&g, "e", "m", "v", "\"block\":1", "");
    trials(&f, "e/m/w", 1, 9);
    trials(&g, "e/m/w", 9, 9);
    trials(&f, "e/m/v", 1, 9);
    trials(&g, "e/m/v", 1, 9);
    struct mb_results *a = finish(&f), *b = finish(&g);
    struct mb_comparison *c = compare(a, NULL, b, NULL, MB_COMPARE_FILES);
    ck_assert_uint_eq(c->counts[MB_COMPARE_REFUSED], 1);
    ck_assert_int_eq(c->rows[0].verdict, MB_COMPARE_REFUSED);
    ck_assert(isnan(c->rows[0].ratio) && isnan(c->rows[0].p));
    ck_assert_uint_eq(c->mean_of, 1);
    ck_assert_int_eq(mb_comparison_gate(c, 5, &err), -1);
    ck_assert_int_eq(err.code, MB_ECONFIG);
    ck_assert_str_eq(err.message, "--fail-above cannot be decided: m/w: block is 1 in A, 2 in B");
    mb_comparison_free(c);
    mb_results_free(a);
    mb_results_free(b);
}
END_TEST

START_TEST(gate)
{
    static const struct {
        const char *label;
        double b, percent;
        int nb;
        enum mb_error_code code;
    } rows[] = {
        {"twice as slow", 2, 5, 10, MB_EABOVE},
        {"twice as slow is half the speed", 2, 49, 10, MB_EABOVE},
        {"and no more", 2, 51, 10, MB_OK},
        {"the same", 1, 0, 10, MB_OK},
        {"faster", 0.5, 0, 10, MB_OK},
        {"slower, but two trials show nothing", 2, 5, 2, MB_OK},
        {"no figure any more", 1, 5, 0, MB_EABOVE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mb_results *a = single("", 1, 10), *b = single("", rows[i].b, rows[i].nb);
        struct mb_comparison *c = compare(a, NULL, b, NULL, MB_COMPARE_FILES);
        mb_error_clear(&err);
        int rc = mb_comparison_gate(c, rows[i].percent, &err);
        ck_assert_msg(rc == (rows[i].code == MB_OK ? 0 : -1) && err.code == rows[i].code, "%s: %s", rows[i].label, err.message);
        mb_comparison_free(c);
        mb_results_free(a);
        mb_results_free(b);
    }
}
END_TEST

/* Engine names of two files need not agree when each has one only; with several they are part of the row. */
START_TEST(rows_of_files)
{
    struct file f = begin("a"), g = begin("b"), h = begin("c");
    cell(&f, "one", "m", "w", "", "");
    cell(&g, "two", "m", "w", "", "");
    cell(&h, "one", "m", "w", "", "");
    cell(&h, "two", "m", "w", "", "");
    cell(&h, "two", "n", "w", "", "");
    trials(&f, "one/m/w", 1, 9);
    trials(&g, "two/m/w", 2, 9);
    trials(&h, "one/m/w", 4, 9);
    trials(&h, "two/m/w", 8, 9);
    struct mb_results *a = finish(&f), *b = finish(&g), *both = finish(&h);
    struct mb_comparison *c = compare(a, NULL, b, NULL, MB_COMPARE_FILES);
    ck_assert_uint_eq(c->row_count, 1);
    ck_assert_str_eq(c->rows[0].name, "m/w");
    ck_assert_double_eq_tol(c->rows[0].ratio, 0.5, 0.02);
    mb_comparison_free(c);
    c = compare(a, NULL, both, NULL, MB_COMPARE_FILES);
    ck_assert_uint_eq(c->row_count, 1);
    ck_assert_str_eq(c->rows[0].name, "one/m/w");
    ck_assert_double_eq_tol(c->rows[0].ratio, 0.25, 0.02);
    ck_assert(remarks_on(c, "Only in B: two/m/w, two/n/w."));
    mb_comparison_free(c);
    c = compare(both, "one", both, "two", MB_COMPARE_ENGINES);
    ck_assert_uint_eq(c->row_count, 1);
    ck_assert_str_eq(c->rows[0].name, "m/w");
    ck_assert_double_eq_tol(c->rows[0].ratio, 0.5, 0.02);
    mb_comparison_free(c);
    /* A side against itself. */
    c = compare(a, NULL, a, NULL, MB_COMPARE_FILES);
    ck_assert_double_eq(c->rows[0].ratio, 1);
    ck_assert_int_eq(c->rows[0].verdict, MB_COMPARE_SAME);
    mb_comparison_free(c);
    mb_results_free(a);
    mb_results_free(b);
    mb_results_free(both);
}
END_TEST

START_TEST(rows_of_cells)
{
    struct file f = begin("r");
    static const char *const mounts[] = {"bind", "volume"}, *const workloads[] = {"w", "v"}, *const engines[] = {"x", "y"};
    for (size_t e = 0; e < 2; e++) {
        for (size_t m = 0; m < 2; m++) {
            for (size_t w = 0; w < 2; w++) {
                char name[64];
                snprintf(name, sizeof name, "%s/%s/%s", engines[e], mounts[m], workloads[w]);
                cell(&f, engines[e], mounts[m], workloads[w], "", "");
                trials(&f, name, 1 + (double)m, 9);
            }
        }
    }
    struct mb_results *r = finish(&f);
    static const struct {
        const char *a, *b, *first;
        size_t count;
    } rows[] = {
        {"x/bind/*", "x/volume/*", "w", 2},           /* the workload tells a side's cells apart */
        {"*/bind/*", "*/volume/*", "x/w", 4},         /* engine and workload do */
        {"x/*", "y/*", "bind/w", 4},                  /* mount and workload do */
        {"x/*/w", "y/*/w", "bind/w", 2},              /* */
        {"x/bind/w", "y/volume/w", "w", 1},           /* one against one */
        {"x/bind/w", "x/bind/v", "one cell each", 1}, /* whatever they are called */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mb_comparison *c = compare(r, rows[i].a, r, rows[i].b, MB_COMPARE_CELLS);
        ck_assert_msg(c->row_count == rows[i].count, "%s %s: %zu rows", rows[i].a, rows[i].b, c->row_count);
        ck_assert_str_eq(c->rows[0].name, rows[i].first);
        mb_comparison_free(c);
    }
    struct mb_comparison *c = compare(r, "bind", r, "volume", MB_COMPARE_MOUNTS);
    ck_assert_uint_eq(c->row_count, 4);
    ck_assert_str_eq(c->rows[0].name, "x/w");
    mb_comparison_free(c);
    refuse(r, "bnid", r, "volume", MB_COMPARE_MOUNTS, "no mount is called 'bnid' (did you mean 'bind'?)");
    refuse(r, "x", r, "nothing", MB_COMPARE_ENGINES, "no engine is called 'nothing'; there are: x, y");
    refuse(
        r, "x/bind/w", r, "[", MB_COMPARE_CELLS,
        "no cell is called '['; there are: x/bind/w, x/bind/v, x/volume/w, x/volume/v, y/bind/w, y/bind/v, y/volume/w, y/volume/v");
    mb_results_free(r);
}
END_TEST

START_TEST(nothing_in_common)
{
    struct file f = begin("a"), g = begin("b"), h = begin("c");
    cell(&f, "e", "m", "w", "", "");
    cell(&g, "e", "m", "v", "", "");
    struct mb_results *a = finish(&f), *b = finish(&g), *empty = finish(&h);
    char message[200];

    refuse(a, NULL, b, NULL, MB_COMPARE_FILES, "no cell of one side has a match on the other: the first ones are 'm/w' and 'm/v'");
    snprintf(message, sizeof message, "there is nothing to compare: no cell in %s", h.path);
    refuse(a, NULL, empty, NULL, MB_COMPARE_FILES, message);
    mb_results_free(a);
    mb_results_free(b);
    mb_results_free(empty);
}
END_TEST

/* Two runs of one cell in a file are one side of trials. */
START_TEST(runs_pool)
{
    struct file f = begin("a");
    cell(&f, "e", "m", "w", "", "");
    trials(&f, "e/m/w", 1, 4);
    fputs("{\"type\":\"run\",\"schema\":1,\"id\":\"again\",\"tool\":{\"probe\":\"p\"}}\n", f.stream);
    cell(&f, "e", "m", "w", "", "");
    trials(&f, "e/m/w", 1, 6);
    struct mb_results *a = finish(&f), *b = single("", 1, 5);
    struct mb_comparison *c = compare(a, NULL, b, NULL, MB_COMPARE_FILES);
    ck_assert_uint_eq(c->row_count, 1);
    ck_assert_uint_eq(c->rows[0].value_a.n, 10);
    ck_assert_uint_eq(c->rows[0].value_b.n, 5);
    mb_comparison_free(c);
    mb_results_free(a);
    mb_results_free(b);
}
END_TEST

START_TEST(surroundings)
{
    struct file f = begin("a"), g = begin("b");
    fputs("{\"type\":\"engine\",\"engine\":\"e\",\"runtime\":\"podman\",\"kernel\":\"6.1\",\"arch\":\"amd64\"}\n", f.stream);
    fputs("{\"type\":\"engine\",\"engine\":\"e\",\"runtime\":\"podman\",\"kernel\":\"6.6\",\"arch\":\"amd64\"}\n", g.stream);
    cell(&f, "e", "m", "w", "", "\"filesystem\":{\"fstype\":\"virtiofs\"}");
    cell(&g, "e", "m", "w", "", "\"filesystem\":{\"fstype\":\"9p\"}");
    trials(&f, "e/m/w", 1, 4);
    trials(&g, "e/m/w", 1, 4);
    struct mb_results *a = finish(&f), *b = finish(&g);
    struct mb_comparison *c = compare(a, NULL, b, NULL, MB_COMPARE_FILES);
    ck_assert_uint_eq(c->remark_count, 2);
    ck_assert_str_eq(c->remarks[0], "The mount m is virtiofs in A, 9p in B.");
    ck_assert_str_eq(c->remarks[1], "The engine's kernel differs: 6.1 in A, 6.6 in B.");
    mb_comparison_free(c);
    mb_results_free(a);
    mb_results_free(b);
}
END_TEST

/* A drift is said, with the row and the side that it is on; the verdict stands. */
START_TEST(marked)
{
    struct file f = begin("a");
    cell(&f, "e", "m", "w", "", "");
    for (int i = 0; i < 20; i++)
        fprintf(f.stream, "{\"type\":\"sample\",\"cell\":\"e/m/w\",\"round\":%d,\"wall_ns\":%d}\n", i, 1000000000 + i * 20000000);
    struct mb_results *a = finish(&f), *b = single("", 1.2, 20);
    struct mb_comparison *c = compare(b, NULL, a, NULL, MB_COMPARE_FILES);
    ck_assert_uint_eq(c->remark_count, 1);
    ck_assert_str_eq(c->remarks[0], "m/w in B: figures rise from trial to trial.");
    mb_comparison_free(c);
    mb_results_free(a);
    mb_results_free(b);
}
END_TEST

START_TEST(outliers_dropped)
{
    struct file f = begin("a");
    cell(&f, "e", "m", "w", "", "");
    trials(&f, "e/m/w", 1, 8);
    trials(&f, "e/m/w", 50, 1);
    struct mb_results *a = finish(&f);
    const struct mb_compare_side side = {NULL, a, NULL};
    struct mb_compare_options options = {.drop_outliers = true};
    struct mb_comparison *c;

    ck_assert_int_eq(mb_compare(&side, &side, MB_COMPARE_FILES, &options, &c, &err), 0);
    ck_assert_uint_eq(c->rows[0].value_a.n, 8);
    ck_assert(remarks_on(c, "m/w in A: an outlier is left out."));
    ck_assert_str_eq(c->label_a, f.path);
    mb_comparison_free(c);
    mb_comparison_free(NULL);
    mb_results_free(a);
}
END_TEST

START_TEST(formats)
{
    struct mb_results *a = single("", 2, 9), *b = single("", 1, 9);
    struct mb_comparison *c = compare(a, NULL, b, NULL, MB_COMPARE_FILES);
    const struct mb_comparison *const list[] = {c};
    const struct mb_compare_view plain = {.width = 80, .ascii = true}, colour = {.width = 80, .colour = true};
    MB_AUTO_BUFFER out = MB_BUFFER_INIT(1 << 20);

    ck_assert_int_eq(mb_comparison_render("terminal", list, 1, &plain, &out, &err), 0);
    ck_assert_ptr_nonnull(strstr(mb_buffer_text(&out), "faster x2.00\n"));
    ck_assert_ptr_null(strchr(mb_buffer_text(&out), '\033'));
    for (size_t i = 0; i < out.len; i++)
        ck_assert_int_lt((unsigned char)out.data[i], 0x7f);
    mb_buffer_reset(&out);
    ck_assert_int_eq(mb_comparison_render("terminal", list, 1, &colour, &out, &err), 0);
    ck_assert_ptr_nonnull(strstr(mb_buffer_text(&out), "\033[32mfaster \xC3\x97"
                                                       "2.00\033[0m\n"));
    mb_buffer_reset(&out);
    ck_assert_int_eq(mb_comparison_render("json", list, 1, &plain, &out, &err), 0);
    cJSON *json = cJSON_Parse(mb_buffer_text(&out));
    ck_assert_ptr_nonnull(json);
    cJSON_Delete(json);
    ck_assert_int_eq(mb_comparison_render("jsno", list, 1, &plain, &out, &err), -1);
    ck_assert_str_eq(err.message, "unknown format 'jsno' (did you mean 'json'?)");
    ck_assert_int_eq(mb_comparison_render("pdf", list, 1, &plain, &out, &err), -1);
    ck_assert_str_eq(err.message, "unknown format 'pdf'; comparisons have terminal, markdown, csv, json");
    mb_comparison_free(c);
    mb_results_free(a);
    mb_results_free(b);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("compare");
    TCase *tcase = tcase_create("compare");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, verdicts);
    tcase_add_test(tcase, unsure);
    tcase_add_test(tcase, corrected_over_the_table);
    tcase_add_test(tcase, noise_floor);
    tcase_add_test(tcase, hidden_parameters);
    tcase_add_test(tcase, refused_among_others);
    tcase_add_test(tcase, gate);
    tcase_add_test(tcase, rows_of_files);
    tcase_add_test(tcase, rows_of_cells);
    tcase_add_test(tcase, nothing_in_common);
    tcase_add_test(tcase, runs_pool);
    tcase_add_test(tcase, surroundings);
    tcase_add_test(tcase, marked);
    tcase_add_test(tcase, outliers_dropped);
    tcase_add_test(tcase, formats);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
