/*
 * Who called whom on a lane, and sums by name.
 *
 * A stack of open spans: a span that begins before the top ends is called by it. Sources
 * round, and some spans truly overlap without nesting, so a callee may end after its
 * caller: each moment is taken from the nearest span below that is still open then. So
 * every moment is the self time of one span alone, and inclusive time is the union of a
 * name's spans on its lane: recursion counts once, and neither can pass the wall time. On
 * device lanes nothing calls anything.
 */
#include "base/mem.h"
#include "run/recording.h"

#include <string.h>

struct op_sum {
    struct op op;
    int32_t lane;       /* of its latest span */
    int64_t counted_ns; /* total_ns covers its spans on that lane up to here */
};

struct op_table {
    struct op_sum *sum; /* (n) */
    size_t n, cap;
    uint32_t *slot; /* open addressing: index + 1 */
    size_t slots;
};

struct open_span {
    size_t op; /* index into sum */
    int64_t end_ns;
    int64_t dur_ns;
    int64_t callees_ns;
};

struct call_stack {
    struct open_span *open; /* (depth) */
    size_t depth, cap;
};

static uint64_t op_key_hash(enum lane_kind place, enum span_kind kind, name_id name)
{
    uint64_t key = ((uint64_t)name << 16) | ((uint64_t)kind << 8) | (uint64_t)place;
    key *= 0x9e3779b97f4a7c15u;
    return key ^ (key >> 29);
}

static void op_table_rehash(struct op_table *t, size_t slots)
{
    mem_free(t->slot);
    t->slot = mem_zalloc(slots, sizeof *t->slot);
    t->slots = slots;
    for (size_t k = 0; k < t->n; k++) {
        const struct op *o = &t->sum[k].op;
        size_t i = op_key_hash(o->place, o->kind, o->name) & (slots - 1);
        while (t->slot[i])
            i = (i + 1) & (slots - 1);
        t->slot[i] = (uint32_t)k + 1;
    }
}

static size_t op_table_find(struct op_table *t, int32_t rank, enum lane_kind place,
                            const struct span *s)
{
    if (t->n * 2 >= t->slots)
        op_table_rehash(t, t->slots ? t->slots * 2 : 256);
    size_t i = op_key_hash(place, s->kind, s->name) & (t->slots - 1);
    for (; t->slot[i]; i = (i + 1) & (t->slots - 1)) {
        const struct op *o = &t->sum[t->slot[i] - 1].op;
        if (o->name == s->name && o->kind == s->kind && o->place == place)
            return t->slot[i] - 1;
    }
    vec_grow(t->sum, t->cap, t->n + 1);
    t->sum[t->n] = (struct op_sum){
        .op = {.rank = rank, .place = place, .kind = s->kind, .name = s->name}};
    t->slot[i] = (uint32_t)++t->n;
    return t->n - 1;
}

/* A copy's size is written down by the driver; of everything else bytes are counted from
 * shapes. */
static enum origin bytes_origin(const struct span *s)
{
    bool recorded = s->kind == SPAN_KIND_COPY || s->kind == SPAN_KIND_SET;
    return recorded ? ORIGIN_MEASURED : ORIGIN_MODELLED;
}

static void op_count(struct op *o, const struct span *s)
{
    o->count++;
    o->flop = sum_saturated(o->flop, s->flop);
    o->bytes = sum_saturated(o->bytes, s->bytes);
    o->bytes_origin = bytes_origin(s);
    if (s->dur_ns > o->max_ns)
        o->max_ns = s->dur_ns;
}

static void stack_pop(struct call_stack *st, struct op_table *t)
{
    struct open_span *top = &st->open[--st->depth];
    struct op *op = &t->sum[top->op].op;
    op->self_ns = sum_saturated(op->self_ns, top->dur_ns - top->callees_ns);
}

/*
 * The time of s belongs to s, and no longer to those below it. One that ends before s
 * does can own no moment after s began, so it leaves the stack now: ends grow downwards,
 * and each span is pushed and popped once, whatever overlaps.
 */
static void stack_push(struct call_stack *st, struct op_table *t, size_t op,
                       const struct span *s)
{
    int64_t from_ns = s->begin_ns, end_ns = span_end_ns(s);
    while (st->depth && st->open[st->depth - 1].end_ns <= end_ns) {
        struct open_span *below = &st->open[st->depth - 1];
        if (below->end_ns > from_ns) {
            below->callees_ns += below->end_ns - from_ns;
            from_ns = below->end_ns;
        }
        stack_pop(st, t);
    }
    if (st->depth)
        st->open[st->depth - 1].callees_ns += end_ns - from_ns;
    vec_grow(st->open, st->cap, st->depth + 1);
    st->open[st->depth++] = (struct open_span){op, end_ns, s->dur_ns, 0};
}

/* Spans come by begin, so a union needs only the end of what was counted. */
static void op_add_total(struct op_sum *sum, const struct span *s)
{
    if (sum->lane != s->lane || sum->op.count == 1) {
        sum->lane = s->lane;
        sum->counted_ns = s->begin_ns;
    }
    int64_t from_ns = s->begin_ns > sum->counted_ns ? s->begin_ns : sum->counted_ns;
    if (span_end_ns(s) <= from_ns)
        return;
    sum->op.total_ns = sum_saturated(sum->op.total_ns, span_end_ns(s) - from_ns);
    sum->counted_ns = span_end_ns(s);
}

static void sum_host_lane(struct recording *rec, size_t from, size_t to,
                          struct op_table *t)
{
    struct call_stack st = {0};
    enum lane_kind place = rec->run->lanes.kind[rec->span[from].lane];
    for (size_t i = from; i < to; i++) {
        const struct span *s = &rec->span[i];
        size_t op = op_table_find(t, rec->rank, place, s);
        op_count(&t->sum[op].op, s);
        op_add_total(&t->sum[op], s);
        stack_push(&st, t, op, s);
    }
    while (st.depth)
        stack_pop(&st, t);
    mem_free(st.open);
}

static void sum_device_lane(struct recording *rec, size_t from, size_t to,
                            struct op_table *t)
{
    for (size_t i = from; i < to; i++) {
        const struct span *s = &rec->span[i];
        size_t op = op_table_find(t, rec->rank, LANE_KIND_DEVICE, s);
        struct op *o = &t->sum[op].op;
        op_count(o, s);
        o->self_ns = sum_saturated(o->self_ns, s->dur_ns);
        o->total_ns = o->self_ns;
    }
}

void recording_sum_ops(struct recording *rec)
{
    struct op_table t = {.cap = 256};
    t.sum = mem_zalloc(t.cap, sizeof *t.sum);
    for (size_t from = 0, to; from < rec->n; from = to) {
        to = recording_lane_end(rec, from);
        if (rec->run->lanes.kind[rec->span[from].lane] == LANE_KIND_DEVICE)
            sum_device_lane(rec, from, to, &t);
        else
            sum_host_lane(rec, from, to, &t);
    }
    for (size_t i = 0; i < t.n; i++)
        ops_add(&rec->run->ops, t.sum[i].op);
    mem_free(t.sum);
    mem_free(t.slot);
}
