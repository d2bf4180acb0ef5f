/*
 * The floor of a training step: what bare calls of oneDNN and of MKL take for each product
 * of its linears. See bench/peers.
 *
 *   bench_floor PRECISION M NAME:TIMES:N:K …    each line on standard input is a round: all
 *                                               calls once; the answer is a line of JSON
 *
 * A call is ready to run: created, its weights in the layout it likes best. Nothing that a
 * training needs beside it is counted. MKL is loaded where GAIT_MKL names its libmkl_rt.
 */
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the library, and in none of its headers. */
dnnl_status_t dnnl_gemm_bf16bf16f32(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
                                    dnnl_dim_t K, float alpha, const void *A,
                                    dnnl_dim_t lda, const void *B, dnnl_dim_t ldb,
                                    float beta, float *C, dnnl_dim_t ldc);

enum { LINEARS_MAX = 8, KINDS = 3, CALLS_MAX = 4 };
static const char *const kind_text[KINDS] = {"forward", "dX", "dW"};

/* C (m, n) = A (m, k) B (k, n); a transposed operand lies in memory as (k, m), (n, k). */
struct shape {
    int64_t m, n, k;
    bool a_transposed, b_transposed, half, c_half;
};

struct call {
    const char *name;
    dnnl_primitive_t primitive; /* or NULL: a function */
    dnnl_exec_arg_t args[3];
    enum { BY_PRIMITIVE, BY_DNNL_GEMM, BY_MKL } how;
};

struct product {
    struct shape shape;
    struct call call[CALLS_MAX];
    int calls;
};

struct linear {
    char name[32];
    long times;
    struct product product[KINDS];
};

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static void *a, *b, *c;
static size_t a_bytes, b_bytes, c_bytes;
static void (*mkl_sgemm)(int, int, int, int64_t, int64_t, int64_t, float, const void *,
                         int64_t, const void *, int64_t, float, void *, int64_t);
static void (*mkl_bf16)(int, int, int, int64_t, int64_t, int64_t, float, const void *,
                        int64_t, const void *, int64_t, float, void *, int64_t);

static void must(dnnl_status_t s, const char *what)
{
    if (!s)
        return;
    fprintf(stderr, "bench_floor: oneDNN cannot %s: %d\n", what, (int)s);
    exit(1);
}

static void *room(size_t bytes)
{
    void *at = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!at)
        exit(1);
    memset(at, 0x3c, bytes);
    return at;
}

static void grow(size_t *have, int64_t n, size_t bytes)
{
    if ((size_t)n * bytes > *have)
        *have = (size_t)n * bytes;
}

static dnnl_memory_desc_t matrix(int64_t rows, int64_t columns, bool transposed,
                                 bool half)
{
    dnnl_dims_t dims = {rows, columns};
    dnnl_dims_t strides = {transposed ? 1 : columns, transposed ? rows : 1};
    dnnl_memory_desc_t d;
    must(dnnl_memory_desc_init_by_strides(&d, 2, dims, half ? dnnl_bf16 : dnnl_f32,
                                          strides),
         "describe a matrix");
    return d;
}

static dnnl_memory_t memory(const dnnl_memory_desc_t *d, void *at)
{
    dnnl_memory_t m;
    must(dnnl_memory_create(&m, d, engine, at), "make a memory object");
    return m;
}

/* The matmul primitive; `any`: B in the layout that it likes best. */
static void add_matmul(struct product *p, bool any)
{
    const struct shape *s = &p->shape;
    dnnl_memory_desc_t x = matrix(s->m, s->k, s->a_transposed, s->half);
    dnnl_memory_desc_t y = matrix(s->k, s->n, s->b_transposed, s->half);
    dnnl_memory_desc_t z = matrix(s->m, s->n, false, s->c_half);
    dnnl_dims_t dims = {s->k, s->n};
    dnnl_matmul_desc_t op;
    dnnl_primitive_desc_t pd;
    struct call *call = &p->call[p->calls++];
    if (any)
        must(dnnl_memory_desc_init_by_tag(&y, 2, dims, s->half ? dnnl_bf16 : dnnl_f32,
                                          dnnl_format_tag_any),
             "describe packed weights");
    must(dnnl_matmul_desc_init(&op, &x, &y, NULL, &z), "describe a matmul");
    must(dnnl_primitive_desc_create(&pd, &op, NULL, engine, NULL), "find a matmul");
    must(dnnl_primitive_create(&call->primitive, pd), "make a matmul");
    const dnnl_memory_desc_t *packed =
        dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    void *own = any ? room(dnnl_memory_desc_get_size(packed)) : b;
    call->name = any ? "matmul, packed weights" : "matmul";
    call->args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, memory(&x, a)};
    call->args[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, memory(packed, own)};
    call->args[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, memory(&z, c)};
    dnnl_primitive_desc_destroy(pd);
}

static void run_call(const struct product *p, const struct call *call)
{
    const struct shape *s = &p->shape;
    int64_t lda = s->a_transposed ? s->m : s->k, ldb = s->b_transposed ? s->k : s->n;
    char ta = s->a_transposed ? 'T' : 'N', tb = s->b_transposed ? 'T' : 'N';
    if (call->how == BY_PRIMITIVE)
        must(dnnl_primitive_execute(call->primitive, stream, 3, call->args), "run");
    else if (call->how == BY_MKL)
        (s->half ? mkl_bf16 : mkl_sgemm)(101, s->a_transposed ? 112 : 111,
                                         s->b_transposed ? 112 : 111, s->m, s->n, s->k, 1,
                                         a, lda, b, ldb, 0, c, s->n);
    else if (s->half)
        must(dnnl_gemm_bf16bf16f32(ta, tb, s->m, s->n, s->k, 1, a, lda, b, ldb, 0, c,
                                   s->n),
             "run its bf16 gemm");
    else
        must(dnnl_sgemm(ta, tb, s->m, s->n, s->k, 1, a, lda, b, ldb, 0, c, s->n),
             "run its sgemm");
}

static void add_function(struct product *p, const char *name, int how)
{
    p->call[p->calls++] = (struct call){.name = name, .how = how};
}

static void make_calls(struct product *p)
{
    add_matmul(p, false);
    add_matmul(p, true);
    add_function(p, "gemm", BY_DNNL_GEMM);
    if (p->shape.half ? mkl_bf16 != NULL : mkl_sgemm != NULL)
        add_function(p, "MKL", BY_MKL);
}

static void load_mkl(void)
{
    const char *path = getenv("GAIT_MKL");
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (path && *path && !library)
        fprintf(stderr, "bench_floor: %s\n", dlerror());
    if (!library)
        return;
    *(void **)&mkl_sgemm = dlsym(library, "cblas_sgemm_64");
    *(void **)&mkl_bf16 = dlsym(library, "cblas_gemm_bf16bf16f32_64");
}

static void add_linear(struct linear *l, const char *word, int64_t M, bool half)
{
    long long n, k;
    if (sscanf(word, "%31[^:]:%ld:%lld:%lld", l->name, &l->times, &n, &k) != 4) {
        fprintf(stderr, "bench_floor: %s is not NAME:TIMES:N:K\n", word);
        exit(2);
    }
    const struct shape shape[KINDS] = {{M, n, k, false, true, half, half},
                                       {M, k, n, false, false, half, half},
                                       {n, k, M, true, false, half, false}};
    for (int i = 0; i < KINDS; i++) {
        const struct shape *s = &shape[i];
        l->product[i].shape = *s;
        grow(&a_bytes, s->m * s->k, half ? 2 : 4);
        grow(&b_bytes, s->k * s->n, half ? 2 : 4);
        grow(&c_bytes, s->m * s->n, 4); /* the functions give f32 */
    }
}

static void run_round(struct linear *l, int n)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    w.compact = true;
    json_begin_array(&w);
    for (int i = 0; i < n; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            struct product *p = &l[i].product[kind];
            for (int call = 0; call < p->calls; call++) {
                int64_t begin_ns = clock_now_ns();
                run_call(p, &p->call[call]);
                double ms = (double)(clock_now_ns() - begin_ns) / 1e6;
                json_begin_object(&w);
                json_field_string(&w, "linear", l[i].name);
                json_field_string(&w, "product", kind_text[kind]);
                json_field_string(&w, "call", p->call[call].name);
                json_field_int(&w, "times", l[i].times);
                json_field_double(&w, "ms", ms, 6);
                json_end(&w);
            }
        }
    json_end(&w);
    printf("%s\n", out.s);
    fflush(stdout);
    strbuf_release(&out);
}

int main(int argc, char **argv)
{
    struct linear *l = mem_zalloc(LINEARS_MAX, sizeof *l);
    char line[64];
    int n = argc - 3;
    if (n < 1 || n > LINEARS_MAX) {
        fprintf(stderr, "usage: bench_floor f32|bf16 M NAME:TIMES:N:K …\n");
        return 2;
    }
    bool half = !strcmp(argv[1], "bf16");
    must(dnnl_engine_create(&engine, dnnl_cpu, 0), "start");
    must(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "start");
    load_mkl();
    for (int i = 0; i < n; i++)
        add_linear(&l[i], argv[3 + i], atoll(argv[2]), half);
    a = room(a_bytes);
    b = room(b_bytes);
    c = room(c_bytes);
    for (int i = 0; i < n; i++)
        for (int kind = 0; kind < KINDS; kind++)
            make_calls(&l[i].product[kind]);
    while (fgets(line, sizeof line, stdin))
        run_round(l, n);
    return 0;
}
