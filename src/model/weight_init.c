#include "model/weight_init.h"

#include "model/model.h"

#include <Random123/philox.h>
#include <math.h>

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

/* Numbers written at a time: a thread's share, on its stack. */
enum { FILL_CHUNK = 1024 };

static void fill_param(struct param_store *s, const struct param *p, uint32_t tensor,
                       uint64_t seed, double stddev)
{
    real constant = p->init == PARAM_INIT_ONE ? 1 : 0;
    bool normal = p->init == PARAM_INIT_NORMAL || p->init == PARAM_INIT_RESIDUAL;
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < p->n; first += FILL_CHUNK) {
        real chunk[FILL_CHUNK];
        int64_t n = p->n - first < FILL_CHUNK ? p->n - first : FILL_CHUNK;
        for (int64_t i = 0; i < n; i++)
            chunk[i] =
                normal
                    ? (real)(stddev * weight_normal(seed, tensor, (uint64_t)(first + i)))
                    : constant;
        param_store_put(s, p, first, n, chunk);
    }
}

void model_init_weights(struct model *m, uint64_t seed)
{
    const struct param_table *t = &m->params.table;
    for (size_t i = 0; i < t->n; i++)
        fill_param(&m->store, &t->param[i], (uint32_t)i, seed,
                   params_stddev(&m->shape, &t->param[i]));
}
