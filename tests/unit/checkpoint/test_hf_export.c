/* From a checkpoint to a Hugging Face directory and back: every number returns to its
 * place, whatever the dtype and the number of files. */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "checkpoint/durable.h"
#include "checkpoint/hf_dir.h"
#include "checkpoint/hf_export.h"
#include "checkpoint/number_format.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[] = "/tmp/gait-export-XXXXXX";
static char dir[64], out[64];

static int make_top(void **state)
{
    (void)state;
    log_quiet(true);
    if (!mkdtemp(top))
        return -1;
    snprintf(dir, sizeof dir, "%s/ckpt", top);
    snprintf(out, sizeof out, "%s/out", top);
    return 0;
}

static int remove_top(void **state)
{
    (void)state;
    return durable_remove(top, NULL) != STATUS_OK;
}

static int remove_both(void **state)
{
    (void)state;
    if (file_exists(dir))
        durable_remove(dir, NULL);
    if (file_exists(out))
        durable_remove(out, NULL);
    return 0;
}

static const struct model_shape gpt2 = {.family = MODEL_FAMILY_GPT2,
                                        .layers = 2,
                                        .heads = 3,
                                        .kv_heads = 3,
                                        .width = 36,
                                        .hidden = 50,
                                        .context = 7,
                                        .vocab = 41,
                                        .bias = true,
                                        .tied = true,
                                        .norm_epsilon = 1e-5};
static const struct model_shape llama = {.family = MODEL_FAMILY_LLAMA,
                                         .layers = 2,
                                         .heads = 4,
                                         .kv_heads = 2,
                                         .width = 40,
                                         .hidden = 28,
                                         .context = 64,
                                         .vocab = 41,
                                         .norm_epsilon = 1e-6,
                                         .rope_theta = 10000};

/* Number k of tensor i, one that bf16 can hold. */
static float number(size_t i, int64_t k)
{
    return (float)((int)((i * 31 + (size_t)k * 7) % 251) - 125);
}

struct place {
    size_t i;
    float *data; /* loaded */
};

static void get_number(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                       float *numbers)
{
    const struct place *p = t->owner;
    for (int64_t k = 0; k < n; k++)
        numbers[k] = number(p->i, first + k);
}

static void put_number(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                       const float *in)
{
    const struct place *p = t->owner;
    memcpy(p->data + first, in, (size_t)n * sizeof *in);
}

/* Gait's tensors of a shape; place and data belong to them. */
struct model {
    struct hf_layout layout;
    struct checkpoint_tensor *tensor;
    struct place *place;
    size_t n;
};

static void model_init(struct model *m, const struct model_shape *shape)
{
    hf_layout_init(&m->layout, shape);
    m->tensor = mem_zalloc(m->layout.n, sizeof *m->tensor);
    m->place = mem_zalloc(m->layout.n, sizeof *m->place);
    m->n = 0;
    for (size_t i = 0; i < m->layout.n; i++) {
        const struct hf_tensor *t = &m->layout.tensor[i];
        if (t->only_there)
            continue;
        m->place[m->n] =
            (struct place){i, mem_zalloc((size_t)hf_tensor_numbers(t), sizeof(float))};
        m->tensor[m->n] = (struct checkpoint_tensor){.name = t->name,
                                                     .dims = t->dims,
                                                     .shape = {t->shape[0], t->shape[1]},
                                                     .owner = &m->place[m->n],
                                                     .get = get_number,
                                                     .put = put_number};
        m->n++;
    }
}

static void model_release(struct model *m)
{
    for (size_t i = 0; i < m->n; i++)
        mem_free(m->place[i].data);
    mem_free(m->tensor);
    mem_free(m->place);
    hf_layout_release(&m->layout);
}

static void model_save(const struct model *m, const struct model_shape *shape)
{
    struct err err = ERR_INIT;
    const struct checkpoint_state s = {.step = 1, .model = *shape, .optimizer = ""};
    if (checkpoint_save(dir, &s, m->tensor, m->n, NULL, 0, 0, &err))
        fail_msg("%s", err.text);
}

static void model_check(const struct model *m)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct hf_tensor *t = &m->layout.tensor[m->place[i].i];
        for (int64_t k = 0; k < hf_tensor_numbers(t); k++)
            if (m->place[i].data[k] != number(m->place[i].i, k))
                fail_msg("number %lld of %s", (long long)k, t->name);
    }
}

static void there_and_back(const struct model_shape *shape, enum safetensors_dtype dtype,
                           uint64_t shard_bytes)
{
    struct err err = ERR_INIT;
    struct hf_export_result result;
    const struct hf_export_options o = {.dtype = dtype, .max_shard_bytes = shard_bytes};
    struct model m;
    struct hf_dir d;
    remove_both(NULL);
    model_init(&m, shape);
    model_save(&m, shape);
    if (hf_export(dir, out, &o, &result, &err) || hf_open(&d, out, &err))
        fail_msg("%s", err.text);
    assert_int_equal(result.shards, d.index.n_files);
    assert_true((result.shards > 1) == (shard_bytes < 5000));
    struct model_shape back = d.shape;
    back.bias = shape->bias; /* GPT-2 always has biases there */
    assert_memory_equal(&back, shape, sizeof back);
    if (hf_load(&d, m.tensor, m.n, &err))
        fail_msg("%s", err.text);
    model_check(&m);
    hf_close(&d);
    model_release(&m);
}

static void numbers_return_to_their_places(void **state)
{
    (void)state;
    struct model_shape no_bias = gpt2, untied = gpt2, tied = llama;
    no_bias.bias = untied.tied = false;
    tied.tied = true;
    const struct model_shape *shapes[] = {&gpt2, &no_bias, &untied, &llama, &tied};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        there_and_back(shapes[i], SAFETENSORS_DTYPE_F32, 1u << 30);
        there_and_back(shapes[i], SAFETENSORS_DTYPE_F32, 3000);
        there_and_back(shapes[i], SAFETENSORS_DTYPE_BF16, 1);
    }
}

/* In the file, row r and column c of a Conv1D is input r and output c. */
static void conv1d_weights_are_stored_inputs_first(void **state)
{
    (void)state;
    struct hf_export_result result;
    const struct hf_export_options o = {SAFETENSORS_DTYPE_F32, 1u << 30, false};
    struct model m;
    struct safetensors_file f;
    char path[96];
    model_init(&m, &gpt2);
    model_save(&m, &gpt2);
    assert_int_equal(hf_export(dir, out, &o, &result, NULL), STATUS_OK);
    snprintf(path, sizeof path, "%s/model.safetensors", out);
    assert_int_equal(safetensors_open(&f, path, NULL), STATUS_OK);
    const struct safetensor *t =
        safetensors_find(&f.header, "transformer.h.1.attn.c_attn.weight");
    const struct hf_tensor *there = hf_layout_find(&m.layout, "h.1.attn.c_attn.weight");
    assert_int_equal(t->shape[0], 36);
    assert_int_equal(t->shape[1], 108);
    static float w[36][108];
    assert_int_equal(safetensors_load(&f, t, 0, sizeof w, w, NULL), STATUS_OK);
    for (int in = 0; in < 36; in++)
        for (int to = 0; to < 108; to++)
            assert_float_equal(
                w[in][to], number((size_t)(there - m.layout.tensor), to * 36 + in), 0);
    safetensors_close(&f);
    model_release(&m);
}

static void a_model_without_biases_gets_zeros(void **state)
{
    (void)state;
    struct hf_export_result result;
    const struct hf_export_options o = {SAFETENSORS_DTYPE_F32, 1u << 30, false};
    struct model_shape shape = gpt2;
    struct model m;
    struct safetensors_file f;
    char path[96];
    shape.bias = false;
    model_init(&m, &shape);
    model_save(&m, &shape);
    assert_int_equal(hf_export(dir, out, &o, &result, NULL), STATUS_OK);
    snprintf(path, sizeof path, "%s/model.safetensors", out);
    assert_int_equal(safetensors_open(&f, path, NULL), STATUS_OK);
    const struct safetensor *t =
        safetensors_find(&f.header, "transformer.h.0.mlp.c_fc.bias");
    float bias[50];
    assert_int_equal(safetensors_load(&f, t, 0, sizeof bias, bias, NULL), STATUS_OK);
    for (int i = 0; i < 50; i++)
        assert_float_equal(bias[i], 0, 0);
    safetensors_close(&f);
    model_release(&m);
}

static void wrong_tensors_are_refused_before_anything_is_loaded(void **state)
{
    (void)state;
    struct hf_export_result result;
    struct err err = ERR_INIT;
    const struct hf_export_options o = {SAFETENSORS_DTYPE_F32, 1u << 30, false};
    struct model m;
    struct hf_dir d;
    model_init(&m, &llama);
    model_save(&m, &llama);
    assert_int_equal(hf_export(dir, out, &o, &result, NULL), STATUS_OK);
    assert_int_equal(hf_open(&d, out, NULL), STATUS_OK);
    m.tensor[m.n - 1].shape[0]++;
    assert_int_equal(hf_load(&d, m.tensor, m.n, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "\"lm_head.weight\" has another shape"));
    m.tensor[m.n - 1].name = "head";
    assert_int_equal(hf_load(&d, m.tensor, m.n, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "no tensor \"head\""));
    assert_float_equal(m.place[0].data[0], 0, 0);
    hf_close(&d);
    model_release(&m);
}

static void damaged_weights_are_not_exported(void **state)
{
    (void)state;
    struct hf_export_result result;
    struct err err = ERR_INIT;
    const struct hf_export_options o = {SAFETENSORS_DTYPE_F32, 1u << 30, false};
    struct model m;
    char path[96];
    model_init(&m, &gpt2);
    model_save(&m, &gpt2);
    snprintf(path, sizeof path, "%s/step-00000001/model.safetensors", dir);
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, -9, SEEK_END), 0);
    assert_int_equal(fputc('x', f), 'x');
    assert_int_equal(fclose(f), 0);
    assert_int_equal(hf_export(dir, out, &o, &result, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "are not those that were written"));
    assert_false(file_exists(out));
    model_release(&m);
}

static void only_an_export_is_replaced(void **state)
{
    (void)state;
    struct hf_export_result result;
    struct err err = ERR_INIT;
    struct hf_export_options o = {SAFETENSORS_DTYPE_F32, 3000, false};
    struct model m;
    char path[96];
    model_init(&m, &llama);
    model_save(&m, &llama);
    assert_int_equal(mkdir(out, 0777), 0); /* empty: it is filled */
    assert_int_equal(hf_export(dir, out, &o, &result, &err), STATUS_OK);
    assert_int_equal(hf_export(dir, out, &o, &result, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "is not empty"));
    o.force = true;
    o.max_shard_bytes = 1u << 30;
    assert_int_equal(hf_export(dir, out, &o, &result, &err), STATUS_OK);
    snprintf(path, sizeof path, "%s/model.safetensors.index.json", out);
    assert_false(file_exists(path)); /* nothing of the shards is left */
    snprintf(path, sizeof path, "%s/notes.txt", out);
    assert_int_equal(file_write(path, "mine", 4, NULL), STATUS_OK);
    assert_int_equal(hf_export(dir, out, &o, &result, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "holds notes.txt, which is not of an export"));
    assert_true(file_exists(path));
    assert_int_equal(hf_export(dir, "/dev/null", &o, &result, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "name a folder"));
    assert_int_equal(hf_export(dir, "/nonexistent/a/b", &o, &result, &err),
                     STATUS_ENVIRONMENT);
    model_release(&m);
}

/* As a crash leaves it where the file system cannot exchange two names. */
static void an_export_that_stands_aside_is_brought_back(void **state)
{
    (void)state;
    struct hf_export_result result;
    struct err err = ERR_INIT;
    struct hf_export_options o = {SAFETENSORS_DTYPE_F32, 1u << 30, false};
    struct model m;
    char path[96];
    model_init(&m, &llama);
    model_save(&m, &llama);
    assert_int_equal(hf_export(dir, out, &o, &result, &err), STATUS_OK);
    char *aside = durable_aside_name(out);
    assert_int_equal(rename(out, aside), 0);
    assert_int_equal(hf_export(dir, out, &o, &result, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "is not empty"));
    snprintf(path, sizeof path, "%s/model.safetensors", out);
    assert_true(file_exists(path));
    assert_false(file_exists(aside));
    mem_free(aside);
    model_release(&m);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, remove_both)
    const struct CMUnitTest tests[] = {
        TEST(numbers_return_to_their_places),
        TEST(conv1d_weights_are_stored_inputs_first),
        TEST(a_model_without_biases_gets_zeros),
        TEST(wrong_tensors_are_refused_before_anything_is_loaded),
        TEST(damaged_weights_are_not_exported),
        TEST(only_an_export_is_replaced),
        TEST(an_export_that_stands_aside_is_brought_back),
    };
    return cmocka_run_group_tests(tests, make_top, remove_top);
}
