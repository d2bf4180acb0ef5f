/* The document is well-formed whatever names hold, and its counts are those of its test
 * cases. Read back by Python's parser: tests/e2e/junit_schema.py. */
#include "base/junit.h"
#include "cmocka_setup.h"

static struct junit j;
static struct strbuf out;

static void begin(void)
{
    strbuf_init(&out);
    junit_init(&j);
}

static void assert_document(const char *counts, const char *cases)
{
    struct strbuf wanted;
    strbuf_init(&wanted);
    junit_finish(&j, &out, "s");
    strbuf_printf(&wanted,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                  "<testsuite name=\"s\" %s>\n%s</testsuite>\n</testsuites>\n",
                  counts, cases);
    assert_string_equal(out.s, wanted.s);
    strbuf_release(&wanted);
    strbuf_release(&out);
}

static void no_test_case_is_a_document(void **state)
{
    (void)state;
    begin();
    assert_document("tests=\"0\" failures=\"0\" skipped=\"0\" errors=\"0\"", "");
}

/* Of two failures the test case failed once; of a failure and an error it has an error. */
static void the_worst_outcome_of_a_test_case_counts(void **state)
{
    (void)state;
    begin();
    junit_begin_case(&j, "g", "a");
    junit_add(&j, JUNIT_FAILURE, "t", "m", "");
    junit_add(&j, JUNIT_FAILURE, "t", "m", "b\n");
    junit_end_case(&j);
    junit_begin_case(&j, "g", "b");
    junit_add(&j, JUNIT_ERROR, "t", "m", "");
    junit_add(&j, JUNIT_FAILURE, "t", "m", "");
    junit_end_case(&j);
    junit_begin_case(&j, "g", "c");
    junit_print(&j, "x\n");
    junit_end_case(&j);
    assert_document("tests=\"3\" failures=\"1\" skipped=\"0\" errors=\"1\"",
                    "<testcase classname=\"g\" name=\"a\">\n"
                    "<failure message=\"m\" type=\"t\"></failure>\n"
                    "<failure message=\"m\" type=\"t\">b\n</failure></testcase>\n"
                    "<testcase classname=\"g\" name=\"b\">\n"
                    "<error message=\"m\" type=\"t\"></error>\n"
                    "<failure message=\"m\" type=\"t\"></failure></testcase>\n"
                    "<testcase classname=\"g\" name=\"c\">\n"
                    "<system-out>x\n</system-out></testcase>\n");
}

#define R "\xef\xbf\xbd"

static void text_may_be_anything(void **state)
{
    (void)state;
    begin();
    junit_begin_case(&j, "<&>\"'", "a\nb\t\x01\x7f");
    junit_add(&j, JUNIT_SKIPPED, "t",
              "\xc3 \xed\xa0\x80 \xef\xbf\xbe\xef\xbf\xbf \xc3\xa9",
              "]]>\r\n\x1b[0m\xef\xbb\xbf\nend");
    junit_end_case(&j);
    assert_document(
        "tests=\"1\" failures=\"0\" skipped=\"1\" errors=\"0\"",
        "<testcase classname=\"&lt;&amp;&gt;&quot;&apos;\" name=\"a b " R R "\">\n"
        "<skipped message=\"" R " " R R R " " R R " \xc3\xa9\" type=\"t\">]]&gt; \n" R
        "[0m" R "\nend</skipped></testcase>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_test_case_is_a_document),
        cmocka_unit_test(the_worst_outcome_of_a_test_case_counts),
        cmocka_unit_test(text_may_be_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
