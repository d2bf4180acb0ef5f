#include "cmocka_setup.h"
#include "engine/memory_plan.h"

#include <string.h>
#include <unistd.h>

static void tensors_are_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    struct memory_plan plan;
    struct err err = ERR_INIT;
    char *a, *b, *none, *c;
    memory_plan_init(&plan);
    memory_plan_add(&plan, (void **)&a, TENSOR_CLASS_PARAMETERS, "a", 3, 1);
    memory_plan_add(&plan, (void **)&b, TENSOR_CLASS_ACTIVATIONS, "b", 65, 1);
    memory_plan_add(&plan, (void **)&none, TENSOR_CLASS_WORKSPACE, "none", 0, 4);
    memory_plan_add(&plan, (void **)&c, TENSOR_CLASS_ACTIVATIONS, "c", 2, 8);
    assert_int_equal(plan.total_bytes, 64 + 128 + 64);
    assert_int_equal(plan.class_bytes[TENSOR_CLASS_PARAMETERS], 64);
    assert_int_equal(plan.class_bytes[TENSOR_CLASS_ACTIVATIONS], 192);
    assert_int_equal(memory_plan_allocate(&plan, &err), STATUS_OK);
    assert_true(plan.arena_bytes >= plan.total_bytes);
    assert_int_equal(plan.arena_bytes % (size_t)sysconf(_SC_PAGESIZE), 0);
    assert_null(none);
    assert_int_equal((uintptr_t)a % TENSOR_ALIGN_BYTES, 0);
    assert_int_equal(b - a, 64);
    assert_int_equal(c - b, 128);
    for (size_t i = 0; i < plan.total_bytes; i++)
        assert_int_equal(plan.arena[i], 0);
    memory_plan_release(&plan);
}

static void more_than_the_machine_has_is_refused_before_it_is_taken(void **state)
{
    (void)state;
    struct memory_plan plan;
    struct err err = ERR_INIT;
    void *p;
    memory_plan_init(&plan);
    memory_plan_add(&plan, &p, TENSOR_CLASS_ACTIVATIONS, "vast", INT64_C(1) << 50, 1);
    assert_int_equal(memory_plan_allocate(&plan, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "batch_size"));
    assert_null(p);
    memory_plan_release(&plan);
}

static void a_control_groups_limit_counts_before_the_machines_memory(void **state)
{
    (void)state;
    struct memory_plan plan;
    struct err err = ERR_INIT;
    void *p;
    memory_plan_init(&plan);
    memory_plan_set_limit(&plan, &(struct memory_limit){.kind = MEMORY_LIMIT_GROUP,
                                                        .bytes = 3 << 20,
                                                        .used_bytes = 1 << 20,
                                                        .kept_bytes = 1 << 20,
                                                        .left_bytes = 1 << 20,
                                                        .file = "memory.max"});
    memory_plan_add(&plan, &p, TENSOR_CLASS_ACTIVATIONS, "fits", 1 << 20, 1);
    assert_true(memory_plan_fits(&plan));
    memory_plan_add(&plan, &p, TENSOR_CLASS_ACTIVATIONS, "too much", 1, 1);
    assert_false(memory_plan_fits(&plan));
    assert_int_equal(memory_plan_allocate(&plan, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "control group has 3.00 MiB (memory.max)"));
    memory_plan_release(&plan);
}

static void sizes_beyond_64_bits_are_refused(void **state)
{
    (void)state;
    struct memory_plan plan;
    struct err err = ERR_INIT;
    void *p;
    assert_int_equal(PLAN_COUNT(INT64_C(1) << 40, INT64_C(1) << 30), INT64_MAX);
    assert_int_equal(PLAN_COUNT(3, 5, 7), 105);
    memory_plan_init(&plan);
    memory_plan_add(&plan, &p, TENSOR_CLASS_DATA, "endless", INT64_MAX, 4);
    assert_int_equal(memory_plan_allocate(&plan, &err), STATUS_ENVIRONMENT);
    memory_plan_release(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_aligned_zeroed_and_apart),
        cmocka_unit_test(more_than_the_machine_has_is_refused_before_it_is_taken),
        cmocka_unit_test(a_control_groups_limit_counts_before_the_machines_memory),
        cmocka_unit_test(sizes_beyond_64_bits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
