/* The parameters of both families: names, shapes and counts as Hugging Face has them. */
#include "cmocka_setup.h"
#include "model/params.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct expected {
    const char *name;
    int64_t rows, columns; /* of a vector: columns 0 */
    enum param_init init;
};

enum { LAYERS = 2, HEADS = 4, KV = 2, C = 24, F = 40, T = 9, V = 50, D = C / HEADS };

static const struct expected GPT2_OUTER[] = {
    {"wte.weight", V, C, PARAM_INIT_NORMAL},
    {"wpe.weight", T, C, PARAM_INIT_NORMAL},
    {"ln_f.weight", C, 0, PARAM_INIT_ONE},
    {"ln_f.bias", C, 0, PARAM_INIT_ZERO},
};
static const struct expected GPT2_BLOCK[] = {
    {"ln_1.weight", C, 0, PARAM_INIT_ONE},
    {"ln_1.bias", C, 0, PARAM_INIT_ZERO},
    {"attn.c_attn.weight", 3 * C, C, PARAM_INIT_NORMAL},
    {"attn.c_attn.bias", 3 * C, 0, PARAM_INIT_ZERO},
    {"attn.c_proj.weight", C, C, PARAM_INIT_RESIDUAL},
    {"attn.c_proj.bias", C, 0, PARAM_INIT_ZERO},
    {"ln_2.weight", C, 0, PARAM_INIT_ONE},
    {"ln_2.bias", C, 0, PARAM_INIT_ZERO},
    {"mlp.c_fc.weight", F, C, PARAM_INIT_NORMAL},
    {"mlp.c_fc.bias", F, 0, PARAM_INIT_ZERO},
    {"mlp.c_proj.weight", C, F, PARAM_INIT_RESIDUAL},
    {"mlp.c_proj.bias", C, 0, PARAM_INIT_ZERO},
};
static const struct expected LLAMA_OUTER[] = {
    {"embed_tokens.weight", V, C, PARAM_INIT_NORMAL},
    {"norm.weight", C, 0, PARAM_INIT_ONE},
};
static const struct expected LLAMA_BLOCK[] = {
    {"input_layernorm.weight", C, 0, PARAM_INIT_ONE},
    {"self_attn.q_proj.weight", HEADS *D, C, PARAM_INIT_NORMAL},
    {"self_attn.k_proj.weight", KV *D, C, PARAM_INIT_NORMAL},
    {"self_attn.v_proj.weight", KV *D, C, PARAM_INIT_NORMAL},
    {"self_attn.o_proj.weight", C, HEADS *D, PARAM_INIT_NORMAL},
    {"post_attention_layernorm.weight", C, 0, PARAM_INIT_ONE},
    {"mlp.gate_proj.weight", F, C, PARAM_INIT_NORMAL},
    {"mlp.up_proj.weight", F, C, PARAM_INIT_NORMAL},
    {"mlp.down_proj.weight", C, F, PARAM_INIT_NORMAL},
};
static const struct expected HEAD = {"lm_head.weight", V, C, PARAM_INIT_NORMAL};

#define ROWS(array) (array), sizeof(array) / sizeof *(array)

static struct model_shape shape_of(enum model_family family, bool bias, bool tied)
{
    return (struct model_shape){.family = family,
                                .layers = LAYERS,
                                .heads = HEADS,
                                .kv_heads = family == MODEL_FAMILY_LLAMA ? KV : HEADS,
                                .width = C,
                                .hidden = F,
                                .context = T,
                                .vocab = V,
                                .bias = bias,
                                .tied = tied};
}

/* The rows that are there are found; returns how many. */
static size_t check_rows(const struct param_table *t, const struct expected *want,
                         size_t n, const char *prefix, bool bias)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        char name[PARAM_NAME_MAX];
        snprintf(name, sizeof name, "%s%s", prefix, want[i].name);
        const struct param *p = param_table_find(t, name);
        if (!bias && strstr(name, "bias")) {
            assert_null(p);
            continue;
        }
        if (!p)
            fail_msg("%s is missing", name);
        assert_int_equal(p->dims, want[i].columns ? 2 : 1);
        assert_int_equal(p->shape[0], want[i].rows);
        assert_int_equal(p->shape[1], want[i].columns);
        assert_int_equal(p->init, want[i].init);
        assert_int_equal(p->decay, want[i].columns != 0);
        found++;
    }
    return found;
}

static void check_family(enum model_family family, bool bias, bool tied)
{
    struct model_params p;
    struct model_shape shape = shape_of(family, bias, tied);
    bool llama = family == MODEL_FAMILY_LLAMA;
    size_t found;
    model_params_init(&p, &shape);
    found = llama ? check_rows(&p.table, ROWS(LLAMA_OUTER), "", bias)
                  : check_rows(&p.table, ROWS(GPT2_OUTER), "", bias);
    found += llama ? check_rows(&p.table, ROWS(LLAMA_BLOCK), "layers.0.", bias) +
                         check_rows(&p.table, ROWS(LLAMA_BLOCK), "layers.1.", bias)
                   : check_rows(&p.table, ROWS(GPT2_BLOCK), "h.0.", bias) +
                         check_rows(&p.table, ROWS(GPT2_BLOCK), "h.1.", bias);
    if (tied)
        assert_null(param_table_find(&p.table, HEAD.name));
    else
        found += check_rows(&p.table, &HEAD, 1, "", bias);
    assert_int_equal(p.table.n, found); /* and no others */
    model_params_release(&p);
}

static void names_and_shapes_are_those_of_hugging_face(void **state)
{
    (void)state;
    for (int tied = 0; tied < 2; tied++) {
        check_family(MODEL_FAMILY_GPT2, true, tied);
        check_family(MODEL_FAMILY_GPT2, false, tied);
        check_family(MODEL_FAMILY_LLAMA, false, tied);
    }
}

/* As published: GPT-2 small, and Llama 3.2 1B. */
static void counts_are_those_published(void **state)
{
    (void)state;
    const struct model_shape gpt2 = {.family = MODEL_FAMILY_GPT2,
                                     .layers = 12,
                                     .heads = 12,
                                     .kv_heads = 12,
                                     .width = 768,
                                     .hidden = 3072,
                                     .context = 1024,
                                     .vocab = 50257,
                                     .bias = true,
                                     .tied = true};
    const struct model_shape llama = {.family = MODEL_FAMILY_LLAMA,
                                      .layers = 16,
                                      .heads = 32,
                                      .kv_heads = 8,
                                      .width = 2048,
                                      .hidden = 8192,
                                      .context = 131072,
                                      .vocab = 128256,
                                      .tied = true};
    struct model_params p;
    model_params_init(&p, &gpt2);
    assert_int_equal(p.table.count, 124439808);
    model_params_release(&p);
    model_params_init(&p, &llama);
    assert_int_equal(p.table.count, 1235814400);
    model_params_release(&p);
}

/* A fused product reads q, k and v, and gate and up, as one matrix. */
static void matrices_of_one_product_are_joined(void **state)
{
    (void)state;
    struct model_params p;
    struct model_shape shape = shape_of(MODEL_FAMILY_LLAMA, false, false);
    model_params_init(&p, &shape);
    for (int64_t l = 0; l < LAYERS; l++) {
        const struct param *q = &p.table.param[p.block[l][ROLE_QKV]], *k = q + 1,
                           *v = q + 2;
        const struct param *gate = &p.table.param[p.block[l][ROLE_UP]], *up = gate + 1;
        assert_non_null(strstr(q->name, "q_proj"));
        assert_non_null(strstr(k->name, "k_proj"));
        assert_non_null(strstr(v->name, "v_proj"));
        assert_int_equal(k->offset, q->offset + q->n);
        assert_int_equal(v->offset, k->offset + k->n);
        assert_non_null(strstr(gate->name, "gate_proj"));
        assert_non_null(strstr(up->name, "up_proj"));
        assert_int_equal(up->offset, gate->offset + gate->n);
    }
    model_params_release(&p);
}

static void roles_that_a_family_lacks_have_no_row(void **state)
{
    (void)state;
    struct model_params p;
    struct model_shape shape = shape_of(MODEL_FAMILY_LLAMA, false, true);
    model_params_init(&p, &shape);
    assert_int_equal(p.outer[ROLE_POSITIONS], -1);
    assert_int_equal(p.outer[ROLE_HEAD], -1);
    assert_int_equal(p.outer[ROLE_NORM_F_BIAS], -1);
    assert_int_equal(p.block[1][ROLE_QKV_BIAS], -1);
    assert_null(params_vector(&p, NULL, -1));
    assert_null(params_weight(&p, NULL, -1).value);
    assert_null(params_grad(&p, NULL, -1));
    model_params_release(&p);
}

static void gpt2_scales_down_what_adds_to_the_stream(void **state)
{
    (void)state;
    struct model_shape shape = shape_of(MODEL_FAMILY_GPT2, true, true);
    const struct param normal = {.init = PARAM_INIT_NORMAL};
    const struct param residual = {.init = PARAM_INIT_RESIDUAL};
    shape.layers = 8;
    assert_true(params_stddev(&shape, &normal) == 0.02);
    assert_true(fabs(params_stddev(&shape, &residual) - 0.005) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_shapes_are_those_of_hugging_face),
        cmocka_unit_test(counts_are_those_published),
        cmocka_unit_test(matrices_of_one_product_are_joined),
        cmocka_unit_test(roles_that_a_family_lacks_have_no_row),
        cmocka_unit_test(gpt2_scales_down_what_adds_to_the_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
