#include "unit/report/report_fixtures.h"

#include "report/text_fit.h"
#include "unit/report/golden.h"

static const struct report_options gpu_options = {.subject = "traces/",
                                                  .read_ns = 250 * MS};
static const struct report_options trainer_options = {.subject = "tiny.gait"};

static void two_gpu_ranks_read_as_the_golden_text(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_gpu(&run);
    fixture_render(&out, &run, REPORT_TERMINAL, &gpu_options);
    assert_golden(out.s, out.len, "gpu.txt");
    strbuf_release(&out);
    run_release(&run);
}

static void a_trainer_run_reads_as_the_golden_text(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_trainer(&run);
    fixture_render(&out, &run, REPORT_TERMINAL, &trainer_options);
    assert_golden(out.s, out.len, "trainer.txt");
    strbuf_release(&out);
    run_release(&run);
}

static void an_empty_run_says_that_it_is_empty(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_init(&run);
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    assert_non_null(strstr(out.s, "holds no ranks: nothing was recorded"));
    assert_non_null(strstr(out.s, "Next:"));
    strbuf_release(&out);
    run_release(&run);
}

static void a_rank_without_spans_has_no_invented_number(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_init(&run);
    ranks_add(&run.ranks, (struct rank){.rank = -1, .complete = 1});
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    assert_non_null(strstr(out.s, "No steps are marked"));
    assert_null(strstr(out.s, "nan"));
    strbuf_release(&out);
    run_release(&run);
}

static void a_recording_without_steps_is_told_as_a_whole(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_init(&run);
    struct reducer *r = reducer_new(NULL, 1);
    struct reduce_shard *s = reducer_shard(r, 0);
    fixture_span(fixture_lane(s, LANE_KIND_CPU, -1, 1, "main"), SPAN_KIND_OP, "work", 0,
                 2000, 0, 0);
    reducer_finish(r, &run, (struct rank){.rank = 0, .complete = 1});
    reducer_free(r);
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    assert_non_null(strstr(out.s, "No steps are marked; what follows is the whole"));
    assert_non_null(strstr(out.s, "Where the recording goes (all of it: no steps)"));
    assert_non_null(strstr(out.s, "Nothing ran on a GPU"));
    strbuf_release(&out);
    run_release(&run);
}

static void fixture_large(struct run *run)
{
    run_init(run);
    for (int i = 0; i < 20; i++)
        fixture_gpu_rank(run, i, i * 100);
    for (int i = 0; i < 300; i++) {
        char name[64];
        snprintf(name, sizeof name, "aten::op_number_%d", i);
        ops_add(&run->ops, (struct op){.rank = 19,
                                       .place = LANE_KIND_CPU,
                                       .kind = SPAN_KIND_OP,
                                       .name = names_add_z(&run->names, name),
                                       .count = 1,
                                       .self_ns = 1000 + i,
                                       .total_ns = 2000 + i});
        run_add_note(run, i % 20, -1, "note %d", i);
    }
}

static size_t lines_of(const char *text, int *widest)
{
    size_t lines = 0;
    char line[1024];
    *widest = 0;
    for (; *text; lines++) {
        size_t len = strcspn(text, "\n");
        assert_in_range(len, 0, sizeof line - 1);
        snprintf(line, sizeof line, "%.*s", (int)len, text);
        *widest = text_columns(line) > *widest ? text_columns(line) : *widest;
        text += len + 1;
    }
    return lines;
}

static void many_ranks_operators_and_notes_fit_one_screen(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    int widest;
    fixture_large(&run);
    fixture_render(&out, &run, REPORT_TERMINAL, &gpu_options);
    assert_in_range(lines_of(out.s, &widest), 10, 24);
    assert_in_range(widest, 60, 100);
    strbuf_release(&out);
    run_release(&run);
}

static void more_operators_are_shown_when_asked_for(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct report_options options = {.top = 50};
    fixture_large(&run);
    fixture_render(&out, &run, REPORT_TERMINAL, &options);
    assert_non_null(strstr(out.s, "(50 of 304)"));
    strbuf_release(&out);
    run_release(&run);
}

static void names_cannot_send_control_characters(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct report_options options = {.top = 100};
    fixture_hostile(&run);
    fixture_render(&out, &run, REPORT_TERMINAL, &options);
    for (size_t i = 0; i < out.len; i++)
        assert_true((unsigned char)out.s[i] >= 0x20 || out.s[i] == '\n');
    assert_null(strstr(out.s, "\x7f"));
    assert_null(strstr(out.s, "\xe2\x80\xae"));
    strbuf_release(&out);
    run_release(&run);
}

static void colour_comes_only_when_asked_for(void **state)
{
    (void)state;
    struct run run;
    struct strbuf plain, colour;
    struct report_options options = {.colour = true};
    fixture_gpu(&run);
    fixture_render(&plain, &run, REPORT_TERMINAL, NULL);
    fixture_render(&colour, &run, REPORT_TERMINAL, &options);
    assert_null(strchr(plain.s, '\033'));
    assert_non_null(strchr(colour.s, '\033'));
    strbuf_release(&plain);
    strbuf_release(&colour);
    run_release(&run);
}

static void a_path_with_blanks_is_quoted_in_the_next_command(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct report_options options = {.subject = "my run's.gait"};
    fixture_trainer(&run);
    fixture_render(&out, &run, REPORT_TERMINAL, &options);
    assert_non_null(strstr(out.s, "gait report 'my run'\\''s.gait' -o report.html"));
    strbuf_release(&out);
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_gpu_ranks_read_as_the_golden_text),
        cmocka_unit_test(a_trainer_run_reads_as_the_golden_text),
        cmocka_unit_test(an_empty_run_says_that_it_is_empty),
        cmocka_unit_test(a_rank_without_spans_has_no_invented_number),
        cmocka_unit_test(a_recording_without_steps_is_told_as_a_whole),
        cmocka_unit_test(many_ranks_operators_and_notes_fit_one_screen),
        cmocka_unit_test(more_operators_are_shown_when_asked_for),
        cmocka_unit_test(names_cannot_send_control_characters),
        cmocka_unit_test(colour_comes_only_when_asked_for),
        cmocka_unit_test(a_path_with_blanks_is_quoted_in_the_next_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
