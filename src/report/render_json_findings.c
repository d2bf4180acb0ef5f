/* Findings under stable names: docs/analyze.md. Prices are predicted, each in an object
 * of its own; everything beside it is measured. */
#include "report/render_json_findings.h"

#include "price/price_figures.h"
#include "report/json_parts.h"

#include <math.h>

#define PRICE_KEY(v, text) #v,
static const char *const price_key[PRICE_COUNT] = {PRICE_LIST(PRICE_KEY)};

static void field_ms(struct json_writer *w, const char *key, double ns)
{
    json_field_double(w, key, ns / 1e6, MS_DECIMALS);
}

static void put_figures(struct json_writer *w, const struct price_figures *p)
{
    field_ms(w, "gain_ms", p->gain_ns);
    field_ms(w, "step_ms", p->step_ns);
    field_ms(w, "low_ms", p->low_ns);
    field_ms(w, "high_ms", p->high_ns);
    json_field_double(w, "ratio", p->ratio, FRAC_DECIMALS);
    json_field_double(w, "ratio_low", p->ratio_low, FRAC_DECIMALS);
    json_field_double(w, "ratio_high", p->ratio_high, FRAC_DECIMALS);
}

void json_step_with_gain(struct json_writer *w, const struct findings *f,
                         const struct gain *g)
{
    struct price_figures p = price_figures(f, g, f->step_ns, 1);
    json_begin_object(w);
    put_figures(w, &p);
    json_end(w);
}

void json_price(struct json_writer *w, const struct findings *f, const struct finding *x)
{
    struct price_figures p = price_figures_of(f, x);
    json_key(w, "price");
    json_begin_object(w);
    field_lower(w, "kind", price_key[x->price]);
    field_bool(w, "apart", x->apart);
    json_field_double(w, "samples", x->samples > 0 ? x->samples : NAN, 0);
    put_figures(w, &p);
    field_ms(w, "ceiling_ms", p.ceiling_ns);
    json_end(w);
}

void json_quantities(struct json_writer *w, const char *key,
                     const struct quantity *quantity, size_t n)
{
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        const struct quantity *q = &quantity[i];
        json_begin_object(w);
        json_field_string(w, "name", q->name);
        json_field_double(w, "value", q->value, FRAC_DECIMALS);
        json_field_string(w, "unit", quantity_unit_text[q->unit]);
        json_end(w);
    }
    json_end(w);
}

static void put_lines(struct json_writer *w, const struct run *run,
                      const struct finding *x)
{
    json_key(w, "lines");
    json_begin_array(w);
    for (size_t i = 0; i < x->n_lines; i++) {
        int32_t row = x->line[i];
        json_begin_object(w);
        json_field_string(w, "file", run_name(run, run->lines.file[row]));
        json_field_int(w, "line", run->lines.line[row]);
        json_field_string(w, "function", run_name(run, run->lines.function[row]));
        json_field_text_or_null(w, "text", run_name(run, run->lines.text[row]));
        json_end(w);
    }
    json_end(w);
}

void json_finding(struct json_writer *w, const struct findings *f, size_t index)
{
    const struct finding *x = &f->finding[index];
    const struct rule_fix *fix = finding_fix(x);
    json_begin_object(w);
    json_field_int(w, "number", (int64_t)index + 1);
    json_field_string(w, "id", x->id.s);
    json_field_string(w, "rule", x->rule->name);
    json_field_string(w, "title", x->rule->title);
    json_field_text_or_null(w, "where", x->where);
    put_lines(w, f->run, x);
    json_field_text_or_null(w, "evidence", x->evidence);
    json_quantities(w, "evidence_values", x->quantity, x->n_quantities);
    field_ms(w, "holds_ms", finding_holds_unknown(x) ? NAN : x->holds_ns);
    field_bool(w, "holds_timed", x->holds_timed);
    json_field_string(w, "effort", effort_text[x->rule->effort]);
    json_field_string(w, "priority", priority_text[x->priority]);
    json_field_string(w, "confidence", confidence_text[x->confidence]);
    json_field_text_or_null(w, "confidence_reason", x->doubt);
    json_quantities(w, "confidence_values", &x->doubt_number,
                    x->doubt_number.name != NULL);
    json_price(w, f, x);
    json_field_text_or_null(w, "missing", x->missing);
    json_key(w, "fix");
    json_begin_object(w);
    json_field_text_or_null(w, "torch", fix->torch);
    json_field_text_or_null(w, "gait", fix->gait);
    json_end(w);
    json_end(w);
}

static void put_step_after(struct json_writer *w, const struct findings *f,
                           double gain_ns)
{
    json_begin_object(w);
    field_ms(w, "step_ms", price_at_least_0(f->step_ns - gain_ns));
    json_field_double(w, "ratio", price_ratio(f, gain_ns), FRAC_DECIMALS);
    json_end(w);
}

static void put_together(struct json_writer *w, const struct findings *f)
{
    json_key(w, "together");
    if (f && f->n)
        put_step_after(w, f, f->together_gain_ns);
    else
        json_null(w);
    json_key(w, "roadmap");
    json_begin_array(w);
    for (size_t i = 0; f && i < f->n; i++)
        put_step_after(w, f, f->roadmap_gain_ns[i]);
    json_end(w);
}

void json_lacks(struct json_writer *w, unsigned needs)
{
#define NEEDS_ROW(v, bit, text) {bit, #v},
    static const struct {
        unsigned bit;
        const char *name;
    } list[] = {NEEDS_LIST(NEEDS_ROW)};
    json_key(w, "lacks");
    json_begin_array(w);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (needs & list[i].bit)
            json_lower(w, list[i].name);
    json_end(w);
}

static void put_checked(struct json_writer *w, const struct findings *f)
{
    bool asked = f && f->possible;
    json_key(w, "checked");
    json_begin_array(w);
    for (size_t i = 0; i < rule_count && asked; i++)
        if (!(rule_table[i].needs & ~f->has))
            json_string(w, rule_table[i].name);
    json_end(w);
    json_key(w, "not_checked");
    json_begin_array(w);
    for (size_t i = 0; i < rule_count && asked; i++) {
        unsigned missing = rule_table[i].needs & ~f->has;
        if (!missing)
            continue;
        struct strbuf needs;
        strbuf_init(&needs);
        rule_needs_text(&needs, missing);
        json_begin_object(w);
        json_field_string(w, "rule", rule_table[i].name);
        json_field_string(w, "needs", needs.s);
        json_lacks(w, missing);
        json_end(w);
        strbuf_release(&needs);
    }
    json_end(w);
}

static size_t rank_index(const struct analysis *a, int32_t row)
{
    for (size_t i = 0; i < a->n_ranks; i++)
        if (a->ranks[i].row == row)
            return i;
    return 0;
}

void json_replay(struct json_writer *w, const struct analysis *a,
                 const struct findings *f)
{
    json_key(w, "replay");
    if (!f || !f->possible) {
        json_null(w);
        return;
    }
    json_begin_object(w);
    json_field_int(w, "rank_index", (int64_t)rank_index(a, f->rank));
    field_ms(w, "step_ms", f->step_ns);
    field_bool(w, "untraced", f->untraced);
    json_field_int(w, "window_steps", (int64_t)f->window_steps);
    json_field_double(w, "error_frac", f->replay_error_frac, FRAC_DECIMALS);
    json_field_int(w, "inferred", (int64_t)findings_inferred(&f->tally));
    json_field_int(w, "unexplained", (int64_t)f->tally.unexplained);
    field_ms(w, "unexplained_ms", (double)f->tally.unexplained_ns);
    json_field_int(w, "without_launch", (int64_t)f->tally.without_launch);
    json_end(w);
}

/* What a step is made of. */
static void put_account(struct json_writer *w, const struct findings *f)
{
    json_key(w, "account");
    if (!f || !(f->account.step_ns > 0)) {
        json_null(w);
        return;
    }
    const struct account *a = &f->account;
    json_begin_object(w);
    json_key(w, "parts");
    json_begin_array(w);
    for (size_t i = 0; i < a->n; i++) {
        json_begin_object(w);
        json_field_string(w, "kind", account_text[a->part[i].kind]);
        field_ms(w, "ms", a->part[i].ns);
        json_field_double(w, "frac", a->part[i].ns / a->step_ns, FRAC_DECIMALS);
        json_field_string(w, "what", a->part[i].what);
        json_field_text_or_null(w, "where", a->part[i].where);
        json_end(w);
    }
    json_end(w);
    field_ms(w, "small_ms", a->small_ns);
    field_ms(w, "unexplained_ms", a->unexplained_ns);
    json_end(w);
}

void json_findings(struct json_writer *w, const struct analysis *a,
                   const struct findings *f)
{
    json_key(w, "findings");
    json_begin_array(w);
    for (size_t i = 0; f && i < f->n; i++)
        json_finding(w, f, i);
    json_end(w);
    json_field_text_or_null(w, "findings_note",
                            f ? no_replay_text[f->why_not] : "none were looked for");
    json_field_double(w, "explained_frac",
                      a->n_ranks ? findings_explained_frac(f, &a->ranks[a->shown]) : NAN,
                      FRAC_DECIMALS);
    put_account(w, f);
    put_together(w, f);
    put_checked(w, f);
    json_replay(w, a, f);
}
