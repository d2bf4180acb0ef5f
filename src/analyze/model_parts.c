#include "analyze/model_parts.h"

#include "base/mem.h"
#include "base/stats.h"
#include "run/trainer_ops.h"

#include <math.h>
#include <string.h>

#define MODEL_PART_NAME(v, name) name,
const char *const model_part_text[MODEL_PART_COUNT] = {MODEL_PART_LIST(MODEL_PART_NAME)};

/* What an operator's name begins with, up to its dot, and the part that it is of. */
#define PART_OF(op, family, part) {op, MODEL_PART_##part},
static const struct {
    const char *begin;
    enum model_part part;
} begins[] = {TRAINER_OP_LIST(PART_OF)};

/* MODEL_PART_COUNT: of none. */
static enum model_part part_of(const char *name)
{
    size_t len = strcspn(name, ".");
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strlen(begins[i].begin) == len && !strncmp(name, begins[i].begin, len))
            return begins[i].part;
    return MODEL_PART_COUNT;
}

static bool is_in_block(enum model_part part)
{
    return part >= MODEL_PART_NORM && part <= MODEL_PART_REST;
}

/* What the backward pass computes again is its own. */
static int way_of(const char *name)
{
    const char *dot = strchr(name, '.');
    bool backward = dot && (!strncmp(dot, ".backward", 9) || !strcmp(dot, ".again"));
    return backward ? PART_BACKWARD : PART_FORWARD;
}

static void add(struct part_cost *to, const struct part_cost *cost)
{
    to->ns += cost->ns;
    to->flop += cost->flop;
    to->bytes += cost->bytes;
    to->bound_ns += cost->bound_ns;
}

static void set_bound(struct part_cost *c, double flop_per_s, double bytes_per_s)
{
    double flop_ns = 1e9 * c->flop / flop_per_s, bytes_ns = 1e9 * c->bytes / bytes_per_s;
    c->bytes_decide = bytes_ns > flop_ns;
    c->bound_ns = isnan(flop_ns) || isnan(bytes_ns) ? 0 : fmax(flop_ns, bytes_ns);
}

static double steps_of(const struct run *run, int32_t rank)
{
    double n = 0;
    for (size_t i = 0; i < run->ops.table.n; i++)
        if (run->ops.rank[i] == rank && run->ops.kind[i] == SPAN_KIND_STEP)
            n += (double)run->ops.count[i];
    return n;
}

/* --- medians --- */

/* (steps of the run) × parts × ways, ns; the caller frees it. */
static double *sum_spans(const struct run *run, int32_t rank, uint8_t *has_spans)
{
    const struct spans *s = &run->spans;
    enum { CELLS = MODEL_PART_COUNT * PART_WAYS };
    double *ns = mem_zalloc(run->steps.table.n * CELLS + 1, sizeof *ns);
    for (size_t i = 0; i < s->table.n; i++) {
        int32_t step = s->step[i];
        if (s->kind[i] != SPAN_KIND_OP || step < 0 || run->steps.rank[step] != rank)
            continue;
        const char *name = run_name(run, s->name[i]);
        enum model_part part = part_of(name);
        if (part == MODEL_PART_COUNT)
            continue;
        double *of_step = ns + (size_t)step * CELLS;
        of_step[part * PART_WAYS + way_of(name)] += (double)s->dur_ns[i];
        if (is_in_block(part))
            of_step[MODEL_PART_BLOCK * PART_WAYS + way_of(name)] += (double)s->dur_ns[i];
        has_spans[step] = 1;
    }
    return ns;
}

/* Where spans are there, a part's time is the median over their steps. */
static void set_medians(struct model_parts *p, const struct run *run, int32_t rank)
{
    enum { CELLS = MODEL_PART_COUNT * PART_WAYS };
    size_t steps = run->steps.table.n;
    uint8_t *has_spans = mem_zalloc(steps + 1, 1);
    double *ns = sum_spans(run, rank, has_spans);
    double *v = mem_alloc((steps + 1) * sizeof *v);
    for (int cell = 0; cell < CELLS; cell++) {
        struct part_cost *c = &p->of[cell / PART_WAYS][cell % PART_WAYS];
        size_t n = 0;
        for (size_t i = 0; i < steps; i++)
            if (has_spans[i])
                v[n++] = ns[i * CELLS + (size_t)cell];
        p->timed = n;
        c->low_ns = c->high_ns = NAN;
        if (!n || c->ns <= 0)
            continue;
        struct median_interval m = stats_median_interval(v, n);
        c->ns = m.median;
        c->low_ns = m.low;
        c->high_ns = m.high;
    }
    mem_free(v);
    mem_free(ns);
    mem_free(has_spans);
}

bool model_parts_of(struct model_parts *p, const struct run *run, int32_t rank,
                    double flop_per_s, double bytes_per_s)
{
    const struct ops *o = &run->ops;
    bool any = false;
    *p = (struct model_parts){.steps = steps_of(run, rank)};
    for (size_t i = 0; i < o->table.n && p->steps > 0; i++) {
        const char *name = run_name(run, o->name[i]);
        enum model_part part = part_of(name);
        if (o->rank[i] != rank || o->kind[i] != SPAN_KIND_OP || part == MODEL_PART_COUNT)
            continue;
        struct part_cost cost = {.ns = (double)o->self_ns[i] / p->steps,
                                 .flop = (double)o->flop[i] / p->steps,
                                 .bytes = (double)o->bytes[i] / p->steps};
        /* operators come one after the other: their bounds add up */
        set_bound(&cost, flop_per_s, bytes_per_s);
        add(&p->of[part][way_of(name)], &cost);
        if (is_in_block(part))
            add(&p->of[MODEL_PART_BLOCK][way_of(name)], &cost);
        any = true;
    }
    for (int i = 0; i < MODEL_PART_COUNT; i++)
        for (int way = 0; way < PART_WAYS; way++) {
            struct part_cost *c = &p->of[i][way];
            c->bytes_decide = 1e9 * c->bytes / bytes_per_s > 1e9 * c->flop / flop_per_s;
        }
    set_medians(p, run, rank);
    return any;
}
