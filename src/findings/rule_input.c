/* Time in which the step waits for its batch. */
#include "findings/finding.h"
#include "run/name_sort.h"

#include <stdio.h>
#include <string.h>

/* The outermost of nested ones. */
static bool is_fetch(const struct evidence *e, const struct host_thread *t,
                     const struct host_op *op)
{
    const char *name = evidence_name(e, op);
    if (name_sort(name, strlen(name)) != NAME_SORT_INPUT)
        return false;
    for (int32_t i = op->parent; i >= 0; i = t->op[i].parent) {
        const char *outer = evidence_name(e, &t->op[i]);
        if (name_sort(outer, strlen(outer)) == NAME_SORT_INPUT)
            return false;
    }
    return true;
}

void rule_input_bound(const struct rule *rule, const struct evidence *e,
                      struct findings *f)
{
    enum { FETCHING_FRAC };
    struct edit_list edits = {0};
    const struct host_op *longest = NULL;
    double traced_ns = 0;
    bool workers = false;
    if (e->main_thread == SIZE_MAX)
        return;
    const struct host_thread *t = &e->threads[e->main_thread];
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        if (!is_fetch(e, t, op))
            continue;
        evidence_edit_range(e, &edits, t->lane, op->begin_ns, op->end_ns, 0);
        traced_ns += (double)host_op_ns(op) / (double)e->steps;
        workers = workers || strstr(evidence_name(e, op), "MultiProcessing");
        if (!longest || host_op_ns(op) > host_op_ns(longest))
            longest = op;
    }
    if (!longest || traced_ns < rule->limit[FETCHING_FRAC] * e->traced_step_ns) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = edits;
    x->price = PRICE_REPLAYED;
    x->low_frac = 0.75; /* docs/rules/input-bound.md: workers compete for the host */
    snprintf(x->where, sizeof x->where, "%s", evidence_name(e, longest));
    snprintf(x->evidence, sizeof x->evidence,
             "%.1f %% of a step goes into fetching its batch%s",
             100 * traced_ns / e->traced_step_ns,
             workers ? ", although workers load ahead: they are too slow or too few"
                     : "; nothing loads ahead");
    snprintf(x->missing, sizeof x->missing,
             "what worker processes take from the host's cores");
}
