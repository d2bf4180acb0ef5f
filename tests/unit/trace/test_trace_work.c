/* Work that is counted on the way from events to a run. */
#include "trace_fixture.h"

#include <math.h>

#define CALL(name, ts, args)                                                             \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name                                  \
    "\",\"pid\":9,\"tid\":10,\"ts\":" ts ",\"dur\":1,\"args\":{" args "}}"
#define MM "\"Input Dims\": [[3, 4], [4, 5]], \"Input type\": [\"float\", \"float\"]"
#define MM_BF16                                                                          \
    "\"Input type\": [\"c10::BFloat16\",\"c10::BFloat16\"], \"Input Dims\": "            \
    "[[3, 4], [4, 5]]"

static void spans_and_sums_have_the_counted_work(void **state)
{
    (void)state;
    struct run r = read_good(HEAD CALL("aten::mm", "1", MM) "," CALL(
        "aten::mm", "3", MM) "," CALL("aten::linear", "5", MM) FOOT);
    struct span mm = span_of(&r, "aten::mm"), linear = span_of(&r, "aten::linear");
    assert_int_equal(mm.flop, 120);
    assert_int_equal(mm.bytes, 4 * 47);
    assert_int_equal(linear.flop, 0);
    assert_int_equal(linear.bytes, 0);
    for (size_t i = 0; i < r.ops.table.n; i++)
        if (!strcmp(run_name(&r, r.ops.name[i]), "aten::mm")) {
            assert_int_equal(r.ops.flop[i], 240);
            assert_int_equal(r.ops.bytes[i], 8 * 47);
            assert_int_equal(r.ops.bytes_origin[i], ORIGIN_MODELLED);
        }
    run_release(&r);
}

static void products_are_summed_by_type(void **state)
{
    (void)state;
    struct run r = read_good(
        HEAD CALL("aten::mm", "1", MM) "," CALL("aten::mm", "3", MM_BF16) "," CALL(
            "aten::mm", "5",
            MM_BF16) "," CALL("aten::mm", "7",
                              "") "," CALL("aten::add", "9",
                                           "\"Input Dims\": [[4],[4]], \"Input type\": "
                                           "[\"float\",\"float\"]") FOOT);
    assert_int_equal(run_fact(&r, 0, "work.flop.f32"), 120);
    assert_int_equal(run_fact(&r, 0, "work.flop.bf16"), 240);
    assert_int_equal(run_fact(&r, 0, "work.calls"), 4);
    assert_int_equal(run_fact(&r, 0, "work.unknown_calls"), 1);
    assert_true(isnan(run_fact(&r, 0, "work.flop.f16")));
    run_release(&r);
}

static void shapes_that_are_not_kept_are_still_counted(void **state)
{
    (void)state;
    char text[4096], blanks[1200];
    memset(blanks, ' ', sizeof blanks - 1);
    blanks[sizeof blanks - 1] = '\0';
    snprintf(text, sizeof text,
             HEAD CALL("aten::mm", "1", "\"Input Dims\": [[3, 4],%s[4, 5]]") FOOT,
             blanks);
    struct run r = read_good(text);
    assert_int_equal(span_of(&r, "aten::mm").flop, 120);
    run_release(&r);
    const struct trace_options skip = {.skip_shapes = true};
    r = read_with(HEAD CALL("aten::mm", "1", MM) FOOT, &skip);
    assert_int_equal(span_of(&r, "aten::mm").flop, 120);
    assert_int_equal(span_of(&r, "aten::mm").shapes, 0);
    run_release(&r);
}

/* One cache slot may hold one spelling after another. */
static void many_shapes_do_not_mix(void **state)
{
    (void)state;
    enum { SHAPES = 4000 };
    size_t cap = SHAPES * 240, n = 0;
    char *text = mem_alloc(cap);
    n += (size_t)snprintf(text, cap, HEAD);
    for (int round = 0; round < 2; round++)
        for (int i = 1; i <= SHAPES / 2; i++)
            n += (size_t)snprintf(
                text + n, cap - n,
                "%s" CALL("aten::mm", "%d", "\"Input Dims\": [[%d, 1], [1, 1]]"),
                round + i > 1 ? ",\n" : "", round * SHAPES + i, i);
    snprintf(text + n, cap - n, FOOT);
    struct run r = read_good(text);
    for (size_t i = 0; i < r.spans.table.n; i++) {
        char shapes[64];
        snprintf(shapes, sizeof shapes, "[[%lld,1],[1,1]]",
                 (long long)r.spans.flop[i] / 2);
        assert_string_equal(run_name(&r, r.spans.shapes[i]), shapes);
    }
    run_release(&r);
    mem_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_and_sums_have_the_counted_work),
        cmocka_unit_test(products_are_summed_by_type),
        cmocka_unit_test(shapes_that_are_not_kept_are_still_counted),
        cmocka_unit_test(many_shapes_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
