/* Threads, CPU time, precision and memory against what this machine has. */
#include "base/units.h"
#include "diagnose/checks.h"
#include "diagnose/thresholds.h"
#include "machine/ceilings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void check_threads(struct outcome *o, const struct training_facts *f,
                   const struct estimate *e)
{
    (void)e;
    struct unit_text cores = unit_plural(f->cores, "core", "cores");
    if (f->tried && f->part == TRAINER_THREADS) {
        outcome_set(o, OUTCOME_FAIL, "%s", f->failed.text);
        outcome_next(o, "set threads: %d", f->cores);
    } else if (f->threads > f->cores) {
        outcome_set(o, OUTCOME_WARN,
                    "threads %d: this process may use %s, and threads that share a core "
                    "wait for each other",
                    f->threads, cores.s);
        outcome_next(o, "set threads: 0");
    } else {
        outcome_set(o, OUTCOME_OK, "%s on %s",
                    unit_plural(f->threads, "thread", "threads").s, cores.s);
    }
}

/* A quota of 1.5 cores runs two threads, which then stand still together. */
void check_cpu_limit(struct outcome *o, const struct training_facts *f,
                     const struct estimate *e)
{
    (void)e;
    if (!isfinite(f->quota_cores)) {
        outcome_set(o, OUTCOME_OK, "no control group limits the CPU time");
    } else if (f->quota_cores < f->threads) {
        int whole = f->quota_cores < 1 ? 1 : (int)f->quota_cores;
        outcome_set(o, OUTCOME_WARN,
                    "the control group allows %.3g CPUs of time to %s: all of them stand "
                    "still when it is used up",
                    f->quota_cores, unit_plural(f->threads, "thread", "threads").s);
        outcome_next(o, "set threads: %d, or raise cpu.max", whole);
    } else {
        outcome_set(o, OUTCOME_OK, "the control group allows %.3g CPUs of time",
                    f->quota_cores);
    }
}

static const char *bf16_instructions(const struct cpu_isa *isa)
{
    return isa->amx_bf16      ? "AMX"
           : isa->avx512_bf16 ? "avx512_bf16"
                              : "no bf16 instructions";
}

void check_precision(struct outcome *o, const struct training_facts *f,
                     const struct estimate *e)
{
    (void)e;
    const struct precision_timing *p = &f->precision;
    bool in_bf16 = !strcmp(f->config->precision, "bf16");
    if (!in_bf16) {
        outcome_set(o, OUTCOME_OK, "f32 (this CPU has %s)", bf16_instructions(&f->isa));
    } else if (!p->rounds) {
        outcome_unknown(o, f->step.known ? "no product could be timed"
                                         : training_facts_why_not(f).text);
    } else if (precision_bf16_is_slower(p)) {
        outcome_set(
            o, OUTCOME_WARN,
            "bf16 is slower than f32 here (%s): %s against %s for the products of "
            "one linear, measured",
            bf16_instructions(&f->isa), unit_ns_of(p->bf16_ns).s,
            unit_ns_of(p->f32_ns).s);
        outcome_next(o, "set precision: f32");
    } else {
        outcome_set(o, OUTCOME_OK,
                    "bf16 (%s): %s against %s in f32 for the products of one linear",
                    bf16_instructions(&f->isa), unit_ns_of(p->bf16_ns).s,
                    unit_ns_of(p->f32_ns).s);
    }
}

void check_other_programs(struct outcome *o, const struct training_facts *f,
                          const struct estimate *e)
{
    (void)e;
    if (!f->step.known || !f->noise.known) {
        outcome_unknown(o, f->step.known ? "/proc/stat cannot be read"
                                         : training_facts_why_not(f).text);
        return;
    }
    struct noise_text noise = noise_text(&f->noise);
    if (*noise.s) {
        outcome_set(o, OUTCOME_WARN, "the machine is not quiet: %s while the steps ran",
                    noise.s);
        outcome_next(o, "gait diagnose %s once it is", f->words);
    } else {
        outcome_set(o, OUTCOME_OK, "other programs took %.2f CPUs, the host %.1f %%",
                    f->noise.others_cpus, 100 * f->noise.steal_frac);
    }
}

static void say_largest(struct outcome *o, const struct training_facts *f)
{
    char also[160] = "";
    int at = 0;
    long long batch = f->config->batch_size;
    if (f->fits.recompute)
        at = snprintf(also, sizeof also, "%lld with recompute: true", batch);
    if (f->fits.gradient_accumulation)
        snprintf(also + at, sizeof also - (size_t)at,
                 "%s%lld with gradient_accumulation: %lld, the same training",
                 at ? ", or " : "", batch, (long long)f->fits.gradient_accumulation);
    if (f->fits.batch_size)
        outcome_next(o, "Largest that fits: batch_size %lld%s%s%s",
                     (long long)f->fits.batch_size, *also ? " (or " : "", also,
                     *also ? ")" : "");
    else if (*also)
        outcome_next(o, "%s fits", also);
    else
        outcome_next(o, "use a smaller context, width or layers");
}

static void say_refused(struct outcome *o, const struct training_facts *f)
{
    if (f->plan_overflows || !isfinite(f->limit.left_bytes))
        outcome_set(o, OUTCOME_FAIL, "%s", f->failed.text);
    else
        outcome_set(o, OUTCOME_FAIL, "batch_size %lld needs %s; %s of %s are left (%s)",
                    (long long)f->config->batch_size, unit_mib(f->plan_bytes).s,
                    unit_mib(fmax(f->limit.left_bytes, 0)).s, unit_mib(f->limit.bytes).s,
                    f->limit.file);
    say_largest(o, f);
}

/* The plan is refused by the limit; what other programs hold of the memory now is no
 * limit, and yet the plan may not fit beside it. */
void check_memory(struct outcome *o, const struct training_facts *f,
                  const struct estimate *e)
{
    (void)e;
    if (f->tried && f->part == TRAINER_MEMORY) {
        say_refused(o, f);
        return;
    }
    if (!check_can_know(o, f, TRAINER_MEMORY))
        return;
    double left = f->limit.left_bytes, available = f->available_bytes;
    struct unit_text plan = unit_mib(f->plan_bytes);
    if (f->plan_bytes > available) {
        outcome_set(
            o, OUTCOME_WARN,
            "the plan of %s fits, but other programs hold memory now: %s are free",
            plan.s, unit_mib(available).s);
        outcome_next(o, "end them, or set a smaller batch_size");
    } else if (f->plan_bytes > MEMORY_TIGHT_FRAC * left) {
        outcome_set(o, OUTCOME_WARN,
                    "the plan of %s takes nearly all of %s that are left", plan.s,
                    unit_mib(left).s);
        outcome_next(o, "set a smaller batch_size, or gradient_accumulation: 2");
    } else {
        outcome_set(o, OUTCOME_OK, "the plan of %s fits: %s are free", plan.s,
                    unit_mib(isfinite(available) ? fmin(available, left) : left).s);
    }
}
