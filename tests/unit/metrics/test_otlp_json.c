/* A message, read back as JSON. Whether it is OTLP, its own parser says:
 * tests/oracle/metrics_agree.py. */
#include "cmocka_setup.h"

#include "base/json_read.h"
#include "metric_sample.h"
#include "metrics/otlp_json.h"

#include <string.h>

struct message {
    struct arena arena;
    struct strbuf text;
    const struct json *metrics, *resource;
};

static void message_read(struct message *m, double loss)
{
    struct metric_values v = sample_values(loss);
    const struct json *root;
    arena_init(&m->arena);
    strbuf_init(&m->text);
    otlp_json(&m->text, &sample_set, &v);
    assert_int_equal(json_read(&root, &m->arena, m->text.s, m->text.len, NULL), 0);
    const struct json *one = json_get(root, "resourceMetrics")->child;
    m->resource = json_get(json_get(one, "resource"), "attributes");
    m->metrics = json_get(json_get(one, "scopeMetrics")->child, "metrics");
}

static void message_release(struct message *m)
{
    strbuf_release(&m->text);
    arena_release(&m->arena);
}

static const struct json *metric(const struct message *m, const char *name)
{
    for (const struct json *j = m->metrics->child; j; j = j->next)
        if (!strcmp(json_string_or(json_get(j, "name"), ""), name))
            return j;
    return NULL;
}

static void a_counter_is_a_cumulative_sum_with_its_start(void **state)
{
    (void)state;
    struct message m;
    message_read(&m, 1);
    const struct json *sum = json_get(metric(&m, "a.time"), "sum");
    assert_int_equal(json_int_or(json_get(sum, "aggregationTemporality"), 0), 2);
    assert_true(json_bool_or(json_get(sum, "isMonotonic"), false));
    const struct json *points = json_get(sum, "dataPoints");
    assert_int_equal(points->n, 2);
    assert_string_equal(json_string_or(json_get(points->child, "startTimeUnixNano"), ""),
                        "1700000000000000000");
    assert_string_equal(json_string_or(json_get(points->child, "timeUnixNano"), ""),
                        "1700000001500000000");
    assert_true(json_double_or(json_get(points->child, "asDouble"), 0) == 0.1);
    message_release(&m);
}

static void a_gauge_that_is_not_known_is_left_out(void **state)
{
    (void)state;
    struct message m;
    message_read(&m, 1.5);
    const struct json *point =
        json_get(json_get(metric(&m, "a.loss"), "gauge"), "dataPoints")->child;
    assert_true(json_double_or(json_get(point, "asDouble"), 0) == 1.5);
    assert_null(json_get(point, "startTimeUnixNano"));
    assert_null(metric(&m, "a.absent"));
    assert_int_equal(m.metrics->n, 5);
    message_release(&m);
}

static void what_is_not_finite_is_a_word(void **state)
{
    (void)state;
    struct message m;
    message_read(&m, NAN);
    assert_non_null(strstr(m.text.s, "\"asDouble\":\"NaN\""));
    message_release(&m);
    message_read(&m, -INFINITY);
    assert_non_null(strstr(m.text.s, "\"asDouble\":\"-Infinity\""));
    message_release(&m);
}

static void the_resource_says_who_it_is(void **state)
{
    (void)state;
    struct message m;
    message_read(&m, 1);
    const struct json *first = m.resource->child;
    assert_string_equal(json_string_or(json_get(first, "key"), ""), "service.name");
    assert_string_equal(
        json_string_or(json_get(json_get(first, "value"), "stringValue"), ""), "gait");
    assert_non_null(strstr(m.text.s, "\"my \\\"run\\\"\""));
    message_release(&m);
}

static int64_t rejected(const char *answer)
{
    return otlp_rejected(answer, strlen(answer));
}

static void what_an_answer_rejects_is_read_in_both_forms(void **state)
{
    (void)state;
    assert_int_equal(rejected("{\"partialSuccess\":{\"rejectedDataPoints\":\"39\"}}"),
                     39);
    assert_int_equal(rejected("{\"partialSuccess\":{\"rejectedDataPoints\":7,"
                              "\"errorMessage\":\"too old\"}}"),
                     7);
    static const char *const nothing[] = {
        "",
        "{}",
        "OK",
        "[1]",
        "{\"partialSuccess\":{}}",
        "{\"partialSuccess\":{\"errorMessage\":\"a warning\"}}",
        "{\"partialSuccess\":{\"rejectedDataPoints\":\"0\"}}",
        "{\"partialSuccess\":{\"rejectedDataPoints\":\"-1\"}}",
        "{\"partialSuccess\":{\"rejectedDataPoints\":\"many\"}}",
        "{\"partialSuccess\":{\"rejectedDataPoints\":\"3\"}",
    };
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        assert_int_equal(rejected(nothing[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_is_a_cumulative_sum_with_its_start),
        cmocka_unit_test(a_gauge_that_is_not_known_is_left_out),
        cmocka_unit_test(what_is_not_finite_is_a_word),
        cmocka_unit_test(the_resource_says_who_it_is),
        cmocka_unit_test(what_an_answer_rejects_is_read_in_both_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
