/*
 * Conditions of rules about how a job is set up: what a loader is for, whether a setting is
 * a choice of who starts the program, whether a graph is needed again.
 */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"

#include <stdlib.h>
#include <string.h>

enum { CLIMB_MAX = 400, SEARCH_MAX = 2000 };

static struct slice short_text(const struct match *m, TSNode n)
{
    return text_head(python_slice(m->syntax->text, n));
}

static TSNode body_around(TSNode n)
{
    for (int i = 0; i < CLIMB_MAX && !ts_node_is_null(python_parent(n)); i++) {
        if (python_node(n) == PY_function_definition)
            return n;
        n = python_parent(n);
    }
    return n;
}

static TSNode root_of(TSNode n)
{
    for (int i = 0; i < CLIMB_MAX; i++) {
        if (python_node(n) == PY_attribute)
            n = python_field(n, FIELD_object);
        else if (python_node(n) == PY_call)
            n = python_field(n, FIELD_function);
        else if (python_node(n) == PY_subscript)
            n = python_field(n, FIELD_value);
        else if (python_node(n) == PY_parenthesized_expression)
            n = python_child(n, 0);
        else
            break;
    }
    return n;
}

/* ---- for-training: what a data loader is for ---- */

static const char evaluation_words[] =
    "val valid validation test testing eval evaluation dev infer inference predict "
    "testdata testset testloader valset valloader validloader evalloader evalset";

/* a, b = x, y: the part of the left side that a part of the right side goes to. */
static TSNode target_of(TSNode assignment, TSNode value)
{
    TSNode left = python_field(assignment, FIELD_left), right = python_parent(value);
    if (python_node(right) != PY_expression_list)
        return left;
    for (uint32_t i = 0; i < python_children(right) && i < 64; i++)
        if (ts_node_eq(python_child(right, i), value))
            return python_child(left, i);
    return left;
}

/* The name under which an expression is kept: x = f(…), f(x=…), {"x": …}; a null node. */
static TSNode kept_as(TSNode n)
{
    enum { WRAPPED_MAX = 8 }; /* iter(prepare(DataLoader(…))) */
    static const TSNode none = {0};
    for (int i = 0; i < WRAPPED_MAX && !ts_node_is_null(n); i++) {
        TSNode up = python_parent(n);
        switch (python_node(up)) {
        case PY_assignment:
            return target_of(up, n);
        case PY_expression_list:
            if (python_node(python_parent(up)) == PY_assignment)
                return target_of(python_parent(up), n);
            break;
        case PY_keyword_argument:
            return python_field(up, FIELD_name);
        case PY_block:
            return none;
        default:
            if (!strcmp(python_type(up), "pair"))
                return python_field(up, FIELD_key);
        }
        n = up;
    }
    return none;
}

static struct slice function_name(const struct match *m, TSNode n)
{
    const struct source_facts *f = m->syntax->facts;
    int32_t fn = source_function_of(f, place_of_node(m, n));
    const char *name = fn >= 0 ? f->functions[fn].name : "";
    return (struct slice){name, strlen(name)};
}

/* (#for-training? @call): its name, its data or the function around say so, or it is
 * shuffled; none says that it is for an evaluation. */
bool condition_for_training(const struct match *m, const struct predicate *p)
{
    TSNode call = match_node(m, &p->arguments[0]);
    TSNode arguments = python_field(call, FIELD_arguments);
    struct slice said[] = {
        short_text(m, kept_as(call)),
        short_text(m, argument_at(arguments, 0)),
        short_text(m, argument_named(m->syntax, arguments, "dataset")),
        function_name(m, call),
    };
    bool training = false;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        if (name_has_word(said[i], evaluation_words))
            return false;
        training |= name_has_word(said[i], "train training trainset trainloader");
    }
    TSNode shuffle = argument_named(m->syntax, arguments, "shuffle");
    return training || (!ts_node_is_null(shuffle) && python_node(shuffle) != PY_false);
}

/* ---- in-test: is it a test's, which takes a few steps and is no job? ---- */

static bool imports_tests(const struct source_syntax *s)
{
    static const char *const roots[] = {"pytest", "unittest"};
    for (size_t i = 0; i < s->n_imports; i++)
        for (size_t k = 0; k < sizeof roots / sizeof *roots; k++)
            if (!strncmp(s->imports[i].full, roots[k], strlen(roots[k])))
                return true;
    return false;
}

/* (#in-test? @a): in a file that imports a framework of tests, or a function test_… */
bool condition_in_test(const struct match *m, const struct predicate *p)
{
    struct slice name = function_name(m, match_node(m, &p->arguments[0]));
    return imports_tests(m->syntax) || (name.len > 5 && !memcmp(name.s, "test_", 5));
}

/* ---- iterated-once: is a loader made for one pass? ---- */

/* Loops over a name: those in an outer loop, and those in none. */
struct passes {
    const struct match *m;
    struct slice name;
    int single, nested, budget;
};

static bool is_name_in(struct passes *p, TSNode n, int depth)
{
    if (--p->budget <= 0)
        return false;
    if (python_node(n) == PY_identifier)
        return slice_equal(python_slice(p->m->syntax->text, n), p->name);
    for (uint32_t i = 0; i < python_children(n) && i < 8 && depth < 8; i++)
        if (is_name_in(p, python_child(n, i), depth + 1))
            return true;
    return false;
}

static void count_passes(struct passes *p, TSNode n, int loops, int depth)
{
    enum { DEPTH_MAX = 100 };
    if (ts_node_is_null(n) || --p->budget <= 0 || depth > DEPTH_MAX)
        return;
    bool loop =
        python_node(n) == PY_for_statement || python_node(n) == PY_while_statement;
    if (python_node(n) == PY_for_statement &&
        is_name_in(p, python_field(n, FIELD_right), 0))
        *(loops ? &p->nested : &p->single) += 1;
    else if (loops && python_node(n) == PY_identifier && is_name_in(p, n, 0))
        p->nested++; /* handed on in every turn: train(loader) */
    TSNode over = python_field(n, FIELD_right);
    for (uint32_t i = 0; i < python_children(n); i++) {
        TSNode c = python_child(n, i);
        bool header = loop && !ts_node_is_null(over) && ts_node_eq(c, over);
        if (!header)
            count_passes(p, c, loops + loop, depth + 1);
    }
}

/* (#iterated-once? @call): the function around has a loop over what the call returns, and
 * not within another loop. */
bool condition_iterated_once(const struct match *m, const struct predicate *p)
{
    TSNode call = match_node(m, &p->arguments[0]), name = kept_as(call);
    struct passes passes = {
        .m = m, .name = python_slice(m->syntax->text, name), .budget = SEARCH_MAX};
    if (python_node(name) == PY_identifier)
        count_passes(&passes, body_around(call), 0, 0);
    return passes.single && !passes.nested;
}

/* ---- conditional: is it under an if that somebody chooses? ---- */

/* What a program asks about where it runs is no choice. */
static bool asks_where_it_runs(struct slice condition)
{
    return slice_has(condition, "__name__") || slice_has(condition, "cuda") ||
           slice_has(condition, "is_available") || slice_has(condition, "rank") ||
           slice_has(condition, "device") || slice_has(condition, "distributed");
}

/* (#conditional? @a) */
bool condition_conditional(const struct match *m, const struct predicate *p)
{
    TSNode n = match_node(m, &p->arguments[0]);
    for (int i = 0; i < CLIMB_MAX && !ts_node_is_null(n); i++) {
        TSNode up = python_parent(n), test = python_field(up, FIELD_condition);
        bool in_test = !ts_node_is_null(test) && ts_node_eq(test, n);
        switch (python_node(up)) {
        case PY_if_statement:
        case PY_elif_clause:
            if (!in_test && !asks_where_it_runs(short_text(m, test)))
                return true;
            break;
        case PY_conditional_expression:
        case PY_boolean_operator:
        case PY_except_clause:
            return true;
        default:
            break;
        }
        n = up;
    }
    return false;
}

/* ---- guards: does a condition only ask whether to end the program? ---- */

static bool ends_program(const struct match *m, TSNode body)
{
    uint32_t n = python_children(body);
    TSNode last = n ? python_child(body, n - 1) : body;
    struct slice text = short_text(m, last);
    return n && (python_node(last) == PY_raise_statement || slice_has(text, "exit(") ||
                 slice_has(text, "set_trace(") || slice_has(text, "breakpoint("));
}

/* (#guards? @a): an assert asks for it, or an if whose body ends in raise or exit. */
bool condition_guards(const struct match *m, const struct predicate *p)
{
    TSNode n = match_node(m, &p->arguments[0]);
    for (int i = 0; i < CLIMB_MAX && !ts_node_is_null(n); i++) {
        TSNode up = python_parent(n);
        enum python_node kind = python_node(up);
        if (!strcmp(python_type(up), "assert_statement"))
            return true;
        if (kind == PY_if_statement || kind == PY_elif_clause)
            return ts_node_eq(python_field(up, FIELD_condition), n) &&
                   ends_program(m, python_field(up, FIELD_consequence));
        if (kind == PY_block || kind == PY_function_definition)
            return false;
        n = up;
    }
    return false;
}

/* ---- at-least: a count that is written down ---- */

/* (#at-least? @a "1"): a literal of that size, or a name for one. */
bool condition_at_least(const struct match *m, const struct predicate *p)
{
    TSNode n = match_node(m, &p->arguments[0]);
    if (python_node(n) == PY_identifier) {
        const struct binding *b = binding_of(m->syntax, python_slice(m->syntax->text, n),
                                             place_of_node(m, n), ts_node_start_byte(n));
        if (!b || b->previous >= 0)
            return false;
        n = b->value;
    }
    struct slice text = python_slice(m->syntax->text, n), least = p->arguments[1].text;
    char number[24] = "", bound[24] = "";
    if (python_node(n) != PY_integer || text.len >= sizeof number ||
        least.len >= sizeof bound)
        return false;
    memcpy(number, text.s, text.len);
    memcpy(bound, least.s, least.len);
    return strtol(number, NULL, 0) >= strtol(bound, NULL, 10);
}

/* ---- default-is: what a setting is when nobody chooses ---- */

/* Is this text of an option its name: "--num-workers" of num_workers? */
static bool is_option(struct slice text, struct slice name)
{
    while (text.len && (*text.s == '"' || *text.s == '\'' || *text.s == '-'))
        text.s++, text.len--;
    while (text.len && (text.s[text.len - 1] == '"' || text.s[text.len - 1] == '\''))
        text.len--;
    if (!name.len || text.len != name.len)
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (text.s[i] != name.s[i] && !(text.s[i] == '-' && name.s[i] == '_'))
            return false;
    return true;
}

/* default=… of parser.add_argument("-j", "--name"), of @click.option; else a null node. */
static TSNode default_of(const struct match *m, struct slice name)
{
    const struct source_syntax *s = m->syntax;
    static const TSNode none = {0};
    for (size_t i = 0; i < s->n_calls; i++) {
        TSNode callee = python_field(s->calls[i], FIELD_function),
               arguments = python_field(s->calls[i], FIELD_arguments);
        struct slice method =
            python_slice(s->text, python_field(callee, FIELD_attribute));
        if (!slice_is(method, "add_argument") && !slice_is(method, "option"))
            continue;
        for (uint32_t k = 0; k < 3; k++)
            if (is_option(python_slice(s->text, argument_at(arguments, k)), name))
                return argument_named(s, arguments, "default");
    }
    return none;
}

/* (#default-is? @arguments "num_workers" "0"): that argument of a call is the text, a name
 * for it, or an option of the command line whose default it is. */
bool condition_default_is(const struct match *m, const struct predicate *p)
{
    char name[80];
    struct slice asked = p->arguments[1].text, is = p->arguments[2].text;
    if (asked.len >= sizeof name)
        return false;
    memcpy(name, asked.s, asked.len);
    name[asked.len] = '\0';
    TSNode value = argument_named(m->syntax, match_node(m, &p->arguments[0]), name);
    struct slice text = short_text(m, value);
    if (python_node(value) == PY_identifier) {
        const struct binding *b = binding_of(m->syntax, text, place_of_node(m, value),
                                             ts_node_start_byte(value));
        if (b && slice_equal(short_text(m, b->value), is))
            return true;
        value = b && !ts_node_is_null(b->value) ? b->value : value;
    }
    if (slice_equal(text, is))
        return true;
    struct slice option =
        python_slice(m->syntax->text, python_node(value) == PY_attribute
                                          ? python_field(value, FIELD_attribute)
                                          : value);
    return slice_equal(short_text(m, default_of(m, option)), is);
}

/* ---- last-backward: does anything need this graph again? ---- */

/* Looks through the nodes from byte `after` on, in the order of the text. */
static bool walks_graph(const struct match *m, TSNode n, uint32_t after, int *budget,
                        int depth)
{
    enum { DEPTH_MAX = 200 };
    if (--*budget <= 0 || depth > DEPTH_MAX)
        return true; /* not known */
    if (ts_node_is_null(n) || python_end(n) <= after)
        return false;
    TSNode callee = python_field(n, FIELD_function);
    if (python_node(n) == PY_call && ts_node_start_byte(n) >= after) {
        TSNode name = python_node(callee) == PY_attribute
                          ? python_field(callee, FIELD_attribute)
                          : callee;
        struct slice s = short_text(m, name);
        if (slice_has(s, "backward") || slice_is(s, "grad"))
            return true;
    }
    for (uint32_t i = 0; i < python_children(n); i++)
        if (walks_graph(m, python_child(n, i), after, budget, depth + 1))
            return true;
    return false;
}

/* What is not the loss itself, and may hang on the same graph. */
static bool holds_graph(const struct match *m, TSNode n, TSNode loss)
{
    return !slice_equal(python_slice(m->syntax->text, n),
                        python_slice(m->syntax->text, loss)) &&
           value_may_have_graph(m->syntax, n);
}

static bool returns_graph(const struct match *m, TSNode n, TSNode loss)
{
    TSNode value = python_child(n, 0);
    enum python_node kind = python_node(value);
    if (kind != PY_expression_list && kind != PY_tuple)
        return !ts_node_is_null(value) && holds_graph(m, value, loss);
    for (uint32_t i = 0; i < python_children(value) && i < 16; i++)
        if (holds_graph(m, python_child(value, i), loss))
            return true;
    return false;
}

/* self.x = y, where y is a tensor with a graph. */
static bool stores_graph(const struct match *m, TSNode n, TSNode loss)
{
    TSNode target = python_field(n, FIELD_left), value = python_field(n, FIELD_right);
    return python_node(target) == PY_attribute &&
           value_kind(m->syntax, value) == KIND_TENSOR && holds_graph(m, value, loss);
}

/* Does a function give away what its callers may go backward from? */
static bool hands_graph_on(const struct match *m, TSNode function, TSNode call,
                           TSNode loss)
{
    const struct python_nodes *l = &m->syntax->nodes;
    uint32_t end = python_end(function);
    size_t i = python_row_from(l, ts_node_start_byte(function));
    for (int budget = SEARCH_MAX; i < l->n; i++) {
        TSNode n = l->rows[i].node;
        if (ts_node_start_byte(n) >= end)
            return false;
        if (--budget <= 0)
            return true; /* not known */
        enum python_node kind = python_node_of_symbol(l->rows[i].symbol);
        bool behind = ts_node_start_byte(n) > python_end(call);
        if ((kind == PY_return_statement && behind && returns_graph(m, n, loss)) ||
            (kind == PY_assignment && stores_graph(m, n, loss)))
            return true;
    }
    return false;
}

/* (#last-backward? @call @loss): the loss is made in the same turn of the same loop, and
 * nothing behind the call walks a graph, in this function or with what it hands on. */
bool condition_last_backward(const struct match *m, const struct predicate *p)
{
    struct source_facts *f = m->syntax->facts;
    TSNode call = match_node(m, &p->arguments[0]);
    TSNode loss = root_of(match_node(m, &p->arguments[1]));
    uint32_t byte = ts_node_start_byte(call);
    if (python_node(loss) != PY_identifier)
        return false;
    const struct binding *b = binding_of(m->syntax, python_slice(m->syntax->text, loss),
                                         place_of_node(m, call), byte);
    if (!b || b->byte > byte || ts_node_is_null(b->value) ||
        source_turn_of(f, b->place) != source_turn_of(f, place_of_node(m, call)))
        return false;
    int budget = SEARCH_MAX;
    TSNode around = body_around(call);
    bool function = python_node(around) == PY_function_definition;
    return !walks_graph(m, around, python_end(call), &budget, 0) &&
           !(function && hands_graph_on(m, around, call, loss));
}

/* ---- updates: does a loop's body change each of its values in place? ---- */

static bool is_target(const struct match *m, TSNode name, TSNode targets)
{
    struct slice s = python_slice(m->syntax->text, name);
    if (python_node(name) != PY_identifier || ts_node_is_null(targets))
        return false;
    if (python_node(targets) == PY_identifier)
        return slice_equal(s, python_slice(m->syntax->text, targets));
    for (uint32_t i = 0; i < python_children(targets) && i < 8; i++)
        if (is_target(m, name, python_child(targets, i)))
            return true;
    return false;
}

static bool has_grad(const struct match *m, TSNode value)
{
    return slice_has(short_text(m, value), ".grad");
}

static bool in_place_method(struct slice name)
{
    static const char *const plain[] = {"add_",     "sub_",     "mul_",  "div_",
                                        "lerp_",    "addcmul_", "copy_", "clamp_",
                                        "addcdiv_", "sub_",     "clip_"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (slice_is(name, plain[i]))
            return true;
    return false;
}

/* One statement: p.data.add_(…), p -= …, p.data = …, or p.grad.zero_(). */
static bool changes_target(const struct match *m, TSNode n, TSNode targets, bool grads)
{
    const char *text = m->syntax->text;
    if (python_node(n) == PY_call) {
        TSNode callee = python_field(n, FIELD_function),
               object = python_field(callee, FIELD_object);
        struct slice name = python_slice(text, python_field(callee, FIELD_attribute));
        if (!is_target(m, root_of(object), targets))
            return false;
        TSNode target = object;
        while (python_node(target) == PY_call) /* p.mul_(…).add_(…) */
            target = python_field(python_field(target, FIELD_function), FIELD_object);
        return grads ? slice_is(name, "zero_") && has_grad(m, target)
                     : in_place_method(name);
    }
    TSNode left = python_field(n, FIELD_left);
    if (grads || !is_target(m, root_of(left), targets))
        return false;
    return python_node(n) == PY_augmented_assignment ||
           (python_node(n) == PY_assignment &&
            slice_is(python_slice(text, python_field(left, FIELD_attribute)), "data"));
}

static bool body_changes(const struct match *m, TSNode n, TSNode targets, bool grads,
                         int *budget, int depth)
{
    enum { DEPTH_MAX = 40 };
    if (ts_node_is_null(n) || --*budget <= 0 || depth > DEPTH_MAX)
        return false;
    enum python_node kind = python_node(n);
    if ((kind == PY_call || kind == PY_assignment || kind == PY_augmented_assignment) &&
        changes_target(m, n, targets, grads))
        return true;
    for (uint32_t i = 0; i < python_children(n); i++)
        if (body_changes(m, python_child(n, i), targets, grads, budget, depth + 1))
            return true;
    return false;
}

/* (#updates? @body @targets), (#updates? @body @targets "grad") */
bool condition_updates(const struct match *m, const struct predicate *p)
{
    int budget = SEARCH_MAX;
    return body_changes(m, match_node(m, &p->arguments[0]),
                        match_node(m, &p->arguments[1]), p->n > 2, &budget, 0);
}

/* ---- accumulates: are there several backward passes for one step? ---- */

static const struct source_place *loop_around(const struct source_facts *f, int32_t place)
{
    while (place > 0 && f->places[place].kind != PLACE_LOOP &&
           f->places[place].kind != PLACE_FUNCTION)
        place = f->places[place].parent;
    return &f->places[place];
}

bool condition_accumulates(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    const struct source_place *loop = loop_around(v->facts, v->place);
    if (loop->kind != PLACE_LOOP || !loop->backward)
        return false;
    if (loop->step)
        return loop->step_counted && !loop->step_always;
    loop = loop_around(v->facts, loop->parent);
    return loop->kind == PLACE_LOOP && loop->step_always;
}
#endif
