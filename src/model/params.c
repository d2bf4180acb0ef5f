#include "model/params.h"

#include "base/mem.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sizes that rows of the tables refer to. */
enum size {
    SIZE_NONE,
    SIZE_C,       /* width */
    SIZE_V,       /* vocabulary */
    SIZE_T,       /* context */
    SIZE_F,       /* hidden */
    SIZE_QUERIES, /* heads * D */
    SIZE_KEYS,    /* kv_heads * D */
    SIZE_QKV,     /* of all three */
    SIZES
};

enum { NO_ROLE = -1 }; /* joined to the row before, which has the role */

/* When a row exists. */
enum presence { ALWAYS, WITH_BIAS, UNLESS_TIED };

struct param_row {
    int role;
    const char *name;
    enum param_init init;
    enum size rows, columns;
    enum presence when;
};

#define VECTOR(role, name, init, size, when)                                             \
    {                                                                                    \
        role, name, PARAM_INIT_##init, size, SIZE_NONE, when                             \
    }
#define MATRIX(role, name, init, rows, columns)                                          \
    {                                                                                    \
        role, name, PARAM_INIT_##init, rows, columns, ALWAYS                             \
    }

/* Weights of linears are (outputs, inputs). */
static const struct param_row gpt2_outer[] = {
    MATRIX(ROLE_TOKENS, "wte.weight", NORMAL, SIZE_V, SIZE_C),
    MATRIX(ROLE_POSITIONS, "wpe.weight", NORMAL, SIZE_T, SIZE_C),
    VECTOR(ROLE_NORM_F, "ln_f.weight", ONE, SIZE_C, ALWAYS),
    VECTOR(ROLE_NORM_F_BIAS, "ln_f.bias", ZERO, SIZE_C, WITH_BIAS),
    {ROLE_HEAD, "lm_head.weight", PARAM_INIT_NORMAL, SIZE_V, SIZE_C, UNLESS_TIED},
};
static const struct param_row gpt2_block[] = {
    VECTOR(ROLE_NORM_1, "ln_1.weight", ONE, SIZE_C, ALWAYS),
    VECTOR(ROLE_NORM_1_BIAS, "ln_1.bias", ZERO, SIZE_C, WITH_BIAS),
    MATRIX(ROLE_QKV, "attn.c_attn.weight", NORMAL, SIZE_QKV, SIZE_C),
    VECTOR(ROLE_QKV_BIAS, "attn.c_attn.bias", ZERO, SIZE_QKV, WITH_BIAS),
    MATRIX(ROLE_PROJ, "attn.c_proj.weight", RESIDUAL, SIZE_C, SIZE_QUERIES),
    VECTOR(ROLE_PROJ_BIAS, "attn.c_proj.bias", ZERO, SIZE_C, WITH_BIAS),
    VECTOR(ROLE_NORM_2, "ln_2.weight", ONE, SIZE_C, ALWAYS),
    VECTOR(ROLE_NORM_2_BIAS, "ln_2.bias", ZERO, SIZE_C, WITH_BIAS),
    MATRIX(ROLE_UP, "mlp.c_fc.weight", NORMAL, SIZE_F, SIZE_C),
    VECTOR(ROLE_UP_BIAS, "mlp.c_fc.bias", ZERO, SIZE_F, WITH_BIAS),
    MATRIX(ROLE_DOWN, "mlp.c_proj.weight", RESIDUAL, SIZE_C, SIZE_F),
    VECTOR(ROLE_DOWN_BIAS, "mlp.c_proj.bias", ZERO, SIZE_C, WITH_BIAS),
};
static const struct param_row llama_outer[] = {
    MATRIX(ROLE_TOKENS, "embed_tokens.weight", NORMAL, SIZE_V, SIZE_C),
    VECTOR(ROLE_NORM_F, "norm.weight", ONE, SIZE_C, ALWAYS),
    {ROLE_HEAD, "lm_head.weight", PARAM_INIT_NORMAL, SIZE_V, SIZE_C, UNLESS_TIED},
};
static const struct param_row llama_block[] = {
    VECTOR(ROLE_NORM_1, "input_layernorm.weight", ONE, SIZE_C, ALWAYS),
    MATRIX(ROLE_QKV, "self_attn.q_proj.weight", NORMAL, SIZE_QUERIES, SIZE_C),
    MATRIX(NO_ROLE, "self_attn.k_proj.weight", NORMAL, SIZE_KEYS, SIZE_C),
    MATRIX(NO_ROLE, "self_attn.v_proj.weight", NORMAL, SIZE_KEYS, SIZE_C),
    MATRIX(ROLE_PROJ, "self_attn.o_proj.weight", NORMAL, SIZE_C, SIZE_QUERIES),
    VECTOR(ROLE_NORM_2, "post_attention_layernorm.weight", ONE, SIZE_C, ALWAYS),
    MATRIX(ROLE_UP, "mlp.gate_proj.weight", NORMAL, SIZE_F, SIZE_C),
    MATRIX(NO_ROLE, "mlp.up_proj.weight", NORMAL, SIZE_F, SIZE_C),
    MATRIX(ROLE_DOWN, "mlp.down_proj.weight", NORMAL, SIZE_C, SIZE_F),
};

#define ROWS(array) (array), sizeof(array) / sizeof *(array)

/* What a family's tables are, and what its blocks' names begin with. */
struct family {
    const struct param_row *outer;
    size_t n_outer;
    const struct param_row *block;
    size_t n_block;
    const char *block_prefix;
};

static const struct family families[] = {
    [MODEL_FAMILY_GPT2] = {ROWS(gpt2_outer), ROWS(gpt2_block), "h"},
    [MODEL_FAMILY_LLAMA] = {ROWS(llama_outer), ROWS(llama_block), "layers"},
};

static void fill_sizes(int64_t *size, const struct model_shape *s)
{
    int64_t D = s->width / s->heads;
    size[SIZE_NONE] = 0;
    size[SIZE_C] = s->width;
    size[SIZE_V] = s->vocab;
    size[SIZE_T] = s->context;
    size[SIZE_F] = s->hidden;
    size[SIZE_QUERIES] = s->heads * D;
    size[SIZE_KEYS] = s->kv_heads * D;
    size[SIZE_QKV] = (s->heads + 2 * s->kv_heads) * D;
}

static bool is_present(const struct param_row *row, const struct model_shape *s)
{
    return row->when == ALWAYS || (row->when == WITH_BIAS && s->bias) ||
           (row->when == UNLESS_TIED && !s->tied);
}

/* Add the rows; roles that occur get their place in `place`, the others stay -1. */
static void add_rows(struct param_table *t, int64_t *place, const struct param_row *row,
                     size_t n, const struct model_shape *s, const char *prefix)
{
    int64_t size[SIZES];
    fill_sizes(size, s);
    for (size_t i = 0; i < n; i++) {
        if (!is_present(&row[i], s))
            continue;
        size_t at =
            param_table_add(t, row[i].init, size[row[i].rows], size[row[i].columns],
                            row[i].role == NO_ROLE, "%s%s", prefix, row[i].name);
        if (row[i].role != NO_ROLE)
            place[row[i].role] = (int64_t)at;
    }
}

void model_params_init(struct model_params *p, const struct model_shape *shape)
{
    const struct family *f = &families[shape->family];
    param_table_init(&p->table);
    p->block = mem_alloc((size_t)shape->layers * sizeof *p->block);
    memset(p->outer, -1, sizeof p->outer);
    memset(p->block, -1, (size_t)shape->layers * sizeof *p->block);
    add_rows(&p->table, p->outer, f->outer, f->n_outer, shape, "");
    for (int64_t l = 0; l < shape->layers; l++) {
        char prefix[PARAM_NAME_MAX];
        snprintf(prefix, sizeof prefix, "%s.%lld.", f->block_prefix, (long long)l);
        add_rows(&p->table, p->block[l], f->block, f->n_block, shape, prefix);
    }
    param_table_layout(&p->table);
}

void model_params_release(struct model_params *p)
{
    param_table_release(&p->table);
    mem_free(p->block);
    p->block = NULL;
}

const real *params_vector(const struct model_params *p, const struct param_store *s,
                          int64_t row)
{
    return row < 0 ? NULL : param_store_vector(s, &p->table.param[row]);
}

struct weight params_weight(const struct model_params *p, const struct param_store *s,
                            int64_t row)
{
    return row < 0 ? (struct weight){NULL, NULL}
                   : param_store_weight(s, &p->table.param[row]);
}

real *params_grad(const struct model_params *p, real *grad, int64_t row)
{
    return row < 0 ? NULL : grad + p->table.param[row].offset;
}

/* GPT-2 scales down what adds to the stream; Llama does not. */
double params_stddev(const struct model_shape *shape, const struct param *p)
{
    const double stddev = 0.02;
    bool scaled = p->init == PARAM_INIT_RESIDUAL;
    return scaled ? stddev / sqrt(2.0 * (double)shape->layers) : stddev;
}
