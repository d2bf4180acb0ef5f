/* The forward pass of the generator: rows are (place, sequence), so that the B rows of a
 * place lie together and see the cache up to that place. */
#include "generate/generator.h"

/* One pass over n places from t on. */
struct pass {
    struct generator *g;
    const struct linear *linear; /* of n places, or more */
    int64_t n, t, rows;          /* rows = n * B */
};

static act *act_at(const struct generator *g, act *a, int64_t index)
{
    return (act *)((char *)a + index * (int64_t)g->engine->act_bytes);
}

static const real *vector_of(const struct pass *p, int64_t row)
{
    return params_vector(&p->g->params, &p->g->store, row);
}

static void linear_of(const struct pass *p, enum model_linear which, int64_t weight,
                      int64_t bias, act *y, const act *x)
{
    const struct generator *g = p->g;
    op_linear_forward(g->engine, &p->linear[which], y, x,
                      params_weight(&g->params, &g->store, weight).value,
                      vector_of(p, bias));
}

static void norm_of(const struct pass *p, int64_t weight, int64_t bias)
{
    struct generator *g = p->g;
    struct norm n = {.rms = g->shape.family == MODEL_FAMILY_LLAMA,
                     .epsilon = g->shape.norm_epsilon,
                     .M = p->rows,
                     .C = g->shape.width};
    op_norm_forward(g->engine, &n, g->narrow, g->hat, g->rstd, g->stream,
                    vector_of(p, weight), vector_of(p, bias));
}

static void attend(const struct pass *p, int64_t layer)
{
    struct generator *g = p->g;
    const struct engine_ops *ops = &g->engine->ops;
    int64_t D = g->shape.width / g->shape.heads, B = g->B;
    struct attention a = {
        .B = B, .T = 1, .H = g->shape.heads, .G = g->shape.kv_heads, .D = D};
    for (int64_t i = 0; i < p->n; i++) {
        act *qkv = act_at(g, g->qkv, i * B * attention_row(&a));
        act *out = act_at(g, g->heads, i * B * a.H * D);
        int64_t place = p->t + i;
        a.T = 1;
        if (g->cosine)
            op_rope(g->engine, &a, qkv, g->cosine + place * (D / 2),
                    g->sine + place * (D / 2), false);
        a.T = g->shape.context;
        ops->attention_cached(&a, out, g->cache[layer].k, g->cache[layer].v, g->scores,
                              qkv, place);
    }
}

static void block(const struct pass *p, int64_t layer)
{
    struct generator *g = p->g;
    const struct engine *e = g->engine;
    const int64_t *row = g->params.block[layer];
    const struct dropout none = {0};
    int64_t stream = p->rows * g->shape.width;
    norm_of(p, row[ROLE_NORM_1], row[ROLE_NORM_1_BIAS]);
    linear_of(p, LINEAR_QKV, row[ROLE_QKV], row[ROLE_QKV_BIAS], g->qkv, g->narrow);
    attend(p, layer);
    linear_of(p, LINEAR_PROJ, row[ROLE_PROJ], row[ROLE_PROJ_BIAS], g->narrow, g->heads);
    op_residual_add(e, g->stream, g->narrow, &none, stream);
    norm_of(p, row[ROLE_NORM_2], row[ROLE_NORM_2_BIAS]);
    linear_of(p, LINEAR_UP, row[ROLE_UP], row[ROLE_UP_BIAS], g->up, g->narrow);
    if (g->shape.family == MODEL_FAMILY_LLAMA)
        op_swiglu_forward(e, g->wide, g->up, p->rows, g->shape.hidden);
    else
        op_gelu_forward(e, g->wide, g->up, p->rows * g->shape.hidden);
    linear_of(p, LINEAR_DOWN, row[ROLE_DOWN], row[ROLE_DOWN_BIAS], g->narrow, g->wide);
    op_residual_add(e, g->stream, g->narrow, &none, stream);
}

static void embed(const struct pass *p, const int32_t *tokens)
{
    struct generator *g = p->g;
    int64_t C = g->shape.width;
    struct weight wte =
        params_weight(&g->params, &g->store, g->params.outer[ROLE_TOKENS]);
    for (int64_t i = 0; i < p->n; i++) {
        struct weight wpe =
            params_weight(&g->params, &g->store, g->params.outer[ROLE_POSITIONS]);
        if (wpe.value)
            wpe.value = act_at(g, (act *)wpe.value, (p->t + i) * C);
        if (wpe.low)
            wpe.low += (p->t + i) * C;
        op_embedding_forward(g->engine, g->stream + i * g->B * C, tokens + i * g->B, wte,
                             wpe, g->B, 1, C);
    }
}

static void run_pass(const struct pass *p, const int32_t *tokens)
{
    struct generator *g = p->g;
    const int64_t *outer = g->params.outer;
    int64_t head = outer[g->shape.tied ? ROLE_TOKENS : ROLE_HEAD];
    embed(p, tokens);
    for (int64_t l = 0; l < g->shape.layers; l++)
        block(p, l);
    norm_of(p, outer[ROLE_NORM_F], outer[ROLE_NORM_F_BIAS]);
    linear_of(p, LINEAR_HEAD, head, -1, g->head_out,
              act_at(g, g->narrow, (p->n - 1) * g->B * g->shape.width));
    g->engine->ops.act_to_real(g->logits, g->head_out, g->B * g->shape.vocab);
}

/* The largest that is filled by more than half: what is missing is computed of whatever is
 * there, and nobody reads it. */
static const struct generator_linears *size_for(const struct generator *g, int64_t n)
{
    int i = 0;
    while (i + 1 < GENERATOR_SIZES && 2 * n <= g->size[i].places)
        i++;
    return &g->size[i];
}

void generator_feed(struct generator *g, const int32_t *tokens, int64_t n, int64_t t)
{
    if (t < 0 || n < 1 || t + n > g->shape.context)
        BUG("places %lld … %lld of a context of %lld", (long long)t,
            (long long)(t + n - 1), (long long)g->shape.context);
    while (n > 0) {
        const struct generator_linears *size = size_for(g, n);
        struct pass p = {
            .g = g, .linear = size->of, .n = n < size->places ? n : size->places, .t = t};
        p.rows = p.n * g->B;
        run_pass(&p, tokens);
        tokens += p.n * g->B;
        t += p.n;
        n -= p.n;
    }
}
