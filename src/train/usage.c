#include "train/usage.h"

#include "base/clock.h"
#include "model/model_cost.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

double usage_peak_rss_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? NAN : (double)usage.ru_maxrss * 1024;
}

void usage_begin(struct usage *u)
{
    memset(u, 0, sizeof *u);
}

void usage_step(struct usage *u, const struct trainer *t, int64_t dur_ns)
{
    if (u->begun) {
        u->steps++;
        u->wall_ns += dur_ns;
        u->cpu_ns += t->step_cpu_ns;
        for (int i = 0; i < PHASE_COUNT; i++)
            u->phase_ns[i] += t->phase_ns[i] - u->phase_before_ns[i];
    }
    u->begun = true;
    memcpy(u->phase_before_ns, t->phase_ns, sizeof u->phase_before_ns);
}

void usage_result(const struct usage *u, const struct trainer *t, struct train_usage *out)
{
    const struct config *c = t->config;
    double parts = (double)c->gradient_accumulation;
    *out = (struct train_usage){
        .steps = u->steps,
        .wall_s = (double)u->wall_ns / 1e9,
        .evaluate_s = (double)u->evaluate_ns / 1e9,
        .save_s = (double)u->save_ns / 1e9,
        .cpu_frac =
            u->wall_ns ? (double)u->cpu_ns / (double)u->wall_ns / t->threads : NAN,
        .threads = t->threads,
        .samples_a_step = (double)c->batch_size,
        .tokens_a_step = (double)(t->model.M * t->comm.size) * parts,
        .epoch_steps = (double)t->epoch_steps,
        .flop_a_step = model_flop(&t->model) * parts,
        .precision = c->precision,
        .plan_bytes = (double)trainer_allocated_bytes(t),
        .peak_rss_bytes = usage_peak_rss_bytes(),
    };
    for (int i = 0; i < PHASE_COUNT; i++)
        out->phase_s[i] = (double)u->phase_ns[i] / 1e9;
}
