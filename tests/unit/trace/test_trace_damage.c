/* Malformed, truncated and hostile traces: what stands before and after the damage is
 * used, what was lost is said, nothing crashes or hangs. */
#include "unit/trace/trace_fixture.h"

#include "base/strbuf.h"
#include "trace/container_reader.h"
#include "trace/name_table.h"
#include "trace/row_table.h"

#define KERNEL(name, ts, args)                                                           \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name                                  \
    "\",\"pid\":0,\"tid\":7,\"ts\":" ts ",\"dur\":2,\"args\":{" args "}}"

static bool has_span(const struct run *r, const char *name)
{
    for (size_t i = 0; i < r->spans.table.n; i++)
        if (!strcmp(run_name(r, r->spans.name[i]), name))
            return true;
    return false;
}

/* Three events, the middle one damaged: the other two must be there, and the note must
 * point into the damage. */
static void check_middle_lost(const char *middle)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_printf(&text, "%s%s,\n", HEAD, OP("before", "1", "1"));
    int64_t from = (int64_t)text.len - 2;
    strbuf_puts(&text, middle);
    int64_t to = (int64_t)text.len;
    strbuf_printf(&text, ",\n%s%s", OP("after", "9", "1"), FOOT);
    struct run r = read_good(text.s);
    int64_t offset = -1;
    assert_true(has_span(&r, "before"));
    assert_true(has_span(&r, "after"));
    assert_int_equal(r.ranks.spans_seen[0], 2);
    assert_int_equal(r.ranks.events[0], 3);
    assert_int_equal(r.ranks.events_skipped[0], 1);
    assert_int_equal(r.ranks.complete[0], 1);
    assert_int_equal(noted(&r, "inside an event", &offset), 1);
    assert_in_range(offset, from, to);
    assert_true(run_fact(&r, 0, "trace.lost_bytes") > 0);
    run_release(&r);
    strbuf_release(&text);
}

static void one_malformed_event_costs_that_event_alone(void **state)
{
    (void)state;
    check_middle_lost(OP("say \"hi\" there", "5", "1"));      /* unescaped quotes */
    check_middle_lost(KERNEL("k", "5", "\"path\":\"C:\\\"")); /* backslash, quote */
    check_middle_lost("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"x\" \"pid\":1}");
    check_middle_lost("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"cut");
    check_middle_lost("{\"ph\":\"X\",\"args\":{\"Input Dims\":[[1,2],\"stream\":7}}");
    check_middle_lost("{\"ph\":\"X\",\"args\":{\"a\":1}"); /* a bracket short */
    check_middle_lost("{\"ph\":\"X\",,\"name\":\"x\"}");
    check_middle_lost("{\"ph\":\"X\",\"args\":{\"name\":\"a\"b\", \"x\": {\"name\":1}}}");
    check_middle_lost(
        "{\"ph\":\"X\",\"args\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]");
    check_middle_lost("{\"ph\":\"X\" \xff\xfe\x01 }");
}

static void raw_newlines_and_windows_paths_cost_nothing(void **state)
{
    (void)state;
    struct run r = read_good(HEAD OP("two\nlines\x01", "1", "1") "," OP(
        "C:\\Users\\dev\\x.py(3): f", "2", "1") FOOT);
    assert_true(has_span(&r, "two lines "));
    assert_true(has_span(&r, "C:\\Users\\dev\\x.py(3): f"));
    assert_int_equal(r.ranks.events_skipped[0], 0);
    assert_int_equal(noted(&r, "escape", NULL), 1);
    run_release(&r);
}

static void a_damaged_head_is_passed_over(void **state)
{
    (void)state;
    struct run r =
        read_good("{\n {\n \"id\": 6, \"name\": \"GPU\"\n },\n {\"id\": 7}\n],\n"
                  "\"traceEvents\": [" OP("a", "1", "1") "," OP("b", "2", "1") "]\n}\n");
    assert_int_equal(r.ranks.spans_seen[0], 2);
    assert_int_equal(r.ranks.complete[0], 1);
    assert_int_equal(r.ranks.events_skipped[0], 0);
    assert_int_equal(noted(&r, "malformed", NULL), 1);
    run_release(&r);
}

static void separators_gone_wrong_cost_no_event(void **state)
{
    (void)state;
    struct run r = read_good(HEAD OP("a", "1", "1") OP("b", "2", "1") ",," OP(
        "c", "3", "1") "; " OP("d", "4", "1") ", ]}");
    assert_int_equal(r.ranks.spans_seen[0], 4);
    assert_int_equal(r.ranks.events[0], 4);
    assert_int_equal(r.ranks.complete[0], 1);
    run_release(&r);
}

static void the_footer_is_found_after_a_damaged_last_event(void **state)
{
    (void)state;
    struct run r = read_good("{\"traceEvents\": [" OP(
        "a", "1", "1") ",\n{\"ph\":\"X\" oops "
                       "}\n ],\n \"baseTimeNanoseconds\": 99, \"traceName\": \"t\"}");
    assert_int_equal(r.ranks.base_ns[0], 99);
    assert_int_equal(r.ranks.complete[0], 1);
    assert_int_equal(r.ranks.events[0], 2);
    run_release(&r);
}

static void text_after_the_end_is_ignored_and_noted(void **state)
{
    (void)state;
    struct run r = read_good(HEAD OP("a", "1", "1") FOOT "garbage {\"ph\":\"X\"}");
    assert_int_equal(r.ranks.complete[0], 1);
    assert_int_equal(noted(&r, "after the end", NULL), 1);
    run_release(&r);
}

static void a_byte_order_mark_is_no_damage(void **state)
{
    (void)state;
    struct run r = read_good("\xef\xbb\xbf" HEAD OP("a", "1", "1") FOOT);
    assert_int_equal(r.notes.table.n, 0);
    run_release(&r);
}

/* --- truncation --- */

enum { EVENTS = 12 };

/* A trace of EVENTS operators; end[i] is where the i-th one ends. */
static void small_trace(struct strbuf *text, size_t end[EVENTS])
{
    strbuf_puts(text,
                "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": "
                "\"G\"}],\n\"traceEvents\": [\n");
    for (int i = 0; i < EVENTS; i++) {
        strbuf_printf(text,
                      "%s{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op\\u0020%d\", "
                      "\"pid\": 1, \"tid\": %d, \"ts\": %d.125, \"dur\": 3, \"args\": "
                      "{\"Ev Idx\": %d, \"Input Dims\": [[%d, 2]], \"q\": \"\\\"\"}}",
                      i ? ",\n" : "", i, i % 3, 100 + i * 10, i, i);
        end[i] = text->len;
    }
    strbuf_puts(text, "\n], \"traceName\": \"t\"\n}\n");
}

static void a_trace_cut_at_any_byte_gives_what_stands_before(void **state)
{
    (void)state;
    struct strbuf text;
    size_t end[EVENTS];
    strbuf_init(&text);
    small_trace(&text, end);
    for (size_t cut = 0; cut <= text.len; cut++) {
        struct run r;
        struct err err = ERR_INIT;
        char *copy = mem_alloc(cut + 1); /* its own size: reading past it is seen */
        memcpy(copy, text.s, cut);
        size_t whole = 0;
        while (whole < EVENTS && end[whole] <= cut)
            whole++;
        run_init(&r);
        enum status st = trace_read_memory(&r, copy, cut, "t", NULL, &err);
        assert_int_equal(st, whole ? STATUS_OK : STATUS_INPUT);
        if (whole) {
            assert_int_equal(r.ranks.spans_seen[0], whole);
            assert_int_equal(r.ranks.complete[0], cut + 1 >= text.len);
            assert_int_equal(noted(&r, "ends before its closing", NULL),
                             cut + 1 < text.len);
            assert_int_equal(run_check(&r, &err), STATUS_OK);
        }
        run_release(&r);
        mem_free(copy);
    }
    strbuf_release(&text);
}

static void a_gzip_cut_at_any_byte_gives_what_stands_before(void **state)
{
    (void)state;
    struct strbuf text;
    size_t end[EVENTS];
    strbuf_init(&text);
    small_trace(&text, end);
    uint8_t *gz = mem_alloc(text.len * 2 + 64);
    size_t n = gzip_stored(gz, text.s, text.len);
    int64_t last = 0;
    for (size_t cut = 0; cut < n; cut++) {
        struct run r;
        struct err err = ERR_INIT;
        run_init(&r);
        if (trace_read_memory(&r, gz, cut, "t", NULL, &err) == STATUS_OK) {
            assert_in_range(r.ranks.spans_seen[0], last, EVENTS);
            last = r.ranks.spans_seen[0];
            assert_int_equal(r.ranks.complete[0], 0);
            assert_int_equal(noted(&r, "compressed data stops", NULL), 1);
        }
        run_release(&r);
    }
    assert_int_equal(last, EVENTS);
    mem_free(gz);
    strbuf_release(&text);
}

static void the_size_of_a_block_changes_nothing(void **state)
{
    (void)state;
    struct strbuf text;
    size_t end[EVENTS];
    strbuf_init(&text);
    small_trace(&text, end);
    text.s[end[3] - 40] = '"'; /* damage, so that recovery crosses blocks too */
    text.s[end[7] - 1] = ']';
    struct run want = read_good(text.s);
    assert_int_equal(want.ranks.spans_seen[0], EVENTS - 2);
    for (size_t bytes = 1; bytes < 3000; bytes += bytes < 70 ? 1 : 97) {
        struct trace_options options = {
            .block_bytes = bytes, .threads = (int)bytes % 4, .in_turn = bytes % 3 == 0};
        struct run r;
        struct err err = ERR_INIT;
        run_init(&r);
        assert_int_equal(
            trace_read_memory(&r, text.s, text.len, "t.json", &options, &err), STATUS_OK);
        if (!run_equal(&want, &r, &err))
            fail_msg("blocks of %zu bytes: %s", bytes, err.text);
        run_release(&r);
    }
    run_release(&want);
    strbuf_release(&text);
}

/* Legal JSON, however it is spaced, and the {} with which some writers end an array. */
static void other_spellings_of_json_are_no_damage(void **state)
{
    (void)state;
    struct run r =
        read_good("{ \"traceEvents\" : [ { \"ph\" : \"X\" , \"cat\" : \"cpu_op\" ,"
                  " \"name\" : \"a\" , \"pid\" : 1 , \"tid\" : 2 , \"ts\" : 3 ,"
                  " \"dur\"\t:\n4 , \"args\" : { \"x\" : 1 } } , {} ] }");
    assert_int_equal(r.ranks.spans_seen[0], 1);
    assert_int_equal(r.ranks.complete[0], 1);
    assert_int_equal(r.ranks.events_skipped[0], 0);
    assert_int_equal(r.notes.table.n, 0);
    assert_int_equal(span_of(&r, "a").dur_ns, 4000);
    run_release(&r);
}

/* Events behind a document that ended too early, far behind. */
static void events_behind_an_early_end_are_found(void **state)
{
    (void)state;
    for (size_t spaces = 10; spaces < 5000; spaces *= 10) {
        struct strbuf text;
        struct trace_options options = {.block_bytes = 256};
        strbuf_init(&text);
        strbuf_puts(&text, "{\"schemaVersion\":1}");
        strbuf_repeat(&text, " ", (int)spaces);
        strbuf_printf(&text, ",\"traceEvents\":[%s]}", OP("late", "2", "1"));
        struct run r = read_with(text.s, &options);
        assert_int_equal(r.ranks.spans_seen[0], 1);
        run_release(&r);
        strbuf_release(&text);
    }
}

/* --- refusals --- */

static void what_is_no_trace_is_refused_with_what_it_is(void **state)
{
    (void)state;
    struct err err = read_refused("");
    assert_non_null(strstr(err.text, "is empty"));
    err = read_refused("trial_name: AR\n");
    assert_non_null(strstr(err.text, "not JSON (it begins with \"trial_name"));
    err = read_refused("{\"trem\": 46.3, \"tadd\": 1}");
    assert_non_null(strstr(err.text, "without \"traceEvents\" (it has \"trem\")"));
    err =
        read_refused("{\"schema\": \"1.0\", \"nodes\": [{\"name\": \"x\", \"id\": 1}]}");
    assert_non_null(strstr(err.text, "execution trace"));
    err =
        read_refused("[{\"name\":\"b\",\"cat\":\"backward-compute\",\"pid\":0,\"tid\":0,"
                     "\"ts\":848671.67,\"dur\":138679.68,\"ph\":\"X\"}]");
    assert_non_null(strstr(err.text, "\"backward-compute\""));
    err = read_refused("{\"traceEvents\": []}");
    assert_non_null(strstr(err.text, "Record more steps"));
    err = read_refused("{\"schemaVersion\": 1, \"deviceProp");
    assert_non_null(strstr(err.text, "before its first usable event"));
    err = read_refused("[1, 2, [3]]");
    assert_non_null(strstr(err.text, "other things than events"));
    err = read_refused("[");
    err = read_refused("{");
    err = read_refused("\xef\xbb\xbf");
    err = read_refused("   \n");
}

/* --- hostile sizes --- */

static void an_event_longer_than_the_limit_is_skipped(void **state)
{
    (void)state;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_printf(&text, "%s%s,\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"args\":{\"a\":\"",
                  HEAD, OP("before", "1", "1"));
    for (int i = 0; i < CONTAINER_REST_MAX / 64 + 10; i++)
        strbuf_repeat(&text, "x", 64);
    strbuf_printf(&text, "\"}},\n%s%s", OP("after", "2", "1"), FOOT);
    struct run r = read_good(text.s);
    assert_int_equal(r.ranks.spans_seen[0], 2);
    assert_int_equal(r.ranks.events[0], 3);
    assert_int_equal(noted(&r, "an event longer than 16 MiB", NULL), 1);
    assert_int_equal(r.ranks.complete[0], 1);
    run_release(&r);
    strbuf_release(&text);
}

/* An event, much of what is none, another one. */
static struct run read_barren(const char *text, int64_t barren_bytes_max, int threads)
{
    struct run r;
    struct err err = ERR_INIT;
    struct trace_options options = {
        .block_bytes = 256, .barren_bytes_max = barren_bytes_max, .threads = threads};
    run_init(&r);
    if (trace_read_memory(&r, text, strlen(text), "t", &options, &err))
        fail_msg("%s", err.text);
    return r;
}

/* Each bracket may be an event: a gigabyte of them is not searched to its end. */
static void a_long_stretch_without_events_ends_the_reading(void **state)
{
    (void)state;
    static const char *const junk[] = {"{", "{\"ph\":\"X\",", "{},", "1,", "\"t"};
    for (size_t k = 0; k < sizeof junk / sizeof *junk; k++) {
        struct strbuf text;
        strbuf_init(&text);
        strbuf_printf(&text, "%s%s,\n", HEAD, OP("before", "1", "1"));
        while (text.len < 20000)
            strbuf_puts(&text, junk[k]);
        strbuf_printf(&text, "\n%s%s", OP("after", "9", "1"), FOOT);
        struct run all = read_barren(text.s, 1 << 20, 2);
        assert_true(has_span(&all, "before") && has_span(&all, "after"));
        run_release(&all);
        struct run first = read_barren(text.s, 4096, 1);
        int64_t offset = -1;
        assert_true(has_span(&first, "before") && !has_span(&first, "after"));
        assert_int_equal(first.ranks.complete[0], 0);
        assert_int_equal(noted(&first, "without an event", &offset), 1);
        assert_in_range(offset, 4096, 4096 + 1024);
        for (int threads = 2; threads <= 8; threads *= 2) {
            struct run r = read_barren(text.s, 4096, threads);
            struct err why = ERR_INIT;
            if (!run_equal(&first, &r, &why))
                fail_msg("%s with %d threads", why.text, threads);
            run_release(&r);
        }
        run_release(&first);
        strbuf_release(&text);
    }
}

static void white_space_without_end_is_passed_over(void **state)
{
    (void)state;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_puts(&text, HEAD);
    for (int i = 0; i < CONTAINER_REST_MAX / 64 + 10; i++)
        strbuf_repeat(&text, " ", 64);
    strbuf_printf(&text, "%s%s", OP("after", "2", "1"), FOOT);
    struct run r = read_good(text.s);
    assert_int_equal(r.ranks.spans_seen[0], 1);
    assert_int_equal(r.notes.table.n, 0);
    run_release(&r);
    strbuf_release(&text);
}

static void a_long_name_is_cut(void **state)
{
    (void)state;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_printf(&text, "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"", HEAD);
    strbuf_repeat(&text, "n", NAME_BYTES_MAX + 5);
    strbuf_printf(&text, "\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}%s", FOOT);
    struct run r = read_good(text.s);
    assert_int_equal(strlen(run_name(&r, r.spans.name[0])), NAME_BYTES_MAX);
    assert_int_equal(noted(&r, "was cut", NULL), 1);
    run_release(&r);
    strbuf_release(&text);
}

/* Such limits hold for each reading thread. */
static const struct trace_options one_thread = {.threads = 1};

static void more_threads_than_the_limit_are_skipped(void **state)
{
    (void)state;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_puts(&text, HEAD);
    for (int i = 0; i < ROWS_MAX + 100; i++)
        strbuf_printf(
            &text,
            "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":"
            "%d,\"ts\":1,\"dur\":1}",
            i ? "," : "", i);
    strbuf_puts(&text, FOOT);
    struct run r = read_with(text.s, &one_thread);
    assert_int_equal(r.lanes.table.n, ROWS_MAX);
    assert_int_equal(r.ranks.events_skipped[0], 100);
    assert_int_equal(noted(&r, "65536 threads", NULL), 100);
    run_release(&r);
    strbuf_release(&text);
}

static void names_beyond_the_limit_fold_into_other(void **state)
{
    (void)state;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_puts(&text, HEAD);
    int n = NAMES_TEXT_BYTES_MAX / (NAME_BYTES_MAX - 100) + 20;
    for (int i = 0; i < n; i++) {
        strbuf_printf(&text, "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%08d",
                      i ? "," : "", i);
        strbuf_repeat(&text, "abcdefgh", (NAME_BYTES_MAX - 100) / 8 - 1);
        strbuf_puts(&text, "\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}");
    }
    strbuf_puts(&text, FOOT);
    struct run r = read_with(text.s, &one_thread);
    assert_int_equal(r.ranks.spans_seen[0], n);
    assert_true(noted(&r, "shown as (other)", NULL) > 0);
    assert_true(has_span(&r, "(other)"));
    run_release(&r);
    strbuf_release(&text);
}

/* --- mutations --- */

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static void mutate(struct strbuf *out, const struct strbuf *text, uint64_t *seed)
{
    static const char bytes[] = "{}[]\",:\\\n 09-.eEux\x00\xff";
    strbuf_clear(out);
    strbuf_add(out, text->s, text->len);
    int changes = 1 + (int)(next_random(seed) % 4);
    for (int i = 0; i < changes; i++) {
        size_t at = next_random(seed) % out->len, n = next_random(seed) % 40;
        n = n < out->len - at ? n : out->len - at;
        switch (next_random(seed) % 4) {
        case 0:
            out->s[at] = bytes[next_random(seed) % (sizeof bytes - 1)];
            break;
        case 1:
            out->s[at] ^= (char)(1 << next_random(seed) % 8);
            break;
        case 2: /* delete a piece */
            memmove(out->s + at, out->s + at + n, out->len - at - n);
            out->len -= n;
            break;
        default: /* repeat a piece at the end */
            strbuf_add(out, text->s + at % text->len / 2, n);
            break;
        }
        if (!out->len)
            strbuf_puts(out, "{");
    }
}

static void mutated_traces_end_well(void **state)
{
    (void)state;
    struct strbuf text, mutant;
    size_t end[EVENTS];
    uint64_t seed = 20240611;
    int read = 0;
    strbuf_init(&text);
    strbuf_init(&mutant);
    small_trace(&text, end);
    for (int i = 0; i < 4000; i++) {
        struct run r;
        struct err err = ERR_INIT;
        struct trace_options options = {.block_bytes = 64 + (size_t)(i % 3) * 1000};
        mutate(&mutant, &text, &seed);
        run_init(&r);
        enum status st = trace_read_memory(&r, mutant.s, mutant.len, "t", &options, &err);
        assert_true(st == STATUS_OK || st == STATUS_INPUT);
        if (st == STATUS_OK) {
            read++;
            assert_int_equal(run_check(&r, &err), STATUS_OK);
            assert_true(r.ranks.events[0] <= 3 * EVENTS);
        }
        run_release(&r);
    }
    assert_true(read > 3800); /* a few changes rarely spoil all twelve events */
    strbuf_release(&text);
    strbuf_release(&mutant);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_malformed_event_costs_that_event_alone),
        cmocka_unit_test(raw_newlines_and_windows_paths_cost_nothing),
        cmocka_unit_test(a_damaged_head_is_passed_over),
        cmocka_unit_test(separators_gone_wrong_cost_no_event),
        cmocka_unit_test(the_footer_is_found_after_a_damaged_last_event),
        cmocka_unit_test(text_after_the_end_is_ignored_and_noted),
        cmocka_unit_test(a_byte_order_mark_is_no_damage),
        cmocka_unit_test(a_trace_cut_at_any_byte_gives_what_stands_before),
        cmocka_unit_test(a_gzip_cut_at_any_byte_gives_what_stands_before),
        cmocka_unit_test(the_size_of_a_block_changes_nothing),
        cmocka_unit_test(other_spellings_of_json_are_no_damage),
        cmocka_unit_test(events_behind_an_early_end_are_found),
        cmocka_unit_test(what_is_no_trace_is_refused_with_what_it_is),
        cmocka_unit_test(an_event_longer_than_the_limit_is_skipped),
        cmocka_unit_test(a_long_stretch_without_events_ends_the_reading),
        cmocka_unit_test(white_space_without_end_is_passed_over),
        cmocka_unit_test(a_long_name_is_cut),
        cmocka_unit_test(more_threads_than_the_limit_are_skipped),
        cmocka_unit_test(names_beyond_the_limit_fold_into_other),
        cmocka_unit_test(mutated_traces_end_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
