/*
 * A linear's parts (ops.h) cut the N columns of y: each has its own products, which read
 * and write their columns of the whole arrays through strides. In bf16, x, W, y and their
 * gradients are bf16, the weights' gradient and the bias are f32.
 */
#include "engine/product_linear.h"

#include "base/mem.h"
#include "engine/product.h"
#include "engine/product_choice.h"

#ifdef GAIT_DOUBLE
#error "products have no double: the double build leaves this file out"
#endif

struct part_products {
    struct product *forward;           /* y = x W^T + b */
    struct product *input;             /* dx = dy W; all parts but the first add to it */
    struct product *weight_write;      /* dw = dy^T x */
    struct product *weight_accumulate; /* dw += dy^T x */
};

struct linear_products {
    struct part_products part[LINEAR_PARTS_MAX];
};

static enum status open_one(struct product **out, struct linear *l,
                            const struct product_shape *shape, int maker, struct err *err)
{
    enum status s = product_open(out, shape, maker, err);
    if (s == STATUS_OK && product_workspace_bytes(*out) > l->workspace_bytes)
        l->workspace_bytes = product_workspace_bytes(*out);
    if (s == STATUS_OK)
        l->undecided |= product_is_undecided(*out);
    return s;
}

static enum status part_open(struct part_products *p, struct linear *l, int part,
                             int maker, struct err *err)
{
    const int64_t n = l->part[part];
    const struct matrix_layout x = {l->K, 1, l->bf16}, y = {l->N, 1, l->bf16};
    const struct matrix_layout w_transposed = {1, l->K, l->bf16};
    const struct matrix_layout y_transposed = {1, l->N, l->bf16}, dw = {l->K, 1, false};
    const struct {
        struct product **product;
        struct product_shape shape;
    } all[] = {
        {&p->forward, {l->M, n, l->K, x, w_transposed, y, l->has_bias, false, 0}},
        {&p->input,
         {l->M, l->K, n, y, x, x, false, part > 0, l->bf16 ? 0 : PRODUCT_DEPTH_MAX}},
        {&p->weight_write, {n, l->K, l->M, y_transposed, x, dw, false, false, 0}},
        {&p->weight_accumulate, {n, l->K, l->M, y_transposed, x, dw, false, true, 0}},
    };
    enum status s = STATUS_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && s == STATUS_OK; i++)
        s = open_one(all[i].product, l, &all[i].shape, maker, err);
    return s;
}

static enum status linear_open_by(struct linear *l, int maker, struct err *err)
{
    struct linear_products *p = mem_zalloc(1, sizeof *p);
    enum status s = STATUS_OK;
    l->prepared = p;
    l->workspace_bytes = 0;
    l->undecided = false;
    for (int i = 0; i < l->n_parts && s == STATUS_OK; i++)
        s = part_open(&p->part[i], l, i, maker, err);
    if (s == STATUS_OK)
        l->kernel = product_kernel(p->part[0].forward);
    else
        product_linear_close(l);
    return s;
}

enum status onednn_linear_open(struct linear *l, struct err *err)
{
    return linear_open_by(l, PRODUCT_BY_ONEDNN, err);
}

enum status own_linear_open(struct linear *l, struct err *err)
{
    return linear_open_by(l, PRODUCT_OWN, err);
}

enum status faster_linear_open(struct linear *l, struct err *err)
{
    return linear_open_by(l, PRODUCT_BY_FASTER, err);
}

void product_linear_close(struct linear *l)
{
    struct linear_products *p = l->prepared;
    if (!p)
        return;
    for (int i = 0; i < l->n_parts; i++) {
        product_close(p->part[i].forward);
        product_close(p->part[i].input);
        product_close(p->part[i].weight_write);
        product_close(p->part[i].weight_accumulate);
    }
    mem_free(p);
    l->prepared = NULL;
}

/* Number `index` of an opaque tensor. */
static const void *at(const struct linear *l, const act *a, int64_t index)
{
    return (const char *)a + index * (int64_t)(l->bf16 ? sizeof(uint16_t) : sizeof(real));
}

static void forward(const struct linear *l, act *y, const act *x, const act *w,
                    const real *b, product_use *use)
{
    struct linear_products *p = l->prepared;
    int64_t n = 0;
    for (int i = 0; i < l->n_parts; n += l->part[i++])
        use(p->part[i].forward, l->workspace, (void *)at(l, y, n), x, at(l, w, n * l->K),
            b ? b + n : NULL);
}

static void backward_input(const struct linear *l, act *dx, const act *dy, const act *w,
                           product_use *use)
{
    struct linear_products *p = l->prepared;
    int64_t n = 0;
    for (int i = 0; i < l->n_parts; n += l->part[i++])
        use(p->part[i].input, l->workspace, dx, at(l, dy, n), at(l, w, n * l->K), NULL);
}

static void backward_weight(const struct linear *l, real *dw, const act *dy, const act *x,
                            bool accumulate, product_use *use)
{
    struct linear_products *p = l->prepared;
    int64_t n = 0;
    for (int i = 0; i < l->n_parts; n += l->part[i++])
        use(accumulate ? p->part[i].weight_accumulate : p->part[i].weight_write,
            l->workspace, dw + n * l->K, at(l, dy, n), x, NULL);
}

void product_linear_forward(const struct linear *l, act *y, const act *x, const act *w,
                            const real *b)
{
    forward(l, y, x, w, b, product_run);
}

void product_linear_backward_input(const struct linear *l, act *dx, const act *dy,
                                   const act *w)
{
    backward_input(l, dx, dy, w, product_run);
}

void product_linear_backward_weight(const struct linear *l, real *dw, const act *dy,
                                    const act *x, bool accumulate)
{
    backward_weight(l, dw, dy, x, accumulate, product_run);
}

void product_linear_decide(struct linear *l, const struct linear_operands *o,
                           bool measure)
{
    product_use *use = measure ? product_decide : product_learn;
    forward(l, o->y, o->x, o->w, o->b, use);
    backward_input(l, o->dx, o->y, o->w, use);
    for (int accumulate = 0; accumulate < 2; accumulate++)
        backward_weight(l, o->dw, o->y, o->x, accumulate, use);
    l->undecided = false;
    l->kernel = product_kernel(((struct linear_products *)l->prepared)->part[0].forward);
}
