/* What is kept of a machine is found again for it, and for no other. */
#include "cmocka_setup.h"

#ifdef GAIT_TRAIN
#include "cli/bench_cache.c"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/gait-cache-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && !setenv("XDG_CACHE_HOME", folder, 1) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void describe(struct run *machine)
{
    run_init(machine);
    run_add_fact_text(machine, -1, "machine.cpu", "a CPU", ORIGIN_LISTED);
    run_add_fact_text(machine, -1, "machine.isa", "avx2", ORIGIN_LISTED);
}

static struct ceilings some_ceilings(void)
{
    struct ceilings all;
    ceilings_names(&all);
    for (size_t i = 0; i < all.n; i++)
        all.of[i].c = (struct ceiling){.how = "no such thing here"};
    all.of[0].c = (struct ceiling){.median = 2e9,
                                   .low = 1e9,
                                   .high = 3e9,
                                   .best = 4e9,
                                   .repetitions = 31,
                                   .threads = 2,
                                   .how = "a loop"};
    return all;
}

static void what_is_kept_is_found_again(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct bench_cache c;
    struct ceilings all = some_ceilings(), back;
    struct run machine, kept;
    describe(&machine);
    run_init(&kept);
    bench_cache_init(&c, &machine, 2);
    assert_null(bench_cache_load(&c, &kept, &back));
    assert_int_equal(bench_cache_save(&c, &all, &err), STATUS_OK);
    const char *at = bench_cache_load(&c, &kept, &back);
    assert_non_null(at);
    assert_true(strlen(at) > 10);
    assert_true(back.of[0].c.median == 2e9 && back.of[0].c.best == 4e9);
    assert_string_equal(back.of[1].c.how, "no such thing here");
    bench_cache_release(&c);
    run_release(&kept);
    run_release(&machine);
}

static void another_machine_has_its_own(void **state)
{
    (void)state;
    struct bench_cache c;
    struct ceilings back;
    struct run machine, kept;
    describe(&machine);
    run_init(&kept);
    bench_cache_init(&c, &machine, 3); /* other threads */
    assert_null(bench_cache_load(&c, &kept, &back));
    bench_cache_release(&c);
    run_release(&kept);
    run_release(&machine);
}

static void a_file_that_is_damaged_is_not_believed(void **state)
{
    (void)state;
    struct bench_cache c;
    struct ceilings back;
    struct run machine, kept;
    describe(&machine);
    run_init(&kept);
    bench_cache_init(&c, &machine, 2);
    assert_int_equal(truncate(c.path.s, 5000), 0);
    assert_null(bench_cache_load(&c, &kept, &back));
    bench_cache_release(&c);
    run_release(&kept);
    run_release(&machine);
}

static void without_a_folder_nothing_is_kept(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct bench_cache c;
    struct ceilings all = some_ceilings(), back;
    struct run machine, kept;
    char *home = getenv("HOME") ? mem_strdup(getenv("HOME")) : NULL;
    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    describe(&machine);
    run_init(&kept);
    bench_cache_init(&c, &machine, 2);
    assert_int_equal(bench_cache_save(&c, &all, &err), STATUS_OK);
    assert_null(bench_cache_load(&c, &kept, &back));
    bench_cache_release(&c);
    run_release(&kept);
    run_release(&machine);
    if (home)
        setenv("HOME", home, 1);
    mem_free(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_is_found_again),
        cmocka_unit_test(another_machine_has_its_own),
        cmocka_unit_test(a_file_that_is_damaged_is_not_believed),
        cmocka_unit_test(without_a_folder_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
#else
int main(void)
{
    return 77; /* the trainer's side is not built */
}
#endif
