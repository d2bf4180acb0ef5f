#include "base/cause_id.h"

#include "base/mem.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <string.h>

static struct cause cause(const char *rule, const char *file, const char *function)
{
    return (struct cause){.rule = rule, .place = cause_place(2, file, function)};
}

static void an_id_is_the_rule_and_the_place(void **state)
{
    (void)state;
    struct cause c[] = {cause("python-time", "train.py", "main"),
                        {.rule = "launch-bound"}};
    cause_ids_set(c, 2);
    assert_int_equal(strlen(c[0].id.s), strlen("python-time-") + CAUSE_ID_DIGITS);
    assert_int_equal(cause_id_rule(c[0].id.s), strlen("python-time"));
    assert_string_equal(c[1].id.s, "launch-bound");
}

static void an_id_does_not_depend_on_the_others(void **state)
{
    (void)state;
    struct cause alone[] = {cause("python-time", "train.py", "main")};
    struct cause second[] = {cause("repeated-work", "train.py", "main"),
                             cause("python-time", "data.py", "main"), alone[0]};
    cause_ids_set(alone, 1);
    cause_ids_set(second, 3);
    assert_string_equal(alone[0].id.s, second[2].id.s);
    assert_string_not_equal(second[1].id.s, second[2].id.s);
}

static void words_of_a_place_do_not_run_together(void **state)
{
    (void)state;
    assert_string_not_equal(cause_place(2, "ab", "c").s, cause_place(2, "a", "bc").s);
}

static void equal_places_are_numbered_by_their_paths(void **state)
{
    (void)state;
    struct cause c[] = {cause("r", "a.py", "f"), cause("r", "a.py", "f")};
    struct cause turned[] = {c[0], c[1]};
    c[0].tie = turned[1].tie = "x/a.py";
    c[1].tie = turned[0].tie = "y/a.py";
    cause_ids_set(c, 2);
    cause_ids_set(turned, 2);
    assert_string_not_equal(c[0].id.s, c[1].id.s);
    assert_string_equal(c[0].id.s, turned[1].id.s);
    assert_string_equal(c[1].id.s, turned[0].id.s);
}

static void a_hundred_thousand_equal_causes_have_ids_of_their_own(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    struct cause *c = mem_zalloc(MANY, sizeof *c);
    for (size_t i = 0; i < MANY; i++)
        c[i] = cause("GT101", "a.py", i % 2 ? "f" : "g");
    cause_ids_set(c, MANY); /* of 32 bits: some cut hashes are equal */
    struct cause *again = mem_zalloc(MANY, sizeof *again);
    for (size_t i = 0; i < MANY; i++)
        again[i] = (struct cause){.rule = c[i].id.s};
    cause_ids_set(again, MANY); /* an equal one would be numbered */
    for (size_t i = 0; i < MANY; i++)
        assert_string_equal(again[i].id.s, c[i].id.s);
    mem_free(again);
    mem_free(c);
}

static void words_that_are_no_ids_are_told(void **state)
{
    (void)state;
    assert_int_equal(cause_id_rule("launch-bound"), 0);
    assert_int_equal(cause_id_rule("launch-bound-99aa06dx"), 0);
    assert_int_equal(cause_id_rule("launch-bound-99AA06D3"), 0);
    assert_int_equal(cause_id_rule("-99aa06d3"), 0);
    assert_int_equal(cause_id_rule("99aa06d3"), 0);
    assert_int_equal(cause_id_rule("GT101-99aa06d3"), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_the_rule_and_the_place),
        cmocka_unit_test(an_id_does_not_depend_on_the_others),
        cmocka_unit_test(words_of_a_place_do_not_run_together),
        cmocka_unit_test(equal_places_are_numbered_by_their_paths),
        cmocka_unit_test(a_hundred_thousand_equal_causes_have_ids_of_their_own),
        cmocka_unit_test(words_that_are_no_ids_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
