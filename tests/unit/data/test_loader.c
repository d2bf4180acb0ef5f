#include "data/loader.h"

#include "base/mem.h"
#include "cmocka_setup.h"

#include <string.h>

enum { N = 1000, BATCH = 12, T = 16 };

static token_id text[N];

/* Distinct tokens: an input tells where it came from. */
static int fill_text(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++)
        text[i] = (token_id)i;
    return 0;
}

static struct loader make(size_t n, struct loader_options o)
{
    struct loader l;
    struct err err = ERR_INIT;
    enum status st = loader_init(&l, (struct token_range){text, n}, &o, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(st, STATUS_OK);
    return l;
}

static const struct loader_options plain = {
    .batch = BATCH, .context = T, .seed = 1, .ranks = 1};

static void targets_are_the_next_characters(void **state)
{
    (void)state;
    struct loader l = make(N, plain);
    int32_t in[BATCH * T], out[BATCH * T];
    loader_train(&l, 3, in, out);
    for (int b = 0; b < BATCH; b++)
        for (int t = 0; t < T; t++) {
            assert_int_equal(in[b * T + t], in[b * T] + t);
            assert_int_equal(out[b * T + t], in[b * T] + t + 1);
            assert_in_range(out[b * T + t], 1, N - 1);
        }
}

static void batches_depend_on_seed_and_step_alone(void **state)
{
    (void)state;
    struct loader a = make(N, plain), b = make(N, plain);
    struct loader_options other_seed = plain;
    other_seed.seed = 2;
    struct loader c = make(N, other_seed);
    int32_t in[3][BATCH * T], out[BATCH * T];
    loader_train(&a, 0, in[0], out); /* what was asked before does not matter */
    loader_train(&a, 7, in[0], out);
    loader_train(&b, 7, in[1], out);
    loader_train(&c, 7, in[2], out);
    assert_memory_equal(in[0], in[1], sizeof in[0]);
    assert_memory_not_equal(in[0], in[2], sizeof in[0]);
    loader_train(&b, 8, in[1], out);
    assert_memory_not_equal(in[0], in[1], sizeof in[0]);
}

static void ranks_together_see_what_one_sees(void **state)
{
    (void)state;
    struct loader one = make(N, plain);
    int32_t all[BATCH * T], shares[BATCH * T], out[BATCH * T];
    for (int64_t step = 0; step < 20; step++) {
        loader_train(&one, step, all, out);
        for (int rank = 0; rank < 3; rank++) {
            struct loader_options o = plain;
            o.rank = rank;
            o.ranks = 3;
            struct loader l = make(N, o);
            assert_int_equal(l.rows, BATCH / 3);
            loader_train(&l, step, shares + rank * l.rows * T, out);
        }
        assert_memory_equal(all, shares, sizeof all);
    }
}

static void an_epoch_visits_each_window_once(void **state)
{
    (void)state;
    struct loader_options o = plain;
    o.batch = 1;
    struct loader l = make(N, o);
    int32_t in[T], out[T];
    assert_int_equal(l.windows, (N - T) / T);
    for (int64_t epoch = 0; epoch < 5; epoch++) {
        uint8_t seen[N] = {0};
        for (int64_t i = 0; i < l.windows; i++) {
            loader_train(&l, epoch * l.windows + i, in, out);
            for (int t = 0; t < T; t++) {
                assert_false(seen[in[t]]);
                seen[in[t]] = 1;
            }
        }
    }
}

static void epochs_differ_in_offset_and_order(void **state)
{
    (void)state;
    struct loader_options o = plain;
    o.batch = 1;
    struct loader l = make(N, o);
    int32_t in[T], out[T];
    uint8_t offsets[T] = {0};
    int distinct = 0;
    for (int64_t epoch = 0; epoch < 200; epoch++) {
        loader_train(&l, epoch * l.windows, in, out);
        distinct += !offsets[in[0] % T];
        offsets[in[0] % T] = 1;
    }
    assert_int_equal(distinct, T);
}

static void the_shortest_text_still_gives_a_window(void **state)
{
    (void)state;
    int32_t in[BATCH * T], out[BATCH * T];
    for (size_t n = T + 1; n < 4 * T; n++) {
        struct loader l = make(n, plain);
        for (int64_t step = 0; step < 50; step++) {
            loader_train(&l, step, in, out);
            for (int b = 0; b < BATCH; b++)
                assert_true((size_t)out[b * T + T - 1] < n);
        }
    }
}

static void each_validation_character_is_scored_once(void **state)
{
    (void)state;
    for (int64_t min_context = 0; min_context < T; min_context++) {
        struct loader_options o = plain;
        o.min_context = min_context;
        struct loader l = make(N, o);
        int32_t in[BATCH * T], out[BATCH * T];
        int scored[N] = {0};
        int64_t windows = 0;
        for (int64_t i = 0; i < loader_validation_batches(&l); i++) {
            int64_t rows = loader_validation(&l, i, in, out);
            windows += rows;
            for (int64_t b = 0; b < rows; b++)
                for (int64_t t = min_context; t < T; t++)
                    scored[out[b * T + t]]++;
        }
        assert_int_equal(windows, l.validation_windows);
        int64_t stride = T - min_context;
        int64_t last = min_context + windows * stride;
        assert_true(last > N - 1 - stride && last <= N - 1);
        for (int64_t i = 0; i < N; i++)
            assert_int_equal(scored[i], i > min_context && i <= last);
        assert_int_equal(loader_validation(&l, loader_validation_batches(&l), in, out),
                         0);
    }
}

static void ranks_share_the_validation(void **state)
{
    (void)state;
    struct loader_options o = plain;
    o.min_context = 5;
    struct loader one = make(N, o);
    int32_t all[BATCH * T], share[BATCH * T], out[BATCH * T];
    o.ranks = 4;
    for (int64_t i = 0; i < loader_validation_batches(&one); i++) {
        int64_t rows = loader_validation(&one, i, all, out), sum = 0;
        for (o.rank = 0; o.rank < 4; o.rank++) {
            struct loader l = make(N, o);
            int64_t mine = loader_validation(&l, i, share, out);
            size_t bytes = (size_t)(mine * T) * sizeof *all;
            assert_memory_equal(share, all + o.rank * l.rows * T, bytes);
            sum += mine;
        }
        assert_int_equal(sum, rows);
    }
}

static void what_cannot_work_is_refused(void **state)
{
    (void)state;
    struct loader l;
    struct err err = ERR_INIT;
    struct token_range range = {text, N};
    struct loader_options o = plain;
    o.ranks = 5;
    assert_int_equal(loader_init(&l, range, &o, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "use batch_size 15"));
    o = plain;
    o.min_context = T;
    assert_int_equal(loader_init(&l, range, &o, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "use at most 15"));
    range.n = T;
    assert_int_equal(loader_init(&l, range, &plain, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "context + 1 = 17"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_the_next_characters),
        cmocka_unit_test(batches_depend_on_seed_and_step_alone),
        cmocka_unit_test(ranks_together_see_what_one_sees),
        cmocka_unit_test(an_epoch_visits_each_window_once),
        cmocka_unit_test(epochs_differ_in_offset_and_order),
        cmocka_unit_test(the_shortest_text_still_gives_a_window),
        cmocka_unit_test(each_validation_character_is_scored_once),
        cmocka_unit_test(ranks_share_the_validation),
        cmocka_unit_test(what_cannot_work_is_refused),
    };
    return cmocka_run_group_tests(tests, fill_text, NULL);
}
