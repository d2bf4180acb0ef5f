#ifdef GAIT_TRAIN
#include "base/units.h"
#include "verify/equal_time.h"
#include "verify/gate_fill.h"

#include <math.h>
#include <stdio.h>

/* Standard errors of the difference that the second may be worse by. */
static const double ERRORS_ALLOWED = 2;

static void put_loss(char *out, size_t size, const struct evaluation *e, bool one_batch)
{
    if (isfinite(e->loss) && one_batch)
        snprintf(out, size, "%.4f", e->loss);
    else if (isfinite(e->loss))
        snprintf(out, size, "%.4f ± %.4f", e->loss, e->standard_error);
    else
        snprintf(out, size, "not finite");
}

static void put_numbers(struct gate_numbers *n, const struct equal_time *e,
                        double allowed)
{
    double change = e->side[1].loss.loss - e->side[0].loss.loss;
    n->unit = n->change_unit = "nats";
    n->before = e->side[0].loss.loss;
    n->after = e->side[1].loss.loss;
    n->change = change;
    if (!e->one_batch) {
        n->change_low = change - allowed;
        n->change_high = change + allowed;
        n->allowed = allowed;
    }
    n->before_count = e->side[0].steps;
    n->after_count = e->side[1].steps;
    n->untraced = true;
}

static void decide(struct verify_result *out, struct gate_result *g,
                   const struct equal_time *e, double allowed)
{
    const struct equal_time_side *a = &e->side[0], *b = &e->side[1];
    bool worse = g->numbers.change > allowed;
    char steps[96];
    snprintf(steps, sizeof steps, "after %lld and %lld steps in %.1f and %.1f s",
             (long long)a->steps, (long long)b->steps, a->took_s, b->took_s);
    if (!isfinite(g->numbers.change))
        gate_decide(out, g, VERDICT_FAIL, "loss_not_finite", "%s", steps);
    else if (e->one_batch)
        gate_decide(out, g, VERDICT_UNSURE, "one_batch",
                    "%s nats %s; a single batch has no standard error, raise "
                    "eval_batches",
                    unit_signed(g->numbers.change, 4).s, steps);
    else
        gate_decide(out, g, worse ? VERDICT_FAIL : VERDICT_PASS,
                    worse ? "worse_loss" : "",
                    "%s nats %s; allowed +%.4f, 2 standard errors of the difference",
                    unit_signed(g->numbers.change, 4).s, steps, allowed);
}

void equal_time_gate(struct verify_result *out, const struct equal_time *e)
{
    struct gate_result *g = gate_add(out, "loss at equal time");
    double allowed = ERRORS_ALLOWED * e->standard_error;
    if (!e->same_text) {
        does_not_apply(
            g, "not_comparable",
            "their data, tokenizer, init_from, context or eval_min_context differ");
        return;
    }
    put_loss(g->before, sizeof g->before, &e->side[0].loss, e->one_batch);
    put_loss(g->after, sizeof g->after, &e->side[1].loss, e->one_batch);
    put_numbers(&g->numbers, e, allowed);
    decide(out, g, e, allowed);
}

#endif
