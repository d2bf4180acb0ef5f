/* Ranks as one job: shifts, waits, stragglers and causes that are known exactly. */
#include "cmocka_setup.h"

#include "base/clock.h"
#include "unit/analyze/job_fixtures.h"

/* --- clocks */

static void clocks_off_by_seconds_are_brought_together(void **state)
{
    (void)state;
    for (int numbered = 0; numbered < 2; numbered++) {
        struct run run;
        job_three_ranks(&run, numbered);
        struct analysis *a = analysis_new(&run);
        const struct analysis_job *j = &a->job;
        assert_int_equal(j->state, JOB_ALIGNED);
        assert_int_equal(j->matched, 12);
        assert_int_equal(j->by_seq, numbered ? 12 : 0);
        assert_int_equal(j->clocks.reference, 0);
        assert_int_equal(j->clocks.aligned, 3);
        for (int r = 0; r < 3; r++)
            assert_int_equal(j->clocks.rank[r].shift_ns, -three_ranks_ahead[r]);
        assert_int_equal(j->clocks.skew_median_ns, 0);
        assert_int_equal(j->clocks.skew_max_ns, 0);
        analysis_free(a);
        run_release(&run);
    }
}

static void one_late_end_moves_no_clock_and_is_told_as_skew(void **state)
{
    (void)state;
    struct run run;
    job_three_ranks(&run, true);
    run.collectives.dur_ns[11] += 777; /* the last of rank 2 */
    struct analysis *a = analysis_new(&run);
    const struct rank_clocks *c = &a->job.clocks;
    assert_int_equal(c->rank[2].shift_ns, -three_ranks_ahead[2]);
    assert_int_equal(c->rank[2].skew_median_ns, 0);
    assert_int_equal(c->rank[2].skew_max_ns, 777);
    assert_int_equal(c->rank[1].skew_max_ns, 0);
    assert_int_equal(c->skew_max_ns, 777);
    analysis_free(a);
    run_release(&run);
}

/* Groups of two: {0,1} {2,3} (tensor) and {0,2} {1,3} (data): rank 3 never meets rank 0.
 */
static void shifts_go_from_group_to_group(void **state)
{
    (void)state;
    static const int64_t ahead[4] = {100, 20, 3000000000, 4};
    static const struct {
        const char *group;
        int32_t rank[2];
    } groups[] = {{"tp0", {0, 1}}, {"tp1", {2, 3}}, {"dp0", {0, 2}}, {"dp1", {1, 3}}};
    struct run run;
    run_init(&run);
    for (int32_t r = 0; r < 4; r++)
        job_add_rank(&run, r, 4);
    for (int g = 0; g < 4; g++)
        for (int seq = 0; seq < 3; seq++)
            for (int k = 0; k < 2; k++) {
                int32_t r = groups[g].rank[k];
                int64_t t = 1000 * (4 * seq + g) + ahead[r];
                job_add_call(&run, r, -1,
                             (struct job_call){"all_gather", groups[g].group, seq, 2},
                             t + 10 * r, t + 100);
            }
    struct analysis *a = analysis_new(&run);
    const struct rank_clocks *c = &a->job.clocks;
    assert_int_equal(c->aligned, 4);
    for (int r = 0; r < 4; r++)
        assert_int_equal(c->rank[r].shift_ns, ahead[0] - ahead[r]);
    assert_int_equal(c->skew_max_ns, 0);
    /* In each group the higher rank comes later: by 10 or 20 ns, 3 times. */
    assert_int_equal(a->job.waits.rank[0].wait_ns, 3 * 10 + 3 * 20);
    assert_int_equal(a->job.waits.rank[3].last, 6);
    assert_int_equal(a->job.waits.rank[3].late_ns, 3 * 10 + 3 * 20);
    analysis_free(a);
    run_release(&run);
}

static void parts_of_a_job_that_never_meet_are_not_aligned_with_each_other(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    for (int32_t r = 0; r < 6; r++)
        job_add_rank(&run, r, 6);
    for (int32_t r = 0; r < 5; r++) /* 0 and 1; 2, 3 and 4; rank 5 meets nobody */
        job_add_call(&run, r, -1,
                     (struct job_call){"allreduce", r < 2 ? "a" : "b", 0, r < 2 ? 2 : 3},
                     0, 100);
    struct analysis *a = analysis_new(&run);
    const struct rank_clocks *c = &a->job.clocks;
    assert_int_equal(c->reference, 2);
    assert_int_equal(c->aligned, 3);
    assert_int_equal(c->rank[1].reference, 0);
    assert_int_equal(c->rank[4].reference, 2);
    assert_int_equal(c->rank[5].reference, -1);
    analysis_free(a);
    run_release(&run);
}

/* --- who is whom */

static void ranks_that_lack_a_collective_are_left_out_of_it_alone(void **state)
{
    (void)state;
    struct run run;
    job_three_ranks(&run, true);
    run.collectives.seq[1] = 99; /* rank 0 has no number 41 */
    struct analysis *a = analysis_new(&run);
    const struct analysis_job *j = &a->job;
    assert_int_equal(j->matched, 3 + 2 + 3 + 3);
    assert_int_equal(j->waits.rank[0].meetings, 3);
    assert_int_equal(j->waits.rank[1].meetings, 4);
    assert_int_equal(j->waits.rank[1].wait_ns, 250 + 300 + 0 + 250);
    analysis_free(a);
    run_release(&run);
}

static void a_number_twice_is_paired_in_order_where_all_have_it_twice(void **state)
{
    (void)state;
    struct run run;
    job_three_ranks(&run, true);
    for (int r = 0; r < 3; r++)
        run.collectives.seq[4 * r + 1] = 40;
    struct analysis *a = analysis_new(&run);
    assert_int_equal(a->job.matched, 12);
    assert_int_equal(a->job.waits.meetings, 4);
    assert_int_equal(a->job.clocks.skew_max_ns, 0);
    analysis_free(a);
    run.collectives.seq[1] = 41; /* now rank 0 has it once */
    a = analysis_new(&run);
    assert_int_equal(a->job.ambiguous, 1); /* its number 40; number 41 has no partner */
    assert_int_equal(a->job.matched, 2 * 2 + 2 * 3);
    assert_int_equal(a->job.clocks.skew_max_ns, 0);
    analysis_free(a);
    run_release(&run);
}

static void two_ranks_that_disagree_how_many_there_were_are_not_matched(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    struct job_call call = {"ncclKernel_AllReduce", "", -1, 0};
    for (int32_t r = 0; r < 2; r++) {
        job_add_rank(&run, r, 2);
        for (int k = 0; k < 3 + r; k++)
            job_add_call(&run, r, -1, call, 100 * k, 100 * k + 50);
    }
    struct analysis *a = analysis_new(&run);
    assert_int_equal(a->job.state, JOB_UNMATCHED);
    assert_int_equal(a->job.ambiguous, 7);
    assert_int_equal(a->job.clocks.reference, -1);
    assert_int_equal(a->job.straggler, -1);
    analysis_free(a);
    run_release(&run);
}

static void groups_that_cannot_be_told_apart_are_not_matched(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    struct job_call call = {"allreduce", "tp", 5, 2}; /* four ranks: two groups of two */
    for (int32_t r = 0; r < 4; r++) {
        job_add_rank(&run, r, 4);
        job_add_call(&run, r, -1, call, 0, 100);
    }
    struct analysis *a = analysis_new(&run);
    assert_int_equal(a->job.state, JOB_UNMATCHED);
    assert_int_equal(a->job.ambiguous, 4);
    analysis_free(a);
    run_release(&run);
}

static void sends_meet_nobody_and_a_root_sets_no_clock(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    for (int32_t r = 0; r < 2; r++) {
        job_add_rank(&run, r, 2);
        job_add_call(&run, r, -1, (struct job_call){"send", "0", 1, 2}, 0, 10);
        job_add_call(&run, r, -1, (struct job_call){"broadcast", "0", 2, 2}, 100,
                     110 + r);
    }
    struct analysis *a = analysis_new(&run);
    assert_int_equal(a->job.sends, 2);
    assert_int_equal(a->job.matched, 2);
    assert_int_equal(a->job.state, JOB_UNMATCHED);
    analysis_free(a);
    for (int32_t r = 0; r < 2; r++)
        job_add_call(&run, r, -1, (struct job_call){"allgather", "0", 3, 2}, 200, 300);
    a = analysis_new(&run);
    assert_int_equal(a->job.state, JOB_ALIGNED);
    assert_int_equal(a->job.clocks.rank[1].shift_ns, 0);
    assert_int_equal(a->job.waits.meetings, 1); /* a root makes nobody wait */
    analysis_free(a);
    run_release(&run);
}

/* Two pairs of ranks whose clocks were never held against each other meet in a broadcast:
 * that their clocks differ is no lateness. */
static void clocks_that_were_not_aligned_make_nobody_late(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    for (int32_t r = 0; r < 4; r++) {
        const char *pair = r < 2 ? "a" : "b";
        int64_t off_ns = r < 2 ? 0 : 3000000;
        job_add_rank(&run, r, 4);
        job_add_call(&run, r, -1, (struct job_call){"allreduce", pair, 1, 2},
                     off_ns + 100, off_ns + 300);
        job_add_call(&run, r, -1, (struct job_call){"broadcast", "all", 2, 4},
                     off_ns + 400, off_ns + 500);
        job_add_call(&run, r, -1, (struct job_call){"allreduce", pair, 3, 2},
                     off_ns + 600, off_ns + 700);
    }
    struct analysis *a = analysis_new(&run);
    for (int32_t r = 0; r < 4; r++)
        assert_int_equal(a->job.waits.rank[r].wait_ns, 0);
    analysis_free(a);
    run_release(&run);
}

static void one_rank_and_no_collectives_are_said_to_be_that(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    job_add_rank(&run, 0, 8);
    job_add_call(&run, 0, -1, (struct job_call){"allreduce", "0", 1, 8}, 0, 10);
    struct analysis *a = analysis_new(&run);
    assert_int_equal(a->job.state, JOB_ONE_RANK);
    analysis_free(a);
    run_release(&run);
    run_init(&run);
    job_add_rank(&run, 0, 2);
    job_add_rank(&run, 1, 2);
    a = analysis_new(&run);
    assert_int_equal(a->job.state, JOB_NO_COLLECTIVES);
    analysis_free(a);
    run_release(&run);
}

/* --- waits */

static void waits_and_lateness_are_those_of_the_table(void **state)
{
    (void)state;
    struct run run;
    job_three_ranks(&run, true);
    struct analysis *a = analysis_new(&run);
    const struct job_waits *w = &a->job.waits;
    assert_int_equal(w->meetings, 4);
    assert_int_equal(w->rank[0].wait_ns, 300 + 300 + 250 + 300);
    assert_int_equal(w->rank[1].wait_ns, 250 + 300 + 0 + 250);
    assert_int_equal(w->rank[2].wait_ns, 0 + 0 + 50 + 0);
    assert_int_equal(w->rank[0].last, 0);
    assert_int_equal(w->rank[1].last, 1);
    assert_int_equal(w->rank[2].last, 3);
    assert_int_equal(w->rank[1].late_ns, (250 + 50) / 2);
    assert_int_equal(w->rank[1].alone_ns, 50);
    assert_int_equal(w->rank[2].late_ns, 275 + 300 + 275);
    assert_int_equal(w->rank[2].alone_ns, 250 + 300 + 250);
    assert_int_equal(w->rank[2].others_wait_ns, 550 + 600 + 550);
    assert_int_equal(w->n_steps, 2);
    assert_int_equal(w->step[0].number, 7);
    assert_int_equal(w->step[0].latest, 2);
    assert_int_equal(w->step[0].late_ns, 275 + 300);
    assert_int_equal(w->step[0].spread_ns, 300);
    assert_int_equal(w->step[0].wait_ns, 1150);
    assert_int_equal(w->step[1].latest, 2);
    assert_int_equal(w->step[1].late_ns, 275);
    int64_t one_by_one_ns = 0;
    for (size_t i = 0; i < a->run->collectives.table.n; i++)
        if (w->collective[i].meeting != SIZE_MAX)
            one_by_one_ns += w->collective[i].wait_ns;
    assert_int_equal(one_by_one_ns,
                     w->rank[0].wait_ns + w->rank[1].wait_ns + w->rank[2].wait_ns);
    assert_int_equal(w->step_wait_ns[0], 600); /* rank 0, step 7 */
    assert_int_equal(w->step_wait_ns[5], 50);  /* rank 2, step 8 */
    analysis_free(a);
    run_release(&run);
}

static void
a_wait_is_no_longer_than_its_collective_and_exposed_waits_are_told(void **state)
{
    (void)state;
    struct run run;
    job_three_ranks(&run, true);
    run.collectives.exposed_ns[0] = 40; /* rank 0, of a wait of 300 */
    /* Rank 2 comes after rank 0 has left: the two did not really wait for each other. */
    run.collectives.begin_ns[8] += 5000;
    run.collectives.dur_ns[8] = 0;
    struct analysis *a = analysis_new(&run);
    const struct job_waits *w = &a->job.waits;
    assert_int_equal(w->rank[0].wait_ns, 400 + 300 + 250 + 300);
    assert_int_equal(w->rank[0].exposed_ns, 40 + 300 + 250 + 300);
    /* Of the first, rank 1 waits 350: the others' median is half way from 40. */
    assert_int_equal(w->rank[2].late_exposed_ns, (40 + 350) / 2 + 300 + 275);
    analysis_free(a);
    run_release(&run);
}

static void ranks_that_come_together_are_nobody_s_delay(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    for (int32_t r = 0; r < 3; r++) {
        job_add_rank(&run, r, 3);
        for (int k = 0; k < 4; k++)
            job_add_call(&run, r, -1, (struct job_call){"allreduce", "0", k, 3}, 100 * k,
                         100 * k + 50);
    }
    struct analysis *a = analysis_new(&run);
    for (int r = 0; r < 3; r++)
        assert_int_equal(a->job.waits.rank[r].last, 0);
    assert_int_equal(a->job.straggler, -1);
    analysis_free(a);
    run_release(&run);
}

/* --- causes */

static void the_straggler_is_named_with_what_it_does_longer(void **state)
{
    (void)state;
    struct run run;
    job_three_ranks(&run, true);
    struct analysis *a = analysis_new(&run);
    assert_int_equal(a->job.straggler, 2);
    assert_true(a->job.cause.known);
    assert_int_equal(a->job.cause.what, TIME_CLASS_COMPUTE);
    assert_int_equal(a->job.cause.own_ns, 700);
    assert_int_equal(a->job.cause.median_ns, 500);
    assert_int_equal(a->job.cause.ranks, 3);
    analysis_free(a);
    /* With reasons for idleness, idle itself is no cause any more. */
    for (int32_t s = 0; s < 6; s++)
        job_add_time(&run, s / 2, s, TIME_CLASS_IDLE_INPUT, s / 2 == 2 ? 310 : 10);
    a = analysis_new(&run);
    assert_int_equal(a->job.cause.what, TIME_CLASS_IDLE_INPUT);
    assert_int_equal(a->job.cause.own_ns - a->job.cause.median_ns, 300);
    analysis_free(a);
    run_release(&run);
}

static void without_step_times_the_cause_is_unknown(void **state)
{
    (void)state;
    struct run run;
    job_three_ranks(&run, true);
    run.times.table.n = 0;
    struct analysis *a = analysis_new(&run);
    assert_int_equal(a->job.straggler, 2);
    assert_false(a->job.cause.known);
    analysis_free(a);
    run_release(&run);
}

/* Rank 1 always seems to come 100 ns late, but the ends of the two differ by up to 2,000.
 */
static void lateness_below_the_skew_of_the_clocks_names_nobody(void **state)
{
    (void)state;
    static const int64_t end_ns[5] = {8000, 12000, 10000, 8000, 12000};
    struct run run;
    run_init(&run);
    for (int32_t r = 0; r < 2; r++) {
        job_add_rank(&run, r, 2);
        for (int k = 0; k < 5; k++)
            job_add_call(&run, r, -1, (struct job_call){"allreduce", "0", k, 2},
                         20000 * k + 100 * r, 20000 * k + (r ? end_ns[k] : 10000));
    }
    struct analysis *a = analysis_new(&run);
    assert_int_equal(a->job.clocks.rank[1].shift_ns, 0);
    assert_int_equal(a->job.clocks.skew_median_ns, 1000); /* half, from the middle */
    assert_int_equal(a->job.clocks.skew_max_ns, 1000);
    assert_int_equal(a->job.waits.rank[1].last, 5);
    assert_int_equal(a->job.waits.rank[1].late_ns, 500);
    assert_int_equal(a->job.straggler, -1);
    analysis_free(a);
    run_release(&run);
}

/* --- size */

enum { MANY_RANKS = 1000, MANY_STEPS = 64, CALLS_A_STEP = 10, LATE_RANK = 617 };

/* Rank 617 is 2 ms late in every call; all others come within 1 ms of each other. */
static void add_many(struct run *run)
{
    static const struct job_call world = {"allreduce", "0", 0, MANY_RANKS};
    for (int32_t r = 0; r < MANY_RANKS; r++) {
        job_add_rank(run, r, MANY_RANKS);
        int64_t ahead = (int64_t)r * 7919 % 1000003 * 1000;
        for (int s = 0; s < MANY_STEPS; s++) {
            int32_t step = job_add_step(run, r, s, 50000000LL * s, 50000000LL * (s + 1));
            job_add_time(run, r, step, TIME_CLASS_SPAN, 50000000);
            job_add_time(run, r, step, TIME_CLASS_COMPUTE,
                         30000000 + (r == LATE_RANK ? 20000000 : 0));
            for (int k = 0; k < CALLS_A_STEP; k++) {
                struct job_call call = world;
                call.seq = CALLS_A_STEP * s + k;
                int64_t t = ahead + 5000000 * call.seq;
                int64_t late = r == LATE_RANK ? 3000000 : (r * 31 + k * 17) % 1000 * 1000;
                job_add_call(run, r, step, call, t + late, t + 4000000);
            }
        }
    }
}

static void a_thousand_ranks_are_looked_at_in_seconds(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    add_many(&run);
    int64_t begin_ns = clock_now_ns();
    struct analysis *a = analysis_new(&run);
    double seconds = (double)(clock_now_ns() - begin_ns) / 1e9;
    const struct analysis_job *j = &a->job;
    assert_int_equal(j->clocks.aligned, MANY_RANKS);
    assert_int_equal(j->clocks.skew_max_ns, 0);
    assert_int_equal(j->matched, MANY_RANKS * MANY_STEPS * CALLS_A_STEP);
    assert_int_equal(j->straggler, LATE_RANK);
    assert_int_equal(j->waits.rank[LATE_RANK].last, MANY_STEPS * CALLS_A_STEP);
    assert_int_equal(j->cause.what, TIME_CLASS_COMPUTE);
    assert_int_equal(j->cause.own_ns - j->cause.median_ns, 20000000);
    assert_int_equal(j->waits.n_steps, MANY_STEPS);
    for (int s = 0; s < MANY_STEPS; s++)
        assert_int_equal(j->waits.step[s].latest, LATE_RANK);
    print_message("%zu collectives of %d ranks in %.2f s\n", j->collectives, MANY_RANKS,
                  seconds);
    if (seconds > 60) /* a loop over pairs of ranks would take hours */
        fail_msg("%.1f s", seconds);
    analysis_free(a);
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_off_by_seconds_are_brought_together),
        cmocka_unit_test(one_late_end_moves_no_clock_and_is_told_as_skew),
        cmocka_unit_test(shifts_go_from_group_to_group),
        cmocka_unit_test(parts_of_a_job_that_never_meet_are_not_aligned_with_each_other),
        cmocka_unit_test(ranks_that_lack_a_collective_are_left_out_of_it_alone),
        cmocka_unit_test(a_number_twice_is_paired_in_order_where_all_have_it_twice),
        cmocka_unit_test(two_ranks_that_disagree_how_many_there_were_are_not_matched),
        cmocka_unit_test(groups_that_cannot_be_told_apart_are_not_matched),
        cmocka_unit_test(sends_meet_nobody_and_a_root_sets_no_clock),
        cmocka_unit_test(clocks_that_were_not_aligned_make_nobody_late),
        cmocka_unit_test(one_rank_and_no_collectives_are_said_to_be_that),
        cmocka_unit_test(waits_and_lateness_are_those_of_the_table),
        cmocka_unit_test(
            a_wait_is_no_longer_than_its_collective_and_exposed_waits_are_told),
        cmocka_unit_test(ranks_that_come_together_are_nobody_s_delay),
        cmocka_unit_test(the_straggler_is_named_with_what_it_does_longer),
        cmocka_unit_test(without_step_times_the_cause_is_unknown),
        cmocka_unit_test(lateness_below_the_skew_of_the_clocks_names_nobody),
        cmocka_unit_test(a_thousand_ranks_are_looked_at_in_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
