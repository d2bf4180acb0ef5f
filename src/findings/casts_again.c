/*
 * A cast without a gradient, of the same shape and types as one before it in the same
 * forward pass, is of the same numbers where nothing between could have made others:
 *   - something with a gradient ran between (casts in a row are of several inputs);
 *   - no operator without a gradient ran whose result has that many numbers, apart from
 *     what is computed of the cast's own result right after it;
 *   - no part of a tensor was taken (select, slice …), and nothing was detached;
 *   - the result does not go into a layer with parameters or into a loss, as inputs of
 *     towers and targets of several heads do.
 */
#include "findings/casts_again.h"

#include "base/mem.h"
#include "findings/outer_ops.h"
#include "findings/sequences.h"
#include "findings/shapes.h"

#include <math.h>
#include <string.h>

/* Casts that are the same, as far as the pass has gone. It is open while nothing came
 * between that could have made other numbers. */
struct group {
    name_id name, shapes;
    struct shape shape;
    double bytes; /* moved by each */
    size_t times;
    bool fresh; /* nothing with a gradient has run since the last of them */
};

struct cast {
    size_t at, group;
    bool first;
};

/* Each operator is held against all open groups: a bound keeps that linear. Masks that
 * layers cast again are a few; where so many shapes are cast that it is reached, they are
 * inputs, and the oldest group is given up. */
enum { OPEN_MAX = 64 };

struct pass {
    struct group *group; /* (n_groups) */
    struct cast *cast;   /* (n_casts) */
    size_t n_groups, groups_cap, n_casts, casts_cap;
    size_t open[OPEN_MAX]; /* (n_open) of group, the oldest first */
    size_t n_open;
    size_t next; /* trained operator from here on, or the end of the pass */
};

/* Made from numbers of one byte or of eight: masks and indices. Casts between types of
 * two and four bytes are what mixed precision does, of weights too. */
static bool changes_type(double bytes, double numbers)
{
    static const double sums[] = {1 + 2, 1 + 4, 1 + 8, 8 + 2, 8 + 4};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (bytes == sums[i] * numbers)
            return true;
    return false;
}

static bool read_cast(const struct evidence *e, const struct host_thread *t,
                      const struct host_op *op, struct group *g)
{
    struct shapes s;
    if (!(outer_op_sort(e, op) & OP_SORT_COPY) || outer_op_named(e, op, "aten::clone"))
        return false;
    const struct host_op *moves = outer_op_calls(e, t, op, "aten::copy_");
    if (!moves || !shapes_of(&s, e->run, op->span) || !s.in[0].rank)
        return false;
    *g = (struct group){.name = e->run->spans.name[op->span],
                        .shapes = e->run->spans.shapes[op->span],
                        .shape = s.in[0],
                        .bytes = (double)e->run->spans.bytes[moves->span],
                        .times = 1,
                        .fresh = true};
    return changes_type(g->bytes, g->shape.numbers);
}

/* --- where the result goes --- */

static bool is_loss(const char *name)
{
    return strstr(name, "loss") || strstr(name, "binary_cross_entropy") ||
           strstr(name, "kl_div");
}

/* The first operator from `at` on that is trained, or that ends the pass. */
static size_t next_trained(const struct evidence *e, const struct host_thread *t,
                           size_t at)
{
    while (at < t->n_outer && t->outer[at].place == OP_PLACE_CODE &&
           !sequences_is_trained(e, t, outer_op_at(t, at)))
        at++;
    return at;
}

/* Into a layer, beside parameters or as one; or into a loss, as what was to be told:
 * `next` is the next that is trained. */
static bool feeds_layer_or_loss(const struct evidence *e, const struct host_thread *t,
                                size_t next, const struct shape *shape)
{
    struct shapes s;
    if (next >= t->n_outer || t->outer[next].place != OP_PLACE_CODE)
        return false;
    const struct host_op *op = outer_op_at(t, next);
    unsigned sort = outer_op_sort(e, op);
    if (is_loss(evidence_name(e, op)))
        return true;
    if (!(sort & OP_SORT_PRODUCT) || !shapes_of(&s, e->run, op->span) || s.n < 2)
        return false;
    if (outer_op_named(e, op, "aten::scaled_dot_product_attention"))
        return false; /* as its mask */
    bool first = shape_equal(&s.in[0], shape), second = shape_equal(&s.in[1], shape);
    return sort & OP_SORT_FORWARD ? first || second : second && shape->rank == 2;
}

/* --- what could make other numbers --- */

static bool makes_booleans(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {
        "aten::eq",          "aten::ne",          "aten::lt",         "aten::le",
        "aten::gt",          "aten::ge",          "aten::isnan",      "aten::isinf",
        "aten::isfinite",    "aten::logical_not", "aten::logical_or", "aten::logical_and",
        "aten::logical_xor", "aten::bitwise_and", "aten::bitwise_or", "aten::bitwise_not",
        "aten::bitwise_xor", "aten::__and__",     "aten::__or__",     "aten::__xor__",
    };
    return OUTER_OP_IS_ONE_OF(e, op, names);
}

/* How many numbers inputs have that are spread out to a common shape; 0: not known. */
static double spread_numbers(const struct shapes *s)
{
    double numbers = 1;
    for (int k = 1; k <= SHAPES_DIMS_MAX; k++) {
        int64_t most = 1;
        for (int i = 0; i < s->n; i++) {
            const struct shape *in = &s->in[i];
            if (in->rank >= k && in->dim[in->rank - k] > most)
                most = in->dim[in->rank - k];
        }
        numbers *= (double)most;
    }
    return s->n ? numbers : 0;
}

static bool takes_part(const struct evidence *e, const struct host_op *op)
{
    static const char *const names[] = {
        "aten::select",       "aten::slice",        "aten::narrow",
        "aten::split",        "aten::chunk",        "aten::split_with_sizes",
        "aten::unbind",       "aten::unfold",       "aten::diagonal",
        "aten::tensor_split", "aten::unsafe_split", "aten::unsafe_chunk",
        "aten::as_strided",   "aten::detach",       "aten::alias",
        "aten::lift_fresh",
    };
    return OUTER_OP_IS_ONE_OF(e, op, names);
}

static bool gives_one_number(const struct evidence *e, const struct host_op *op)
{
    return outer_op_named(e, op, "aten::item") ||
           outer_op_named(e, op, "aten::is_nonzero");
}

/* What an operator without a gradient could have made: tensors of so many numbers. */
struct makes {
    double least, most;
    bool of_cast; /* right after a cast it is computed of the cast's own result */
};

static struct makes makes_of(const struct evidence *e, const struct host_op *op)
{
    const struct makes nothing = {.least = INFINITY, .most = -INFINITY};
    const struct makes anything = {.least = 0, .most = INFINITY};
    struct shapes s;
    struct makes m = anything;
    unsigned sort = outer_op_sort(e, op);
    bool known = shapes_of(&s, e->run, op->span);
    double largest = known ? shapes_largest(e->run, op->span) : INFINITY;
    if (sort & OP_SORT_VIEW)
        return takes_part(e, op) ? (struct makes){.most = largest} : nothing;
    if (gives_one_number(e, op))
        return nothing;
    if (sort & (OP_SORT_POINTWISE | OP_SORT_COPY)) {
        if (known)
            m.least = m.most = spread_numbers(&s);
        m.of_cast = !makes_booleans(e, op);
    } else if (sort & OP_SORT_REDUCTION && known) {
        m.most = nextafter(largest, 0); /* fewer than it takes in */
    }
    return m;
}

/* Could it have made what such a cast takes in? */
static bool could_make(const struct makes *m, const struct group *g)
{
    double numbers = g->shape.numbers;
    return !(m->of_cast && g->fresh) && numbers >= m->least && numbers <= m->most;
}

/* --- one forward pass --- */

/* The place among the open groups; n_open: there is none. */
static size_t find_open(const struct pass *p, const struct group *like)
{
    for (size_t i = 0; i < p->n_open; i++) {
        const struct group *g = &p->group[p->open[i]];
        if (g->name == like->name && g->shapes == like->shapes && g->bytes == like->bytes)
            return i;
    }
    return p->n_open;
}

static void close_group(struct pass *p, size_t place)
{
    p->n_open--;
    memmove(p->open + place, p->open + place + 1, (p->n_open - place) * sizeof *p->open);
}

static void open_group(struct pass *p, const struct group *like)
{
    if (p->n_open == OPEN_MAX)
        close_group(p, 0);
    vec_grow(p->group, p->groups_cap, p->n_groups + 1);
    p->group[p->n_groups] = *like;
    p->open[p->n_open++] = p->n_groups++;
}

static void add_cast(struct pass *p, const struct group *like, size_t at)
{
    size_t place = find_open(p, like);
    bool found = place < p->n_open;
    bool first = !found || p->group[p->open[place]].fresh;
    if (found && first)
        close_group(p, place); /* two in a row: several inputs of one shape */
    if (first) {
        open_group(p, like);
        place = p->n_open - 1;
    } else {
        p->group[p->open[place]].times++;
        p->group[p->open[place]].fresh = true;
    }
    vec_grow(p->cast, p->casts_cap, p->n_casts + 1);
    p->cast[p->n_casts++] = (struct cast){at, p->open[place], first};
}

static void close_made(const struct evidence *e, const struct host_op *op, struct pass *p,
                       size_t but)
{
    if (!p->n_open)
        return;
    struct makes m = makes_of(e, op);
    size_t left = 0;
    for (size_t i = 0; i < p->n_open; i++)
        if (i == but || !could_make(&m, &p->group[p->open[i]]))
            p->open[left++] = p->open[i];
    p->n_open = left;
}

static void see(const struct evidence *e, const struct host_thread *t, size_t at,
                struct pass *p)
{
    const struct host_op *op = outer_op_at(t, at);
    struct group like;
    if (p->next < at)
        p->next = next_trained(e, t, at);
    if (p->next == at) {
        for (size_t i = 0; i < p->n_open; i++)
            p->group[p->open[i]].fresh = false;
        return;
    }
    bool cast = read_cast(e, t, op, &like);
    close_made(e, op, p, cast ? find_open(p, &like) : p->n_open);
    if (cast && !feeds_layer_or_loss(e, t, p->next, &like.shape))
        add_cast(p, &like, at);
}

static void end_pass(struct casts_again *c, struct pass *p, double least)
{
    for (size_t i = 0; i < p->n_casts; i++) {
        const struct cast *x = &p->cast[i];
        if (x->first || (double)p->group[x->group].times < least)
            continue;
        vec_grow(c->at, c->cap, c->n + 1);
        c->at[c->n++] = x->at;
    }
    p->n_groups = p->n_casts = p->n_open = 0;
}

void casts_again_find(struct casts_again *c, const struct evidence *e,
                      const struct host_thread *t, double least)
{
    struct pass p = {.next = next_trained(e, t, 0)};
    *c = (struct casts_again){0};
    for (size_t i = 0; i < t->n_outer; i++) {
        if (t->outer[i].place == OP_PLACE_CODE)
            see(e, t, i, &p);
        else
            end_pass(c, &p, least);
    }
    end_pass(c, &p, least);
    mem_free(p.group);
    mem_free(p.cast);
}

void casts_again_release(struct casts_again *c)
{
    mem_free(c->at);
    *c = (struct casts_again){0};
}
