/* Activation checkpointing: the forward pass is computed again inside the backward pass.
 */
#include "base/units.h"
#include "findings/evidence_text.h"
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/price.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many operators that models call, in the order of the forward pass: fewer may be the
 * formula of a gradient that a program wrote itself. */
enum { IN_ORDER = 3 };

/* The forward pass: each IN_ORDER such operators in a row, as one number, sorted. */
struct passed {
    uint64_t *key; /* (n) */
    size_t n, cap;
};

struct recompute_sum {
    struct edit_list edits;
    const struct host_thread *thread;
    const struct host_op *first;
    size_t count;
};

static bool is_forward(const struct evidence *e, const struct host_op *op)
{
    return op->kind == SPAN_KIND_OP && (outer_op_sort(e, op) & OP_SORT_FORWARD);
}

/* --- the forward pass --- */

/* The last operators, by name and shapes. */
struct window {
    uint64_t of[IN_ORDER];
    size_t n;
};

/* True: there are enough, and *key stands for them. */
static bool window_add(struct window *w, const struct evidence *e,
                       const struct host_op *op, uint64_t *key)
{
    const struct spans *s = &e->run->spans;
    memmove(w->of, w->of + 1, (IN_ORDER - 1) * sizeof *w->of);
    w->of[IN_ORDER - 1] =
        (uint64_t)s->name[op->span] << 32 | (uint32_t)s->shapes[op->span];
    *key = 0;
    for (size_t i = 0; i < IN_ORDER; i++)
        *key = (*key ^ w->of[i]) * UINT64_C(1099511628211);
    return ++w->n >= IN_ORDER;
}

static int compare_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static struct passed collect_passed(const struct evidence *e)
{
    struct passed p = {0};
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        struct window w = {.n = 0};
        for (size_t i = 0; i < t->n_outer; i++) {
            uint64_t key;
            if (t->outer[i].place != OP_PLACE_CODE) {
                w.n = 0;
                continue;
            }
            if (!is_forward(e, outer_op_at(t, i)) ||
                !window_add(&w, e, outer_op_at(t, i), &key))
                continue;
            vec_grow(p.key, p.cap, p.n + 1);
            p.key[p.n++] = key;
        }
    }
    if (p.n)
        qsort(p.key, p.n, sizeof *p.key, compare_key);
    return p;
}

/* --- the backward pass --- */

/* All that a node of the backward pass calls up to the last operator that models call:
 * what stands before it is made for it. */
static void add_children(const struct evidence *e, const struct host_thread *t,
                         const struct host_op *first, const struct passed *passed,
                         struct recompute_sum *sum)
{
    const struct host_op *last = NULL, *first_forward = NULL;
    struct window w = {.n = 0};
    bool again = false;
    for (const struct host_op *x = first; x; x = x->next < 0 ? NULL : &t->op[x->next]) {
        uint64_t key;
        if (!is_forward(e, x))
            continue;
        last = x;
        first_forward = first_forward ? first_forward : x;
        if (window_add(&w, e, x, &key) && passed->n)
            again =
                again || bsearch(&key, passed->key, passed->n, sizeof key, compare_key);
    }
    if (!again)
        return;
    sum->count += w.n;
    sum->first = sum->first ? sum->first : first_forward;
    sum->thread = t;
    /* and what prepares it (random states, hooks) and hands it over, before and after */
    int64_t begin_ns =
        first->parent < 0 ? first->begin_ns : t->op[first->parent].begin_ns;
    int64_t end_ns = last->next < 0 ? last->end_ns : t->op[last->next].begin_ns;
    evidence_edit_range(e, &sum->edits, t->lane, begin_ns, end_ns, 0);
}

/* The nodes in an evaluated function, and what they call in turn. */
static void look_into(const struct evidence *e, const struct host_thread *t, size_t node,
                      const struct passed *passed, struct recompute_sum *sum)
{
    int64_t done_ns = t->op[node].begin_ns;
    for (size_t i = node + 1; i < t->n && t->op[i].begin_ns < t->op[node].end_ns; i++) {
        const struct host_op *op = &t->op[i];
        if (op->begin_ns < done_ns || !is_forward(e, op))
            continue;
        /* from the first of those that are called beside it */
        const struct host_op *first = op;
        for (size_t k = i; k-- > node + 1;)
            if (t->op[k].parent == op->parent)
                first = &t->op[k];
        add_children(e, t, first, passed, sum);
        if (op->parent >= 0)
            done_ns = t->op[op->parent].end_ns;
    }
}

/* How much of it is free no run tells: the size of the device's memory is not recorded,
 * and on a host others share it. */
static void tell_memory(struct finding *x, const struct evidence *e)
{
    const struct memories *m = &e->run->memories;
    int64_t most = 0;
    for (size_t i = 0; i < m->table.n; i++)
        if (m->rank[i] == e->rank_row && m->bytes[i] > most &&
            (m->what[i] == MEMORY_CLASS_RESERVED || m->what[i] == MEMORY_CLASS_ALLOCATED))
            most = m->bytes[i];
    int n = snprintf(x->missing, sizeof x->missing,
                     "memory must be free for the activations that would then be kept");
    if (most)
        snprintf(x->missing + n, sizeof x->missing - (size_t)n,
                 "; the most that was in use is %s", unit_bytes((double)most).s);
}

void rule_recompute_needless(const struct rule *rule, const struct evidence *e,
                             struct findings *f)
{
    enum { HELD_FRAC };
    struct recompute_sum sum = {0};
    struct passed passed = collect_passed(e);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n_outer; i++)
            if (t->outer[i].place == OP_PLACE_BACKWARD)
                look_into(e, t, (size_t)t->outer[i].op, &passed, &sum);
    }
    mem_free(passed.key);
    if (!sum.first || price_share(e, &sum.edits) < rule->limit[HELD_FRAC].value) {
        edit_list_release(&sum.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = sum.edits;
    x->price = PRICE_REPLAYED;
    outer_op_where(e, sum.thread, sum.first, x->where, sizeof x->where);
    evidence_say(
        x, "forward operators run again inside the backward pass: {} a step, {} of it",
        quantity_count("operators_per_step", (double)sum.count / (double)e->steps),
        quantity_percent("held_frac", price_share(e, &x->edits), 1));
    x->low_frac = 0; /* nothing, where memory has no room */
    tell_memory(x, e);
}
