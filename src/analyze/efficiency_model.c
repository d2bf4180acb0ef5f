/*
 * The model's own work against the peak, by two formulas, and what the operators moved:
 *
 *     MFU, counted = FLOPs of the linears' and attention's products, none of them twice
 *     MFU, 6 N     = 6 x parameters x tokens
 *
 * each over the median step and the peak. docs/mfu.md derives both by hand.
 */
#include "analyze/efficiency_parts.h"

#include <math.h>

static const char *why_no_share(const struct efficiency *e, const struct analysis_rank *r)
{
    if (!isfinite(e->parameters * e->step_tokens))
        return "the recording does not say how many parameters and tokens a step has";
    if (!r->steps.count || r->step.ns <= 0)
        return "no step is marked";
    return isfinite(e->ceiling.flop_per_s) ? "" : e->ceiling.source;
}

/* Facts of a trainer's step are of all ranks. */
void efficiency_of_model(struct efficiency *e, const struct run *run,
                         const struct analysis_rank *rank)
{
    int32_t row = rank->row, world = run->ranks.world[row];
    double ranks = world > 1 ? world : 1;
    e->parameters = run_fact(run, row, "train.parameters");
    e->job_tokens = run_fact(run, row, "train.tokens_per_step");
    e->job_samples = run_fact(run, row, "train.samples_per_step");
    e->step_tokens = e->job_tokens / ranks;
    e->step_flop = run_fact(run, row, "train.flop_per_step") / ranks;
    e->no_model_frac = why_no_share(e, rank);
    double could = *e->no_model_frac ? NAN : e->ceiling.flop_per_s * rank->step.ns / 1e9;
    e->counted_frac = e->step_flop / could;
    e->model_frac = 6 * e->parameters * e->step_tokens / could;
}

static double ratio(double a, double b)
{
    return a > 0 && b > 0 ? a / b : NAN;
}

void efficiency_of_bytes(struct efficiency *e)
{
    e->flop_per_byte = ratio(e->all_flop, e->all_bytes);
    e->bytes_per_s = ratio(e->window_bytes, e->window_ns / 1e9);
    e->bandwidth_frac = e->bytes_per_s / e->ceiling.bytes_per_s;
    e->bound = roofline_bound_of(&e->ceiling, e->flop_per_byte);
}
