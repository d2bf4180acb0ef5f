/* Strings, names, numbers as text, nearest names, statistics. */
#include "cmocka_setup.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/keyed_times.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/nearest.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void an_err_keeps_what_it_was_told_and_takes_a_prefix(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(err_set(&err, STATUS_INPUT, "row %d", 7), STATUS_INPUT);
    assert_string_equal(err.text, "row 7");
    assert_int_equal(err.offset, -1);
    assert_int_equal(err_prefix(&err, "file %s", "a"), STATUS_INPUT);
    assert_string_equal(err.text, "file a: row 7");
    err_set(&err, STATUS_INPUT, "again: %s", err.text);
    assert_string_equal(err.text, "again: file a: row 7");
    assert_int_equal(err_set(NULL, STATUS_USAGE, "nobody listens"), STATUS_USAGE);
}

static void names_are_interned_once_and_survive_growth(void **state)
{
    (void)state;
    struct names t;
    names_init(&t);
    assert_int_equal(names_add_z(&t, ""), 0);
    name_id ids[5000];
    for (int i = 0; i < 5000; i++) {
        char text[32];
        snprintf(text, sizeof text, "name %d", i);
        ids[i] = names_add_z(&t, text);
    }
    for (int i = 0; i < 5000; i++) {
        char text[32];
        snprintf(text, sizeof text, "name %d", i);
        assert_int_equal(names_add_z(&t, text), ids[i]);
        assert_string_equal(names_str(&t, ids[i]), text);
    }
    assert_int_equal(t.n, 5001);
    assert_int_equal(names_find_z(&t, "absent"), -1);
    assert_int_equal(names_find_z(&t, "name 17"), ids[17]);
    /* A NUL inside is part of the name. */
    assert_int_not_equal(names_add(&t, "a\0b", 3), names_add(&t, "a", 1));
    names_release(&t);
}

static void an_arena_gives_aligned_memory_that_stays(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    char *first = arena_strdup(&a, "first");
    for (size_t i = 1; i < 3000; i++) {
        char *p = arena_alloc(&a, i);
        assert_int_equal((uintptr_t)p % 16, 0);
        memset(p, 0x5a, i);
    }
    char *huge = arena_alloc(&a, 1 << 20);
    memset(huge, 1, 1 << 20);
    assert_string_equal(first, "first");
    arena_release(&a);
}

static const char *json_of(struct strbuf *b, const char *s)
{
    struct json_writer w;
    strbuf_clear(b);
    json_init(&w, b);
    w.compact = true;
    json_string(&w, s);
    return b->s;
}

static void json_escapes_what_it_must_and_mends_bad_utf8(void **state)
{
    (void)state;
    struct strbuf b;
    strbuf_init(&b);
    assert_string_equal(json_of(&b, "a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
    assert_string_equal(json_of(&b, "µ→"), "\"µ→\"");
    assert_string_equal(json_of(&b, "\xc2\x9b\xc2\xa0"), "\"\\u009b\xc2\xa0\"");
    assert_string_equal(json_of(&b, "x\xff\xc3"), "\"x\xef\xbf\xbd\xef\xbf\xbd\"");
    assert_string_equal(json_of(&b, "\xed\xa0\x80"),
                        "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    strbuf_release(&b);
}

static void json_places_commas_and_numbers(void **state)
{
    (void)state;
    struct strbuf b;
    struct json_writer w;
    strbuf_init(&b);
    json_init(&w, &b);
    w.compact = true;
    json_begin_object(&w);
    json_field_int(&w, "a", -3);
    json_key(&w, "b");
    json_begin_array(&w);
    json_double(&w, 1.5, 3);
    json_double(&w, NAN, 3);
    json_double(&w, -0.0001, 3);
    json_ns_as_us(&w, 1234567);
    json_ns_as_us(&w, -1500);
    json_ns_as_us(&w, 2000);
    json_end(&w);
    json_key(&w, "c");
    json_begin_object(&w);
    json_end(&w);
    json_end(&w);
    assert_string_equal(b.s, "{\"a\":-3,\"b\":[1.5,null,0,1234.567,-1.5,2],\"c\":{}}");
    strbuf_release(&b);
}

static void the_nearest_name_is_found_and_nonsense_is_not(void **state)
{
    (void)state;
    static const char *const keys[] = {"batch_size", "learning_rate", "steps"};
    assert_string_equal(nearest_name("bacth_size", keys, 3), "batch_size");
    assert_string_equal(nearest_name("lerning_rate", keys, 3), "learning_rate");
    assert_null(nearest_name("zzzzzz", keys, 3));
    assert_int_equal(edit_distance("ab", "ba"), 1);
    assert_int_equal(edit_distance("", "abc"), 3);
}

static void medians_and_spreads_are_right(void **state)
{
    (void)state;
    double v[] = {5, 1, 4, 2, 3};
    assert_true(stats_median(v, 5) == 3);
    assert_true(stats_median(v, 4) == 3);
    assert_true(stats_quantile(v, 5, 0.25) == 2);
    assert_true(fabs(stats_spread_frac(v, 5) - 1.0 / 3) < 1e-12);
    assert_true(fabs(stats_stddev(v, 5) - sqrt(2.5)) < 1e-12);
    assert_true(v[0] == 5); /* the input stays as it was */
}

static void the_median_of_whole_numbers_is_found_without_sorting(void **state)
{
    (void)state;
    int64_t v[101], sorted[101];
    uint32_t random = 1;
    for (size_t n = 1; n <= 101; n++) {
        for (size_t i = 0; i < n; i++) {
            random = random * 1664525u + 1013904223u;
            v[i] = (int64_t)(random >> (n % 3 ? 8 : 29)) - 1000; /* few values too */
        }
        for (size_t k = 0; k < n; k += 1 + n / 7) {
            memcpy(sorted, v, n * sizeof *v);
            int64_t got = stats_select_int64(v, n, k);
            qsort(sorted, n, sizeof *sorted, compare_int64);
            assert_int_equal(got, sorted[k]);
        }
        int64_t low = sorted[(n - 1) / 2], high = sorted[n / 2];
        assert_int_equal(stats_median_int64(v, n), low + (high - low) / 2);
    }
    int64_t far[] = {INT64_MAX, INT64_MIN};
    assert_int_equal(stats_median_int64(far, 2), -1);
}

static void times_are_taken_key_by_key(void **state)
{
    (void)state;
    struct keyed_time time[] = {{7, 30}, {2, 5}, {7, 10}, {7, 11}, {2, 8}};
    struct keyed_group group;
    size_t at = 0;
    keyed_sort(time, 5);
    assert_true(keyed_next(&group, time, 5, &at));
    assert_int_equal(group.key, 2);
    assert_int_equal(group.n, 2);
    assert_int_equal(keyed_median_ns(&group), 6); /* between 5 and 8 */
    assert_true(keyed_next(&group, time, 5, &at));
    assert_int_equal(group.time[0].ns, 10);
    assert_int_equal(keyed_median_ns(&group), 11);
    assert_false(keyed_next(&group, time, 5, &at));
    at = 0;
    keyed_sort(NULL, 0);
    assert_false(keyed_next(&group, NULL, 0, &at));
}

static void units_read_as_people_write_them(void **state)
{
    (void)state;
    assert_string_equal(unit_bytes(2.5e9).s, "2.50 GB");
    assert_string_equal(unit_mib(12.5 * 1024 * 1024).s, "12.5 MiB");
    assert_string_equal(unit_ns(12345678).s, "12.3 ms");
    assert_string_equal(unit_ns(INT64_C(125) * 1000000000).s, "2m 05s");
    assert_string_equal(unit_count(812).s, "812");
    assert_string_equal(unit_count(80e6).s, "80.0 M");
    assert_string_equal(unit_thousands(-1234567).s, "-1,234,567");
    assert_string_equal(unit_thousands(999).s, "999");
    assert_string_equal(unit_percent(0.624).s, "62 %");
    assert_string_equal(unit_signed(-28.24, 1).s, "−28.2");
    assert_string_equal(unit_signed(3, 1).s, "+3.0");
    assert_string_equal(unit_signed(-0.01, 1).s, "0.0");
    assert_string_equal(unit_every(25).s, "every 25 steps");
}

static void any_computed_time_has_a_text(void **state)
{
    (void)state;
    assert_string_equal(unit_ns_of(12345678.9).s, "12.3 ms");
    assert_string_equal(unit_ns_of(-2500).s, "-2.5 us");
    assert_string_equal(unit_ns_of(1e290).s, "2500000h 00m");
    assert_string_equal(unit_ns_of(INFINITY).s, unit_ns_of(1e290).s);
    assert_string_equal(unit_ns_of(-INFINITY).s, unit_ns_of(-1e290).s);
    assert_int_equal(unit_ns_of(-1e290).s[0], '-');
    assert_string_equal(unit_ns_of(NAN).s, "not known");
}

static void one_is_one_and_little_is_not_nothing(void **state)
{
    (void)state;
    assert_string_equal(unit_plural(1, "thread", "threads").s, "1 thread");
    assert_string_equal(unit_plural(1.04, "call", "calls").s, "1 call");
    assert_string_equal(unit_plural(1.5, "call", "calls").s, "1.5 calls");
    assert_string_equal(unit_plural(0.01, "call", "calls").s, "less than 0.1 calls");
    assert_string_equal(unit_plural(0, "call", "calls").s, "0 calls");
    assert_string_equal(unit_mean(120.4).s, "120");
    assert_string_equal(unit_times(1).s, "once");
    assert_string_equal(unit_times(1.98).s, "twice");
    assert_string_equal(unit_times(0.7).s, "0.7 times");
    assert_string_equal(unit_every(1).s, "every step");
    assert_string_equal(unit_percent(0.004).s, "less than 1 %");
    assert_string_equal(unit_percent(0).s, "0 %");
}

static void the_cpu_time_of_a_thread_stands_still_while_it_sleeps(void **state)
{
    (void)state;
    enum { SLEEP_NS = 50 * 1000 * 1000 };
    int64_t wall = clock_now_ns(), begin = clock_thread_cpu_ns(), worked;
    nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    int64_t slept = clock_thread_cpu_ns() - begin;
    assert_true(clock_now_ns() - wall >= SLEEP_NS);
    assert_true(slept >= 0 && slept < SLEEP_NS / 2);
    do
        worked = clock_thread_cpu_ns() - begin - slept;
    while (worked >= 0 && worked < SLEEP_NS / 10);
    assert_true(worked >= SLEEP_NS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_err_keeps_what_it_was_told_and_takes_a_prefix),
        cmocka_unit_test(names_are_interned_once_and_survive_growth),
        cmocka_unit_test(an_arena_gives_aligned_memory_that_stays),
        cmocka_unit_test(json_escapes_what_it_must_and_mends_bad_utf8),
        cmocka_unit_test(json_places_commas_and_numbers),
        cmocka_unit_test(the_nearest_name_is_found_and_nonsense_is_not),
        cmocka_unit_test(medians_and_spreads_are_right),
        cmocka_unit_test(the_median_of_whole_numbers_is_found_without_sorting),
        cmocka_unit_test(the_cpu_time_of_a_thread_stands_still_while_it_sleeps),
        cmocka_unit_test(times_are_taken_key_by_key),
        cmocka_unit_test(units_read_as_people_write_them),
        cmocka_unit_test(any_computed_time_has_a_text),
        cmocka_unit_test(one_is_one_and_little_is_not_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
