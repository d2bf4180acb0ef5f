/*
 * Engines, tensors, comparisons and thread counts for the tests of kernels.
 *
 * A kernel is compared with a formula written in the test, in double and in the most
 * naive way. How far it may be off is relative to the sum of the absolute values of what
 * the formula adds up (struct sums): the kernel sums in f32 (2^-24 a rounding, some tens
 * of them in a row). A result that is stored as bf16, of 8 bits, is rounded by at most
 * 2^-8 of itself; where terms were stored as bf16 on the way, by 2^-8 of all of them too.
 */
#ifndef GAIT_TESTS_KERNEL_FIXTURE_H
#define GAIT_TESTS_KERNEL_FIXTURE_H

#include "base/mem.h"
#include "cmocka_setup.h"
#include "engine/engine.h"
#include "engine/vector_ops.h"

#include <math.h>
#include <string.h>

static const double F32_UNIT = 32 * 0x1p-24;
static const double BF16_ROUNDING = 0x1p-8;
static const double BF16_UNIT = 2 * 0x1p-8;

static const char *const PRECISIONS[] = {"f32", "bf16"};
static const char *const ATTENTIONS[] = {"plain", "tiled"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline struct engine engine_of(const char *name, const char *precision,
                                      const char *attention)
{
    struct engine e;
    struct err err = ERR_INIT;
    const struct engine_options options = {name, precision, attention};
    assert_int_equal(engine_init(&e, &options, &err), STATUS_OK);
    return e;
}

/* The plain loops of each precision, and the faster ones of vector_ops.h that this machine
 * can run: the place'th engine that is there, *place then behind it; false: no more. */
static inline bool loops_engine(struct engine *e, size_t *place)
{
    static const struct {
        const char *precision;
        void (*put)(struct engine_ops *ops);
        bool (*is_there)(void);
    } all[] = {
        {"f32", NULL, NULL},
        {"bf16", NULL, NULL},
        {"f32", vector_ops_put_f32, vector_ops_are_there},
        {"bf16", vector_ops_put_bf16, vector_ops_are_there},
        {"bf16", vector_ops_put_bf16_native, vector_ops_native_are_there},
    };
    while (*place < COUNT(all) && all[*place].put && !all[*place].is_there())
        ++*place;
    if (*place == COUNT(all))
        return false;
    *e = engine_of("reference", all[*place].precision, "plain");
    if (all[*place].put)
        all[*place].put(&e->ops);
    ++*place;
    return true;
}

/* Of a sum whose terms were stored in the engine's numbers. */
static inline double act_unit(const struct engine *e)
{
    return e->bf16 ? BF16_UNIT : F32_UNIT;
}

/* What a test took, one allocation each so that a sanitizer sees every border. */
enum { POOL_MAX = 64 };
struct pool {
    void *p[POOL_MAX];
    size_t n;
};

static inline void *pool_take(struct pool *pool, size_t bytes)
{
    assert_true(pool->n < POOL_MAX);
    return pool->p[pool->n++] = mem_alloc(bytes);
}

static inline void pool_release(struct pool *pool)
{
    while (pool->n)
        mem_free(pool->p[--pool->n]);
}

/* n numbers as a kernel sees them, and the same in double. */
struct tensor {
    int64_t n;
    bool bf16;
    union {
        act *a;
        real *r;
        uint16_t *bits; /* of bf16 */
    };
    double *x;
};

static inline size_t tensor_bytes(const struct tensor *t)
{
    return (size_t)t->n * (t->bf16 ? sizeof(uint16_t) : sizeof(real));
}

/* The bf16 next to x, the even one of two: by the distance, not by the bits' arithmetic.
 */
static inline uint16_t nearest_bf16(float x)
{
    uint32_t bits, below, above;
    float low, high;
    memcpy(&bits, &x, sizeof bits);
    below = bits & 0xffff0000u;
    above = below + 0x10000u;
    memcpy(&low, &below, sizeof low);
    memcpy(&high, &above, sizeof high);
    double to_low = fabs((double)x - (double)low),
           to_high = fabs((double)high - (double)x);
    if (to_low == to_high)
        return (uint16_t)((below >> 16 & 1 ? above : below) >> 16);
    return (uint16_t)((to_low < to_high ? below : above) >> 16);
}

static inline double bf16_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return (double)x;
}

/* x once more, after a kernel wrote the numbers. */
static inline void tensor_read(const struct tensor *t)
{
    for (int64_t i = 0; i < t->n; i++)
        t->x[i] = t->bf16 ? bf16_value(t->bits[i]) : (double)t->r[i];
}

static inline void tensor_set(const struct tensor *t, int64_t i, double value)
{
    if (t->bf16)
        t->bits[i] = nearest_bf16((float)value);
    else
        t->r[i] = (real)value;
    t->x[i] = t->bf16 ? bf16_value(t->bits[i]) : (double)t->r[i];
}

/* Every number a NaN: what a kernel leaves unwritten, or reads too early, is seen. */
static inline void tensor_poison(const struct tensor *t)
{
    memset(t->a, 0xff, tensor_bytes(t));
}

static inline struct tensor tensor_empty(struct pool *pool, bool in_bf16, int64_t n)
{
    struct tensor t = {.n = n, .bf16 = in_bf16};
    t.a = pool_take(pool, tensor_bytes(&t));
    t.x = pool_take(pool, (size_t)n * sizeof *t.x);
    tensor_poison(&t);
    return t;
}

/* In [-1, 1), the same for the same seed. */
static inline double random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static inline struct tensor tensor_random(struct pool *pool, bool in_bf16, int64_t n,
                                          uint64_t seed)
{
    struct tensor t = tensor_empty(pool, in_bf16, n);
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    for (int64_t i = 0; i < n; i++)
        tensor_set(&t, i, random_next(&state));
    return t;
}

static inline int32_t *random_tokens(struct pool *pool, int64_t n, int64_t vocab,
                                     uint64_t seed)
{
    int32_t *token = pool_take(pool, (size_t)n * sizeof *token);
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    for (int64_t i = 0; i < n; i++)
        token[i] = (int32_t)((random_next(&state) + 1) / 2 * (double)vocab);
    return token;
}

/* What a formula says: values, and the sizes of the terms they are the sum of. */
struct sums {
    double *value, *size; /* (n) */
};

static inline struct sums sums_new(struct pool *pool, int64_t n)
{
    size_t bytes = (size_t)n * sizeof(double);
    struct sums s = {pool_take(pool, bytes), pool_take(pool, bytes)};
    memset(s.value, 0, bytes);
    memset(s.size, 0, bytes);
    return s;
}

static inline void sums_add(struct sums s, int64_t i, double term)
{
    s.value[i] += term;
    s.size[i] += fabs(term);
}

/* A term that is a sum itself, of this size. */
static inline void sums_add_sized(struct sums s, int64_t i, double term, double size)
{
    s.value[i] += term;
    s.size[i] += size;
}

/* |got - value| <= of_terms size + of_value |value|, for every number. */
static inline void check_sums(const char *what, const struct tensor *t, struct sums s,
                              double of_terms, double of_value)
{
    tensor_read(t);
    for (int64_t i = 0; i < t->n; i++) {
        double off = fabs(t->x[i] - s.value[i]);
        if (!(off <= of_terms * s.size[i] + of_value * fabs(s.value[i]) + 1e-37))
            fail_msg("%s[%lld] of %lld is %.9g, the formula says %.9g of terms %.3g: off "
                     "by %.2g of them",
                     what, (long long)i, (long long)t->n, t->x[i], s.value[i], s.size[i],
                     off / s.size[i]);
    }
}

/* A sum in f32 that is stored as it is, or rounded to bf16 once. */
#define assert_sums(tensor, sums)                                                        \
    check_sums(#tensor, tensor, sums, F32_UNIT, (tensor)->bf16 ? BF16_ROUNDING : 0)
/* The same where bf16 stood between: its terms are only as good. */
#define assert_sums_of_acts(e, tensor, sums)                                             \
    check_sums(#tensor, tensor, sums, act_unit(e), 0)

/* Run code with 1 to 3 threads; each time `tensor` must hold the same bits. */
#define assert_same_for_any_threads(tensor, code)                                        \
    do {                                                                                 \
        size_t bytes_ = tensor_bytes(tensor);                                            \
        void *first_ = mem_alloc(bytes_);                                                \
        for (int threads_ = 1; threads_ <= 3; threads_++) {                              \
            engine_set_threads(threads_);                                                \
            code;                                                                        \
            if (threads_ == 1)                                                           \
                memcpy(first_, (tensor)->a, bytes_);                                     \
            assert_memory_equal(first_, (tensor)->a, bytes_);                            \
        }                                                                                \
        mem_free(first_);                                                                \
    } while (0)

#endif
