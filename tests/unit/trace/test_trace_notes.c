#include "cmocka_setup.h"

#include "trace/trace_notes.h"

#include <string.h>

static void notes_of_two_readers_add_up(void **state)
{
    (void)state;
    struct trace_notes a = {0}, b = {0};
    trace_note(&a, TRACE_NOTE_NO_DUR, 900);
    trace_note(&a, TRACE_NOTE_NO_DUR, 950);
    trace_note(&b, TRACE_NOTE_NO_DUR, 100);
    trace_note(&b, TRACE_NOTE_NAME_CUT, 7);
    trace_note_category(&a, "odd", 3, 500);
    trace_note_category(&b, "odd", 3, 40);
    trace_notes_merge(&a, &b);
    assert_int_equal(a.count[TRACE_NOTE_NO_DUR], 3);
    assert_int_equal(a.offset[TRACE_NOTE_NO_DUR], 100);
    assert_int_equal(a.offset[TRACE_NOTE_NAME_CUT], 7);
    assert_int_equal(a.category[0].count, 2);
    assert_int_equal(a.category[0].offset, 40);
    assert_int_equal(trace_notes_lost(&a), 5); /* a cut name loses no event */
}

static void categories_beyond_the_few_named_are_still_counted(void **state)
{
    (void)state;
    struct trace_notes n = {0};
    for (int i = 0; i < NOTE_CATEGORIES_MAX + 5; i++) {
        char name[] = {'c', (char)('a' + i)};
        trace_note_category(&n, name, sizeof name, i);
    }
    assert_int_equal(n.categories, NOTE_CATEGORIES_MAX);
    assert_int_equal(n.count[TRACE_NOTE_UNKNOWN_CATEGORY], 5);
    assert_int_equal(trace_notes_lost(&n), NOTE_CATEGORIES_MAX + 5);
}

static void hostile_categories_are_shortened_and_made_printable(void **state)
{
    (void)state;
    char cat[200];
    struct trace_notes n = {0};
    memset(cat, '\x1b', sizeof cat);
    trace_note_category(&n, cat, sizeof cat, 0);
    assert_int_equal(strlen(n.category[0].name), NOTE_CATEGORY_BYTES - 1);
    assert_int_equal(n.category[0].name[0], '?');
}

static void notes_reach_the_run_with_count_and_offset(void **state)
{
    (void)state;
    struct run r;
    struct trace_notes n = {0};
    run_init(&r);
    trace_note(&n, TRACE_NOTE_BAD_TS, 33);
    trace_note(&n, TRACE_NOTE_BAD_TS, 44);
    trace_notes_to_run(&n, &r, -1);
    assert_int_equal(r.notes.table.n, 1);
    assert_int_equal(r.notes.count[0], 2);
    assert_int_equal(r.notes.offset[0], 33);
    run_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_of_two_readers_add_up),
        cmocka_unit_test(categories_beyond_the_few_named_are_still_counted),
        cmocka_unit_test(hostile_categories_are_shortened_and_made_printable),
        cmocka_unit_test(notes_reach_the_run_with_count_and_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
