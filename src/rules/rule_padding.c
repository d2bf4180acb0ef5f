/*
 * Rows that are filled up to a fixed length although the longest of their batch is
 * shorter: what lies beyond it is computed for nothing. Seen where rows are padded one by
 * one and then stacked, or by the recorder in what the model was given.
 */
#include "base/saturate.h"
#include "evidence/outer_ops.h"
#include "evidence/sequences.h"
#include "evidence/shapes.h"
#include "price/evidence_text.h"
#include "price/finding.h"
#include "price/price.h"
#include "rules/rule.h"
#include "run/record_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last number of the shape that text begins with: "[151]" or "[4,151]"; 0: none. */
static int64_t last_of_shape(const char *text)
{
    const char *end = strchr(text, ']'), *s;
    if (*text != '[' || !end)
        return 0;
    for (s = end; s > text && s[-1] != ',' && s[-1] != '['; s--)
        ;
    return strtoll(s, NULL, 10);
}

/* Rows that were padded one by one and stacked. */
struct batch {
    int64_t longest, filled; /* tokens a row; filled is never less, and 0: none */
    int64_t rows;
    int64_t stacked_ns;
    size_t after; /* it lies before this operator of the thread */
};

struct padded {
    int64_t longest, rows; /* of those padded since the last stack */
    struct batch unread;   /* stacked, with shapes that were too many to be told */
    struct batch largest; /* since the last optimizer's step: of several fields of a batch
                             the one with the most tokens is what the model computes */
    int64_t sum_longest, sum_filled;
    size_t batches;
    const struct host_op *where;
};

static void add_batch(struct padded *p, const struct batch *b)
{
    if (b->longest <= 0 || b->filled < b->longest ||
        (double)b->filled * (double)b->rows <=
            (double)p->largest.filled * (double)p->largest.rows)
        return;
    p->largest = *b;
}

/* The first that takes a tensor of so many rows tells how long they became. */
static void read_later(struct padded *p, const struct evidence *e,
                       const struct host_op *op)
{
    struct shapes s;
    if (!shapes_of(&s, e->run, op->span))
        return;
    for (int i = 0; i < s.n && p->unread.rows; i++)
        if (s.in[i].rank == 2 && s.in[i].dim[0] == p->unread.rows) {
            p->unread.filled = s.in[i].dim[1];
            add_batch(p, &p->unread);
            p->unread.rows = 0;
        }
}

static void add_op(struct padded *p, const struct evidence *e,
                   const struct host_thread *t, size_t i)
{
    const struct host_op *op = &t->op[i];
    const char *name = evidence_name(e, op);
    const char *shapes = run_name(e->run, e->run->spans.shapes[op->span]);
    if (!strcmp(name, "aten::constant_pad_nd") && *shapes) {
        int64_t n = last_of_shape(shapes + 1);
        p->longest = p->rows && p->longest > n ? p->longest : n;
        p->rows++;
        p->where = op;
    } else if (p->rows && !strcmp(name, "aten::stack")) {
        struct batch b = {p->longest, 0, p->rows, op->end_ns, i + 1};
        p->rows = 0;
        bool told = !strncmp(shapes, "[[[", 3);
        p->unread = told ? (struct batch){0} : b;
        b.filled = told ? last_of_shape(shapes + 2) : 0;
        add_batch(p, &b);
    } else if (p->unread.rows && op->begin_ns >= p->unread.stacked_ns) {
        read_later(p, e, op);
    }
}

/* Work that grows with the square of the length: attention, whole or in parts. */
static bool is_attention(const char *name)
{
    static const char *const words[] = {"scaled_dot_product", "ScaledDotProduct",
                                        "aten::softmax",      "SoftmaxBackward",
                                        "aten::bmm",          "BmmBackward"};
    if (strstr(name, "LogSoftmax"))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

/* Of overlapping edits the one that keeps least counts. Operators from `first` until
 * then. */
static void edit_squares(const struct evidence *e, const struct host_thread *t,
                         size_t first, int64_t until_ns, double keep,
                         struct edit_list *edits)
{
    int64_t done_ns = INT64_MIN;
    for (size_t i = first; i < t->n && t->op[i].begin_ns < until_ns; i++) {
        const struct host_op *op = &t->op[i];
        if (op->kind != SPAN_KIND_OP || op->begin_ns < done_ns ||
            !is_attention(evidence_name(e, op)))
            continue;
        evidence_edit_range(e, edits, t->lane, op->begin_ns, op->end_ns, keep);
        done_ns = op->end_ns;
    }
}

/* Of the work from a batch to its optimizer's step, what is needless, goes. */
static void edit_batch(struct padded *p, const struct evidence *e,
                       const struct host_thread *t, int64_t until_ns,
                       struct edit_list *edits)
{
    const struct batch *b = &p->largest;
    double keep = (double)b->longest / (double)b->filled;
    evidence_edit_range(e, edits, t->lane, b->stacked_ns, until_ns, keep);
    edit_squares(e, t, b->after, until_ns, keep * keep, edits);
    p->sum_longest = add_saturated(p->sum_longest, b->longest);
    p->sum_filled = add_saturated(p->sum_filled, b->filled);
    p->batches++;
    p->largest = (struct batch){0};
}

static struct padded find_padded(const struct evidence *e, struct edit_list *edits)
{
    const struct host_thread *t = &e->threads[e->main_thread];
    struct padded p = {0};
    for (size_t i = 0; i < t->n; i++) {
        if (t->op[i].kind == SPAN_KIND_OP)
            add_op(&p, e, t, i);
        if (outer_ops_is_optimizer(e, &t->op[i]) && p.largest.filled)
            edit_batch(&p, e, t, t->op[i].begin_ns, edits);
    }
    return p;
}

static void tell(struct finding *x, double longest, double filled)
{
    x->price = PRICE_REPLAYED;
    evidence_say(x,
                 "rows are filled up to {}, the longest of a batch has {} on average: "
                 "{} of what is computed for them is for nothing",
                 quantity_whole("filled_length", filled),
                 quantity_whole("longest_length", longest),
                 quantity_percent("needless_frac", 1 - longest / filled, 0));
}

static bool find_in_trace(const struct rule *rule, const struct evidence *e,
                          struct findings *f)
{
    enum { NEEDLESS_FRAC };
    struct edit_list edits = {0};
    struct padded p = find_padded(e, &edits);
    double needless = p.sum_filled ? 1 - (double)p.sum_longest / (double)p.sum_filled : 0;
    if (needless < rule->limit[NEEDLESS_FRAC].value || !edits.n) {
        edit_list_release(&edits);
        return false;
    }
    struct finding *x = findings_add(f, rule);
    const char *line = evidence_line(e, &e->threads[e->main_thread], p.where);
    x->edits = edits;
    x->holds_ns = needless * e->step_ns;
    x->low_frac = 0.75; /* docs/rules/padding.md: what does not depend on the length */
    snprintf(x->where, sizeof x->where, "aten::constant_pad_nd%s%s", *line ? ", " : "",
             line);
    tell(x, (double)p.sum_longest / (double)p.batches,
         (double)p.sum_filled / (double)p.batches);
    snprintf(x->missing, sizeof x->missing,
             "which of the operators depend on the length, and how");
    return true;
}

/* --- as the recorder saw it --- */

/* What a recorder saw of most batches: so many rows, filled up to one length. */
struct seen {
    double rows, filled, longest;
};

/* Has the tensor all places of the padded rows: (rows, filled), (rows, filled, width),
 * (rows, heads, filled, width), (rows * filled, width)? */
static bool has_places(const struct shape *s, const struct seen *seen)
{
    for (int i = 0; i < s->rank; i++) {
        if ((double)s->dim[i] == seen->rows * seen->filled)
            return true;
        if ((double)s->dim[i] != seen->filled)
            continue;
        for (int k = 0; k < s->rank; k++) {
            double dim = (double)s->dim[k];
            bool rows = s->rank == 2 ? dim == seen->rows : fmod(dim, seen->rows) == 0;
            if (k != i && dim > 0 && rows)
                return true;
        }
    }
    return false;
}

/* A weight may have such dimensions by chance: of a product its first input tells. */
static bool works_on_rows(const struct evidence *e, const struct host_op *op,
                          const struct seen *seen)
{
    struct shapes s;
    if (!shapes_of(&s, e->run, op->span))
        return false;
    int looked_at = outer_op_sort(e, op) & OP_SORT_PRODUCT && s.n > 1 ? 1 : s.n;
    for (int i = 0; i < looked_at; i++)
        if (has_places(&s.in[i], seen))
            return true;
    return false;
}

/* Operators on the rows, with their backward work, as short as the longest row is; not
 * what puts the batch together. Returns the first that is trained, else the first; NULL:
 * none. */
static const struct host_op *edit_work_on_rows(const struct evidence *e,
                                               const struct host_thread *t,
                                               const struct seen *seen,
                                               struct edit_list *edits)
{
    const struct host_op *first = NULL, *trained = NULL;
    double keep = seen->longest / seen->filled;
    for (size_t i = 0; i < t->n_outer; i++) {
        const struct host_op *op = outer_op_at(t, i);
        if (t->outer[i].place != OP_PLACE_CODE || op->fetch ||
            !works_on_rows(e, op, seen))
            continue;
        bool square = is_attention(evidence_name(e, op));
        evidence_edit_op(e, edits, t, op, square ? keep * keep : keep, true);
        first = first ? first : op;
        trained = trained || !sequences_is_trained(e, t, op) ? trained : op;
    }
    return trained ? trained : first;
}

static void find_in_facts(const struct rule *rule, const struct evidence *e,
                          struct findings *f)
{
    enum { NEEDLESS_FRAC, STEPS_FRAC };
    const struct host_thread *t = &e->threads[e->main_thread];
    const struct seen seen = {
        record_fact(e->run, e->rank_row, RECORD_FACT_PADDED_ROWS),
        record_fact(e->run, e->rank_row, RECORD_FACT_PADDED_TO),
        record_fact(e->run, e->rank_row, RECORD_FACT_PADDED_LONGEST)};
    double needless = 1 - seen.longest / seen.filled;
    /* not of what a recorder did not write, nor of what a file says that is none */
    double frac = record_fact(e->run, e->rank_row, RECORD_FACT_PADDED_FRAC);
    if (!(seen.rows >= 1 && seen.longest >= 1 && frac > rule->limit[STEPS_FRAC].value &&
          needless >= rule->limit[NEEDLESS_FRAC].value))
        return;
    struct edit_list edits = {0};
    const struct host_op *first = edit_work_on_rows(e, t, &seen, &edits);
    if (!edits.n) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    x->edits = edits;
    x->holds_ns = needless * price_untraced_ns(e, &edits);
    x->low_frac = 0.75; /* docs/rules/padding.md: small ones take as long */
    outer_op_where(e, t, first, x->where, sizeof x->where);
    tell(x, seen.longest, seen.filled);
    snprintf(x->missing, sizeof x->missing,
             "how the operators on these rows depend on their length");
}

void rule_padding(const struct rule *rule, const struct evidence *e, struct findings *f)
{
    if (e->main_thread != SIZE_MAX && !find_in_trace(rule, e, f))
        find_in_facts(rule, e, f);
}
