/* The device's allocator is called again and again: each call may stop host and device.
 */
#include "price/evidence_text.h"
#include "rules/device_calls.h"
#include "rules/rule.h"

#include <string.h>

struct churn {
    struct edit_list edits;
    const struct host_thread *thread;
    const struct host_op *longest;
    double held_ns;
    size_t calls, frees;
    int32_t last_step;
    size_t steps; /* that have such calls */
};

static void find_churn(const struct evidence *e, struct churn *c)
{
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            if (!device_allocates(e, op))
                continue;
            edit_list_host(&c->edits, t->lane, op->begin_ns, op->end_ns, 0);
            c->held_ns += (double)host_op_ns(op) / (double)e->steps;
            c->calls++;
            c->frees += strstr(evidence_name(e, op), "Free") != NULL;
            int32_t step = e->run->spans.step[op->span];
            c->steps += step != c->last_step;
            c->last_step = step;
            if (!c->longest || host_op_ns(op) > host_op_ns(c->longest)) {
                c->longest = op;
                c->thread = t;
            }
        }
    }
}

void rule_allocator_churn(const struct rule *rule, const struct evidence *e,
                          struct findings *f)
{
    enum { HELD_FRAC, STEPS_FRAC };
    struct churn c = {.last_step = -2};
    find_churn(e, &c);
    /* memory that is only taken is a program that has not seen its largest step yet */
    bool returns = c.frees > 0;
    if (!c.longest || !returns ||
        (double)c.steps < rule->limit[STEPS_FRAC].value * (double)e->steps ||
        c.held_ns < rule->limit[HELD_FRAC].value * e->traced_step_ns) {
        edit_list_release(&c.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = c.edits;
    x->holds_ns = evidence_of_step_ns(e, c.held_ns);
    x->price = PRICE_REPLAYED;
    device_where(x->where, sizeof x->where, e, c.thread, c.longest);
    evidence_say(
        x,
        "memory is taken from the device or given back in {} a step (given back: {}); "
        "they take {} of it",
        quantity_plural("calls_per_step", (double)c.calls / (double)e->steps, "call",
                        "calls"),
        quantity_count("freeing_calls_per_step", (double)c.frees / (double)e->steps),
        quantity_percent("held_frac", c.held_ns / e->traced_step_ns, 1));
}
