/* Why a device was idle: every figure here was worked out by hand, and whatever is
 * recorded, the reasons sum to the idle time. */
#include "unit/reduce/reduce_fixture.h"

#include <stdlib.h>

static int64_t idle(const struct fixture *f, int32_t step, enum time_class what)
{
    return find_time(&f->run, step, -1, -1, what);
}

static void reasons_sum_to_idle(const struct fixture *f)
{
    for (int32_t step = -1; step < (int32_t)f->run.steps.table.n; step++) {
        int64_t sum = 0;
        for (int what = TIME_CLASS_IDLE_INPUT; what <= TIME_CLASS_IDLE_UNKNOWN; what++) {
            assert_true(idle(f, step, (enum time_class)what) >= 0);
            sum += idle(f, step, (enum time_class)what);
        }
        assert_int_equal(sum, idle(f, step, TIME_CLASS_IDLE));
    }
}

static void what_the_launching_thread_did_is_the_reason(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", 0, 10, 1);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 20, 100, 1);
    /* idle from 100 to 400: 20 blocked, 80 loading, then python, launched at 350 to 360
     */
    add(&f, f.cpu, SPAN_KIND_SYNC, "cudaStreamSynchronize", 10, 120);
    add(&f, f.cpu, SPAN_KIND_ANNOTATION, "enumerate(DataLoader)#X.__next__", 150, 230);
    add(&f, f.cpu, SPAN_KIND_SYNC, "a wait inside the loader", 160, 170);
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", 350, 360, 2);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 400, 500, 2);
    finish(&f);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE), 300);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_SYNC), 20);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_INPUT), 80);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_HOST), 260 - 20 - 80);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_BETWEEN), 40);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_UNKNOWN), 0);
    reasons_sum_to_idle(&f);
    run_release(&f.run);
}

static void work_that_was_queued_waited_for_the_device_or_for_other_ranks(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    for (int i = 0; i < 3; i++)
        add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", 10 * i, 10 * i + 5, i + 1);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 40, 100, 1);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 103, 200, 2);
    add_numbered(&f, f.gpu, SPAN_KIND_COLLECTIVE, "nccl", 250, 300, 3);
    add(&f, f.gpu, SPAN_KIND_KERNEL, "not launched by anything known", 310, 320);
    finish(&f);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_BETWEEN), 3);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_COMMUNICATION), 50);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_UNKNOWN), 10);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_HOST), 0);
    reasons_sum_to_idle(&f);
    run_release(&f.run);
}

static void work_that_begins_before_its_launch_finds_it(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", 0, 10, 1);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 20, 100, 1);
    add(&f, f.cpu, SPAN_KIND_SYNC, "wait", 90, 130);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 150, 160, 2);
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", 155, 165,
                 2); /* its clock lags */
    finish(&f);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_SYNC), 30);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_HOST), 20);
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE_UNKNOWN), 0);
    reasons_sum_to_idle(&f);
    run_release(&f.run);
}

static void steps_cut_an_idle_interval(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#1", 0, 200);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#2", 200, 400);
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", 30, 40, 1);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 50, 150, 1);
    add(&f, f.cpu, SPAN_KIND_OP, "enumerate(DataLoader)#X.__next__", 180, 240);
    add_numbered(&f, f.cpu, SPAN_KIND_RUNTIME, "launch", 250, 260, 2);
    add_numbered(&f, f.gpu, SPAN_KIND_KERNEL, "k", 280, 350, 2);
    finish(&f);
    /* Of step 1: 0 to 50 before the first work, 150 to 200. */
    assert_int_equal(idle(&f, 0, TIME_CLASS_IDLE), 100);
    assert_int_equal(idle(&f, 0, TIME_CLASS_IDLE_INPUT), 20);
    assert_int_equal(idle(&f, 0, TIME_CLASS_IDLE_HOST), 40 + 30);
    assert_int_equal(idle(&f, 0, TIME_CLASS_IDLE_BETWEEN), 10);
    /* Of step 2: 200 to 280, and 350 to 400, which no work ends. */
    assert_int_equal(idle(&f, 1, TIME_CLASS_IDLE_INPUT), 40);
    assert_int_equal(idle(&f, 1, TIME_CLASS_IDLE_HOST), 20);
    assert_int_equal(idle(&f, 1, TIME_CLASS_IDLE_BETWEEN), 20);
    assert_int_equal(idle(&f, 1, TIME_CLASS_IDLE_UNKNOWN), 50);
    /* Of the recording: from the first work to the last alone. */
    assert_int_equal(idle(&f, -1, TIME_CLASS_IDLE), 130);
    reasons_sum_to_idle(&f);
    run_release(&f.run);
}

/* Anything on three lanes, with steps that overlap and nest, launches that come late,
 * twice or never. */
static void reasons_always_sum_to_idle(void **state)
{
    (void)state;
    static const enum span_kind host[] = {SPAN_KIND_OP, SPAN_KIND_RUNTIME, SPAN_KIND_SYNC,
                                          SPAN_KIND_ANNOTATION, SPAN_KIND_PHASE};
    static const enum span_kind device[] = {SPAN_KIND_KERNEL, SPAN_KIND_COLLECTIVE,
                                            SPAN_KIND_COPY, SPAN_KIND_SYNC};
    srand(3);
    for (int round = 0; round < 200; round++) {
        struct fixture f;
        begin(&f, 0);
        for (int i = rand() % 6; i > 0; i--) {
            int64_t b = rand() % 3000;
            add(&f, f.cpu, SPAN_KIND_STEP, "step", b, b + rand() % 2000);
        }
        add(&f, f.gpu, SPAN_KIND_KERNEL, "k", 1000, 1010);
        for (int i = 0; i < 60; i++) {
            int64_t b = rand() % 4000;
            add_numbered(&f, f.cpu, host[rand() % 5], rand() % 2 ? "data" : "x", b,
                         b + rand() % 100, rand() % 40);
            b = rand() % 4000;
            add_numbered(&f, f.gpu, device[rand() % 4], "k", b, b + rand() % 60,
                         rand() % 40);
        }
        finish(&f);
        reasons_sum_to_idle(&f);
        run_release(&f.run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_launching_thread_did_is_the_reason),
        cmocka_unit_test(work_that_was_queued_waited_for_the_device_or_for_other_ranks),
        cmocka_unit_test(work_that_begins_before_its_launch_finds_it),
        cmocka_unit_test(steps_cut_an_idle_interval),
        cmocka_unit_test(reasons_always_sum_to_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
