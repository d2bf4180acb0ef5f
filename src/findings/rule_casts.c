/* Copies in the forward pass that nothing asks for: clones, casts there and back, casts
 * of the same numbers in each layer, layouts changed and changed back. */
#include "findings/casts_again.h"
#include "findings/evidence_text.h"
#include "findings/finding.h"
#include "findings/outer_ops.h"
#include "findings/price.h"
#include "findings/sequences.h"
#include "findings/shapes.h"

#include "base/mem.h"

/* An outer op of the job's own code that copied, and what came before and after it. */
struct copy {
    size_t at; /* outer op */
    struct shape shape;
    double bytes;          /* moved */
    bool cast;             /* aten::to and the like */
    bool clone, layout;    /* aten::clone; aten::contiguous */
    bool computed_between; /* since the copy before */
    bool product_between;
    bool viewed;        /* aten::view follows before anything else: it needs the layout */
    bool for_attention; /* the next that computes takes any layout */
    bool turned;        /* the result was turned (transpose, permute) */
    bool needless;
};

struct copies {
    struct copy *copy; /* (n) */
    size_t n, cap;
};

static bool read_copy(const struct evidence *e, const struct host_thread *t, size_t at,
                      struct copy *c)
{
    struct shapes s;
    const struct host_op *op = outer_op_at(t, at);
    const struct host_op *moves = outer_op_calls(e, t, op, "aten::copy_");
    if (!(outer_op_sort(e, op) & OP_SORT_COPY) || !moves ||
        !shapes_of(&s, e->run, op->span) || !s.in[0].rank)
        return false;
    *c = (struct copy){.at = at,
                       .shape = s.in[0],
                       .bytes = (double)e->run->spans.bytes[moves->span],
                       .clone = outer_op_named(e, op, "aten::clone"),
                       .layout = outer_op_named(e, op, "aten::contiguous")};
    c->cast = !c->clone && !c->layout;
    return true;
}

/* Between this copy and the next. */
static void see(const struct evidence *e, const struct host_op *op, struct copy *last,
                bool *computed, bool *product)
{
    struct shapes s;
    unsigned sort = outer_op_sort(e, op);
    if (sort & OP_SORT_VIEW) {
        bool turns = outer_op_named(e, op, "aten::transpose") ||
                     outer_op_named(e, op, "aten::permute");
        if (turns && !*computed && shapes_of(&s, e->run, op->span) &&
            shape_equal(&s.in[0], &last->shape))
            last->turned = true;
        if (!*computed && outer_op_named(e, op, "aten::view"))
            last->viewed = true;
        return;
    }
    if (!*computed)
        last->for_attention = outer_op_named(e, op, "aten::scaled_dot_product_attention");
    *computed = true;
    *product = *product || (sort & OP_SORT_PRODUCT) || !sort;
}

static void collect(const struct evidence *e, const struct host_thread *t,
                    struct copies *list)
{
    bool computed = true, product = true;
    for (size_t i = 0; i < t->n_outer; i++) {
        struct copy c;
        const struct host_op *op = outer_op_at(t, i);
        if (t->outer[i].place != OP_PLACE_CODE) {
            computed = product = true;
        } else if (read_copy(e, t, i, &c)) {
            c.computed_between = computed;
            c.product_between = product;
            vec_grow(list->copy, list->cap, list->n + 1);
            list->copy[list->n++] = c;
            computed = product = false;
        } else if (list->n) {
            see(e, op, &list->copy[list->n - 1], &computed, &product);
        }
    }
    /* copies in a row all go where the last of them goes */
    for (size_t i = list->n; i-- > 1;)
        if (!list->copy[i].computed_between && list->copy[i].for_attention)
            list->copy[i - 1].for_attention = true;
}

static bool undoes(const struct copy *a, const struct copy *b)
{
    if (a->cast && b->cast) /* the bytes of both types together: there and back */
        return !b->computed_between && shape_equal(&a->shape, &b->shape) &&
               a->bytes > 0 && a->bytes == b->bytes;
    return a->layout && b->layout && !b->product_between &&
           shape_permuted(&a->shape, &b->shape);
}

static void judge(const struct evidence *e, const struct host_thread *t,
                  struct copies *list)
{
    for (size_t i = 0; i < list->n; i++) {
        struct copy *c = &list->copy[i];
        struct copy *next = i + 1 < list->n ? c + 1 : NULL;
        if (!sequences_is_trained(e, t, outer_op_at(t, c->at)))
            continue; /* batches and what is logged: not of the model */
        if (c->clone || (c->layout && c->for_attention && !c->viewed))
            c->needless = true;
        if (next && c->layout && c->turned && !next->computed_between &&
            shape_permuted(&c->shape, &next->shape))
            c->needless = true; /* copied again at once */
        if (next && !c->needless && undoes(c, next))
            c->needless = next->needless = true;
    }
}

/* What a step could do without, counted over the window. */
struct copies_sum {
    struct edit_list edits;
    const struct host_thread *thread;
    const struct host_op *longest;
    size_t clones, casts, again, layouts;
};

static void add_op(const struct evidence *e, const struct host_thread *t,
                   const struct host_op *op, struct copies_sum *sum)
{
    evidence_edit_op(e, &sum->edits, t, op, 0, true);
    if (!sum->longest || host_op_ns(op) > host_op_ns(sum->longest)) {
        sum->longest = op;
        sum->thread = t;
    }
}

static void add_needless(const struct evidence *e, const struct host_thread *t,
                         struct copies_sum *sum)
{
    struct copies list = {0};
    collect(e, t, &list);
    judge(e, t, &list);
    for (size_t i = 0; i < list.n; i++) {
        const struct copy *c = &list.copy[i];
        if (!c->needless)
            continue;
        add_op(e, t, outer_op_at(t, c->at), sum);
        sum->clones += c->clone;
        sum->casts += c->cast;
        sum->layouts += c->layout;
    }
    mem_free(list.copy);
}

static void add_again(const struct evidence *e, const struct host_thread *t, double least,
                      struct copies_sum *sum)
{
    struct casts_again again;
    casts_again_find(&again, e, t, least);
    for (size_t i = 0; i < again.n; i++)
        add_op(e, t, outer_op_at(t, again.at[i]), sum);
    sum->again += again.n;
    casts_again_release(&again);
}

void rule_repeated_casts(const struct rule *rule, const struct evidence *e,
                         struct findings *f)
{
    enum { HELD_FRAC, LEAST_AGAIN };
    struct copies_sum sum = {0};
    for (size_t k = 0; k < e->n_threads; k++) {
        add_needless(e, &e->threads[k], &sum);
        add_again(e, &e->threads[k], rule->limit[LEAST_AGAIN].value, &sum);
    }
    if (!sum.longest || price_share(e, &sum.edits) < rule->limit[HELD_FRAC].value) {
        edit_list_release(&sum.edits);
        return;
    }
    struct finding *x = findings_add(f, rule);
    double steps = (double)e->steps;
    x->edits = sum.edits;
    x->price = PRICE_REPLAYED;
    outer_op_where(e, sum.thread, sum.longest, x->where, sizeof x->where);
    const struct evidence_part parts[] = {
        {"clones_per_step", (double)sum.clones / steps, "clone", "clones"},
        {"casts_per_step", (double)sum.casts / steps, "cast there and back",
         "casts there and back"},
        {"repeated_casts_per_step", (double)sum.again / steps,
         "cast of the same numbers again", "casts of the same numbers again"},
        {"layout_changes_per_step", (double)sum.layouts / steps, "change of layout",
         "changes of layout"},
    };
    evidence_append(x, "a step makes ", NULL, 0);
    evidence_parts(x, parts, sizeof parts / sizeof *parts);
    evidence_say(x, " that the forward pass could do without{} {} of it",
                 quantity_words(e->n_backward ? ", with their backward" : ","),
                 quantity_percent("held_frac", price_share(e, &sum.edits), 1));
}
