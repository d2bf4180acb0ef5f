#include "suspects/suspects.h"

#include "base/mem.h"
#include "base/units.h"
#include "price/price_text.h"
#include "suspects/place_costs.h"
#include "suspects/rule_scope.h"

#include <math.h>
#include <string.h>

#define SUSPECT_TEXT(v, text) text,
const char *const suspect_verdict_text[SUSPECT_COUNT] = {SUSPECT_LIST(SUSPECT_TEXT)};

/* Of what a finding would change, a place that asks for less is not named with it: its
 * own time decides. */
static const double LEAST_SHARE_FRAC = 0.05;

struct judge {
    struct suspects *s;
    const struct findings *f;
    struct evidence *e; /* NULL: the run cannot be replayed */
    struct place_costs costs;
    bool another_job; /* the run is of files that were not given */
};

/* --- the rules that price a lint rule --- */

enum { PRICING_RULES_MAX = 8 };

struct pricing_rules {
    const struct rule *rule[PRICING_RULES_MAX];
    size_t n;
};

static struct pricing_rules pricing_rules_of(const struct lint_rule *rule)
{
    struct pricing_rules p = {.n = 0};
    for (const char *s = rule->priced_by; *s && p.n < PRICING_RULES_MAX;) {
        size_t len = strcspn(s, " ");
        char *name = mem_strndup(s, len);
        const struct rule *found = rule_named(name);
        mem_free(name);
        if (found)
            p.rule[p.n++] = found;
        s += len;
        s += strspn(s, " ");
    }
    return p;
}

/* --- which finding it is --- */

static bool is_word(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The longest stretch of letters that both have: of `detect_anomaly` and
 * `set_detect_anomaly(False)` 14. */
static size_t common_word(const char *a, const char *b)
{
    size_t longest = 0;
    for (const char *x = a; *x; x++)
        for (const char *y = b; *y; y++) {
            size_t n = 0;
            while (is_word(x[n]) && x[n] == y[n])
                n++;
            longest = n > longest ? n : longest;
        }
    return longest;
}

/* Several settings are findings of one rule: the fix names the one that it is of. */
static bool is_its_setting(const struct finding *x, const struct lint_finding *place)
{
    enum { WORD_LEAST = 10 };
    return !x->own_fix.torch ||
           common_word(x->own_fix.torch, place->source) >= WORD_LEAST;
}

static bool is_of_place(struct judge *j, size_t finding, size_t file,
                        const struct lint_finding *place)
{
    const struct finding *x = &j->f->finding[finding];
    if (rule_scope_for(x->rule, place) == SCOPE_JOB)
        return is_its_setting(x, place);
    return place_share_of(&j->costs, (int32_t)file, place, finding) >= LEAST_SHARE_FRAC;
}

/* What fixing it gains, or holds where no gain is predicted. */
static double worth_ns(const struct finding *x)
{
    return x->unpriced ? x->holds_ns : x->gain_ns;
}

/* The finding that is worth most; -1: none is of this place. */
static int64_t finding_of(struct judge *j, const struct pricing_rules *p, size_t file,
                          const struct lint_finding *place)
{
    int64_t best = -1;
    for (size_t i = 0; i < j->f->n; i++) {
        const struct finding *x = &j->f->finding[i];
        bool prices = false;
        for (size_t k = 0; k < p->n; k++)
            prices |= p->rule[k] == x->rule;
        if (prices && (best < 0 || worth_ns(x) > worth_ns(&j->f->finding[best])) &&
            is_of_place(j, i, file, place))
            best = (int64_t)i;
    }
    return best;
}

/* --- is it harmless? --- */

static bool is_short(const struct judge *j, const struct rule *rule,
                     const struct lint_finding *place, const struct place_cost *cost)
{
    return rule_scope_for(rule, place) == SCOPE_LINE &&
           cost->most_ns < rule->least_gain_frac * j->f->step_ns;
}

/* Is nothing of this rule there? Of a place that did not run it says nothing. */
static bool is_silent(const struct judge *j, const struct rule *rule,
                      const struct lint_finding *place, const struct place_cost *cost)
{
    bool may_have_run = rule_scope_for(rule, place) == SCOPE_JOB ||
                        cost->seen == SEEN_LINE || cost->seen == SEEN_FUNCTION ||
                        cost->seen == SEEN_NOT_KNOWN;
    return may_have_run && findings_silent(j->f, rule) &&
           !findings_gave_way(j->f, rule) && rule_silence_counts(rule, j->f->has);
}

static bool may_be_asked(const struct judge *j, const struct rule *rule)
{
    return !(rule_silence_needs(rule) & ~j->f->has);
}

/* The first rule is the cause itself; the others count where the run can be asked for
 * them. */
static bool is_harmless(const struct judge *j, const struct pricing_rules *p,
                        const struct lint_finding *place, const struct place_cost *cost)
{
    for (size_t i = 0; i < p->n; i++)
        if ((!i || may_be_asked(j, p->rule[i])) &&
            !is_short(j, p->rule[i], place, cost) &&
            !is_silent(j, p->rule[i], place, cost))
            return false;
    return true;
}

/* --- in words --- */

static const char *ms_text(struct judge *j, double ns)
{
    return price_part_ms(&j->s->text, j->f->step_ns, ns);
}

/* Those that were asked: "host-wait, logging-often". */
static const char *rules_text(struct judge *j, const struct pricing_rules *p)
{
    const char *list = "";
    for (size_t i = 0; i < p->n; i++)
        if (may_be_asked(j, p->rule[i]))
            list = price_printf(&j->s->text, "%s%s%s", list, *list ? ", " : "",
                                p->rule[i]->name);
    return list;
}

static const char *why_harmless(struct judge *j, const struct pricing_rules *p,
                                const struct lint_finding *place,
                                const struct place_cost *cost)
{
    double least_frac = INFINITY;
    for (size_t i = 0; i < p->n; i++) {
        least_frac = fmin(least_frac, p->rule[i]->least_gain_frac);
        if (may_be_asked(j, p->rule[i]) && !is_short(j, p->rule[i], place, cost))
            return price_printf(&j->s->text,
                                "`gait analyze` looked for %s and found none",
                                rules_text(j, p));
    }
    return price_printf(
        &j->s->text, "it holds at most %s of a step of %s; a gain counts from %s on",
        price_step_ms(&j->s->text, cost->most_ns), ms_text(j, j->f->step_ns),
        price_step_ms(&j->s->text, least_frac * j->f->step_ns));
}

/* "needs times of an accelerator, untraced steps (gait record)", of what would have to be
 * there; "": nothing. */
static const char *missing_text(struct judge *j, const struct pricing_rules *p)
{
    struct strbuf needs;
    unsigned lacks = 0;
    for (size_t i = 0; i < p->n; i++)
        lacks |= rule_silence_needs(p->rule[i]) & ~j->f->has;
    if (!lacks)
        return "";
    strbuf_init(&needs);
    rule_needs_text(&needs, lacks);
    const char *text = price_printf(&j->s->text, "the run lacks %s", needs.s);
    strbuf_release(&needs);
    return text;
}

/* Another cause that `gait analyze` has found there, and what a prediction lacks; "". */
static const char *why_not_predicted(struct judge *j, const struct pricing_rules *p,
                                     size_t file, const struct lint_finding *place)
{
    static const double LEAST_OF_OTHER_FRAC = 0.5;
    for (size_t i = 0; i < j->f->n; i++)
        if (place_share_of(&j->costs, (int32_t)file, place, i) >= LEAST_OF_OTHER_FRAC)
            return price_printf(&j->s->text,
                                "`gait analyze` has another cause here (finding %zu, %s)",
                                i + 1, j->f->finding[i].rule->name);
    const char *missing = missing_text(j, p);
    return *missing ? price_printf(&j->s->text, "no gain is predicted: %s", missing) : "";
}

/* Where the run knows no places: what `gait analyze` has found somewhere; NULL: nothing. */
static const char *found_somewhere(struct judge *j, const struct pricing_rules *p)
{
    for (size_t i = 0; i < j->f->n; i++)
        for (size_t k = 0; k < p->n; k++)
            if (j->f->finding[i].rule == p->rule[k])
                return price_printf(
                    &j->s->text,
                    "`gait analyze` has finding %zu, %s, but the run does "
                    "not know lines (gait record) or functions "
                    "(with_stack)",
                    i + 1, p->rule[k]->name);
    return NULL;
}

static const char *why_not_measured(struct judge *j, const struct pricing_rules *p,
                                    const struct place_cost *cost,
                                    const struct lint_finding *place)
{
    const char *missing = missing_text(j, p);
    const char *somewhere = cost->seen == SEEN_NOT_KNOWN ? found_somewhere(j, p) : NULL;
    bool of_job = true;
    for (size_t i = 0; i < p->n; i++)
        of_job &= rule_scope_for(p->rule[i], place) == SCOPE_JOB;
    if (somewhere)
        return somewhere;
    if (*missing && (of_job || cost->seen == SEEN_NOT_KNOWN))
        return missing;
    if (of_job)
        return "`gait analyze` cannot tell it apart from other causes in this run";
    switch (cost->seen) {
    case SEEN_NO_FILE:
        return "nothing of this file ran in the recorded steps";
    case SEEN_CHANGED:
        return "the line has changed since the run was recorded";
    case SEEN_NOT_RUN:
        return "it did not run in the recorded steps";
    case SEEN_FUNCTION:
        if (!isfinite(cost->holds_ns))
            return "the run knows functions, not lines";
        return price_printf(&j->s->text,
                            "the run knows functions, not lines: %s takes %s per step",
                            place->function, ms_text(j, cost->holds_ns));
    case SEEN_NOT_KNOWN:
    case SEEN_LINE:
        break;
    }
    return "the run does not know which line asks for what (gait record does)";
}

/* " (0.7 %)", of a step. */
static const char *part_text(struct judge *j, double ns)
{
    double percent = j->f->step_ns > 0 ? 100 * ns / j->f->step_ns : 0;
    return price_printf(&j->s->text, " (%s %%)",
                        unit_number(percent, percent < 9.95 ? 1 : 0).s);
}

static const char *price_text_of(struct judge *j, const struct suspect *x)
{
    struct arena *a = &j->s->text;
    if (x->verdict == SUSPECT_MEASURED)
        return price_printf(a, "%s%s of a step of %s is spent here, measured%s%s",
                            price_step_ms(a, x->cost.holds_ns),
                            part_text(j, x->cost.holds_ns), ms_text(j, j->f->step_ns),
                            *x->cost.reason ? "; " : "", x->cost.reason);
    if (x->verdict != SUSPECT_PRICED)
        return price_printf(a, "%s: %s", suspect_verdict_text[x->verdict],
                            x->cost.reason);
    const struct finding *f = &j->f->finding[x->finding];
    const char *of = f->unpriced || f->apart ? ""
                     : j->f->window_steps    ? "without it a step would take "
                                             : "without it the recording would take ";
    const char *holds =
        finding_holds_unknown(f) || f->unpriced
            ? ""
            : price_printf(a, "%s %s; ", ms_text(j, f->holds_ns),
                           j->f->window_steps ? "per step" : "of the recording");
    const char *together =
        x->cost.sharing > 1
            ? price_printf(a, ", all %zu such lines together", x->cost.sharing)
            : "";
    return price_printf(a, "%s%s%s%s, predicted (finding %d, %s)", holds, of,
                        price_told(a, j->f->step_ns, f), together, (int)x->cost.number,
                        f->rule->name);
}

/* --- verdicts --- */

static void set_priced(struct judge *j, struct suspect *x)
{
    const struct finding *f = &j->f->finding[x->finding];
    x->verdict = SUSPECT_PRICED;
    x->cost.rule = f->rule->name;
    x->cost.number = (int32_t)x->finding + 1;
    x->cost.holds_ns = finding_holds_unknown(f) ? NAN : f->holds_ns;
    if (f->unpriced)
        return;
    x->cost.gain_ns = f->gain_ns;
    x->cost.gain_low_ns = f->gain_low_ns;
    x->cost.gain_high_ns = f->gain_high_ns;
}

static void judge_place(struct judge *j, struct suspect *x,
                        const struct lint_finding *place)
{
    struct pricing_rules p = pricing_rules_of(place->rule);
    if (!p.n) {
        x->cost.reason = "no rule of `gait analyze` measures this cause";
        return;
    }
    if (!j->e) {
        x->cost.reason = price_printf(&j->s->text, "the run cannot be replayed: %s",
                                      no_replay_text[j->f->why_not]);
        return;
    }
    if (j->another_job) { /* its settings are not these */
        x->cost.reason = "no file given here ran in the recorded steps; is it a "
                         "recording of this job?";
        return;
    }
    x->finding = finding_of(j, &p, x->file, place);
    if (x->finding >= 0) {
        set_priced(j, x);
        return;
    }
    struct place_cost cost = place_cost_of(&j->costs, (int32_t)x->file, place);
    x->cost.holds_ns = cost.seen == SEEN_LINE ? cost.holds_ns : NAN;
    if (is_harmless(j, &p, place, &cost)) {
        x->verdict = SUSPECT_REFUTED;
        x->cost.reason = why_harmless(j, &p, place, &cost);
    } else if (isfinite(x->cost.holds_ns)) {
        x->verdict = SUSPECT_MEASURED;
        x->cost.reason = why_not_predicted(j, &p, x->file, place);
    } else {
        x->cost.reason = why_not_measured(j, &p, &cost, place);
    }
}

static void count_sharing(struct judge *j)
{
    size_t *sharing = mem_zalloc(j->f->n + 1, sizeof *sharing);
    for (size_t i = 0; i < j->s->n; i++)
        if (j->s->suspect[i].finding >= 0)
            sharing[j->s->suspect[i].finding]++;
    for (size_t i = 0; i < j->s->n; i++)
        if (j->s->suspect[i].finding >= 0)
            j->s->suspect[i].cost.sharing = sharing[j->s->suspect[i].finding];
    mem_free(sharing);
}

static void judge_all(struct judge *j, const struct lint_result *lint)
{
    for (size_t i = 0; i < lint->n; i++)
        for (size_t k = 0; k < lint->files[i].n; k++) {
            struct suspect *x = &j->s->suspect[j->s->n++];
            *x = (struct suspect){
                .file = i,
                .row = k,
                .verdict = SUSPECT_NOT_MEASURED,
                .finding = -1,
                .cost = {"", "", 0, 0, NAN, NAN, NAN, NAN, ""},
            };
            judge_place(j, x, &lint->files[i].findings[k]);
        }
    count_sharing(j);
    for (size_t i = 0; i < j->s->n; i++) {
        struct suspect *x = &j->s->suspect[i];
        x->cost.verdict = suspect_verdict_text[x->verdict];
        x->price = price_text_of(j, x);
        j->s->count[x->verdict]++;
    }
}

void suspects_init(struct suspects *s, const struct lint_result *lint,
                   const struct run *run, const struct analysis *analysis,
                   const struct findings *f)
{
    struct judge j = {.s = s, .f = f};
    size_t n = 0;
    for (size_t i = 0; i < lint->n; i++)
        n += lint->files[i].n;
    *s = (struct suspects){.suspect = mem_zalloc(n + 1, sizeof *s->suspect)};
    arena_init(&s->text);
    if (f->possible) {
        j.e = evidence_new(run, analysis, analysis->shown);
        place_costs_init(&j.costs, j.e, f, lint);
        j.another_job = place_costs_of_another_job(&j.costs);
    }
    judge_all(&j, lint);
    if (j.e)
        place_costs_release(&j.costs);
    evidence_free(j.e);
}

void suspects_release(struct suspects *s)
{
    mem_free(s->suspect);
    arena_release(&s->text);
}

void suspects_set_prices(const struct suspects *s, struct lint_result *lint)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct suspect *x = &s->suspect[i];
        struct lint_finding *f = &lint->files[x->file].findings[x->row];
        f->price = x->price;
        f->cost = &x->cost;
    }
}
