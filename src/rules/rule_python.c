/* Long stretches of Python at the same place of the step, in which nothing of PyTorch
 * runs. */
#include "base/mem.h"
#include "evidence/host_gaps.h"
#include "evidence/host_time.h"
#include "evidence/repeated.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/statements.h"
#include "rules/rule.h"
#include "run/record_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What lies between two stretches that are one: at most a twentieth of all three. */
enum { BETWEEN_PARTS = 20 };

static int compare_place(const void *a, const void *b)
{
    const struct host_gap *x = a, *y = b;
    if (x->name_before != y->name_before)
        return x->name_before < y->name_before ? -1 : 1;
    if (x->name_after != y->name_after)
        return x->name_after < y->name_after ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static size_t steps_of(const struct host_gap *gap, size_t n)
{
    size_t steps = 0;
    for (size_t i = 0; i < n; i++)
        steps += i == 0 || gap[i].step != gap[i - 1].step;
    return steps;
}

/* The longest frame that lies in the gap, "" where there are none: what Python did. */
static const char *frame_in(const struct evidence *e, const struct host_gap *g)
{
    const struct host_thread *t = &e->threads[e->main_thread];
    const struct host_op *longest = NULL;
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        if (op->kind == SPAN_KIND_PYTHON && op->begin_ns >= g->begin_ns &&
            op->end_ns <= g->end_ns && (!longest || host_op_ns(op) > host_op_ns(longest)))
            longest = op;
    }
    return longest ? evidence_name(e, longest) : "";
}

static bool collects_garbage(const char *frame)
{
    return strstr(frame, "function collect>") || strstr(frame, "gc.collect");
}

/* The collector's own rule tells of it. */
static double garbage_a_step_ns(const struct evidence *e)
{
    struct repeated r = repeated_in_series(e, TIMING_KIND_GARBAGE);
    return r.steps ? r.cost_ns * (double)r.hits / (double)r.steps : 0;
}

static void tell(const struct rule *rule, const struct evidence *e, struct findings *f,
                 const struct host_gap *gap, size_t n)
{
    enum { SHARE_FRAC };
    double ns = 0;
    const struct host_gap *longest = gap;
    for (size_t i = 0; i < n; i++) {
        ns += (double)(gap[i].end_ns - gap[i].begin_ns) / (double)e->steps;
        if (gap[i].end_ns - gap[i].begin_ns > longest->end_ns - longest->begin_ns)
            longest = &gap[i];
    }
    if (ns < rule->limit[SHARE_FRAC].value * e->traced_step_ns ||
        garbage_a_step_ns(e) > ns / 2)
        return;
    const char *frame = frame_in(e, longest);
    struct finding *x = findings_add(f, rule);
    int32_t lane = e->threads[e->main_thread].lane;
    for (size_t i = 0; i < n; i++)
        evidence_edit_range(e, &x->edits, lane, gap[i].begin_ns, gap[i].end_ns, 0);
    x->price = PRICE_REPLAYED;
    snprintf(x->where, sizeof x->where, "%s%sbetween %s and %s", frame,
             *frame ? ", " : "", run_name(e->run, longest->name_before),
             run_name(e->run, longest->name_after));
    finding_set_place(x, run_name(e->run, longest->name_before),
                      run_name(e->run, longest->name_after));
    evidence_say(x,
                 "for {} of a step the main thread is in Python and nothing else runs "
                 "({} a step at this place)",
                 quantity_percent("python_frac", ns / e->traced_step_ns, 1),
                 quantity_time("python_ms", evidence_of_step_ns(e, ns)));
    if (collects_garbage(frame))
        return;        /* it can simply go */
    x->low_frac = 0.5; /* docs/rules/python-time.md: something does the work instead */
    snprintf(x->missing, sizeof x->missing,
             "what the same work takes as operators, or once instead of every step");
}

/* Autograd's engine takes over and comes back without Python between. */
static bool is_of_engine(const struct evidence *e, const struct host_gap *g)
{
    return !strncmp(run_name(e->run, g->name_after), "autograd::engine::", 18);
}

/* Most of it is PyTorch's own Python: an optimizer that looks through its parameters. */
static bool is_of_optimizer(const struct evidence *e, const struct host_gap *g)
{
    const struct host_thread *t = &e->threads[e->main_thread];
    int64_t inside_ns = 0;
    for (size_t i = 0; i < t->n && t->op[i].begin_ns < g->end_ns; i++) {
        const struct host_op *op = &t->op[i];
        if (op->kind != SPAN_KIND_ANNOTATION || op->end_ns <= g->begin_ns ||
            strncmp(evidence_name(e, op), "Optimizer.", 10) != 0)
            continue;
        int64_t begin_ns = op->begin_ns > g->begin_ns ? op->begin_ns : g->begin_ns;
        int64_t end_ns = op->end_ns < g->end_ns ? op->end_ns : g->end_ns;
        inside_ns += end_ns - begin_ns;
    }
    return 2 * inside_ns > g->end_ns - g->begin_ns;
}

/* Stretches with next to nothing between them are one: a list that is made and becomes a
 * tensor. In place, in order of time. */
static void join(struct host_gaps *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++) {
        struct host_gap *last = n ? &g->gap[n - 1] : NULL, *next = &g->gap[i];
        int64_t between_ns = last ? next->begin_ns - last->end_ns : 0;
        int64_t both_ns = last ? next->end_ns - last->begin_ns : 0;
        if (last && last->step == next->step && BETWEEN_PARTS * between_ns <= both_ns) {
            last->end_ns = next->end_ns;
            last->after = next->after;
            last->name_after = next->name_after;
        } else {
            g->gap[n++] = *next;
        }
    }
    g->n = n;
}

/* --- from samples --- */

static void add_place(const struct rule *rule, const struct evidence *e,
                      const struct statements *s, size_t at, struct findings *f)
{
    enum { SHARE_FRAC };
    double ns = s->statement[at].function_ns;
    if (!at) /* the collector runs in what holds most */
        ns -= garbage_a_step_ns(e);
    if (ns < rule->limit[SHARE_FRAC].value * e->step_ns)
        return;
    struct finding *x = findings_add(f, rule);
    x->holds_ns = x->direct_gain_ns = ns;
    x->holds_timed = true;
    x->price = PRICE_SAMPLED;
    x->low_frac = 0.5; /* docs/rules/python-time.md: something does the work instead */
    statements_tell(s, e->run, at, x);
    statements_set_place(&s->statement[at], e->run, x);
    evidence_say(x,
                 "the host spends {} of a step in these statements while no operator "
                 "runs ({} per step, sampled over {} untraced steps)",
                 quantity_percent("python_frac", ns / e->step_ns, 1),
                 quantity_time("python_ms", ns),
                 quantity_whole("sampled_steps", record_fact(e->run, e->rank_row,
                                                             RECORD_FACT_SAMPLED_STEPS)));
    snprintf(x->missing, sizeof x->missing,
             "what the same work takes as operators, or once instead of every step");
}

static void find_in_samples(const struct rule *rule, const struct evidence *e,
                            struct findings *f)
{
    struct statements s;
    double *ns = host_time_in_python(e), *all_ns = host_time_of(e, SAMPLE_PART_COUNT);
    int32_t *top = mem_alloc((e->run->lines.table.n + 1) * sizeof *top);
    statements_init(&s, e->run, ns, all_ns, top);
    for (size_t i = 0; i < s.n; i++)
        add_place(rule, e, &s, i, f);
    statements_release(&s);
    mem_free(ns);
    mem_free(all_ns);
    mem_free(top);
}

/* --- from the trace --- */

void rule_python_time(const struct rule *rule, const struct evidence *e,
                      struct findings *f)
{
    enum { SHARE_FRAC, GAP_FRAC, STEPS_FRAC };
    if (e->watched && host_time_known(e)) {
        find_in_samples(rule, e, f);
        return;
    }
    struct host_gaps g;
    host_gaps_init(&g, e, (int64_t)(rule->limit[GAP_FRAC].value * e->traced_step_ns));
    join(&g);
    if (g.n)
        qsort(g.gap, g.n, sizeof *g.gap, compare_place);
    for (size_t i = 0, end; i < g.n; i = end) {
        for (end = i; end < g.n && g.gap[end].name_before == g.gap[i].name_before &&
                      g.gap[end].name_after == g.gap[i].name_after;
             end++)
            ;
        /* at one step alone it is the machine's noise, or a rare event */
        if (!is_of_engine(e, &g.gap[i]) && !is_of_optimizer(e, &g.gap[i]) &&
            (double)steps_of(&g.gap[i], end - i) >=
                rule->limit[STEPS_FRAC].value * (double)e->steps)
            tell(rule, e, f, &g.gap[i], end - i);
    }
    host_gaps_release(&g);
}
