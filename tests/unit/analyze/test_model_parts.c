/* Operators of the trainer become the parts of a model, each with its bound. */
#include "cmocka_setup.h"

#include "analyze/model_parts.h"

#include <math.h>

enum { STEPS = 4 };

static void add(struct run *run, enum span_kind kind, const char *name, int64_t count,
                int64_t ns, int64_t flop, int64_t bytes)
{
    ops_add(&run->ops, (struct op){.kind = kind,
                                   .name = names_add_z(&run->names, name),
                                   .count = count,
                                   .self_ns = ns,
                                   .flop = flop,
                                   .bytes = bytes});
}

static void begin(struct run *run)
{
    run_init(run);
    ranks_add(&run->ranks, (struct rank){0});
    add(run, SPAN_KIND_STEP, "step", STEPS, 0, 0, 0);
    add(run, SPAN_KIND_OP, "embedding.forward", 4, 4000, 0, 400);
    add(run, SPAN_KIND_OP, "qkv.forward", 8, 8000, 40000, 400);
    add(run, SPAN_KIND_OP, "attention.forward", 8, 4000, 4000, 4000);
    add(run, SPAN_KIND_OP, "layernorm.again", 8, 4000, 400, 4000);
    add(run, SPAN_KIND_OP, "mlp_up.backward_weight", 8, 16000, 80000, 400);
    add(run, SPAN_KIND_OP, "bias.backward", 8, 400, 400, 800);
    add(run, SPAN_KIND_OP, "head.forward", 4, 1200, 400, 0);
    add(run, SPAN_KIND_OP, "adamw", 4, 2000, 0, 8000);
    add(run, SPAN_KIND_OP, "something.else", 4, 99999, 1, 1);
    add(run, SPAN_KIND_PHASE, "forward", 4, 99999, 0, 0);
}

/* 10 flop and 1 byte a ns. */
static const double FLOP_PER_S = 10e9, BYTES_PER_S = 1e9;

static void each_operator_is_of_its_part(void **state)
{
    (void)state;
    struct run run;
    struct model_parts p;
    begin(&run);
    assert_true(model_parts_of(&p, &run, 0, FLOP_PER_S, BYTES_PER_S));
    const struct part_cost *attention = &p.of[MODEL_PART_ATTENTION][PART_FORWARD];
    assert_float_equal(attention->ns, 3000, 1e-9); /* of a step */
    assert_float_equal(attention->flop, 11000, 1e-9);
    /* the product 1,000 ns by its flop, the scores 1,000 by their bytes */
    assert_float_equal(attention->bound_ns, 2000, 1e-9);
    assert_float_equal(p.of[MODEL_PART_EMBEDDING][PART_FORWARD].bound_ns, 100, 1e-9);
    assert_true(p.of[MODEL_PART_EMBEDDING][PART_FORWARD].bytes_decide);
    assert_float_equal(p.of[MODEL_PART_NORM][PART_BACKWARD].ns, 1000, 1e-9);
    assert_false(p.of[MODEL_PART_MLP][PART_BACKWARD].bytes_decide);
    assert_float_equal(p.of[MODEL_PART_OPTIMIZER][PART_FORWARD].ns, 500, 1e-9);
    assert_float_equal(p.of[MODEL_PART_HEAD][PART_BACKWARD].ns, 0, 1e-9);
    run_release(&run);
}

static void blocks_are_the_sum_of_what_is_in_them(void **state)
{
    (void)state;
    struct run run;
    struct model_parts p;
    begin(&run);
    model_parts_of(&p, &run, 0, FLOP_PER_S, BYTES_PER_S);
    for (int way = 0; way < PART_WAYS; way++) {
        double ns = 0, bound_ns = 0;
        for (int i = MODEL_PART_NORM; i <= MODEL_PART_REST; i++) {
            ns += p.of[i][way].ns;
            bound_ns += p.of[i][way].bound_ns;
        }
        assert_true(ns > 0);
        assert_float_equal(p.of[MODEL_PART_BLOCK][way].ns, ns, 1e-9);
        assert_float_equal(p.of[MODEL_PART_BLOCK][way].bound_ns, bound_ns, 1e-9);
    }
    run_release(&run);
}

/* Spans of five steps, of which one was disturbed. */
static void with_spans_the_median_of_the_steps_is_told(void **state)
{
    (void)state;
    static const int64_t us[] = {10, 11, 90, 12, 13};
    struct run run;
    struct model_parts p;
    begin(&run);
    lanes_add(&run.lanes, (struct lane){.kind = LANE_KIND_CPU});
    for (int i = 0; i < 5; i++) {
        steps_add(&run.steps, (struct step){.number = i});
        spans_add(&run.spans,
                  (struct span){.kind = SPAN_KIND_OP,
                                .step = i,
                                .name = names_add_z(&run.names, "qkv.forward"),
                                .dur_ns = 1000 * us[i]});
    }
    assert_true(model_parts_of(&p, &run, 0, FLOP_PER_S, BYTES_PER_S));
    const struct part_cost *c = &p.of[MODEL_PART_ATTENTION][PART_FORWARD];
    assert_int_equal(p.timed, 5);
    assert_float_equal(c->ns, 12000, 1e-9);
    assert_true(c->low_ns <= 12000 && c->high_ns >= 12000);
    assert_float_equal(p.of[MODEL_PART_BLOCK][PART_FORWARD].ns, 12000, 1e-9);
    assert_true(isnan(p.of[MODEL_PART_HEAD][PART_BACKWARD].low_ns));
    run_release(&run);
}

static void without_rates_there_is_no_bound(void **state)
{
    (void)state;
    struct run run;
    struct model_parts p;
    begin(&run);
    assert_true(model_parts_of(&p, &run, 0, NAN, BYTES_PER_S));
    assert_true(p.of[MODEL_PART_MLP][PART_BACKWARD].bound_ns == 0);
    assert_false(model_parts_of(&p, &run, 1, FLOP_PER_S, BYTES_PER_S)); /* no such rank */
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operator_is_of_its_part),
        cmocka_unit_test(blocks_are_the_sum_of_what_is_in_them),
        cmocka_unit_test(with_spans_the_median_of_the_steps_is_told),
        cmocka_unit_test(without_rates_there_is_no_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
