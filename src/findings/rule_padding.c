/*
 * Rows that are filled up to a fixed length although the longest of their batch is
 * shorter: what lies beyond it is computed for nothing. Seen where rows are padded one by
 * one and then stacked, or where the recorder counted it.
 */
#include "base/saturate.h"
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/shapes.h"

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

/* Rows padded since the last stack, and what they became. */
struct padded {
    int64_t longest, filled; /* of the batch, tokens a row */
    int64_t sum_longest, sum_filled;
    size_t rows, batches;
    size_t unread; /* rows of a stack whose shapes were too many to be kept; 0: none */
    int64_t unread_ns;  /* its end */
    int64_t stacked_ns; /* the latest batch */
    const struct host_op *where;
};

static void add_batch(struct padded *p, int64_t filled, int64_t stacked_ns)
{
    p->filled = filled;
    if (p->longest <= 0 || filled < p->longest)
        return;
    p->sum_longest = add_saturated(p->sum_longest, p->longest);
    p->sum_filled = add_saturated(p->sum_filled, filled);
    p->batches++;
    p->stacked_ns = stacked_ns;
}

/* The first that takes a tensor of so many rows tells how long they became. */
static void read_later(struct padded *p, const struct evidence *e,
                       const struct host_op *op)
{
    struct shapes s;
    if (!shapes_of(&s, e->run, op->span))
        return;
    for (int i = 0; i < s.n && p->unread; i++)
        if (s.in[i].rank == 2 && s.in[i].dim[0] == (int64_t)p->unread) {
            add_batch(p, s.in[i].dim[1], p->unread_ns);
            p->unread = 0;
        }
}

static void add_op(struct padded *p, const struct evidence *e, const struct host_op *op)
{
    const char *name = evidence_name(e, op);
    const char *shapes = run_name(e->run, e->run->spans.shapes[op->span]);
    if (!strcmp(name, "aten::constant_pad_nd") && *shapes) {
        int64_t n = last_of_shape(shapes + 1);
        p->longest = p->rows && p->longest > n ? p->longest : n;
        p->rows++;
        p->where = op;
    } else if (p->rows && !strcmp(name, "aten::stack") && !strncmp(shapes, "[[[", 3)) {
        add_batch(p, last_of_shape(shapes + 2), op->end_ns);
        p->rows = p->unread = 0;
    } else if (p->rows && !strcmp(name, "aten::stack") && !*shapes) {
        p->unread = p->rows;
        p->unread_ns = op->end_ns;
        p->rows = 0;
    } else if (p->unread && op->begin_ns >= p->unread_ns) {
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
static struct padded find_padded(const struct evidence *e, struct edit_list *edits)
{
    const struct host_thread *t = &e->threads[e->main_thread];
    struct padded p = {0};
    size_t told = 0, first = 0;
    int64_t stacked_ns = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        if (op->kind == SPAN_KIND_OP)
            add_op(&p, e, op);
        if (p.stacked_ns != stacked_ns) {
            stacked_ns = p.stacked_ns;
            first = i;
        }
        if (outer_ops_is_optimizer(e, op) && p.batches > told) {
            double keep = (double)p.longest / (double)p.filled;
            evidence_edit_range(e, edits, t->lane, p.stacked_ns, op->begin_ns, keep);
            edit_squares(e, t, first, op->begin_ns, keep * keep, edits);
            told = p.batches;
        }
    }
    return p;
}

void rule_padding(const struct rule *rule, const struct evidence *e, struct findings *f)
{
    enum { NEEDLESS_FRAC };
    struct edit_list edits = {0};
    if (e->main_thread == SIZE_MAX)
        return;
    struct padded p = find_padded(e, &edits);
    double needless = p.sum_filled ? 1 - (double)p.sum_longest / (double)p.sum_filled : 0;
    if (needless < rule->limit[NEEDLESS_FRAC] || !edits.n) {
        edit_list_release(&edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    const char *line = evidence_line(e, &e->threads[e->main_thread], p.where);
    x->edits = edits;
    x->price = PRICE_REPLAYED;
    x->holds_ns = needless * e->step_ns;
    x->low_frac = 0.75; /* docs/rules/padding.md: what does not depend on the length */
    snprintf(x->where, sizeof x->where, "aten::constant_pad_nd%s%s", *line ? ", " : "",
             line);
    snprintf(x->evidence, sizeof x->evidence,
             "rows are filled up to %.0f, the longest of a batch has %.0f on average: "
             "%.0f %% of what is computed for them is for nothing",
             (double)p.sum_filled / (double)p.batches,
             (double)p.sum_longest / (double)p.batches, 100 * needless);
    snprintf(x->missing, sizeof x->missing,
             "which of the operators depend on the length, and how");
}
