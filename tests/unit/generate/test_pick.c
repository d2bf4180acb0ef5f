#include "cmocka_setup.h"

#include "generate/pick.h"

#include <math.h>
#include <string.h>

enum { VOCAB_MAX = 64 };
static double memory[2 * VOCAB_MAX];

static struct pick_work work_for(int64_t vocab)
{
    struct pick_work w;
    assert_true(pick_work_bytes(vocab) <= sizeof memory);
    pick_work_init(&w, memory, vocab);
    return w;
}

/* The probabilities of logits (n) as the options leave them, against want (n). */
static void assert_leaves(const struct pick_options *o, const float *logits, int n,
                          const double *want)
{
    struct pick_work w = work_for(n);
    int64_t stay = 0;
    for (int i = 0; i < n; i++)
        stay += want[i] > 0;
    assert_int_equal(pick_distribution(&w, o, logits, NULL, 0), stay);
    for (int i = 0; i < n; i++)
        assert_true(fabs(w.probability[i] - want[i]) < 1e-12);
}

#define LEAVES(o, logits, ...)                                                           \
    do {                                                                                 \
        const double want_[] = {__VA_ARGS__};                                            \
        assert_leaves(o, logits, (int)(sizeof want_ / sizeof *want_), want_);            \
    } while (0)

/* The logit whose exp() is weight, as near as a float comes. */
static float logit_of(double weight)
{
    return (float)log(weight);
}

static void without_filters_it_is_a_softmax(void **state)
{
    (void)state;
    struct pick_options o = PICK_OPTIONS_INIT;
    const float logits[] = {0, 0, 0, 0};
    LEAVES(&o, logits, 0.25, 0.25, 0.25, 0.25);
    const float some[] = {-INFINITY, 5, NAN, 5};
    LEAVES(&o, some, 0, 0.5, 0, 0.5);
    const float huge[] = {3e38f, 3e38f, -3e38f, 0};
    LEAVES(&o, huge, 0.5, 0.5, 0, 0);
}

static void temperature_divides(void **state)
{
    (void)state;
    struct pick_options o = PICK_OPTIONS_INIT;
    const float logits[] = {0, 1, 2};
    double e = exp(1), e2 = exp(0.5);
    LEAVES(&o, logits, 1 / (1 + e + e * e), e / (1 + e + e * e), e * e / (1 + e + e * e));
    o.temperature = 2;
    LEAVES(&o, logits, 1 / (1 + e2 + e), e2 / (1 + e2 + e), e / (1 + e2 + e));
    o.temperature = 1e-300;
    LEAVES(&o, logits, 0, 0, 1);
}

static void temperature_zero_takes_the_first_of_the_largest(void **state)
{
    (void)state;
    struct pick_options o = PICK_OPTIONS_INIT;
    o.temperature = 0;
    o.top_k = 2;
    const float logits[] = {NAN, 1, 7, 7, -INFINITY};
    LEAVES(&o, logits, 0, 0, 1, 0, 0);
    const float infinite[] = {1, INFINITY, INFINITY};
    LEAVES(&o, infinite, 0, 1, 0);
    struct pick_work w = work_for(5);
    assert_int_equal(pick_token(&w, &o, logits, NULL, 0, 0, 0), 2);
}

static void top_k_keeps_all_that_equal_the_last(void **state)
{
    (void)state;
    struct pick_options o = PICK_OPTIONS_INIT;
    const float logits[] = {1, 3, 2, 2, 2};
    double e = exp(1), three = e * e * e, two = e * e;
    o.top_k = 1;
    LEAVES(&o, logits, 0, 1, 0, 0, 0);
    o.top_k = 2;
    double total = three + 3 * two;
    LEAVES(&o, logits, 0, three / total, two / total, two / total, two / total);
    o.top_k = 4;
    LEAVES(&o, logits, 0, three / total, two / total, two / total, two / total);
    o.top_k = 1000;
    total += e;
    LEAVES(&o, logits, e / total, three / total, two / total, two / total, two / total);
}

static void top_p_keeps_the_likeliest_until_they_are_enough(void **state)
{
    (void)state;
    struct pick_options o = PICK_OPTIONS_INIT;
    /* 1/16, 8/16, 4/16, 3/16 */
    const float logits[] = {logit_of(1), logit_of(8), logit_of(4), logit_of(3)};
    struct pick_work w = work_for(4);
    const double p[] = {0, 0.4, 0.51, 0.7, 0.76, 0.93, 0.94, 1};
    const int64_t stay[] = {1, 1, 2, 2, 3, 3, 4, 4};
    for (int i = 0; i < 8; i++) {
        o.top_p = p[i];
        assert_int_equal(pick_distribution(&w, &o, logits, NULL, 0), stay[i]);
        assert_true(w.probability[1] > 0);
        assert_int_equal(w.probability[2] > 0, stay[i] >= 2);
        assert_int_equal(w.probability[0] > 0, stay[i] >= 4);
    }
    const float equal[] = {0, 0, 0, 0}; /* of equals the first */
    o.top_p = 0.6;
    LEAVES(&o, equal, 1 / 3.0, 1 / 3.0, 1 / 3.0, 0);
}

static void min_p_is_relative_to_the_likeliest(void **state)
{
    (void)state;
    struct pick_options o = PICK_OPTIONS_INIT;
    const float logits[] = {logit_of(1), logit_of(8), logit_of(4), logit_of(3)};
    struct pick_work w = work_for(4);
    o.min_p = 0.1;
    assert_int_equal(pick_distribution(&w, &o, logits, NULL, 0), 4);
    o.min_p = 0.2;
    assert_int_equal(pick_distribution(&w, &o, logits, NULL, 0), 3);
    o.min_p = 1;
    LEAVES(&o, logits, 0, 1, 0, 0);
}

/* top_p sees the probabilities that top_k left: 8/12 and 4/12, not 8/16. */
static void filters_work_one_after_the_other(void **state)
{
    (void)state;
    struct pick_options o = PICK_OPTIONS_INIT;
    const float logits[] = {logit_of(1), logit_of(8), logit_of(4), logit_of(3)};
    o.top_p = 0.6;
    struct pick_work w = work_for(4);
    assert_int_equal(pick_distribution(&w, &o, logits, NULL, 0), 2);
    o.top_k = 2;
    assert_int_equal(pick_distribution(&w, &o, logits, NULL, 0), 1);
}

static void a_seen_token_is_penalised_once(void **state)
{
    (void)state;
    struct pick_options o = PICK_OPTIONS_INIT;
    struct pick_work w = work_for(4);
    const float logits[] = {2, -1, 0, 1};
    const int32_t seen[] = {0, 0, 1, 2, 0, -5, 4, INT32_MAX};
    o.repetition_penalty = 2;
    pick_distribution(&w, &o, logits, seen, 8);
    double e = exp(1), want[] = {e, exp(-2), 1, e};
    double total = want[0] + want[1] + want[2] + want[3];
    for (int i = 0; i < 4; i++)
        assert_true(fabs(w.probability[i] - want[i] / total) < 1e-12);
}

static void logits_that_are_no_numbers_give_no_token(void **state)
{
    (void)state;
    struct pick_options o = PICK_OPTIONS_INIT;
    struct pick_work w = work_for(3);
    const float none[] = {NAN, -INFINITY, NAN};
    const int32_t seen[] = {0, 1};
    o.repetition_penalty = 1.5;
    assert_int_equal(pick_token(&w, &o, none, seen, 2, 0, 0), -1);
    o.temperature = 0;
    assert_int_equal(pick_token(&w, &o, none, seen, 2, 0, 0), -1);
}

static void where_some_are_infinite_only_these_are_taken(void **state)
{
    (void)state;
    struct pick_options o = PICK_OPTIONS_INIT;
    const float logits[] = {1, INFINITY, INFINITY, NAN};
    LEAVES(&o, logits, 0, 0.5, 0.5, 0);
    o.top_k = 1;
    LEAVES(&o, logits, 0, 0.5, 0.5, 0);
}

static void a_draw_depends_on_seed_sequence_and_position_only(void **state)
{
    (void)state;
    enum { N = 200 };
    struct pick_options o = PICK_OPTIONS_INIT;
    struct pick_work w = work_for(VOCAB_MAX);
    float logits[VOCAB_MAX] = {0};
    int64_t first[N];
    int same_position = 0, same_sequence = 0, same_seed = 0;
    for (uint32_t i = 0; i < N; i++)
        first[i] = pick_token(&w, &o, logits, NULL, 0, 3, i);
    for (uint32_t i = N; i-- > 0;) { /* in another order */
        assert_int_equal(pick_token(&w, &o, logits, NULL, 0, 3, i), first[i]);
        same_position += pick_token(&w, &o, logits, NULL, 0, 3, i + N) == first[i];
        same_sequence += pick_token(&w, &o, logits, NULL, 0, 4, i) == first[i];
        o.seed = 1;
        same_seed += pick_token(&w, &o, logits, NULL, 0, 3, i) == first[i];
        o.seed = 0;
    }
    /* by chance one in 64 */
    assert_true(same_position < 20 && same_sequence < 20 && same_seed < 20);
}

static void what_went_is_never_drawn(void **state)
{
    (void)state;
    struct pick_options o = PICK_OPTIONS_INIT;
    struct pick_work w = work_for(8);
    const float logits[] = {-INFINITY, 1, NAN, 1, 0, 0, -INFINITY, NAN};
    o.top_k = 2;
    int drawn[8] = {0};
    for (uint32_t i = 0; i < 1000; i++)
        drawn[pick_token(&w, &o, logits, NULL, 0, 0, i)]++;
    assert_int_equal(drawn[1] + drawn[3], 1000);
    assert_true(drawn[1] > 400 && drawn[3] > 400);
}

static void a_vocabulary_of_one_is_enough(void **state)
{
    (void)state;
    struct pick_options o = {
        .repetition_penalty = 1, .temperature = 1, .top_k = 1, .top_p = 0, .min_p = 1};
    struct pick_work w = work_for(1);
    const float logits[] = {-7};
    assert_int_equal(pick_token(&w, &o, logits, NULL, 0, 0, 0), 0);
}

static void wrong_options_say_what_is_allowed(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct pick_options o = PICK_OPTIONS_INIT;
    assert_int_equal(pick_check(&o, &err), STATUS_OK);
    o.top_p = 1.5;
    assert_int_equal(pick_check(&o, &err), STATUS_USAGE);
    assert_string_equal(err.text, "top_p is 1.5; give a number from 0 to 1");
    o = (struct pick_options)PICK_OPTIONS_INIT;
    o.min_p = NAN;
    assert_int_equal(pick_check(&o, &err), STATUS_USAGE);
    o = (struct pick_options)PICK_OPTIONS_INIT;
    o.temperature = -1;
    assert_int_equal(pick_check(&o, &err), STATUS_USAGE);
    o.temperature = INFINITY;
    assert_int_equal(pick_check(&o, &err), STATUS_USAGE);
    o = (struct pick_options)PICK_OPTIONS_INIT;
    o.repetition_penalty = 0;
    assert_int_equal(pick_check(&o, &err), STATUS_USAGE);
    assert_string_equal(err.text,
                        "repetition_penalty is 0; give a number above 0, 1 for none");
    o = (struct pick_options)PICK_OPTIONS_INIT;
    o.top_k = -1;
    assert_int_equal(pick_check(&o, &err), STATUS_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_filters_it_is_a_softmax),
        cmocka_unit_test(temperature_divides),
        cmocka_unit_test(temperature_zero_takes_the_first_of_the_largest),
        cmocka_unit_test(top_k_keeps_all_that_equal_the_last),
        cmocka_unit_test(top_p_keeps_the_likeliest_until_they_are_enough),
        cmocka_unit_test(min_p_is_relative_to_the_likeliest),
        cmocka_unit_test(filters_work_one_after_the_other),
        cmocka_unit_test(a_seen_token_is_penalised_once),
        cmocka_unit_test(logits_that_are_no_numbers_give_no_token),
        cmocka_unit_test(where_some_are_infinite_only_these_are_taken),
        cmocka_unit_test(a_draw_depends_on_seed_sequence_and_position_only),
        cmocka_unit_test(what_went_is_never_drawn),
        cmocka_unit_test(a_vocabulary_of_one_is_enough),
        cmocka_unit_test(wrong_options_say_what_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
