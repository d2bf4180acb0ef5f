#include "analyze/meetings.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What an operation's name says about its members. */
enum shape { SHAPE_UNKNOWN, SHAPE_ALL, SHAPE_ROOTED, SHAPE_SEND };

static const struct {
    const char *part; /* of the name, whatever the case */
    enum shape shape;
} shapes[] = {
    /* The first that is found wins: "all_reduce" is no "reduce". */
    {"all_reduce", SHAPE_ALL},     {"allreduce", SHAPE_ALL},
    {"all_gather", SHAPE_ALL},     {"allgather", SHAPE_ALL},
    {"reduce_scatter", SHAPE_ALL}, {"reducescatter", SHAPE_ALL},
    {"all_to_all", SHAPE_ALL},     {"alltoall", SHAPE_ALL},
    {"sendrecv", SHAPE_ALL}, /* NCCL's kernel of all-to-all as well as of a send */
    {"barrier", SHAPE_ALL},        {"send", SHAPE_SEND},
    {"recv", SHAPE_SEND},          {"broadcast", SHAPE_ROOTED},
    {"reduce", SHAPE_ROOTED},      {"gather", SHAPE_ROOTED},
    {"scatter", SHAPE_ROOTED},
};

static enum shape shape_of(const char *name)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcasestr(name, shapes[i].part))
            return shapes[i].shape;
    return SHAPE_ALL;
}

/* One collective and the key that its meeting has. */
struct arrival {
    name_id name, group_name;
    int32_t group_size;
    int32_t rank;
    int64_t number; /* in the group, or of the step */
    uint32_t row;
    bool by_seq;
    uint8_t shape;
};

/* A step's number is no row: ranks have rows of their own. */
static int64_t step_number(const struct run *run, int32_t step)
{
    return step < 0 ? INT64_MIN : run->steps.number[step];
}

static struct arrival arrival_of(const struct run *run, size_t i)
{
    const struct collectives *c = &run->collectives;
    bool by_seq = c->seq[i] >= 0 && c->group_name[i] != 0;
    return (struct arrival){.name = c->name[i],
                            .group_name = c->group_name[i],
                            .group_size = c->group_size[i],
                            .rank = c->rank[i],
                            .number = by_seq ? c->seq[i] : step_number(run, c->step[i]),
                            .row = (uint32_t)i,
                            .by_seq = by_seq};
}

#define COMPARE(x, y)                                                                    \
    if ((x) != (y))                                                                      \
    return (x) < (y) ? -1 : 1

static int compare_keys(const struct arrival *a, const struct arrival *b)
{
    COMPARE(a->group_name, b->group_name);
    COMPARE(a->name, b->name);
    COMPARE(a->group_size, b->group_size);
    COMPARE(a->by_seq, b->by_seq);
    COMPARE(a->number, b->number);
    return 0;
}

static int compare_arrivals(const void *a_, const void *b_, void *begin_ns_)
{
    const struct arrival *a = a_, *b = b_;
    const int64_t *begin_ns = begin_ns_;
    int by_key = compare_keys(a, b);
    if (by_key)
        return by_key;
    COMPARE(a->rank, b->rank);
    COMPARE(begin_ns[a->row], begin_ns[b->row]);
    COMPARE(a->row, b->row);
    return 0;
}

/* All that may meet, sorted so that those of a key stand together, by rank and time. */
static struct arrival *sorted_arrivals(struct meetings *m, const struct run *run,
                                       size_t *n_out)
{
    const struct collectives *c = &run->collectives;
    struct arrival *all = mem_zalloc(c->table.n, sizeof *all);
    uint8_t *shape = mem_zalloc(run->names.n, sizeof *shape); /* by name */
    size_t n = 0;
    for (size_t i = 0; i < c->table.n; i++) {
        if (c->rank[i] < 0)
            continue;
        if (!shape[c->name[i]])
            shape[c->name[i]] = (uint8_t)shape_of(run_name(run, c->name[i]));
        if (shape[c->name[i]] == SHAPE_SEND) {
            m->sends++;
            continue;
        }
        all[n] = arrival_of(run, i);
        all[n++].shape = shape[c->name[i]];
    }
    mem_free(shape);
    if (n)
        qsort_r(all, n, sizeof *all, compare_arrivals, c->begin_ns);
    *n_out = n;
    return all;
}

/* The collectives of one key on one rank. */
struct turn {
    const struct arrival *first;
    size_t n;
};

struct turns {
    struct turn *turn; /* (n) of one key, by rank */
    size_t n, cap;
};

static void turns_fill(struct turns *t, const struct arrival *of_key, size_t n)
{
    t->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (!i || of_key[i].rank != of_key[i - 1].rank) {
            vec_grow(t->turn, t->cap, t->n + 1);
            t->turn[t->n++] = (struct turn){&of_key[i], 0};
        }
        t->turn[t->n - 1].n++;
    }
}

static int compare_counts(const void *a, const void *b)
{
    size_t x = ((const struct turn *)a)->n, y = ((const struct turn *)b)->n;
    return (x > y) - (x < y);
}

/* How many collectives most ranks have of this key; 0 where no number leads. */
static size_t common_count(const struct turns *t)
{
    bool equal = true;
    for (size_t i = 1; i < t->n; i++)
        equal = equal && t->turn[i].n == t->turn[0].n;
    if (equal)
        return t->n ? t->turn[0].n : 0;
    struct turn *sorted = mem_alloc(t->n * sizeof *sorted);
    memcpy(sorted, t->turn, t->n * sizeof *sorted);
    qsort(sorted, t->n, sizeof *sorted, compare_counts);
    size_t best = 0, most = 0, run = 0;
    for (size_t i = 0; i < t->n; i++) {
        run = i && sorted[i].n == sorted[i - 1].n ? run + 1 : 1;
        if (run == most)
            best = 0; /* a tie: who is right? */
        if (run > most) {
            most = run;
            best = sorted[i].n;
        }
    }
    mem_free(sorted);
    return best;
}

static void add_meeting(struct meetings *m, const struct turns *t, size_t count, size_t k)
{
    vec_grow(m->meeting, m->cap, m->n + 1);
    struct meeting *now = &m->meeting[m->n++];
    const struct arrival *any = t->turn[0].first;
    *now = (struct meeting){.first = m->n_rows, .rooted = any->shape == SHAPE_ROOTED};
    for (size_t i = 0; i < t->n; i++)
        if (t->turn[i].n == count) {
            m->row[m->n_rows++] = t->turn[i].first[k].row;
            now->n++;
        }
    if (any->by_seq)
        m->by_seq += now->n;
}

static void add_key(struct meetings *m, struct turns *t, const struct arrival *of_key,
                    size_t n)
{
    turns_fill(t, of_key, n);
    if (t->n < 2)
        return; /* nobody to meet: its group's other ranks are not here */
    size_t count = common_count(t), members = 0;
    for (size_t i = 0; i < t->n; i++)
        members += t->turn[i].n == count;
    int32_t group_size = of_key->group_size;
    if (members < 2 || (group_size > 0 && members > (size_t)group_size)) {
        m->ambiguous += n;
        return;
    }
    m->ambiguous += n - members * count;
    for (size_t k = 0; k < count; k++)
        add_meeting(m, t, count, k);
}

void meetings_init(struct meetings *m, const struct run *run)
{
    *m = (struct meetings){0};
    size_t n = 0;
    struct arrival *all = sorted_arrivals(m, run, &n);
    struct turns turns = {0};
    m->row = mem_zalloc(n, sizeof *m->row);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && !compare_keys(&all[i], &all[end]);)
            end++;
        add_key(m, &turns, all + i, end - i);
    }
    mem_free(turns.turn);
    mem_free(all);
}

void meetings_release(struct meetings *m)
{
    mem_free(m->meeting);
    mem_free(m->row);
    *m = (struct meetings){0};
}
