/*
 * A study on one page: what was gained, the questions that guides to profiling end with,
 * answered from what was measured, and the tables behind the answers. Predicted and
 * measured figures stand in columns of their own.
 */
#include "report/view_study.h"
#include "analyze/model_parts.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

/* --- the answer --- */

static const char *proved_text(struct view *v, const struct study *s,
                               const struct study_gate *time)
{
    struct strbuf verdict;
    strbuf_init(&verdict);
    study_put_verdict(&verdict, s);
    const char *line = view_printf(
        v, "Tuned it takes %s instead of %s, in turns: %s (%s), measured; %s.",
        view_clean(v, time->after), view_clean(v, time->before),
        study_change_text(v, time->change), study_interval_text(v, time->low, time->high),
        view_clean(v, verdict.s));
    strbuf_release(&verdict);
    return line;
}

/* What was measured while others ran is told with it. */
static void add_busy(struct view *v, struct block *b, const struct study *s)
{
    for (size_t i = 0; i < STUDY_BUSY; i++)
        if (*s->busy[i].what)
            view_line(v, b,
                      view_printf(v, "The machine was not quiet: during %s %s.",
                                  s->busy[i].stage, view_clean(v, s->busy[i].what)),
                      "");
}

/* More sentences under the run's own, which is that of the config as given. */
void view_add_study_headline(struct view *v, struct block *b)
{
    const struct study *s = v->options.study;
    if (!s)
        return;
    const struct study_gate *time = study_gate_of(s, "step time");
    const char *line =
        !s->searched ? "The search for faster settings has not run."
        : !s->faster ? "Nothing that was run is faster."
        : !time      ? "Faster settings were found (tuned.yaml), and not proved yet."
                     : proved_text(v, s, time);
    view_line(v, b, line, "");
    add_busy(v, b, s);
}

/* --- the questions --- */

static const char *kind_of(const char *setting)
{
    static const struct {
        const char *setting, *kind;
    } kinds[] = {
        {"fused_qkv", "fusion (fewer products)"},
        {"fused_gate_up", "fusion (fewer products)"},
        {"attention", "algorithm (attention)"},
        {"precision", "precision"},
        {"recompute", "memory against arithmetic"},
        {"threads", "parallelism"},
        {"gradient_accumulation", "larger pieces of work at once"},
        {"num_workers", "input"},
        {"engine", "kernels"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(setting, kinds[i].setting))
            return kinds[i].kind;
    return "settings";
}

static const char *largest_part(struct view *v, const struct efficiency *e)
{
    struct model_parts p;
    const struct analysis_rank *r = view_rank(v);
    int best = -1;
    double ns[MODEL_PART_COUNT], bound[MODEL_PART_COUNT];
    if (!r || !model_parts_of(&p, v->a->run, r->row, e->ceiling.flop_per_s,
                              e->ceiling.bytes_per_s))
        return "not known: the run has no operators of a model";
    for (int i = 0; i < MODEL_PART_COUNT; i++) {
        ns[i] = p.of[i][PART_FORWARD].ns + p.of[i][PART_BACKWARD].ns;
        bound[i] = p.of[i][PART_FORWARD].bound_ns + p.of[i][PART_BACKWARD].bound_ns;
        if (i != MODEL_PART_BLOCK && (best < 0 || ns[i] > ns[best]))
            best = i;
    }
    const char *far =
        bound[best] > 0 ? view_printf(v, ", %.1f times its bound", ns[best] / bound[best])
                        : "";
    return view_printf(v, "%s: %s of a step%s (measured)", model_part_text[best],
                       view_percent(v, ns[best] / r->step.ns), far);
}

/* What a step takes more without it: measured in its place, or else alone. */
static double worth_of(const struct study_change *c)
{
    return isfinite(c->going_back) ? c->going_back : 1 / (1 + c->alone) - 1;
}

static const struct study_change *largest_change(const struct study *s)
{
    const struct study_change *best = NULL;
    for (size_t i = 0; i < s->changes; i++)
        if (!best || worth_of(&s->change[i]) > worth_of(best))
            best = &s->change[i];
    return best;
}

static const struct study_ablation *largest_ablation(const struct study *s)
{
    const struct study_ablation *best = NULL;
    for (size_t i = 0; i < s->ablations; i++)
        if (isfinite(s->ablation[i].alone) &&
            (!best || s->ablation[i].alone > best->alone))
            best = &s->ablation[i];
    return best;
}

static const char *best_kind(struct view *v, const struct study *s)
{
    const struct study_change *c = largest_change(s);
    const struct study_ablation *a = largest_ablation(s);
    if (c)
        return view_printf(v, "%s: without %s = %s a step takes %s (measured)",
                           kind_of(c->setting), view_clean(v, c->setting),
                           view_clean(v, c->is), study_change_text(v, worth_of(c)));
    if (a)
        return view_printf(v, "of what is on: %s, %s, %.2f times as fast (measured)",
                           kind_of(a->setting), view_clean(v, a->what), a->alone);
    return "not known: neither the search nor the ablation has run";
}

/* A step's time by what bounds it; the parts make 1. */
struct step_bounds {
    double compute, memory; /* operators right and left of the roofline's ridge */
    double unknown;         /* operators whose work is not counted */
    double between;         /* no operator */
};

static bool step_bounds_of(struct step_bounds *b, const struct view *v,
                           const struct efficiency *e)
{
    const struct ops *ops = &v->a->run->ops;
    const struct analysis_rank *r = view_rank(v);
    double all_ops = 0, all = 0;
    *b = (struct step_bounds){.unknown = 0};
    for (size_t i = 0; i < e->dots; i++) {
        b->compute += e->dot[i].bound == ROOFLINE_COMPUTE ? (double)e->dot[i].ns : 0;
        b->memory += e->dot[i].bound == ROOFLINE_MEMORY ? (double)e->dot[i].ns : 0;
    }
    for (size_t i = 0; r && i < r->n_ops; i++)
        if (ops->kind[r->ops[i].row] == SPAN_KIND_OP)
            all_ops += (double)ops->self_ns[r->ops[i].row];
    for (size_t i = 0; i < ops->table.n; i++) /* of the same steps */
        if (ops->kind[i] == SPAN_KIND_STEP)
            all += (double)ops->total_ns[i];
    if (!(all > 0) || !e->dots)
        return false;
    b->between = fmax(0, 1 - all_ops / all);
    b->compute /= all;
    b->memory /= all;
    b->unknown = fmax(0, 1 - b->compute - b->memory - b->between);
    return true;
}

/* Of all threads' time: waiting at the ends of parallel regions, and waking. */
static double waiting_frac(const struct view *v)
{
    const struct run *run = v->a->run;
    const struct analysis_rank *r = view_rank(v);
    if (!r)
        return NAN;
    return (run_fact(run, r->row, "train.barrier_ns_per_step") +
            run_fact(run, r->row, "train.wake_ns_per_step")) /
           (run_fact(run, r->row, "train.recorded_ns_per_step") *
            run_fact(run, r->row, "train.threads"));
}

static const char *bound_by(struct view *v, const struct efficiency *e)
{
    struct step_bounds b;
    if (!step_bounds_of(&b, v, e))
        return "not known: no operator's work was counted";
    double waiting = waiting_frac(v);
    const char *word = waiting > 0.5     ? "bound by threads that wait"
                       : b.compute > 0.5 ? "compute-bound"
                       : b.memory > 0.5  ? "memory-bound"
                       : b.between > 0.5 ? "overhead-bound"
                                         : "mixed";
    const char *threads =
        isfinite(waiting) ? view_printf(v,
                                        ". Of the threads' time, operators included, %s "
                                        "is waiting for each other and waking",
                                        view_percent(v, waiting))
                          : "";
    return view_printf(v,
                       "%s: %s of a step in operators right of the ridge (arithmetic), "
                       "%s left of it (memory), %s in operators whose work is not "
                       "counted, %s between operators%s",
                       word, view_percent(v, b.compute), view_percent(v, b.memory),
                       view_percent(v, b.unknown), view_percent(v, b.between), threads);
}

static const char *first_to_do(struct view *v, const struct study *s)
{
    const struct study_change *c = largest_change(s);
    const struct findings *f = v->options.findings;
    if (c)
        return view_printf(v, "set %s: %s (was %s); gait train tuned.yaml has it",
                           view_clean(v, c->setting), view_clean(v, c->is),
                           view_clean(v, c->was));
    if (f && f->n)
        return view_printf(v, "%s (predicted; gait explain 1 baseline.gait)",
                           view_told(v, f->finding[0].rule->title));
    return s->searched ? "nothing: no setting that was run is faster, no cause was found"
                       : "not known: the search has not run";
}

/* By the proof; where it has not run, by the search's own last comparison. */
static const struct study_time *time_of(const struct study *s)
{
    return isfinite(s->proof_time.change) ? &s->proof_time : &s->search_time;
}

static const char *target_of(struct view *v, const struct study *s)
{
    const struct study_time *t = time_of(s);
    const struct findings *f = v->options.findings;
    const char *more =
        f && f->n && f->together_gain_ns > 0
            ? view_printf(v,
                          "; the findings of the config as given together: %s "
                          "(predicted)",
                          view_predicted(v, f->step_ns, f->together_gain_ns))
            : "";
    if (!s->searched)
        return view_printf(v, "not known: the search has not run%s", more);
    if (!s->faster || !isfinite(t->change))
        return view_printf(v, "1.0 times: nothing measured was faster%s", more);
    if (!isfinite(t->low))
        return view_printf(v,
                           "%.2f times as fast (measured, too few pairs for an "
                           "interval)%s",
                           1 / (1 + t->change), more);
    return view_printf(v, "%.2f times as fast, reached (measured %.2f to %.2f)%s",
                       1 / (1 + t->change), 1 / (1 + t->high), 1 / (1 + t->low), more);
}

static void add_questions(struct view *v, const struct study *s)
{
    struct efficiency e;
    struct block *b =
        view_block(v, BLOCK_TABLE, "Five questions, answered from the data");
    efficiency_of(&e, v->a, v->shown, &v->options.peak);
    const char *rows[][2] = {
        {"What is the largest bottleneck?", largest_part(v, &e)},
        {"Which kind of optimisation gains most?", best_kind(v, s)},
        {"Bound by memory, arithmetic or overhead?", bound_by(v, &e)},
        {"What comes first?", first_to_do(v, s)},
        {"What speed-up is realistic?", target_of(v, s)},
    };
    grid_open(v, b, 2, sizeof rows / sizeof *rows);
    grid_column(b, 0, "question", ALIGN_LEFT, false);
    grid_column(b, 1, "answer", ALIGN_LEFT, false);
    b->grid.columns[1].wraps = true;
    b->grid.stacks = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cell *c = grid_row(b);
        c[0] = cell_text(rows[i][0]);
        c[1] = cell_text(rows[i][1]);
    }
}

void view_add_study(struct view *v)
{
    const struct study *s = v->options.study;
    if (!s)
        return;
    add_questions(v, s);
    view_study_changes(v, s);
    view_study_gates(v, s);
    view_study_waterfall(v, s);
    view_study_ablation(v, s);
    view_block(v, BLOCK_TEXT, "The config as given")->text =
        "From here on: where the time of a step went before anything was changed.";
}
