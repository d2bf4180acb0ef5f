/* What holds of both optimizers in both forms of storage. */
#include "optimizer_fixture.h"

/* Bit 0: which optimizer, bit 1: split or not. */
enum { KINDS = 4 };

static void open_kind(struct moved *m, int kind)
{
    moved_open(m, kind & 1 ? SGD : ADAMW, kind & 2);
}

/* bf16's halves lose nothing: the masters are those of a run in f32, bit by bit. */
static void split_masters_are_those_of_f32(void **state)
{
    (void)state;
    engine_set_threads(2);
    for (int kind = 0; kind < 2; kind++) {
        struct moved whole, split;
        open_kind(&whole, kind);
        open_kind(&split, kind | 2);
        for (int64_t t = 1; t <= 30; t++) {
            double size = t % 5 ? 1 : 1e-6;
            moved_set_grad(&whole, t, size);
            moved_set_grad(&split, t, size);
            moved_step(&whole, t, 0.003, 0.7);
            moved_step(&split, t, 0.003, 0.7);
        }
        assert_same_state(&whole, &split);
        moved_close(&whole);
        moved_close(&split);
    }
}

/* Changes far below bf16's last bit add up in the master. */
static void small_steps_add_up(void **state)
{
    (void)state;
    struct moved m;
    moved_open(&m, (struct optimizer){.kind = OPTIMIZER_SGD}, true);
    const struct param *p = param_table_find(&m.table, "single");
    real x = 1;
    param_store_put(&m.store, p, 0, 1, &x);
    m.grad[p->offset] = -1;
    for (int64_t t = 1; t <= 1024; t++)
        moved_step(&m, t, 0x1p-20, 1);
    assert_true(moved_number(&m, p, 0) == 1 + 0x1p-10f);
    moved_close(&m);
}

/* Without a gradient matrices shrink and vectors stay, to the bit. */
static void only_matrices_decay(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct moved m;
        open_kind(&m, kind);
        for (int64_t t = 1; t <= 3; t++)
            moved_step(&m, t, 0.1, 1);
        for (size_t i = 0; i < m.table.n; i++) {
            const struct param *p = &m.table.param[i];
            for (int64_t k = 0; k < p->n; k++) {
                real was = (real)scatter(0, p->offset + k), is = moved_number(&m, p, k);
                if (p->dims == 1)
                    assert_true(is == was);
                else
                    assert_true(was == 0 || (is / was < 0.98f && is / was > 0.9f));
            }
        }
        moved_close(&m);
    }
}

static bool all_finite(const struct moved *m)
{
    for (size_t i = 0; i < m->table.n; i++)
        for (int64_t k = 0; k < m->table.param[i].n; k++)
            if (!isfinite(moved_number(m, &m->table.param[i], k)))
                return false;
    return true;
}

/* Clipped, a gradient of any size moves by the rate; not clipped, AdamW's second moment
 * overflows and the step is nothing: never a NaN. */
static void huge_gradients_break_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct moved m;
        open_kind(&m, kind);
        moved_set_grad(&m, 1, 1e35);
        moved_step(&m, 1, 0.01, 1e-36);
        assert_true(all_finite(&m));
        for (int64_t i = 0; i < m.table.total; i++)
            assert_true(fabs((double)m.optimizer.m[i]) < 1);
        moved_close(&m);
    }
    for (int split = 0; split < 2; split++) {
        struct moved m;
        moved_open(&m, ADAMW, split);
        for (int64_t t = 1; t <= 3; t++) {
            moved_set_grad(&m, t, t == 2 ? 1e30 : 1);
            moved_step(&m, t, 0.01, 1);
        }
        assert_true(all_finite(&m));
        moved_close(&m);
    }
}

static void a_gradient_that_is_not_finite_is_seen(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct moved m;
        open_kind(&m, kind);
        moved_set_grad(&m, 1, 1);
        const struct param *p = param_table_find(&m.table, "large");
        m.grad[p->offset + 5] = NAN;
        moved_step(&m, 1, 0.01, 1);
        for (int64_t k = 0; k < p->n; k++)
            assert_int_equal(isnan(moved_number(&m, p, k)) != 0, k == 5);
        moved_close(&m);
    }
}

static void nothing_between_parameters_is_touched(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct moved m;
        open_kind(&m, kind);
        for (int64_t i = 0; i < m.table.total; i++)
            m.grad[i] = NAN;
        moved_set_grad(&m, 1, 1);
        moved_step(&m, 1, 0.01, 1);
        bool *inside = mem_zalloc((size_t)m.table.total, sizeof *inside);
        for (size_t i = 0; i < m.table.n; i++)
            memset(inside + m.table.param[i].offset, true, (size_t)m.table.param[i].n);
        for (int64_t i = 0; i < m.table.total; i++) {
            bool high = m.store.split && i >= m.store.vectors;
            if (inside[i])
                continue;
            assert_true(m.optimizer.m[i] == 0);
            assert_true(high ? m.store.high[i - m.store.vectors] == 0
                             : m.store.full[i] == 0);
        }
        mem_free(inside);
        moved_close(&m);
    }
}

static void no_bit_depends_on_the_number_of_threads(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct moved one, three;
        open_kind(&one, kind);
        open_kind(&three, kind);
        for (int64_t t = 1; t <= 5; t++) {
            moved_set_grad(&one, t, 1);
            moved_set_grad(&three, t, 1);
            engine_set_threads(1);
            moved_step(&one, t, 0.01, 0.5);
            engine_set_threads(3);
            moved_step(&three, t, 0.01, 0.5);
        }
        assert_same_state(&one, &three);
        moved_close(&one);
        moved_close(&three);
    }
}

static void sgd_keeps_one_moment(void **state)
{
    (void)state;
    struct moved adamw, sgd;
    moved_open(&adamw, ADAMW, false);
    moved_open(&sgd, SGD, false);
    assert_non_null(adamw.optimizer.v);
    assert_null(sgd.optimizer.v);
    assert_int_equal(adamw.plan.class_bytes[TENSOR_CLASS_MOMENTS],
                     2 * sgd.plan.class_bytes[TENSOR_CLASS_MOMENTS]);
    struct op_cost cost = optimizer_cost(&sgd.optimizer, &sgd.table, NULL);
    assert_int_equal(cost.bytes, 5 * 4 * sgd.table.count); /* p and m twice, g */
    cost = optimizer_cost(&adamw.optimizer, &adamw.table, NULL);
    assert_int_equal(cost.bytes, 7 * 4 * adamw.table.count);
    moved_close(&adamw);
    moved_close(&sgd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_masters_are_those_of_f32),
        cmocka_unit_test(small_steps_add_up),
        cmocka_unit_test(only_matrices_decay),
        cmocka_unit_test(huge_gradients_break_nothing),
        cmocka_unit_test(a_gradient_that_is_not_finite_is_seen),
        cmocka_unit_test(nothing_between_parameters_is_touched),
        cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
        cmocka_unit_test(sgd_keeps_one_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
