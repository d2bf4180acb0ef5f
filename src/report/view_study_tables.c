/* The tables behind the answers of a study. */
#include "report/view_study.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

const char *study_change_text(struct view *v, double change)
{
    return isfinite(change) ? view_printf(v, "%s %%", unit_signed(100 * change, 1).s)
                            : "–";
}

const char *study_interval_text(struct view *v, double low, double high)
{
    return isfinite(low) && isfinite(high)
               ? view_printf(v, "%s to %s %%", unit_signed(100 * low, 1).s,
                             unit_signed(100 * high, 1).s)
               : "–";
}

void view_study_changes(struct view *v, const struct study *s)
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
        c[3] = cell_sorted(study_change_text(v, r->alone), r->alone);
        c[4] = cell_sorted(study_change_text(v, r->going_back), r->going_back);
    }
    b->note = "Change of a step's time. Alone: against the config as given. Going back: "
              "the tuned config with this one as it was.";
}

/* Everything off, then one more on in each row: what each left of the step. */
void view_study_waterfall(struct view *v, const struct study *s)
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
        bar[n++] = (struct roadmap_bar){
            view_clean(v, a->what),
            view_printf(v, "%.2f times", a->so_far),
            isfinite(a->predicted) ? view_printf(v, "%.2f times", a->predicted) : "",
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
              "switched on. One that makes it slower here widens the bar again. "
              "Predicted: what each gains alone, multiplied.";
}

void view_study_ablation(struct view *v, const struct study *s)
{
    if (!s->ablations)
        return;
    struct block *b = view_block(v, BLOCK_TABLE, "Each optimisation off and on");
    b->detail = true;
    grid_open(v, b, 7, s->ablations);
    grid_column(b, 0, "optimisation", ALIGN_LEFT, false);
    grid_column(b, 1, "at most, predicted", ALIGN_RIGHT, false);
    grid_column(b, 2, "alone, measured", ALIGN_RIGHT, false);
    grid_column(b, 3, "interval", ALIGN_RIGHT, false);
    grid_column(b, 4, "all so far, predicted", ALIGN_RIGHT, false);
    grid_column(b, 5, "all so far, measured", ALIGN_RIGHT, false);
    grid_column(b, 6, "same model", ALIGN_LEFT, false);
    for (size_t i = 0; i < s->ablations; i++) {
        const struct study_ablation *a = &s->ablation[i];
        struct cell *c = grid_row(b);
        c[0] = cell_text(view_clean(v, a->what));
        c[1] = cell_number(v, a->at_most, 2);
        c[2] = cell_number(v, a->alone, 2);
        c[3] = cell_text(isfinite(a->alone_high)
                             ? view_printf(v, "%.2f to %.2f", a->alone_low, a->alone_high)
                             : "–");
        c[4] = cell_number(v, a->predicted, 2);
        c[5] = cell_number(v, a->so_far, 2);
        c[6] = cell_text(view_clean(v, *a->reason ? a->reason : a->same_model));
    }
    b->note = "Time with it off over time with it on. At most: if everything it "
              "changes took no time, by the spans of a run with it off. All so far, "
              "predicted: the "
              "measured ones alone, multiplied.";
}

void view_study_gates(struct view *v, const struct study *s)
{
    if (!s->gates)
        return;
    struct block *b =
        view_block(v, BLOCK_TABLE, "Faster, and still the same model? (measured)");
    grid_open(v, b, 4, s->gates);
    grid_column(b, 0, "gate", ALIGN_LEFT, false);
    grid_column(b, 1, "verdict", ALIGN_LEFT, false);
    grid_column(b, 2, "before → after", ALIGN_LEFT, false);
    grid_column(b, 3, "why", ALIGN_LEFT, false);
    b->grid.columns[3].wraps = true;
    b->grid.stacks = true;
    for (size_t i = 0; i < s->gates; i++) {
        const struct study_gate *g = &s->gate[i];
        struct cell *c = grid_row(b);
        c[0] = cell_text(view_clean(v, g->name));
        c[1] = cell_text(view_clean(v, g->verdict));
        c[2] = cell_text(*g->after ? view_printf(v, "%s → %s", view_clean(v, g->before),
                                                 view_clean(v, g->after))
                                   : "");
        c[3] = cell_text(view_clean(v, g->remark));
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
        c[2] = cell_sorted(study_change_text(v, t->predicted), t->predicted);
        c[3] = cell_sorted(study_change_text(v, t->measured), t->measured);
        c[4] = cell_text(study_interval_text(v, t->low, t->high));
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
        c[1] = cell_sorted(study_change_text(v, r->samples_ratio - 1), r->samples_ratio);
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
    struct cell c = cell_text(view_clean(v, *r->reason     ? r->reason
                                            : *r->left_out ? r->left_out
                                                           : r->file));
    if (v->options.study->links && !*r->reason && !*r->left_out && isfinite(r->seconds) &&
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
        c[1] = cell_text(done || report ? "✓" : *r->left_out ? "left out" : "✗");
        c[2] = cell_result(v, r);
        c[3] = cell_text(isfinite(r->seconds)
                             ? view_printf(v, "%s", unit_ns_of(r->seconds * 1e9).s)
                             : "–");
        c[4] = cell_text(view_clean(v, r->command));
    }
    b->note = "Each command can be run again by itself in the study's folder.";
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
