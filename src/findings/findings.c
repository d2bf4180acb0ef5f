#include "findings/findings.h"

#include "base/mem.h"
#include "evidence/product_types.h"
#include "price/overlap.h"
#include "price/price.h"
#include "price/statements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gains of this part of a step and more come first: docs/findings.md */
static const double LARGE_GAIN_FRAC = 0.05;
/* An hour, a day, a week are not ten times as much trouble each: docs/findings.md */
static const double effort_weight[EFFORT_COUNT] = {1, 1.5, 2.5};

static void drop(struct findings *f, size_t i)
{
    edit_list_release(&f->finding[i].edits);
    memmove(&f->finding[i], &f->finding[i + 1], (f->n - i - 1) * sizeof *f->finding);
    f->n--;
}

/* What it found others tell. */
static void give_way(struct findings *f, size_t i)
{
    vec_grow(f->gave_way, f->cap_gave_way, f->n_gave_way + 1);
    f->gave_way[f->n_gave_way++] = f->finding[i].rule->name;
    drop(f, i);
}

/* --- asking the rules --- */

/* Can it be said whether another precision is faster? On a host only by measuring. */
static bool knows_rates(const struct evidence *e)
{
    double now_ns, instead_ns;
    return !e->rank->used_device ||
           device_peak_find(run_name(e->run, e->run->ranks.device[e->rank_row])) ||
           evidence_replacement(e, "precision-f32", &now_ns, &instead_ns);
}

static bool knows_types(const struct evidence *e)
{
    struct product_types p = product_types_of(e);
    return e->has_shapes || (e->has_device && product_types_known(&p));
}

static unsigned what_is_there(const struct evidence *e)
{
    bool trainer = e->run->ranks.source[e->rank_row] == RUN_SOURCE_TRAINER;
    unsigned has = trainer ? NEEDS_TRAINER : NEEDS_TORCH;
    has |= e->whatif.window.steps ? NEEDS_STEPS : 0;
    has |= e->has_device ? NEEDS_DEVICE : 0;
    has |= e->has_shapes ? NEEDS_SHAPES : 0;
    has |= e->has_frames ? NEEDS_FRAMES : 0;
    has |= e->untraced ? NEEDS_TIMINGS : 0;
    has |= e->run->ranks.table.n > 1 ? NEEDS_RANKS : 0;
    has |= !trainer && !e->rank->used_device ? NEEDS_HOST_ONLY : 0;
    has |= knows_rates(e) ? NEEDS_PEAKS : 0;
    has |= knows_types(e) ? NEEDS_TYPES : 0;
    has |= e->watched ? NEEDS_FLOW : 0;
    has |= e->watched && e->run->lines.table.n ? NEEDS_WATCHED : 0;
    return has;
}

static void ask_rules(struct findings *f, const struct evidence *e)
{
    unsigned has = f->has = what_is_there(e);
    /* steps of no length are no measure of anything */
    bool measured = e->traced_step_ns > 0 && e->step_ns > 0;
    f->unasked = mem_alloc((rule_count + 1) * sizeof(const struct rule *));
    for (size_t i = 0; i < rule_count; i++) {
        const struct rule *rule = &rule_table[i];
        if (!measured || rule->needs & ~has) {
            f->unasked[f->n_unasked++] = rule;
            continue;
        }
        f->checked++;
        rule->find(rule, e, f);
    }
}

/* --- the same on other ranks --- */

/* At the same place, or the only one of its rule; NULL: nobody knows which it is. */
static struct finding *same_cause(struct findings *f, const struct finding *x)
{
    struct finding *only = NULL;
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->finding[i].rule != x->rule)
            continue;
        if (!strcmp(f->finding[i].where, x->where))
            return &f->finding[i];
        only = &f->finding[i];
        n++;
    }
    return n == 1 ? only : NULL;
}

static void release(struct findings *f)
{
    for (size_t i = 0; i < f->n; i++)
        edit_list_release(&f->finding[i].edits);
    mem_free(f->finding);
}

/* Ask another rank for what was found here. What a rule finds in one rank against the
 * others is not the same on all. */
static void ask_elsewhere(void *findings, const struct evidence *there)
{
    struct findings *f = findings, own = {.window_steps = there->whatif.window.steps};
    if (there->traced_step_ns <= 0 || there->step_ns <= 0)
        return;
    unsigned lacks = ~what_is_there(there) | NEEDS_RANKS;
    for (size_t i = 0; i < rule_count; i++)
        if (!(rule_table[i].needs & lacks) && findings_have(f, rule_table[i].name))
            rule_table[i].find(&rule_table[i], there, &own);
    for (size_t i = 0; i < own.n; i++) {
        struct finding *same = same_cause(f, &own.finding[i]);
        if (same)
            edit_list_append(&same->edits, &own.finding[i].edits);
    }
    release(&own);
}

/* --- which are told --- */

/* Without a price, what it holds decides. */
static void drop_small(struct findings *f)
{
    for (size_t i = f->n; i-- > 0;) {
        const struct finding *x = &f->finding[i];
        double ns = x->unpriced ? x->holds_ns : x->gain_ns;
        if (ns < x->rule->least_gain_frac * f->step_ns)
            drop(f, i);
    }
}

/* What ranks wait for each other: whatever a rank does then is seen as its own time too.
 */
static double waits_ns(const struct findings *f)
{
    double ns = 0;
    for (size_t i = 0; i < f->n; i++)
        ns += f->finding[i].price == PRICE_WAITS ? f->finding[i].direct_gain_ns : 0;
    return ns;
}

/* What a finding gains that no replay says: it was timed. */
static double timed_ns(const struct finding *x)
{
    return x->direct_gain_ns + x->timed_more_ns;
}

/* What the one finding gains beyond those in use. */
static double added_ns(const struct findings *f, struct evidence *e, bool *use, size_t i)
{
    double without_ns = price_together(e, f->finding, f->n, use);
    use[i] = true;
    return price_together(e, f->finding, f->n, use) - without_ns;
}

/* A general finding that adds too little to what the others gain together goes. */
static void drop_general(struct findings *f, struct evidence *e)
{
    for (size_t i = f->n; i-- > 0;) {
        if (!f->finding[i].rule->general || f->finding[i].unpriced)
            continue;
        bool *use = mem_zalloc(f->n + 1, sizeof *use);
        for (size_t k = 0; k < f->n; k++)
            use[k] = !f->finding[k].rule->general;
        double ns = added_ns(f, e, use, i) - waits_ns(f);
        mem_free(use);
        if (ns < f->finding[i].rule->least_gain_frac * f->step_ns ||
            ns < f->finding[i].gain_ns / 2)
            give_way(f, i);
    }
}

/* Of what a finding would change, another one of the same function that gains more
 * changes so much, and leaves no more than the rest of its gain: then it is one cause,
 * told once. What makes products faster does not tell of a product that is needless. */
static const double SAME_CAUSE_FRAC = 0.7;

static bool is_told_by(const struct findings *f, struct evidence *e, size_t i, size_t k)
{
    const struct finding *x = &f->finding[i], *other = &f->finding[k];
    if (!x->n_lines || !other->n_lines || other->gain_ns < x->gain_ns ||
        !statements_together(e->run, x->line[0], other->line[0]) ||
        overlap_frac(e, &other->edits, &x->edits) < SAME_CAUSE_FRAC)
        return false;
    bool *use = mem_zalloc(f->n + 1, sizeof *use);
    use[k] = true;
    double ns = added_ns(f, e, use, i) - timed_ns(x);
    mem_free(use);
    return ns <= (1 - SAME_CAUSE_FRAC) * fmax(x->gain_ns - timed_ns(x), 0);
}

static void drop_told_twice(struct findings *f, struct evidence *e)
{
    for (size_t i = f->n; i-- > 0;)
        for (size_t k = 0; k < f->n; k++)
            if (k != i && is_told_by(f, e, i, k)) {
                give_way(f, i);
                break;
            }
}

static double score(const struct finding *f)
{
    return f->gain_ns / effort_weight[f->rule->effort];
}

static int compare_score(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (score(x) != score(y))
        return score(x) > score(y) ? -1 : 1;
    int by_name = strcmp(x->rule->name, y->rule->name);
    return by_name ? by_name : strcmp(x->where, y->where);
}

static void set_priorities(struct findings *f)
{
    for (size_t i = 0; i < f->n; i++) {
        struct finding *x = &f->finding[i];
        bool large = x->gain_ns >= LARGE_GAIN_FRAC * f->step_ns;
        bool easy = x->rule->effort == EFFORT_LOW;
        x->priority = large ? (easy ? PRIORITY_P1 : PRIORITY_P2)
                            : (easy ? PRIORITY_P3 : PRIORITY_P4);
    }
}

/* In the order in which they are told: what each adds to those before it. */
static void price_roadmap(struct findings *f, struct evidence *e)
{
    bool *use = mem_zalloc(f->n + 1, sizeof *use);
    f->roadmap_gain_ns = mem_zalloc(f->n + 1, sizeof *f->roadmap_gain_ns);
    for (size_t i = 0; i < f->n; i++) {
        use[i] = true;
        f->roadmap_gain_ns[i] = price_together(e, f->finding, f->n, use);
    }
    f->together_gain_ns = f->n ? f->roadmap_gain_ns[f->n - 1] : 0;
    mem_free(use);
}

/* A rule that adds one finding at most speaks of the whole job, wherever most of it lies
 * in this recording. */
static void set_ids(struct findings *f)
{
    struct cause *cause = mem_zalloc(f->n + 1, sizeof *cause);
    for (size_t i = 0; i < f->n; i++) {
        const struct finding *x = &f->finding[i];
        cause[i] = (struct cause){
            .rule = x->rule->name, .place = x->place, .tie = x->place_file};
    }
    cause_ids_set(cause, f->n);
    for (size_t i = 0; i < f->n; i++)
        f->finding[i].id = cause[i].id;
    mem_free(cause);
}

static void price_all(struct findings *f, struct evidence *e)
{
    for (size_t i = 0; i < f->n; i++) {
        price_finding(e, &f->finding[i]);
        confidence_set(&f->finding[i], e);
    }
    drop_small(f);
    for (size_t i = 0; i < f->n; i++)
        statements_place(e, &f->finding[i]);
    drop_told_twice(f, e);
    drop_general(f, e);
    if (f->n)
        qsort(f->finding, f->n, sizeof *f->finding, compare_score);
    set_priorities(f);
    set_ids(f);
    price_roadmap(f, e);
}

/* --- the whole --- */

struct findings *findings_new(const struct run *run, const struct analysis *analysis)
{
    struct findings *f = mem_zalloc(1, sizeof *f);
    f->run = run;
    f->why_not = findings_why_not(run, analysis);
    if (f->why_not)
        return f;
    struct evidence *e = evidence_new(run, analysis, analysis->shown);
    findings_describe(f, e);
    ask_rules(f, e);
    if (f->n)
        evidence_elsewhere(e, ask_elsewhere, f);
    price_all(f, e);
    critical_path_init(&f->path, &e->whatif, NULL, NULL);
    account_init(&f->account, e);
    evidence_free(e);
    return f;
}

const struct finding *findings_with_id(const struct findings *f, const char *id)
{
    for (size_t i = 0; i < f->n; i++)
        if (!strcmp(f->finding[i].id.s, id))
            return &f->finding[i];
    return NULL;
}

double findings_explained_frac(const struct findings *f, const struct analysis_rank *r)
{
    if (!f || !f->possible || !(f->account.step_ns > 0))
        return analysis_explained_frac(r);
    return 1 - f->account.unexplained_ns / f->account.step_ns;
}

void findings_free(struct findings *f)
{
    if (!f)
        return;
    release(f);
    mem_free(f->unasked);
    mem_free(f->gave_way);
    mem_free(f->roadmap_gain_ns);
    critical_path_release(&f->path);
    account_release(&f->account);
    mem_free(f);
}

bool findings_silent(const struct findings *f, const struct rule *rule)
{
    return !findings_have(f, rule->name) && !(rule->needs & ~f->has);
}

bool findings_gave_way(const struct findings *f, const struct rule *rule)
{
    for (size_t i = 0; i < f->n_gave_way; i++)
        if (!strcmp(f->gave_way[i], rule->name))
            return true;
    return false;
}
