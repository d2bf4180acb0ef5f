/* What of the settings costs time on this machine, said before the first step. */
#include "base/log.h"
#include "base/units.h"
#include "machine/cpu.h"
#include "model/model_cost.h"
#include "train/trainer.h"

#include <stdio.h>

/* Why it may be so; what decides is the measurement. */
static const char *bf16_reason(void)
{
    struct cpu_isa isa = cpu_isa();
    return isa.avx512_bf16 || isa.amx_bf16 ? "" : " (this CPU has no bf16 instructions)";
}

/* Where it cannot be timed there is nothing to say. */
void trainer_time_precision(struct trainer *t)
{
    struct precision_timing *p = &t->precision;
    if (t->comm.rank == 0 && /* undisturbed */
        !p->rounds &&
        precision_time(p, t->engine.options.name, model_heaviest_linear(&t->model), NULL))
        *p = (struct precision_timing){0};
}

static void warn_of_bf16(struct trainer *t)
{
    const struct precision_timing *p = &t->precision;
    if (!t->engine.bf16)
        return;
    trainer_time_precision(t);
    if (!precision_bf16_is_slower(p))
        return;
    log_line("gait: warning: bf16 is slower than f32 here%s: the products of a linear of "
             "%lld x %lld x %lld take %s in bf16 and %s in f32, measured just now; set "
             "precision: f32, whose activations take up to %s more memory",
             bf16_reason(), (long long)p->M, (long long)p->N, (long long)p->K,
             unit_ns_of(p->bf16_ns).s, unit_ns_of(p->f32_ns).s,
             unit_mib((double)t->plan.class_bytes[TENSOR_CLASS_ACTIVATIONS]).s);
}

static void warn_of_threads(const struct trainer *t)
{
    int cores = cpu_usable_cores();
    if (t->threads <= cores)
        return;
    log_line(
        "gait: warning: threads: %d, and this process may use %d core%s (affinity, "
        "control group): threads that share a core wait for each other at the end of "
        "each operator; set threads: 0 for one a core",
        t->threads, cores, cores == 1 ? "" : "s");
}

void trainer_warn(struct trainer *t)
{
    warn_of_threads(t);
    warn_of_bf16(t);
}
