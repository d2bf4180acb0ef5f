#include "reduce/sweep_ops.h"

#include "base/mem.h"
#include "reduce/sweep.h"
#include "spans/span_facts.h"

#include <string.h>

/* Of a hostile recording; real ones nest some hundred deep on some tens of lanes. */
enum { OPEN_SPANS_MAX = 1 << 22, OP_LANES_MAX = 1 << 22 };

void sweep_ops_init(struct sweep_ops *o, size_t names)
{
    *o = (struct sweep_ops){0};
    o->of_name = mem_alloc((names + 1) * sizeof *o->of_name);
    memset(o->of_name, 0xff, (names + 1) * sizeof *o->of_name);
}

void sweep_ops_release(struct sweep_ops *o)
{
    mem_free(o->sum);
    mem_free(o->of_name);
    mem_free(o->lanes.slot);
    *o = (struct sweep_ops){0};
}

/* --- sums by name --- */

/* A copy's size is written down by the driver; of everything else bytes are counted from
 * shapes. */
static enum origin bytes_origin(const struct span *s)
{
    bool recorded = s->kind == SPAN_KIND_COPY || s->kind == SPAN_KIND_SET;
    return recorded ? ORIGIN_MEASURED : ORIGIN_MODELLED;
}

static struct op_ref op_new(struct sweep_ops *o, enum lane_kind place,
                            const struct span *s)
{
    vec_grow(o->sum, o->cap, o->n + 1);
    o->sum[o->n] = (struct op_sum){
        .op = {.place = place,
               .kind = s->kind,
               .name = s->name,
               .bytes_origin = bytes_origin(s)},
        .next.op = OP_NONE,
        .lane = s->lane,
        .until_ns = INT64_MIN,
    };
    return (struct op_ref){(uint32_t)o->n++, (uint16_t)s->kind, (uint16_t)place};
}

/* An op of another kind or place was found last: behind it, or new. It comes first from
 * now on. */
static uint32_t op_find_other(struct sweep_ops *o, enum lane_kind place,
                              const struct span *s)
{
    struct op_ref *first = &o->of_name[s->name], found, *at = first;
    while (at->op != OP_NONE && (at->kind != s->kind || at->place != place))
        at = &o->sum[at->op].next;
    if (at->op == OP_NONE) {
        found = op_new(o, place, s); /* may move o->sum, and with it *at */
    } else {
        found = *at;
        *at = o->sum[found.op].next;
    }
    o->sum[found.op].next = *first;
    *first = found;
    return found.op;
}

static inline uint32_t op_find(struct sweep_ops *o, enum lane_kind place,
                               const struct span *s)
{
    const struct op_ref *r = &o->of_name[s->name];
    return r->op != OP_NONE && r->kind == s->kind && r->place == place
               ? r->op
               : op_find_other(o, place, s);
}

static void op_count(struct op *o, const struct span *s)
{
    o->count++;
    if (s->flop | s->bytes) { /* most have neither */
        o->flop = sum_saturated(o->flop, s->flop);
        o->bytes = sum_saturated(o->bytes, s->bytes);
    }
    if (s->dur_ns > o->max_ns)
        o->max_ns = s->dur_ns;
}

/* --- inclusive time --- */

static size_t op_lane_slot(const struct op_lanes *t, uint32_t op, int32_t lane)
{
    uint64_t h = ((uint64_t)op << 32 | (uint32_t)lane) * 0x9e3779b97f4a7c15u;
    size_t i = (h ^ h >> 31) & (t->slots - 1);
    while (t->slot[i].lane >= 0 && (t->slot[i].op != op || t->slot[i].lane != lane))
        i = (i + 1) & (t->slots - 1);
    return i;
}

/* Room for one more; unions that ended by now go. */
static void op_lanes_grow(struct sweep_ops *o, int64_t now_ns)
{
    struct op_lanes *t = &o->lanes, old = *t;
    size_t live = 0;
    for (size_t i = 0; i < old.slots; i++)
        live += old.slot[i].lane >= 0 && old.slot[i].until_ns > now_ns;
    t->slots = 64;
    while (t->slots < 4 * (live + 1))
        t->slots *= 2;
    t->slot = mem_alloc(t->slots * sizeof *t->slot);
    for (size_t i = 0; i < t->slots; i++)
        t->slot[i].lane = -1;
    t->n = live;
    for (size_t i = 0; i < old.slots; i++) {
        const struct op_lane *p = &old.slot[i];
        if (p->lane < 0)
            continue;
        if (p->until_ns > now_ns)
            t->slot[op_lane_slot(t, p->op, p->lane)] = *p;
        else
            o->sum[p->op].shared--;
    }
    mem_free(old.slot);
}

static int64_t *op_lane_add(struct sweep_ops *o, uint32_t op, const struct span *s)
{
    if (o->lanes.n * 2 >= o->lanes.slots)
        op_lanes_grow(o, s->begin_ns);
    struct op_lane *p = &o->lanes.slot[op_lane_slot(&o->lanes, op, s->lane)];
    *p = (struct op_lane){op, s->lane, INT64_MIN};
    o->lanes.n++;
    o->sum[op].shared++;
    return &p->until_ns;
}

/* Where the end of the op's union on the span's lane is kept. */
static int64_t *op_until(struct sweep_ops *o, uint32_t op, const struct span *s)
{
    struct op_sum *sum = &o->sum[op];
    if (sum->lane == s->lane)
        return &sum->until_ns;
    if (sum->shared) {
        struct op_lane *p = &o->lanes.slot[op_lane_slot(&o->lanes, op, s->lane)];
        if (p->lane >= 0)
            return &p->until_ns;
    }
    if (sum->until_ns <= s->begin_ns || o->lanes.n >= OP_LANES_MAX) {
        sum->lane = s->lane; /* what the other lane had open is over */
        sum->until_ns = INT64_MIN;
        return &sum->until_ns;
    }
    return op_lane_add(o, op, s);
}

/* Spans come by begin, so a union needs only the end of what was counted. */
static void op_add_total(struct sweep_ops *o, uint32_t op, const struct span *s)
{
    int64_t *until_ns = op_until(o, op, s), end_ns = span_end_ns(s);
    if (end_ns <= *until_ns)
        return;
    int64_t from_ns = s->begin_ns > *until_ns ? s->begin_ns : *until_ns;
    struct op *sum = &o->sum[op].op;
    sum->total_ns = sum_saturated(sum->total_ns, end_ns - from_ns);
    *until_ns = end_ns;
}

/* --- self time --- */

static const struct op_context OUTSIDE = {OP_NONE, SITE_NONE, 0, 0};

static void stack_pop(struct sweep *sw, struct call_stack *st)
{
    struct open_span *top = &st->open[--st->depth];
    struct op *op = &sw->ops.sum[top->op].op;
    int64_t self_ns = top->dur_ns - top->callees_ns;
    op->self_ns = sum_saturated(op->self_ns, self_ns);
    sw->ops.open--;
    if (top->inside.site != SITE_NONE && top->inside.op == top->op) {
        struct site_sum *site = &sw->sites.sum[top->inside.site];
        site->self_ns = sum_saturated(site->self_ns, self_ns);
    }
}

/*
 * The time of s belongs to s, and no longer to those below it. One that ends before s
 * does can own no moment after s began, so it leaves the stack now: ends grow downwards,
 * and each span is pushed and popped once, whatever overlaps. Returns what is inside the
 * nearest span that is open when s begins.
 */
static struct op_context stack_make_room(struct sweep *sw, struct call_stack *st,
                                         const struct span *s)
{
    int64_t from_ns = s->begin_ns, end_ns = span_end_ns(s);
    struct op_context around = OUTSIDE;
    bool found = false;
    while (st->depth && st->open[st->depth - 1].end_ns <= end_ns) {
        struct open_span *below = &st->open[st->depth - 1];
        if (below->end_ns > from_ns) {
            if (!found)
                around = below->inside;
            found = true;
            below->callees_ns += below->end_ns - from_ns;
            from_ns = below->end_ns;
        }
        stack_pop(sw, st);
    }
    if (st->depth) {
        struct open_span *below = &st->open[st->depth - 1];
        if (!found)
            around = below->inside;
        below->callees_ns += end_ns - from_ns;
    }
    return around;
}

/* What the callees of s are called from. */
static struct op_context inside_of(struct sweep *sw, const struct span *s, uint32_t op,
                                   const struct op_context *around)
{
    struct op_context inside = *around;
    if (s->kind == SPAN_KIND_OP) {
        inside.op = op;
        inside.site = sweep_site(&sw->sites, op, around->module, around->line);
        if (inside.site != SITE_NONE)
            sw->sites.sum[inside.site].count++;
    } else if (s->kind == SPAN_KIND_PYTHON) {
        enum name_sort sort = sweep_name_sort(sw, s->name);
        if (sort == NAME_SORT_MODULE)
            inside.module = s->name;
        else if (sort == NAME_SORT_LINE)
            inside.line = s->name;
    }
    return inside;
}

static void stack_push(struct sweep *sw, struct call_stack *st, const struct span *s,
                       uint32_t op, const struct op_context *around)
{
    vec_grow(st->open, st->cap, st->depth + 1);
    st->open[st->depth++] = (struct open_span){
        .end_ns = span_end_ns(s),
        .dur_ns = s->dur_ns,
        .op = op,
        .inside = inside_of(sw, s, op, around),
    };
    if (++sw->ops.open <= OPEN_SPANS_MAX)
        return;
    stack_pop(sw, st);
    sw->ops.too_deep++;
}

uint32_t sweep_ops_add_host(struct sweep *sw, struct sweep_lane *l, const struct span *s,
                            struct op_context *around)
{
    uint32_t op = op_find(&sw->ops, l->kind, s);
    op_count(&sw->ops.sum[op].op, s);
    op_add_total(&sw->ops, op, s);
    *around = stack_make_room(sw, &l->stack, s);
    stack_push(sw, &l->stack, s, op, around);
    return op;
}

void sweep_ops_add_device(struct sweep_ops *o, const struct span *s)
{
    uint32_t i = op_find(o, LANE_KIND_DEVICE, s); /* may move o->sum */
    struct op *op = &o->sum[i].op;
    op_count(op, s);
    op->self_ns = sum_saturated(op->self_ns, s->dur_ns);
    op->total_ns = op->self_ns;
}

void sweep_ops_end(struct sweep *sw)
{
    for (size_t i = 0; i < sw->merged->n_lanes; i++)
        while (sw->lane[i].stack.depth)
            stack_pop(sw, &sw->lane[i].stack);
}

void sweep_ops_finish(struct sweep *sw)
{
    const struct sweep_ops *o = &sw->ops;
    for (size_t i = 0; i < o->n; i++) {
        struct op op = o->sum[i].op;
        op.rank = sw->rank;
        op.name = sweep_name(sw, op.name);
        ops_add(&sw->run->ops, op);
    }
    if (o->too_deep)
        run_add_note(sw->run, sw->rank, -1,
                     "%lld spans are nested too deep: the time of what they call is "
                     "counted for them too",
                     (long long)o->too_deep);
}
