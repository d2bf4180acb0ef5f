/*
 * Figures read from tensors every step, between the optimizer and the next pass through
 * the model: statistics, histograms, printed losses.
 */
#include "base/units.h"
#include "findings/fetches.h"
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/repeated.h"

#include <stdio.h>
#include <string.h>

/* Does it make a tensor's contents a figure of the program's? */
static bool reads_figures(const struct evidence *e, const struct host_thread *t,
                          const struct host_op *op)
{
    static const char *const readers[] = {
        "aten::item",       "aten::_local_scalar_dense",
        "aten::is_nonzero", "aten::histc",
        "aten::histogram",  "aten::quantile",
        "aten::equal",      "aten::bincount",
    };
    return outer_op_one_of(e, op, readers, sizeof readers / sizeof *readers) ||
           outer_op_calls(e, t, op, "aten::_local_scalar_dense");
}

/* aten::add_: into a tensor that was there. */
static bool writes(const char *name)
{
    return *name && name[strlen(name) - 1] == '_';
}

/* May a figure be made by it? Nothing that writes: averages of weights, other networks
 * that follow, schedules do their work whether figures are read or not. */
static bool feeds_figures(const struct evidence *e, const struct host_op *op)
{
    static const char *const feeders[] = {
        "aten::abs",    "aten::square",        "aten::sqrt",   "aten::max",
        "aten::min",    "aten::argmax",        "aten::median", "aten::any",
        "aten::all",    "aten::isnan",         "aten::isinf",  "aten::isfinite",
        "aten::stack",  "aten::cat",           "aten::ne",     "aten::count_nonzero",
        "aten::unique", "aten::_foreach_norm",
    };
    if (writes(evidence_name(e, op)))
        return false;
    return outer_op_sort(e, op) & (OP_SORT_VIEW | OP_SORT_REDUCTION | OP_SORT_COPY) ||
           outer_op_one_of(e, op, feeders, sizeof feeders / sizeof *feeders);
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

/* Operators in a row that read figures or make them, from the first to the last read. */
struct stretch {
    const struct host_op *first; /* NULL: none yet */
    int64_t read_until_ns;
    size_t reads;
    const struct host_op *first_read;
};

struct logging {
    struct edit_list edits;
    double traced_ns; /* of all steps */
    size_t reads, places;
    const struct host_op *first_read;
};

static void close_stretch(const struct evidence *e, const struct host_thread *t,
                          struct stretch *s, struct logging *l)
{
    if (s->reads) {
        int64_t begin_ns = s->first->begin_ns;
        evidence_edit_range(e, &l->edits, t->lane, begin_ns, s->read_until_ns, 0);
        l->traced_ns += (double)(s->read_until_ns - begin_ns);
        l->reads += s->reads;
        l->first_read = l->first_read ? l->first_read : s->first_read;
    }
    *s = (struct stretch){0};
}

static void add_op(const struct evidence *e, const struct host_thread *t,
                   const struct host_op *op, struct stretch *s, struct logging *l)
{
    bool reads = reads_figures(e, t, op);
    if (!reads && !feeds_figures(e, op)) {
        /* arithmetic between two reads makes the second; what writes is something else */
        if (!s->reads || writes(evidence_name(e, op)))
            close_stretch(e, t, s, l);
        return;
    }
    s->first = s->first ? s->first : op;
    if (!reads)
        return;
    s->read_until_ns = op->end_ns;
    s->first_read = s->reads++ ? s->first_read : op;
}

/* Between an optimizer's step and the model's next pass or the next fetch. */
static struct logging find_logging(const struct evidence *e)
{
    struct logging l = {0};
    const struct host_thread *t = &e->threads[e->main_thread];
    struct stretch s = {0};
    bool between = true;
    size_t reads = 0; /* before this place */
    for (size_t i = 0; i <= t->n_outer; i++) {
        const struct host_op *op = i < t->n_outer ? outer_op_at(t, i) : NULL;
        bool optimizer = op && t->outer[i].place == OP_PLACE_OPTIMIZER;
        bool model = op && (t->outer[i].place == OP_PLACE_BACKWARD ||
                            is_of_model(evidence_name(e, op)));
        if (!op || optimizer || model || op->fetch) {
            close_stretch(e, t, &s, &l);
            l.places += l.reads > reads;
            reads = l.reads;
            between = optimizer;
        } else if (between) {
            add_op(e, t, op, &s, &l);
        }
    }
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
    if (!l.first_read || a_step_ns < rule->limit[SHARE_FRAC] * e->traced_step_ns ||
        (double)l.places < rule->limit[STEPS_FRAC] * (double)e->steps) {
        edit_list_release(&l.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    const struct host_thread *t = &e->threads[e->main_thread];
    const char *line = evidence_line(e, t, l.first_read);
    x->edits = l.edits;
    edit_list_set_keep(&x->edits, 1 / REPEATED_RARER);
    x->price = PRICE_REPLAYED;
    snprintf(x->where, sizeof x->where, "%s%s%s", evidence_name(e, l.first_read),
             *line ? ", " : "", line);
    snprintf(
        x->evidence, sizeof x->evidence,
        "figures are read from tensors after the optimizer's step, %s a step, in %zu "
        "of %zu: %.1f %% of a step; priced for every %.0fth step",
        unit_times((double)l.reads / (double)e->steps).s, l.places, e->steps,
        100 * a_step_ns / e->traced_step_ns, REPEATED_RARER);
}
