/*
 * Products: matmul, attention, convolution. Two operations a multiply-add; the bias, the
 * scale and the softmax between two products are left out, as everywhere where a
 * utilisation is told.
 */
#include "trace/op_work_rules.h"

/* --- matmul --- */

/* B products of (M, K) and (K, N). The other tensor inputs are taken for a bias; with an
 * out= argument the last one is what is written. */
static void product(struct op_work *w, const struct op_inputs *in, int first, int64_t B,
                    int64_t M, int64_t N, int64_t K)
{
    const struct op_input *a = &in->in[first];
    w->flop = op_times(op_times(2, op_times(B, M)), op_times(N, K));
    w->type = a->type;
    /* Integers and f8 give wider results that the inputs do not tell. */
    enum op_type out =
        a->type == OP_TYPE_F8 || !op_type_is_real(a->type) ? OP_TYPE_NONE : a->type;
    op_add_inputs(&w->bytes, in, 0, first + 2);
    op_add_bytes(&w->bytes, op_times(B, op_times(M, N)), out);
}

void op_rule_matmul(struct op_work *w, const struct op_inputs *in, int first)
{
    const struct op_input *a = op_tensor(in, first, 2), *b = op_tensor(in, first + 1, 2);
    if (a && b && a->dim[1] == b->dim[0])
        product(w, in, first, 1, a->dim[0], b->dim[1], a->dim[1]);
}

void op_rule_batch_matmul(struct op_work *w, const struct op_inputs *in, int first)
{
    const struct op_input *a = op_tensor(in, first, 3), *b = op_tensor(in, first + 1, 3);
    if (a && b && a->dim[2] == b->dim[1] && a->dim[0] == b->dim[0])
        product(w, in, first, a->dim[0], a->dim[1], b->dim[2], a->dim[2]);
}

/* (M, K) rows in G groups, each times one of (G, K, N): every row once. Two matrices cut
 * along K: M N K in all. The same with the groups on the left. */
void op_rule_grouped_matmul(struct op_work *w, const struct op_inputs *in, int first)
{
    const struct op_input *a = op_tensor(in, first, -1),
                          *b = op_tensor(in, first + 1, -1);
    if (!a || !b || a->rank < 2 || b->rank < 2 || a->rank > 3 || b->rank > 3)
        return;
    int64_t M = a->dim[a->rank - 2], K = a->dim[a->rank - 1], N = b->dim[b->rank - 1];
    if (b->dim[b->rank - 2] != K)
        return;
    int64_t B = a->rank == 3 && b->rank == 3 ? a->dim[0] : 1;
    w->flop = op_times(op_times(2, op_times(B, M)), op_times(N, K));
    w->type = a->type;
}

void op_rule_matrix_vector(struct op_work *w, const struct op_inputs *in, int first)
{
    const struct op_input *a = op_tensor(in, first, 2), *x = op_tensor(in, first + 1, 1);
    if (a && x && a->dim[1] == x->dim[0])
        product(w, in, first, 1, a->dim[0], 1, a->dim[1]);
}

void op_rule_dot(struct op_work *w, const struct op_inputs *in, int first)
{
    const struct op_input *x = op_tensor(in, first, 1), *y = op_tensor(in, first + 1, 1);
    if (x && y && x->dim[0] == y->dim[0])
        product(w, in, first, 1, 1, 1, x->dim[0]);
}

/* (…, K) times the transposed of (N, K). */
void op_rule_linear(struct op_work *w, const struct op_inputs *in, int first)
{
    const struct op_input *x = op_tensor(in, first, -1), *W = op_tensor(in, first + 1, 2);
    if (!x || !W || x->rank < 1 || x->dim[x->rank - 1] != W->dim[1])
        return;
    int64_t K = W->dim[1];
    product(w, in, first, 1, K ? x->numbers / K : 0, W->dim[0], K);
}

/* --- attention --- */

struct attention_sizes {
    int64_t B, H, Tq, Tk, D, Dv;
};

static bool attention_sizes(struct attention_sizes *s, const struct op_inputs *in, int at,
                            bool heads_first)
{
    const struct op_input *q = op_tensor(in, at, 4), *k = op_tensor(in, at + 1, 4),
                          *v = op_tensor(in, at + 2, 4);
    int head = heads_first ? 1 : 2, token = heads_first ? 2 : 1;
    if (!q || !k || !v || q->dim[0] != k->dim[0] || q->dim[3] != k->dim[3] ||
        k->dim[token] != v->dim[token])
        return false;
    *s = (struct attention_sizes){.B = q->dim[0],
                                  .H = q->dim[head],
                                  .Tq = q->dim[token],
                                  .Tk = k->dim[token],
                                  .D = q->dim[3],
                                  .Dv = v->dim[3]};
    return true;
}

/*
 * Forward: scores Q K' and the product with V. Backward: the scores once more, dV, dP, dQ
 * and dK, 2.5 times the forward pass where all heads are of one size. Causal: half of it,
 * as if the diagonal counted half; all of it where there are not as many keys as queries,
 * because versions differ in which of them see which. Query, key and value of several
 * sequences in one row have three dimensions, and lengths that are not recorded: not
 * known.
 */
static void attention(struct op_work *w, const struct op_inputs *in, int query,
                      bool heads_first, bool causal, bool backward)
{
    struct attention_sizes s;
    if (!attention_sizes(&s, in, query, heads_first))
        return;
    int64_t pairs = op_times(op_times(s.B, s.H), op_times(s.Tq, s.Tk));
    int64_t depth =
        backward ? op_plus(op_times(3, s.D), op_times(2, s.Dv)) : op_plus(s.D, s.Dv);
    bool half = causal && s.Tq == s.Tk;
    w->flop = op_times(op_times(half ? 1 : 2, pairs), depth);
    w->type = in->in[query].type;
    int64_t out = op_times(op_times(s.B, s.H), op_times(s.Tq, s.Dv));
    if (backward) { /* gradients as large as query, key and value, and the output itself
                     */
        op_add_inputs(&w->bytes, in, query, query + 3);
        op_add_bytes(&w->bytes, op_plus(out, out), w->type);
    } else {
        op_add_bytes(&w->bytes, out, w->type);
    }
    op_add_inputs(&w->bytes, in, query, query + 3);
}

void op_rule_attention(struct op_work *w, const struct op_inputs *in, int parameter)
{
    int64_t window;
    int causal_at = parameter >> 5 & 31, window_at = parameter >> 10 & 31;
    if (window_at &&
        op_value_int(in, window_at, &window)) /* -1, no window, is no digit */
        return;
    attention(w, in, parameter & 15, parameter >> 4 & 1, op_value_bool(in, causal_at, 0),
              parameter >> 15 & 1);
}

/* Until torch 2.4 the dropout stood where the bias does now. */
void op_rule_attention_cudnn(struct op_work *w, const struct op_inputs *in, int parameter)
{
    bool old = in->n > 3 && in->in[3].is_scalar;
    int causal_at = old ? 4 : parameter >> 5 & 31;
    attention(w, in, parameter & 15, parameter >> 4 & 1, op_value_bool(in, causal_at, 0),
              false);
}

/* --- convolution --- */

enum { CONVOLUTION_DIMS_MAX = 3 };

struct window_steps {
    int64_t stride[CONVOLUTION_DIMS_MAX], padding[CONVOLUTION_DIMS_MAX],
        dilation[CONVOLUTION_DIMS_MAX];
};

/* One number stands for all dimensions. */
static bool read_steps(int64_t *out, const struct op_inputs *in, int at, int dims)
{
    int n = op_value_ints(in, at, out, CONVOLUTION_DIMS_MAX);
    for (int i = 0; i < n; i++)
        if (out[i] < 0)
            return false;
    for (int i = 1; n == 1 && i < dims; i++)
        out[i] = out[0];
    return n == dims || n == 1;
}

static bool window_steps(struct window_steps *s, const struct op_inputs *in,
                         int parameter, int dims)
{
    int dilation_at = parameter >> 8 & 15;
    for (int i = 0; i < CONVOLUTION_DIMS_MAX; i++)
        s->dilation[i] = 1;
    return read_steps(s->stride, in, parameter & 15, dims) &&
           read_steps(s->padding, in, parameter >> 4 & 15, dims) &&
           (!dilation_at || read_steps(s->dilation, in, dilation_at, dims));
}

/* Where a kernel of k taps fits; 0 where it does not. */
static int64_t window_places(int64_t size, int64_t k, int64_t stride, int64_t padding,
                             int64_t dilation)
{
    int64_t room = op_plus(size, op_times(2, padding));
    int64_t reach = k ? op_plus(op_times(dilation, k - 1), 1) : 0;
    if (stride < 1 || dilation < 1 || reach < 1 || room < reach)
        return 0;
    return (room - reach) / stride + 1;
}

static const struct op_input *kernel_of(const struct op_inputs *in, int at, int rank)
{
    const struct op_input *W = op_tensor(in, at, rank);
    return rank >= 3 && rank <= 2 + CONVOLUTION_DIMS_MAX ? W : NULL;
}

/* Every number of the side that the kernel is laid on (the output; of a transposed one
 * the input) takes a kernel's taps over the channels of one group: all of the weights
 * but those of the other side's channels. */
static int64_t convolution_flop(int64_t numbers, const struct op_input *W)
{
    int64_t taps = W->dim[0] ? W->numbers / W->dim[0] : 0;
    return op_times(op_times(2, numbers), taps);
}

void op_rule_convolution(struct op_work *w, const struct op_inputs *in, int parameter)
{
    const struct op_input *x = op_tensor(in, 0, -1);
    const struct op_input *W = x ? kernel_of(in, 1, x->rank) : NULL;
    struct window_steps s;
    if (!W || !window_steps(&s, in, parameter, x->rank - 2))
        return;
    int64_t out = op_times(x->dim[0], W->dim[0]);
    for (int i = 0; i < x->rank - 2; i++)
        out = op_times(out, window_places(x->dim[2 + i], W->dim[2 + i], s.stride[i],
                                          s.padding[i], s.dilation[i]));
    w->flop = convolution_flop(out, W);
    w->type = x->type;
    op_add_inputs(&w->bytes, in, 0, 2);
    op_add_bytes(&w->bytes, out, x->type);
}

/* The output's size is not needed to count the products, and its bytes are left out. */
void op_rule_convolution_transposed(struct op_work *w, const struct op_inputs *in,
                                    int parameter)
{
    (void)parameter;
    const struct op_input *x = op_tensor(in, 0, -1);
    const struct op_input *W = x ? kernel_of(in, 1, x->rank) : NULL;
    if (!W)
        return;
    w->flop = convolution_flop(x->numbers, W);
    w->type = x->type;
}

void op_rule_convolution_either(struct op_work *w, const struct op_inputs *in,
                                int parameter)
{
    int transposed = op_value_bool(in, (parameter >> 8 & 15) + 1, -1);
    if (transposed == 1)
        op_rule_convolution_transposed(w, in, parameter);
    else if (!transposed)
        op_rule_convolution(w, in, parameter);
}

/* The gradients of the input and of the weights take a forward pass each, where they are
 * asked for. */
void op_rule_convolution_backward(struct op_work *w, const struct op_inputs *in,
                                  int parameter)
{
    enum { GRADIENT, INPUT, WEIGHT, TRANSPOSED = 7, MASK = 10 };
    (void)parameter;
    const struct op_input *g = op_tensor(in, GRADIENT, -1), *x = op_tensor(in, INPUT, -1);
    const struct op_input *W = x ? kernel_of(in, WEIGHT, x->rank) : NULL;
    int64_t wanted[3];
    int transposed = op_value_bool(in, TRANSPOSED, -1);
    if (!g || !W || g->rank != x->rank || transposed < 0 ||
        op_value_ints(in, MASK, wanted, 3) != 3)
        return;
    int64_t once = convolution_flop(transposed ? x->numbers : g->numbers, W);
    w->flop = op_times(once, !!wanted[0] + !!wanted[1]);
    w->type = x->type;
    op_add_inputs(&w->bytes, in, 0, 3);
    op_add_bytes(&w->bytes, wanted[0] ? x->numbers : 0, x->type);
    op_add_bytes(&w->bytes, wanted[1] ? W->numbers : 0, W->type);
}
