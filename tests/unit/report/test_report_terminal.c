#include "unit/report/report_fixtures.h"

#include "base/text_fit.h"
#include "unit/analyze/job_fixtures.h"
#include "unit/report/golden.h"

#include <math.h>

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

static void ranks_that_wait_read_as_the_golden_text(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    job_three_ranks(&run, true);
    job_stretch(&run, 100 * US);
    fixture_render(&out, &run, REPORT_TERMINAL, &gpu_options);
    assert_golden(out.s, out.len, "job.txt");
    strbuf_release(&out);
    run_release(&run);
}

/* A thousand ranks: one screen, the one that all wait for first, the best one last. */
static void many_ranks_fit_a_screen_with_both_extremes(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_init(&run);
    for (int32_t r = 0; r < 1000; r++) {
        job_add_rank(&run, r, 1000);
        int32_t step = job_add_step(&run, r, 1, 0, 100 * MS);
        job_add_time(&run, r, step, TIME_CLASS_SPAN, 100 * MS);
        job_add_time(&run, r, step, TIME_CLASS_COMPUTE, (r == 400 ? 60 : 40) * MS);
        int64_t begin_ns = r == 400 ? 70 * MS : 50 * MS;
        job_add_call(&run, r, step, (struct job_call){"allreduce", "0", 1, 1000},
                     begin_ns, 80 * MS);
    }
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    assert_non_null(strstr(out.s, "Rank 400 is last in 1 of 1 collectives: others wait "
                                  "20.0 ms per step (≤ 20.0 ms exposed)."));
    assert_non_null(strstr(out.s, "of 1000)"));
    const char *worst = strstr(out.s, "\n  400 "), *best = strstr(out.s, "\n  999 ");
    assert_true(worst && best && worst < best);
    size_t lines = 0;
    for (const char *c = out.s; *c; c++)
        lines += *c == '\n';
    assert_true(lines <= 24);
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
    assert_non_null(strstr(out.s, "has no ranks: nothing was recorded"));
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
    reduced(r, &run, (struct rank){.rank = 0, .complete = 1});
    reducer_free(r);
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    assert_non_null(strstr(out.s, "No steps are marked: the whole recording, 2.00 ms"));
    assert_non_null(strstr(out.s, "Where the recording goes\n"));
    assert_non_null(strstr(out.s, "Nothing ran on a GPU"));
    strbuf_release(&out);
    run_release(&run);
}

#define ASSERT_HOLDS(text, part)                                                         \
    do {                                                                                 \
        if (!strstr(text, part))                                                         \
            fail_msg("\"%s\" is not in:\n%s", part, text);                               \
    } while (0)

static void shares_are_of_the_step_that_the_sentence_names(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_two_threads(&run); /* median 10 ms, mean 20 ms */
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    ASSERT_HOLDS(out.s, "A step takes 10.0 ms (median of 3");
    ASSERT_HOLDS(out.s, "The main thread is busy 10 % of it.");
    ASSERT_HOLDS(out.s, "Where a step goes (from 2 of 3 recorded steps)");
    strbuf_release(&out);
    run_release(&run);
    fixture_trainer(&run);
    run.steps.end_ns[0] += 30 * MS; /* the median stays, the mean does not */
    run.phases.ns[0] += 30 * MS;
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    ASSERT_HOLDS(out.s, "A step takes 10.0 ms");
    ASSERT_HOLDS(out.s, "Its largest part is the backward pass (50 %).");
    strbuf_release(&out);
    run_release(&run);
}

static void a_training_without_spans_is_not_offered_a_timeline(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    struct report_options options = {.subject = "t.gait"};
    fixture_train_alone(&run);
    fixture_render(&out, &run, REPORT_TERMINAL, &options);
    assert_null(strstr(out.s, "timeline"));
    ASSERT_HOLDS(out.s, "gait report t.gait -o report.html");
    ASSERT_HOLDS(out.s, "gait profile config.yaml -o profile.gait");
    ASSERT_HOLDS(out.s, "validation 3.7500 ± N/A at step 3");
    strbuf_release(&out);
    run_release(&run);
}

static void a_file_of_a_machine_shows_its_facts(void **state)
{
    (void)state;
    static const enum report_format formats[] = {REPORT_TERMINAL, REPORT_MARKDOWN,
                                                 REPORT_HTML};
    for (int i = 0; i < 3; i++) {
        struct run run;
        struct strbuf out;
        fixture_machine(&run);
        fixture_render(&out, &run, formats[i], NULL);
        ASSERT_HOLDS(out.s, "This file is about a machine");
        ASSERT_HOLDS(out.s, "250 GFLOP/s");
        ASSERT_HOLDS(out.s, "2.00 MiB");
        ASSERT_HOLDS(out.s, "Example CPU");
        strbuf_release(&out);
        run_release(&run);
    }
}

/* The command that "Next" offers first for a trainer's run of this name. */
static void assert_next_names(const char *subject, const char *command)
{
    struct run run;
    struct strbuf out;
    struct report_options options = {.subject = subject};
    fixture_trainer(&run);
    fixture_render(&out, &run, REPORT_TERMINAL, &options);
    ASSERT_HOLDS(out.s, command);
    strbuf_release(&out);
    run_release(&run);
}

static void the_next_command_can_be_run_as_it_stands(void **state)
{
    (void)state;
    char path[600], command[700];
    memset(path, 'd', sizeof path);
    path[300] = '/';
    path[sizeof path - 1] = '\0';
    snprintf(command, sizeof command, "gait report %s -o report.html", path);
    assert_next_names(path, command);
    assert_next_names("-x.gait", "gait report ./-x.gait -o report.html");
    assert_next_names("-", "gait report RUN… -o report.html");
    assert_next_names("a\nb.gait", "gait report RUN… -o report.html");
}

static void two_files_of_one_rank_are_doubted(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    run_init(&run);
    fixture_gpu_rank(&run, 0, 0);
    fixture_gpu_rank(&run, 0, 1000);
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    ASSERT_HOLDS(out.s, "Warning:  these may not be the ranks of one job: rank 0 is");
    assert_true(strstr(out.s, "Warning:") < strstr(out.s, "A step takes"));
    ASSERT_HOLDS(out.s, "gait analyze --compare A B");
    strbuf_release(&out);
    run_release(&run);
    fixture_gpu(&run);
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    assert_null(strstr(out.s, "may not be"));
    strbuf_release(&out);
    run_release(&run);
}

/* Thirty untraced steps whose median and spread (stats_spread_frac) are these. */
static void add_untraced(struct run *run, double median_ns, double spread_frac)
{
    double low_ns = median_ns * (1 - fmin(spread_frac, 0.5));
    double high_ns = low_ns + 2 * spread_frac * median_ns;
    for (int i = 0; i < 30; i++)
        timings_add(&run->timings,
                    (struct timing){.what = TIMING_KIND_STEP,
                                    .number = i,
                                    .dur_ns = (int64_t)(i < 10   ? low_ns
                                                        : i < 20 ? median_ns
                                                                 : high_ns)});
}

static void two_recordings_tell_their_steps_without_the_tracer(void **state)
{
    (void)state;
    static const double median_ns[SIDES] = {34.1e6, 23.8e6};
    struct run run[SIDES];
    struct analysis *a[SIDES];
    struct strbuf out;
    for (int s = 0; s < SIDES; s++) {
        fixture_trainer(&run[s]);
        add_untraced(&run[s], median_ns[s], 0);
        a[s] = analysis_new(&run[s]);
    }
    struct comparison *c = comparison_new(a[BEFORE], a[AFTER]);
    strbuf_init(&out);
    report_render_comparison(&out, c, REPORT_TERMINAL, NULL);
    ASSERT_HOLDS(out.s, "A step took 34.1 ms and now takes 23.8 ms");
    ASSERT_HOLDS(out.s, "both without the tracer");
    strbuf_release(&out);
    comparison_free(c);
    for (int s = 0; s < SIDES; s++) {
        analysis_free(a[s]);
        run_release(&run[s]);
    }
}

/* The trainer's fixture as if it were recorded, its untraced steps so long. */
static void render_recorded(struct strbuf *out, double median_ns, double spread_frac)
{
    struct run run;
    fixture_trainer(&run);
    add_untraced(&run, median_ns, spread_frac);
    fixture_render(out, &run, REPORT_TERMINAL, NULL);
    run_release(&run);
}

static void a_disturbed_recording_is_told_to_be_one(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_trainer(&run);
    struct analysis *a = analysis_new(&run);
    double step_ns = a->ranks[0].step.ns;
    analysis_free(a);
    run_release(&run);
    render_recorded(&out, step_ns / 1.2, 0.1);
    assert_null(strstr(out.s, "record it again"));
    strbuf_release(&out);
    render_recorded(&out, step_ns / 1.2, 3.55);
    ASSERT_HOLDS(out.s, "Its steps differ by ±355");
    strbuf_release(&out);
    render_recorded(&out, step_ns / 8, 0.1);
    ASSERT_HOLDS(out.s, "Traced steps take 8.0 times as long");
    strbuf_release(&out);
}

/* Of 2 CPUs, so many by other programs. */
static void render_beside_others(struct strbuf *out, double others_cpus)
{
    struct run run;
    fixture_trainer(&run);
    add_untraced(&run, 9e6, 0.1);
    run_add_fact(&run, 0, "record.cpus", 2, "", ORIGIN_MEASURED, "");
    run_add_fact(&run, 0, "record.others_cpus", others_cpus, "", ORIGIN_MEASURED, "");
    fixture_render(out, &run, REPORT_MARKDOWN, NULL); /* a line is not broken */
    run_release(&run);
}

static void what_other_programs_took_is_told_where_it_is_much(void **state)
{
    (void)state;
    struct strbuf out;
    render_beside_others(&out, 0.8);
    ASSERT_HOLDS(out.s,
                 "Other programs used 0.8 of 2 CPUs while this was recorded: steps "
                 "may take longer than they would alone.");
    strbuf_release(&out);
    render_beside_others(&out, 0.15);
    assert_null(strstr(out.s, "Other programs"));
    strbuf_release(&out);
}

/* On a host no span tells that a rank waits for others. */
static void waits_for_other_ranks_are_said_not_to_be_in_it(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_two_threads(&run);
    run.ranks.world[0] = 2;
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    ASSERT_HOLDS(out.s, "without collectives\n");
    strbuf_release(&out);
    for (int i = 0; i < 4; i++) {
        timings_add(&run.timings, (struct timing){.what = TIMING_KIND_OPTIMIZER,
                                                  .number = i,
                                                  .dur_ns = 1000000});
        if (i % 2)
            timings_add(&run.timings, (struct timing){.what = TIMING_KIND_EXCHANGE,
                                                      .number = i,
                                                      .dur_ns = 5000000});
    }
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    ASSERT_HOLDS(out.s, "without collectives: 2.5 ms, timed untraced\n");
    strbuf_release(&out);
    run_release(&run);
}

static void add_note(struct run *run, const char *text)
{
    notes_add(&run->notes, (struct note){.rank = -1,
                                         .offset = -1,
                                         .count = 1,
                                         .text = names_add_z(&run->names, text)});
}

static void what_was_not_measured_is_one_line(void **state)
{
    (void)state;
    struct run run;
    struct strbuf out;
    fixture_two_threads(&run);
    add_note(&run, "batch-small: not measured: the model cannot be copied");
    add_note(&run, "precision-f32: not measured: the model cannot be copied");
    add_note(&run, "batch-small: not measured: the model cannot be copied, again");
    add_note(&run, "something else");
    add_note(&run, "one more");
    fixture_render(&out, &run, REPORT_TERMINAL, NULL);
    ASSERT_HOLDS(out.s, "something else\n");
    ASSERT_HOLDS(out.s, "other ways not measured in full: ");
    ASSERT_HOLDS(out.s, "1 more: --json");
    assert_null(strstr(out.s, "cannot be copied"));
    strbuf_release(&out);
    fixture_render(&out, &run, REPORT_MARKDOWN, NULL);
    ASSERT_HOLDS(out.s, "cannot be copied, again");
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
        cmocka_unit_test(ranks_that_wait_read_as_the_golden_text),
        cmocka_unit_test(many_ranks_fit_a_screen_with_both_extremes),
        cmocka_unit_test(an_empty_run_says_that_it_is_empty),
        cmocka_unit_test(a_rank_without_spans_has_no_invented_number),
        cmocka_unit_test(a_recording_without_steps_is_told_as_a_whole),
        cmocka_unit_test(shares_are_of_the_step_that_the_sentence_names),
        cmocka_unit_test(a_training_without_spans_is_not_offered_a_timeline),
        cmocka_unit_test(a_file_of_a_machine_shows_its_facts),
        cmocka_unit_test(the_next_command_can_be_run_as_it_stands),
        cmocka_unit_test(two_files_of_one_rank_are_doubted),
        cmocka_unit_test(many_ranks_operators_and_notes_fit_one_screen),
        cmocka_unit_test(more_operators_are_shown_when_asked_for),
        cmocka_unit_test(two_recordings_tell_their_steps_without_the_tracer),
        cmocka_unit_test(a_disturbed_recording_is_told_to_be_one),
        cmocka_unit_test(what_other_programs_took_is_told_where_it_is_much),
        cmocka_unit_test(waits_for_other_ranks_are_said_not_to_be_in_it),
        cmocka_unit_test(what_was_not_measured_is_one_line),
        cmocka_unit_test(names_cannot_send_control_characters),
        cmocka_unit_test(colour_comes_only_when_asked_for),
        cmocka_unit_test(a_path_with_blanks_is_quoted_in_the_next_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
