/* What the data flow calls needless is told with its time and its statement. */
#include "ops_fixture.h"

#include "run/op_traits.h"

enum { TRACED = 4, WATCHED = 3 };

/* Statements: main calls forward, which calls mask; and evaluates, by forward too. */
enum { TRAINS, FORWARD, ONES, TRIL, EVALUATES, EVALUATED, MOVES, DECODES, N_LINES };
static const struct {
    const char *function;
    int32_t line, caller;
} lines[N_LINES] = {
    [TRAINS] = {"main", 30, -1},    [FORWARD] = {"Net.forward", 12, TRAINS},
    [ONES] = {"mask", 5, FORWARD},  [TRIL] = {"mask", 6, FORWARD},
    [EVALUATES] = {"main", 40, -1}, [EVALUATED] = {"Net.forward", 12, EVALUATES},
    [MOVES] = {"main", 50, -1},     [DECODES] = {"main", 60, -1},
};

/* What a step calls, with what it reads of what was made before it in the step (-1: the
 * batch, -2: nothing, -3: a batch that is held out). */
static const struct {
    const char *name;
    int traits, line, reads, also;
    int64_t us;
} calls[] = {
    {"aten::ones", OP_TRAIT_FACTORY, ONES, -2, -2, 300},
    {"aten::tril", 0, TRIL, 0, -2, 500},
    {"aten::mm", 0, FORWARD, -1, -2, 4000},
    {"aten::mul.Tensor", OP_TRAIT_POINTWISE, FORWARD, 1, 2, 1000},
    {"aten::mm", 0, EVALUATED, -3, -2, 1000},
    {"aten::sum", 0, EVALUATES, 4, -2, 200},
    {"aten::add_.Tensor", OP_TRAIT_POINTWISE, MOVES, 3, -2, 3000},
};
enum { N_CALLS = sizeof calls / sizeof *calls, MOVE = N_CALLS - 1 };

/* Evaluated in inference mode: there aten::linear is watched, else the product that it
 * calls; and watched steps have other views than traced ones. */
static bool in_inference_mode;

/* At the end of each traced step no operator runs for so long. */
static int64_t idle_us;

/* Small calls at the end of a step, traced and watched alike; one more in traced steps and
 * in the last watched one. */
enum { SMALL_CALLS = 20 };
static bool last_is_likest;

static bool is_product(int i)
{
    return !strcmp(calls[i].name, "aten::mm");
}

static void trace(struct script *s, int step)
{
    script_step_begin(s);
    if (in_inference_mode)
        script_op(s, "aten::view", "", 1);
    for (int i = 0; i < N_CALLS; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(calls[i].name, "."),
                 calls[i].name);
        bool within = in_inference_mode && is_product(i);
        if (within)
            script_open(s, SPAN_KIND_OP, "aten::linear", "");
        script_op(s, name, "", calls[i].us);
        if (within)
            script_close(s);
        if (step == 1 && i == 2) /* this step alone has more of them */
            for (int k = 0; k < 5; k++)
                script_op(s, "aten::mul", "", 10);
    }
    for (int i = 0; last_is_likest && i <= SMALL_CALLS; i++)
        script_op(s, "aten::relu", "", 1);
    s->now_us += idle_us;
    script_step_end(s);
}

static void use(struct run *run, size_t op, enum tensor_role role, int32_t tensor,
                int32_t place)
{
    op_tensors_add(&run->op_tensors,
                   (struct op_tensor){.op = (int32_t)op,
                                      .role = role,
                                      .argument = place,
                                      .tensor = tensor,
                                      .shape = names_add_z(&run->names, "[6]"),
                                      .strides = names_add_z(&run->names, "[1]"),
                                      .dtype = names_add_z(&run->names, "float32"),
                                      .zeros = -1,
                                      .zero_rows = -1});
}

static int32_t life(struct run *run, enum value_source source)
{
    return (int32_t)tensors_add(&run->tensors,
                                (struct tensor_life){.bytes = 24, .source = source});
}

static int32_t read_by(struct run *run, int i, int32_t batch, const int32_t *made)
{
    if (calls[i].reads == -3)
        return life(run, VALUE_SOURCE_BATCH);
    return calls[i].reads < 0 ? batch : made[calls[i].reads];
}

static void watch(struct run *run, int32_t step, int32_t parameter)
{
    int32_t made[N_CALLS], batch = life(run, VALUE_SOURCE_BATCH);
    for (int i = 0; i < N_CALLS; i++) {
        bool whole = in_inference_mode && is_product(i) && calls[i].line == EVALUATED;
        if (in_inference_mode && i)
            watched_ops_add(
                &run->watched_ops,
                (struct watched_op){.name = names_add_z(&run->names, "aten::view"),
                                    .traits = OP_TRAIT_VIEW,
                                    .step = step,
                                    .line = calls[i].line,
                                    .inner = -1,
                                    .forward = -1});
        const char *name = whole ? "aten::linear" : calls[i].name;
        size_t op = watched_ops_add(
            &run->watched_ops,
            (struct watched_op){.name = names_add_z(&run->names, name),
                                .traits =
                                    calls[i].traits | (whole ? OP_TRAIT_COMPOSITE : 0),
                                .step = step,
                                .line = calls[i].line,
                                .inner = calls[i].line,
                                .forward = -1});
        if (i == MOVE)
            use(run, op, TENSOR_ROLE_UPDATED, parameter, 0);
        if (calls[i].reads != -2)
            use(run, op, TENSOR_ROLE_READ, read_by(run, i, batch, made), 1);
        if (calls[i].also >= 0)
            use(run, op, TENSOR_ROLE_READ, made[calls[i].also], 2);
        if (i != MOVE)
            use(run, op, TENSOR_ROLE_MADE, made[i] = life(run, VALUE_SOURCE_MADE), 3);
    }
    for (int i = 0; last_is_likest && i < SMALL_CALLS + (step == WATCHED - 1); i++)
        watched_ops_add(
            &run->watched_ops,
            (struct watched_op){.name = names_add_z(&run->names, "aten::relu"),
                                .step = step,
                                .line = MOVES,
                                .inner = MOVES,
                                .forward = -1});
}

static void begin(struct script *s)
{
    script_init(s);
    for (int i = 0; i < TRACED; i++)
        trace(s, i);
    script_close_recording(s);
    for (int i = 0; i < N_LINES; i++)
        lines_add(&s->run.lines,
                  (struct source_line){
                      .file = names_add_z(&s->run.names, "/home/user/train.py"),
                      .function = names_add_z(&s->run.names, lines[i].function),
                      .line = lines[i].line,
                      .caller = lines[i].caller});
}

static void needless_work_has_a_price_and_a_statement(void **state)
{
    (void)state;
    struct script s;
    begin(&s);
    int32_t parameter = life(&s.run, VALUE_SOURCE_PARAMETER);
    for (int i = 0; i < WATCHED; i++)
        watch(&s.run, i, parameter);
    script_find(&s);
    const struct finding *x = script_must_tell(&s, "invariant-rebuilt");
    assert_string_equal(x->where, "train.py:5, 6 in mask");
    assert_float_equal(script_gain_us(x), 802, 2);
    assert_int_equal(x->n_lines, 2);
    assert_int_equal(s.run.lines.line[x->line[0]], 6); /* what holds most */
    /* not the line of the model: the statement that evaluates */
    x = script_must_tell(&s, "logging-often");
    assert_string_equal(x->where,
                        "train.py:40 in main, most at train.py:12 in Net.forward");
    assert_float_equal(script_gain_us(x), 0.9 * 1202, 2);
    script_release(&s);
}

/* As an execution trace tells it: .numpy() may read what no operator does. */
static void without_lines_what_nobody_reads_is_not_sure(void **state)
{
    (void)state;
    struct script s;
    begin(&s);
    int32_t parameter = life(&s.run, VALUE_SOURCE_PARAMETER);
    for (int i = 0; i < WATCHED; i++)
        watch(&s.run, i, parameter);
    for (size_t i = 0; i < s.run.watched_ops.table.n; i++)
        s.run.watched_ops.line[i] = s.run.watched_ops.inner[i] = -1;
    s.run.lines.table.n = 0;
    script_find(&s);
    const struct finding *x = script_must_tell(&s, "logging-often");
    assert_true(x->reads_unseen);
    assert_int_not_equal(x->confidence, CONFIDENCE_HIGH);
    assert_false(script_must_tell(&s, "invariant-rebuilt")->reads_unseen);
    script_release(&s);
}

static void composite_operators_and_views_are_matched(void **state)
{
    (void)state;
    struct script s;
    in_inference_mode = true;
    begin(&s);
    int32_t parameter = life(&s.run, VALUE_SOURCE_PARAMETER);
    for (int i = 0; i < WATCHED; i++)
        watch(&s.run, i, parameter);
    script_find(&s);
    in_inference_mode = false;
    const struct finding *x = script_must_tell(&s, "logging-often");
    assert_string_equal(x->where,
                        "train.py:40 in main, most at train.py:12 in Net.forward");
    assert_float_equal(script_gain_us(x), 0.9 * 1203, 3);
    assert_float_equal(script_gain_us(script_must_tell(&s, "invariant-rebuilt")), 802, 2);
    script_release(&s);
}

/* Of the last watched step nobody knows what is read: a little liker is not enough. */
static void a_step_whose_classes_are_known_is_preferred(void **state)
{
    (void)state;
    struct script s;
    last_is_likest = true;
    begin(&s);
    int32_t parameter = life(&s.run, VALUE_SOURCE_PARAMETER);
    for (int i = 0; i < WATCHED; i++)
        watch(&s.run, i, parameter);
    script_find(&s);
    last_is_likest = false;
    assert_float_equal(script_gain_us(script_must_tell(&s, "logging-often")), 0.9 * 1202,
                       2);
    script_release(&s);
}

/* Steps with and without the mask, in turns: each pair differs by one of these. */
static const struct finding *ran_without_mask(struct script *s, const int64_t *gain_us,
                                              size_t n)
{
    begin(s);
    int32_t parameter = life(&s->run, VALUE_SOURCE_PARAMETER);
    for (int i = 0; i < WATCHED; i++)
        watch(&s->run, i, parameter);
    for (size_t i = 0; i < n; i++)
        replacements_add(&s->run.replacements,
                         (struct replacement){
                             .rule = names_add_z(&s->run.names, "invariant"),
                             .subject = names_add_z(&s->run.names, "2 calls"),
                             .how = names_add_z(&s->run.names, "results in their place"),
                             .round = (int32_t)i,
                             .now_ns = 10000000,
                             .instead_ns = 10000000 - gain_us[i] * 1000});
    script_find(s);
    return script_must_tell(s, "invariant-rebuilt");
}

static void steps_that_were_run_without_it_are_the_price(void **state)
{
    (void)state;
    static const int64_t gain_us[] = {590, 600, 610, 595, 605, 600, 598, 602};
    struct script s;
    const struct finding *x =
        ran_without_mask(&s, gain_us, sizeof gain_us / sizeof *gain_us);
    assert_int_equal(x->price, PRICE_RUN);
    assert_float_equal(script_gain_us(x), 600, 5);
    script_release(&s);
}

/* Between less than nothing and more than the calls take: nothing was measured. */
static void pairs_that_tell_nothing_are_not_believed(void **state)
{
    (void)state;
    static const int64_t gain_us[] = {-3000, 4000, -2000, 3000, -100, 100, -4000, 2000};
    struct script s;
    const struct finding *x =
        ran_without_mask(&s, gain_us, sizeof gain_us / sizeof *gain_us);
    assert_int_equal(x->price, PRICE_REPLAYED);
    assert_float_equal(script_gain_us(x), 802, 2);
    script_release(&s);
}

/* Without watched steps none of it is asked. */
static void sample(struct run *run, int32_t line, int64_t count)
{
    host_samples_add(&run->host_samples, (struct host_sample){.line = line,
                                                              .inner = line,
                                                              .part = SAMPLE_PART_CODE,
                                                              .count = count});
}

/* Python decodes what was predicted: a quarter of the time of steps without the tracer.
 * Where traced steps have no time for that, they were steps of another kind, and nobody
 * knows what ran there. */
static void python_that_traced_steps_have_no_time_for(void **state)
{
    (void)state;
    for (idle_us = 4000; idle_us >= 0; idle_us -= 4000) {
        struct script s;
        begin(&s);
        int32_t parameter = life(&s.run, VALUE_SOURCE_PARAMETER);
        for (int i = 0; i < WATCHED; i++)
            watch(&s.run, i, parameter);
        sample(&s.run, FORWARD, 500);
        sample(&s.run, EVALUATED, 100);
        sample(&s.run, MOVES, 300);
        sample(&s.run, DECODES, 300);
        facts_add(&s.run.facts,
                  (struct fact){.key = names_add_z(&s.run.names, "record.sampled_steps"),
                                .value = 10});
        script_find(&s);
        const struct finding *x = script_told(&s, "python-time");
        assert_int_equal(x != NULL, idle_us > 0);
        if (x)
            assert_string_equal(x->where, "train.py:60 in main");
        script_release(&s);
    }
    idle_us = 0;
}

static void what_was_not_watched_is_not_asked(void **state)
{
    (void)state;
    struct script s;
    begin(&s);
    script_find(&s);
    assert_null(script_told(&s, "invariant-rebuilt"));
    assert_null(script_told(&s, "logging-often"));
    assert_false(findings_silent(s.findings, rule_named("logging-often")));
    script_release(&s);
}

/* Other steps than those that were traced: nothing is believed. */
static void steps_of_another_kind_tell_nothing(void **state)
{
    (void)state;
    struct script s;
    begin(&s);
    int32_t parameter = life(&s.run, VALUE_SOURCE_PARAMETER);
    for (int i = 0; i < WATCHED; i++)
        watch(&s.run, i, parameter);
    for (size_t i = 0; i < s.run.spans.table.n; i++) /* every span has another name */
        if (s.run.spans.kind[i] == SPAN_KIND_OP && s.run.spans.dur_ns[i] > 600000)
            s.run.spans.name[i] = names_add_z(&s.run.names, "aten::tril");
    script_find(&s);
    assert_null(script_told(&s, "logging-often"));
    script_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needless_work_has_a_price_and_a_statement),
        cmocka_unit_test(without_lines_what_nobody_reads_is_not_sure),
        cmocka_unit_test(composite_operators_and_views_are_matched),
        cmocka_unit_test(a_step_whose_classes_are_known_is_preferred),
        cmocka_unit_test(steps_that_were_run_without_it_are_the_price),
        cmocka_unit_test(pairs_that_tell_nothing_are_not_believed),
        cmocka_unit_test(python_that_traced_steps_have_no_time_for),
        cmocka_unit_test(what_was_not_watched_is_not_asked),
        cmocka_unit_test(steps_of_another_kind_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
