/* Embeddings: a token's vector plus its position's, in full precision, and back. */
#include "kernel_fixture.h"

enum { B = 3, T = 7, V = 11, M = B * T };
static const int64_t WIDTHS[] = {1, 5, 32, 33, 70};

/* A table as the engine stores it: f32, or the two halves of f32. */
struct table {
    struct tensor master; /* f32 */
    uint16_t *high;
    int16_t *low;
};

static struct table table_new(struct pool *pool, const struct engine *e, int64_t n,
                              uint64_t seed)
{
    struct table t = {.master = tensor_random(pool, false, n, seed)};
    if (!e->bf16)
        return t;
    t.high = pool_take(pool, (size_t)n * sizeof *t.high);
    t.low = pool_take(pool, (size_t)n * sizeof *t.low);
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &t.master.r[i], sizeof bits);
        int32_t below = (int32_t)(bits & 0xffff);
        t.high[i] = (uint16_t)((bits >> 16) + (below >= 0x8000));
        t.low[i] = (int16_t)(below >= 0x8000 ? below - 0x10000 : below);
    }
    return t;
}

static struct weight weight_of(const struct table *t)
{
    return t->high ? (struct weight){(const act *)t->high, t->low}
                   : (struct weight){t->master.a, NULL};
}

static void forward_case(const struct engine *e, int64_t C)
{
    struct pool pool = {.n = 0};
    int32_t *tokens = random_tokens(&pool, M, V, 1);
    struct table wte = table_new(&pool, e, V * C, 2), wpe = table_new(&pool, e, T * C, 3);
    struct tensor out = tensor_empty(&pool, false, M * C);
    const struct weight none = {NULL, NULL};
    assert_same_for_any_threads(&out,
                                op_embedding_forward(e, out.r, tokens, weight_of(&wte),
                                                     weight_of(&wpe), B, T, C));
    for (int64_t i = 0; i < M * C; i++) {
        int64_t m = i / C, c = i % C;
        assert_true(out.r[i] ==
                    wte.master.r[tokens[m] * C + c] + wpe.master.r[m % T * C + c]);
    }
    op_embedding_forward(e, out.r, tokens, weight_of(&wte), none, B, T, C);
    for (int64_t i = 0; i < M * C; i++)
        assert_true(out.r[i] == wte.master.r[tokens[i / C] * C + i % C]);
    pool_release(&pool);
}

static void forward_is_exact_in_both_precisions(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(WIDTHS); i++) {
        struct engine e = engine_of("reference", PRECISIONS[i % 2], "plain");
        forward_case(&e, WIDTHS[i / 2]);
    }
}

/* What a head that shares the table has left in dwte stays; dwpe is added to only where
 * that is asked for. */
static void backward_case(const struct engine *e, int64_t C, bool positions,
                          bool accumulate)
{
    struct pool pool = {.n = 0};
    int32_t *tokens = random_tokens(&pool, M, V, 1);
    struct tensor dout = tensor_random(&pool, false, M * C, 2);
    struct tensor dwte = tensor_random(&pool, false, V * C, 3);
    struct tensor dwpe = tensor_random(&pool, false, T * C, 4);
    struct sums want_wte = sums_new(&pool, V * C), want_wpe = sums_new(&pool, T * C);
    for (int64_t i = 0; i < V * C; i++)
        sums_add(want_wte, i, dwte.x[i]);
    for (int64_t i = 0; i < T * C && accumulate; i++)
        sums_add(want_wpe, i, dwpe.x[i]);
    for (int64_t i = 0; i < M * C; i++) {
        sums_add(want_wte, tokens[i / C] * C + i % C, dout.x[i]);
        sums_add(want_wpe, i / C % T * C + i % C, dout.x[i]);
    }
    if (!accumulate)
        tensor_poison(&dwpe);
    op_embedding_backward(e, dwte.r, positions ? dwpe.r : NULL, dout.r, tokens, B, T, C,
                          accumulate);
    assert_sums(&dwte, want_wte);
    if (positions)
        assert_sums(&dwpe, want_wpe);
    pool_release(&pool);
}

static void backward_adds_every_place_a_token_stands_at(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(WIDTHS); i++) {
        for (int kind = 0; kind < 8; kind++) {
            struct engine e = engine_of("reference", PRECISIONS[kind & 1], "plain");
            backward_case(&e, WIDTHS[i], kind & 2, kind & 4);
        }
    }
}

static void no_bit_depends_on_the_number_of_threads(void **state)
{
    (void)state;
    struct engine e = engine_of("reference", "f32", "plain");
    for (size_t i = 0; i < COUNT(WIDTHS); i++) {
        int64_t C = WIDTHS[i];
        struct pool pool = {.n = 0};
        int32_t *tokens = random_tokens(&pool, M, V, 1);
        struct tensor dout = tensor_random(&pool, false, M * C, 2);
        struct tensor dwte = tensor_empty(&pool, false, V * C);
        struct tensor dwpe = tensor_empty(&pool, false, T * C);
        assert_same_for_any_threads(
            &dwte, memset(dwte.r, 0, tensor_bytes(&dwte));
            op_embedding_backward(&e, dwte.r, dwpe.r, dout.r, tokens, B, T, C, false));
        assert_same_for_any_threads(
            &dwpe,
            op_embedding_backward(&e, dwte.r, dwpe.r, dout.r, tokens, B, T, C, false));
        pool_release(&pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_is_exact_in_both_precisions),
        cmocka_unit_test(backward_adds_every_place_a_token_stands_at),
        cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
