/* Analyses, findings and answers in 2 KB: docs/scripts.md, "Brief". Texts are for people
 * and are cut; figures are those of the whole JSON, of seven digits. */
#include "base/brief.h"
#include "base/path.h"
#include "findings/findings.h"
#include "report/one_job.h"
#include "report/render.h"

#include <math.h>
#include <stdio.h>

/* --- parts --- */

static const char subject_otherwise[] = "RUN…";

static void put_next_of(struct brief *b, const char *command, const char *run,
                        const char *graph)
{
    struct strbuf subject;
    strbuf_init(&subject);
    path_add_shell_word(&subject, run, subject_otherwise);
    if (graph) {
        strbuf_puts(&subject, " --graph ");
        path_add_shell_word(&subject, graph, "FILE");
    }
    brief_next(b, command, subject.s, subject_otherwise);
    strbuf_release(&subject);
}

/* A command that reads the run again, as it was read here. */
static void put_next(struct brief *b, const struct report_options *o, const char *command)
{
    put_next_of(b, command, o->subject, o->graph);
}

static void put_next_finding(struct brief *b, const struct report_options *o,
                             const struct finding *x)
{
    char command[128];
    snprintf(command, sizeof command, "gait explain --brief %s {}", x->id.s);
    put_next(b, o, command);
}

static void put_step(struct brief *b, const struct analysis *a)
{
    json_key(&b->w, "step");
    if (!a->n_ranks) {
        json_null(&b->w);
        return;
    }
    const struct step_time *t = &a->ranks[a->shown].step;
    double told = t->count < STEP_INTERVAL_MIN ? NAN : 1;
    json_begin_object(&b->w);
    brief_ms(b, "ms", t->ns);
    brief_ms(b, "low_ms", told * t->low_ns);
    brief_ms(b, "high_ms", told * t->high_ns);
    json_field_int(&b->w, "count", (int64_t)t->count);
    json_field_string(&b->w, "clock", step_basis_text[t->basis]);
    json_end(&b->w);
}

static void put_gain(struct brief *b, const struct finding *x)
{
    double told = x->unpriced ? NAN : 1;
    brief_ms(b, "gain_ms", told * x->gain_ns);
    brief_ms(b, "gain_low_ms", told * x->gain_low_ns);
    brief_ms(b, "gain_high_ms", told * x->gain_high_ns);
    brief_bool(b, "apart", x->apart);
}

static void put_warnings(struct brief *b, const struct analysis *a)
{
    const struct run *run = a->run;
    struct strbuf doubt;
    strbuf_init(&doubt);
    int64_t n = one_job_doubt(&doubt, a) + (int64_t)run->notes.table.n;
    strbuf_release(&doubt);
    for (size_t i = 0; i < run->ranks.table.n; i++)
        n += !run->ranks.complete[i];
    json_field_int(&b->w, "warnings", n);
}

/* --- findings --- */

static void put_finding(struct brief *b, const struct finding *x)
{
    brief_item(b);
    json_field_string(&b->w, "id", x->id.s);
    brief_text(b, "where", x->where, BRIEF_PLACE_BYTES);
    put_gain(b, x);
    brief_ms(b, "holds_ms", finding_holds_unknown(x) ? NAN : x->holds_ns);
    json_field_string(&b->w, "effort", effort_text[x->rule->effort]);
    json_field_string(&b->w, "confidence", confidence_text[x->confidence]);
    brief_item_end(b);
}

static void put_findings(struct brief *b, const struct findings *f,
                         const struct rule *rule)
{
    brief_list(b, "findings");
    for (size_t i = 0; i < f->n; i++)
        if (!rule || f->finding[i].rule == rule)
            put_finding(b, &f->finding[i]);
    brief_list_end(b);
}

void render_brief(struct strbuf *out, const struct analysis *a,
                  const struct report_options *o)
{
    const struct findings *f = o->findings;
    struct brief b;
    brief_begin(&b, out, "analyze");
    put_step(&b, a);
    json_field_int(&b.w, "ranks", (int64_t)a->n_ranks);
    brief_number(&b, "explained_frac",
                 a->n_ranks ? findings_explained_frac(f, &a->ranks[a->shown]) : NAN);
    brief_ms(&b, "together_step_ms",
             f->n ? fmax(0, f->step_ns - f->together_gain_ns) : NAN);
    brief_text(&b, "findings_note", no_replay_text[f->why_not], BRIEF_TEXT_BYTES);
    put_warnings(&b, a);
    if (f->n)
        put_next_finding(&b, o, &f->finding[0]);
    else
        put_next(&b, o, f->possible ? "gait explain --brief {}" : NULL);
    put_findings(&b, f, NULL);
    brief_end(&b);
}

/* --- one finding, or what was looked for --- */

static void put_values(struct brief *b, const struct finding *x)
{
    brief_list(b, "values");
    for (size_t i = 0; i < x->n_quantities; i++) {
        brief_item(b);
        json_field_string(&b->w, "name", x->quantity[i].name);
        brief_number(b, "value", x->quantity[i].value);
        json_field_string(&b->w, "unit", quantity_unit_text[x->quantity[i].unit]);
        brief_item_end(b);
    }
    brief_list_end(b);
}

/* The fix is code: for the side that recorded it, whole where it is not very long. */
static const char *fix_of(const struct analysis *a, const struct finding *x)
{
    const struct rule_fix *fix = finding_fix(x);
    bool trainer = a->run->ranks.source[a->ranks[a->shown].row] == RUN_SOURCE_TRAINER;
    return trainer && fix->gait ? fix->gait : fix->torch;
}

void render_brief_finding(struct strbuf *out, const struct analysis *a, size_t finding,
                          const struct report_options *o)
{
    const struct findings *f = o->findings;
    const struct finding *x = &f->finding[finding];
    bool tells_step = !x->apart && !x->unpriced;
    struct brief b;
    brief_begin(&b, out, "explain");
    json_field_string(&b.w, "id", x->id.s);
    put_next_of(&b, "gait verify --brief {} after.gait", o->subject, NULL);
    brief_text(&b, "title", x->rule->title, BRIEF_PLACE_BYTES);
    brief_text(&b, "where", x->where, BRIEF_PLACE_BYTES);
    brief_text(&b, "evidence", x->evidence, BRIEF_TEXT_BYTES);
    brief_ms(&b, "step_ms", f->step_ns);
    brief_ms(&b, "holds_ms", finding_holds_unknown(x) ? NAN : x->holds_ns);
    put_gain(&b, x);
    brief_ms(&b, "step_after_ms", tells_step ? fmax(0, f->step_ns - x->gain_ns) : NAN);
    json_field_string(&b.w, "effort", effort_text[x->rule->effort]);
    json_field_string(&b.w, "confidence", confidence_text[x->confidence]);
    brief_text(&b, "missing", x->missing, BRIEF_PLACE_BYTES);
    brief_text(&b, "fix", fix_of(a, x), BRIEF_CODE_BYTES);
    put_values(&b, x);
    brief_end(&b);
}

static void put_outcomes(struct brief *b, const struct findings *f,
                         const struct rule *rule)
{
    int64_t found = 0, silent = 0, unasked = 0;
    for (size_t i = 0; i < rule_count; i++) {
        const struct rule *r = &rule_table[i];
        if (rule && r != rule)
            continue;
        if (findings_have(f, r->name))
            found++;
        else if (f->possible && findings_silent(f, r))
            silent++;
        else
            unasked++;
    }
    json_field_int(&b->w, "rules_found", found);
    json_field_int(&b->w, "rules_not_found", silent);
    json_field_int(&b->w, "rules_not_asked", unasked);
}

void render_brief_rules(struct strbuf *out, const struct analysis *a,
                        const struct rule *rule, const struct report_options *o)
{
    const struct findings *f = o->findings;
    const struct finding *first = NULL;
    struct strbuf needs;
    struct brief b;
    strbuf_init(&needs);
    for (size_t i = 0; i < f->n && !first; i++)
        if (!rule || f->finding[i].rule == rule)
            first = &f->finding[i];
    if (rule && f->possible && rule->needs & ~f->has)
        rule_needs_text(&needs, rule->needs & ~f->has);
    brief_begin(&b, out, "explain");
    brief_text(&b, "rule", rule ? rule->name : NULL, BRIEF_NAME_BYTES);
    put_step(&b, a);
    put_outcomes(&b, f, rule);
    brief_text(&b, "needs", needs.s, BRIEF_TEXT_BYTES);
    brief_text(&b, "findings_note", no_replay_text[f->why_not], BRIEF_TEXT_BYTES);
    put_warnings(&b, a);
    if (first)
        put_next_finding(&b, o, first);
    else
        brief_next(&b, "gait lint --brief .", NULL, NULL);
    put_findings(&b, f, rule);
    brief_end(&b);
    strbuf_release(&needs);
}

/* --- answers --- */

static void put_answer(struct brief *b, const struct answer *x, double step_ns)
{
    bool tells_step = !x->price.apart && !x->price.unpriced;
    brief_item(b);
    brief_text(b, "question", x->question.text, BRIEF_PLACE_BYTES);
    put_gain(b, &x->price);
    brief_ms(b, "step_after_ms", tells_step ? fmax(0, step_ns - x->price.gain_ns) : NAN);
    json_field_int(&b->w, "spans", (int64_t)x->matched);
    brief_item_end(b);
}

static void put_refused(struct brief *b, const struct refusal *r)
{
    brief_item(b);
    brief_text(b, "question", r->question.text, BRIEF_PLACE_BYTES);
    brief_text(b, "reason", r->err.text, BRIEF_TEXT_BYTES);
    brief_item_end(b);
}

void render_brief_answers(struct strbuf *out, const struct analysis *a,
                          const struct answers *answers, const struct report_options *o)
{
    double step_ns = answers->of.step_ns;
    struct brief b;
    brief_begin(&b, out, "whatif");
    put_step(&b, a);
    brief_ms(&b, "together_step_ms",
             answers->n > 1 ? fmax(0, step_ns - answers->together_gain_ns) : NAN);
    brief_number(&b, "replay_error_frac", answers->of.replay_error_frac);
    put_warnings(&b, a);
    put_next(&b, o, "gait explain --brief {}");
    brief_list(&b, "answers");
    for (size_t i = 0; i < answers->n; i++)
        put_answer(&b, &answers->answer[i], step_ns);
    brief_list_end(&b);
    brief_list(&b, "refused");
    for (size_t i = 0; i < answers->n_refused; i++)
        put_refused(&b, &answers->refused[i]);
    brief_list_end(&b);
    brief_end(&b);
}
