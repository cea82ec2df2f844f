/* propagation_changes.c: one change after the other: what it needs, what the reader knows before it, how long until it is seen. */
#include <stdio.h>
#include <string.h>

#include "mountbench/clock.h"
#include "runner/propagation_trial.h"

/* Where the trial stands in words, for what was lost or wrong. */
static void
note(struct mb_propagation *t, size_t direction, const struct mb_side_change *change, const char *what, const char *trouble)
{
    if (t->trouble[0] != '\0')
        return;
    snprintf(t->trouble, sizeof t->trouble, "to the %s, %s was %s%s%s", direction == MB_WAY_TO_HOST ? "host" : "container",
             mb_change_names[change->kind], what, trouble[0] != '\0' ? ": " : "", trouble);
}

static void
fresh_name(struct mb_propagation *t, struct mb_way *w)
{
    snprintf(w->name, sizeof w->name, "t%llu-%llu", (unsigned long long)t->job->id, (unsigned long long)++t->number);
}

/* The change of ${kind} to what ${w} has, ${to} being room for another name. */
static struct mb_side_change
plan_change(struct mb_propagation *t, struct mb_way *w, enum mb_change kind, char to[48])
{
    struct mb_side_change c = {.kind = kind,
                               .name = w->name,
                               .before = w->file,
                               .after = w->file,
                               .stamp = t->values[MB_PROPAGATION_LOOK] == MB_LOOK_STAT};

    if (kind == MB_CHANGE_CREATE) {
        fresh_name(t, w);
        c.after = (struct mb_file_state){.present = true, .size = t->values[MB_PROPAGATION_SIZE]};
    }
    if (kind == MB_CHANGE_CREATE || kind == MB_CHANGE_OVERWRITE)
        c.after.version = ++t->version;
    if (kind == MB_CHANGE_APPEND)
        c.after.size += t->values[MB_PROPAGATION_SIZE];
    if (kind == MB_CHANGE_REMOVE)
        c.after = (struct mb_file_state){0};
    if (kind == MB_CHANGE_RENAME) {
        snprintf(to, 48, "t%llu-%llu", (unsigned long long)t->job->id, (unsigned long long)++t->number);
        c.to = to;
    }
    return c;
}

static int
make_change(struct mb_propagation *t, struct mb_way *w, const struct mb_side_change *c, struct mb_error *err)
{
    t->asked = w->writer;
    if (mb_client_change(w->writer, w->writer_dir, c, err) != 0)
        return -1;
    w->file = c->after;
    return 0;
}

/* An untimed change, so that there is what the next one needs. */
static int
arrange(struct mb_propagation *t, struct mb_way *w, enum mb_change kind, struct mb_error *err)
{
    char to[48];
    const struct mb_side_change c = plan_change(t, w, kind, to);

    return make_change(t, w, &c, err);
}

/* A file for the changes that need one, short enough to append to; none for one that makes it. */
static int
arrange_for(struct mb_propagation *t, struct mb_way *w, enum mb_change kind, struct mb_error *err)
{
    bool full = kind == MB_CHANGE_APPEND && w->file.size + t->values[MB_PROPAGATION_SIZE] > 4 * t->values[MB_PROPAGATION_SIZE];

    if (w->file.present && (kind == MB_CHANGE_CREATE || full) && arrange(t, w, MB_CHANGE_REMOVE, err) != 0)
        return -1;
    return !w->file.present && kind != MB_CHANGE_CREATE ? arrange(t, w, MB_CHANGE_CREATE, err) : 0;
}

static int
watch(struct mb_propagation *t, struct mb_way *w, const struct mb_side_change *c, bool done, struct mb_side_view *view,
      struct mb_error *err)
{
    *view = (struct mb_side_view){.look = (enum mb_look)t->values[MB_PROPAGATION_LOOK],
                                  .limit_ns = t->values[MB_PROPAGATION_LIMIT],
                                  .poll_ns = t->values[MB_PROPAGATION_POLL]};
    t->asked = w->reader;
    return mb_client_watch(w->reader, w->reader_dir, c, done, view, err);
}

/*
 * Have the reader see what there is before the change.  What it sees at once, in its second look at the same, is the floor.  1: it
 * does; 0: not within the limit.
 */
static int
settle(struct mb_propagation *t, struct mb_way *w, const struct mb_side_change *c, struct mb_error *err)
{
    for (int i = 0; i < 2; i++) {
        struct mb_side_view view;
        uint64_t start_ns = mb_now_ns();
        if (watch(t, w, c, false, &view, err) != 0)
            return -1;
        if (!view.seen)
            return 0;
        if (i == 1 && view.looks == 1)
            w->floors_ns[w->floor_count++] = (double)(mb_now_ns() - start_ns);
    }
    return 1;
}

static void
count(struct mb_way *w, double ns)
{
    w->times_ns[w->count++] = ns;
}

/* One of possibly many that wait in vain, each for the whole limit: because nobody carries anything any more? */
static int
lose(struct mb_propagation *t, size_t direction, const struct mb_side_change *c, const char *what, const char *trouble,
     struct mb_error *err)
{
    t->ways[direction].lost++;
    note(t, direction, c, what, trouble);
    count(&t->ways[direction], (double)t->values[MB_PROPAGATION_LIMIT]);
    t->asked = NULL;
    return mb_station_check(t->cell->station, err);
}

static int
change_once(struct mb_propagation *t, size_t direction, enum mb_change kind, struct mb_error *err)
{
    struct mb_way *w = &t->ways[direction];
    struct mb_side_view view;
    char to[48];

    if (arrange_for(t, w, kind, err) != 0)
        return -1;
    const struct mb_side_change c = plan_change(t, w, kind, to);
    int settled = settle(t, w, &c, err);
    if (settled < 0 || make_change(t, w, &c, err) != 0)
        return -1;
    uint64_t start_ns = mb_now_ns();
    if (settled == 0) {
        if (lose(t, direction, &c, "not to be seen: not even the file as it was before", "", err) != 0)
            return -1;
    } else {
        if (watch(t, w, &c, true, &view, err) != 0)
            return -1;
        double ns = (double)(mb_now_ns() - start_ns);
        w->wrong += view.wrong > 0;
        if (view.wrong > 0)
            note(t, direction, &c, "seen wrong", view.trouble);
        if (view.seen)
            count(w, ns);
        else if (lose(t, direction, &c, "not seen in time", view.trouble, err) != 0)
            return -1;
    }
    if (c.to != NULL)
        memcpy(w->name, to, sizeof to);
    return 0;
}

static size_t
wanted(const struct mb_propagation *t)
{
    return (size_t)t->values[MB_PROPAGATION_CHANGES] * (t->ways[0].wanted && t->ways[1].wanted ? 2 : 1);
}

int
mb_propagation_make_changes(struct mb_propagation *t, struct mb_error *err)
{
    for (uint64_t i = 0; i < t->values[MB_PROPAGATION_CHANGES]; i++) {
        uint64_t kind = t->values[MB_PROPAGATION_CHANGE];
        for (size_t d = 0; d < MB_WAYS; d++) {
            if (!t->ways[d].wanted)
                continue;
            t->asked = NULL;
            if (mb_now_ns() > t->deadline_ns)
                return mb_error_set(err, MB_ETIMEOUT, "its time was up after %zu of %zu changes: set 'timeout', or fewer 'changes'",
                                    t->ways[0].count + t->ways[1].count, wanted(t));
            if (change_once(t, d, (enum mb_change)(kind == 0 ? i % MB_CHANGES : kind - 1), err) != 0)
                return -1;
        }
    }
    return 0;
}

void
mb_propagation_remove_files(struct mb_propagation *t)
{
    for (size_t d = 0; d < MB_WAYS; d++) {
        struct mb_error ignored = {0};
        if (t->ways[d].wanted && t->ways[d].file.present && !t->ways[d].writer->owed)
            arrange(t, &t->ways[d], MB_CHANGE_REMOVE, &ignored);
    }
}
