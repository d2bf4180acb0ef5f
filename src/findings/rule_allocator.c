/* The allocator asks the driver for memory, and gives it back, in every step. */
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/price.h"

#include <stdio.h>
#include <string.h>

static bool is_driver_call(const char *name)
{
    static const char *const names[] = {
        "cudaMalloc",   "cudaFree",      "cuMemCreate", "cuMemMap",      "cuMemUnmap",
        "cuMemRelease", "hipMalloc",     "hipFree",     "cudaHostAlloc", "cudaMallocHost",
        "cudaFreeHost", "hipHostMalloc", "hipHostFree", "cuMemAlloc_v2", "cuMemFree_v2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

void rule_allocator_churn(const struct rule *rule, const struct evidence *e,
                          struct findings *f)
{
    enum { CALLS_A_STEP, HELD_FRAC };
    struct edit_list edits = {0};
    const struct host_thread *where = NULL;
    const struct host_op *longest = NULL;
    size_t count = 0;
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            if (op->kind == SPAN_KIND_OP || !is_driver_call(evidence_name(e, op)))
                continue;
            edit_list_host(&edits, t->lane, op->begin_ns, op->end_ns, 0);
            count++;
            if (!longest || host_op_ns(op) > host_op_ns(longest)) {
                longest = op;
                where = t;
            }
        }
    }
    if ((double)count < rule->limit[CALLS_A_STEP] * (double)e->steps || !longest ||
        price_share(e, &edits) < rule->limit[HELD_FRAC]) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    const char *line = evidence_line(e, where, longest);
    x->edits = edits;
    x->price = PRICE_REPLAYED;
    snprintf(x->where, sizeof x->where, "%s%s%s%s%s", evidence_name(e, longest),
             longest->op_parent >= 0 ? " in " : "",
             longest->op_parent >= 0 ? evidence_name(e, &where->op[longest->op_parent])
                                     : "",
             *line ? ", " : "", line);
    snprintf(x->evidence, sizeof x->evidence,
             "%.1f calls a step ask the driver for memory or give it back; %.1f %% of a "
             "step",
             (double)count / (double)e->steps, 100 * price_share(e, &x->edits));
}
