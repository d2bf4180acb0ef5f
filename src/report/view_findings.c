/*
 * What to fix: each cause with what it holds (measured) and what a step would take
 * without it (predicted, in a column of its own), then all of them together. On a screen
 * a table; in documents a card each, with the evidence and the fix as code.
 */
#include "base/path.h"
#include "base/text_fit.h"
#include "base/units.h"
#include "findings/findings.h"
#include "price/price_text.h"
#include "report/view_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FINDINGS_SHOWN = 100 };

/* --- figures as text --- */

static const char *predicted_cell(struct view *v, const struct findings *f,
                                  double gain_ns)
{
    enum { CHANGE_COLUMNS = 6 }; /* so that lengths stand below each other */
    const char *change = view_change(v, f->step_ns, gain_ns);
    int columns = text_columns(change);
    return view_printf(
        v, "→ %s %*s(%s) *", view_part_ms(v, f->step_ns, f->step_ns - gain_ns),
        columns < CHANGE_COLUMNS ? CHANGE_COLUMNS - columns : 0, "", change);
}

/* What such a finding gains: of what a sample takes, of what lies between steps, or of a
 * mean with the first ones. */
static const char *apart_text(struct view *v, const struct findings *f,
                              const struct finding *x)
{
    return price_apart(&v->arena, f->step_ns, x);
}

/* "1, 3": those that are no part of the total, as they gain a sample or beside the step;
 * "" where there are none. */
static const char *apart_numbers(struct view *v, const struct findings *f, bool a_sample)
{
    const char *list = "";
    for (size_t i = 0; i < f->n; i++)
        if (f->finding[i].apart && (f->finding[i].samples > 0) == a_sample)
            list = view_printf(v, "%s%s%zu", list, *list ? ", " : "", i + 1);
    return list;
}

static size_t count_added(const struct findings *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += !f->finding[i].apart && !f->finding[i].unpriced;
    return n;
}

/* Several, of which at least one counts in it. */
static bool has_sum(const struct findings *f)
{
    return f->n > 1 && count_added(f);
}

/* Of what is known to be on, and was not measured, nobody knows. */
static const char *holds_text(struct view *v, const struct findings *f,
                              const struct finding *x)
{
    return finding_holds_unknown(x) ? "not known"
                                    : view_part_ms(v, f->step_ns, x->holds_ns);
}

/* --- the table --- */

/* Of a finding with statements these alone, "train.py:14, 15": its card tells the rest.
 */
static const char *place_text(struct view *v, const struct finding *x)
{
    const char *where = view_told(v, x->where);
    const char *end = x->n_lines ? strstr(where, " in ") : NULL;
    return end ? view_printf(v, "%.*s", (int)(end - where), where) : where;
}

static void finding_row(struct view *v, struct cell *c, const struct findings *f,
                        size_t i)
{
    const struct finding *x = &f->finding[i];
    c[0] = cell_text(view_printf(v, "%*zu  %s", f->n > 9 ? 2 : 1, i + 1,
                                 view_told(v, x->rule->title)));
    c[1] = cell_sorted(holds_text(v, f, x), x->holds_ns);
    c[2] = cell_sorted(x->unpriced ? "not predicted"
                       : x->apart  ? view_printf(v, "%s *", apart_text(v, f, x))
                                   : predicted_cell(v, f, x->gain_ns),
                       x->gain_ns);
    c[3] = cell_text(effort_text[x->rule->effort]);
    c[4] = cell_text(place_text(v, x));
}

static void together_row(struct view *v, struct cell *c, const struct findings *f)
{
    size_t added = count_added(f);
    const char *label = added == f->n
                            ? view_printf(v, "all %zu together", added)
                            : view_printf(v, "%zu of %zu together", added, f->n);
    c[0] = cell_text(view_printf(v, "%*s  %s", f->n > 9 ? 2 : 1, "", label));
    c[1] = c[3] = c[4] = cell_text("");
    c[2] = cell_text(predicted_cell(v, f, f->together_gain_ns));
}

static void add_table(struct view *v, const struct findings *f)
{
    size_t most = f->n < FINDINGS_SHOWN ? f->n : FINDINGS_SHOWN;
    struct block *b = view_block(v, BLOCK_TABLE, "What to fix");
    grid_open(v, b, 5, most + 1);
    grid_column(b, 0, "cause", ALIGN_LEFT, false);
    grid_column(b, 1, "costs", ALIGN_RIGHT, false);
    grid_column(b, 2, f->window_steps ? "a step would take" : "the recording would take",
                ALIGN_RIGHT, false);
    grid_column(b, 3, "effort", ALIGN_LEFT, false);
    grid_column(b, 4, "where", ALIGN_LEFT, true);
    b->grid.columns[4].wraps = true;
    for (size_t i = 0; i < most; i++)
        finding_row(v, grid_row(b), f, i);
    if (has_sum(f)) {
        together_row(v, grid_row(b), f);
        b->grid.sum_rows = 1;
        b->grid.keep_last = true;
    }
    b->grid.total_rows += f->n - most;
    size_t least = FINDINGS_KEPT_WHEN_SHORT + b->grid.sum_rows;
    b->grid.min_rows = b->grid.n_rows < least ? b->grid.n_rows : least;
}

/* " Not included: 1 (changes the work of a step).", or "" where nothing is left out of a
 * sum. */
static const char *apart_sentence(struct view *v, const struct findings *f)
{
    const char *other_work = apart_numbers(v, f, true), *why = "";
    const char *beside = apart_numbers(v, f, false);
    if (!has_sum(f))
        return "";
    if (*other_work)
        why =
            view_printf(v, " Not included: %s (changes the work of a step).", other_work);
    if (*beside)
        why = view_printf(v, "%s Not included: %s (outside the step).", why, beside);
    return why;
}

/* Bars of a host that runs ahead are of the whole recording; what a cause costs is of the
 * steps that are replayed. */
static const char *costs_sentence(struct view *v, const struct findings *f)
{
    const struct analysis_rank *r = view_rank(v);
    if (!r->recorded.ahead || !r->has_device || !f->window_steps)
        return "";
    return view_printf(v,
                       " Costs are measured in the %s, the bars above in the whole "
                       "recording.",
                       f->window_steps == 1
                           ? "replayed step"
                           : view_printf(v, "%zu replayed steps", f->window_steps));
}

static bool any_is_priced(const struct findings *f)
{
    size_t i = 0;
    while (i < f->n && f->finding[i].unpriced)
        i++;
    return i < f->n;
}

static void add_footnote(struct view *v, const struct findings *f)
{
    if (!any_is_priced(f))
        return;
    struct block *b = view_block(v, BLOCK_FOOTNOTE, "");
    b->text =
        view_printf(v, "%s by replaying the recorded dependencies%s.%s%s",
                    v->format == REPORT_HTML ? "Predicted" : "* predicted",
                    view_replay_doubt(v, f), costs_sentence(v, f), apart_sentence(v, f));
}

/* --- a card --- */

static void add_price(struct view *v, struct block *b, const struct findings *f,
                      const struct finding *x)
{
    b->card.of = f->window_steps ? "a step" : "the recording";
    b->card.now = view_printf(v, "%s%s%s", view_step_ms(v, f->step_ns), view_of_rank(v),
                              f->untraced ? ", without the tracer" : "");
    b->card.predicted = view_told(v, price_told(&v->arena, f->step_ns, x));
    b->card.measured = "not measured yet";
}

static void add_code(struct block *b, const struct rule_fix *fix, bool trainer)
{
    const char *code[2] = {fix->torch, fix->gait};
    static const char *const label[2] = {"PyTorch", "Gait's config"};
    for (int k = 0; k < 2; k++) {
        int side = trainer ? 1 - k : k; /* the reader's own first */
        if (!code[side])
            continue;
        b->card.code[b->card.n_code] = code[side];
        b->card.code_label[b->card.n_code++] = label[side];
    }
}

/* What it costs, and by which clock: a recorded job is traced in some steps and timed in
 * others. */
static const char *costs_text(struct view *v, const struct findings *f,
                              const struct finding *x)
{
    const char *how = ", measured";
    if (f->untraced && x->holds_timed)
        how = ", timed without the tracer";
    else if (f->untraced && x->edits.n)
        how = f->has & NEEDS_DEVICE
                  ? ", measured in traced steps"
                  : ": measured in traced steps, scaled to one without the tracer";
    if (finding_holds_unknown(x))
        return "not known";
    return view_printf(v, "%s %s%s", holds_text(v, f, x),
                       f->window_steps ? "per step" : "of the recording", how);
}

/* Not the same figure again where the fix takes all away. */
static const char *ceiling_text(struct view *v, const struct findings *f,
                                const struct finding *x)
{
    const char *ceiling = view_predicted(v, f->step_ns, x->ceiling_ns);
    if (!strcmp(ceiling, view_predicted(v, f->step_ns, x->gain_ns)))
        return "the same: the fix removes all of it";
    return view_printf(v, "%s if all of it took no time; predicted", ceiling);
}

/* docs/findings.md, "Order" */
static const char *const priority_words[PRIORITY_COUNT] = {
    "gain of 5 % and more, low effort",
    "gain of 5 % and more, more effort",
    "smaller gain, low effort",
    "smaller gain, more effort",
};

/* The statements themselves, as a reader finds them in the file. */
static void add_statements(struct view *v, struct block *b, const struct run *run,
                           const struct finding *x)
{
    const struct lines *l =
        x->n_lines ? &run->lines : NULL; /* else there may be no run */
    for (size_t i = 0; i < x->n_lines; i++) {
        int32_t row = x->line[i];
        bool elsewhere = l->file[row] != l->file[x->line[0]];
        const char *file = run_name(run, l->file[row]),
                   *text = run_name(run, l->text[row]);
        if (*text)
            view_line(v, b, view_printf(v, "line %d", l->line[row]),
                      view_printf(v, "%s%s%s%s", view_told(v, text),
                                  elsewhere ? "    (" : "",
                                  elsewhere ? view_told(v, path_name(file)) : "",
                                  elsewhere ? ")" : ""));
    }
}

void view_add_card(struct view *v, const struct findings *f, size_t i)
{
    const struct finding *x = &f->finding[i];
    struct block *b = view_block(
        v, BLOCK_CARD, view_printf(v, "%zu  %s", i + 1, view_told(v, x->rule->title)));
    b->detail = true;
    b->text = view_told(v, x->where);
    b->card.tag = priority_text[x->priority];
    b->card.number = i + 1;
    b->card.holds = holds_text(v, f, x);
    b->card.after =
        x->unpriced ? "not predicted"
        : x->apart  ? apart_text(v, f, x)
                    : view_printf(v, "→ %s", view_predicted(v, f->step_ns, x->gain_ns));
    b->card.effort = effort_text[x->rule->effort];
    add_price(v, b, f, x);
    add_code(b, finding_fix(x), f->has & NEEDS_TRAINER);
    add_statements(v, b, f->run, x);
    view_line(v, b, "evidence", view_told(v, x->evidence));
    view_line(v, b, "costs", costs_text(v, f, x));
    view_line(v, b, "effort",
              view_printf(v, "%s (%s: %s)", effort_text[x->rule->effort],
                          priority_text[x->priority], priority_words[x->priority]));
    if (!x->unpriced)
        view_line(v, b, "price", price_text[x->price]);
    view_line(v, b, "confidence",
              view_printf(v, "%s%s%s", confidence_text[x->confidence],
                          *x->doubt ? ": " : "", view_told(v, x->doubt)));
    if (!x->apart && !x->unpriced)
        view_line(v, b, "ceiling", ceiling_text(v, f, x));
    if (*x->missing)
        view_line(v, b, "not included", view_told(v, x->missing));
    b->note = view_printf(v, "More: gait help %s", x->rule->name);
}

/* --- pictures --- */

static double frac_left(const struct findings *f, double gain_ns)
{
    double frac = f->step_ns > 0 ? (f->step_ns - gain_ns) / f->step_ns : 1;
    return frac < 0 ? 0 : frac > 1 ? 1 : frac;
}

static void add_roadmap(struct view *v, const struct findings *f)
{
    struct block *b = view_block(v, BLOCK_ROADMAP, "Roadmap: one fix after another");
    size_t n = f->n < FINDINGS_SHOWN ? f->n : FINDINGS_SHOWN;
    b->detail = true;
    b->note = view_printf(
        v,
        "Each bar is what the fix adds to those above it, replayed together, down "
        "to all of them. Gains do not add up: fixes share their time.%s",
        apart_sentence(v, f));
    struct roadmap_bar *bar = arena_alloc(&v->arena, (n + 2) * sizeof *bar);
    double before = 1;
    bar[0] = (struct roadmap_bar){"now", view_step_ms(v, f->step_ns), "", 0, 1, true};
    for (size_t i = 0; i < n; i++) {
        double left = frac_left(f, f->roadmap_gain_ns[i]);
        bar[i + 1] = (struct roadmap_bar){
            view_printf(v, "%zu  %s", i + 1, view_told(v, f->finding[i].rule->title)),
            "",
            view_predicted(v, f->step_ns, f->roadmap_gain_ns[i]),
            left,
            before,
            false};
        before = left;
    }
    bar[n + 1] = (struct roadmap_bar){"all together",
                                      "",
                                      view_predicted(v, f->step_ns, f->together_gain_ns),
                                      0,
                                      frac_left(f, f->together_gain_ns),
                                      true};
    bool said = !strcmp(bar[n].predicted, bar[n + 1].predicted); /* by the last fix */
    b->roadmap = (struct roadmap){bar, n + (said ? 1 : 2)};
}

static void add_matrix(struct view *v, const struct findings *f)
{
    struct block *b = view_block(v, BLOCK_MATRIX, "Gain against effort");
    b->detail = true;
    for (int p = 0; p < PRIORITY_COUNT; p++) {
        const char *list = "";
        for (size_t i = 0; i < f->n && i < FINDINGS_SHOWN; i++)
            if ((int)f->finding[i].priority == p)
                list = view_printf(v, "%s%s%zu", list, *list ? ", " : "", i + 1);
        b->matrix.field[p] = list;
    }
}

/* --- the section --- */

/* "; 9 more need input shapes (record_shapes)": what another recording of the same job
 * could have. Adds to *n. */
static const char *not_asked(struct view *v, const struct findings *f, size_t *all)
{
    static const unsigned could_have = NEEDS_STEPS | NEEDS_SHAPES | NEEDS_FRAMES |
                                       NEEDS_TIMINGS | NEEDS_PEAKS | NEEDS_TYPES;
    unsigned wanting = 0;
    size_t n = 0;
    for (size_t i = 0; i < f->n_unasked; i++) {
        unsigned lacks = f->unasked[i]->needs & ~f->has;
        if (lacks & ~could_have)
            continue;
        wanting |= lacks;
        n++;
    }
    *all += n;
    if (!n)
        return "";
    struct strbuf needs;
    strbuf_init(&needs);
    rule_needs_text(&needs, wanting);
    const char *text =
        view_printf(v, "; %zu more need%s %s", n, n == 1 ? "s" : "", needs.s);
    strbuf_release(&needs);
    return text;
}

static void add_nothing(struct view *v, const struct findings *f)
{
    struct block *b = view_block(v, BLOCK_TEXT, "What to fix");
    if (!f->possible) {
        b->text = view_printf(v, "N/A: %s, and causes are found by replaying spans.",
                              no_replay_text[f->why_not]);
        return;
    }
    double explained = findings_explained_frac(f, view_rank(v));
    const char *where =
        isfinite(explained)
            ? view_printf(v, ", in the %s of %s that is explained",
                          unit_percent(explained).s,
                          analysis_has_steps(view_rank(v)) ? "a step" : "the recording")
            : "";
    size_t apply = f->checked;
    const char *more = not_asked(v, f, &apply);
    b->title = f->checked ? "Nothing found" : "What to fix";
    b->text = view_printf(v, "%zu of %zu applicable causes were checked%s%s.", f->checked,
                          apply, where, more);
}

void view_add_findings(struct view *v)
{
    const struct findings *f = v->options.findings;
    if (!view_rank(v) || !f)
        return;
    if (!f->n) {
        add_nothing(v, f);
        return;
    }
    if (v->format != REPORT_HTML)
        add_table(v, f);
    else
        view_block(v, BLOCK_TEXT, "What to fix")->text =
            any_is_priced(f)
                ? view_printf(v,
                              "%zu cause%s; without %s a step would take %s, predicted.",
                              f->n, f->n == 1 ? "" : "s", f->n == 1 ? "it" : "them",
                              view_predicted(v, f->step_ns, f->together_gain_ns))
                : view_printf(v, "%zu cause%s; what a fix gains is not predicted.", f->n,
                              f->n == 1 ? "" : "s");
    add_footnote(v, f);
    if (view_is_screen(v))
        return;
    for (size_t i = 0; i < f->n && i < FINDINGS_SHOWN; i++)
        view_add_card(v, f, i);
    if (v->format != REPORT_HTML)
        return;
    if (f->n > 1) /* of a single fix its card says it all */
        add_roadmap(v, f);
    add_matrix(v, f);
}
