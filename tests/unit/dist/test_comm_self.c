#include "dist/comm.h"

#include "cmocka_setup.h"
#include "dist/launcher.h"
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

/* All that was recorded, as one rank; returns its row. */
static int32_t finish_probe(struct run *run, struct rank rank)
{
    struct err err = ERR_INIT;
    int32_t row;
    assert_int_equal(probe_finish(run, rank, SIZE_MAX, &row, &err), STATUS_OK);
    return row;
}

static void a_plain_process_is_a_job_of_one(void **state)
{
    (void)state;
    struct comm c;
    assert_int_equal(comm_open(&c, (struct comm_patience){0}, NULL), STATUS_OK);
    assert_string_equal(c.name, "self");
    assert_int_equal(c.rank, 0);
    assert_int_equal(c.size, 1);
    comm_close(&c);
    assert_int_equal(comm_open(&c, (struct comm_patience){0}, NULL),
                     STATUS_OK); /* no MPI: as often as one likes */
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
    setenv("PMIX_RANK", "0", 1);
    assert_true(comm_launched());
    unsetenv("PMIX_RANK");
}

static void slurm_launches_where_it_has_several_tasks(void **state)
{
    (void)state;
    setenv("SLURM_NTASKS", "4", 1); /* an allocation alone starts nothing */
    assert_false(comm_launched());
    setenv("SLURM_PROCID", "3", 1);
    assert_true(comm_launched());
    setenv("SLURM_NTASKS", "1", 1);
    assert_false(comm_launched());
    unsetenv("SLURM_NTASKS");
    unsetenv("SLURM_PROCID");
}

static void check(struct launcher l, int mpi_size, const char *says)
{
    struct err err = ERR_INIT;
    enum status want = says ? STATUS_ENVIRONMENT : STATUS_OK;
    assert_int_equal(launcher_check_size(&l, mpi_size, &err), want);
    if (says && !strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static void jobs_of_one_instead_of_one_job_are_refused(void **state)
{
    (void)state;
    check((struct launcher){0}, 1, NULL);
    struct launcher mpirun = {.launched = true, .processes = 4};
    check(mpirun, 4, NULL);
    check(mpirun, 1, "started 4 processes and MPI sees 1; use the mpirun");
    struct launcher slurm = {.launched = true, .processes = 4, .slurm = true};
    check(slurm, 4, NULL);
    check(slurm, 2, NULL); /* some mpirun within the job */
    check(slurm, 1, "srun --mpi=pmix");
    struct launcher third = {.launched = true, .processes = 3, .at_least = true};
    check(third, 4, NULL);
    check(third, 1, "at least 3 processes and MPI sees 1");
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

/* A barrier moves nothing: it is waiting and is recorded as such. */
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
    finish_probe(&run, (struct rank){.rank = 0, .world = 1});
    static const struct {
        const char *name;
        int64_t bytes;
        enum span_kind kind;
    } want[] = {{"allreduce", 20, SPAN_KIND_COLLECTIVE},
                {"broadcast", 8, SPAN_KIND_COLLECTIVE},
                {"barrier", 0, SPAN_KIND_WAIT}};
    assert_int_equal(run.spans.table.n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(run.spans.kind[i], want[i].kind);
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
        cmocka_unit_test(slurm_launches_where_it_has_several_tasks),
        cmocka_unit_test(jobs_of_one_instead_of_one_job_are_refused),
        cmocka_unit_test(alone_nothing_changes),
        cmocka_unit_test(each_collective_is_a_span_with_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
