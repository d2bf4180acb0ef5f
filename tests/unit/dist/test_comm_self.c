#include "dist/comm.h"

#include "cmocka_setup.h"
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

static void a_plain_process_is_a_job_of_one(void **state)
{
    (void)state;
    struct comm c;
    assert_int_equal(comm_open(&c, NULL), STATUS_OK);
    assert_string_equal(c.name, "self");
    assert_int_equal(c.rank, 0);
    assert_int_equal(c.size, 1);
    comm_close(&c);
    assert_int_equal(comm_open(&c, NULL), STATUS_OK); /* no MPI: as often as one likes */
    comm_close(&c);
}

static void launchers_are_known_by_their_variables(void **state)
{
    (void)state;
    assert_false(comm_launched());
    setenv("PMI_SIZE", "2", 1);
    assert_true(comm_launched());
    setenv("PMI_SIZE", "", 1);
    assert_false(comm_launched());
    unsetenv("PMI_SIZE");
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    assert_true(comm_launched());
    unsetenv("OMPI_COMM_WORLD_SIZE");
}

static void alone_nothing_changes(void **state)
{
    (void)state;
    struct comm c;
    comm_init_self(&c);
    float f[] = {1, 2, 3};
    double d[] = {4, 5};
    char bytes[] = "abc";
    assert_int_equal(comm_allreduce_sum(&c, f, 3, NULL), STATUS_OK);
    assert_int_equal(comm_allreduce_sum(&c, NULL, 0, NULL), STATUS_OK);
    assert_int_equal(comm_allreduce_sum_f64(&c, d, 2, NULL), STATUS_OK);
    assert_int_equal(comm_broadcast(&c, bytes, sizeof bytes, 0, NULL), STATUS_OK);
    assert_int_equal(comm_barrier(&c, NULL), STATUS_OK);
    assert_float_equal(f[2], 3, 0);
    assert_float_equal(d[1], 5, 0);
    assert_string_equal(bytes, "abc");
    comm_close(&c);
}

static void each_collective_is_a_span_with_its_bytes(void **state)
{
    (void)state;
    struct comm c;
    comm_init_self(&c);
    float f[5] = {0};
    probe_start(1, 16);
    comm_allreduce_sum(&c, f, 5, NULL);
    comm_broadcast(&c, f, 8, 0, NULL);
    comm_barrier(&c, NULL);
    probe_stop();
    struct run run;
    run_init(&run);
    probe_finish(&run, (struct rank){.rank = 0, .world = 1}, SIZE_MAX);
    static const struct {
        const char *name;
        int64_t bytes;
    } want[] = {{"allreduce", 20}, {"broadcast", 8}, {"barrier", 0}};
    assert_int_equal(run.spans.table.n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(run.spans.kind[i], SPAN_KIND_COLLECTIVE);
        assert_string_equal(run_name(&run, run.spans.name[i]), want[i].name);
        assert_int_equal(run.spans.bytes[i], want[i].bytes);
    }
    run_release(&run);
    comm_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_process_is_a_job_of_one),
        cmocka_unit_test(launchers_are_known_by_their_variables),
        cmocka_unit_test(alone_nothing_changes),
        cmocka_unit_test(each_collective_is_a_span_with_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
