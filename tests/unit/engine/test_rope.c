/* Rotary positions against a rotation of complex numbers. */
#include "kernel_fixture.h"

#include <complex.h>

static const struct attention SHAPES[] = {
    {.B = 1, .T = 1, .H = 1, .G = 1, .D = 2},  {.B = 2, .T = 7, .H = 3, .G = 3, .D = 6},
    {.B = 2, .T = 5, .H = 4, .G = 2, .D = 10}, {.B = 1, .T = 9, .H = 6, .G = 1, .D = 64},
    {.B = 3, .T = 3, .H = 2, .G = 2, .D = 34},
};

struct rope_data {
    struct tensor qkv, cosine, sine;
};

static struct rope_data rope_data(struct pool *pool, bool bf16, const struct attention *a)
{
    int64_t half = a->D / 2;
    struct rope_data d = {
        .qkv = tensor_random(pool, bf16, a->B * a->T * attention_row(a), 1),
        .cosine = tensor_empty(pool, false, a->T * half),
        .sine = tensor_empty(pool, false, a->T * half),
    };
    for (int64_t i = 0; i < a->T * half; i++) {
        double angle = 0.7 * (double)(i + 1);
        tensor_set(&d.cosine, i, cos(angle));
        tensor_set(&d.sine, i, sin(angle));
    }
    return d;
}

/* Pair d of a head as a complex number, times that of its position; values stay. */
static void turn(struct sums s, const struct rope_data *d, const struct attention *a,
                 bool inverse)
{
    int64_t row = attention_row(a), half = a->D / 2;
    for (int64_t i = 0; i < d->qkv.n; i++) {
        int64_t head = i % row / a->D, place = i % a->D, t = i / row % a->T;
        if (head >= a->H + a->G) {
            sums_add(s, i, d->qkv.x[i]);
            continue;
        }
        int64_t first = place < half ? i : i - half, angle = t * half + place % half;
        double complex z = d->qkv.x[first] + I * d->qkv.x[first + half];
        double complex w = d->cosine.x[angle] + I * d->sine.x[angle];
        double complex turned = z * (inverse ? conj(w) : w);
        s.value[i] = place < half ? creal(turned) : cimag(turned);
        s.size[i] = fabs(creal(z)) + fabs(cimag(z));
    }
}

static void it_turns_queries_and_keys_and_leaves_values(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(PRECISIONS); p++) {
        struct engine e = engine_of("reference", PRECISIONS[p], "plain");
        for (size_t i = 0; i < 2 * COUNT(SHAPES); i++) {
            const struct attention *a = &SHAPES[i / 2];
            bool inverse = i % 2;
            struct pool pool = {.n = 0};
            struct rope_data d = rope_data(&pool, e.bf16, a);
            struct sums want = sums_new(&pool, d.qkv.n);
            turn(want, &d, a, inverse);
            op_rope(&e, a, d.qkv.a, d.cosine.r, d.sine.r, inverse);
            assert_sums(&d.qkv, want);
            pool_release(&pool);
        }
    }
}

/* There and back: two roundings. */
static void inverse_turns_back(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(PRECISIONS); p++) {
        struct engine e = engine_of("reference", PRECISIONS[p], "plain");
        for (size_t i = 0; i < COUNT(SHAPES); i++) {
            const struct attention *a = &SHAPES[i];
            struct pool pool = {.n = 0};
            struct rope_data d = rope_data(&pool, e.bf16, a);
            struct sums want = sums_new(&pool, d.qkv.n);
            turn(want, &d, a, false); /* for the sizes */
            memcpy(want.value, d.qkv.x, (size_t)d.qkv.n * sizeof *want.value);
            op_rope(&e, a, d.qkv.a, d.cosine.r, d.sine.r, false);
            op_rope(&e, a, d.qkv.a, d.cosine.r, d.sine.r, true);
            assert_sums_of_acts(&e, &d.qkv, want);
            pool_release(&pool);
        }
    }
}

/* The gradient of y = R x is R^T dy: R x . dy = x . R^T dy for any x and dy. */
static void inverse_is_the_gradient(void **state)
{
    (void)state;
    struct engine e = engine_of("reference", "f32", "plain");
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        const struct attention *a = &SHAPES[i];
        struct pool pool = {.n = 0};
        struct rope_data x = rope_data(&pool, false, a);
        struct tensor dy = tensor_random(&pool, false, x.qkv.n, 2);
        double before = 0, after = 0, size = 0;
        double *was_x = pool_take(&pool, (size_t)dy.n * sizeof(double));
        memcpy(was_x, x.qkv.x, (size_t)dy.n * sizeof *was_x);
        op_rope(&e, a, x.qkv.a, x.cosine.r, x.sine.r, false);
        tensor_read(&x.qkv);
        for (int64_t k = 0; k < dy.n; k++)
            before += x.qkv.x[k] * dy.x[k];
        op_rope(&e, a, dy.a, x.cosine.r, x.sine.r, true);
        tensor_read(&dy);
        for (int64_t k = 0; k < dy.n; k++) {
            after += was_x[k] * dy.x[k];
            size += fabs(was_x[k] * dy.x[k]);
        }
        assert_true(fabs(before - after) <= F32_UNIT * size);
        pool_release(&pool);
    }
}

static void no_bit_depends_on_the_number_of_threads(void **state)
{
    (void)state;
    struct engine e = engine_of("reference", "bf16", "plain");
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        struct pool pool = {.n = 0};
        struct rope_data d = rope_data(&pool, true, &SHAPES[i]);
        struct tensor fresh = tensor_random(&pool, true, d.qkv.n, 1);
        assert_same_for_any_threads(
            &d.qkv, memcpy(d.qkv.a, fresh.a, tensor_bytes(&fresh));
            op_rope(&e, &SHAPES[i], d.qkv.a, d.cosine.r, d.sine.r, false));
        pool_release(&pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_turns_queries_and_keys_and_leaves_values),
        cmocka_unit_test(inverse_turns_back),
        cmocka_unit_test(inverse_is_the_gradient),
        cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
