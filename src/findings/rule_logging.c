/*
 * Figures read from tensors every step: statistics, histograms, counts of each class.
 * They are looked for where nothing goes into the training itself: between the optimizer
 * and the next pass through the model, and between the loss and its backward pass. What
 * is read of gradients before the optimizer's step may decide on clipping.
 */
#include "findings/evidence_text.h"
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/repeated.h"
#include "findings/sequences.h"
#include "findings/shapes.h"

#include <stdio.h>
#include <string.h>

/* Does it make a tensor's contents a figure of the program's? */
static bool reads_figures(const struct evidence *e, const struct host_thread *t,
                          const struct host_op *op)
{
    static const char *const readers[] = {
        "aten::item",        "aten::_local_scalar_dense",
        "aten::is_nonzero",  "aten::histc",
        "aten::histogram",   "aten::quantile",
        "aten::equal",       "aten::bincount",
        "aten::resolve_neg", /* the last of tolist() and numpy() */
    };
    return OUTER_OP_IS_ONE_OF(e, op, readers) ||
           outer_op_calls(e, t, op, "aten::_local_scalar_dense");
}

/* aten::add_: into a tensor that was there; aten::__and__ makes a new one. */
static bool writes(const char *name)
{
    size_t len = strlen(name);
    return len > 1 && name[len - 1] == '_' && name[len - 2] != '_';
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
           OUTER_OP_IS_ONE_OF(e, op, feeders);
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

/* May it stand at the begin of what makes a figure, as a comparison or a difference does?
 * A batch that is made ready for the model has the same (goes_on()). */
static bool may_feed_figures(const struct evidence *e, const struct host_op *op)
{
    static const char *const feeders[] = {"aten::topk", "aten::sort", "aten::argsort",
                                          "aten::softmax", "aten::log_softmax"};
    return !writes(evidence_name(e, op)) && (outer_op_sort(e, op) & OP_SORT_POINTWISE ||
                                             OUTER_OP_IS_ONE_OF(e, op, feeders));
}

/* The part of a step that an operator is looked at in. */
enum zone {
    ZONE_TRAINING, /* the pass through the model, the backward pass, the optimizer */
    ZONE_BETWEEN,  /* after the optimizer: figures, and the next batch */
    ZONE_FIGURES,  /* nothing that is made here goes into the training */
};

enum { NONE = -1 };
/* Operators after a figure that are asked whether they use what it was made of. The next
 * one mostly tells, since only arithmetic is passed over; a bound there must be, as each
 * is held against the whole stretch. docs/rules/logging-often.md */
enum { LOOKED_AHEAD = 16 };

/* Operators in a row that read figures or make them, from the first to the last read;
 * rows of t->outer. */
struct stretch {
    ptrdiff_t first;      /* that makes a figure for sure; NONE: none yet */
    ptrdiff_t first_wide; /* with what may feed figures before it */
    ptrdiff_t last_read;
    size_t reads;
    const struct host_op *first_read;
};
static const struct stretch no_stretch = {.first = NONE, .first_wide = NONE};

struct logging {
    const struct evidence *e;
    const struct host_thread *t;
    enum zone zone;
    struct stretch stretch;
    struct edit_list edits;
    double traced_ns; /* of all steps */
    size_t reads, steps;
    bool step_counted;
    const struct host_op *first_read;
};

static bool is_trained(const struct logging *l, size_t i)
{
    return l->t->outer[i].place == OP_PLACE_CODE &&
           sequences_is_trained(l->e, l->t, outer_op_at(l->t, i));
}

/* Does it take a tensor of a shape that the stretch made element by element? */
static bool takes_what_was_made(const struct logging *l, size_t i)
{
    const struct stretch *s = &l->stretch;
    struct shapes takes, made;
    if (!shapes_of(&takes, l->e->run, outer_op_at(l->t, i)->span))
        return false;
    for (ptrdiff_t k = s->first_wide; k < s->last_read; k++) {
        const struct host_op *op = outer_op_at(l->t, (size_t)k);
        if (!may_feed_figures(l->e, op) || !shapes_of(&made, l->e->run, op->span))
            continue;
        for (int a = 0; a < takes.n; a++)
            for (int b = 0; b < made.n; b++)
                if (takes.in[a].rank && shape_equal(&takes.in[a], &made.in[b]))
                    return true;
    }
    return false;
}

/* Is what was made for the last read used after it too? Looked at until the first that
 * may get its shape from something else: a view, a copy, a row of the data. */
static bool goes_on(const struct logging *l)
{
    size_t begin = (size_t)l->stretch.last_read + 1;
    for (size_t i = begin; i < l->t->n_outer && i < begin + LOOKED_AHEAD; i++) {
        const struct host_op *op = outer_op_at(l->t, i);
        if (op->fetch || l->t->outer[i].place != OP_PLACE_CODE)
            return false;
        if (takes_what_was_made(l, i))
            return true;
        if (!(outer_op_sort(l->e, op) & OP_SORT_POINTWISE))
            return false;
    }
    return false;
}

static void close_stretch(struct logging *l)
{
    struct stretch *s = &l->stretch;
    if (s->reads) {
        bool narrow = l->zone == ZONE_BETWEEN && s->first_wide < s->first && goes_on(l);
        ptrdiff_t first = narrow ? s->first : s->first_wide;
        int64_t begin_ns = outer_op_at(l->t, (size_t)first)->begin_ns;
        int64_t end_ns = outer_op_at(l->t, (size_t)s->last_read)->end_ns;
        evidence_edit_range(l->e, &l->edits, l->t->lane, begin_ns, end_ns, 0);
        l->traced_ns += (double)(end_ns - begin_ns);
        l->reads += s->reads;
        l->first_read = l->first_read ? l->first_read : s->first_read;
        l->steps += !l->step_counted;
        l->step_counted = true;
    }
    *s = no_stretch;
}

/* Does a batch begin with it: rows that are drawn or chosen? */
static bool begins_batch(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {"aten::index", "aten::index_select"};
    return outer_op_sort(e, op) & OP_SORT_RANDOM || outer_op_one_of(e, op, names, 2);
}

static void add_op(struct logging *l, size_t i)
{
    const struct host_op *op = outer_op_at(l->t, i);
    struct stretch *s = &l->stretch;
    bool reads = reads_figures(l->e, l->t, op);
    bool other = writes(evidence_name(l->e, op)) ||
                 (l->zone == ZONE_BETWEEN && begins_batch(l->e, op));
    bool sure = reads || feeds_figures(l->e, op);
    bool may = sure || may_feed_figures(l->e, op) || l->zone == ZONE_FIGURES;
    /* arithmetic between two reads makes the second; what writes or begins a batch is
     * something else */
    if (!reads && (other || (!may && !s->reads))) {
        close_stretch(l);
        return;
    }
    if (!sure && !s->reads)
        s->first = NONE;
    if (sure && s->first == NONE)
        s->first = (ptrdiff_t)i;
    if (s->first_wide == NONE)
        s->first_wide = (ptrdiff_t)i;
    if (!reads)
        return;
    s->last_read = (ptrdiff_t)i;
    s->first_read = s->reads++ ? s->first_read : op;
}

/* Is op i the last of the loss, and do the operators up to its backward pass come to
 * nothing that is trained? */
static bool ends_loss(const struct logging *l, size_t i)
{
    for (size_t k = i + 1; k < l->t->n_outer; k++) {
        enum op_place place = l->t->outer[k].place;
        if (place == OP_PLACE_BACKWARD)
            return true;
        if (place == OP_PLACE_OPTIMIZER || outer_op_at(l->t, k)->fetch ||
            is_trained(l, k))
            return false;
    }
    return false;
}

static struct logging find_logging(const struct evidence *e)
{
    struct logging l = {.e = e,
                        .t = &e->threads[e->main_thread],
                        .zone = ZONE_BETWEEN,
                        .stretch = no_stretch};
    for (size_t i = 0; i < l.t->n_outer; i++) {
        const struct host_op *op = outer_op_at(l.t, i);
        enum op_place place = l.t->outer[i].place;
        bool trained = is_trained(&l, i);
        if (place != OP_PLACE_OPTIMIZER && place != OP_PLACE_BACKWARD && !trained &&
            !op->fetch && !is_of_model(evidence_name(e, op))) {
            if (l.zone != ZONE_TRAINING)
                add_op(&l, i);
            continue;
        }
        close_stretch(&l);
        l.zone = ZONE_TRAINING;
        if (place == OP_PLACE_OPTIMIZER) {
            l.zone = ZONE_BETWEEN;
            l.step_counted = false;
        } else if (trained && ends_loss(&l, i)) {
            l.zone = ZONE_FIGURES;
        }
    }
    close_stretch(&l);
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
    if (!l.first_read || a_step_ns < rule->limit[SHARE_FRAC].value * e->traced_step_ns ||
        (double)l.steps < rule->limit[STEPS_FRAC].value * (double)e->steps) {
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
    evidence_say(
        x,
        "figures are read from tensors beside the training itself, {} a step, in {} of "
        "{} steps: {} of a step; priced for every {}th step",
        quantity_times("reads_per_step", (double)l.reads / (double)e->steps),
        quantity_whole("steps_with_it", (double)l.steps),
        quantity_whole("steps", (double)e->steps),
        quantity_percent("held_frac", a_step_ns / e->traced_step_ns, 1),
        quantity_whole("priced_interval_steps", REPEATED_RARER));
}
