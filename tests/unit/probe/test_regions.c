/* Regions of libgomp are counted, and threads that wait for others are seen. */
#include "base/clock.h"
#include "cmocka_setup.h"
#include "probe/regions.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { TEAM = 2, REGIONS = 50, MS = 1000000 };

static void spin(int64_t ns)
{
    for (int64_t end_ns = clock_now_ns() + ns; clock_now_ns() < end_ns;)
        ;
}

/* By gcc; other compilers have a runtime of their own. */
static bool has_libgomp(void)
{
#if defined(__clang__)
    return false;
#else
    return true;
#endif
}

static void regions_are_counted(void **state)
{
    (void)state;
    struct regions r;
    int sum = 0;
    if (!has_libgomp())
        skip();
    regions_start();
    for (int i = 0; i < REGIONS; i++) {
#pragma omp parallel num_threads(TEAM) reduction(+ : sum)
        sum++;
    }
    regions_stop(&r);
    assert_true(sum >= REGIONS);
    assert_int_equal(r.count, REGIONS);
    assert_true(r.wall_ns > 0 && r.wake_ns >= 0 && r.barrier_ns >= 0);
}

static void off_nothing_is_counted(void **state)
{
    (void)state;
    struct regions r;
    int sum = 0;
    regions_start();
    regions_stop(&r);
#pragma omp parallel num_threads(TEAM) reduction(+ : sum)
    sum++;
    assert_true(sum >= 1);
    regions_start();
    regions_stop(&r);
    assert_int_equal(r.count, 0);
    assert_int_equal(r.wall_ns, 0);
}

static atomic_int begun;

/* The first thread: 5 ms from when the other has begun, or a second where none comes. */
static void work_longer_than_the_other(void)
{
    if (omp_get_thread_num() != 0) {
        begun = 1;
        return;
    }
    for (int64_t end_ns = clock_now_ns() + 1000 * MS; !begun && clock_now_ns() < end_ns;)
        ;
    spin(5 * MS);
    begun = 0;
}

/* One thread works 5 ms longer: the other waits about as long, at the end or at a
 * barrier. */
static void waiting_is_seen(void **state)
{
    (void)state;
    struct regions at_end, inside;
    int team = 0;
    if (!has_libgomp())
        skip();
    regions_start();
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp single nowait
        team = omp_get_num_threads();
        work_longer_than_the_other();
    }
    regions_stop(&at_end);
    if (team < TEAM)
        skip();
    assert_true(at_end.barrier_ns > 2 * MS);
    regions_start();
#pragma omp parallel num_threads(TEAM)
    {
        work_longer_than_the_other();
#pragma omp barrier
    }
    regions_stop(&inside);
    assert_true(inside.barrier_ns > 2 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_counted),
        cmocka_unit_test(off_nothing_is_counted),
        cmocka_unit_test(waiting_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
