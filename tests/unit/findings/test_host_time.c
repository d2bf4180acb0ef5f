/* Statements by the time that ranks take at them. */
#include "cmocka_setup.h"

#include "base/mem.h"
#include "evidence/host_time.h"

enum { LOADS, WAITS, TRAINS, LOADS_1, WAITS_1, TRAINS_1, N };

/* Two ranks, each with rows of its own for the same statements. */
static void add_lines(struct run *run)
{
    static const int32_t line[3] = {52, 53, 70};
    for (int i = 0; i < N; i++)
        lines_add(&run->lines,
                  (struct source_line){.rank = i / 3,
                                       .file = names_add_z(&run->names, "/home/train.py"),
                                       .function = names_add_z(&run->names, "load"),
                                       .line = line[i % 3],
                                       .caller = -1});
}

static void sample(struct run *run, int32_t row, int64_t count)
{
    host_samples_add(
        &run->host_samples,
        (struct host_sample){.rank = row / 3, .line = row, .inner = row, .count = count});
}

/* The first rank loads for both, while the other waits. */
static void what_one_rank_does_beyond_the_others(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    ranks_add(&run.ranks, (struct rank){.rank = 0});
    ranks_add(&run.ranks, (struct rank){.rank = 1});
    add_lines(&run);
    sample(&run, LOADS, 300);
    sample(&run, WAITS, 100);
    sample(&run, TRAINS, 600);
    sample(&run, WAITS_1, 400);
    sample(&run, TRAINS_1, 500);
    sample(&run, LOADS_1, 100);
    struct evidence e = {.run = &run, .step_ns = 1000};
    assert_true(host_time_known_of_all(&e));
    struct beyond_others b = host_time_beyond_others(&e, 0);
    assert_float_equal(b.ns[LOADS], 200, 1e-9);
    assert_float_equal(b.ns[WAITS], 0, 1e-9);
    assert_float_equal(b.ns[TRAINS], 100, 1e-9);
    assert_float_equal(b.ns[WAITS_1], 0, 1e-9); /* another rank's */
    assert_float_equal(b.all_ns[LOADS], 300, 1e-9);
    mem_free(b.ns);
    mem_free(b.all_ns);
    b = host_time_beyond_others(&e, 1);
    assert_float_equal(b.ns[WAITS_1], 300, 1e-9);
    mem_free(b.ns);
    mem_free(b.all_ns);
    run_release(&run);
}

static void a_rank_that_was_not_looked_at_is_not_compared(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    ranks_add(&run.ranks, (struct rank){.rank = 0});
    ranks_add(&run.ranks, (struct rank){.rank = 1});
    add_lines(&run);
    sample(&run, LOADS, 300);
    struct evidence e = {.run = &run, .step_ns = 1000};
    assert_false(host_time_known_of_all(&e));
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_rank_does_beyond_the_others),
        cmocka_unit_test(a_rank_that_was_not_looked_at_is_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
