/* What a job can be run without, on small graphs whose answer is known. */
#include "flow_run.h"

#include "flow/flow_plan.h"

/* Of the n-th operator of that name in the last step. */
static int32_t plan_of(struct flow_run *f, const char *name, int n)
{
    struct flow_graph g;
    assert_true(flow_graph_init(&g, &f->run, 0));
    struct flow_classes classes = flow_classes_of(&g);
    int32_t *plan = flow_plan_of(&g, classes.of), found = INT32_MIN;
    for (size_t op = 0; op < g.n && found == INT32_MIN; op++)
        if (flow_step(&g, op) == STEPS - 1 &&
            !strcmp(run_name(&f->run, f->run.watched_ops.name[op]), name) && n-- == 0)
            found = plan[op];
    mem_free(plan);
    flow_classes_release(&classes);
    flow_graph_release(&g);
    if (found == INT32_MIN)
        fail_msg("no %s", name);
    return found;
}

static void what_is_the_same_in_every_step_is_kept(void **state)
{
    (void)state;
    struct flow_run f;
    flow_begin(&f);
    int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
    for (int s = 0; s < STEPS; s++) {
        int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
        int32_t mask = flow_call(&f, "tril", flow_call(&f, "ones", -1, -1), -1);
        flow_train(&f, w, flow_call(&f, "mul", flow_call(&f, "apply", batch, mask), w));
    }
    assert_int_equal(plan_of(&f, "ones", 0), FLOW_KEPT);
    assert_int_equal(plan_of(&f, "tril", 0), FLOW_KEPT);
    assert_int_equal(plan_of(&f, "apply", 0), FLOW_RUNS);
    flow_done(&f);
}

/* A mask is filled in place: whoever reads it before must see what is there then. */
static void what_is_filled_in_place_runs(void **state)
{
    (void)state;
    struct flow_run f;
    flow_begin(&f);
    int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
    for (int s = 0; s < STEPS; s++) {
        int32_t mask = flow_call(&f, "ones", -1, -1);
        flow_op(&f, "fill_", 0, 3);
        flow_update(&f, mask);
        flow_train(&f, w, flow_call(&f, "mul", flow_call(&f, "exp", mask, -1), w));
    }
    assert_int_equal(class_of(&f, "fill_", 0, 0), FLOW_CLASS_INVARIANT);
    assert_int_equal(plan_of(&f, "ones", 0), FLOW_RUNS);
    assert_int_equal(plan_of(&f, "fill_", 0), FLOW_RUNS);
    assert_int_equal(plan_of(&f, "exp", 0), FLOW_KEPT);
    flow_done(&f);
}

/* Two products of one input; in the second case the result is written to. */
static void what_was_done_before_is_there(void **state)
{
    (void)state;
    for (int written = 0; written < 2; written++) {
        struct flow_run f;
        flow_begin(&f);
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24), first_op = 0;
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
            first_op = (int32_t)f.run.watched_ops.table.n;
            int32_t a = flow_call(&f, "mm", batch, w), b = flow_call(&f, "mm", batch, w);
            if (written) {
                flow_op(&f, "add_", 0, 0);
                flow_update(&f, a);
            }
            flow_train(&f, w, flow_call(&f, "mul", a, b));
        }
        assert_int_equal(plan_of(&f, "mm", 0), FLOW_RUNS);
        assert_int_equal(plan_of(&f, "mm", 1), written ? FLOW_RUNS : first_op);
        flow_done(&f);
    }
}

/* What is computed again from numbers that are drawn again gets other storages: only
 * what comes before them can be left out. */
static void what_gets_other_storages_runs(void **state)
{
    (void)state;
    struct flow_run f;
    flow_begin(&f);
    flow_in_a_line(&f);
    int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24), exp_op = 0;
    for (int s = 0; s < STEPS; s++) {
        int32_t x = flow_tensor(&f, VALUE_SOURCE_BATCH, 24), sum = w;
        for (int again = 0; again < 2; again++) {
            f.backward = again;
            exp_op = again ? exp_op : (int32_t)f.run.watched_ops.table.n;
            int32_t y = flow_call(&f, "exp", x, -1);
            int32_t drawn = flow_tensor(&f, VALUE_SOURCE_RANDOM, 4096);
            flow_op(&f, "rand", OP_TRAIT_RANDOM | OP_TRAIT_FACTORY, 0);
            flow_use_of(&f, TENSOR_ROLE_MADE, drawn, "[1024]", 9 + s);
            sum = flow_call(&f, "add", sum, flow_call(&f, "drop", y, drawn));
        }
        flow_train(&f, w, sum);
    }
    assert_int_equal(plan_of(&f, "exp", 1), exp_op);
    assert_int_equal(plan_of(&f, "rand", 1), FLOW_RUNS);
    assert_int_equal(plan_of(&f, "drop", 1), FLOW_RUNS);
    flow_done(&f);
}

/* A copy of the same form is its source; a cast is not, nor what is written to, nor a
 * copy of what others may write to. */
static void a_copy_is_its_source(void **state)
{
    (void)state;
    static const struct flow_form same = {"[6]", "[1]", "float32"},
                                  cast = {"[6]", "[1]", "float64"};
    for (int how = 0; how < 4; how++) {
        struct flow_run f;
        flow_begin(&f);
        int32_t w = flow_tensor(&f, VALUE_SOURCE_PARAMETER, 24);
        for (int s = 0; s < STEPS; s++) {
            int32_t batch = flow_tensor(&f, VALUE_SOURCE_BATCH, 24);
            int32_t x = how == 3 ? batch : flow_call(&f, "exp", batch, w);
            flow_op(&f, "clone", OP_TRAIT_COPY, 0);
            flow_use_as(&f, TENSOR_ROLE_READ, x, &same, 0);
            int32_t copy = flow_tensor(&f, VALUE_SOURCE_MADE, how == 1 ? 48 : 24);
            flow_use_as(&f, TENSOR_ROLE_MADE, copy, how == 1 ? &cast : &same, 0);
            if (how == 2) {
                flow_op(&f, "add_", 0, 0);
                flow_update(&f, copy);
            }
            flow_train(&f, w, flow_call(&f, "mul", copy, x));
        }
        assert_int_equal(plan_of(&f, "clone", 0), how ? FLOW_RUNS : FLOW_ITS_SOURCE);
        flow_done(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_the_same_in_every_step_is_kept),
        cmocka_unit_test(what_is_filled_in_place_runs),
        cmocka_unit_test(what_was_done_before_is_there),
        cmocka_unit_test(what_gets_other_storages_runs),
        cmocka_unit_test(a_copy_is_its_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
