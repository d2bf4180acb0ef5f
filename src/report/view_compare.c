/*
 * Two runs side by side: the step, where it goes, and the operators that changed most,
 * device and host apart. A change is after - before; nothing here says whether it is more
 * than noise.
 */
#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "report/view_parts.h"

#include <math.h>

enum {
    CHANGES_ON_SCREEN = 8,
    CHANGES_KEPT_WHEN_SHORT = 3,
    CHANGES_IN_DOCUMENT = 100,
};

static const char *const side_word[SIDES] = {"before", "after"};

static const char *side_name(struct view *v, const struct analysis *a)
{
    if (a->n_ranks != 1)
        return view_printf(v, "%zu ranks", a->n_ranks);
    const char *path = run_name(a->run, a->run->ranks.path[a->ranks[0].row]);
    return *path ? view_clean(v, path_name(path)) : "a run";
}

static void add_sides(struct view *v, const struct comparison *c)
{
    struct block *b = view_block(v, BLOCK_SOURCE, "Two runs");
    b->text = view_printf(v, "before: %s, after: %s", side_name(v, c->side[BEFORE]),
                          side_name(v, c->side[AFTER]));
}

/* "−28.2 %", "+3.0 %"; "N/A" where there was nothing before. */
static const char *change_percent(struct view *v, double before, double after)
{
    if (!isfinite(before) || !isfinite(after) || before <= 0)
        return "N/A";
    return view_printf(v, "%s %%", unit_signed(100 * (after / before - 1), 1).s);
}

static void add_answer(struct view *v, const struct comparison *c)
{
    struct block *b = view_block(v, BLOCK_HEADLINE, "");
    const struct step_time *before = &c->step[BEFORE], *after = &c->step[AFTER];
    if (!c->by_step)
        view_line(v, b,
                  view_printf(v,
                              "Not every recording has steps: whole recordings are "
                              "compared, a mean rank each. One lasted %s, and now %s.",
                              unit_ns_of(c->recording_ns[BEFORE]).s,
                              unit_ns_of(c->recording_ns[AFTER]).s),
                  "");
    if (isfinite(before->ns) && isfinite(after->ns))
        view_line(v, b,
                  view_printf(v, "A step took %s and now takes %s (%s%s).",
                              view_step_ms(v, before->ns), view_step_ms(v, after->ns),
                              change_percent(v, before->ns, after->ns),
                              c->untraced ? ", both without the tracer" : ""),
                  "");
}

static const char *window_words(const struct comparison *c)
{
    return c->by_step ? "ms per step" : "ms in all";
}

static void change_columns(struct block *b, const char *first)
{
    grid_column(b, 0, first, ALIGN_LEFT, false);
    grid_column(b, 1, side_word[BEFORE], ALIGN_RIGHT, false);
    grid_column(b, 2, side_word[AFTER], ALIGN_RIGHT, false);
    grid_column(b, 3, "change", ALIGN_RIGHT, false);
    grid_column(b, 4, "%", ALIGN_RIGHT, false);
}

/* A change with its sign. */
static struct cell cell_change(struct view *v, double x, int decimals)
{
    const char *number = view_number(v, x, decimals);
    bool plus = isfinite(x) && x > 0 && number[0] != '-';
    return cell_sorted(plus ? view_printf(v, "+%s", number) : number, x);
}

static void change_cells(struct view *v, struct cell *c, double before_ns,
                         double after_ns, int decimals)
{
    c[0] = cell_number(v, before_ns / 1e6, decimals);
    c[1] = cell_number(v, after_ns / 1e6, decimals);
    c[2] = cell_change(v, (after_ns - before_ns) / 1e6, decimals);
    c[3] = cell_text(change_percent(v, before_ns, after_ns));
}

static void add_classes(struct view *v, const struct comparison *c)
{
    if (!c->n_classes) {
        struct block *b = view_block(v, BLOCK_TEXT, "Where it goes");
        b->text = c->has_device[BEFORE] != c->has_device[AFTER]
                      ? "N/A: something ran on a GPU in one of the two only."
                      : "N/A: times by class are not known of every rank.";
        return;
    }
    struct block *b =
        view_block(v, BLOCK_TABLE, view_printf(v, "Where it goes: %s", window_words(c)));
    grid_open(v, b, 5, c->n_classes);
    change_columns(b, "part");
    const struct class_change *span = &c->classes[0];
    double largest_ms = fmax(span->ns[BEFORE], span->ns[AFTER]) / 1e6;
    for (size_t i = 0; i < c->n_classes; i++) {
        struct cell *cells = grid_row(b);
        bool whole = c->classes[i].what == TIME_CLASS_SPAN;
        cells[0] = cell_text(!whole                  ? time_class_text[c->classes[i].what]
                             : c->by_step            ? "step"
                             : c->has_device[BEFORE] ? "first to last GPU work"
                                                     : "first to last host work");
        change_cells(v, cells + 1, c->classes[i].ns[BEFORE], c->classes[i].ns[AFTER],
                     decimals_for(largest_ms));
    }
}

static void add_phases(struct view *v, const struct comparison *c)
{
    if (!c->n_phases)
        return;
    struct block *b = view_block(v, BLOCK_TABLE, "Phases: ms per step");
    double largest_ms = 0;
    grid_open(v, b, 5, c->n_phases);
    change_columns(b, "phase");
    for (size_t i = 0; i < c->n_phases; i++)
        largest_ms = fmax(largest_ms, c->phases[i].ns[BEFORE] / 1e6);
    for (size_t i = 0; i < c->n_phases; i++) {
        struct cell *cells = grid_row(b);
        cells[0] = cell_text(view_phase_label(c->phases[i].phase));
        change_cells(v, cells + 1, c->phases[i].ns[BEFORE], c->phases[i].ns[AFTER],
                     decimals_for(largest_ms));
    }
}

/* Calls a step, without decimals where there are none. */
static struct cell cell_calls(struct view *v, const struct op_mean *m)
{
    if (!m->there)
        return cell_text("–");
    double rounded = round(m->count);
    return cell_number(v, m->count, fabs(m->count - rounded) < 0.005 ? 0 : 2);
}

static void op_columns(struct block *b)
{
    change_columns(b, "name");
    b->grid.columns[0].is_name = true;
    grid_column(b, 5, "calls", ALIGN_RIGHT, false);
    grid_column(b, 6, "now", ALIGN_RIGHT, false);
    grid_column(b, 7, "", ALIGN_LEFT, false);
}

static void op_cells(struct view *v, struct cell *c, const struct op_change *op,
                     int decimals)
{
    const struct op_mean *before = &op->side[BEFORE], *after = &op->side[AFTER];
    c[0] = cell_op(v, op->label, op->name);
    change_cells(v, c + 1, before->self_ns, after->self_ns, decimals);
    if (!before->there)
        c[1] = cell_text("–");
    if (!after->there)
        c[2] = cell_text("–");
    c[5] = cell_calls(v, before);
    c[6] = cell_calls(v, after);
    c[7] = cell_text(op_state_text[op->state]);
}

static size_t changes_wanted(const struct view *v)
{
    if (v->options.top > 0)
        return (size_t)v->options.top;
    return view_is_screen(v) ? CHANGES_ON_SCREEN : CHANGES_IN_DOCUMENT;
}

static size_t changes_in(const struct comparison *c, enum lane_kind place,
                         double *largest_ms)
{
    size_t n = 0;
    *largest_ms = 0;
    for (size_t i = 0; i < c->n_ops; i++) {
        const struct op_change *op = &c->ops[i];
        if (op->place != place || op->state == OP_SAME)
            continue;
        double ns = fmax(op->side[BEFORE].self_ns, op->side[AFTER].self_ns);
        *largest_ms = fmax(*largest_ms, ns / 1e6);
        n++;
    }
    return n;
}

static void add_ops(struct view *v, const struct comparison *c, enum lane_kind place,
                    const char *words)
{
    double largest_ms;
    size_t n = changes_in(c, place, &largest_ms), wanted = changes_wanted(v);
    size_t shown = n < wanted ? n : wanted;
    if (!n)
        return;
    const char *of = c->beyond_steps ? "recording / steps, ms"
                     : c->by_step    ? "self ms per step"
                                     : "self ms";
    struct block *b = view_block(v, BLOCK_TABLE, view_printf(v, "%s: %s", words, of));
    grid_open(v, b, 8, shown);
    op_columns(b);
    for (size_t i = 0, done = 0; i < c->n_ops && done < shown; i++)
        if (c->ops[i].place == place && c->ops[i].state != OP_SAME) {
            op_cells(v, grid_row(b), &c->ops[i], decimals_for(largest_ms));
            done++;
        }
    b->grid.total_rows = n;
    b->grid.searchable = true;
    if (v->options.top <= 0)
        b->grid.min_rows =
            shown < CHANGES_KEPT_WHEN_SHORT ? shown : CHANGES_KEPT_WHEN_SHORT;
    if (!view_is_screen(v))
        b->note = c->by_step
                      ? "Self time, the largest changes first; calls before and now. "
                        "Sums over the whole recording, as parts of the steps' time, of "
                        "the step."
                      : "Self time, the largest changes first; calls before and now.";
}

static void add_all_ops(struct view *v, const struct comparison *c)
{
    size_t before = v->n;
    add_ops(v, c, LANE_KIND_DEVICE, "GPU operators");
    add_ops(v, c, LANE_KIND_CPU, "Host operators");
    if (v->n > before)
        return;
    struct block *b = view_block(v, BLOCK_TEXT, "Operators");
    b->text = c->n_ops ? "None took more or less time than before."
                       : "N/A: neither run has any.";
}

struct view *view_new_comparison(const struct comparison *c, enum report_format format,
                                 const struct report_options *options)
{
    struct view *v = mem_zalloc(1, sizeof *v);
    arena_init(&v->arena);
    v->a = c->side[AFTER];
    v->format = format;
    if (options)
        v->options = *options;
    add_sides(v, c);
    add_answer(v, c);
    view_add_pair(v, c);
    view_add_changes(v, c);
    add_classes(v, c);
    add_phases(v, c);
    add_all_ops(v, c);
    struct block *b = view_block(v, BLOCK_NEXT, "Next");
    view_line(v, b, "gait verify BEFORE AFTER",
              "is the change more than noise, and is it still the same model?");
    return v;
}
