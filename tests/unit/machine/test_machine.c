#include "machine/machine.h"

#include "base/clock.h"
#include "base/cores.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"
#include "machine/ceiling.h"
#include "machine/cpu.h"
#include "machine/fma_loops.h"
#include "machine/meminfo.h"
#include "run/run.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The kernel's own list of flags is another source than the cpuid instruction. */
static void instruction_sets_agree_with_the_kernel(void **state)
{
    (void)state;
    char *text;
    size_t len;
    assert_int_equal(file_read(&text, &len, "/proc/cpuinfo", 16 << 20, NULL), STATUS_OK);
    const char *flags = strstr(text, "\nflags");
    struct strbuf line; /* a space ends the last flag too */
    strbuf_init(&line);
    if (flags)
        strbuf_printf(&line, "%.*s ", (int)strcspn(flags + 1, "\n"), flags + 1);
    mem_free(text);
    if (!flags) {
        strbuf_release(&line);
        skip();
    }
    struct cpu_isa isa = cpu_isa();
#define ISA_COMPARE(field, name)                                                         \
    assert_int_equal(isa.field, strstr(line.s, " " name " ") != NULL);
    CPU_ISA_LIST(ISA_COMPARE)
    strbuf_release(&line);
}

static void affinity_limits_the_usable_cores(void **state)
{
    (void)state;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(cores_of_affinity(), CPU_COUNT(&all));
    assert_in_range(cpu_usable_cores(), 1, CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(cpu_usable_cores(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void meminfo_lines_are_read_whole(void **state)
{
    (void)state;
    static const char text[] = "MemTotalX: 1 kB\nMemTotal:   24 kB\nMemFree: 7\nBad:\n";
    assert_float_equal(meminfo_value(text, "MemTotal"), 24 * 1024, 0);
    assert_true(isnan(meminfo_value(text, "MemFree")));
    assert_true(isnan(meminfo_value(text, "Bad")));
    assert_true(isnan(meminfo_value(text, "Absent")));
    assert_true(meminfo_available_bytes() <= meminfo_total_bytes());
}

static void arrays_exceed_the_caches_and_spare_the_memory(void **state)
{
    (void)state;
    double plenty = 1e12, mib = 1 << 20;
    assert_int_equal(ceiling_array_bytes(0, 0, plenty), 16 << 20);
    assert_int_equal(ceiling_array_bytes(8 << 20, 16 << 20, plenty), 32 << 20);
    assert_true(3 * ceiling_array_bytes(2 << 20, 300 << 20, plenty) > 300 << 20);
    assert_int_equal(ceiling_array_bytes(0, (size_t)1 << 40, plenty), 256 << 20);
    assert_int_equal(ceiling_array_bytes(0, 0, 12 * 16 * mib), 16 << 20);
    assert_int_equal(ceiling_array_bytes(0, 0, 12 * 16 * mib - 1), 0);
    assert_int_equal(ceiling_array_bytes(0, 0, NAN), 0);
}

static void the_fma_loop_computes(void **state)
{
    (void)state;
    struct fma_loop loop = fma_loop_best();
    assert_float_equal(loop.run(1000), 1, 1e-5);
    /* one step from 1 … 10, whose mean is 5.5: 0.75 * 5.5 + 0.25 */
    assert_float_equal(loop.run(1), 4.375, 1e-5);
    assert_float_equal(loop.run(0), 5.5, 1e-5);
}

static const char *fact_text(const struct run *run, const char *key)
{
    for (size_t i = 0; i < run->facts.table.n; i++)
        if (!strcmp(run_name(run, run->facts.key[i]), key))
            return run_name(run, run->facts.text[i]);
    fail_msg("no fact %s", key);
    return NULL;
}

static void the_machine_is_described(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    machine_describe(&run, -1);
    assert_true(strlen(fact_text(&run, "machine.cpu")) > 3);
    assert_non_null(strstr(fact_text(&run, "machine.kernel"), "Linux"));
    assert_int_equal(run_fact(&run, -1, "machine.cores_usable"), cpu_usable_cores());
    assert_true(run_fact(&run, -1, "machine.memory_total_bytes") > 1e8);
    for (size_t i = 0; i < run.facts.table.n; i++) {
        const char *text = run_name(&run, run.facts.text[i]);
        print_message("%s = %.10g %s (%s, %s)\n", run_name(&run, run.facts.key[i]),
                      run.facts.value[i], run_name(&run, run.facts.unit[i]), text,
                      origin_text[run.facts.origin[i]]);
        assert_true(text[0] != '\0');
        assert_true(isnan(run.facts.value[i]) || run.facts.value[i] > 0);
    }
    run_release(&run);
}

/* Least CPU time of several runs: a busy machine only adds to it. */
static double loop_cpu_ns(const struct fma_loop *loop, int64_t iterations)
{
    double least = INFINITY;
    for (int i = 0; i < 7; i++) {
        int64_t begin_ns = clock_cpu_ns();
        loop->run(iterations);
        least = fmin(least, (double)(clock_cpu_ns() - begin_ns));
    }
    return least;
}

/* Work that the compiler left out would take no time, or always the same. */
static void twice_the_work_takes_about_twice_the_time(void **state)
{
    (void)state;
    struct fma_loop loop = fma_loop_best();
    int64_t iterations = 1000;
    while (loop_cpu_ns(&loop, iterations) < 1e6) /* long against the clock's grain */
        iterations *= 2;
    double ratio = loop_cpu_ns(&loop, 2 * iterations) / loop_cpu_ns(&loop, iterations);
    print_message("%lld iterations twice over: %.2f times\n", (long long)iterations,
                  ratio);
    assert_true(ratio > 1.3 && ratio < 3);
}

static void ceilings_are_positive_and_best_is_not_below_median(void **state)
{
    (void)state;
    static const char *const key[] = {"ceiling.f32_flop_per_s",
                                      "ceiling.memory_bytes_per_s"};
    static const char *const median[] = {"ceiling.f32_flop_per_s_median",
                                         "ceiling.memory_bytes_per_s_median"};
    struct run run;
    run_init(&run);
    machine_measure(&run, -1, 0);
    for (int i = 0; i < 2; i++) {
        double best = run_fact(&run, -1, key[i]);
        double middle = run_fact(&run, -1, median[i]);
        print_message("%s %.3g, median %.3g; %s\n", key[i], best, middle,
                      fact_text(&run, key[i]));
        assert_true(middle > 0 && isfinite(best) && best >= middle);
    }
    for (size_t i = 0; i < run.notes.table.n; i++)
        print_message("note: %s\n", run_name(&run, run.notes.text[i]));
    run_release(&run);
}

static void the_number_of_threads_is_the_one_asked_for(void **state)
{
    (void)state;
    struct ceiling one = ceiling_f32_flop(1), three = ceiling_f32_flop(3);
    assert_int_equal(one.threads, 1);
    assert_int_equal(three.threads, 3);
    assert_true(one.cpu_frac > 0 && one.cpu_frac <= 1);
    /* Even on one core, more threads only take turns; other programs' turns would count
     * too. */
    bool undisturbed = one.cpu_frac > 0.9 && three.cpu_frac > 0.5;
    print_message("%.3g flop/s of one thread, %.3g of three%s\n", one.best, three.best,
                  undisturbed ? "" : ", disturbed by others: not compared");
    assert_true(!undisturbed || three.best > one.best / 2);
}

/* Four busy threads of another process's kind: children that spin. */
static void a_busy_machine_is_noticed(void **state)
{
    (void)state;
    enum { SPINNERS = 4 };
    pid_t child[SPINNERS];
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    for (int i = 0; i < SPINNERS; i++) {
        child[i] = fork();
        if (!child[i])
            for (int64_t begin_ns = clock_now_ns();;)
                if (clock_now_ns() - begin_ns > (int64_t)30e9)
                    _exit(0);
    }
    struct ceiling c = ceiling_f32_flop(1);
    for (int i = 0; i < SPINNERS; i++) {
        kill(child[i], SIGKILL);
        waitpid(child[i], NULL, 0);
    }
    sched_setaffinity(0, sizeof all, &all);
    assert_true(c.cpu_frac < 0.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_agree_with_the_kernel),
        cmocka_unit_test(affinity_limits_the_usable_cores),
        cmocka_unit_test(meminfo_lines_are_read_whole),
        cmocka_unit_test(arrays_exceed_the_caches_and_spare_the_memory),
        cmocka_unit_test(the_fma_loop_computes),
        cmocka_unit_test(the_machine_is_described),
        cmocka_unit_test(twice_the_work_takes_about_twice_the_time),
        cmocka_unit_test(ceilings_are_positive_and_best_is_not_below_median),
        cmocka_unit_test(a_busy_machine_is_noticed),
        cmocka_unit_test(the_number_of_threads_is_the_one_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
