/*
 * How fast does a model write and read a prompt? A token against reading the weights once
 * from memory, a prompt against the forward pass of a training, all in turns. See
 * bench/sample.
 */
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/stats.h"
#include "generate/generator.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 64, TOKENS = 4, PROMPT = 256, BATCH = 4 };

static const struct model_shape gpt2 = {.family = MODEL_FAMILY_GPT2,
                                        .layers = 12,
                                        .heads = 12,
                                        .kv_heads = 12,
                                        .width = 768,
                                        .hidden = 3072,
                                        .context = 1024,
                                        .vocab = 50257,
                                        .bias = true,
                                        .tied = true,
                                        .norm_epsilon = 1e-5};

enum { READ, WRITE, PROMPT_READ, FORWARD, KINDS };
static const char *const kind_text[KINDS] = {"reading the weights once", "a token",
                                             "a prompt's token", "a token of a training"};

struct bench {
    struct engine engine;
    struct memory_plan plan;
    struct generator g;
    struct model m;
    int32_t *tokens;
    char *weights; /* as many bytes as a token's linears read */
    int64_t weight_bytes;
    float sum; /* of what was read, so that it is */
    double ns[KINDS][ROUNDS_MAX];
};

static void must(enum status s, const struct err *err)
{
    if (s == STATUS_OK)
        return;
    fprintf(stderr, "bench/sample: %s\n", err->text);
    exit(1);
}

static void open_all(struct bench *b, const char *precision)
{
    struct err err = ERR_INIT;
    const struct engine_options o = {"own", precision, "tiled"};
    const struct model_options training = {.batch = BATCH, .tokens = PROMPT};
    must(engine_init(&b->engine, &o, &err), &err);
    must(generator_init(&b->g, &b->engine, &gpt2, 1, &err), &err);
    must(model_init(&b->m, &b->engine, &gpt2, &training, &err), &err);
    for (int i = 0; i < LINEARS; i++) {
        const struct linear *l = &b->m.linear[i];
        b->weight_bytes += (i == LINEAR_HEAD ? 1 : gpt2.layers) * l->N * l->K *
                           (int64_t)b->engine.act_bytes;
    }
    memory_plan_init(&b->plan);
    generator_plan(&b->g, &b->plan);
    model_plan(&b->m, &b->plan);
    memory_plan_add(&b->plan, (void **)&b->tokens, TENSOR_CLASS_DATA, "tokens",
                    BATCH * PROMPT, sizeof *b->tokens);
    memory_plan_add(&b->plan, (void **)&b->weights, TENSOR_CLASS_DATA, "weights",
                    b->weight_bytes, 1);
    must(memory_plan_allocate(&b->plan, &err), &err);
    generator_bind(&b->g);
    model_bind(&b->m);
    model_init_weights(&b->m, 1);
    for (size_t i = 0; i < b->m.params.table.n; i++) {
        const struct param *p = &b->m.params.table.param[i];
        real *numbers = mem_alloc((size_t)p->n * sizeof *numbers);
        param_store_get(&b->m.store, p, 0, p->n, numbers);
        param_store_put(&b->g.store, p, 0, p->n, numbers);
        mem_free(numbers);
    }
    memset(b->weights, 1, (size_t)b->weight_bytes);
    for (int64_t i = 0; i < (int64_t)BATCH * PROMPT; i++)
        b->tokens[i] = (int32_t)(i * 7919 % gpt2.vocab);
}

/* Threads take pieces, one after another, and fetch ahead, as the linears do. */
ENGINE_CLONES
static void read_weights(struct bench *b)
{
    enum { STREAMS = 4, LENGTH = 12 << 10, PIECE = STREAMS * LENGTH };
    typedef float lanes __attribute__((vector_size(64)));
    float all = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : all)
    for (int64_t at = 0; at < b->weight_bytes - PIECE; at += PIECE) {
        lanes sum[STREAMS] = {{0}};
        for (int64_t i = 0; i < LENGTH; i += (int64_t)sizeof(lanes))
            for (int s = 0; s < STREAMS; s++) {
                lanes x;
                const char *from = b->weights + at + s * LENGTH + i;
                __builtin_prefetch(from + PIECE);
                memcpy(&x, from, sizeof x);
                sum[s] += x;
            }
        for (int s = 0; s < STREAMS; s++)
            all += sum[s][0];
    }
    b->sum += all;
}

static void run(struct bench *b, int kind)
{
    const struct model_batch batch = {b->tokens, b->tokens, -1};
    if (kind == READ)
        for (int i = 0; i < TOKENS; i++)
            read_weights(b);
    else if (kind == WRITE)
        for (int i = 0; i < TOKENS; i++)
            generator_feed(&b->g, b->tokens + i, 1, PROMPT + i);
    else if (kind == PROMPT_READ)
        generator_feed(&b->g, b->tokens, PROMPT, 0);
    else
        body_forward(&b->m, &batch); /* a prompt needs no logits but the last */
}

static double tokens_of(int kind)
{
    return kind == PROMPT_READ ? PROMPT : kind == FORWARD ? BATCH * PROMPT : TOKENS;
}

static void print(const struct bench *b, const char *precision, size_t rounds)
{
    double ms[KINDS];
    struct strbuf out;
    struct json_writer w;
    for (int k = 0; k < KINDS; k++) {
        ms[k] = stats_median(b->ns[k], rounds) / tokens_of(k) / 1e6;
        printf("%-26s %8.2f ms, %7.1f a second\n", kind_text[k], ms[k], 1e3 / ms[k]);
    }
    printf("weights %.1f GB/s; a token at %.2f of that bound; a prompt at %.2f of a "
           "training's forward pass\n",
           (double)b->weight_bytes / ms[READ] / 1e6, ms[READ] / ms[WRITE],
           ms[FORWARD] / ms[PROMPT_READ]);
    strbuf_init(&out);
    json_init(&w, &out);
    w.compact = true;
    json_begin_object(&w);
    json_field_string(&w, "precision", precision);
    json_field_double(&w, "tokens_per_s", 1e3 / ms[WRITE], 4);
    json_field_double(&w, "bound_ratio", ms[READ] / ms[WRITE], 4);
    json_field_double(&w, "prompt_ratio", ms[FORWARD] / ms[PROMPT_READ], 4);
    json_end(&w);
    printf("%s\n", out.s);
    strbuf_release(&out);
}

int main(int argc, char **argv)
{
    const char *precision = argc > 1 ? argv[1] : "f32";
    int rounds = argc > 2 ? atoi(argv[2]) : 7;
    struct bench *b = mem_zalloc(1, sizeof *b);
    if (rounds < 1 || rounds > ROUNDS_MAX)
        rounds = ROUNDS_MAX;
    open_all(b, precision);
    for (int k = 0; k < KINDS; k++)
        run(b, k); /* warms up */
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < KINDS; k++) {
            int kind = r % 2 ? KINDS - 1 - k : k;
            int64_t begin_ns = clock_now_ns();
            run(b, kind);
            b->ns[kind][r] = (double)(clock_now_ns() - begin_ns);
        }
    printf(
        "GPT-2 124M, %s, %d threads, median of %d rounds in turns; %.0f MB of weights\n",
        precision, omp_get_max_threads(), rounds, (double)b->weight_bytes / 1e6);
    print(b, precision, (size_t)rounds);
    generator_release(&b->g);
    model_release(&b->m);
    memory_plan_release(&b->plan);
    mem_free(b);
    return 0;
}
