/*
 * Figures read from tensors every step, between the optimizer and the next pass through
 * the model: statistics, histograms, printed losses.
 */
#include "findings/fetches.h"
#include "findings/finding.h"

#include <stdio.h>
#include <string.h>

/* Priced as done in one of so many steps. docs/rules/logging-often.md */
static const double RARER = 10;

/* Operators that make a tensor's contents a figure of the program's. */
static bool reads_figures(const char *name)
{
    static const char *const readers[] = {
        "aten::item",       "aten::_local_scalar_dense",
        "aten::is_nonzero", "aten::histc",
        "aten::histogram",  "aten::quantile",
        "aten::bincount",   "aten::equal",
    };
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (!strcmp(name, readers[i]))
            return true;
    return false;
}

/* Operators that only a model's own pass has. */
static bool is_of_model(const char *name)
{
    static const char *const begins[] = {
        "aten::linear", "aten::addmm",     "aten::mm",
        "aten::bmm",    "aten::matmul",    "aten::conv",
        "aten::lstm",   "aten::embedding", "aten::scaled_dot_product",
    };
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(name, begins[i], strlen(begins[i])))
            return true;
    return false;
}

/* From the end of an optimizer's step to the model's next pass. */
struct stretch {
    bool open;
    int64_t begin_ns, read_until_ns;
    size_t reads;
    const struct host_op *first_read;
};

struct logging {
    struct edit_list edits;
    double traced_ns; /* of all steps */
    size_t reads, stretches;
    const struct host_op *first_read;
};

static void close_stretch(const struct evidence *e, const struct host_thread *t,
                          struct stretch *s, struct logging *l)
{
    if (s->open && s->reads) {
        evidence_edit_range(e, &l->edits, t->lane, s->begin_ns, s->read_until_ns, 0);
        l->traced_ns += (double)(s->read_until_ns - s->begin_ns);
        l->reads += s->reads;
        l->stretches++;
        l->first_read = l->first_read ? l->first_read : s->first_read;
    }
    s->open = false;
}

static bool is_optimizer_step(const struct evidence *e, const struct host_op *op)
{
    return (op->kind == SPAN_KIND_ANNOTATION || op->kind == SPAN_KIND_OP) &&
           !strncmp(evidence_name(e, op), "Optimizer.step#", 15);
}

static void read_op(const struct evidence *e, const struct host_thread *t,
                    const struct host_op *op, struct stretch *s)
{
    if (op->begin_ns < s->begin_ns || !reads_figures(evidence_name(e, op)))
        return;
    const struct host_op *outer = op;
    while (outer->op_parent >= 0)
        outer = &t->op[outer->op_parent];
    if (outer->end_ns > s->read_until_ns)
        s->read_until_ns = outer->end_ns;
    s->first_read = s->reads++ ? s->first_read : op;
}

static struct logging find_logging(const struct evidence *e)
{
    struct logging l = {0};
    const struct host_thread *t = &e->threads[e->main_thread];
    struct stretch s = {.open = true, .begin_ns = e->whatif.window.begin_ns};
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        if (is_optimizer_step(e, op)) {
            close_stretch(e, t, &s, &l);
            s = (struct stretch){.open = true, .begin_ns = op->end_ns};
        } else if (s.open &&
                   (is_of_model(evidence_name(e, op)) || fetches_is_inside(e, t, op))) {
            close_stretch(e, t, &s, &l);
        } else if (s.open && op->kind == SPAN_KIND_OP) {
            read_op(e, t, op, &s);
        }
    }
    close_stretch(e, t, &s, &l);
    return l;
}

void rule_logging_often(const struct rule *rule, const struct evidence *e,
                        struct findings *f)
{
    enum { SHARE_FRAC, STEPS_FRAC };
    if (e->main_thread == SIZE_MAX)
        return;
    struct logging l = find_logging(e);
    double a_step_ns = l.traced_ns / (double)e->steps;
    if (a_step_ns < rule->limit[SHARE_FRAC] * e->traced_step_ns ||
        (double)l.stretches < rule->limit[STEPS_FRAC] * (double)e->steps) {
        edit_list_release(&l.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    const struct host_thread *t = &e->threads[e->main_thread];
    const char *line = evidence_line(e, t, l.first_read);
    x->edits = l.edits;
    edit_list_set_keep(&x->edits, 1 / RARER);
    x->holds_ns = a_step_ns;
    x->price = PRICE_REPLAYED;
    snprintf(x->where, sizeof x->where, "%s%s%s", evidence_name(e, l.first_read),
             *line ? ", " : "", line);
    snprintf(x->evidence, sizeof x->evidence,
             "%.0f figures a step are read from tensors after the optimizer's step, in "
             "%zu of %zu steps: %.1f %% of a step; priced for every %.0fth step",
             (double)l.reads / (double)e->steps, l.stretches, e->steps,
             100 * a_step_ns / e->traced_step_ns, RARER);
}
