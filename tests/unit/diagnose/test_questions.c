#include "diagnose_fixture.h"

struct scene {
    struct training_facts f;
    struct config c;
    struct answer answers[QUESTION_COUNT];
};

static void scene_init(struct scene *s)
{
    memset(s, 0, sizeof *s);
    good_facts(&s->f, &s->c);
}

static enum question first_yes(struct scene *s)
{
    struct estimate e = estimate_time(&s->f);
    questions_ask(s->answers, &s->f, &e);
    return questions_first_yes(s->answers);
}

static void decides(struct scene *s, enum question q, const char *text, const char *next)
{
    enum question first = first_yes(s);
    const struct answer *a = &s->answers[q];
    if (first != q || !strstr(a->text, text) || !strstr(a->next, next))
        fail_msg("question %d decides; %s: %s → %s", (int)first, question_text[q],
                 a->text, a->next);
}

static void every_question_may_be_answered_by_no(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    assert_int_equal(first_yes(&s), QUESTION_COUNT);
    for (int i = 0; i < QUESTION_COUNT; i++) {
        assert_int_equal(s.answers[i].value, ANSWER_NO);
        assert_true(*s.answers[i].text);
        assert_string_equal(s.answers[i].next, "");
    }
    config_release(&s.c);
}

/* From the last to the first: each question comes before those that were yes. */
static void the_first_yes_decides(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.f.step.products_frac = 0.78;
    decides(&s, QUESTION_PRODUCTS,
            "78 % of a step, at 60 % of the measured peak: near the machine's limit",
            "gait bench my.yaml");
    s.f.step.optimizer_frac = 0.3;
    decides(&s, QUESTION_OPTIMIZER, "30.0 % of a step", "--batch-size 24");
    s.f.precision.bf16_ns = 0.4e6;
    decides(&s, QUESTION_PRECISION, "f32 1.0 ms, bf16 400.0 us", "--precision bf16");
    s.f.batches_timed.of[2].tokens_per_s = 120000;
    s.f.batches_timed.of[2].ns = some_ms(12, 12.8, 13);
    decides(&s, QUESTION_BATCH, "12: 76.8 k, 24: 120 k", "--batch-size 24");
    s.f.threads_timed.of[0] = timed(1, false, 5, 153600);
    decides(&s, QUESTION_THREADS, "1 thread: 5.0 ms, 2 threads: 10.0 ms", "--threads 1");
    s.f.evaluation.ns = 3e9;
    decides(&s, QUESTION_BESIDE, "beside 12.00 s of steps", "--eval-interval 3000");
    s.f.step.data_frac = 0.2;
    decides(&s, QUESTION_DATA, "20.0 % of a step", "--num-workers 2");
    s.f.noise.others_cpus = 0.5;
    decides(&s, QUESTION_OTHERS, "0.50 CPUs", "gait diagnose my.yaml");
    config_release(&s.c);
}

static void far_from_the_peak_is_another_answer_than_near_it(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.f.step.products_frac = 0.78;
    s.f.step.products_flop_per_s = 20e9;
    decides(&s, QUESTION_PRODUCTS, "at 20 % of the measured peak", "which part");
    s.f.step.peak_flop_per_s = NAN;
    s.f.step.peak_how = reason_of("no AMX");
    decides(&s, QUESTION_PRODUCTS, "the peak is not available: no AMX", "gait bench");
    s.f.step.products_frac = NAN;
    first_yes(&s);
    assert_int_equal(s.answers[QUESTION_PRODUCTS].value, ANSWER_UNKNOWN);
    config_release(&s.c);
}

/* 15 % more tokens a second, and the intervals touch: nobody knows. */
static void what_may_be_noise_is_no_yes(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.f.batches_timed.of[2].tokens_per_s = 88000;
    s.f.batches_timed.of[2].ns = some_ms(15, 17.4, 21);
    assert_int_equal(first_yes(&s), QUESTION_COUNT);
    s.f.batches_timed.of[2].ns = some_ms(17, 17.4, 17.8);
    decides(&s, QUESTION_BATCH, "24: 88.0 k", "another training");
    config_release(&s.c);
}

static void with_accumulation_larger_parts_are_the_same_training(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.c.gradient_accumulation = 4;
    s.f.batches_timed.of[2] = timed(24, false, 12, 128000);
    decides(&s, QUESTION_BATCH, "24: 128 k",
            "--gradient-accumulation 2 (the same training)");
    config_release(&s.c);
}

static void what_was_not_measured_is_not_answered(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.f.threads_timed.n = 0;
    s.f.batches_timed.of[0].ns.n = s.f.batches_timed.of[2].ns.n = 0;
    s.f.batches_timed.of[0].why_not = reason_of("it does not fit in memory");
    s.f.precision.rounds = 0;
    s.f.noise.known = false;
    first_yes(&s);
    assert_int_equal(s.answers[QUESTION_THREADS].value, ANSWER_UNKNOWN);
    assert_int_equal(s.answers[QUESTION_BATCH].value, ANSWER_UNKNOWN);
    assert_string_equal(s.answers[QUESTION_BATCH].text, "it does not fit in memory");
    assert_int_equal(s.answers[QUESTION_PRECISION].value, ANSWER_UNKNOWN);
    assert_int_equal(s.answers[QUESTION_OTHERS].value, ANSWER_UNKNOWN);
    s.f.step.known = false;
    s.f.step.why_not = reason_of("the memory plan does not fit");
    assert_int_equal(first_yes(&s), QUESTION_COUNT);
    for (int i = 0; i < QUESTION_COUNT; i++)
        assert_string_equal(s.answers[i].text, "the memory plan does not fit");
    config_release(&s.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_question_may_be_answered_by_no),
        cmocka_unit_test(the_first_yes_decides),
        cmocka_unit_test(far_from_the_peak_is_another_answer_than_near_it),
        cmocka_unit_test(what_may_be_noise_is_no_yes),
        cmocka_unit_test(with_accumulation_larger_parts_are_the_same_training),
        cmocka_unit_test(what_was_not_measured_is_not_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
