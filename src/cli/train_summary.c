#ifdef GAIT_TRAIN
#include "cli/train_summary.h"

#include "base/units.h"
#include "machine/ceiling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below this share of the CPU time asked for, other programs ran meanwhile. */
static const double CPU_FRAC_MIN = 0.9;

struct measured_peak measure_peak(const struct train_usage *u)
{
    struct ceiling c = !strcmp(u->precision, "bf16") ? ceiling_bf16_flop(u->threads)
                                                     : ceiling_f32_flop(u->threads);
    return (struct measured_peak){c.repetitions ? c.best : NAN, c.how, c.cpu_frac};
}

static double a_step_s(const struct train_usage *u)
{
    return u->steps ? u->wall_s / (double)u->steps : NAN;
}

double train_mfu(const struct train_usage *u, const struct measured_peak *peak)
{
    return u->flop_a_step / a_step_s(u) / peak->flop_per_s;
}

static void print_rates(const struct train_usage *u)
{
    double s = a_step_s(u);
    printf(
        "  a step      %s  %.4g s/it, %.4g steps/s, %s samples/s, %s tok/s (%lld steps, "
        "the first left out)\n",
        unit_ns_of(s * 1e9).s, s, 1 / s, unit_count(u->samples_a_step / s).s,
        unit_count(u->tokens_a_step / s).s, (long long)u->steps);
    printf("  at this rate  an epoch %s, 100k steps %.3g h\n",
           unit_ns_of(u->epoch_steps * s * 1e9).s, 1e5 * s / 3600);
}

/* Phases are contiguous, what is between them and the step's wall time is shown. */
static void print_phases(const struct train_usage *u)
{
    double left = u->wall_s;
    printf("  time        ");
    for (int i = 0; i < PHASE_UNATTRIBUTED; i++) {
        left -= u->phase_s[i];
        printf("%s %.2f ms %.1f %%, ", phase_text[i],
               1e3 * u->phase_s[i] / (double)u->steps, 100 * u->phase_s[i] / u->wall_s);
    }
    printf("unattributed %.2f %%\n", 100 * left / u->wall_s);
    printf("  beside      validation %.2f s, checkpoints %.2f s", u->evaluate_s,
           u->save_s);
    if (u->failed_saves)
        printf(" (%lld save%s failed)", (long long)u->failed_saves,
               u->failed_saves == 1 ? "" : "s");
    putchar('\n');
}

static void print_arithmetic(const struct train_usage *u, const struct measured_peak *p)
{
    double achieved = u->flop_a_step / a_step_s(u);
    printf("  arithmetic  %s FLOP a step (linears and attention, forward and backward), "
           "%.4g GFLOP/s",
           unit_count(u->flop_a_step).s, achieved / 1e9);
    if (isfinite(p->flop_per_s))
        printf("; MFU %.1f %% of %.4g GFLOP/s (%s, measured%s)\n", 100 * train_mfu(u, p),
               p->flop_per_s / 1e9, p->how,
               p->cpu_frac < CPU_FRAC_MIN ? " while other programs ran: too low" : "");
    else
        printf("; MFU N/A: %s\n", p->how);
}

void train_summary_print(const struct train_usage *u, const struct measured_peak *peak)
{
    if (!u->steps)
        return;
    print_rates(u);
    print_phases(u);
    if (isfinite(u->cpu_frac))
        printf("  CPU         %.0f %% of %d thread%s busy, their waiting in barriers "
               "counted as busy\n",
               100 * u->cpu_frac, u->threads, u->threads == 1 ? "" : "s");
    printf("  memory      plan %s (exact), peak of the process %s\n",
           unit_mib(u->plan_bytes).s,
           isfinite(u->peak_rss_bytes) ? unit_mib(u->peak_rss_bytes).s : "N/A");
    print_arithmetic(u, peak);
}

void train_summary_json(struct json_writer *w, const struct train_usage *u,
                        const struct measured_peak *peak)
{
    json_key(w, "usage");
    json_begin_object(w);
    json_field_int(w, "steps", u->steps);
    json_field_double(w, "step_s", a_step_s(u), 6);
    json_field_double(w, "samples_per_s", u->samples_a_step / a_step_s(u), 6);
    json_field_double(w, "tokens_per_s", u->tokens_a_step / a_step_s(u), 6);
    json_field_double(w, "epoch_s", u->epoch_steps * a_step_s(u), 6);
    for (int i = 0; i < PHASE_UNATTRIBUTED; i++) {
        char key[48];
        snprintf(key, sizeof key, "%s_s", phase_text[i]);
        json_field_double(w, key, u->phase_s[i], 6);
    }
    json_field_double(w, "steps_wall_s", u->wall_s, 6);
    json_field_double(w, "validation_s", u->evaluate_s, 6);
    json_field_double(w, "checkpoints_s", u->save_s, 6);
    json_field_int(w, "checkpoints_failed", u->failed_saves);
    json_field_double(w, "cpu_frac", u->cpu_frac, 6);
    json_field_double(w, "plan_bytes", u->plan_bytes, 17);
    json_field_double(w, "peak_rss_bytes", u->peak_rss_bytes, 17);
    json_field_double(w, "flop_per_step", u->flop_a_step, 17);
    json_field_double(w, "peak_flop_per_s", peak->flop_per_s, 6);
    json_field_double(w, "peak_cpu_frac", peak->cpu_frac, 6);
    json_field_double(w, "mfu_frac", train_mfu(u, peak), 6);
    json_end(w);
}

#endif
