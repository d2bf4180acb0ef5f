#include "model/weight_init.h"

#include "model/gpt2.h"

#include <Random123/philox.h>
#include <math.h>

static const double GPT2_STDDEV = 0.02;
static const double TWO_PI = 6.283185307179586476925;

/* Four 32-bit words make two pairs of normal numbers; index / 4 is the counter. */
double weight_normal(uint64_t seed, uint32_t tensor, uint64_t index)
{
    uint64_t group = index / 4;
    philox4x32_ctr_t counter = {{(uint32_t)group, (uint32_t)(group >> 32), tensor, 0}};
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t bits = philox4x32(counter, key);
    unsigned pair = (unsigned)(index % 4 / 2) * 2;
    double u = ((double)bits.v[pair] + 0.5) / 4294967296.0; /* in (0, 1): log is finite */
    double angle = TWO_PI * ((double)bits.v[pair + 1] + 0.5) / 4294967296.0;
    return sqrt(-2.0 * log(u)) * (index % 2 ? sin(angle) : cos(angle));
}

void weight_fill(real *param, const struct param *p, uint32_t tensor, uint64_t seed,
                 double stddev)
{
    real constant = p->init == PARAM_INIT_ONE ? 1 : 0;
    bool normal = p->init == PARAM_INIT_NORMAL || p->init == PARAM_INIT_RESIDUAL;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < p->n; i++)
        param[i] =
            normal ? (real)(stddev * weight_normal(seed, tensor, (uint64_t)i)) : constant;
}

void gpt2_init_weights(struct gpt2 *m, uint64_t seed)
{
    for (size_t i = 0; i < m->params.n; i++) {
        const struct param *p = &m->params.param[i];
        double stddev = GPT2_STDDEV;
        if (p->init == PARAM_INIT_RESIDUAL)
            stddev /= sqrt(2.0 * (double)m->shape.layers);
        weight_fill(m->param + p->offset, p, (uint32_t)i, seed, stddev);
    }
}
