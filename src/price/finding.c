#include "price/finding.h"

#include "base/mem.h"
#include "price/price.h"

#include <string.h>

#define TEXT(v, text) text,
const char *const price_text[PRICE_COUNT] = {PRICE_LIST(TEXT)};
const char *const no_replay_text[NO_REPLAY_COUNT] = {NO_REPLAY_LIST(TEXT)};
const char *const priority_text[PRIORITY_COUNT] = {PRIORITY_LIST(TEXT)};
const char *const effort_text[EFFORT_COUNT] = {"low", "medium", "high"};

struct finding *findings_add(struct findings *f, const struct rule *rule)
{
    vec_grow(f->finding, f->cap, f->n + 1);
    struct finding *x = &f->finding[f->n++];
    *x = (struct finding){
        .rule = rule, .of_recording = !f->window_steps, .low_frac = 1, .high_frac = 1};
    return x;
}

void finding_set_place(struct finding *x, const char *name, const char *other)
{
    x->place = cause_place(2, name, other);
}

bool findings_have(const struct findings *f, const char *rule)
{
    for (size_t i = 0; i < f->n; i++)
        if (!strcmp(f->finding[i].rule->name, rule))
            return true;
    return false;
}

size_t findings_inferred(const struct replay_tally *t)
{
    size_t n = 0;
    for (int k = 0; k < GRAPH_EDGE_COUNT; k++)
        n += graph_edge_inferred[k] ? t->edges[k] : 0;
    n -= t->recorded;
    return n;
}

/* Steps of a rank that are kept whole, of all it has. */
static size_t whole_steps(const struct run *run, int32_t rank, size_t *all)
{
    size_t whole = 0;
    *all = 0;
    for (size_t i = 0; i < run->steps.table.n; i++) {
        *all += run->steps.rank[i] == rank;
        whole += run->steps.rank[i] == rank && run->steps.kept[i] == 1;
    }
    return whole;
}

enum no_replay findings_why_not(const struct run *run, const struct analysis *a)
{
    size_t steps;
    if (!a->n_ranks)
        return NO_REPLAY_NOT_RECORDED;
    int32_t row = a->ranks[a->shown].row;
    if (!evidence_has_spans(run, row))
        return run->ranks.spans_seen[row] ? NO_REPLAY_SUMS_ALONE : NO_REPLAY_NO_SPANS;
    if (!whole_steps(run, row, &steps) && steps &&
        analysis_has_steps(&a->ranks[a->shown]))
        return NO_REPLAY_NO_WHOLE_STEP;
    return NO_REPLAY_NONE;
}

void findings_describe(struct findings *f, const struct evidence *e)
{
    f->possible = true;
    f->step_ns = e->step_ns;
    f->untraced = e->untraced;
    f->window_steps = e->whatif.window.steps;
    f->rank = e->rank_row;
    f->tally = e->replay->tally;
    f->unexplained_frac = confidence_unexplained_frac(e);
    if (e->whatif.measured_ns > 0)
        f->replay_error_frac =
            (double)e->whatif.base_ns / (double)e->whatif.measured_ns - 1;
}
