/*
 * Passes over tensors: elementwise, normalisation, softmax, copies, lookups, optimizers.
 * An exponential, a division or a root counts as one operation, a comparison as none
 * (engine/op_cost.h counts the trainer's own ops in the same way).
 */
#include "trace/op_work_rules.h"

/* --- elementwise --- */

/* Shapes side by side from the last dimension on; 1 fits any. */
static bool broadcast(struct op_input *to, const struct op_input *t)
{
    if (t->rank > to->rank) {
        int more = t->rank - to->rank;
        for (int i = to->rank - 1; i >= 0; i--)
            to->dim[i + more] = to->dim[i];
        for (int i = 0; i < more; i++)
            to->dim[i] = 1;
        to->rank = t->rank;
    }
    for (int i = 1; i <= t->rank; i++) {
        int64_t *a = &to->dim[to->rank - i], b = t->dim[t->rank - i];
        if (*a != b && *a != 1 && b != 1)
            return false;
        if (*a == 1)
            *a = b;
    }
    return true;
}

/* A floating-point type wins over the others, then the wider one; numbers without
 * dimensions have no say beside tensors. */
static enum op_type promoted(const struct op_inputs *in, int n)
{
    const struct op_input *best = NULL;
    for (int i = 0; i < n && i < in->n; i++) {
        const struct op_input *t = &in->in[i];
        if (t->kind != OP_INPUT_TENSOR || t->type == OP_TYPE_NONE)
            continue;
        bool better = !best || (t->rank > 0) > (best->rank > 0);
        if (best && (t->rank > 0) == (best->rank > 0)) {
            bool real = op_type_is_real(t->type), best_real = op_type_is_real(best->type);
            better = real != best_real
                         ? real
                         : op_type_bytes(t->type) > op_type_bytes(best->type);
        }
        if (better)
            best = t;
    }
    return best ? best->type : OP_TYPE_NONE;
}

static void pointwise(struct op_work *w, const struct op_inputs *in, int n, int flop_each,
                      enum op_type out)
{
    struct op_input all = {.kind = OP_INPUT_TENSOR};
    for (int i = 0; i < n && i < in->n; i++)
        if (in->in[i].kind != OP_INPUT_TENSOR || !broadcast(&all, &in->in[i]))
            return;
    if (!in->n)
        return;
    int64_t numbers = 1;
    for (int i = 0; i < all.rank; i++)
        numbers = op_times(numbers, all.dim[i]);
    w->flop = op_times(numbers, flop_each);
    op_add_inputs(&w->bytes, in, 0, n);
    op_add_bytes(&w->bytes, numbers, out);
}

void op_rule_pointwise1(struct op_work *w, const struct op_inputs *in, int flop_each)
{
    pointwise(w, in, 1, flop_each, promoted(in, 1));
}

void op_rule_pointwise2(struct op_work *w, const struct op_inputs *in, int flop_each)
{
    pointwise(w, in, 2, flop_each, promoted(in, 2));
}

void op_rule_pointwise3(struct op_work *w, const struct op_inputs *in, int flop_each)
{
    pointwise(w, in, 3, flop_each, promoted(in, 3));
}

void op_rule_binary(struct op_work *w, const struct op_inputs *in, int flop_each)
{
    if (in->n >= 2 && !in->in[1].is_scalar)
        op_rule_pointwise2(w, in, flop_each);
}

void op_rule_compare(struct op_work *w, const struct op_inputs *in, int flop_each)
{
    pointwise(w, in, 2, flop_each, OP_TYPE_I8);
}

/* --- rows --- */

/* Statistics that are saved for the backward pass are left out of the bytes. */
void op_rule_like_first(struct op_work *w, const struct op_inputs *in, int flop_each)
{
    const struct op_input *x = op_tensor(in, 0, -1);
    if (!x || !x->rank)
        return;
    w->flop = op_times(x->numbers, flop_each);
    op_add_inputs(&w->bytes, in, 0, in->n);
    op_add_bytes(&w->bytes, x->numbers, x->type);
}

/* In training it finds mean and variance first. */
void op_rule_batch_norm(struct op_work *w, const struct op_inputs *in, int training_at)
{
    op_rule_like_first(w, in, op_value_bool(in, training_at, 1) ? 8 : 4);
}

/* Dimension d of x, counted from the end where it is negative; 1 where there is none. */
static int64_t dim_of(const struct op_input *x, int64_t d)
{
    d = d < 0 ? d + x->rank : d;
    return d >= 0 && d < x->rank ? x->dim[d] : 1;
}

/* Over n dimensions; none listed are all of them. */
static void reduction(struct op_work *w, const struct op_input *x, const int64_t *over,
                      int n, int flop_each)
{
    int64_t out = n > 0 ? x->numbers : 1;
    for (int i = 0; i < n; i++)
        out = dim_of(x, over[i]) ? out / dim_of(x, over[i]) : 0;
    w->flop = op_times(x->numbers, flop_each);
    op_add_bytes(&w->bytes, x->numbers, x->type);
    op_add_bytes(&w->bytes, out, x->type);
}

/* A sum without a list calls itself with an empty one. */
void op_rule_sum(struct op_work *w, const struct op_inputs *in, int flop_each)
{
    const struct op_input *x = op_tensor(in, 0, -1);
    int64_t over[OP_DIMS_MAX];
    int n = op_value_ints(in, 1, over, OP_DIMS_MAX);
    if (x && x->rank && n >= 0)
        reduction(w, x, over, n, flop_each);
}

void op_rule_norm(struct op_work *w, const struct op_inputs *in, int flop_each)
{
    const struct op_input *x = op_tensor(in, 0, -1);
    int64_t over[OP_DIMS_MAX];
    if (x && x->rank)
        reduction(w, x, over, op_value_ints(in, 2, over, OP_DIMS_MAX), flop_each);
}

/* --- copies and lookups --- */

void op_rule_copy(struct op_work *w, const struct op_inputs *in, int parameter)
{
    (void)parameter;
    if (op_tensor(in, 0, -1) && op_tensor(in, 1, -1))
        op_add_inputs(&w->bytes, in, 0, 2);
}

void op_rule_fill(struct op_work *w, const struct op_inputs *in, int parameter)
{
    (void)parameter;
    if (op_tensor(in, 0, -1))
        op_add_inputs(&w->bytes, in, 0, 1);
}

static void lookup_bytes(struct op_work *w, int64_t out, const struct op_input *table,
                         const struct op_input *index)
{
    op_add_bytes(&w->bytes, out, table->type);
    op_add_bytes(&w->bytes, out, table->type);
    op_add_bytes(&w->bytes, index->numbers, index->type);
}

/* As many slices as there are indices are read and written. */
void op_rule_index_select(struct op_work *w, const struct op_inputs *in, int parameter)
{
    (void)parameter;
    int64_t dim;
    const struct op_input *table = op_tensor(in, 0, -1), *index = op_tensor(in, 2, 1);
    if (!table || !index || !op_value_int(in, 1, &dim) || dim >= table->rank ||
        !table->dim[dim])
        return;
    lookup_bytes(w, op_times(index->numbers, table->numbers / table->dim[dim]), table,
                 index);
}

void op_rule_gather(struct op_work *w, const struct op_inputs *in, int parameter)
{
    (void)parameter;
    const struct op_input *table = op_tensor(in, 0, -1), *index = op_tensor(in, 2, -1);
    if (table && index && table->rank == index->rank && index->rank)
        lookup_bytes(w, index->numbers, table, index);
}

/* Each gradient is added to its row; the whole table of gradients is written. */
void op_rule_embedding_backward(struct op_work *w, const struct op_inputs *in,
                                int parameter)
{
    (void)parameter;
    int64_t rows;
    const struct op_input *g = op_tensor(in, 0, -1);
    if (!g || !g->rank || !op_tensor(in, 1, -1))
        return;
    w->flop = g->numbers;
    if (!op_value_int(in, 2, &rows))
        return;
    op_add_inputs(&w->bytes, in, 0, 2);
    op_add_bytes(&w->bytes, op_times(rows, g->dim[g->rank - 1]), g->type);
}

/* The types of a list's tensors are not recorded, so its bytes are not known; nor are the
 * shapes of more than 30 tensors. */
void op_rule_tensor_list(struct op_work *w, const struct op_inputs *in, int flop_each)
{
    if (in->n && in->in[0].kind == OP_INPUT_TENSORS)
        w->flop = op_times(in->in[0].numbers, flop_each);
}
