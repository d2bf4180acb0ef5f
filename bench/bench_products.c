/*
 * The products of a step, by oneDNN and by the engine itself, in turns: how long each
 * takes, and which is faster. See bench/products.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "base/stats.h"
#include "engine/bf16.h"
#include "engine/product.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct model {
    const char *name;
    int64_t M, width, hidden, vocab, layers;
};
static const struct model models[] = {
    {"gpt2", 1024, 768, 3072, 50257, 12},
    {"char", 16384, 384, 1536, 65, 6},
    {"mac", 768, 128, 512, 65, 4},
};

enum { ROUNDS_MAX = 64, PRODUCTS_MAX = 32, MAKERS = 2 };
static const char *const maker_text[MAKERS] = {"oneDNN", "own"};

struct timed {
    char name[32];
    int64_t times; /* in a step */
    struct product_shape shape;
    struct product *by[MAKERS];
    double ns[MAKERS][ROUNDS_MAX];
};

struct bench {
    struct timed of[PRODUCTS_MAX];
    size_t n;
    char *a, *b, *c, *workspace;
    float *bias;
    size_t a_bytes, b_bytes, c_bytes, workspace_bytes;
};

static size_t bytes_of(struct matrix_layout m, int64_t rows, int64_t columns)
{
    return (size_t)(rows * columns) * (m.bf16 ? sizeof(bf16) : sizeof(float));
}

static void grow(size_t *have, size_t need)
{
    *have = need > *have ? need : *have;
}

static void add(struct bench *b, const char *linear, const char *what, int64_t times,
                struct product_shape s)
{
    struct timed *t = &b->of[b->n++];
    struct err err = ERR_INIT;
    snprintf(t->name, sizeof t->name, "%s %s", linear, what);
    t->times = times;
    t->shape = s;
    for (int i = 0; i < MAKERS; i++) {
        if (product_open(&t->by[i], &s, (enum product_maker)i, &err)) {
            fprintf(stderr, "bench/products: %s\n", err.text);
            exit(1);
        }
        grow(&b->workspace_bytes, product_workspace_bytes(t->by[i]));
    }
    grow(&b->a_bytes, bytes_of(s.a, s.rows, s.depth));
    grow(&b->b_bytes, bytes_of(s.b, s.depth, s.columns));
    grow(&b->c_bytes, bytes_of(s.c, s.rows, s.columns));
}

/* As product_linear.c describes them. */
static void add_linear(struct bench *b, const char *name, int64_t times, int64_t M,
                       int64_t N, int64_t K, bool bias, bool half)
{
    const struct matrix_layout x = {K, 1, half}, y = {N, 1, half}, dw = {K, 1, false};
    const struct matrix_layout wt = {1, K, half}, yt = {1, N, half};
    add(b, name, "forward", times,
        (struct product_shape){M, N, K, x, wt, y, bias, false, 0});
    add(b, name, "dX", times,
        (struct product_shape){M, K, N, y, x, x, false, false,
                               half ? 0 : PRODUCT_DEPTH_MAX});
    add(b, name, "dW", times,
        (struct product_shape){N, K, M, yt, x, dw, false, false, 0});
}

static void *some(size_t bytes, bool half)
{
    const size_t page = 2 << 20; /* as the arena of a training has */
    char *at = aligned_alloc(page, (bytes + page - 1) / page * page);
    if (!at)
        exit(1);
    madvise(at, bytes, MADV_HUGEPAGE);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bytes / 4; i++) {
        float x = (float)((i * 2654435761u) % 1000) / 1000 - 0.5f;
        bf16 h = bf16_from_float(x);
        if (half) {
            ((bf16 *)at)[2 * i] = h;
            ((bf16 *)at)[2 * i + 1] = h;
        } else
            ((float *)at)[i] = x;
    }
    return at;
}

static void run_round(struct bench *b, int maker, int round)
{
    for (size_t i = 0; i < b->n; i++) {
        struct timed *t = &b->of[i];
        int64_t begin_ns = clock_now_ns();
        product_run(t->by[maker], b->workspace, b->c, b->a, b->b,
                    t->shape.bias ? b->bias : NULL);
        t->ns[maker][round] = (double)(clock_now_ns() - begin_ns);
    }
}

static double gflops(const struct timed *t, double ns)
{
    return 2 * (double)t->shape.rows * (double)t->shape.columns * (double)t->shape.depth /
           ns;
}

static void print(struct bench *b, int rounds, const char *model, const char *precision)
{
    double sum[MAKERS] = {0};
    printf("%s %s, %d threads: GFLOP/s, median of %d rounds in turns\n", model, precision,
           omp_get_max_threads(), rounds);
    printf("%-20s %8s %8s %8s %8s  %s\n", "", "times", maker_text[0], maker_text[1],
           "ratio", "kernels");
    for (size_t i = 0; i < b->n; i++) {
        struct timed *t = &b->of[i];
        double ns[MAKERS];
        for (int m = 0; m < MAKERS; m++) {
            ns[m] = stats_median(t->ns[m], (size_t)rounds);
            sum[m] += (double)t->times * ns[m];
        }
        printf("%-20s %8lld %8.0f %8.0f %8.2f  %s, %s\n", t->name, (long long)t->times,
               gflops(t, ns[0]), gflops(t, ns[1]), ns[1] / ns[0],
               product_kernel(t->by[0]), product_kernel(t->by[1]));
    }
    printf("%-20s %8s %6.1fms %6.1fms %8.2f\n\n", "a step", "", sum[0] / 1e6,
           sum[1] / 1e6, sum[1] / sum[0]);
}

static void run(const struct model *m, bool half, int rounds)
{
    struct bench *b = mem_zalloc(1, sizeof *b);
    add_linear(b, "qkv", m->layers, m->M, 3 * m->width, m->width, true, half);
    add_linear(b, "proj", m->layers, m->M, m->width, m->width, true, half);
    add_linear(b, "up", m->layers, m->M, m->hidden, m->width, true, half);
    add_linear(b, "down", m->layers, m->M, m->width, m->hidden, true, half);
    add_linear(b, "head", 1, m->M, m->vocab, m->width, false, half);
    b->a = some(b->a_bytes, half);
    b->b = some(b->b_bytes, half);
    b->c = some(b->c_bytes, false);
    b->workspace = some(b->workspace_bytes, false);
    b->bias = some(b->c_bytes / (size_t)m->M, false);
    for (int i = 0; i < MAKERS; i++)
        run_round(b, i, 0); /* warms up; written over */
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < MAKERS; i++)
            run_round(b, r % 2 ? !i : i, r);
    print(b, rounds, m->name, half ? "bf16" : "f32");
    for (size_t i = 0; i < b->n; i++)
        for (int k = 0; k < MAKERS; k++)
            product_close(b->of[i].by[k]);
    free(b->a);
    free(b->b);
    free(b->c);
    free(b->workspace);
    free(b->bias);
    mem_free(b);
}

int main(int argc, char **argv)
{
    int rounds = argc > 3 ? atoi(argv[3]) : 9;
    if (rounds < 1 || rounds > ROUNDS_MAX)
        rounds = ROUNDS_MAX;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int half = 1; half >= 0; half--)
            if ((argc < 2 || !strcmp(argv[1], "all") ||
                 !strcmp(argv[1], models[i].name)) &&
                (argc < 3 || !strcmp(argv[2], "both") ||
                 !strcmp(argv[2], half ? "bf16" : "f32")))
                run(&models[i], half, rounds);
    return 0;
}
