/* The page, letter by letter. */
#include "cmocka_setup.h"

#include "metric_sample.h"
#include "metrics/prometheus_text.h"

#include <string.h>

static void a_page_has_heads_labels_and_values_escaped(void **state)
{
    (void)state;
    struct metric_values v = sample_values(INFINITY);
    struct strbuf out;
    strbuf_init(&out);
    prometheus_text(&out, &sample_set, &v);
    assert_string_equal(
        out.s,
        "# HELP gait_run_info What is trained; always 1\n"
        "# TYPE gait_run_info gauge\n"
        "gait_run_info{run=\"my \\\"run\\\"\",host_name=\"h\"} 1\n"
        "# HELP a_steps_total Steps\\nand a \\\\\n"
        "# TYPE a_steps_total counter\n"
        "a_steps_total{run=\"my \\\"run\\\"\"} 9007199254740991\n"
        "# HELP a_time_seconds_total Time \"quoted\"\n"
        "# TYPE a_time_seconds_total counter\n"
        "a_time_seconds_total{run=\"my \\\"run\\\"\",part=\"one\"} 0.1\n"
        "a_time_seconds_total{run=\"my \\\"run\\\"\",part=\"two\\n\\\"\\\\é\"} 1e-07\n"
        "# HELP a_rate_per_second Rate\n"
        "# TYPE a_rate_per_second gauge\n"
        "a_rate_per_second{run=\"my \\\"run\\\"\"} 7123.25\n"
        "# HELP a_memory_bytes Memory\n"
        "# TYPE a_memory_bytes gauge\n"
        "a_memory_bytes{run=\"my \\\"run\\\"\"} 60678144\n"
        "# HELP a_loss Loss\n"
        "# TYPE a_loss gauge\n"
        "a_loss{run=\"my \\\"run\\\"\"} +Inf\n");
    strbuf_release(&out);
}

static void a_loss_that_diverged_is_shown_as_such(void **state)
{
    (void)state;
    struct metric_values v = sample_values(NAN);
    struct strbuf out;
    strbuf_init(&out);
    prometheus_text(&out, &sample_set, &v);
    assert_non_null(strstr(out.s, "a_loss{run=\"my \\\"run\\\"\"} NaN\n"));
    v = sample_values(-INFINITY);
    strbuf_clear(&out);
    prometheus_text(&out, &sample_set, &v);
    assert_non_null(strstr(out.s, "\"} -Inf\n"));
    strbuf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_heads_labels_and_values_escaped),
        cmocka_unit_test(a_loss_that_diverged_is_shown_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
