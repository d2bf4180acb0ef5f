/*
 * The choice of tensors and the steps of the chosen ones against a plain reference: mean
 * squares summed one by one, tensors sorted, formulas in double with each tensor's own
 * number of updates.
 */
#include "selection_fixture.h"

/* --- the steps in double --- */

/* One buffer's numbers in double. */
struct exact {
    double *p, *m, *v;
};

static void ref_update(struct exact *x, const struct optimizer *o, const struct param *q,
                       const real *grad, int64_t updates)
{
    double decay = q->decay ? o->weight_decay : 0, n = (double)updates;
    for (int64_t i = q->offset; i < q->offset + q->n; i++) {
        double g = (double)grad[i] * 0.7;
        if (o->kind == OPTIMIZER_SGD) {
            x->m[i] = o->momentum * x->m[i] + g + decay * x->p[i];
            x->p[i] -= 0.01 * x->m[i];
            continue;
        }
        x->m[i] = o->beta1 * x->m[i] + (1 - o->beta1) * g;
        x->v[i] = o->beta2 * x->v[i] + (1 - o->beta2) * g * g;
        double m = x->m[i] / (1 - pow(o->beta1, n)), v = x->v[i] / (1 - pow(o->beta2, n));
        x->p[i] -= 0.01 * (m / (sqrt(v) + o->epsilon) + decay * x->p[i]);
    }
}

static void check_numbers(const struct moved *m, const struct exact *x)
{
    for (size_t i = 0; i < m->table.n; i++) {
        const struct param *q = &m->table.param[i];
        for (int64_t k = 0; k < q->n; k++) {
            int64_t at = q->offset + k;
            assert_true(fabs((double)moved_number(m, q, k) - x->p[at]) < 3e-6);
            assert_true(fabs((double)m->optimizer.m[at] - x->m[at]) < 1e-5);
            if (m->optimizer.v)
                assert_true(fabs((double)m->optimizer.v[at] - x->v[at]) < 1e-6);
        }
    }
}

static void check_against_reference(struct optimizer o, bool split, int64_t k)
{
    struct selected s;
    int64_t updates[TENSORS] = {0};
    bool chosen[TENSORS];
    selected_open(&s, o, split, k);
    size_t total = (size_t)s.m.table.total;
    struct exact x = {mem_zalloc(total, sizeof *x.p), mem_zalloc(total, sizeof *x.m),
                      mem_zalloc(total, sizeof *x.v)};
    for (size_t i = 0; i < total; i++)
        x.p[i] = (double)(real)scatter(0, (int64_t)i);
    for (int64_t t = 1; t <= STEPS; t++) {
        selected_step(&s, t);
        ref_choose(chosen, k, s.m.grad, &s.m.table);
        assert_memory_equal(s.selection.chosen, chosen, sizeof chosen);
        for (size_t i = 0; i < TENSORS; i++)
            if (chosen[i])
                ref_update(&x, &o, &s.m.table.param[i], s.m.grad, ++updates[i]);
        assert_memory_equal(s.m.optimizer.updates, updates, sizeof updates);
    }
    check_numbers(&s.m, &x);
    mem_free(x.p);
    mem_free(x.m);
    mem_free(x.v);
    selected_close(&s);
}

static void chosen_tensors_take_the_steps_of_the_reference(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        engine_set_threads(threads);
        for (int64_t k = 1; k <= TENSORS; k++)
            for (int kind = 0; kind < 4; kind++)
                check_against_reference(kind & 1 ? SGD : ADAMW, kind & 2, k);
    }
}

/* --- what holds of it --- */

static void as_many_as_there_are_is_all_to_the_bit(void **state)
{
    (void)state;
    static const int64_t k[] = {TENSORS, TENSORS + 1, 1000000};
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
        for (int kind = 0; kind < 4; kind++) {
            struct selected all, some;
            selected_open(&all, kind & 1 ? SGD : ADAMW, kind & 2, 0);
            selected_open(&some, kind & 1 ? SGD : ADAMW, kind & 2, k[i]);
            assert_null(all.selection.chosen);
            assert_null(all.m.optimizer.updates);
            for (int64_t t = 1; t <= STEPS; t++) {
                selected_step(&all, t);
                selected_step(&some, t);
            }
            assert_same_state(&all.m, &some.m);
            selected_close(&all);
            selected_close(&some);
        }
    }
}

static void no_bit_depends_on_the_number_of_threads(void **state)
{
    (void)state;
    struct selected one, other;
    for (int threads = 2; threads <= 4; threads++) {
        selected_open(&one, ADAMW, false, 2);
        selected_open(&other, ADAMW, false, 2);
        for (int64_t t = 1; t <= STEPS; t++) {
            engine_set_threads(1);
            selected_step(&one, t);
            engine_set_threads(threads);
            selected_step(&other, t);
            assert_memory_equal(one.selection.mean_square, other.selection.mean_square,
                                TENSORS * sizeof(double));
        }
        assert_same_state(&one.m, &other.m);
        selected_close(&one);
        selected_close(&other);
    }
}

/* Neither moments nor decay: what is left out stays as it was, to the bit. */
static void what_is_left_out_is_not_touched(void **state)
{
    (void)state;
    struct selected s, before;
    selected_open(&s, ADAMW, false, 2);
    selected_open(&before, ADAMW, false, 2);
    for (int64_t t = 1; t <= STEPS; t++) {
        selected_step(&s, t);
        for (size_t i = 0; i < TENSORS; i++) {
            const struct param *p = &s.m.table.param[i];
            size_t bytes = (size_t)p->n * sizeof(real);
            bool same = !memcmp(s.m.store.full + p->offset,
                                before.m.store.full + p->offset, bytes) &&
                        !memcmp(s.m.optimizer.m + p->offset,
                                before.m.optimizer.m + p->offset, bytes) &&
                        !memcmp(s.m.optimizer.v + p->offset,
                                before.m.optimizer.v + p->offset, bytes);
            assert_int_equal(same, !s.selection.chosen[i]);
        }
        selected_step(&before, t);
    }
    selected_close(&s);
    selected_close(&before);
}

/* With the global step 100 in its place, a first update would be 3 times as long. */
static void a_late_first_update_is_as_long_as_the_rate(void **state)
{
    (void)state;
    struct selected s;
    struct optimizer o = ADAMW;
    o.beta2 = 0.999;
    o.weight_decay = 0;
    selected_open(&s, o, false, 1);
    const struct param *p = param_table_find(&s.m.table, "bias");
    size_t row = (size_t)(p - s.m.table.param);
    for (int64_t t = 1; t <= 100; t++) {
        bool chosen[TENSORS] = {[0] = t < 100};
        chosen[row] = t == 100;
        moved_set_grad(&s.m, t, 1);
        optimizer_step(&s.m.optimizer, &s.m.store, s.m.grad, &s.m.table, chosen, t, 0.01,
                       1);
    }
    for (int64_t k = 0; k < p->n; k++) {
        double moved =
            (double)moved_number(&s.m, p, k) - (double)(real)scatter(0, p->offset + k);
        if (fabs((double)s.m.grad[p->offset + k]) > 1e-3) /* epsilon does not count */
            assert_true(fabs(fabs(moved) - 0.01) < 1e-6);
    }
    selected_close(&s);
}

static void of_equal_gradients_the_first_are_chosen(void **state)
{
    (void)state;
    struct selected s;
    selected_open(&s, ADAMW, false, 3);
    clip_norm(&s.clip, s.m.grad); /* all 0 */
    selection_choose(&s.selection, &s.clip, s.m.grad, &s.m.table);
    for (size_t i = 0; i < TENSORS; i++)
        assert_int_equal(s.selection.chosen[i], i < 3);
    selected_close(&s);
}

/* Sizes of 1 … 41 numbers, gradients of 7 sizes: many are equal. */
static void check_many(int64_t k)
{
    struct err err = ERR_INIT;
    struct param_table table;
    struct memory_plan plan;
    struct clip clip;
    struct selection s;
    real *grad;
    bool chosen[MANY];
    param_table_init(&table);
    for (int i = 0; i < MANY; i++)
        param_table_add(&table, PARAM_INIT_ZERO, 1 + i * 17 % 41, 0, false, "p%d", i);
    param_table_layout(&table);
    memory_plan_init(&plan);
    clip_plan(&clip, &plan, table.total);
    selection_plan(&s, &plan, k, &table);
    memory_plan_add(&plan, (void **)&grad, TENSOR_CLASS_GRADIENTS, "gradients",
                    table.total, sizeof *grad);
    assert_int_equal(memory_plan_allocate(&plan, &err), STATUS_OK);
    for (int round = 1; round <= 20; round++) {
        for (int i = 0; i < MANY; i++)
            for (int64_t j = 0; j < table.param[i].n; j++)
                grad[table.param[i].offset + j] = (real)(i * round * 31 % 7);
        clip_norm(&clip, grad);
        selection_choose(&s, &clip, grad, &table);
        ref_choose(chosen, k, grad, &table);
        assert_memory_equal(s.chosen, chosen, sizeof chosen);
    }
    memory_plan_release(&plan);
    param_table_release(&table);
}

static void of_many_tensors_the_same_are_chosen_as_by_sorting(void **state)
{
    (void)state;
    for (int64_t k = 1; k <= MANY; k++)
        check_many(k);
}

static void costs_are_of_what_is_done(void **state)
{
    (void)state;
    struct selected s;
    bool chosen[TENSORS] = {[2] = true, [4] = true};
    selected_open(&s, ADAMW, false, 2);
    const struct moved *m = &s.m;
    struct op_cost cost = optimizer_cost(&m->optimizer, &m->table, chosen);
    assert_int_equal(cost.bytes, 7 * 4 * (131 * 67 + 5001));
    /* at most two ends of a chunk each, and less than all */
    cost = selection_cost(&s.selection, &m->table);
    assert_true(cost.bytes > 0 && cost.bytes <= m->table.count * 4);
    assert_true(cost.bytes <= TENSORS * 2 * CLIP_CHUNK * 4);
    assert_int_equal(clip_read_again(0, 3 * CLIP_CHUNK), 0);
    assert_int_equal(clip_read_again(1, 3 * CLIP_CHUNK), CLIP_CHUNK);
    assert_int_equal(clip_read_again(5, 7), 7);
    selected_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_tensors_take_the_steps_of_the_reference),
        cmocka_unit_test(as_many_as_there_are_is_all_to_the_bit),
        cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
        cmocka_unit_test(what_is_left_out_is_not_touched),
        cmocka_unit_test(a_late_first_update_is_as_long_as_the_rate),
        cmocka_unit_test(of_equal_gradients_the_first_are_chosen),
        cmocka_unit_test(of_many_tensors_the_same_are_chosen_as_by_sorting),
        cmocka_unit_test(costs_are_of_what_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
