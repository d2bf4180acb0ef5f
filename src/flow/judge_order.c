/* Two matmuls, one after the other, with nothing between them: (ab)c is
 * a(bc), and either may take far fewer multiplications. */
#include "flow/judging.h"

#define ORDER_MOST 0.5 /* of the multiplications: else little is to be gained */

/* A factor as it is read: (many of) rows by columns. */
struct factor {
    size_t use;
    double many, rows, columns;
    bool transposed; /* its columns are contiguous */
};

static bool read_factor(const struct flow_graph *g, size_t use, struct factor *f)
{
    int64_t size[FLOW_DIMS], stride[FLOW_DIMS];
    const struct op_tensors *u = &g->run->op_tensors;
    size_t n = flow_sizes(g, u->shape[use], size);
    if ((n != 2 && n != 3) || flow_sizes(g, u->strides[use], stride) != n ||
        u->tensor[use] < 0 || size[0] < 1 || size[1] < 1 || size[n - 1] < 1)
        return false;
    *f = (struct factor){use, n == 3 ? (double)size[0] : 1, (double)size[n - 2],
                         (double)size[n - 1], stride[n - 1] != 1 && stride[n - 2] == 1};
    return true;
}

/* The last two that it reads. Before them may be what is added; how many there are: n. */
static bool factors_of(const struct flow_graph *g, size_t op, struct factor f[2],
                       size_t *n)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t use[2] = {0};
    *n = 0;
    if (flow_family(g, op) != OP_FAMILY_MATMUL || flow_in_backward(g, op) ||
        flow_made(g, op) == FLOW_NONE || flow_has(g, op, OP_TRAIT_OPTIMIZER))
        return false;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (u->role[i] == TENSOR_ROLE_READ) {
            use[0] = use[1];
            use[1] = i;
            ++*n;
        }
    return *n >= 2 && read_factor(g, use[0], &f[0]) && read_factor(g, use[1], &f[1]) &&
           f[0].columns == f[1].rows && f[0].many == f[1].many;
}

/* Who made the factor as a product of two, for this operator alone; FLOW_NONE. It is read
 * as it was made, or transposed. */
static int32_t made_for(const struct judging *x, size_t op, const struct factor *f,
                        struct factor inner[2])
{
    const struct flow_graph *g = x->g;
    int32_t tensor = g->run->op_tensors.tensor[f->use], maker = g->maker[tensor];
    struct factor made;
    size_t n;
    if (maker == FLOW_NONE || x->rewritten[tensor] || g->run->tensors.kept[tensor] ||
        (size_t)maker >= op || flow_step(g, (size_t)maker) != flow_step(g, op) ||
        !x->for_one[tensor] || !factors_of(g, (size_t)maker, inner, &n) || n != 2 ||
        !read_factor(g, (size_t)flow_made(g, (size_t)maker), &made) ||
        made.many != f->many || made.transposed)
        return FLOW_NONE;
    bool as_made = !f->transposed && made.rows == f->rows && made.columns == f->columns;
    bool transposed = f->transposed && made.rows == f->columns && made.columns == f->rows;
    return as_made || transposed ? maker : FLOW_NONE;
}

/* Of what two products multiply, the part that the other order does: (ab)c and a(bc) of
 * rows by inner, inner by middle, middle by columns. */
static double other_order(double rows, double inner, double middle, double columns)
{
    double now = rows * inner * middle + rows * middle * columns;
    double then = inner * middle * columns + rows * inner * columns;
    return now > 0 ? then / now : 1;
}

static void judge_pair(struct judging *x, size_t op, const struct factor f[2], int which)
{
    struct factor inner[2];
    int32_t maker = made_for(x, op, &f[which], inner);
    if (maker == FLOW_NONE || x->c.of[maker] != FLOW_CLASS_NONE ||
        x->c.of[op] != FLOW_CLASS_NONE)
        return;
    /* d(ab) is (ab)c transposed, and so is what is read so */
    const struct factor *product = &f[which], *other = &f[1 - which];
    double outside = which == 0 ? product->rows : product->columns;
    double middle = which == 0 ? product->columns : product->rows;
    double columns = which == 0 ? other->columns : other->rows;
    double part = other_order(outside, inner[0].columns, middle, columns);
    if (part > ORDER_MOST)
        return;
    judge_part(x, (size_t)maker, FLOW_CLASS_ORDER, part);
    judge_part(x, op, FLOW_CLASS_ORDER, part);
}

void judge_order(struct judging *x)
{
    for (size_t op = 0; op < x->g->n; op++) {
        struct factor f[2];
        size_t n;
        if (!factors_of(x->g, op, f, &n) || x->g->run->op_tensors.tensor[f[0].use] ==
                                                x->g->run->op_tensors.tensor[f[1].use])
            continue;
        for (int which = 0; which < 2; which++)
            judge_pair(x, op, f, which);
    }
}
