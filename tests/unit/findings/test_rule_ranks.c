/* Several ranks: who is waited for, and what collectives cost. */
#include "job_run.h"

static void add_rank(struct job_run *j)
{
    job_add_rank_of(j, RUN_SOURCE_KINETO, (int32_t)j->run.ranks.table.n);
}

/* The n-th collective of a rank's step; hidden_us of it lies under compute. */
static void add_named(struct job_run *j, const char *name, int32_t rank, int32_t step,
                      int64_t begin_us, int64_t end_us, int64_t hidden_us)
{
    collectives_add(
        &j->run.collectives,
        (struct collective){.rank = rank,
                            .step = rank * j->steps + step,
                            .lane = -1,
                            .name = job_name(j, name),
                            .group_name = job_name(j, ""),
                            .dtype = job_name(j, ""),
                            .seq = -1,
                            .begin_ns = job_ns(step, begin_us),
                            .dur_ns = 1000 * (end_us - begin_us),
                            .exposed_ns = 1000 * (end_us - begin_us - hidden_us)});
}

static void add_collective(struct job_run *j, int32_t rank, int32_t step,
                           int64_t begin_us, int64_t end_us, int64_t hidden_us)
{
    add_named(j, "gloo:all_reduce", rank, step, begin_us, end_us, hidden_us);
}

/* Two ranks; all leave at 96 ms, the second comes later_us after the first. */
static void job_of_two(struct job_run *j, int64_t later_us, int64_t hidden_us)
{
    job_begin(j, RUN_SOURCE_KINETO);
    add_rank(j);
    job_healthy(j);
    for (int32_t s = 0; s < STEPS; s++) {
        add_collective(j, 0, s, 94000 - later_us, 96000, hidden_us);
        add_collective(j, 1, s, 94000, 96000, 0);
    }
}

static void give_work(struct job_run *j, int64_t first, int64_t second)
{
    for (size_t i = 0; i < j->run.steps.table.n; i++)
        j->run.steps.flop[i] = j->run.steps.rank[i] ? second : first;
}

static void a_rank_that_comes_late_is_a_straggler(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 20000, 0);
    give_work(&j, 1000, 1000);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "straggler");
    assert_gain_us(x, 20000);
    assert_memory_equal(x->where, "rank 1", 6);
    assert_int_equal(x->price, PRICE_WAITS);
    char seen[64];
    snprintf(seen, sizeof seen, "in %d of %d traced steps", STEPS, STEPS);
    assert_non_null(strstr(x->evidence, seen));
    assert_false(x->holds_timed);
    assert_null(job_finding(&f, "unequal-work"));
    job_done(&j, &f);
}

/* What one of them alone gained it would wait for the other: tests/cmdline, two-ranks. */
static void a_change_is_made_on_every_rank(void **state)
{
    struct job_run j;
    bool changed[2] = {false, false};
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    add_rank(&j);
    job_mark(&j, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 30000);
    job_op(&j, "aten::linear", 30000, 63000);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "input-bound");
    for (size_t i = 0; i < x->edits.n; i++)
        changed[j.run.lanes.rank[x->edits.edit[i].lane]] = true;
    assert_true(changed[0] && changed[1]);
    assert_true(x->holds_ns < 31e6); /* of the rank that is told, not of both */
    job_done(&j, &f);
}

/* Ten untraced steps of 100 ms; the second rank's backward pass is so much shorter. */
static void time_backwards(struct job_run *j, int64_t lead_us)
{
    job_op(j, "c10d::allreduce_", 60000, 100);
    for (int32_t rank = 0; rank < 2; rank++)
        for (int64_t i = 0; i < 10; i++) {
            job_timing_of(j, rank, TIMING_KIND_STEP, 10 + i, STEP_US);
            job_timing_of(j, rank, TIMING_KIND_BACKWARD, 10 + i, 50000 - rank * lead_us);
        }
}

static void untraced_backward_passes_tell_how_late_it_is(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 20000, 0);
    time_backwards(&j, 12000);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "straggler");
    assert_gain_us(x, 12000);
    assert_true(x->holds_timed);
    job_done(&j, &f);
}

static void one_that_is_slow_throughout_leads_by_a_part(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 20000, 0);
    time_backwards(&j, 8000);
    struct job_found f = job_find(&j);
    assert_gain_us(job_expect(&f, "straggler"), 20000);
    job_done(&j, &f);
}

static void a_rank_that_is_late_in_traced_steps_alone_is_none(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 20000, 0);
    time_backwards(&j, 1000);
    struct job_found f = job_find(&j);
    assert_null(job_finding(&f, "straggler"));
    job_done(&j, &f);
}

static void two_ranks_that_are_late_by_turns_are_none(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 20000, 0); /* the second when traced */
    time_backwards(&j, -12000);
    struct job_found f = job_find(&j);
    assert_null(job_finding(&f, "straggler"));
    job_done(&j, &f);
}

static void a_rank_that_is_late_in_most_traced_steps_is_none(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    add_rank(&j);
    for (int32_t s = 0; s < STEPS; s++) {
        add_collective(&j, 0, s, s ? 74000 : 94000, 96000, 0);
        add_collective(&j, 1, s, s ? 94000 : 93000, 96000, 0);
    }
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    job_done(&j, &f);
}

/* Ten untraced steps of 100 ms in which ranks wait, the second by so much less than the
 * first. */
static void time_waits(struct job_run *j, enum timing_kind what, int64_t first_us,
                       int64_t less_us)
{
    for (int32_t rank = 0; rank < 2; rank++)
        for (int64_t i = 0; i < 10; i++) {
            job_timing_of(j, rank, TIMING_KIND_STEP, 10 + i, STEP_US);
            job_timing_of(j, rank, TIMING_KIND_OPTIMIZER, 10 + i, 1000);
            job_timing_of(j, rank, what, 10 + i, first_us - rank * less_us);
        }
}

static void time_exchanges(struct job_run *j, int64_t first_us, int64_t less_us)
{
    time_waits(j, TIMING_KIND_EXCHANGE, first_us, less_us);
}

static void waits_for_gathers_can_be_left_out(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 0, 0);
    time_exchanges(&j, 14000, 0);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "exposed-communication");
    assert_gain_us(x, 14000);
    assert_true(x->holds_timed);
    assert_null(job_finding(&f, "straggler"));
    job_done(&j, &f);
}

static void a_late_rank_at_gathers_is_a_straggler(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 0, 0);
    time_exchanges(&j, 20000, 10000);
    struct job_found f = job_find(&j);
    assert_gain_us(job_expect(&f, "straggler"), 10000);
    assert_gain_us(job_expect(&f, "exposed-communication"), 10000);
    job_done(&j, &f);
}

static void gathers_of_few_steps_are_none(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 0, 0);
    time_exchanges(&j, 14000, 0);
    for (int32_t rank = 0; rank < 2; rank++)
        for (int64_t i = 0; i < 20; i++)
            job_timing_of(&j, rank, TIMING_KIND_OPTIMIZER, 100 + i, 1000);
    struct job_found f = job_find(&j);
    assert_null(job_finding(&f, "exposed-communication"));
    job_done(&j, &f);
}

static void buffers_need_not_be_sent_each_step(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 0, 0);
    time_waits(&j, TIMING_KIND_BUFFERS, 14000, 0);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "exposed-communication");
    assert_gain_us(x, 14000);
    assert_int_equal(x->price, PRICE_WAITS);
    assert_true(x->holds_timed);
    assert_non_null(strstr(x->evidence, "buffers"));
    job_done(&j, &f);
}

/* The one that sends has done so sooner, and waits in the backward pass instead. */
static void who_gets_the_buffers_is_not_waited_for(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 0, 0);
    time_waits(&j, TIMING_KIND_BUFFERS, 14000, 5000);
    time_backwards(&j, -5000);
    struct job_found f = job_find(&j);
    assert_gain_us(job_expect(&f, "exposed-communication"), 14000);
    assert_null(job_finding(&f, "straggler"));
    job_done(&j, &f);
}

/* Each waits for the other by turns, the buffers themselves take 1 ms. */
static void ranks_that_meet_at_their_buffers_may_wait_there(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 0, 0);
    for (int32_t rank = 0; rank < 2; rank++)
        for (int64_t i = 0; i < 10; i++) {
            job_timing_of(&j, rank, TIMING_KIND_STEP, 10 + i, STEP_US);
            job_timing_of(&j, rank, TIMING_KIND_OPTIMIZER, 10 + i, 1000);
            job_timing_of(&j, rank, TIMING_KIND_BUFFERS, 10 + i,
                          (i + rank) % 2 ? 12000 : 1000);
        }
    struct job_found f = job_find(&j);
    assert_null(job_finding(&f, "exposed-communication"));
    job_done(&j, &f);
}

/* 40 small collectives; at each one rank is 300 µs late, by turns or always the second.
 */
static void job_of_small_collectives(struct job_run *j, bool by_turns)
{
    job_begin(j, RUN_SOURCE_KINETO);
    add_rank(j);
    job_healthy(j);
    for (int32_t s = 0; s < STEPS; s++)
        for (int i = 0; i < 40; i++) {
            int32_t first = by_turns ? i % 2 : 0;
            add_collective(j, first, s, 50000 + 1000 * i, 50500 + 1000 * i, 0);
            add_collective(j, 1 - first, s, 50300 + 1000 * i, 50500 + 1000 * i, 0);
        }
}

static void jitter_at_many_small_collectives_is_theirs(void **state)
{
    struct job_run j;
    (void)state;
    job_of_small_collectives(&j, true);
    struct job_found f = job_find(&j);
    assert_null(job_finding(&f, "straggler"));
    /* all but the longest wait of a step */
    assert_gain_us(job_expect(&f, "small-collectives"),
                   (20 * 500 + 20 * 200 - 300) * 0.975);
    job_done(&j, &f);
    job_of_small_collectives(&j, false);
    f = job_find(&j);
    assert_null(job_finding(&f, "straggler"));
    /* told of the rank that is waited for, which waits for nobody itself */
    assert_gain_us(job_expect(&f, "small-collectives"), 40 * 200 * 0.975);
    job_done(&j, &f);
}

static void one_that_has_more_to_do_has_unequal_work(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 20000, 0);
    give_work(&j, 1000, 1500);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "unequal-work");
    assert_gain_us(x, 10000);
    assert_int_equal(x->price, PRICE_WAITS);
    assert_null(job_finding(&f, "straggler"));
    job_done(&j, &f);
}

static void a_wait_that_compute_hides_costs_nothing(void **state)
{
    struct job_run j;
    (void)state;
    job_of_two(&j, 20000, 19000);
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    job_done(&j, &f);
}

static void ranks_that_take_turns_are_no_stragglers(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    add_rank(&j);
    for (int32_t s = 0; s < STEPS; s++) {
        add_collective(&j, 0, s, s % 2 ? 94000 : 84000, 96000, 0);
        add_collective(&j, 1, s, s % 2 ? 84000 : 94000, 96000, 0);
    }
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    job_done(&j, &f);
}

static void overlapping_waits_count_once(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    add_rank(&j);
    for (int32_t s = 0; s < STEPS; s++) {
        for (int i = 0; i < 3; i++) {
            add_collective(&j, 0, s, 80000 + i, 95500 + i, 0);
            add_collective(&j, 1, s, 95000 + i, 95500 + i, 0);
        }
    }
    struct job_found f = job_find(&j);
    assert_gain_us(job_expect(&f, "straggler"), 15002);
    job_done(&j, &f);
}

/* --- one rank's collectives --- */

static void an_all_reduce_that_nothing_hides_is_told(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    for (int32_t s = 0; s < STEPS; s++)
        add_collective(&j, 0, s, 80000, 96000, 0);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "exposed-communication");
    assert_gain_us(x, 8000); /* half of it: from nothing to all */
    assert_false(x->holds_timed);
    assert_true(x->gain_low_ns <= 0 && x->gain_high_ns >= 16e6);
    job_done(&j, &f);
}

/* All that is asked for in the backward pass: the last has nothing left to hide it. */
static void the_last_bucket_of_a_backward_pass_is_not(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    job_op(&j, "c10d::allreduce_", 60000, 100);
    for (int32_t s = 0; s < STEPS; s++)
        add_collective(&j, 0, s, 80000, 96000, 0);
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    findings_free(f.findings);
    analysis_free(f.analysis);
    for (int32_t s = 0; s < STEPS; s++)
        add_collective(&j, 0, s, 70000, 79000, 0);
    f = job_find(&j);
    assert_float_equal(job_expect(&f, "exposed-communication")->holds_ns / 1e3, 9000, 90);
    job_done(&j, &f);
}

static void one_that_is_hidden_is_not(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    for (int32_t s = 0; s < STEPS; s++)
        add_collective(&j, 0, s, 70000, 96000, 18000);
    struct job_found f = job_find(&j);
    job_expect_silence(&f);
    job_done(&j, &f);
}

static void one_beside_others_that_are_hidden_is_told(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    for (int32_t s = 0; s < STEPS; s++) {
        add_collective(&j, 0, s, 50000, 70000, 19000);
        add_named(&j, "gloo:broadcast", 0, s, 88000, 96000, 0);
    }
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "exposed-communication");
    assert_float_equal(x->holds_ns / 1e3, 8000, 80);
    job_done(&j, &f);
}

static void reducing_in_each_of_four_passes_is_three_too_many(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    job_fact(&j, "record.backwards_per_step", 4);
    for (int32_t s = 0; s < STEPS; s++)
        for (int i = 0; i < 4; i++)
            add_collective(&j, 0, s, 20000 + 20000 * i, 26000 + 20000 * i, 2000);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "exposed-communication");
    assert_gain_us(x, 12000); /* 3 of 4 × 4 ms */
    assert_int_equal(x->price, PRICE_WAITS);
    job_done(&j, &f);
}

static void a_collective_for_each_parameter_is_too_many(void **state)
{
    struct job_run j;
    (void)state;
    job_begin(&j, RUN_SOURCE_KINETO);
    job_healthy(&j);
    for (int32_t s = 0; s < STEPS; s++)
        for (int i = 0; i < 50; i++)
            add_collective(&j, 0, s, 60000 + 500 * i, 60400 + 500 * i, 0);
    struct job_found f = job_find(&j);
    const struct finding *x = job_expect(&f, "small-collectives");
    assert_gain_us(x, 50 * 400 * 0.98);
    assert_null(job_finding(&f, "exposed-communication"));
    job_done(&j, &f);
}

/* Collectives of 400 µs in each of two passes. */
static struct job_found find_in_two_passes(struct job_run *j, int collectives)
{
    job_begin(j, RUN_SOURCE_KINETO);
    job_healthy(j);
    job_fact(j, "record.backwards_per_step", 2);
    for (int32_t s = 0; s < STEPS; s++)
        for (int i = 0; i < collectives; i++)
            add_collective(j, 0, s, 20000 + 1000 * i, 20400 + 1000 * i, 0);
    return job_find(j);
}

static void time_that_two_rules_see_is_told_by_the_one_that_gains_more(void **state)
{
    struct job_run j;
    (void)state;
    struct job_found f = find_in_two_passes(&j, 40);
    assert_gain_us(job_expect(&f, "small-collectives"), 40 * 400 * 0.95);
    assert_null(job_finding(&f, "exposed-communication"));
    job_done(&j, &f);
    f = find_in_two_passes(&j, 15); /* not many */
    assert_gain_us(job_expect(&f, "exposed-communication"), 15 * 400 * 0.5);
    assert_null(job_finding(&f, "small-collectives"));
    job_done(&j, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_that_comes_late_is_a_straggler),
        cmocka_unit_test(a_change_is_made_on_every_rank),
        cmocka_unit_test(untraced_backward_passes_tell_how_late_it_is),
        cmocka_unit_test(one_that_is_slow_throughout_leads_by_a_part),
        cmocka_unit_test(a_rank_that_is_late_in_traced_steps_alone_is_none),
        cmocka_unit_test(two_ranks_that_are_late_by_turns_are_none),
        cmocka_unit_test(a_rank_that_is_late_in_most_traced_steps_is_none),
        cmocka_unit_test(waits_for_gathers_can_be_left_out),
        cmocka_unit_test(a_late_rank_at_gathers_is_a_straggler),
        cmocka_unit_test(gathers_of_few_steps_are_none),
        cmocka_unit_test(buffers_need_not_be_sent_each_step),
        cmocka_unit_test(who_gets_the_buffers_is_not_waited_for),
        cmocka_unit_test(ranks_that_meet_at_their_buffers_may_wait_there),
        cmocka_unit_test(jitter_at_many_small_collectives_is_theirs),
        cmocka_unit_test(one_that_has_more_to_do_has_unequal_work),
        cmocka_unit_test(a_wait_that_compute_hides_costs_nothing),
        cmocka_unit_test(ranks_that_take_turns_are_no_stragglers),
        cmocka_unit_test(overlapping_waits_count_once),
        cmocka_unit_test(an_all_reduce_that_nothing_hides_is_told),
        cmocka_unit_test(the_last_bucket_of_a_backward_pass_is_not),
        cmocka_unit_test(one_that_is_hidden_is_not),
        cmocka_unit_test(one_beside_others_that_are_hidden_is_told),
        cmocka_unit_test(reducing_in_each_of_four_passes_is_three_too_many),
        cmocka_unit_test(a_collective_for_each_parameter_is_too_many),
        cmocka_unit_test(time_that_two_rules_see_is_told_by_the_one_that_gains_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
