#include "model/model_cost.h"

#include "engine/op_cost.h"

static double linear_flop(const struct linear *l)
{
    const enum linear_product products[] = {LINEAR_FORWARD, LINEAR_BACKWARD_INPUT,
                                            LINEAR_BACKWARD_WEIGHT};
    double flop = 0;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        flop += (double)cost_linear(l, products[i], false, sizeof(real)).flop;
    return flop;
}

double model_flop(const struct model *m)
{
    /* Kept scores: what tiles compute again is no use either. */
    double attention =
        (double)(cost_attention_forward(&m->attention, true, sizeof(real)).flop +
                 cost_attention_backward(&m->attention, true, sizeof(real)).flop);
    double block = attention + linear_flop(&m->linear[LINEAR_QKV]) +
                   linear_flop(&m->linear[LINEAR_PROJ]) +
                   linear_flop(&m->linear[LINEAR_UP]) +
                   linear_flop(&m->linear[LINEAR_DOWN]);
    return block * (double)m->shape.layers +
           linear_flop(&m->linear[LINEAR_HEAD]) * (double)m->head_pieces;
}

const struct linear *model_heaviest_linear(const struct model *m)
{
    const struct linear *most = NULL;
    double most_flop = 0;
    for (int i = 0; i < LINEARS; i++) {
        double times = (double)(i == LINEAR_HEAD ? m->head_pieces : m->shape.layers);
        double flop = linear_flop(&m->linear[i]) * times;
        if (!most || flop > most_flop) {
            most = &m->linear[i];
            most_flop = flop;
        }
    }
    return most;
}
