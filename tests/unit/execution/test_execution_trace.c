/* What ExecutionTraceObserver writes becomes the data flow of a run. */
#include "cmocka_setup.h"

#include "base/strbuf.h"
#include "execution/execution_trace.h"
#include "execution/op_schema.h"
#include "flow/flow_classes.h"
#include "run/op_traits.h"

#include <stdio.h>
#include <string.h>

/* A trace in the making: nodes get the ids 1, 2, 3 …, and each is called by the one that
 * `parent` names. */
struct made {
    struct strbuf text;
    struct run run;
    struct err err;
    int id, parent;
    long long seq;
    int scope;
};

static void begin(struct made *m)
{
    *m = (struct made){.seq = -1, .err = ERR_INIT};
    run_init(&m->run);
    ranks_add(&m->run.ranks, (struct rank){0});
    strbuf_init(&m->text);
    strbuf_puts(&m->text,
                "{\"schema\": \"1.1.1-chakra.0.0.4\", \"pid\": 1, \"nodes\": [\n");
}

static enum status end(struct made *m)
{
    strbuf_puts(&m->text, "], \"finish_ts\": 7}\n");
    return execution_trace_parse(&m->run, m->text.s, m->text.len, "made.json", &m->err);
}

static void done(struct made *m)
{
    run_release(&m->run);
    strbuf_release(&m->text);
}

/* Storages as "3 4": each a tensor of 2 x 3 floats. */
static void put_side(struct made *m, const char *key, const char *storages)
{
    static const char *const lists[] = {"values", "shapes", "types", "strides"};
    static const char *const forms[] = {"", "[2, 3]", "\"Tensor(float)\"", "[3, 1]"};
    strbuf_printf(&m->text, "\"%s\": {", key);
    for (size_t i = 0; i < 4; i++) {
        strbuf_printf(&m->text, "%s\"%s\": [", i ? ", " : "", lists[i]);
        for (const char *s = storages; *s; s++)
            if (*s != ' ') {
                if (i)
                    strbuf_puts(&m->text, forms[i]);
                else
                    strbuf_printf(&m->text, "[9, %c, 0, 6, 4, \"cpu\"]", *s);
                strbuf_puts(&m->text, s[1] ? ", " : "");
            }
        strbuf_puts(&m->text, "]");
    }
    strbuf_puts(&m->text, "}, ");
}

static int put_node(struct made *m, const char *name, const char *schema,
                    const char *given, const char *results)
{
    m->id++;
    strbuf_printf(&m->text, "%s{\"id\": %d, \"name\": \"%s\", \"ctrl_deps\": %d, ",
                  m->id > 1 ? ",\n" : "", m->id, name, m->parent ? m->parent : m->id);
    put_side(m, "inputs", given);
    put_side(m, "outputs", results);
    strbuf_printf(&m->text,
                  "\"attrs\": [{\"name\": \"seq_id\", \"type\": \"int64\", \"value\": "
                  "%lld}, {\"name\": \"scope\", \"type\": \"uint64\", \"value\": %d}, "
                  "{\"name\": \"tid\", \"type\": \"uint64\", \"value\": 1}, "
                  "{\"name\": \"fw_tid\", \"type\": \"uint64\", \"value\": 1}, "
                  "{\"name\": \"op_schema\", \"type\": \"string\", \"value\": \"%s\"}]}",
                  m->seq, m->scope, schema);
    return m->id;
}

static int put_mark(struct made *m, const char *name)
{
    return put_node(m, name, "", "", "");
}

static void put_step(struct made *m, int number)
{
    char name[32];
    snprintf(name, sizeof name, "ProfilerStep#%d", number);
    put_mark(m, name);
}

static void ones(struct made *m, const char *result)
{
    put_node(m, "aten::ones", "aten::ones(SymInt[] size) -> Tensor", "", result);
}

static void neg(struct made *m, const char *given, const char *result)
{
    put_node(m, "aten::neg", "aten::neg(Tensor self) -> Tensor", given, result);
}

static void add_in_place(struct made *m, const char *given, const char *result)
{
    put_node(m, "aten::add_",
             "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> "
             "Tensor(a!)",
             given, result);
}

static const char *op_name(const struct made *m, size_t op)
{
    return run_name(&m->run, m->run.watched_ops.name[op]);
}

/* --- rows --- */

static void a_call_reads_makes_and_writes(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    put_step(&m, 4);
    ones(&m, "3");
    neg(&m, "3", "4");
    add_in_place(&m, "4 3", "4");
    put_step(&m, 5);
    ones(&m, "3");
    assert_int_equal(end(&m), STATUS_OK);
    const struct watched_ops *w = &m.run.watched_ops;
    const struct op_tensors *u = &m.run.op_tensors;
    assert_int_equal(w->table.n, 4);
    assert_string_equal(op_name(&m, 2), "aten::add_.Tensor");
    assert_int_equal(w->step[2], 0);
    assert_int_equal(w->step[3], 1);
    assert_true(w->traits[0] & OP_TRAIT_FACTORY);
    assert_int_equal(u->table.n, 6);
    assert_int_equal(u->role[0], TENSOR_ROLE_MADE);
    assert_int_equal(u->role[1], TENSOR_ROLE_READ);
    assert_int_equal(u->tensor[1], u->tensor[0]);
    assert_int_equal(u->role[3], TENSOR_ROLE_UPDATED);
    assert_int_equal(u->version[2], 0);
    assert_int_equal(u->version[3], 1);
    assert_int_equal(m.run.tensors.bytes[u->tensor[0]], 24);
    assert_int_equal(m.run.tensors.source[u->tensor[0]], VALUE_SOURCE_CONSTANT);
    assert_string_equal(run_name(&m.run, u->dtype[0]), "float32");
    assert_int_equal(run_check(&m.run, &m.err), STATUS_OK);
    done(&m);
}

static void an_address_that_is_used_again_is_another_storage(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    put_step(&m, 0);
    ones(&m, "3");
    put_step(&m, 1);
    ones(&m, "3");
    assert_int_equal(end(&m), STATUS_OK);
    const struct op_tensors *u = &m.run.op_tensors;
    assert_int_not_equal(u->tensor[0], u->tensor[1]);
    assert_int_equal(m.run.tensors.kept[u->tensor[0]], 0);
    assert_int_equal(m.run.tensors.kept[u->tensor[1]], 1);
    done(&m);
}

static void a_call_that_is_made_of_others_is_these(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    put_step(&m, 0);
    m.parent = put_node(&m, "aten::linear",
                        "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> "
                        "Tensor",
                        "3 4", "5");
    m.parent = put_node(&m, "aten::mm", "aten::mm(Tensor self, Tensor mat2) -> Tensor",
                        "3 4", "5");
    neg(&m, "5", "6"); /* what mm calls is its own */
    m.parent = 0;
    put_node(&m, "aten::linear",
             "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
             "3 4", "5"); /* calls nothing */
    put_step(&m, 1);
    ones(&m, "3");
    assert_int_equal(end(&m), STATUS_OK);
    assert_int_equal(m.run.watched_ops.table.n, 3);
    assert_string_equal(op_name(&m, 0), "aten::mm");
    assert_string_equal(op_name(&m, 1), "aten::linear");
    done(&m);
}

static void a_gradient_knows_its_forward_call(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    put_step(&m, 0);
    m.seq = 7;
    ones(&m, "2"); /* has the number too, but no gradient */
    neg(&m, "3", "4");
    m.seq = -1;
    m.parent = put_mark(&m, "autograd::engine::evaluate_function: NegBackward0");
    m.seq = 7;
    m.scope = 1;
    m.parent = put_mark(&m, "NegBackward0");
    m.seq = -1;
    m.scope = 0;
    neg(&m, "5", "6");
    m.parent = 0;
    put_step(&m, 1);
    ones(&m, "2");
    assert_int_equal(end(&m), STATUS_OK);
    const struct watched_ops *w = &m.run.watched_ops;
    assert_int_equal(w->backward[1], 0);
    assert_int_equal(w->backward[2], 1);
    assert_int_equal(w->forward[2], 1);
    done(&m);
}

static void what_an_optimizer_writes_and_a_forward_pass_reads_is_a_parameter(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    for (int step = 0; step < 2; step++) {
        put_step(&m, step);
        neg(&m, "3", "4");
        m.parent = put_mark(&m, "Optimizer.step#SGD.step");
        add_in_place(&m, "3 5", "3");
        add_in_place(&m, "6 5", "6");
        m.parent = 0;
    }
    assert_int_equal(end(&m), STATUS_OK);
    const struct op_tensors *u = &m.run.op_tensors;
    assert_int_equal(m.run.tensors.source[u->tensor[0]], VALUE_SOURCE_PARAMETER);
    assert_int_equal(m.run.tensors.source[u->tensor[4]], VALUE_SOURCE_STATE);
    assert_int_equal(u->tensor[0], u->tensor[6]);
    done(&m);
}

/* --- data that comes from outside --- */

static void what_nobody_is_seen_to_make_is_other_data_in_the_next_step(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    for (int step = 0; step < 2; step++) {
        put_step(&m, step);
        neg(&m, "3", "4");
        neg(&m, "3", "5");
        put_mark(&m, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
        neg(&m, "3", "6");
    }
    assert_int_equal(end(&m), STATUS_OK);
    const struct op_tensors *u = &m.run.op_tensors;
    assert_int_equal(u->tensor[0], u->tensor[2]);
    assert_int_not_equal(u->tensor[0], u->tensor[4]); /* a batch came */
    assert_int_not_equal(u->tensor[4], u->tensor[6]); /* and a step */
    done(&m);
}

static void what_autograd_holds_stays_the_same(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    put_step(&m, 0);
    m.seq = 7;
    neg(&m, "3", "4");
    m.seq = -1;
    put_mark(&m, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
    neg(&m, "3", "5");
    m.parent = put_mark(&m, "autograd::engine::evaluate_function: NegBackward0");
    m.seq = 7;
    m.scope = 1;
    m.parent = put_mark(&m, "NegBackward0");
    m.seq = -1;
    m.scope = 0;
    neg(&m, "3", "6");
    m.parent = 0;
    put_step(&m, 1);
    neg(&m, "3", "4");
    assert_int_equal(end(&m), STATUS_OK);
    const struct op_tensors *u = &m.run.op_tensors;
    assert_int_equal(u->tensor[0], u->tensor[2]);
    assert_int_equal(u->tensor[0], u->tensor[4]);
    assert_int_not_equal(u->tensor[0], u->tensor[6]);
    done(&m);
}

static size_t count_class(const struct made *m, enum flow_class class)
{
    struct flow_graph g;
    size_t n = 0;
    assert_true(flow_graph_init(&g, &m->run, 0));
    struct flow_classes c = flow_classes_of(&g);
    for (size_t op = 0; op < g.n; op++)
        n += c.of[op] == class;
    flow_classes_release(&c);
    flow_graph_release(&g);
    return n;
}

static void zero(struct made *m, const char *given)
{
    put_node(m, "aten::zero_", "aten::zero_(Tensor(a!) self) -> Tensor(a!)", given,
             given);
}

/* Of the optimizer: "3" becomes a parameter where the forward pass reads it. */
static void optimize(struct made *m, const char *given)
{
    m->parent = put_mark(m, "Optimizer.step#SGD.step");
    add_in_place(m, given, "");
    m->parent = 0;
}

/* NumPy fills it in every step, which nobody sees. */
static void a_buffer_that_was_cleared_once_is_other_data_in_the_next_step(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    put_step(&m, 0);
    zero(&m, "3");
    neg(&m, "3", "4");
    for (int step = 1; step < 4; step++) {
        put_step(&m, step);
        neg(&m, "3", "4");
    }
    assert_int_equal(end(&m), STATUS_OK);
    assert_int_equal(run_check(&m.run, &m.err), STATUS_OK);
    assert_int_equal(count_class(&m, FLOW_CLASS_INVARIANT), 0);
    done(&m);
}

static void a_buffer_that_is_cleared_in_every_step_is_other_data_too(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    for (int step = 0; step < 3; step++) {
        put_step(&m, step);
        neg(&m, "3", "4");
        put_mark(&m, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
        zero(&m, "3");
        neg(&m, "3", "5"); /* perhaps filled in between */
    }
    assert_int_equal(end(&m), STATUS_OK);
    assert_int_equal(count_class(&m, FLOW_CLASS_INVARIANT), 0);
    done(&m);
}

/* What ones() made was freed: batches of the DataLoader lie there. */
static void batches_at_the_address_of_a_result_are_other_data(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    for (int step = 0; step < 2; step++) {
        put_step(&m, step);
        ones(&m, "3");
        for (int batch = 0; batch < 2; batch++) {
            put_mark(&m, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
            neg(&m, "3", "4");
        }
    }
    assert_int_equal(end(&m), STATUS_OK);
    assert_int_equal(run_check(&m.run, &m.err), STATUS_OK);
    assert_int_equal(count_class(&m, FLOW_CLASS_REPEATED), 0);
    assert_int_equal(count_class(&m, FLOW_CLASS_INVARIANT), 0);
    done(&m);
}

/* It may as well be what was made there: then that is needed. */
static void what_is_read_in_a_later_step_is_not_unread(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    for (int step = 0; step < 3; step++) {
        put_step(&m, step);
        neg(&m, "3", "4"); /* of the parameter */
        neg(&m, "5", "6"); /* of what the step before has left there */
        neg(&m, "4", "5");
        optimize(&m, "3 6");
    }
    assert_int_equal(end(&m), STATUS_OK);
    assert_int_equal(run_check(&m.run, &m.err), STATUS_OK);
    assert_int_equal(count_class(&m, FLOW_CLASS_UNREAD), 0);
    done(&m);
}

static void empty_like(struct made *m, const char *given, const char *result)
{
    put_node(m, "aten::empty_like", "aten::empty_like(Tensor self) -> Tensor", given,
             result);
}

/* "4" is unread as far as operators tell; a kernel might make "5" of it. */
static void put_unread_work(struct made *m, bool fill)
{
    for (int step = 0; step < 3; step++) {
        put_step(m, step);
        neg(m, "3", "4"); /* of the parameter */
        empty_like(m, "4", "5");
        if (fill)
            zero(m, "5");
        optimize(m, "3 5");
        ones(m, "4");
    }
}

static void what_a_kernel_of_ones_own_may_read_is_not_unread(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    put_unread_work(&m, false);
    assert_int_equal(end(&m), STATUS_OK);
    assert_int_equal(count_class(&m, FLOW_CLASS_UNREAD), 0);
    assert_non_null(strstr(run_name(&m.run, m.run.notes.text[0]), "Triton"));
    done(&m);
    begin(&m);
    put_unread_work(&m, true); /* all writers are seen */
    assert_int_equal(end(&m), STATUS_OK);
    assert_true(count_class(&m, FLOW_CLASS_UNREAD) > 0);
    assert_null(strstr(run_name(&m.run, m.run.notes.text[0]), "Triton"));
    done(&m);
}

static void compiled_code_is_not_judged(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    for (int step = 0; step < 2; step++) {
        put_step(&m, step);
        put_mark(&m, "Torch-Compiled Region: 0/0");
        neg(&m, "3", "4");
    }
    assert_int_equal(end(&m), STATUS_OK);
    assert_int_equal(m.run.watched_ops.table.n, 0);
    assert_int_equal(m.run.notes.table.n, 1);
    assert_non_null(strstr(run_name(&m.run, m.run.notes.text[0]), "torch.compile"));
    done(&m);
}

/* Numbers that are drawn anew are neither the same work nor constants. */
static void what_draws_is_never_the_same(void **state)
{
    static const char *const schemas[] = {
        "aten::uniform(Tensor self) -> Tensor",
        "aten::exponential(Tensor self) -> Tensor",
        "aten::_standard_gamma(Tensor self) -> Tensor",
        "aten::_sample_dirichlet(Tensor self) -> Tensor",
        "aten::rrelu_with_noise(Tensor self, Tensor(b!) noise) -> Tensor"};
    (void)state;
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        struct made m;
        begin(&m);
        for (int step = 0; step < 2; step++) {
            put_step(&m, step);
            ones(&m, "3");
            put_node(&m, "x", schemas[i], "3", "4");
            put_node(&m, "x", schemas[i], "3", "5");
        }
        assert_int_equal(end(&m), STATUS_OK);
        assert_int_equal(count_class(&m, FLOW_CLASS_REPEATED), 0);
        assert_int_equal(count_class(&m, FLOW_CLASS_INVARIANT), 0);
        done(&m);
    }
}

static void dropout_in_place_reads_what_it_writes(void **state)
{
    struct op_schema s;
    (void)state;
    assert_true(op_schema_parse(&s, "aten::rrelu_with_noise_(Tensor(a!) self, Tensor(b!) "
                                    "noise) -> Tensor(a!)"));
    assert_false(s.traits & OP_TRAIT_WRITES_ONLY);
    assert_true(op_schema_parse(&s, "aten::uniform_(Tensor(a!) self) -> Tensor(a!)"));
    assert_true(s.traits & OP_TRAIT_WRITES_ONLY);
}

/* --- wrong files --- */

static void refuses(const char *text, const char *why)
{
    struct made m;
    begin(&m);
    enum status st = execution_trace_parse(&m.run, text, strlen(text), "a.json", &m.err);
    assert_int_equal(st, STATUS_INPUT);
    if (!strstr(m.err.text, why))
        fail_msg("\"%s\" does not say \"%s\"", m.err.text, why);
    assert_int_equal(m.run.watched_ops.table.n, 0);
    done(&m);
}

#define HEAD "{\"schema\": \"1.1.1-chakra.0.0.4\", \"nodes\": ["
#define NODE(id, parent) "{\"id\": " id ", \"name\": \"x\", \"ctrl_deps\": " parent "}"

static void other_files_are_refused_with_what_they_are(void **state)
{
    (void)state;
    refuses("", "it is empty");
    refuses("hello", "this is not an execution trace");
    refuses("{\"schemaVersion\": 1, \"traceEvents\": []}", "this is a profiler trace");
    refuses("{\"traceEvents\": []}", "this is a profiler trace");
    refuses("{\"schema\": \"1.0.1\", \"nodes\": []}", "its schema is \"1.0.1\"");
    refuses("{\"nodes\": []}", "does not name its schema");
    refuses("{\"schema\": \"1.1.1-chakra.0.0.4\"}", "it has no nodes");
}

static void damaged_files_are_refused_with_the_place(void **state)
{
    (void)state;
    refuses(HEAD, "cut short at byte");
    refuses(HEAD NODE("1", "1") ",", "cut short at byte");
    refuses(HEAD NODE("1", "1"), "cut short at byte");
    refuses(HEAD "{\"id\": 1, \"name\": \"x", "cut short at byte");
    refuses(HEAD NODE("1", "1") NODE("2", "1") "]}", "malformed at byte");
    refuses(HEAD NODE("1", "1") ", 7]}", "malformed at byte");
    refuses(HEAD "{\"id\": 1, \"name\": \"x\",}]}", "");
}

static void ids_are_believed_only_as_far_as_they_make_sense(void **state)
{
    (void)state;
    refuses(HEAD NODE("1", "2") "," NODE("2", "1") "]}", "began later");
    refuses(HEAD NODE("5", "5") "," NODE("5", "5") "]}", "two nodes have the id 5");
    refuses(HEAD NODE("-5", "1") "]}", "no id");
    refuses(HEAD NODE("99999999999999999999999", "1") "]}", "no id");
}

static void a_tensor_with_wrong_numbers_is_refused(void **state)
{
    (void)state;
#define GIVEN(value, type)                                                               \
    HEAD "{\"id\": 3, \"name\": \"aten::neg\", \"ctrl_deps\": 3, \"inputs\": "           \
         "{\"values\": [" value "], \"shapes\": [[1]], \"types\": [" type                \
         "], \"strides\": [[1]]}, \"attrs\": [{\"name\": \"op_schema\", \"value\": "     \
         "\"aten::neg(Tensor self) -> Tensor\"}]}]}"
    refuses(GIVEN("[1, 2, 3]", "\"Tensor(float)\""),
            "node 3 has a tensor without its six");
    refuses(GIVEN("[1, -2, 0, 1, 4, \"cpu\"]", "\"Tensor(float)\""), "below zero");
    refuses(GIVEN("[1, 2, 0, 1, 4000, \"cpu\"]", "\"Tensor(float)\""), "too large");
    refuses(GIVEN("[1, 2, 0, 1, 4, \"cpu\"]", ""), "values without types");
}

static void nodes_and_names_are_bounded(void **state)
{
    enum { NODE_BYTES = 5 << 20, NAME_BYTES = 1 << 20, NAMES = 4, DIMS = 65 };
    struct made m;
    struct strbuf long_name, text;
    (void)state;
    strbuf_init(&text);
    strbuf_puts(&text, HEAD "{\"id\": 1, \"name\": \"x\", \"v\": [0");
    while (text.len < NODE_BYTES)
        strbuf_puts(&text, ",0");
    strbuf_puts(&text, "]}]}");
    refuses(text.s, "is longer than 4 MB");
    strbuf_release(&text);

    begin(&m);
    strbuf_init(&long_name);
    while (long_name.len < NAME_BYTES)
        strbuf_puts(&long_name, "name");
    for (int i = 0; i < NAMES; i++) {
        long_name.s[0] = (char)('A' + i); /* they differ at once */
        put_mark(&m, long_name.s);
    }
    put_node(&m, "aten::neg", long_name.s, "", ""); /* no schema is so long */
    assert_int_equal(end(&m), STATUS_OK);
    for (size_t i = 0; i < m.run.names.n; i++)
        assert_true(m.run.names.len[i] <= 16 << 10);
    strbuf_release(&long_name);
    done(&m);

    strbuf_init(&text);
    strbuf_puts(&text,
                HEAD "{\"id\": 3, \"name\": \"aten::neg\", \"ctrl_deps\": 3, \"inputs\": "
                     "{\"values\": [[1, 2, 0, 1, 4, \"cpu\"]], \"types\": "
                     "[\"Tensor(float)\"], \"shapes\": [[1");
    for (int i = 1; i < DIMS; i++)
        strbuf_puts(&text, ", 1");
    strbuf_puts(&text, "]]}, \"attrs\": [{\"name\": \"op_schema\", \"value\": "
                       "\"aten::neg(Tensor self) -> Tensor\"}]}]}");
    refuses(text.s, "too many dimensions");
    strbuf_release(&text);
}

static void names_of_all_nodes_are_bounded(void **state)
{
    enum { NAME_BYTES = 16 << 10, NAMES = 4200 }; /* more than 64 MiB */
    struct made m;
    char name[NAME_BYTES];
    (void)state;
    begin(&m);
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, 8, "%06d", i);
        name[6] = 'x';
        put_mark(&m, name);
    }
    assert_int_equal(end(&m), STATUS_INPUT);
    assert_non_null(strstr(m.err.text, "names and shapes"));
    done(&m);
}

/* --- a real one --- */

/* Of work that the job of tests/data/execution/record.py was given to do for nothing. */
static void planted_work_of_a_real_job_is_found(void **state)
{
    struct made m;
    struct flow_graph g;
    size_t n[FLOW_CLASS_COUNT] = {0};
    (void)state;
    begin(&m);
    assert_int_equal(
        execution_trace_add(&m.run, TESTS_DIR "/data/execution/needless.graph.json.gz",
                            &m.err),
        STATUS_OK);
    assert_int_equal(run_check(&m.run, &m.err), STATUS_OK);
    assert_true(flow_graph_init(&g, &m.run, 0));
    assert_int_equal(g.steps, 3);
    struct flow_classes c = flow_classes_of(&g);
    for (size_t op = 0; op < g.n; op++)
        n[c.of[op]] += flow_step(&g, op) == 0;
    assert_int_equal(n[FLOW_CLASS_INVARIANT], 8); /* ones, tril, sum, div, twice */
    assert_int_equal(n[FLOW_CLASS_REPEATED], 7);  /* embedding, bmm, 3 addmm, gelu, add */
    assert_int_equal(n[FLOW_CLASS_UNREAD], 6); /* softmax, var; argmax, eq, cast, mean */
    flow_classes_release(&c);
    flow_graph_release(&g);
    done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_reads_makes_and_writes),
        cmocka_unit_test(an_address_that_is_used_again_is_another_storage),
        cmocka_unit_test(a_call_that_is_made_of_others_is_these),
        cmocka_unit_test(a_gradient_knows_its_forward_call),
        cmocka_unit_test(
            what_an_optimizer_writes_and_a_forward_pass_reads_is_a_parameter),
        cmocka_unit_test(what_nobody_is_seen_to_make_is_other_data_in_the_next_step),
        cmocka_unit_test(what_autograd_holds_stays_the_same),
        cmocka_unit_test(a_buffer_that_was_cleared_once_is_other_data_in_the_next_step),
        cmocka_unit_test(a_buffer_that_is_cleared_in_every_step_is_other_data_too),
        cmocka_unit_test(batches_at_the_address_of_a_result_are_other_data),
        cmocka_unit_test(what_is_read_in_a_later_step_is_not_unread),
        cmocka_unit_test(what_a_kernel_of_ones_own_may_read_is_not_unread),
        cmocka_unit_test(compiled_code_is_not_judged),
        cmocka_unit_test(what_draws_is_never_the_same),
        cmocka_unit_test(dropout_in_place_reads_what_it_writes),
        cmocka_unit_test(other_files_are_refused_with_what_they_are),
        cmocka_unit_test(damaged_files_are_refused_with_the_place),
        cmocka_unit_test(ids_are_believed_only_as_far_as_they_make_sense),
        cmocka_unit_test(a_tensor_with_wrong_numbers_is_refused),
        cmocka_unit_test(nodes_and_names_are_bounded),
        cmocka_unit_test(names_of_all_nodes_are_bounded),
        cmocka_unit_test(planted_work_of_a_real_job_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
