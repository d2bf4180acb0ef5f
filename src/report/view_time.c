/*
 * The answer: how long a step takes and where it goes, for the slowest rank.
 *
 * A window is the mean step where steps are known, else the whole recording; every block
 * says which.
 */
#include "analyze/timed_waits.h"
#include "base/units.h"
#include "report/view_parts.h"
#include "run/rank_damage.h"

#include <math.h>
#include <string.h>

/* GPU work that fills less of a recording is not called the whole of it. */
#define MOST_OF_RECORDING_FRAC 0.98

static const double LEAST_SHOWN_FRAC = 0.0005; /* what rounds to 0.0 % */

static enum phase largest_phase(const struct analysis_rank *r)
{
    enum phase best = 0;
    for (int p = 1; p < PHASE_COUNT; p++)
        if (r->phase_ms[p] > r->phase_ms[best])
            best = p;
    return best;
}

static double phases_total_ms(const struct analysis_rank *r)
{
    double total = 0;
    for (int p = 0; p < PHASE_COUNT; p++)
        total += r->phase_ms[p];
    return total;
}

/* The length of a step, with as many digits in every sentence. */
static const char *step_ms(struct view *v, double ms)
{
    return view_number(v, ms, ms >= 10 ? 1 : ms >= 1 ? 2 : 3);
}

/* What the bars add up to: the mean step. NAN where they are of the whole recording. */
static double mean_step_ms(const struct analysis_rank *r)
{
    if (!r->has_device && r->has_phases && r->steps.count)
        return phases_total_ms(r);
    return r->mean_step.known ? ns_to_ms(r->mean_step.ns[TIME_CLASS_SPAN]) : NAN;
}

/* "A step takes 103.2 ms (median of 12, ±1.2 %)." */
static const char *step_sentence(struct view *v, const struct analysis_rank *r)
{
    const struct analysis_steps *s = &r->steps;
    const char *ms = step_ms(v, s->median_ms);
    const char *how = s->count == 1 ? "one step recorded"
                                    : view_printf(v, "median of %zu, ±%s", s->count,
                                                  view_percent(v, s->spread_frac));
    if (v->a->n_ranks < 2)
        return view_printf(v, "A step takes %s ms (%s).", ms, how);
    return view_printf(v, "A step takes %s ms (rank %d, slowest of %zu; %s).", ms,
                       rank_number(v->a, v->shown), v->a->n_ranks, how);
}

static const char *no_steps_sentence(struct view *v, const struct analysis_rank *r)
{
    const char *rank = v->a->n_ranks < 2 ? ""
                                         : view_printf(v, " Shown is rank %d.",
                                                       rank_number(v->a, v->shown));
    if (!r->whole.known)
        return view_printf(
            v, "No steps are marked in this recording, and it holds no times.%s", rank);
    const struct ranks *k = &v->a->run->ranks;
    int64_t window_ns = r->whole.ns[TIME_CLASS_SPAN];
    int64_t recording_ns = k->last_ns[r->row] - k->first_ns[r->row];
    if (r->has_device &&
        (double)window_ns < MOST_OF_RECORDING_FRAC * (double)recording_ns)
        return view_printf(v,
                           "No steps are marked; what follows is from the first to the "
                           "last GPU work, %s of a recording of %s.%s",
                           unit_ns(window_ns).s, unit_ns(recording_ns).s, rank);
    return view_printf(v,
                       "No steps are marked; what follows is the whole recording, %s.%s",
                       unit_ns(window_ns).s, rank);
}

/* Which thread stands for a rank without a device: the one that marks the steps, or the
 * busiest where there are none. */
static const char *thread_word(const struct analysis_rank *r)
{
    return r->mean_step.known ? "main" : "busiest";
}

/* What the second sentence gives shares of: shares are of the mean step, so they are of
 * "it", the median step of the first sentence, only where both read the same. */
static const char *share_of(struct view *v, const struct analysis_rank *r)
{
    double mean_ms = mean_step_ms(r);
    if (!isfinite(mean_ms))
        return "it";
    const char *mean = step_ms(v, mean_ms);
    return strcmp(mean, step_ms(v, r->steps.median_ms))
               ? view_printf(v, "the mean step, %s ms", mean)
               : "it";
}

/* What fills most of the window, as the second sentence. */
static const char *share_sentence(struct view *v, const struct analysis_rank *r)
{
    const struct time_split *w = rank_window(r);
    if (r->has_device && isfinite(split_frac(w, TIME_CLASS_COMPUTE)))
        return view_printf(v, "The GPU computes %s of %s.",
                           unit_percent(split_frac(w, TIME_CLASS_COMPUTE)).s,
                           share_of(v, r));
    if (r->has_phases && phases_total_ms(r) > 0) {
        enum phase p = largest_phase(r);
        const char *of = share_of(v, r);
        return view_printf(v, "%.0f %% of %s%s is %s.",
                           100 * r->phase_ms[p] / phases_total_ms(r), of,
                           strcmp(of, "it") ? "," : "", phase_text[p]);
    }
    if (isfinite(split_frac(w, TIME_CLASS_BUSY)))
        return view_printf(v, "The %s thread is busy %s of %s.", thread_word(r),
                           unit_percent(split_frac(w, TIME_CLASS_BUSY)).s,
                           share_of(v, r));
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

/* What `gait record` timed beside the traced steps, or "". */
static const char *untraced_sentence(struct view *v, const struct analysis_rank *r)
{
    const struct run *run = v->a->run;
    double step_ns = run_fact(run, r->row, "record.steps_untraced_median_ns");
    double spread = run_fact(run, r->row, "record.steps_untraced_spread_frac");
    double steps = run_fact(run, r->row, "record.steps_untraced");
    if (!(step_ns >= 0 && step_ns <= (double)RUN_TIME_MAX_NS))
        return "";
    return view_printf(v, "Without the tracer it takes %s (median of %.0f, ±%s).",
                       unit_ns_of(step_ns).s, steps, view_percent(v, spread));
}

/* Steps of one job differ by less on a quiet machine, and the tracer at most doubles
 * them: docs/record.md. */
static const double DISTURBED_SPREAD = 0.5, DISTURBED_RATIO[2] = {0.7, 2.5};

/* Did other programs run beside the recorded job? "" where nothing says so. */
static const char *disturbed_sentence(struct view *v, const struct analysis_rank *r)
{
    const struct run *run = v->a->run;
    double step_ns = run_fact(run, r->row, "record.steps_untraced_median_ns");
    double spread = run_fact(run, r->row, "record.steps_untraced_spread_frac");
    double ratio = r->steps.median_ms * 1e6 / step_ns;
    static const char advice[] = "other programs ran beside it, or the job has phases: "
                                 "record it again on a quiet machine before trusting "
                                 "these figures.";
    if (spread > DISTURBED_SPREAD)
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
                      : "This run holds no ranks: nothing was recorded.",
                  "");
        return;
    }
    if (rank_damage(&v->a->run->ranks, (size_t)r->row) != RANK_WHOLE)
        view_line(v, b, partial_sentence(v, r), "");
    view_line(v, b, r->steps.count ? step_sentence(v, r) : no_steps_sentence(v, r), "");
    const char *untraced = untraced_sentence(v, r), *share = share_sentence(v, r);
    if (*untraced) {
        const char *disturbed = disturbed_sentence(v, r);
        view_line(v, b, untraced, "");
        if (*disturbed)
            view_line(v, b, disturbed, "");
    }
    if (*share)
        view_line(v, b, share, "");
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
        return "host busy";
    case TIME_CLASS_IDLE_COMMUNICATION:
        return "for other ranks";
    case TIME_CLASS_IDLE_BETWEEN:
        return "between kernels";
    default:
        return "no launch record";
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

/* "host busy 62 %, for input 30 %": the two largest reasons, of the idle time. */
static const char *idle_remark(struct view *v, const struct time_split *w)
{
    double idle = (double)w->ns[TIME_CLASS_IDLE];
    enum time_class first = largest_reason(w, -1), second = largest_reason(w, (int)first);
    if (idle <= 0 || w->ns[first] <= 0)
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
    bar->label = time_class_text[what];
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
    double total = phases_total_ms(r);
    for (int p = 0; p < PHASE_COUNT; p++) {
        if (p == PHASE_OTHER && r->phase_ms[p] < LEAST_SHOWN_FRAC * total)
            continue;
        struct bar *bar = bars_add(b);
        bar->label = phase_text[p];
        bar->value =
            view_printf(v, "%s ms", view_number(v, r->phase_ms[p], decimals_for(total)));
        bar->frac = total > 0 ? r->phase_ms[p] / total : NAN;
        bar->share = view_percent(v, bar->frac);
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

void view_add_where_time_goes(struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    if (!r || (!rank_window(r)->known && !r->has_phases))
        return;
    bool of_steps = r->mean_step.known || (!r->has_device && r->has_phases);
    const char *title =
        of_steps
            ? view_printf(v, "Where a step%s goes (mean of %zu: %s ms)", view_of_rank(v),
                          r->steps.count, step_ms(v, mean_step_ms(r)))
            : view_printf(v, "Where the recording%s goes (no steps: %s)", view_of_rank(v),
                          r->has_device ? "from first to last GPU work" : "all of it");
    struct block *b = view_block(v, BLOCK_BARS, title);
    b->bars.parts_of_whole = true;
    bars_open(v, b, PHASE_COUNT > 4 ? PHASE_COUNT : 4);
    if (r->has_device) {
        add_device_bars(v, b, rank_window(r));
    } else if (r->has_phases) {
        add_phase_bars(v, b, r);
    } else {
        add_class_bar(v, b, rank_window(r), TIME_CLASS_BUSY, TONE_COMPUTE, "");
        add_class_bar(v, b, rank_window(r), TIME_CLASS_WAITING, TONE_COMMUNICATION,
                      waiting_remark(v, r));
        add_class_bar(v, b, rank_window(r), TIME_CLASS_UNATTRIBUTED, TONE_IDLE, "");
        b->note = view_printf(v, "%s: these are the times of its %s thread.",
                              rank_damage(&v->a->run->ranks, (size_t)r->row) != RANK_WHOLE
                                  ? "No GPU work stands in the part that could be read"
                                  : "Nothing ran on a GPU in this recording",
                              thread_word(r));
    }
}
