#include "data/loader.h"

#include "cmocka_setup.h"

#include <string.h>

enum { N = 1000, BATCH = 12, T = 16 };

static uint16_t narrow[N / 2];
static uint32_t wide[N];
static struct token_range texts[N + 1]; /* by length */

/* Distinct tokens: an input tells where it came from. The first half is of two bytes and
 * in two pieces, the other of four. */
static int fill_texts(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        wide[i] = i;
        if (i < N / 2)
            narrow[i] = (uint16_t)i;
    }
    struct token_range *all = &texts[N];
    token_range_add(all, (struct token_piece){.base = narrow, .n = 33, .width = 2});
    token_range_add(
        all, (struct token_piece){.base = narrow + 33, .n = N / 2 - 33, .width = 2});
    token_range_add(all,
                    (struct token_piece){.base = wide + N / 2, .n = N / 2, .width = 4});
    for (size_t n = 0; n < N; n++)
        token_range_add_part(&texts[n], all, 0, n);
    return 0;
}

static int drop_texts(void **state)
{
    (void)state;
    for (size_t n = 0; n <= N; n++)
        token_range_release(&texts[n]);
    return 0;
}

static struct loader make(size_t n, struct loader_options o)
{
    struct loader l;
    struct err err = ERR_INIT;
    enum status st = loader_init(&l, &texts[n], &o, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(st, STATUS_OK);
    return l;
}

static void train(const struct loader *l, int64_t position, int32_t *in, int32_t *out)
{
    assert_int_equal(loader_train(l, position, in, out, NULL), STATUS_OK);
}

static int64_t validate(const struct loader *l, int64_t index, int32_t *in, int32_t *out)
{
    int64_t rows;
    assert_int_equal(loader_validation(l, index, &rows, in, out, NULL), STATUS_OK);
    return rows;
}

static const struct loader_options plain = {.batch = BATCH,
                                            .context = T,
                                            .seed = 1,
                                            .ranks = 1,
                                            .shuffle = true,
                                            .vocabulary = N};

static void targets_are_the_next_characters(void **state)
{
    (void)state;
    struct loader l = make(N, plain);
    int32_t in[BATCH * T], out[BATCH * T];
    train(&l, 3, in, out);
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
    train(&a, 0, in[0], out); /* what was asked before does not matter */
    train(&a, 7, in[0], out);
    train(&b, 7, in[1], out);
    train(&c, 7, in[2], out);
    assert_memory_equal(in[0], in[1], sizeof in[0]);
    assert_memory_not_equal(in[0], in[2], sizeof in[0]);
    train(&b, 8, in[1], out);
    assert_memory_not_equal(in[0], in[1], sizeof in[0]);
}

static void ranks_together_see_what_one_sees(void **state)
{
    (void)state;
    struct loader one = make(N, plain);
    int32_t all[BATCH * T], shares[BATCH * T], out[BATCH * T];
    for (int64_t step = 0; step < 20; step++) {
        train(&one, step, all, out);
        for (int rank = 0; rank < 3; rank++) {
            struct loader_options o = plain;
            o.rank = rank;
            o.ranks = 3;
            struct loader l = make(N, o);
            assert_int_equal(l.rows, BATCH / 3);
            train(&l, step, shares + rank * l.rows * T, out);
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
            train(&l, epoch * l.windows + i, in, out);
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
        train(&l, epoch * l.windows, in, out);
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
            train(&l, step, in, out);
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
            int64_t rows = validate(&l, i, in, out);
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
        assert_int_equal(validate(&l, loader_validation_batches(&l), in, out), 0);
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
        int64_t rows = validate(&one, i, all, out), sum = 0;
        for (o.rank = 0; o.rank < 4; o.rank++) {
            struct loader l = make(N, o);
            int64_t mine = validate(&l, i, share, out);
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
    struct loader_options o = plain;
    o.ranks = 5;
    assert_int_equal(loader_init(&l, &texts[N], &o, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "use batch_size 15"));
    o = plain;
    o.min_context = T;
    assert_int_equal(loader_init(&l, &texts[N], &o, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "use at most 15"));
    assert_int_equal(loader_init(&l, &texts[T], &plain, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "context + 1 = 17"));
}

/* Sample w is window w, and the text begins anew behind its last whole window. */
static void in_order_each_row_goes_on_where_the_last_ended(void **state)
{
    (void)state;
    struct loader_options o = plain;
    o.shuffle = false;
    for (size_t n = T + 1; n <= N; n += 41) {
        struct loader l = make(n, o);
        int64_t windows = ((int64_t)n - 1) / T;
        assert_int_equal(l.windows, windows);
        int32_t in[BATCH * T], out[BATCH * T];
        for (int64_t p = 0; p < 30; p++) {
            train(&l, p, in, out);
            for (int64_t b = 0; b < BATCH; b++)
                for (int64_t t = 0; t < T; t++) {
                    int64_t at = (p * BATCH + b) % windows * T + t;
                    assert_int_equal(in[b * T + t], at);
                    assert_int_equal(out[b * T + t], at + 1);
                }
        }
    }
}

static void ranks_share_the_rows_in_order_too(void **state)
{
    (void)state;
    struct loader_options o = plain;
    o.shuffle = false;
    struct loader one = make(N, o);
    int32_t all[BATCH * T], share[BATCH * T], out[BATCH * T];
    o.ranks = 4;
    for (int64_t p = 0; p < 10; p++) {
        train(&one, p, all, out);
        for (o.rank = 0; o.rank < 4; o.rank++) {
            struct loader l = make(N, o);
            train(&l, p, share + o.rank * l.rows * T, out);
        }
        assert_memory_equal(all, share, sizeof all);
    }
}

static void epochs_are_counted_in_windows(void **state)
{
    (void)state;
    struct loader_options o = plain;
    o.shuffle = false;
    struct loader l = make(N, o); /* 62 windows in batches of 12 */
    assert_int_equal(l.windows, 62);
    assert_int_equal(loader_epoch(&l, 0), 0);
    assert_int_equal(loader_epoch(&l, 5), 0); /* sample 60 */
    assert_int_equal(loader_epoch(&l, 6), 1); /* sample 72 */
    assert_int_equal(loader_positions(&l, 0), 0);
    assert_int_equal(loader_positions(&l, 1), 6);  /* 62 / 12, rounded up */
    assert_int_equal(loader_positions(&l, 6), 31); /* 372 / 12 */
    assert_float_equal(loader_epochs_behind(&l, 31), 6, 1e-12);
    assert_float_equal(loader_epochs_behind(&l, 1), 12.0 / 62, 1e-12);
    /* a position whose samples pass 2^63 */
    o.batch = 1 << 20;
    l = make(N, o);
    assert_int_equal(loader_epoch(&l, (int64_t)1 << 45), (int64_t)595056260442243600);
}

static void a_token_outside_the_vocabulary_is_an_error_with_its_place(void **state)
{
    (void)state;
    struct token_range bad = {0};
    static const uint16_t tokens[40] = {[30] = 500};
    token_range_add(
        &bad, (struct token_piece){.base = wide, .n = 10, .width = 4, .path = "a.bin"});
    token_range_add(
        &bad, (struct token_piece){
                  .base = tokens, .n = 40, .width = 2, .path = "b.bin", .path_at = 100});
    struct loader_options o = {.batch = 3, .context = T, .ranks = 1, .vocabulary = 500};
    struct loader l;
    struct err err = ERR_INIT;
    int32_t in[3 * T], out[3 * T];
    assert_int_equal(loader_init(&l, &bad, &o, &err), STATUS_OK);
    assert_int_equal(loader_train(&l, 0, in, out, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "b.bin: token 130 is 500, and the vocabulary has"));
    for (int i = 0; i < 3 * T; i++)
        assert_in_range(in[i], 0, 499);
    int64_t rows;
    assert_int_equal(loader_validation(&l, 0, &rows, in, out, &err), STATUS_INPUT);
    l.o.vocabulary = 501;
    assert_int_equal(loader_train(&l, 0, in, out, &err), STATUS_OK);
    assert_int_equal(token_range_max(&bad), 500);
    token_range_release(&bad);
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
        cmocka_unit_test(in_order_each_row_goes_on_where_the_last_ended),
        cmocka_unit_test(ranks_share_the_rows_in_order_too),
        cmocka_unit_test(epochs_are_counted_in_windows),
        cmocka_unit_test(a_token_outside_the_vocabulary_is_an_error_with_its_place),
    };
    return cmocka_run_group_tests(tests, fill_texts, drop_texts);
}
