/* The phases of steps in a trace of PyTorch, from recordings small enough to work out by
 * hand. */
#include "reduce_fixture.h"

static const char input[] = "enumerate(DataLoader)#_Iter.__next__";
static const char node[] = "autograd::engine::evaluate_function: MulBackward0";
static const char optimizer[] = "Optimizer.step#AdamW.step";

static int64_t phase_ns(const struct run *r, int32_t step, enum phase phase)
{
    for (size_t i = 0; i < r->phases.table.n; i++)
        if (r->phases.step[i] == step && r->phases.phase[i] == phase)
            return r->phases.ns[i];
    return -1;
}

/* An operator, and one that it calls, with autograd's number of the next node. */
static void add_op(struct fixture *f, int64_t begin_ns, int64_t end_ns, int64_t number)
{
    add(f, f->cpu, SPAN_KIND_OP, "aten::linear", begin_ns, end_ns);
    add_numbered(f, f->cpu, SPAN_KIND_OP, "aten::addmm", begin_ns + 1, end_ns - 1,
                 number);
}

/* A step of 1000: what is before the forward pass makes no node. */
static void add_training_step(struct fixture *f, int64_t at, int64_t number)
{
    add(f, f->cpu, SPAN_KIND_STEP, "ProfilerStep#1", at, at + 1000);
    add(f, f->cpu, SPAN_KIND_ANNOTATION, input, at + 10, at + 100);
    add_op(f, at + 20, at + 50, number); /* the loader's own */
    add_op(f, at + 110, at + 120, number);
    add_op(f, at + 150, at + 200, number);
    add_op(f, at + 250, at + 300, number + 1);
    add_numbered(f, f->cpu, SPAN_KIND_OP, node, at + 350, at + 450, number + 1);
    add_op(f, at + 360, at + 440, 0);
    add_numbered(f, f->cpu, SPAN_KIND_OP, node, at + 470, at + 600, number);
    add(f, f->cpu, SPAN_KIND_ANNOTATION, optimizer, at + 650, at + 900);
}

static void phases_are_found_in_a_training_step(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add_training_step(&f, 0, 7);
    add_training_step(&f, 1000, 9);
    finish(&f);
    for (int32_t step = 0; step < 2; step++) {
        assert_int_equal(phase_ns(&f.run, step, PHASE_DATA), 90);
        assert_int_equal(phase_ns(&f.run, step, PHASE_FORWARD), 150);
        assert_int_equal(phase_ns(&f.run, step, PHASE_BACKWARD), 250);
        assert_int_equal(phase_ns(&f.run, step, PHASE_OPTIMIZER), 250);
        assert_int_equal(phase_ns(&f.run, step, PHASE_UNATTRIBUTED), 260);
    }
    run_release(&f.run);
}

/* Gradients of two batches: what lies between them belongs to neither. */
static void phases_that_come_twice_are_added_up(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#1", 0, 1000);
    for (int i = 0; i < 2; i++) {
        add_op(&f, i * 400 + 100, i * 400 + 200, i + 1);
        add_numbered(&f, f.cpu, SPAN_KIND_OP, node, i * 400 + 250, i * 400 + 400, i + 1);
    }
    finish(&f);
    assert_int_equal(phase_ns(&f.run, 0, PHASE_FORWARD), 200);
    assert_int_equal(phase_ns(&f.run, 0, PHASE_BACKWARD), 300);
    assert_int_equal(phase_ns(&f.run, 0, PHASE_OPTIMIZER), 0);
    assert_int_equal(phase_ns(&f.run, 0, PHASE_UNATTRIBUTED), 500);
    run_release(&f.run);
}

/* As Lightning does it. */
static void an_optimizer_does_not_hold_what_its_closure_does(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#1", 0, 1000);
    add(&f, f.cpu, SPAN_KIND_ANNOTATION, optimizer, 100, 900);
    add_op(&f, 200, 300, 1);
    add_op(&f, 320, 400, 2);
    add_numbered(&f, f.cpu, SPAN_KIND_OP, node, 450, 700, 2);
    finish(&f);
    assert_int_equal(phase_ns(&f.run, 0, PHASE_FORWARD), 200);
    assert_int_equal(phase_ns(&f.run, 0, PHASE_BACKWARD), 250);
    assert_int_equal(phase_ns(&f.run, 0, PHASE_OPTIMIZER), 350);
    assert_int_equal(phase_ns(&f.run, 0, PHASE_UNATTRIBUTED), 200);
    run_release(&f.run);
}

/* The mark of a step may end within the optimizer's. */
static void a_phase_ends_with_its_step(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#1", 0, 1000);
    add_numbered(&f, f.cpu, SPAN_KIND_OP, node, 100, 200, 1);
    add(&f, f.cpu, SPAN_KIND_ANNOTATION, optimizer, 900, 1100);
    finish(&f);
    assert_int_equal(phase_ns(&f.run, 0, PHASE_OPTIMIZER), 100);
    assert_int_equal(phase_ns(&f.run, 0, PHASE_UNATTRIBUTED), 800);
    run_release(&f.run);
}

static void a_backward_pass_on_another_thread_is_a_devices(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0);
    int32_t other = shard_lane(
        f.shard, (struct lane){.kind = LANE_KIND_CPU, .device = -1, .pid = 1, .tid = 2});
    add_training_step(&f, 0, 7);
    for (int i = 0; i < 3; i++)
        add_numbered(&f, other, SPAN_KIND_OP, node, 700 + i * 10, 705 + i * 10, 8 - i);
    finish(&f);
    assert_int_equal(f.run.phases.table.n, 0);
    run_release(&f.run);
}

/* A host that only asks for the work has no phases of its own; nor has inference. */
static void phases_are_told_only_of_training_on_the_host(void **state)
{
    (void)state;
    for (int device = 0; device < 2; device++) {
        struct fixture f;
        begin(&f, 0);
        if (device) {
            add_training_step(&f, 0, 7);
            add(&f, f.gpu, SPAN_KIND_KERNEL, "k", 100, 900);
        } else {
            add(&f, f.cpu, SPAN_KIND_STEP, "ProfilerStep#1", 0, 1000);
            add_op(&f, 100, 200, 1);
            add_op(&f, 300, 400, 2);
        }
        finish(&f);
        assert_int_equal(f.run.phases.table.n, 0);
        run_release(&f.run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_are_found_in_a_training_step),
        cmocka_unit_test(phases_that_come_twice_are_added_up),
        cmocka_unit_test(an_optimizer_does_not_hold_what_its_closure_does),
        cmocka_unit_test(a_phase_ends_with_its_step),
        cmocka_unit_test(a_backward_pass_on_another_thread_is_a_devices),
        cmocka_unit_test(phases_are_told_only_of_training_on_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
