/* What goes into the parameters' storage comes out of it, in both forms. */
#include "engine/param_store.h"
#include "kernel_fixture.h"

struct fixture {
    struct param_table table;
    struct memory_plan plan;
    struct param_store store;
};

static void setup(struct fixture *f, bool split)
{
    struct err err = ERR_INIT;
    param_table_init(&f->table);
    param_table_add(&f->table, PARAM_INIT_ONE, 7, 0, false, "scale");
    param_table_add(&f->table, PARAM_INIT_NORMAL, 5, 3, false, "first");
    param_table_add(&f->table, PARAM_INIT_NORMAL, 33, 3, true, "joined");
    param_table_add(&f->table, PARAM_INIT_ONE, 17, 0, false, "bias");
    param_table_layout(&f->table);
    memory_plan_init(&f->plan);
    param_store_plan(&f->store, &f->plan, &f->table, split);
    assert_int_equal(memory_plan_allocate(&f->plan, &err), STATUS_OK);
}

static void release(struct fixture *f)
{
    memory_plan_release(&f->plan);
    param_table_release(&f->table);
}

/* A number that bf16 cannot hold, another for each parameter and place. */
static real number_at(size_t row, int64_t i)
{
    return (real)((double)(row + 1) * 1.2345678 + (double)i * 0.0123457);
}

static void fill(struct fixture *f)
{
    for (size_t row = 0; row < f->table.n; row++) {
        const struct param *p = &f->table.param[row];
        for (int64_t i = 0; i < p->n; i++) {
            real x = number_at(row, i);
            param_store_put(&f->store, p, i, 1, &x);
        }
    }
}

static void what_is_put_is_got_back_bit_by_bit(void **state)
{
    (void)state;
    for (int split = 0; split < 2; split++) {
        struct fixture f;
        setup(&f, split);
        fill(&f);
        for (size_t row = 0; row < f.table.n; row++) {
            const struct param *p = &f.table.param[row];
            real out[99];
            param_store_get(&f.store, p, 0, p->n, out);
            for (int64_t i = 0; i < p->n; i++)
                assert_true(out[i] == number_at(row, i));
            param_store_get(&f.store, p, 2, 3, out); /* a part */
            for (int64_t i = 0; i < 3; i++)
                assert_true(out[i] == number_at(row, 2 + i));
        }
        release(&f);
    }
}

/* What lies between parameters is 0 and stays 0. */
static void nothing_is_written_between_parameters(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f, false);
    fill(&f);
    for (size_t row = 0; row < f.table.n; row++) {
        const struct param *p = &f.table.param[row];
        for (int64_t i = 0; i < p->n; i++)
            f.store.full[p->offset + i] = 0;
    }
    for (int64_t i = 0; i < f.table.total; i++)
        assert_true(f.store.full[i] == 0);
    release(&f);
}

static void a_weight_is_what_linears_and_embeddings_read(void **state)
{
    (void)state;
    for (int split = 0; split < 2; split++) {
        struct fixture f;
        setup(&f, split);
        fill(&f);
        const struct param *first = &f.table.param[1], *joined = &f.table.param[2];
        struct weight w = param_store_weight(&f.store, first);
        struct weight next = param_store_weight(&f.store, joined);
        size_t size = split ? sizeof(uint16_t) : sizeof(real);
        assert_int_equal((const char *)next.value - (const char *)w.value,
                         (ptrdiff_t)(15 * size));
        assert_int_equal((uintptr_t)w.value % 32, 0);
        if (split)
            assert_ptr_equal(next.low, w.low + 15);
        else
            assert_null(w.low);
        for (int64_t i = 0; i < 15; i++) {
            real x = number_at(1, i);
            if (split)
                assert_true(bf16_value(((const uint16_t *)w.value)[i]) ==
                            bf16_value(nearest_bf16(x)));
            else
                assert_true(((const real *)w.value)[i] == x);
        }
        const real *scale = param_store_vector(&f.store, &f.table.param[0]);
        for (int64_t i = 0; i < 7; i++)
            assert_true(scale[i] == number_at(0, i));
        release(&f);
    }
}

/* Two halves cost what one f32 does. */
static void halves_take_no_more_memory(void **state)
{
    (void)state;
    struct fixture whole, split;
    setup(&whole, false);
    setup(&split, true);
    assert_true(split.plan.class_bytes[TENSOR_CLASS_PARAMETERS] <=
                whole.plan.class_bytes[TENSOR_CLASS_PARAMETERS] + 2 * TENSOR_ALIGN_BYTES);
    release(&whole);
    release(&split);
}

static void a_table_of_too_many_numbers_is_refused(void **state)
{
    (void)state;
    for (int split = 0; split < 2; split++) {
        struct fixture f;
        struct err err = ERR_INIT;
        param_table_init(&f.table);
        param_table_add(&f.table, PARAM_INIT_ONE, 1000, 0, false, "scale");
        param_table_add(&f.table, PARAM_INIT_NORMAL, INT64_C(1) << 40, INT64_C(1) << 40,
                        false, "vast");
        param_table_layout(&f.table);
        memory_plan_init(&f.plan);
        param_store_plan(&f.store, &f.plan, &f.table, split);
        assert_int_equal(memory_plan_allocate(&f.plan, &err), STATUS_ENVIRONMENT);
        release(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_is_got_back_bit_by_bit),
        cmocka_unit_test(nothing_is_written_between_parameters),
        cmocka_unit_test(a_weight_is_what_linears_and_embeddings_read),
        cmocka_unit_test(halves_take_no_more_memory),
        cmocka_unit_test(a_table_of_too_many_numbers_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
