/* What the host does beside the model: Python, threads, batch, padding, warm-up.
 */
#include "job_run.h"

/* --- Python --- */

/* 12 ms without anything recorded, in some steps. */
static void job_pausing(struct job_run *j, int from_step, int to_step)
{
    job_begin(j, RUN_SOURCE_KINETO);
    job_op(j, "aten::cross_entropy_loss", 500, 500);
    for (int32_t s = 0; s < STEPS; s++) {
        int64_t pause_us = s >= from_step && s < to_step ? 12000 : 0;
        job_span(j, 0, j->lane[0], SPAN_KIND_OP, "aten::mul", s, 1100 + pause_us,
                 96000 - pause_us);
    }
    job_op(j, "aten::_fused_adamw_", 97800, 2000);
}

static void python_at_one_place_of_every_step_is_told(void **state)
{
    struct job_run j;
    (void)state;
    job_pausing(&j, 0, STEPS);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "python-time");
    assert_gain_us(x, 12100);
    assert_true(x->gain_low_ns < 0.5 * x->gain_ns);
    assert_non_null(strstr(x->where, "aten::cross_entropy_loss and aten::mul"));
    job_done(&j, &f);
}

static void two_stretches_with_little_between_are_one(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_op(&j, "aten::cross_entropy_loss", 500, 500);
    job_op(&j, "aten::to", 7000, 100); /* 6 ms before it, 7 ms behind */
    job_op(&j, "aten::mul", 14100, 83000);
    job_op(&j, "aten::_fused_adamw_", 97800, 2000);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "python-time");
    assert_gain_us(x, 13100);
    assert_non_null(strstr(x->where, "aten::cross_entropy_loss and aten::mul"));
    job_done(&j, &f);
}

static void a_pause_in_one_step_is_noise(void **state)
{
    struct job_run j;
    (void)state;
    job_pausing(&j, 2, 3);
    struct job_found f = job_find(&j);
    assert_null(job_finding(&f, "python-time"));
    job_done(&j, &f);
}

static void garbage_collection_can_go_entirely(void **state)
{
    struct job_run j;
    (void)state;
    job_pausing(&j, 0, STEPS);
    for (int32_t s = 0; s < STEPS; s++)
        job_span(&j, 0, j.lane[0], SPAN_KIND_PYTHON, "<built-in function collect>", s,
                 1100, 11900);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "python-time");
    assert_true(x->low_frac == 1);
    assert_string_equal(x->missing, "");
    job_done(&j, &f);
}

static void what_another_thread_does_for_it_is_not_python(void **state)
{
    struct job_run j;
    (void)state;
    job_pausing(&j, 0, STEPS);
    int32_t other = (int32_t)lanes_add(
        &j.run.lanes, (struct lane){.rank = 0, .kind = LANE_KIND_CPU, .device = -1});
    for (int32_t s = 0; s < STEPS; s++)
        job_span(&j, 0, other, SPAN_KIND_OP, "aten::mm", s, 1200, 11800);
    struct job_found f = job_find(&j);
    assert_null(job_finding(&f, "python-time"));
    job_done(&j, &f);
}

/* --- threads --- */

/* cores: 0 where the machine does not tell which CPUs share one */
static struct job_found find_with_threads(struct job_run *j, double threads, double cpus,
                                          double cores)
{
    job_begin(j, RUN_SOURCE_KINETO);
    job_healthy(j);
    job_fact(j, "record.threads", threads);
    job_fact(j, "record.cpus", cpus);
    if (cores > 0)
        job_fact(j, "record.cores", cores);
    return job_find(j);
}

static void one_thread_on_four_cores_is_few(void **state)
{
    struct job_run j;
    (void)state;
    struct job_found f = find_with_threads(&j, 1, 8, 4);
    const struct finding *x = job_expect(&f, "threads-few");
    /* 99 ms of operators could take a quarter: half way, from nothing to all of it */
    assert_gain_us(x, 99000 * 0.75 / 2);
    assert_string_equal(x->where, "1 thread, 4 cores");
    assert_true(x->gain_low_ns <= 0 && x->gain_high_ns >= 74e6);
    assert_null(job_finding(&f, "threads-oversubscribed"));
    job_done(&j, &f);
}

static void eight_threads_on_two_cores_are_many(void **state)
{
    struct job_run j;
    (void)state;
    struct job_found f = find_with_threads(&j, 8, 2, 2);
    job_expect(&f, "threads-oversubscribed");
    assert_null(job_finding(&f, "threads-few"));
    job_done(&j, &f);
}

static void as_many_threads_as_cores_are_fine(void **state)
{
    struct job_run j;
    (void)state;
    struct job_found f = find_with_threads(&j, 4, 4, 4);
    job_expect_silence(&f);
    job_done(&j, &f);
}

/* Two CPUs a core, a thread a core or a CPU: neither too few nor too many. */
static void threads_between_cores_and_cpus_are_fine(void **state)
{
    (void)state;
    for (int threads = 4; threads <= 8; threads += 4) {
        struct job_run j;
        struct job_found f = find_with_threads(&j, threads, 8, 4);
        job_expect_silence(&f);
        job_done(&j, &f);
    }
}

static void threads_are_not_few_where_cores_are_not_known(void **state)
{
    struct job_run j;
    (void)state;
    struct job_found f = find_with_threads(&j, 1, 8, 0);
    job_expect_silence(&f);
    job_done(&j, &f);
}

static void processes_share_the_cores(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    job_add_rank_of(&j, RUN_SOURCE_KINETO, 1);
    job_fact(&j, "record.threads", 2);
    job_fact(&j, "record.cpus", 4);
    job_fact(&j, "record.cores", 4);
    struct job_found f = job_find(&j);
    assert_null(job_finding(&f, "threads-few"));
    assert_null(job_finding(&f, "threads-oversubscribed"));
    job_done(&j, &f);
}

/* --- batch --- */

static void add_batch_step(struct job_run *j, const char *shapes, int64_t optimizer_us)
{
    for (int32_t s = 0; s < STEPS; s++) {
        size_t row = job_span(j, 0, j->lane[0], SPAN_KIND_OP, "aten::linear", s, 100,
                              98900 - optimizer_us);
        j->run.spans.shapes[row] = job_name(j, shapes);
    }
    job_mark(j, "Optimizer.step#AdamW.step", 99100 - optimizer_us, optimizer_us);
    job_op(j, "aten::_fused_adamw_", 99200 - optimizer_us, optimizer_us - 200);
}

static struct job_found find_with_batch(struct job_run *j, const char *shapes,
                                        int64_t optimizer_us)
{
    job_begin(j, RUN_SOURCE_KINETO);
    add_batch_step(j, shapes, optimizer_us);
    return job_find(j);
}

static void a_small_batch_beside_a_long_optimizer_is_told_a_sample(void **state)
{
    struct job_run j;
    (void)state;
    struct job_found f = find_with_batch(&j, "[[2,128,384],[384,384],[384]]", 30000);
    const struct finding *x = job_expect(&f, "batch-small");
    assert_true(x->gain_ns > 15e6);
    assert_non_null(strstr(x->evidence, "a sample"));
    assert_true(x->apart);
    assert_float_equal(x->samples, 2, 0);
    assert_float_equal(f.findings->together_gain_ns, 0, 1);
    assert_int_equal(x->price, PRICE_MODELLED);
    job_done(&j, &f);
}

/* Two passes of 35 ms each, or one of 49 ms for twice the batch. */
static void add_measured_batch(struct job_run *j)
{
    for (int32_t round = 0; round < 3; round++)
        replacements_add(&j->run.replacements,
                         (struct replacement){.rule = job_name(j, "batch-small"),
                                              .subject = job_name(j, "Model"),
                                              .how = job_name(j, "a batch of 4"),
                                              .round = round,
                                              .now_ns = 70000000,
                                              .instead_ns = 49000000});
}

/* The optimizer has 30. */
static void what_twice_the_batch_takes_is_measured(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    add_measured_batch(&j);
    add_batch_step(&j, "[[2,128,384],[384,384],[384]]", 30000);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "batch-small");
    assert_int_equal(x->price, PRICE_MEASURED);
    assert_gain_us(x, 15000 + 35000 * 0.3);
    job_done(&j, &f);
}

/* 10 ms of it behind the backward pass and before the optimizer, 4 to clear. */
static void what_is_done_with_gradients_is_the_same_for_any_batch(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    add_measured_batch(&j);
    for (int32_t s = 0; s < STEPS; s++) {
        size_t row =
            job_span(&j, 0, j.lane[0], SPAN_KIND_OP, "aten::linear", s, 100, 30000);
        j.run.spans.shapes[row] = job_name(&j, "[[2,128,384],[384,384],[384]]");
    }
    job_op(&j, "autograd::engine::evaluate_function: AddmmBackward0", 31000, 24000);
    job_op(&j, "aten::norm", 56000, 1000);
    job_op(&j, "aten::mul_", 65000, 1000);
    job_mark(&j, "Optimizer.step#AdamW.step", 67000, 20000);
    job_op(&j, "aten::_fused_adamw_", 67100, 19800);
    job_mark(&j, "Optimizer.zero_grad#AdamW.zero_grad", 90000, 4200);
    job_op(&j, "aten::zero_", 90100, 4000);
    struct job_found f = job_find(&j);
    assert_gain_us(job_expect(&f, "batch-small"), 17000 + 35000 * 0.3);
    job_done(&j, &f);
}
static void a_large_batch_is_not(void **state)
{
    struct job_run j;
    (void)state;
    struct job_found f = find_with_batch(&j, "[[64,128,384],[384,384],[384]]", 30000);
    assert_null(job_finding(&f, "batch-small"));
    job_done(&j, &f);
}

/* --- padding --- */

/* Two rows, padded and stacked from then on; the second as told. */
static void add_field(struct job_run *j, int32_t step, int64_t at_us, const char *row,
                      const char *stacked)
{
    for (int i = 0; i < 2; i++) {
        size_t pad = job_span(j, 0, j->lane[0], SPAN_KIND_OP, "aten::constant_pad_nd",
                              step, at_us + 10 * i, 10);
        j->run.spans.shapes[pad] = job_name(j, i ? row : "[[10],[],[]]");
    }
    size_t stack =
        job_span(j, 0, j->lane[0], SPAN_KIND_OP, "aten::stack", step, at_us + 20, 20);
    j->run.spans.shapes[stack] = job_name(j, stacked);
}

static struct job_found find_with_model(struct job_run *j)
{
    for (int32_t s = 0; s < STEPS; s++) {
        size_t first =
            job_span(j, 0, j->lane[0], SPAN_KIND_OP, "aten::embedding", s, 200, 100);
        j->run.spans.shapes[first] = job_name(j, "[[1000,64],[2,256],[],[],[]]");
    }
    job_op(j, "aten::linear", 300, 39900);
    job_op(j, "autograd::engine::evaluate_function: AddmmBackward0", 40300, 57300);
    job_mark(j, "Optimizer.step#AdamW.step", 97700, 2200);
    job_op(j, "aten::_fused_adamw_", 97800, 2000);
    return job_find(j);
}

static struct job_found find_with_rows(struct job_run *j, const char *row,
                                       const char *stacked)
{
    job_begin(j, RUN_SOURCE_KINETO);
    for (int32_t s = 0; s < STEPS; s++)
        add_field(j, s, 150, row, stacked);
    return find_with_model(j);
}

static void rows_filled_beyond_the_longest_are_told(void **state)
{
    struct job_run j;
    (void)state;
    struct job_found f = find_with_rows(&j, "[[192],[],[]]", "[[[256],[256]],[]]");
    const struct finding *x = job_expect(&f, "padding");
    /* a quarter of 97.5 ms */
    assert_gain_us(x, 24375);
    job_done(&j, &f);
}

/* A list of many shapes is not told: the first that takes the batch shows it. */
static void how_long_rows_became_shows_in_what_takes_them(void **state)
{
    static const char *const untold[] = {"", "[[],[]]"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct job_run j;
        struct job_found f = find_with_rows(&j, "[[192],[],[]]", untold[i]);
        assert_gain_us(job_expect(&f, "padding"), 24375);
        job_done(&j, &f);
    }
}

static void of_two_fields_the_larger_one_counts(void **state)
{
    struct job_run j;
    (void)state;
    for (int filled = 10; filled <= 250; filled += 120) { /* of 15, before and after */
        struct job_found f;
        char text[32];
        snprintf(text, sizeof text, "[[[%d],[%d]],[]]", filled, filled);
        job_begin(&j, RUN_SOURCE_KINETO);
        for (int32_t s = 0; s < STEPS; s++) {
            add_field(&j, s, 20, "[[15],[],[]]", text);
            add_field(&j, s, 100, "[[192],[],[]]", "[[[256],[256]],[]]");
            add_field(&j, s, 160, "[[15],[],[]]", text);
        }
        f = find_with_model(&j);
        assert_gain_us(job_expect(&f, "padding"), 24375);
        job_done(&j, &f);
    }
}

static void rows_filled_to_the_longest_are_fine(void **state)
{
    struct job_run j;
    (void)state;
    struct job_found f = find_with_rows(&j, "[[192],[],[]]", "[[[192],[192]],[]]");
    assert_null(job_finding(&f, "padding"));
    job_done(&j, &f);
}

/* The recorder saw so many rows, filled up to 256; the model works on them. */
static struct job_found find_with_seen(struct job_run *j, double rows, double longest,
                                       double steps_frac)
{
    job_begin(j, RUN_SOURCE_KINETO);
    job_fact(j, "record.padded_rows", rows);
    job_fact(j, "record.padded_to", 256);
    job_fact(j, "record.padded_frac", steps_frac);
    job_fact(j, "record.padded_longest", longest);
    for (int32_t s = 0; s < STEPS; s++) {
        static const char backward[] =
            "autograd::engine::evaluate_function: AddmmBackward0";
        static const char *const shapes[] = {"[[8,256,64],[64,64],[64]]",
                                             "[[8,64],[256,64],[256]]"};
        for (int i = 0; i < 2; i++) {
            size_t row = job_span(j, 0, j->lane[0], SPAN_KIND_OP, "aten::linear", s,
                                  300 + 20000 * i, 20000);
            j->run.spans.shapes[row] = job_name(j, shapes[i]);
            j->run.spans.correlation[row] = 10 * s + i + 1;
            row = job_span(j, 0, j->lane[0], SPAN_KIND_OP, backward, s,
                           60000 - 20000 * i + 500, 20000);
            j->run.spans.correlation[row] = 10 * s + i + 1;
        }
    }
    job_mark(j, "Optimizer.step#AdamW.step", 97700, 2200);
    job_op(j, "aten::_fused_adamw_", 97800, 2000);
    return job_find(j);
}

static void padding_that_the_recorder_saw_is_priced_by_what_works_on_it(void **state)
{
    struct job_run j;
    (void)state;
    struct job_found f = find_with_seen(&j, 8, 192, 1);
    /* a quarter of the first layer, forward and backward; not of what has one row each */
    assert_gain_us(job_expect(&f, "padding"), 10000);
    job_done(&j, &f);
}

static void padding_of_other_rows_of_few_steps_or_next_to_none_is_not_told(void **state)
{
    static const double seen[][3] = {
        {8, 250, 1}, {7, 192, 1}, {0, 192, 1}, {8, 0, 1}, {8, 192, 0.5}};
    (void)state;
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        struct job_run j;
        struct job_found f = find_with_seen(&j, seen[i][0], seen[i][1], seen[i][2]);
        assert_null(job_finding(&f, "padding"));
        job_done(&j, &f);
    }
}

/* --- warm-up --- */

static void a_long_first_step_is_no_part_of_the_average(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    for (int i = 0; i < 5; i++) /* not kept, before the others */
        steps_add(&j.run.steps, (struct step){.rank = 0,
                                              .number = 5 + i,
                                              .begin_ns = job_ns(4 + i, 0),
                                              .end_ns = job_ns(5 + i, 0)});
    j.run.steps.begin_ns[0] = job_ns(0, 0) - 900 * INT64_C(1000000);
    j.run.steps.kept[0] = 0;
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "warmup-in-average");
    /* one of nine steps is 900 ms longer */
    assert_gain_us(x, 100000);
    assert_float_equal(f.findings->together_gain_ns, 0, 1);
    job_done(&j, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(python_at_one_place_of_every_step_is_told),
        cmocka_unit_test(two_stretches_with_little_between_are_one),
        cmocka_unit_test(a_pause_in_one_step_is_noise),
        cmocka_unit_test(garbage_collection_can_go_entirely),
        cmocka_unit_test(what_another_thread_does_for_it_is_not_python),
        cmocka_unit_test(one_thread_on_four_cores_is_few),
        cmocka_unit_test(eight_threads_on_two_cores_are_many),
        cmocka_unit_test(as_many_threads_as_cores_are_fine),
        cmocka_unit_test(threads_between_cores_and_cpus_are_fine),
        cmocka_unit_test(threads_are_not_few_where_cores_are_not_known),
        cmocka_unit_test(processes_share_the_cores),
        cmocka_unit_test(a_small_batch_beside_a_long_optimizer_is_told_a_sample),
        cmocka_unit_test(what_twice_the_batch_takes_is_measured),
        cmocka_unit_test(what_is_done_with_gradients_is_the_same_for_any_batch),
        cmocka_unit_test(a_large_batch_is_not),
        cmocka_unit_test(rows_filled_beyond_the_longest_are_told),
        cmocka_unit_test(how_long_rows_became_shows_in_what_takes_them),
        cmocka_unit_test(of_two_fields_the_larger_one_counts),
        cmocka_unit_test(rows_filled_to_the_longest_are_fine),
        cmocka_unit_test(padding_that_the_recorder_saw_is_priced_by_what_works_on_it),
        cmocka_unit_test(padding_of_other_rows_of_few_steps_or_next_to_none_is_not_told),
        cmocka_unit_test(a_long_first_step_is_no_part_of_the_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
