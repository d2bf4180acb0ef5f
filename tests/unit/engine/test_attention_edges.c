/* Attention where arithmetic is at its edges, and attention over a cache. */
#include "attention_fixture.h"

/* Scores so far apart that one key takes all, and so large that e^s would overflow. */
static void sharp_attention_picks_one_key(void **state)
{
    (void)state;
    enum { T = 70, D = 4 };
    for (size_t kind = 0; kind < COUNT(ATTENTIONS); kind++) {
        struct engine e = engine_of("reference", "f32", ATTENTIONS[kind]);
        struct pool pool = {.n = 0};
        struct attention_data d = attention_data(
            &pool, &e, (struct attention){.B = 1, .T = T, .H = 1, .G = 1, .D = D});
        for (int64_t t = 0; t < T; t++)
            for (int64_t i = 0; i < D; i++) { /* scores are 2000 * (t2 % 7) */
                d.qkv.r[t * 3 * D + i] = 100;
                d.qkv.r[t * 3 * D + D + i] = 10 * (real)(t % 7);
            }
        attention_run(&e, &d);
        for (int64_t t = 6; t < T; t++) {
            double mean[D] = {0}, n = 0; /* of the values whose key is the largest */
            for (int64_t t2 = 6; t2 <= t; t2 += 7, n++)
                for (int64_t i = 0; i < D; i++)
                    mean[i] += (double)d.qkv.r[t2 * 3 * D + 2 * D + i];
            for (int64_t i = 0; i < D; i++)
                assert_true(fabs((double)d.out.r[t * D + i] - mean[i] / n) < F32_UNIT);
            assert_true(fabs((double)d.lse.r[t] - 12000 - log(n)) < 12000 * F32_UNIT);
        }
        for (int64_t i = 0; i < d.dqkv.n; i++)
            assert_true(isfinite(d.dqkv.r[i]));
        pool_release(&pool);
    }
}

/* A run that is broken must be seen to be: what is not finite in a query or a key is not
 * finite in the output, however its sign, and rows before it do not see it. */
static void what_is_not_finite_stays_so_and_stays_in_order(void **state)
{
    (void)state;
    enum { T = 70, D = 4, BAD = 40 };
#ifdef __clang__ /* begins a maximum at the least finite number, as OpenMP allows */
    static const double bad[] = {NAN, INFINITY};
#else
    static const double bad[] = {NAN, INFINITY, -INFINITY};
#endif
    for (size_t k = 0; k < 2 * ATTENTION_KINDS * COUNT(bad); k++) {
        const size_t kind = k >> 1 & 3;
        struct engine e;
        if (!attention_engine(&e, PRECISIONS[k & 1], kind))
            continue;
        struct pool pool = {.n = 0};
        struct attention_data d = attention_data(
            &pool, &e, (struct attention){.B = 1, .T = T, .H = 1, .G = 1, .D = D});
        for (int64_t t = 0; t < T; t++)
            for (int64_t i = 0; i < D; i++)
                tensor_set(&d.qkv, t * 3 * D + D + i, 0.5); /* keys above 0 */
        if (isnan(bad[k >> 3]))
            memset((char *)d.qkv.a + tensor_bytes(&d.qkv) / (T * 3) * (BAD * 3), 0xff,
                   e.act_bytes);
        else
            tensor_set(&d.qkv, BAD * 3 * D, bad[k >> 3]); /* of the query */
        attention_run(&e, &d);
        tensor_read(&d.out);
        for (int64_t t = 0; t < T; t++)
            for (int64_t i = 0; i < D; i++)
                if ((t == BAD) == (isfinite(d.out.x[t * D + i]) != 0))
                    fail_msg("%s %s: a query of %g at token %d, and out[%lld] is %g",
                             PRECISIONS[k & 1], attention_kind_text(kind), bad[k >> 3],
                             BAD, (long long)t, d.out.x[t * D + i]);
        pool_release(&pool);
    }
}

/* Tokens one by one over a cache give the rows of attention over all of them. */
static void cached_case(const struct engine *e, struct attention a)
{
    struct pool pool = {.n = 0};
    struct attention_data d = attention_data(&pool, e, a);
    int64_t row = attention_row(&a), width = a.H * a.D;
    struct tensor k = tensor_empty(&pool, e->bf16, a.B * a.T * a.G * a.D);
    struct tensor v = tensor_empty(&pool, e->bf16, a.B * a.T * a.G * a.D);
    struct tensor scores = tensor_empty(&pool, false, a.B * a.H * a.T);
    struct tensor one = tensor_empty(&pool, e->bf16, a.B * row);
    struct tensor out = tensor_empty(&pool, e->bf16, a.B * width);
    struct sums want = sums_new(&pool, a.B * width);
    attention_expect(&d);
    for (int64_t t = 0; t < a.T; t++) {
        for (int64_t i = 0; i < a.B * row; i++)
            tensor_set(&one, i, d.qkv.x[(i / row * a.T + t) * row + i % row]);
        for (int64_t i = 0; i < a.B * width; i++) {
            int64_t at = (i / width * a.T + t) * width + i % width;
            want.value[i] = d.want_out.value[at];
            want.size[i] = d.want_out.size[at];
        }
        tensor_poison(&out);
        e->ops.attention_cached(&a, out.a, k.a, v.a, scores.r, one.a, t);
        assert_sums(&out, want);
    }
    pool_release(&pool);
}

static void attention_over_a_cache_is_attention_over_all(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(PRECISIONS); p++) {
        struct engine e = engine_of("reference", PRECISIONS[p], "plain");
        engine_set_threads((int)p + 1);
        cached_case(&e, (struct attention){.B = 1, .T = 1, .H = 1, .G = 1, .D = 1});
        cached_case(&e, (struct attention){.B = 2, .T = 33, .H = 4, .G = 2, .D = 5});
        cached_case(&e, (struct attention){.B = 1, .T = 65, .H = 3, .G = 3, .D = 24});
        cached_case(&e, (struct attention){.B = 3, .T = 17, .H = 6, .G = 1, .D = 16});
        cached_case(&e, (struct attention){.B = 1, .T = 9, .H = 2, .G = 1, .D = 136});
    }
}

/* The sizes a plan is made of. */
static void tiled_attention_keeps_nothing_that_grows_with_the_square(void **state)
{
    (void)state;
    struct engine plain = engine_of("reference", "bf16", "plain");
    struct engine tiled = engine_of("reference", "bf16", "tiled");
    struct attention a = {.B = 2, .T = 4096, .H = 4, .G = 2, .D = 64};
    assert_int_equal(plain.ops.attention.kept(&a), 2LL * 4 * 4096 * 4096);
    assert_int_equal(tiled.ops.attention.kept(&a), 0);
    size_t once = tiled.ops.attention.scratch_bytes(&a, 1);
    assert_int_equal(tiled.ops.attention.scratch_bytes(&a, 3), 3 * once);
    a.T *= 2;
    assert_true(tiled.ops.attention.scratch_bytes(&a, 1) < 2 * once + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharp_attention_picks_one_key),
        cmocka_unit_test(what_is_not_finite_stays_so_and_stays_in_order),
        cmocka_unit_test(attention_over_a_cache_is_attention_over_all),
        cmocka_unit_test(tiled_attention_keeps_nothing_that_grows_with_the_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
