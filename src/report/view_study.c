/*
 * A study on one page: what was gained, the questions that guides to profiling end with,
 * answered from what was measured, and the tables behind the answers. Predicted and
 * measured figures stand in columns of their own.
 */
#include "analyze/model_parts.h"
#include "base/units.h"
#include "report/view_parts.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

static const char *change_text(struct view *v, double change)
{
    return isfinite(change) ? view_printf(v, "%s %%", unit_signed(100 * change, 1).s)
                            : "–";
}

static const char *interval_text(struct view *v, double low, double high)
{
    return isfinite(low) && isfinite(high)
               ? view_printf(v, "%s to %s %%", unit_signed(100 * low, 1).s,
                             unit_signed(100 * high, 1).s)
               : "–";
}

/* --- the answer --- */

static const char *proved_text(struct view *v, const struct study *s,
                               const struct study_gate *time)
{
    struct strbuf verdict;
    strbuf_init(&verdict);
    study_put_verdict(&verdict, s);
    const char *line =
        view_printf(v, "Tuned it takes %s: %s (%s), measured; %s.",
                    view_clean(v, time->after), change_text(v, time->change),
                    interval_text(v, time->low, time->high), view_clean(v, verdict.s));
    strbuf_release(&verdict);
    return line;
}

/* One more sentence under the run's own, which is that of the config as given. */
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
                           view_clean(v, c->is), change_text(v, worth_of(c)));
    if (a)
        return view_printf(v, "of what is on: %s, %s, %.2f times as fast (measured)",
                           kind_of(a->setting), view_clean(v, a->what), a->alone);
    return "not known: neither the search nor the ablation has run";
}

/* Of the step's time: operators right and left of the ridge, and what is no operator. */
static const char *bound_by(struct view *v, const struct efficiency *e)
{
    const struct analysis_rank *r = view_rank(v);
    double of[3] = {0, 0, 0}, ops = 0, all = 0;
    for (size_t i = 0; i < e->dots; i++)
        of[e->dot[i].bound] += (double)e->dot[i].ns;
    for (size_t i = 0; r && i < r->n_ops; i++) {
        size_t row = r->ops[i].row;
        if (v->a->run->ops.kind[row] == SPAN_KIND_OP)
            ops += (double)v->a->run->ops.self_ns[row];
    }
    for (size_t i = 0; i < v->a->run->ops.table.n; i++) /* of the same steps */
        if (v->a->run->ops.kind[i] == SPAN_KIND_STEP)
            all += (double)v->a->run->ops.total_ns[i];
    if (!(all > 0) || !e->dots)
        return "not known: no operator's work was counted";
    double compute = of[ROOFLINE_COMPUTE] / all, memory = of[ROOFLINE_MEMORY] / all,
           rest = fmax(0, 1 - ops / all);
    const char *word = compute > 0.5  ? "compute-bound"
                       : memory > 0.5 ? "memory-bound"
                       : rest > 0.5   ? "overhead-bound"
                                      : "mixed";
    return view_printf(
        v,
        "%s: %s of a step in operators right of the ridge (arithmetic), %s "
        "left of it (memory), %s between operators",
        word, view_percent(v, compute), view_percent(v, memory), view_percent(v, rest));
}

static const char *first_to_do(struct view *v, const struct study *s)
{
    const struct study_change *c = largest_change(s);
    const struct findings *f = v->options.findings;
    if (c)
        return view_printf(v, "set %s: %s (was %s); tuned.yaml has it",
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

/* --- the tables --- */

static void add_changes(struct view *v, const struct study *s)
{
    if (!s->changes)
        return;
    struct block *b = view_block(v, BLOCK_TABLE, "Settings that were changed");
    grid_open(v, b, 5, s->changes);
    grid_column(b, 0, "setting", ALIGN_LEFT, true);
    grid_column(b, 1, "was", ALIGN_LEFT, false);
    grid_column(b, 2, "is", ALIGN_LEFT, false);
    grid_column(b, 3, "alone, measured", ALIGN_RIGHT, false);
    grid_column(b, 4, "going back, measured", ALIGN_RIGHT, false);
    for (size_t i = 0; i < s->changes; i++) {
        const struct study_change *r = &s->change[i];
        struct cell *c = grid_row(b);
        c[0] = cell_text(view_clean(v, r->setting));
        c[1] = cell_text(view_clean(v, r->was));
        c[2] = cell_text(view_clean(v, r->is));
        c[3] = cell_sorted(change_text(v, r->alone), r->alone);
        c[4] = cell_sorted(change_text(v, r->going_back), r->going_back);
    }
    b->note = "Change of a step's time. Alone: against the config as given. Going back: "
              "the tuned config with this one as it was.";
}

/* Everything off, then one more on in each row: what each left of the step. */
static void add_waterfall(struct view *v, const struct study *s)
{
    size_t n = 0;
    struct roadmap_bar *bar = arena_alloc(&v->arena, (s->ablations + 2) * sizeof *bar);
    double before = 1;
    const struct study_ablation *last = NULL;
    for (size_t i = 0; i < s->ablations; i++) {
        const struct study_ablation *a = &s->ablation[i];
        if (!isfinite(a->so_far) || a->so_far <= 0)
            continue;
        double left = fmin(1, 1 / a->so_far);
        if (!n)
            bar[n++] = (struct roadmap_bar){
                "all off", view_step_ms(v, a->off_ns), "", 0, 1, true};
        bar[n++] = (struct roadmap_bar){view_clean(v, a->what),
                                        view_printf(v, "%.2f times", a->so_far),
                                        "",
                                        fmin(left, before),
                                        fmax(left, before),
                                        false};
        before = left;
        last = a;
    }
    if (!last)
        return;
    bar[n++] =
        (struct roadmap_bar){"all on", view_step_ms(v, last->on_ns), "", 0, before, true};
    struct block *b =
        view_block(v, BLOCK_ROADMAP, "What each optimisation adds, one after another");
    b->roadmap = (struct roadmap){bar, n};
    b->note = "Measured: everything switched off, against this one and those above it "
              "switched on. One that makes it slower here widens the bar again.";
}

static void add_ablation(struct view *v, const struct study *s)
{
    if (!s->ablations)
        return;
    struct block *b = view_block(v, BLOCK_TABLE, "Each optimisation off and on");
    b->detail = true;
    grid_open(v, b, 5, s->ablations);
    grid_column(b, 0, "optimisation", ALIGN_LEFT, false);
    grid_column(b, 1, "alone, measured", ALIGN_RIGHT, false);
    grid_column(b, 2, "interval", ALIGN_RIGHT, false);
    grid_column(b, 3, "all so far, measured", ALIGN_RIGHT, false);
    grid_column(b, 4, "same model", ALIGN_LEFT, false);
    for (size_t i = 0; i < s->ablations; i++) {
        const struct study_ablation *a = &s->ablation[i];
        struct cell *c = grid_row(b);
        c[0] = cell_text(view_clean(v, a->what));
        c[1] = cell_number(v, a->alone, 2);
        c[2] = cell_text(isfinite(a->alone_high)
                             ? view_printf(v, "%.2f to %.2f", a->alone_low, a->alone_high)
                             : "–");
        c[3] = cell_number(v, a->so_far, 2);
        c[4] = cell_text(view_clean(v, *a->reason ? a->reason : a->same_model));
    }
    b->note = "Time with it off over time with it on.";
}

static void add_gates(struct view *v, const struct study *s)
{
    if (!s->gates)
        return;
    struct block *b =
        view_block(v, BLOCK_TABLE, "Faster, and still the same model? (measured)");
    grid_open(v, b, 5, s->gates);
    grid_column(b, 0, "gate", ALIGN_LEFT, false);
    grid_column(b, 1, "verdict", ALIGN_LEFT, false);
    grid_column(b, 2, "before", ALIGN_RIGHT, false);
    grid_column(b, 3, "after", ALIGN_RIGHT, false);
    grid_column(b, 4, "why", ALIGN_LEFT, false);
    b->grid.columns[4].wraps = true;
    b->grid.stacks = true;
    for (size_t i = 0; i < s->gates; i++) {
        const struct study_gate *g = &s->gate[i];
        struct cell *c = grid_row(b);
        c[0] = cell_text(view_clean(v, g->name));
        c[1] = cell_text(view_clean(v, g->verdict));
        c[2] = cell_text(view_clean(v, g->before));
        c[3] = cell_text(view_clean(v, g->after));
        c[4] = cell_text(view_clean(v, g->remark));
    }
}

static void add_trials(struct view *v, const struct study *s)
{
    if (!s->trials)
        return;
    struct block *b = view_block(v, BLOCK_TABLE, "What was tried");
    grid_open(v, b, 6, s->trials);
    grid_column(b, 0, "stage", ALIGN_LEFT, false);
    grid_column(b, 1, "plan", ALIGN_LEFT, true);
    grid_column(b, 2, "predicted", ALIGN_RIGHT, false);
    grid_column(b, 3, "measured", ALIGN_RIGHT, false);
    grid_column(b, 4, "interval, measured", ALIGN_RIGHT, false);
    grid_column(b, 5, "remark", ALIGN_LEFT, false);
    b->grid.searchable = true;
    b->grid.stacks = true;
    for (size_t i = 0; i < s->trials; i++) {
        const struct study_trial *t = &s->trial[i];
        if (!strcmp(t->stage, "batch"))
            continue; /* has a table of its own */
        bool around = !strcmp(t->stage, "around");
        struct cell *c = grid_row(b);
        c[0] = cell_text(view_clean(v, t->stage));
        c[1] = cell_text(view_clean(v, t->after));
        c[2] = cell_sorted(change_text(v, t->predicted), t->predicted);
        c[3] = cell_sorted(change_text(v, t->measured), t->measured);
        c[4] = cell_text(interval_text(v, t->low, t->high));
        c[5] = cell_text(*t->why_not ? view_clean(v, t->why_not)
                         : around ? view_printf(v, "against %s", view_clean(v, t->before))
                                  : "");
    }
    b->note = view_printf(
        v,
        "Change of a step's time against the config as given, or "
        "against what the remark says. Predicted from what each "
        "setting gains alone: median error %s over %.0f plans.%s",
        isfinite(s->prediction_error) ? view_percent(v, s->prediction_error) : "N/A",
        isfinite(s->predictions) ? s->predictions : 0,
        s->cut_short ? " The budget ended before all was tried." : "");
}

static void add_batches(struct view *v, const struct study *s)
{
    if (!s->batches)
        return;
    struct block *b = view_block(v, BLOCK_TABLE, "Larger batches: another training");
    grid_open(v, b, 4, s->batches);
    grid_column(b, 0, "batch_size", ALIGN_RIGHT, false);
    grid_column(b, 1, "samples/s, measured", ALIGN_RIGHT, false);
    grid_column(b, 2, "memory", ALIGN_RIGHT, false);
    grid_column(b, 3, "remark", ALIGN_LEFT, false);
    for (size_t i = 0; i < s->batches; i++) {
        const struct study_batch *r = &s->batch[i];
        struct cell *c = grid_row(b);
        c[0] = cell_number(v, r->size, 0);
        c[1] = cell_sorted(change_text(v, r->samples_ratio - 1), r->samples_ratio);
        c[2] = cell_text(isfinite(r->bytes) ? view_printf(v, "%s", unit_mib(r->bytes).s)
                                            : "–");
        c[3] = cell_text(view_clean(v, r->reason));
    }
    b->note = "Against the tuned config. Told, never taken: another batch is another "
              "training.";
}

/* A name that needs no escaping and stays in the folder. */
static bool is_plain_name(const char *name)
{
    return *name && *name != '.' &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789._-")];
}

static struct cell cell_result(struct view *v, const struct study_stage *r)
{
    struct cell c = cell_text(view_clean(v, *r->reason ? r->reason : r->file));
    if (v->options.study->links && !*r->reason && isfinite(r->seconds) &&
        is_plain_name(r->file))
        c.file = view_clean(v, r->file);
    return c;
}

/* A checklist: what was to be delivered, where it is, how to make it again. */
static void add_stages(struct view *v, const struct study *s)
{
    struct block *b = view_block(v, BLOCK_TABLE, "What was done");
    grid_open(v, b, 5, s->stages);
    grid_column(b, 0, "what it answers", ALIGN_LEFT, false);
    grid_column(b, 1, "done", ALIGN_LEFT, false);
    grid_column(b, 2, "result", ALIGN_LEFT, false);
    grid_column(b, 3, "took", ALIGN_RIGHT, false);
    grid_column(b, 4, "command", ALIGN_LEFT, true);
    b->grid.stacks = true;
    for (size_t i = 0; i < s->stages; i++) {
        const struct study_stage *r = &s->stage[i];
        bool report = !strcmp(r->name, "report"); /* this page: it is being made */
        bool done = isfinite(r->seconds) && !*r->reason;
        struct cell *c = grid_row(b);
        c[0] = cell_text(view_clean(v, r->answers));
        c[1] = cell_text(done || report ? "✓" : "✗");
        c[2] = cell_result(v, r);
        c[3] = cell_text(isfinite(r->seconds)
                             ? view_printf(v, "%s", unit_ns_of(r->seconds * 1e9).s)
                             : "–");
        c[4] = cell_text(view_clean(v, r->command));
    }
    b->note = "Each command can be run again by itself in the study's folder.";
}

void view_add_study(struct view *v)
{
    const struct study *s = v->options.study;
    if (!s)
        return;
    add_questions(v, s);
    add_changes(v, s);
    add_gates(v, s);
    add_waterfall(v, s);
    add_ablation(v, s);
    view_block(v, BLOCK_TEXT, "The config as given")->text =
        "From here on: where the time of a step went before anything was changed.";
}

void view_add_study_tables(struct view *v)
{
    const struct study *s = v->options.study;
    if (!s)
        return;
    add_trials(v, s);
    add_batches(v, s);
    add_stages(v, s);
}
