/*
 * A finding by itself, and the list of all that was looked for: what was found, what was
 * checked and is not there, and what could not be asked and why.
 */
#include "base/strbuf.h"
#include "findings/findings.h"
#include "report/view_parts.h"

#include <string.h>

enum { QUESTION_NAME_MAX = 64 }; /* what a reader would type */

/* --- one finding --- */

/* The operator of the host that took longest, if a reader can type its name; else "". */
static const char *longest_op(struct view *v)
{
    const struct ops *o = &v->a->run->ops;
    const struct analysis_rank *r = view_rank(v);
    for (size_t i = 0; r && i < r->n_ops; i++) {
        size_t row = r->ops[i].row;
        const char *name = run_name(v->a->run, o->name[row]);
        if (o->kind[row] == SPAN_KIND_OP && o->place[row] == LANE_KIND_CPU &&
            strlen(name) < QUESTION_NAME_MAX && !strpbrk(name, "'*?"))
            return view_clean(v, name);
    }
    return "";
}

/* A question that this run can answer. */
static void add_question(struct view *v, struct block *next, const struct findings *f)
{
    const char *op = longest_op(v), *question = "";
    if (findings_have(f, "input-bound"))
        question = "no-loader";
    else if (findings_have(f, "host-wait"))
        question = "no-wait";
    else if (*op)
        question = view_printf(v, "'remove op:%s'", op);
    if (*question)
        view_line(v, next, view_printf(v, "gait whatif %s %s", view_subject(v), question),
                  "a question of your own");
}

struct view *view_new_finding(const struct analysis *a, size_t finding,
                              const struct report_options *options)
{
    struct view *v = view_open(a, REPORT_TERMINAL, options);
    v->options.lines = VIEW_LINES_ASKED_FOR;
    const struct findings *f = v->options.findings;
    if (!f || finding >= f->n)
        BUG("finding %zu", finding);
    view_add_source(v);
    view_add_doubt(v);
    view_add_card(v, f, finding);
    struct block *sure = view_block(v, BLOCK_TEXT, "How sure");
    sure->text =
        view_printf(v, "intervals are 90 %% prediction intervals: docs/findings.md%s.",
                    view_replay_doubt(v, f));
    struct block *next = view_block(v, BLOCK_NEXT, "Next");
    if (finding + 1 < f->n)
        view_line(
            v, next,
            view_printf(v, "gait explain %zu %s", finding + 2, view_subject_graph(v)),
            view_told(v, f->finding[finding + 1].rule->title));
    view_line(v, next,
              view_printf(v, "gait report %s -o report.html", view_subject_graph(v)),
              "every finding, on one page");
    add_question(v, next, f);
    return v;
}

/* --- what came of a rule --- */

/* The number of the rule's first finding; 0: none. */
static size_t found_number(const struct findings *f, const struct rule *rule)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->finding[i].rule == rule)
            return i + 1;
    return 0;
}

static const char *needs_text(struct view *v, const struct findings *f,
                              const struct rule *rule)
{
    if (!f->possible)
        return no_replay_text[f->why_not];
    struct strbuf needs;
    strbuf_init(&needs);
    rule_needs_text(&needs, rule->needs & ~f->has);
    const char *text = view_printf(v, "%s", needs.s);
    strbuf_release(&needs);
    return text;
}

/* Of a rule that has no finding. */
static const char *outcome(struct view *v, const struct findings *f,
                           const struct rule *rule)
{
    if (f->possible && findings_gave_way(f, rule))
        return "checked; another finding covers what it found";
    if (f->possible && findings_silent(f, rule))
        return "checked, not found";
    return view_printf(v, "not checked: %s%s", f->possible ? "it needs " : "",
                       needs_text(v, f, rule));
}

/* --- lists --- */

enum { LISTED_FOUND, LISTED_SILENT, LISTED_UNASKED, LISTED_COUNT };

static int listed_as(const struct findings *f, const struct rule *rule)
{
    return found_number(f, rule)      ? LISTED_FOUND
           : findings_silent(f, rule) ? LISTED_SILENT
                                      : LISTED_UNASKED;
}

static const char *remark(struct view *v, const struct findings *f,
                          const struct rule *rule, int listed)
{
    if (listed == LISTED_FOUND)
        return view_printf(v, "%zu", found_number(f, rule));
    return listed == LISTED_UNASKED ? needs_text(v, f, rule) : "";
}

/* Names stand whole: they are what a reader types. */
static void add_list(struct view *v, const struct findings *f, int listed)
{
    static const char *const title[] = {"Found", "Checked, not found", "Not checked"};
    static const char *const column[] = {"number", "", "needs"};
    struct block *b = NULL;
    for (size_t i = 0; i < rule_count; i++) {
        const struct rule *rule = &rule_table[i];
        if (listed_as(f, rule) != listed)
            continue;
        if (!b) {
            b = view_block(v, BLOCK_TABLE, title[listed]);
            grid_open(v, b, 3, rule_count);
            grid_column(b, 0, "rule", ALIGN_LEFT, false);
            grid_column(b, 1, "what", ALIGN_LEFT, true);
            grid_column(b, 2, column[listed], ALIGN_LEFT, false);
        }
        struct cell *c = grid_row(b);
        c[0] = cell_text(rule->name);
        c[1] = cell_text(view_told(v, rule->title));
        c[2] = cell_text(remark(v, f, rule, listed));
    }
}

static void add_rule(struct view *v, const struct findings *f, const struct rule *rule)
{
    struct block *b = view_block(v, BLOCK_TEXT, rule->name);
    b->text = view_printf(v,
                          "%s; %s. Gains below %.3g %% of a step are not reported. More: "
                          "gait help %s",
                          view_told(v, rule->title), outcome(v, f, rule),
                          100 * rule->least_gain_frac, rule->name);
}

struct view *view_new_rules(const struct analysis *a, const struct rule *rule,
                            const struct report_options *options)
{
    struct view *v = view_open(a, REPORT_TERMINAL, options);
    v->options.lines = VIEW_LINES_ASKED_FOR;
    const struct findings *f = v->options.findings;
    if (!f)
        BUG("no findings to explain");
    view_add_source(v);
    view_add_doubt(v);
    view_add_headline(v);
    if (rule)
        add_rule(v, f, rule);
    else
        for (int listed = 0; listed < LISTED_COUNT; listed++)
            add_list(v, f, listed);
    struct block *next = view_block(v, BLOCK_NEXT, "Next");
    if (f->n)
        view_line(v, next, view_printf(v, "gait explain 1 %s", view_subject_graph(v)),
                  "the evidence and the fix, as code");
    view_line(v, next, view_printf(v, "gait whatif %s 'remove op:NAME'", view_subject(v)),
              "a question of your own");
    return v;
}
