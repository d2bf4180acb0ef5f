/*
 * A larger batch. The host asks for the same work as before; the work itself grows, at
 * most in proportion. What does not know of the batch stays: the optimizer and
 * collectives. Without a device an operator's time is the work.
 */
#include "whatif/ask.h"

#include "base/mem.h"
#include "evidence/outer_ops.h"
#include "price/evidence_text.h"
#include "rules/fetches.h"

/* Its step, or its clearing of gradients. */
static bool is_optimizer(const struct evidence *e, const struct host_op *op)
{
    return outer_ops_is_optimizer(e, op) ||
           outer_ops_is_mark(evidence_name(e, op), OP_PLACE_CLEAR);
}

static bool in_optimizer(const struct evidence *e, const struct host_thread *t,
                         const struct host_op *op)
{
    if (is_optimizer(e, op))
        return true;
    for (int32_t i = op->parent; i >= 0; i = t->op[i].parent)
        if (is_optimizer(e, &t->op[i]))
            return true;
    return false;
}

/* Device work that the optimizer launched. */
static bool *optimizer_work(const struct evidence *e)
{
    bool *stays = mem_zalloc(e->run->spans.table.n + 1, sizeof *stays);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            size_t last;
            if (!is_optimizer(e, op))
                continue;
            size_t w = evidence_work(e, t->lane, op->begin_ns, op->end_ns, &last);
            for (; w < last; w++)
                stays[e->work[w].span] = true;
        }
    }
    return stays;
}

static void scale_work(struct answer *a, const struct evidence *e)
{
    const struct spans *s = &e->run->spans;
    bool *stays = optimizer_work(e);
    for (size_t i = 0; i < s->table.n; i++) {
        int32_t lane = s->lane[i];
        if (lane < 0 || e->run->lanes.rank[lane] != e->rank_row || stays[i] ||
            !ask_in_window(e, (int64_t)i) ||
            e->run->lanes.kind[lane] != LANE_KIND_DEVICE ||
            e->replay->begin_node[i] == GRAPH_NONE || s->kind[i] == SPAN_KIND_COLLECTIVE)
            continue;
        edit_list_work(&a->price.edits, (int64_t)i, a->question.factor);
        a->matched++;
    }
    mem_free(stays);
}

/* Host time that grows: fetching always, operators where no device does the work. */
static void scale_host(struct answer *a, const struct evidence *e, bool operators)
{
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            bool outermost = op->kind == SPAN_KIND_OP && op->op_parent < 0;
            bool grows = evidence_is_fetch(e, op) || (operators && outermost);
            if (!grows || in_optimizer(e, t, op))
                continue;
            edit_list_host(&a->price.edits, t->lane, op->begin_ns, op->end_ns,
                           a->question.factor);
            a->matched++;
        }
    }
}

enum status ask_batch(struct answer *a, const struct evidence *e, struct err *err)
{
    bool device = e->has_device || e->rank->used_device;
    if (device)
        scale_work(a, e);
    scale_host(a, e, !device);
    a->price.price = PRICE_MODELLED;
    a->has_ceiling = false;
    const struct quantity times =
        quantity_digits("growth_ratio", QUANTITY_RATIO, a->question.factor, 6);
    evidence_say(
        &a->price,
        "{} grow with the batch between not at all and {} times; the optimizer{} and "
        "the host's work between calls stay. Divide by {} for a batch of today",
        quantity_words(device ? "Device work and fetching" : "Operators and fetching"),
        times, quantity_words(device ? ", collectives" : ""),
        quantity_words(times.text.s));
    if (a->matched)
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "the replayed steps hold no work that would grow with the batch");
}
