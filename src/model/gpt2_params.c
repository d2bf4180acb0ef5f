/* The table of GPT-2's parameters, and the pointers that follow from it. Both walk over
 * the same lists in the same order: outer parameters first, then block by block. */
#include "model/gpt2.h"

#include <string.h>

void gpt2_params_init(struct param_table *t, const struct gpt2_shape *shape)
{
    int64_t C = shape->width, V = shape->vocab, T = shape->context;
    param_table_init(t);
#define OUTER_ADD(field, name, init, rows, columns, is_bias)                             \
    if (shape->bias || !(is_bias))                                                       \
        param_table_add(t, PARAM_INIT_##init, rows, columns, "%s", name);
    GPT2_OUTER_PARAMS(OUTER_ADD)
    for (int64_t l = 0; l < shape->layers; l++) {
#define BLOCK_ADD(field, name, init, rows, columns, is_bias)                             \
    if (shape->bias || !(is_bias))                                                       \
        param_table_add(t, PARAM_INIT_##init, rows, columns, "h.%lld.%s", (long long)l,  \
                        name);
        GPT2_BLOCK_PARAMS(BLOCK_ADD)
    }
}

static void weights_bind(struct gpt2_weights *w, real *buffer, const struct gpt2 *m)
{
    const struct param *next = m->params.param;
    bool bias = m->shape.bias;
#define OUTER_BIND(field, name, init, rows, columns, is_bias)                            \
    w->field = bias || !(is_bias) ? buffer + (next++)->offset : NULL;
    GPT2_OUTER_PARAMS(OUTER_BIND)
    for (int64_t l = 0; l < m->shape.layers; l++) {
        struct gpt2_block *block = &w->block[l];
#define BLOCK_BIND(field, name, init, rows, columns, is_bias)                            \
    block->field = bias || !(is_bias) ? buffer + (next++)->offset : NULL;
        GPT2_BLOCK_PARAMS(BLOCK_BIND)
    }
    if (next != m->params.param + m->params.n)
        BUG("the table has %zu parameters, the model another number", m->params.n);
}

void gpt2_bind(struct gpt2 *m)
{
    weights_bind(&m->weights, m->param, m);
    weights_bind(&m->grads, m->grad, m);
    struct linear *linear[LINEARS] = {&m->qkv, &m->proj, &m->up, &m->down, &m->head};
    for (size_t i = 0; i < LINEARS; i++)
        linear[i]->workspace = m->linear_workspace;
}
