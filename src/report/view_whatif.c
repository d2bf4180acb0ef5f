/*
 * Answers to a reader's own questions, and what a step hangs on before and after: the
 * critical path by what was waited for. Everything but the spans that matched and the
 * step itself is predicted.
 */
#include "report/view_parts.h"

#include <string.h>

static void add_answered(struct view *v, const struct answers *x)
{
    struct block *b = view_block(v, BLOCK_HEADLINE, "");
    const char *what = x->of.window_steps ? "A step takes" : "The recording takes";
    view_line(
        v, b,
        view_printf(v, "%s %s%s (measured).", what, view_step_ms(v, x->of.step_ns),
                    x->of.window_steps ? view_step_clock(v, &view_rank(v)->step) : ""),
        "");
}

static void answer_row(struct view *v, struct cell *c, const struct answers *x,
                       const struct answer *a)
{
    const struct finding *p = &a->price;
    const struct gain gain = {p->gain_ns, p->gain_low_ns, p->gain_high_ns};
    double step_ns = x->of.step_ns, spans = a->spans_per_step;
    c[0] = cell_text(view_told(v, a->question.text));
    c[1] = cell_number(v, spans, spans < 100 && spans != (double)(long)spans ? 1 : 0);
    c[2] = cell_text(view_printf(v, "→ %s *", view_predicted(v, step_ns, p->gain_ns)));
    c[3] = cell_text(view_interval(v, step_ns, &gain));
    c[4] = cell_text(a->has_ceiling ? view_part_ms(v, step_ns, step_ns - p->ceiling_ns)
                                    : "N/A");
}

static void add_table(struct view *v, const struct answers *x)
{
    struct block *b = view_block(v, BLOCK_TABLE, "What if");
    grid_open(v, b, 5, x->n + 1);
    grid_column(b, 0, "question", ALIGN_LEFT, true);
    grid_column(b, 1, "spans per step", ALIGN_RIGHT, false);
    grid_column(b, 2, "a step would take", ALIGN_RIGHT, false);
    grid_column(b, 3, "90 % within", ALIGN_RIGHT, false);
    grid_column(b, 4, "ceiling", ALIGN_RIGHT, false);
    for (size_t i = 0; i < x->n; i++)
        answer_row(v, grid_row(b), x, &x->answer[i]);
    if (x->n < 2)
        return;
    struct cell *c = grid_row(b);
    const struct gain gain = {x->together_gain_ns, x->together_low_ns,
                              x->together_high_ns};
    c[0] = cell_text(view_printf(v, "all %zu together", x->n));
    c[1] = c[4] = cell_text("");
    c[2] = cell_text(
        view_printf(v, "→ %s *", view_predicted(v, x->of.step_ns, x->together_gain_ns)));
    c[3] = cell_text(view_interval(v, x->of.step_ns, &gain));
}

static void add_models(struct view *v, const struct answers *x)
{
    for (size_t i = 0; i < x->n; i++)
        if (*x->answer[i].price.evidence)
            view_block(v, BLOCK_FOOTNOTE, "")->text =
                view_printf(v, "%s: %s.", view_told(v, x->answer[i].question.text),
                            view_told(v, x->answer[i].price.evidence));
    view_block(v, BLOCK_FOOTNOTE, "")->text =
        view_printf(v, "* predicted by replaying the recorded dependencies%s.",
                    view_replay_doubt(v, &x->of));
}

/* --- what a step hangs on --- */

static void add_path(struct view *v, const struct answers *x)
{
    struct block *b = view_block(v, BLOCK_TABLE, "Critical path, ms per step");
    grid_open(v, b, 3, PATH_PART_COUNT);
    grid_column(b, 0, "it waits for", ALIGN_LEFT, false);
    grid_column(b, 1, "replayed unchanged", ALIGN_RIGHT, false);
    grid_column(b, 2, "replayed with the change", ALIGN_RIGHT, false);
    int decimals = decimals_for(x->of.step_ns / 1e6);
    for (int part = 0; part < PATH_PART_COUNT; part++) {
        double before_ns = x->path_before_ns[part], after_ns = x->path_after_ns[part];
        if (before_ns == 0 && after_ns == 0)
            continue;
        struct cell *c = grid_row(b);
        c[0] = cell_text(path_part_text[part]);
        c[1] = cell_number(v, before_ns / 1e6, decimals);
        c[2] = cell_number(v, after_ns / 1e6, decimals);
    }
    b->grid.min_rows = b->grid.n_rows;
}

struct view *view_new_answers(const struct analysis *a, const struct answers *answers,
                              const struct report_options *options)
{
    struct view *v = view_open(a, REPORT_TERMINAL, options);
    v->options.lines = VIEW_LINES_ASKED_FOR;
    view_add_source(v);
    view_add_doubt(v);
    add_answered(v, answers);
    add_table(v, answers);
    add_models(v, answers);
    add_path(v, answers);
    struct block *next = view_block(v, BLOCK_NEXT, "Next");
    view_line(v, next, view_printf(v, "gait explain %s", view_subject(v)),
              "the causes that were looked for, and what came of each");
    return v;
}
