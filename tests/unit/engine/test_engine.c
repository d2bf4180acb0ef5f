/* How an engine is composed from the settings' words. */
#include "kernel_fixture.h"

static void every_combination_of_words_is_an_engine(void **state)
{
    (void)state;
    static const char *const names[] = {"onednn", "own", "auto", "reference"};
    for (int i = 0; i < 16; i++) {
        const char *name = names[i >> 2], *attention = ATTENTIONS[i >> 1 & 1];
        struct engine e = engine_of(name, PRECISIONS[i & 1], attention);
        struct attention a = {.B = 1, .T = 4, .H = 1, .G = 1, .D = 4};
        assert_string_equal(e.options.name, name);
        assert_string_equal(e.options.precision, PRECISIONS[i & 1]);
        assert_string_equal(e.options.attention, attention);
        assert_true(*engine_maker(&e) != '\0');
        assert_int_equal(e.bf16, i & 1);
        assert_int_equal(e.act_bytes, e.bf16 ? 2 : 4);
        assert_int_equal(e.ops.attention.kept(&a), i >> 1 & 1 ? 0 : 16);
    }
}

static void an_unknown_word_is_an_error_that_names_the_known(void **state)
{
    (void)state;
    static const struct {
        struct engine_options options;
        const char *known;
    } wrong[] = {
        {{"abacus", "f32", "tiled"}, "onednn"},
        {{"reference", "f64", "tiled"}, "bf16"},
        {{"reference", "f32", "sparse"}, "plain"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct engine e;
        struct err err = ERR_INIT;
        assert_int_equal(engine_init(&e, &wrong[i].options, &err), STATUS_USAGE);
        assert_non_null(strstr(err.text, wrong[i].known));
    }
}

static void threads_are_as_many_as_asked_for(void **state)
{
    (void)state;
    assert_int_equal(engine_set_threads(3), 3);
    assert_int_equal(engine_threads(), 3);
    assert_true(engine_set_threads(0) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_of_words_is_an_engine),
        cmocka_unit_test(an_unknown_word_is_an_error_that_names_the_known),
        cmocka_unit_test(threads_are_as_many_as_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
