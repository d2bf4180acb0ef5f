/* Which numbers are dropped: how many, the same in both passes, and never the same in two
 * places. */
#include "attention_fixture.h"

enum { N = 100003 };

static int64_t count_zeros(const struct tensor *t)
{
    int64_t zeros = 0;
    tensor_read(t);
    for (int64_t i = 0; i < t->n; i++)
        zeros += t->x[i] == 0;
    return zeros;
}

/* A tensor of ones through the residual's gradient: the factors themselves. */
static struct tensor factors(struct pool *pool, const struct engine *e,
                             const struct dropout *d, int64_t n)
{
    struct tensor ones = tensor_empty(pool, false, n), t = tensor_empty(pool, e->bf16, n);
    for (int64_t i = 0; i < n; i++)
        tensor_set(&ones, i, 1);
    assert_same_for_any_threads(&t, op_residual_backward(e, t.a, ones.r, d, n));
    return t;
}

static void as_many_are_dropped_as_asked_for(void **state)
{
    (void)state;
    static const double probabilities[] = {0.01, 0.1, 0.5, 0.9, 0.99};
    struct engine e = engine_of("reference", "f32", "plain");
    for (size_t i = 0; i < COUNT(probabilities); i++) {
        struct pool pool = {.n = 0};
        double p = probabilities[i], five_deviations = 5 * sqrt(p * (1 - p) * N);
        struct dropout d = {.probability = p, .seed = 1337, .site = 3, .position = 12};
        struct tensor t = factors(&pool, &e, &d, N);
        assert_true(fabs((double)count_zeros(&t) - p * N) < five_deviations);
        for (int64_t k = 0; k < N; k++) /* and the others make up for them */
            assert_true(t.r[k] == 0 || t.r[k] == (real)(1 / (1 - p)));
        pool_release(&pool);
    }
}

static void every_op_uses_the_mask_of_the_definition(void **state)
{
    (void)state;
    const struct dropout d = {.probability = 0.2, .seed = 1u << 31, .site = 7};
    const int64_t n = 1023; /* pieces of 256, and a rest */
    for (size_t p = 0; p < COUNT(PRECISIONS); p++) {
        struct engine e = engine_of("reference", PRECISIONS[p], "plain");
        struct pool pool = {.n = 0};
        struct tensor before = tensor_random(&pool, false, n, 1);
        struct tensor stream = tensor_random(&pool, false, n, 1);
        struct tensor dropped = tensor_random(&pool, false, n, 1);
        struct tensor branch = tensor_random(&pool, e.bf16, n, 2);
        struct tensor dbranch = tensor_empty(&pool, e.bf16, n);
        struct sums add = sums_new(&pool, n), back = sums_new(&pool, n);
        struct sums drop = sums_new(&pool, n);
        for (int64_t i = 0; i < n; i++) {
            double factor = dropout_factor(&d, (uint64_t)i);
            sums_add(add, i, before.x[i]);
            sums_add(add, i, factor * branch.x[i]);
            sums_add(back, i, factor * before.x[i]);
            sums_add(drop, i, factor * before.x[i]);
        }
        op_residual_add(&e, stream.r, branch.a, &d, n);
        op_residual_backward(&e, dbranch.a, before.r, &d, n);
        op_dropout_stream(&e, dropped.r, &d, n);
        assert_sums(&stream, add);
        assert_sums(&dbranch, back);
        assert_sums(&dropped, drop);
        pool_release(&pool);
    }
}

/* Two independent masks agree where both keep or both drop: in half of all places. */
static void assert_unrelated(const struct tensor *a, const struct tensor *b)
{
    int64_t same = 0;
    for (int64_t i = 0; i < a->n; i++)
        same += (a->r[i] == 0) == (b->r[i] == 0);
    assert_true(fabs((double)same / (double)a->n - 0.5) < 5 * 0.5 / sqrt((double)a->n));
}

static void seeds_sites_and_positions_have_masks_of_their_own(void **state)
{
    (void)state;
    const struct dropout d[] = {
        {.probability = 0.5, .seed = 1, .site = 1, .position = 1},
        {.probability = 0.5, .seed = 2, .site = 1, .position = 1},
        {.probability = 0.5, .seed = 1, .site = 2, .position = 1},
        {.probability = 0.5, .seed = 1, .site = 1, .position = 2},
        {.probability = 0.5, .seed = 1 | UINT64_C(1) << 53, .site = 1, .position = 1},
    };
    struct engine e = engine_of("reference", "f32", "plain");
    struct pool pool = {.n = 0};
    struct tensor t[COUNT(d)];
    for (size_t i = 0; i < COUNT(d); i++)
        t[i] = factors(&pool, &e, &d[i], N);
    for (size_t i = 0; i < COUNT(d); i++)
        for (size_t k = 0; k < i; k++)
            assert_unrelated(&t[i], &t[k]);
    pool_release(&pool);
}

/* Queries of 0 and values that are the unit vectors: out is the row of factors, over the
 * t + 1 keys that share the attention. Every row of every head and sequence is read. */
enum { B = 2, H = 4, G = 2, T = 62, D = 64, ROWS = B * H * T };

static void read_masks(uint64_t *mask, const struct engine *e)
{
    struct pool pool = {.n = 0};
    struct attention a = {.B = B, .T = T, .H = H, .G = G, .D = D};
    a.dropout = (struct dropout){.probability = 0.5, .seed = 3, .site = 4, .position = 5};
    struct attention_data d = attention_data(&pool, e, a);
    int64_t row = attention_row(&a);
    for (int64_t i = 0; i < d.qkv.n; i++)
        d.qkv.r[i] = i % row >= (H + G) * D && i % D == i / row % T;
    attention_run(e, &d);
    for (int64_t r = 0; r < ROWS; r++) {
        int64_t b = r / (H * T), h = r / T % H, t = r % T;
        mask[r] = 0;
        for (int64_t k = 0; k <= t; k++)
            if (d.out.r[((b * T + t) * H + h) * D + k] != 0)
                mask[r] |= UINT64_C(1) << k;
        assert_true(mask[r] >> 1 >> t == 0);
    }
    pool_release(&pool);
}

static void plain_and_tiled_attention_drop_the_same(void **state)
{
    (void)state;
    static uint64_t plain[ROWS], tiled[ROWS];
    struct engine e = engine_of("reference", "f32", "plain");
    read_masks(plain, &e);
    e = engine_of("reference", "f32", "tiled");
    read_masks(tiled, &e);
    assert_memory_equal(plain, tiled, sizeof plain);
}

/* Were two rows to share draws, one would be the other, or part of it moved along. 24
 * places agree by chance once in 2^24; there are fewer than 2^18 comparisons. */
static void no_two_rows_of_attention_share_draws(void **state)
{
    (void)state;
    enum { LONG = 32, AGREE = 24 };
    static uint64_t mask[ROWS];
    const uint64_t low = (UINT64_C(1) << AGREE) - 1;
    struct engine e = engine_of("reference", "f32", "plain");
    read_masks(mask, &e);
    for (int r = 0; r < ROWS; r++) {
        for (int other = 0; other < r; other++) {
            if (r % T < LONG || other % T < LONG)
                continue;
            for (int shift = 0; shift + AGREE <= LONG; shift += 4) {
                assert_true((mask[r] >> shift & low) != (mask[other] & low));
                assert_true((mask[other] >> shift & low) != (mask[r] & low));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_are_dropped_as_asked_for),
        cmocka_unit_test(every_op_uses_the_mask_of_the_definition),
        cmocka_unit_test(seeds_sites_and_positions_have_masks_of_their_own),
        cmocka_unit_test(plain_and_tiled_attention_drop_the_same),
        cmocka_unit_test(no_two_rows_of_attention_share_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
