#include "cmocka_setup.h"

#include "config/preset.h"

#include <math.h>
#include <string.h>

static const double GIB = 1073741824.0;

static struct preset_facts named(const char *name)
{
    struct preset_facts facts = {0};
    assert_int_equal(preset_find(&facts, name, NULL, NULL), STATUS_OK);
    return facts;
}

static void presets_are_found_by_name(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct preset_facts facts, measured = {.memory_bytes = 5e9, .cores = 3};
    assert_int_equal(named("laptop").cores, 4);
    assert_true(named("server").memory_bytes == 256 * GIB);
    assert_int_equal(named("desktop").cache_bytes, 32 << 20);
    assert_int_equal(preset_find(&facts, "auto", &measured, &err), STATUS_OK);
    assert_int_equal(facts.cores, 3);
    assert_int_equal(preset_find(&facts, "mainframe", &measured, &err), STATUS_USAGE);
    assert_string_equal(err.text,
                        "there is no preset \"mainframe\"; known: auto, laptop, "
                        "desktop, server");
}

static void auto_needs_what_a_machine_says(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct preset_facts facts, unknown = {.memory_bytes = NAN, .cores = 4};
    assert_int_equal(preset_find(&facts, "auto", NULL, &err), STATUS_USAGE);
    assert_int_equal(preset_find(&facts, "auto", &unknown, &err), STATUS_ENVIRONMENT);
    assert_string_equal(err.text,
                        "this machine does not say how much memory and how many cores it "
                        "has; name laptop, desktop or server");
}

static int64_t batch_of(struct config *c, const struct preset_facts *facts)
{
    struct err err = ERR_INIT;
    assert_int_equal(preset_apply(c, facts, &err), STATUS_OK);
    assert_int_equal(config_check(c, &err), STATUS_OK);
    return c->batch_size;
}

static void a_batch_follows_cores_cache_and_memory(void **state)
{
    (void)state;
    struct config c;
    config_init(&c); /* width 128: 2 KiB of MLP activations a token; context 64 */
    struct preset_facts f = {.memory_bytes = 64 * GIB, .cores = 2, .cache_bytes = 0};
    assert_int_equal(batch_of(&c, &f), 2);
    f.cores = 5; /* 320 tokens: 5 sequences, down to a power of two */
    assert_int_equal(batch_of(&c, &f), 4);
    f.cache_bytes = 2 << 20;
    assert_int_equal(batch_of(&c, &f), 16);
    f.cache_bytes = 1 << 30;
    assert_int_equal(batch_of(&c, &f), 64);
    f.cores = 128;
    assert_int_equal(batch_of(&c, &f), 128);
    f.memory_bytes = 0.2 * GIB;
    int64_t fits = batch_of(&c, &f);
    assert_true(fits < 128);
    assert_true(preset_memory_bytes(&c) <= 0.1 * GIB);
    c.batch_size = 2 * fits;
    assert_true(preset_memory_bytes(&c) > 0.1 * GIB);
    config_release(&c);
}

static void recompute_comes_before_giving_up(void **state)
{
    (void)state;
    struct config c, before;
    struct err err = ERR_INIT;
    struct preset_facts f = {.memory_bytes = 8 * GIB, .cores = 2, .cache_bytes = 1 << 20};
    config_init(&c);
    config_init(&before);
    c.layers = 48;
    c.width = 256;
    c.context = 8192;
    assert_int_equal(config_set(&c, "attention", "tiled", &err), STATUS_OK);
    config_copy(&before, &c);
    assert_int_equal(batch_of(&c, &f), 1);
    assert_true(c.recompute);
    config_copy(&c, &before);
    f.memory_bytes = GIB;
    assert_int_equal(preset_apply(&c, &f, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "lower layers, width or context"));
    assert_true(config_equal(&c, &before));
    config_release(&c);
    config_release(&before);
}

static void workers_follow_cores_unless_given(void **state)
{
    (void)state;
    assert_int_equal(config_workers(0, 64), 0);
    assert_int_equal(config_workers(7, 1), 7);
    assert_int_equal(config_workers(-1, 1), 1);
    assert_int_equal(config_workers(-1, 15), 1);
    assert_int_equal(config_workers(-1, 16), 2);
    assert_int_equal(config_workers(-1, 1000), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_are_found_by_name),
        cmocka_unit_test(auto_needs_what_a_machine_says),
        cmocka_unit_test(a_batch_follows_cores_cache_and_memory),
        cmocka_unit_test(recompute_comes_before_giving_up),
        cmocka_unit_test(workers_follow_cores_unless_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
