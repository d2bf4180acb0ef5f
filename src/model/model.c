#include "model/model.h"

#include "base/mem.h"
#include "model/head.h"
#include "model/rope.h"

#include <string.h>

/* Index arithmetic is 64-bit; a batch is refused long before its tokens overflow it, and
 * so is a shape: a scratch of (context, width) for each thread fits by far. */
static const int64_t TOKENS_MAX = (int64_t)1 << 31;
static const int64_t SIZE_LIMIT = (int64_t)1 << 22, VOCAB_LIMIT = (int64_t)1 << 31;

static enum status check_limits(const struct model_shape *s, struct err *err)
{
    const struct {
        const char *name;
        int64_t value, limit;
    } size[] = {{"layers", s->layers, SIZE_LIMIT},
                {"width", s->width, SIZE_LIMIT},
                {"hidden", s->hidden, SIZE_LIMIT},
                {"context", s->context, SIZE_LIMIT},
                {"vocabulary", s->vocab, VOCAB_LIMIT}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (size[i].value > size[i].limit)
            return err_set(err, STATUS_USAGE, "%s is %lld: use at most %lld",
                           size[i].name, (long long)size[i].value,
                           (long long)size[i].limit);
    return STATUS_OK;
}

static enum status check_shape(const struct model_shape *s, int64_t B, struct err *err)
{
    if (s->layers < 1 || s->heads < 1 || s->kv_heads < 1 || s->width < 1 ||
        s->hidden < 1 || s->context < 1 || s->vocab < 1 || B < 1)
        BUG("a model of size 0");
    enum status limits = check_limits(s, err);
    if (limits != STATUS_OK)
        return limits;
    if (s->family == MODEL_FAMILY_LLAMA && s->bias)
        return err_set(err, STATUS_USAGE,
                       "a Llama model with biases is not supported: set bias: false");
    if (s->width % s->heads)
        return err_set(err, STATUS_USAGE,
                       "heads (%lld) must divide width (%lld): change one of them",
                       (long long)s->heads, (long long)s->width);
    if (s->heads % s->kv_heads)
        return err_set(err, STATUS_USAGE,
                       "kv_heads (%lld) must divide heads (%lld): change one of them",
                       (long long)s->kv_heads, (long long)s->heads);
    if (s->family == MODEL_FAMILY_LLAMA && s->width / s->heads % 2)
        return err_set(err, STATUS_USAGE,
                       "width / heads is %lld, and rotary positions need an even number: "
                       "change heads or width",
                       (long long)(s->width / s->heads));
    if (B > TOKENS_MAX / s->context)
        return err_set(err, STATUS_USAGE,
                       "batch_size x context is %lld x %lld tokens: use fewer than 2^31",
                       (long long)B, (long long)s->context);
    return STATUS_OK;
}

static bool gated(const struct model *m)
{
    return m->shape.family == MODEL_FAMILY_LLAMA;
}

static void set_linear(struct linear *l, int64_t M, int64_t N, int64_t K, bool bias,
                       struct linear_names names)
{
    *l = (struct linear){.M = M, .N = N, .K = K, .has_bias = bias, .names = names};
    l->n_parts = 1;
    l->part[0] = N;
}

static void describe_linears(struct model *m)
{
    const struct model_shape *s = &m->shape;
    struct linear *l = m->linear;
    int64_t C = s->width, M = m->M, D = C / s->heads, F = s->hidden;
    int64_t queries = s->heads * D, keys = s->kv_heads * D;
    const struct linear_names qkv = LINEAR_NAMES("qkv"), head = LINEAR_NAMES("head"),
                              proj = LINEAR_NAMES("attention_output"),
                              up = LINEAR_NAMES("mlp_up"),
                              down = LINEAR_NAMES("mlp_down");
    set_linear(&l[LINEAR_QKV], M, queries + 2 * keys, C, s->bias, qkv);
    set_linear(&l[LINEAR_PROJ], M, C, queries, s->bias, proj);
    set_linear(&l[LINEAR_UP], M, gated(m) ? 2 * F : F, C, s->bias, up);
    set_linear(&l[LINEAR_DOWN], M, C, F, s->bias, down);
    head_cut(m);
    set_linear(&l[LINEAR_HEAD], m->head_rows, s->vocab, C, false, head);
    if (m->options.unfused_qkv) {
        l[LINEAR_QKV].n_parts = 3;
        l[LINEAR_QKV].part[0] = queries;
        l[LINEAR_QKV].part[1] = l[LINEAR_QKV].part[2] = keys;
    }
    if (m->options.unfused_gate_up && gated(m)) {
        l[LINEAR_UP].n_parts = 2;
        l[LINEAR_UP].part[0] = l[LINEAR_UP].part[1] = F;
    }
}

enum status model_init(struct model *m, const struct engine *engine,
                       const struct model_shape *shape,
                       const struct model_options *options, struct err *err)
{
    memset(m, 0, sizeof *m);
    enum status s = check_shape(shape, options->batch, err);
    if (s != STATUS_OK)
        return s;
    m->engine = engine;
    m->shape = *shape;
    m->options = *options;
    m->B = options->batch;
    m->T = options->tokens ? options->tokens : shape->context;
    if (m->T < 1 || m->T > shape->context)
        BUG("%lld tokens of a context of %lld", (long long)m->T,
            (long long)shape->context);
    m->M = m->B * m->T;
    m->attention = (struct attention){.B = m->B,
                                      .T = m->T,
                                      .H = shape->heads,
                                      .G = shape->kv_heads,
                                      .D = shape->width / shape->heads};
    m->norm = (struct norm){.rms = shape->family == MODEL_FAMILY_LLAMA,
                            .epsilon = shape->norm_epsilon,
                            .M = m->M,
                            .C = shape->width};
    describe_linears(m);
    model_params_init(&m->params, shape);
    m->acts = mem_zalloc((size_t)shape->layers, sizeof *m->acts);
    m->saved = mem_zalloc((size_t)shape->layers, sizeof *m->saved);
    for (size_t i = 0; i < LINEARS && s == STATUS_OK; i++)
        s = linear_open(engine, &m->linear[i], err);
    if (s != STATUS_OK)
        model_release(m);
    return s;
}

void model_release(struct model *m)
{
    for (size_t i = 0; i < LINEARS && m->engine; i++)
        linear_close(m->engine, &m->linear[i]);
    model_params_release(&m->params);
    mem_free(m->acts);
    mem_free(m->saved);
    memset(m, 0, sizeof *m);
}

void model_bind(struct model *m)
{
    if (m->shape.family == MODEL_FAMILY_LLAMA)
        rope_fill(m->cosine, m->sine, &m->shape);
    for (size_t i = 0; i < LINEARS; i++)
        m->linear[i].workspace = m->linear_workspace;
    for (int64_t l = 1; l < m->shape.layers && m->options.recompute; l++)
        m->acts[l] = m->acts[0];
}

static struct dropout dropout_at(const struct model *m, int64_t position, uint32_t site)
{
    struct dropout d = {.probability = position < 0 ? 0 : m->options.dropout,
                        .seed = m->options.dropout_seed,
                        .site = site,
                        .position = (uint32_t)position};
    return d;
}

struct dropout model_dropout(const struct model *m, int64_t position, int64_t layer,
                             enum dropout_site site)
{
    return dropout_at(m, position, (uint32_t)(1 + layer * SITES_A_BLOCK + (int64_t)site));
}

struct dropout embedding_dropout(const struct model *m, int64_t position)
{
    return dropout_at(m, position, 0);
}

struct weight head_weight(const struct model *m)
{
    return params_weight(&m->params, &m->store,
                         m->params.outer[m->shape.tied ? ROLE_TOKENS : ROLE_HEAD]);
}
