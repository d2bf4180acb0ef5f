/* Every ceiling is measured, or says why not; figures are kept and read back. */
#include "cmocka_setup.h"

#include "machine/ceilings_facts.h"
#include "machine/fma_loops.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ceilings measured;

static int measure(void **state)
{
    (void)state;
    ceilings_measure(&measured, 2, "/tmp", NULL, NULL);
    return 0;
}

static void each_has_its_figures_or_a_reason(void **state)
{
    (void)state;
    assert_true(measured.n > 10);
    for (size_t i = 0; i < measured.n; i++) {
        const struct named_ceiling *x = &measured.of[i];
        bool is_cost = !strcmp(x->unit, "ns");
        assert_true(strlen(x->c.how) > 0);
        if (!x->c.repetitions)
            continue;
        assert_true(x->c.low > 0 && x->c.low <= x->c.median && x->c.median <= x->c.high);
        assert_true(is_cost ? x->c.best <= x->c.median : x->c.best >= x->c.median);
        assert_true(x->c.threads >= 1 && x->c.threads <= 2);
    }
}

/* What every machine has: 128-bit instructions, memory, threads. */
static void the_plain_ones_are_always_there(void **state)
{
    (void)state;
    static const char *const key[] = {"f32_128bit", "memory", "region", "barrier"};
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        assert_true(ceilings_find(&measured, key[i])->c.repetitions > 0);
    assert_null(ceilings_find(&measured, "nothing"));
}

/* Ratios of one run, with wide margins: other programs come and go. A sanitizer's checks
 * of each access take longer than the access, wherever it goes. */
static void wider_and_nearer_is_no_slower(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#endif
    const struct named_ceiling *narrow = ceilings_find(&measured, "f32_128bit"),
                               *wide = ceilings_find(&measured, "f32_avx512"),
                               *near = ceilings_find(&measured, "l1"),
                               *far = ceilings_find(&measured, "memory");
    if (wide->c.repetitions)
        assert_true(wide->c.best > narrow->c.best);
    if (near->c.repetitions)
        assert_true(near->c.best > far->c.best);
}

static void a_folder_without_room_for_a_file_says_so(void **state)
{
    (void)state;
    struct ceiling c = ceiling_disk_write("/nowhere");
    assert_int_equal(c.repetitions, 0);
    assert_true(strlen(c.how) > 0);
}

static void they_are_read_back_as_they_were(void **state)
{
    (void)state;
    struct run run;
    struct ceilings back;
    run_init(&run);
    ceilings_to_facts(&run, &measured);
    assert_true(ceilings_from_facts(&back, &run));
    for (size_t i = 0; i < measured.n; i++) {
        const struct ceiling *a = &measured.of[i].c, *b = &back.of[i].c;
        assert_int_equal(a->repetitions, b->repetitions);
        assert_string_equal(a->how, b->how);
        assert_true(a->median == b->median && a->low == b->low && a->high == b->high);
        assert_true(a->best == b->best && a->threads == b->threads);
    }
    run_release(&run);
    run_init(&run);
    assert_false(ceilings_from_facts(&back, &run));
    run_release(&run);
}

static void noise_is_told(void **state)
{
    (void)state;
    struct ceilings quiet = {.n = 0, .noise = {true, 0.02, 0}};
    assert_string_equal(ceilings_noise(&quiet).s, "");
    quiet.noise.others_cpus = 0.98;
    assert_string_equal(ceilings_noise(&quiet).s, "other programs took 0.98 CPUs");
    assert_false(ceilings_are_lasting(&quiet));
    quiet.noise = (struct noise){true, 0, 0.03};
    assert_true(ceilings_are_lasting(&quiet));
    assert_non_null(strstr(ceilings_noise(&quiet).s, "3.0 %"));
    struct ceilings drifting = {
        .of = {{.key = "f32_avx2", .unit = "FLOP/s", .c = {.drift_frac = -0.2}}}, .n = 1};
    assert_non_null(strstr(ceilings_noise(&drifting).s, "20 % slower"));
    struct ceilings odd = {.of = {{.key = "l1",
                                   .what = "first",
                                   .unit = "B/s",
                                   .c = {.median = 3e9, .repetitions = 9}},
                                  {.key = "memory",
                                   .what = "memory",
                                   .unit = "B/s",
                                   .c = {.median = 4e9, .repetitions = 9}}},
                           .n = 2};
    assert_false(ceilings_are_lasting(&odd));
    assert_non_null(
        strstr(ceilings_noise(&odd).s, "the first was measured no faster than memory"));
    odd.of[0].c.median = 5e9;
    assert_true(ceilings_are_lasting(&odd));
}

static void a_line_of_the_kernels_times(void **state)
{
    (void)state;
    struct noise_mark m = {0};
    assert_true(noise_read("cpu  100 10 40 800 20 3 7 20 5 1\ncpu0 1 2 3\n", &m));
    assert_float_equal(m.busy, 160, 1e-9);
    assert_float_equal(m.steal, 20, 1e-9);
    assert_float_equal(m.all, 1000, 1e-9);
    assert_false(noise_read("cpu0 1 2 3", &m));
    assert_false(noise_read("", &m));
}

/* Another process that computes is seen. */
static void other_programs_are_seen(void **state)
{
    (void)state;
    struct noise_mark begin = noise_begin();
    pid_t child = fork();
    if (!child) {
        fma_loop_of(FMA_BASELINE).run(INT64_C(200) << 20);
        _exit(0);
    }
    usleep(500000);
    struct noise n = noise_since(&begin);
    assert_true(child > 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (!n.known)
        skip();
    assert_true(n.others_cpus > 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_figures_or_a_reason),
        cmocka_unit_test(the_plain_ones_are_always_there),
        cmocka_unit_test(wider_and_nearer_is_no_slower),
        cmocka_unit_test(a_folder_without_room_for_a_file_says_so),
        cmocka_unit_test(they_are_read_back_as_they_were),
        cmocka_unit_test(noise_is_told),
        cmocka_unit_test(a_line_of_the_kernels_times),
        cmocka_unit_test(other_programs_are_seen),
    };
    return cmocka_run_group_tests(tests, measure, NULL);
}
