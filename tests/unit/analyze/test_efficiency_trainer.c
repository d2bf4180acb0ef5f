/* A trainer's run by hand, whose MFU by each formula is known. */
#include "analyze/efficiency.h"
#include "cmocka_setup.h"

#include <math.h>
#include <string.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

struct made {
    struct run run;
    struct analysis *a;
};

static void add(struct run *r, enum span_kind kind, const char *name, struct op op)
{
    op.rank = 0;
    op.kind = kind;
    op.place = LANE_KIND_CPU;
    op.name = names_add_z(&r->names, name);
    op.self_ns = op.total_ns;
    ops_add(&r->ops, op);
}

/* `steps` steps of 10 ms on a machine of 200 GFLOP/s and 20 GB/s. Each does 1 GFLOP in
 * products, 0.2 of them again, and 0.1 beside, and moves 50 MB. */
static void make_run(struct made *m, int steps, int32_t world)
{
    struct run *r = &m->run;
    const int64_t step_ns = 10000000;
    run_init(r);
    ranks_add(&r->ranks, (struct rank){.world = world,
                                       .source = RUN_SOURCE_TRAINER,
                                       .complete = 1,
                                       .step_method = STEP_METHOD_TRAINER});
    for (int i = 0; i < steps; i++)
        steps_add(&r->steps, (struct step){.number = i,
                                           .begin_ns = i * step_ns,
                                           .end_ns = (i + 1) * step_ns,
                                           .flop = 1300000000});
    add(r, SPAN_KIND_OP, "mlp_up.forward",
        (struct op){.count = steps,
                    .total_ns = steps * 6000000,
                    .flop = steps * INT64_C(1200000000),
                    .bytes = steps * INT64_C(10000000)});
    add(r, SPAN_KIND_OP, "gelu.forward",
        (struct op){.count = steps,
                    .total_ns = steps * 3000000,
                    .flop = steps * INT64_C(100000000),
                    .bytes = steps * INT64_C(40000000)});
    run_add_fact_text(r, 0, "config.precision", "f32", ORIGIN_GIVEN);
    run_add_fact(r, 0, "ceiling.f32_flop_per_s", 200e9, "FLOP/s", ORIGIN_MEASURED,
                 "best");
    run_add_fact(r, 0, "ceiling.memory_bytes_per_s", 20e9, "B/s", ORIGIN_MEASURED,
                 "best");
    run_add_fact(r, 0, "train.parameters", 1e6, "", ORIGIN_MEASURED, "");
    run_add_fact(r, 0, "train.tokens_per_step", 150.0 * world, "", ORIGIN_MEASURED, "");
    run_add_fact(r, 0, "train.flop_per_step", 1e9 * world, "FLOP", ORIGIN_MODELLED, "");
    m->a = analysis_new(r);
}

static void made_release(struct made *m)
{
    analysis_free(m->a);
    run_release(&m->run);
}

static void each_formula_gives_its_figure(void **state)
{
    (void)state;
    struct made m;
    struct efficiency e;
    make_run(&m, 2, 1);
    efficiency_of(&e, m.a, 0, NULL);
    /* a step could hold 2 GFLOP */
    assert_near(e.counted_frac, 0.5, 1e-9);
    assert_near(e.model_frac, 6 * 1e6 * 150 / 2e9, 1e-9);
    assert_near(e.hardware_frac, 0.6, 1e-9);
    assert_near(efficiency_mfu(&e), 0.5, 1e-9);
    assert_string_equal(e.no_model_frac, "");
    /* the products took 6 ms */
    assert_near(e.flop_per_s, 200e9, 1);
    assert_int_equal(e.ceiling.flop_origin, ORIGIN_MEASURED);
    made_release(&m);
}

/* A counter that counts on would give ten times as much. */
static void more_steps_give_the_same(void **state)
{
    (void)state;
    struct made few, many;
    struct efficiency a, b;
    make_run(&few, 2, 1);
    make_run(&many, 20, 1);
    efficiency_of(&a, few.a, 0, NULL);
    efficiency_of(&b, many.a, 0, NULL);
    assert_near(a.counted_frac, b.counted_frac, 1e-12);
    assert_near(a.model_frac, b.model_frac, 1e-12);
    assert_near(a.hardware_frac, b.hardware_frac, 1e-12);
    assert_near(a.bandwidth_frac, b.bandwidth_frac, 1e-12);
    made_release(&few);
    made_release(&many);
}

static void a_rank_is_told_of_its_own_share(void **state)
{
    (void)state;
    struct made m;
    struct efficiency e;
    make_run(&m, 2, 4);
    efficiency_of(&e, m.a, 0, NULL);
    assert_near(e.counted_frac, 0.5, 1e-9);
    assert_near(e.step_tokens, 150, 1e-9);
    made_release(&m);
}

static void bytes_are_held_against_memory(void **state)
{
    (void)state;
    struct made m;
    struct efficiency e;
    make_run(&m, 2, 1);
    efficiency_of(&e, m.a, 0, NULL);
    assert_near(e.flop_per_byte, 1.3e9 / 50e6, 1e-9);
    assert_near(e.bytes_per_s, 50e6 / 0.01, 1);
    assert_near(e.bandwidth_frac, 0.25, 1e-9);
    assert_int_equal(e.bound, ROOFLINE_COMPUTE); /* 26 FLOP a byte, the ridge is 10 */
    assert_int_equal(e.dots, 2);
    assert_int_equal(e.dot[1].bound, ROOFLINE_MEMORY); /* GELU: 2.5 */
    made_release(&m);
}

static void without_a_ceiling_the_reason_is_told(void **state)
{
    (void)state;
    struct made m;
    struct efficiency e;
    make_run(&m, 2, 1);
    analysis_free(m.a);
    for (size_t i = 0; i < m.run.facts.table.n; i++)
        if (!strncmp(run_name(&m.run, m.run.facts.key[i]), "ceiling.f32", 11)) {
            m.run.facts.value[i] = NAN;
            m.run.facts.text[i] = names_add_z(&m.run.names, "not available: no reason");
        }
    m.a = analysis_new(&m.run);
    efficiency_of(&e, m.a, 0, NULL);
    assert_true(isnan(e.counted_frac) && isnan(e.model_frac) && isnan(e.hardware_frac));
    assert_string_equal(e.no_model_frac, "not available: no reason");
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_formula_gives_its_figure),
        cmocka_unit_test(more_steps_give_the_same),
        cmocka_unit_test(a_rank_is_told_of_its_own_share),
        cmocka_unit_test(bytes_are_held_against_memory),
        cmocka_unit_test(without_a_ceiling_the_reason_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
