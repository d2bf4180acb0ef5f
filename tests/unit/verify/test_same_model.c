/* Two recordings of one PyTorch job: is it still the same model? */
#include "cmocka_setup.h"

#include "verify/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 80, PARAMETERS = 5 };
static const char *const parameter[PARAMETERS] = {"a.weight", "a.bias", "b.weight",
                                                  "b.bias", "key.bias"};
static const double size[PARAMETERS] = {1, 0.5, 2, 0.25, 1e-7};

static void add_moved(struct run *r, int i, enum moved_kind what, int64_t step,
                      double norm)
{
    movements_add(&r->movements,
                  (struct movement){.name = names_add_z(&r->names, parameter[i]),
                                    .elements = 100,
                                    .what = what,
                                    .step = step,
                                    .norm = norm,
                                    .along0 = norm,
                                    .along1 = -norm,
                                    .along2 = norm,
                                    .along3 = norm});
}

/* A job whose loss falls, and goes up and down by 0.1 from step to step. */
static void fill(struct run *r)
{
    run_init(r);
    ranks_add(&r->ranks, (struct rank){.source = RUN_SOURCE_KINETO});
    for (int i = 1; i <= STEPS; i++)
        losses_add(&r->losses,
                   (struct loss){.step = i, .loss = 4 - i * 0.001 + (i % 2) * 0.1});
    for (int i = 0; i < PARAMETERS; i++) {
        add_moved(r, i, MOVED_KIND_WEIGHTS, 0, 10);
        add_moved(r, i, MOVED_KIND_GRADIENT, 1, size[i]);
        for (int64_t step = 1; step <= 8; step *= 2)
            add_moved(r, i, MOVED_KIND_MOVEMENT, step, 0.01 * (double)step);
    }
}

/* Rows of that parameter and kind are changed. */
static void scale(struct run *r, int i, enum moved_kind what, double by)
{
    struct movements *m = &r->movements;
    for (size_t k = 0; k < m->table.n; k++) {
        if (m->what[k] != what || strcmp(run_name(r, m->name[k]), parameter[i]) != 0)
            continue;
        m->norm[k] *= fabs(by);
        m->along0[k] *= by;
        m->along1[k] *= by;
        m->along2[k] *= by;
        m->along3[k] *= by;
    }
}

static struct gate_result gate(const struct run *a, const struct run *b, const char *name)
{
    static struct verify_result r;
    verify_runs(&r, a, b);
    for (size_t i = 0; i < r.n; i++)
        if (!strcmp(r.gate[i].name, name))
            return r.gate[i];
    fail_msg("no gate %s", name);
    return r.gate[0];
}

static void check(const struct gate_result *g, enum verdict verdict, const char *code,
                  const char *says)
{
    if (g->verdict != verdict || strcmp(g->code, code) != 0 || !strstr(g->remark, says))
        fail_msg("%s: %s %s: %s", g->name, verdict_text[g->verdict], g->code, g->remark);
}

static void the_same_recording_passes(void **state)
{
    (void)state;
    struct run a, b;
    fill(&a);
    fill(&b);
    struct gate_result losses = gate(&a, &b, "same losses"),
                       gradients = gate(&a, &b, "same gradients"),
                       movement = gate(&a, &b, "same movement");
    check(&losses, VERDICT_PASS, "", "bitwise equal at 64 steps");
    check(&gradients, VERDICT_PASS, "", "equal in the first step: 5 parameters");
    check(&movement, VERDICT_PASS, "", "as far after each step: 4 parameters");
    run_release(&a);
    run_release(&b);
}

static void a_loss_may_differ_by_a_part_of_what_it_changes(void **state)
{
    (void)state;
    struct run a, b;
    fill(&a);
    fill(&b);
    b.losses.loss[9] += 0.0009;
    b.losses.loss[70] += 2; /* later ones drift apart */
    struct gate_result g = gate(&a, &b, "same losses");
    check(&g, VERDICT_PASS, "", "at step 10, of 64; allowed 1e-03");
    assert_string_equal(g.numbers.change_unit, "loss");
    b.losses.loss[9] += 0.0009;
    g = gate(&a, &b, "same losses");
    check(&g, VERDICT_FAIL, "losses_differ", "have no seed");
    b.losses.loss[9] = NAN;
    g = gate(&a, &b, "same losses");
    check(&g, VERDICT_FAIL, "loss_not_finite", "inf at step 10");
    run_release(&a);
    run_release(&b);
}

static void losses_are_compared_rank_by_rank(void **state)
{
    (void)state;
    struct run a, b;
    fill(&a);
    fill(&b);
    for (struct run *r = &a; r; r = r == &a ? &b : NULL) {
        ranks_add(&r->ranks, (struct rank){.rank = 1, .source = RUN_SOURCE_KINETO});
        losses_add(&r->losses, (struct loss){.rank = 1, .step = 1, .loss = 9});
    }
    struct gate_result g = gate(&a, &b, "same losses");
    check(&g, VERDICT_PASS, "", "bitwise equal at 65 steps");
    run_release(&a);
    run_release(&b);
}

static void other_weights_are_no_fault(void **state)
{
    (void)state;
    static const char *const gates[] = {"same losses", "same gradients", "same movement"};
    struct run a, b;
    fill(&a);
    fill(&b);
    b.losses.loss[0] = 7;
    scale(&b, 2, MOVED_KIND_WEIGHTS, 1.004); /* as a change of type does */
    struct gate_result g = gate(&a, &b, "same losses");
    check(&g, VERDICT_FAIL, "losses_differ", "step 1");
    scale(&b, 2, MOVED_KIND_WEIGHTS, -1);
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        g = gate(&a, &b, gates[i]);
        check(&g, VERDICT_NOT_APPLICABLE, "different_weights", "set a seed");
        assert_string_equal(g.at_parameter, "b.weight");
    }
    run_release(&a);
    run_release(&b);
}

static void a_gradient_is_named_that_turned(void **state)
{
    (void)state;
    struct run a, b;
    fill(&a);
    fill(&b);
    scale(&b, 3, MOVED_KIND_GRADIENT, 1.005);
    scale(&b, 4, MOVED_KIND_GRADIENT, -3); /* rounding has no direction */
    struct gate_result g = gate(&a, &b, "same gradients");
    check(&g, VERDICT_PASS, "", "b.bias differs most, by 0.494 %");
    scale(&b, 1, MOVED_KIND_GRADIENT, -1); /* as long as before */
    g = gate(&a, &b, "same gradients");
    check(&g, VERDICT_FAIL, "gradients_differ", "a.bias differs most, by 199 %");
    assert_non_null(strstr(g.remark, "passed by 4 of 5"));
    scale(&b, 0, MOVED_KIND_GRADIENT, NAN);
    g = gate(&a, &b, "same gradients");
    assert_string_equal(g.at_parameter, "a.weight");
    run_release(&a);
    run_release(&b);
}

static void low_precision_may_do_more(void **state)
{
    (void)state;
    struct run a, b;
    fill(&a);
    fill(&b);
    scale(&b, 3, MOVED_KIND_GRADIENT, 1.15);
    b.losses.loss[9] += 0.006;
    struct gate_result g = gate(&a, &b, "same gradients");
    assert_int_equal(g.verdict, VERDICT_FAIL);
    g = gate(&a, &b, "same losses");
    assert_int_equal(g.verdict, VERDICT_FAIL);
    run_add_fact_text(&b, 0, "record.lowest_precision", "bfloat16", ORIGIN_MEASURED);
    g = gate(&a, &b, "same gradients");
    assert_int_equal(g.verdict, VERDICT_PASS);
    g = gate(&a, &b, "same losses");
    assert_int_equal(g.verdict, VERDICT_PASS);
    run_release(&a);
    run_release(&b);
}

static void a_frozen_parameter_is_named(void **state)
{
    (void)state;
    struct run a, b;
    fill(&a);
    fill(&b);
    scale(&b, 0, MOVED_KIND_MOVEMENT, 1.1);
    scale(&b, 4, MOVED_KIND_MOVEMENT, 5); /* by rounding alone */
    struct gate_result g = gate(&a, &b, "same movement");
    check(&g, VERDICT_PASS, "", "a.weight differs most, by 9.09 % at step");
    scale(&b, 2, MOVED_KIND_MOVEMENT, 0);
    g = gate(&a, &b, "same movement");
    check(&g, VERDICT_FAIL, "movement_differs", "b.weight differs most, by 100 %");
    assert_non_null(strstr(g.remark, "passed by 3 of 4"));
    assert_string_equal(g.after, "0");
    assert_int_equal(g.numbers.at_step, 1);
    run_release(&a);
    run_release(&b);
}

/* Another learning rate moves all of them a little too far. */
static void all_together_may_differ_by_less_than_one_alone(void **state)
{
    (void)state;
    struct run a, b;
    fill(&a);
    fill(&b);
    for (int i = 0; i < PARAMETERS; i++)
        scale(&b, i, MOVED_KIND_MOVEMENT, 1.05);
    struct gate_result g = gate(&a, &b, "same movement");
    check(&g, VERDICT_FAIL, "movement_differs",
          "half of the parameters differ by 4.76 %");
    run_release(&a);
    run_release(&b);
}

static void what_only_one_trains_is_named(void **state)
{
    (void)state;
    struct run a, b;
    fill(&a);
    fill(&b);
    add_moved(&b, 0, MOVED_KIND_WEIGHTS, 0, 10);
    b.movements.name[b.movements.table.n - 1] = names_add_z(&b.names, "new\033[2J");
    struct gate_result g = gate(&a, &b, "same movement");
    check(&g, VERDICT_FAIL, "parameters_differ", "new?[2J is trained only after");
    /* the same numbers under another name */
    add_moved(&a, 0, MOVED_KIND_WEIGHTS, 0, 10);
    a.movements.name[a.movements.table.n - 1] = names_add_z(&a.names, "old");
    g = gate(&a, &b, "same movement");
    assert_int_equal(g.verdict, VERDICT_PASS);
    run_release(&a);
    run_release(&b);
}

static void without_rows_the_gates_do_not_apply(void **state)
{
    (void)state;
    struct run a, b;
    fill(&a);
    run_init(&b);
    ranks_add(&b.ranks, (struct rank){.source = RUN_SOURCE_KINETO});
    struct gate_result g = gate(&a, &b, "same gradients");
    check(&g, VERDICT_NOT_APPLICABLE, "no_common_gradients", "recordings");
    g = gate(&a, &b, "same movement");
    check(&g, VERDICT_NOT_APPLICABLE, "no_common_movement", "recordings");
    g = gate(&a, &b, "same losses");
    check(&g, VERDICT_NOT_APPLICABLE, "no_common_losses", "no losses");
    run_release(&a);
    run_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_recording_passes),
        cmocka_unit_test(a_loss_may_differ_by_a_part_of_what_it_changes),
        cmocka_unit_test(losses_are_compared_rank_by_rank),
        cmocka_unit_test(other_weights_are_no_fault),
        cmocka_unit_test(a_gradient_is_named_that_turned),
        cmocka_unit_test(low_precision_may_do_more),
        cmocka_unit_test(a_frozen_parameter_is_named),
        cmocka_unit_test(all_together_may_differ_by_less_than_one_alone),
        cmocka_unit_test(what_only_one_trains_is_named),
        cmocka_unit_test(without_rows_the_gates_do_not_apply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
