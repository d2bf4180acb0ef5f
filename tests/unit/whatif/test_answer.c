#include "whatif/answer.h"

#include "unit/findings/one_gpu.h"

#include <math.h>

/* Asks these of the run of one_gpu.h; the caller frees. */
static struct answers *ask(struct run *run, struct analysis **a, struct err *err,
                           const char *const *words, size_t n)
{
    struct question q[4];
    size_t used = 0, at = 0, count = 0;
    *err = (struct err)ERR_INIT;
    while (at < n) {
        assert_int_equal(question_parse(&q[count++], &used, words + at, n - at, err),
                         STATUS_OK);
        at += used;
    }
    one_gpu(run);
    *a = analysis_new(run);
    return answers_new(run, *a, q, count, err);
}

static void assert_gains_us(const char *question, size_t matched, double gain_us)
{
    struct run run;
    struct analysis *a;
    struct err err;
    struct answers *x = ask(&run, &a, &err, &question, 1);
    if (!x)
        fail_msg("%s: %s", question, err.text);
    assert_int_equal(x->answer[0].matched, matched);
    if (fabs(x->answer[0].price.gain_ns / 1e3 - gain_us) > 1)
        fail_msg("%s gains %g us, not %g", question, x->answer[0].price.gain_ns / 1e3,
                 gain_us);
    assert_true(x->answer[0].price.gain_low_ns <= x->answer[0].price.gain_ns);
    assert_true(x->answer[0].price.gain_high_ns >= x->answer[0].price.gain_ns);
    assert_true(fabs(x->together_gain_ns - x->answer[0].price.gain_ns) < 1);
    answers_free(x);
    analysis_free(a);
    run_release(&run);
}

static void assert_refused(const char *question, const char *says)
{
    struct run run;
    struct analysis *a;
    struct err err;
    struct answers *x = ask(&run, &a, &err, &question, 1);
    assert_null(x);
    assert_int_equal(err.status, STATUS_USAGE);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" is not in: %s", says, err.text);
    analysis_free(a);
    run_release(&run);
}

static void what_is_on_the_critical_path_gains_what_it_holds(void **state)
{
    (void)state;
    assert_gains_us("no-loader", 2, 200);
    assert_gains_us("remove op:enumerate*", 2, 250); /* and the way to the launch */
    assert_gains_us("scale op:enumerate* 0.5", 2, 100);
    assert_gains_us("scale op:enumerate* 1", 2, 0);
}

static void what_is_hidden_gains_nothing(void **state)
{
    (void)state;
    assert_gains_us("remove op:aten::relu", 2, 0); /* the device is longer */
}

static void a_shorter_kernel_gains_until_the_host_is_longer(void **state)
{
    (void)state;
    assert_gains_us("scale kernel:sgemm 0.75", 2, 100);
    /* the host arrives at 450, and the call itself takes some time */
    assert_gains_us("remove kernel:*gemm", 2, 208);
    assert_gains_us("scale kernel:sgemm 2", 2, -400);
}

static void a_larger_batch_takes_longer_but_never_more_than_in_proportion(void **state)
{
    (void)state;
    const char *words[] = {"batch=2x"};
    struct run run;
    struct analysis *a;
    struct err err;
    struct answers *x = ask(&run, &a, &err, words, 1);
    assert_non_null(x);
    const struct finding *p = &x->answer[0].price;
    assert_true(fabs(p->gain_ns / 1e3 + 600) < 1); /* fetching and the kernel */
    assert_true(p->gain_high_ns == 0);
    assert_false(x->answer[0].has_ceiling);
    answers_free(x);
    analysis_free(a);
    run_release(&run);
}

/* The kernel becomes an all-reduce of two ranks: 1 MB in 400 us, 2.5 GB/s. */
static void make_collectives(struct run *run)
{
    name_id name = names_add_z(&run->names, "allreduce");
    for (size_t i = 0; i < run->spans.table.n; i++) {
        if (run->spans.kind[i] != SPAN_KIND_KERNEL)
            continue;
        run->spans.kind[i] = SPAN_KIND_COLLECTIVE;
        collectives_add(&run->collectives,
                        (struct collective){.rank = 0,
                                            .step = run->spans.step[i],
                                            .lane = run->spans.lane[i],
                                            .name = name,
                                            .seq = -1,
                                            .group_size = 2,
                                            .bytes = 1000000,
                                            .begin_ns = run->spans.begin_ns[i],
                                            .dur_ns = run->spans.dur_ns[i]});
    }
}

static void collectives_grow_as_a_ring_does(void **state)
{
    (void)state;
    static const struct {
        const char *question;
        double gain_us;
    } cases[] = {
        {"ranks=2", 0},             /* as it is */
        {"ranks=4", -200},          /* 2 · 3/4 instead of 2 · 1/2 of the bytes */
        {"net=5GB/s", 200},         /* twice as fast */
        {"ranks=4 net=5GB/s", 100}, /* 1.5 / 2 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run;
        struct question q;
        struct err err = ERR_INIT;
        size_t used;
        one_gpu(&run);
        make_collectives(&run);
        struct analysis *a = analysis_new(&run);
        assert_int_equal(question_parse(&q, &used, &cases[i].question, 1, &err),
                         STATUS_OK);
        struct answers *x = answers_new(&run, a, &q, 1, &err);
        assert_non_null(x);
        assert_int_equal(x->answer[0].matched, 2);
        if (fabs(x->answer[0].price.gain_ns / 1e3 - cases[i].gain_us) > 1)
            fail_msg("%s gains %g us", q.text, x->answer[0].price.gain_ns / 1e3);
        assert_non_null(
            strstr(x->answer[0].price.evidence, "2.50 GB/s, no latency known"));
        answers_free(x);
        analysis_free(a);
        run_release(&run);
    }
}

static void questions_together_are_replayed_jointly(void **state)
{
    (void)state;
    const char *words[] = {"remove kernel:sgemm", "no-wait"};
    struct run run;
    struct analysis *a;
    struct err err;
    struct answers *x = ask(&run, &a, &err, words, 2);
    assert_non_null(x);
    double alone_ns = x->answer[0].price.gain_ns + x->answer[1].price.gain_ns;
    assert_true(x->together_gain_ns < alone_ns - 1e5); /* they share the wait */
    assert_true(x->together_gain_ns >= x->answer[0].price.gain_ns - 1);
    answers_free(x);
    analysis_free(a);
    run_release(&run);
}

static void questions_about_the_same_work_are_both_heard(void **state)
{
    (void)state;
    const char *words[] = {"scale kernel:sgemm 0.5", "scale kernel:s* 2"};
    struct run run;
    struct analysis *a;
    struct err err;
    struct answers *x = ask(&run, &a, &err, words, 2);
    assert_non_null(x);
    assert_true(fabs(x->together_gain_ns) < 1000);
    answers_free(x);
    analysis_free(a);
    run_release(&run);
}

static void the_critical_path_sums_to_what_was_replayed(void **state)
{
    (void)state;
    const char *words[] = {"scale kernel:sgemm 0.5"};
    struct run run;
    struct analysis *a;
    struct err err;
    struct answers *x = ask(&run, &a, &err, words, 1);
    assert_non_null(x);
    const struct critical_path *paths[] = {&x->before, &x->after};
    for (int i = 0; i < 2; i++) {
        int64_t sum_ns = 0;
        for (int k = 0; k < GRAPH_EDGE_COUNT; k++)
            sum_ns += paths[i]->kind_ns[k];
        assert_int_equal(sum_ns, paths[i]->window_ns);
        for (size_t k = 1; k < paths[i]->n; k++)
            assert_true(paths[i]->piece[k].begin_ns >= paths[i]->piece[k - 1].begin_ns);
    }
    assert_true(x->before.kind_ns[GRAPH_EDGE_WORK] == 800 * US);
    double step_ns = 0;
    for (int part = 0; part < PATH_PART_COUNT; part++)
        step_ns += x->path_before_ns[part];
    assert_true(fabs(step_ns - x->of.step_ns) < 1);
    for (size_t i = 0; i < run.spans.table.n; i++)
        if (run.spans.kind[i] == SPAN_KIND_KERNEL)
            assert_int_equal(x->before.slack_ns[i], 0);
    answers_free(x);
    analysis_free(a);
    run_release(&run);
}

static void a_selector_of_nothing_names_what_is_near(void **state)
{
    (void)state;
    assert_refused("remove op:aten::rleu", "near to it: \"aten::relu\"");
    assert_refused("remove kernel:gemm", "near to it: \"gemm f32\"");
    assert_refused("remove kernel:conv2d", "there is 1 name, like \"gemm f32\"");
    assert_refused("remove frame:*", "none of that kind at all");
    assert_refused("ranks=8", "no collective of several ranks");
}

static void a_run_without_spans_cannot_be_asked(void **state)
{
    (void)state;
    struct run run;
    struct question q = {.kind = QUESTION_NO_WAIT};
    struct err err = ERR_INIT;
    one_gpu(&run);
    run_drop_detail(&run);
    struct analysis *a = analysis_new(&run);
    assert_null(answers_new(&run, a, &q, 1, &err));
    assert_int_equal(err.status, STATUS_INPUT);
    assert_non_null(strstr(err.text, "keeps sums alone"));
    analysis_free(a);
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_on_the_critical_path_gains_what_it_holds),
        cmocka_unit_test(what_is_hidden_gains_nothing),
        cmocka_unit_test(a_shorter_kernel_gains_until_the_host_is_longer),
        cmocka_unit_test(a_larger_batch_takes_longer_but_never_more_than_in_proportion),
        cmocka_unit_test(collectives_grow_as_a_ring_does),
        cmocka_unit_test(questions_together_are_replayed_jointly),
        cmocka_unit_test(questions_about_the_same_work_are_both_heard),
        cmocka_unit_test(the_critical_path_sums_to_what_was_replayed),
        cmocka_unit_test(a_selector_of_nothing_names_what_is_near),
        cmocka_unit_test(a_run_without_spans_cannot_be_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
