#include "unit/report/report_fixtures.h"

#include "unit/analyze/job_fixtures.h"
#include "unit/report/golden.h"

static void two_gpu_ranks_read_as_the_golden_text(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_gpu(&run);
    fixture_render(&out, &run, REPORT_MARKDOWN,
                   &(struct report_options){.subject = "traces/"});
    assert_golden(out.s, out.len, "gpu.md");
    strbuf_release(&out);
    run_release(&run);
}

static void a_trainer_run_reads_as_the_golden_text(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_trainer(&run);
    fixture_render(&out, &run, REPORT_MARKDOWN,
                   &(struct report_options){.subject = "tiny.gait"});
    assert_golden(out.s, out.len, "trainer.md");
    strbuf_release(&out);
    run_release(&run);
}

static void ranks_that_wait_read_as_the_golden_text(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    job_three_ranks(&run, false);
    job_stretch(&run, 100 * US);
    fixture_render(&out, &run, REPORT_MARKDOWN,
                   &(struct report_options){.subject = "traces/"});
    assert_golden(out.s, out.len, "job.md");
    strbuf_release(&out);
    run_release(&run);
}

static int count_char(const char *line, size_t len, char c)
{
    int n = 0;
    for (size_t i = 0; i < len; i++)
        n += line[i] == c;
    return n;
}

/* Rows of a table have as many bars as the row before; < and > are never raw. */
static void hostile_names_stay_in_their_cells(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    int bars_before = 0, rows = 0;
    fixture_hostile(&run);
    fixture_render(&out, &run, REPORT_MARKDOWN, NULL);
    assert_null(strpbrk(out.s, "<>"));
    assert_null(strstr(out.s, "\n# heading"));
    for (const char *line = out.s; *line; line += strcspn(line, "\n") + 1) {
        int bars = *line == '|' ? count_char(line, strcspn(line, "\n"), '|') : 0;
        if (bars && bars_before)
            assert_int_equal(bars, bars_before);
        rows += bars > 0;
        bars_before = bars;
    }
    assert_true(rows > 20);
    strbuf_release(&out);
    run_release(&run);
}

static void markup_in_names_is_escaped(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_hostile(&run);
    fixture_render(&out, &run, REPORT_MARKDOWN, NULL);
    assert_non_null(strstr(out.s, "\\[x\\](javascript:alert(1)) \\*em\\* \\`code\\`"));
    assert_null(strstr(out.s, " [x]("));
    strbuf_release(&out);
    run_release(&run);
}

static void an_empty_run_says_that_it_is_empty(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_init(&run);
    fixture_render(&out, &run, REPORT_MARKDOWN, NULL);
    assert_non_null(strstr(out.s, "**This run has no ranks: nothing was recorded.**"));
    strbuf_release(&out);
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_gpu_ranks_read_as_the_golden_text),
        cmocka_unit_test(a_trainer_run_reads_as_the_golden_text),
        cmocka_unit_test(ranks_that_wait_read_as_the_golden_text),
        cmocka_unit_test(hostile_names_stay_in_their_cells),
        cmocka_unit_test(markup_in_names_is_escaped),
        cmocka_unit_test(an_empty_run_says_that_it_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
