/*
 * The answer: how long a step takes and where it goes, for the rank that is shown.
 *
 * A window is the step where steps are known, else the whole recording; every block
 * says which.
 */
#include "analyze/timed_waits.h"
#include "base/units.h"
#include "report/view_parts.h"
#include "run/rank_damage.h"
#include "run/record_facts.h"

#include <math.h>
#include <string.h>

static const double LEAST_SHOWN_FRAC = 0.0005; /* what rounds to 0.0 % */
static const double TOLD_SHARE_FRAC = 0.005;   /* what rounds to 1 % */

/* docs/analyze.md, "The step" */
#define BOUND_IDLE_FRAC 0.5

/* As a sentence speaks of them. */
static const char *const phase_subject[PHASE_COUNT] = {
    [PHASE_DATA] = "waiting for input",
    [PHASE_FORWARD] = "the forward pass",
    [PHASE_BACKWARD] = "the backward pass",
    [PHASE_OPTIMIZER] = "the optimizer",
    [PHASE_OTHER] = "what comes every few steps",
    [PHASE_UNATTRIBUTED] = "time between the phases",
};

const char *view_phase_label(enum phase p)
{
    return p == PHASE_DATA           ? "input"
           : p == PHASE_UNATTRIBUTED ? "between phases"
                                     : phase_text[p];
}

static enum phase largest_phase(const struct step_phases *phases)
{
    enum phase best = 0;
    for (int p = 1; p < PHASE_COUNT; p++)
        if (phases->ns[p] > phases->ns[best])
            best = p;
    return best;
}

/* "rank 3 of 8, the straggler; " or "" of one rank alone. */
static const char *which_rank(struct view *v)
{
    const struct analysis *a = v->a;
    if (a->n_ranks < 2)
        return "";
    bool waited_for = a->shown_is_straggler && v->shown == a->shown;
    return view_printf(v, "rank %d of %zu, %s; ", rank_number(a, v->shown), a->n_ranks,
                       waited_for ? "the straggler" : "slowest");
}

const char *view_step_clock(struct view *v, const struct step_time *s)
{
    if (s->basis == STEP_BASIS_UNTRACED)
        return " without the tracer";
    if (!s->ahead)
        return "";
    /* a GPU that idles most of the time is not what a step is bound by */
    bool bound =
        split_frac(rank_window(view_rank(v)), TIME_CLASS_IDLE) <= BOUND_IDLE_FRAC;
    return view_printf(v, ", %s; the host needs %s",
                       bound ? "GPU-bound" : "until the GPU is done",
                       view_step_ms(v, s->host_ns));
}

/* Beyond this a half width says nothing: steps that have so little in common are told
 * from the shortest to the longest. */
static const double TOLD_SPREAD_FRAC = 1;

/* "median of 12, ±1.2 %", or why it is a mean */
static const char *statistic_text(struct view *v, const struct analysis_rank *r,
                                  const char *of)
{
    const struct step_time *s = &r->step;
    if (!s->mean && s->spread_frac > TOLD_SPREAD_FRAC &&
        s->basis != STEP_BASIS_UNTRACED && !*of)
        return view_printf(v, "median of %zu; they take from %s to %s ms", s->count,
                           view_number(v, r->steps.min_ms, 2),
                           view_number(v, r->steps.max_ms, 2));
    if (!s->mean)
        return view_printf(v, "median of %zu%s, ±%s", s->count, of,
                           view_percent(v, s->spread_frac));
    return view_printf(v,
                       "mean of %zu%s: %zu of them take more than %.1f times the median",
                       s->count, of, s->longer, 1 + STEP_LONG_FRAC);
}

/* "A step takes 103.2 ms (median of 12, ±1.2 %)." */
static const char *step_sentence(struct view *v, const struct analysis_rank *r)
{
    const struct step_time *s = &r->step;
    const char *of = s->ahead && s->basis == STEP_BASIS_DEVICE ? " GPU periods" : "";
    const char *how =
        s->count == 1 ? view_printf(v, "one%s recorded",
                                    *of && r->steps.count > 1 ? " GPU period" : " step")
                      : statistic_text(v, r, of);
    return view_printf(v, "A step takes %s%s (%s%s).", view_step_ms(v, s->ns),
                       view_step_clock(v, s), which_rank(v), how);
}

static const char *no_steps_sentence(struct view *v, const struct analysis_rank *r)
{
    const char *rank = v->a->n_ranks < 2 ? ""
                                         : view_printf(v, " Shown is rank %d.",
                                                       rank_number(v->a, v->shown));
    if (!isfinite(r->step.ns))
        return view_printf(
            v, "No steps are marked in this recording, and it has no times.%s", rank);
    return view_printf(v,
                       "No steps are marked: the whole recording, %s, is taken as one.%s",
                       view_step_ms(v, r->step.ns), rank);
}

/* Which thread stands for a rank without a device: the one that marks the steps, or the
 * busiest where there are none. */
static const char *thread_word(const struct analysis_rank *r)
{
    return r->step_split.known ? "main" : "busiest";
}

/* Where the device works on what is not recorded, its share of compute is not known. */
static const char *device_sentence(struct view *v, double compute)
{
    const struct findings *f = v->options.findings;
    double unrecorded =
        f && f->account.step_ns > 0
            ? account_ns(&f->account, ACCOUNT_UNRECORDED) / f->account.step_ns
            : 0;
    if (unrecorded <= 0)
        return view_printf(v, "The GPU computes %s of it.", unit_percent(compute).s);
    return view_printf(v,
                       "Recorded compute is %s of it; for %s more the GPU may be at work "
                       "that is not recorded.",
                       unit_percent(compute).s, unit_percent(unrecorded).s);
}

/* What fills most of the window, as the second sentence. */
static const char *share_sentence(struct view *v, const struct analysis_rank *r)
{
    const struct time_split *w = rank_window(r);
    if (r->has_device && isfinite(split_frac(w, TIME_CLASS_COMPUTE)))
        return device_sentence(v, split_frac(w, TIME_CLASS_COMPUTE));
    if (r->phases.known && r->step.ns > 0) {
        enum phase p = largest_phase(&r->phases);
        return view_printf(v, "Its largest part is %s (%s).", phase_subject[p],
                           unit_percent(r->phases.ns[p] / r->step.ns).s);
    }
    if (isfinite(split_frac(w, TIME_CLASS_BUSY)))
        return view_printf(v, "The %s thread is busy %s of it.", thread_word(r),
                           unit_percent(split_frac(w, TIME_CLASS_BUSY)).s);
    return "";
}

static const char *partial_sentence(struct view *v, const struct analysis_rank *r)
{
    const struct ranks *k = &v->a->run->ranks;
    if (rank_damage(k, (size_t)r->row) == RANK_CUT_SHORT)
        return "This recording is cut short: the figures are of the part that could be "
               "read.";
    return view_printf(v, "This recording is damaged: %s of %s events could not be used.",
                       unit_thousands(k->events_skipped[r->row]).s,
                       unit_thousands(k->events[r->row]).s);
}

/* How much longer a step takes with the tracer; what comes every few steps may be in no
 * traced one. NAN: not both are known. */
static double tracer_ratio(const struct analysis_rank *r)
{
    double plain_ns = isnan(r->step.plain_ns) ? r->step.ns : r->step.plain_ns;
    return r->step.basis == STEP_BASIS_UNTRACED && plain_ns > 0
               ? r->recorded.ns / plain_ns
               : NAN;
}

/* What else is known of a step that was timed without the tracer, or "". */
static const char *traced_sentence(struct view *v, const struct analysis_rank *r)
{
    double ratio = tracer_ratio(r);
    if (!isfinite(ratio))
        return "";
    const char *every = r->step.ns > (1 + TOLD_SHARE_FRAC) * r->step.plain_ns
                            ? " It includes its share of what comes every few steps."
                            : "";
    return view_printf(v, "With the tracer it takes %.2f times as long.%s", ratio, every);
}

/* Steps of one job differ by less on a quiet machine, and the tracer at most doubles
 * them: docs/record.md. */
static const double DISTURBED_SPREAD = 0.5, DISTURBED_RATIO[2] = {0.7, 2.5};

/* What other programs took, where the recorder counted it and it is much; or "". */
static const char *others_sentence(struct view *v, const struct analysis_rank *r)
{
    double cpus = record_fact(v->a->run, r->row, RECORD_FACT_CPUS);
    double others = record_others_cpus(v->a->run, r->row);
    if (!others)
        return "";
    return view_printf(v,
                       "Other programs used %.1f of %.3g CPUs while this was recorded: "
                       "steps may take longer than they would alone.",
                       others, cpus);
}

/* Do the step times themselves look disturbed? "" if not. */
static const char *disturbed_sentence(struct view *v, const struct analysis_rank *r)
{
    double spread = r->step.spread_frac, ratio = tracer_ratio(r);
    static const char advice[] = "other programs ran beside it, or the job has phases: "
                                 "record it again on a quiet machine before trusting "
                                 "these figures.";
    if (spread > DISTURBED_SPREAD && !r->step.mean) /* the mean has said it */
        return view_printf(v, "Its steps differ by ±%s: %s", view_percent(v, spread),
                           advice);
    if (ratio < DISTURBED_RATIO[0] || ratio > DISTURBED_RATIO[1])
        return view_printf(v, "Traced steps take %.1f times as long as untraced ones: %s",
                           ratio, advice);
    return "";
}

void view_add_headline(struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    struct block *b = view_block(v, BLOCK_HEADLINE, "");
    if (!r) {
        view_line(v, b,
                  v->a->run->facts.table.n
                      ? "This file is about a machine: no training was recorded in it."
                      : "This run has no ranks: nothing was recorded.",
                  "");
        return;
    }
    if (rank_damage(&v->a->run->ranks, (size_t)r->row) != RANK_WHOLE)
        view_line(v, b, partial_sentence(v, r), "");
    view_line(v, b, analysis_has_steps(r) ? step_sentence(v, r) : no_steps_sentence(v, r),
              "");
    const char *traced = traced_sentence(v, r), *share = share_sentence(v, r);
    if (*traced) {
        const char *disturbed = disturbed_sentence(v, r), *others = others_sentence(v, r);
        view_line(v, b, traced, "");
        if (*others)
            view_line(v, b, others, "");
        if (*disturbed)
            view_line(v, b, disturbed, "");
    }
    if (*share)
        view_line(v, b, share, "");
    view_add_study_headline(v, b);
}

/* "(72 % hidden behind compute)": what compute hides of a class's total. */
static const char *hidden_remark(struct view *v, const struct time_split *w,
                                 enum time_class what, enum time_class total)
{
    if (w->ns[total] <= 0 || w->ns[what] > w->ns[total])
        return "";
    double hidden = 1 - (double)w->ns[what] / (double)w->ns[total];
    if (what == TIME_CLASS_COPIES && hidden <= 0)
        return "";
    return view_printf(v, "%s hidden behind compute", unit_percent(hidden).s);
}

/* Why a device idled, for a remark: who or what it waited for. */
static const char *idle_word(enum time_class reason)
{
    switch (reason) {
    case TIME_CLASS_IDLE_INPUT:
        return "for input";
    case TIME_CLASS_IDLE_SYNC:
        return "host blocked";
    case TIME_CLASS_IDLE_HOST:
        return "for the host";
    case TIME_CLASS_IDLE_COMMUNICATION:
        return "for other ranks";
    case TIME_CLASS_IDLE_BETWEEN:
        return "between kernels";
    default:
        return "launch not recorded";
    }
}

static enum time_class largest_reason(const struct time_split *w, int besides)
{
    enum time_class best = TIME_CLASS_IDLE_INPUT;
    if (besides == TIME_CLASS_IDLE_INPUT)
        best = TIME_CLASS_IDLE_SYNC;
    for (int c = TIME_CLASS_IDLE_INPUT; c <= TIME_CLASS_IDLE_UNKNOWN; c++)
        if (c != besides && w->ns[c] > w->ns[best])
            best = (enum time_class)c;
    return best;
}

/* Between two kernels that were launched in time the device waits for something that the
 * account may name: a call in which the host waits, too. */
static bool account_tells_idle(const struct view *v, const struct time_split *w)
{
    const struct findings *f = v->options.findings;
    return f && account_ns(&f->account, ACCOUNT_IDLE) +
                        account_ns(&f->account, ACCOUNT_UNRECORDED) >
                    (double)w->ns[TIME_CLASS_IDLE] / 2;
}

/* "for the host 62 %, for input 30 %": the two largest reasons, of the idle time. */
static const char *idle_remark(struct view *v, const struct time_split *w)
{
    double idle = (double)w->ns[TIME_CLASS_IDLE];
    enum time_class first = largest_reason(w, -1), second = largest_reason(w, (int)first);
    if (idle <= 0 || w->ns[first] <= 0 ||
        (first == TIME_CLASS_IDLE_BETWEEN && account_tells_idle(v, w)))
        return "";
    const char *most =
        view_printf(v, "%s %.0f %%", idle_word(first), 100 * (double)w->ns[first] / idle);
    if ((double)w->ns[second] < 0.1 * idle)
        return most;
    return view_printf(v, "%s, %s %.0f %%", most, idle_word(second),
                       100 * (double)w->ns[second] / idle);
}

static void add_class_bar(struct view *v, struct block *b, const struct time_split *w,
                          enum time_class what, enum tone tone, const char *remark)
{
    struct bar *bar = bars_add(b);
    double largest = ns_to_ms(w->ns[TIME_CLASS_SPAN]);
    /* a frame or an annotation may still name it: only operators are told apart here */
    bar->label = what == TIME_CLASS_UNATTRIBUTED ? "no operator" : time_class_text[what];
    bar->value = view_printf(
        v, "%s ms", view_number(v, ns_to_ms(w->ns[what]), decimals_for(largest)));
    bar->frac = split_frac(w, what);
    bar->share = view_percent(v, bar->frac);
    bar->remark = remark;
    bar->tone = tone;
}

static void add_device_bars(struct view *v, struct block *b, const struct time_split *w)
{
    add_class_bar(v, b, w, TIME_CLASS_COMPUTE, TONE_COMPUTE, "");
    add_class_bar(
        v, b, w, TIME_CLASS_COMMUNICATION, TONE_COMMUNICATION,
        hidden_remark(v, w, TIME_CLASS_COMMUNICATION, TIME_CLASS_COMMUNICATION_TOTAL));
    add_class_bar(v, b, w, TIME_CLASS_COPIES, TONE_COPIES,
                  hidden_remark(v, w, TIME_CLASS_COPIES, TIME_CLASS_COPIES_TOTAL));
    add_class_bar(v, b, w, TIME_CLASS_IDLE, TONE_IDLE, idle_remark(v, w));
}

static void add_phase_bars(struct view *v, struct block *b, const struct analysis_rank *r)
{
    static const enum tone tone[PHASE_COUNT] = {
        [PHASE_DATA] = TONE_DATA,         [PHASE_FORWARD] = TONE_FORWARD,
        [PHASE_BACKWARD] = TONE_BACKWARD, [PHASE_OPTIMIZER] = TONE_OPTIMIZER,
        [PHASE_OTHER] = TONE_OTHER,       [PHASE_UNATTRIBUTED] = TONE_IDLE,
    };
    double total = r->step.ns;
    for (int p = 0; p < PHASE_COUNT; p++) {
        double ns = r->phases.ns[p];
        if (p == PHASE_OTHER && ns < LEAST_SHOWN_FRAC * total)
            continue;
        struct bar *bar = bars_add(b);
        bar->label = view_phase_label((enum phase)p);
        bar->value =
            view_printf(v, "%s ms", view_number(v, ns / 1e6, decimals_for(total / 1e6)));
        bar->frac = total > 0 ? ns / total : NAN;
        bar->share = view_percent(v, bar->frac);
        bar->remark =
            p == PHASE_OTHER && r->phases.timed ? "its share of every few steps" : "";
        bar->tone = tone[p];
    }
}

/* Collectives of a host run on threads of their own, so no span of the main thread tells
 * that it waits for other ranks: "" where there are none. */
static const char *waiting_remark(struct view *v, const struct analysis_rank *r)
{
    if (v->a->n_ranks < 2 && v->a->run->ranks.world[r->row] < 2)
        return "";
    double ns = timed_waits_ns(v->a->run, r->row);
    return isfinite(ns) ? view_printf(v, "without collectives: %s, timed untraced",
                                      unit_ns_of(ns).s)
                        : "without collectives";
}

/* The threads of collectives are none of the phases: what the job waited for outside of
 * the backward pass was timed. */
static const char *phases_note(struct view *v, const struct analysis_rank *r)
{
    double ns = timed_waits_ns(v->a->run, r->row);
    if (!(ns > 0) || (v->a->n_ranks < 2 && v->a->run->ranks.world[r->row] < 2))
        return "";
    return view_printf(v,
                       "%s of it is spent waiting for other ranks outside the backward "
                       "pass.",
                       unit_ns_of(ns).s);
}

/* Whose shares the bars are. */
static const char *of_which(struct view *v, const struct analysis_rank *r)
{
    if (r->recorded.ahead && r->has_device)
        return "from the first to the last GPU work";
    if (!r->has_device && r->phases.timed)
        return view_printf(
            v, "timed without the tracer; forward from %zu of %zu traced steps",
            r->steps.typical, r->steps.count);
    return view_printf(v, "from %zu of %zu recorded steps", r->steps.typical,
                       r->steps.count);
}

void view_add_where_time_goes(struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    if (!r || (!rank_window(r)->known && !r->phases.known))
        return;
    bool of_steps = analysis_has_steps(r) &&
                    (r->step_split.known || (!r->has_device && r->phases.known));
    const char *title =
        of_steps
            ? view_printf(v, "Where a step%s goes (%s)", view_of_rank(v), of_which(v, r))
            : view_printf(v, "Where the recording%s goes", view_of_rank(v));
    struct block *b = view_block(v, BLOCK_BARS, title);
    b->bars.parts_of_whole = true;
    bars_open(v, b, PHASE_COUNT > 4 ? PHASE_COUNT : 4);
    if (r->has_device) {
        add_device_bars(v, b, rank_window(r));
    } else if (r->phases.known) {
        add_phase_bars(v, b, r);
        b->note = phases_note(v, r);
    } else {
        add_class_bar(v, b, rank_window(r), TIME_CLASS_BUSY, TONE_COMPUTE, "");
        add_class_bar(v, b, rank_window(r), TIME_CLASS_WAITING, TONE_COMMUNICATION,
                      waiting_remark(v, r));
        add_class_bar(v, b, rank_window(r), TIME_CLASS_UNATTRIBUTED, TONE_IDLE, "");
        b->note = view_printf(
            v, "%s: these are the times of its %s thread.",
            rank_damage(&v->a->run->ranks, (size_t)r->row) != RANK_WHOLE
                ? "The part that could be read has no GPU work"
            : r->used_device ? "The job used a GPU, but the recording has no GPU times"
                             : "Nothing ran on a GPU in this recording",
            thread_word(r));
    }
}
