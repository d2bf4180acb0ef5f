/* A sentence of evidence and the numbers that scripts read are one. */
#include "cmocka_setup.h"
#include "findings/findings.h"

#include "price/evidence_text.h"

#include <string.h>

static struct finding new_finding(void)
{
    return (struct finding){.rule = &rule_table[0]};
}

static void numbers_stand_in_the_sentence_and_beside_it(void **state)
{
    (void)state;
    struct finding x = new_finding();
    evidence_say(&x, "{} in {} a step{}", quantity_percent("held_frac", 0.1234, 1),
                 quantity_plural("calls_per_step", 2, "call", "calls"),
                 quantity_words(", all of one kind"));
    evidence_say(&x, "; {}", quantity_us("each_ms", 40000));
    assert_string_equal(x.evidence, "12.3 % in 2 calls a step, all of one kind; 40.0 us");
    assert_int_equal(x.n_quantities, 3);
    assert_string_equal(x.quantity[0].name, "held_frac");
    assert_true(x.quantity[0].value == 0.1234);
    assert_string_equal(quantity_unit_text[x.quantity[1].unit], "count");
    assert_string_equal(quantity_unit_text[x.quantity[2].unit], "ms");
    assert_true(x.quantity[2].value == 0.04);
}

static void a_number_may_be_said_in_words(void **state)
{
    (void)state;
    struct finding x = new_finding();
    struct quantity all = quantity_share("computing_frac", 0.999);
    all.words = "all";
    evidence_say(&x, "{} of it computes", all);
    assert_string_equal(x.evidence, "all of it computes");
    assert_true(x.quantity[0].value == 0.999);
}

static void parts_that_are_none_are_left_out(void **state)
{
    (void)state;
    struct finding x = new_finding();
    const struct evidence_part parts[] = {{"clones_per_step", 2, "clone", "clones"},
                                          {"casts_per_step", 0, "cast", "casts"},
                                          {"views_per_step", 1, "view", "views"},
                                          {"sums_per_step", 2.5, "sum", "sums"}};
    evidence_parts(&x, parts, sizeof parts / sizeof *parts);
    assert_string_equal(x.evidence, "2 clones, 1 view and 2.5 sums");
    assert_int_equal(x.n_quantities, 3);
    assert_string_equal(x.quantity[1].name, "views_per_step");
}

static void what_does_not_fit_is_cut_and_its_number_stays(void **state)
{
    (void)state;
    struct finding x = new_finding();
    char words[FINDING_TEXT_MAX + 100];
    memset(words, 'a', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    evidence_say(&x, "{} and {}", quantity_words(words), quantity_whole("count", 7));
    assert_int_equal(strlen(x.evidence), FINDING_TEXT_MAX - 1);
    assert_int_equal(x.n_quantities, 1);
    assert_true(x.quantity[0].value == 7);
}

static void of_a_recording_without_steps_no_step_is_told(void **state)
{
    (void)state;
    struct finding x = new_finding();
    x.of_recording = true;
    evidence_say(&x, "a step stops {}; {} of a step in {}, {} a step",
                 quantity_times("reads", 4096), quantity_percent("held_frac", 0.5, 0),
                 quantity_words("walk a step()"), quantity_whole("calls", 3));
    assert_string_equal(x.evidence,
                        "the host stops 4096 times; 50 % of the recording in walk a "
                        "step(), 3 in all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stand_in_the_sentence_and_beside_it),
        cmocka_unit_test(a_number_may_be_said_in_words),
        cmocka_unit_test(parts_that_are_none_are_left_out),
        cmocka_unit_test(what_does_not_fit_is_cut_and_its_number_stays),
        cmocka_unit_test(of_a_recording_without_steps_no_step_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
