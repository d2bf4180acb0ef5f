/* Where steps come from: marks of several sorts, and the period of the kernels. */
#include "unit/reduce/reduce_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void mark(struct fixture *f, enum step_method method, int64_t begin_ns,
                 int64_t end_ns)
{
    add(f, f->cpu, SPAN_KIND_ANNOTATION, "a mark", begin_ns, end_ns);
    shard_add_mark(f->shard,
                   (struct step_mark){method, f->cpu, begin_ns, end_ns - begin_ns, -1});
}

static void step_is(const struct fixture *f, size_t i, int64_t begin_ns, int64_t end_ns,
                    int64_t number)
{
    assert_true(i < f->run.steps.table.n);
    assert_int_equal(f->run.steps.begin_ns[i], begin_ns);
    assert_int_equal(f->run.steps.end_ns[i], end_ns);
    assert_int_equal(f->run.steps.number[i], number);
}

static void a_step_lasts_from_the_end_of_one_optimizer_step_to_the_next(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    mark(&f, STEP_METHOD_OPTIMIZER, 300, 350); /* in any order */
    mark(&f, STEP_METHOD_OPTIMIZER, 100, 120);
    mark(&f, STEP_METHOD_OPTIMIZER, 500, 510);
    mark(&f, STEP_METHOD_LIGHTNING, 0, 90);
    mark(&f, STEP_METHOD_LIGHTNING, 90, 200);
    finish(&f);
    assert_int_equal(f.run.ranks.step_method[0], STEP_METHOD_OPTIMIZER);
    assert_int_equal(f.run.steps.table.n, 2);
    step_is(&f, 0, 120, 350, 0);
    step_is(&f, 1, 350, 510, 1);
    run_release(&f.run);
}

static void other_marks_begin_a_step_and_those_inside_one_are_none(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    mark(&f, STEP_METHOD_OPTIMIZER, 100, 120); /* one is not enough */
    mark(&f, STEP_METHOD_LIGHTNING, 0, 90);
    mark(&f, STEP_METHOD_LIGHTNING, 10, 60);
    mark(&f, STEP_METHOD_LIGHTNING, 140, 200);
    mark(&f, STEP_METHOD_LIGHTNING, 150, 160);
    finish(&f);
    assert_int_equal(f.run.ranks.step_method[0], STEP_METHOD_LIGHTNING);
    assert_int_equal(f.run.steps.table.n, 2);
    step_is(&f, 0, 0, 140, 0);
    step_is(&f, 1, 140, 200, 1);
    run_release(&f.run);
}

static void the_profilers_own_marks_come_first(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    mark(&f, STEP_METHOD_OPTIMIZER, 100, 120);
    mark(&f, STEP_METHOD_OPTIMIZER, 300, 320);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#0", 50, 250);
    finish(&f);
    assert_int_equal(f.run.ranks.step_method[0], STEP_METHOD_PROFILER_STEP);
    assert_int_equal(f.run.steps.table.n, 1);
    step_is(&f, 0, 50, 250, 0);
    run_release(&f.run);
}

/* A step of 3 layers forward and backward; kernels take 8 of 10 ns, a pause stands before
 * the embedding. Returns when it ends. */
static int64_t train_step(struct fixture *f, int64_t t, bool odd)
{
    static const char *const step[] = {
        "embed",         "mm",          "relu",          "mm",
        "relu",          "mm",          "relu",          "mm_backward",
        "relu_backward", "mm_backward", "relu_backward", "mm_backward",
        "relu_backward", "loss",        "adam"};
    t += 100;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        add(f, f->gpu, SPAN_KIND_KERNEL, step[i], t, t + 8);
        t += 10;
    }
    if (odd)
        add(f, f->gpu, SPAN_KIND_KERNEL, "once in a while", t, t + 1);
    return t;
}

static void kernels_that_repeat_are_steps_where_nothing_marks_them(void **state)
{
    (void)state;
    struct fixture f;
    int64_t t = 0;
    begin(&f, 0);
    add(&f, f.gpu, SPAN_KIND_KERNEL, "warm up", 0, 10);
    for (int i = 0; i < 20; i++)
        t = train_step(&f, t, i == 7);
    finish(&f);
    assert_int_equal(f.run.ranks.step_method[0], STEP_METHOD_KERNEL_PERIOD);
    assert_int_equal(f.run.steps.table.n, 20);
    for (size_t i = 0; i < 19; i++)
        step_is(&f, i, 100 + 250 * (int64_t)i, 350 + 250 * (int64_t)i, (int64_t)i);
    step_is(&f, 19, 100 + 250 * 19, 100 + 250 * 19 + 148, 19); /* no pause after it */
    assert_int_equal(f.run.steps.device_spans[3], 15);
    run_release(&f.run);
}

static void recording_is_one(const struct fixture *f, int64_t begin_ns, int64_t end_ns)
{
    assert_int_equal(f->run.ranks.step_method[0], STEP_METHOD_RECORDING);
    assert_int_equal(f->run.steps.table.n, 1);
    step_is(f, 0, begin_ns, end_ns, 0);
}

/* "turn N": data, then a part of it inside. */
static void turns(struct fixture *f, int n, int64_t every_ns)
{
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "turn %d of it", i);
        add(f, f->cpu, SPAN_KIND_ANNOTATION, "fetch", every_ns * i, every_ns * i + 10);
        add(f, f->cpu, SPAN_KIND_ANNOTATION, name, every_ns * i + 10, every_ns * i + 80);
        add(f, f->cpu, SPAN_KIND_ANNOTATION, "layer", every_ns * i + 20,
            every_ns * i + 30);
        add(f, f->cpu, SPAN_KIND_ANNOTATION, "layer", every_ns * i + 40,
            every_ns * i + 50);
    }
}

static void an_annotation_that_comes_again_and_again_is_the_loop(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    turns(&f, 5, 100);
    finish(&f);
    assert_int_equal(f.run.ranks.step_method[0], STEP_METHOD_ANNOTATION);
    assert_int_equal(f.run.steps.table.n, 5);
    for (int i = 0; i < 4; i++)
        step_is(&f, (size_t)i, 100 * i, 100 * (i + 1), i);
    step_is(&f, 4, 400, 410, 4);
    run_release(&f.run);
}

static void
annotations_that_are_few_irregular_or_beside_the_work_are_no_loop(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    turns(&f, 2, 100);
    finish(&f);
    recording_is_one(&f, 0, 180);
    run_release(&f.run);
    begin(&f, 0);
    turns(&f, 5, 100);
    add(&f, f.cpu, SPAN_KIND_OP, "much else", 500, 5000);
    finish(&f);
    recording_is_one(&f, 0, 5000);
    run_release(&f.run);
    begin(&f, 0);
    for (int i = 0; i < 48; i++) { /* layers: twelve a step, then the rest of it */
        char name[32];
        int64_t t = 360 * (i / 12) + 10 * (i % 12);
        snprintf(name, sizeof name, "layer %d", i % 12);
        add(&f, f.cpu, SPAN_KIND_ANNOTATION, name, t, t + 10);
    }
    finish(&f);
    assert_int_equal(f.run.ranks.step_method[0], STEP_METHOD_RECORDING);
    run_release(&f.run);
    begin(&f, 0);
    for (int64_t i = 0, t = 0; i < 8; i++, t += 50 << i)
        add(&f, f.cpu, SPAN_KIND_ANNOTATION, "now and then", t, t + 40);
    finish(&f);
    assert_int_equal(f.run.ranks.step_method[0], STEP_METHOD_RECORDING);
    run_release(&f.run);
}

static void one_mark_of_an_engine_is_a_step(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_OP, "before", 0, 50);
    mark(&f, STEP_METHOD_ENGINE, 100, 400);
    mark(&f, STEP_METHOD_ENGINE, 110, 390); /* of the level below */
    finish(&f);
    assert_int_equal(f.run.ranks.step_method[0], STEP_METHOD_ENGINE);
    assert_int_equal(f.run.steps.table.n, 1);
    step_is(&f, 0, 100, 400, 0);
    run_release(&f.run);
}

static void layers_and_benchmarks_are_no_steps(void **state)
{
    (void)state;
    static const char *const layer[] = {"norm", "qkv", "rope", "attention", "out",
                                        "norm", "up",  "gelu", "down",      "add"};
    struct fixture f;
    begin(&f, 0);
    for (int i = 0; i < 400; i++) /* one pass through 40 layers */
        add(&f, f.gpu, SPAN_KIND_KERNEL, layer[i % 10], 10 * i, 10 * i + 8);
    finish(&f);
    recording_is_one(&f, 0, 3998);
    run_release(&f.run);
    begin(&f, 0);
    for (int i = 0; i < 400; i++)
        add(&f, f.gpu, SPAN_KIND_KERNEL, i % 2 ? "a_backward" : "b", 10 * i, 10 * i + 8);
    finish(&f);
    recording_is_one(&f, 0, 3998);
    run_release(&f.run);
    begin(&f, 0);
    srand(1);
    for (int i = 0; i < 4000; i++) {
        char name[32];
        snprintf(name, sizeof name, "backward%d", rand() % 20);
        add(&f, f.gpu, SPAN_KIND_KERNEL, name, 10 * i, 10 * i + 8);
    }
    finish(&f);
    assert_int_equal(f.run.ranks.step_method[0], STEP_METHOD_RECORDING);
    run_release(&f.run);
}

/* A hostile recording: steps that all overlap, with work in all of them. */
static void many_overlapping_steps_do_not_hang(void **state)
{
    (void)state;
    enum { STEPS = 100000 };
    struct fixture f;
    begin(&f, 1);
    for (int i = 0; i < STEPS; i++) {
        add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#1", i, STEPS + i);
        add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", i, i + 1, i + 1);
        add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 3 * i, 3 * i + 1, i + 1);
    }
    clock_t before = clock();
    finish(&f);
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 20);
    assert_int_equal(f.run.steps.table.n, STEPS);
    assert_int_equal(find_time(&f.run, 0, -1, -1, TIME_CLASS_COMPUTE), STEPS / 3 + 1);
    run_release(&f.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_lasts_from_the_end_of_one_optimizer_step_to_the_next),
        cmocka_unit_test(other_marks_begin_a_step_and_those_inside_one_are_none),
        cmocka_unit_test(the_profilers_own_marks_come_first),
        cmocka_unit_test(kernels_that_repeat_are_steps_where_nothing_marks_them),
        cmocka_unit_test(an_annotation_that_comes_again_and_again_is_the_loop),
        cmocka_unit_test(
            annotations_that_are_few_irregular_or_beside_the_work_are_no_loop),
        cmocka_unit_test(one_mark_of_an_engine_is_a_step),
        cmocka_unit_test(layers_and_benchmarks_are_no_steps),
        cmocka_unit_test(many_overlapping_steps_do_not_hang),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
